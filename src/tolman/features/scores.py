"""Scores: the figures of a benchmark's table, each with its interval, and the same figures by labels."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tolman.errors import UsageError, counted, unknown
from tolman.extras import LazyModule
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.files import write_text
from tolman.items import Item, Selection
from tolman.reports.report_content import in_no_column_sentence
from tolman.reports.svg_figures import Dots, dots_svg
from tolman.scoring.aggregate import Cell
from tolman.scoring.further_figures import WITHHELD, Unread
from tolman.scoring.intervals import Interval
from tolman.scoring.score_table import Rest, SmallPart, Table

if TYPE_CHECKING:
    from tolman.analyze import labels, taxonomies
    from tolman.media.sampling import Frames
else:
    labels, taxonomies = LazyModule("tolman.analyze.labels"), LazyModule("tolman.analyze.taxonomies")


class Scores(Displayable):
    """A model's scores on a benchmark. Instances with the same figures are equal, for any model.

    Args:
        title: of the benchmark.
        table: of the benchmark.
        figures: the content of a run's scores.json.
        rows: one row for each item, sample and scorer (`tolman.scoring.score_items.SCHEMA`).
        questions: how many the benchmark has; None where all of them were asked.
        labelled: the inputs of figures by labels; None where there are none.
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
        """Names of the scorers, the headline's first: 'official', 'careful' …

        A scorer whose headline is withheld, as only a judge could score it, is not the headline's if another has one.
        """

        def is_withheld(name: str) -> bool:
            cells = self._figures["rule_sets"][name]["cells"]
            return bool(cells.get(self._table.headline, {}).get("reason") == WITHHELD)

        return tuple(sorted(self._figures["rule_sets"], key=is_withheld))

    @property
    def headline(self) -> Cell:
        """The figure to quote, as the tables do: on the 0–100 scale, with its interval, n and missing parts."""
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
            Columns title, value, low, high (95 % interval clustered by scene, null without one), n, effective_scenes,
            unanswered, none and cut_off (per cent of the responses in which no answer could be read, or that ended
            before it; null where that isn't known), headline, column, scorer. Polars prints the first and last four.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        schema = {
            "title": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64,
            "effective_scenes": pl.Float64, "unanswered": pl.Int64, "none": pl.Float64, "cut_off": pl.Float64,
            "headline": pl.Boolean, "column": pl.String, "scorer": pl.String,
        }  # fmt: skip
        rows = [
            (
                self._table.column(key).title, cell.value,
                cell.interval.low if cell.interval else None, cell.interval.high if cell.interval else None,
                cell.n, cell.effective_scenes, cell.unanswered, unread.none if unread else None,
                unread.cut_off if unread else None, place == 0 and key == self._table.headline, key, scorer,
            )
            for place, scorer in enumerate(self.scorers)
            for key, cell in self.cells(scorer).items()
            for unread in [self._unread(scorer, key)]
        ]  # fmt: skip
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def by(self, *labels: str, scorer: str | None = None, pandas: bool = False) -> pl.DataFrame | Any:
        """The figures for parts of the questions: `scores.by("source")`, `scores.by("level", "scene_type")`.

        Args:
            labels: to divide the questions by: a label that they carry, or `task`, `source`, `options`, `media_count`,
                `evidence` … (`tolman.analyze.labels.DERIVED`); several are crossed.
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
        """Limits of the headline: that it is of a part of the questions, question types in no figure, failed or missing
        answers, responses that could not be read, parts of its mean without a scored question or with few; empty where
        there are none."""
        found = []
        selection = Selection.model_validate(self._figures["settings"].get("selection") or {})
        if not selection.is_all:
            found.append(f"a part of the questions ({selection.describe()})")
        elif self._questions is not None and self._figures["items"] < self._questions:
            found.append(f"a part: {self._figures['items']:,} of {counted(self._questions, 'question')}")
        if "in_no_column" in self._figures:
            found.append(in_no_column_sentence(self._figures["in_no_column"]))
        if self.incomplete:
            found.append(f"{self.incomplete:,} of {self._figures['asked']:,} without an answer")
        unread = self._unread(self.scorers[0], self._table.headline)
        if unread is not None and unread.is_shown:
            found.append(f"{unread.share:.1f} % of the responses could not be read")
        if self.headline.missing:
            found.append(f"no scored question of {', '.join(self.headline.missing)}")
        if self.headline.small:
            parts = (f"{part.title} ({part.n})" for part in self.headline.small)
            found.append(f"the headline includes parts with few questions: {', '.join(parts)}")
        return found

    def _unread(self, scorer: str, key: str) -> Unread | None:
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
        scorer = self.scorers[0]
        placed = [(place, cell.value or 0.0, cell.interval) for place, (_, cell) in enumerate(points)]
        axis = f"{scorer} score, with 95 % interval clustered by scene"
        return SvgFigure(dots_svg([title for title, _ in points], [Dots(scorer, placed)], axis))

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
        write_text(Path(path), self.svg)
        return Path(path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<SvgFigure of {len(self.svg):,} characters>"


def _cell(values: Mapping[str, Any]) -> Cell:
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
        small=tuple(SmallPart(**part) for part in values.get("small", ())),
        rest=Rest.from_dict(values["rest"]) if values.get("rest") else None,
        **{name: values[name] for name in ("unit", "left_out", "unread") if name in values},
    )


def _shown(cell: Cell | None, digits: int) -> str:
    if cell is None or cell.value is None:
        return "–"
    interval = f" [{cell.interval.low:.{digits}f}, {cell.interval.high:.{digits}f}]" if cell.interval else ""
    return f"{cell.value:.{digits}f}{interval}"


@dataclass(frozen=True)
class Labelled:
    """The inputs of figures by labels besides scores.

    Attributes:
        items: gives the questions.
        table_of: scorer → its table.
        asks_judge: scorer → whether the released code asks a model about responses that it can't read.
        shown: how the run samples videos; None where it isn't known.
    """

    items: Callable[[], Sequence[Item]]
    table_of: Callable[[str], Table]
    asks_judge: Callable[[str], bool]
    shown: Frames | None = None


def figures_by(rows: pl.DataFrame, labelled: Labelled, by: Sequence[str], scorer: str) -> pl.DataFrame:
    """Figures of one scorer by labels.

    Args:
        rows: of all scorers (`tolman.scoring.score_items.SCHEMA`).
        labelled: the questions and tables.
        by: labels; one that a taxonomy gives needn't be carried by the questions.
        scorer: its name.

    Returns:
        A row for each combination of values and column of the table: a column for each label (null for all of its
        values together), then column, title, value, low, high, n, effective_scenes, unanswered, missing.

    Raises:
        UsageError: no question has such a label.
    """
    items = list(labelled.items())
    placed = taxonomies.with_places(items) if set(by) & set(taxonomies.PLACE_LABELS) else items
    table = labelled.table_of(scorer)
    own, frame = rows.filter(pl.col("rule_set") == scorer), labels.label_frame(placed, by, labelled.shown)
    found = labels.cut(own, frame, by, table, asks=labelled.asks_judge(scorer))
    places = [{value: place for place, value in enumerate((*own, None))} for own in found.values]
    ordered = sorted(found.cells, key=lambda key: [own[value] for own, value in zip(places, key, strict=True)])
    lines = [
        (
            *key, column.key, column.title, cell.value,
            cell.interval.low if cell.interval else None, cell.interval.high if cell.interval else None,
            cell.n, cell.effective_scenes, cell.unanswered, list(cell.missing),
        )
        for key in ordered
        for column in table.columns
        for cell in [found.cells[key].cells[column.key]]
    ]  # fmt: skip
    schema: dict[str, Any] = {f"label {name}": pl.String for name in by} | {
        "column": pl.String, "title": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "n": pl.Int64, "effective_scenes": pl.Float64, "unanswered": pl.Int64, "missing": pl.List(pl.String),
    }  # fmt: skip
    frame = pl.DataFrame(lines, schema=schema, orient="row")
    titles = {f"label {name}": name for name in by if name not in frame.columns}
    return frame.rename(titles)
