"""Positional relationships of cameras, objects and regions in two pictures. (MMSI-Bench, Table 1.)

- Camera–camera: where was the second picture's camera, seen from the first's?
- Camera–object and camera–region: where was the thing shown only by the other picture, relative to a camera?
- Object–object: by the compass, where is an object of one picture from one of the other? North is given by two objects
  of the first picture; the second one doesn't see both.
- Object–region: by the compass, where is an object from the middle of a region? North is given by an object of the
  picture that shows the region.
- Region–region: by the compass, where is a region of one picture from one of the other? North is where the first
  picture looks.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from tolman.generate.draft import ReasoningStep, Rejected
from tolman.generate.families.mmsi_bench.support.bearings import (
    COMPASS,
    Bearing,
    DirectionCandidate,
    RegionView,
    camera_spot,
    direction_family,
    object_spot,
    region_spot,
    regions_of,
)
from tolman.generate.families.mmsi_bench.support.questions import around, grounded, moved, overlapping
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ordinal

CAMERA_CAMERA_TASK = "Positional Relationship (Cam.–Cam.)"
CAMERA_CAMERA_QUESTION = (
    "The two images show the same place from two viewpoints. When I took the first image, where was the camera that "
    "took the second image, relative to me?"
)
_CAMERA_CAMERA_PATTERN = re.compile("")
"""The pictures alone say what is asked."""


def _camera_camera_bearing(pictures: tuple[View, ...]) -> Bearing:
    here = camera_spot(pictures, 0)
    return Bearing(pictures, here, camera_spot(pictures, 1), here)


def _camera_camera_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    bearing = _camera_camera_bearing((a, b))

    def steps() -> Iterator[ReasoningStep]:
        anchor = gallery.anchors(a, b)[0]
        yield grounded(gallery, anchor, a, 0)
        yield grounded(gallery, anchor, b, 1)
        yield overlapping(gallery, (a, b), 0, 1)
        yield moved(a, b, 0, 1)
        yield ReasoningStep(
            "logic",
            f"The second camera is {around(bearing.angle)} as I look in the first image, which is to my "
            f"{bearing.answer.lower()}.",
        )

    yield DirectionCandidate(bearing, CAMERA_CAMERA_QUESTION, steps)


CAMERA_CAMERA_FAMILY = direction_family(
    name="mmsi-bench/camera-camera",
    title="The second picture's camera, from the first's",
    task=CAMERA_CAMERA_TASK,
    candidates=_camera_camera_candidates,
    pattern=_CAMERA_CAMERA_PATTERN,
    bearing_of=lambda gallery, pictures, match: _camera_camera_bearing(pictures),
)


CAMERA_OBJECT_TASK = "Positional Relationship (Cam.–Obj.)"
CAMERA_OBJECT_QUESTION = "When I took the {which} image, where was the {name} relative to me?"
_CAMERA_OBJECT_PATTERN = re.compile(r"\AWhen I took the (first|second) image, where was the (.+) relative to me\?")


def _camera_object_bearing(gallery: Gallery, pictures: tuple[View, ...], standing: int, number: int) -> Bearing:
    here = camera_spot(pictures, standing)
    return Bearing(pictures, here, object_spot(gallery, number), here)


def _camera_object_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    for standing, showing in ((1, 0), (0, 1)):
        for number in gallery.only_in((a, b)[showing], (a, b)):
            yield _camera_object_candidate(gallery, (a, b), standing, showing, number)


def _camera_object_candidate(
    gallery: Gallery, pictures: tuple[View, View], standing: int, showing: int, number: int
) -> DirectionCandidate:
    name, bearing = gallery.category(number), _camera_object_bearing(gallery, pictures, standing, number)

    def steps() -> Iterator[ReasoningStep]:
        yield grounded(gallery, number, pictures[showing], showing)
        yield overlapping(gallery, pictures, showing, standing)
        yield moved(pictures[showing], pictures[standing], showing, standing)
        place = f"From where the {ordinal(standing)} image was taken"
        yield ReasoningStep("transformation", f"{place}, the {name} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"So the {name} was to my {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, CAMERA_OBJECT_QUESTION.format(which=ordinal(standing), name=name), steps)


def _read_camera_object(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    return _camera_object_bearing(gallery, pictures, int(match[1] == "second"), gallery.find(match[2], pictures))


CAMERA_OBJECT_FAMILY = direction_family(
    name="mmsi-bench/camera-object",
    title="An object of one picture, from the other's camera",
    task=CAMERA_OBJECT_TASK,
    candidates=_camera_object_candidates,
    pattern=_CAMERA_OBJECT_PATTERN,
    bearing_of=_read_camera_object,
    names=(_CAMERA_OBJECT_PATTERN,),
)


CAMERA_REGION_TASK = "Positional Relationship (Cam.–Reg.)"
CAMERA_REGION_QUESTION = "At the moment of taking the {which} image, where was the middle of the {name} relative to me?"
_CAMERA_REGION_PATTERN = re.compile(
    r"\AAt the moment of taking the (first|second) image, where was the middle of the (.+) relative"
)


def _camera_region_bearing(pictures: tuple[View, ...], standing: int, region: RegionView) -> Bearing:
    here = camera_spot(pictures, standing)
    return Bearing(pictures, here, region_spot(region), here)


def _camera_region_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    pictures = (a, b)
    for standing, showing in ((1, 0), (0, 1)):
        for region in regions_of(gallery).values():
            if not region.seen(pictures[standing]) and region.clear(gallery, pictures[showing], pictures):
                yield _camera_region_candidate(gallery, pictures, standing, showing, region)


def _camera_region_candidate(
    gallery: Gallery, pictures: tuple[View, View], standing: int, showing: int, region: RegionView
) -> DirectionCandidate:
    view, bearing = pictures[showing], _camera_region_bearing(pictures, standing, region)

    def steps() -> Iterator[ReasoningStep]:
        anchor = region.anchor(gallery, view)
        yield grounded(gallery, anchor, view, showing)
        yield ReasoningStep("grounding", f"The {gallery.category(anchor)} marks the {region.name}.")
        yield overlapping(gallery, pictures, showing, standing)
        yield moved(view, pictures[standing], showing, standing)
        place = f"From where the {ordinal(standing)} image was taken"
        yield ReasoningStep("transformation", f"{place}, the middle of the {region.name} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"So the {region.name} was to my {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, CAMERA_REGION_QUESTION.format(which=ordinal(standing), name=region.name), steps)


def _read_camera_region(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    return _camera_region_bearing(pictures, int(match[1] == "second"), regions_of(gallery)[match[2]])


CAMERA_REGION_FAMILY = direction_family(
    name="mmsi-bench/camera-region",
    title="A region of one picture, from the other's camera",
    task=CAMERA_REGION_TASK,
    candidates=_camera_region_candidates,
    pattern=_CAMERA_REGION_PATTERN,
    bearing_of=_read_camera_region,
)


OBJECT_OBJECT_TASK = "Positional Relationship (Obj.–Obj.)"
OBJECT_OBJECT_QUESTION = (
    "Suppose that, seen from the {origin}, the {north} is exactly to the north. "
    "In which direction from the {origin} is the {target}?"
)
_OBJECT_OBJECT_PATTERN = re.compile(
    r"seen from the (.+), the (.+) is exactly to the north\. In which direction from the .+ is the (.+)\?"
)


def _object_object_bearing(
    gallery: Gallery, pictures: tuple[View, ...], origin: int, north: int, target: int
) -> Bearing:
    here, there, ahead = (object_spot(gallery, number) for number in (origin, target, north))
    return Bearing(pictures, here, there, ahead, names=COMPASS)


def _object_object_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    known = gallery.named(a, (a, b))
    for target in gallery.only_in(b, (a, b)):
        for origin, north in itertools.permutations(known, 2):
            if not (b.sees((origin,)) and b.sees((north,))):
                yield _object_object_candidate(gallery, (a, b), origin, north, target)


def _object_object_candidate(
    gallery: Gallery, pictures: tuple[View, View], origin: int, north: int, target: int
) -> DirectionCandidate:
    names = [gallery.category(i) for i in (origin, north, target)]
    bearing = _object_object_bearing(gallery, pictures, origin, north, target)

    def steps() -> Iterator[ReasoningStep]:
        yield grounded(gallery, origin, pictures[0], 0)
        yield grounded(gallery, north, pictures[0], 0)
        yield grounded(gallery, target, pictures[1], 1)
        yield overlapping(gallery, pictures, 0, 1)
        yield moved(*pictures, 0, 1)
        looking = f"Standing at the {names[0]} and looking north to the {names[1]}"
        yield ReasoningStep("transformation", f"{looking}, the {names[2]} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"With north straight ahead that is {bearing.answer.lower()}.")

    return DirectionCandidate(
        bearing, OBJECT_OBJECT_QUESTION.format(origin=names[0], north=names[1], target=names[2]), steps
    )


def _read_object_object(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    origin, north, target = (gallery.find(match[i], pictures) for i in (1, 2, 3))
    return _object_object_bearing(gallery, pictures, origin, north, target)


OBJECT_OBJECT_FAMILY = direction_family(
    name="mmsi-bench/object-object",
    title="An object of one picture by the compass, from one of the other",
    task=OBJECT_OBJECT_TASK,
    candidates=_object_object_candidates,
    pattern=_OBJECT_OBJECT_PATTERN,
    bearing_of=_read_object_object,
    names=(_OBJECT_OBJECT_PATTERN,),
)


OBJECT_REGION_TASK = "Positional Relationship (Obj.–Reg.)"
OBJECT_REGION_QUESTION = (
    "Suppose that the {north} is exactly to the north of the middle of the {region}. "
    "In which direction from the middle of the {region} is the {target}?"
)
_OBJECT_REGION_PATTERN = re.compile(
    r"Suppose that the (.+) is exactly to the north of the middle of the (.+)\. In which direction .+ is the (.+)\?"
)


def _object_region_bearing(
    gallery: Gallery, pictures: tuple[View, ...], region: RegionView, north: int, target: int
) -> Bearing:
    here, there, ahead = region_spot(region), object_spot(gallery, target), object_spot(gallery, north)
    return Bearing(pictures, here, there, ahead, names=COMPASS)


def _object_region_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    for region in regions_of(gallery).values():
        if not region.clear(gallery, a, (a, b)):
            continue
        for target in gallery.only_in(b, (a, b)):
            for north in gallery.named(a, (a, b)):
                if not ({target, north} & set(region.members) or (region.seen(b) and b.sees((north,)))):
                    yield _object_region_candidate(gallery, (a, b), region, north, target)


def _object_region_candidate(
    gallery: Gallery, pictures: tuple[View, View], region: RegionView, north: int, target: int
) -> DirectionCandidate:
    near, far = gallery.category(north), gallery.category(target)
    bearing = _object_region_bearing(gallery, pictures, region, north, target)

    def steps() -> Iterator[ReasoningStep]:
        anchor = region.anchor(gallery, pictures[0])
        yield grounded(gallery, anchor, pictures[0], 0)
        yield ReasoningStep("grounding", f"The {gallery.category(anchor)} marks the {region.name}.")
        yield grounded(gallery, north, pictures[0], 0)
        yield grounded(gallery, target, pictures[1], 1)
        yield overlapping(gallery, pictures, 0, 1)
        yield moved(*pictures, 0, 1)
        looking = f"Standing in the middle of the {region.name} and looking north to the {near}"
        yield ReasoningStep("transformation", f"{looking}, the {far} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"With north straight ahead that is {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, OBJECT_REGION_QUESTION.format(north=near, region=region.name, target=far), steps)


def _read_object_region(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    north, target = (gallery.find(match[i], pictures) for i in (1, 3))
    return _object_region_bearing(gallery, pictures, regions_of(gallery)[match[2]], north, target)


OBJECT_REGION_FAMILY = direction_family(
    name="mmsi-bench/object-region",
    title="An object by the compass, from a region",
    task=OBJECT_REGION_TASK,
    candidates=_object_region_candidates,
    pattern=_OBJECT_REGION_PATTERN,
    bearing_of=_read_object_region,
)


REGION_REGION_TASK = "Positional Relationship (Reg.–Reg.)"
REGION_REGION_QUESTION = (
    "The camera looked exactly north when it took the {which} image. In which direction from the middle of the "
    "{origin} is the middle of the {target}?"
)
_REGION_REGION_PATTERN = re.compile(
    r"took the (first|second) image\. In which direction from the middle of the (.+) is the middle of the (.+)\?"
)


def _region_region_bearing(pictures: tuple[View, ...], looking: int, origin: RegionView, target: RegionView) -> Bearing:
    here, there = region_spot(origin), region_spot(target)
    return Bearing(pictures, here, there, camera_spot(pictures, looking), names=COMPASS)


def _region_region_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate | Rejected]:
    found = regions_of(gallery)
    for origin in found.values():
        if not origin.clear(gallery, a, (a, b)):
            continue
        for target in found.values():
            if set(origin.members) & set(target.members) or target.seen(a):
                continue
            if not target.clear(gallery, b, (a, b)):
                continue
            yield _region_region_candidate(gallery, (a, b), 0, origin, target)
            # The other way round north is where the picture of the target looks.
            if origin.seen(b):
                yield Rejected(REGION_REGION_TASK, gallery.scene.id, "the first image shows both regions")
            else:
                yield _region_region_candidate(gallery, (b, a), 1, origin, target)


def _region_region_candidate(
    gallery: Gallery, pictures: tuple[View, View], near: int, origin: RegionView, target: RegionView
) -> DirectionCandidate:
    """North is where the first picture looks; `near` is the one that shows the origin."""
    bearing = _region_region_bearing(pictures, 0, origin, target)

    def steps() -> Iterator[ReasoningStep]:
        here, there = origin.anchor(gallery, pictures[near]), target.anchor(gallery, pictures[1 - near])
        yield grounded(gallery, here, pictures[near], near)
        yield grounded(gallery, there, pictures[1 - near], 1 - near)
        marks = f"The {gallery.category(here)} marks the {origin.name} and the {gallery.category(there)} the"
        yield ReasoningStep("grounding", f"{marks} {target.name}.")
        yield overlapping(gallery, pictures, 0, 1)
        yield moved(*pictures, 0, 1)
        looking = f"Standing in the middle of the {origin.name} and looking north as the first image does"
        yield ReasoningStep("transformation", f"{looking}, the {target.name} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"With north straight ahead that is {bearing.answer.lower()}.")

    return DirectionCandidate(
        bearing, REGION_REGION_QUESTION.format(which="first", origin=origin.name, target=target.name), steps
    )


def _read_region_region(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Bearing:
    found = regions_of(gallery)
    return _region_region_bearing(pictures, int(match[1] == "second"), found[match[2]], found[match[3]])


REGION_REGION_FAMILY = direction_family(
    name="mmsi-bench/region-region",
    title="A region by the compass, from a region of the other picture",
    task=REGION_REGION_TASK,
    candidates=_region_region_candidates,
    pattern=_REGION_REGION_PATTERN,
    bearing_of=_read_region_region,
)

FAMILIES = (
    CAMERA_CAMERA_FAMILY,
    CAMERA_OBJECT_FAMILY,
    CAMERA_REGION_FAMILY,
    OBJECT_OBJECT_FAMILY,
    OBJECT_REGION_FAMILY,
    REGION_REGION_FAMILY,
)
