"""Marks of objects on posed pictures, and which of them are of one object."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tolman.extras import scipy
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import project
from tolman.scenes import OrientedBox

Ints = NDArray[np.int64]
_ALIKE, _OTHER_LABEL = 0.5, 0.7
"""Share of common points from which marks are of one object: with the same label, and with different ones or tracks."""
_PAIRS = 4
"""Pairs of marks that show that two tracks are of one thing."""
_IN_PLACE = 0.6
"""Share of a mask's bounds inside those of a box in its picture from which the mask is of that object, as other things
may hide parts of it."""
_DISTANCES = tuple(np.geomspace(1.0, 30.0, 64).tolist())
"""Metres along the ray of a mask at which other pictures are asked for it."""
_INNER = 0.3
"""Share of the width and height of a mask's bounds, to each side of their middle, in which such a place must be."""


@dataclass(frozen=True)
class Mark:
    """One object in one picture.

    Attributes:
        view: the number of its picture.
        value: of its pixels in the picture's labels, from 1.
        label: its category.
        track: its identity over pictures; None where that isn't known.
    """

    view: int
    value: int
    label: str
    track: str | None = None


@dataclass(frozen=True)
class MarkedView:
    """One picture with its marks.

    Attributes:
        pose: camera → scene, looking along +z with y down, shape (4, 4).
        intrinsics: fx, fy, cx, cy in pixels of the labels.
        labels: the mark of each pixel, 0 for none, shape (height, width).
        depth: metres along the view at any resolution, 0 for no reading; None without.
    """

    pose: Floats
    intrinsics: tuple[float, float, float, float]
    labels: Ints
    depth: Floats | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.labels.shape[1], self.labels.shape[0]


def joined(marks: Sequence[Mark], pairs: Ints, shares: Floats) -> list[list[int]]:
    """Groups of marks of one object each: those of a track, and those joined by pairs, the surest first.

    A group holds one mark of a picture.
    """
    group = list(range(len(marks)))
    members = {i: [i] for i in group}
    tracks: dict[str, int] = {}

    def union(a: int, b: int) -> None:
        for i in members[b]:
            group[i] = a
        members[a] += members.pop(b)

    for i, mark in enumerate(marks):
        if mark.track is not None and tracks.setdefault(mark.track, i) != i:
            union(tracks[mark.track], i)
    again = _found_again(marks, pairs, shares)
    for i in np.argsort(-shares, kind="stable").tolist():
        one, other = pairs[i].tolist()
        a, b = group[one], group[other]
        enough = _ALIKE if marks[one].label == marks[other].label else _OTHER_LABEL
        if a == b or shares[i] < enough:
            continue
        if marks[a].track is not None and marks[b].track is not None and _tracks(marks, one, other) not in again:
            continue
        if not {marks[k].view for k in members[a]} & {marks[k].view for k in members[b]}:
            union(*((a, b) if marks[b].track is None else (b, a)))
    return sorted(sorted(one) for one in members.values())


def _tracks(marks: Sequence[Mark], one: int, other: int) -> frozenset[str | None]:
    return frozenset((marks[one].track, marks[other].track))


def _found_again(marks: Sequence[Mark], pairs: Ints, shares: Floats) -> set[frozenset[str | None]]:
    """Pairs of tracks of one thing: trackers lose things and find them again. Of their marks with the same label, most
    agree, and more than a wrong label or exchanged identities explain."""
    between: dict[frozenset[str | None], list[float]] = defaultdict(list)
    for (one, other), share in zip(pairs.tolist(), shares.tolist(), strict=True):
        if marks[one].label == marks[other].label:
            between[_tracks(marks, one, other)].append(share)
    return {
        tracks
        for tracks, some in between.items()
        if None not in tracks and len(some) >= _PAIRS and np.median(some) >= _OTHER_LABEL
    }


