"""Figures of what came back of a run, before any score: failures, tokens, endings, notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import polars as pl

from tolman.responses import Failure, Outcome, Response, Usage
from tolman.runs.thinks import reasoned
from tolman.scoring import judged
from tolman.scoring.endings import EARLIER, ending_of, rests_on_cut_off_turn


def outcome_figures(outcomes: Iterable[Outcome], rows: pl.LazyFrame) -> dict[str, Any]:
    """Go through outcomes once.

    Args:
        outcomes: all of a run.
        rows: of scores, which tell which responses were read.

    Returns:
        `failures`: for each kind, the most frequent first, how many, and the sentence of the first. `usage`, `endings`
        and `notes`, each only where there is something to tell: see `_Tokens`, `_Endings`; notes of protocols are
        summed over responses, in alphabetical order.
    """
    failures: dict[str, tuple[int, str]] = {}
    tokens, endings = _Tokens(), _Endings(rows)
    notes: Counter[str] = Counter()
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            count, example = failures.get(outcome.kind, (0, outcome.message))
            failures[str(outcome.kind)] = count + 1, example
        else:
            tokens.add(outcome)
            endings.add(outcome)
            notes.update(outcome.notes)
    most_frequent = sorted(failures.items(), key=lambda entry: -entry[1][0])
    found: dict[str, Any] = {
        "usage": tokens.figures(),
        "endings": dict(sorted(endings.counts.items())),
        "notes": dict(sorted(notes.items())),
    }
    return {
        "failures": [{"kind": kind, "count": count, "example": example} for kind, (count, example) in most_frequent]
    } | {name: figures for name, figures in found.items() if figures}


class _Tokens:
    """The tokens of all responses, how many of these the model reasoned before, and their cost where it is known."""

    def __init__(self) -> None:
        self._sums = dict.fromkeys(Usage.model_fields, 0)
        self._costs = list[float]()
        self._reasoned = 0

    def add(self, response: Response) -> None:
        """Count a response."""
        for name in self._sums:
            self._sums[name] += getattr(response.usage, name)
        self._reasoned += reasoned(response)
        if response.cost is not None:
            self._costs.append(response.cost)

    def figures(self) -> dict[str, Any]:
        """Empty where the endpoint told of no tokens."""
        total = Usage(**self._sums)
        if not total.input_tokens and not total.output_tokens:
            return {}
        told = {**total.model_dump(), "reasoned": self._reasoned}
        return told | ({"cost": sum(self._costs)} if self._costs else {})


class _Endings:
    """Responses whose model was stopped before it was done: for each ending how many, and how many of them at least one
    rule set (other than 'judged') reads no answer in. A trace of reasoning that is never closed counts as cut off,
    whatever the endpoint says or where it says nothing. Apart from these, those whose answer rests on an earlier turn
    that was cut off."""

    def __init__(self, rows: pl.LazyFrame) -> None:
        self._unread, self._unfinished = (
            set(rows.filter((pl.col("rule_set") != judged.NAME) & found).select("id", "repeat").collect().iter_rows())
            for found in (pl.col("state").ne_missing("read"), pl.col("state").eq_missing("cut off"))
        )
        self.counts: dict[str, dict[str, int]] = {}

    def add(self, response: Response) -> None:
        """Count a response."""
        asking = response.id, response.repeat
        ending = ending_of(response) or ("cut off" if asking in self._unfinished else None)
        if ending is not None:
            entry = self.counts.setdefault(ending, {"count": 0, "unread": 0})
            entry["count"] += 1
            entry["unread"] += asking in self._unread
        elif rests_on_cut_off_turn(response):
            self.counts.setdefault(EARLIER, {"count": 0, "unread": 0})["count"] += 1
