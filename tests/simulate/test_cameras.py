"""Cameras that move: a hand's tremor is bounded, a robot drives level and straight, and what they see is true."""

import numpy as np
import pytest

pytest.importorskip("shapely", reason="walks need the extra 'worlds'")

import shapely

from simulate.worlds import check_rays_agree, corners_of, staring, world
from tolman.errors import UsageError
from tolman.geometry.boxes import Floats
from tolman.simulate.placing import BODY, HEAD
from tolman.simulate.render import Renderer
from tolman.simulate.walks import (
    BANDS,
    CAMERAS,
    HEIGHTS,
    PACE,
    Motion,
    Walk,
    draw_trajectory,
    intrinsics_of,
    most,
    with_tremor,
)  # fmt: skip
from tolman.simulate.world import Caster

PLACES = ("rectangle", "l-shape", pytest.param("two-rooms", marks=pytest.mark.full))
RATE = 12


def trajectory(place: str, camera: str, seed: str = "cameras", seconds: float = 12.0) -> Walk:
    return draw_trajectory(world(place), seed, camera=camera, seconds=seconds, rate=RATE)


def still(seconds: float, rate: int) -> tuple[Floats, Motion]:
    times = np.arange(round(seconds * rate)) / rate
    nothing = np.zeros(len(times))
    return times, Motion(np.zeros((len(times), 3)), nothing, nothing, nothing)


def channels(motion: Motion) -> Floats:
    return np.column_stack([motion.places, motion.yaw, motion.pitch, motion.roll])


def test_a_tremor_has_the_measured_amplitudes_and_never_more_than_its_waves() -> None:
    times, motion = still(120.0, 50)
    added = channels(with_tremor(motion, times, "s"))
    bands = np.array([[*band.shift, *np.radians(band.turn)] for band in BANDS])
    assert (np.abs(added).max(0) <= [sum(most(rms) for rms in column) for column in bands.T]).all()
    power = np.abs(np.fft.rfft(added * np.hanning(len(times))[:, None], axis=0)) ** 2
    hertz = np.fft.rfftfreq(len(times), 1 / 50)
    outside = (hertz < BANDS[0].low - 0.05) | (hertz > BANDS[-1].high + 0.05)
    assert power[outside].sum() < 1e-4 * power.sum()
    # 3/8 is what a Hann window leaves of a square.
    shares = 2 * power / len(times) ** 2 / 0.375
    for band, wanted in zip(BANDS, bands, strict=True):
        inside = (hertz >= band.low - 0.03) & (hertz < band.high + 0.03)
        np.testing.assert_allclose(np.sqrt(shares[inside].sum(0)), wanted, rtol=0.35)


def test_a_tremor_is_the_same_motion_at_every_rate() -> None:
    slow, fast = (channels(with_tremor(*still(5.0, rate)[::-1], "s")) for rate in (10, 30))
    np.testing.assert_allclose(slow, fast[::3], atol=1e-12)
    other = channels(with_tremor(*still(5.0, 10)[::-1], "t"))
    assert np.abs(other - slow).max() > 1e-3


@pytest.mark.parametrize("place", PLACES)
def test_a_hand_walks_the_same_walk(place: str) -> None:
    walk, hand = trajectory(place, "walk"), trajectory(place, "handheld")
    off = hand.poses[:, :3, 3] - walk.poses[:, :3, 3]
    assert 0.002 < np.abs(off).mean() < np.abs(off).max() < 0.045
    turned = np.einsum("nij,nij->n", hand.poses[:, :3, :3], walk.poses[:, :3, :3])
    degrees = np.degrees(np.arccos(np.clip((turned - 1) / 2, -1, 1)))
    assert 0.2 < degrees.mean() < degrees.max() < 5
    assert world(place).walkable.buffer(0.15).covers(shapely.multipoints(hand.poses[:, :2, 3]))


