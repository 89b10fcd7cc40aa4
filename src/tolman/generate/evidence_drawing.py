"""An item's evidence as marks on the floor plan of its scene: the one place that chooses the marks.

Measured evidence gives distances, sizes, areas, gaps and times of first sight. Directed evidence gives observers with
their facing, routes, the objects met on a way, and movers. The marks depend on the content of the evidence (a distance,
an angle at an origin, stops …), not on the item's family.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tolman.errors import TolmanError
from tolman.generate.families.mmsi_bench.motion_questions import movers_of
from tolman.generate.families.mmsi_bench.support.bearings import regions_of
from tolman.generate.families.mmsi_bench.support.views import ViewSettings, gallery
from tolman.generate.families.spatialbench.causal import CausalSettings, on_roll, on_walk, to_load, vehicle
from tolman.generate.families.spatialbench.landmark_reasoning import SIDES
from tolman.geometry.boxes import Floats
from tolman.geometry.ground_plane import outline
from tolman.ground_truth.question_families import family_of
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import LETTERS, Item
from tolman.reports.evidence_marks import (
    DrawnEvidence,
    DrawnQuestion,
    Mark,
    PlacedPicture,
    line,
    nearest_pair,
    nearest_points,
    objects,
    places,
    point,
    way,
    wedge,
)


def counted(asked: DrawnQuestion) -> list[Mark]:
    """The things that are counted, with their number where it is stored."""
    stored = asked.evidence.get("counts") or {name: asked.evidence.get("count") for name in asked.named.values()}
    found = []
    for name, category in asked.things.items():
        members = asked.geometry.members[category]
        count = stored.get(name, stored.get(category))
        text = {"text": f"{name}: {int(count)}"} if count is not None else {}
        found.append({**objects(name, members), **text})
    return found


def distance(asked: DrawnQuestion) -> list[Mark]:
    """Between the two things that a question names; of several of a kind the pair that is as far apart as stored."""
    first, *others = asked.named.values()
    if len(others) != 1:
        return []
    pairs = [(a, b) for a in asked.meant(first) for b in asked.meant(others[0])]
    stored = asked.evidence.get("distance")
    if stored is None or not asked.pictures:
        return [line(asked.geometry, *nearest_pair(asked.geometry, *zip(*pairs, strict=True)), others[0])]
    nearest = min(pairs, key=lambda pair: abs(asked.geometry.between(*pair) - float(stored)))
    return [line(asked.geometry, *nearest, others[0])]


def distances(asked: DrawnQuestion) -> list[Mark]:
    """From the thing that the options are compared by to each of them."""
    if len(asked.asked) != 1:
        return []
    (primary,) = asked.asked
    members = asked.geometry.members
    if len(members[primary]) == 1 and asked.geometry.scene.objects[members[primary][0]].track:
        return _to_load(asked, primary)
    return [
        line(asked.geometry, *nearest_pair(asked.geometry, members[primary], members[name]), name)
        for name in asked.options.values()
    ]


def _to_load(asked: DrawnQuestion, load: str) -> list[Mark]:
    """Mark distances from the first or the last place of a carried thing, whichever the stored distances are of."""
    (number,) = asked.geometry.members[load]
    track, stored = asked.geometry.scene.objects[number].track, asked.evidence["distances"]
    names = [name for name in asked.options.values() if name in stored]

    def off(moved: bool) -> float:
        found = to_load(asked.geometry, load, names, moved=moved)
        return sum(abs(found[name] - float(stored[name])) for name in names)

    moved = off(True) < off(False)
    here = np.array(track[-1 if moved else 0].center)[:2]
    where = "after it was carried" if moved else "before it was carried"
    marks = [places([here], [""], f"where the {load} is {where}")]
    for name in names:
        corners = outline(asked.geometry.scene.objects[_nearest_to(asked, name, here)].box)
        end, _ = nearest_points(corners, np.array([here, here + 1e-6]))
        marks.append(
            {
                "kind": "line",
                "from": point(here),
                "to": point(end),
                "metres": round(float(stored[name]), 3),
                "name": name,
            }
        )
    return marks


def _nearest_to(asked: DrawnQuestion, name: str, here: Floats) -> int:
    centers = asked.geometry.boxes.centers
    return min(asked.geometry.members[name], key=lambda i: float(np.linalg.norm(centers[i, :2] - here)))


def hops(asked: DrawnQuestion) -> list[Mark]:
    """Mark the thing that another one names, and the further steps from there."""
    number = asked.number_of(asked.evidence["first"]["of"])
    kind, landmark, *rest = asked.named.values()
    anchor = asked.meant(landmark)[0]
    marks = [line(asked.geometry, anchor, number, kind)]
    here = asked.geometry.boxes.centers[number, :2]
    if len(rest) == 2:
        return [*marks, wedge(here, asked.center(rest[0]), asked.center(rest[1]))]
    ends = [asked.meant(name)[0] for name in asked.options.values()]
    return marks + [line(asked.geometry, number, end, asked.geometry.scene.objects[end].category) for end in ends]


def size(asked: DrawnQuestion) -> list[Mark]:
    """The box that is measured, and its measures."""
    (name,) = asked.named.values()
    number = asked.meant(name)[0]
    stored = asked.evidence.get("extents", asked.geometry.boxes.extents[number])
    text = " × ".join(f"{100 * float(length):.0f}" for length in sorted(stored, reverse=True)) + " cm"
    return [{"kind": "size", "object": number, "text": text}]


def area(asked: DrawnQuestion) -> list[Mark]:
    """The floor and its area."""
    rings = asked.geometry.scene.floor
    if not rings:
        raise ValueError("the scene's floor isn't known")
    stored = asked.evidence.get("area", asked.geometry.scene.room_area)
    text = "" if stored is None else f"{float(stored):.1f} m²"
    return [{"kind": "area", "rings": [[point(one) for one in ring] for ring in rings], "text": text}]


def gap(asked: DrawnQuestion) -> list[Mark]:
    """The gap between two things on the floor plan."""
    first, second = asked.named.values()
    pair = nearest_pair(asked.geometry, asked.meant(first), asked.meant(second))
    ends = nearest_points(*(outline(asked.geometry.scene.objects[number].box) for number in pair))
    metres = round(float(asked.evidence["gap_cm"]) / 100, 3)
    return [{"kind": "line", "from": point(ends[0]), "to": point(ends[1]), "metres": metres, "name": second}]


def first_sights(asked: DrawnQuestion) -> list[Mark]:
    """Mark where the video's camera was when it first saw each kind of thing."""
    capture = asked.geometry.video_capture
    if capture is None or not capture.poses:
        raise ValueError("where the video's camera was isn't known")
    times = np.array(capture.times) - capture.times[0]
    sightings: dict[int, set[str]] = {}
    for one in capture.sightings:
        sightings.setdefault(one.frame, set()).add(one.object)
    marks: list[Mark] = []
    stored = sorted(asked.evidence["first_seen"].items(), key=lambda entry: float(entry[1]))
    for order, (name, seconds) in enumerate(stored, start=1):
        category = asked.category(name)
        if category is None:
            continue
        frame = int(np.abs(times - float(seconds)).argmin())
        here = capture.pose(frame)[:2, 3]
        centers = asked.geometry.boxes.centers
        members = asked.geometry.members[category]
        seen = [i for i in members if asked.geometry.scene.objects[i].id in sightings.get(frame, ())] or members
        there = min((centers[i, :2] for i in seen), key=lambda end: math.dist(end, here))
        text = f"{order}: {name} first seen at {float(seconds):.1f} s"
        marks.append({"kind": "sight", "at": point(here), "to": point(there), "name": str(order), "text": text})
    return marks


