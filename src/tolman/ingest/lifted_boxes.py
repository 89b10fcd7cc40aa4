"""Boxes of objects, lifted from their masks in several posed pictures.

With depth or a dense cloud, each point of it is looked for in every picture. A picture that shows the point votes for
the object whose mask it is in, the less the nearer the mask's edge; one that looks through it votes against it. An
object's points are those with 60 % of the votes of the pictures in which it is marked (after MaskClustering, Yan et al.
2024), and `fit_box` fits an upright box to them; `thin_boxes` ends thin ones at the wall.

Marks without an identity are joined where they show the same points. An error is 1.96 standard errors of the worst side
by the delete-a-group jackknife over pictures (Efron 1982). On simulated homes with depth 82 to 94 % of boxes were
within it and `unseen`: errors that all pictures share aren't in it.

Poses alone aren't enough: boxes fitted to the bounds of marks overlapped the true ones by 0.2 (median IoU), as
occluders are rarely marked.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tolman.extras import scipy
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import project, scaled_intrinsics, splat
from tolman.geometry.clouds import Cloud, VoxelGrid, groups, not_strays, surface_of, voxel_means
from tolman.geometry.fitting import FitError, fit_box
from tolman.ingest.joined_marks import Ints, Mark, MarkedView, join_unmeasured, joined
from tolman.ingest.thin_boxes import CELL, MIN_POINTS, backed
from tolman.scenes import OrientedBox

DENSE = 0.06
"""Metres between the points of a cloud, at most; sparser ones, as of COLMAP, say too little of an object's extent."""
MIN_FRAMES = 2
"""Pictures in which an object must be marked."""
_NEAR, _NEAR_SHARE = 0.03, 0.03
"""A point is seen where the depth of its pixel differs by less: metres, and a share of the depth."""
_JUMP = 0.08
"""Share by which the depths of neighbouring pixels differ at an edge, where sensors measure neither side."""
_SPLAT = 160
"""Pixels of the wider side of a picture that a cloud is projected into."""
_UNMARKED = 0.25
"""Weight of a picture in which a point is in no mask, relative to one in which it is in another thing's: masks miss
thin parts, and things."""
_EDGE, _LEAST = 0.008, 0.1
"""Share of a picture's width from the edge of a mask within which votes count less, and the least weight."""
_MAJORITY = 0.6
"""Share of the weight of votes that a point needs."""
_MEASURED = 0.25
"""Share of a mask's pixels that must have depth: the few readings of others are often of a nearer thing."""
_GROUPS = 12
"""Groups of pictures that the jackknife leaves out in turn, at most."""
_Z = 1.96
_STRAY = 0.3
"""Metres beyond a box from which points are strays."""
_STEP, _STEPS = 0.05, 12
"""Metres and steps that are looked at beyond the end of a box."""
_RING = (0.08, 0.16, 0.3)
"""Metres around the end of a box at which a floor or wall is looked for."""


@dataclass(frozen=True)
class LiftedObject:
    """An object with its box.

    Attributes:
        label: the one that most of its marks have.
        track: its identity; None where its marks have none.
        box: upright.
        error: of its worst side by the spread over pictures, metres (see above).
        unseen: metres by which it may go on where no picture shows its end.
        marks: the numbers of its marks.
    """

    label: str
    track: str | None
    box: OrientedBox
    error: float
    marks: tuple[int, ...]
    unseen: float = 0.0


@dataclass(frozen=True)
class UnliftedObject:
    """An object without a box, and why: the rest of a sentence. Its other fields are those of a LiftedObject."""

    label: str
    track: str | None
    marks: tuple[int, ...]
    reason: str


def lift(
    views: Sequence[MarkedView], marks: Sequence[Mark], cloud: Floats
) -> tuple[list[LiftedObject], list[UnliftedObject]] | None:
    """Find the objects of some masks, and their boxes.

    Args:
        views: the pictures.
        marks: on them; no track is twice in one picture.
        cloud: points of the scene, metres, shape (n, 3); used where no picture has depth, and may be empty.

    Returns:
        The objects in the order of their first marks, and those that are left out. None where there is no depth, and no
        cloud that is dense enough.
    """
    given, views = views, [_with_measured_masks(view) for view in views]
    measured = measured_cloud(views, cloud)
    if not len(measured):
        return None
    votes = _Votes.of(views, marks, cloud, measured)
    found: list[LiftedObject] = []
    left_out: list[UnliftedObject] = []
    values = [set(np.unique(view.labels).tolist()) for view in views]
    unmeasured = [i for i, mark in enumerate(marks) if mark.track is None and mark.value not in values[mark.view]]
    for own in joined(marks, *votes.overlaps()):
        if own[0] in unmeasured:
            continue
        label = Counter(marks[i].label for i in own).most_common(1)[0][0]
        track = next((marks[i].track for i in own if marks[i].track is not None), None)
        made = votes.box(own)
        if isinstance(made, str):
            left_out.append(UnliftedObject(label, track, tuple(own), made))
        else:
            found.append(LiftedObject(label, track, *made, tuple(own)))
    gaps = _gaps(views, marks, found).tolist()
    more, others = join_unmeasured(given, marks, unmeasured, [(one.label, one.box, one.marks) for one in found])
    left_out += [
        UnliftedObject(marks[own[0]].label, None, tuple(own), "beyond the reach of the depth") for own in others
    ]
    return [
        replace(one, unseen=gap, marks=tuple(sorted([*one.marks, *further])))
        for one, gap, further in zip(found, gaps, more, strict=True)
    ], left_out


