"""A benchmark from scenes: drafts of all families, a balanced share of them, letters.

Any number of scenes fits: drafts go to a file as they are made, and only what their selection looks at stays in memory.
"""

from __future__ import annotations

import hashlib
import pickle
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, overload

from tolman import benchmarks
from tolman.generate.draft import Draft, ReasoningStep, Rejected
from tolman.generate.drafting import drafts
from tolman.generate.entries import DraftEntry, Entries, EntryPart
from tolman.generate.explained import with_key_frames, with_reasoning
from tolman.generate.geometry import SceneGeometry, measure_together
from tolman.generate.needed import with_needed_frames
from tolman.generate.options import balanced_places, placed
from tolman.generate.pictures import Names, PictureSource, sources_of
from tolman.generate.reasons import without_categories
from tolman.generate.ring_selection import InRing, RingCandidate, may_ring, ring_places
from tolman.generate.sampling import balanced_within, evenly
from tolman.generate.settings import GenerationPreset
from tolman.generate.shortcuts import MIN_QUESTIONS, FilterItem, enough, filter_shortcuts
from tolman.guessing.folds import TWINS
from tolman.ingest.vsi_meta_info import Skipped
from tolman.items import LETTERS, MEDIA_MARK, Item, Media
from tolman.kinds import kind_of
from tolman.parallel import Workers, parallel_map
from tolman.scenes import Capture, Scene
from tolman.scoring.error_types import MMSI, with_type

DRAFTED_KINDS = ("choice", "number")
"""Kinds of the items that drafts become."""
TASK_LABEL = {"site": "site_category"}
"""Benchmarks whose table tells apart what a label says, not what questions are."""
NO_RING = "no ring of scenes that answer the same question differently"
_OFFERED = 4
"""Questions that are filtered for each one that is taken."""
_SCENES_AT_ONCE, _PAIRS_AT_ONCE = 64, 2000
"""Scenes without recordings that are drafted in one call, and pairs of their boxes: enough that neither giving out the
work nor arrays of a few boxes are what takes time."""