_AHEAD = 1.2
"""Metres of a line of sight that ends nowhere."""
_REACH = 60.0
"""Metres of a straight way within which something is met."""
_WORN = 0.8
"""Metres within which the thing that moves with a worn camera stays of it."""
_TOGETHER = 0.05
"""Metres and parts of a unit vector by which cameras differ that are drawn as one."""


def views(asked: DrawnQuestion) -> list[Mark]:
    """The cameras of a question's pictures; pictures of one place and direction share one."""
    groups: list[list[PlacedPicture]] = []
    for picture in asked.pictures:
        alike = (g for g in groups if _same(g[0].at, picture.at) and _same(g[0].ahead, picture.ahead))
        group = next(alike, None)
        if group is None:
            groups.append([picture])
        else:
            group.append(picture)
    return [view(group[0], ", ".join(str(picture.place) for picture in group)) for group in groups]


def view(picture: PlacedPicture, name: str) -> Mark:
    """A camera and its angle of view."""
    at, ahead = point(picture.at), point(picture.ahead)
    return {"kind": "view", "name": name, "at": at, "ahead": ahead, "half": round(picture.half, 1)}


def _same(a: Floats, b: Floats) -> bool:
    return float(np.linalg.norm(a - b)) < _TOGETHER


def direction(asked: DrawnQuestion) -> list[Mark]:
    """Mark the direction of an observer at the first thing named, who faces the second and looks for the third."""
    if len(asked.named) != 3:
        return []
    return [wedge(*(asked.center(name) for name in asked.named.values()))]


