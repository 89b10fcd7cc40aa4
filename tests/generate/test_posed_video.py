"""Questions from camera poses alone: simulated rooms without their boxes, and ways whose truth is plain."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from three_rooms import ROOMS
from tolman.generate.draft_items import item_of
from tolman.generate.families.mmsi_bench.support.views import View
from tolman.generate.families.posed_video import (
    DIRECTION_TASK,
    DISPLACEMENT_TASK,
    NEXT_TASK,
    NO_PAIR,
    ORDER_TASK,
    SPEED_TASK,
    UNTIMED,
    PosedSettings,
    lack,
    motion_of,
)
from tolman.generate.family import Draft, Rejected, Shot
from tolman.generate.presets import drafts, preset
from tolman.ground_truth.question_families import POSED_VIDEO, family, recompute
from tolman.ground_truth.released_audit import audit
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Media
from tolman.scenes import Capture, Clock, Scene

TASKS = {DISPLACEMENT_TASK, SPEED_TASK, DIRECTION_TASK, ORDER_TASK, NEXT_TASK}
PICTURE = Media(kind="image", path="p.jpg")


def bare(geometry: SceneGeometry, **changes: Any) -> SceneGeometry:
    """The same place of which only the camera's poses are known."""
    scene = geometry.scene.model_copy(
        update={"objects": (), "counts": {}, "room_area": None, "floor": (), "twins": None, **changes}
    )
    return SceneGeometry(scene, [one.model_copy(update={"sightings": (), "recorded": ()}) for one in geometry.captures])


@pytest.fixture(scope="module")
def rooms() -> list[SceneGeometry]:
    return [bare(one) for one in open_collection(ROOMS) if isinstance(one, SceneGeometry)]


def straight(speed: float = 0.5, way: float = 0.0, turn: float = 0.0, clock: Clock | None = None) -> SceneGeometry:
    """A level camera that looks along +x and moves at `way` degrees to the left of that, 10 frames a second for 8 s.

    Args:
        speed: metres per second.
        way: degrees.
        turn: degrees per second to the left.
        clock: of the recording.
    """
    times = np.arange(81) / 10
    poses = []
    for time in times:
        angle = math.radians(turn * time)
        pose = np.eye(4)
        pose[:3, 2] = (math.cos(angle), math.sin(angle), 0)
        pose[:3, 0] = (math.sin(angle), -math.cos(angle), 0)
        pose[:3, 1] = (0, 0, -1)
        pose[:2, 3] = speed * time * np.array([math.cos(math.radians(way)), math.sin(math.radians(way))])
        poses.append(tuple(pose.ravel().tolist()))
    capture = Capture(
        id="a/way/ego", scene="a/way", sensor="camera", role="ego", media="videos/way.mp4", size=(640, 480),
        times=tuple(times.tolist()), poses=tuple(poses), intrinsics=((500.0, 500.0, 320.0, 240.0),), clock=clock,
    )  # fmt: skip
    return SceneGeometry(Scene(id="a/way", dataset="a", objects=(), video="videos/way.mp4"), [capture])


def asked(name: str, geometry: SceneGeometry) -> list[Draft]:
    one = family(f"posed-video/{name}")
    return [found for found in one.draft(geometry, one.settings) if isinstance(found, Draft)]


def reasons(geometry: SceneGeometry) -> dict[str, set[str]]:
    """Question type → the reasons why some of it wasn't asked."""
    found: dict[str, set[str]] = {}
    for one in drafts(geometry, preset("posed-video")):
        if isinstance(one, Rejected):
            found.setdefault(one.task, set()).add(one.reason)
    return found


def test_a_video_without_boxes_gives_questions_of_every_family(rooms: list[SceneGeometry]) -> None:
    counts = Counter(
        one.task for room in rooms for one in drafts(room, preset("posed-video")) if isinstance(one, Draft)
    )
    assert set(counts) == TASKS
    assert sum(counts.values()) >= 10 * len(rooms)
    for room in rooms:
        assert all(
            isinstance(one, Rejected)
            for one in family("mmsi-bench/camera-motion").draft(room, family("mmsi-bench/camera-motion").settings)
        )


@pytest.mark.parametrize("name", POSED_VIDEO)
def test_what_is_asked_is_computed_again(name: str, rooms: list[SceneGeometry]) -> None:
    one = family(name)
    for room in rooms:
        for draft in (found for found in one.draft(room, one.settings) if isinstance(found, Draft)):
            item = item_of(draft, 0, (PICTURE,) * len(draft.shots), 0)
            again = one.recompute(room, item, one.settings)
            assert again.violations == ()
            if draft.task == NEXT_TASK:
                assert again.place == draft.evidence["motions"].index(draft.evidence["motions"][0]) == 0
            else:
                assert again.released == draft.answer


