"""Comparing a run with others item by item."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tolman.errors import UsageError
from tolman.features.compare.config import CompareConfig
from tolman.features.events import Events, silent
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.files import WRITTEN_BY, check_report
from tolman.reports.comparison import Comparison, Comparisons, pieces
from tolman.reports.loaded_runs import (
    LoadedRun,
    load_runs,
    one_benchmark,
    one_rule_set,
    refuse_adaptive,
    scores_under,
    withheld,
)
from tolman.reports.report_pages import form_of, save_report
from tolman.reports.table_rows import stored_unread
from tolman.runs.rescore import remaining_items
from tolman.runs.run_scoring import rows_with_metrics
from tolman.scoring.metrics import metrics_named
from tolman.scoring.run_differences import Difference, differences, further_differences
from tolman.scoring.significance import holm
from tolman.text_tables import frame_csv

FORMS = (".html", ".md", ".csv", ".json")
PART = "PART"
"""How the warnings begin that say that a run rests on a part of the questions."""


@dataclass(frozen=True, repr=False)
class CompareResult(Displayable, Comparisons):
    """A run against others.

    Attributes:
        out: the file that was written, or None.
    """

    out: Path | None = None

    @property
    def compared(self) -> Comparisons:
        """The runs, A first, and their differences."""
        return self

    @property
    def warnings(self) -> list[str]:
        """Return the limits of the comparison: runs of a part of the questions, failed calls, answers that something
        ended."""
        return super().warnings

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""

        return {
            "a": str(self.path),
            "rules": self.scorer,
            "seed": self.seed,
            "warnings": self.warnings,
            "unread": _unread(self.run, self.scorer),
            "endings": self.run.figures.get("endings", {}),
            "comparisons": [
                {
                    "b": str(one.path),
                    "columns": {key: {**asdict(d), "p_holm": one.p_holm[key]} for key, d in one.differences.items()},
                    "metrics": {
                        name: {task: {**asdict(d), "p_holm": one.further_p_holm[name][task]} for task, d in own.items()}
                        for name, own in one.further.items()
                    },
                    "unread": _unread(one.run, self.scorer),
                    "endings": one.run.figures.get("endings", {}),
                }
                for one in self.comparisons
            ],
            **WRITTEN_BY,
        }

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each comparison and figure.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns b (the other run's name), metric (a further metric's name; null for the benchmark's own table),
            column (of a further metric: the question type), title, value_a, value_b, difference, low, high (95 %
            interval, null without one), p, p_holm, detectable, n, won, lost.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """

        numbers = ("value_a", "value_b", "difference", "low", "high", "p", "p_holm", "detectable")
        schema: dict[str, Any] = dict.fromkeys(("b", "metric", "column", "title"), pl.String)
        schema |= dict.fromkeys(numbers, pl.Float64) | dict.fromkeys(("n", "won", "lost"), pl.Int64)
        own, titles = self.benchmark.table, self.benchmark.table.task_titles
        found: list[tuple[str, str | None, str, str, Difference, float]] = [
            (one.run.name, None, key, own.column(key).title, d, one.p_holm[key])
            for one in self.comparisons
            for key, d in one.differences.items()
        ]
        found += [
            (one.run.name, name, task, titles.get(task, task), d, one.further_p_holm[name][task])
            for one in self.comparisons
            for name, tasks in one.further.items()
            for task, d in tasks.items()
        ]
        rows = [
            (
                *head, d.a, d.b, d.value, d.interval.low if d.interval else None,
                d.interval.high if d.interval else None, d.p, p_holm, d.detectable, d.n, d.won, d.lost,
            )
            for *head, d, p_holm in found
        ]  # fmt: skip
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        others = ", ".join(one.run.name for one in self.comparisons)
        said = "".join(f"; {text.removesuffix('.')}" for text in self.warnings if text.startswith(PART))
        return f"{self.run.name} − {others}, {self.scorer}{said}"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), *self.warnings)


