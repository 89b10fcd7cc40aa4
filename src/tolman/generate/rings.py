"""Rings: questions with one text and different answers, so that text alone answers none of them.

A ring holds k questions of k scenes with the same words and the same options, each option right once. A guesser that
knows only texts gives all of them one answer and is right about exactly one in k, regardless of its training. These are
balanced pairs, as in VQA v2 (Goyal et al. 2017), for any number of options. A ring of numbers holds one question for
each of the same intervals, so that a text reveals no more about a number than any other text does.

A draft says which rings it may be in; the rings that are chosen set the order of its options.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tolman.generate.family import Draft
from tolman.items import MEDIA_MARK

INTERVALS = 4
"""Intervals of the answers of a question for a measure, equal in the logarithm."""
SPAN = 4.0
"""Ratio of the largest answer to the smallest: over less, a constant is near to all (MRA 0.71 over 2, 0.42 over 4)."""
STEPS_OF_SPAN = 12
"""Places in a ratio of `SPAN` at which the range of the answers may begin."""
LEAST_COUNTS = 5
"""Different counts, one after the other, that a question for a count has at least."""
SPREAD_COUNTS = (2, 3, 5, 8)
"""Counts that do as well: each is about half as many again as the one before."""


class RingText(NamedTuple):
    """The parts that must be alike in a ring.

    Attributes:
        cluster: of the scenes among which rings are formed; none reaches from one to another.
        text: the question with its options as a set, or a hash of them.
    """

    cluster: int
    text: Hashable


@dataclass(frozen=True, slots=True)
class RingQuestion:
    """A question as rings see it.

    Attributes:
        text: the parts that must be alike in a ring.
        answer: the right option's text; of a number, its interval (`intervals_of`).
        scene: its scene's id.
        size: how many questions make a ring.
        answers: all answers of a ring, one for each of its questions; empty where any `size` different ones will do.
        shows: whether it shows pictures or a clip of its own, so that its scene may have other answers to the text.
    """

    text: RingText
    answer: Hashable
    scene: str
    size: int
    answers: tuple[Hashable, ...] = ()
    shows: bool = False


@dataclass(frozen=True, slots=True)
class Ring:
    """A ring.

    Attributes:
        members: numbers of its questions.
        name: the same for all of them, and of no other ring.
    """

    members: tuple[int, ...]
    name: str


def find_rings(
    questions: Sequence[RingQuestion], seed: str, *, per_scene: int | None = None, most: int | None = None
) -> list[Ring]:
    """Rings of questions, no question in two of them.

    Texts take turns, so that none has more than its share.

    Args:
        questions: of one question type.
        seed: of the order in which texts and scenes are taken.
        per_scene: questions of one scene at most; None for any number.
        most: questions at most, of all rings together; None for any number.
    """
    by_text: dict[RingText, dict[Hashable, list[int]]] = {}
    for number, one in enumerate(questions):
        by_text.setdefault(one.text, {}).setdefault(one.answer, []).append(number)
    drawn = sorted(by_text, key=lambda text: _draw(seed, *text))
    taken: Counter[str] = Counter()
    makers = [_rings_of_text(questions, by_text[text], f"{seed}:{text}", taken, per_scene) for text in drawn]
    found: list[Ring] = []
    count = 0
    while makers:
        going_on = []
        for maker in makers:
            members = next(maker, None)
            if members is None:
                continue
            if most is not None and count + len(members) > most:
                return found
            # By its scenes, so that it is no ring's name in a benchmark of other scenes either.
            scenes = (questions[number].scene for number in members)
            found.append(Ring(members, _draw(seed, len(found), *questions[members[0]].text, *scenes)[:16]))
            count += len(members)
            going_on.append(maker)
        makers = going_on
    return found


def _rings_of_text(
    questions: Sequence[RingQuestion],
    by_answer: Mapping[Hashable, list[int]],
    seed: str,
    taken: Counter[str],
    per_scene: int | None,
) -> Iterator[tuple[int, ...]]:
    """The rings of one text, one after the other; `taken` counts the questions of each scene."""
    first = questions[next(own[0] for own in by_answer.values())]
    size, wanted, shows = first.size, first.answers, first.shows
    left = {
        answer: sorted(own, key=lambda number: _draw(seed, questions[number].scene), reverse=True)
        for answer, own in by_answer.items()
    }

    def free(number: int) -> bool:
        return per_scene is None or taken[questions[number].scene] < per_scene

    while True:
        for own in left.values():
            while own and not free(own[-1]):
                own.pop()
        # The most frequent answers first: so as few as possible are left over.
        answers = wanted or sorted(
            (a for a, own in left.items() if own), key=lambda a: (-len(left[a]), _draw(seed, a))
        )  # fmt: skip
        if len(answers) < size or not all(left.get(answer) for answer in answers):
            return
        if shows:
            able = [[n for n in left[one] if free(n)] for one in answers]
            members = _of_different_scenes(questions, able, taken, size)
            if not members:
                return
            for number in members:
                left[questions[number].answer].remove(number)
        else:
            members = [left[answer].pop() for answer in answers[:size]]
            if len({questions[number].scene for number in members}) < size:
                continue  # a scene with two answers to one text answers neither of them
        taken.update(questions[number].scene for number in members)
        yield tuple(sorted(members))


def _of_different_scenes(
    questions: Sequence[RingQuestion], candidates: Sequence[list[int]], taken: Counter[str], size: int
) -> list[int]:
    """One candidate of each of so many answers, from the scenes taken least often; none where scenes don't suffice."""
    members: dict[str, int] = {}
    if len(candidates) == size:
        candidates = sorted(candidates, key=lambda own: len({questions[number].scene for number in own}))
    for own in candidates:
        usable = [number for number in own if questions[number].scene not in members]
        if usable:
            number = min(usable, key=lambda number: taken[questions[number].scene])
            members[questions[number].scene] = number
        if len(members) == size:
            return list(members.values())
    return []


