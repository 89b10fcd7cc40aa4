"""Directions between cameras, objects and regions of several pictures. (MMSI-Bench, Table 1.)

Positional relationships are asked of two pictures.

- Camera–camera: where was the second picture's camera, seen from the first's?
- Camera–object and camera–region: where was the thing shown only by the other picture, relative to a camera?
- Object–object: by the compass, where is an object of one picture from one of the other? North is given by two objects
  of the first picture; the second one doesn't see both.
- Object–region: by the compass, where is an object from the middle of a region? North is given by an object of the
  picture that shows the region.
- Region–region: by the compass, where is a region of one picture from one of the other? North is where the first
  picture looks.

Multi-step reasoning asks for a walk from object to object through a chain of overlapping pictures. Each picture of a
chain overlaps with the next; the first and the last don't overlap. One walks from an object of the first picture to one
of another and is asked where an object of the last one is."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from functools import partial

from tolman.generate.families.mmsi_bench.support.bearings import (
    COMPASS,
    Bearing,
    DirectionCandidate,
    RegionView,
    camera_spot,
    direction_family,
    object_spot,
    recomputed,
    region_spot,
    regions_of,
)
from tolman.generate.families.mmsi_bench.support.questions import (
    around,
    grounded,
    moved,
    overlapping,
    some_of_each,
    view_family,
)
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings, gallery, ordinal
from tolman.generate.family import Draft, ReasoningStep, Recomputed, Rejected
from tolman.ground_truth.scene_arrays import SceneGeometry

MULTI_STEP_TASK = "MSR"
MULTI_STEP_QUESTION = (
    "The images show one place. I walk in a straight line from the {start} to the {stop} without turning around. "
    "When I arrive at the {stop}, still facing the way I walked, where is the {target} relative to me?"
)
_MULTI_STEP_PATTERN = re.compile(
    r"straight line from the (.+) to the (.+) without turning around\. .* where is the (.+) relative to me\?"
)


def draft_multi_step(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about chains of every length, drawn at random."""
    shown = gallery(geometry, settings)
    if shown.lack_of_pairs:
        yield Rejected(MULTI_STEP_TASK, geometry.scene.id, shown.lack_of_pairs)
        return
    chains = list(_chains(shown))
    if not chains:
        yield Rejected(MULTI_STEP_TASK, geometry.scene.id, "no chain of overlapping pictures whose ends don't overlap")
    yield from some_of_each((_ask(shown, chain) for chain in chains), settings)


def _chains(gallery: Gallery) -> Iterator[tuple[View, ...]]:
    """Find chains of pictures that each overlap with the next; the first doesn't overlap with the last."""
    generator = random.Random(f"{gallery.scene.id}:{MULTI_STEP_TASK}")
    views, settings = gallery.views, gallery.settings
    made: set[tuple[View, ...]] = set()
    for _ in range(settings.chains):
        length = generator.randint(3, settings.longest)
        chain = [generator.choice(views)] if views else []
        while 0 < len(chain) < length:
            following = [view for view in gallery.neighbours[chain[-1].shot] if view not in chain]
            if not following:
                break
            chain.append(generator.choice(following))
        found = tuple(chain)
        if len(chain) == length and found not in made and not gallery.overlap(chain[0], chain[-1]):
            made.add(found)
            yield found


def _ask(gallery: Gallery, chain: tuple[View, ...]) -> Iterator[Draft | Rejected]:
    first, last = chain[0], chain[-1]
    if not all(gallery.anchors(a, b, chain) for a, b in itertools.pairwise(chain)):
        yield Rejected(MULTI_STEP_TASK, gallery.scene.id, "what two pictures share can't be named among all of them")
        return
    starts = [i for i in gallery.named(first, chain) if not last.sees((i,))]
    targets = [i for i in gallery.named(last, chain) if not first.sees((i,))]
    stops = sorted({i for view in chain[1:-1] for i in gallery.named(view, chain)})
    for start, stop, target in itertools.product(starts, stops, targets):
        if len({start, stop, target}) < 3 or any(all(view.sees((i,)) for i in (start, stop, target)) for view in chain):
            continue
        yield _walk(gallery, chain, start, stop, target).draft(gallery, MULTI_STEP_TASK)


