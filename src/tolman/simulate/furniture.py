"""Furniture: models from a Sweet Home 3D library (`.sh3f`), as placed in a room and as support for other things.

A library is a zip of a catalogue (`PluginFurnitureCatalog.properties`: names and sizes in centimetres), OBJ models and
their pictures. Such a file is hostile until read: a model that is broken is named and left out.

A support is a part of a model that carries it, or a surface that can carry other things. A model's box says little
about either. A desk with a raised part is as high as its box in one corner only. A built-in oven touches the floor with
a strip of its front. So the triangles decide, by rays from above.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import math
import posixpath
import re
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from tolman.errors import InputError, MissingExtraError, OutputError
from tolman.extras import needs, told
from tolman.files import atomic_write, cache_folder
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Tree
from tolman.simulate import mesh
from tolman.simulate.mesh import PLAIN, Mesh, Texture, joined
from tolman.simulate.room_contents import Habit, habit_of

GRID_STEP = 0.02
"""Metres between rays."""
CONTACT_DEPTH = 0.01
"""Metres above a model's lowest point within which it touches what is below."""
LEVEL_TOLERANCE = 0.003
"""Metres by which heights on one surface differ at most."""
UPRIGHT_NORMAL = 0.95
"""Least vertical part of the normal of a surface on which things stand."""


