"""Scores: the figures of a benchmark's table, each with its interval."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman.errors import UsageError
from tolman.names import unknown
from tolman.workflows.frames import given_as
from tolman.workflows.notebook import Displayable, NotebookTable

if TYPE_CHECKING:
    import polars as pl

    from tolman.scoring.aggregate import Cell
    from tolman.scoring.table import Table
    from tolman.scoring.unread import Unread
    from tolman.workflows.scores_by import Labelled


class Scores(Displayable):
    """What a model scored on a benchmark. Equal to others with the same figures, whoever answered.

    Args:
        title: of the benchmark.
        table: of the benchmark.
        figures: what a run's scores.json holds.
        rows: one row for each item, sample and scorer (`tolman.scoring.score_frame.SCHEMA`).
        questions: how many the benchmark has; None where all of them were asked.
        labelled: what figures by labels need; None where there are none.
    """

    def __init__(
        self,
        title: str,
        table: Table,
        figures: Mapping[str, Any],
        rows: pl.DataFrame,
        *,
        questions: int | None = None,
        labelled: Labelled | None = None,
    ) -> None:
        self.title, self._table, self._rows, self._questions = title, table, rows, questions
        self._labelled = labelled
        self._figures: dict[str, Any] = json.loads(json.dumps(figures))  # as scores.json has them

    @property
    def scorers(self) -> tuple[str, ...]:
        """Names of the scorers, the headline's first: 'official', 'careful' …"""
        return tuple(self._figures["rule_sets"])

    @property
    def headline(self) -> Cell:
        """The figure to quote, on the 0–100 scale, with its interval, n and what is missing of it."""
        return self.cells()[self._table.headline]

    def cells(self, scorer: str | None = None) -> dict[str, Cell]:
        """The figures under one scorer.

        Args:
            scorer: its name; the headline's where None.

        Returns:
            Column key → Cell, in the order of the paper's table.

        Raises:
            UsageError: there is no such scorer.
        """
        name = self.scorers[0] if scorer is None else scorer
        if name not in self.scorers:
            raise unknown("scorer", name, self.scorers)
        found = self._figures["rule_sets"][name]["cells"]
        keys = [column.key for column in self._table.columns if column.key in found]
        return {key: _cell(found[key]) for key in keys}

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each scorer and figure.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns scorer, column, title, value, low, high (95 % interval clustered by scene, null without one), n,
            effective_scenes, unanswered, none and cut_off (per cent of the responses in which no answer could be read,
            or that ended before it; null where that isn't known), headline.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        import polars as pl

        schema = {
            "scorer": pl.String, "column": pl.String, "title": pl.String, "value": pl.Float64, "low": pl.Float64,
            "high": pl.Float64, "n": pl.Int64, "effective_scenes": pl.Float64, "unanswered": pl.Int64,
            "none": pl.Float64, "cut_off": pl.Float64, "headline": pl.Boolean,
        }  # fmt: skip
        rows = [
            (
                scorer, key, self._table.column(key).title, cell.value,
                cell.interval.low if cell.interval else None, cell.interval.high if cell.interval else None,
                cell.n, cell.effective_scenes, cell.unanswered, unread.none if unread else None,
                unread.cut_off if unread else None, place == 0 and key == self._table.headline,
            )
            for place, scorer in enumerate(self.scorers)
            for key, cell in self.cells(scorer).items()
            for unread in [self._unread(scorer, key)]
        ]  # fmt: skip
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def by(self, *labels: str, scorer: str | None = None, pandas: bool = False) -> pl.DataFrame | Any:
        """The figures for parts of the questions: `scores.by("source")`, `scores.by("level", "scene_type")`.

        Args:
            labels: what the questions are told apart by: a label that they carry, or `task`, `source`, `options`,
                `media_count`, `evidence` … (`tolman.analyze.labels.DERIVED`); several are crossed.
            scorer: its name; the headline's where None.
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            One row for each combination of values and figure: a column for each label (null for all of its values
            together), then column, title, value, low, high (95 % interval clustered by scene, null without one), n,
            effective_scenes, unanswered, missing (parts of the figure without a scored question).

        Raises:
            UsageError: no question has such a label, or there is no such scorer.
            MissingExtraError: pandas is wanted and not installed.
        """
        from tolman.workflows.scores_by import figures_by

        name = self.scorers[0] if scorer is None else scorer
        if name not in self.scorers:
            raise unknown("scorer", name, self.scorers)
        if self._labelled is None:
            raise UsageError("these scores were made without their questions; open the run: tolman.open_run(FOLDER).")
        return given_as(figures_by(self._rows, self._labelled, labels, name), pandas=pandas)

    def items(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each item, sample and scorer.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns scorer, id, sample, task, status ('scored', 'failed', 'missing' …), answer (as it was read), score
            (0–1, null unless scored), state ('read', 'none', 'cut off').

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        rows = self._rows.rename({"rule_set": "scorer", "repeat": "sample", "reading": "answer"})
        return given_as(
            rows.select("scorer", "id", "sample", "task", "status", "answer", "score", "state"), pandas=pandas
        )

    def to_dict(self) -> dict[str, Any]:
        """All figures with their provenance, as scores.json holds them."""
        copy: dict[str, Any] = json.loads(json.dumps(self._figures))
        return copy

    @property
    def remarks(self) -> list[str]:
        """Limits of the headline: that it is of a part of the questions, answers that failed or are missing, responses
        that could not be read, parts of its mean without a scored question; empty where there are none."""
        from tolman.runs.selection import Selection

        found = []
        selection = Selection.model_validate(self._figures["settings"].get("selection") or {})
        if not selection.is_all:
            found.append(f"a part of the questions ({selection.describe()})")
        elif self._questions is not None and self._figures["items"] < self._questions:
            found.append(f"a part: {self._figures['items']:,} of {self._questions:,} questions")
        if self.incomplete:
            found.append(f"{self.incomplete:,} of {self._figures['asked']:,} without an answer")
        unread = self._unread(self.scorers[0], self._table.headline)
        if unread is not None and unread.is_shown:
            found.append(f"{unread.share:.1f} % of the responses could not be read")
        if self.headline.missing:
            found.append(f"no scored question of {', '.join(self.headline.missing)}")
        return found

    def _unread(self, scorer: str, key: str) -> Unread | None:
        from tolman.scoring.unread import Unread

        values = self._figures["rule_sets"][scorer].get("unread", {}).get(key)
        return Unread.from_dict(values) if values else None

    @property
    def incomplete(self) -> int:
        """Answers that failed or are missing; they are in no figure, unless failures count as wrong."""
        return sum(self._figures["unanswered"].values())

    def figure(self) -> SvgFigure:
        """A dot with its 95 % interval for each figure of the headline's scorer."""
        cells = self.cells()
        points = [(self._table.column(key).title, cell) for key, cell in cells.items() if cell.value is not None]
        return SvgFigure(_dots(points, self.scorers[0]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return self.title == other.title and all(
            self._figures.get(key) == other._figures.get(key) for key in ("items", "asked", "unanswered", "rule_sets")
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Scores {self.title}: {'; '.join([self._said(), *self.remarks])}>"

    def _title(self) -> str:
        return self.title

    def _shown(self) -> NotebookTable:
        columns = [column for column in self._table.columns if any(column.key in self.cells(s) for s in self.scorers)]
        rows = []
        for scorer in self.scorers:
            cells = self.cells(scorer)
            rows.append([scorer, *(_shown(cells.get(column.key), column.digits) for column in columns)])
        remarks = [f"{remark[0].upper()}{remark[1:]}." for remark in self.remarks]
        return NotebookTable(["scorer", *(column.title for column in columns)], rows, remarks)

    def _said(self) -> str:
        column, cell = self._table.column(self._table.headline), self.headline
        return f"{column.title} {_shown(cell, column.digits)} ({self.scorers[0]}, n = {cell.n:,})"


class SvgFigure:
    """A drawing.

    Args:
        svg: one SVG element.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Path | str) -> Path:
        """Write it as an SVG file."""
        from tolman.files import write_text

        write_text(Path(path), self.svg)
        return Path(path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<SvgFigure of {len(self.svg):,} characters>"


def _cell(values: Mapping[str, Any]) -> Cell:
    from tolman.scoring.aggregate import Cell
    from tolman.scoring.intervals import Interval

    interval = Interval(**values["interval"]) if values.get("interval") else None
    return Cell(
        value=values["value"],
        n=values["n"],
        clusters=values.get("clusters", 0),
        unanswered=values.get("unanswered", 0),
        interval=interval,
        method=values.get("method"),
        effective_scenes=values.get("effective_scenes", 0.0),
        reason=values.get("reason"),
        missing=tuple(values.get("missing", ())),
        attainable=values.get("attainable", 100.0),
        **{name: values[name] for name in ("unit", "left_out", "unread") if name in values},
    )


def _shown(cell: Cell | None, digits: int) -> str:
    if cell is None or cell.value is None:
        return "–"
    interval = f" [{cell.interval.low:.{digits}f}, {cell.interval.high:.{digits}f}]" if cell.interval else ""
    return f"{cell.value:.{digits}f}{interval}"


def _dots(points: list[tuple[str, Cell]], scorer: str) -> str:
    from tolman.reports.dots import Dots, dots_svg

    placed = [(place, cell.value or 0.0, cell.interval) for place, (_, cell) in enumerate(points)]
    axis = f"{scorer} score, with 95 % interval clustered by scene"
    return dots_svg([title for title, _ in points], [Dots(scorer, placed)], axis)
