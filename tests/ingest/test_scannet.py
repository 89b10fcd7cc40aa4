"""ScanNet: the small world written in its layout comes back; what is broken is named."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("plyfile", reason="scans need the extra 'build'")

from ingest.pipeline import refused
from ingest.results import Got, box_error, collection, pixel_error
from ingest.scannet_writer import ALIGNMENT, LOST, jpeg, sens_bytes, write_scannet
from ingest.worlds import FRAMES, SIZE, small_world
from tolman.errors import InputError
from tolman.ingest.build import Ingested, ScansConfig, ingest
from tolman.ingest.formats.scannet import FORMAT, read_sens
from tolman.ingest.standard_video import frames_for
from tolman.media.video import read_index

NAMES = {"bookshelf": "cabinet"}
"""What the cabinet is called here."""
COUNTS = {"chair": 2, "table": 1, "sofa": 1, "bookshelf": 1}


@pytest.fixture(scope="session")
def scans(tmp_path_factory: pytest.TempPathFactory, drawn: tuple) -> Path:  # type: ignore[type-arg]
    root = tmp_path_factory.mktemp("scannet") / "scans"
    write_scannet(root, drawn, "scene0000_00")
    write_scannet(root, drawn, "scene0002_00", masks=False, exported=True)
    write_scannet(root, None, "scene0010_00")
    return root


@pytest.fixture(scope="session")
def ingested(scans: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ingested, dict[str, Got], Path]:
    out = tmp_path_factory.mktemp("scannet-out") / "scenes"
    result = ingest(ScansConfig("scannet", scans), out, 1)
    return result, collection(out), out


def test_scans_are_found_in_the_order_of_their_numbers(scans: Path) -> None:
    names = [f"scannet/scene{n}" for n in ("0000_00", "0002_00", "0010_00")]
    assert [source.id for source in FORMAT.find(scans)] == names
    assert [source.id for source in FORMAT.find(scans / "scene0002_00")] == names[1:2]
    with pytest.raises(InputError, match="no folder NAME with NAME_vh_clean_2"):
        FORMAT.find(scans / "scene0002_00" / "color")


def test_the_truth_comes_back(ingested: tuple[Ingested, dict[str, Got], Path]) -> None:
    result, got, _ = ingested
    assert [entry.state for entry in result.scenes] == ["new"] * 3
    for one in got.values():
        assert one.scene.counts == COUNTS
        # The mesh's corners are float32.
        assert box_error(one.scene, small_world(), NAMES) < 1e-5
        assert one.scene.room_area == pytest.approx(small_world().area, rel=0.01)
        assert one.scene.room_center == pytest.approx((2.5, 2.0, 1.3), abs=1e-3)


@pytest.mark.parametrize("name", ["scene0000_00", "scene0002_00"])
def test_poses_intrinsics_and_the_video(ingested: tuple[Ingested, dict[str, Got], Path], name: str) -> None:
    _, got, out = ingested
    one = got[f"scannet/{name}"]
    (capture,) = one.captures
    # Exported frames carry no times: 30 a second, of which a video of 24 shows four in five.
    chosen = range(FRAMES) if name == "scene0000_00" else [0, 1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15]
    assert len(capture.times) == len(chosen)
    for index, frame in enumerate(chosen):
        if frame == LOST:
            assert np.isnan(capture.pose(index)).all()
        else:
            assert np.abs(capture.pose(index) - small_world().poses[frame]).max() < 2e-6
    fx, fy, cx, cy = small_world().intrinsics
    assert capture.intrinsics[0] == pytest.approx((fx * 4, fy * 4, cx * 4, cy * 4), rel=1e-6)
    index = read_index(out / str(one.scene.video))
    assert len(index.times) == len(chosen)
    assert index.seconds(5) == pytest.approx(capture.times[5])
    assert capture.size == (640, 480)


def test_what_is_visible_comes_from_masks(ingested: tuple, drawn: tuple) -> None:  # type: ignore[type-arg]
    (capture,) = ingested[1]["scannet/scene0000_00"].captures
    numbers = {f"{n - 1}": n for n in range(1, 7) if small_world().objects[n - 1].category != "wall"}
    assert pixel_error(capture, drawn, numbers) == 0
    nearest = {(s.frame, s.object): s.depth for s in capture.sightings}
    for frame in (0, 9):
        for identity, number in numbers.items():
            depth = drawn[frame].depth[(drawn[frame].instances == number) & (drawn[frame].depth > 0)]
            if len(depth) > 20:
                assert nearest[frame, identity] == pytest.approx(depth.min(), abs=0.02)


def test_what_is_visible_comes_from_the_mesh_where_there_are_no_masks(ingested: tuple, drawn: tuple) -> None:  # type: ignore[type-arg]
    (capture,) = ingested[1]["scannet/scene0002_00"].captures
    shown = [drawn[i] for i in (0, 1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15)]
    numbers = {f"{n - 1}": n for n in range(1, 7) if small_world().objects[n - 1].category != "wall"}
    seen = {one.frame for one in capture.sightings}
    assert seen == set(range(13)) - {4}  # frame 5 is lost
    kept = capture.model_copy(update={"times": capture.times[:4]})
    assert pixel_error(kept, shown[:4], numbers) < 0.01


def test_every_scan_has_its_state_and_rule(ingested: tuple[Ingested, dict[str, Got], Path]) -> None:
    first, _, third = ingested[0].scenes
    assert first.repaired == ("scene0000_00.sens: 1 of 16 frames has no pose (lost tracking) and shows nothing",)
    assert first.completeness is not None
    assert first.completeness > 0.999
    assert third.completeness is None
    assert any("has no video" in note for note in third.notes)


def test_a_scan_without_alignment_stays_as_it_is(tmp_path: Path) -> None:
    write_scannet(tmp_path, None, aligned=False)
    (entry,) = ingest(ScansConfig("scannet", tmp_path), tmp_path / "out", 1).scenes
    assert "has no axisAlignment" in entry.repaired[0]
    (one,) = collection(tmp_path / "out").values()
    assert box_error(one.scene, small_world().moved(np.linalg.inv(ALIGNMENT)), NAMES) < 1e-5


def test_labels_are_brought_to_one_spelling_where_the_table_lies_beside(tmp_path: Path) -> None:
    write_scannet(tmp_path / "scans", None)
    rows = ["id\traw_category\tcategory\tcount", "1\ttable\tdesk\t5", "2\tcouch\tpiano\t9", "3\tbroken"]
    (tmp_path / "scannetv2-labels.combined.tsv").write_text("\n".join(rows))
    ingest(ScansConfig("scannet", tmp_path / "scans"), tmp_path / "out", 1)
    (one,) = collection(tmp_path / "out").values()
    assert one.scene.counts == {"table": 1, "chair": 2, "bookshelf": 1, "piano": 1}


def test_the_fields_of_a_sens_file_stand_where_the_table_says(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    path = tmp_path / "x.sens"
    raw = sens_bytes(drawn[:3], small_world().poses[:3], np.array([0.0, 0.5, 1.25]))
    path.write_bytes(raw)
    # Offsets for a sensor's name of 15 bytes: the frames begin at 319.
    assert struct.unpack_from("<IQ", raw, 0) == (4, 15)
    assert struct.unpack_from("<16f", raw, 27)[0] == pytest.approx(small_world().intrinsics[0], rel=1e-6)
    assert struct.unpack_from("<2i4If", raw, 283) == (2, 1, *SIZE, *SIZE, 1000.0)
    assert struct.unpack_from("<Q", raw, 311) == (3,)
    found = read_sens(path)
    assert (found.name, found.color_size, found.depth_size) == ("StructureSensor", SIZE, SIZE)
    assert found.places[0, 0] == 319 + 96
    assert found.places[0, 1] == len(jpeg(drawn[0].colour))
    assert found.color_times.tolist() == [0, 500_000, 1_250_000]
    assert np.abs(found.poses - small_world().poses[:3]).max() < 1e-6
    assert np.abs(found.depth(2) - drawn[2].depth).max() <= 0.00051
    assert next(found.pictures([1])).shape == (SIZE[1], SIZE[0], 3)
    path.write_bytes(sens_bytes(drawn[:3], small_world().poses[:3], np.zeros(3), imu=None))
    assert len(read_sens(path).poses) == 3  # an older file without IMU readings


def test_numbers_that_cannot_be_true_are_refused_with_their_offset(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    path = tmp_path / "x.sens"
    raw = sens_bytes(drawn[:2], small_world().poses[:2], np.zeros(2))
    for offset, form, value, said in (
        (0, "<I", 3, "version 4"),
        (4, "<Q", 1 << 60, "byte 4"),
        (283, "<i", 7, "colour compression 7 at byte 283"),
        (287, "<i", 2, "depth compression 2 at byte 287"),
        (291, "<I", 1 << 31, "byte 291"),
        (307, "<f", float("nan"), "byte 307"),
        (311, "<Q", 1 << 50, "byte 311"),
        (311, "<Q", 1, "IMU readings follow"),
        (319 + 80, "<Q", 1 << 62, "frame 0 of 2 begins at byte 319"),
    ):
        broken = bytearray(raw)
        struct.pack_into(form, broken, offset, value)
        path.write_bytes(broken)
        with pytest.raises(InputError, match=said):
            read_sens(path)


def test_objects_that_do_not_fit_the_mesh_are_refused(tmp_path: Path) -> None:
    folder = write_scannet(tmp_path, None)
    (source,) = FORMAT.find(tmp_path)
    segments, objects = folder / "scene0000_00_vh_clean_2.0.010000.segs.json", folder / "scene0000_00.aggregation.json"
    whole, groups = json.loads(segments.read_text()), json.loads(objects.read_text())

    def said(path: Path, content: object) -> str:
        before = path.read_text()
        path.write_text(json.dumps(content))
        with pytest.raises(InputError) as raised:
            FORMAT.read(source)
        path.write_text(before)
        assert str(path) in str(raised.value)
        return str(raised.value)

    def with_group(**changes: object) -> dict[str, object]:
        return {**groups, "segGroups": [groups["segGroups"][0], {**groups["segGroups"][1], **changes}]}

    assert "segIndices for a mesh of 13,732 vertices" in said(segments, {"segIndices": whole["segIndices"][:-1]})
    assert "whole numbers" in said(segments, {"segIndices": [0.5] * len(whole["segIndices"])})
    assert "row 2: names segment 99999" in said(objects, with_group(segments=[99999]))
    assert "objectId 0 stands twice" in said(objects, with_group(objectId=0))
    assert "row 2, field 'objectId'" in said(objects, with_group(objectId="1"))
    assert "row 2, field 'label'" in said(objects, with_group(label=None))
    segments.unlink()
    with pytest.raises(InputError, match="can't be read"):
        FORMAT.read(source)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 2 3", "is not 16 numbers"),
        ("-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "it is mirrored: its axes are left-handed"),
        ("2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1", "it is no rotation"),
        ("nan 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "is not 16 numbers"),
    ],
)
def test_an_alignment_that_is_none_is_refused(tmp_path: Path, line: str, said: str) -> None:
    folder = write_scannet(tmp_path, None)
    (folder / "scene0000_00.txt").write_text(f"colorWidth = 8\naxisAlignment = {line}\n")
    with pytest.raises(InputError, match="row 2, field 'axisAlignment'") as raised:
        FORMAT.read(FORMAT.find(tmp_path)[0])
    assert said in str(raised.value)


def test_times_that_do_not_rise_are_taken_as_the_sensors(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    folder = write_scannet(tmp_path, drawn[:4], masks=False)
    for times, count, repaired in (([0, 0, 0, 0], 3, 0), ([1, 3, 2, 4], 3, 1), ([7, 8, 9, 10], 73, 0)):
        (folder / "scene0000_00.sens").write_bytes(sens_bytes(drawn[:4], small_world().poses[:4], np.array(times)))
        reading = FORMAT.read(FORMAT.find(tmp_path)[0])
        assert len(frames_for(reading.recordings[0].times, 24)) == count
        assert sum("don't rise" in one for one in reading.repaired) == repaired


def test_frames_of_the_cpp_exporter_are_told(tmp_path: Path) -> None:
    folder = write_scannet(tmp_path / "scans", None, "scene0001_00")
    place = folder / "frames"
    place.mkdir()
    for name in ("frame-000000.color.jpg", "frame-000000.pose.txt", "frame-000000.depth.pgm"):
        (place / name).write_bytes(b"")
    said = refused("scannet", tmp_path / "scans", tmp_path / "out")
    assert "frames/frame-000000.color.jpg: is a frame as ScanNet's C++ exporter" in said
    assert "put scene0001_00.sens there, or its folders color, pose and intrinsic" in said


@pytest.mark.parametrize("masks", [True, False])
def test_poses_in_the_other_direction_are_told(tmp_path: Path, drawn: tuple, masks: bool) -> None:  # type: ignore[type-arg]
    """By masks, or by the depth of the .sens."""
    folder = write_scannet(tmp_path / "scans", drawn, "scene0001_00", masks=masks, aligned=False)
    path = folder / "scene0001_00.sens"
    found = read_sens(path)
    poses = found.poses.copy()
    seen = np.isfinite(poses).all((1, 2))
    poses[seen] = np.linalg.inv(poses[seen])
    path.write_bytes(sens_bytes(drawn, poses, 5.0 + np.arange(FRAMES) / 24))
    said = refused("scannet", tmp_path / "scans", tmp_path / "out")
    assert f"{'boxes and masks' if masks else 'depth and mesh'} contradict the cameras" in said
    assert "they fit with direction: scene_to_camera" in said
