"""Reconciling two runs or logs of one benchmark: why their scores differ, item by item, and by how much."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import InputError, UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent
from tolman.workflows.notebook import Displayable, NotebookTable, counted
from tolman.workflows.settings import ReleasedData, Revision, Subset

if TYPE_CHECKING:
    import polars as pl

    from tolman.analyze.reconciling.causes import Label
    from tolman.analyze.reconciling.reconcile import ItemDifference, Reconciled
    from tolman.benchmarks.base import BenchmarkSpec
    from tolman.items import Item
    from tolman.reports.reconciliation import Reconciliation
    from tolman.runs.folder import RunFolder
    from tolman.scoring.table import Column
    from tolman.workflows.reconciled_sides import OpenedSide

FORMS = (".html", ".md", ".json")


@dataclass(frozen=True, kw_only=True)
class ReconcileConfig:
    """Which two runs or logs are held against each other."""

    a: Annotated[Path, Setting("A run folder, or a log of another program.", positional=True)]
    b: Annotated[Path, Setting("The other run folder or log.", positional=True)]
    benchmark: Annotated[str | None, Setting("A benchmark's name or folder. Default: that of the run folders.")] = None
    data: ReleasedData = None
    subset: Subset = None
    revision: Revision = None
    scorer_a: Annotated[
        str | None,
        Setting("Scorer of A. Default: of a run the headline's; of a log the one that gives its recorded scores."),
    ] = None
    scorer_b: Annotated[str | None, Setting("Scorer of B. Default: found out as A's is.")] = None
    figure: Annotated[
        str | None, Setting("Figure of the benchmark's table, by its key. Default: the headline.", metavar="KEY")
    ] = None
    out: Annotated[
        Path | None,
        Setting(
            "File to write, .html (the waterfall drawn, with every differing item by its causes), .md or .json. "
            "Default: none, the tables are printed."
        ),
    ] = None


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
        from tolman.reports.reconciliation import combinations

        return combinations(self.found)

    @property
    def differing(self) -> int:
        """How many items have different scores."""
        from tolman.reports.reconciliation import differing

        return differing(self.found)

    @property
    def content(self) -> Reconciliation:
        """The tables and sentences that are printed."""
        from tolman.reports.reconciliation import Reconciliation

        a, b = self.sides
        return Reconciliation(
            self.benchmark.title,
            self.figure,
            self.names,
            (a.scored_by, b.scored_by),
            (len(a.side.records), len(b.side.records)),
            self.found,
            self.remarks,
        )

    @property
    def remarks(self) -> list[str]:
        """What limits the answer: how the sides were understood, what their logs don't say, settings that differ."""
        found = [f"{letter}: {text}" for letter, one in zip("AB", self.sides, strict=True) for text in one.remarks]
        offset = len(self.found.items) - self.differing
        if offset:
            found.append(
                f"{counted(offset, 'further item')} with equal scores would differ for one of several causes alone."
            )
        for name, count in self.found.unrecorded.items():
            found.append(f"Of {counted(count, 'unexplained item')} a log doesn't tell {name}: it may be the cause.")
        return found + self._other_settings()

    def _other_settings(self) -> list[str]:
        one, other = (side.settings for side in self.sides)
        different = [
            f"{name} ({one[name]}, {other[name]})" for name in one if name in other and one[name] != other[name]
        ]
        return [f"Settings that differ (A, B): {', '.join(different)}."] if different else []

    def to_dict(self) -> dict[str, Any]:
        """For JSON; exact figures as fractions beside their floats."""
        from tolman.analyze.reconciling.causes import named

        found = self.found
        return {
            "benchmark": self.benchmark.name,
            "figure": self.figure.key,
            "a": self._side_dict(0) | {"value": float(found.a), "exact": str(found.a)},
            "b": self._side_dict(1) | {"value": float(found.b), "exact": str(found.b)},
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
        import polars as pl

        from tolman.analyze.reconciling.causes import named
        from tolman.workflows.frames import given_as

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
        UsageError: they are of different benchmarks or none is named, they have no item in common, there is no such
            scorer, figure or form of a file, or the figure is no mean of scores.
        InputError: a path is neither a run's folder nor a log, or its rows don't fit the benchmark.
    """
    from tolman.analyze.reconciling.reconcile import reconcile as find_causes
    from tolman.workflows.reconciled_sides import places_of, side_of_run

    if config.out is not None and config.out.suffix not in FORMS:
        raise UsageError(f"{config.out} has no suffix of a reconciliation; use one of {', '.join(FORMS)}.")
    for path in (config.a, config.b):
        if not path.exists():
            raise InputError(path, "does not exist", fix="give a run's folder, or another program's log")
    folders = [_run_at(path) for path in (config.a, config.b)]
    benchmark, items = _questions(config, [folder for folder in folders if folder is not None])
    opened: list[OpenedSide] = []
    for path, folder, scorer in zip((config.a, config.b), folders, (config.scorer_a, config.scorer_b), strict=True):
        if folder is not None:
            opened.append(side_of_run(folder, benchmark, scorer))
            continue
        from tolman.workflows.reconciled_logs import side_of_log

        opened.append(side_of_log(path, benchmark, items, scorer))
    a, b = opened
    if not a.side.records.keys() & b.side.records.keys():
        raise UsageError(f"{config.a} and {config.b} have no item in common.")
    rule_set = a.scorer or b.scorer or benchmark.headline_rules
    table = benchmark.table_of(rule_set.name)
    column = table.column(config.figure or table.headline)
    _check_mean(column)
    places = places_of(rule_set, {**b.items, **a.items}, [item.id for item in items])
    found = find_causes(a.side, b.side, places, column)
    result = ReconcileResult((config.a, config.b), benchmark, column, (a, b), found, config.out)
    if config.out is not None:
        _write(config.out, result, {item.id: item for item in items})
    return result


def _write(path: Path, result: ReconcileResult, items: Mapping[str, Item]) -> None:
    """The reconciliation as a page, as Markdown or as JSON."""
    from tolman.reports.reconciliation_page import pieces
    from tolman.reports.write import save

    content: str | Iterable[str]
    if path.suffix == ".html":
        content = pieces(result.content, items)
    elif path.suffix == ".md":
        content = result.content.markdown()
    else:
        content = json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n"
    save(path, content)


def _run_at(path: Path) -> RunFolder | None:
    from tolman.runs.folder import RunFolder

    return RunFolder(path) if path.is_dir() else None


def _questions(config: ReconcileConfig, runs: list[RunFolder]) -> tuple[BenchmarkSpec, list[Item]]:
    """The benchmark that is named, or that of the runs, with its questions."""
    from tolman import benchmarks
    from tolman.runs.folder import same_benchmark
    from tolman.runs.load import load

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
    from tolman.scoring.table import pools_of

    for leaf in pools_of([column.node]):
        if leaf.measure is not None:
            raise UsageError(
                f"the figure '{column.key}' is of the metric '{leaf.measure.name}'; only means of scores and "
                "chance-adjusted accuracy can be split. Name another one with --figure."
            )


def _difference_dict(item: ItemDifference) -> dict[str, Any]:
    from tolman.analyze.reconciling.causes import named

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
