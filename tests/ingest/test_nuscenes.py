"""nuScenes: a drive written in its layout comes back with its boxes, tracks, poses and what is seen when."""

import random
from pathlib import Path

import numpy as np
import pytest
import shapely

from ingest import nuscenes_layout as layout
from ingest.nuscenes_layout import Drive
from ingest.pipeline import edit_json
from ingest.worlds import corners
from tolman.errors import InputError, TolmanError
from tolman.ingest.build import ScansConfig, ingest
from tolman.ingest.formats import nuscenes
from tolman.ingest.formats.nuscenes import FORMAT, read_cloud
from tolman.ingest.readers import nuscenes_records
from tolman.ingest.scan_format import RawScene
from tolman.media.video import read_frames, read_index
from tolman.scene_table import read_collection

FIRST = Drive("scene-0061")
SECOND = Drive(
    "scene-0103", samples=3, place=(411.0, 1180.5, 0.0), heading=-20.0, start=layout.START + 9_000_000,
    things=layout.THINGS[:1],
)  # fmt: skip


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("TOLMAN_CACHE", str(folder))
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nuscenes")
    layout.write(folder, [FIRST, SECOND])
    return folder


@pytest.fixture(scope="module")
def reading(root: Path) -> RawScene:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOLMAN_CACHE", str(root / "cache"))
        return FORMAT.read(FORMAT.find(root)[0])


def local(drive: Drive, pose: np.ndarray) -> np.ndarray:
    """A pose of the global frame in the scene's."""
    moved = pose.copy()
    moved[:3, 3] -= drive.ego(0.0)[:3, 3]
    return moved


def test_every_scene_is_found_by_the_data_sets_folder_and_by_that_of_the_tables(root: Path) -> None:
    found = FORMAT.find(root)
    assert [source.id for source in found] == ["nuscenes/scene-0061", "nuscenes/scene-0103"]
    assert {path.name for path in found[0].files} >= {"sample_annotation.json", "ego_pose.json"}
    assert FORMAT.find(root / "v1.0-mini") == found


def test_boxes_and_tracks_come_back(reading: RawScene) -> None:
    by_category = {instance.label: instance for instance in reading.instances}
    assert len(reading.instances) == len(by_category) == 5
    for thing in layout.THINGS:
        instance = by_category[thing.category]
        times = [0.5 * i for i in thing.samples]
        truths = [local(FIRST, FIRST.box(thing, t)) for t in times]
        width, length, height = thing.wlh
        assert instance.box is not None
        assert instance.box.extents == pytest.approx((length, width, height), abs=1e-6)
        np.testing.assert_allclose(instance.box.center, truths[0][:3, 3], atol=1e-6)
        np.testing.assert_allclose(instance.box.axes, truths[0][:3, :3].T, atol=1e-6)
        moves = any(thing.speed) or thing.spin != 0
        assert [point.seconds for point in instance.track] == (pytest.approx(times, abs=1e-6) if moves else [])
        for point, truth in zip(instance.track, truths, strict=False):
            np.testing.assert_allclose(point.center, truth[:3, 3], atol=1e-6)
            np.testing.assert_allclose(point.axes, truth[:3, :3].T, atol=1e-6)


def test_cameras_stand_where_they_stood(reading: RawScene) -> None:
    assert [recording.role for recording in reading.recordings] == list(layout.YAWS)
    for recording in reading.recordings:
        stamps = FIRST.stamps(recording.role)
        np.testing.assert_allclose(recording.times, [stamp * 1e-6 for stamp, *_ in stamps], atol=1e-6)
        calibrated = layout.matrix(*layout.calibration(recording.role))
        for pose, (stamp, *_) in zip(recording.poses, stamps, strict=True):
            np.testing.assert_allclose(pose, local(FIRST, FIRST.ego(stamp * 1e-6)) @ calibrated, atol=1e-6)
        np.testing.assert_allclose(recording.intrinsics, [[126.6, 126.6, 81.6, 49.1]])
        assert recording.size == layout.SIZE
        assert recording.standard == (800, 450, 6.0)


def test_pictures_are_those_of_their_frames(reading: RawScene) -> None:
    recording = reading.recordings[4]
    assert recording.pictures is not None
    for number, picture in zip((0, 5, 12), recording.pictures([0, 5, 12]), strict=True):
        assert picture.shape == (90, 160, 3)
        np.testing.assert_allclose(picture[40, 80], layout.camera_color(recording.role, number), atol=4)


