"""What the tests of the documentation do otherwise than the documentation says, with the reason for each.

A key is a page and a command as it stands there, or '*' and the beginning of commands on any page.
"""

from collections.abc import Mapping
from typing import Any

from docs.blocks import Command

Key = tuple[str, str]

SMALL = ("--scenes", "2", "--seconds", "4", "--rate", "2", "--size", "96x64", "--quality", "fast")

SHORTENED: dict[Key, tuple[tuple[str, ...], str]] = {
    ("docs/families/site.md", "tolman simulate --shapes two-rooms,street --exo 3 --actors 2 --out rigs"): (
        (*SMALL, "--out", "short-rigs"),
        "two cameras have nothing to tell each other in so few seconds; the questions are made of the stage's scenes",
    ),
    ("docs/tolman-2.md", "tolman simulate --config tolman-2/recipe.toml"): ((), "the stage's recipe has four rooms"),
    ("*", "tolman simulate"): (SMALL, "videos of full size take a minute for each scene"),
    ("*", "tolman analyze bias vsi-bench --prune"): (
        ("--prune", "12", "--folds", "3", "--rounds", "1"),
        "the stage has 20 questions, and each round trains the learners again",
    ),
    **dict.fromkeys(
        (("README.md", "tolman doctor"), ("docs/installing.md", "tolman doctor")),
        (("--help",), "it imports every package, and so does the next command of docs/installing.md"),
    ),
    ("*", "tolman analyze representative"): (("--size", "12"), "the stage has 20 questions"),
    ("*", "tolman audit my-bench --shortcuts"): (("--folds", "3"), "the stage has three scenes"),
    ("*", "tolman generate"): (("--filter-rounds", "0"), "shortcut filtering needs scenes by the hundred"),
    ("docs/protocols/index.md", "tolman run ./my-bench --model openai/NAME --protocol one-shot"): (
        ("--tasks", "object_counting,object_size,relative_direction"),
        "in three rooms some question types have questions of one alone",
    ),
    ("docs/models.md", "tolman run vsi-bench --model hf/./checkpoints/step-2000 --device cuda:1"): (
        ("--device", "cpu"),
        "no test needs a second GPU",
    ),
}
"""Command → options that stand behind its own, and why."""

LICENSED = "downloads a data set under its licence"

ON_RAY = "so is the extra 'cluster'"
ON_S3 = ("s3fs", "so is the extra 'cluster'")
TRACKED = "a tracker; `make test-interop` runs W&B and MLflow"
NEEDED: dict[Key, tuple[str, str]] = {
    ("*", "tolman run vsi-bench --model hf/"): ("torch", "the extra 'local' is installed by 'make test-full'"),
    ("docs/interop.md", "tolman run vsi-bench --model openai/NAME --log wandb"): ("wandb", TRACKED),
    ("docs/interop.md", "tolman report runs/vsi-bench-full/* --log mlflow"): ("mlflow", TRACKED),
    ("*", "tolman analyze diversity ./my-bench --structures"): ("spacy", "no extra installs a parser"),
    ("*", "tolman simulate --scenes 3 --out s3://"): ON_S3,
    ("*", "tolman generate s3://"): ON_S3,
    ("*", "tolman audit s3://"): ON_S3,
    ("*", "tolman run s3://"): ON_S3,
    ("*", "tolman score s3://"): ON_S3,
    ("*", "tolman report s3://"): ON_S3,
    ("docs/scale.md", "tolman simulate --scenes 12 --out worlds --on ray"): ("ray", ON_RAY),
    ("docs/scale.md", "tolman generate worlds --out my-bench --on ray"): ("ray", ON_RAY),
    ("docs/scale.md", "tolman audit ./my-bench --scenes worlds --on ray"): ("ray", ON_RAY),
    ("docs/scale.md", "tolman score answers.jsonl --benchmark ./my-bench --on ray"): ("ray", ON_RAY),
    ("*", "tolman ingest video"): ("pycolmap", "no extra installs COLMAP"),
    ("*", "tolman run ./my-bench --model baseline/detector"): (
        "onnxruntime",
        "'make test' installs the extra 'build'",
    ),
}
"""Command → the module without which it is left out, and who installs it."""

