"""Wrong options (distractors), and the place of the right one among them, balanced over A, B, C and D."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache

_OTHERS = 3
"""Wrong options of a question."""


def numeric_options(
    answer: str, seed: str, *, margin: str = "0.20", lower: str = "0.25", upper: str = "1.75", count: int = 4
) -> tuple[str, ...]:
    """A number with distractors, the right one first.

    Distractors are between `lower` and `upper` times the answer, printed with as many decimals, and all options are at
    least `margin` times the answer apart. The bounds are VSI-Bench's; their arithmetic is exact here, so that no answer
    is infeasible by rounding, as 0.2, 0.3 and 0.6 are in the released code. How many distractors are smaller is drawn
    first, so that the right option is as often the smallest as the largest.

    Args:
        answer: as printed.
        seed: of the draw.
        margin, lower, upper: as decimal texts.
        count: how many options.

    Returns:
        The options; empty where the range has no room for them.
    """
    if not has_numeric_options(answer, margin=margin, lower=lower, upper=upper, count=count):
        return ()
    step, right, gap, low, high = _range(answer, margin, lower, upper)
    generator = random.Random(seed)
    for smaller in generator.sample(range(count), count):
        below = _apart(low, right - gap, smaller, gap, generator)
        above = _apart(right + gap, high, count - 1 - smaller, gap, generator)
        if below is not None and above is not None:
            return tuple(str(n * step) for n in (right, *below, *above))
    return ()


@lru_cache(maxsize=4096)
def has_numeric_options(
    answer: str, *, margin: str = "0.20", lower: str = "0.25", upper: str = "1.75", count: int = 4
) -> bool:
    """Check that the range of a number has room for distractors as `numeric_options` draws them."""
    _, right, gap, low, high = _range(answer, margin, lower, upper)
    return any(
        _fit(low, right - gap, smaller, gap) and _fit(right + gap, high, count - 1 - smaller, gap)
        for smaller in range(count)
    )


@lru_cache(maxsize=4096)
def _range(answer: str, margin: str, lower: str, upper: str) -> tuple[Decimal, int, int, int, int]:
    """The last decimal's value; in its multiples the answer, the least gap between options, their least and greatest.

    Many questions have the same answer.
    """
    value = Decimal(answer)
    step = Decimal(1).scaleb(-max(0, -int(value.as_tuple().exponent)))
    gap = max(1, int((value * Decimal(margin) / step).to_integral_value(ROUND_CEILING)))
    low = max(1, int((value * Decimal(lower) / step).to_integral_value(ROUND_CEILING)))
    return step, int(value / step), gap, low, int((value * Decimal(upper) / step).to_integral_value(ROUND_FLOOR))


def no_distractors(*, margin: str = "0.20", lower: str = "0.25", upper: str = "1.75") -> str:
    """The reason for a rejection where `numeric_options` has none for the same bounds."""
    bounds = [f"{float(share):.0%}" for share in (margin, lower, upper)]
    return f"could not form three distinct distractors {bounds[0]} apart, {bounds[1]} to {bounds[2]} of the answer"


def _apart(low: int, high: int, count: int, gap: int, generator: random.Random) -> list[int] | None:
    """So many whole numbers in a range, each at least a gap from the next, drawn evenly; None where they don't fit."""
    if count == 0:
        return []
    if not _fit(low, high, count, gap):
        return None
    drawn = generator.sample(range(_room(low, high, count, gap)), count)
    return [low + n + i * (gap - 1) for i, n in enumerate(sorted(drawn))]


def _fit(low: int, high: int, count: int, gap: int) -> bool:
    """Check that so many whole numbers fit into a range."""
    return count == 0 or _room(low, high, count, gap) >= count


def _room(low: int, high: int, count: int, gap: int) -> int:
    """Whole numbers in a range that are left to draw from, when those that keep the gaps are put aside."""
    return high - low + 1 - (count - 1) * (gap - 1)


def counting_options(answer: int, seed: str) -> tuple[str, ...]:
    """A count with three distractors at most 5 away and at least 1, the right one first.

    How many of them are smaller is drawn first; a count of 2 has only one smaller neighbour.
    """
    generator = random.Random(seed)
    below, above = range(max(1, answer - 5), answer), range(answer + 1, answer + 6)
    smaller = generator.choice(range(min(3, len(below)) + 1))
    drawn = (*generator.sample(below, smaller), *generator.sample(above, 3 - smaller))
    return tuple(str(n) for n in (answer, *drawn))


