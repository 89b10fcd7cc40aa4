"""Taking a share of many questions: caps, strata and answers that frequency doesn't give away."""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from tolman.errors import UsageError

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)


def capped(things: Sequence[T], key: Callable[[T], Hashable], most: int, seed: str) -> list[T]:
    """At most so many of each stratum, drawn at random, in their old order."""
    generator = random.Random(seed)
    order = list(range(len(things)))
    generator.shuffle(order)
    taken: Counter[Hashable] = Counter()
    kept = set()
    for i in order:
        stratum = key(things[i])
        if taken[stratum] < most:
            taken[stratum] += 1
            kept.add(i)
    return [thing for i, thing in enumerate(things) if i in kept]


def balanced(things: Sequence[T], key: Callable[[T], Hashable], share: float, seed: str) -> list[T]:
    """Without so many of the frequent answers that any has more than its share; in their old order.

    Where there are too few different answers for the share, all answers become equally frequent.

    Args:
        things: questions.
        key: their answers.
        share: the largest share that one answer may have.
        seed: of the choice of what is left out.
    """
    counts = Counter(key(thing) for thing in things)
    if not counts:
        return []
    share = max(share, 1 / len(counts))
    limit = max(counts.values())
    # The largest number of any one answer for which it is no more than its share of what is left.
    while limit > 1 and limit > share * sum(min(n, limit) for n in counts.values()) + 1e-9:
        limit -= 1
    return capped(things, key, limit, seed)


def unbiased(
    things: Sequence[T],
    answer: Callable[[T], str],
    options: Callable[[T], Sequence[str]],
    contexts: Callable[[T], Sequence[str]],
    tolerance: float,
    seed: str,
) -> list[T]:
    """Without so many questions that any option is right more often than chance would have it; in their old order.

    Chance has an option right in 1/k of the questions that offer it among k. That is held to among all questions,
    among those that name the same thing, and among those that offer the same other option. Questions are left out one
    by one: where an option is right most too often, the one whose right option is so in most respects.

    Args:
        things: questions.
        answer: the right option of one.
        options: all options of one.
        contexts: what the question itself names.
        tolerance: by how much an option may be right too often, as a share of what chance has; one question always may.
        seed: of the choice among equals.
    """
    order = list(range(len(things)))
    random.Random(seed).shuffle(order)
    excess: dict[tuple[str, str], float] = {}
    chance: dict[tuple[str, str], float] = {}
    own: dict[tuple[str, str], list[int]] = {}
    right: list[list[tuple[str, str]]] = [[] for _ in things]

    def keys(i: int) -> Iterator[tuple[str, str]]:
        """The respects in which an option of a question counts."""
        names = options(things[i])
        for name in names:
            yield from (("", name), *((f"named {c}", name) for c in contexts(things[i])))
            yield from ((other, name) for other in names if other != name)

    def over(key: tuple[str, str]) -> float:
        return excess[key] - max(1.0, tolerance * chance[key])

    for i in order:
        share = 1 / len(options(things[i]))
        for key in keys(i):
            chance[key] = chance.get(key, 0.0) + share
            excess[key] = excess.get(key, 0.0) - share
            if key[1] == answer(things[i]):
                excess[key] += 1
                own.setdefault(key, []).append(i)
                right[i].append(key)
    left = set(order)
    heap = [(-over(key), key) for key in excess]
    heapq.heapify(heap)
    while heap and heap[0][0] < -1e-9:
        told, key = heapq.heappop(heap)
        if abs(told + over(key)) > 1e-9:
            continue  # it has changed since, and stands in the heap again
        own[key] = alive = [i for i in own[key] if i in left]
        out = max(alive, key=lambda i: sum(max(0.0, over(k)) for k in right[i]))
        left.discard(out)
        share = 1 / len(options(things[out]))
        for changed in keys(out):
            chance[changed] -= share
            excess[changed] += share - (changed[1] == answer(things[out]))
            heapq.heappush(heap, (-over(changed), changed))
    return [thing for i, thing in enumerate(things) if i in left]


