"""The pictures of docs/figures.md: figures of scripted models on VSI-Bench (tiny) and on three rooms.

    python tests/docs/figure_pictures.py /path/to/data/vsi-bench

writes docs/images/figure-*.svg. What the models answer is drawn at random from a seed: the figures show no model.
"""

import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from drawings import ROOMS, draw, write_drawings  # noqa: E402
from tolman.items import Item  # noqa: E402
from tolman.runs.run_items import load  # noqa: E402
from tolman.scoring.error_types import VSI  # noqa: E402

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
LETTERS = "ABCD"
FRAMES = (4, 8, 16, 32, 64)
DOWNSTREAM = Path(__file__).resolve().parents[1] / "analyze" / "tables" / "mmsi_bench_table_11.csv"
"""Table 11 of the MMSI-Bench paper."""


def write_script(path: Path, items: Sequence[Item], right: float, spread: float, tokens: int, unread: float) -> None:
    """Answers of a model.

    Args:
        path: the script.
        items: the questions.
        right: share of right choices; the others name early letters more often.
        spread: standard deviation of the logarithm of numbers.
        tokens: of an answer, about.
        unread: share of answers that say nothing.
    """
    chance = random.Random(f"{path.parent.name} {path.name}")
    lines = []
    for item in items:
        if chance.random() < unread:
            text = "I am not sure."
        elif item.kind == "number":
            value = float(item.answer) * math.exp(chance.gauss(0, spread))
            text = str(round(value)) if item.unit == "count" else f"{value:.1f}"
        elif chance.random() < right:
            text = item.answer
        else:
            count = len(item.options)
            text = chance.choices(LETTERS[:count], (3, 2, 1, 1)[:count])[0]
        usage = {"input_tokens": 3000, "output_tokens": chance.randint(tokens // 2, tokens * 2)}
        lines.append(json.dumps({"id": item.id, "response": text, "usage": usage}) + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))


def command(place: Path, *arguments: object) -> None:
    """Type a command in a folder."""
    words = [sys.executable, "-m", "tolman", *map(str, arguments)]
    environment = os.environ | {"TOLMAN_CACHE": str(place / "cache")}
    subprocess.run(words, cwd=place, check=True, env=environment, stdout=subprocess.DEVNULL)


def run(place: Path, data: Path, script: str, out: str, *more: object) -> None:
    """A run of a script on VSI-Bench (tiny)."""
    command(
        place, "run", "vsi-bench", "--data", data, "--subset", "tiny", "--model", f"scripted/{script}.jsonl", "--out",
        out, *more,
    )  # fmt: skip


def write_labels(path: Path, folder: Path, items: Sequence[Item]) -> None:
    """Types of errors of two runs' answers."""
    chance = random.Random(7)
    keys = [kind.key for kind in VSI.all_types]
    rows = ["id,model,annotator,categories"]
    for name in ("large", "small"):
        for item in items[:120]:
            weights = (4, 3, 2, 1, 6 if name == "large" else 2)[: len(keys)]
            rows.append(f"{item.id},scripted/{name}.jsonl,ann,{chance.choices(keys, weights)[0]}")
    path.write_text("\n".join(rows) + "\n")


def make_pictures(place: Path, data: Path) -> None:
    """Make runs in a folder, and the pictures of them."""
    items = load("vsi-bench", data, "tiny").items
    for name, right, spread, tokens in (("large", 0.45, 0.35, 400), ("small", 0.25, 0.6, 60)):
        for kind, less in (("direct", 0.0), ("cot", 0.08), ("blind", 0.3)):
            unread = 0.08 if (name, kind) == ("small", "direct") else 0.0
            script = place / kind / f"{name}.jsonl"
            write_script(script, items, max(0.05, right - less), spread + less, tokens, unread)
            run(place, data, f"{kind}/{name}", f"runs/{kind}-{name}", "--protocol", kind)
        for count in FRAMES:
            gain = 0.25 * (1 - math.exp(-count / 12))
            write_script(place / f"f{count}" / f"{name}.jsonl", items, right - 0.25 + gain, spread + 0.3 - gain, 60, 0)
            run(place, data, f"f{count}/{name}", f"runs/f{count}-{name}", "--frames", count)
    command(place, "generate", ROOMS, "--out", "bench", "--per-scene", "8")
    for name, change in (("near", 0.15), ("far", 0.45)):
        write_drawings(place, name, change)
        draw(place, name)
    write_labels(place / "labels.csv", place / "runs", items)
    two = ("runs/direct-large", "runs/direct-small")
    others = ("runs/blind-large", "runs/blind-small", "runs/cot-large", "runs/cot-small")
    sweep = [f"runs/f{count}-{name}" for name in ("large", "small") for count in FRAMES]
    figures: dict[str, tuple[object, ...]] = {
        "bars": two,
        "dots": (*two, "--published", "paper"),
        "radar": two,
        "deltas": (*two, *others, "--means-only"),
        "curve": sweep,
        "cost": two,
        "predicted": ("runs/direct-large", "--tasks", "object_abs_distance,object_size_estimation"),
        "positions": two,
        "directions": ("runs/direct-large",),
        "errors": (*two, "--labels", "labels.csv", "--taxonomy", "vsi"),
        "scatter": ("--table", DOWNSTREAM, "--score", "MMSI-Bench"),
        "maps": ("near", "--draw", "3"),
        "locality": ("near", "far"),
        "benchmark": ("vsi-bench", "--data", data, "--subset", "tiny"),
        "cross": ("vsi-bench", "--data", data, "--subset", "tiny", "--by", "task,dataset"),
    }
    for kind, arguments in figures.items():
        command(place, "figure", kind, *arguments, "--out", IMAGES / f"figure-{kind}.svg")


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        make_pictures(Path(folder), Path(sys.argv[1]).resolve())
