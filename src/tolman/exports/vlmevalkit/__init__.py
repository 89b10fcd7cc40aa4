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
from typing import Any

from tolman import __version__
from tolman.errors import UsageError
from tolman.exports.exporters import BenchmarkExport, BenchmarkSource, Exported, Target, write_bundle
from tolman.files import write_text
from tolman.items import Item

SCRIPT = "run_with_tolman.py"

_SCRIPT = '''\
"""VLMEvalKit's run.py with the dataset {name!r}: start it in VLMEvalKit's folder, with run.py's own arguments.

It needs `pip install 'tolman[media]'` beside VLMEvalKit: prompts, pictures and scorer are Tolman's.
"""

from pathlib import Path

from tolman.exports.vlmevalkit.dataset import run

if __name__ == "__main__":
    run({name!r}, str(Path(__file__).resolve().parent), {preset!r})
'''

_README = """\
# {title} for VLMEvalKit

{count:,} questions. {credits} Written by tolman {version}.

    pip install 'tolman[media]'
    cd VLMEvalKit
    python {place}/{script} --data {name} --model … --judge exact_matching

`{script}` adds the dataset to VLMEvalKit's list and goes on as its `run.py`. Prompts (preset `{preset}`: {frames}) and
the scorer `{scorer}` are those of the installed tolman; `{scorer}_{headline}` in the `…_acc.csv` is the figure that
`tolman report` prints first, on the same scale. Prediction files have each question's id, so that `tolman score FILE
--benchmark BENCHMARK` reads them.
{alone}"""

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
    benchmark = source.benchmark
    facts: dict[str, Any] = {
        "name": name,
        "title": benchmark.title,
        "preset": source.preset.name,
        "scorer": benchmark.headline_rules.name,
    }
    write_text(target.folder / SCRIPT, _SCRIPT.format(**facts))
    alone = pictured and all(item.kind == "choice" for item in items)
    readme = _README.format(
        count=len(items),
        credits=benchmark.credits,
        version=__version__,
        place=target.place.resolve(),
        script=SCRIPT,
        frames=source.preset.frames.describe(),
        headline=benchmark.table.headline,
        alone=_ALONE.format(**facts) if alone else "",
        **facts,
    )
    write_text(target.folder / "README.md", readme)
    use = f"python {(target.place / SCRIPT).resolve()} --data {name} --judge exact_matching --model MODEL"
    notes = [
        "VLMEvalKit's environment needs tolman as well (pip install 'tolman[media]'); start in VLMEvalKit's folder."
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
