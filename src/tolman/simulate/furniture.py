"""Furniture: models from a Sweet Home 3D library (`.sh3f`), as they stand in a room.

A library is a zip of a catalogue (`PluginFurnitureCatalog.properties`: names and sizes in centimetres), OBJ models and
their pictures. Such a file is hostile until read: a model that is broken is named and left out.
"""

from __future__ import annotations

import io
import math
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError, MissingExtraError
from tolman.simulate.habits import Habit, habit_of
from tolman.simulate.mesh import PLAIN, Mesh, Texture, joined

CATALOGUE = "PluginFurnitureCatalog.properties"
_LARGEST_FILE = 64 << 20
_LARGEST_PICTURE = 512
_LONGEST = 25.0
"""Metres; nothing larger is furniture."""


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
    """

    id: str
    name: str
    category: str
    size: tuple[float, float, float]
    elevation: float
    habit: Habit
    path: str
    turn: tuple[float, ...]


@dataclass(frozen=True)
class Broken:
    """A model that can't be used, and why."""

    name: str
    reason: str


class Library:
    """A furniture library, open.

    Args:
        path: a `.sh3f` file; None for the selection that ships with the package.

    Attributes:
        pieces: the models whose entry can be read, by id.
        broken: the others; `mesh` adds those whose model turns out unusable.

    Raises:
        InputError: the file is no such library.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        try:
            data = files("tolman.simulate").joinpath("data/furniture.sh3f").read_bytes() if path is None else None
            self._zip = zipfile.ZipFile(io.BytesIO(data) if data is not None else path)  # type: ignore[arg-type]
            text = self._zip.read(CATALOGUE).decode("latin-1")
        except (OSError, zipfile.BadZipFile, KeyError) as error:
            raise InputError(
                path or "furniture.sh3f", f"is no furniture library ({error})", fix="give a .sh3f file"
            ) from None
        self.pieces: dict[str, Furniture] = {}
        self.broken: list[Broken] = []
        for entry in _entries(text):
            try:
                piece = _piece(entry)
            except (KeyError, ValueError) as error:
                self.broken.append(Broken(entry.get("name", "?"), f"its catalogue entry has no usable {error}"))
                continue
            self.pieces.setdefault(piece.id, piece)
        self._mesh = lru_cache(maxsize=None)(self._load)

    def mesh(self, piece: Furniture) -> Mesh | None:
        """A model standing on (0, 0, 0), its front along +y; None, named in `broken`, where it can't be used."""
        return self._mesh(piece.id)

    def usable(self) -> list[Furniture]:
        """The pieces whose models can be read, in the order of their ids.

        Raises:
            InputError: there is none.
        """
        found = [piece for _, piece in sorted(self.pieces.items()) if self.mesh(piece) is not None]
        if not found:
            reason = f"; the first: {self.broken[0].reason}" if self.broken else ""
            raise InputError(self.path or "furniture.sh3f", f"holds no usable model{reason}")
        return found

    def _load(self, identity: str) -> Mesh | None:
        piece = self.pieces[identity]
        try:
            return _fitted(_read_obj(self._zip, piece.path), piece)
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


def _read_obj(library: zipfile.ZipFile, path: str) -> Mesh:
    try:
        import trimesh
    except ImportError:
        raise MissingExtraError("trimesh", "simulate", "reading furniture") from None

    members = {info.filename: info for info in library.infolist()}

    class Inside(trimesh.resolvers.Resolver):
        """Files beside the model, never any outside the library."""

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
