"""lmms-eval: a benchmark as one of its task folders, with a YAML file, `utils.py`, the benchmark and a README.

Source: EvolvingLMMs-Lab/lmms-eval (0.7.3), `lmms_eval/api/task.py`, `lmms_eval/utils.py` and `docs/task_guide.md`.

The folder's `utils.py` imports this package. The alternative, code generated into the folder, would be a second copy
of a benchmark's reader, metric and table, which nothing would keep equal to the first.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tolman import __version__
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
from tolman.exports.harness_scoring import ExportedBenchmark
from tolman.exports.lmms_eval.task import LINEARIZED, LmmsEvalTask
from tolman.item_table import data_hash

FRAME_ARGUMENTS = {
    "nframes=N (or fps=F)": ("async_openai", "vllm", "sglang"),
    "max_frames_num=N": ("openai", "claude", "gpt4v", "llava_onevision", "llava_vid", "llava_hf", "longva", "vila"),
    "max_num_frames=N": ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "huggingface", "gemma3", "videollama3"),
    "num_frames=N": ("internvl_hf",),
    "num_frame=N": ("internvl2", "internvl3"),
    "video_max_frames=N": ("cambrians",),
}
"""What the number of frames is called in `--model_args`, by type of model (lmms-eval 0.7.3)."""


def write(source: BenchmarkSource, target: Target) -> Exported:
    """Fill a folder of tasks with the one of a benchmark.

    Raises:
        UsageError: the task's name can't be one.
        InputError: a medium is missing.
    """
    name = target.settings.get("task") or "tolman_" + re.sub(r"[^a-z0-9]+", "_", source.name.lower()).strip("_")
    if not re.fullmatch(r"[A-Za-z0-9_]+", name):
        raise UsageError(f"--set task={name} is no name of a task; use letters, digits and _.")
    folder = target.folder / name
    items = write_bundle(source, target, folder)
    exported = ExportedBenchmark.open(folder, source.preset.name)
    keys = [key for item in items for key in exported.columns_of(item)]
    present = set(keys)
    columns = [column.key for column in exported.table.columns if column.key in present]
    columns.sort(key=lambda key: key != exported.table.headline)
    task = LmmsEvalTask(exported)
    facts = facts_of(source, name, items)
    write_template(folder / f"{name}.yaml", "lmms_eval/task.yaml", {**facts, **_settings(source, name, task, columns)})
    facts["figures"] = "\n".join(f"figure_{number} = TASK.figure({key!r})" for number, key in enumerate(columns))
    write_template(folder / "utils.py", "lmms_eval/utils.py.txt", facts)
    facts["metric"] = task.metric(exported.table.headline)
    facts["names"] = "\n".join(f"- `{argument}`: {', '.join(models)}" for argument, models in FRAME_ARGUMENTS.items())
    write_template(folder / "README.md", "lmms_eval/README.md", facts)
    logged = "--log_samples --output_path OUT"
    use = f"python -m lmms_eval --model MODEL --tasks {name} --include_path {target.place} {logged}"
    return Exported(use, ("Install together: pip install lmms-eval 'filelock<4' 'tolman[media]'.",))


def _settings(source: BenchmarkSource, name: str, task: LmmsEvalTask, columns: list[str]) -> dict[str, str]:
    """Return the values of the YAML file that are JSON."""
    sampling = source.preset.sampling
    greedy = not sampling.temperature
    generation: dict[str, Any] = {
        "until": [],  # where nothing is said, lmms-eval ends a response at its first empty line
        "max_new_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "do_sample": not greedy,
    }
    metrics = [
        f"  - metric: {json.dumps(task.metric(key), ensure_ascii=False)}\n"
        f"    aggregation: !function utils.figure_{number}\n"
        f"    higher_is_better: {json.dumps(task.is_better_higher(key))}"
        for number, key in enumerate(columns)
    ]
    return {
        "generation": "\n".join(
            f"  {key}: {json.dumps(value)}" for key, value in generation.items() if value is not None
        ),
        "metrics": "\n".join(metrics),
        "score_key": LINEARIZED,
        "version_text": json.dumps(__version__),
        "benchmark": json.dumps(source.name),
        "hash": json.dumps(data_hash(source.items)),
        "task": json.dumps(name),
        "preset": json.dumps(source.preset.name),
    }


EXPORT = BenchmarkExport(
    title="task folder of lmms-eval",
    write=write,
    settings={"task": "Name of the task, of letters, digits and _. Default: 'tolman_' and the benchmark's name."},
)
