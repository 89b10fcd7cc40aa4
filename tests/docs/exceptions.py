"""What the tests of the documentation do otherwise than the documentation says, with the reason for each.

A key is a page and a command as it stands there, or '*' and the beginning of commands on any page.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs.blocks import Command

Key = tuple[str, str]

QUICK = (
    "docs/installing.md", "docs/runs.md", "docs/models.md", "docs/extend/model.md",
)  # fmt: skip
"""Pages whose commands `make test` carries out, but for those of `SLOW`; `make test-full` carries out all of them."""

SLOW: dict[Key, str] = {
    ("*", "tolman simulate"): "seconds for each scene; the stage has scenes",
    ("*", "tolman ingest"): "seconds for each scan; the stage has scenes",
    ("*", "tolman review"): "starts a process of its own",
    ("*", "tolman analyze bias"): "trains learners",
    ("*", "tolman doctor"): "tries every extra",
}
"""Command → why `make test` only has it parsed."""

SMALL = ("--scenes", "2", "--seconds", "4", "--rate", "2", "--size", "96x64")

SHORTENED: dict[Key, tuple[tuple[str, ...], str]] = {
    ("docs/families/site.md", "tolman simulate --shapes two-rooms,street --exo 3 --actors 2 --out rigs"): (
        (*SMALL, "--out", "short-rigs"),
        "two cameras have nothing to tell each other in so few seconds; the questions are made of the stage's scenes",
    ),
    ("*", "tolman simulate"): (SMALL, "videos of full size take a minute for each scene"),
    ("*", "tolman analyze bias vsi-bench --prune"): (("--prune", "12"), "the stage has 20 questions"),
    ("*", "tolman analyze representative"): (("--size", "12"), "the stage has 20 questions"),
    ("*", "tolman generate"): (("--filter-rounds", "0"), "shortcut filtering needs scenes by the hundred"),
}
"""Command → options that stand behind its own, and why."""

PAID = "asks a paid API; its wire is tested in tests/models"
WEIGHTS = "needs weights and the extra 'hf'; tests/models/test_hf.py runs a network of its own"
RECORDING = "the recording and the places in it are the reader's; tests/ingest/lidar/test_measure.py measures one"
QUESTION_SETS = "reads question sets that are not at hand; tests/curate/test_pipeline.py carries a recipe out"
PEOPLE = "needs people's answers; tests/review carry it out"
PAPER = "reads a table or runs of the example that are not at hand; tests/commands/test_analyze.py has smaller ones"
PRICES = "the prices are the reader's; tests/runs/test_breaker.py has a limit on costs"
NODES = "needs two endpoints; tests/models/test_addresses.py has them"
SERVERS = "needs a server of others; tests/models/test_serving.py starts one of its own"
LICENSED = "downloads a data set under its licence"

ONLY_PARSED: dict[Key, str] = {
    ("docs/models.md", "tolman run vsi-bench --model gemini/gemini-2.5-pro --preset gemini"): PAID,
    ("docs/models.md", "tolman run mmsi-bench --model anthropic/claude-opus-4-5"): PAID,
    (
        "docs/models.md",
        "tolman score runs/mmsi-bench-full/openai-NAME-direct --judge anthropic/claude-haiku-4-5",
    ): PAID,
    ("*", "tolman run vsi-bench --model hf/"): WEIGHTS,
    (
        "docs/fleet.md",
        "tolman run vsi-bench --model openai/NAME --base-url http://localhost:8000/v1 --prices prices.json --max-cost 20",
    ): PRICES,
    (
        "docs/fleet.md",
        "tolman run vsi-bench --model openai/NAME --base-url http://node1:8000/v1,http://node2:8000/v1",
    ): NODES,
    (
        "docs/fleet.md",
        "tolman run vsi-bench --model openai/Qwen/Qwen2.5-VL-7B-Instruct --serve vllm:Qwen/Qwen2.5-VL-7B-Instruct",
    ): SERVERS,
    ("docs/fleet.md", "tolman run vsi-bench --model openai/NAME --serve 'sglang:NAME --tp-size 2'"): SERVERS,
    (
        "docs/fleet.md",
        "tolman run vsi-bench --model openai/NAME --serve 'llama-server -m NAME.gguf --mmproj NAME-mmproj.gguf --port {port}'",
    ): SERVERS,
    ("*", "tolman measure "): RECORDING,
    ("*", "tolman curate run "): QUESTION_SETS,
    ("docs/curate/index.md", "tolman run ./pool/benchmark --model openai/NAME …"): QUESTION_SETS,
    ("docs/curate/mappings.md", "tolman curate import my-set.toml data --out pool"): QUESTION_SETS,
    ("docs/review/index.md", "tolman review my-bench --runs runs/people"): PEOPLE,
    ("*", "tolman review my-bench --export"): PEOPLE,
    ("docs/review/verifying.md", "tolman review my-bench --verify pool/review.jsonl"): QUESTION_SETS,
    ("docs/review/verifying.md", "tolman review my-bench --verify runs/a --verify runs/b"): PEOPLE,
    ("docs/review/verifying.md", "tolman review my-bench --rig yard --rig worlds"): RECORDING,
    ("docs/ingest/lidar.md", "tolman ingest rig recordings/ --out scenes"): RECORDING,
    ("*", "tolman analyze errors "): PEOPLE,
    ("*", "tolman analyze correlation "): PAPER,
    ("*", "tolman analyze maps squeezed"): PAPER,
    ("*", "tolman analyze weights runs/"): PAPER,
    ("*", "tolman analyze diversity ./my-bench --structures"): "needs the extra 'syntax', which is in no test",
}
"""Command → why it can't be carried out here. The command line reads all of these."""

