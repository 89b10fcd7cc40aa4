"""Marks of directions and ways: who stands where and looks whither, routes, what is met, what moves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tolman.generate.families.mmsi_bench.support.movers import movers_of
from tolman.generate.families.mmsi_bench.support.regions import regions_of
from tolman.generate.families.spatialbench.causal import CausalSettings, on_roll, on_walk, vehicle
from tolman.generate.families.spatialbench.landmark_pose import SIDES
from tolman.geometry.boxes import Floats
from tolman.geometry.shadows import outline
from tolman.reports.evidence.asked import Asked, PlacedPicture
from tolman.reports.evidence.marks import Mark, nearest_points, objects, places, point, way, wedge

_AHEAD = 1.2
"""Metres of a line of sight that ends nowhere."""
_REACH = 60.0
"""Metres of a straight way within which something is met."""
_WORN = 0.8
"""Metres within which the thing that moves with a worn camera stays of it."""
_TOGETHER = 0.05
"""Metres and parts of a unit vector by which cameras differ that are drawn as one."""


def views(asked: Asked) -> list[Mark]:
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


def direction(asked: Asked) -> list[Mark]:
    """Somebody stands at the first thing that is named, faces the second and looks for the third."""
    if len(asked.named) != 3:
        return []
    return [wedge(*(asked.center(name) for name in asked.named.values()))]


def direction_to_object(asked: Asked) -> list[Mark]:
    """The same, where what is looked for isn't named but stored."""
    here, facing = asked.asked[:2]
    wanted = asked.category(str(asked.evidence["object"]))
    if wanted is None:
        raise KeyError(str(asked.evidence["object"]))
    return [wedge(asked.center(here), asked.center(facing), asked.center(wanted))]


def bearing(asked: Asked) -> list[Mark]:
    """A direction whose ends are stored as places, with the regions that are named."""
    origin, target = (np.array(asked.evidence[key], dtype=float) for key in ("origin", "target"))
    toward = math.atan2(*(target - origin)[::-1])
    ahead = toward - math.radians(float(asked.evidence["angle"]))
    reach = max(_AHEAD, 0.5 * float(np.linalg.norm(target - origin)))
    facing = origin + reach * np.array([math.cos(ahead), math.sin(ahead)])
    regions = [
        {"kind": "area", "rings": [[point(one) for one in region.outline]], "text": name}
        for name, region in regions_of(asked.gallery).items()
        if f"the {name}" in asked.item.question
    ]
    return [*regions, wedge(origin, facing, target)]


def camera_motion(asked: Asked) -> list[Mark]:
    """From where one picture was taken to where the other was."""
    first, second = asked.pictures
    ahead, left, turn = (float(asked.evidence[key]) for key in ("ahead", "left", "turn"))
    text = (
        f"{abs(ahead):.1f} m {'ahead' if ahead > 0 else 'back'}, {abs(left):.1f} m to the "
        f"{'left' if left > 0 else 'right'}, turned {abs(turn):.0f}° to the {'left' if turn > 0 else 'right'}"
    )
    return [way([first.at, second.at], text)]


def motion(asked: Asked) -> list[Mark]:
    """Where each thing that moves was when the pictures were taken."""
    movers = {mover.number: mover for mover in movers_of(asked.gallery)}
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


def _worn_camera(asked: Asked, taken: Sequence[PlacedPicture]) -> list[Floats]:
    """Where the worn camera was when each picture was taken."""
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


def bend(asked: Asked) -> list[Mark]:
    """A line through three things and how it bends at the second."""
    a, corner, b = (asked.center(name) for name in asked.named.values())
    ends = [point(one) for one in (a, corner, b)]
    return [{"kind": "route", "points": ends, "names": list(asked.named)}, wedge(corner, 1.5 * corner - 0.5 * a, b)]


def route(asked: Asked) -> list[Mark]:
    """Stops in their order."""
    known = [stop for stop in asked.evidence["stops"] if stop in asked.geometry.members]
    if len(known) < 2:
        return []
    mark: Mark = {"kind": "route", "points": [point(asked.center(stop)) for stop in known], "names": known}
    facing = asked.evidence.get("facing")
    if isinstance(facing, str) and facing in asked.geometry.members:
        mark["facing"] = point(asked.center(facing))
    return [mark]


def passed(asked: Asked) -> list[Mark]:
    """A straight route, and where on it one is level with each thing."""
    start, end = (name for name in asked.named.values() if name not in asked.evidence["along"])
    here, there = asked.center(start), asked.center(end)
    unit = (there - here) / np.linalg.norm(there - here)
    ordered = sorted(asked.evidence["along"].items(), key=lambda entry: float(entry[1]))
    feet = [here + float(metres) * unit for _, metres in ordered]
    numbers = [str(place) for place in range(1, len(feet) + 1)]
    told = "passed in this order: " + ", ".join(f"{n} {name}" for n, (name, _) in zip(numbers, ordered, strict=True))
    return [way([here, there], f"from the {start} to the {end}"), places(feet, numbers, told)]


def pose(asked: Asked) -> list[Mark]:
    """The place from which two landmarks are seen as told, and what is seen from there."""
    ahead, other = asked.asked[:2]
    right = min(asked.evidence["off"], key=lambda name: float(asked.evidence["off"][name]))
    sides = next(side for side in SIDES if side in asked.item.question)
    place = asked.category(right)
    if place is None:
        raise KeyError(right)
    mark = wedge(asked.center(place), asked.center(ahead), asked.center(other))
    return [{**mark, "text": f"at the {right} the {ahead} is ahead and the {other} {sides}"}]


def met(asked: Asked) -> list[Mark]:
    """A straight way to what is met first."""
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
        raise ValueError("something else is met first")
    return [
        *marks,
        objects(found.category, [found.number]),
        way([here, _touched(asked, [found.number], here, unit)], text),
    ]


def _touched(asked: Asked, numbers: Sequence[int], here: Floats, unit: Floats) -> Floats:
    """Where a way comes nearest to one of some things."""
    ray = here + np.arange(0.0, _REACH, 0.05)[:, None] * unit
    pairs = [nearest_points(outline(asked.geometry.scene.objects[number].box), ray) for number in numbers]
    gaps = [float(np.linalg.norm(a - b)) for a, b in pairs]
    return pairs[gaps.index(min(gaps))][1]


def _after_turn(asked: Asked, named: list[str], text: str) -> list[Mark]:
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


def last_look(asked: Asked) -> list[Mark]:
    """Where the video's camera looks at last, and where the thing is that is asked for."""
    capture = asked.geometry.video_capture
    if capture is None or not capture.poses:
        raise ValueError("where the video's camera was isn't known")
    last = PlacedPicture(0, capture, len(capture.poses) - 1)
    (name,) = asked.named.values()
    return [view(last, "end"), wedge(last.at, last.at + _AHEAD * last.ahead, asked.center(name))]
