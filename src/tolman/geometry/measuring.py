"""Measurements for questions about metric truth: sizes, heights, distances, areas and angles of picked regions.

SpatialBench takes its metric answers from the LiDAR cloud by geometric fitting (its section 4.2). The quantities follow
VSI-Bench's definitions: the size of an object is its longest dimension, the distance of two is that of their closest
points. Every value comes with a bound of its error for 95 %; `fitting` explains its parts. Those of dimensions are
calibrated on simulated scans by split conformal prediction, for each `Case` by itself (Vovk 2012).
`measured_bounds.json` has the factors and their command, docs/measure.md how often they hold on other scans.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from tolman.errors import counted, hint
from tolman.extras import scipy
from tolman.geometry.box_uncertainty import Rays, choices, cuts, gaps, let_down, meant
from tolman.geometry.boxes import Boxes, Floats, distances
from tolman.geometry.clouds import Cloud, Surface, as_cloud, surface_of
from tolman.geometry.fitting import LEAST, FitError, FittedBox, Plane, across_of, fit_box, fit_cylinder, fit_plane
from tolman.geometry.regions import BoxRegion, Picked, Region, Votes, pick
from tolman.scenes import OrientedBox

Quantity = Literal[
    "size", "length", "width", "height", "diameter", "area", "distance", "box-distance", "span", "angle", "room-area"
]
Shape = Literal["box", "free-box", "cylinder"]
Case = Literal["free", "touching", "one side", "cut off"]
"""Nothing is open; other things' parts may be its own; an end is unseen; more outside the region is connected to it."""
QUANTITIES: tuple[str, ...] = get_args(Quantity)
SHAPES: tuple[str, ...] = get_args(Shape)
OF_TWO = frozenset({"distance", "box-distance", "span", "angle"})
"""Quantities of two regions."""
_Z = 1.96
_NEAREST = 5
_TOLD = 0.05
_WIDE, _WIDER = 0.05, 0.1
"""People draw boxes wider than objects by so many metres and such a share, as is assumed where nothing else tells."""
_APART = 0.1
_LEAST_ERROR = 0.01
"""Of any dimension, metres: points are the means of voxels, and move onto a plane through their neighbours."""
_LEAST_SCALE = 0.02
"""Of the scale of a dimension's error, metres: forms between returns aren't known better, whatever their noise."""
_MIXED = 0.3
"""Share of a dimension that is open where the region alone told the object's parts from other things'."""
_CLOSE = 0.02
"""Metres by which boxes around all choices of parts may differ where the choice doesn't matter."""
_HIDDEN = 0.08
"""Metres by which an object may go on unseen and still counts as seen whole."""
_SHARP, _SHARPER = 0.03, 0.04
"""Bounds greater than both, metres and a share of the dimension, are only given where wide ones are asked for."""
_USELESS = 0.7
"""An error whose scale is a greater share of the value measures nothing, and has no bound. This mustn't depend on the
factors: bounds hold only among such dimensions as they were calibrated with."""
_AROUND, _SNAP, _STRIP = 0.25, 0.06, 0.02
"""Metres around a picked point that are looked at, to the nearest corner, edge or plane, and of strips across edges."""
_FEW, _LEAST_PLANE = 6, 0.05
"""Planes that are looked for around a picked point, and the share of its points that each needs."""
_PARALLEL = 0.17
"""Sine of the angle up to which edges and planes count as parallel: 10°."""


@dataclass(frozen=True)
class Measurement:
    """A measured value.

    Attributes:
        quantity: the measured quantity.
        value: in `unit`.
        unit: 'm', 'm2' or 'deg'.
        error: the bound, meant for 95 %, in the same unit.
        method: how, in a few words.
        n_points: returns that it rests on.
        notes: caveats: sides without points, planes that were taken out.
        boxes: the boxes that were fitted, if any.
        case: of a dimension, by which its bound is calibrated; empty for other quantities.
    """

    quantity: str
    value: float
    unit: str
    error: float
    method: str
    n_points: int
    notes: tuple[str, ...] = ()
    boxes: tuple[OrientedBox, ...] = ()
    case: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self) | {"boxes": [box.model_dump(mode="json") for box in self.boxes]}


