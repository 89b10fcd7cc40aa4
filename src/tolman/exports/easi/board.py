"""EASI's columns: the benchmark and scorer of each, the names of its parts, and the runs that belong there.

Source: EvolvingLMMs-Lab/EASI@0c1a41e, scripts/submissions/postprocess.py (`METRIC_MAP`) and backends/lmmseval.py
(`_METRIC_MAP`, `_TASK_MAP`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tolman.errors import UsageError
from tolman.exports.exporters import RunSource
from tolman.exports.results import figures_of
from tolman.scoring.aggregate import Cell
from tolman.toml_catalogue import read_table, with_tuples

BACKENDS = ("lmmseval", "vlmevalkit")
"""Whose scorers the figures are of; the names as EASI's files have them."""


@dataclass(frozen=True)
class SubScore:
    """A sub-score.

    Attributes:
        key: EASI's name.
        figure: key of the figure in the benchmark's table.
        metric: lmms-eval's name.
        backends: for which EASI has it.
    """

    key: str
    figure: str
    metric: str
    backends: tuple[str, ...] = BACKENDS


@dataclass(frozen=True)
class BoardColumn:
    """A column of EASI's board.

    Attributes:
        key: EASI's name.
        benchmark: Tolman's.
        subsets: each set of subsets whose runs together are the column.
        figure: key of the headline in the benchmark's table.
        metric: lmms-eval's name of it.
        tasks: lmms-eval's name for the task of each subset.
        scorers: backend → the scorer with its rules.
        parts: the sub-scores.
        further: subset → a sub-score that is the headline of a run on that subset.
        scale: EASI's factor for lmms-eval's figures.
    """

    key: str
    benchmark: str
    subsets: tuple[frozenset[str], ...]
    figure: str
    metric: str
    tasks: Mapping[str, str]
    scorers: Mapping[str, str]
    parts: tuple[SubScore, ...] = ()
    further: Mapping[str, SubScore] = field(default_factory=dict)
    scale: int = 100


def _columns() -> Iterator[BoardColumn]:
    _, table = read_table(Path(__file__).with_name("columns.toml"))
    for column in with_tuples(table["columns"]):
        yield BoardColumn(
            **column
            | {
                "subsets": tuple(map(frozenset, column["subsets"])),
                "parts": tuple(SubScore(**part) for part in column.get("parts", ())),
                "further": {subset: SubScore(**part) for subset, part in column.get("further", {}).items()},
            }
        )


COLUMNS = tuple(_columns())
"""The columns. BLINK's is pooled over all questions, not the authors' mean over tasks; 3DSRBench's counts every row."""
REQUIRED = tuple(board.key for board in COLUMNS[:8])
"""The eight without which EASI's board shows a model as unfinished."""


@dataclass(frozen=True)
class ColumnRuns:
    """The runs of one column.

    Attributes:
        board: the column.
        runs: whose rows are pooled for the headline and its parts; there may be none where `further` has some.
        further: runs whose headline is a sub-score, by subset.
    """

    board: BoardColumn
    runs: tuple[RunSource, ...]
    further: dict[str, RunSource]

    @property
    def all_runs(self) -> list[RunSource]:
        """All of them."""
        return [*self.runs, *self.further.values()]

    def figures(self, backend: str) -> tuple[float | None, dict[str, float | None]]:
        """Return headline and sub-scores, 0–100 at four decimal places as EASI has them; None for those without items.

        Raises:
            UsageError: Tolman has no scorer with the rules of the backend.
        """
        scorer = self.scorer(backend)
        found = figures_of(self.runs, scorer) if self.runs else {}
        parts = {part.key: _rounded(found.get(part.figure)) for part in self.board.parts if backend in part.backends}
        for subset, part in self.board.further.items():
            if backend in part.backends:
                run = self.further.get(subset)
                parts[part.key] = _rounded(figures_of([run], scorer).get(part.figure)) if run is not None else None
        return _rounded(found.get(self.board.figure)), parts

    def scorer(self, backend: str) -> str:
        """The name of the scorer with the rules of a backend.

        Raises:
            UsageError: Tolman has none.
        """
        if backend not in self.board.scorers:
            known = next(iter(self.board.scorers))
            raise UsageError(
                f"{self.board.benchmark} has no scorer with the rules of {backend}; leave its run out, or give --set "
                f"backend={known}."
            )
        return self.board.scorers[backend]


def columns_of(runs: Sequence[RunSource], *, parts: bool = False) -> list[ColumnRuns]:
    """The columns that runs are of, in the board's order.

    Args:
        runs: of one model.
        parts: whether a column may lack a subset, such as SITE's videos.

    Raises:
        UsageError: a run is of no column, two are of the same, or a column lacks a subset.
    """
    taken: dict[str, dict[str, RunSource]] = {}
    for run in runs:
        settings = run.record.settings
        board = _board_of(run)
        other = taken.setdefault(board.key, {}).setdefault(settings.subset, run)
        if other is not run:
            raise UsageError(
                f"{other.folder.path} and {run.folder.path} are both runs of {settings.benchmark} ({settings.subset}); "
                "name one of them."
            )
    found = []
    for board in COLUMNS:
        by_subset = taken.get(board.key, {})
        further = {name: run for name, run in by_subset.items() if name in board.further}
        pooled = {name: run for name, run in by_subset.items() if name not in further}
        _check_subsets(board, pooled, parts=parts)
        if by_subset:
            found.append(ColumnRuns(board, tuple(pooled.values()), further))
    return found


def is_on_board(run: RunSource) -> bool:
    """Check whether a run is of one of the board's columns."""
    return _column_of(run) is not None


def _column_of(run: RunSource) -> BoardColumn | None:
    settings = run.record.settings
    for board in COLUMNS:
        if board.benchmark == settings.benchmark and (
            settings.subset in board.further or any(settings.subset in one for one in board.subsets)
        ):
            return board
    return None


def _board_of(run: RunSource) -> BoardColumn:
    settings, found = run.record.settings, _column_of(run)
    if found is not None:
        return found
    known = ", ".join(f"{b.benchmark} ({' or '.join(' with '.join(sorted(s)) for s in b.subsets)})" for b in COLUMNS)
    raise UsageError(
        f"{run.folder.path} is a run of {settings.benchmark} ({settings.subset}), which is no column of EASI's board; "
        f"it has {known}."
    )


def _check_subsets(board: BoardColumn, runs: dict[str, RunSource], *, parts: bool) -> None:
    """Refuse one subset of those that make a column together, and several that hold the same questions."""
    if not runs or frozenset(runs) in board.subsets:
        return
    whole = next((one for one in board.subsets if frozenset(runs) < one), None)
    if whole is None:
        raise UsageError(
            f"the runs of {board.benchmark} ({', '.join(sorted(runs))}) hold the same questions; name one."
        )
    if not parts:
        raise UsageError(
            f"EASI's figure of {board.benchmark} is over {' and '.join(sorted(whole))} questions together, and there "
            f"is only a run of {', '.join(sorted(runs))}; name the other too, leave it out, or mark it with --set "
            "incomplete=mark."
        )


def _rounded(cell: Cell | None) -> float | None:
    return None if cell is None or cell.value is None else round(cell.value, 4)
