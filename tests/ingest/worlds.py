"""A small furnished room with exact truth, out of which each format's tests write that format's files.

Its boxes are tilted, so that axes in rows and in columns differ; two things share a category; a wall is annotated, as
scans have it, and is no object of the questions. `SmallWorld.moved` gives the same in a scan's own frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import shapely

from tolman.scenes import OrientedBox, Scene, SceneObject
from tolman.simulate.mesh import flat_shaded
from tolman.simulate.render import Frame, Renderer
from tolman.simulate.walks import intrinsics_of, looking
from tolman.simulate.world import Body, World

SIZE = (160, 120)
FRAMES = 16
ROOM = (5.0, 4.0, 2.6)
STEP = 0.1
EXCLUDED = "wall"


@dataclass(frozen=True)
class Cuboid:
    """A thing of the room: its label, centre, extents, and turns about z, y and x in degrees."""

    label: str
    center: tuple[float, float, float]
    extents: tuple[float, float, float]
    turns: tuple[float, float, float]
    colour: tuple[float, float, float]


CUBOIDS = (
    Cuboid("table", (2.6, 2.1, 0.42), (1.3, 0.7, 0.72), (20.0, 0.0, 0.0), (0.55, 0.35, 0.2)),
    Cuboid("chair", (1.1, 1.0, 0.55), (0.45, 0.5, 0.85), (35.0, 8.0, -6.0), (0.7, 0.2, 0.2)),
    Cuboid("wall", (2.5, 3.96, 1.3), (4.98, 0.06, 2.58), (0.0, 0.0, 0.0), (0.75, 0.75, 0.7)),
    Cuboid("cabinet", (4.55, 2.9, 0.92), (0.5, 1.1, 1.8), (3.0, 0.0, 0.0), (0.4, 0.5, 0.3)),
    Cuboid("chair", (3.9, 0.9, 0.58), (0.48, 0.42, 0.9), (-70.0, -5.0, 9.0), (0.2, 0.3, 0.7)),
    Cuboid("sofa", (1.0, 3.2, 0.48), (1.7, 0.8, 0.75), (12.0, 4.0, 3.0), (0.5, 0.2, 0.5)),
    Cuboid("stool", (2.4, 0.5, 0.37), (0.35, 0.3, 0.5), (10.0, 15.0, 20.0), (0.8, 0.7, 0.2)),
)


@dataclass(frozen=True)
class SmallWorld:
    """The room in some frame.

    Attributes:
        objects: the annotated things, the excluded one among them; object i has number i + 1 in mesh and masks.
        points: of the mesh, metres, shape (n, 3); no two things share one.
        faces: shape (m, 3).
        numbers: of each face's thing, 0 for the shell, shape (m,).
        times: of the frames, seconds, shape (f,).
        poses: camera → this frame, looking along +z with y down, shape (f, 4, 4).
        intrinsics: fx, fy, cx, cy of pictures of SIZE; the pixel in column i looks through i + 0.5.
        area: of the floor, square metres.
    """

    objects: tuple[SceneObject, ...]
    points: np.ndarray
    faces: np.ndarray
    numbers: np.ndarray
    times: np.ndarray
    poses: np.ndarray
    intrinsics: tuple[float, float, float, float]
    area: float = ROOM[0] * ROOM[1]

    def moved(self, matrix: np.ndarray) -> SmallWorld:
        """The same in another frame: what stands at p here stands at matrix @ p there."""
        turn, shift = matrix[:3, :3], matrix[:3, 3]
        objects = tuple(
            SceneObject(
                id=thing.id,
                category=thing.category,
                box=box_of(
                    turn @ np.array(thing.box.center) + shift, np.array(thing.box.axes) @ turn.T, thing.box.extents
                ),
            )
            for thing in self.objects
        )
        return replace(self, objects=objects, points=self.points @ turn.T + shift, poses=matrix @ self.poses)

    @property
    def vertex_numbers(self) -> np.ndarray:
        """The number of each point's thing, 0 for the shell, shape (n,)."""
        found = np.zeros(len(self.points), dtype=np.int64)
        found[self.faces.ravel()] = np.repeat(self.numbers, 3)
        return found

    @property
    def wanted(self) -> list[SceneObject]:
        """The things that questions are asked about."""
        return [thing for thing in self.objects if thing.category != EXCLUDED]

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each category that questions are asked about."""
        names = [thing.category for thing in self.wanted]
        return {name: names.count(name) for name in names}


def box_of(center: np.ndarray, axes: np.ndarray, extents: object) -> OrientedBox:
    return OrientedBox.model_validate(
        {"center": np.asarray(center).tolist(), "axes": np.asarray(axes).tolist(), "extents": list(extents)}  # type: ignore[call-overload]
    )


def rotation(z: float, y: float = 0.0, x: float = 0.0) -> np.ndarray:
    """The rotation about x, then y, then z, in degrees."""
    (cz, cy, cx), (sz, sy, sx) = np.cos(np.radians([z, y, x])), np.sin(np.radians([z, y, x]))
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    return np.asarray(about_z @ about_y @ about_x)


def transform(
    z: float = 0.0, y: float = 0.0, x: float = 0.0, shift: tuple[float, float, float] = (0, 0, 0)
) -> np.ndarray:
    """A rigid transform, shape (4, 4), of turns in degrees and a shift in metres."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation(z, y, x), shift
    return matrix