def measure(
    points: Floats | Cloud,
    region: Region,
    quantity: str = "size",
    *,
    other: Region | None = None,
    shape: str = "box",
    isolate: bool = True,
    seed: int = 0,
    rays: Rays | None = None,
    votes: Votes | None = None,
    wide: bool = False,
) -> Measurement:
    """Measure a picked region, or two.

    Args:
        points: of the place, z up, metres, shape (n, 3); or a Cloud of voxels with their weights.
        region: the picked region.
        quantity: 'size' (the longest dimension), 'length' and 'width' (the longer and the shorter level one), 'height',
            'diameter' (of a cylinder), 'area' (of the plane with most returns), 'room-area' (of the alpha shape of all
            that is inside, seen from above); of two regions 'distance' (of their closest points), 'box-distance' (of
            the boxes around them), 'span' (between the middles of the regions, each moved to the nearest corner, edge
            or plane) and 'angle' (between such planes, 0 … 90°).
        other: the second region.
        shape: the shape that is fitted for the dimensions: 'box' (upright), 'free-box' or 'cylinder'.
        isolate: whether floors, walls and other surfaces that go on beyond the region are taken out first, and lesser
            groups of points.
        seed: of the random draws.
        rays: of the returns that are in the region or passed it: they show free space. Without them, an object may go
            on unseen as far as the region does.
        votes: of masks in pictures on the points, which separate things that touch.
        wide: whether dimensions are also given where their bound is wide or the object is cut off.

    Raises:
        FitError: the points in the region can't be measured so; its text goes on from "the points of the region".
        ValueError: there is no such quantity or shape, or the number of regions doesn't fit it.
    """
    if quantity not in QUANTITIES:
        raise ValueError(f"there is no quantity '{quantity}'; {hint(quantity, QUANTITIES)}")
    if shape not in SHAPES:
        raise ValueError(f"there is no shape '{shape}'; {hint(shape, SHAPES)}")
    if (other is not None) != (quantity in OF_TWO):
        raise ValueError(f"'{quantity}' is measured of {'two regions' if quantity in OF_TWO else 'one region'}")
    cloud = as_cloud(points)
    if quantity == "room-area":
        return _room_area(cloud, region)
    if quantity == "span":
        assert other is not None
        (one, some), (two, more) = (_snapped(cloud, picked, seed) for picked in (region, other))
        return _span(one, two, some + more)
    # An area or an angle may well be that of a floor or wall, of which only a part was picked.
    whole = isolate and quantity not in ("area", "angle")
    first = pick(cloud, region, isolate=whole, seed=seed, rays=rays, votes=votes)
    if quantity == "area":
        return _area(first, seed)
    if other is not None:
        second = pick(cloud, other, isolate=whole, seed=seed, rays=rays)
        if quantity == "angle":
            return _angle(first, second, seed)
        return _distance(first, second) if quantity == "distance" else _box_distance(first, second, shape, seed)
    if shape == "cylinder" or quantity == "diameter":
        return _of_cylinder(first, quantity, seed)
    return _of_box(first, box_of(first, shape, seed), quantity, shape, wide)


def measure_sides(points: Floats | Cloud, region: Region, rays: Rays | None = None) -> tuple[Measurement, ...]:
    """Measure length, width and height of the object in a region, also with wide bounds; all have its upright box.

    Args, Raises:
        As `measure`.
    """
    picked = pick(as_cloud(points), region, rays=rays)
    boxed = box_of(picked, "box", 0)
    return tuple(_of_box(picked, boxed, name, "box", True) for name in ("length", "width", "height"))


@dataclass(frozen=True)
class Boxed:
    """The box around the picked points, and others that the region may mean."""

    fitted: FittedBox
    others: tuple[OrientedBox, ...]
    noise: float
    """The standard deviation of returns about their surface, metres."""
    apart: bool = True
    """Whether the object's parts were told from other things' at once."""


