"""Selecting a balanced share of drafts: no answer too frequent, none with a shortcut, rings, and a cap of each type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import overload

from tolman.generate.draft_collection import OFFERED, Collected, Filtered
from tolman.generate.draft_items import DRAFTED_KINDS, item_of, right_places
from tolman.generate.draft_storage import DraftFile, Entries, EntryPart
from tolman.generate.presets import GenerationPreset
from tolman.generate.rings import LEAST_PLACES_FOR_SHARES, InRing, RingCandidate, may_ring, ring_places, within_shares
from tolman.generate.share_sampling import balanced_within, evenly
from tolman.generate.shortcut_filtering import BRIEF, MIN_QUESTIONS, THOROUGH, FilterItem, enough, filter_shortcuts
from tolman.items import Item
from tolman.parallel import Workers

NO_RING = "no ring of scenes that answer the same question differently"
TOO_FEW = "too few questions of the type"


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
        collected: the drafts.
        preset: says how much is taken.
        seed: of the choice of questions left out.
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
    places = {entries.place(i) for i in found} if share.rings else set()
    if share.rings:
        # What no part of the media alone suggests needs no filter: a ring leaves nothing to guess.
        alone = [i for i in found if not entries.has_cues(i)]
        rung = collected.left(NO_RING, alone, _in_rings(alone, places, collected, preset, seed, rings))
        found = [i for i in found if entries.has_cues(i)]
        # Answers are balanced in rings, so what is filtered is what rings may hold.
        changes = {"per_scene": OFFERED * share.per_scene, "per_task": share.per_task and OFFERED * share.per_task}
        wide = preset.model_copy(update={"share": share.model_copy(update=changes)})
        chosen = collected.left(NO_RING, found, _in_rings(found, places, collected, wide, seed, {}))
    else:
        chosen = balanced_within(found, entries.stratum, entries.answer, share.most_common, str(seed))
        chosen = collected.left(frequent, found, chosen)
    if share.max_filter_rounds:
        offered = _capped(chosen, entries, preset, OFFERED, seed, "offered")
        chosen = collected.left("more than shortcut filtering is given", chosen, offered)
        filtered = _without_shortcuts(chosen, collected, preset, seed, workers, done)
        chosen = collected.left("answered without media (shortcut filtering)", chosen, filtered)
    if share.rings:
        rung += collected.left(NO_RING, chosen, _in_rings(chosen, places, collected, preset, seed, rings))
        if len(places) >= LEAST_PLACES_FOR_SHARES:  # of fewer, every type is small
            counts = Counter(entries.task(i) for i in rung)
            rung = collected.left(TOO_FEW, rung, [i for i in rung if counts[entries.task(i)] >= share.fewest])
        within = within_shares(rung, entries.place, rings, share.most_of_place)
        rung = collected.left(f"more than {share.most_of_place:.0%} of all questions from one place", rung, within)
        return EntryPart(entries, sorted(rung, key=lambda i: (entries.task(i), entries.position(i))), rings)
    capped = _capped(chosen, entries, preset, 1, seed, "cap")
    return EntryPart(entries, collected.left(f"more than {share.per_task} of the question type", chosen, capped))


def _in_rings(
    chosen: Sequence[int],
    places: set[str],
    collected: Collected,
    preset: GenerationPreset,
    seed: int,
    rings: dict[int, InRing],
) -> list[int]:
    """Return those in a ring, which `rings` gets, and a share of those whose text can't reveal their answer."""
    entries, share = collected.entries, preset.share
    exempt: list[int] = []

    def candidates() -> Iterator[RingCandidate]:
        for i in chosen:
            draft, _ = collected.draft_file.get(entries.position(i))
            if may_ring(draft):
                yield RingCandidate(i, draft, entries.place(i))
            else:
                exempt.append(i)

    found = ring_places(candidates(), places, seed, per_scene=share.per_scene, per_task=share.per_task)
    rings.update(found)
    return [*(i for i in chosen if i in found), *_capped(exempt, entries, preset, 1, seed, "cap")]


def _capped(
    chosen: Sequence[int], entries: Entries, preset: GenerationPreset, times: int, seed: int, draw: str
) -> list[int]:
    """Keep at most so many times the questions taken of each type, with balanced answers in turn.

    If more stay for filtering than are taken, they are enough to teach learners.
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
    asked = _Asked(part, collected.draft_file, right_places(part, seed), seed)
    share = preset.share
    types = [(entries.task(i), DRAFTED_KINDS[entries.is_number(i)]) for i in chosen]
    effort = BRIEF if share.quick_filter else THOROUGH
    kept = filter_shortcuts(
        asked, share.max_filter_rounds, share.most_common, seed, most=share.per_task,
        most_taught=share.most_taught, effort=effort, workers=workers, done=done, types=types,
    )  # fmt: skip
    left = Counter(entries.task(chosen[i]) for i in kept)
    for task, own in _by_task(range(len(chosen)), lambda i: entries.task(chosen[i])).items():
        collected.filtered[task] = Filtered(len(own), left[task], learned=enough(asked[i] for i in own))
    return [chosen[i] for i in kept]


class _Asked(Sequence[FilterItem]):
    """Questions as shortcut filtering sees them; each is read from the draft_file when it is looked at."""

    def __init__(self, part: EntryPart, draft_file: DraftFile, places: Sequence[int], seed: int) -> None:
        self._part, self._draft_file, self._places, self._seed = part, draft_file, places, seed

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
        # Filtering looks neither at evidence nor at reasoning, which would take most of the memory as well.
        draft, sources = self._draft_file.without_evidence(entry.position)
        item = item_of(draft, self._places[number], tuple(one.media(None) for one in sources), self._seed)
        closed = entry.closed or entry.number
        return FilterItem(_without_list(item), entry.answer, entry.single_view_cues, entry.kind, closed)


def _without_list(item: Item) -> Item:
    """Return a question without the list of its options in its text, which learners would take for its subject."""
    listed = ", ".join(item.options)
    return item.model_copy(update={"question": item.question.replace(listed, "")}) if listed in item.question else item