@cache
def small_world() -> SmallWorld:
    """The room, z up, the floor at 0."""
    objects, meshes = [], []
    for number, one in enumerate(CUBOIDS, start=1):
        axes = rotation(*one.turns).T
        objects.append(
            SceneObject(id=f"{number}", category=one.label, box=box_of(np.array(one.center), axes, one.extents))
        )
        meshes.append((number, *_cuboid(np.array(one.center), axes, np.array(one.extents))))
    shell_points, shell_faces = _cuboid(np.array(ROOM) / 2, np.eye(3), np.array(ROOM))
    meshes.append((0, shell_points, shell_faces[:, ::-1]))
    points, faces, numbers, first = [], [], [], 0
    for number, own_points, own_faces in meshes:
        points.append(own_points)
        faces.append(own_faces + first)
        numbers.append(np.full(len(own_faces), number))
        first += len(own_points)
    around = np.linspace(0, 2 * np.pi, FRAMES, endpoint=False)
    places = np.column_stack([2.5 + 1.9 * np.cos(around), 1.7 + 1.2 * np.sin(around), np.full(FRAMES, 1.6)])
    middle = np.array([2.5, 2.0]) - places[:, :2]
    yaw = np.arctan2(middle[:, 1], middle[:, 0]) + 0.35 * np.sin(3 * around)
    poses = looking(places, yaw, np.full(FRAMES, -0.35), 0.1 * np.sin(around))
    return SmallWorld(
        tuple(objects), np.concatenate(points), np.concatenate(faces), np.concatenate(numbers),
        np.arange(FRAMES) / 10, poses, intrinsics_of(SIZE),
    )  # fmt: skip


def place() -> World:
    """The room as the renderer takes it."""
    world = small_world()
    colours = {number: one.colour for number, one in enumerate(CUBOIDS, start=1)} | {0: (0.8, 0.78, 0.72)}
    bodies = tuple(
        Body(
            flat_shaded(world.points[world.faces[world.numbers == number]], colours[number]),
            world.objects[number - 1].id if number else None,
        )
        for number in range(len(CUBOIDS) + 1)
    )
    scene = Scene(id="test/small", dataset="test", objects=world.objects)
    return World(scene, bodies, shapely.box(0.3, 0.3, ROOM[0] - 0.3, ROOM[1] - 0.3))


@cache
def frames() -> tuple[Frame, ...]:
    """Colour, depth (metres along the view) and numbers of each frame.

    Raises:
        NoDisplayError: the machine can't draw.
    """
    world = small_world()
    with Renderer(place(), SIZE) as renderer:
        return tuple(renderer.frame(pose, world.intrinsics) for pose in world.poses)


def same_box(found: OrientedBox, true: OrientedBox) -> float:
    """The farthest that a corner of one box is from the nearest corner of the other, metres.

    Boxes have no first axis: the same box may be written with its axes in another order or turned round.
    """
    a, b = corners(found), corners(true)
    apart = np.linalg.norm(a[:, None] - b[None], axis=-1)
    return float(max(apart.min(0).max(), apart.min(1).max()))


def corners(box: OrientedBox) -> np.ndarray:
    """Shape (8, 3), metres."""
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    return np.asarray(np.array(box.center) + (signs * np.array(box.extents)) @ np.array(box.axes))


def _cuboid(center: np.ndarray, axes: np.ndarray, extents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A closed box of small triangles that look outwards; its points lie on a grid of about STEP."""
    points, faces, first = [], [], 0
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        across, up = (max(1, round(extents[i] / STEP)) for i in (u, v))
        i, j = np.meshgrid(np.arange(across + 1), np.arange(up + 1), indexing="ij")
        corner = (i * (up + 1) + j)[:-1, :-1].ravel()
        quads = np.stack([corner, corner + up + 1, corner + up + 2, corner + 1], axis=1)
        for side in (-0.5, 0.5):
            local = np.empty((i.size, 3))
            local[:, axis] = side * extents[axis]
            local[:, u] = (i.ravel() / across - 0.5) * extents[u]
            local[:, v] = (j.ravel() / up - 0.5) * extents[v]
            own = quads if side > 0 else quads[:, ::-1]
            points.append(local)
            faces.append(np.concatenate([own[:, [0, 1, 2]], own[:, [0, 2, 3]]]) + first)
            first += len(local)
    together, joined = np.concatenate(points), np.concatenate(faces)
    # The edges of a box's sides are the same points.
    _, index, inverse = np.unique(np.round(together, 9), axis=0, return_index=True, return_inverse=True)
    return center + together[index] @ axes, inverse.ravel()[joined]