def test_the_lidar_is_a_capture_on_the_same_time_line(reading: RawScene, root: Path) -> None:
    (lidar,) = reading.captures
    stamps = FIRST.stamps("LIDAR_TOP")
    assert (lidar.sensor, lidar.role, lidar.scene, lidar.offset) == ("lidar", "LIDAR_TOP", "nuscenes/scene-0061", 0.0)
    assert lidar.times == pytest.approx([stamp * 1e-6 for stamp, *_ in stamps], abs=1e-6)
    calibrated = layout.matrix(*layout.calibration("LIDAR_TOP"))
    np.testing.assert_allclose(lidar.pose(7), local(FIRST, FIRST.ego(stamps[7][0] * 1e-6)) @ calibrated, atol=1e-6)
    assert list(reading.files) == [f"{lidar.media}/{i:06d}.pcd.bin" for i in range(len(stamps))]
    points = read_cloud(reading.files[f"{lidar.media}/000007.pcd.bin"])
    assert points["ring"].tolist() == [11.0 + 5 * i for i in range(7)]
    assert root in reading.files[f"{lidar.media}/000000.pcd.bin"].parents


def test_sightings_are_the_outlines_of_boxes_at_keyframes(reading: RawScene) -> None:
    """Against corners that are projected here, one by one."""
    share = {"4": 0.8, "3": 0.6, "2": 0.4, "1": 0.0, "": 0.0}
    names = {instance.id: instance for instance in reading.instances}
    seen = 0
    for recording in reading.recordings:
        found = {(s.frame, names[s.object].label): s.pixels for s in recording.sightings or ()}
        expected = {}
        for frame, (_, key, sample) in enumerate(FIRST.stamps(recording.role)):
            for thing in layout.THINGS:
                if not key or sample not in thing.samples:
                    continue
                box = local(FIRST, FIRST.box(thing, 0.5 * sample))
                width, length, height = thing.wlh
                signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
                points = (box @ np.c_[signs * [length, width, height], np.ones(8)].T)[:3]
                inside = np.linalg.inv(recording.poses[frame]) @ np.r_[points, np.ones((1, 8))]
                if inside[2].min() <= 0:
                    continue
                u, v = (np.array(layout.INTRINSIC) @ (inside[:3] / inside[2]))[:2]
                outline = shapely.MultiPoint(np.c_[u, v]).convex_hull & shapely.box(0, 0, *layout.SIZE)
                pixels = int(outline.area * share[thing.level])
                if pixels:
                    expected[frame, thing.category] = pixels
        assert found == pytest.approx(expected, abs=1)
        seen += len(expected)
    assert seen > 12
    labels = {names[s.object].label for recording in reading.recordings for s in recording.sightings or ()}
    assert labels == {"vehicle.car", "vehicle.truck", "human.pedestrian.adult"}


def test_the_rest_of_a_reading(reading: RawScene) -> None:
    assert reading.outdoors
    assert reading.surface is None
    assert reading.repaired == ()
    (event,) = reading.events
    assert (event.start, event.end, event.label) == (0.0, pytest.approx(2.0), "Parked truck, pedestrian crosses")


def test_scenes_that_share_tables_keep_their_own(root: Path) -> None:
    reading = FORMAT.read(FORMAT.find(root)[1])
    (instance,) = reading.instances
    assert instance.box is not None
    truth = local(SECOND, SECOND.box(layout.THINGS[0], 0.0))
    np.testing.assert_allclose(instance.box.center, truth[:3, 3], atol=1e-6)
    assert len(instance.track) == 3
    assert {len(recording.times) for recording in reading.recordings} == {7}