class Spool:
    """Drafts on disk, in the order in which they were made. The file is this process's own and ends with it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *ignored: object) -> None:
        self._file.close()

    def add(self, draft: Draft, media: tuple[PictureSource, ...]) -> int:
        """Keep a draft and what it shows; where it is."""
        position = self._file.seek(0, 2)
        pickle.dump((draft, media), self._file, protocol=pickle.HIGHEST_PROTOCOL)
        return position

    def get(self, position: int) -> tuple[Draft, tuple[PictureSource, ...]]:
        """The draft at a place, with what it shows."""
        self._file.seek(position)
        found: tuple[Draft, tuple[PictureSource, ...]] = pickle.load(self._file)
        return found


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
    rejected: Counter[tuple[str, str]] = Counter()
    patterns: dict[str, str] = {}
    for draft in drafts(found, preset):
        if isinstance(draft, Rejected):
            rejected[draft.task, draft.reason] += 1
            if draft.reason not in patterns:
                patterns[draft.reason] = without_categories(draft.reason, found.scene.categories)
        else:
            made.append(draft)
    offered = Counter(draft.task for draft in made)
    unshared = Counter(offered)
    kept = []
    share = preset.share
    # For rings scenes keep what others keep as well, and all that no part of the media tells.
    drawn = str(seed) if share.rings else f"{seed}:{found.scene.id}"
    shared = [draft for draft in made if share.rings and not draft.single_view_cues]
    others = [draft for draft in made if not share.rings or draft.single_view_cues]
    most = share.per_scene * (_OFFERED if share.rings else 1)
    for draft in [*shared, *_share(others, most, drawn)]:
        unshared[draft.task] -= 1
        draft = with_key_frames(with_needed_frames(draft), found)
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
    """At most so many of each question type from a scene, its answers taken in turn.

    A room in which nearly everything is to the left would otherwise fill its share with "left".
    """
    by_task: dict[str, dict[tuple[str, str], list[Draft]]] = {}
    for draft in made:
        answer = draft.balance or draft.answer
        by_task.setdefault(draft.task, {}).setdefault((draft.kind, answer), []).append(draft)
    kept: list[Draft] = []
    for task in sorted(by_task):
        answers = [_shuffled(by_task[task][answer], seed) for answer in sorted(by_task[task])]
        kept += islice(_in_turn(answers), most)
    return kept


def _shuffled(drafts: Sequence[Draft], seed: str) -> Iterator[Draft]:
    """Drafts by their hashes, which are taken when the first is asked for: of most answers none is."""
    yield from sorted(drafts, key=lambda d: hashlib.sha256(f"{seed}:{_text(d)}".encode()).digest())[::-1]


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


def select(
    collected: Collected,
    preset: GenerationPreset,
    seed: int,
    *,
    workers: Workers = 1,
    done: Callable[[str], None] = lambda task: None,
) -> EntryPart:
    """The benchmark's questions: none whose answer is too frequent or has a shortcut, then the cap of each type.

    Args:
        collected: what there is to ask.
        preset: says how much is taken.
        seed: of what is left out.
        workers: processes that filter, or another place.
        done: called with every question type that is filtered.
    """
    entries = collected.entries
    found = sorted(range(len(entries)), key=lambda i: (entries.task(i), entries.position(i)))
    collected.filtered.clear()
    collected.unselected.clear()
    share = preset.share
    frequent = f"an answer that more than {share.most_common:.0%} of the type would have"
    rings: dict[int, InRing] = {}
    rung: list[int] = []
    if share.rings:
        # What no part of the media alone suggests needs no filter: a ring leaves nothing to guess.
        alone = [i for i in found if not entries.has_cues(i)]
        rung = collected.left(NO_RING, alone, _in_rings(alone, collected, preset, seed, rings))
        found = [i for i in found if entries.has_cues(i)]
    chosen = balanced_within(found, entries.stratum, entries.answer, share.most_common, str(seed))
    chosen = collected.left(frequent, found, chosen)
    if share.max_filter_rounds:
        offered = _capped(chosen, entries, preset, _OFFERED, seed, "offered")
        chosen = collected.left("more than shortcut filtering is given", chosen, offered)
        filtered = _without_shortcuts(chosen, collected, preset, seed, workers, done)
        chosen = collected.left("answered without media (shortcut filtering)", chosen, filtered)
    if share.rings:
        rung += collected.left(NO_RING, chosen, _in_rings(chosen, collected, preset, seed, rings))
        return EntryPart(entries, sorted(rung, key=lambda i: (entries.task(i), entries.position(i))), rings)
    capped = _capped(chosen, entries, preset, 1, seed, "cap")
    return EntryPart(entries, collected.left(f"more than {share.per_task} of the question type", chosen, capped))


def _in_rings(
    chosen: Sequence[int],
    collected: Collected,
    preset: GenerationPreset,
    seed: int,
    rings: dict[int, InRing],
) -> list[int]:
    """Those that are in a ring, which `rings` is told, and a share of those whose text can't tell their answer."""
    entries, share = collected.entries, preset.share
    exempt: list[int] = []

    def candidates() -> Iterator[RingCandidate]:
        for i in chosen:
            draft, _ = collected.spool.get(entries.position(i))
            if may_ring(draft):
                yield RingCandidate(i, draft, entries.place(i))
            else:
                exempt.append(i)

    found = ring_places(candidates(), seed, per_scene=share.per_scene, per_task=share.per_task)
    rings.update(found)
    return [*(i for i in chosen if i in found), *_capped(exempt, entries, preset, 1, seed, "cap")]


def _capped(
    chosen: Sequence[int], entries: Entries, preset: GenerationPreset, times: int, seed: int, draw: str
) -> list[int]:
    """At most so many times what is taken of each question type, answers that are balanced in turn.

    Where more than what is taken stays, to be filtered, it is enough to teach learners.
    """
    if preset.share.per_task is None:
        return list(chosen)
    most = preset.share.per_task if times == 1 else times * max(preset.share.per_task, MIN_QUESTIONS)
    return [
        i
        for task, own in _by_task(chosen, entries.task).items()
        for i in evenly(own, lambda i: entries.answer(i) if entries.stratum(i) else "", most, f"{seed}:{task}:{draw}")
    ]


