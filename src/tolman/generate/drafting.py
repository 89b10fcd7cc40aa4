"""Drafting: the questions of a preset's families about a scene, and what a scene says about a question that exists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.geometry import SceneGeometry
from tolman.generate.registry import family, family_of
from tolman.generate.settings import GenerationPreset
from tolman.generate.taxonomy import labels_of
from tolman.items import Item

_LOCATION = re.compile(r" (?:is |are )?(?:on|to|at|in) (?:your|the) (?:left|right|front|back)\b.*| and\b.*", re.DOTALL)
"""The words after a landmark in routes written by people: "the trash bin is on your right", "the bathtub and turn"."""


def drafts(geometry: SceneGeometry, preset: GenerationPreset) -> Iterator[Draft | Rejected]:
    """The questions of the preset's families for a scene, with their labels where the preset has them.

    Raises:
        UsageError: the preset names a family that isn't there.
    """
    outdoors, labelled = geometry.scene.room_area is None, preset.labels
    shown = {geometry.shown: geometry}
    for name in preset.families:
        own = family(name)
        least = max(own.min_shown, geometry.shown)
        if least not in shown:
            shown[least] = SceneGeometry(geometry.scene, geometry.captures, shown=least)
        seen = shown[least]
        silent = set(own.tasks)
        for found in own.draft(seen, preset.settings_for(own)):
            if silent:
                silent.discard(found.task)
            if labelled and isinstance(found, Draft):
                yield replace(found, labels=labels(name, outdoors=outdoors, own=found.labels))
            else:
                yield found
        for task in own.tasks:
            if task in silent:
                yield Rejected(task, geometry.scene.id, _too_little(seen))


def _too_little(geometry: SceneGeometry) -> str:
    """The reason why a family that goes through a scene's things finds none."""
    if not geometry.scene.objects:
        return "no object with a box"
    if not geometry.whole:
        return "the video shows no category whole and at rest"
    if not geometry.unique:
        return "no category of which there is exactly one"
    return "too few things, or none of the kind that is asked about"


def labels(name: str, *, outdoors: bool, own: Mapping[str, str]) -> dict[str, str]:
    """The labels of a family's question: the family, and its place in all four taxonomies.

    Args:
        name: of the family, or a former one.
        outdoors: whether its scene is no room.
        own: what differs in this question.

    Raises:
        UsageError: there is no such family.
    """
    found = family(name)
    return labels_of(found.name, found.taxonomy, outdoors=outdoors, own=own)


def categories_in(item: Item) -> tuple[str, ...]:
    """The categories that a question names, each once, in the order of their first mention.

    Empty where no family knows the question, or where it names none, as the question for a room's size.
    """
    known = family_of(item)
    if known is None:
        return ()
    found: dict[str, str] = {}
    for pattern in known.names:
        for match in pattern.finditer(item.question):
            for group in filter(None, match.groups()):  # a part that may be left out names nothing
                for name in _LOCATION.sub("", group).split(", "):
                    found.setdefault(name.casefold(), name)
    return tuple(found.values())


def recompute(geometry: SceneGeometry, item: Item, preset: GenerationPreset, *, released: bool = True) -> Recomputed:
    """Answer a question from its scene.

    Raises:
        ValueError: no family knows the question.
        KeyError: the scene lacks one of its objects.
    """
    known = family_of(item)
    if known is None:
        label = item.labels.get("family", "")
        if label:
            raise ValueError(f"the family '{label}' is not there: give the file that declares it with --plugin")
        raise ValueError(f"no family answers '{item.task}'")
    return known.recompute(geometry, item, preset.settings_for(known), released=released)
