"""`tolman benchmarks`, `run`, `score`, `compare` and `report`."""

from __future__ import annotations

from pathlib import Path

import typer

from tolman.commands.configured import Incomplete, configured
from tolman.commands.options import Json, console, is_incomplete
from tolman.workflows.compare import CompareConfig
from tolman.workflows.evaluate import RunConfig
from tolman.workflows.report import ReportConfig
from tolman.workflows.score import ScoreConfig

app = typer.Typer()


@app.command()
@configured(RunConfig)
def run(config: RunConfig, as_json: Json = False) -> list[Path]:
    """Evaluate a model on a benchmark: ask, score and report. The same command goes on where it stopped.

    A response without a readable answer ('none') or ended by the token limit ('cut off') scores 0.
    Above 0.5 % of a figure's responses, both shares stand below it, with the score if all are wrong or at chance.
    Above 5 % the headline bears a †. --judge has a model read them, and a sample of those that were read.

    Example:  tolman run vsi-bench --model openai/my-model --base-url http://localhost:8000/v1

    Example:  tolman run vsi-bench --model baseline/best-constant --protocol blind

    Example:  tolman run vsi-bench --model openai/my-model --protocol cot+question-first --frames 8,16,32

    Example:  tolman run vsi-bench --model openai/my-model --reasoning-budget 0,2k,8k,32k
    """
    from tolman.commands.show.progress import progress
    from tolman.commands.show.runs import show_runs
    from tolman.runtime import stoppable
    from tolman.workflows.evaluate import evaluate
    from tolman.workflows.thinking import budget_curves

    with stoppable(), progress() as events:
        runs = evaluate(config, events).runs
    folders = [one.path for one in runs]
    budgets = budget_curves(runs) if len(config.reasoning_budget) > 1 else []
    show_runs(console(), folders, as_json=as_json, budgets=budgets)
    if any(is_incomplete(one.figures) for one in runs):
        raise Incomplete(folders)
    return folders


@app.command()
@configured(ScoreConfig)
def score(config: ScoreConfig, as_json: Json = False) -> Path | None:
    """Score responses that something else produced, or a run again; with --judge, have a model read them.

    A response without a readable answer ('none') or ended by the token limit ('cut off') scores 0.
    Above 0.5 % of a figure's responses, both shares stand below it, with the score if all are wrong or at chance.
    Above 5 % the headline bears a †. scores.parquet holds each item's state, the rule that read it, and where.

    Example:  tolman score answers.jsonl --benchmark vsi-bench --name my-model

    Example:  tolman score runs/mmsi-bench-full/my-model-direct --judge openai/gpt-4o
    """
    from tolman.commands.show.progress import progress
    from tolman.commands.show.runs import show_runs
    from tolman.runtime import stoppable
    from tolman.workflows.score import score as carry_out

    with stoppable(), progress() as events:
        scored = carry_out(config, events).run
    show_runs(console(), [scored.path], as_json=as_json)
    folder = None if config.responses.is_dir() else scored.path  # the run's own config stays in its folder
    if is_incomplete(scored.figures):
        raise Incomplete(folder)
    return folder


@app.command()
@configured(CompareConfig)
def compare(config: CompareConfig, as_json: Json = False) -> None:
    """Compare a run with others item by item: differences with paired intervals, tests, items won and lost.

    p is of a two-sided randomisation test by scene, exact up to 30 scenes; p (Holm) is corrected for all rows of the
    command; detectable is the smallest difference, in points, that such a pair of runs shows with 80 % power at the
    5 % level.

    Example:  tolman compare runs/vsi-bench-full/model-a-direct runs/vsi-bench-full/model-b-direct
    """
    from tolman.commands.show.comparison import show_comparison
    from tolman.workflows.compare import compare as carry_out

    show_comparison(console(), carry_out(config), as_json=as_json)


@app.command()
@configured(ReportConfig)
def report(config: ReportConfig) -> None:
    """Put runs into one table beside the papers' rows.

    Example:  tolman report runs/vsi-bench-full/* --out table.html
    """
    from tolman.commands.show.runs import show_report
    from tolman.workflows.report import report as carry_out

    show_report(console(), carry_out(config))