def test_truth_of_a_straight_way() -> None:
    walk = straight(speed=0.42)
    for draft in asked("displacement", walk):
        (shot,) = draft.shots
        assert shot.until is not None
        assert float(draft.answer) == pytest.approx(0.42 * (shot.until - shot.frame) / 10, abs=0.0501)
    assert {draft.answer for draft in asked("speed", walk)} == {"0.4 m/s"}
    for draft in asked("speed", walk):  # frames alone don't show how long a clip lasts
        (shot,) = draft.shots
        seconds = walk.captures[0].times[shot.until or 0] - walk.captures[0].times[shot.frame]
        assert f"lasts {seconds:.1f} seconds" in draft.question
    assert not asked("speed", straight(speed=0.5))
    assert all(len(set(draft.options)) == 4 for draft in asked("speed", walk))
    for draft in asked("frame-order", walk):
        frames = [shot.frame for shot in draft.shots[2:]]
        order = [int(word) for word in draft.answer.split(", ")]
        assert [frames[number - 1] for number in order] == sorted(frames)


@pytest.mark.parametrize(
    ("way", "answer"), [(0, "Forward"), (80, "To the left"), (185, "Backward"), (-95, "To the right")]
)
def test_directions(way: float, answer: str) -> None:
    found = asked("motion-direction", straight(way=way))
    assert found
    assert {draft.answer for draft in found} == {answer}
    assert not asked("motion-direction", straight(way=40))


def test_motions_of_two_views() -> None:
    def view(ahead: float, left: float, heading: float) -> View:
        pose = np.eye(4)
        angle = math.radians(heading)
        pose[:3, 2], pose[:2, 3] = (math.cos(angle), math.sin(angle), 0), (ahead, left)
        return View(Shot("a", 0), "ego", 0.0, pose, (1, 1, 1, 1), (2, 2), {})

    settings, start = PosedSettings(), view(0, 0, 0)
    assert motion_of(start, view(1, 0.1, 45), settings) == "moves forward and turns to the left"
    assert motion_of(start, view(-1, 0.1, -45), settings) == "moves backward and turns to the right"
    assert motion_of(start, view(0.1, -1, 3), settings) == "moves to the right"
    assert motion_of(start, view(0.3, 0, 45), settings) == ""
    assert motion_of(start, view(1, 0, 20), settings) == ""
    assert motion_of(start, view(1, 0.9, 45), settings) == ""


def test_families_that_need_metres_or_times_say_so(rooms: list[SceneGeometry]) -> None:
    unknown = bare(rooms[0], metric=False)
    said = reasons(unknown)
    assert said[DISPLACEMENT_TASK] == said[SPEED_TASK] == {"the scene's scale is unknown"}
    assert any(isinstance(one, Draft) for one in drafts(unknown, preset("posed-video")))
    still = straight(speed=0.05)
    assert reasons(still)[DIRECTION_TASK] == {"moved by less than 0.8 m"}
    unscaled = SceneGeometry(still.scene.model_copy(update={"metric": False}), still.captures)
    assert reasons(unscaled)[DIRECTION_TASK] == {"moved by less than 0.8 m, if the scene is 5 m across"}
    assert reasons(straight(clock=Clock(method="untimed")))[SPEED_TASK] == {UNTIMED}
    assert asked("displacement", straight(clock=Clock(method="untimed")))


def test_what_a_recording_lacks() -> None:
    walk = straight()
    assert lack(walk) == ""
    camera = walk.captures[0]
    for change, said in (
        ({"poses": ()}, "no recording with known poses"),
        ({"media": None}, "no recording with a video"),
        ({"sensor": "lidar"}, "no camera's recording"),
        ({"intrinsics": ()}, NO_PAIR),
        ({"poses": camera.poses[:1], "times": (0.0,)}, NO_PAIR),
    ):
        poorer = SceneGeometry(walk.scene, [camera.model_copy(update=change)])
        assert reasons(poorer) == {task: {said} for task in TASKS}
    short = camera.model_copy(update={"times": camera.times[:20], "poses": camera.poses[:20]})  # 1.9 s
    found = reasons(SceneGeometry(walk.scene, [short]))
    assert found.pop(NEXT_TASK) == {"fewer than four pictures whose motions differ clearly"}
    assert found == {task: {"no two sampled pictures are 2 to 20 s apart"} for task in TASKS - {NEXT_TASK}}
    still = straight(speed=0.0)
    assert not [one for one in drafts(still, preset("posed-video")) if isinstance(one, Draft)]


def test_answers_in_metres_need_a_scale() -> None:
    known = straight()
    unknown = SceneGeometry(known.scene.model_copy(update={"metric": False}), known.captures)
    for name, answered in (("displacement", False), ("motion-direction", True)):
        one = asked(name, known)[0]
        item = item_of(one, 0, (PICTURE,) * len(one.shots), 0)
        item = item.model_copy(update={"labels": {"family": f"posed-video/{name}"}})
        assert audit([item], {known.scene.id: known}, preset("posed-video").settings)[0].status == "agrees"
        (found,) = audit([item], {known.scene.id: unknown}, preset("posed-video").settings)
        assert found.status == ("agrees" if answered else "not checked")
        if not answered:
            assert found.note == "the scene's scale is unknown"
            with pytest.raises(ValueError, match="the scene's scale is unknown"):
                recompute(unknown, item, preset("posed-video").settings)
