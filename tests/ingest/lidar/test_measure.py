"""Ten things of a simulated recording are measured, from boxes in the cloud and in frames, with bounds that hold."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from ingest.lidar.yard import INTRINSICS, ROOM, SIZE, THINGS, Thing, box_of, hall, region_of, walk
from tolman.cli import app
from tolman.errors import InputError, TolmanError, UsageError
from tolman.geometry.boxes import Boxes, distances
from tolman.geometry.camera_geometry import pixel_rays, project
from tolman.geometry.clouds import Cloud
from tolman.geometry.measuring import measure
from tolman.geometry.regions import BoxRegion, FrameRegion
from tolman.ingest.clouds import Gathered
from tolman.ingest.clouds.recording import Recording
from tolman.ingest.formats.rig import open_rig
from tolman.ingest.marked_objects import mask_votes
from tolman.ingest.scan_measures import Pick, measure_recording, open_recording
from tolman.scene_table import write_captures
from tolman.scenes import Capture
from tolman.simulate.rig_sensors import Spinner, record_lidar
from tolman.simulate.world import Caster


@pytest.fixture(scope="module")
def recording(rig: Path) -> Recording:
    return open_rig(rig)


@pytest.fixture(scope="module")
def gathered(recording: Recording) -> Gathered:
    return recording.gathered(
        cell=0.015, keep=lambda points: points[:, 2] < 2.2, crossing=lambda rays: np.ones(len(rays), dtype=bool)
    )


@pytest.fixture(scope="module")
def cloud(gathered: Gathered) -> Cloud:
    return gathered.cloud


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.name)
def test_ten_things_within_2_cm_or_2_percent(gathered: Gathered, thing: Thing) -> None:
    cloud, rays = gathered.cloud, gathered.rays
    region = BoxRegion(*region_of(thing))
    longer, shorter = sorted(thing.extents[:2], reverse=True)
    if thing.round:
        for quantity, wanted in (("diameter", longer), ("height", thing.extents[2])):
            found = measure(cloud, region, quantity, shape="cylinder", rays=rays)
            assert abs(found.value - wanted) <= min(max(0.02, 0.02 * wanted), found.error), (quantity, found)
        return
    found = measure(cloud, region, "size", rays=rays, wide=True)
    wanted = max(thing.extents)
    assert abs(found.value - wanted) <= min(max(0.02, 0.02 * wanted), found.error), found
    # Faces that no ray came to leave it open how far the object goes on within the region, 12 cm wider on each side.
    assert found.error < 0.3
    assert found.n_points > 200
    (box,) = found.boxes
    for value, true in zip(box.extents, (longer, shorter, thing.extents[2]), strict=True):
        assert abs(value - true) <= max(0.025, 0.02 * true), found
    assert np.abs(np.array(box.center) - box_of(thing).center).max() < 0.02


@pytest.mark.parametrize(
    "name", ["wardrobe", *(pytest.param(name, marks=pytest.mark.full) for name in ("fridge", "pillar"))]
)
def test_from_a_box_in_a_frame(recording: Recording, name: str) -> None:
    thing = next(one for one in THINGS if one.name == name)
    corners = Boxes(*(np.array([getattr(box_of(thing), part)]) for part in ("center", "axes", "extents"))).vertices()[0]
    for seconds in recording.cameras[0].times:
        pose, intrinsics, _ = recording.frame(seconds)
        pixels, depth = project(corners, pose, intrinsics)
        if (depth > 0).all() and (pixels > 5).all() and (pixels < np.array(SIZE) - 5).all():
            break
    else:
        pytest.fail(f"no frame shows the whole {name}")
    low, high = pixels.min(0) - 3, pixels.max(0) + 3
    found = measure_recording(recording, "size", (Pick(pixels=(*low, *high), at=seconds), None), cell=0.015, wide=True)
    wanted = max(thing.extents)
    assert abs(found.value - wanted) <= max(0.02, 0.02 * wanted)


@pytest.mark.full
def test_distances_and_angles(cloud: Cloud) -> None:
    by_name = {thing.name: thing for thing in THINGS}
    for first, second, quantity in (("crate", "cabinet", "distance"), ("fridge", "pillar", "box-distance")):
        regions = [BoxRegion(*region_of(by_name[name])) for name in (first, second)]
        boxes = [box_of(by_name[name]) for name in (first, second)]
        a, b = (Boxes(np.array([x.center]), np.array([x.axes]), np.array([x.extents])) for x in boxes)
        wanted = float(distances(a, b)[0])
        found = measure(cloud, regions[0], quantity, other=regions[1])
        assert found.value == pytest.approx(wanted, abs=max(0.02, 0.02 * wanted)), (first, second, found)
    floor = BoxRegion((2.0, 1.6, -0.1), (3.0, 2.2, 0.1))
    wall = BoxRegion((-0.1, 1.2, 0.5), (0.1, 2.2, 1.8))
    found = measure(cloud, floor, "angle", other=wall)
    assert found.value == pytest.approx(90.0, abs=0.5)
    assert measure(cloud, floor, "area").value == pytest.approx(0.6, abs=0.04)


@pytest.mark.full
def test_the_room(recording: Recording) -> None:
    region = Pick(box=(-0.5, -0.5, -0.5, 7.5, 6.5, 3.2))
    found = measure_recording(recording, "room-area", (region, None), cell=0.03)
    assert found.value == pytest.approx(ROOM[0] * ROOM[1], rel=0.02)
    assert abs(found.value - ROOM[0] * ROOM[1]) <= found.error


@pytest.mark.full
def test_the_command_line(rig: Path) -> None:
    low, high = region_of(THINGS[0])
    box = ",".join(str(value) for value in (*low, *high))
    done = CliRunner().invoke(app, ["measure", str(rig), "height", "--box", box, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["value"] == pytest.approx(0.5, abs=0.02)
    assert found["unit"] == "m"
    assert found["error"] > 0
    assert found["boxes"][0]["extents"][2] == pytest.approx(found["value"])
    done = CliRunner().invoke(app, ["measure", str(rig), "height", "--box", box])
    assert "height: 0." in done.output
    assert "returns: least upright box" in done.output


@pytest.mark.full
@pytest.mark.parametrize(
    ("quantity", "pick", "options", "reason"),
    [
        ("size", Pick(), {}, "pick a region"),
        ("size", Pick(pixels=(0, 0, 9, 9)), {}, "name it with --at"),
        ("size", Pick(pixels=(0, 0, 9, 9), at=99.0), {}, "no frame within 0.1 s of 99 s"),
        ("size", Pick(pixels=(0, 0, 9, 9), at=1.0, camera="exo"), {}, "no camera 'exo'"),
        ("weight", Pick(box=(0, 0, 0, 1, 1, 1)), {}, "no quantity 'weight'"),
        ("size", Pick(box=(2.2, 1.6, 0, 3, 2.2, 1)), {"shape": "ball"}, "no shape 'ball'"),
        ("distance", Pick(box=(0, 0, 0, 1, 1, 1)), {}, "of two regions"),
        ("size", Pick(box=(90, 0, 0, 91, 1, 1)), {}, "holds no points"),
        ("size", Pick(box=(2.2, 1.6, 1.0, 2.3, 1.7, 1.1)), {}, "holds no points"),
        (
            "size",
            Pick(box=(2.2, 1.6, 0, 3, 2.2, 1)),
            {"between": (900, 901)},
            "no points from 900 to 901 s; a cloud without",
        ),
    ],
)
def test_what_can_t_be_measured_is_told(
    recording: Recording, quantity: str, pick: Pick, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(TolmanError, match=reason):
        measure_recording(recording, quantity, (pick, None), cell=0.03, **options)


@pytest.mark.full
def test_masks_on_frames_vote_on_points(recording: Recording, rig: Path, tmp_path: Path) -> None:
    """Votes on a table with a case on it, in the few frames that show them."""
    world, (camera,) = hall(), recording.cameras
    caster = Caster(world)
    (tmp_path / "masks").mkdir()
    names = {str(number): name for name, number in world.numbers.items()}
    (tmp_path / "masks/categories.json").write_text(json.dumps(names))
    for frame in range(len(camera.times)):
        ways = pixel_rays(camera.pose(frame), INTRINSICS, SIZE)
        hits = caster.cast(np.tile(camera.pose(frame)[:3, 3], (len(ways), 1)), ways)
        Image.fromarray(hits.numbers.reshape(SIZE[::-1]).astype(np.uint8)).save(tmp_path / f"masks/{frame:06d}.png")
    table = next(one for one in THINGS if one.name == "table")
    low, high = region_of(table)
    pick = Pick(box=(*low, *high[:2], high[2] + 0.25))
    cloud = recording.gathered(cell=0.03).cloud.points
    points = cloud[pick.region(recording).inside(cloud)]
    share = mask_votes(tmp_path / "masks", recording.cameras, cloud)(points, np.ones(len(points), dtype=bool))
    assert np.nanmedian(share[points[:, 2] < 0.74]) > 0.8
    assert np.nanmedian(share[points[:, 2] > 0.8]) < 0.2
    found = measure_recording(recording, "height", (pick, None), objects=tmp_path / "masks", cell=0.02, wide=True)
    assert found.value < 0.94
    (tmp_path / "masks/000000.png").rename(tmp_path / "masks/unknown.png")
    for left in (tmp_path / "masks").glob("0*.png"):
        left.unlink()
    with pytest.raises(InputError, match="marks 1 pictures, and none of them is one of the scan's with a pose"):
        measure_recording(recording, "height", (pick, None), objects=tmp_path / "masks", cell=0.02)


def test_what_is_no_recording_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="isn't there"):
        open_recording(tmp_path / "none")
    with pytest.raises(InputError, match="holds no clouds"):
        measure_recording(open_recording(tmp_path), "size", (Pick(box=(0, 0, 0, 1, 1, 1)), None))
    with pytest.raises(UsageError, match="is none"):
        open_recording(tmp_path, "x")


def test_a_frame_s_region_holds_what_it_shows() -> None:
    region = FrameRegion((0.0, 0.0, 160.0, 120.0), np.eye(4), INTRINSICS)
    points = np.array([[0.0, 0, 2], [0, 0, -2], [50, 0, 2], [0, 0, 90]])
    assert region.inside(points).tolist() == [True, False, False, False]


def test_a_simulated_collection_is_measured_too(tmp_path: Path) -> None:
    carried = walk(2.0)
    spinner = Spinner(rings=32, low=-50.0, high=20.0, columns=300)
    lidar = record_lidar(
        hall(),
        carried,
        tmp_path / "lidar/hall",
        identity="rig/hall/lidar",
        media="lidar/hall",
        seed="s",
        spinner=spinner,
    )
    poses = tuple(tuple(pose.ravel().tolist()) for pose in carried.poses)
    camera = Capture(
        id="rig/hall/ego", scene="rig/hall", sensor="camera", role="ego", size=SIZE, times=tuple(carried.times.tolist()),
        poses=poses, intrinsics=(INTRINSICS,),
    )  # fmt: skip
    write_captures(tmp_path, [camera, lidar])
    recording = open_recording(tmp_path, "rig/hall")
    assert recording.offset == lidar.offset != 0
    crate, table = (Pick(box=tuple(np.ravel(region_of(THINGS[which])))) for which in (0, 6))
    with pytest.raises(InputError, match=r"show 0\.61 m of the size, and the object may go on unseen by 0\.21 m; use"):
        measure_recording(recording, "size", (crate, None), between=(0.0, 1.9))
    found = measure_recording(recording, "size", (table, None), between=(0.0, 1.9), wide=True)
    assert found.case == "one side"
    assert abs(found.value - 1.1) < found.error < 0.05
    assert "it may go on unseen by 0.10 m: no return fell there, and no ray passed" in found.notes
    with pytest.raises(InputError, match="holds no points"):
        measure_recording(recording, "size", (table, None), between=(50.0, 60.0))
    with pytest.raises(UsageError, match="name a LiDAR capture"):
        open_recording(tmp_path, "rig/other")
