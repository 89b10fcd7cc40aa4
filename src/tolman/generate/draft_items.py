"""Drafts as items: their ids, their options with letters, their media and the steps of their reasoning.

A question can also be made again from its scene, after the scene or a rule was corrected.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tolman import benchmarks
from tolman.generate.answer_evidence import with_needed_frames, with_reasoning
from tolman.generate.distractors import balanced_places, placed
from tolman.generate.draft_collection import Collected
from tolman.generate.draft_storage import DraftEntry
from tolman.generate.family import Draft, ReasoningStep, Shot
from tolman.generate.presets import GenerationPreset, drafts
from tolman.generate.question_media import Names, PictureSource
from tolman.generate.rings import InRing
from tolman.ground_truth.released_audit import audit
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.guessing.folds import TWINS
from tolman.items import LETTERS, MEDIA_MARK, Item, Media
from tolman.kinds import kind_of
from tolman.media.needed_frames import NeededFrames, needed_frames
from tolman.scoring.error_types import MMSI, with_type

DRAFTED_KINDS = ("choice", "number")
"""Kinds of the items that drafts become."""
TASK_LABEL = {"site": "site_category"}
"""Benchmarks whose table tells apart what a label says, not what questions are."""


def items_of(
    chosen: Sequence[DraftEntry], collected: Collected, seed: int, *, scoring_profile: str | None = None
) -> Iterator[Item]:
    """Questions with letters, without the files of pictures; the rest is as for `items_with_frames`."""
    return (item for item, _ in items_with_frames(chosen, collected, seed, scoring_profile=scoring_profile))


def items_with_frames(
    chosen: Sequence[DraftEntry],
    collected: Collected,
    seed: int,
    *,
    choices: bool = False,
    names: Names | None = None,
    scoring_profile: str | None = None,
) -> Iterator[tuple[Item, NeededFrames | None]]:
    """Questions with letters: in each question type every letter is right as often as any other.

    Args:
        chosen: as `select` gives them.
        collected: the drafts that they were selected from.
        seed: of the letters.
        choices: numerical questions in their multiple-choice form.
        names: the files of pictures that were taken out of videos.
        scoring_profile: the benchmark whose prompts they are for: some show a question as one text with its options.

    Yields:
        Each item with its needed frames, which are slow to read from the evidence.
    """
    reorder = benchmarks.get(scoring_profile).reorder if scoring_profile else Item.reordered
    for entry, place in zip(chosen, right_places(chosen, seed), strict=True):
        draft, sources = collected.draft_file.get(entry.position)
        item = item_of(draft, place, tuple(source.media(names) for source in sources), seed, entry.ring)
        if choices:
            item = as_choice(item)
        if scoring_profile in TASK_LABEL:
            item = item.model_copy(update={"task": item.labels[TASK_LABEL[scoring_profile]]})
        if kind_of(item).has_letters and reorder is not Item.reordered:
            item = reorder(item, range(len(item.options))) or item
        needed = needed_frames(item)
        yield with_reasoning(item, needed), needed


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
        yield from collected.draft_file.without_evidence(entry.position)[1]


def item_of(draft: Draft, place: int, media: tuple[Media, ...], seed: int, ring: InRing | None = None) -> Item:
    """A draft as a question, its right option at a place (from 0), the others shuffled around it.

    Args:
        draft: the question.
        place: of the right option.
        media: in the order of the draft's shots.
        seed: of the others' order.
        ring: that it is in: of a choice it gives the options and their order, regardless of `place`.
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
    return Item.model_validate({**dict(item), **changes})


def drafts_of(geometry: SceneGeometry, preset: GenerationPreset) -> list[Draft]:
    """All questions that a scene has under some rules."""
    return [draft.finished() for draft in drafts(geometry, preset) if isinstance(draft, Draft)]


def is_sound(item: Item, geometry: SceneGeometry, preset: GenerationPreset) -> bool:
    """Check whether an item is valid unchanged: its answer is the scene's, and it breaks no rule.

    Such an item stays as it is. Its scene's drafts may have other distractors by now, which says nothing against it.
    """
    return audit([item], {geometry.scene.id: geometry}, preset.settings)[0].verdict == "sound"


def again(item: Item, made: Sequence[Draft], seed: int) -> Item | None:
    """Return the same question as the scene and the rules have it now, under its old id.

    The right letter of a choice stays the same, so that letters stay balanced.

    Args:
        item: as it was generated.
        made: the questions that its scene has now.
        seed: that it was generated with.

    Returns:
        None where the question is asked no more: its answer became doubtful, or its subject is gone. The item
        itself where it is of another kind than choice and number, which families don't draft.
    """
    if item.kind not in DRAFTED_KINDS:
        return item
    shown = _pictures(item)
    found = [
        draft
        for draft in made
        if item.task in (draft.task, *draft.labels.values())
        and _asks(draft, item.question)
        and all(_shot(shot) in shown for shot in draft.shots)
    ]
    if not found:
        return None
    # Where several have the wording, the options tell which it was; the others stay away.
    draft = max(found, key=lambda d: len(set(d.options) & set(item.options)))
    media = tuple(shown[_shot(shot)] for shot in draft.shots)
    choices = as_choice(item)
    place = choices.letters.index(choices.answer) if kind_of(choices).has_letters else 0
    fresh = item_of(with_needed_frames(draft), min(place, max(len(draft.options) - 1, 0)), media, seed)
    if kind_of(item).has_letters:
        fresh = as_choice(fresh)
    kept = {"id": item.id, "task": item.task, "labels": item.labels, "scene": item.scene}
    return fresh.model_copy(update=kept if draft.shots else kept | {"media": item.media})


def _pictures(item: Item) -> dict[tuple[str, int, int | None], Media]:
    """The media of a question about pictures, by the shots that they are."""
    shots = item.evidence.get("shots") or ()
    return {(capture, frame, until): m for (capture, frame, until), m in zip(shots, item.media, strict=False)}


def _shot(shot: Shot) -> tuple[str, int, int | None]:
    return shot.capture, shot.frame, shot.until


def _asks(draft: Draft, question: str) -> bool:
    """Check whether a draft has the wording of a question, in any order of the options inside it."""
    pattern = ".*".join(re.escape(part) for part in draft.question.split("{options}"))
    return re.fullmatch(pattern, question, re.DOTALL) is not None