def _by_task(numbers: Iterable[int], task: Callable[[int], str]) -> dict[str, list[int]]:
    """Numbers by their question type."""
    found: dict[str, list[int]] = {}
    for i in numbers:
        found.setdefault(task(i), []).append(i)
    return found


def _without_shortcuts(
    chosen: Sequence[int],
    collected: Collected,
    preset: GenerationPreset,
    seed: int,
    workers: Workers,
    done: Callable[[str], None],
) -> list[int]:
    """Without questions that learners answer from their texts, or from a part of their media."""
    entries = collected.entries
    part = EntryPart(entries, chosen)
    asked = _Asked(part, collected.spool, right_places(part, seed), seed)
    share = preset.share
    types = [(entries.task(i), DRAFTED_KINDS[entries.is_number(i)]) for i in chosen]
    kept = filter_shortcuts(
        asked, share.max_filter_rounds, share.most_common, seed, most=share.per_task, workers=workers, done=done,
        types=types,
    )  # fmt: skip
    left = Counter(entries.task(chosen[i]) for i in kept)
    for task, own in _by_task(range(len(chosen)), lambda i: entries.task(chosen[i])).items():
        collected.filtered[task] = Filtered(len(own), left[task], learned=enough(asked[i] for i in own))
    return [chosen[i] for i in kept]


class _Asked(Sequence[FilterItem]):
    """Questions as shortcut filtering sees them; each is read from the spool when it is looked at."""

    def __init__(self, part: EntryPart, spool: Spool, places: Sequence[int], seed: int) -> None:
        self._part, self._spool, self._places, self._seed = part, spool, places, seed

    def __len__(self) -> int:
        return len(self._part)

    @overload
    def __getitem__(self, number: int) -> FilterItem: ...

    @overload
    def __getitem__(self, number: slice) -> list[FilterItem]: ...

    def __getitem__(self, number: int | slice) -> FilterItem | list[FilterItem]:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        entry = self._part[number]
        draft, sources = self._spool.get(entry.position)
        item = with_reasoning(
            item_of(draft, self._places[number], tuple(one.media(None) for one in sources), self._seed)
        )
        closed = entry.closed or entry.number
        return FilterItem(_without_list(item), entry.answer, entry.single_view_cues, entry.kind, closed)


def _without_list(item: Item) -> Item:
    """A question without the list of its options in its text, which learners would take for what is asked about."""
    return item.model_copy(update={"question": item.question.replace(", ".join(item.options), "")})


def items_of(
    chosen: Sequence[DraftEntry],
    collected: Collected,
    seed: int,
    *,
    choices: bool = False,
    names: Names | None = None,
    scoring_profile: str | None = None,
) -> Iterator[Item]:
    """Questions with letters: in each question type every letter is right as often as any other.

    Args:
        chosen: as `select` gives them.
        collected: what they were selected from.
        seed: of the letters.
        choices: numerical questions in their multiple-choice form.
        names: the files of pictures that were taken out of videos.
        scoring_profile: the benchmark whose prompts they are for: some show a question as one text with its options.
    """
    reorder = benchmarks.get(scoring_profile).reorder if scoring_profile else Item.reordered
    for entry, place in zip(chosen, right_places(chosen, seed), strict=True):
        draft, sources = collected.spool.get(entry.position)
        item = item_of(draft, place, tuple(source.media(names) for source in sources), seed, entry.ring)
        if choices:
            item = as_choice(item)
        if scoring_profile in TASK_LABEL:
            item = item.model_copy(update={"task": item.labels[TASK_LABEL[scoring_profile]]})
        if kind_of(item).has_letters and reorder is not Item.reordered:
            item = reorder(item, range(len(item.options))) or item
        yield with_reasoning(item)


