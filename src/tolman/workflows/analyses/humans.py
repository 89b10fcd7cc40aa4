"""Human baselines: several people's scores, their average, and tiers of difficulty from answering times."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import UsageError
from tolman.workflows.analyses import Analysis, to_plain
from tolman.workflows.analyses.outputs import to_plain_tables
from tolman.workflows.analyses.settings import RightFrom, Scorer
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent

if TYPE_CHECKING:
    import polars as pl

    from tolman.analyze.humans import Difficulty, HumansResult
    from tolman.reports.analyses.output import Shown
    from tolman.reports.loaded import LoadedRun


@dataclass(frozen=True, kw_only=True)
class HumansConfig:
    """Settings of `analyze_humans`."""

    runs: Annotated[tuple[Path, ...], Setting("Run folders, one for each person (model human/NAME).", positional=True)]
    scorer: Scorer = None
    cuts: Annotated[
        tuple[float, ...],
        Setting(
            "Seconds up to which an item is easy, and up to which it is medium: 40,110. Default: cuts that leave the "
            "least variance of log time within tiers.",
            metavar="S,S",
        ),
    ] = ()
    right_from: RightFrom = 0.5
    out: Annotated[
        Path | None, Setting("Folder for tiers.csv, easy.txt, medium.txt and hard.txt. Default: not written.")
    ] = None


def analyze_humans(config: HumansConfig, events: Events = silent) -> HumansResult:
    """Average people's scores, and sort items by how long people took.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: a run is no person's, two are of one person, or the tiers that were asked for, by cuts or a folder
            to write them to, can't be formed.
    """
    import polars as pl

    from tolman.analyze.humans import HumansResult, averages, difficulty
    from tolman.benchmarks.published_tables import published_tables
    from tolman.reports.missing import marks
    from tolman.runs.folder import PEOPLE
    from tolman.workflows.analyses.inputs import scored_runs

    if config.cuts and len(config.cuts) != 2:
        raise UsageError(f"--cuts takes 2 numbers of seconds such as 40,110, not {len(config.cuts)}.")
    scored = scored_runs(config.runs, config.scorer)
    people: dict[str, LoadedRun] = {}
    for run in scored.runs:
        model = run.record.settings.model
        if not model.startswith(PEOPLE):
            raise UsageError(
                f"{run.folder.path} is a run of {model}, not of a person; score it with --name human/NAME."
            )
        name = model.removeprefix(PEOPLE)
        if name in people:
            raise UsageError(f"two runs are of {model}; give one for each person.")
        people[name] = run
    rows = {name: scored.rows(run) for name, run in people.items()}
    own, average = averages(rows, scored.benchmark.table_of(scored.scorer))
    answers = pl.concat([timed_answers(name, run, rows[name]) for name, run in people.items()])
    cuts = (config.cuts[0], config.cuts[1]) if config.cuts else None
    found, no_tiers = None, ""
    if not answers["seconds"].is_not_null().any():
        no_tiers = "No answer has a time ('seconds'), so there are no tiers of difficulty."
    else:
        try:
            found = difficulty(answers, cuts, right_from=config.right_from)
        except UsageError as error:
            if cuts or config.out is not None:
                raise
            no_tiers = f"There are no tiers of difficulty: {error}"  # people's figures stand without them
    remarks: list[str] = []
    for run in people.values():
        used = {scored.scorer: run.figures["rule_sets"][scored.scorer]}
        remarks += marks(run.name, run.folder.path, used, scored.benchmark)
    if config.out is not None and found is not None:
        _write(config.out, found)
    columns = tuple(column for column in scored.benchmark.table.columns if column.key in average)
    published = tuple(row for row in scored.benchmark.published_rows if row.group == "human")
    benchmark = scored.benchmark
    tables = tuple(published_tables("humans", benchmark.scored_like or benchmark.title))
    return HumansResult(scored.scorer, columns, own, average, found, remarks, config.out, published, tables, no_tiers)


def timed_answers(name: str, run: LoadedRun, rows: pl.DataFrame) -> pl.DataFrame:
    """A row for each answer of a person: person, id, task, score, seconds."""
    import polars as pl

    from tolman.responses import Response

    times = {
        (outcome.id, outcome.repeat): outcome.seconds
        for outcome in run.folder.outcomes()
        if isinstance(outcome, Response)
    }
    answered = rows.filter(pl.col("score").is_not_null())
    seconds = [times.get(key) for key in answered.select("id", "repeat").iter_rows()]
    return answered.select(pl.lit(name).alias("person"), "id", "task", "score").with_columns(
        pl.Series("seconds", seconds, dtype=pl.Float64)
    )


def _write(out: Path, found: Difficulty) -> None:
    from tolman.analyze.humans import TIERS, tier_of
    from tolman.files import write_text
    from tolman.workflows.analyses.outputs import write_ids

    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "tiers.csv", found.frame.write_csv(float_precision=3))
    for tier in TIERS:
        write_ids(out / f"{tier}.txt", tier_of(found, tier))


def to_json(result: HumansResult) -> dict[str, Any]:
    """Make the content of `--json` of a result."""
    tiers = None
    if (found := result.difficulty) is not None:
        tiers = {"cuts": found.cuts, "paces": found.paces, "untimed": found.untimed, "items": found.frame}
    return {
        "rules": result.scorer,
        "people": result.people,
        "average": to_plain(result.average),
        "difficulty": to_plain(tiers),
        "no_tiers": result.no_tiers or None,
        "published": to_plain(result.published),
        "published_tables": to_plain_tables(result.published_tables),
    }


def show(result: HumansResult) -> list[Shown]:
    """Make tables and sentences of a result."""
    from tolman.reports.analyses import humans as form

    return form.show(result)


ANALYSIS = Analysis(
    name="humans",
    title="Human baselines: people's scores and their average; tiers of difficulty from answering times.",
    config=HumansConfig,
    run=analyze_humans,
    show=show,
    to_json=to_json,
    examples=("humans people/* --out tiers",),
)