def test_the_tables_are_put_in_order_once(root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = FORMAT.find(root)
    monkeypatch.setattr(nuscenes_records, "_put_in_order", None)
    FORMAT.read(found[1])
    assert len(list((cache / "nuscenes").glob("*.sqlite"))) == 1


def test_changed_tables_are_read_again(tmp_path: Path, cache: Path) -> None:
    folder = layout.write(tmp_path, [Drive("scene-0001", samples=2, sweeps=0)], blobs=False)
    assert [s.id for s in FORMAT.find(tmp_path)] == ["nuscenes/scene-0001"]
    layout.write(tmp_path, [Drive("scene-0001", samples=2, sweeps=0), Drive("scene-0002", samples=2)], blobs=False)
    assert len(FORMAT.find(tmp_path)) == 2
    assert len(list((cache / "nuscenes").glob("*.sqlite"))) == 1
    assert folder.is_dir()


def test_a_scene_of_two_versions_is_taken_once(tmp_path: Path) -> None:
    drives = [Drive("scene-0001", samples=2, sweeps=0), Drive("scene-0002", samples=2, sweeps=0)]
    layout.write(tmp_path, drives[:1], "v1.0-mini", blobs=False)
    layout.write(tmp_path, drives, "v1.0-trainval", blobs=False)
    assert [source.path.name for source in FORMAT.find(tmp_path)] == ["v1.0-trainval"] * 2


def test_keyframes_alone_are_enough(tmp_path: Path) -> None:
    layout.write(tmp_path, [FIRST])
    for path in (tmp_path / "sweeps").rglob("*.*"):
        path.unlink()
    reading = FORMAT.read(FORMAT.find(tmp_path)[0])
    assert {len(recording.times) for recording in reading.recordings} == {5}
    assert reading.recordings[0].standard == (800, 450, 2.0)
    assert sum(len(recording.sightings or ()) for recording in reading.recordings) > 10
    assert any(
        "8 recordings of CAM_FRONT that this disk lacks (0 of them keyframes)" in text for text in reading.repaired
    )
    assert len(reading.captures[0].times) == 5


def test_what_is_cut_off_or_missing_is_named(tmp_path: Path) -> None:
    layout.write(tmp_path, [FIRST])
    sweep = sorted((tmp_path / "sweeps/LIDAR_TOP").iterdir())[0]
    sweep.write_bytes(sweep.read_bytes()[:-9])
    picture = sorted((tmp_path / "samples/CAM_BACK").iterdir())[1]
    picture.write_bytes(picture.read_bytes()[:300])
    source = FORMAT.find(tmp_path)[0]
    reading = FORMAT.read(source)
    assert reading.repaired == (f"{sweep}: is cut off after byte 131, within a point; it was left out.",)
    assert len(reading.captures[0].times) == len(FIRST.stamps("LIDAR_TOP")) - 1
    with pytest.raises(InputError, match="cut off after byte 131"):
        read_cloud(sweep)
    recording = reading.recordings[3]
    assert recording.pictures is not None
    with pytest.raises(InputError, match=picture.name):
        list(recording.pictures([0, 3]))
    for path in (*tmp_path.glob("samples/CAM_*/*"), *tmp_path.glob("sweeps/CAM_*/*")):
        path.unlink()
    with pytest.raises(InputError, match="file blobs"):
        FORMAT.read(source)


@pytest.mark.parametrize(
    ("table", "field", "value", "sentence"),
    [
        ("sample_annotation", "rotation", [0.5, 0, 0, 0], "a quaternion has the length 0.5"),
        ("sample_annotation", "rotation", [1, 0, 0], "takes 4 numbers"),
        ("sample_annotation", "size", [1, -1, 1], "is no box: an extent is negative"),
        ("sample_annotation", "size", [1, 1e300, 1], "below a thousand million"),
        ("sample_annotation", "visibility_token", "7", "visibility.json doesn't have"),
        ("visibility", "level", "most", "no level of visibility"),
        ("sample_annotation", "instance_token", "nobody", "instance.json doesn't have"),
        ("sample_annotation", "sample_token", "nobody", "sample.json doesn't have"),
        ("sample_data", "ego_pose_token", "nobody", "ego_pose.json doesn't have"),
        ("sample_data", "calibrated_sensor_token", 5, "is no token"),
        ("sample_data", "filename", "../../etc/passwd", "leads out of"),
        ("sample_data", "filename", "/etc/passwd", "leads out of"),
        ("sample_data", "timestamp", 1.5, "no whole number"),
        ("sample_data", "is_key_frame", "yes", "neither true nor false"),
        ("sample_data", "width", 10**9, "pictures of several sizes"),
        ("calibrated_sensor", "camera_intrinsic", [[1, 0], [0, 1]], "no 3×3 matrix"),
        ("calibrated_sensor", "camera_intrinsic", [[0, 0, 1], [0, 1, 1], [0, 0, 1]], "camera without skew"),
        ("calibrated_sensor", "translation", ["a", 0, 0], "something other than 3 numbers"),
        ("ego_pose", "token", None, "is no token"),
        ("ego_pose", "token", "\ud800", "is no token"),
        ("scene", "description", "\ud800", "is no text"),
        ("instance", "category_token", "\ud800", "is no text"),
        ("scene", "name", "../up", "can't be a scene's name"),
        ("sample", "scene_token", "nobody", "scene.json doesn't have"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(tmp_path: Path, table: str, field: str, value: object, sentence: str) -> None:
    folder = layout.write(tmp_path, [Drive("scene-0001", samples=2, sweeps=0)])
    path = folder / f"{table}.json"

    def change(content: list[dict[str, object]]) -> None:
        rows = [row for row in content if table != "sample_data" or "CAM" in str(row["filename"])]
        wrong = [row for row in rows if field != "camera_intrinsic" or row[field]]
        for row in wrong if table == "visibility" else wrong[:1]:
            row[field] = value

    edit_json(path, change)
    with pytest.raises(InputError, match=sentence) as caught:
        FORMAT.read(FORMAT.find(tmp_path)[0])
    assert caught.value.path == str(path)
    assert caught.value.row


def test_tokens_and_tables_that_are_there_twice_or_not_at_all(tmp_path: Path) -> None:
    folder = layout.write(tmp_path, [Drive("scene-0001", samples=2, sweeps=0)], blobs=False)
    path = folder / "ego_pose.json"
    edit_json(path, lambda content: content.append(content[3]))
    with pytest.raises(InputError, match="has this token twice"):
        FORMAT.find(tmp_path)
    path.unlink()
    with pytest.raises(InputError, match=r"ego_pose\.json: is missing"):
        FORMAT.find(tmp_path)
    with pytest.raises(InputError, match="holds no tables of nuScenes"):
        FORMAT.find(folder.parent / "nowhere")


def test_sizes_that_change_are_said(tmp_path: Path) -> None:
    folder = layout.write(tmp_path, [FIRST])
    own = list(layout.THINGS[1].wlh)
    edit_json(
        folder / "sample_annotation.json",
        lambda content: next(row for row in content if row["size"] == own).update(size=[2.5, 7.4, 2.8]),
    )
    reading = FORMAT.read(FORMAT.find(tmp_path)[0])
    assert "changes by up to 0.50 m; its median was taken" in reading.repaired[0]
    truck = next(instance for instance in reading.instances if instance.label == "vehicle.truck")
    assert truck.box is not None
    assert truck.box.extents == pytest.approx((6.9, 2.5, 2.8))
    assert corners(truck.box).shape == (8, 3)


@pytest.mark.parametrize("table", nuscenes.TABLES)
def test_a_table_that_is_damaged_ends_in_one_sentence(tmp_path: Path, table: str) -> None:
    folder = layout.write(tmp_path, [Drive("scene-0001", samples=2, sweeps=0)], blobs=False)
    for channel in layout.YAWS:
        (tmp_path / "samples" / channel).mkdir(parents=True)
    path = folder / f"{table}.json"
    whole = path.read_bytes()
    generator = random.Random(table)
    for attempt in range(8):
        data = bytearray(whole)
        if attempt % 2:
            del data[generator.randrange(len(data)) :]
        else:
            for _ in range(generator.choice([1, 3, 40])):
                data[generator.randrange(len(data))] = generator.randrange(256)
        path.write_bytes(bytes(data))
        try:
            FORMAT.read(FORMAT.find(tmp_path)[0])
        except TolmanError as error:
            assert str(folder) in str(error)
        else:
            pytest.fail("without any picture there is nothing to read")
        if attempt % 2:
            with pytest.raises(InputError, match=rf"{table}\.json"):
                FORMAT.find(tmp_path)


def test_a_drive_becomes_a_scene_with_captures(root: Path, tmp_path: Path) -> None:
    order = ScansConfig("nuscenes", root)
    first = ingest(order, tmp_path, 1)
    assert [(entry.state, entry.reason) for entry in first.scenes] == [("new", None)] * 2
    (part, _) = read_collection(tmp_path)
    scene = part.scene
    assert scene.counts == {"car": 1, "truck": 1, "pedestrian": 1, "traffic cone": 1, "barrier": 1}
    assert scene.video == "videos/nuscenes/scene-0061/CAM_FRONT.mp4"
    assert [event.kind for event in scene.events] == ["description"]
    assert scene.room_area is None
    assert [capture.role for capture in part.captures] == [*layout.YAWS, "LIDAR_TOP"]
    names = {thing.id: thing.category for thing in scene.objects}
    for capture in part.captures[:6]:
        assert capture.media is not None
        index = read_index(tmp_path / capture.media)
        assert len(index.times) == len(capture.times) == 13
        assert capture.size == (800, 450)
        _, image = next(read_frames(tmp_path / capture.media, index, [7]))
        np.testing.assert_allclose(np.asarray(image)[200, 400], layout.camera_color(capture.role, 7), atol=12)
        times = [capture.scene_time(s.frame) for s in capture.sightings]
        # The cameras fire up to 45 ms after the sample, to which the video's start is tied.
        assert all(abs(t * 2 - round(t * 2)) < 0.1 for t in times)
    front = part.captures[0]
    assert front.intrinsics[0] == pytest.approx((633.0, 633.0, 408.0, 245.5))
    truck = [s for s in front.sightings if names[s.object] == "truck"]
    assert {s.frame for s in truck} <= {0, 3, 6, 9, 12}
    assert truck
    lidar = part.captures[-1]
    assert len(read_cloud(tmp_path / str(lidar.media) / "000012.pcd.bin")) == 7
    assert [entry.state for entry in ingest(order, tmp_path, 1).scenes] == ["kept"] * 2
