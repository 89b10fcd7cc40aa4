"""Surplus: leaving out questions, so that what is guessed is right no more often than by chance.

Of the questions that are guessed right as many go, drawn at random, as are more than chance has. Leaving out all of
them would tell the answers as well: what is never guessed would be right.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence


def surplus(right: Sequence[Sequence[bool]], chance: Sequence[float], seed: str, slack: float = 0.0) -> set[int]:
    """Which questions go: of each guesser's right guesses as many as are more than its share by chance.

    What goes for one guesser counts for the next, and what several guess right goes first.

    Args:
        right: for each guesser, whether it is right about each question. Shape (guessers, questions).
        chance: for each question, how likely a random answer is right. Shape (questions,).
        seed: of the draw.
        slack: by what share of the questions more than by chance a guesser may be right.

    Returns:
        The questions' numbers.
    """
    generator = random.Random(seed)
    order = list(range(len(chance)))
    generator.shuffle(order)
    known = [sum(bool(row[i]) for row in right) for i in order]
    order = [i for _, i in sorted(zip(known, order, strict=True), key=lambda pair: -pair[0])]
    gone: set[int] = set()
    for row in right:
        left = [i for i in order if i not in gone]
        hits = [i for i in left if row[i]]
        expected = sum(chance[i] + slack for i in left)
        if len(hits) > expected:
            mean = expected / len(left)
            gone.update(hits[: math.ceil((len(hits) - expected) / (1 - mean))] if mean < 1 else ())
    return gone
