"""Rows of scores made by workers, and responses that are read while others are awaited.

Workers read responses, some items at a time. Reading ahead has the table there soon after the last response.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tolman import benchmarks
from tolman.items import Item
from tolman.parallel import Workers, parallel_map
from tolman.responses import Outcome, Response
from tolman.runs.run_folder import RunRecord
from tolman.scoring import judged
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.metrics import Metric, metrics_named
from tolman.scoring.rule_sets import RuleSet, draw_of
from tolman.scoring.score_items import Part, ScoreRow, score_part, score_rows

PlaceFor = Callable[[int], Workers]
"""Where so many rows are made."""


def rows_elsewhere(
    record: RunRecord,
    rule_sets: Sequence[RuleSet],
    names: Sequence[str],
    metrics: Sequence[Metric],
    workers: Workers,
    parts: Iterator[Part],
) -> Iterator[Sequence[Iterable[ScoreRow]]]:
    """Yield the rows of parts of a run's items under each rule set; a judge's judgements are looked up here.

    Args:
        record: of the run.
        rule_sets: of the run's benchmark.
        names: of the metrics that are computed besides the table's own.
        metrics: all of them.
        workers: that make the rows.
        parts: items, and their outcomes.
    """
    settings, wrong = record.settings, record.failures_are_wrong
    read_there = tuple(rules.name for rules in rule_sets if rules.name != judged.NAME)
    waiting: deque[Part] = deque()

    def jobs() -> Iterator[_Job]:
        for items, came in parts:
            if len(read_there) < len(rule_sets):
                waiting.append((items, came))
            yield _Job(record, read_there, tuple(names), items, list(came.values()))

    for made in parallel_map(_rows, jobs(), workers):
        by_name: dict[str, Iterable[ScoreRow]] = dict(zip(read_there, made, strict=True))
        if waiting:
            (judging,) = (rules for rules in rule_sets if rules.name == judged.NAME)
            by_name[judged.NAME] = score_rows(
                *waiting.popleft(), judging, settings.repeats, settings.seed, wrong, metrics
            )
        yield [by_name[rules.name] for rules in rule_sets]


@dataclass(frozen=True, slots=True)
class _Job:
    """Some items of a run with their outcomes."""

    record: RunRecord
    rule_sets: tuple[str, ...]
    metrics: tuple[str, ...]
    items: list[Item]
    outcomes: list[Outcome]


def _rows(job: _Job) -> list[list[ScoreRow]]:
    settings = job.record.settings
    benchmark = benchmarks.get(settings.benchmark)
    rule_sets = [benchmark.rule_set(name) for name in job.rule_sets]
    metrics = list(dict.fromkeys([*benchmark.table.metrics, *metrics_named(job.metrics)]))
    part = job.items, {(outcome.id, outcome.repeat): outcome for outcome in job.outcomes}
    wrong = job.record.failures_are_wrong
    return [list(rows) for rows in score_part(part, rule_sets, settings.repeats, settings.seed, wrong, metrics)]


MOST = 20_000
"""Items beyond which nothing is read ahead: what was read would take more memory than the time is worth."""


class ReadAhead:
    """Readings by rule sets of responses that came already.

    Args:
        rule_sets: that will score the run.
        items: all that are asked.
        seed: of the run, for released parsers that draw at random.
    """

    def __init__(self, rule_sets: Iterable[RuleSet], items: Sequence[Item], seed: int) -> None:
        self._items = {item.id: item for item in items} if len(items) <= MOST else {}
        self._readers = {rules.name: rules for rules in rule_sets}
        self._seed = seed
        self._known: dict[str, dict[tuple[str, int, str], ParsedAnswer]] = {name: {} for name in self._readers}

    def add(self, outcome: Outcome) -> None:
        """Read a response with every rule set; unreadable ones are reported when the run is scored."""
        item = self._items.get(outcome.id)
        if item is None or not isinstance(outcome, Response):
            return
        draw, text = draw_of(self._seed, outcome.repeat), outcome.response
        for name, rules in self._readers.items():
            try:
                if rules.counts(item, text):
                    self._known[name][item.id, draw, text] = rules.read(item, text, draw)
            except Exception:  # a plugin's: scoring meets it again, where it ends the command in a sentence
                return

    def remembering(self, rules: RuleSet) -> RuleSet:
        """Return the same rule set, which doesn't read a response twice."""
        known = self._known.get(rules.name)
        if not known:
            return rules

        def read(item: Item, text: str, seed: int) -> ParsedAnswer:
            found = known.get((item.id, seed, text))
            return rules.read(item, text, seed) if found is None else found

        return replace(rules, read=read)