def box_of(picked: Picked, shape: str, seed: int) -> Boxed:
    """Return the box around the picked points, extended down to its support; its bounds include unseen space."""
    upright, apart = shape != "free-box", True
    others: tuple[OrientedBox, ...] = ()
    surface, region = picked.surface, picked.region
    if picked.parts is not None and isinstance(region, BoxRegion):
        low, high = np.array(region.low), np.array(region.high)
        found = choices(picked.parts, picked.support, low, high, upright=upright, seed=seed)
        chosen, more, apart = meant(found, low, high)
        fitted, surface, others = chosen.fitted, chosen.surface, tuple(more)
    else:
        fitted = let_down(fit_box(surface, upright=upright, seed=seed), picked.support)
    unseen = gaps(fitted.box, surface.points, region, picked.rays, picked.planes, surface.noise)
    if picked.rays is None:
        # Nothing tells where nothing is: a face that is seen is taken for the end.
        pairs = [
            [0.0 if face else gap for gap, face in zip(*both, strict=True)]
            for both in zip(unseen, fitted.seen, strict=True)
        ]
        unseen = ((pairs[0][0], pairs[0][1]), (pairs[1][0], pairs[1][1]), (pairs[2][0], pairs[2][1]))
    cut = cuts(fitted.box, surface.points, picked.beyond)
    errors = []
    for error, pair, ends, extent in zip(fitted.errors, unseen, cut, fitted.box.extents, strict=True):
        # Where the region cuts what hangs together, the object ends before that: by as much as boxes are drawn wide.
        errors.append(float(np.hypot(error, sum(pair) + (_WIDE + _WIDER * extent) * sum(ends))))
    fitted = replace(fitted, errors=(errors[0], errors[1], errors[2]), gaps=unseen, cut=cut)
    return Boxed(fitted, others, surface.noise, apart)


def _axis_of(box: OrientedBox, quantity: str) -> int:
    """The axis along which a quantity of a box is measured."""
    extents = np.array(box.extents)
    if quantity == "size":
        return int(extents.argmax())
    up = int(np.abs(np.array(box.axes)[:, 2]).argmax())
    if quantity == "height":
        return up
    level = sorted((i for i in range(3) if i != up), key=lambda i: -extents[i])
    return level[0] if quantity == "length" else level[1]


@dataclass(frozen=True)
class Uncalibrated:
    """A dimension of a box before its bound is calibrated.

    Attributes:
        value: metres.
        scale: of its error, metres. It has the ends with their tapers, an axis that may be the longest as well, and the
            other boxes. The poses' part of the scatter of returns doesn't average out, so the scatter counts in full.
        case: how much of it is open.
        direction: of its axis, 'vertical' or 'level'.
        hidden: how far the object may go on unseen along it, metres.
    """

    value: float
    scale: float
    case: Case
    direction: Literal["vertical", "level"]
    hidden: float

    @property
    def bounded(self) -> bool:
        """True if the dimension has a bound at all."""
        return self.scale <= _USELESS * self.value

    def given(self, *, wide: bool) -> bool:
        """True if the dimension is given rather than refused."""
        if not self.bounded or (self.case == "cut off" and not wide):
            return False
        return self.bound() <= (self.value if wide else max(_SHARP, _SHARPER * self.value))

    def bound(self) -> float:
        """The 95 % bound, metres: the scale times the 95 % quantile of errors over their scales in calibration.

        Infinite in a case without enough objects to calibrate it.
        """
        factor = _factors()[self.case][self.direction]["factor"]
        return float("inf") if factor is None else float(factor) * self.scale


