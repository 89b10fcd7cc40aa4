"""Causes for which an item's score differs between two runs or logs, and its score for every setting of them.

A `ReconciledSide` holds the records of each item on one side, and how its texts are read and scored.

A score is made in layers: a text, a parser that reads it, the true answer, a metric. If two sides differ in a layer,
the layer is a switch. The score with some switches at A and the others at B is computed, such as one side's parser on
the other's text. If one can't be (a parser that isn't known here), its switches become one, which carries all their
causes. With all switches at one side the score is that side's own.

An item that only one side has, or whose call failed, has one switch: its text is unknown, so nothing is said of how
it would have been read. An item whose recorded score its side's own rules don't give has one switch as well: where
that score comes from is unexplained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any


class Cause(StrEnum):
    """Why an item's scores differ.

    A set of causes represents those that the logs can't distinguish: texts that were made under another prompt and
    from other frames differ for 'prompt or frames'.
    """

    ROWS = "rows"
    FAILURE = "failure"
    DATA = "data"
    PROMPT = "prompt"
    FRAMES = "frames"
    CUT_OFF = "cut off"
    PARSER = "parser"
    METRIC = "metric"
    UNEXPLAINED = "unexplained"

    @property
    def meaning(self) -> str:
        """Return its description of an item."""
        return _MEANINGS[self]


Label = frozenset[Cause]
"""One piece of a difference: a cause, or causes that can't be told apart."""

_MEANINGS = {
    Cause.ROWS: "only one side has the item",
    Cause.FAILURE: "a call failed, and is left out or counted as wrong",
    Cause.DATA: "the question, its options or its true answer differ",
    Cause.PROMPT: "the model was asked in other words",
    Cause.FRAMES: "the model saw another number of frames",
    Cause.CUT_OFF: "the token limit ended one of the two responses",
    Cause.PARSER: "another answer is read in the text",
    Cause.METRIC: "the answer that is read gets another score",
    Cause.UNEXPLAINED: "the text differs and nothing that the logs record does, or a score isn't what its scorer gives",
}


def named(label: Label) -> str:
    """A label in words: 'prompt', 'prompt or frames'."""
    return " or ".join(str(cause) for cause in Cause if cause in label)


def in_order(label: Label) -> tuple[bool, int, tuple[int, ...]]:
    """Return a sorting key: single causes first, in their order; the unexplained last."""
    order = list(Cause)
    places = tuple(sorted(order.index(cause) for cause in label))
    return Cause.UNEXPLAINED in label, len(label), places


LEFT_OUT = object()
"""A reading of a text that a parser leaves out of the denominators."""


@dataclass(frozen=True, slots=True)
class SideItem:
    """One item on one side. None is 'not recorded', but where it says otherwise.

    Attributes:
        id: the item's.
        text: the response; None where the call failed.
        score: 0–1 as this side has it; None where the item is in no denominator.
        reading: the answer that this side read, as a text; '' where it read none.
        truth: the true answer that this side scored against.
        question: the question's text, then its options, as this side has them; the whole prompt where it holds another
            question than the benchmark's, so that the question can't be located in it.
        prompt: the text sent to the model.
        frames: how many frames of a video it was shown, or which.
        cut_off: whether the token limit ended the response.
        failure: why there is no response.
        given: whether the side's rules give its score; a recorded one may come from elsewhere.
        unjudged: whether only a judge can score the text and none did; the item is then in no denominator.
    """

    id: str
    text: str | None
    score: Fraction | None
    reading: str | None = None
    truth: str | None = None
    question: tuple[str, ...] | None = None
    prompt: str | None = None
    frames: str | None = None
    cut_off: bool | None = None
    failure: str | None = None
    given: bool = True
    unjudged: bool = False