def intervals_of(values: Sequence[float], texts: Sequence[Hashable], *, counts: bool) -> list[int | None]:
    """Return the interval of each answer, the same intervals for all texts; None for those outside.

    The range is the one in which most rings can be formed.

    Args:
        values: the answers, above 0.
        texts: of their questions.
        counts: whether they are counts: each is an interval of its own.

    Returns:
        Numbers of intervals from 0.
    """
    if not values:
        return []
    best: tuple[int, list[int | None]] = (0, [None] * len(values))
    for place_of, size in _count_ranges(values) if counts else _measure_ranges(values):
        inside = [place_of(value) for value in values]
        held: dict[Hashable, Counter[int]] = defaultdict(Counter)
        for text, place in zip(texts, inside, strict=True):
            if place is not None:
                held[text][place] += 1
        questions = size * sum(min(own[place] for place in range(size)) for own in held.values())
        if questions > best[0]:
            best = questions, inside
    return best[1]


_PlaceOf = Callable[[float], int | None]


def _count_ranges(values: Sequence[float]) -> Iterator[tuple[_PlaceOf, int]]:
    """Yield sets of counts: a function from a count to its number, and how many there are."""
    there = sorted({round(value) for value in values})
    ranges = [range(low, high + 1) for low, high in itertools.combinations(there, 2) if high - low + 1 >= LEAST_COUNTS]
    for counts in [*ranges, SPREAD_COUNTS]:
        yield partial(_number_among, {count: number for number, count in enumerate(counts)}), len(counts)


def _number_among(numbers: Mapping[int, int], value: float) -> int | None:
    return numbers.get(round(value))


def _measure_ranges(values: Sequence[float]) -> Iterator[tuple[_PlaceOf, int]]:
    """Yield ranges of a ratio of `SPAN`: a function from a value to its interval, and how many there are."""
    step = SPAN ** (1 / STEPS_OF_SPAN)
    first, last = (math.floor(math.log(value, step)) for value in (min(values), max(values)))
    for power in range(first - STEPS_OF_SPAN, last + 1):
        yield partial(_interval, step**power), INTERVALS


def _interval(low: float, value: float) -> int | None:
    place = math.floor(INTERVALS * math.log(value / low) / math.log(SPAN))
    return place if 0 <= place < INTERVALS else None


def _draw(*parts: object) -> str:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()


LEAST_PLACES, MOST_CLUSTERS = 4, 30
"""Rings are formed among so many places at least, twins of one place counted once, and in so many clusters of places at
most: questions of different clusters share nothing, so that learners can be taught one and asked another."""


class RingCandidate(NamedTuple):
    """A draft that may come into a ring.

    Attributes:
        number: of its entry.
        draft: it.
        place: its scene's, the same for the scenes of one group of twins.
    """

    number: int
    draft: Draft
    place: str


class InRing(NamedTuple):
    """A draft's place in a ring.

    Attributes:
        name: of the ring.
        options: of all its questions, in the order in which each shows them; empty for a number.
    """

    name: str
    options: tuple[str, ...]


def may_ring(draft: Draft) -> bool:
    """Check whether a draft's text could reveal its answer: not if the options are pictures."""
    return draft.is_number or not any(MEDIA_MARK in option for option in draft.options)


