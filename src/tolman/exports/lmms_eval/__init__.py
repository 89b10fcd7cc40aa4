"""lmms-eval: a benchmark as one of its task folders.

Source: EvolvingLMMs-Lab/lmms-eval (0.7.3), `lmms_eval/api/task.py`, `lmms_eval/utils.py` and `docs/task_guide.md`.

The folder's `utils.py` imports this package. The alternative, code generated into the folder, would be a second copy of
a benchmark's reader, metric and table, which nothing would keep equal to the first.
"""

from __future__ import annotations

from tolman.exports.export import BenchmarkExport
from tolman.exports.lmms_eval.writing import write

EXPORT = BenchmarkExport(
    title="task folder of lmms-eval",
    write=write,
    settings={"task": "Name of the task, of letters, digits and _. Default: 'tolman_' and the benchmark's name."},
)
