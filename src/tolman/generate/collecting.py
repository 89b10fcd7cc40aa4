"""Collecting drafts of all families from any number of scenes: each scene's share, and counts of what was left out.

Drafts go to a file as they are made, and only what their selection looks at stays in memory.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter

from tolman.generate.draft import Draft, Rejected
from tolman.generate.drafting import drafts
from tolman.generate.entries import DraftEntry, Entries
from tolman.generate.explained import with_key_frames
from tolman.generate.geometry import SceneGeometry, measure_together
from tolman.generate.needed import with_needed_frames
from tolman.generate.pictures import PictureSource, sources_of
from tolman.generate.reasons import without_categories
from tolman.generate.settings import GenerationPreset
from tolman.generate.spool import Spool
from tolman.ingest.vsi_meta_info import Skipped
from tolman.parallel import Workers, parallel_map
from tolman.scenes import Capture, Scene

OFFERED = 4
"""Questions that are filtered for each one that is taken."""
_SCENES_AT_ONCE, _PAIRS_AT_ONCE = 64, 2000
"""Scenes without recordings that are drafted in one call, and pairs of their boxes: enough that neither giving out the
work nor arrays of a few boxes are what takes time."""


@dataclass(frozen=True, slots=True)
class Filtered:
    """Shortcut filtering of one question type.

    Attributes:
        asked: questions that were filtered.
        kept: those that stayed.
        learned: whether there were enough questions and scenes to teach learners.
    """

    asked: int
    kept: int
    learned: bool


@dataclass
class Collected:
    """Drafts of a collection of scenes, and counts of what was rejected.

    Attributes:
        spool: holds the drafts.
        entries: one for each draft, capped for each scene.
        offered: how many there were before the cap, by question type.
        unshared: offered ones beyond a scene's share, by question type.
        unselected: those that the last selection left out, by question type and reason.
        rejected: by question type and reason.
        patterns: reason → the reason without the categories that it names.
        skipped: scenes and objects that can't be used.
        scenes: usable scenes seen.
        filtered: by question type, what shortcut filtering left out in the last selection.
    """

    spool: Spool
    entries: Entries = field(default_factory=Entries)
    offered: Counter[str] = field(default_factory=Counter)
    unshared: Counter[str] = field(default_factory=Counter)
    unselected: Counter[tuple[str, str]] = field(default_factory=Counter)
    rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    patterns: dict[str, str] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    scenes: int = 0
    filtered: dict[str, Filtered] = field(default_factory=dict)

    def left(self, reason: str, before: Sequence[int], after: list[int]) -> list[int]:
        """Count what a step of the selection left out, under a reason.

        Args:
            reason: of the step.
            before, after: numbers of entries.

        Returns:
            What it left.
        """
        lost = Counter(map(self.entries.task, before))
        lost.subtract(map(self.entries.task, after))
        self.unselected.update({(task, reason): count for task, count in lost.items() if count})
        return after


def collect(
    scenes: Iterable[SceneGeometry | Skipped],
    preset: GenerationPreset,
    seed: int,
    spool: Spool,
    *,
    workers: Workers = 1,
) -> Collected:
    """Draft all questions, scene by scene, and keep each scene's share.

    Args:
        scenes: gone through once, a few ahead of what is drafted.
        preset: says what is asked.
        seed: of what is kept of a scene.
        spool: that the drafts go to.
        workers: processes, or another place.
    """
    collected = Collected(spool)

    def usable() -> Iterator[_Scene]:
        for found in scenes:
            if isinstance(found, Skipped):
                collected.skipped.append(found)
            else:
                yield found.scene, tuple(found.captures)

    jobs = (_Job(some, preset, seed) for some in _at_once(usable()))
    for made in chain.from_iterable(parallel_map(_draft_scenes, jobs, workers)):
        collected.scenes += 1
        collected.offered.update(made.offered)
        collected.rejected.update(made.rejected)
        collected.unshared.update(made.unshared)
        for reason, pattern in made.patterns.items():
            collected.patterns.setdefault(reason, pattern)
        for draft, sources in made.kept:
            collected.entries.append(_entry(draft, spool.add(draft, sources), made.place))
    return collected


_Scene = tuple[Scene, tuple[Capture, ...]]
"""A scene and its recordings."""


def _at_once(scenes: Iterable[_Scene]) -> Iterator[tuple[_Scene, ...]]:
    """Scenes that are drafted in one call, in their order: one that has recordings, or several with few boxes."""
    some: list[_Scene] = []
    pairs = 0
    for scene, captures in scenes:
        if captures and some:
            yield tuple(some)
            some, pairs = [], 0
        some.append((scene, captures))
        pairs += len(scene.objects) ** 2 // 2
        if captures or pairs >= _PAIRS_AT_ONCE or len(some) >= _SCENES_AT_ONCE:
            yield tuple(some)
            some, pairs = [], 0
    if some:
        yield tuple(some)


@dataclass(frozen=True, slots=True)
class _Job:
    """Some scenes of which questions are drafted."""

    scenes: tuple[_Scene, ...]
    preset: GenerationPreset
    seed: int


@dataclass(frozen=True, slots=True)
class _Drafted:
    """The drafts of one scene that are kept, with what they show, and its place; the counts as `Collected` has them."""

    kept: list[tuple[Draft, tuple[PictureSource, ...]]]
    offered: Counter[str]
    unshared: Counter[str]
    rejected: Counter[tuple[str, str]]
    patterns: dict[str, str]
    place: str


def _draft_scenes(job: _Job) -> list[_Drafted]:
    scenes = [SceneGeometry(scene, captures) for scene, captures in job.scenes]
    measure_together(scenes)
    # Each is let go when it is drafted: grids of points in its boxes take megabytes.
    return [_draft_scene(scenes.pop(0), job.preset, job.seed) for _ in job.scenes]


def _draft_scene(found: SceneGeometry, preset: GenerationPreset, seed: int) -> _Drafted:
    made: list[Draft] = []
    refused: list[Rejected] = []
    for draft in drafts(found, preset):
        if isinstance(draft, Rejected):
            refused.append(draft)
        else:
            made.append(draft)
    rejected: Counter[tuple[str, str]] = Counter(map(attrgetter("task", "reason"), refused))
    reasons = dict.fromkeys(reason for _, reason in rejected)
    patterns = {reason: without_categories(reason, found.categories) for reason in reasons}
    offered = Counter(map(attrgetter("task"), made))
    unshared = Counter(offered)
    kept = []
    share = preset.share
    # For rings scenes keep what others keep as well, and all that no part of the media tells.
    drawn = str(seed) if share.rings else f"{seed}:{found.scene.id}"
    shared = [draft for draft in made if share.rings and not draft.single_view_cues]
    others = [draft for draft in made if not share.rings or draft.single_view_cues]
    most = share.per_scene * (OFFERED if share.rings else 1)
    for draft in [*shared, *_share(others, most, drawn)]:
        unshared[draft.task] -= 1
        draft = with_key_frames(with_needed_frames(draft.finished()), found)
        kept.append((draft, sources_of(draft, found)))
    return _Drafted(kept, offered, unshared, rejected, patterns, found.scene.twins or found.scene.id)


def _entry(draft: Draft, position: int, place: str) -> DraftEntry:
    return DraftEntry(
        draft.task,
        draft.balance or draft.answer,
        draft.closed,
        draft.is_number,
        len(draft.options),
        position,
        draft.single_view_cues,
        draft.kind,
        place,
    )


def _share(made: Sequence[Draft], most: int, seed: str) -> list[Draft]:
    """At most so many of each question type from a scene, its answers taken in turn, in an order that is drawn.

    A room in which nearly everything is to the left would otherwise fill its share with "left"; and in the order of
    their texts, the shortest of many distances would be taken alone.
    """
    by_task: dict[str, dict[tuple[str, str], list[Draft]]] = {}
    for draft in made:
        answer = draft.balance or draft.answer
        by_task.setdefault(draft.task, {}).setdefault((draft.kind, answer), []).append(draft)
    kept: list[Draft] = []
    for task in sorted(by_task):
        own = by_task[task]
        order = sorted(own, key=lambda one: _drawn(f"{seed}:{task}:{one}"))
        kept += islice(_in_turn([_shuffled(own[answer], seed) for answer in order]), most)
    return kept


def _shuffled(drafts: Sequence[Draft], seed: str) -> Iterator[Draft]:
    """Drafts by their hashes, which are taken when the first is asked for: of most answers none is."""
    if len(drafts) == 1:
        yield drafts[0]
        return
    told = [draft if draft.options else draft.finished() for draft in drafts]
    yield from sorted(told, key=lambda draft: _drawn(f"{seed}:{_text(draft)}"))[::-1]


def _drawn(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _in_turn(answers: Sequence[Iterator[Draft]]) -> Iterator[Draft]:
    """One of each in turn, until none has any left."""
    while answers:
        left = []
        for queue in answers:
            for draft in islice(queue, 1):
                yield draft
                left.append(queue)
        answers = left


def _text(draft: Draft) -> str:
    """The text and the shots, which tell two questions of a scene apart."""
    shown = "".join(f":{shot.capture}:{shot.frame}:{shot.until}" for shot in draft.shots)
    return f"{draft.question}:{draft.options}{shown}"
