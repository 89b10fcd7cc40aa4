"""Taking a share of many questions: caps, strata and answers that frequency doesn't give away."""

from __future__ import annotations

import math
import random
from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
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
    things: Sequence[T], answer: Callable[[T], H], options: Callable[[T], Sequence[H]], tolerance: float, seed: str
) -> list[T]:
    """Without so many questions that any option is right more often than chance would have it; in their old order.

    Chance has an option right in 1/k of the questions that offer it among k. Questions are left out one by one: of
    those whose right option is furthest above that, the one whose other options are least in need of it.

    Args:
        things: questions.
        answer: the right option of one.
        options: all options of one.
        tolerance: by how much an option may be right too often, as a share of what chance has; one question always may.
        seed: of the choice among equals.
    """
    order = list(range(len(things)))
    random.Random(seed).shuffle(order)
    own: dict[H, list[int]] = {}
    for i in order:
        own.setdefault(answer(things[i]), []).append(i)
    excess: dict[H, float] = {}
    chance: dict[H, float] = {}
    for thing in things:
        names = options(thing)
        for name in names:
            chance[name] = chance.get(name, 0.0) + 1 / len(names)
            excess[name] = excess.get(name, 0.0) + (name == answer(thing)) - 1 / len(names)
    left = set(order)
    while True:
        above = [name for name in excess if excess[name] > max(1.0, tolerance * chance[name]) + 1e-9]
        if not above:
            return [thing for i, thing in enumerate(things) if i in left]
        worst = max(above, key=lambda name: (excess[name], str(name)))
        # Leaving a question out raises the excess of the options that are wrong in it.
        out = min(own[worst], key=lambda i: sum(excess[name] for name in options(things[i]) if name != worst))
        own[worst].remove(out)
        left.discard(out)
        names = options(things[out])
        for name in names:
            chance[name] -= 1 / len(names)
            excess[name] -= (name == worst) - 1 / len(names)


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


def spread(
    things: Sequence[T],
    keys: Sequence[Callable[[T], Hashable]],
    most: int,
    seed: str,
    caps: Sequence[tuple[Callable[[T], Hashable], int]] = (),
) -> list[T]:
    """So many at most, even over the strata of the first key, within each of them over those of the second, and so on.

    Strata take turns, so that none leads by more than one while another has any left that the caps allow.

    Args:
        things: what is drawn from.
        keys: one label or more, the most important first.
        most: how many are wanted.
        seed: of the draw.
        caps: (label, most of any one of its values); a value of None is not limited.

    Returns:
        What was drawn, in the old order; fewer where the caps or the things run out.
    """
    order = list(range(len(things)))
    random.Random(seed).shuffle(order)
    root = _Stratum()
    for i in order:
        stratum = root
        for key in keys:
            stratum = stratum.part(key(things[i]))
        stratum.members.append(i)
    taken: list[Counter[Hashable]] = [Counter() for _ in caps]
    kept: set[int] = set()

    def allowed(i: int) -> bool:
        values = [key(things[i]) for key, _ in caps]
        if any(v is not None and taken[n][v] >= caps[n][1] for n, v in enumerate(values)):
            return False
        for n, value in enumerate(values):
            taken[n][value] += 1
        return True

    while len(kept) < most and (drawn := root.draw(allowed)) is not None:
        kept.add(drawn)
    return [thing for i, thing in enumerate(things) if i in kept]


class _Stratum:
    """Things that share their labels so far, and their parts by the next label."""

    def __init__(self) -> None:
        self.members: list[int] = []
        self._parts: dict[Hashable, _Stratum] = {}
        self._turn: deque[_Stratum] = deque()

    def part(self, value: Hashable) -> _Stratum:
        if value not in self._parts:
            self._parts[value] = _Stratum()
            self._turn.append(self._parts[value])
        return self._parts[value]

    def draw(self, allowed: Callable[[int], bool]) -> int | None:
        """The next thing of the part whose turn it is; a thing that isn't allowed never will be."""
        while self.members:
            if allowed(i := self.members.pop()):
                return i
        while self._turn:
            part = self._turn.popleft()
            drawn = part.draw(allowed)
            if drawn is not None:
                self._turn.append(part)
                return drawn
        return None


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