def direction_to_object(asked: DrawnQuestion) -> list[Mark]:
    """Mark the same direction, if the target isn't named but stored."""
    here, facing = asked.asked[:2]
    wanted = asked.category(str(asked.evidence["object"]))
    if wanted is None:
        raise KeyError(str(asked.evidence["object"]))
    return [wedge(asked.center(here), asked.center(facing), asked.center(wanted))]


def bearing(asked: DrawnQuestion) -> list[Mark]:
    """A direction whose ends are stored as places, with the regions that are named."""
    origin, target = (np.array(asked.evidence[key], dtype=float) for key in ("origin", "target"))
    toward = math.atan2(*(target - origin)[::-1])
    ahead = toward - math.radians(float(asked.evidence["angle"]))
    reach = max(_AHEAD, 0.5 * float(np.linalg.norm(target - origin)))
    facing = origin + reach * np.array([math.cos(ahead), math.sin(ahead)])
    regions = [
        {"kind": "area", "rings": [[point(one) for one in region.outline]], "text": name}
        for name, region in regions_of(gallery(asked.geometry, ViewSettings())).items()
        if f"the {name}" in asked.item.question
    ]
    return [*regions, wedge(origin, facing, target)]


def camera_motion(asked: DrawnQuestion) -> list[Mark]:
    """From where one picture was taken to where the other was."""
    first, second = asked.pictures
    ahead, left, turn = (float(asked.evidence[key]) for key in ("ahead", "left", "turn"))
    text = (
        f"{abs(ahead):.1f} m {'ahead' if ahead > 0 else 'back'}, {abs(left):.1f} m to the "
        f"{'left' if left > 0 else 'right'}, turned {abs(turn):.0f}° to the {'left' if turn > 0 else 'right'}"
    )
    return [way([first.at, second.at], text)]


def motion(asked: DrawnQuestion) -> list[Mark]:
    """Mark where each moving thing was when the pictures were taken."""
    movers = {mover.number: mover for mover in movers_of(gallery(asked.geometry, ViewSettings()))}
    cues = [asked.evidence.get("clue"), *(asked.evidence.get("clues") or ())]
    cues += [one.get("clue") for one in asked.evidence.get("others") or ()]
    wanted = [number for name in asked.named.values() for number in asked.meant(name) if number in movers]
    wanted += [number for number in movers if asked.geometry.scene.objects[number].id in cues]
    taken = sorted(asked.pictures, key=lambda picture: picture.seconds)
    worn = _worn_camera(asked, taken) if "wearer" in cues else []
    marks: list[Mark] = []
    for number in dict.fromkeys(wanted):
        at = [movers[number].place(picture.seconds) for picture in taken]
        if worn and max(float(np.linalg.norm(a - b)) for a, b in zip(at, worn, strict=True)) < _WORN:
            continue  # it is who wears the camera
        marks += _moved(asked.geometry.scene.objects[number].category, at, taken, taken)
    # The pictures that a worn camera took are marked as cameras already.
    others = [picture for picture in taken if picture.capture.role != "ego"]
    return marks + (_moved("worn camera", worn, taken, others) if worn else [])


