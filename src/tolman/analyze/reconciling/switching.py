"""Which switches change an item's score, and what it is for every setting of them.

A score is made in layers: a text, a parser that reads it, the true answer, a metric. Where two sides differ in a
layer, it is a switch; the score with some switches at A and the others at B is what one side's parser reads in the
other's text, and so on. Such scores are computed. Where one can't be (a parser that isn't known here), its switches
become one, which carries all their causes. With all switches at one side the score is that side's own.

An item that only one side has, or whose call failed, has one switch: nothing is known of what its text would have
been, so nothing is said of how it would have been read. One whose recorded score its side's own rules don't give
has one switch as well: where that score comes from is unexplained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tolman.analyze.reconciling.causes import Cause, Label
from tolman.analyze.reconciling.conditions import asked_otherwise, conditions
from tolman.analyze.reconciling.sides import LEFT_OUT, Rules, SideItem

Value = Fraction | None
"""A score, 0–1; None where the item is in no denominator."""


@dataclass(frozen=True)
class Switches:
    """The switches of an item that move its score.

    Attributes:
        labels: of each switch.
        values: the score for every setting; bit i of the place is whether switch i is at B.
    """

    labels: tuple[Label, ...]
    values: tuple[Value, ...]

    @property
    def causes(self) -> frozenset[Cause]:
        """All causes of the item's difference."""
        return frozenset(cause for label in self.labels for cause in label)


_TEXT, _PARSER, _METRIC, _TRUTH = range(4)
_Layers = tuple[int, ...]
"""Layers that are switched together."""


class _UnknownError(Exception):
    """A score that can't be computed."""


def switches(a: SideItem | None, b: SideItem | None, rules_a: Rules, rules_b: Rules) -> Switches:
    """The switches between an item's two records; one of the two at most is None."""
    if a is None or b is None:
        return _without_null([frozenset([Cause.ROWS])], [a.score if a else None, b.score if b else None])
    if a.text is None or b.text is None:
        return _without_null([frozenset([Cause.FAILURE])], [a.score, b.score])
    layers = _layers(a, b, rules_a, rules_b)
    pair = _Pair((a, b), (rules_a, rules_b))
    if not (a.given and b.given):
        label = frozenset(cause for layer, causes in layers.items() if pair.tells(layer) for cause in causes)
        return _without_null([label | {Cause.UNEXPLAINED}], [a.score, b.score])
    if not layers:
        return _without_null([_scoring(a, b)], [a.score, b.score])
    for blocks in _partitions(list(layers)):
        try:
            values = [pair.score(_sides(blocks, setting)) for setting in range(2 ** len(blocks))]
        except _UnknownError:
            continue
        labels = [frozenset(cause for part in block for cause in layers[part]) for block in blocks]
        return _without_null(labels, values)
    raise AssertionError("with one switch both scores are recorded")


def _layers(a: SideItem, b: SideItem, rules_a: Rules, rules_b: Rules) -> dict[_Layers, Label]:
    """The layers in which two sides may differ, with their causes. A question that was changed is one switch with its
    true answer: the text answers that question and no other."""
    found: dict[_Layers, Label] = {}
    moved = asked_otherwise(a, b)
    if a.text != b.text:
        found[(_TEXT, _TRUTH) if moved else (_TEXT,)] = conditions(a, b)
    if (moved and a.text == b.text) or (not moved and None not in (a.truth, b.truth) and a.truth != b.truth):
        found[_TRUTH,] = frozenset([Cause.DATA])
    if rules_a.parser != rules_b.parser:
        found[_PARSER,] = frozenset([Cause.PARSER])
    if rules_a.metric(a.id) != rules_b.metric(b.id):
        found[_METRIC,] = frozenset([Cause.METRIC])
    return found


