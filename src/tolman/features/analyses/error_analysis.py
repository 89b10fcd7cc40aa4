"""Error types: which errors are behind the answers of runs, by a judge model or from people's labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tolman.analyze.error_shares import (
    ErrorsResult,
    JudgeFailure,
    agreements,
    distributions,
    people_alpha,
    usual_taxonomy,
)
from tolman.benchmarks.published import published_tables
from tolman.errors import UsageError, unknown
from tolman.features.analyses import plain_fields, to_plain, to_plain_tables
from tolman.features.analyses.config import ErrorsConfig
from tolman.features.analyses.error_sources import Judged, ask_judge, read_labels, write_labels
from tolman.features.analyses.scored_runs import ScoredRuns, scored_runs
from tolman.features.config import judge_request
from tolman.features.events import Events, silent
from tolman.files import write_text
from tolman.reports.analysis_results import error_rows
from tolman.reports.charts.bar_forms import STACKED_FORM
from tolman.reports.charts.chart import Chart, frame, rendered
from tolman.reports.svg_figures import why_not_drawn
from tolman.scoring.error_types import TAXONOMIES, ErrorTaxonomy
from tolman.text_tables import frame_csv

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolman.analyze.error_shares import Distribution, Key
    from tolman.scoring.intervals import Share


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