def ring_places(
    candidates: Iterator[RingCandidate],
    places: set[str],
    seed: int,
    *,
    per_scene: int | None = None,
    per_task: int | None = None,
) -> dict[int, InRing]:
    """The rings that drafts are in.

    Args:
        candidates: the drafts, in a fixed order.
        places: all that may be asked about, here or in other rings of the benchmark.
        seed: of all that is drawn.
        per_scene, per_task: questions of one scene and of one question type at most, for each type.

    Returns:
        Number of the entry → its ring, for those that are in one.
    """
    by_task: dict[tuple[str, bool], list[_Seen]] = {}
    for one in candidates:
        if may_ring(one.draft):
            by_task.setdefault((one.draft.task, one.draft.is_number), []).append(_seen(one))
    clusters = _clusters(places, seed)
    found: dict[int, InRing] = {}
    for (task, is_number), own in sorted(by_task.items()):
        asked = _numbers(own, clusters) if is_number else [(one, _choice(one, clusters)) for one in own]
        rings = find_rings([q for _, q in asked], f"{seed}:{task}", per_scene=per_scene, most=per_task)
        for ring in rings:
            members = [asked[i][0] for i in ring.members]
            options = () if is_number else _order(members, f"{seed}:{ring.name}")
            found.update({one.number: InRing(ring.name, options) for one in members})
    return found


class _Seen(NamedTuple):
    """The kept parts of a draft."""

    number: int
    scene: str
    place: str
    text: bytes
    answer: str
    options: tuple[str, ...]
    is_open: bool
    is_count: bool
    shows: bool


def _seen(one: RingCandidate) -> _Seen:
    draft = one.draft
    options = () if draft.is_number else draft.options
    alike = "" if draft.open_options else "\x1f".join(sorted(options))
    shown = "\x1f".join((draft.question, draft.kind, str(len(draft.shots)), alike))
    text = hashlib.sha256(shown.encode()).digest()[:12]
    return _Seen(
        one.number, draft.scene, one.place, text, draft.answer, options, draft.open_options, draft.unit == "count",
        bool(draft.shots),
    )  # fmt: skip


def _clusters(places: set[str], seed: int) -> dict[str, int]:
    """The cluster of each place: places in an order by hash, so many in each cluster."""
    count = max(1, min(MOST_CLUSTERS, round(len(places) / LEAST_PLACES)))
    drawn = sorted(places, key=lambda place: hashlib.sha256(f"{seed}:{place}".encode()).digest())
    return {place: number * count // len(drawn) for number, place in enumerate(drawn)}


def _choice(one: _Seen, clusters: dict[str, int]) -> RingQuestion:
    answers = () if one.is_open else tuple(sorted(one.options))
    text = RingText(clusters[one.place], one.text)
    return RingQuestion(text, one.answer, one.scene, len(one.options), answers, one.shows)


def _numbers(own: Sequence[_Seen], clusters: dict[str, int]) -> list[tuple[_Seen, RingQuestion]]:
    """Return the questions for a number whose answers are in the range of rings."""
    usable = [one for one in own if math.isfinite(float(one.answer)) and float(one.answer) > 0]
    texts = [RingText(clusters[one.place], one.text) for one in usable]
    counts = all(one.is_count for one in usable)
    places = intervals_of([float(one.answer) for one in usable], texts, counts=counts)
    inside = [place for place in places if place is not None]
    size = max(inside, default=0) + 1 if counts else INTERVALS
    answers = tuple(range(size))
    return [
        (one, RingQuestion(text, place, one.scene, size, answers, one.shows))
        for one, text, place in zip(usable, texts, places, strict=True)
        if place is not None
    ]


def _order(members: Sequence[_Seen], seed: str) -> tuple[str, ...]:
    """The options of a ring of choices in the order that all its questions show."""
    answers = {one.answer for one in members} if members[0].is_open else set(members[0].options)
    return tuple(sorted(answers, key=lambda text: hashlib.sha256(f"{seed}:{text}".encode()).digest()))


LEAST_PLACES_FOR_SHARES = 40
"""Places that it takes for a limit on the share of each."""


def within_shares(
    chosen: Sequence[int], place: Callable[[int], str], rings: Mapping[int, InRing], most: float
) -> list[int]:
    """Leave out rings until no place has more than a share of all questions; nothing where there are few places.

    Args:
        chosen: numbers of the questions.
        place: of a question.
        rings: of the questions that are in one.
        most: the largest share.
    """
    units: dict[str, list[int]] = {}
    for number in chosen:
        units.setdefault(rings[number].name if number in rings else str(number), []).append(number)
    held = Counter(place(number) for number in chosen)
    by_place: dict[str, list[str]] = {}
    for name in sorted(units, key=_draw):
        for one in {place(number) for number in units[name]}:
            by_place.setdefault(one, []).append(name)
    left_out: set[str] = set()
    while len(held) >= LEAST_PLACES_FOR_SHARES:
        largest, count = max(held.items(), key=lambda pair: (pair[1], pair[0]))
        if count <= most * held.total():
            break
        name = next(one for one in by_place[largest] if one not in left_out)
        left_out.add(name)
        held.subtract(Counter(place(number) for number in units[name]))
        held = +held
    gone = {number for name in left_out for number in units[name]}
    return [number for number in chosen if number not in gone]
