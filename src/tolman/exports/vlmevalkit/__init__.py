"""VLMEvalKit: a benchmark as one of its TSV files, with the script that has Tolman's own rules score it there.

Source: open-compass/VLMEvalKit (e8e78f05), `vlmeval/dataset/image_base.py`, `vlmeval/dataset/__init__.py`, `run.py`.
It has no way to add a dataset from outside. So the script next to the TSV puts one into its list and then runs
`run.py`. A README comes with them.
"""

from __future__ import annotations

import base64
import csv
import re
from pathlib import Path

from tolman.errors import UsageError
from tolman.exports.exporters import (
    BenchmarkExport,
    BenchmarkSource,
    Exported,
    Target,
    facts_of,
    write_bundle,
    write_template,
)
from tolman.items import Item

SCRIPT = "run_with_tolman.py"

_ALONE = """
Without Tolman, `{name}.tsv` in $LMUData works as a custom set of choices (`run.py --data {name}`). It is then asked
and scored in VLMEvalKit's own way, so that figures aren't those of `{scorer}`.
"""


def write(source: BenchmarkSource, target: Target) -> Exported:
    """Fill a folder with the TSV of a benchmark.

    Raises:
        UsageError: the dataset's name can't be one.
        InputError: a medium is missing.
    """
    name = target.settings.get("name") or "Tolman_" + re.sub(r"[^A-Za-z0-9]+", "_", source.name).strip("_")
    if not re.fullmatch(r"[A-Za-z0-9_-]+", name):
        raise UsageError(f"--set name={name} is no name of a dataset; use letters, digits, - and _.")
    items = write_bundle(source, target, target.folder / name)
    pictured = all(one.kind == "image" for item in items for one in item.media)
    write_table(target.folder / f"{name}.tsv", items, target.folder / name, source)
    facts = facts_of(source, name, items)
    write_template(target.folder / SCRIPT, "vlmevalkit/run_with_tolman.py.txt", facts)
    alone = pictured and all(item.kind == "choice" for item in items)
    facts |= {"place": target.place.resolve(), "script": SCRIPT, "alone": _ALONE.format(**facts) if alone else ""}
    write_template(target.folder / "README.md", "vlmevalkit/README.md", facts)
    use = f"python {(target.place / SCRIPT).resolve()} --data {name} --judge exact_matching --model MODEL"
    notes = [
        "Install together: pip install nvidia-vlmeval 'tolman[media]'. VLMEvalKit's sources work too: start in them."
    ]
    if not pictured:
        notes.append("Questions about videos have no picture in the TSV: only the script can ask them.")
    return Exported(use, tuple(notes))


def write_table(path: Path, items: list[Item], folder: Path, source: BenchmarkSource) -> None:
    """Write the TSV: a row for each question, with its pictures as base64 where all media are pictures.

    Args:
        path: of the file.
        items: as in the bundle.
        folder: the bundle's.
        source: for the question types of the scorer.
    """
    letters = max((item.letters for item in items), key=len, default="")
    videos = any(one.kind == "video" for item in items for one in item.media)
    header = ["index", "id", "video" if videos else "image", "question", *letters, "answer", "category",
              "question_type", "scene"]  # fmt: skip
    rules = source.benchmark.headline_rules
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter="\t", lineterminator="\n")
        rows.writerow(header)
        for number, item in enumerate(items):
            options = [*item.options, *[""] * (len(letters) - len(item.options))]
            shown = _listed([one.path for one in item.media]) if videos else _pictures(item, folder)
            task = rules.task(item)
            rows.writerow([number, item.id, shown, item.question, *options, item.answer, task, task, item.cluster])


def _pictures(item: Item, folder: Path) -> str:
    return _listed([base64.b64encode((folder / one.path).read_bytes()).decode() for one in item.media])


def _listed(values: list[str]) -> str:
    """One value as it is, several as the text of a Python list, as VLMEvalKit reads them."""
    return values[0] if len(values) == 1 else repr(values) if values else ""


EXPORT = BenchmarkExport(
    title="TSV of VLMEvalKit",
    write=write,
    settings={"name": "Name of the dataset, of letters, digits, - and _. Default: 'Tolman_' and the benchmark's name."},
)