def uncalibrated(boxed: Boxed, quantity: str) -> Uncalibrated:
    """Return a dimension of an object's box, the scale of its error, and its case."""
    fitted = boxed.fitted
    box, errors = fitted.box, np.array(fitted.errors)
    which = _axis_of(box, quantity)
    value, error = box.extents[which], float(errors[which])
    longer = float((np.array(box.extents) + errors).max() - value - error) if quantity == "size" else 0.0
    apart = max((abs(other.extents[_axis_of(other, quantity)] - value) for other in boxed.others), default=0.0)
    tapers, hidden, cut = 2 * np.hypot(*fitted.tapers[which]), sum(fitted.gaps[which]), any(fitted.cut[which])
    mixed = _MIXED * value if cut or not boxed.apart else 0.0
    parts = [error + longer, apart, boxed.noise, tapers, _LEAST_SCALE, mixed]
    case: Case = "free"
    if cut:
        case = "cut off"
    elif max(hidden, longer) > _HIDDEN:
        case = "one side"
    elif apart > _CLOSE or not boxed.apart:
        case = "touching"
    upright = abs(box.axes[which][2]) > 0.7
    return Uncalibrated(value, float(np.linalg.norm(parts)), case, "vertical" if upright else "level", hidden)


@cache
def _factors() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("measured_bounds.json").read_text("utf-8"))["cases"]
    return found


def _refusal(found: Uncalibrated, quantity: str) -> FitError:
    if found.case == "cut off":
        return FitError(
            f"are cut off, so their {quantity} isn't known: the object, or what it touches, goes on beyond the region; "
            "draw the region around all of it, or give its masks with --objects"
        )
    if found.case == "one side" and found.hidden > _HIDDEN:
        return FitError(
            f"show {found.value:.2f} m of the {quantity}, and the object may go on unseen by {found.hidden:.2f} m; use "
            "a recording that sees its ends"
        )
    return FitError(
        f"leave open what is the object's: its {quantity} is {found.value:.2f} m, give or take {found.bound():.2f} m; "
        "draw the region closer around it, give its masks with --objects, or use a recording that sees more sides"
    )


def _of_box(picked: Picked, boxed: Boxed, quantity: str, shape: str, wide: bool) -> Measurement:
    fitted, which = boxed.fitted, _axis_of(boxed.fitted.box, quantity)
    found = uncalibrated(boxed, quantity)
    value, error = found.value, found.bound()
    if not found.given(wide=wide):
        raise _refusal(found, quantity)
    notes = list(_notes(picked))
    low, high = fitted.seen[which]
    unseen = [side for side, seen in (("low", low), ("high", high)) if not seen]
    if unseen:
        notes.append(f"no face at its {' and '.join(unseen)} end: it is measured to where the points end")
    hidden = sum(fitted.gaps[which])
    if hidden > _TOLD:
        notes.append(f"it may go on unseen by {hidden:.2f} m: no return fell there, and no ray passed")
    if any(fitted.cut[which]):
        notes.append("something that goes on beyond the region touches it, and it may end anywhere before that")
    if boxed.others and error > 1.5 * fitted.errors[which]:
        notes.append("parts in the region may be the object's or another thing's, and the bound holds both")
    return Measurement(
        quantity,
        float(value),
        "m",
        error,
        f"{'least box' if shape == 'free-box' else 'least upright box'}, faces by least squares",
        round(float(picked.surface.weights.sum())),
        tuple(notes),
        (fitted.box,),
        found.case,
    )


def _of_cylinder(picked: Picked, quantity: str, seed: int) -> Measurement:
    surface = picked.surface
    found = fit_cylinder(surface, reach=max(3 * surface.noise, 0.01), seed=seed)
    upright = abs(found.axis[2]) > 0.7
    length, length_error = found.length, found.length_error
    if picked.support is not None and upright:
        top = float(found.center[2] + found.length / 2 * abs(found.axis[2]))
        length = (top - picked.support) / abs(float(found.axis[2]))
    dimensions = {"diameter": (2 * found.radius, 2 * found.error), "length": (length, length_error)}
    dimensions["width"] = dimensions["diameter"]
    dimensions["size"] = max(dimensions["diameter"], dimensions["length"])
    dimensions["height"] = dimensions["length"] if upright else dimensions["diameter"]
    value, error = dimensions[quantity]
    notes = list(_notes(picked))
    if found.share < 0.5:
        notes.append(f"points lie on {found.share:.0%} of its way around only")
    count = round(float(surface.weights[found.inliers].sum()))
    return Measurement(quantity, float(value), "m", float(error), "cylinder by least squares", count, tuple(notes))


