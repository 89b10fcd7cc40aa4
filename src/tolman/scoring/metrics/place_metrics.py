"""Points and boxes against the right place: shares inside, distances, intersection over union."""

from __future__ import annotations

from collections.abc import Sequence

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.metrics import Metric, MetricFamily
from tolman.scoring.picture_places import Place, distances, inside, overlaps, read_place, regions_of


def _places(item: Item, reading: ParsedAnswer) -> tuple[Place, Place] | None:
    """The right place and the one that was read, on its scale; None where that is none, such as a box without area, or
    can't be put on that scale."""
    truth = read_place(item.answer)
    try:
        return truth, read_place(str(reading.value)).on(truth.size)
    except ValueError:
        return None


def _hits(item: Item, reading: ParsedAnswer) -> Sequence[float]:
    places = _places(item, reading)
    return inside(*places) if places else (0.0,)


def share_inside(item: Item, reading: ParsedAnswer) -> float:
    """Return the share of the points that are inside the right region; of several boxes the share of all points in
    them. If the truth is points, return the share of points on either side, whichever has more, that have a partner
    near enough on the other."""
    places = _places(item, reading)
    if places is None:
        return 0.0
    truth, said = places
    hits = inside(truth, said)
    if said.points or len(hits) == 1:
        return sum(hits) / max(len(hits), len(truth.points) if said.points else 1)
    areas = [region.area for region in regions_of(said)]
    return sum(hit * area for hit, area in zip(hits, areas, strict=True)) / sum(areas)


def pixels_inside(item: Item, reading: ParsedAnswer) -> float:
    """Return the share of the points that are pixels of the right mask, as an array of them is looked up: points on the
    far edge of the picture are outside."""
    places = _places(item, reading)
    if places is None or not places[1].points:
        return share_inside(item, reading)
    truth, said = places
    hits = inside(truth, said)
    there = [hit for hit, (x, y) in zip(hits, said.points, strict=True) if x < truth.size[0] and y < truth.size[1]]
    return sum(there) / len(hits)


def any_inside(item: Item, reading: ParsedAnswer) -> float:
    """1 where any point is right; of a region the share inside."""
    return max(_hits(item, reading))


def first_inside(item: Item, reading: ParsedAnswer) -> float:
    """1 where the first point is right; of a region the share inside."""
    return _hits(item, reading)[0]


def mean_distance(item: Item, reading: ParsedAnswer) -> float | None:
    """The mean distance of the points from the right region, as a share of the picture's diagonal."""
    places = _places(item, reading)
    found = distances(*places) if places else []
    return sum(found) / len(found) if found else None


def mean_overlap(item: Item, reading: ParsedAnswer) -> float:
    """The mean intersection over union of the boxes, of boxes without partner 0."""
    places = _places(item, reading)
    found = overlaps(*places) if places else [0.0]
    return sum(found) / len(found)


def _overlap_of(percent: float) -> Metric:
    def share(item: Item, reading: ParsedAnswer) -> float:
        places = _places(item, reading)
        found = overlaps(*places) if places else [0.0]
        return sum(value >= percent / 100 - 1e-9 for value in found) / len(found)

    return Metric(
        name=f"box-iou-{percent:g}",
        title=f"IoU ≥ {percent:g} %",
        per_item=share,
        kinds=("boxes",),
        source="RefCOCO's precision at an intersection over union (arXiv 1608.00272)",
    )


POINTS_INSIDE = Metric(
    name="points-inside",
    title="Points inside",
    per_item=share_inside,
    kinds=("points",),
    source="RoboPoint (arXiv 2406.10721) and RefSpatial-Bench (arXiv 2506.04308): share of points in the mask",
)
BOX_IOU = Metric(
    name="box-iou",
    title="IoU",
    per_item=mean_overlap,
    kinds=("boxes",),
    source="COCO's intersection over union, the best pairs first",
)
METRICS = (
    POINTS_INSIDE,
    Metric(
        name="pixels-inside",
        title="Pixels inside",
        per_item=pixels_inside,
        kinds=("points",),
        source="Zhoues/RoboRefer, Evaluation/summarize_acc.py, and wentaoyuan/RoboPoint: share of pixels in the mask",
    ),
    Metric(
        name="any-point-inside",
        title="Any point inside",
        per_item=any_inside,
        kinds=("points",),
        source="lmms-eval's task of RoboSpatial-Home: any point in the mask",
    ),
    Metric(
        name="first-point-inside",
        title="First point inside",
        per_item=first_inside,
        kinds=("points",),
        source="chanhee-luke/RoboSpatial-Eval: the first point in the polygon",
    ),
    Metric(
        name="point-distance",
        title="Distance from the region",
        per_item=mean_distance,
        kinds=("points",),
        range=(0.0, float("inf")),
        direction="lower",
        unread=None,
        source="Euclidean distance to the region, divided by the picture's diagonal",
        digits=3,
    ),
    BOX_IOU,
    MetricFamily("box-iou-X", _overlap_of, least=0.0, greatest=100.0),
)
