"""Measurements for questions about metric truth: sizes, heights, distances, areas and angles of picked regions.

SpatialBench takes its metric answers from the LiDAR cloud by geometric fitting (its section 4.2). The quantities follow
VSI-Bench's definitions: the size of an object is its longest dimension, the distance of two is that of their closest
points. Every value comes with a bound of its error, meant for 95 %; `fitting` explains its parts, docs/measure.md how
often it was found to hold.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from tolman.errors import counted, hint
from tolman.extras import LazyModule
from tolman.geometry.box_uncertainty import Rays, choices, cuts, gaps, let_down, meant
from tolman.geometry.boxes import Boxes, Floats, distances
from tolman.geometry.clouds import Cloud, Surface, as_cloud
from tolman.geometry.fitting import FitError, FittedBox, fit_box, fit_cylinder, fit_plane
from tolman.geometry.regions import BoxRegion, Picked, Region, pick
from tolman.scenes import OrientedBox

if TYPE_CHECKING:
    import scipy
else:
    scipy = LazyModule("scipy")

Quantity = Literal[
    "size", "length", "width", "height", "diameter", "area", "distance", "box-distance", "angle", "room-area"
]
Shape = Literal["box", "free-box", "cylinder"]
QUANTITIES: tuple[str, ...] = get_args(Quantity)
SHAPES: tuple[str, ...] = get_args(Shape)
OF_TWO = frozenset({"distance", "box-distance", "angle"})
"""Quantities of two regions."""
_Z = 1.96
_NEAREST = 5
_TOLD = 0.05
_WIDE, _WIDER = 0.05, 0.1
"""People draw boxes wider than objects by so many metres and such a share, as is assumed where nothing else tells."""
_APART = 0.1
_LEAST_ERROR = 0.01
"""Of any dimension, metres: points are the means of voxels, and move onto a plane through their neighbours."""
_MIXED = 0.15
"""Share of a dimension that is open where the region alone told the object's parts from other things'."""
_USELESS = 0.6
"""A bound of a greater share of the value measures nothing."""


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
    """

    quantity: str
    value: float
    unit: str
    error: float
    method: str
    n_points: int
    notes: tuple[str, ...] = ()
    boxes: tuple[OrientedBox, ...] = ()

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
) -> Measurement:
    """Measure a picked region, or two.

    Args:
        points: of the place, z up, metres, shape (n, 3); or a Cloud of voxels with their weights.
        region: the picked region.
        quantity: 'size' (the longest dimension), 'length' and 'width' (the longer and the shorter level one), 'height',
            'diameter' (of a cylinder), 'area' (of the plane with most returns), 'room-area' (of the alpha shape of all
            that is inside, seen from above); of two regions 'distance' (of their closest points), 'box-distance' (of
            the boxes around them) and 'angle' (between such planes, 0 … 90°).
        other: the second region.
        shape: the shape that is fitted for the dimensions: 'box' (upright), 'free-box' or 'cylinder'.
        isolate: whether floors, walls and other surfaces that go on beyond the region are taken out first, and lesser
            groups of points.
        seed: of the random draws.
        rays: of the returns that are in the region or passed it: they show free space. Without them, an object may go
            on unseen as far as the region does.

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
    # An area or an angle may well be that of a floor or wall, of which only a part was picked.
    whole = isolate and quantity not in ("area", "angle")
    first = pick(cloud, region, isolate=whole, seed=seed, rays=rays)
    if quantity == "area":
        return _area(first, seed)
    if other is not None:
        second = pick(cloud, other, isolate=whole, seed=seed, rays=rays)
        if quantity == "angle":
            return _angle(first, second, seed)
        return _distance(first, second) if quantity == "distance" else _box_distance(first, second, shape, seed)
    if shape == "cylinder" or quantity == "diameter":
        return _of_cylinder(first, quantity, seed)
    return _of_box(first, quantity, shape, seed)


@dataclass(frozen=True)
class _Boxed:
    """The box around the picked points, and others that the region may mean."""

    fitted: FittedBox
    others: tuple[OrientedBox, ...]
    apart: bool = True
    """Whether the object's parts were told from other things' at once."""


def _boxed(picked: Picked, shape: str, seed: int) -> _Boxed:
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
    return _Boxed(replace(fitted, errors=(errors[0], errors[1], errors[2]), gaps=unseen, cut=cut), others, apart)


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


def _bound(boxed: _Boxed, quantity: str) -> float:
    """The bound of a quantity: of its ends, of an axis that may be the longest as well, and of the other boxes."""
    box, errors = boxed.fitted.box, np.array(boxed.fitted.errors)
    which = _axis_of(box, quantity)
    value, error = box.extents[which], float(errors[which])
    if quantity == "size":
        error = max(error, float((np.array(box.extents) + errors).max() - value))
    apart = max((abs(other.extents[_axis_of(other, quantity)] - value) for other in boxed.others), default=0.0)
    return float(np.linalg.norm([error, apart, _LEAST_ERROR, 0.0 if boxed.apart else _MIXED * value]))


def _of_box(picked: Picked, quantity: str, shape: str, seed: int) -> Measurement:
    boxed = _boxed(picked, shape, seed)
    fitted, which = boxed.fitted, _axis_of(boxed.fitted.box, quantity)
    value, error = fitted.box.extents[which], _bound(boxed, quantity)
    if error > _USELESS * value:
        raise FitError(
            f"leave open what is the object's: its {quantity} is {value:.2f} m, give or take {error:.2f} m; draw the "
            "region closer around it, or use a recording that sees it from more sides"
        )
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
    boxed = [_boxed(picked, shape, seed) for picked in (first, second)]
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
