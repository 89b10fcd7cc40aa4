"""What `tolman analyze humans` reads, prints and writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import polars as pl
from rich.console import Console

from tolman.analyze.humans import TIERS, Difficulty, averages, difficulty, tier_of
from tolman.errors import UsageError
from tolman.files import write_text
from tolman.reports.alike import one_benchmark, one_rule_set, scores_under
from tolman.reports.analyses.output import print_table, reach, say, write_ids, write_json
from tolman.reports.loaded import LoadedRun, load_runs
from tolman.reports.missing import marks
from tolman.responses import Response

PREFIX = "human/"


def print_humans(
    console: Console,
    paths: Sequence[Path],
    *,
    rules: str | None,
    cuts: tuple[float, float] | None,
    right_from: float,
    out: Path | None,
    as_json: bool,
) -> None:
    """Average people's scores, and sort items by how long people took.

    Raises:
        UsageError: a run is no person's, two are of one person, or the tiers can't be formed.
    """
    runs = load_runs(paths)
    benchmark = one_benchmark(runs)
    chosen = one_rule_set(runs, rules)
    people: dict[str, LoadedRun] = {}
    for run in runs:
        model = run.record.settings.model
        if not model.startswith(PREFIX):
            raise UsageError(
                f"{run.folder.path} is a run of {model}, not of a person; score it with --name human/NAME."
            )
        if model in people:
            raise UsageError(f"two runs are of {model}; give one for each person.")
        people[model] = run
    names = {model: model.removeprefix(PREFIX) for model in people}
    rows = {names[model]: scores_under(run, chosen) for model, run in people.items()}
    own, average = averages(rows, benchmark.table_of(chosen))
    answers = pl.concat([_answers(names[model], run, rows[names[model]]) for model, run in people.items()])
    timed = answers["seconds"].is_not_null().any()
    found = difficulty(answers, cuts, right_from=right_from) if timed else None
    if out is not None and found is not None:
        _write(out, found)
    if as_json:
        tiers = None
        if found is not None:
            tiers = {
                "cuts": found.cuts,
                "paces": found.paces,
                "untimed": found.untimed,
                "items": found.frame.to_dicts(),
            }
        content = {"rules": chosen, "people": own, "average": {key: asdict(a) for key, a in average.items()}}
        write_json(console, {**content, "difficulty": tiers})
        return
    columns = [column for column in benchmark.table.columns if column.key in average]
    body = [
        [name, *(f"{figures[c.key]:.{c.digits}f}" if c.key in figures else "–" for c in columns)]
        for name, figures in own.items()
    ]
    body.append(["average", *(f"{average[c.key].value:.{c.digits}f}" for c in columns)])
    body.append(["95 % interval", *(reach(average[c.key].interval) for c in columns)])
    print_table(console, ["", *(c.title for c in columns)], body, title=f"{len(people)} people, {chosen}")
    for run in people.values():
        for text in marks(run.name, run.folder.path, {chosen: run.figures["rule_sets"][chosen]}, benchmark):
            say(console, text)
    if found is None:
        say(console, "No answer has a time ('seconds'), so there are no tiers of difficulty.")
        return
    _print_tiers(console, found, out)


def _answers(name: str, run: LoadedRun, rows: pl.DataFrame) -> pl.DataFrame:
    """A row for each answer of a person: person, id, task, score, seconds."""
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


def _print_tiers(console: Console, found: Difficulty, out: Path | None) -> None:
    tasks = list(dict.fromkeys(found.frame["task"].to_list()))
    body = []
    for tier in TIERS:
        own = found.frame.filter(pl.col("tier") == tier)
        mean, wrong = own["seconds"].mean(), int((own["wrong"] > 0).sum())
        shown = f"{mean:.1f}" if isinstance(mean, float) else "–"
        per_task = [f"{int((own['task'] == task).sum()):,}" for task in tasks]
        body.append([tier, f"{own.height:,}", shown, f"{wrong:,}", *per_task])
    headings = ["tier", "items", "mean seconds", "answered wrongly", *tasks]
    print_table(console, headings, body, title="difficulty, from normalised answering times")
    low, high = found.cuts
    say(console, f"easy up to {low:.1f} s, medium up to {high:.1f} s; an item that anybody answered wrongly is hard.")
    if found.untimed:
        say(console, f"{found.untimed:,} items were answered without a time and are in no tier.")
    if out is not None:
        say(console, f"Written: {out / 'tiers.csv'}, and a list of ids for each tier (--ids {out / 'hard.txt'}).")


def _write(out: Path, found: Difficulty) -> None:
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / "tiers.csv", found.frame.write_csv(float_precision=3))
    for tier in TIERS:
        write_ids(out / f"{tier}.txt", tier_of(found, tier))
