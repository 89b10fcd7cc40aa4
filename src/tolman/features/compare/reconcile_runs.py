"""Reconciling two runs or logs of one benchmark: why their scores differ, item by item, and by how much."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tolman import benchmarks
from tolman.analyze.score_causes import Label, named
from tolman.analyze.score_waterfall import ItemDifference, PlaceInTable, Reconciled, reconcile as find_causes
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import InputError, UsageError, counted
from tolman.features.compare.config import ReconcileConfig
from tolman.features.compare.reconciled_sides import OpenedSide, places_of, side_of_log, side_of_run
from tolman.features.events import Events, silent
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.files import WRITTEN_BY, check_report
from tolman.items import Item
from tolman.reports.reconciliation import Reconciliation, combinations, differing, pieces
from tolman.reports.report_pages import form_of, save_report
from tolman.runs.run_folder import RunFolder, same_benchmark
from tolman.runs.run_items import load
from tolman.scoring.score_table import Column, pools_of

FORMS = (".html", ".md", ".json")


@dataclass(frozen=True, repr=False)
class ReconcileResult(Displayable):
    """Why two runs or logs have different scores.

    Attributes:
        paths: of A and B.
        benchmark: of both.
        figure: whose difference is split.
        sides: A and B as they were understood.
        found: causes and pieces.
        out: the file that was written, or None.
    """

    paths: tuple[Path, Path]
    benchmark: BenchmarkSpec
    figure: Column
    sides: tuple[OpenedSide, OpenedSide]
    found: Reconciled
    out: Path | None = None

    @property
    def names(self) -> tuple[str, str]:
        """How A and B are called: by their models, or where these are alike by their paths too."""
        a, b = (one.side.name for one in self.sides)
        if a != b:
            return a, b
        places = self.paths if self.paths[0].name == self.paths[1].name else [Path(path.name) for path in self.paths]
        return f"{a} in {places[0]}", f"{b} in {places[1]}"

    @property
    def combinations(self) -> list[tuple[tuple[Label, ...], int]]:
        """Sets of causes that items have together → how many items whose scores differ, the most frequent first."""

        return combinations(self.found)

    @property
    def differing(self) -> int:
        """How many items have different scores."""

        return differing(self.found)

    @property
    def content(self) -> Reconciliation:
        """The tables and sentences that are printed."""

        a, b = self.sides
        return Reconciliation(
            self.benchmark.title,
            self.figure,
            self.names,
            (a.scored_by, b.scored_by),
            (len(a.side.records), len(b.side.records)),
            self.found,
            self.remarks,
            self.unit,
        )

    @property
    def unit(self) -> str:
        """Return the unit of the counts: 'item', or 'sample' where a side has several of an item."""
        several = any(key != item.id for one in self.sides for key, item in one.items.items())
        return "sample" if several else "item"

    @property
    def remarks(self) -> list[str]:
        """Return the limits of the answer: how the sides were understood, gaps in their logs, settings that differ."""
        found = [f"{letter}: {text}" for letter, one in zip("AB", self.sides, strict=True) for text in one.remarks]
        offset = len(self.found.items) - self.differing
        if offset:
            further = counted(offset, f"further {self.unit}")
            found.append(f"{further} with equal scores would differ for one of several causes alone.")
        for name, count in self.found.unrecorded.items():
            unexplained = counted(count, f"unexplained {self.unit}")
            found.append(f"Of {unexplained} a log doesn't tell {name}: it may be the cause.")
        return found + self._other_settings()

    def _other_settings(self) -> list[str]:
        one, other = (side.settings for side in self.sides)
        different = [
            f"{name} ({one[name]}, {other[name]})" for name in one if name in other and one[name] != other[name]
        ]
        return [f"Settings that differ (A, B): {', '.join(different)}."] if different else []

    def to_dict(self) -> dict[str, Any]:
        """Return values for JSON; exact figures as fractions next to their floats."""

        found = self.found
        return {
            "benchmark": self.benchmark.name,
            "figure": self.figure.key,
            "a": self._side_dict(0) | {"value": float(found.a), "exact": str(found.a)},
            "b": self._side_dict(1) | {"value": float(found.b), "exact": str(found.b)},
            "unit": self.unit,
            "items": {"compared": found.compared, "differing": self.differing},
            "pieces": [
                {
                    "causes": sorted(map(str, piece.label)), "points": float(piece.points), "exact": str(piece.points),
                    "items": piece.items, "up": piece.up, "down": piece.down,
                }
                for piece in found.pieces
            ],
            "combinations": [
                {"causes": [named(label) for label in labels], "items": count} for labels, count in self.combinations
            ],
            "unrecorded": dict(found.unrecorded),
            "remarks": self.remarks,
            "differences": [_difference_dict(item) for item in found.items],
            **WRITTEN_BY,
        }  # fmt: skip

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each piece of the difference.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns cause, points (of the figure, B minus A), items (moved by it), up and down (how many of them have a
            higher or lower score under B).

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """

        rows = [(named(p.label), float(p.points), p.items, p.up, p.down) for p in self.found.pieces]
        schema = {"cause": pl.String, "points": pl.Float64} | dict.fromkeys(("items", "up", "down"), pl.Int64)
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _side_dict(self, place: int) -> dict[str, Any]:
        one = self.sides[place]
        return {
            "path": str(self.paths[place]), "name": self.names[place], "scorer": one.scored_by,
            "items": len(one.side.records), "settings": dict(one.settings),
        }  # fmt: skip

    def _title(self) -> str:
        a, b = self.names
        return f"{self.benchmark.title}, {self.figure.title}: {a} {self.found.a:.2f} → {b} {self.found.b:.2f}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), *self.remarks)


