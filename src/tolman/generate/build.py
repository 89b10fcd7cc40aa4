"""A benchmark from scenes: drafts of all families, a balanced share of them, letters.

Any number of scenes fits: drafts go to a file as they are made, and only what their selection looks at stays in memory.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tolman import benchmarks
from tolman.generate.draft import Cues, Draft, ReasoningStep, Rejected
from tolman.generate.drafting import drafts
from tolman.generate.explained import with_key_frames, with_reasoning
from tolman.generate.geometry import SceneGeometry
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
class DraftEntry:
    """A draft as selection sees it.

    Attributes:
        task: question type.
        answer: the right answer's text, or what is balanced in its place.
        closed: whether its options are a closed list such as left and right.
        number: whether it wants a number.
        options: how many options it has.
        position: in the spool.
        single_view_cues: of each part of the media.
        scene: its id.
        kind: which of its question type's kinds it is.
        place: its scene, the same for the scenes of one group of twins.
        ring: the ring that it is taken in; None where questions need none.
    """

    task: str
    answer: str
    closed: bool
    number: bool
    options: int
    position: int
    single_view_cues: Cues = ()
    scene: str = ""
    kind: str = ""
    place: str = ""
    ring: InRing | None = None


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
    entries: list[DraftEntry] = field(default_factory=list)
    offered: Counter[str] = field(default_factory=Counter)
    unshared: Counter[str] = field(default_factory=Counter)
    unselected: Counter[tuple[str, str]] = field(default_factory=Counter)
    rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    patterns: dict[str, str] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    scenes: int = 0
    filtered: dict[str, Filtered] = field(default_factory=dict)

    def left(self, reason: str, before: Sequence[DraftEntry], after: list[DraftEntry]) -> list[DraftEntry]:
        """Count what a step of the selection left out, under a reason.

        Returns:
            What it left.
        """
        lost = Counter(entry.task for entry in before)
        lost.subtract(entry.task for entry in after)
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

    def usable() -> Iterator[_Job]:
        for found in scenes:
            if isinstance(found, Skipped):
                collected.skipped.append(found)
            else:
                yield _Job(found.scene, tuple(found.captures), preset, seed)

    for made in parallel_map(_draft_scene, usable(), workers):
        collected.scenes += 1
        collected.offered.update(made.offered)
        collected.rejected.update(made.rejected)
        collected.unshared.update(made.unshared)
        for reason, pattern in made.patterns.items():
            collected.patterns.setdefault(reason, pattern)
        for draft, sources in made.kept:
            collected.entries.append(_entry(draft, spool.add(draft, sources), made.place))
    return collected


@dataclass(frozen=True, slots=True)
class _Job:
    """One scene of which questions are drafted."""

    scene: Scene
    captures: tuple[Capture, ...]
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


def _draft_scene(job: _Job) -> _Drafted:
    found = SceneGeometry(job.scene, job.captures)
    made: list[Draft] = []
    rejected: Counter[tuple[str, str]] = Counter()
    patterns: dict[str, str] = {}
    for draft in drafts(found, job.preset):
        if isinstance(draft, Rejected):
            rejected[draft.task, draft.reason] += 1
            if draft.reason not in patterns:
                patterns[draft.reason] = without_categories(draft.reason, found.scene.categories)
        else:
            made.append(draft)
    offered = Counter(draft.task for draft in made)
    unshared = Counter(offered)
    kept = []
    share = job.preset.share
    # For rings scenes keep what others keep as well.
    most, drawn = (_OFFERED * share.per_scene, str(job.seed)) if share.rings else (
        share.per_scene, f"{job.seed}:{found.scene.id}"
    )  # fmt: skip
    for draft in _share(made, most, drawn):
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
        draft.scene,
        draft.kind,
        place,
    )


def _share(made: Sequence[Draft], most: int, seed: str) -> list[Draft]:
    """At most so many of each question type from a scene, its answers taken in turn.

    A room in which nearly everything is to the left would otherwise fill its share with "left".
    """
    by_task: dict[str, dict[tuple[str, str], list[Draft]]] = {}
    for draft in sorted(made, key=lambda d: hashlib.sha256(f"{seed}:{_text(d)}".encode()).digest()):
        answer = draft.balance or draft.answer
        by_task.setdefault(draft.task, {}).setdefault((draft.kind, answer), []).append(draft)
    kept = []
    for task in sorted(by_task):
        queues = [by_task[task][answer] for answer in sorted(by_task[task])]
        taken: list[Draft] = []
        while len(taken) < most and any(queues):
            for queue in queues:
                if queue and len(taken) < most:
                    taken.append(queue.pop())
        kept += taken
    return kept


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
) -> list[DraftEntry]:
    """The benchmark's questions: none whose answer is too frequent or has a shortcut, then the cap of each type.

    Args:
        collected: what there is to ask.
        preset: says how much is taken.
        seed: of what is left out.
        workers: processes that filter, or another place.
        done: called with every question type that is filtered.
    """
    found = sorted(collected.entries, key=lambda e: (e.task, e.position))
    collected.filtered.clear()
    collected.unselected.clear()
    share = preset.share
    frequent = f"an answer that more than {share.most_common:.0%} of the type would have"
    rung: list[DraftEntry] = []
    if share.rings:
        # What no part of the media alone suggests needs no filter: a ring leaves nothing to guess.
        alone = [entry for entry in found if not entry.single_view_cues]
        rung = collected.left(NO_RING, alone, _in_rings(alone, collected, preset, seed))
        found = [entry for entry in found if entry.single_view_cues]
    chosen = balanced_within(found, _stratum, lambda e: e.answer, share.most_common, str(seed))
    chosen = collected.left(frequent, found, chosen)
    if share.max_filter_rounds:
        offered = _capped(chosen, preset, _OFFERED, seed, "offered")
        chosen = collected.left("more than shortcut filtering is given", chosen, offered)
        filtered = _without_shortcuts(chosen, collected, preset, seed, workers, done)
        chosen = collected.left("answered without media (shortcut filtering)", chosen, filtered)
    if share.rings:
        rung += collected.left(NO_RING, chosen, _in_rings(chosen, collected, preset, seed))
        return sorted(rung, key=lambda e: (e.task, e.position))
    capped = _capped(chosen, preset, 1, seed, "cap")
    return collected.left(f"more than {share.per_task} of the question type", chosen, capped)


def _in_rings(
    entries: Sequence[DraftEntry], collected: Collected, preset: GenerationPreset, seed: int
) -> list[DraftEntry]:
    """Those that are in a ring, and a share of those whose text can't tell their answer."""
    share = preset.share
    exempt: list[DraftEntry] = []

    def candidates() -> Iterator[RingCandidate]:
        for i, entry in enumerate(entries):
            draft, _ = collected.spool.get(entry.position)
            if may_ring(draft):
                yield RingCandidate(i, draft, entry.place)
            else:
                exempt.append(entry)

    found = ring_places(candidates(), seed, per_scene=share.per_scene, per_task=share.per_task)
    rung = [replace(entry, ring=found[i]) for i, entry in enumerate(entries) if i in found]
    return [*rung, *_capped(exempt, preset, 1, seed, "cap")]


