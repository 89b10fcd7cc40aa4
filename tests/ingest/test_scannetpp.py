"""ScanNet++: the small world written in its layout comes back; what is broken is named."""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("lz4", reason="scans need the extra 'build'")

from ingest.results import Got, box_error, collection, pixel_error
from ingest.scannetpp_writer import LOST, depth_bin, scan_world, write_scannetpp
from ingest.worlds import FRAMES, small_world
from tolman.errors import InputError
from tolman.ingest.build import Ingested, ScansConfig, ingest
from tolman.ingest.formats.scannetpp import FORMAT, count_frames, read_depth
from tolman.ingest.surfaces import oriented_box
from tolman.media.video import read_frames, read_index

NAMES = {"bookshelf": "cabinet"}


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory, drawn: tuple) -> tuple[Ingested, dict[str, Got], Path]:  # type: ignore[type-arg]
    root = tmp_path_factory.mktemp("scannetpp")
    write_scannetpp(root, drawn)
    write_scannetpp(root, drawn, "9f139a318d", unpacked=True)
    out = root / "scenes"
    result = ingest(ScansConfig("scannetpp", root), out, 1)
    return result, collection(out), out


def test_boxes_come_back_as_they_are_stored(ingested: tuple[Ingested, dict[str, Got], Path]) -> None:
    result, got, _ = ingested
    assert [(entry.id, entry.state) for entry in result.scenes] == [
        ("scannetpp/0a7cc12c0e", "new"), ("scannetpp/9f139a318d", "new"),
    ]  # fmt: skip
    for one in got.values():
        assert one.scene.counts == {"chair": 2, "table": 1, "sofa": 1, "bookshelf": 1}
        assert box_error(one.scene, scan_world(), NAMES) < 1e-9
        assert one.scene.room_area == pytest.approx(small_world().area, rel=0.01)


def test_every_other_frame_is_in_the_video_with_its_aligned_pose(
    ingested: tuple[Ingested, dict[str, Got], Path], drawn: tuple
) -> None:  # type: ignore[type-arg]
    _, got, out = ingested
    for one in got.values():
        (capture,) = one.captures
        shown = range(0, FRAMES, 2)
        assert len(capture.times) == len(shown) == len(capture.intrinsics)
        assert capture.times[3] == pytest.approx(0.1)
        for index, frame in enumerate(shown):
            if frame == LOST:
                assert np.isnan(capture.pose(index)).all()
            else:
                assert np.abs(capture.pose(index) - scan_world().poses[frame]).max() < 1e-9
        path = out / str(one.scene.video)
        for number, image in read_frames(path, read_index(path), [0, 5]):
            small = np.asarray(image.resize((160, 120)), dtype=float)
            assert np.abs(small - drawn[2 * number].colour).mean() < 8


def test_what_is_visible_is_cast_on_the_mesh(ingested: tuple[Ingested, dict[str, Got], Path], drawn: tuple) -> None:  # type: ignore[type-arg]
    for one in ingested[1].values():
        (capture,) = one.captures
        numbers = {thing.id: int(thing.id) for thing in one.scene.objects}
        kept = capture.model_copy(update={"times": capture.times[: LOST // 2]})
        assert pixel_error(kept, drawn[::2], numbers) < 0.01
        assert {s.frame for s in capture.sightings} == set(range(FRAMES // 2)) - {LOST // 2}


@pytest.mark.parametrize("framed", [True, False])
def test_both_forms_of_depth(tmp_path: Path, framed: bool) -> None:
    path = tmp_path / "depth.bin"
    raw = depth_bin(3, framed=framed)
    path.write_bytes(raw)
    pictures = list(read_depth(path))
    assert count_frames(path) == len(pictures) == 3
    assert pictures[2][191, 255] == pytest.approx(5.0, abs=1e-3)
    assert pictures[0].shape == (192, 256)
    for cut in (3, len(raw) // 2, len(raw) - 1):
        path.write_bytes(raw[:cut])
        with pytest.raises(InputError, match=str(path)):
            count_frames(path)


def test_an_obb_that_cannot_be_is_taken_from_the_points(tmp_path: Path) -> None:
    folder = write_scannetpp(tmp_path, None)
    file = folder / "scans/segments_anno.json"
    content = json.loads(file.read_text())
    content["segGroups"][1]["obb"]["normalizedAxes"][0] = 3.0
    content["segGroups"][3]["objectId"] = 0
    file.write_text(json.dumps(content))
    (source,) = FORMAT.find(tmp_path)
    reading = FORMAT.read(source)
    assert reading.repaired == (
        "segments_anno.json: the obb of object 2 has axes that are no rotation; its box is that of its points",
    )
    assert [one.number for one in reading.instances] == [1, 2, 3, 5, 6, 7]
    ingest(ScansConfig("scannetpp", tmp_path), tmp_path / "out", 1)
    (one,) = collection(tmp_path / "out").values()
    assert one.scene.counts == {"chair": 2, "table": 1, "sofa": 1}
    assert box_error(one.scene, scan_world(), NAMES) < 1e-5


def test_a_vertex_of_several_objects_belongs_to_the_smallest(tmp_path: Path) -> None:
    write_scannetpp(tmp_path, None)
    reading = FORMAT.read(FORMAT.find(tmp_path)[0])
    assert reading.surface is not None
    assert (reading.surface.own == scan_world().vertex_numbers).all()


def test_left_handed_axes_of_a_box_are_turned_round() -> None:
    true = scan_world().objects[1].box
    axes = np.array(true.axes)
    axes[0] *= -1
    record = {"centroid": true.center, "axesLengths": true.extents, "normalizedAxes": axes.ravel().tolist()}
    found = oriented_box(record)
    assert not isinstance(found, str)
    assert (np.array(found.axes)[1] == axes[1]).all()
    assert oriented_box({**record, "axesLengths": [1, -1, 1]}) == "an extent is negative: -1 m"


def test_without_aligned_poses_there_is_no_frame_to_stand_in(tmp_path: Path, drawn: tuple) -> None:  # type: ignore[type-arg]
    folder = write_scannetpp(tmp_path, drawn[:4])
    file = folder / "iphone/pose_intrinsic_imu.json"
    records = {
        name: {k: v for k, v in record.items() if k != "aligned_pose"}
        for name, record in json.loads(file.read_text()).items()
    }
    file.write_text(json.dumps(records))
    with pytest.raises(InputError, match="no frame has an 'aligned_pose'"):
        FORMAT.read(FORMAT.find(tmp_path)[0])