NOT_TOLMAN: dict[Key, str] = {
    ("*", "python3 download_data.py"): LICENSED,
    ("*", "python2 download_mp.py"): LICENSED,
    ("*", "egoexo "): LICENSED,
}
"""Command of another program → why it can't be carried out here."""

EXIT_CODES: dict[Key, tuple[int, str]] = {
    (
        "docs/installing.md",
        "tolman doctor --extra video --base-url http://localhost:8000/v1 --database postgresql://user@host/review --json",
    ): (1, "there is no such database"),
}
"""Command → its exit code, and why it isn't 0."""


def find(table: Mapping[Key, Any], command: Command) -> Key | None:
    """The entry of a command; one of its own page goes before one of all pages."""
    own = (command.page, command.text)
    if own in table:
        return own
    return next((key for key in table if key[0] == "*" and command.text.startswith(key[1])), None)


FILES: dict[Key, str] = {
    ("docs/config.md", "[simulate]"): "mine.toml",
    ("docs/config.md", "[[generate]]"): "suite.toml",
    ("docs/curate/index.md", 'name = "my-site"'): "site.toml",
    ("docs/extend/family.md", '"""How high an object reaches above the floor."""'): "my_family.py",
    ("docs/curate/index.md", "id,category,scale"): "hand.csv",
    ("docs/curate/mappings.md", 'name = "my-set"'): "my-set.toml",
    ("docs/analyses/errors.md", "id,annotator,categories"): "people.csv",
}
"""Page and first line of a block → the file that it shows."""

ABSENT: dict[str, tuple[str, ...]] = {
    "docs/extend/benchmark.md": ("my-bench",),
}
"""Page → what the stage has and the page means otherwise."""

BUILDING = ("docs/extend/item-kind.md",)
"""Pages whose Python snippets make what their commands read."""

GIVEN: dict[str, dict[str, Any]] = {
    "docs/protocols/cognitive-map.md": {"path": Path("runs/vsi-bench-full/my-model-direct")},
}
"""Page → names that its snippets take for granted."""

NOT_RUN: dict[Key, str] = {
    ("docs/measure.md", "from pathlib import Path"): RECORDING,
    ("docs/protocols/correspondence.md", "from tolman.media.matchers import Matcher"): "the matcher is the reader's",
}
"""Page and first line of a Python snippet → why it isn't run."""
