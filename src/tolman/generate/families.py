"""All question families by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tolman.generate import (
    absolute_distance,
    appearance_order,
    counting,
    object_size,
    relative_direction,
    relative_distance,
    room_size,
    route_plan,
)
from tolman.generate.draft import Draft, Family, Recomputed, Rejected
from tolman.generate.egoexo import association, reordering
from tolman.generate.geometry import SceneGeometry
from tolman.generate.levels import (
    affordance,
    causal,
    commands,
    fill_in,
    multi_hop,
    passing,
    pose,
    relative_counting,
    reworded,
)
from tolman.generate.levels.settings import SHOWN
from tolman.generate.pairs import (
    appearance_from_above,
    camera_camera,
    camera_motion,
    camera_object,
    camera_region,
    measurement,
    multi_step,
    object_motion,
    object_object,
    object_region,
    region_region,
)
from tolman.generate.settings import PARTS, SPATIALBENCH, GenerationPreset
from tolman.generate.taxonomy import labels
from tolman.items import Item

_FAMILIES: dict[str, Family[Any]] = {
    "counting": counting.FAMILY,
    "distance": absolute_distance.FAMILY,
    "size": object_size.FAMILY,
    "room": room_size.FAMILY,
    "relative_distance": relative_distance.FAMILY,
    "direction": relative_direction.FAMILY,
    "appearance": appearance_order.FAMILY,
    "route": route_plan.FAMILY,
    "camera-camera": camera_camera.FAMILY,
    "camera-object": camera_object.FAMILY,
    "camera-region": camera_region.FAMILY,
    "object-object": object_object.FAMILY,
    "object-region": object_region.FAMILY,
    "region-region": region_region.FAMILY,
    "measurement": measurement.FAMILY,
    "appearance-from-above": appearance_from_above.FAMILY,
    "camera-motion": camera_motion.FAMILY,
    "object-motion": object_motion.FAMILY,
    "multi-step": multi_step.FAMILY,
    **{name: association.family(name) for name in association.DIRECTIONS},
    **{name: reordering.family(name) for name in reordering.DIRECTIONS},
    **{name: wording.family for name, wording in reworded.WORDINGS.items()},
    "relative-counting": relative_counting.FAMILY,
    "order-on-route": passing.FAMILY,
    "multi-hop": multi_hop.FAMILY,
    "affordance": affordance.FAMILY,
    "landmark-pose": pose.FAMILY,
    "causal": causal.FAMILY,
    "commands": commands.FAMILY,
    "route-gaps": fill_in.FAMILY,
}
_BY_TASK: dict[str, tuple[str, Family[Any]]] = {}
for _name, _family in _FAMILIES.items():
    for _task in _family.tasks:
        _BY_TASK.setdefault(_task, (PARTS[_name], _family))
TASKS = tuple(_BY_TASK)
_PLACE = re.compile(r" (?:is |are )?(?:on|to|at|in) (?:your|the) (?:left|right|front|back)\b.*| and\b.*", re.DOTALL)
"""What follows a landmark in routes written by people: "the trash bin is on your right", "the bathtub and turn"."""


def drafts(geometry: SceneGeometry, preset: GenerationPreset) -> Iterator[Draft | Rejected]:
    """The questions of the preset's families for a scene, with their labels where the preset has them."""
    outdoors = geometry.scene.room_area is None
    well_shown = SceneGeometry(geometry.scene, geometry.captures, shown=SHOWN)
    for name in preset.families:
        family, seen = _FAMILIES[name], well_shown if name in SPATIALBENCH else geometry
        silent = set(family.tasks)
        for found in family.draft(seen, getattr(preset, PARTS[name])):
            silent.discard(found.task)
            if preset.labels and isinstance(found, Draft):
                yield replace(found, labels=labels(name, outdoors=outdoors, own=found.labels))
            else:
                yield found
        for task in family.tasks:
            if task in silent:
                yield Rejected(task, geometry.scene.id, _too_little(seen))


def _too_little(geometry: SceneGeometry) -> str:
    """Why a family that goes through what a scene holds finds nothing to go through."""
    if not geometry.scene.objects:
        return "no object with a box"
    if not geometry.whole:
        return "the video shows no category whole and at rest"
    if not geometry.unique:
        return "no category of which there is exactly one"
    return "too few things, or none of the kind that is asked about"


def _family_of(item: Item) -> tuple[str, Family[Any]] | None:
    """An item's family and its part of a preset: by the label, or else by the question type."""
    name = item.labels.get("family", "")
    return (PARTS[name], _FAMILIES[name]) if name in _FAMILIES else _BY_TASK.get(item.task)


def categories_in(item: Item) -> tuple[str, ...]:
    """The categories that a question names, each once, in the order of their first mention.

    Empty where no family knows the question, or where it names none, as the question for a room's size.
    """
    known = _family_of(item)
    if known is None:
        return ()
    found: dict[str, str] = {}
    for pattern in known[1].names:
        for match in pattern.finditer(item.question):
            for group in match.groups():
                for name in _PLACE.sub("", group).split(", "):
                    found.setdefault(name.casefold(), name)
    return tuple(found.values())


def recompute(geometry: SceneGeometry, item: Item, preset: GenerationPreset, *, released: bool = True) -> Recomputed:
    """What a scene says about a question.

    Raises:
        ValueError: no family knows the question.
        KeyError: the scene lacks one of its objects.
    """
    known = _family_of(item)
    if known is None:
        raise ValueError(f"no family answers '{item.task}'")
    part, family = known
    return family.recompute(geometry, item, getattr(preset, part), released=released)
