"""Error types: which errors are behind the answers of runs, by a judge model or from people's labels.

Labels are in files that people export or a judge wrote. A judge is asked about chosen responses, with the question and
its media.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tolman.analyze.error_shares import (
    PEOPLE,
    Distribution,
    ErrorsResult,
    JudgeFailure,
    Key,
    Label,
    agreements,
    distributions,
    people_alpha,
    usual_taxonomy,
    worst,
)
from tolman.benchmarks.published import published_tables
from tolman.benchmarks.rows import read_rows
from tolman.errors import InputError, UsageError, unknown
from tolman.features.analyses import plain_fields, to_plain, to_plain_tables
from tolman.features.analyses.config import ErrorsConfig
from tolman.features.analyses.scored_runs import ScoredRuns, scored_runs
from tolman.features.config import judge_request
from tolman.features.events import CallEvents, Events, silent
from tolman.files import write_text
from tolman.media.sampling import Frames
from tolman.reports.analysis_results import error_rows
from tolman.reports.charts.bar_forms import STACKED_FORM
from tolman.reports.charts.chart import Chart, frame, rendered
from tolman.reports.loaded_runs import LoadedRun
from tolman.reports.svg_figures import why_not_drawn
from tolman.responses import Response, Usage
from tolman.runs.judging import JudgeRequest
from tolman.runs.reasoning import ErrorJudgement, Reasoned, check_judge, judge_reasoning, reasoning_of
from tolman.runs.run import Started
from tolman.runs.run_items import load
from tolman.scoring.error_types import TAXONOMIES, ErrorTaxonomy, valid
from tolman.scoring.intervals import Share
from tolman.text_tables import frame_csv

FIELDS = ("id", "annotator", "categories")


def read_labels(path: Path, runs: Mapping[str, str], known: set[Key], taxonomy: ErrorTaxonomy) -> list[Label]:
    """Read a file of labels: JSON Lines, CSV or another table.

    A row has the item's `id`, the `annotator` and the `categories` (a list, or a text with commas or semicolons; each
    by key, title or number). `model` says whose response it is, where there are several runs, and `repeat` which of
    several. A row may say its `source`; without one it is a person's. Further fields are left alone.

    Args:
        path: the file.
        runs: the runs' names → their models.
        known: the responses that there are.
        taxonomy: the categories.

    Raises:
        InputError: a row is no label, or of no such response.
    """
    found: dict[tuple[Key, str, str], Label] = {}
    for number, row in enumerate(read_rows(path), start=1):
        label = _label(path, number, row, runs, known, taxonomy)
        key = label.response, label.source, label.annotator
        if key in found:
            what = f"labels item {label.response[1]} for {label.annotator} a second time"
            raise InputError(path, what, row=number, fix="keep one of the two rows")
        found[key] = label
    if not found:
        raise InputError(path, "holds no label", fix="give a row with id, annotator and categories for each")
    return list(found.values())


def write_labels(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write labels as JSON Lines, which `read_labels` reads."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _label(
    path: Path,
    number: int,
    row: Mapping[str, Any],
    runs: Mapping[str, str],
    known: set[Key],
    taxonomy: ErrorTaxonomy,
) -> Label:
    for column in FIELDS:
        if row.get(column) in (None, "", []):
            raise InputError(path, "is missing", row=number, field=column, fix=f"a row has {', '.join(FIELDS)}")
    run = _run(path, number, row.get("model"), runs)
    repeat = str(row.get("repeat") or 0)
    if not (repeat.isascii() and repeat.isdigit() and len(repeat) < 5):
        raise InputError(path, f"{repeat!r} is no whole number", row=number, field="repeat")
    response = run, str(row["id"]), int(repeat)
    if response not in known:
        what = f"{run} has no answer to item {response[1]}" + (f", repeat {repeat}" if repeat != "0" else "")
        raise InputError(path, what, row=number, field="id", fix="label answered items of the runs that are given")
    categories = _categories(path, number, row["categories"], taxonomy)
    return Label(response, str(row["annotator"]), str(row.get("source") or PEOPLE), categories)


def _run(path: Path, number: int, model: Any, runs: Mapping[str, str]) -> str:
    if model in (None, ""):
        if len(runs) == 1:
            return next(iter(runs))
        fix = "name the response's run, as there are several"
        raise InputError(path, "is missing", row=number, field="model", fix=fix)
    if model in runs:
        return str(model)
    fitting = [name for name, own in runs.items() if own == model]
    if len(fitting) == 1:
        return fitting[0]
    what = f"'{model}' fits {'several' if fitting else 'none'} of the runs"
    raise InputError(path, what, row=number, field="model", fix=f"use one of: {'; '.join(runs)}")


def _categories(path: Path, number: int, value: Any, taxonomy: ErrorTaxonomy) -> frozenset[str]:
    names: Sequence[Any] = value if isinstance(value, list) else _split(str(value), taxonomy)
    keys = [taxonomy.find(str(name)) for name in names]
    for name, key in zip(names, keys, strict=True):
        if key is None:
            fix = f"use {', '.join(taxonomy.keys)}"
            raise InputError(
                path, f"'{name}' is no category of {taxonomy.name}", row=number, field="categories", fix=fix
            )
    found = frozenset(key for key in keys if key is not None)
    if not valid(taxonomy, found):
        fix = "'correct' can't be combined with others" if taxonomy.several else f"{taxonomy.name} takes exactly one"
        raise InputError(
            path, f"'{', '.join(sorted(found))}' don't go together", row=number, field="categories", fix=fix
        )
    return found


def _split(text: str, taxonomy: ErrorTaxonomy) -> list[str]:
    return [text] if taxonomy.find(text) else [part.strip() for part in re.split(r"[,;|+]", text) if part.strip()]


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
        config: which responses are judged, and the input of the judge.
        request: of `judge_request`.
        answers: run, id, repeat, task, kind, score; a row for each scored answer.
        events: receives the calls.

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


def analyze_errors(config: ErrorsConfig, events: Events = silent) -> ErrorsResult:
    """Find out which errors are behind the runs' answers.

    Raises:
        UsageError: there is neither a judge nor labels, or the judge can't be asked.
        InputError: the labels are not of these runs.
        EndpointError: the judge's first call showed that none can succeed.
    """

    request = judge_request(config, concurrency=config.concurrency)
    if request is None and config.labels is None:
        raise UsageError(
            "who says which errors there are? Name a model with --judge, or people's labels with --labels."
        )
    if config.taxonomy is not None and config.taxonomy not in TAXONOMIES:
        raise unknown("taxonomy", config.taxonomy, TAXONOMIES)
    scored = scored_runs(config.runs, config.scorer)
    names = [run.settings_name for run in scored.runs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two of the runs are called {name}, with the same settings; give one of them.")
    taxonomy = TAXONOMIES[config.taxonomy] if config.taxonomy else usual_taxonomy(scored.runs[0].folder.items())
    answers = _answers(scored)
    known: set[Key] = set(answers.select("run", "id", "repeat").iter_rows())
    models = {run.name: run.record.settings.model for run in scored.runs}
    people = read_labels(config.labels, models, known, taxonomy) if config.labels else []
    judged = Judged() if request is None else ask_judge(scored, taxonomy, config, request, answers, events)
    labels = [*people, *judged.labels]
    clusters = dict(answers.select("id", "cluster").iter_rows())
    found = distributions(labels, answers, taxonomy, right_from=config.right_from)
    return ErrorsResult(
        taxonomy=taxonomy,
        scorer=scored.scorer,
        distributions=found,
        agreement=agreements(labels, clusters),
        people_alpha=people_alpha(labels, taxonomy, clusters),
        failures=[
            JudgeFailure(run, source, one.id, one.repeat, one.failure or "") for run, source, one in judged.failures
        ],
        judged=len(judged.labels),
        without_reasoning=judged.without_reasoning,
        input_tokens=judged.usage.input_tokens,
        output_tokens=judged.usage.output_tokens,
        cost=judged.cost,
        written=_write(config.out, found, taxonomy, judged) if config.out is not None else (),
        published=tuple(table for table in published_tables("errors") if table.taxonomy == taxonomy.name),
    )


def _answers(scored: ScoredRuns) -> pl.DataFrame:
    """A row for each scored answer: run, id, repeat, task, cluster, kind, score."""

    found = []
    for run in scored.runs:
        kinds = {item.id: item.kind for item in run.folder.items()}
        rows = scored.rows(run).filter(pl.col("score").is_not_null())
        found.append(
            rows.select(
                pl.lit(run.name).alias("run"),
                "id",
                pl.col("repeat").cast(pl.Int64),
                "task",
                "cluster",
                pl.Series("kind", [kinds[i] for i in rows["id"]], dtype=pl.String),
                "score",
            )
        )
    return pl.concat(found)


def _write(out: Path, found: Sequence[Distribution], taxonomy: ErrorTaxonomy, judged: Judged) -> tuple[Path, ...]:
    """Write the tables and the figure; their paths."""

    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "errors.csv", frame_csv(errors_table(found, taxonomy), 3))
    written = [out / "errors.csv"]
    if found and not why_not_drawn():
        rows = error_rows(found, taxonomy, by_task=True)
        chart = Chart(frame(rows), "Types of errors", x="% of labelled responses")
        write_text(out / "errors.svg", rendered(chart, STACKED_FORM))
        written.append(out / "errors.svg")
    if judged.rows:
        write_labels(out / "labels.jsonl", judged.rows)
        written.append(out / "labels.jsonl")
    return tuple(written)


def errors_table(found: Sequence[Distribution], taxonomy: ErrorTaxonomy) -> pl.DataFrame:
    """A row for each run, source and question type, with the share of each category."""

    shares = [*taxonomy.keys, "reasoning", "answers", "reasoning_on_right", "reasoning_on_wrong"]
    schema = {
        "run": pl.String,
        "source": pl.String,
        "task": pl.String,
        "n": pl.Int64,
        **dict.fromkeys(shares, pl.Float64),
    }
    rows = [
        (
            one.run,
            one.source,
            one.task or "all",
            one.n,
            *(_percent(one.types.get(key)) for key in taxonomy.keys),
            *map(_percent, (one.reasoning, one.answers, one.reasoning_on_right, one.reasoning_on_wrong)),
        )
        for one in found
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _percent(share: Share | None) -> float | None:
    return None if share is None else share.value


def errors_to_json(result: ErrorsResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    alpha = result.people_alpha
    return {
        "taxonomy": result.taxonomy.name,
        "source": result.taxonomy.source,
        **plain_fields(result, "scorer", "distributions", "agreement"),
        "people_alpha": alpha.value,
        "people_alpha_n": alpha.n,
        "people_alpha_interval": to_plain(alpha.interval),
        **plain_fields(result, "failures", "without_reasoning", "input_tokens", "output_tokens", "cost"),
        "published": to_plain_tables(result.published),
    }


def is_complete(result: ErrorsResult) -> bool:
    """Check whether every judgement came."""
    return not result.failures
