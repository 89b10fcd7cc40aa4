"""Tolman's benchmarks as tasks of Inspect: `inspect eval tolman/vsi-bench --model …`, one for each name.

`tolman/folder` is the task of a benchmark folder: `inspect eval tolman/folder -T folder=./mybench`. Inspect loads this
module by its entry point.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import task

from tolman import benchmarks
from tolman.exports.inspect.task import folder_task, named_task


def _task(name: str) -> Any:
    def benchmark(
        data: str | None = None,
        subset: str | None = None,
        revision: str | None = None,
        preset: str | None = None,
        frames: int | None = None,
        video: bool = False,
    ) -> Any:
        return named_task(name, data, subset, revision, preset, frames, video)

    benchmark.__name__ = name.replace("-", "_")
    return task(name=name)(benchmark)


def _folder(folder: str, preset: str | None = None, frames: int | None = None, video: bool = False) -> Any:
    return folder_task(Path(folder), preset, frames, video)


TASKS = {name: _task(name) for name in benchmarks.names()}
TASKS["folder"] = task(name="folder")(_folder)
