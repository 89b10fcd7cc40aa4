"""Answers that follow from a scene's geometry, by the question families' own rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolman.generate.drafting import recompute
from tolman.kinds.choice import nearest_option
from tolman.scoring.item_kind import kind_of

if TYPE_CHECKING:
    from tolman.generate.draft import Recomputed
    from tolman.generate.geometry import SceneGeometry
    from tolman.generate.settings import GenerationPreset
    from tolman.items import Item


def recomputed(geometry: SceneGeometry, item: Item, preset: GenerationPreset) -> Recomputed:
    """What a scene answers.

    Raises:
        ValueError: no family knows the question.
        KeyError: the scene lacks one of its objects.
    """
    return recompute(geometry, item, preset, released=False)


def answer_text(item: Item, found: Recomputed) -> str:
    """A scene's answer as the item's kind of answer is written.

    Raises:
        ValueError: it is none of the options.
    """
    kind = kind_of(item)
    known: Any = found.exact if found.place is None else found.place
    if found.place is None and kind.has_letters:
        known = nearest_option(item, found.exact)
    return kind.oracle_text(item, known)
