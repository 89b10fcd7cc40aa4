"""The items of an adaptive run: a batch at a time, each chosen by the answers to those before.

Batches are written into the run's folder before they are asked. A run that starts again asks the same ones, whose
answers are kept, and goes on behind them. So nothing is asked twice, also where a call failed in the meantime.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tolman.errors import UsageError, counted
from tolman.items import Item
from tolman.responses import Outcomes
from tolman.runs.request import RunRequest
from tolman.runs.run_folder import RunFolder
from tolman.runs.run_items import Loaded
from tolman.scoring.adaptive_testing import AdaptiveTest, DrawableItem, ItemBank, is_mean
from tolman.scoring.rule_sets import RuleSet, has_groups
from tolman.scoring.score_items import frame_of, score


class AdaptiveItems:
    """The items of one run.

    Args:
        request: with an item bank and an adaptive selection.
        bank: the request's.
        loaded: the benchmark's items.
        items: those that may be asked, as the protocol presents them.
        data_hash: of all items.

    Raises:
        UsageError: the bank is of other items, or no part of them estimates the headline.
    """

    def __init__(
        self, request: RunRequest, bank: ItemBank, loaded: Loaded, items: Sequence[Item], data_hash: str
    ) -> None:
        benchmark, adaptive = loaded.benchmark, request.selection.adaptive
        assert adaptive is not None
        if bank.data_hash != data_hash:
            raise UsageError(
                f"the item bank is of other items ({bank.benchmark} {bank.subset}, data {bank.data_hash}) than these "
                f"(data {data_hash}); fit one to runs on them with 'tolman analyze difficulty'."
            )
        self._rules, table = benchmark.rule_set(bank.scorer), benchmark.table_of(bank.scorer)
        _check(request, self._rules, items, loaded.items)
        headline = table.column(table.headline)
        if not is_mean(headline):
            raise UsageError(
                f"{headline.title} is no mean of scores, so that no part estimates it; leave --adaptive out."
            )
        self._items = {item.id: item for item in items}
        candidates = [DrawableItem(item.id, self._rules.task(item), _chance(item)) for item in items]
        lacking = sorted({one.task for one in candidates} - bank.tasks.keys() - {""})
        if lacking:
            raise UsageError(
                f"the item bank has no scale for the question type '{lacking[0]}'; fit it to runs that asked it, or "
                "choose others with --tasks."
            )
        self.most = adaptive.most(len(items))
        seed = request.options.seed
        self._test = AdaptiveTest(bank, candidates, table, most=self.most, error=adaptive.error, seed=seed)
        if self.most < self._test.least:
            raise UsageError(
                f"--adaptive-share {adaptive.share:g} asks {counted(self.most, 'item')}, and an estimate needs "
                f"{self._test.least:,}: a few of each question type; raise it."
            )
        self._request, self._handed, self._folder = request, 0, RunFolder(request.out or loaded.folder)
        self._scored = frame_of(())
        self._last: list[Item] = []
        self.is_over = False

    def go_on_in(self, folder: RunFolder) -> None:
        """Take over the batches of an earlier start of the run, and write further ones there."""
        self._folder = folder
        earlier = folder.adaptive()
        if earlier is not None:
            self._test.record = earlier

    def forget(self) -> None:
        """Choose all batches again, as no answer of an earlier start is used."""
        self._test.record = self._test.record.model_copy(update={"batches": ()})

    def next_batch(self, outcomes: Outcomes) -> list[Item]:
        """The next items; empty where enough were asked.

        Args:
            outcomes: of all batches so far.
        """
        self._scored = pl.concat([self._scored, self._score(outcomes)])
        known = self._test.record.batches
        batch = known[self._handed] if self._handed < len(known) else self._test.next_batch(self._scored)
        if not batch:
            self.is_over = True
        elif self._handed == len(known):
            self._folder.write_adaptive(self._test.record)
        self._handed += bool(batch)
        self._last = [self._items[draw.id] for draw in batch]
        return self._last

    def _score(self, outcomes: Outcomes) -> pl.DataFrame:
        """Rows of the last batch's scores."""
        request = self._request
        return score(
            self._last,
            outcomes,
            [self._rules],
            repeats=request.repeats,
            seed=request.options.seed,
            failures_are_wrong=request.failures_are_wrong,
        )


def _check(request: RunRequest, rules: RuleSet, items: Sequence[Item], everything: Sequence[Item]) -> None:
    """Refuse items that can't be asked one by one."""
    known = {item.id for item in everything}
    if any(item.id not in known for item in items):
        raise UsageError(f"the protocol {request.protocol} asks items in several forms; leave --adaptive out.")
    if has_groups(items, [rules]):
        raise UsageError("some items count together as one question, and --adaptive asks single ones; leave it out.")


def _chance(item: Item) -> float:
    return 1 / len(item.options) if item.options else 0.0