def _walk(gallery: Gallery, chain: tuple[View, ...], start: int, stop: int, target: int) -> DirectionCandidate:
    here, there, behind = (object_spot(gallery, number) for number in (stop, target, start))
    bearing = Bearing(chain, here, there, behind, arriving=True)
    names = [gallery.category(i) for i in (start, stop, target)]

    def steps() -> Iterator[ReasoningStep]:
        middle = next(n for n, view in enumerate(chain) if 0 < n < len(chain) - 1 and stop in gallery.clear(view))
        yield grounded(gallery, start, chain[0], 0)
        yield grounded(gallery, stop, chain[middle], middle)
        yield grounded(gallery, target, chain[-1], len(chain) - 1)
        yield from (overlapping(gallery, chain, n, n + 1) for n in range(len(chain) - 1))
        walked = f"Walking from the {names[0]} to the {names[1]}, I arrive with the {names[0]} straight behind me."
        yield ReasoningStep("transformation", walked)
        yield ReasoningStep("transformation", f"From there the {names[2]} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"So the {names[2]} is to the {bearing.answer.lower()}.")

    return DirectionCandidate(
        bearing, MULTI_STEP_QUESTION.format(start=names[0], stop=names[1], target=names[2]), steps()
    )


def _multi_step_answer(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Recomputed:
    """Return the quadrant that contains the last object."""
    start, stop, target = (gallery.find(match[i], pictures) for i in (1, 2, 3))
    return recomputed(_walk(gallery, pictures, start, stop, target).bearing, gallery.settings)


MULTI_STEP_FAMILY = view_family(
    "mmsi-bench/multi-step",
    "A walk through a chain of overlapping pictures",
    MULTI_STEP_TASK,
    draft_multi_step,
    _multi_step_answer,
    pattern=_MULTI_STEP_PATTERN,
    names=(_MULTI_STEP_PATTERN,),
)


Pictures = tuple[View, ...]


def _marked(gallery: Gallery, region: RegionView, view: View, place: int) -> Iterator[ReasoningStep]:
    """The steps that find a region in a picture."""
    anchor = region.anchor(gallery, view)
    yield grounded(gallery, anchor, view, place)
    yield ReasoningStep("grounding", f"The {gallery.category(anchor)} marks the {region.name}.")


def _to_the_other_camera(
    gallery: Gallery, bearing: Bearing, showing: int, standing: int, name: str, spot: str
) -> Iterator[ReasoningStep]:
    """The steps from the picture that shows something to the camera of the other picture."""
    pictures = bearing.pictures
    yield overlapping(gallery, pictures, showing, standing)
    yield moved(pictures[showing], pictures[standing], showing, standing)
    place = f"From where the {ordinal(standing)} image was taken"
    yield ReasoningStep("transformation", f"{place}, the {spot} is {around(bearing.angle)}.")
    yield ReasoningStep("logic", f"So the {name} was to my {bearing.answer.lower()}.")


def _by_the_compass(gallery: Gallery, bearing: Bearing, standing: str, name: str) -> Iterator[ReasoningStep]:
    """The steps from two pictures of different things to the direction between these."""
    pictures = bearing.pictures
    yield overlapping(gallery, pictures, 0, 1)
    yield moved(pictures[0], pictures[1], 0, 1)
    yield ReasoningStep("transformation", f"{standing}, the {name} is {around(bearing.angle)}.")
    yield ReasoningStep("logic", f"With north straight ahead that is {bearing.answer.lower()}.")


CAMERA_CAMERA_QUESTION = (
    "The two images show the same place from two viewpoints. When I took the first image, where was the camera that "
    "took the second image, relative to me?"
)


def _camera_camera(gallery: Gallery, pictures: Pictures) -> DirectionCandidate:
    here = camera_spot(pictures, 0)
    bearing = Bearing(pictures, here, camera_spot(pictures, 1), here)

    def steps() -> Iterator[ReasoningStep]:
        a, b = pictures
        anchor = gallery.anchors(a, b)[0]
        yield grounded(gallery, anchor, a, 0)
        yield grounded(gallery, anchor, b, 1)
        yield overlapping(gallery, pictures, 0, 1)
        yield moved(a, b, 0, 1)
        yield ReasoningStep(
            "logic",
            f"The second camera is {around(bearing.angle)} as I look in the first image, which is to my "
            f"{bearing.answer.lower()}.",
        )

    return DirectionCandidate(bearing, CAMERA_CAMERA_QUESTION, steps())


CAMERA_CAMERA_FAMILY = direction_family(
    name="mmsi-bench/camera-camera",
    title="The second picture's camera, from the first's",
    task="Positional Relationship (Cam.–Cam.)",
    candidates=lambda gallery, a, b: iter([_camera_camera(gallery, (a, b))]),
    again=lambda gallery, pictures, match: _camera_camera(gallery, pictures),
)


CAMERA_OBJECT_QUESTION = "When I took the {which} image, where was the {name} relative to me?"
_CAMERA_OBJECT_PATTERN = re.compile(r"\AWhen I took the (first|second) image, where was the (.+) relative to me\?")


def _camera_object_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    for standing, showing in ((1, 0), (0, 1)):
        for number in gallery.only_in((a, b)[showing], (a, b)):
            yield _camera_object(gallery, (a, b), standing, number)


def _camera_object(gallery: Gallery, pictures: Pictures, standing: int, number: int) -> DirectionCandidate:
    here, showing, name = camera_spot(pictures, standing), 1 - standing, gallery.category(number)
    bearing = Bearing(pictures, here, object_spot(gallery, number), here)

    def steps() -> Iterator[ReasoningStep]:
        yield grounded(gallery, number, pictures[showing], showing)
        yield from _to_the_other_camera(gallery, bearing, showing, standing, name, name)

    return DirectionCandidate(bearing, CAMERA_OBJECT_QUESTION.format(which=ordinal(standing), name=name), steps())


def _camera_object_again(gallery: Gallery, pictures: Pictures, match: re.Match[str]) -> DirectionCandidate:
    return _camera_object(gallery, pictures, int(match[1] == "second"), gallery.find(match[2], pictures))


CAMERA_OBJECT_FAMILY = direction_family(
    name="mmsi-bench/camera-object",
    title="An object of one picture, from the other's camera",
    task="Positional Relationship (Cam.–Obj.)",
    candidates=_camera_object_candidates,
    pattern=_CAMERA_OBJECT_PATTERN,
    again=_camera_object_again,
    names=(_CAMERA_OBJECT_PATTERN,),
)


CAMERA_REGION_QUESTION = "At the moment of taking the {which} image, where was the middle of the {name} relative to me?"
_CAMERA_REGION_PATTERN = re.compile(
    r"\AAt the moment of taking the (first|second) image, where was the middle of the (.+) relative"
)


def _camera_region_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    pictures = (a, b)
    for standing, showing in ((1, 0), (0, 1)):
        for region in regions_of(gallery).values():
            if not region.seen(pictures[standing]) and region.clear(gallery, pictures[showing], pictures):
                yield _camera_region(gallery, pictures, standing, region)


def _camera_region(gallery: Gallery, pictures: Pictures, standing: int, region: RegionView) -> DirectionCandidate:
    here, showing, name = camera_spot(pictures, standing), 1 - standing, region.name
    bearing = Bearing(pictures, here, region_spot(region), here)

    def steps() -> Iterator[ReasoningStep]:
        yield from _marked(gallery, region, pictures[showing], showing)
        yield from _to_the_other_camera(gallery, bearing, showing, standing, name, f"middle of the {name}")

    return DirectionCandidate(bearing, CAMERA_REGION_QUESTION.format(which=ordinal(standing), name=name), steps())


def _camera_region_again(gallery: Gallery, pictures: Pictures, match: re.Match[str]) -> DirectionCandidate:
    return _camera_region(gallery, pictures, int(match[1] == "second"), regions_of(gallery)[match[2]])


CAMERA_REGION_FAMILY = direction_family(
    name="mmsi-bench/camera-region",
    title="A region of one picture, from the other's camera",
    task="Positional Relationship (Cam.–Reg.)",
    candidates=_camera_region_candidates,
    pattern=_CAMERA_REGION_PATTERN,
    again=_camera_region_again,
)


OBJECT_OBJECT_QUESTION = (
    "Suppose that, seen from the {origin}, the {north} is exactly to the north. "
    "In which direction from the {origin} is the {target}?"
)
_OBJECT_OBJECT_PATTERN = re.compile(
    r"seen from the (.+), the (.+) is exactly to the north\. In which direction from .+ is the (.+)\?"
)


def _object_object_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    known = gallery.named(a, (a, b))
    for target in gallery.only_in(b, (a, b)):
        for origin, north in itertools.permutations(known, 2):
            if not (b.sees((origin,)) and b.sees((north,))):
                yield _object_object(gallery, (a, b), origin, north, target)


def _object_object(gallery: Gallery, pictures: Pictures, origin: int, north: int, target: int) -> DirectionCandidate:
    here, ahead, there = (gallery.category(i) for i in (origin, north, target))
    spot = partial(object_spot, gallery)
    bearing = Bearing(pictures, spot(origin), spot(target), spot(north), names=COMPASS)

    def steps() -> Iterator[ReasoningStep]:
        yield grounded(gallery, origin, pictures[0], 0)
        yield grounded(gallery, north, pictures[0], 0)
        yield grounded(gallery, target, pictures[1], 1)
        standing = f"Standing at the {here} and looking north to the {ahead}"
        yield from _by_the_compass(gallery, bearing, standing, there)

    return DirectionCandidate(bearing, OBJECT_OBJECT_QUESTION.format(origin=here, north=ahead, target=there), steps())


def _object_object_again(gallery: Gallery, pictures: Pictures, match: re.Match[str]) -> DirectionCandidate:
    return _object_object(gallery, pictures, *(gallery.find(match[i], pictures) for i in (1, 2, 3)))


OBJECT_OBJECT_FAMILY = direction_family(
    name="mmsi-bench/object-object",
    title="An object of one picture by the compass, from one of the other",
    task="Positional Relationship (Obj.–Obj.)",
    candidates=_object_object_candidates,
    pattern=_OBJECT_OBJECT_PATTERN,
    again=_object_object_again,
    names=(_OBJECT_OBJECT_PATTERN,),
)


OBJECT_REGION_QUESTION = (
    "Suppose that the {north} is exactly to the north of the middle of the {region}. "
    "In which direction from the middle of the {region} is the {target}?"
)
_OBJECT_REGION_PATTERN = re.compile(
    r"Suppose that the (.+) is exactly to the north of the middle of the (.+)\. In which direction .+ is the (.+)\?"
)


def _object_region_candidates(gallery: Gallery, a: View, b: View) -> Iterator[DirectionCandidate]:
    for region in regions_of(gallery).values():
        if not region.clear(gallery, a, (a, b)):
            continue
        for target in gallery.only_in(b, (a, b)):
            for north in gallery.named(a, (a, b)):
                if not ({target, north} & set(region.members) or (region.seen(b) and b.sees((north,)))):
                    yield _object_region(gallery, (a, b), region, north, target)


def _object_region(
    gallery: Gallery, pictures: Pictures, region: RegionView, north: int, target: int
) -> DirectionCandidate:
    ahead, there = gallery.category(north), gallery.category(target)
    bearing = Bearing(
        pictures, region_spot(region), object_spot(gallery, target), object_spot(gallery, north), names=COMPASS
    )

    def steps() -> Iterator[ReasoningStep]:
        yield from _marked(gallery, region, pictures[0], 0)
        yield grounded(gallery, north, pictures[0], 0)
        yield grounded(gallery, target, pictures[1], 1)
        standing = f"Standing in the middle of the {region.name} and looking north to the {ahead}"
        yield from _by_the_compass(gallery, bearing, standing, there)

    question = OBJECT_REGION_QUESTION.format(north=ahead, region=region.name, target=there)
    return DirectionCandidate(bearing, question, steps())


def _object_region_again(gallery: Gallery, pictures: Pictures, match: re.Match[str]) -> DirectionCandidate:
    north, target = (gallery.find(match[i], pictures) for i in (1, 3))
    return _object_region(gallery, pictures, regions_of(gallery)[match[2]], north, target)


OBJECT_REGION_FAMILY = direction_family(
    name="mmsi-bench/object-region",
    title="An object by the compass, from a region",
    task="Positional Relationship (Obj.–Reg.)",
    candidates=_object_region_candidates,
    pattern=_OBJECT_REGION_PATTERN,
    again=_object_region_again,
)


REGION_REGION_TASK = "Positional Relationship (Reg.–Reg.)"
REGION_REGION_QUESTION = (
    "The camera looked exactly north when it took the {which} image. In which direction from the middle of the "
    "{origin} is the middle of the {target}?"
)
_REGION_REGION_PATTERN = re.compile(
    r"took the (first|second) image\. In which direction from the middle of the (.+) is the middle of the (.+)\?"
)


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
            yield _region_region(gallery, (a, b), origin, target)
            # The other way round north is where the picture of the target looks.
            if origin.seen(b):
                yield Rejected(REGION_REGION_TASK, gallery.scene.id, "the first image shows both regions")
            else:
                yield _region_region(gallery, (b, a), origin, target, near=1)


def _region_region(
    gallery: Gallery, pictures: Pictures, origin: RegionView, target: RegionView, *, near: int = 0, looking: int = 0
) -> DirectionCandidate:
    """North is where the picture `looking` looks; `near` is the one that shows the origin."""
    north = camera_spot(pictures, looking)
    bearing = Bearing(pictures, region_spot(origin), region_spot(target), north, names=COMPASS)

    def steps() -> Iterator[ReasoningStep]:
        here, there = origin.anchor(gallery, pictures[near]), target.anchor(gallery, pictures[1 - near])
        yield grounded(gallery, here, pictures[near], near)
        yield grounded(gallery, there, pictures[1 - near], 1 - near)
        marks = f"The {gallery.category(here)} marks the {origin.name} and the {gallery.category(there)} the"
        yield ReasoningStep("grounding", f"{marks} {target.name}.")
        standing = f"Standing in the middle of the {origin.name} and looking north as the first image does"
        yield from _by_the_compass(gallery, bearing, standing, target.name)

    question = REGION_REGION_QUESTION.format(which=ordinal(looking), origin=origin.name, target=target.name)
    return DirectionCandidate(bearing, question, steps())


def _region_region_again(gallery: Gallery, pictures: Pictures, match: re.Match[str]) -> DirectionCandidate:
    found = regions_of(gallery)
    return _region_region(gallery, pictures, found[match[2]], found[match[3]], looking=int(match[1] == "second"))


REGION_REGION_FAMILY = direction_family(
    name="mmsi-bench/region-region",
    title="A region by the compass, from a region of the other picture",
    task=REGION_REGION_TASK,
    candidates=_region_region_candidates,
    pattern=_REGION_REGION_PATTERN,
    again=_region_region_again,
)

FAMILIES = (
    CAMERA_CAMERA_FAMILY,
    CAMERA_OBJECT_FAMILY,
    CAMERA_REGION_FAMILY,
    OBJECT_OBJECT_FAMILY,
    OBJECT_REGION_FAMILY,
    REGION_REGION_FAMILY,
    MULTI_STEP_FAMILY,
)