def right_places(chosen: Iterable[DraftEntry], seed: int) -> array[int]:
    """The place of the right option of each question, from 0."""
    index: dict[str, array[int]] = {}
    sizes: dict[str, array[int]] = {}
    count = 0
    for count, entry in enumerate(chosen, start=1):
        index.setdefault(entry.task, array("q")).append(count - 1)
        sizes.setdefault(entry.task, array("H")).append(entry.options)
    places = array("H", bytes(2 * count))
    for task, own in index.items():
        for i, place in zip(own, balanced_places(sizes[task], f"{seed}:{task}"), strict=True):
            places[i] = place
    return places


def sources_in(chosen: Sequence[DraftEntry], collected: Collected) -> Iterator[PictureSource]:
    """All media of questions."""
    for entry in chosen:
        yield from collected.spool.get(entry.position)[1]


def item_of(draft: Draft, place: int, media: tuple[Media, ...], seed: int, ring: InRing | None = None) -> Item:
    """A draft as a question, its right option at a place (from 0), the others shuffled around it.

    Args:
        draft: the question.
        place: of the right option.
        media: what is shown, in the order of the draft's shots.
        seed: of the others' order.
        ring: that it is in: of a choice it gives the options and their order, whatever `place` says.
    """
    if ring and ring.options:
        draft = replace(draft, options=(draft.answer, *(text for text in ring.options if text != draft.answer)))
    key = f"{draft.scene}|{draft.task}|{draft.question}|{'|'.join(sorted(draft.options))}"
    if draft.shots:
        key += f"|{draft.shots}"
    identity = hashlib.sha256(key.encode()).hexdigest()[:16]
    order = [int(n) for n in placed(tuple(map(str, range(len(draft.options)))), place, f"{seed}:{identity}")]
    if ring and ring.options:
        order = [draft.options.index(text) for text in ring.options]
        place = order.index(0)
    options = tuple(draft.options[n] for n in order)
    shown = _shown(draft, order) if draft.shots else range(len(media))
    known = dict(draft.evidence) | ({TWINS: ring.name} if ring else {})
    if draft.shots:
        shots = [draft.shots[n] for n in shown]
        known["shots"] = [[shot.capture, shot.frame, shot.until] for shot in shots]
    common: dict[str, Any] = {
        "id": identity,
        "question": draft.question.replace("{options}", ", ".join(options)),
        "task": draft.task,
        "labels": {"dataset": draft.scene.split("/")[0], **draft.labels},
        "scene": draft.scene,
        "media": tuple(media[n] for n in shown),
        "reasoning": " ".join(in_steps(draft.reasoning)) or None,
    }
    if draft.is_number:
        evidence = {**known, "choices": {"options": list(options), "answer": LETTERS[place]}}
        return Item(kind="number", unit=draft.unit, answer=draft.answer, evidence=evidence, **common)
    return Item(kind="choice", options=options, answer=LETTERS[place], evidence=known, **common)


def _shown(draft: Draft, order: Sequence[int]) -> list[int]:
    """In which order a draft's shots are shown when its options are in theirs: those inside options move with them."""
    inside: list[list[int]] = []
    end = draft.question.count(MEDIA_MARK)
    for option in draft.options:
        start, end = end, end + option.count(MEDIA_MARK)
        inside.append(list(range(start, end)))
    if end != len(draft.shots):
        return list(range(len(draft.shots)))
    return [*range(draft.question.count(MEDIA_MARK)), *(n for place in order for n in inside[place])]


def in_steps(reasoning: Sequence[ReasoningStep]) -> Iterator[str]:
    """Steps with their types in brackets, as the judge of reasoning reads them (MMSI-Bench paper, Table 9)."""
    names = {kind.key: kind.step for kind in MMSI.types}
    for step in reasoning:
        yield with_type(step.text, names[step.kind])


def as_choice(item: Item) -> Item:
    """A numerical question in its multiple-choice form; another one as it is."""
    choices = item.evidence.get("choices")
    if kind_of(item).has_letters or not choices:
        return item
    changes = {"kind": "choice", "unit": None, "options": tuple(choices["options"]), "answer": choices["answer"]}
    return Item.model_validate({**item.model_dump(), **changes})
