"""An exported benchmark inside another harness: its responses scored, its figures, and its media as pictures.

One response becomes a row of scores, and rows become the figures of the benchmark's table. Exports to other harnesses
call this module, so that a response gets the same score there as from `tolman score`. There is no second copy of a
reader, a metric or a table. It opens the bundle next to the harness's own files. Harnesses that take no videos get the
pictures that Tolman would show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.exports.exporters import load_bundled_plugins
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore, default_root
from tolman.media.sampling import Frames
from tolman.messages import Message, Picture
from tolman.models.thinking import apart
from tolman.responses import Failure, FailureKind, Outcome, Response
from tolman.runs.run_items import Loaded, load, preset_of
from tolman.scoring.aggregate import Cell, cells, column_of, prepare
from tolman.scoring.rule_sets import RuleSet
from tolman.scoring.score_items import SCHEMA, join_groups, score
from tolman.scoring.score_table import Table, pools_of

LEFT_OUT = ("repeat", "rule_set", "note", "rule", "span_start", "span_end", "judged", "guessed")
"""Columns of scores that no figure needs, and that logs of other harnesses would repeat for every question."""


class ExportedBenchmark:
    """A benchmark as another harness runs it: its prompts, and the scorer of its headline.

    Args:
        loaded: its items.
        preset: name of the prompt preset; the first where None.
    """

    def __init__(self, loaded: Loaded, preset: str | None = None) -> None:
        self.loaded = loaded
        self.benchmark: BenchmarkSpec = loaded.benchmark
        self.preset: PromptPreset = preset_of(loaded.benchmark, preset, loaded.subset)

    @classmethod
    def open(cls, folder: Path, preset: str | None = None) -> ExportedBenchmark:
        """The benchmark of a bundle.

        Raises:
            UsageError: no such preset.
            InputError: the folder is none.
        """
        load_bundled_plugins(folder)
        return cls(load(f"{folder.resolve()}/", None, None), preset)

    @cached_property
    def items(self) -> dict[str, Item]:
        """By id."""
        return {item.id: item for item in self.loaded.items}

    @cached_property
    def media(self) -> Path:
        """The folder that media are relative to."""
        return self.loaded.media_folder()

    @property
    def rules(self) -> RuleSet:
        """The scorer of the headline: 'official', or 'careful' where there is no other."""
        return self.benchmark.headline_rules

    @cached_property
    def table(self) -> Table:
        """The figures."""
        return self.benchmark.table_of(self.rules.name)

    def prompt(self, item: Item, preset: str | None = None) -> Message:
        """Return the request to a model: the released prompt with its media, a system text at its head.

        Args:
            item: the question.
            preset: another prompt preset than the export's, by name.

        Raises:
            UsageError: no such preset.
        """
        chosen = self.preset if preset is None else preset_of(self.benchmark, preset)
        return self.benchmark.whole_prompt(item, chosen)

    def columns_of(self, item: Item) -> list[str]:
        """The keys of the table's figures that an item counts in, the headline's first."""
        task = self.rules.task(item)
        keys = [
            column.key
            for column in self.table.columns
            if any(leaf.tasks is None or task in leaf.tasks for leaf in pools_of([column.node]))
        ]
        return sorted(keys, key=lambda key: key != self.table.headline)

    def row(self, item: Item, text: str, *, failure: str | None = None, seed: int = 0) -> dict[str, Any]:
        """Score one response, without reasoning inside its text, as a run of Tolman's does.

        Args:
            item: that was asked.
            text: the response.
            failure: why there is no response; `text` is not looked at then, and the row has no score.
            seed: for released parsers that draw at random, as of `tolman score`.

        Returns:
            JSON values: id, task, cluster, options, status, reading, score, expected, state, at_chance, and the values
            of the table's further metrics.

        Raises:
            UsageError: the scorer has no score for the item.
        """
        answer, reasoning, _ = apart(text, reasons=False, is_cut=False)
        if failure is None and reasoning and not answer.strip():
            failure = "reasoning without an answer"
        outcome: Outcome = (
            Response(id=item.id, response=answer)
            if failure is None
            else Failure(id=item.id, kind=FailureKind.IMPORTED, message=failure)
        )
        frame = score([item], [outcome], [self.rules], seed=seed, metrics=self.table.metrics)
        (row,) = frame.drop(LEFT_OUT).to_dicts()
        return {name: _plain(value) for name, value in row.items()}

    def figures(self, rows: Iterable[Mapping[str, Any]], keys: Sequence[str] | None = None) -> dict[str, float | None]:
        """The table's figures over rows of `row`.

        Args:
            rows: of different items, or of several askings of them.
            keys: of the figures; all where None.

        Returns:
            Key → the figure as Tolman prints it (0–100, or in its metric's unit), None where it can't be formed.
        """
        found = self.cells(rows)
        return {key: found[key].value for key in (found if keys is None else keys)}

    def cells(self, rows: Iterable[Mapping[str, Any]]) -> dict[str, Cell]:
        """The same with n, scenes and 95 % intervals: key of the figure → Cell."""
        return cells(self._frame(rows), self.table)

    def linearized(self, rows: Sequence[Mapping[str, Any]], key: str) -> tuple[list[float | None] | None, str]:
        """For each row a value such that their mean is the figure, and their standard error (also clustered by scene)
        that of the figure to first order: of a macro average, too.

        Args:
            rows: of `row`, one for each item.
            key: of a figure that has a value.

        Returns:
            The values, None for a row that isn't in the figure; or None for all, and why.
        """
        frame, column = self._frame(rows), self.table.column(key)
        data = prepare(frame, self.table)
        (weights,), _ = data.weights([column.node])
        if len(frame) != len(rows):
            return None, "several rows count as one question"
        if not data.have_closed_form(weights[None])[0]:
            return None, "its interval is by bootstrap"
        used = np.flatnonzero(weights)
        top, bottom = data.numerators[:, used], data.denominators[:, used]
        ratios = top.sum(0) / bottom.sum(0)
        parts = ((top - ratios * bottom) / bottom.sum(0) * weights[used]).sum(1)
        inside = data.membership[:, used].any(1)
        values = column.scale * (ratios @ weights[used] + inside.sum() * parts)
        found: list[float | None] = [None] * len(rows)
        for place, value in zip(data.rows[inside], values[inside], strict=True):
            found[place] = float(value)
        return found, ""

    def _frame(self, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
        schema: dict[str, Any] = SCHEMA | {column_of(metric): pl.Float64 for metric in self.table.metrics}
        records = [{name: _number(row.get(name), kind) for name, kind in schema.items()} for row in rows]
        frame = pl.DataFrame(records, schema=schema).with_columns(pl.lit(self.rules.name).alias("rule_set"))
        # Askings of one item are told apart by their order.
        frame = frame.with_columns(pl.int_range(pl.len()).over("id").cast(pl.Int32).alias("repeat"))
        asked = [self.items[name] for name in frame["id"].unique(maintain_order=True)]
        return join_groups(frame, asked, [self.rules], self.table.metrics)


def _plain(value: Any) -> Any:
    """A value as JSON has it: 'nan' for a metric without a value, which isn't the same as none."""
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def _number(value: Any, kind: Any) -> Any:
    return math.nan if kind == pl.Float64 and value == "nan" else value


MAX_WHOLE = 32
"""Frames that stand for a video which the preset shows whole, where only pictures can be shown."""


def shown(exported: ExportedBenchmark, medium: Media, count: int | None = None) -> tuple[Picture, ...]:
    """The pictures that a medium becomes, in the frame store ($TOLMAN_CACHE/frames).

    Args:
        exported: the benchmark.
        medium: a video or an image.
        count: frames of a video, evenly; as the prompt preset says where None, and `MAX_WHOLE` where that shows the
            whole video.

    Raises:
        BrokenMediaError: the file is missing or can't be read.
        MissingExtraError: the extra 'media' is not installed.
    """
    frames = exported.preset.frames
    if count is not None or frames.whole:
        frames = Frames(count=count or MAX_WHOLE, rounding=frames.rounding)
    return FrameStore(default_root()).pictures(exported.media, medium, frames)
