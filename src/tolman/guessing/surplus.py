"""Surplus: leaving out questions, so that what is guessed is right no more often than by chance.

Of the questions that are guessed right as many go, drawn at random, as are more than chance has. Leaving out all of
them would tell the answers as well: what is never guessed would be right.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

_ROUNDING = 1e-9
"""Chances such as 1/3 don't add up to whole numbers exactly."""


def surplus(
    right: Sequence[Sequence[bool]],
    chance: Sequence[float],
    seed: str,
    slack: float = 0.0,
    answers: Sequence[str] | None = None,
) -> set[int]:
    """Which questions go: of each guesser's right guesses as many as are more than its share by chance.

    What goes for one guesser counts for the next, and what several guess right goes first.

    Args:
        right: for each guesser, whether it is right about each question. Shape (guessers, questions).
        chance: for each question, how likely a random answer is right. Shape (questions,).
        seed: of the draw.
        slack: by what share of the questions more than by chance a guesser may be right.
        answers: of the questions, where they are to stay about as even as they are: the most frequent one goes first.

    Returns:
        The questions' numbers.
    """
    generator = random.Random(seed)
    order = list(range(len(chance)))
    generator.shuffle(order)
    known = [sum(bool(row[i]) for row in right) for i in range(len(chance))]
    order.sort(key=lambda i: known[i])
    given = answers if answers is not None else [""] * len(chance)
    counts = Counter(given)
    gone: set[int] = set()
    for row in right:
        left = [i for i in order if i not in gone]
        queues: dict[str, list[int]] = {}
        for i in left:
            if row[i]:
                queues.setdefault(given[i], []).append(i)
        expected = sum(chance[i] + slack for i in left)
        hits = sum(map(len, queues.values()))
        while hits > expected + _ROUNDING:
            queue = max((q for q in queues.values() if q), key=lambda q: (counts[given[q[-1]]], q[-1]))
            i = queue.pop()
            gone.add(i)
            counts[given[i]] -= 1
            hits -= 1
            expected -= chance[i] + slack
    return gone
