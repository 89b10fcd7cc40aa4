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
from tolman.exports.exporters import BenchmarkExport, BenchmarkSource, Exported, Target, write_bundle
from tolman.exports.harness_scoring import ExportedBenchmark
from tolman.exports.lmms_eval.task import LINEARIZED, LmmsEvalTask
from tolman.files import write_text
from tolman.item_table import data_hash

_YAML = """\
# Written by tolman {version}. {title}: {count:,} questions, scored by Tolman's '{scorer}'.
task: {task}
dataset_path: parquet
dataset_kwargs: !function utils.DATASET
test_split: test
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_messages: !function utils.doc_to_messages
doc_to_target: answer
process_results: !function utils.process_results
generation_kwargs:
{generation}
lmms_eval_specific_kwargs:
  default:
    preset: {preset}
cluster_key: scene
score_key: {score_key}
metric_list:
{metrics}
metadata:
  - version: 1.0
    tolman: {version_text}
    benchmark: {benchmark}
    questions: {hash}
"""

_UTILS = '''\
"""Task {task!r} of lmms-eval. Prompts and scorer are Tolman's: `pip install 'tolman[media]'` beside lmms-eval."""

from pathlib import Path

from tolman.exports.lmms_eval.task import open_task

HERE = Path(__file__).resolve().parent
TASK = open_task(str(HERE), {preset!r})
DATASET = {{"data_files": {{"test": str(HERE / "items.parquet")}}}}


def doc_to_visual(doc):
    return TASK.visuals(doc)


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    return TASK.text(doc, lmms_eval_specific_kwargs)


def doc_to_messages(doc, lmms_eval_specific_kwargs=None):
    return TASK.messages(doc, lmms_eval_specific_kwargs)


def process_results(doc, results):
    return TASK.results(doc, results)


{figures}
'''

_README = """\
# {title} as a task of lmms-eval

{count:,} questions. {credits} Written by tolman {version}.

    pip install lmms-eval 'filelock<4' 'tolman[media]'
    python -m lmms_eval --model … --tasks {task} --include_path FOLDER_ABOVE_THIS_ONE --log_samples --output_path out

`utils.py` asks with the benchmark's prompts (preset `{preset}`) and scores with `{scorer}`, both of the installed
tolman. `{metric}` is the figure that `tolman report` prints first, on the same scale. The lines of the
log have each question's id, so that `tolman score LOG --benchmark BENCHMARK` reads them.

`Stderr_CLT` and `Stderr_Clustered` are errors of the figure beside them, on its scale: of the macro average, not of the
pooled score. Both are N/A where Tolman prints no interval, as with fewer than 6 effective scenes.

lmms-eval 0.7.3 imports a part of filelock that version 4 lacks, so keep `filelock<4` in its environment.

lmms-eval itself decides two things. It cuts off white space at both ends of a response. And it hands videos by their
files to the class of the model, which takes its own number of frames. The preset has {frames}; say so in `--model_args`
by the name that the class has for it. An unknown name is ignored, with a warning at most:

{names}
"""


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
    facts: dict[str, Any] = {
        "version": __version__,
        "title": source.benchmark.title,
        "count": len(items),
        "scorer": exported.rules.name,
        "task": name,
        "preset": source.preset.name,
    }
    write_text(folder / f"{name}.yaml", _yaml(facts, source, task, columns))
    figures = "\n".join(f"figure_{number} = TASK.figure({key!r})" for number, key in enumerate(columns))
    write_text(folder / "utils.py", _UTILS.format(figures=figures, **facts))
    readme = _README.format(
        credits=source.benchmark.credits,
        metric=task.metric(exported.table.headline),
        frames=source.preset.frames.describe(),
        names="\n".join(f"- `{argument}`: {', '.join(models)}" for argument, models in FRAME_ARGUMENTS.items()),
        **facts,
    )
    write_text(folder / "README.md", readme)
    logged = "--log_samples --output_path OUT"
    use = f"python -m lmms_eval --model MODEL --tasks {name} --include_path {target.place} {logged}"
    return Exported(use, ("Install together: pip install lmms-eval 'filelock<4' 'tolman[media]'.",))


def _yaml(facts: dict[str, Any], source: BenchmarkSource, task: LmmsEvalTask, columns: list[str]) -> str:
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
    return _YAML.format(
        generation="\n".join(f"  {key}: {json.dumps(value)}" for key, value in generation.items() if value is not None),
        metrics="\n".join(metrics),
        score_key=LINEARIZED,
        version_text=json.dumps(__version__),
        benchmark=json.dumps(source.name),
        hash=json.dumps(data_hash(source.items)),
        **{**facts, "task": json.dumps(facts["task"]), "preset": json.dumps(facts["preset"])},
    )


EXPORT = BenchmarkExport(
    title="task folder of lmms-eval",
    write=write,
    settings={"task": "Name of the task, of letters, digits and _. Default: 'tolman_' and the benchmark's name."},
)
