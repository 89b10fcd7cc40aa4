"""Options: distractors for numbers, and letters that give nothing away."""

from __future__ import annotations

import random
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def numeric_options(
    answer: str, seed: str, *, margin: str = "0.20", lower: str = "0.25", upper: str = "1.75", count: int = 4
) -> tuple[str, ...]:
    """A number with distractors, the right one first.

    Distractors are uniform between `lower` and `upper` times the answer, printed with as many decimals, and all options
    are at least `margin` times the answer apart. The bounds are VSI-Bench's; their arithmetic is exact here, so that
    no answer is infeasible by rounding, as 0.2, 0.3 and 0.6 are in the released code.

    Args:
        answer: as printed.
        seed: of the draw.
        margin, lower, upper: as decimal texts.
        count: how many options.

    Returns:
        The options; empty where the range has no room for them.
    """
    value = Decimal(answer)
    step = Decimal(1).scaleb(-max(0, -int(value.as_tuple().exponent)))
    apart = (value * Decimal(margin) / step).to_integral_value(ROUND_CEILING)
    low = (value * Decimal(lower) / step).to_integral_value(ROUND_CEILING)
    high = (value * Decimal(upper) / step).to_integral_value(ROUND_FLOOR)
    right = int(value / step)
    gap = max(1, int(apart))
    generator = random.Random(seed)
    for _ in range(64):
        taken = [right]
        free = [n for n in range(max(int(low), 1), int(high) + 1) if abs(n - right) >= gap]
        while free and len(taken) < count:
            drawn = generator.choice(free)
            taken.append(drawn)
            free = [n for n in free if abs(n - drawn) >= gap]
        if len(taken) == count:
            return tuple(str(n * step) for n in taken)
    return ()


def counting_options(answer: int, seed: str) -> tuple[str, ...]:
    """A count with three distractors at most 3 (else 5) away and at least 1, the right one first."""
    near = [n for n in range(max(1, answer - 3), answer + 4) if n != answer]
    wide = [n for n in range(max(1, answer - 5), answer + 6) if n != answer]
    drawn = random.Random(seed).sample(near if len(near) >= 3 else wide, 3)
    return tuple(str(n) for n in (answer, *drawn))


def balanced_places(counts: Iterable[int], seed: str) -> list[int]:
    """Where the right option goes in each question, so that every place is as frequent as any other.

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


def placed(options: tuple[str, ...], place: int, seed: str) -> tuple[str, ...]:
    """Options in their final order: the first of them at a place, the others shuffled around it."""
    right, *others = options
    random.Random(seed).shuffle(others)
    return (*others[:place], right, *others[place:])
