"""Error types: which errors are behind the answers of runs, by a judge model or from people's labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.names import unknown
from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.outputs import to_plain_tables
from tolman.workflows.analyses.settings import RightFrom, Runs, Scorer, Seed
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent
from tolman.workflows.settings import JUDGE, JudgeBody, JudgeUrl, ReleasedData, StorePlace

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from tolman.analyze.errors import Distribution, ErrorsResult, Key
    from tolman.reports.analyses.output import Shown
    from tolman.scoring.error_types import ErrorTaxonomy
    from tolman.scoring.shares import Share
    from tolman.workflows.analyses.error_judging import Judged
    from tolman.workflows.analyses.inputs import ScoredRuns

REFERENCES = ("auto", "with", "without", "both")
WHICH = ("auto", "all", "errors")


@dataclass(frozen=True, kw_only=True)
class ErrorsConfig:
    """Settings of `analyze_errors`."""

    runs: Runs
    taxonomy: Annotated[
        str | None, Setting("Error categories: vsi or mmsi. Default: those of the benchmark's paper.")
    ] = None
    labels: Annotated[
        Path | None, Setting("People's labels: a JSONL or CSV file with id, annotator, categories. Default: none.")
    ] = None
    judge: Annotated[
        str | None, Setting("Model that judges the reasoning, such as openai/gpt-4o. Default: none.", panel=JUDGE)
    ] = None
    judge_base_url: JudgeUrl = None
    judge_body: JudgeBody = None
    reference: Annotated[
        str,
        Setting(
            "Whether the judge is shown the human reasoning: with, without, or both in turn. Default: with it where "
            "all items have it.",
            panel=JUDGE,
            choices=REFERENCES,
        ),
    ] = "auto"
    which: Annotated[
        str,
        Setting(
            "Responses that are judged: all, or errors as VSI-Bench's examiners did. Default: as the taxonomy's paper.",
            panel=JUDGE,
            choices=WHICH,
        ),
    ] = "auto"
    sample: Annotated[
        int | None,
        Setting("Responses of each run that are judged, from 1, drawn by --seed. Default: all.", least=1, panel=JUDGE),
    ] = None
    text_only: Annotated[bool, Setting("Show the judge no pictures.", panel=JUDGE)] = False
    frames: Annotated[
        int | None,
        Setting("Frames of a video that the judge is shown, from 1. Default: the run's.", least=1, panel=JUDGE),
    ] = None
    data: ReleasedData = None
    media: Annotated[Path | None, Setting("Folder of the videos and images. Default: the data's.")] = None
    concurrency: Annotated[int, Setting("Most requests in flight, 1 or more.", least=1, panel=JUDGE)] = 32
    prices: Annotated[
        Path | None, Setting("JSON file with the judge's prices of tokens. Default: no cost.", panel=JUDGE)
    ] = None
    store: StorePlace = None
    scorer: Scorer = None
    right_from: RightFrom = 0.5
    seed: Seed = 0
    out: Annotated[Path | None, Setting("Folder for errors.csv, errors.svg and, with --judge, labels.jsonl.")] = Path(
        "errors"
    )


def analyze_errors(config: ErrorsConfig, events: Events = silent) -> ErrorsResult:
    """Find out which errors are behind the runs' answers.

    Raises:
        UsageError: there is neither a judge nor labels, or the judge can't be asked.
        InputError: the labels are not of these runs.
        EndpointError: the judge's first call showed that none can succeed.
    """

    from tolman.analyze.errors import (
        ErrorsResult,
        JudgeFailure,
        agreements,
        distributions,
        people_alpha,
        usual_taxonomy,
    )
    from tolman.benchmarks.published_tables import published_tables
    from tolman.scoring.error_types import TAXONOMIES
    from tolman.workflows.analyses.error_judging import Judged, ask_judge
    from tolman.workflows.analyses.error_labels import read_labels
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.judges import judge_request

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
    import polars as pl

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
    import polars as pl

    from tolman.files import write_text
    from tolman.reports.analyses.error_figure import distribution_svg
    from tolman.reports.figures import why_not_drawn
    from tolman.workflows.analyses.error_labels import write_labels

    out.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "run": one.run,
            "source": one.source,
            "task": one.task or "all",
            "n": one.n,
            **{key: _percent(one.types.get(key)) for key in taxonomy.keys},
            "reasoning": _percent(one.reasoning),
            "answers": _percent(one.answers),
            "reasoning_on_right": _percent(one.reasoning_on_right),
            "reasoning_on_wrong": _percent(one.reasoning_on_wrong),
        }
        for one in found
    ]
    write_text(out / "errors.csv", pl.DataFrame(rows).write_csv(float_precision=3))
    written = [out / "errors.csv"]
    if found and not why_not_drawn():
        write_text(out / "errors.svg", distribution_svg(found, taxonomy) + "\n")
        written.append(out / "errors.svg")
    if judged.rows:
        write_labels(out / "labels.jsonl", judged.rows)
        written.append(out / "labels.jsonl")
    return tuple(written)


def _percent(share: Share | None) -> float | None:
    return None if share is None else share.value


def to_json(result: ErrorsResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    alpha = result.people_alpha
    return {
        "taxonomy": result.taxonomy.name,
        "source": result.taxonomy.source,
        "rules": result.scorer,
        "distributions": to_plain(result.distributions),
        "agreement": to_plain(result.agreement),
        "people_alpha": alpha.value,
        "people_alpha_n": alpha.n,
        "people_alpha_interval": to_plain(alpha.interval),
        "failures": to_plain(result.failures),
        "without_reasoning": result.without_reasoning,
        "input_tokens": result.input_tokens,
        "output_tokens": result.output_tokens,
        "cost": result.cost,
        "published": to_plain_tables(result.published),
    }


def show(result: ErrorsResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import errors as form

    return form.show(result)


def is_complete(result: ErrorsResult) -> bool:
    """Tell whether every judgement came."""
    return not result.failures


ANALYSIS = Analysis(
    name="errors",
    title="Error types behind the answers, by a judge model or from people's labels, and how far they agree.",
    config=ErrorsConfig,
    run=analyze_errors,
    show=show,
    to_json=to_json,
    is_complete=is_complete,
    examples=(
        "errors runs/vsi-bench-tiny/my-model-self-explanation --labels labels.csv",
        "errors runs/mmsi-bench-full/my-model-cot --judge openai/gpt-4o --reference both",
    ),
)
