"""The renderer against ray casting, which shares no code with it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import shapely

from simulate.worlds import MADE_HOME, SLOW_PLACES, check_rays_agree, corners_of, gaze, thing_at, walk, world
from tolman.geometry.camera_geometry import pixel_rays, project
from tolman.scenes import Scene
from tolman.simulate.agents import with_actors
from tolman.simulate.lighting import DEFAULT, FAST, HIGH, LEVELS
from tolman.simulate.mesh import block, placed, quads
from tolman.simulate.render import Frame, Renderer
from tolman.simulate.walks import intrinsics_of
from tolman.simulate.world import Body, Caster, World

pytestmark = pytest.mark.usefixtures("needs_egl")

SIZE = (320, 240)
CAMERA = intrinsics_of(SIZE)
CHECKED = ("rectangle", "two-rooms", "street", "parking-lot", "park", "courtyard", MADE_HOME)


def cube_world(*, moving: bool = False) -> World:
    """A cube of 1 m on a floor, at x = 4 (and, where it moves, a metre further each second)."""

    def pose(seconds: float) -> np.ndarray:
        return placed((4.0 + seconds, 0.0, 0.0))

    own = block((-0.5, -0.5, 0.0), (0.5, 0.5, 1.0), (0.7, 0.2, 0.2))
    cube = Body(own, "cube-0", pose) if moving else Body(own.moved(pose(0.0)), "cube-0")
    ground = quads(np.array([[[-9, -9, 0], [30, -9, 0], [30, 9, 0], [-9, 9, 0]]], dtype=np.float64), (0.6, 0.6, 0.6))
    scene = Scene(id="t/cube", dataset="t", objects=(thing_at("cube", (4.0, 0.0, 0.5), (1.0, 1.0, 1.0)),))
    return World(scene, (Body(ground), cube), shapely.box(-5, -5, 5, 5))


def level(height: float = 1.5) -> np.ndarray:
    return gaze((0.0, 0.0, height))


@cache
def views(place: str) -> list[tuple[np.ndarray, Frame]]:
    poses = walk(place).poses
    with Renderer(world(place), SIZE) as renderer:
        return [(pose, renderer.frame(pose, CAMERA)) for pose in poses[:: len(poses) // 5]]


@pytest.mark.parametrize("place", [pytest.param(p, marks=SLOW_PLACES.get(p, ())) for p in CHECKED])
def test_instances_and_depth_agree_with_ray_casting(place: str) -> None:
    caster = Caster(world(place))
    for pose, frame in views(place):
        # Leaves of trees have more edges than anything else.
        check_rays_agree(caster, pose, frame, 0.998 if place == "park" else 0.999)


@pytest.mark.parametrize("place", [pytest.param(p, marks=SLOW_PLACES.get(p, ())) for p in CHECKED])
def test_every_pixel_of_an_object_lies_in_its_projected_box(place: str) -> None:
    hulls = inside = 0
    here = world(place)
    for pose, frame in views(place):
        for thing in here.scene.objects:
            rows, columns = np.nonzero(frame.instances == here.numbers[thing.id])
            if not len(rows):
                continue
            axes, half = np.array(thing.box.axes), np.array(thing.box.extents) / 2
            corners, ahead = project(corners_of(thing.box), pose, CAMERA)
            pixels = np.column_stack([columns, rows]) + 0.5
            if ahead.min() > 0.05:
                hull = shapely.convex_hull(shapely.multipoints(corners)).buffer(1.0)
                assert shapely.contains_xy(hull, pixels[:, 0], pixels[:, 1]).all(), thing.id
                hulls += 1
            # And by its depth each pixel is a point in the box, to a pixel's width; edge on there is no reading.
            depth = frame.depth[rows, columns].astype(np.float64)
            read = depth > 0
            assert read.mean() > 0.95
            ways = np.column_stack([(pixels - (CAMERA[2], CAMERA[3])) / CAMERA[0], np.ones(len(rows))])
            local, depth = (ways * depth[:, None])[read], depth[read]
            points = local @ pose[:3, :3].T + pose[:3, 3]
            off = np.abs((points - np.array(thing.box.center)) @ axes.T) - half
            assert (off.max(1) <= 1e-3 + depth / CAMERA[0]).all(), thing.id
            inside += 1
    assert hulls >= 10
    assert inside >= 15


@pytest.mark.full
@pytest.mark.parametrize(
    "place", [pytest.param(p, marks=SLOW_PLACES.get(p, ())) for p in ("rectangle", MADE_HOME, "courtyard")]
)
def test_every_quality_has_the_same_depth_and_instances(place: str) -> None:
    poses = walk(place).poses
    levels = []
    for quality in (DEFAULT, FAST, replace(HIGH, light=DEFAULT.light)):
        with Renderer(world(place), SIZE, quality) as renderer:
            levels.append([renderer.frame(pose, CAMERA) for pose in poses[:: len(poses) // 4]])
    for other in levels[1:]:
        for kept, frame in zip(levels[0], other, strict=True):
            np.testing.assert_array_equal(kept.depth, frame.depth)
            np.testing.assert_array_equal(kept.instances, frame.instances)
            # The same picture: what differs is how smooth and how dark it is in places.
            assert np.abs(kept.colour.astype(int) - frame.colour).mean() < 20
        # Not in each: where all is in the shade, maps of shadows tell nothing.
        assert any((kept.colour != frame.colour).any() for kept, frame in zip(levels[0], other, strict=True))


def test_each_quality_draws_the_same_again() -> None:
    for quality in LEVELS.values():
        with Renderer(cube_world(), SIZE, quality) as renderer:
            first, again = renderer.frame(level(), CAMERA), renderer.frame(level(), CAMERA)
        np.testing.assert_array_equal(first.colour, again.colour)


def test_moving_things_are_where_their_poses_say() -> None:
    here = cube_world(moving=True)
    caster = Caster(here)
    rays = pixel_rays(level(), CAMERA, SIZE)
    with Renderer(here, SIZE) as renderer:
        for seconds in (0.0, 2.0):
            frame = renderer.frame(level(), CAMERA, seconds)
            hits = caster.cast(np.tile([0.0, 0.0, 1.5], (len(rays), 1)), rays, seconds)
            assert (hits.numbers == frame.instances.ravel()).mean() > 0.999
            # The camera looks over the cube's top: its front edge is nearest.
            assert frame.depth[frame.instances == 1].min() == pytest.approx(3.5 + seconds, abs=0.01)


def test_shadows_stay_from_frame_to_frame() -> None:
    place = "rectangle"
    still = world(place)
    moving, _ = with_actors(still, "s", seconds=8.0, walk=None)
    assert len(moving.scene.objects) > len(still.scene.objects)
    pose = walk(place).poses[0]
    with Renderer(moving, SIZE) as renderer:
        first = renderer.frame(pose, CAMERA, 0.0)
        renderer.frame(pose, CAMERA, 3.0)
        again = renderer.frame(pose, CAMERA, 0.0)
    assert (first.colour == again.colour).all()
    assert (first.depth == again.depth).all()


def test_where_nothing_is_there_is_neither_depth_nor_instance() -> None:
    with Renderer(cube_world(), SIZE) as renderer:
        renderer.frame(level(), CAMERA)
        frame = renderer.frame(gaze((0.0, 0.0, 1.5), pitch=0.8), CAMERA)
    assert not frame.depth.any()
    assert not frame.instances.any()
    assert frame.colour[:, :, 2].mean() > 120


def test_depth_is_along_the_view_and_rows_go_down() -> None:
    with Renderer(cube_world(), SIZE) as renderer:
        frame = renderer.frame(level(0.5), CAMERA)
    assert frame.depth[120, 160] == pytest.approx(3.5, abs=1e-4)
    # A face across the view has one depth; the floor is seen below it only.
    assert np.ptp(frame.depth[frame.instances == 1]) < 1e-3
    assert (frame.depth[-1] > 0).all()
    assert not frame.depth[0, :50].any()


@pytest.mark.full
@pytest.mark.parametrize("width", [0.5, 0.75, 1.2])
def test_a_line_narrower_than_a_pixel_does_not_break_into_dashes(width: float) -> None:
    """A dark seam on a bright wall, nearly upright: each row of the picture shows some of it."""
    half = width * 4.0 / CAMERA[0] / 2
    wall = np.array([[[4, -9, -9], [4, 9, -9], [4, 9, 9], [4, -9, 9]]], dtype=np.float64)
    seam = np.array([[[3.999, s * half + z / 40, z] for s, z in ((-1, -3), (1, -3), (1, 3), (-1, 3))]])
    bodies = Body(quads(wall, (0.9, 0.9, 0.9))), Body(quads(seam, (0.0, 0.0, 0.0)))
    here = World(Scene(id="t/seam", dataset="t", objects=()), bodies, shapely.box(-1, -1, 1, 1))
    seen = {}
    for quality in (FAST, DEFAULT, HIGH):
        with Renderer(here, SIZE, quality) as renderer:
            rows = renderer.frame(level(0.0), CAMERA).colour[20:-20].astype(float).mean(-1)
        dark = np.median(rows) - rows
        seen[quality.name] = dark.sum(1).min() / dark.sum(1).mean()
    assert seen["default"] > 0.4
    assert seen["high"] > 0.4
    if width < 0.6:
        assert seen["fast"] < 0.1