def reconcile(config: ReconcileConfig, events: Events = silent) -> ReconcileResult:
    """Say why two runs or logs of one benchmark have different scores.

    Raises:
        UsageError: no benchmark is named, or they are of different ones; they have no item in common; one has no score;
            there is no such scorer, figure or form; the figure is no mean of scores.
        InputError: a path is neither a run's folder nor a log, or its rows don't fit the benchmark.
    """

    if config.out is not None and config.out.suffix not in FORMS:
        raise UsageError(f"{config.out} has no suffix of a reconciliation; use one of {', '.join(FORMS)}.")
    if config.out is not None:
        check_report(config.out)
    for path in (config.a, config.b):
        if not path.exists():
            raise InputError(path, "does not exist", fix="give a run's folder, or another program's log")
    folders = [RunFolder(path) if (path / "run.json").is_file() else None for path in (config.a, config.b)]
    benchmark, items = _questions(config, [folder for folder in folders if folder is not None])
    opened: list[OpenedSide] = []
    for path, folder, scorer in zip((config.a, config.b), folders, (config.scorer_a, config.scorer_b), strict=True):
        if folder is not None:
            opened.append(side_of_run(folder, benchmark, scorer))
            continue

        opened.append(side_of_log(path, benchmark, items, scorer))
    a, b = opened
    if not a.side.records.keys() & b.side.records.keys():
        raise UsageError(f"{config.a} and {config.b} have no item in common.")
    rule_set = a.scorer or b.scorer or benchmark.headline_rules
    table = benchmark.table_of(rule_set.name)
    column = table.column(config.figure or table.headline)
    _check_mean(column)
    places = places_of(rule_set, {**b.items, **a.items}, [item.id for item in items])
    for one in opened:
        _check_judged(one, benchmark, places, column)
    found = find_causes(a.side, b.side, places, column)
    for path, scored in zip((config.a, config.b), found.scored, strict=True):
        if not scored:
            raise UsageError(f"{path} has no answer with a score, so {column.title} has no value to reconcile.")
    result = ReconcileResult((config.a, config.b), benchmark, column, (a, b), found, config.out)
    if config.out is not None:
        _write(config.out, result, {**b.items, **a.items, **{item.id: item for item in items}})
    return result


def _write(path: Path, result: ReconcileResult, items: Mapping[str, Item]) -> None:
    """The reconciliation as a page, as Markdown or as JSON."""

    content: str | Iterable[str]
    if path.suffix == ".html":
        content = pieces(result.content, items)
    elif path.suffix == ".md":
        content = result.content.markdown()
    else:
        content = json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n"
    save_report(path, content, form_of(path))


def _questions(config: ReconcileConfig, runs: list[RunFolder]) -> tuple[BenchmarkSpec, list[Item]]:
    """The benchmark that is named, or that of the runs, with its questions."""

    named = [run.record().settings.benchmark for run in runs]
    for name in named[1:]:
        if not same_benchmark(named[0], name):
            raise UsageError(f"the runs are of different benchmarks: {named[0]} and {name}.")
    if config.benchmark is not None:
        loaded = load(config.benchmark, config.data, config.subset, config.revision)
        return loaded.benchmark, list(loaded.items)
    if not named:
        raise UsageError(f"which benchmark are {config.a} and {config.b} of? Name it with --benchmark.")
    by_id = {item.id: item for run in runs for item in run.items()}
    return benchmarks.get(named[0]), list(by_id.values())


def _check_mean(column: Column) -> None:
    for leaf in pools_of([column.node]):
        if leaf.measure is not None:
            raise UsageError(
                f"the figure '{column.key}' is of the metric '{leaf.measure.name}'; only means of scores and "
                "chance-adjusted accuracy can be split. Name another one with --figure."
            )


def _check_judged(
    one: OpenedSide, benchmark: BenchmarkSpec, places: Mapping[str, PlaceInTable], column: Column
) -> None:
    """Refuse a figure that is withheld, as `run_scoring.withheld_of` does."""
    tasks = [leaf.tasks for leaf in pools_of([column.node])]
    own = [
        record
        for key, record in one.side.records.items()
        if any(some is None or places[key].task in some for some in tasks)
        and (record.score is not None or record.unjudged)
    ]
    unjudged = [record for record in own if record.unjudged]
    asks = bool(benchmark.judging.model) and one.scorer is not None and one.scorer.name == benchmark.judging.base
    unread = [record for record in own if record.unjudged or (record.text is not None and record.reading == "")]
    if (unjudged or asks) and 2 * len(unread) > len(own):
        raise UsageError(
            f"only a judge can score most answers of {one.side.name}, so {column.title} has no value to reconcile; "
            "score them with --judge."
        )


def _difference_dict(item: ItemDifference) -> dict[str, Any]:
    def told(record: Any, score: Any) -> dict[str, Any] | None:
        if record is None:
            return None
        fields: Mapping[str, Any] = {
            "score": None if score is None else float(score), "response": record.text, "failure": record.failure,
            "reading": record.reading, "truth": record.truth, "frames": record.frames, "cut_off": record.cut_off,
        }  # fmt: skip
        return {name: value for name, value in fields.items() if value is not None or name == "score"}

    a, b = item.scores
    return {
        "id": item.id,
        "causes": [named(label) for label in item.switches.labels],
        "a": told(item.a, a),
        "b": told(item.b, b),
    }
