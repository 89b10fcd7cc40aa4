"""Asking a judge about the reasoning of runs: which responses, with what beside them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tolman.analyze.errors import Label, worst
from tolman.errors import UsageError
from tolman.media.sampling import Frames
from tolman.reports.loaded import LoadedRun
from tolman.responses import Response, Usage
from tolman.runs.judging import JudgeRequest
from tolman.runs.load import load
from tolman.runs.reasoning import ErrorJudgement, Reasoned, check_judge, judge_reasoning, reasoning_of
from tolman.runs.run import Started
from tolman.scoring.error_types import ErrorTaxonomy
from tolman.workflows.analyses.inputs import ScoredRuns
from tolman.workflows.calls import CallEvents
from tolman.workflows.events import Events

if TYPE_CHECKING:
    from tolman.workflows.analyses.errors import ErrorsConfig


@dataclass
class Judged:
    """Judgements of all runs.

    Attributes:
        labels, rows: of the judgements that succeeded, as values and as rows of a file of labels.
        failures: run, source and judgement of the others.
        without_reasoning: responses that are an answer alone.
        usage, cost: of all replies.
    """

    labels: list[Label] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    failures: list[tuple[str, str, ErrorJudgement]] = field(default_factory=list)
    without_reasoning: int = 0
    usage: Usage = Usage()
    cost: float | None = None


def ask_judge(
    scored: ScoredRuns,
    taxonomy: ErrorTaxonomy,
    config: ErrorsConfig,
    request: JudgeRequest,
    answers: pl.DataFrame,
    events: Events,
) -> Judged:
    """Have the judge look at every run, with and without the human reasoning as the config says.

    Args:
        scored: the runs.
        taxonomy: the categories.
        config: which responses are judged, and what the judge is shown.
        request: what `judge_request` gave.
        answers: run, id, repeat, task, kind, score; a row for each scored answer.
        events: told of the calls.

    Raises:
        UsageError: there is nothing to judge, or the judge can't be asked so.
    """
    model = request.open()
    judged, calls = Judged(), CallEvents(events)
    which = config.which if config.which != "auto" else "all" if taxonomy.name == "mmsi" else "errors"
    wanted = worst(answers) if which == "errors" else answers
    jobs: list[tuple[LoadedRun, list[Reasoned], Path | None]] = []
    for run in scored.runs:
        reasoned, unexplained = _reasoned(run, wanted.filter(pl.col("run") == run.name), config.sample, config.seed)
        judged.without_reasoning += unexplained
        jobs.append((run, reasoned, None if config.text_only or not model.remote else _media(run, config)))
    modes = _modes(config.reference, [one for _, reasoned, _ in jobs for one in reasoned])
    frames = {run.name: _frames(run, config) for run in scored.runs}
    for with_reference in modes:  # what is wrong with any of them is told before anything is asked
        for run, reasoned, media in jobs:
            check_judge(reasoned, model, reference=with_reference, media=media, frames=frames[run.name])
    for with_reference in modes:
        source = f"{model.name}, {'with' if with_reference else 'without'} human reasoning"
        for run, reasoned, media in jobs:
            found, usage, cost = judge_reasoning(
                reasoned,
                scored.benchmark,
                taxonomy,
                request,
                request.open(),  # a run of the engine closes its model
                reference=with_reference,
                media=media,
                frames=frames[run.name],
                started=lambda count, tally, remote, path=run.folder.path: calls.start(  # type: ignore[misc]
                    Started(count, path, tally, bool(request.prices), remote, "judging")
                ),
                done=calls.done,
            )
            _keep(judged, run, model.name, source, found)
            judged.usage = Usage.total((judged.usage, usage))
            judged.cost = cost if judged.cost is None else judged.cost + (cost or 0.0)
    calls.end()
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


def _modes(reference: str, reasoned: Sequence[Reasoned]) -> list[bool]:
    if reference == "auto":
        return [all((one.item.reasoning or "").strip() for one in reasoned)]
    return {"with": [True], "without": [False], "both": [False, True]}[reference]


def _media(run: LoadedRun, config: ErrorsConfig) -> Path:
    """The folder that the run's media are relative to."""
    if config.media is not None:
        return config.media
    settings, own = run.record.settings, Path(run.record.data)
    data = config.data or (own if own.exists() else None)
    return load(settings.benchmark, data, settings.subset).media_folder()


def _frames(run: LoadedRun, config: ErrorsConfig) -> Frames:
    frames = run.record.settings.frames.model_copy(update={"native": False})  # a judge is shown pictures
    if config.frames is None:
        return frames
    return frames.model_copy(update={"count": config.frames, "per_second": None, "cap": None, "whole": False})


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
