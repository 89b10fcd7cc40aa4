"""Marks of what is counted and measured: distances, sizes, areas, gaps, times of first sight."""

from __future__ import annotations

import math

import numpy as np

from tolman.generate.families.spatialbench.causal import to_load
from tolman.geometry.boxes import Floats
from tolman.geometry.shadows import outline
from tolman.reports.evidence.asked import Asked
from tolman.reports.evidence.marks import Mark, line, nearest_pair, nearest_points, objects, places, point, wedge


def counted(asked: Asked) -> list[Mark]:
    """The things that are counted, with their number where it is stored."""
    stored = asked.evidence.get("counts") or {name: asked.evidence.get("count") for name in asked.named.values()}
    found = []
    for name, category in asked.things.items():
        members = asked.geometry.members[category]
        count = stored.get(name, stored.get(category))
        text = {"text": f"{name}: {int(count)}"} if count is not None else {}
        found.append({**objects(name, members), **text})
    return found


def distance(asked: Asked) -> list[Mark]:
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


def distances(asked: Asked) -> list[Mark]:
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


def _to_load(asked: Asked, load: str) -> list[Mark]:
    """From where something that is carried lies at first, or at last, whichever the stored distances are of."""
    (number,) = asked.geometry.members[load]
    track, stored = asked.geometry.scene.objects[number].track, asked.evidence["distances"]
    names = [name for name in asked.options.values() if name in stored]

    def off(moved: bool) -> float:
        found = to_load(asked.geometry, load, names, moved=moved)
        return sum(abs(found[name] - float(stored[name])) for name in names)

    moved = off(True) < off(False)
    here = np.array(track[-1 if moved else 0].center)[:2]
    where = "after it was carried" if moved else "before it was carried"
    marks = [places([here], [""], f"where the {load} lies {where}")]
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


def _nearest_to(asked: Asked, name: str, here: Floats) -> int:
    centers = asked.geometry.boxes.centers
    return min(asked.geometry.members[name], key=lambda i: float(np.linalg.norm(centers[i, :2] - here)))


def hops(asked: Asked) -> list[Mark]:
    """The thing that another one names, and what is asked from there on."""
    number = asked.number_of(asked.evidence["first"]["of"])
    kind, landmark, *rest = asked.named.values()
    anchor = asked.meant(landmark)[0]
    marks = [line(asked.geometry, anchor, number, kind)]
    here = asked.geometry.boxes.centers[number, :2]
    if len(rest) == 2:
        return [*marks, wedge(here, asked.center(rest[0]), asked.center(rest[1]))]
    ends = [asked.meant(name)[0] for name in asked.options.values()]
    return marks + [line(asked.geometry, number, end, asked.geometry.scene.objects[end].category) for end in ends]


def size(asked: Asked) -> list[Mark]:
    """The box that is measured, and its measures."""
    (name,) = asked.named.values()
    number = asked.meant(name)[0]
    stored = asked.evidence.get("extents", asked.geometry.boxes.extents[number])
    text = " × ".join(f"{100 * float(length):.0f}" for length in sorted(stored, reverse=True)) + " cm"
    return [{"kind": "size", "object": number, "text": text}]


def area(asked: Asked) -> list[Mark]:
    """The floor and its area."""
    rings = asked.geometry.scene.floor
    if not rings:
        raise ValueError("the scene's floor isn't known")
    stored = asked.evidence.get("area", asked.geometry.scene.room_area)
    text = "" if stored is None else f"{float(stored):.1f} m²"
    return [{"kind": "area", "rings": [[point(one) for one in ring] for ring in rings], "text": text}]


def gap(asked: Asked) -> list[Mark]:
    """The gap between two things on the floor plan."""
    first, second = asked.named.values()
    pair = nearest_pair(asked.geometry, asked.meant(first), asked.meant(second))
    ends = nearest_points(*(outline(asked.geometry.scene.objects[number].box) for number in pair))
    metres = round(float(asked.evidence["gap_cm"]) / 100, 3)
    return [{"kind": "line", "from": point(ends[0]), "to": point(ends[1]), "metres": metres, "name": second}]


def first_sights(asked: Asked) -> list[Mark]:
    """Where the video's camera was when it first saw each kind of thing."""
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