TWENTY = "the stage has 20 questions of VSI-Bench"
OTHER_DATA: dict[Key, str] = {
    ("README.md", "tolman run vsi-bench --protocol blind --model baseline/best-constant --published baselines"): TWENTY,
    ("docs/statistics.md", "tolman compare best-constant most-frequent"): TWENTY,
    ("docs/gallery.md", "tolman audit vsi-bench --scenes meta_info"): f"{TWENTY}; `test_gallery` audits all of them",
    ("docs/analyses/index.md", "tolman analyze bias vsi-bench --prune 2362 --against removed_ids.txt"): TWENTY,
    ("docs/analyses/index.md", "tolman analyze deltas m4-direct m4-blind m3-direct m3-blind"): TWENTY,
    ("docs/analyses/index.md", "tolman analyze diversity vsi-bench"): TWENTY,
    ("docs/analyses/index.md", "tolman analyze humans people/* --out tiers"): TWENTY,
    ("docs/analyses/index.md", "tolman analyze representative *-direct --size 300"): TWENTY,
}
"""Command → why of the output that a page shows only sentences without a figure are compared, and no tables."""

NOT_TOLMAN: dict[Key, str] = {
    ("*", "inspect eval tolman/"): "Inspect; `make test-interop` runs the plug-in",
    ("*", "python -m lmms_eval "): "lmms-eval; `make test-interop` runs it",
    ("*", "python KIT/run_with_tolman.py"): "VLMEvalKit; `make test-interop` runs it",
    ("*", "python3 download_data.py"): LICENSED,
    ("*", "python2 download_mp.py"): LICENSED,
    ("*", "egoexo "): LICENSED,
    ("*", "python -m spacy download"): "downloads a model",
}
"""Command of another program → why it can't be carried out here."""

EXIT_CODES: dict[Key, tuple[tuple[int, ...], str]] = {
    ("docs/tolman-2.md", "tolman form tolman-2/recipe.toml --out fresh"): (
        (2,),
        "the stage's questions are unfiltered, by another recipe",
    ),
    ("README.md", "tolman audit vsi-bench --scenes meta_info"): ((1,), "answers of VSI-Bench are in doubt"),
    ("docs/construction.md", "tolman audit vsi-bench --scenes meta_info"): ((1,), "answers of VSI-Bench are in doubt"),
    ("docs/gallery.md", "tolman audit vsi-bench --scenes meta_info"): ((1,), "answers of VSI-Bench are in doubt"),
    ("*", "tolman audit my-bench --shortcuts"): (
        (1,),
        "three scenes have too few questions to tell",
    ),
    (
        "docs/installing.md",
        "tolman doctor --extra media --base-url http://localhost:8000/v1 --database postgresql://user@host/review --json",
    ): ((1,), "there is no such database"),
    (
        "docs/analyses/index.md",
        "tolman analyze errors run --judge openai/judge --text-only --reference without --labels people.csv",
    ): ((1,), "the judge's fifth reply names no category"),
    ("*", "tolman analyze memorisation "): ((2,), "the stage has no runs on a fresh form"),
    ("*", "tolman reproduce qwen2.5-vl-7b --base-url"): ((1,), "20 questions allow no verdict, and the model is none"),
    ("*", "tolman run easi-8 --model openai/my-model"): (
        (1,),
        "the stage has some of the eight data sets",
    ),
    ("*", "tolman analyze difficulty runs/"): ((2,), "20 questions are too few to fit"),
    ("docs/analyses/difficulty.md", "tolman run vsi-bench --model openai/NAME --adaptive difficulty/bank.json"): (
        (2,),
        "no bank was fitted to the stage's 20 questions",
    ),
    ("*", "tolman export runs/easi-8/"): ((2,), "there are no runs of a whole suite"),
    ("*", "tolman export runs/vsi-bench-full/"): ((2,), "the stage's runs are on 20 questions, a part"),
    ("*", "tolman run vsi-bench --model hf/"): ((0, 1), "random weights babble up to the token limit"),
}
"""Command → the exit codes that it may end with, and why not 0 alone."""


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
    ("docs/curate/index.md", 'name = "my-set"'): "my-set.toml",
    ("docs/suites.md", 'out = "spring"'): "suite.toml",
    ("docs/videos.md", 'title = "My checkpoint"'): "my-checkpoint.toml",
    ("docs/suites.md", 'title = "My-Model-7B on VSI-Bench"'): "my-model.toml",
    ("docs/analyses/index.md", "id,annotator,categories"): "people.csv",
}
"""Page and first line of a block → the file that it shows."""

ABSENT: dict[str, tuple[str, ...]] = {
    "docs/extend/benchmark.md": ("my-bench",),
}
"""Page → what the stage has and the page means otherwise."""

BUILDING = ("docs/answer-kinds.md",)
"""Pages whose Python snippets make what their commands read."""

GIVEN: dict[str, dict[str, Any]] = {}
"""Page → names that its snippets take for granted."""