def unhinted(
    things: Sequence[T],
    key: Callable[[T], Hashable],
    clues: Callable[[T], Sequence[Hashable]],
    share: float,
    slack: float,
    seed: str,
) -> list[T]:
    """Without so many that any clue goes with one answer more often than with others; in their old order.

    A clue is what somebody knows who sees part of the media; clues at different positions are never known together.
    Among all things, and among those that have the same clue at the same position, no answer has more than its share,
    rounded up.

    Args:
        things: questions.
        key: their answers.
        clues: of each, one for each part of the media.
        share: the largest share that one answer may have among all.
        slack: by how much more among those with the same clue.
        seed: of the choice of what is left out.
    """
    generator = random.Random(seed)
    order = list(range(len(things)))
    generator.shuffle(order)
    whole = (-1, "")
    groups = [(whole, *enumerate(clues(thing))) for thing in things]
    counts: dict[Hashable, Counter[Hashable]] = {}
    members: dict[tuple[Hashable, Hashable], list[int]] = {}
    for i in order:
        for group in groups[i]:
            counts.setdefault(group, Counter())[key(things[i])] += 1
            members.setdefault((group, key(things[i])), []).append(i)
    gone: set[int] = set()

    def excess(group: Hashable, answer: Hashable) -> float:
        return counts[group][answer] - math.ceil(
            (share if group == whole else share + slack) * counts[group].total() - 1e-9
        )

    while members:
        worst = max(members, key=lambda cell: (excess(*cell), str(cell)))
        if excess(*worst) <= 1e-9:
            break
        group, answer = worst
        members[worst] = alive = [i for i in members[worst] if i not in gone]
        # Of some that could go, the one whose other clues are too frequent as well.
        out = max(alive[-8:], key=lambda i: (sum(max(0.0, excess(g, answer)) for g in groups[i]), i))
        gone.add(out)
        for group in groups[out]:
            counts[group][answer] -= 1
    return [thing for i, thing in enumerate(things) if i not in gone]


def evenly(things: Sequence[T], key: Callable[[T], Hashable], most: int, seed: str) -> list[T]:
    """So many at most, the strata in turn, so that none leads while another has any left; in their old order."""
    order = list(range(len(things)))
    random.Random(seed).shuffle(order)
    queues: dict[Hashable, list[int]] = {}
    for i in order:
        queues.setdefault(key(things[i]), []).append(i)
    kept: set[int] = set()
    while len(kept) < min(most, len(things)):
        for queue in queues.values():
            if queue and len(kept) < most:
                kept.add(queue.pop())
    return [thing for i, thing in enumerate(things) if i in kept]


def quotas(strata: Sequence[H], size: int) -> dict[H, int]:
    """How many of each stratum a part takes so that the mixture stays as it is: largest remainders, at least one each.

    Args:
        strata: of every item.
        size: of the part.

    Raises:
        UsageError: the size is less than one for each stratum, or more than there are items.
    """
    counts = Counter(strata)
    if not len(counts) <= size <= len(strata):
        raise UsageError(
            f"a subset can't have {size:,} items: it takes {len(counts)} at least (one of each kind) "
            f"and {len(strata):,} at most."
        )
    exact = {key: size * count / len(strata) for key, count in counts.items()}
    found = {key: max(1, int(share)) for key, share in exact.items()}
    by_remainder = sorted(found, key=lambda key: (found[key] - exact[key], str(key)))
    while sum(found.values()) < size:
        for key in by_remainder:
            if sum(found.values()) < size and found[key] < counts[key]:
                found[key] += 1
    while sum(found.values()) > size:
        for key in reversed(by_remainder):
            if sum(found.values()) > size and found[key] > 1:
                found[key] -= 1
    return found
