"""`tolman benchmarks`, `run`, `score`, `compare` and `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tolman.commands.configured import FileForm, Incomplete, configured
from tolman.commands.options import Json, console, is_incomplete
from tolman.workflows.compare import CompareConfig
from tolman.workflows.report import ReportConfig
from tolman.workflows.run_config import RunConfig
from tolman.workflows.score import ScoreConfig
from tolman.workflows.suite_file import is_suite
from tolman.workflows.suite_names import suite_path

app = typer.Typer()
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say how many calls, tokens and minutes it would take, and ask nothing.")
]


def _run_suite(path: Path, given: dict[str, Any], as_json: bool, dry_run: bool) -> None:
    """Carry out a suite's runs as one."""
    from tolman.commands.show.estimates import show_estimates
    from tolman.commands.show.progress import progress
    from tolman.commands.show.suite import show_suite
    from tolman.runtime import stoppable
    from tolman.workflows.estimate import estimate
    from tolman.workflows.suite import run_suite
    from tolman.workflows.suite_board import board_of
    from tolman.workflows.suite_file import check_names, copy_suite, read_suite

    configs, board = read_suite(path, given), board_of(path)
    with stoppable(), progress() as events:
        if dry_run:
            check_names(configs)
            lacking: list[str] = []
            show_estimates(console(), estimate(configs, lacking.append), as_json=as_json, lacking=lacking)
            if lacking:
                raise typer.Exit(1)
            return
        result = run_suite(configs, events)
    copy_suite(path, result.folder, given)
    show_suite(console(), result, as_json_list=as_json, board=board)
    if result.failed or any(is_incomplete(one.figures) for one in result.runs):
        raise typer.Exit(1)


@app.command()
@configured(RunConfig, file_form=FileForm("benchmark", is_suite, _run_suite, suite_path))
def run(config: RunConfig, as_json: Json = False, dry_run: DryRun = False) -> list[Path]:
    """Evaluate a model on a benchmark: ask, score and report. The same command goes on where it stopped.

    A response without a readable answer ('none') or ended by the token limit ('cut off') scores 0.
    Above 0.5 % of a figure's responses, both shares stand below it, with the score if all are wrong or at chance.
    Above 5 % the headline bears a †. --judge has a model read them, and a sample of those that were read.

    Example:  tolman run vsi-bench --model openai/my-model --base-url http://localhost:8000/v1

    Example:  tolman run vsi-bench --model baseline/best-constant --protocol blind

    Example:  tolman run vsi-bench --model openai/my-model --protocol cot+question-first --frames 8,16,32

    Example:  tolman run vsi-bench --model openai/my-model --reasoning-budget 0,2k,8k,32k

    Example:  tolman run suite.toml --dry-run

    Example:  tolman run easi-8 --model openai/my-model --base-url http://localhost:8000/v1
    """
    from tolman.commands.show.progress import progress
    from tolman.commands.show.warming import importing_meanwhile
    from tolman.runtime import stoppable
    from tolman.workflows.evaluate import evaluate
    from tolman.workflows.thinking import budget_curves

    if dry_run:
        from tolman.commands.show.estimates import show_estimates
        from tolman.workflows.estimate import estimate

        show_estimates(console(), estimate([config]), as_json=as_json)
        return []
    with stoppable(), progress() as events:
        runs = evaluate(config, importing_meanwhile(events)).runs
    from tolman.commands.show.runs import show_runs

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

    Example:  tolman compare runs/vsi-bench-full/model-a-direct runs/vsi-bench-full/model-b-direct --out page.html
    """
    from tolman.commands.show.comparison import show_comparison
    from tolman.workflows.compare import compare as carry_out

    show_comparison(console(), carry_out(config), as_json=as_json)


@app.command()
@configured(ReportConfig)
def report(config: ReportConfig) -> None:
    """Put runs into one table beside published rows, or into a site to look through.

    Further tables have a cell for each part of the questions: --by source, --by level,scene_type. Labels are those that
    the questions carry, and task, source, scene, kind, options, media_count, media_kind, question_words, frames_needed,
    frames, evidence.

    Example:  tolman report runs/vsi-bench-full/* --out table.html

    Example:  tolman report runs/vsi-bench-full/* --by source --by task,evidence --taxonomy site

    Example:  tolman report runs/vsi-bench-full/* --out site
    """
    from tolman.commands.show.progress import progress
    from tolman.commands.show.runs import show_report
    from tolman.workflows.report import report as carry_out

    with progress() as events:
        result = carry_out(config, events)
    show_report(console(), result)
