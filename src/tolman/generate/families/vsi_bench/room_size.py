"""Room size in square metres (VSI-Bench paper, Table 3)."""

from __future__ import annotations

from collections.abc import Iterator

from tolman.generate.draft import Draft, Recomputed, Rejected
from tolman.generate.family import Family, FamilySettings
from tolman.generate.geometry import SceneGeometry
from tolman.generate.options import no_distractors, numeric_options
from tolman.generate.recorded import KEY, area_error
from tolman.generate.taxonomy import TaxonomyPlace
from tolman.items import Item


class RoomSettings(FamilySettings):
    """Room size.

    Attributes:
        unseen: share of the area that a video may leave in doubt, where it is known what it shows.
        tie: square metres that an area must be away from the middle between two printed values.
    """

    unseen: float = 0.2
    tie: float = 1e-9


TASK = "room_size_estimation"
QUESTION = (
    "What is the size of this room (in square meters)? \n"
    "If multiple rooms are shown, estimate the size of the combined space."
)


def violations(area: float, settings: RoomSettings) -> list[str]:
    """The rules that an area breaks."""
    return ["between two printed values"] if abs((area * 10) % 1 - 0.5) < settings.tie * 10 else []


def draft(geometry: SceneGeometry, settings: RoomSettings) -> Iterator[Draft | Rejected]:
    """One question for each scene whose area is known."""
    scene = geometry.scene
    area = scene.room_area
    if area is None or area <= 0:
        yield Rejected(TASK, scene.id, "the room's area is not known")
        return
    answer = f"{round(area, 1)}"
    options = numeric_options(answer, f"{scene.id}:{TASK}")
    broken = violations(area, settings)
    if area_error(geometry).get(KEY, 0.0) > settings.unseen * area:
        broken.append(f"the video leaves more than {settings.unseen:.0%} of the area in doubt")
    if broken or not options:
        yield Rejected(TASK, scene.id, broken[0] if broken else no_distractors())
        return
    yield Draft(TASK, scene.id, QUESTION, answer, "m2", options, {"area": area, **area_error(geometry)})


def recompute(geometry: SceneGeometry, item: Item, settings: RoomSettings, *, released: bool = True) -> Recomputed:
    """The scene's area."""
    area = geometry.scene.room_area
    if not item.question.startswith("What is the size of this room"):
        raise ValueError("is no question for a room's size")
    if area is None:
        raise KeyError("room area")
    tie = abs((area * 10) % 1 - 0.5) / 10
    return Recomputed(f"{round(area, 1)}", area, tie, tuple(violations(area, settings)), {"area": area})


FAMILY = Family(
    name="vsi-bench/room-size",
    title="Area of a room",
    tasks=(TASK,),
    settings=RoomSettings(),
    taxonomy=TaxonomyPlace(
        vsi=TASK,
        mmsi="Attribute (Meas.)",
        site="3d information understanding",
        spatialbench="room_size",
        factor="visualization",
        information="intrinsic",
    ),
    draft=draft,
    recompute=recompute,
)
