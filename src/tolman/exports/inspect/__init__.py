"""Inspect: a benchmark as a task of inspect_ai, and Tolman's benchmarks as its plug-in.

Source: UKGovernmentBEIS/inspect_ai (0.3.285), `inspect_ai/_eval`, `inspect_ai/scorer`. The entry point `tolman` of the
group `inspect_ai` names `registry.py`, so that `inspect eval tolman/vsi-bench` finds every benchmark. An exported task
is a Python file, the benchmark and a README.
"""

from __future__ import annotations

import re

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

BUNDLE = "benchmark"
"""The folder of the benchmark beside the task's file."""


def write(source: BenchmarkSource, target: Target) -> Exported:
    """Fill a folder with the task of a benchmark.

    Raises:
        UsageError: the task's name can't be one.
        InputError: a medium is missing.
    """
    name = target.settings.get("name") or re.sub(r"[^a-z0-9]+", "_", source.name.lower()).strip("_")
    if not name.isidentifier():
        raise UsageError(f"'{name}' is no name of a task, which is a Python function; name it with --set name=my_task.")
    items = write_bundle(source, target, target.folder / BUNDLE)
    facts = facts_of(source, name, items)
    write_template(target.folder / f"{name}.py", "inspect/task.py.txt", facts)
    write_template(target.folder / "README.md", "inspect/README.md", facts)
    use = f"inspect eval {target.place / name}.py --model MODEL"
    return Exported(use, ("Inspect's environment needs tolman as well: pip install 'tolman[media]'.",))


EXPORT = BenchmarkExport(
    title="task of Inspect",
    write=write,
    settings={"name": "Name of the task, of letters, digits and _. Default: the benchmark's name."},
)