def _area(picked: Picked, seed: int) -> Measurement:
    from tolman.geometry.ground_plane import alpha_area

    surface = picked.surface
    plane, reach = _largest_plane(surface, seed)
    # A surface's points are means of returns: along an edge, of two faces, and so farther from both.
    on = surface.take(np.abs(plane.distances(surface.points)) <= max(reach, surface.spacing))
    first = np.cross(plane.normal, np.eye(3)[np.abs(plane.normal).argmin()])
    first /= np.linalg.norm(first)
    flat = on.points @ np.stack([first, np.cross(plane.normal, first)]).T
    spacing = max(on.spacing, 1e-3)
    value = alpha_area(flat, 1 / max(5 * spacing, 0.05))
    # The outline of points lies inside the true one, by up to the distance of neighbours. Half of that strip is added,
    # as long as a square's, and half is the bound.
    error = 4 * np.sqrt(value) * spacing / 2
    value += error / 2
    count = round(float(on.weights.sum()))
    method = "alpha shape on the plane with most returns"
    return Measurement("area", value, "m2", float(error), method, count, _notes(picked))


def _room_area(cloud: Cloud, region: Region) -> Measurement:
    from tolman.geometry.ground_plane import floor_plan, room_area

    own = cloud.points[region.inside(cloud.points)]
    if len(own) < 100:
        raise FitError(f"are only {len(own)}, and a room needs 100")
    plan = floor_plan(own)
    value = room_area(plan if len(plan) >= 100 else own)
    return Measurement(
        "room-area",
        value,
        "m2",
        # Measured on simulated rooms: within 2 %, most of it what the alpha shape bridges.
        0.02 * value,
        "alpha shape below the ceiling, radius 0.2 m",
        round(float(len(own))),
    )


def _distance(first: Picked, second: Picked) -> Measurement:
    a, b = first.surface, second.surface
    away = np.asarray(scipy.spatial.cKDTree(b.points).query(a.points)[0])
    nearest = np.partition(away, min(_NEAREST, len(away)) - 1)[:_NEAREST]
    value = float(np.median(nearest))
    # Edges and corners lie up to half the distance of neighbours beyond the last returns, and the nearest of many noisy
    # returns are nearer than their surface.
    ends = [_Z * surface.noise + surface.spacing / 2 for surface in (a, b)]
    error = float(np.linalg.norm(ends))
    count = round(float(a.weights.sum() + b.weights.sum()))
    notes = tuple(dict.fromkeys(_notes(first) + _notes(second)))
    return Measurement("distance", value, "m", error, "closest points of the two surfaces", count, notes)


def _box_distance(first: Picked, second: Picked, shape: str, seed: int) -> Measurement:
    boxed = [box_of(picked, shape, seed) for picked in (first, second)]
    fitted = [one.fitted for one in boxed]
    value = _between(fitted[0].box, fitted[1].box)
    apart = [abs(_between(other, fitted[1].box) - value) for other in boxed[0].others]
    apart += [abs(_between(fitted[0].box, other) - value) for other in boxed[1].others]
    error = float(np.linalg.norm([max(fitted[0].errors), max(fitted[1].errors), max(apart, default=0.0)]))
    count = round(float(first.surface.weights.sum() + second.surface.weights.sum()))
    notes = tuple(dict.fromkeys(_notes(first) + _notes(second)))
    found = tuple(f.box for f in fitted)
    return Measurement("box-distance", value, "m", error, "exact distance of the fitted boxes", count, notes, found)


def _between(first: OrientedBox, second: OrientedBox) -> float:
    both = Boxes(
        np.array([first.center, second.center]),
        np.array([first.axes, second.axes]),
        np.array([first.extents, second.extents]),
    )
    return float(distances(both.take(np.array([0])), both.take(np.array([1])))[0])