def _capped(
    entries: Sequence[DraftEntry], preset: GenerationPreset, times: int, seed: int, draw: str
) -> list[DraftEntry]:
    """At most so many times what is taken of each question type, answers that are balanced in turn.

    Where more than what is taken stays, to be filtered, it is enough to teach learners.
    """
    if preset.share.per_task is None:
        return list(entries)
    by_task: dict[str, list[DraftEntry]] = {}
    for entry in entries:
        by_task.setdefault(entry.task, []).append(entry)
    most = preset.share.per_task if times == 1 else times * max(preset.share.per_task, MIN_QUESTIONS)
    return [
        entry
        for task, own in by_task.items()
        for entry in evenly(own, lambda e: e.answer if _stratum(e) else "", most, f"{seed}:{task}:{draw}")
    ]


def _stratum(entry: DraftEntry) -> str | None:
    """Within what answers are balanced: closed lists and numbers have frequencies to learn, free texts have none."""
    return ":".join(filter(None, (entry.task, entry.kind))) if entry.closed or entry.number else None


def _without_shortcuts(
    entries: Sequence[DraftEntry],
    collected: Collected,
    preset: GenerationPreset,
    seed: int,
    workers: Workers,
    done: Callable[[str], None],
) -> list[DraftEntry]:
    """Without questions that learners answer from their texts, or from a part of their media."""
    asked = [
        FilterItem(_without_list(item), entry.answer, entry.single_view_cues, entry.kind, entry.closed or entry.number)
        for entry, item in zip(entries, items_of(entries, collected, seed), strict=True)
    ]
    share = preset.share
    numbers = filter_shortcuts(
        asked, share.max_filter_rounds, share.most_common, seed, most=share.per_task, workers=workers, done=done
    )
    for task in dict.fromkeys(entry.task for entry in entries):
        own = [one for one in asked if one.item.task == task]
        left = sum(entries[i].task == task for i in numbers)
        collected.filtered[task] = Filtered(len(own), left, learned=enough(own))
    return [entries[i] for i in numbers]


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
    places: dict[int, int] = {}
    for task in sorted({entry.task for entry in chosen}):
        index = [i for i, entry in enumerate(chosen) if entry.task == task and entry.ring is None]
        given = balanced_places((chosen[i].options for i in index), f"{seed}:{task}")
        places.update(zip(index, given, strict=True))
    for i, entry in enumerate(chosen):
        draft, sources = collected.spool.get(entry.position)
        media = tuple(source.media(names) for source in sources)
        item = item_of(draft, places.get(i, 0), media, seed, entry.ring)
        if choices:
            item = as_choice(item)
        if scoring_profile in TASK_LABEL:
            item = item.model_copy(update={"task": item.labels[TASK_LABEL[scoring_profile]]})
        if kind_of(item).has_letters and reorder is not Item.reordered:
            item = reorder(item, range(len(item.options))) or item
        yield with_reasoning(item)


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