@dataclass(frozen=True)
class MaskVotes:
    """Votes of masks in calibrated pictures on the points of a picked region, as `tolman.geometry.regions.pick` asks.

    Attributes:
        views: the pictures, with depth: of the picture, or of the cloud as `with_depth` finds it.
        marks: on them, each with a track.
    """

    views: Sequence[MarkedView]
    marks: Sequence[Mark]

    def __call__(self, points: Floats, inside: NDArray[np.bool_]) -> Floats:
        """Return the share of votes that each point has for being in the picked object's mask, shape (n,).

        The object is the one with most votes in the region, counted by the share of its own votes that are there: a
        table that reaches into the region of a chair has most of its points elsewhere. NaN where no picture shows a
        point; all are NaN where no mask is in the region.
        """
        tracks = sorted({mark.track for mark in self.marks if mark.track is not None})
        votes, seen = np.zeros((len(points), len(tracks) + 1)), np.zeros(len(points))
        number = {track: i for i, track in enumerate(tracks)}
        columns = [np.full(int(view.labels.max()) + 1, len(tracks)) for view in self.views]
        for mark in self.marks:
            if mark.track is not None:
                columns[mark.view][mark.value] = number[mark.track]
        for view, track_of in zip(self.views, columns, strict=True):
            visible, _, labels, _ = _shown(view, points)
            votes[visible, track_of[labels]] += 1
            seen[visible] += 1
        within = votes[inside, :-1].sum(0)
        score = within**2 / np.maximum(votes[:, :-1].sum(0), 1)
        if not score.any():
            return np.full(len(points), np.nan)
        own = votes[:, score.argmax()]
        others = votes[:, :-1].sum(1) - own
        against = others + _UNMARKED * votes[:, -1]
        return np.where(seen > 0, own / np.maximum(own + against, 1e-9), np.nan)


def with_depth(view: MarkedView, cloud: Floats) -> MarkedView:
    """Return a picture with the depth of a cloud, shape (n, 3), whose points are at most `DENSE` apart."""
    if view.depth is not None:
        return view
    size = (_SPLAT, max(1, round(_SPLAT * view.size[1] / view.size[0])))
    intrinsics = scaled_intrinsics(np.array(view.intrinsics), view.size, size)
    depth = splat(cloud, view.pose, tuple(intrinsics.tolist()), size)[0]
    return replace(view, depth=scipy.ndimage.minimum_filter(depth, 3))


# Points


