"""Choosing rings out of drafts: from what a draft says to the rings that it is in, and to the order of its options."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tolman.generate.draft import Draft
from tolman.generate.rings import INTERVALS, RingQuestion, RingText, find_rings, intervals_of
from tolman.items import MEDIA_MARK

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
    """Tell whether a draft's text could tell its answer: not where the options are pictures."""
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
    """What of a draft is kept."""

    number: int
    scene: str
    place: str
    text: bytes
    answer: str
    options: tuple[str, ...]
    is_open: bool
    is_count: bool


def _seen(one: RingCandidate) -> _Seen:
    draft = one.draft
    options = () if draft.is_number else draft.options
    alike = "" if draft.open_options else "\x1f".join(sorted(options))
    shown = "\x1f".join((draft.question, draft.kind, str(len(draft.shots)), alike))
    text = hashlib.sha256(shown.encode()).digest()[:12]
    return _Seen(
        one.number, draft.scene, one.place, text, draft.answer, options, draft.open_options, draft.unit == "count"
    )


def _clusters(places: set[str], seed: int) -> dict[str, int]:
    """The cluster of each place: places in an order by hash, so many in each cluster."""
    count = max(1, min(MOST_CLUSTERS, round(len(places) / LEAST_PLACES)))
    drawn = sorted(places, key=lambda place: hashlib.sha256(f"{seed}:{place}".encode()).digest())
    return {place: number * count // len(drawn) for number, place in enumerate(drawn)}


def _choice(one: _Seen, clusters: dict[str, int]) -> RingQuestion:
    answers = () if one.is_open else tuple(sorted(one.options))
    return RingQuestion(RingText(clusters[one.place], one.text), one.answer, one.scene, len(one.options), answers)


def _numbers(own: Sequence[_Seen], clusters: dict[str, int]) -> list[tuple[_Seen, RingQuestion]]:
    """Questions for a number, those whose answers lie in the range of rings."""
    usable = [one for one in own if math.isfinite(float(one.answer)) and float(one.answer) > 0]
    texts = [RingText(clusters[one.place], one.text) for one in usable]
    counts = all(one.is_count for one in usable)
    places = intervals_of([float(one.answer) for one in usable], texts, counts=counts)
    inside = [place for place in places if place is not None]
    size = max(inside, default=0) + 1 if counts else INTERVALS
    answers = tuple(range(size))
    return [
        (one, RingQuestion(text, place, one.scene, size, answers))
        for one, text, place in zip(usable, texts, places, strict=True)
        if place is not None
    ]


def _order(members: Sequence[_Seen], seed: str) -> tuple[str, ...]:
    """The options of a ring of choices in the order that all its questions show."""
    answers = {one.answer for one in members} if members[0].is_open else set(members[0].options)
    return tuple(sorted(answers, key=lambda text: hashlib.sha256(f"{seed}:{text}".encode()).digest()))