def _scoring(a: SideItem, b: SideItem) -> Label:
    """Why equal texts have different scores although parser and metric have equal names."""
    if a.reading is None or b.reading is None:
        return frozenset([Cause.PARSER, Cause.METRIC])
    return frozenset([Cause.METRIC if a.reading == b.reading else Cause.PARSER])


@dataclass(frozen=True)
class _Pair:
    """An item's two records; 0 is A and 1 is B."""

    records: tuple[SideItem, SideItem]
    rules: tuple[Rules, Rules]

    def score(self, at: Sequence[int]) -> Value:
        """The score with each layer at one of the sides.

        Raises:
            _UnknownError: it can't be computed.
        """
        text, parser, metric, truth = at
        if len(set(at)) == 1:
            return self.records[text].score
        reading = self._reading(text, parser)
        if reading is LEFT_OUT:
            return None
        if metric != parser:
            reading = self._as_its_own(text, metric, reading)
        score = self.rules[metric].score
        if score is None:
            raise _UnknownError
        return score(self.records[0].id, reading, self.records[truth].truth)

    def tells(self, layer: _Layers) -> bool:
        """Whether a layer may be behind a difference; a parser is not where both read the same."""
        if layer != (_PARSER,) or self.records[0].text != self.records[1].text:
            return True
        try:
            return not _same(self._reading(0, 0), self._reading(0, 1))
        except _UnknownError:
            return True

    def _as_its_own(self, text: int, metric: int, reading: object) -> object:
        """A reading as the parser of the metric's side has it where that reads the same: 1.6 is one answer as a float
        and as a fraction, and on a threshold a metric tells them apart."""
        try:
            own = self._reading(text, metric)
        except _UnknownError:
            return reading
        return own if _same(own, reading) else reading

    def _reading(self, text: int, parser: int) -> object:
        own = self.records[parser]
        rules = self.rules[parser]
        if self.records[text].text == own.text and own.reading is not None and rules.recorded is not None:
            return rules.recorded(own.id, own.reading)
        if rules.read is None:
            raise _UnknownError
        return rules.read(own.id, self.records[text].text or "")


def _same(one: object, other: object) -> bool:
    """Whether two readings are one answer, however it is stored."""
    one, other = getattr(one, "value", one), getattr(other, "value", other)
    try:
        return float(one) == float(other)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return one is not None and one == other


_Block = list[_Layers]


def _sides(blocks: Sequence[_Block], setting: int) -> list[int]:
    """The side of each layer. Layers without a switch are equal on both sides: they go with the others where these are
    all at one side, so that what was recorded is found, and are A's else."""
    at = {layer: setting >> place & 1 for place, block in enumerate(blocks) for part in block for layer in part}
    rest = next(iter(at.values())) if len(set(at.values())) == 1 else 0
    return [at.get(layer, rest) for layer in range(4)]


def _partitions(parts: list[_Layers]) -> list[list[_Block]]:
    """The ways to make switches of layers, those with most switches first."""
    found = list(_set_partitions(parts))
    return sorted(found, key=lambda blocks: (-len(blocks), sorted(map(sorted, blocks), reverse=True)))


def _set_partitions(parts: list[_Layers]) -> Iterator[list[_Block]]:
    if not parts:
        yield []
        return
    first, rest = parts[0], parts[1:]
    for blocks in _set_partitions(rest):
        yield [[first], *blocks]
        for place, block in enumerate(blocks):
            yield [*blocks[:place], [first, *block], *blocks[place + 1 :]]


def _without_null(labels: Sequence[Label], values: Sequence[Value]) -> Switches:
    """Leave out the switches that never change the score."""
    kept = [
        place
        for place in range(len(labels))
        if any(values[setting] != values[setting | 1 << place] for setting in range(len(values)))
    ]
    places = [sum(1 << place for i, place in enumerate(kept) if setting >> i & 1) for setting in range(2 ** len(kept))]
    return Switches(tuple(labels[place] for place in kept), tuple(values[place] for place in places))