def measured_cloud(views: Sequence[MarkedView], cloud: Floats) -> Cloud:
    """The fused depth of marked pixels; else the cloud, if it is dense. Points of noise alone weigh little."""
    grid = VoxelGrid(CELL)
    for view in views:
        if view.depth is not None:
            grid.add(_back_projected(view))
    found = grid.cloud()
    if len(found) or len(cloud) < MIN_POINTS:
        return found
    thin = voxel_means(cloud, CELL)
    sample = thin.points[:: max(1, len(thin) // 2000)]
    apart = np.asarray(scipy.spatial.cKDTree(thin.points).query(sample, k=2)[0])[:, 1]
    return thin if np.median(apart) <= DENSE else found


def _with_measured_masks(view: MarkedView) -> MarkedView:
    """A picture without masks that have hardly any depth."""
    if view.depth is None:
        return view
    rows, columns = (np.arange(n) * m // n for n, m in zip(view.labels.shape, view.depth.shape, strict=True))
    read = (view.depth > 0)[np.ix_(rows, columns)].ravel()
    labels = view.labels.ravel()
    share = np.bincount(labels, read) / np.maximum(np.bincount(labels), 1)
    return replace(view, labels=np.where(share[view.labels] < _MEASURED, 0, view.labels))


def _back_projected(view: MarkedView) -> Floats:
    """The depth readings of marked pixels as points of the scene, without those at the edges of things."""
    assert view.depth is not None
    depth = np.nan_to_num(view.depth, posinf=0.0, neginf=0.0)
    filled = np.where(depth > 0, depth, np.nan)
    jump = scipy.ndimage.maximum_filter(depth, 3) - scipy.ndimage.minimum_filter(np.nan_to_num(filled, nan=np.inf), 3)
    height, width = depth.shape
    rows, columns = np.nonzero((depth > 0) & (jump < _JUMP * depth))
    at = np.column_stack([columns + 0.5, rows + 0.5])
    pixels = (at * (view.size[0] / width, view.size[1] / height)).astype(np.int64)
    marked = view.labels[pixels[:, 1], pixels[:, 0]] > 0
    return _points_at(view, rows[marked], columns[marked])


def _points_at(view: MarkedView, rows: Ints, columns: Ints) -> Floats:
    """The points of the scene at pixels of a picture's depth, without those that have no reading, shape (n, 3)."""
    assert view.depth is not None
    fx, fy, cx, cy = scaled_intrinsics(np.array(view.intrinsics), view.size, view.depth.shape[::-1])
    z = np.nan_to_num(view.depth[rows, columns], posinf=0.0)
    local = np.column_stack([(columns + 0.5 - cx) / fx * z, (rows + 0.5 - cy) / fy * z, z])[z > 0]
    return np.asarray(local @ view.pose[:3, :3].T + view.pose[:3, 3])


@dataclass(frozen=True)
class _Votes:
    """The votes of pictures on points.

    Attributes:
        views, marks: all of them.
        cloud: of the scene, as given, shape (m, 3).
        points: metres, shape (n, 3).
        weights: number of readings of each, shape (n,).
        held: whether a mark holds a point that its picture shows, sparse, shape (n, marks).
        seen: the weight of a picture's vote on a point that it shows or looks through, sparse, shape (n, views).
        shown: whether it shows it, sparse, shape (n, views).
    """

    views: Sequence[MarkedView]
    marks: Sequence[Mark]
    cloud: Floats
    points: Floats
    weights: Floats
    held: scipy.sparse.csc_array
    seen: scipy.sparse.csc_array
    shown: scipy.sparse.csc_array

    @classmethod
    def of(cls, views: Sequence[MarkedView], marks: Sequence[Mark], cloud: Floats, measured: Cloud) -> _Votes:
        """Let pictures vote."""
        points = measured.points
        numbers: list[dict[int, int]] = [{} for _ in views]
        for i, mark in enumerate(marks):
            numbers[mark.view][mark.value] = i
        held, seen, shown = [], [], []
        for i, view in enumerate(views):
            visible, through, labels, sure = _shown(view, points)
            lookup = np.full(max(numbers[i], default=0) + 1, -1)
            lookup[list(numbers[i])] = list(numbers[i].values())
            own = lookup[np.where(labels < len(lookup), labels, 0)]
            held.append((visible[own >= 0], own[own >= 0], sure[own >= 0]))
            shown.append((visible, np.full(len(visible), i), np.ones(len(visible))))
            both = np.concatenate([visible, through])
            seen.append((both, np.full(len(both), i), np.concatenate([sure, np.ones(len(through))])))
        shape = (len(points), len(views))
        return cls(
            views,
            marks,
            cloud,
            points,
            measured.weights,
            _matrix(held, (len(points), len(marks))),
            _matrix(seen, shape),
            _matrix(shown, shape),
        )

    def overlaps(self) -> tuple[Ints, Floats]:
        """Pairs of marks that show common points, and the share of those that both pictures show, the lesser one."""
        some = slice(None, None, max(1, len(self.points) // 40_000))
        held, shown = (of.tocsr()[some].astype(bool).astype(np.int32) for of in (self.held, self.shown))
        common = (held.T @ held).tocoo()
        both = np.asarray((held.T @ shown).todense())
        place = np.array([mark.view for mark in self.marks])
        a, b = common.coords
        first = (place[a] < place[b]) & (common.data >= 3)
        a, b, count = a[first], b[first], common.data[first]
        most = np.maximum(both[a, place[b]], both[b, place[a]])
        return np.column_stack([a, b]), count / np.maximum(most, 1)

    def box(self, own: Sequence[int]) -> tuple[OrientedBox, float] | str:
        """The box of an object's points and its error, or the reason why it has none."""
        frames = sorted({self.marks[i].view for i in own})
        if len(frames) < MIN_FRAMES:
            return f"marked in fewer than {MIN_FRAMES} pictures"
        held = self.held[:, list(own)]
        near = np.flatnonzero(np.asarray(held.sum(1)).ravel())
        votes = held.tocsr()[near].toarray()
        against = self.seen[:, [self.marks[i].view for i in own]].tocsr()[near].toarray()
        points = self.points[near]
        chosen = _chosen(points, votes, against)
        if len(chosen) < MIN_POINTS:
            return f"with fewer than {MIN_POINTS} measured points"
        thin = every = Cloud(points[chosen], self.weights[near][chosen])
        size = CELL
        while len(thin) > 6000:
            size *= 1.5
            thin = voxel_means(every, size)
        try:
            fitted = fit_box(surface_of(thin))
        except FitError:
            return "whose measured points no box fits"
        seen = [self.views[i] for i in frames]
        cameras = np.array([view.pose[:3, 3] for view in seen])
        box = backed(fitted.box, every.points, cameras, lambda places: self._readings(seen, places))
        axes = np.array(box.axes)
        near = (np.abs((points - box.center) @ axes.T) < np.array(box.extents) / 2 + _STRAY).all(1)
        points, votes, against = points[near], votes[near], against[near]
        spread = _Z * _jackknife(len(own), lambda kept: _ends(points[_elected(votes[:, kept], against[:, kept])], axes))
        return box, float(np.hypot(min(spread, box.longest), np.linalg.norm(fitted.errors) / 2 + CELL))

    def _readings(self, views: Sequence[MarkedView], places: Floats) -> Floats:
        """The measured points that some pictures show at places; the cloud, where none has depth."""
        found = [_read_at(view, places) for view in views if view.depth is not None]
        return np.concatenate(found) if found else self.cloud


def _matrix(parts: Iterable[tuple[Ints, Ints, Floats]], shape: tuple[int, int]) -> scipy.sparse.csc_array:
    rows, columns, values = (np.concatenate(side) for side in zip(*parts, strict=True))
    return scipy.sparse.csc_array((values.astype(np.float32), (rows, columns)), shape=shape)


def _shown(view: MarkedView, points: Floats) -> tuple[Ints, Ints, Ints, Floats]:
    """The numbers of points that a picture shows, of those it looks through, and of each of the former the mark and its
    weight, up to 1."""
    pixels, depth = project(points, view.pose, view.intrinsics)
    with np.errstate(invalid="ignore"):
        inside = np.flatnonzero(((pixels >= 0) & (pixels < view.size)).all(1))
    at, away = pixels[inside], depth[inside]
    read, slack = view.depth, 1.0
    if read is None:
        size = (_SPLAT, max(1, round(_SPLAT * view.size[1] / view.size[0])))
        intrinsics = scaled_intrinsics(np.array(view.intrinsics), view.size, size)
        read, slack = splat(points, view.pose, tuple(intrinsics.tolist()), size)[0], 2.0
    read = np.where(np.isfinite(read) & (read > 0), read, np.inf)
    # Between the points of a cloud, and beside a thin thing, a pixel looks past what its neighbours show.
    nearest = scipy.ndimage.minimum_filter(read, 3)
    cells = (at * (np.array(read.shape[::-1]) / view.size)).astype(np.int64)
    measured, least = read[cells[:, 1], cells[:, 0]], nearest[cells[:, 1], cells[:, 0]]
    reach = slack * (_NEAR + _NEAR_SHARE * away)
    visible = np.abs((measured if slack == 1 else least) - away) <= reach
    through = np.isfinite(least) & (least - away > reach)
    columns, rows = at[visible].astype(np.int64).T
    return inside[visible], inside[through], view.labels[rows, columns], _sure(view.labels)[rows, columns]


def _sure(labels: Ints) -> Floats:
    """The weight of each pixel of a picture's labels, by its distance from the edges of masks."""
    inside = scipy.ndimage.maximum_filter(labels, 3) == scipy.ndimage.minimum_filter(labels, 3)
    away = scipy.ndimage.distance_transform_edt(inside)
    return np.asarray(np.clip(away / (_EDGE * labels.shape[1]), _LEAST, 1.0))


def _elected(votes: Floats, seen: Floats) -> NDArray[np.bool_]:
    """Points with enough of the weight of votes, and more than one vote where more than two pictures see them."""
    count, most = (votes > 0).sum(1), (seen > 0).sum(1)
    return np.asarray((votes.sum(1) >= _MAJORITY * seen.sum(1)) & (count >= np.minimum(2, most)) & (count > 0))


def _chosen(points: Floats, votes: Floats, seen: Floats) -> Ints:
    """The numbers of an object's points, without strays and small groups apart."""
    chosen = np.flatnonzero(_elected(votes, seen))
    chosen = chosen[not_strays(points[chosen])]
    if len(chosen) < MIN_POINTS:
        return chosen
    group = groups(points[chosen], 5 * CELL)
    sizes = np.bincount(group)
    return np.asarray(chosen[sizes[group] >= 0.1 * sizes.max()])


def _read_at(view: MarkedView, places: Floats) -> Floats:
    """The points that a picture's depth has at the pixels of some places, shape (n, 3)."""
    assert view.depth is not None
    size = view.depth.shape[::-1]
    camera = scaled_intrinsics(np.array(view.intrinsics), view.size, size).tolist()
    pixels, _ = project(places, view.pose, tuple(camera))
    with np.errstate(invalid="ignore"):
        inside = ((pixels >= 0) & (pixels < size)).all(1)
    columns, rows = pixels[inside].astype(np.int64).T
    return _points_at(view, rows, columns)


def _ends(points: Floats, axes: Floats) -> Floats | None:
    """Both ends of points along each axis, a hundredth of them left out, shape (6,)."""
    return np.quantile(points @ axes.T, (0.01, 0.99), axis=0).ravel() if len(points) >= MIN_POINTS else None


def _gaps(views: Sequence[MarkedView], marks: Sequence[Mark], objects: Sequence[LiftedObject]) -> Floats:
    """Return how far each object may go on unseen beyond its box, at the worst end, metres.

    Beyond an end, columns are followed outwards to the first place that a picture looks through, or where it shows
    something else. An end in the plane of a floor or wall around it is one.
    """
    if not objects:
        return np.zeros(0)
    places = np.concatenate([_beyond(one.box) for one in objects])
    each = len(places) // len(objects)
    owner = np.repeat(np.arange(len(objects)), each)
    known, beside = np.zeros(len(places), dtype=bool), np.zeros(len(places), dtype=bool)
    values = np.full((len(views), len(objects)), -1)
    for i, one in enumerate(objects):
        for mark in one.marks:
            values[marks[mark].view, i] = marks[mark].value
    for i, view in enumerate(views):
        visible, through, labels, _ = _shown(view, places)
        own = values[i, owner[visible]]
        others = visible[(own > 0) & (labels != own)]
        known[through] = known[others] = beside[others] = True
    shape = (len(objects), 6, -1)
    columns = known.reshape(shape)[..., : 9 * _STEPS].reshape(len(objects), 6, 9, _STEPS)
    gap = np.where(columns.any(-1), columns.argmax(-1), _STEPS) * _STEP
    ends = np.where(beside.reshape(shape)[..., 9 * _STEPS :].mean(-1) > 0.2, 0.0, np.median(gap, axis=-1))
    return np.asarray(ends.max(1))


def _beyond(box: OrientedBox) -> Floats:
    """Places beyond each end of a box: nine columns outwards, and those around it in the plane of the end."""
    axes, half = np.array(box.axes), np.array(box.extents) / 2
    found = []
    for i, sign in itertools.product(range(3), (-1, 1)):
        j, k = (m for m in range(3) if m != i)
        outwards = half[i] + _STEP * (1 + np.arange(_STEPS))
        columns = [(o, u * half[j], v * half[k]) for u in (-0.6, 0, 0.6) for v in (-0.6, 0, 0.6) for o in outwards]
        ring = [(half[i], s * (half[j] + d), u * half[k]) for s in (-1, 1) for d in _RING for u in (-0.8, 0, 0.8)]
        ring += [(half[i], u * half[j], s * (half[k] + d)) for s in (-1, 1) for d in _RING for u in (-0.8, 0, 0.8)]
        local = np.array(columns + ring)
        found.append(sign * local[:, :1] * axes[i] + local[:, 1:2] * axes[j] + local[:, 2:] * axes[k])
    return np.concatenate(found) + box.center


def _jackknife(count: int, ends: Callable[[Ints], Floats | None]) -> float:
    """The greatest standard error of some values when groups of pictures are left out in turn.

    Args:
        count: of the pictures.
        ends: of the numbers of those that are kept, the values, or None.
    """
    parts = np.array_split(np.arange(count), min(count, _GROUPS))
    found = [ends(np.setdiff1d(np.arange(count), part)) for part in parts]
    known = np.array([one for one in found if one is not None])
    if len(known) < 2:
        return float("inf")
    spread = (len(known) - 1) / len(known) * ((known - known.mean(0)) ** 2).sum(0)
    return float(np.sqrt(spread.max()))
