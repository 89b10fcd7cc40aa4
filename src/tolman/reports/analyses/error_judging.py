"""Asking a judge about the reasoning of runs, for `tolman analyze errors`: which responses, with what beside them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import polars as pl

from tolman.analyze.errors import Label, worst
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.media.sampling import Frames
from tolman.models.base import Model
from tolman.reports.loaded import LoadedRun
from tolman.reports.progress import RunProgress
from tolman.responses import Response, Usage
from tolman.runs.judging import JudgeRequest
from tolman.runs.load import load
from tolman.runs.reasoning import ErrorJudgement, Reasoned, check_judge, judge_reasoning, reasoning_of
from tolman.runs.run import Started
from tolman.scoring.error_types import ErrorTaxonomy

Reference = Literal["auto", "with", "without", "both"]
Which = Literal["auto", "all", "errors"]


@dataclass(frozen=True)
class JudgePlan:
    """How a judge is asked.

    Attributes:
        request: the model.
        reference: whether it is shown the human reasoning.
        which: all responses, or the errors that VSI-Bench's examiners looked at.
        sample: how many of each run's, drawn at random; None for all.
        text_only: whether it is shown no pictures.
        data, media: where the questions and their media are, other than the run says.
        frames: how many frames of a video it is shown, other than the run's.
    """

    request: JudgeRequest
    reference: Reference = "auto"
    which: Which = "auto"
    sample: int | None = None
    text_only: bool = False
    data: Path | None = None
    media: Path | None = None
    frames: int | None = None


@dataclass
class Judged:
    """What the judge brought, over all runs.

    Attributes:
        labels, rows: of the judgements that succeeded, as values and as rows of a file of labels.
        failures: run, source and judgement of the others.
        unexplained: responses without reasoning.
        usage, cost: of all replies.
    """

    labels: list[Label] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    failures: list[tuple[str, str, ErrorJudgement]] = field(default_factory=list)
    unexplained: int = 0
    usage: Usage = Usage()
    cost: float | None = None


def ask(
    runs: Sequence[LoadedRun],
    benchmark: BenchmarkSpec,
    taxonomy: ErrorTaxonomy,
    plan: JudgePlan,
    model: Model,
    answers: pl.DataFrame,
    seed: int,
    progress: RunProgress,
) -> Judged:
    """Have the judge look at every run, with and without the human reasoning as the plan says.

    Args:
        runs, benchmark, taxonomy: what is judged.
        plan: how.
        model: what `plan.request.open()` gave.
        answers: run, id, repeat, task, kind, score; a row for each scored answer.
        seed: of the sample.
        progress: of the calls.

    Raises:
        UsageError: there is nothing to judge, or the judge can't be asked so.
    """
    judged = Judged()
    which = plan.which if plan.which != "auto" else "all" if taxonomy.name == "mmsi" else "errors"
    wanted = worst(answers) if which == "errors" else answers
    jobs: list[tuple[LoadedRun, list[Reasoned], Path | None]] = []
    for run in runs:
        reasoned, unexplained = _reasoned(run, wanted.filter(pl.col("run") == run.name), plan.sample, seed)
        judged.unexplained += unexplained
        jobs.append((run, reasoned, None if plan.text_only or not model.remote else _media(run, plan)))
    modes = _modes(plan.reference, [one for _, reasoned, _ in jobs for one in reasoned])
    frames = {run.name: _frames(run, plan) for run in runs}
    for with_reference in modes:  # what is wrong with any of them is told before anything is asked
        for run, reasoned, media in jobs:
            check_judge(reasoned, model, reference=with_reference, media=media, frames=frames[run.name])
    for with_reference in modes:
        source = f"{model.name}, {'with' if with_reference else 'without'} human reasoning"
        for run, reasoned, media in jobs:
            found, usage, cost = judge_reasoning(
                reasoned,
                benchmark,
                taxonomy,
                plan.request,
                plan.request.open(),  # a run of the engine closes its model
                reference=with_reference,
                media=media,
                frames=frames[run.name],
                started=lambda calls, tally, remote, path=run.folder.path: progress.start(  # type: ignore[misc]
                    Started(calls, path, tally, bool(plan.request.prices), remote, "judging")
                ),
                done=progress.done,
            )
            _keep(judged, run, model.name, source, found)
            judged.usage = Usage(
                input_tokens=judged.usage.input_tokens + usage.input_tokens,
                output_tokens=judged.usage.output_tokens + usage.output_tokens,
            )
            judged.cost = cost if judged.cost is None else judged.cost + (cost or 0.0)
    return judged


def _reasoned(run: LoadedRun, wanted: pl.DataFrame, sample: int | None, seed: int) -> tuple[list[Reasoned], int]:
    """A run's reasonings that are to be judged, and how many responses give none."""
    items = {item.id: item for item in run.folder.items()}
    keys = set(wanted.select("id", "repeat").iter_rows())
    found, unexplained = [], 0
    for outcome in run.folder.outcomes():
        if isinstance(outcome, Response) and (outcome.id, outcome.repeat) in keys:
            text = reasoning_of(outcome)
            if text is None:
                unexplained += 1
            else:
                found.append(Reasoned(items[outcome.id], outcome.repeat, text))
    if unexplained and not found:
        raise UsageError(
            f"{run.folder.path} holds answers without reasoning; ask the model for it: --protocol self-explanation, or "
            "cot."
        )
    if sample is not None and sample < len(found):
        # The same items of every run: each has its own place in a seeded order.
        order = {id: random.Random(f"{seed} {id}").random() for id in {one.item.id for one in found}}
        chosen = sorted(found, key=lambda one: (order[one.item.id], one.repeat))[:sample]
        found = [one for one in found if one in chosen]
    return found, unexplained


def _modes(reference: Reference, reasoned: Sequence[Reasoned]) -> list[bool]:
    if reference == "auto":
        return [all((one.item.reasoning or "").strip() for one in reasoned)]
    return {"with": [True], "without": [False], "both": [False, True]}[reference]


def _media(run: LoadedRun, plan: JudgePlan) -> Path:
    """The folder that the run's media are relative to."""
    if plan.media is not None:
        return plan.media
    settings, own = run.record.settings, Path(run.record.data)
    data = plan.data or (own if own.exists() else None)
    return load(settings.benchmark, data, settings.subset).media_folder()


def _frames(run: LoadedRun, plan: JudgePlan) -> Frames:
    frames = run.record.settings.frames
    if plan.frames is None:
        return frames
    return frames.model_copy(update={"count": plan.frames, "per_second": None, "cap": None, "whole": False})


def _keep(judged: Judged, run: LoadedRun, judge: str, source: str, found: Sequence[ErrorJudgement]) -> None:
    for one in found:
        if one.categories is None:
            judged.failures.append((run.name, source, one))
            continue
        judged.labels.append(Label((run.name, one.id, one.repeat), judge, source, one.categories))
        row = {
            "id": one.id,
            "repeat": one.repeat,
            "model": run.name,
            "annotator": judge,
            "source": source,
            "categories": sorted(one.categories),
            "reply": one.reply,
        }
        judged.rows.append(row if one.reference is None else {**row, "reference": one.reference})
