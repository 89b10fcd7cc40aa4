"""Where nothing can be asked, every question type of every preset says why."""

from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the families need the extra 'build'")

from generate.test_captures import PLACES, capture, scene
from tolman.generate.draft_collection import grouped, without_categories
from tolman.generate.family import Draft, Rejected
from tolman.generate.presets import PRESETS, drafts, preset
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.scene_table import write_captures, write_scenes
from tolman.scenes import Capture, Scene

POSE = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
EMPTY = Scene(id="made/kitchen", dataset="made", objects=(), video="v.mp4")


def walk(**changes: object) -> Capture:
    """A video with exact poses, as of a recording without any annotation."""
    made = {
        "id": "made/kitchen/walk", "scene": "made/kitchen", "sensor": "camera", "role": "ego", "media": "v.mp4",
        "size": (640, 480), "times": (0.0, 0.1), "poses": (POSE, POSE), "intrinsics": ((500.0, 500.0, 320.0, 240.0),),
    }  # fmt: skip
    return Capture.model_validate(made | changes)


def reasons(name: str, place: Scene, captures: Sequence[Capture]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in drafts(SceneGeometry(place, captures), preset(name)):
        assert isinstance(one, Rejected)
        found.setdefault(one.task, []).append(one.reason)
    return found


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("captures", [[], [walk()], [walk(media=None)], [walk(poses=(), intrinsics=())]])
def test_every_question_type_says_why_nothing_is_asked(name: str, captures: list[Capture]) -> None:
    """As many types speak as do in a place where much can be asked, those without a recording too."""
    found = reasons(name, EMPTY, captures)
    expected = {
        "vsi-paper": 10,
        "vsi-official": 10,
        "mmsi": 11,
        "site": 4,
        "spatialbench": 15,
        "posed-video": 5,
        "all": 44,
        "tolman-1": 33,
        "tolman-2": 24,
    }
    assert len(found) == expected[name]
    assert all(reason for own in found.values() for reason in own)


@pytest.mark.parametrize(
    ("captures", "reason"),
    [
        ([], "no camera's recording"),
        ([walk(media=None)], "no recording with a video"),
        ([walk(poses=(), intrinsics=())], "no recording with known poses and picture size"),
        ([walk(intrinsics=())], "no recording with known intrinsics"),
        ([walk()], "no object with a box"),
    ],
)
def test_pictures_need_a_video_with_cameras_and_boxes(captures: list[Capture], reason: str) -> None:
    assert {own for said in reasons("mmsi", EMPTY, captures).values() for own in said} == {reason}


def test_pictures_need_sightings_and_two_clear_things() -> None:
    room = scene()
    moved = {"id": "w", "scene": room.id, "media": room.video}
    unseen = {own for said in reasons("mmsi", room, [walk(**moved)]).values() for own in said}
    assert unseen == {"no recording says which objects its frames show"}
    lost = walk(**moved, sightings=[{"frame": 0, "object": name, "pixels": 1} for name in PLACES])
    found = reasons("mmsi", room, [lost])
    assert found.pop("Motion (Obj.)") == ["nothing moves"]
    assert {own for said in found.values() for own in said} == {"no picture shows two objects clearly"}


@pytest.mark.parametrize(
    ("captures", "reason"),
    [
        ([], "no camera's recording"),
        ([walk(media=None)], "no recording with a video"),
        ([walk()], "no exocentric recording: none has a role that begins with 'exo'"),
        ([walk(role="exo-1")], "no egocentric recording: none has the role 'ego'"),
        ([walk(role="")], "neither an egocentric recording (role 'ego') nor an exocentric one ('exo…')"),
        (
            [walk(), walk(id="exo", role="exo", offset=99.0)],
            "the egocentric and the exocentric recording share no moment",
        ),
    ],
)
def test_two_cameras_of_one_time_are_missed_by_name(captures: list[Capture], reason: str) -> None:
    assert {own for said in reasons("site", EMPTY, captures).values() for own in said} == {reason}


def test_reasons_take_no_question_away() -> None:
    found = list(drafts(SceneGeometry(scene(), [capture()]), preset("vsi-paper")))
    asked = {one.task for one in found if isinstance(one, Draft)}
    assert len(asked) > 6
    silent = {one.task for one in found if isinstance(one, Rejected) and "too few things" in one.reason}
    assert not asked & silent


def write_kitchen(folder: Path) -> None:
    folder.mkdir()
    write_scenes(folder, [EMPTY])
    write_captures(folder, [walk()])


def test_reasons_that_differ_in_their_categories_are_one() -> None:
    counts = {
        "the chair reaches less than 0.3 m": 2,
        "the coffee table reaches less than 0.3 m": 3,
        "the Table reaches less than 0.3 m": 1,
        "a wall is in the way": 4,
        "within 0.15 m of each other": 5,
        "within 0.3 m of each other": 6,
    }
    patterns = {reason: without_categories(reason, ["chair", "table", "coffee table", "wall"]) for reason in counts}
    found = grouped(counts, patterns)
    assert found == {
        "a wall is in the way": 4,
        "the … reaches less than 0.3 m": 6,
        "within 0.15 m of each other": 5,
        "within 0.3 m of each other": 6,
    }
    assert sum(found.values()) == sum(counts.values())
    measured = {f"reaches {height} m, less than 0.3 m": height for height in range(1, 6)}
    assert grouped(measured, {}) == {"reaches … m, less than 0.3 m": 15}
    assert without_categories("chairs and boxes stand in the hallway", ["chair", "box", "hall", ""]) == (
        "… and … stand in the hallway"
    )
