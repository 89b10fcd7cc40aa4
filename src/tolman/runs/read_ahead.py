"""Reading responses while others are awaited, so that the table is there soon after the last one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tolman.items import Item
from tolman.responses import Outcome, Response
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.rules import RuleSet, draw_of

MOST = 20_000
"""Items beyond which nothing is read ahead: what was read would take more memory than the time is worth."""


class ReadAhead:
    """What rule sets read in responses that came already.

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
        """Read a response with every rule set; what can't be read is told when the run is scored."""
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
        """The same rule set, which doesn't read again what it read."""
        known = self._known.get(rules.name)
        if not known:
            return rules

        def read(item: Item, text: str, seed: int) -> ParsedAnswer:
            found = known.get((item.id, seed, text))
            return rules.read(item, text, seed) if found is None else found

        return replace(rules, read=read)