def _angle(first: Picked, second: Picked, seed: int) -> Measurement:
    planes = [_largest_plane(picked.surface, seed)[0] for picked in (first, second)]
    cosine = abs(float(planes[0].normal @ planes[1].normal))
    value = float(np.degrees(np.arccos(min(1.0, cosine))))
    error = float(np.degrees(np.hypot(planes[0].tilt, planes[1].tilt)))
    count = sum(
        round(float(p.surface.weights[plane.inliers].sum())) for p, plane in zip((first, second), planes, strict=True)
    )
    return Measurement("angle", value, "deg", error, "between planes by least squares", count)


def _largest_plane(surface: Surface, seed: int) -> tuple[Any, float]:
    """The plane with most returns, and how far its points may be from it, in metres."""
    reach = max(3 * surface.noise, 0.01)
    return fit_plane(Cloud(surface.points, surface.weights), reach=reach, seed=seed), reach


def _notes(picked: Picked) -> tuple[str, ...]:
    notes = []
    if picked.planes:
        where = "on beyond the region and"
        surfaces = counted(len(picked.planes), f"surface goes {where} was", f"surfaces go {where} were")
        notes.append(f"{surfaces} taken out")
    if picked.apart > _APART:
        notes.append(
            f"{picked.apart:.0%} of what was left goes on beyond the region and is left out: where that is part of "
            "the object, measure the whole region"
        )
    return tuple(notes)


@dataclass(frozen=True)
class _Feature:
    """A corner, edge or plane of the surface: the place next to a pick, and the directions it goes on in.

    Attributes:
        place: metres, shape (3,).
        ways: unit vectors, shape (0, 3) for a corner, (1, 3) for an edge, (2, 3) for a plane.
        error: 95 % bound of its place across these directions, metres.
    """

    place: Floats
    ways: Floats
    error: float

    @property
    def name(self) -> str:
        """Its kind."""
        return ("corner", "edge", "plane")[len(self.ways)]


def _span(first: _Feature, second: _Feature, count: int) -> Measurement:
    """The distance of two features, across the directions in which they go on."""
    _, sizes, ways = np.linalg.svd(np.vstack([first.ways, second.ways, np.zeros((1, 3))]))
    common = max(len(first.ways), len(second.ways))
    if sizes[common:].max(initial=0.0) > _PARALLEL:
        raise FitError(
            f"give two features, {first.name} and {second.name}, that aren't parallel, so no length is between them; "
            "pick corners or parallel edges"
        )
    between = second.place - first.place
    between -= ways[:common].T @ (ways[:common] @ between)
    error = float(np.linalg.norm([first.error, second.error, _LEAST_ERROR]))
    method = f"from {first.name} to {second.name}, snapped to planes by least squares"
    return Measurement("span", float(np.linalg.norm(between)), "m", error, method, count)


