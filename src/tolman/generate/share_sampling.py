"""Taking a share of many questions: caps, strata, and answers none too frequent."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeVar

from tolman.scenes import Scene

T = TypeVar("T")


_FEW = 21
"""Things that `random.Random.sample` draws five of, or fewer, from a list of those that are left."""


def draws(generator: random.Random, things: Sequence[T], count: int, times: int) -> Iterator[list[T]]:
    """So many draws of a few things each, the same as `generator.sample` makes them, in a third of its time."""
    if len(things) > _FEW or not 0 <= count <= min(5, len(things)):
        for _ in range(times):
            yield generator.sample(things, count)
        return
    bits = generator.getrandbits
    # Numbers below how many are left, which fall by one with each thing that is drawn.
    steps = [(left, left.bit_length()) for left in range(len(things), len(things) - count, -1)]
    for _ in range(times):
        rest = list(things)
        drawn = []
        for left, length in steps:
            place = bits(length)
            while place >= left:
                place = bits(length)
            drawn.append(rest[place])
            rest[place] = rest[left - 1]
        yield drawn


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
    """Drop frequent answers until none has more than its share; keep the old order.

    With too few different answers for the share, all answers become equally frequent.

    Args:
        things: questions.
        key: their answers.
        share: the largest share that one answer may have.
        seed: of the choice of things left out.
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


def balanced_within(
    things: Sequence[T],
    stratum: Callable[[T], Hashable | None],
    key: Callable[[T], Hashable],
    share: float,
    seed: str,
) -> list[T]:
    """Do the same within each stratum, in the old order; None is no stratum, and things in none stay."""
    members: dict[Hashable, list[int]] = {}
    for i, thing in enumerate(things):
        members.setdefault(stratum(thing), []).append(i)
    kept = set(members.pop(None, []))
    for name, own in members.items():
        kept.update(balanced(own, lambda i: key(things[i]), share, f"{seed}:{name}"))
    return [thing for i, thing in enumerate(things) if i in kept]


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
        things: the things to draw from.
        keys: one label or more, the most important first.
        most: how many are wanted.
        seed: of the draw.
        caps: (label, most of any one of its values); a value of None is not limited.

    Returns:
        The things drawn, in the old order; fewer where the caps or the things run out.
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


def shared_order(names: Sequence[str], seed: str) -> list[str]:
    """Return names ordered by their hashes: names common to two scenes come in the same order in both."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())


class SharedDraws(random.Random):
    """Draws that depend on each thing alone: where two scenes have the same things, the same ones are drawn.

    Args:
        key: things have another order for each.
    """

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._key = key

    def sample(self, population: Sequence[T], k: int, **_: Any) -> list[T]:
        """The first so many things in an order by their hashes."""
        return sorted(population, key=self._rank)[:k]

    def choice(self, seq: Sequence[T]) -> T:  # type: ignore[override]
        """The first thing in that order."""
        return min(seq, key=self._rank)

    def shuffle(self, x: list[T]) -> None:  # type: ignore[override]
        """Put things in that order."""
        x.sort(key=self._rank)

    def _rank(self, thing: object) -> bytes:
        return hashlib.sha256(f"{self._key}:{thing!r}".encode()).digest()


def draws_of(scene: Scene, task: str) -> random.Random:
    """The source of a scene's draws for a question type; of twins one that lets them ask the same questions."""
    return SharedDraws(task) if scene.twins else random.Random(f"{scene.id}:{task}")


def exchanged(scene: Scene, names: Sequence[str], count: int = 4) -> tuple[str, ...]:
    """The things that exchange their places in a scene's twins, if they are so many and all among some names."""
    differing = scene.differing
    return differing if len(differing) == count and set(differing) <= set(names) else ()


def shared_sets(scene: Scene, names: Sequence[str], count: int, seed: str, first: int = 6) -> list[tuple[str, ...]]:
    """Sets of names that a scene's twins have as well: those in which they differ, then sets of the first in a shared
    order."""
    differing = exchanged(scene, names, count)
    sets = list(itertools.combinations(shared_order(names, seed)[:first], count))
    return [differing, *(one for one in sets if set(one) != set(differing))] if differing else sets
