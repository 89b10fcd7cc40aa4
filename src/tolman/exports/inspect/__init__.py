"""Inspect: a benchmark as a task of inspect_ai, and Tolman's benchmarks as its plug-in.

Source: UKGovernmentBEIS/inspect_ai (0.3.285), `inspect_ai/_eval`, `inspect_ai/scorer`. The entry point `tolman` of the
group `inspect_ai` names `registry.py`, so that `inspect eval tolman/vsi-bench` finds every benchmark.
"""

from __future__ import annotations

from tolman.exports.export import BenchmarkExport
from tolman.exports.inspect.writing import write

EXPORT = BenchmarkExport(
    title="task of Inspect",
    write=write,
    settings={"name": "Name of the task, of letters, digits and _. Default: the benchmark's name."},
)