@dataclass(frozen=True)
class Support:
    """Support of a model, and surfaces on it, in the model's own coordinates (metres, on z = 0).

    Attributes:
        base: convex hull of its contact with the ground, shape (k, 2).
        stable: whether the middle of the model's surface is above its base.
        corner: the place of the first ray, x and y.
        heights: of the first surface that rays from above meet, -inf for none, shape (columns, rows), x first.
        level: where that surface is horizontal, shape (columns, rows).
    """

    base: Floats
    stable: bool
    corner: tuple[float, float]
    heights: Floats
    level: NDArray[np.bool_]

    def height_under(self, center: tuple[float, float], yaw: float, size: tuple[float, float], gap: float) -> float:
        """Return the height of the horizontal surface that carries all of a rectangle.

        Args:
            center: of the rectangle, metres.
            yaw: counter-clockwise, radians.
            size: width and depth, metres.
            gap: metres around the rectangle in which nothing is higher than the surface.

        Returns:
            Metres; -inf where the surface ends, is not horizontal, or carries something.
        """
        inside, around = self._cells(center, yaw, size, 0.0), self._cells(center, yaw, size, gap)
        # A model thinner than the grid has no cell of its own.
        own = self.heights[inside]
        if not len(own) or not self.level[inside].all():
            return -np.inf
        height = float(own.max())
        if height - own.min() > LEVEL_TOLERANCE or self.heights[around].max() > height + LEVEL_TOLERANCE:
            return -np.inf
        # Rays are cast in single precision; a plan is the same on every machine.
        return round(height, 4)

    def _cells(
        self, center: tuple[float, float], yaw: float, size: tuple[float, float], gap: float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rays on a rectangle: points spread over it to its edges, each moved to the nearest ray."""
        width, depth = size[0] + 2 * gap, size[1] + 2 * gap
        across, along = (
            np.linspace(-0.5, 0.5, max(3, int(np.ceil(length / GRID_STEP)) + 1)) * length for length in (width, depth)
        )
        x, y = (grid.ravel() for grid in np.meshgrid(across, along))
        c, s = np.cos(yaw), np.sin(yaw)
        columns = np.round((center[0] + c * x - s * y - self.corner[0]) / GRID_STEP).astype(np.intp)
        rows = np.round((center[1] + s * x + c * y - self.corner[1]) / GRID_STEP).astype(np.intp)
        # Rays at the edge of the grid meet nothing, so what lies beyond it is like them.
        return np.clip(columns, 0, self.heights.shape[0] - 1), np.clip(rows, 0, self.heights.shape[1] - 1)


def support_of(mesh: Mesh) -> Support:
    """Find a model's support, and surfaces on it.

    Args:
        mesh: resting on z = 0.

    Raises:
        MissingExtraError: embreex is not installed.
    """
    low, high = mesh.bounds
    corners = mesh.points[mesh.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    middle = (corners.mean(1)[:, :2] * areas[:, None]).sum(0) / areas.sum()
    touching = mesh.points[mesh.faces.ravel()]
    touching = touching[touching[:, 2] < low[2] + CONTACT_DEPTH, :2]
    hull = cast("Polygon", shapely.convex_hull(shapely.multipoints(touching)))
    ends = [np.arange(low[i] - 1.5 * GRID_STEP, high[i] + 1.5 * GRID_STEP, GRID_STEP) for i in range(2)]
    x, y = np.meshgrid(*ends, indexing="ij")
    above = high[2] + 1.0
    origins = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, above)])
    faces, distances = Tree(mesh.points, mesh.faces, "worlds").cast(origins, np.tile([0.0, 0.0, -1.0], (x.size, 1)))
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    upright = np.abs(normals[:, 2]) > UPRIGHT_NORMAL * np.where(areas > 0, areas, 1.0)
    return Support(
        base=np.asarray(shapely.get_coordinates(hull)),
        stable=bool(hull.buffer(1e-6).contains(shapely.Point(middle))),
        corner=(float(ends[0][0]), float(ends[1][0])),
        heights=np.where(faces >= 0, above - distances, -np.inf).reshape(x.shape),
        level=(upright[faces] & (faces >= 0)).reshape(x.shape),
    )


def base_outline(support: Support, center: tuple[float, float], yaw: float) -> Polygon:
    """The base of a model in its place, on the floor plan."""
    c, s = np.cos(yaw), np.sin(yaw)
    points = support.base @ np.array([[c, s], [-s, c]]) + np.asarray(center)
    return cast("Polygon", shapely.convex_hull(shapely.multipoints(points)))


CATALOGUE = "PluginFurnitureCatalog.properties"
_LONGEST = 25.0
"""Metres; nothing larger is furniture."""
_BLEND_SWAP = "blendswap-cc-0/{0}/{0}.obj"
CALLED = {_BLEND_SWAP.format("cupboard"): "wardrobe"}
"""What models of "Blend Swap CC-0" are called by those who see them, where their names say something else
(benchmarks/naming.json); by their paths."""
CALLED_DIFFERENTLY = frozenset(_BLEND_SWAP.format(name) for name in ("box", "shelves"))
"""Models to which no name was given by more than half; they aren't put into rooms."""


@dataclass(frozen=True)
class Furniture:
    """A model of a library.

    Attributes:
        id: the name of its model in the library, unique there.
        name: as the catalogue has it.
        category: as questions name it.
        size: width, depth, height in metres.
        elevation: metres above the floor at which the catalogue hangs it.
        habit: where people put such a thing.
        path: of the model inside the library.
        turn: the catalogue's rotation of the model, row by row.
        at_elevation: whether a hanging thing is exactly at its elevation, not raised to the height of eyes.
        weight: how often it is chosen among the pieces of its category.
    """

    id: str
    name: str
    category: str
    size: tuple[float, float, float]
    elevation: float
    habit: Habit
    path: str
    turn: tuple[float, ...]
    at_elevation: bool = False
    weight: float = 1.0


@dataclass(frozen=True)
class Broken:
    """A model that can't be used, and why."""

    name: str
    reason: str


class FurnitureSource(ABC):
    """Pieces of furniture, from any source of models.

    Attributes:
        pieces: by id.
        broken: unusable pieces; `mesh` adds those whose model turns out unusable.
    """

    def __init__(self) -> None:
        self.pieces: dict[str, Furniture] = {}
        self.broken: list[Broken] = []
        self._mesh = lru_cache(maxsize=None)(self._load)
        self._support = lru_cache(maxsize=None)(self._cast)

    def mesh(self, piece: Furniture) -> Mesh | None:
        """Return a model on (0, 0, 0), its front along +y; None, named in `broken`, where it can't be used."""
        return self._mesh(piece.id)

    def copy(self, piece: Furniture, number: int) -> Mesh | None:
        """Return the model of one of several equal things, the first being number 0; else as `mesh`."""
        return self.mesh(piece)

    def support(self, piece: Furniture) -> Support:
        """Find a usable model's support, and surfaces on it.

        Raises:
            ValueError: the model can't be used.
            MissingExtraError: embreex is not installed.
        """
        return self._support(piece.id)

    def unstable(self) -> list[Broken]:
        """Return the usable models meant for a floor or a table that would fall over, by their ids."""
        return [
            Broken(piece.name, "what touches the floor doesn't carry it")
            for piece in self.usable()
            if piece.habit not in ("hung", "never") and not self.stands(piece)
        ]

    def stands(self, piece: Furniture) -> bool:
        """Check whether a usable model stays upright on a floor or a table.

        Raises:
            ValueError: the model can't be used.
            MissingExtraError: embreex is not installed.
        """
        return self.support(piece).stable

    @abstractmethod
    def usable(self) -> list[Furniture]:
        """The pieces whose models can be read, in the order of their ids.

        Raises:
            InputError: there is none.
        """

    @abstractmethod
    def _load(self, identity: str) -> Mesh | None: ...

    def _cast(self, identity: str) -> Support:
        mesh = self._mesh(identity)
        if mesh is None:
            raise ValueError(f"the furniture library has no usable model '{identity}'")
        return support_of(mesh)


class Library(FurnitureSource):
    """A furniture library, open.

    Args:
        path: a `.sh3f` file.

    Raises:
        InputError: the file is no such library.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        try:
            content = path.read_bytes()
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            text = self._zip.read(CATALOGUE).decode("latin-1")
        except (OSError, zipfile.BadZipFile, KeyError) as error:
            raise InputError(path, f"is no furniture library ({error})", fix="give a .sh3f file") from None
        for entry in _entries(text):
            try:
                piece = _piece(entry)
            except (KeyError, ValueError) as error:
                self.broken.append(Broken(entry.get("name", "?"), f"its catalogue entry has no usable {error}"))
                continue
            self.pieces.setdefault(piece.id, piece)
        self._models = Models(self._zip, hashlib.sha256(content).hexdigest())

    def usable(self) -> list[Furniture]:
        found = [piece for _, piece in sorted(self.pieces.items()) if self.mesh(piece) is not None]
        if not found:
            reason = f"; the first: {self.broken[0].reason}" if self.broken else ""
            raise InputError(self.path, f"holds no usable model{reason}")
        return found

    def _load(self, identity: str) -> Mesh | None:
        piece = self.pieces[identity]
        try:
            with told():
                return _fitted(self._models.read(piece.path), piece)
        except MissingExtraError:
            raise
        except Exception as error:  # a hostile file may break the readers of models and pictures in any way
            self.broken.append(Broken(piece.name, f"{piece.path}: {str(error) or type(error).__name__}"))
            return None


def _entries(text: str) -> Iterator[dict[str, str]]:
    """The numbered entries of a catalogue, in their order."""
    found: dict[int, dict[str, str]] = {}
    for line in text.splitlines():
        match = re.match(r"(\w+)#(\d+)=(.*)", line)
        if match:
            found.setdefault(int(match[2]), {})[match[1]] = match[3].strip()
    return (found[number] for number in sorted(found))


def _piece(entry: dict[str, str]) -> Furniture:
    size = _number(entry, "width") / 100, _number(entry, "depth") / 100, _number(entry, "height") / 100
    if not all(1e-3 <= length <= _LONGEST for length in size):
        raise ValueError("size")
    path = entry["model"].lstrip("/")
    turn = tuple(float(part) for part in entry.get("modelRotation", "1 0 0 0 1 0 0 0 1").split())
    if len(turn) != 9:
        raise ValueError("modelRotation")
    elevation = float(entry.get("elevation", 0)) / 100
    category, habit = habit_of(entry["name"], entry.get("category", ""), size[2], max(size[:2]), elevation)
    category = CALLED.get(path, category)
    if path in CALLED_DIFFERENTLY:
        habit = "never"
    identity = posixpath.basename(path).removesuffix(".obj")
    return Furniture(identity, entry["name"], category, size, elevation, habit, path, turn)


def _number(entry: dict[str, str], key: str) -> float:
    try:
        value = float(entry[key])
    except (KeyError, ValueError):
        raise ValueError(key) from None
    if not math.isfinite(value):
        raise ValueError(key)
    return value


def _fitted(mesh: Mesh, piece: Furniture) -> Mesh:
    """A model turned and stretched into its catalogue size. OBJ has y up and the front along +z."""
    turn = np.eye(4)
    turn[:3, :3] = np.array([[-1, 0, 0], [0, 0, 1], [0, 1, 0]]) @ np.array(piece.turn).reshape(3, 3)
    mesh = mesh.moved(turn)
    if not len(mesh.faces) or not np.isfinite(mesh.points).all():
        raise ValueError("the model holds no triangle, or a coordinate that isn't finite")
    return mesh.fitted(piece.size)


_LARGEST_FILE = 64 << 20
_LARGEST_PICTURE = 512
_ARRAYS = tuple(field.name for field in fields(Mesh) if field.name != "textures")


class Models:
    """The models of a library that is open.

    Args:
        library: holds them.
        identity: of the library's content.
    """

    def __init__(self, library: zipfile.ZipFile, identity: str) -> None:
        self._zip = library
        self._identity = identity

    def read(self, path: str) -> Mesh:
        """Read a model as its file has it.

        Raises:
            MissingExtraError: trimesh is not installed.
            Exception: any error of the readers of models and pictures where a file is broken.
        """
        # Reading OBJ takes a hundred times as long as reading arrays, and every process needs the same models.
        name = hashlib.sha256(f"{_reader()} {self._identity} {path}".encode()).hexdigest()
        kept = cache_folder() / "models" / f"{name[:32]}.npz"
        try:
            with kept.open("rb") as file, np.load(file) as arrays:
                textures = tuple(arrays[f"texture_{i}"] for i in range(int(arrays["textures"])))
                return Mesh(**{name: arrays[name] for name in _ARRAYS}, textures=textures)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):  # not there, or not whole
            model = _read_obj(self._zip, path)
        _keep(kept, model)
        return model


@cache
def _reader() -> str:
    """Identify how meshes are read, on which they depend besides their files."""
    with needs("worlds", "Reading furniture"):
        version = importlib.metadata.version("trimesh")
    code = b"".join(Path(place).read_bytes() for place in (__file__, mesh.__file__))
    return f"{version} {hashlib.sha256(code).hexdigest()}"


def _keep(path: Path, model: Mesh) -> None:
    arrays: dict[str, Any] = {name: getattr(model, name) for name in _ARRAYS}
    arrays |= {f"texture_{i}": texture for i, texture in enumerate(model.textures)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as partial, partial.open("wb") as out:
            np.savez(out, textures=np.array(len(model.textures)), **arrays)
    except (OSError, OutputError):  # a cache that can't be written is none
        pass


def _read_obj(library: zipfile.ZipFile, path: str) -> Mesh:
    with needs("worlds", "Reading furniture"):
        import trimesh

    members = {info.filename: info for info in library.infolist()}

    class Inside(trimesh.resolvers.Resolver):
        """Files next to the model, never any outside the library."""

        def __init__(self) -> None:
            pass

        def get(self, name: str) -> bytes:
            inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name.strip().replace("\\", "/")))
            return _member(library, members, inside)

        def write(self, name: str, data: bytes) -> None:
            raise OSError("a library is read only")

        def namespaced(self, namespace: str) -> Any:
            return self

        def keys(self) -> list[str]:
            return list(members)

    loaded: Any = trimesh.load(
        io.BytesIO(_member(library, members, path)), file_type="obj", resolver=Inside(), process=False
    )
    parts = list(loaded.geometry.values()) if isinstance(loaded, trimesh.Scene) else [loaded]
    return joined([_part(part) for part in parts if len(part.faces)])


def _member(library: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], name: str) -> bytes:
    if name not in members:
        raise ValueError(f"the library holds no '{name}'")
    if members[name].file_size > _LARGEST_FILE:
        raise ValueError(f"'{name}' is larger than {_LARGEST_FILE >> 20} MB")
    return library.read(name)


def _part(part: Any) -> Mesh:
    """One of trimesh's geometries."""
    count = len(part.vertices)
    material = getattr(part.visual, "material", None)
    texture = _picture(getattr(material, "image", None))
    uvs = getattr(part.visual, "uv", None)
    if texture is None or uvs is None or len(uvs) != count:
        texture, uvs = None, np.zeros((count, 2))
    colour = np.ones(3)
    if texture is None:
        diffuse = getattr(material, "diffuse", None)
        colour = np.asarray(diffuse[:3], dtype=np.float64) / 255 if diffuse is not None else np.full(3, 0.7)
    # Pure black and pure white give a surface nothing to be seen by.
    tint = np.append(np.clip(colour, 0.03, 0.95) if texture is None else colour, 0.0)
    return Mesh(
        points=np.asarray(part.vertices, dtype=np.float64),
        normals=np.asarray(part.vertex_normals, dtype=np.float64),
        uvs=np.asarray(uvs, dtype=np.float64),
        tints=np.tile(tint, (count, 1)),
        textures_of=np.full(count, PLAIN if texture is None else 0),
        faces=np.asarray(part.faces, dtype=np.int64),
        textures=() if texture is None else (texture,),
    )


def _picture(image: Any) -> Texture | None:
    if image is None:
        return None
    image = image.convert("RGB")
    image.thumbnail((_LARGEST_PICTURE, _LARGEST_PICTURE))
    return np.asarray(image, dtype=np.uint8)
