"""World: a scene as triangles, each belonging to an object or to none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tolman.geometry.boxes import Floats
from tolman.scenes import Scene, SceneObject
from tolman.simulate.lanes import Lane
from tolman.simulate.mesh import Mesh

if TYPE_CHECKING:
    from shapely import Polygon
    from shapely.geometry.base import BaseGeometry

    from tolman.simulate.lighting import BakedLight


@dataclass(frozen=True)
class Body:
    """Part of a world.

    Attributes:
        mesh: in the scene's coordinates; for a moving body in its own.
        object: the id of the object it belongs to; None for walls, floors and the like.
        pose: seconds → its 4×4 transform into the scene, for a moving body.
    """

    mesh: Mesh
    object: str | None = None
    pose: Callable[[float], Floats] | None = None


@dataclass(frozen=True)
class Light:
    """Lighting of a world.

    Attributes:
        toward: unit vector to the light that casts shadows.
        sun, sky, ground: its colour and those of the light from above and from below.
        background, horizon: the sky above and near the horizon, seen where nothing is.
    """

    toward: tuple[float, float, float] = (0.35, 0.25, 0.9)
    sun: tuple[float, float, float] = (0.62, 0.6, 0.56)
    sky: tuple[float, float, float] = (0.58, 0.6, 0.63)
    ground: tuple[float, float, float] = (0.3, 0.28, 0.26)
    background: tuple[float, float, float] = (0.62, 0.74, 0.88)
    horizon: tuple[float, float, float] = (0.8, 0.86, 0.92)


@dataclass(frozen=True)
class World:
    """A place to be recorded.

    Attributes:
        scene: its truth.
        bodies: its triangles.
        walkable: where the middle of a walker can be.
        light: how it is lit.
        contact: the floor's outline and the footprints of what stands on it, for the dimness beneath things.
        lighting: what lamps and windows give to every place; None where all is lit by the sky.
        lanes: ways on which vehicles may drive.
    """

    scene: Scene
    bodies: tuple[Body, ...]
    walkable: BaseGeometry
    light: Light = field(default_factory=Light)
    contact: tuple[Polygon, tuple[Polygon, ...]] | None = None
    lighting: BakedLight | None = None
    lanes: tuple[Lane, ...] = ()

    @property
    def numbers(self) -> dict[str, int]:
        """The number under which each object stands in a picture of instances; 0 is no object."""
        return {thing.id: number for number, thing in enumerate(self.scene.objects, start=1)}

    def adding(self, bodies: Sequence[Body], objects: Sequence[SceneObject]) -> World:
        """The same world with more in it."""
        counts = dict(self.scene.counts)
        for thing in objects:
            counts[thing.category] = counts.get(thing.category, 0) + 1
        scene = self.scene.model_copy(update={"objects": (*self.scene.objects, *objects), "counts": counts})
        return replace(self, scene=scene, bodies=(*self.bodies, *bodies))
