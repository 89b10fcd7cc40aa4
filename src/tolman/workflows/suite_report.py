"""The one report of a suite: a table of headline figures, and a page for each benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.workflows.suite import LackingRun, SuiteResult
from tolman.workflows.suite_board import BOARDS, board_matrix

if TYPE_CHECKING:
    from tolman.reports.content import Report
    from tolman.reports.matrix import LackingFigure, Matrix


@dataclass(frozen=True)
class SuiteReport:
    """What a suite came to.

    Attributes:
        matrix: the headline figures.
        reports: the table of each benchmark.
        page: the HTML page with the matrix, which leads to the others.
        boards: title → the figures as a leaderboard forms them.
    """

    matrix: Matrix
    reports: tuple[Report, ...]
    page: Path
    boards: dict[str, Matrix] = field(default_factory=dict)


def report_suite(result: SuiteResult, board: str | None = None) -> SuiteReport:
    """Put the runs of a suite into tables, and write the pages into its folder.

    Args:
        result: of the suite.
        board: a leaderboard whose figures are added (`suite_board.BOARDS`).

    Raises:
        InputError: a run's files are damaged.
    """
    from tolman.reports.content import build
    from tolman.reports.loaded import load_runs
    from tolman.reports.matrix import matrix_of, matrix_page
    from tolman.reports.write import render, save

    by_questions: dict[tuple[str, str, str], list[Path]] = {}
    for run in result.runs:
        settings = run.record.settings
        by_questions.setdefault((settings.benchmark, settings.subset, settings.data_hash), []).append(run.path)
    reports, names = [], []
    for paths in by_questions.values():
        runs = load_runs(paths)
        reports.append(build(runs))
        # Below the suite's folder is the benchmark's, and in it those of the runs.
        names.append(f"{paths[0].relative_to(result.folder).parts[0]}.html")
        save(result.folder / names[-1], render(reports[-1], runs, "html"))
    matrix = matrix_of(reports, [_lacking(one) for one in result.lacking])
    boards = {BOARDS[board]: board_matrix(result.runs)} if board is not None else {}
    page = result.folder / "index.html"
    save(page, matrix_page(result.folder.name, matrix, names, result.failed, boards))
    return SuiteReport(matrix, tuple(reports), page, boards)


def _lacking(run: LackingRun) -> LackingFigure:
    from tolman import benchmarks
    from tolman.reports.matrix import LackingFigure
    from tolman.runs.load import subset_of

    benchmark = benchmarks.get(run.benchmark)
    headline = benchmark.table.column(benchmark.table.headline).title
    return LackingFigure(f"{benchmark.title} · {subset_of(benchmark, run.subset)}", headline, run.model)
