"""Taking a share of many questions: caps, strata and answers that frequency doesn't give away."""

from __future__ import annotations

import math
import random
from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
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


def unguessed(
    things: Sequence[T],
    answer: Callable[[T], str],
    options: Callable[[T], Sequence[str]],
    mentions: Callable[[T], Sequence[str]],
    group: Callable[[T], Hashable],
    turns: int,
    seed: str,
) -> list[T]:
    """Without so many questions that names tell which option is right more often than chance; in their old order.

    Somebody who has the other groups' questions and answers guesses: by how often each name is right where it is
    offered, and, every second turn, also by how often it is beside each other option and each name in the question. Of
    the questions that are guessed right, as many are left out at random as are more than chance has. Making all names
    equally frequent instead would tell the answers as well: what is rarer elsewhere would be right here.

    Args:
        things: questions.
        answer: the right option of one.
        options: all options of one.
        mentions: what the question itself names.
        group: of each, what its questions have in common, such as their scene.
        turns: how often this is done.
        seed: of what is left out.
    """
    generator = random.Random(seed)
    kept = list(things)
    for turn in range(turns):
        told = _told(kept, answer, options, mentions, group, widely=turn % 2 == 1)
        chance = sum(1 / len(options(thing)) for thing in kept) / max(1, len(kept))
        right = [i for i, guess in enumerate(told) if guess == answer(kept[i])]
        surplus = max(0, math.ceil((len(right) - chance * len(kept)) / (1 - chance)))
        gone = set(generator.sample(right, min(surplus, len(right))))
        kept = [thing for i, thing in enumerate(kept) if i not in gone]
    return kept


def _told(
    things: Sequence[T],
    answer: Callable[[T], str],
    options: Callable[[T], Sequence[str]],
    mentions: Callable[[T], Sequence[str]],
    group: Callable[[T], Hashable],
    *,
    widely: bool,
) -> list[str]:
    """What is guessed of each question from the other groups' ones."""

    def respects(thing: T, name: str) -> list[tuple[str, str]]:
        beside = [*(f"named {m}" for m in mentions(thing)), *(other for other in options(thing) if other != name)]
        return [("", name), *((other, name) for other in beside if widely)]

    offered: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    own: dict[Hashable, tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]] = {}
    for thing in things:
        here = own.setdefault(group(thing), (Counter(), Counter()))
        for name in options(thing):
            found = respects(thing, name)
            offered.update(found)
            here[0].update(found)
            if name == answer(thing):
                right.update(found)
                here[1].update(found)
    guessed = []
    for thing in things:
        shown, true = own[group(thing)]
        scores = {}
        for name in options(thing):
            keys = respects(thing, name)
            rates = [(right[k] - true[k] + 1) / (offered[k] - shown[k] + len(options(thing))) for k in keys]
            scores[name] = sum(math.log(rate / (1 - rate)) for rate in rates)
        guessed.append(max(scores, key=lambda name: (scores[name], name)))
    return guessed


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