def _snapped(cloud: Cloud, region: Region, seed: int) -> tuple[_Feature, int]:
    """The corner, else the edge, else the plane that is nearest to a picked point, and the number of returns around."""
    inside = cloud.take(region.inside(cloud.points))
    if len(inside) < LEAST:
        raise FitError(f"are only {len(inside)}, and {LEAST} are needed next to a picked point")
    at = region.middle(cloud.points)
    near = cloud.take(np.linalg.norm(cloud.points - at, axis=1) < _AROUND)
    surface = surface_of(near)
    # Around an edge, the smoothed surface is rounded, and has planes of its own.
    reach, left = max(3 * surface.noise, 0.01), surface.flat.copy()
    planes: list[Plane] = []
    lines: list[_Feature] = []
    while len(planes) < _FEW and left.sum() >= 2 * LEAST:
        part = surface.take(left)
        try:
            plane = fit_plane(Cloud(part.points, part.weights), reach=reach, seed=seed, normals=part.normals)
        except FitError:
            break
        on_it = np.flatnonzero(left)[plane.inliers]
        left[on_it] = False
        if len(on_it) < max(LEAST, _LEAST_PLANE * len(near)) or abs(plane.distances(at[None])[0]) > _SNAP:
            continue
        planes.append(plane)
        lines += _rims(surface.points[on_it], plane, at, surface)
    edges = []
    for a, b in itertools.combinations(planes, 2):
        way = np.cross(a.normal, b.normal)
        if np.linalg.norm(way) > _PARALLEL:
            way /= np.linalg.norm(way)
            offsets = np.array([a.offset, b.offset, float(way @ at)])
            place = np.linalg.solve(np.array([a.normal, b.normal, way]), offsets)
            edges.append(_Feature(place, way[None], float(np.hypot(_place_error(a), _place_error(b)))))
    # Where two planes meet, they end; a rim there is the same edge, less exact.
    edges += [line for line in lines if not any(_same(line, edge) for edge in edges)]
    corners = []
    for one, other in itertools.combinations(edges, 2):
        if np.linalg.norm(np.cross(one.ways[0], other.ways[0])) > 0.5:
            steps = np.linalg.lstsq(np.array([one.ways[0], -other.ways[0]]).T, other.place - one.place, rcond=None)[0]
            ends = one.place + steps[0] * one.ways[0], other.place + steps[1] * other.ways[0]
            if np.linalg.norm(ends[1] - ends[0]) < 2 * reach:
                error = float(np.hypot(one.error, other.error))
                corners.append(_Feature((ends[0] + ends[1]) / 2, np.zeros((0, 3)), error))
    flats = [
        _Feature(at - plane.distances(at[None])[0] * plane.normal, across_of(plane.normal), _place_error(plane))
        for plane in planes
    ]
    for features in (corners, edges, flats):
        close = [one for one in features if np.linalg.norm(one.place - at) <= _SNAP]
        if close:
            # Where planes meet is known better than where one ends.
            best = min(one.error for one in close)
            sure = [one for one in close if one.error < 2 * best]
            return min(sure, key=lambda one: float(np.linalg.norm(one.place - at))), round(float(near.weights.sum()))
    raise FitError(f"have no plane within {100 * _SNAP:g} cm of the picked point; pick a place on a surface")


def _place_error(plane: Plane) -> float:
    """The 95 % bound of a plane's place: noise that averages out, and poses' errors, which don't."""
    return float(np.hypot(plane.error, plane.residual))


def _same(one: _Feature, other: _Feature) -> bool:
    away = one.place - other.place
    across = away - (away @ other.ways[0]) * other.ways[0]
    return bool(np.linalg.norm(np.cross(one.ways[0], other.ways[0])) < 0.3 and np.linalg.norm(across) < _SNAP)


def _rims(points: Floats, plane: Plane, at: Floats, surface: Surface) -> list[_Feature]:
    """Straight edges at which a plane's points end near a place."""
    axes = across_of(plane.normal)
    flat = (points - at) @ axes.T
    found: list[_Feature] = []
    turns = np.radians(np.arange(0, 360, 10))
    for turn in turns:
        out, along = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
        u, v = flat @ out, flat @ along
        strip = np.floor(v / _STRIP).astype(np.int64)
        ends = [(v[strip == k].mean(), u[strip == k].max()) for k in range(-4, 4) if (strip == k).sum() >= 3]
        if len(ends) < 6:
            continue
        x, y = np.array(ends).T
        slope, offset = np.polyfit(x, y, 1)
        residual = float(np.std(y - slope * x - offset))
        if abs(slope) > 0.1 or abs(offset) > _SNAP or residual > max(2 * surface.noise, _STRIP / 2):
            continue
        way = (along + slope * out) / np.hypot(1, slope)
        # The outermost points lie within the edge by about half the distance of neighbours.
        place = at + (offset + surface.spacing / 4) * out @ axes
        place -= plane.distances(place[None])[0] * plane.normal
        error = float(np.linalg.norm([surface.spacing / 2, _Z * residual / np.sqrt(len(ends)), _place_error(plane)]))
        line = _Feature(place, (way @ axes)[None], error)
        if not any(_same(line, one) for one in found):
            found.append(line)
    return found
