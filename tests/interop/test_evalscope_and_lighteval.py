"""EvalScope and lighteval themselves, in environments of their own (`make test-interop`), write logs that Tolman reads."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from behind_logs import four_of_embspatial
from interop.scripted import MODEL, Scripted, theirs
from loopback import serving
from terminal import tolman

EVALSCOPE, LIGHTEVAL = "TOLMAN_EVALSCOPE", "TOLMAN_LIGHTEVAL"
TASK = """
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc


def asked(line, task_name=None):
    choices = [f"{letter}. {text}" for letter, text in zip("ABCD", line["answer_options"])]
    demand = "Answer with the option letter from the given choices directly."
    query = "\\n".join([line["question"], *choices, demand])
    return Doc(task_name=task_name, query=query, choices=list("ABCD"), gold_index=line["answer"],
               specific={"id": line["question_id"]})


TASKS_TABLE = [LightevalTaskConfig(
    name="embspatial", prompt_function=asked, hf_repo="data", hf_subset="default", hf_avail_splits=["train"],
    evaluation_splits=["train"], few_shots_split=None, few_shots_select=None, generation_size=30,
    metrics=[Metrics.exact_match, Metrics.gpqa_instruct_metric], stop_sequence=None, version=0,
)]
"""
"""A task of lighteval's, without pictures: its client of endpoints sends none."""

pytestmark = [pytest.mark.full, pytest.mark.interop]


def scored(place: Path, logs: str, scorer: str) -> dict[str, Any]:
    """The figures of a folder of logs, all of whose scores a scorer gives."""
    done = tolman(place, "score", logs, "--benchmark", "embspatial", "--data", "data", "--out", "run", code=0)
    assert f"Scorer '{scorer}' gives 4 of 4 recorded scores" in done.stderr
    scores = json.loads((place / "run/scores.json").read_text())
    return dict(scores["rule_sets"][scorer]["cells"])


@pytest.mark.skipif(EVALSCOPE not in os.environ, reason="'make test-interop' installs EvalScope")
def test_evalscopes_figure_is_tolmans(tmp_path: Path) -> None:
    four_of_embspatial(tmp_path / "data")
    told = {"emb_spatial_bench": {"dataset_id": str(tmp_path / "data"), "subset_list": ["left", "right"]}}
    with serving(Scripted()) as url:
        theirs(
            EVALSCOPE, "evalscope", "eval", "--model", MODEL, "--api-url", url, "--api-key", "none", "--datasets",
            "emb_spatial_bench", "--dataset-args", json.dumps(told), "--work-dir", "logs", "--no-timestamp",
            place=tmp_path, HOME=str(tmp_path),
        )  # fmt: skip
    report = json.loads((tmp_path / f"logs/reports/{MODEL}/emb_spatial_bench.json").read_text())
    assert scored(tmp_path, "logs", "official")["overall"]["value"] == 100 * report["metrics"][0]["score"] == 25


@pytest.mark.skipif(LIGHTEVAL not in os.environ, reason="'make test-interop' installs lighteval")
def test_lightevals_figure_is_tolmans(tmp_path: Path) -> None:
    four_of_embspatial(tmp_path / "data")
    (tmp_path / "task.py").write_text(TASK)
    (tasks,) = Path(os.environ[LIGHTEVAL]).glob("lib/*/site-packages/lighteval/tasks/tasks")
    (tasks / "tinyBenchmarks.pkl").touch()  # which it would fetch from GitHub, for tasks that aren't asked here
    with serving(Scripted()) as url:
        theirs(
            LIGHTEVAL, "lighteval", "endpoint", "litellm", f"model_name=openai/{MODEL},base_url={url},api_key=none",
            "embspatial", "--custom-tasks", "task.py", "--output-dir", "logs", "--save-details", place=tmp_path,
            HOME=str(tmp_path),
        )  # fmt: skip
    (results,) = tmp_path.glob("logs/results/openai/*/*.json")
    figures = json.loads(results.read_text())["results"]["embspatial|0"]
    assert scored(tmp_path, "logs", "careful")["overall"]["value"] == 100 * figures["em"] == 50
