"""VLMEvalKit: a benchmark as one of its TSV files, and what has it scored by Tolman's own rules there.

Source: open-compass/VLMEvalKit (e8e78f05), `vlmeval/dataset/image_base.py`, `vlmeval/dataset/__init__.py`, `run.py`. It
has no way to add a dataset from outside, so that a script beside the TSV puts one into its list and then runs `run.py`.
"""

from __future__ import annotations

from tolman.exports.export import BenchmarkExport
from tolman.exports.vlmevalkit.writing import write

EXPORT = BenchmarkExport(
    title="TSV of VLMEvalKit",
    write=write,
    settings={"name": "Name of the dataset, of letters, digits, - and _. Default: 'Tolman_' and the benchmark's name."},
)