def _worn_camera(asked: DrawnQuestion, taken: Sequence[PlacedPicture]) -> list[Floats]:
    """Return where the worn camera was when each picture was taken."""
    ego = next((one for one in asked.geometry.captures if one.role == "ego" and one.poses), None)
    if ego is None:
        return []
    times = np.array(ego.times) + ego.offset
    frames = [int(np.abs(times - picture.seconds).argmin()) for picture in taken]
    return [np.asarray(ego.pose(frame)[:2, 3]) for frame in frames]


def _moved(
    name: str, at: Sequence[Floats], taken: Sequence[PlacedPicture], numbered: Sequence[PlacedPicture]
) -> list[Mark]:
    """A way through the places at the pictures' times, some of them with the numbers of the pictures."""
    groups: list[tuple[Floats, list[str]]] = []
    for place, picture in zip(at, taken, strict=True):
        if not groups or not _same(groups[-1][0], place):
            groups.append((place, []))
        if picture in numbered:
            groups[-1][1].append(str(picture.place))
    told = f"the {name} is at the numbered places when the pictures are taken"
    shown = [(place, ", ".join(numbers)) for place, numbers in groups if numbers]
    gone = [way([place for place, _ in groups], "")] if len(groups) > 1 else []
    return gone + ([places([p for p, _ in shown], [n for _, n in shown], told)] if shown else [])


def bend(asked: DrawnQuestion) -> list[Mark]:
    """A line through three things and how it bends at the second."""
    a, corner, b = (asked.center(name) for name in asked.named.values())
    ends = [point(one) for one in (a, corner, b)]
    return [{"kind": "route", "points": ends, "names": list(asked.named)}, wedge(corner, 1.5 * corner - 0.5 * a, b)]


def route(asked: DrawnQuestion) -> list[Mark]:
    """Stops in their order."""
    known = [stop for stop in asked.evidence["stops"] if stop in asked.geometry.members]
    if len(known) < 2:
        return []
    mark: Mark = {"kind": "route", "points": [point(asked.center(stop)) for stop in known], "names": known}
    facing = asked.evidence.get("facing")
    if isinstance(facing, str) and facing in asked.geometry.members:
        mark["facing"] = point(asked.center(facing))
    return [mark]


def passed(asked: DrawnQuestion) -> list[Mark]:
    """A straight route, and where on it one is level with each thing."""
    start, end = (name for name in asked.named.values() if name not in asked.evidence["along"])
    here, there = asked.center(start), asked.center(end)
    unit = (there - here) / np.linalg.norm(there - here)
    ordered = sorted(asked.evidence["along"].items(), key=lambda entry: float(entry[1]))
    feet = [here + float(metres) * unit for _, metres in ordered]
    numbers = [str(place) for place in range(1, len(feet) + 1)]
    told = "passed in this order: " + ", ".join(f"{n} {name}" for n, (name, _) in zip(numbers, ordered, strict=True))
    return [way([here, there], f"from the {start} to the {end}"), places(feet, numbers, told)]


def pose(asked: DrawnQuestion) -> list[Mark]:
    """Mark the place from which two landmarks are seen as in the question, and the view from there."""
    ahead, other = asked.asked[:2]
    right = min(asked.evidence["off"], key=lambda name: float(asked.evidence["off"][name]))
    sides = next(side for side in SIDES if side in asked.item.question)
    place = asked.category(right)
    if place is None:
        raise KeyError(right)
    mark = wedge(asked.center(place), asked.center(ahead), asked.center(other))
    return [{**mark, "text": f"at the {right} the {ahead} is ahead and the {other} {sides}"}]


