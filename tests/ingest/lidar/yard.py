"""A hall with ten things, a LiDAR and a camera carried through it: truth, sweeps and the files that rigs are made of."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import shapely

from tolman.geometry.boxes import Floats
from tolman.geometry.motion import poses_at
from tolman.scenes import OrientedBox, Scene, SceneObject
from tolman.simulate.mesh import Mesh, block, turned
from tolman.simulate.rig_sensors import Spinner, mount, sweeps
from tolman.simulate.walks import Walk, intrinsics_of, looking
from tolman.simulate.world import Body, World

OFFSET = 0.137
"""The scene's time less the LiDAR's, seconds: what is to be found."""
ROOM = (7.0, 6.0, 2.7)
SECONDS = 6.0
SIZE = (160, 120)
SPINNER = Spinner(rings=40, low=-50.0, high=40.0, columns=300, reach=30.0)


@dataclass(frozen=True)
class Thing:
    """A thing: what it is, where its middle stands, its extents (for a drum: width, width, height), its turn."""

    name: str
    center: tuple[float, float]
    extents: tuple[float, float, float]
    yaw: float = 0.0
    bottom: float = 0.0
    round: bool = False
    above: float = 0.12


THINGS = (
    Thing("crate", (1.0, 1.0), (0.6, 0.4, 0.5), 20),
    Thing("cabinet", (3.3, 0.245), (1.2, 0.45, 0.9)),
    Thing("wardrobe", (6.3, 1.2), (0.8, 0.55, 1.9), 100),
    Thing("drum", (6.1, 3.2), (0.6, 0.6, 0.9), round=True),
    Thing("post", (5.2, 5.1), (0.2, 0.2, 1.5), round=True),
    Thing("bench", (3.4, 5.2), (1.6, 0.4, 0.45), -5),
    Thing("table", (3.4, 3.0), (1.1, 0.7, 0.72), 50, above=0.01),
    Thing("case", (3.4, 3.0), (0.35, 0.25, 0.2), 10, bottom=0.72),
    Thing("fridge", (0.7, 4.9), (0.6, 0.62, 1.8), 15),
    Thing("pillar", (0.8, 2.9), (0.35, 0.35, 2.0), 45),
)


def box_of(thing: Thing) -> OrientedBox:
    c, s = np.cos(np.radians(thing.yaw)), np.sin(np.radians(thing.yaw))
    axes = ((c, s, 0.0), (-s, c, 0.0), (0.0, 0.0, 1.0))
    return OrientedBox(center=(*thing.center, thing.bottom + thing.extents[2] / 2), axes=axes, extents=thing.extents)


def region_of(thing: Thing, around: float = 0.12) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Corners of a box around a thing that a person would draw: upright, loose, with some of what it stands on."""
    box = box_of(thing)
    corners = np.array(box.center) + np.array(
        [[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    ) * box.extents @ np.array(box.axes)
    low, high = corners.min(0) - around, corners.max(0) + np.array([around, around, thing.above])
    return tuple(low.tolist()), tuple(high.tolist())  # type: ignore[return-value]


def _mesh(thing: Thing) -> Mesh:
    x, y, z = thing.extents
    if thing.round:
        mesh = turned([(0.0, 0.0), (x / 2, 0.0), (x / 2, z), (0.0, z)], sides=64)
    else:
        mesh = block((-x / 2, -y / 2, 0.0), (x / 2, y / 2, z))
    c, s = np.cos(np.radians(thing.yaw)), np.sin(np.radians(thing.yaw))
    pose = np.array([[c, -s, 0, thing.center[0]], [s, c, 0, thing.center[1]], [0, 0, 1, thing.bottom], [0, 0, 0, 1.0]])
    return mesh.moved(pose)


def room_of(things: tuple[Thing, ...], extents: tuple[float, float, float], identity: str) -> World:
    """A room with things in it: its floor at 0, its corner at the origin.

    Args:
        things: in it.
        extents: of the room, metres.
        identity: of the scene, DATASET/NAME.
    """
    objects = tuple(SceneObject(id=one.name, category=one.name, box=box_of(one)) for one in things)
    x, y, z = extents
    shell = [
        block((-0.2, -0.2, -0.2), (x + 0.2, y + 0.2, 0.0)),
        block((-0.2, -0.2, z), (x + 0.2, y + 0.2, z + 0.2)),
        block((-0.2, -0.2, 0.0), (0.0, y + 0.2, z)),
        block((x, -0.2, 0.0), (x + 0.2, y + 0.2, z)),
        block((0.0, -0.2, 0.0), (x, 0.0, z)),
        block((0.0, y, 0.0), (x, y + 0.2, z)),
    ]
    bodies = (*(Body(mesh) for mesh in shell), *(Body(_mesh(one), one.name) for one in things))
    scene = Scene(id=identity, dataset=identity.partition("/")[0], objects=objects, room_area=x * y)
    return World(scene, bodies, shapely.box(1, 1, x - 1, y - 1))


@cache
def hall() -> World:
    return room_of(THINGS, ROOM, "rig/hall")


def walk(seconds: float = SECONDS, rate: int = 30) -> Walk:
    """Once around the table, looking to and fro unevenly."""
    times = np.arange(round(seconds * rate) + 1) / rate
    angle = 2 * np.pi * times / seconds + 0.4
    places = np.column_stack(
        [3.4 + 1.7 * np.cos(angle), 3.0 + 1.25 * np.sin(angle), 1.5 + 0.03 * np.sin(2 * np.pi * 1.7 * times)]
    )
    yaw = angle + np.pi / 2 + 0.5 * np.sin(2.1 * times) + 0.25 * np.sin(3.7 * times + 1) + 0.1 * np.sin(9 * times)
    pitch = -np.radians(13) + 0.05 * np.sin(2.6 * times)
    return Walk(times, looking(places, yaw, pitch, 0.03 * np.sin(3.1 * times)))


@dataclass(frozen=True)
class Shot:
    """The recording: sweeps with times by the LiDAR's clock.

    Attributes:
        points: of each sweep, as `tolman.simulate.rig_sensors` makes them, by the LiDAR's own clock.
        stamps: of the beginning of each sweep.
        times, poses: the LiDAR's trajectory by its own clock.
        camera: by the scene's clock.
    """

    points: tuple[np.ndarray, ...]
    stamps: Floats
    times: Floats
    poses: Floats
    camera: Walk


def recorded(world: World, carried: Walk, mounted: Floats) -> Shot:
    """What a LiDAR records that is mounted on a camera which is carried through a world.

    Args:
        world: what is recorded.
        carried: the camera.
        mounted: LiDAR → camera, 4×4.
    """
    from tolman.simulate.rig_sensors import draw_offset

    shift = draw_offset("hall") - OFFSET
    # The simulated sensor has a mount of its own; a camera that would carry it in it is where it has to be.
    carrier = Walk(carried.times, carried.poses @ mounted @ np.linalg.inv(mount()))
    found = []
    for sweep in sweeps(world, carrier, "hall", SPINNER):
        points = sweep.points.copy()
        points["time"] += shift
        found.append(points)
    stamps = np.array([float(points["time"].min()) for points in found])
    times = np.arange(0.0, carried.times[-1], 0.05) - OFFSET
    poses = poses_at(carried.times, carried.poses @ mounted, times + OFFSET)
    return Shot(tuple(found), stamps, times, poses, carried)


@cache
def shot() -> Shot:
    return recorded(hall(), walk(), mount())


INTRINSICS = intrinsics_of(SIZE)


def pictures(every: int = 3) -> tuple[Floats, list[np.ndarray]]:
    """What the camera sees, by casting: times by the scene's clock, and grey pictures of SIZE with RGB channels."""
    from tolman.geometry.camera_geometry import pixel_rays
    from tolman.simulate.world import Caster

    caster, carried = Caster(hall()), shot().camera
    found = []
    for seconds, pose in zip(carried.times[::every], carried.poses[::every], strict=True):
        rays = pixel_rays(pose, INTRINSICS, SIZE)
        _, echoes = caster.cast_with_echoes(np.tile(pose[:3, 3], (len(rays), 1)), rays, float(seconds))
        grey = np.clip(255 * echoes.tones * (0.3 + 0.7 * echoes.cosines), 0, 255).astype(np.uint8).reshape(SIZE[::-1])
        found.append(np.repeat(grey[:, :, None], 3, axis=2))
    return carried.times[::every], found


def depths(pose: Floats) -> Floats:
    """True depth along the view of each pixel, shape (height, width), by casting."""
    from tolman.geometry.camera_geometry import pixel_rays
    from tolman.simulate.world import Caster

    rays = pixel_rays(pose, INTRINSICS, SIZE)
    return np.asarray(Caster(hall()).cast(np.tile(pose[:3, 3], (len(rays), 1)), rays).distances.reshape(SIZE[::-1]))