@pytest.mark.parametrize("place", [*PLACES, pytest.param("street", marks=pytest.mark.full)])
def test_a_robot_is_level_and_off_the_furniture(place: str) -> None:
    here, drive = world(place), trajectory(place, "robot")
    assert np.ptp(drive.poses[:, 2, 3]) == 0
    assert HEIGHTS[0] <= drive.poses[0, 2, 3] <= HEIGHTS[1]
    np.testing.assert_allclose(drive.poses[:, :3, 1], np.tile([0, 0, -1.0], (len(drive.poses), 1)), atol=1e-12)
    points = shapely.points(drive.poses[:, :2, 3])
    assert shapely.covers(here.walkable.buffer(1e-6), points).all()
    for thing in here.scene.objects:
        x, y, z = corners_of(thing.box).T
        if z.min() < HEAD and z.max() > 0.03 and thing.category not in ("door", "window", "rug"):
            print_on_floor = shapely.MultiPoint(np.column_stack([x, y])).convex_hull
            assert shapely.distance(points, print_on_floor).min() > BODY - 0.02, thing.id


@pytest.mark.parametrize("place", PLACES)
def test_a_robot_drives_straight_and_turns_on_the_spot(place: str) -> None:
    drive = draw_trajectory(world(place), "cameras", camera="robot", seconds=30.0, rate=60)
    ahead = drive.poses[:, :2, 2]
    yaw = np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))
    moved, turned = np.diff(drive.poses[:, :2, 3], axis=0), np.diff(yaw)
    far = np.linalg.norm(moved, axis=1)
    assert far.max() * 60 < 1.51 * PACE.speed
    assert np.abs(turned).max() * 60 < 1.51 * PACE.turn
    # A frame or two lie across the end of a turn and the beginning of a drive.
    both = (far > 1e-4) & (np.abs(turned) > 1e-4)
    assert both.sum() <= 0.02 * len(far)
    driving = (far > 1e-3) & ~both
    along = (moved[driving] * ahead[:-1][driving]).sum(1) / far[driving]
    assert (along > 0.999).mean() > 0.97
    assert far.sum() > 1.0
    assert np.abs(turned).sum() > 1.0


def test_a_robot_is_no_faster_where_time_is_short() -> None:
    drive = draw_trajectory(world("rectangle"), "cameras", camera="robot", seconds=2.0, rate=30)
    assert len(drive.times) == 60
    assert np.linalg.norm(np.diff(drive.poses[:, :2, 3], axis=0), axis=1).max() * 30 < 1.51 * PACE.speed


@pytest.mark.parametrize("camera", CAMERAS)
def test_a_recording_does_not_begin_by_staring_at_a_wall(camera: str) -> None:
    assert staring(world("rectangle"), trajectory("rectangle", camera)) < 0.5


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("place", ["rectangle", "l-shape", "two-rooms"])
def test_no_robot_begins_by_staring_at_a_wall(place: str, seed: int) -> None:
    assert staring(world(place), trajectory(place, "robot", f"begin:{seed}")) < 0.5


@pytest.mark.parametrize("camera", ["handheld", "robot"])
def test_the_same_seed_gives_the_same_trajectory(camera: str) -> None:
    one, again, other = (trajectory("rectangle", camera, seed, 6.0) for seed in ("a", "a", "b"))
    np.testing.assert_array_equal(one.poses, again.poses)
    assert np.abs(one.poses - other.poses).max() > 1e-3


@pytest.mark.full
@pytest.mark.usefixtures("needs_egl")
@pytest.mark.parametrize("camera", ["handheld", "robot"])
def test_what_new_cameras_show_agrees_with_rays(camera: str) -> None:
    size = (160, 120)
    lens = intrinsics_of(size)
    caster = Caster(world("rectangle"))
    poses = trajectory("rectangle", camera).poses[::30]
    with Renderer(world("rectangle"), size) as renderer:
        for pose in poses:
            check_rays_agree(caster, pose, renderer.frame(pose, lens), 0.995)


def test_an_unknown_camera_is_named() -> None:
    with pytest.raises(UsageError, match="robto"):
        trajectory("rectangle", "robto")
