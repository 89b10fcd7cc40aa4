"""The figures of a suite's runs as a leaderboard forms them, beside Tolman's headlines."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.errors import TolmanError, UsageError
from tolman.names import hint

if TYPE_CHECKING:
    from tolman.reports.matrix import Matrix
    from tolman.workflows.opened_run import Run

KEY = "board"
"""The key of a suite's file that names the leaderboard."""
BOARDS = {"easi": "EASI's figures, by the rules of its lmms-eval backend"}
"""Name → the title of its table."""


def board_of(path: Path) -> str | None:
    """The leaderboard that a suite's file names.

    Raises:
        UsageError: there is none of that name.
    """
    found = tomllib.loads(path.read_text(encoding="utf-8")).get(KEY)
    if found is not None and found not in BOARDS:
        raise UsageError(f"{path}: there is no board '{found}'; {hint(str(found), list(BOARDS))}.")
    return found


def board_matrix(runs: Sequence[Run]) -> Matrix:
    """EASI's headline figures: a row for each model, a column for each benchmark of the board that has a run.

    A figure that rests on a part is marked. Runs of other benchmarks aren't in it, nor are models with several runs of
    one, which are told of.
    """
    from tolman import benchmarks
    from tolman.exports.easi.board import BACKENDS, COLUMNS
    from tolman.exports.easi.columns import columns_of, is_on_board
    from tolman.exports.export import RunSource
    from tolman.exports.results import lacks_of
    from tolman.reports.matrix import LACKING, Matrix, MatrixCell
    from tolman.runs.folder import RunFolder

    by_name: dict[str, list[RunSource]] = {}
    for run in runs:
        settings = run.record.settings
        source = RunSource(RunFolder(run.path), benchmarks.get(settings.benchmark))
        if is_on_board(source):
            by_name.setdefault(settings.named(), []).append(source)
    found = Matrix()
    cells: dict[str, dict[str, MatrixCell]] = {}
    for name, sources in by_name.items():
        try:
            columns = columns_of(sources, parts=True)
            for column in columns:
                value, _ = column.figures(next(one for one in BACKENDS if one in column.board.scorers))
                lacks = any(lacks_of(source) for source in column.all_runs)
                if value is not None:
                    cells.setdefault(name, {})[column.board.key] = MatrixCell(f"{value:.1f}", LACKING if lacks else "")
        except TolmanError as error:
            found.warnings.append(f"{name}: {error}")
    keys = [column.key for column in COLUMNS if any(column.key in row for row in cells.values())]
    found.columns += [(key, "EASI") for key in keys]
    found.rows |= {name: [row.get(key) for key in keys] for name, row in cells.items()}
    return found
