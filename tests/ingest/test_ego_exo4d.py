"""Ego-Exo4D: a take written in its layout comes back as synchronous captures with poses, and what happens in it."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ingest import ego_exo4d_layout as layout
from ingest.ego_exo4d_layout import FRAMES, START, TAKE, UID
from tolman.errors import InputError, TolmanError
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.formats.ego_exo4d import FORMAT
from tolman.ingest.scan_format import RawScene
from tolman.media.video import read_frames, read_index
from tolman.scene_table import read_collection
from videos import read_code, write_video


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("egoexo")
    layout.write(folder)
    return folder


@pytest.fixture
def own(root: Path, tmp_path: Path) -> Path:
    """A copy that may be damaged."""
    return Path(shutil.copytree(root, tmp_path / "egoexo"))


def read(root: Path) -> RawScene:
    (source,) = FORMAT.find(root)
    return FORMAT.read(source)


def change(path: Path, edit: Callable[[str], str]) -> None:
    path.write_text(edit(path.read_text()))


def test_takes_whose_videos_are_there_are_found(root: Path) -> None:
    (source,) = FORMAT.find(root)
    assert source.id == f"ego-exo4d/{TAKE}"
    assert source.path == root / "takes" / TAKE
    names = [path.name for path in source.files]
    assert names[0] == "takes.json"
    assert {"aria01_214-1.mp4", "cam02.mp4", "timesync.csv", "keystep_train.json", "gopro_calibs.csv"} <= set(names)


def test_who_is_worn_is_told_by_is_ego_and_never_by_the_name(root: Path) -> None:
    reading = read(root)
    assert [recording.role for recording in reading.recordings] == [
        "ego",
        "ego-2",
        "exo-cam01",
        "exo-cam02",
        "exo-cam03",
    ]
    media = [recording.media for recording in reading.recordings]
    assert [path.name for path in media if path] == [
        "aria01_214-1.mp4", "cam05.mp4", "cam01.mp4", "cam02.mp4", "cam03.mp4",
    ]  # fmt: skip
    assert media[3] is not None
    assert media[3].parent.name == "448"
    assert any("without a video here: moblie" in text for text in reading.repaired)


def test_all_captures_have_the_same_times(root: Path) -> None:
    for recording in read(root).recordings:
        np.testing.assert_allclose(recording.times, np.arange(FRAMES) / 30, atol=1e-9)
        assert recording.offset == 0.0
        assert recording.intrinsics.shape == (0, 4)


def test_fixed_cameras_stand_where_they_stood(root: Path) -> None:
    reading = read(root)
    for recording, camera in zip(reading.recordings[2:4], ("cam01", "cam02"), strict=True):
        assert recording.poses.shape == (FRAMES, 4, 4)
        np.testing.assert_allclose(recording.poses[5], layout.fixed(camera), atol=1e-6)
    assert reading.recordings[4].poses.shape == (0, 4, 4)
    assert any("cam03 wasn't localised" in text for text in reading.repaired)
    assert any("cam05 is worn and not the glasses'" in text for text in reading.repaired)


def test_the_glasses_are_where_the_clock_says_turned_as_the_video_is(root: Path) -> None:
    recording = read(root).recordings[0]
    mount = layout.world_of(*layout.MOUNT)
    for frame in range(FRAMES):
        sensor = layout.glasses(layout.row_stamp(START + 1 + frame)) @ mount
        # The nearest pose is a quarter of a millisecond away at most, at 60 degrees a second.
        # What the sensor has to the right and above stands below and to the right in the upright video.
        x, y, z = 0.3, -0.2, 1.0
        np.testing.assert_allclose(recording.poses[frame][:3, :3] @ [-y, x, z], sensor[:3, :3] @ [x, y, z], atol=5e-4)
        np.testing.assert_allclose(recording.poses[frame][:3, 3], sensor[:3, 3], atol=1e-3)


def test_a_frame_with_a_pose_at_its_very_time_has_it_exactly(own: Path) -> None:
    trajectory = own / "takes" / TAKE / "trajectory" / "closed_loop_trajectory.csv"
    lines = trajectory.read_text().splitlines()
    wanted = layout.row_stamp(START + 1 + 4)
    there = [line for line in lines[1:] if abs(int(line.split(",")[1]) - wanted) < 400]
    pose = layout.glasses(wanted)
    x, y, z, w = layout.Rotation.from_matrix(pose[:3, :3]).as_quat()
    place = ",".join(f"{v:.12f}" for v in (*pose[:3, 3], x, y, z, w))
    exact = f"{layout.GRAPH},{wanted},-1,{place},0,0,1"
    change(trajectory, lambda text: text.replace(there[0], exact))
    found = read(own).recordings[0].poses[4]
    sensor = pose @ layout.world_of(*layout.MOUNT)
    np.testing.assert_allclose(found[:3, 3], sensor[:3, 3], atol=1e-6)
    np.testing.assert_allclose(found[:3, 0], -sensor[:3, 1], atol=1e-6)
    np.testing.assert_allclose(found[:3, 1], sensor[:3, 0], atol=1e-6)
    np.testing.assert_allclose(found[:3, 2], sensor[:3, 2], atol=1e-6)


def test_keysteps_and_descriptions_are_events(root: Path) -> None:
    reading = read(root)
    found = [(e.start, e.end, e.kind, e.label, e.essential, e.views) for e in reading.events]
    assert found == [
        (0.05, 0.2, "keystep", "Loosen the nuts", True, ()),
        (0.1, 0.3, "keystep", "Talk", False, ()),
        (0.11, 0.11, "description", "C nods.", None, ()),
        (0.15, 0.15, "description", "C moves his right hand.", None, ("ego", "exo-cam01")),
    ]
    assert any("1 of 5 events lie outside its 0.4 s" in text for text in reading.repaired)


def test_annotations_may_be_lists(own: Path) -> None:
    segments = [{"take_uid": UID, "segments": layout.SEGMENTS[:1]}]
    (own / "annotations/keystep_train.json").write_text(json.dumps({"annotations": segments}))
    spoken = [{"take_uid": UID, "annotations": [{"rejected": 0, "descriptions": layout.DESCRIPTIONS[:1]}]}]
    (own / "annotations/atomic_descriptions_train.json").write_text(json.dumps({"annotations": spoken}))
    assert [event.label for event in read(own).events] == ["Loosen the nuts", "C moves his right hand."]


@pytest.mark.parametrize(
    ("lost", "said"),
    [
        ("captures/cmu_bike01/timesync.csv", "aria01 lacks timesync.csv"),
        (f"takes/{TAKE}/trajectory/closed_loop_trajectory.csv", "aria01 lacks closed_loop_trajectory.csv"),
        (f"takes/{TAKE}/trajectory/online_calibration.jsonl", "aria01 lacks online_calibration.jsonl"),
        (f"takes/{TAKE}/trajectory/gopro_calibs.csv", "cam01 lacks gopro_calibs.csv"),
    ],
)
def test_a_file_of_poses_may_be_missing(own: Path, lost: str, said: str) -> None:
    (own / lost).unlink()
    reading = read(own)
    assert len(reading.recordings) == 5
    assert any(said in text for text in reading.repaired)
    shutil.rmtree(own / "annotations")
    assert read(own).events == ()


@pytest.mark.parametrize(
    ("file", "old", "new", "sentence"),
    [
        ("gopro_calibs.csv", "quality", "goodness", "has no column quality"),
        ("gopro_calibs.csv", ",-1,-1,1", ",-1,-1,x", "is no number"),
        ("gopro_calibs.csv", "1.690000000", "inf", "is no finite number"),
        ("gopro_calibs.csv", "cam02,", "cam01,", "has the camera cam01 twice"),
        ("closed_loop_trajectory.csv", f"{layout.CLOCK + 500}", "9", "goes back in time"),
        ("closed_loop_trajectory.csv", "1.600000000", "", "is no finite number"),
        ("online_calibration.jsonl", "UnitQuaternion", "Quaternion", "lacks 'UnitQuaternion'"),
        ("online_calibration.jsonl", "[-0.004,", "[NaN,", "is nan, which isn.t finite"),
        ("online_calibration.jsonl", '"UnitQuaternion": [0.9', '"UnitQuaternion": [2.9', "a quaternion has the length"),
        ("online_calibration.jsonl", "{", "", "is no calibration"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_poses_is_said(own: Path, file: str, old: str, new: str, sentence: str) -> None:
    path = own / "takes" / TAKE / "trajectory" / file
    assert old in path.read_text()
    change(path, lambda text: text.replace(old, new))
    with pytest.raises(InputError, match=sentence) as caught:
        read(own)
    assert caught.value.path == str(path)


@pytest.mark.parametrize(
    ("change_to", "sentence"),
    [
        ({"start_time": "soon"}, "field 'start_time': is no finite number"),
        ({"start_time": 0.3}, "it ends at 0.2 s, before it starts at 0.3 s"),
        ({"step_name": "", "step_description": ""}, "field 'step_description': is no text"),
        ({"step_name": "\ud800"}, "unicode"),
        ({"is_essential": "maybe"}, "field 'is_essential': is neither true nor false"),
    ],
)
def test_what_is_wrong_with_a_keystep_is_said(own: Path, change_to: dict[str, object], sentence: str) -> None:
    path = own / "annotations/keystep_train.json"
    segments = [{**layout.SEGMENTS[0], **change_to}]
    path.write_text(json.dumps({"annotations": {UID: {"segments": segments}}}))
    with pytest.raises(InputError, match=sentence) as caught:
        read(own)
    assert (caught.value.path, caught.value.row) == (str(path), UID)


def test_cameras_of_another_frame_or_that_moved_have_no_poses(own: Path) -> None:
    path = own / "takes" / TAKE / "trajectory" / "gopro_calibs.csv"
    lines = path.read_text().splitlines()
    lines[1] = lines[1].replace(layout.GRAPH, "another")
    lines[2] = lines[2].replace(",-1,-1,1", ",0,99,1")
    path.write_text("\n".join(lines))
    reading = read(own)
    assert {len(recording.poses) for recording in reading.recordings[1:]} == {0}
    assert any("cam01 is in another coordinate frame" in text for text in reading.repaired)
    assert any("cam02 was moved" in text for text in reading.repaired)


def test_videos_of_different_lengths(own: Path) -> None:
    videos = own / "takes" / TAKE / "frame_aligned_videos"
    write_video(videos / "cam01.mp4", FRAMES - 2, size=(96, 54))
    reading = read(own)
    assert {len(recording.times) for recording in reading.recordings} == {FRAMES - 2}
    assert any("differ by a few frames" in text for text in reading.repaired)
    write_video(videos / "cam01.mp4", FRAMES + 40, size=(96, 54))
    with pytest.raises(InputError, match=r"is 1\.3 s shorter than cam01\.mp4"):
        read(own)
    write_video(videos / "cam01.mp4", FRAMES, size=(96, 54), rate=15)
    with pytest.raises(InputError, match="another frame rate"):
        read(own)


def test_one_bad_take_leaves_the_others(own: Path, tmp_path: Path) -> None:
    other = layout.entry(take_name="bad_one", root_dir="takes/bad_one", capture={"cameras": []})
    (own / "takes/bad_one").mkdir()
    (own / "takes.json").write_text(json.dumps([other, layout.entry()]))
    done = ingest(ScansConfig("ego-exo4d", own), tmp_path / "out", 1)
    assert {entry.id: entry.state for entry in done.scenes} == {
        "ego-exo4d/bad_one": "refused", f"ego-exo4d/{TAKE}": "new",
    }  # fmt: skip
    assert "row bad_one, field 'capture.cameras'" in str(done.of("refused")[0].reason)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"root_dir": "../elsewhere"}, "no folder below this one"),
        ({"root_dir": "/etc"}, "no folder below this one"),
        ({"take_name": "../up"}, "can't be a take's name"),
        ({"frame_aligned_videos": {"cam01": {"0": {"relative_path": "../../../x.mp4"}}}}, "leads out of its take"),
        ({"timesync_start_idx": 900}, "begin behind row 900"),
        ({"frame_aligned_videos": {}}, "holds none of the take's videos"),
        ({"capture": {"capture_name": "c", "cameras": [layout.camera("cam01", False)] * 2}}, "names a camera twice"),
    ],
)
def test_what_is_wrong_with_a_take_is_said(own: Path, changes: dict[str, object], sentence: str) -> None:
    (own / "takes.json").write_text(json.dumps([layout.entry(**changes)]))
    with pytest.raises(InputError, match=sentence):
        read(own)


def test_a_folder_without_takes_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no takes\.json"):
        FORMAT.find(tmp_path)
    (tmp_path / "takes.json").write_text(json.dumps([layout.entry()]))
    with pytest.raises(InputError, match="names no take whose frame_aligned_videos"):
        FORMAT.find(tmp_path)


def test_a_take_becomes_a_scene_with_captures(root: Path, tmp_path: Path) -> None:
    done = ingest(ScansConfig("ego-exo4d", root), tmp_path, 1)
    assert [(entry.state, entry.reason) for entry in done.scenes] == [("new", None)]
    (part,) = read_collection(tmp_path)
    assert part.scene.objects == ()
    assert [event.label for event in part.scene.events][:1] == ["Loosen the nuts"]
    assert part.scene.video == f"videos/ego-exo4d/{TAKE}/ego.mp4"
    assert len({capture.times for capture in part.captures}) == 1
    for capture in part.captures:
        assert capture.media is not None
        index = read_index(tmp_path / capture.media)
        _, image = next(read_frames(tmp_path / capture.media, index, [9]))
        assert read_code(image) == 9
        assert capture.size == image.size
    assert [entry.state for entry in ingest(ScansConfig("ego-exo4d", root), tmp_path, 1).scenes] == ["kept"]


@pytest.mark.full
@pytest.mark.parametrize(
    "file",
    [
        "takes.json", "annotations/keystep_train.json", "annotations/atomic_descriptions_train.json",
        "captures/cmu_bike01/timesync.csv", f"takes/{TAKE}/trajectory/closed_loop_trajectory.csv",
        f"takes/{TAKE}/trajectory/gopro_calibs.csv", f"takes/{TAKE}/trajectory/online_calibration.jsonl",
        f"takes/{TAKE}/frame_aligned_videos/cam01.mp4", f"takes/{TAKE}/frame_aligned_videos/aria01_214-1.mp4",
    ],
)  # fmt: skip
def test_damage_ends_in_one_sentence_or_is_told(own: Path, file: str) -> None:
    path = own / file
    whole = path.read_bytes()
    generator = random.Random(file)
    for attempt in range(8):
        data = bytearray(whole)
        if attempt % 2:
            del data[generator.randrange(len(data) - 2) :]
        else:
            for _ in range(generator.choice([1, 3, 40])):
                data[generator.randrange(len(data))] = generator.randrange(256)
        path.write_bytes(bytes(data))
        try:
            reading = read(own)
        except TolmanError as error:
            assert str(own) in str(error)
            continue
        assert reading.recordings
        if attempt % 2 and path.suffix in (".json", ".mp4"):
            pytest.fail(f"{file} was cut off after {len(data)} of {len(whole)} bytes and nobody noticed")
