"""Boxes from marks on pictures of upright cuboids whose outlines are drawn here."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import ndimage

from ingest.marks import overlap
from ingest.worlds import box_of, rotation
from tolman.geometry.boxes import Boxes
from tolman.geometry.camera_geometry import pixel_rays
from tolman.geometry.motion import box_spans
from tolman.ingest.joined_marks import Mark, MarkedView
from tolman.ingest.lifted_boxes import LiftedObject, lift
from tolman.scenes import OrientedBox
from tolman.simulate.walks import looking

SIZE, CAMERA = (320, 240), (260.0, 260.0, 160.0, 120.0)
TABLE = box_of(np.array([0.0, 0.0, 0.4]), rotation(20.0).T, (1.2, 0.7, 0.8))
STOOLS = [box_of(np.array([x, 1.4, 0.25]), np.eye(3), (0.4, 0.4, 0.5)) for x in (-1.0, 0.2)]
NOTHING = np.empty((0, 3))


def around(degrees: float, count: int, away: float = 3.0) -> np.ndarray:
    """Poses on an arc around the origin, 1.5 m high, that look at it."""
    turns = np.radians(np.linspace(0, degrees, count))
    places = np.column_stack([away * np.cos(turns), away * np.sin(turns), np.full(count, 1.5)])
    return looking(places, turns + np.pi, np.full(count, -0.35), np.zeros(count))


def view(pose: np.ndarray, boxes: Sequence[OrientedBox], *, depth: bool = False) -> MarkedView:
    """A picture of cuboids on a floor, in which cuboid i has the number i + 1."""
    rays = pixel_rays(pose, CAMERA, SIZE)
    with np.errstate(divide="ignore"):
        nearest = np.where(rays[:, 2] < 0, pose[2, 3] / -rays[:, 2], 0.0)
    labels = np.zeros(len(rays), dtype=np.int64)
    every = Boxes(*(np.array([getattr(box, name) for box in boxes]) for name in ("center", "axes", "extents")))
    for i in range(len(boxes)):
        entry, leaving = box_spans(pose[:3, 3], rays, every, i, 0.0)
        hit = (entry <= leaving) & (entry > 0) & ((entry < nearest) | (nearest == 0))
        nearest[hit], labels[hit] = entry[hit], i + 1
    shape = SIZE[::-1]
    return MarkedView(pose, CAMERA, labels.reshape(shape), nearest.reshape(shape) if depth else None)


def marks_on(views: Sequence[MarkedView], names: Sequence[str], *, tracks: bool = True) -> list[Mark]:
    """All that is visible."""
    return [
        Mark(i, number, names[number - 1], str(number) if tracks else None)
        for i, one in enumerate(views)
        for number in np.unique(one.labels).tolist()
        if number
    ]


def lifted(views: Sequence[MarkedView], marks: Sequence[Mark], cloud: np.ndarray = NOTHING) -> list[LiftedObject]:
    """The objects, none of which is left out."""
    found = lift(views, marks, cloud)
    assert found is not None
    assert found[1] == []
    return found[0]


def test_depth_gives_the_box_and_its_error() -> None:
    views = [view(pose, [TABLE], depth=True) for pose in around(200, 8)]
    (found,) = lifted(views, marks_on(views, ["table"]))
    assert overlap(found.box, TABLE) > 0.9
    assert (found.label, found.track, len(found.marks)) == ("table", "1", 8)
    assert found.error < 0.06
    assert found.unseen == 0  # the floor ends it below


def test_an_end_that_no_picture_shows_is_told() -> None:
    views = [view(pose, [TABLE], depth=True) for pose in around(0, 3)]
    (found,) = lifted(views, marks_on(views, ["table"]))
    assert found.unseen > 0.1


def test_a_cloud_serves_in_place_of_depth() -> None:
    views = [view(pose, [TABLE]) for pose in around(200, 8)]
    draw = np.random.default_rng(0)
    sides = draw.uniform(-0.5, 0.5, (6000, 3))
    axis = draw.integers(0, 3, 6000)
    sides[np.arange(6000), axis] = draw.choice([-0.5, 0.5], 6000)
    on_it = sides * TABLE.extents @ np.array(TABLE.axes) + TABLE.center
    floor = np.column_stack([draw.uniform(-3, 3, (20_000, 2)), np.zeros(20_000)])
    cloud = np.concatenate([on_it, floor])
    (found,) = lifted(views, marks_on(views, ["table"]), cloud)
    assert overlap(found.box, TABLE) > 0.8
    # A sparse cloud says nothing of extents.
    assert lift(views, marks_on(views, ["table"]), cloud[::400]) is None


def test_one_picture_is_too_few() -> None:
    views = [view(pose, [TABLE], depth=True) for pose in around(200, 3)]
    lifted = lift(views, marks_on(views[:1], ["table"]), NOTHING)
    assert lifted is not None
    found, (left_out,) = lifted
    assert found == []
    assert left_out.reason == "marked in fewer than 2 pictures"
    assert (left_out.label, left_out.track) == ("table", "1")


def test_marks_without_identity_are_joined() -> None:
    boxes, names = [TABLE, *STOOLS], ["table", "stool", "stool"]
    views = [view(pose, boxes, depth=True) for pose in around(160, 10, away=4.5)]
    found = lifted(views, marks_on(views, names, tracks=False))
    assert sorted(one.label for one in found) == ["stool", "stool", "table"]
    for one in found:
        true = min(boxes, key=lambda box: float(np.linalg.norm(np.subtract(box.center, one.box.center))))
        assert np.linalg.norm(np.subtract(true.center, one.box.center)) < 0.15
        assert len(one.marks) >= 8


def test_a_thing_that_was_lost_and_found_again_is_one() -> None:
    """Two tracks of one table at different times; two stools that are seen together stay two."""
    boxes, names = [TABLE, *STOOLS], ["table", "stool", "stool"]
    views = [view(pose, boxes, depth=True) for pose in around(160, 10, away=4.5)]
    marks = marks_on(views, names)
    again = [replace(one, track="9") if one.track == "1" and one.view > 4 else one for one in marks]
    found = lifted(views, again)
    assert sorted((one.label, one.track) for one in found) == [("stool", "2"), ("stool", "3"), ("table", "1")]
    other = [replace(one, label="sofa") if one.track == "9" else one for one in again]
    assert len(lifted(views, other)) == 4


def test_the_label_of_most_marks_holds() -> None:
    views = [view(pose, [TABLE], depth=True) for pose in around(200, 8)]
    marks = marks_on(views, ["table"], tracks=False)
    marks[3] = Mark(3, 1, "sofa")
    (found,) = lifted(views, marks)
    assert (found.label, len(found.marks)) == ("table", 8)


def test_nothing_is_lifted_without_depth_and_dense_points() -> None:
    views = [view(pose, [TABLE], depth=True) for pose in around(200, 6)]
    empty = [MarkedView(one.pose, one.intrinsics, one.labels, np.zeros((12, 16))) for one in views]
    sparse = np.random.default_rng(0).uniform(-1, 1, (60, 3))
    for cloud in (NOTHING, sparse):
        assert lift(empty, marks_on(empty, ["table"]), cloud) is None


WALL = box_of(np.array([-1.0, 0.0, 1.25]), np.eye(3), (0.1, 4.0, 2.5))
PICTURE = box_of(np.array([-0.935, 0.3, 1.3]), np.eye(3), (0.03, 0.6, 0.5))


def rough_views(
    boxes: Sequence[OrientedBox], degrees: float, *, wider: int = 0, noise: float = 0.007
) -> list[MarkedView]:
    """Pictures of which the first cuboid is marked, some pixels too wide, with depth that is off by a share."""
    draw = np.random.default_rng(3)
    found = []
    for pose in around(degrees, 12):
        one = view(pose, boxes, depth=True)
        assert one.depth is not None
        mask = one.labels == 1
        mask = ndimage.binary_dilation(mask, iterations=wider) if wider else mask
        found.append(replace(one, labels=mask.astype(np.int64), depth=one.depth * draw.normal(1, noise, mask.shape)))
    return found


def test_a_picture_ends_at_its_wall() -> None:
    views = rough_views([PICTURE, WALL], 50, noise=0.002)
    (found,) = lifted(views, [Mark(i, 1, "picture", "1") for i in range(len(views))])
    assert overlap(found.box, PICTURE) > 0.7
    assert min(found.box.extents) < 0.045


def test_the_edges_of_masks_count_less() -> None:
    views = rough_views([TABLE, *STOOLS], 200, wider=3)
    (found,) = lifted(views, [Mark(i, 1, "table", "1") for i in range(len(views))])
    assert overlap(found.box, TABLE) > 0.85


def test_a_mask_without_depth_says_nothing() -> None:
    """Beyond a sensor's range, a rough mask has depth where it covers something nearer."""
    views = rough_views([TABLE], 200)
    cut = []
    for one in views:
        assert one.depth is not None
        columns = np.flatnonzero((one.labels > 0).any(0))
        labels = one.labels.copy()
        labels[:, columns[len(columns) // 10] :] = 0
        far = np.where(labels > 0, one.depth, 0.0)
        cut.append(replace(one, depth=far))
    marks = [Mark(i, 1, "table", "1") for i in range(len(cut))]
    assert lift(cut, marks, NOTHING) is None
