"""Taking a share of many questions: caps, strata and answers that frequency doesn't give away."""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from tolman.errors import UsageError

_LOOKED_AT = 64
"""Questions that are compared before one is left out."""
_WHOLE = (-1, "")
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


def guesses(
    things: Sequence[T],
    key: Callable[[T], Hashable],
    hints: Callable[[T], Sequence[Sequence[Hashable]]],
    group: Callable[[T], Hashable],
) -> list[tuple[Hashable, ...]]:
    """For each question and each part of its media the answer under which that part's hints are likeliest.

    How likely hints are is learned from the other groups' questions. The hints of a part count as independent of each
    other (naive Bayes), all answers as equally frequent before.

    Args:
        things: questions.
        key: their answers.
        hints: of each, a list for each part; a part's lists are equally long in all questions that have it.
        group: of each, what its questions have in common, such as their scene.
    """
    answers = sorted({key(thing) for thing in things}, key=str)
    everywhere: Counter[Hashable] = Counter()
    kinds: dict[Hashable, set[Hashable]] = {}
    own: dict[Hashable, Counter[Hashable]] = {}
    for thing in things:
        cells = [key(thing)]
        for part, found in enumerate(hints(thing)):
            for place, hint in enumerate(found):
                kinds.setdefault((part, place), set()).add(hint)
                cells.append((part, place, hint, key(thing)))
        everywhere.update(cells)
        own.setdefault(group(thing), Counter()).update(cells)
    made = []
    for thing in things:
        here = own[group(thing)]

        def likely(part: int, place: int, hint: Hashable, answer: Hashable, here: Counter[Hashable] = here) -> float:
            cell = (part, place, hint, answer)
            total = everywhere[answer] - here[answer] + len(kinds[part, place])
            return math.log((everywhere[cell] - here[cell] + 1) / total)

        row: list[Hashable] = []
        for part, found in enumerate(hints(thing)):
            sums = [sum(likely(part, place, hint, a) for place, hint in enumerate(found)) for a in answers]
            row.append(answers[sums.index(max(sums))] if found else None)
        made.append(tuple(row))
    return made


def unhinted(
    things: Sequence[T],
    key: Callable[[T], Hashable],
    guessed: Sequence[Sequence[Hashable]],
    share: float,
    slack: float,
    seed: str,
) -> list[T]:
    """Without so many that a part of the media tells the answer more often than chance; in their old order.

    Among all things no answer has more than its share, rounded up. Among those for which the same part makes somebody
    guess the same answer, that answer is right no more often than that and a little more.

    Args:
        things: questions.
        key: their answers.
        guessed: of each question, the answer that somebody guesses who sees one part of its media, for each part.
        share: the largest share that one answer may have.
        slack: by how much more a guess may be right.
        seed: of the choice of what is left out.
    """
    generator = random.Random(seed)
    order = list(range(len(things)))
    generator.shuffle(order)
    groups = [(_WHOLE, *enumerate(found)) for found in guessed]
    totals: Counter[Hashable] = Counter()
    counts: Counter[tuple[Hashable, Hashable]] = Counter()
    members: dict[tuple[Hashable, Hashable], list[int]] = {}
    limited: list[list[tuple[Hashable, Hashable]]] = [[] for _ in things]
    for i in order:
        answer = key(things[i])
        for group in groups[i]:
            totals[group] += 1
            if group == _WHOLE or group[1] == answer:
                counts[group, answer] += 1
                members.setdefault((group, answer), []).append(i)
                limited[i].append((group, answer))
    gone: set[int] = set()

    def excess(cell: tuple[Hashable, Hashable]) -> float:
        limit = (share if cell[0] == _WHOLE else share + slack) * totals[cell[0]]
        return counts[cell] - math.ceil(limit - 1e-9)

    while members:
        worst = max(members, key=lambda cell: (excess(cell), str(cell)))
        if excess(worst) <= 0:
            break
        members[worst] = alive = [i for i in members[worst] if i not in gone]
        # Of some that could go, the one that is too frequent in other respects as well.
        out = max(alive[-_LOOKED_AT:], key=lambda i: (sum(max(0.0, excess(cell)) for cell in limited[i]), i))
        gone.add(out)
        totals.subtract(groups[out])
        counts.subtract(limited[out])
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