def met(asked: DrawnQuestion) -> list[Mark]:
    """Mark a straight way to the first thing met."""
    metres, settings = float(asked.evidence["metres"]), CausalSettings()
    named = list(asked.named.values())
    text = f"meets the {asked.item.answer_text or 'answer'} after {metres:.1f} m"
    if "turn left" in asked.item.question or "turn right" in asked.item.question:
        return _after_turn(asked, named, text)
    if asked.item.question.startswith("If a person"):
        start, end = named
        here, there = asked.center(start), asked.center(end)
        found = on_walk(asked.geometry, start, end, settings)
        unit = (there - here) / np.linalg.norm(there - here)
        marks = [way([here, there], f"from the {start} towards the {end}", aimed=True)]
    else:
        number, _ = vehicle(asked.geometry, named[0], named[1] if len(named) > 1 else None, settings)
        back = "reverses" in asked.item.question
        here = asked.geometry.boxes.centers[number, :2]
        found = on_roll(
            asked.geometry, number, "reverses straight back" if back else "accelerates straight ahead", settings
        )
        ahead = asked.geometry.boxes.axes[number, 1, :2] * (-1 if back else 1)
        unit = ahead / np.linalg.norm(ahead)
        marks = [objects(named[0], [number])]
    if found is None or found.category != asked.category(asked.item.answer_text or ""):
        raise ValueError("another object is met first")
    return [
        *marks,
        objects(found.category, [found.number]),
        way([here, _touched(asked, [found.number], here, unit)], text),
    ]


def _touched(asked: DrawnQuestion, numbers: Sequence[int], here: Floats, unit: Floats) -> Floats:
    """Return where a way comes nearest to one of some things."""
    ray = here + np.arange(0.0, _REACH, 0.05)[:, None] * unit
    pairs = [nearest_points(outline(asked.geometry.scene.objects[number].box), ray) for number in numbers]
    gaps = [float(np.linalg.norm(a - b)) for a, b in pairs]
    return pairs[gaps.index(min(gaps))][1]


def _after_turn(asked: DrawnQuestion, named: list[str], text: str) -> list[Mark]:
    start, corner = named[:2]
    here, there = asked.center(start), asked.center(corner)
    unit = (there - here) / np.linalg.norm(there - here)
    side = 1.0 if "turn left" in asked.item.question else -1.0
    onward = side * np.array([-unit[1], unit[0]])
    answer = asked.category(asked.item.answer_text or "")
    if answer is None:
        raise KeyError(asked.item.answer_text)
    members = asked.geometry.members[answer]
    return [objects(answer, members), way([here, there, _touched(asked, members, there, onward)], text)]


def last_look(asked: DrawnQuestion) -> list[Mark]:
    """Mark the camera's last view in the video, and the place of the thing asked for."""
    capture = asked.geometry.video_capture
    if capture is None or not capture.poses:
        raise ValueError("where the video's camera was isn't known")
    last = PlacedPicture(0, capture, len(capture.poses) - 1)
    (name,) = asked.named.values()
    return [view(last, "end"), wedge(last.at, last.at + _AHEAD * last.ahead, asked.center(name))]


def clip(asked: DrawnQuestion) -> list[Mark]:
    """The way of the camera through the clip that is shown, and its stored part."""
    ((name, first, last),) = asked.evidence["shots"]
    capture = next(one for one in asked.geometry.captures if one.id == name)
    taken = np.array([capture.pose(frame)[:2, 3] for frame in range(int(first), int(last) + 1)])
    taken = taken[np.isfinite(taken).all(1)]
    start, end = taken[0], taken[-1]
    if "displacement" in asked.evidence:
        metres = round(float(asked.evidence["displacement"]), 3)
        straight: Mark = {"kind": "line", "from": point(start), "to": point(end), "metres": metres, "name": "end"}
        return [way(taken, "the camera's way"), straight]
    if "speed" in asked.evidence:
        return [way(taken, f"the camera's way, at {float(asked.evidence['speed']):.2f} m/s")]
    facing = start + _AHEAD * asked.pictures[0].ahead
    return [way(taken, "the camera's way"), wedge(start, facing, end)]


def taken_in_order(asked: DrawnQuestion) -> list[Mark]:
    """From picture to picture in the order in which they were taken."""
    ordered = sorted(asked.pictures, key=lambda picture: picture.seconds)
    return [way([picture.at for picture in ordered], "in the order in which the pictures were taken")]


