"""Making one question again from its scene, after the scene or a rule was corrected."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tolman.generate.audit import audit
from tolman.generate.draft import Draft, Shot
from tolman.generate.draft_items import DRAFTED_KINDS, as_choice, item_of
from tolman.generate.drafting import drafts
from tolman.generate.geometry import SceneGeometry
from tolman.generate.needed import with_needed_frames
from tolman.generate.settings import GenerationPreset
from tolman.items import Item, Media
from tolman.kinds import kind_of


def drafts_of(geometry: SceneGeometry, preset: GenerationPreset) -> list[Draft]:
    """All questions that a scene has under some rules."""
    return [draft.finished() for draft in drafts(geometry, preset) if isinstance(draft, Draft)]


def is_sound(item: Item, geometry: SceneGeometry, preset: GenerationPreset) -> bool:
    """Tell whether an item holds as it stands: its answer is the scene's, and it breaks no rule.

    Such an item stays as it is. Its scene's drafts may have other distractors by now, which says nothing against it.
    """
    return audit([item], {geometry.scene.id: geometry}, preset)[0].verdict == "sound"


def again(item: Item, made: Sequence[Draft], seed: int) -> Item | None:
    """The same question as the scene and the rules have it now, under the id that it has.

    Of a choice the right letter stays where it was, so that letters stay balanced.

    Args:
        item: as it was generated.
        made: the questions that its scene has now.
        seed: that it was generated with.

    Returns:
        None where the question is asked no more: its answer became doubtful, or what it is about is gone. The item
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
    """Tell whether a draft has the wording of a question, whatever the order of the options inside it."""
    pattern = ".*".join(re.escape(part) for part in draft.question.split("{options}"))
    return re.fullmatch(pattern, question, re.DOTALL) is not None