def whole_options(answer: int, seed: str, *, margin: str = "0.20", count: int = 4) -> tuple[str, ...]:
    """A count with distractors that are whole numbers too, the right one first.

    Distractors are at least 1 and at most 5, or three quarters of the
    answer if that is more, away; all options are at least `margin` times the answer, and at least 1, apart. How many
    distractors are smaller is drawn first, as in `numeric_options`.

    Returns:
        The options; empty where the answer is negative.
    """
    if answer < 0:
        return ()
    gap = max(1, int((answer * Decimal(margin)).to_integral_value(ROUND_CEILING)))
    reach = max(5, (count - 1) * gap, answer * 3 // 4)
    generator = random.Random(seed)
    for smaller in generator.sample(range(count), count):
        below = _apart(max(1, answer - reach), answer - gap, smaller, gap, generator)
        above = _apart(answer + gap, answer + reach, count - 1 - smaller, gap, generator)
        if below is not None and above is not None:
            return tuple(str(n) for n in (answer, *below, *above))
    return ()


def others_for(
    answers: Sequence[str], excluded: Sequence[Collection[str]], seed: str, exchanged: Collection[str] = ()
) -> list[tuple[str, ...]]:
    """Choose three wrong options for each question of a scene from the other questions' answers.

    A name that is never right, such as a lamp on a table in no one's way, could be ruled out without looking.
    Every name is wrong three times as often as it is right, as far as the questions allow.

    Args:
        answers: of the questions.
        excluded: for each, the names that must not be options, in addition to its answer.
        seed: of the choice between names that are needed as often.
        exchanged: names that twins exchange; where one is the answer, the others are wrong options.

    Returns:
        Three for each; none where too few are allowed.
    """
    generator = random.Random(seed)
    needed = Counter({name: _OTHERS * count for name, count in Counter(answers).items()})
    allowed = [
        [name for name in sorted(needed) if name != a and name not in e] for a, e in zip(answers, excluded, strict=True)
    ]
    found: list[tuple[str, ...]] = [()] * len(answers)
    # Those with the least choice first: what they need would otherwise be used up by others.
    for i in sorted(range(len(answers)), key=lambda i: (len(allowed[i]), i)):
        rivals = tuple(name for name in exchanged if name != answers[i] and name not in excluded[i])
        if answers[i] in exchanged and len(rivals) == _OTHERS:
            found[i] = rivals
            continue
        if len(allowed[i]) < _OTHERS:
            needed[answers[i]] -= _OTHERS
            continue
        names = generator.sample(allowed[i], len(allowed[i]))
        found[i] = tuple(sorted(names, key=lambda name: -needed[name])[:_OTHERS])
        needed.subtract(found[i])
    return found


def balanced_places(counts: Iterable[int], seed: str) -> list[int]:
    """Draw the place of the right option in each question, so that every place is as frequent as any other.

    Args:
        counts: the number of options of each question.
        seed: of the order.

    Returns:
        A place from 0 for each; among questions with equally many options the places' counts differ by one at most.
    """
    sizes = list(counts)
    places = [0] * len(sizes)
    for size in sorted(set(sizes)):
        index = [i for i, n in enumerate(sizes) if n == size]
        deck = [p % size for p in range(len(index))]
        random.Random(f"{seed}:{size}").shuffle(deck)
        for i, place in zip(index, deck, strict=True):
            places[i] = place
    return places


def rebalanced_places(counts: Sequence[int], places: Sequence[int], movable: Sequence[bool], seed: str) -> list[int]:
    """Draw the place of the right option in questions, some of them fixed.

    Args:
        counts: the number of options of each question.
        places: where the right one is now.
        movable: whether it may go elsewhere.
        seed: of the order.

    Returns:
        A place for each. Among questions with equally many options the places are as even as those that stay allow:
        where these take no more than their share of any place, the places' counts differ by one at most.
    """
    found = list(places)
    for size in sorted(set(counts)):
        index = [i for i, n in enumerate(counts) if n == size]
        taken = Counter(places[i] for i in index if not movable[i])
        moved = [i for i in index if movable[i]]
        deck = []
        for _ in moved:
            place = min(range(size), key=lambda p: (taken[p], p))
            taken[place] += 1
            deck.append(place)
        random.Random(f"{seed}:{size}").shuffle(deck)
        for i, place in zip(moved, deck, strict=True):
            found[i] = place
    return found


class Dealer:
    """Places of the right option for questions that come one by one: at every moment the places of questions with
    equally many options are as frequent as each other, but for one.

    Args:
        seed: of the order.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._decks: dict[int, list[int]] = {}
        self._rounds: Counter[int] = Counter()

    def place(self, count: int) -> int:
        """The place, from 0, for a question with so many options."""
        deck = self._decks.setdefault(count, [])
        if not deck:
            self._rounds[count] += 1
            deck += range(count)
            random.Random(f"{self._seed}:{count}:{self._rounds[count]}").shuffle(deck)
        return deck.pop()


def placed(options: tuple[str, ...], place: int, seed: str) -> tuple[str, ...]:
    """Options in their final order: the first of them at a place, the others shuffled around it."""
    right, *others = options
    random.Random(seed).shuffle(others)
    return (*others[:place], right, *others[place:])
