"""Boxes of a scene on a question's pictures, for a room of the demo whose pictures say which pixel shows what."""

import numpy as np
import pytest

pytest.importorskip("shapely", reason="scenes need the extra 'build'")

from three_rooms import ROOMS
from tolman.geometry.camera_geometry import project
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Item, Media
from tolman.review.evidence.scene_drawings import boxes_on, cameras_of


@pytest.fixture(scope="module")
def room() -> SceneGeometry:
    """A room with its recording."""
    return next(one for one in open_collection(ROOMS) if isinstance(one, SceneGeometry))


def _item(room: SceneGeometry, *media: Media, **evidence: object) -> Item:
    return Item(
        id="x", question="?", kind="number", unit="count", answer="1", task="object_counting", scene=room.scene.id,
        media=media, evidence=evidence,
    )  # fmt: skip


def test_boxes_are_around_what_a_frame_is_known_to_show(room: SceneGeometry) -> None:
    camera = cameras_of(room)[0]
    assert camera.media is not None
    assert camera.size is not None
    asked = _item(room, Media(kind="video", path=f"elsewhere/{camera.media.rsplit('/', 1)[-1]}"))
    size = (2 * camera.size[0], 2 * camera.size[1])
    sighted = sorted({one.frame for one in camera.sightings})
    drawn = 0
    for frame in sighted[:: max(1, len(sighted) // 8)]:
        seen = {one.object for one in camera.sightings if one.frame == frame and one.pixels}
        boxes = boxes_on(room, asked, 1, frame, size)
        drawn += len(boxes)
        there = [thing for thing in room.scene.objects if thing.id in seen]
        assert [box.name for box in boxes] == [thing.category for thing in there]
        for thing, box in zip(there, boxes, strict=True):
            (left, top), (right, bottom) = box.points
            assert 0 <= left < right <= size[0]
            assert 0 <= top < bottom <= size[1]
            middle, depth = project(
                np.array(thing.box.center),
                camera.pose(frame),
                camera.intrinsics[0 if len(camera.intrinsics) == 1 else frame],
            )
            x, y = 2 * middle
            if depth > 0.5 and 0 <= x <= size[0] and 0 <= y <= size[1]:
                assert left <= x <= right
                assert top <= y <= bottom
    assert drawn > 10


def test_pictures_whose_camera_is_not_known_have_none(room: SceneGeometry) -> None:
    camera = cameras_of(room)[0]
    image = Media(kind="image", path="a.jpg")
    assert boxes_on(room, _item(room, Media(kind="video", path="other.mp4")), 1, 0, (640, 480)) == []
    assert boxes_on(room, _item(room, image), 1, None, (640, 480)) == []
    assert boxes_on(room, _item(room, image, image, shots=[[camera.id, 0, None]]), 1, None, (640, 480)) == []
    frame = min(one.frame for one in camera.sightings)
    shot = _item(room, image, shots=[[camera.id, frame, None]])
    assert camera.media is not None
    video = _item(room, Media(kind="video", path=camera.media))
    assert boxes_on(room, shot, 1, None, (640, 480)) == boxes_on(room, video, 1, frame, (640, 480)) != []
    assert boxes_on(room, video, 1, len(camera.poses), (640, 480)) == []
