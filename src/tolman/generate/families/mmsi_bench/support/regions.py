"""Regions: the named parts of a place, decided from what stands there.

A region is what its kind's anchors and their companions cover: each anchor, with the companions that stand within reach
of it. It is named only where a scene has one of its kind: several anchors count as one region where they are within
reach of each other, else the kind is not asked about. Its outline is the convex hull of its members' boxes on the floor
plan, its middle that hull's centroid. A picture shows it clearly where it shows an anchor clearly; it sees the region
with any pixel of any member.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tolman.generate.families.mmsi_bench.support.views import Gallery, View
from tolman.geometry.boxes import Floats


@dataclass(frozen=True)
class Kind:
    """A kind of region.

    Attributes:
        name: as questions have it.
        anchors: categories, one of which must be there.
        companions: categories that belong to it where they are within reach.
        needed: how many companions it takes.
        reach: metres between boxes' middles.
    """

    name: str
    anchors: frozenset[str]
    companions: frozenset[str] = frozenset()
    needed: int = 0
    reach: float = 1.6


KINDS = (
    Kind("dining area", frozenset({"table"}), frozenset({"chair", "stool"}), 2, 1.5),
    Kind("work area", frozenset({"desk"}), frozenset({"chair", "lamp"}), 0, 1.2),
    Kind("sleeping area", frozenset({"bed", "crib"}), frozenset({"nightstand"}), 0, 1.9),
    Kind("sitting area", frozenset({"sofa"}), frozenset({"armchair"}), 0, 2.0),
    Kind("cooking area", frozenset({"oven", "refrigerator"}), frozenset({"coffee maker"}), 0, 1.8),
    Kind("washing area", frozenset({"sink", "toilet", "bidet", "bathtub", "shower"}), frozenset(), 0, 2.0),
    Kind("games area", frozenset({"pool table", "foosball table"}), frozenset(), 0, 2.5),
    Kind("entrance", frozenset({"door"}), frozenset(), 0, 1.0),
    Kind("bus stop", frozenset({"bus stop"}), frozenset(), 0, 2.0),
    Kind("picnic area", frozenset({"picnic table"}), frozenset(), 0, 2.0),
)


@dataclass(frozen=True, eq=False)
class RegionView:
    """A part of a place.

    Attributes:
        name: of its kind.
        anchors, members: objects' numbers in the scene; anchors are members.
        outline: corners on the floor plan, metres, shape (n, 2).
        middle: its centroid, shape (2,).
    """

    name: str
    anchors: tuple[int, ...]
    members: tuple[int, ...]
    outline: Floats
    middle: Floats

    def clear(self, gallery: Gallery, view: View, shown: Sequence[View]) -> bool:
        """Whether a picture shows one of its anchors clearly and without doubt about its name."""
        return any(i in gallery.clear(view) and gallery.nameable(i, shown) for i in self.anchors)

    def anchor(self, gallery: Gallery, view: View) -> int:
        """The number of its first anchor that a picture shows clearly.

        Raises:
            StopIteration: it shows none; see `clear`.
        """
        return next(i for i in self.anchors if i in gallery.clear(view))

    def seen(self, view: View) -> bool:
        """Whether a picture sees any of it."""
        return view.sees(self.members)


@lru_cache(maxsize=2)
def regions_of(gallery: Gallery) -> dict[str, RegionView]:
    """The regions of a scene, by name."""
    import shapely

    found = {}
    for kind in KINDS:
        anchors = [i for i in sorted(gallery.still) if gallery.category(i) in kind.anchors]
        if not anchors or not _together(gallery, anchors, kind.reach):
            continue
        near = [
            i
            for i in sorted(gallery.still)
            if gallery.category(i) in kind.companions and _nearest(gallery, i, anchors) <= kind.reach
        ]
        if len(near) < kind.needed:
            continue
        members = (*anchors, *near)
        corners = np.concatenate([gallery.outline(i) for i in members])
        hull = shapely.MultiPoint(corners).convex_hull
        if not isinstance(hull, shapely.Polygon):
            continue
        middle = np.array(hull.centroid.coords[0])
        outline = np.array(hull.exterior.coords)[:-1]
        found[kind.name] = RegionView(kind.name, tuple(anchors), members, outline, middle)
    return found


def _nearest(gallery: Gallery, number: int, others: Iterable[int]) -> float:
    here = gallery.center(number)
    return min(float(np.linalg.norm(gallery.center(i) - here)) for i in others)


def _together(gallery: Gallery, anchors: Sequence[int], reach: float) -> bool:
    """Tell whether a chain of steps within reach leads through all anchors."""
    reached, left = [anchors[0]], list(anchors[1:])
    while left:
        following = next((i for i in left if _nearest(gallery, i, reached) <= reach), None)
        if following is None:
            return False
        reached.append(following)
        left.remove(following)
    return True