def next_picture(asked: DrawnQuestion) -> list[Mark]:
    """From where the first picture was taken to where the right one was."""
    first, *options = asked.pictures
    right = options[LETTERS.index(asked.item.answer)]
    return [way([first.at, right.at], f"to the picture of option {asked.item.answer}")]


Draw = Callable[[DrawnQuestion], list[Mark]]

BY_EVIDENCE: tuple[tuple[frozenset[str], Draw], ...] = (
    (frozenset({"origin", "target", "angle"}), bearing),
    (frozenset({"shots", "displacement"}), clip),
    (frozenset({"shots", "speed"}), clip),
    (frozenset({"shots", "motions"}), next_picture),
    (frozenset({"shots", "ahead", "left", "turn"}), camera_motion),
    (frozenset({"shots", "facing", "distance"}), motion),
    (frozenset({"shots", "clue", "seconds"}), motion),
    (frozenset({"shots", "clues", "seconds"}), motion),
    (frozenset({"shots", "bend"}), bend),
    (frozenset({"first", "second"}), hops),
    (frozenset({"object", "margin"}), direction_to_object),
    (frozenset({"gap_cm"}), gap),
    (frozenset({"distances"}), distances),
    (frozenset({"distance"}), distance),
    (frozenset({"extents"}), size),
    (frozenset({"area"}), area),
    (frozenset({"first_seen"}), first_sights),
    (frozenset({"stops"}), route),
    (frozenset({"along", "beside"}), passed),
    (frozenset({"off"}), pose),
    (frozenset({"metres"}), met),
    (frozenset({"shots", "angle", "margin"}), clip),
    (frozenset({"angle"}), direction),
    (frozenset({"count"}), counted),
    (frozenset({"counts"}), counted),
    (frozenset({"shots", "seconds"}), taken_in_order),
)
"""What is drawn of evidence that has these keys; the first that fits."""

WITHOUT_EVIDENCE: Mapping[str, Draw] = {
    "vsi-bench/counting": counted,
    "vsi-bench/object-size": size,
    "vsi-bench/room-size": area,
    "vsi-bench/absolute-distance": distance,
    "vsi-bench/relative-distance": distances,
    "vsi-bench/relative-direction": direction,
    "spatialbench/absolute-distance": distance,
    "spatialbench/relative-distance": distances,
    "spatialbench/relative-direction": direction,
    "spatialbench/commands": last_look,
}
"""What is drawn of families whose questions name all that there is to draw, as released ones, which store nothing."""


def evidence_on_plan(item: Item, geometry: SceneGeometry) -> DrawnEvidence:
    """Return the marks on the plan of an item's scene.

    Args:
        item: the question, whose evidence may come from anywhere.
        geometry: its scene.
    """
    asked = DrawnQuestion(item, geometry)
    marks: list[Mark] = []
    try:
        marks += [objects(name, asked.meant(category)) for name, category in asked.things.items()]
        draw = _rule_for(item)
        further = draw(asked) if draw is not None else []
        marks += [*further, *views(asked)]
    # Stored evidence may be of another scene or of any shape: whatever is wrong with it, the plan is still shown.
    except (TolmanError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, StopIteration) as error:
        return DrawnEvidence(
            marks, f"The evidence isn't drawn: it doesn't fit the scene ({type(error).__name__}: {error})."
        )
    return DrawnEvidence(marks, "" if further else _why_nothing(item))


def _rule_for(item: Item) -> Draw | None:
    keys = set(item.evidence)
    found = next((draw for needed, draw in BY_EVIDENCE if needed <= keys), None)
    if found is not None:
        return found
    family = family_of(item)
    return WITHOUT_EVIDENCE.get(family.name) if family is not None else None


def _why_nothing(item: Item) -> str:
    family = family_of(item)
    if family is None:
        return "The evidence isn't drawn: no question family that is installed knows this question."
    stored = ", ".join(key for key in item.evidence if key not in ("choices", "needed_frames", "key_frames"))
    return f"The evidence isn't drawn: {family.name} stores {stored or 'none'}, which has no place on a plan."
