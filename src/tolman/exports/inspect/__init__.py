"""Inspect: a benchmark as a task of inspect_ai, and Tolman's benchmarks as its plug-in.

Source: UKGovernmentBEIS/inspect_ai (0.3.285), `inspect_ai/_eval`, `inspect_ai/scorer`. The entry point `tolman` of the
group `inspect_ai` names `registry.py`, so that `inspect eval tolman/vsi-bench` finds every benchmark. An exported task
is a Python file, the benchmark and a README.
"""

from __future__ import annotations

import re

from tolman import __version__
from tolman.errors import UsageError
from tolman.exports.exporters import BenchmarkExport, BenchmarkSource, Exported, Target, write_bundle
from tolman.files import write_text

BUNDLE = "benchmark"
"""The folder of the benchmark beside the task's file."""

_TASK = '''\
"""{title} as a task of Inspect. Prompts, pictures and scorer are Tolman's: `pip install inspect-ai 'tolman[media]'`."""

from pathlib import Path

from inspect_ai import Task, task

from tolman.exports.inspect.registry import folder_task


@task
def {name}(preset: str = {preset!r}, frames: int | None = None, video: bool = False) -> Task:
    return folder_task(Path(__file__).resolve().parent / "benchmark", preset, frames, video)
'''

_README = """\
# {title} as a task of Inspect

{count:,} questions. {credits} Written by tolman {version}.

    pip install inspect-ai 'tolman[media]'
    inspect eval {name}.py --model …

| `-T` | what |
|---|---|
| `preset=` | prompt preset (default `{preset}`: {frames}) |
| `frames=` | frames of each video, evenly; they are shown as pictures |
| `video=true` | the video's file in place of frames, for models that take it |

The scorer `{scorer}` is that of the installed tolman. Its metrics are the benchmark's figures, on the scale of `tolman
report`, with the headline's 95 % interval clustered by scene as `{headline}_lo` and `{headline}_hi`. Samples have the
ids of the questions, so that `tolman score LOG --benchmark BENCHMARK` reads the log.
"""


def write(source: BenchmarkSource, target: Target) -> Exported:
    """Fill a folder with the task of a benchmark.

    Raises:
        UsageError: the task's name can't be one.
        InputError: a medium is missing.
    """
    name = target.settings.get("name") or re.sub(r"[^a-z0-9]+", "_", source.name.lower()).strip("_")
    if not name.isidentifier():
        raise UsageError(f"'{name}' is no name of a task, which is a Python function; name it with --set name=my_task.")
    benchmark = source.benchmark
    items = write_bundle(source, target, target.folder / BUNDLE)
    facts = {"title": benchmark.title, "name": name, "preset": source.preset.name}
    write_text(target.folder / f"{name}.py", _TASK.format(**facts))
    readme = _README.format(
        count=len(items),
        credits=benchmark.credits,
        version=__version__,
        frames=source.preset.frames.describe(),
        scorer=benchmark.headline_rules.name,
        headline=benchmark.table.headline,
        **facts,
    )
    write_text(target.folder / "README.md", readme)
    use = f"inspect eval {target.place / name}.py --model MODEL"
    return Exported(use, ("Inspect's environment needs tolman as well: pip install 'tolman[media]'.",))


EXPORT = BenchmarkExport(
    title="task of Inspect",
    write=write,
    settings={"name": "Name of the task, of letters, digits and _. Default: the benchmark's name."},
)