def compare(config: CompareConfig, events: Events = silent) -> CompareResult:
    """Compare a run with others: differences with paired intervals, randomisation tests, items won and lost.

    Raises:
        UsageError: they are of different benchmarks or data, have no item in common, don't have that scorer, chose
            their items, or there is no such metric or form of a file.
        InputError: a folder is no run's, or was never scored.
    """
    if config.out is not None and config.out.suffix not in FORMS:
        raise UsageError(f"{config.out} has no suffix of a comparison; use one of {', '.join(FORMS)}.")
    if config.out is not None:
        check_report(config.out)
    metrics = metrics_named([config.metrics or ""])
    one, *rest = load_runs([config.a, *config.b])
    if not rest:
        raise UsageError("a comparison takes two runs or more; name the folders of the others.")
    refuse_adaptive([one, *rest])
    benchmark = one_benchmark([one, *rest])
    chosen = one_rule_set([one, *rest], config.scorer)
    excluded, said = _excluded([one, *rest], config.exclude)
    is_kept = ~pl.col("id").is_in(excluded)
    first, answered = scores_under(one, chosen).filter(is_kept), []
    seed, table = one.record.settings.seed, benchmark.table_of(chosen)
    found: list[dict[str, Difference]] = []
    further: list[dict[str, dict[str, Difference]]] = []
    measured = rows_with_metrics(one.folder, benchmark, chosen, metrics).filter(is_kept) if metrics else None
    for path, other in zip(config.b, rest, strict=True):
        second = scores_under(other, chosen).filter(is_kept)
        ids = [set(frame.filter(pl.col("score").is_not_null())["id"]) for frame in (first, second)]
        if not ids[0] & ids[1]:
            raise UsageError(f"the runs {config.a} and {path} have no answered item in common.")
        answered.append(len(ids[0] ^ ids[1]))
        lacking = withheld(one, chosen) | withheld(other, chosen)
        every = differences(first, second, table, seed=seed)
        found.append({key: difference for key, difference in every.items() if key not in lacking})
        own: dict[str, dict[str, Difference]] = {}
        if measured is not None:
            rows = rows_with_metrics(other.folder, benchmark, chosen, metrics).filter(is_kept)
            own = further_differences(measured, rows, metrics, seed=seed, asks=benchmark.asks_judge(chosen))
        further.append(own)
    p_values, further_p = adjust(found, further)
    each = zip(config.b, rest, found, p_values, answered, further, further_p, strict=True)
    comparisons = tuple(Comparison(*parts) for parts in each)
    result = CompareResult(
        config.a, one, benchmark, chosen, seed, comparisons, tuple(metrics), frozenset(excluded), said, out=config.out
    )
    if config.out is not None:
        _write(config.out, result)
    return result


def _excluded(runs: Sequence[LoadedRun], exclude: Sequence[str]) -> tuple[set[str], str]:
    """The ids of items that are left out of a comparison, and the option in words."""
    ids: set[str] = set()
    said = ""
    for run in runs if exclude else ():
        left_out, kept = remaining_items(run.folder, exclude)
        ids |= {item.id for item in run.folder.open_items()} - {item.id for item in kept}
        said = left_out.describe()
    return ids, said


def _write(path: Path, result: CompareResult) -> None:
    """The comparison as a page, a Markdown or CSV table, or JSON."""

    content: str | Iterable[str]
    if path.suffix == ".html":
        content = pieces(result)
    elif path.suffix == ".md":
        content = result.markdown()
    elif path.suffix == ".csv":
        content = frame_csv(result.table())
    else:
        content = json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n"
    save_report(path, content, form_of(path))


def adjust(
    found: Sequence[Mapping[str, Difference]], further: Sequence[Mapping[str, Mapping[str, Difference]]]
) -> tuple[list[dict[str, float]], list[dict[str, dict[str, float]]]]:
    """Correct p-values by Holm's method, over all columns and further metrics of all comparisons."""

    tests = [d.p for each in found for d in each.values()]
    tests += [d.p for each in further for own in each.values() for d in own.values()]
    p_values = iter(holm(tests))
    plain = [{key: next(p_values) for key in each} for each in found]
    return plain, [{name: {task: next(p_values) for task in own} for name, own in each.items()} for each in further]


def _unread(run: LoadedRun, scorer: str) -> dict[str, Any]:
    """Return the unread responses of each figure."""

    return {key: asdict(unread) for key, unread in stored_unread(run.figures["rule_sets"][scorer]).items()}
