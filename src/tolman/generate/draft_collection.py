"""Collecting drafts of all families from any number of scenes: each scene's share, and counts of omissions.

Drafts go to a file as they are made, and only the data for their selection stays in memory. Reasons for leaving out
questions count as one where they differ only in their categories.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter, itemgetter

from tolman.generate.answer_evidence import with_key_frames, with_needed_frames
from tolman.generate.draft_storage import DraftEntry, DraftFile, Entries
from tolman.generate.family import Draft, Rejected
from tolman.generate.presets import GenerationPreset, drafts
from tolman.generate.question_media import PictureSource, sources_of
from tolman.ground_truth.scene_arrays import SceneGeometry, measure_together
from tolman.parallel import Workers, parallel_map
from tolman.scenes import Capture, Scene, Skipped

ANY = "…"
"""Stands for categories and values in which reasons differ."""
MAX_VALUES = 3
"""Values in which reasons may differ, such as a threshold for each of two kinds of rooms, and still be told apart."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def without_categories(reason: str, categories: Iterable[str]) -> str:
    """Put `ANY` for each category that a reason names, in the singular or plural."""
    # Hardly any reason names one, and a pattern of a scene's names is made only where one may. Letters beyond ASCII
    # have more cases than two.
    plain = reason.lower() if reason.isascii() else ""
    named = {name for name in categories if name and (not plain or not name.isascii() or name.lower() in plain)}
    names = sorted(named, key=len, reverse=True)
    if not names:
        return reason
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?:s|es)?(?!\w)"
    return re.sub(pattern, ANY, reason, flags=re.IGNORECASE)


def grouped(counts: Mapping[str, int], patterns: Mapping[str, str]) -> dict[str, int]:
    """Merge counts of reasons that differ only in categories, or in many values.

    Args:
        counts: of reasons as families give them.
        patterns: reason → the reason without categories.

    Returns:
        Reason → count, in alphabetical order. The sum is that of the counts.
    """

    def without(reason: str) -> str:
        return patterns.get(reason, reason)

    merged = _merged(counts, without, lambda reasons: without(reasons[0]), 1)
    merged = _merged(merged, lambda reason: _NUMBER.sub(ANY, reason), _values, MAX_VALUES)
    return dict(sorted(merged.items()))


def _merged(
    counts: Mapping[str, int],
    pattern: Callable[[str], str],
    label: Callable[[Sequence[str]], str],
    most: int,
) -> dict[str, int]:
    """The same with reasons of one pattern under one label, where there are more than so many of them."""
    alike: dict[str, list[str]] = {}
    for reason in counts:
        alike.setdefault(pattern(reason), []).append(reason)
    found: dict[str, int] = {}
    for reasons in alike.values():
        for reason in reasons:
            key = reason if len(reasons) <= most else label(reasons)
            found[key] = found.get(key, 0) + counts[reason]
    return found


def _values(reasons: Sequence[str]) -> str:
    """Reasons of one pattern as one: numbers that all of them have stay."""
    texts = _NUMBER.split(reasons[0])
    numbers = [set(own) for own in zip(*map(_NUMBER.findall, reasons), strict=True)]
    shown = [own.pop() if len(own) == 1 else ANY for own in numbers]
    return "".join(text + number for text, number in zip(texts, [*shown, ""], strict=True))


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
    """Drafts of a collection of scenes, and counts of rejections.

    Attributes:
        draft_file: holds the drafts.
        entries: one for each draft, capped for each scene.
        offered: how many there were before the cap, by question type.
        unshared: offered ones beyond a scene's share, by question type.
        unselected: those that the last selection left out, by question type and reason.
        rejected: by question type and reason.
        patterns: reason → the reason without the categories that it names.
        skipped: scenes and objects that can't be used.
        scenes: usable scenes seen.
        filtered: by question type, the counts of shortcut filtering in the last selection.
    """

    draft_file: DraftFile
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
        """Count the omissions of a selection step under a reason.

        Args:
            reason: of the step.
            before, after: numbers of entries.

        Returns:
            The entries left.
        """
        lost = Counter(map(self.entries.task, before))
        lost.subtract(map(self.entries.task, after))
        self.unselected.update({(task, reason): count for task, count in lost.items() if count})
        return after


def collect(
    scenes: Iterable[SceneGeometry | Skipped],
    preset: GenerationPreset,
    seed: int,
    draft_file: DraftFile,
    *,
    workers: Workers = 1,
) -> Collected:
    """Draft all questions, scene by scene, and keep each scene's share.

    Args:
        scenes: iterated once, a few ahead of drafting.
        preset: the question families and their thresholds.
        seed: of each scene's share.
        draft_file: that the drafts go to.
        workers: processes, or another place.
    """
    collected = Collected(draft_file)

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
            collected.entries.append(_entry(draft, draft_file.add(draft, sources), made.place))
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
    """Some scenes to draft questions about."""

    scenes: tuple[_Scene, ...]
    preset: GenerationPreset
    seed: int


@dataclass(frozen=True, slots=True)
class _Drafted:
    """The kept drafts of one scene, with their media, and its place; the counts as in `Collected`."""

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
    if share.rings:
        # Cues that suggest nothing are of the text, which a ring makes worthless.
        for draft in made:
            if not any(own[0] for own in draft.single_view_cues):
                draft.single_view_cues = ()
        # Scenes keep what others keep as well, and all that no part of the media tells.
        chosen = [draft for draft in made if not draft.single_view_cues]
        if share.offered is not None:
            chosen = _share_for_rings(chosen, share.offered, seed, found.scene.differing)
        cued = [draft for draft in made if draft.single_view_cues]
        chosen += _share_for_rings(cued, share.per_scene * OFFERED, seed, found.scene.differing)
    else:
        chosen = _share(made, share.per_scene, f"{seed}:{found.scene.id}")
    for draft in chosen:
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


def _share_for_rings(made: Sequence[Draft], most: int, seed: int, differing: Sequence[str]) -> list[Draft]:
    """At most so many of each question type, those first that name a difference of twins.

    The order depends on the questions' words alone; a question with the same answer from other pictures comes after
    all that have no such.
    """
    kept: dict[str, list[tuple[tuple[int, bool, bytes], Draft]]] = {}
    before: Counter[tuple[str, str, str]] = Counter()
    for draft in made:
        options = () if draft.is_number or draft.open_options else sorted(draft.options)
        text = f"{draft.question}:{options}"
        same = (draft.task, text, draft.answer)
        rank = before[same], not any(name in text for name in differing), _drawn(f"{seed}:{text}")
        kept.setdefault(draft.task, []).append((rank, draft))
        before[same] += 1
    return [draft for own in kept.values() for _, draft in sorted(own, key=itemgetter(0))[:most]]


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
    """Return the text and the shots, which distinguish the questions of a scene."""
    shown = "".join(f":{shot.capture}:{shot.frame}:{shot.until}" for shot in draft.shots)
    return f"{draft.question}:{draft.options}{shown}"