@dataclass(frozen=True)
class Rules:
    """How a side reads and scores.

    Two sides with equal names read (or score) alike. A function is None where the own code of a side isn't known here:
    then only its records count.

    Attributes:
        parser: a name of the parser.
        metric: an item's id → a name of its metric.
        read: (item's id, text) → the parser's reading, `LEFT_OUT` where it leaves the text out.
        recorded: (item's id, recorded reading) → the same reading as `read` gives it.
        score: (item's id, reading, true answer) → 0–1; None where only a judge can score it. The true answer is None
            where the side doesn't record it.
    """

    parser: str
    metric: Callable[[str], str]
    read: Callable[[str, str], Any] | None = None
    recorded: Callable[[str, str], Any] | None = None
    score: Callable[[str, Any, str | None], Fraction | None] | None = None


@dataclass(frozen=True)
class ReconciledSide:
    """A run or a log.

    Attributes:
        name: its name.
        records: by item's id.
        rules: how it reads and scores.
    """

    name: str
    records: Mapping[str, SideItem]
    rules: Rules


def exact(score: float | Fraction) -> Fraction:
    """A score as the fraction that it was before float64 rounded it: 0.30000000000000004 is 3/10."""
    return Fraction(score).limit_denominator(1_000_000)


def conditions(a: SideItem, b: SideItem) -> Label:
    """Return the possible causes why two texts differ: all recorded differences, since they act on a text together.

    A response that the limit ended, and that the other one begins with, was only cut off: the other differences changed
    no words. If it is no beginning of the other one, the limit is not all: the rest is unexplained.

    Returns:
        At least one cause; UNEXPLAINED alone where all that both logs record is equal.
    """
    found = set()
    if asked_otherwise(a, b):
        found.add(Cause.DATA)
    elif bool(a.cut_off) != bool(b.cut_off) and _begins(*((b, a) if a.cut_off else (a, b))):
        return frozenset([Cause.CUT_OFF])
    templates = _template(a), _template(b)
    if None not in templates and templates[0] != templates[1]:
        found.add(Cause.PROMPT)
    if a.frames is not None and b.frames is not None and a.frames != b.frames:
        found.add(Cause.FRAMES)
    explained = bool(found)
    if bool(a.cut_off) != bool(b.cut_off):
        found.add(Cause.CUT_OFF)
    return frozenset(found if explained else found | {Cause.UNEXPLAINED})


def _begins(whole: SideItem, ended: SideItem) -> bool:
    """Check whether a text that the limit ended is a prefix of another; half a character at its end doesn't count."""
    beginning = (ended.text or "").rstrip().rstrip("\ufffd")
    return bool(beginning) and (whole.text or "").startswith(beginning)


def asked_otherwise(a: SideItem, b: SideItem) -> bool:
    """Check whether the question or its options differ, as far as both sides record them."""
    if a.question is None or b.question is None:
        return False
    return [squeeze(text) for text in a.question] != [squeeze(text) for text in b.question]


def _template(item: SideItem) -> str | None:
    """Return the prompt without the question and its options; None where it can't be separated from these."""
    if item.prompt is None or item.question == (item.prompt,):
        return None
    text = squeeze(item.prompt)
    for piece in item.question or ():
        found = squeeze(piece)
        if found:
            text = text.replace(found, "…", 1)
    return text


def squeeze(text: str) -> str:
    """A text with its white space as single blanks."""
    return " ".join(text.split())


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
        """Check whether a layer may be behind a difference; a parser is not where both read the same."""
        if layer != (_PARSER,) or self.records[0].text != self.records[1].text:
            return True
        try:
            return not _same(self._reading(0, 0), self._reading(0, 1))
        except _UnknownError:
            return True

    def _as_its_own(self, text: int, metric: int, reading: object) -> object:
        """Return a reading as the parser of the metric's side has it where that reads the same. 1.6 is one answer as a
        float and as a fraction, and on a threshold a metric separates them."""
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
    """Check whether two readings are one answer, however it is stored."""
    one, other = getattr(one, "value", one), getattr(other, "value", other)
    try:
        return float(one) == float(other)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return one is not None and one == other


_Block = list[_Layers]


def _sides(blocks: Sequence[_Block], setting: int) -> list[int]:
    """The side of each layer. Layers without a switch are equal on both sides: they go with the others where these are
    all at one side, so that the recorded score is found, and are A's else."""
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