def join_unmeasured(
    views: Sequence[MarkedView],
    marks: Sequence[Mark],
    unmeasured: Sequence[int],
    objects: Sequence[tuple[str, OrientedBox, Sequence[int]]],
) -> tuple[list[list[int]], list[list[int]]]:
    """Assign marks without depth to objects: to those with a box in their place, or to one that they see together.

    Marks see one object together where a place on the ray of one is in the middle of the others. Only marks with the
    same label are joined, one of each picture.

    Args:
        views, marks: all of them.
        unmeasured: numbers of the marks.
        objects: the label, the box and the marks of each measured object.

    Returns:
        The further marks of each object; and those of each other one.
    """
    bounds = {i: _bounds(views[marks[i].view].labels == marks[i].value) for i in unmeasured}
    more: list[list[int]] = [[] for _ in objects]
    taken = [{marks[i].view for i in own} for _, _, own in objects]
    left = []
    for i in unmeasured:
        view = marks[i].view
        inside = [
            _inside(bounds[i], _bounds_of(box, views[view])) if label == marks[i].label and view not in seen else 0.0
            for (label, box, _), seen in zip(objects, taken, strict=True)
        ]
        best = int(np.argmax(inside)) if inside else 0
        if inside and inside[best] >= _IN_PLACE:
            more[best].append(i)
            taken[best].add(view)
        else:
            left.append(i)
    others = []
    for label in sorted({marks[i].label for i in left}):
        own = [i for i in left if marks[i].label == label]
        pictures = np.unique([marks[i].view for i in own], return_inverse=True)[1]
        within = _seen_together([(views[marks[i].view], bounds[i]) for i in own])
        unjoined = np.ones(len(own), dtype=bool)
        while unjoined.any():
            # The pictures with an unjoined mark at each place on the rays of unjoined marks.
            there = within & unjoined
            counts = (there @ np.eye(len(own))[pictures] > 0).sum(1)
            best = int(np.where(np.repeat(unjoined, len(_DISTANCES)), counts, 0).argmax())
            first = best // len(_DISTANCES)
            chosen = {pictures[k]: k for k in [*np.flatnonzero(there[best]), first]}
            unjoined[list(chosen.values())] = False
            others.append(sorted(own[k] for k in chosen.values()))
    return more, sorted(others)


def _seen_together(seen: Sequence[tuple[MarkedView, Floats]]) -> NDArray[np.bool_]:
    """Test if places on the rays of some marks are in the middle of others, shape (marks · distances, marks)."""
    places = []
    for view, (left, top, right, bottom) in seen:
        fx, fy, cx, cy = view.intrinsics
        ray = view.pose[:3, :3] @ (((left + right) / 2 - cx) / fx, ((top + bottom) / 2 - cy) / fy, 1.0)
        places.append(view.pose[:3, 3] + np.outer(_DISTANCES, ray))
    every = np.concatenate(places)
    columns = []
    for view, own in seen:
        pixels, _ = project(every, view.pose, view.intrinsics)
        with np.errstate(invalid="ignore"):
            columns.append((np.abs(pixels - (own[:2] + own[2:]) / 2) <= _INNER * (own[2:] - own[:2])).all(1))
    return np.column_stack(columns)


def _bounds(mask: NDArray[np.bool_]) -> Floats:
    """Left, top, right and bottom of a mask."""
    rows, columns = scipy.ndimage.find_objects(mask.astype(np.int64))[0]
    return np.array([columns.start, rows.start, columns.stop, rows.stop], dtype=np.float64)


def _bounds_of(box: OrientedBox, view: MarkedView) -> Floats:
    """The bounds of a box in a picture; empty where a part of it is behind the camera."""
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    pixels, _ = project(signs * box.extents @ np.array(box.axes) + box.center, view.pose, view.intrinsics)
    if np.isnan(pixels).any():
        return np.zeros(4)
    return np.concatenate([np.clip(pixels.min(0), 0, view.size), np.clip(pixels.max(0), 0, view.size)])


def _inside(one: Floats, other: Floats) -> float:
    """The share of some bounds that is inside others."""
    common = np.prod(np.maximum(np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2]), 0))
    return float(common / np.prod(one[2:] - one[:2]))
