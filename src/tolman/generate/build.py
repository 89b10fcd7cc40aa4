"""A benchmark from scenes: drafts of all families, a balanced share of them, letters.

Any number of scenes fits: drafts go to a file as they are made, and only what their selection looks at stays in memory.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tolman.generate.draft import Draft, Rejected
from tolman.generate.families import drafts
from tolman.generate.geometry import SceneGeometry
from tolman.generate.options import balanced_places, placed
from tolman.generate.sampling import balanced, evenly
from tolman.generate.settings import Preset
from tolman.ingest.vsi_meta_info import Skipped
from tolman.items import LETTERS, Item, Media


class Spool:
    """Drafts on disk, in the order in which they were made. The file is this process's own and ends with it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *ignored: object) -> None:
        self._file.close()

    def add(self, draft: Draft, video: str | None) -> int:
        """Keep a draft; where it is."""
        position = self._file.seek(0, 2)
        pickle.dump((draft, video), self._file, protocol=pickle.HIGHEST_PROTOCOL)
        return position

    def get(self, position: int) -> tuple[Draft, str | None]:
        """The draft at a place, with its scene's video."""
        self._file.seek(position)
        found: tuple[Draft, str | None] = pickle.load(self._file)
        return found


@dataclass(frozen=True, slots=True)
class Entry:
    """What selection looks at of a draft.

    Attributes:
        task: question type.
        answer: the right answer's text.
        closed: whether its options are a closed list such as left and right.
        number: whether it wants a number.
        options: how many options it has.
        position: in the spool.
    """

    task: str
    answer: str
    closed: bool
    number: bool
    options: int
    position: int


@dataclass
class Collected:
    """What a collection of scenes gave.

    Attributes:
        spool: holds the drafts.
        entries: one for each draft, capped for each scene.
        offered: how many there were before the cap, by question type.
        rejected: by question type and reason.
        skipped: scenes and objects that can't be used.
        scenes: usable scenes seen.
    """

    spool: Spool
    entries: list[Entry] = field(default_factory=list)
    offered: Counter[str] = field(default_factory=Counter)
    rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)
    scenes: int = 0


def collect(scenes: Iterable[SceneGeometry | Skipped], preset: Preset, seed: int, spool: Spool) -> Collected:
    """Draft all questions, one scene after the other, and keep each scene's share."""
    collected = Collected(spool)
    for found in scenes:
        if isinstance(found, Skipped):
            collected.skipped.append(found)
            continue
        collected.scenes += 1
        made = []
        for draft in drafts(found, preset):
            if isinstance(draft, Rejected):
                collected.rejected[draft.task, draft.reason] += 1
            else:
                made.append(draft)
                collected.offered[draft.task] += 1
        for draft in _share(made, preset.share.per_scene, f"{seed}:{found.scene.id}"):
            closed = draft.task.startswith("object_rel_direction") or draft.task == "route_planning"
            position = spool.add(draft, found.scene.video)
            collected.entries.append(
                Entry(draft.task, draft.answer, closed, draft.is_number, len(draft.options), position)
            )
    return collected


def _share(made: Sequence[Draft], most: int, seed: str) -> list[Draft]:
    """At most so many of each question type from a scene, its answers taken in turn.

    A room in which nearly everything is to the left would otherwise fill its share with "left".
    """
    by_task: dict[str, dict[str, list[Draft]]] = {}
    for draft in sorted(made, key=lambda d: hashlib.sha256(f"{seed}:{d.question}:{d.options}".encode()).digest()):
        by_task.setdefault(draft.task, {}).setdefault(draft.answer, []).append(draft)
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


def select(collected: Collected, preset: Preset, seed: int) -> list[Entry]:
    """The benchmark's questions: no answer more frequent than the preset allows, then the cap of each question type."""
    by_task: dict[str, list[Entry]] = {}
    for entry in collected.entries:
        by_task.setdefault(entry.task, []).append(entry)
    chosen = []
    for task in sorted(by_task):
        kept = by_task[task]
        # Free option texts (names of objects, orders) have no frequency to learn; closed lists and numbers do.
        if kept[0].number or kept[0].closed:
            kept = balanced(kept, lambda e: e.answer, preset.share.most_common, f"{seed}:{task}")
        if preset.share.per_task is not None:
            kept = evenly(kept, lambda e: e.answer, preset.share.per_task, f"{seed}:{task}:cap")
        chosen += kept
    return chosen


def items_of(chosen: Sequence[Entry], collected: Collected, seed: int, *, choices: bool = False) -> Iterator[Item]:
    """Questions with letters: in each question type every letter is right as often as any other.

    Args:
        chosen: as `select` gives them.
        collected: what they were selected from.
        seed: of the letters.
        choices: numerical questions in their multiple-choice form.
    """
    places: dict[int, int] = {}
    for task in sorted({entry.task for entry in chosen}):
        index = [i for i, entry in enumerate(chosen) if entry.task == task]
        given = balanced_places((chosen[i].options for i in index), f"{seed}:{task}")
        places.update(zip(index, given, strict=True))
    for i, entry in enumerate(chosen):
        draft, video = collected.spool.get(entry.position)
        item = item_of(draft, places[i], video, seed)
        yield as_choice(item) if choices else item


def item_of(draft: Draft, place: int, video: str | None, seed: int) -> Item:
    """A draft as a question, its right option at a place (from 0), the others shuffled around it."""
    key = f"{draft.scene}|{draft.task}|{draft.question}|{'|'.join(sorted(draft.options))}"
    identity = hashlib.sha256(key.encode()).hexdigest()[:16]
    options = placed(draft.options, place, f"{seed}:{identity}")
    common: dict[str, Any] = {
        "id": identity,
        "question": draft.question.replace("{options}", ", ".join(options)),
        "task": draft.task,
        "labels": {"dataset": draft.scene.split("/")[0]},
        "scene": draft.scene,
        "media": (Media(kind="video", path=video),) if video else (),
    }
    if draft.is_number:
        evidence = {**draft.evidence, "choices": {"options": list(options), "answer": LETTERS[place]}}
        return Item(kind="number", unit=draft.unit, answer=draft.answer, evidence=evidence, **common)
    return Item(kind="choice", options=options, answer=LETTERS[place], evidence=dict(draft.evidence), **common)


def as_choice(item: Item) -> Item:
    """A numerical question in its multiple-choice form; another one as it is."""
    choices = item.evidence.get("choices")
    if item.kind == "choice" or not choices:
        return item
    changes = {"kind": "choice", "unit": None, "options": tuple(choices["options"]), "answer": choices["answer"]}
    return Item.model_validate({**item.model_dump(), **changes})
