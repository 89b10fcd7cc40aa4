"""Furniture: models from a Sweet Home 3D library (`.sh3f`), as they stand in a room.

A library is a zip of a catalogue (`PluginFurnitureCatalog.properties`: names and sizes in centimetres), OBJ models and
their pictures. Such a file is hostile until read: a model that is broken is named and left out.
"""

from __future__ import annotations

import hashlib
import io
import math
import posixpath
import re
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from tolman.errors import InputError, MissingExtraError
from tolman.extras import told
from tolman.simulate.habits import Habit, habit_of
from tolman.simulate.mesh import Mesh
from tolman.simulate.models import Models
from tolman.simulate.supports import Support, support_of

CATALOGUE = "PluginFurnitureCatalog.properties"
_LONGEST = 25.0
"""Metres; nothing larger is furniture."""
_SHIPPED = "blendswap-cc-0/{0}/{0}.obj"
CALLED = {_SHIPPED.format("cupboard"): "wardrobe"}
"""What models of the shipped selection are called by those who see them, where their names say something else
(benchmarks/naming.json); by their paths."""
CALLED_DIFFERENTLY = frozenset(_SHIPPED.format(name) for name in ("box", "shelves"))
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
        at_elevation: whether what hangs does so exactly at its elevation, not raised to the height of eyes.
        weight: how often it is chosen among the pieces of its category, where rooms have types.
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
    """Pieces of furniture, from wherever their models come.

    Attributes:
        pieces: by id.
        broken: what can't be used; `mesh` adds those whose model turns out unusable.
    """

    def __init__(self) -> None:
        self.pieces: dict[str, Furniture] = {}
        self.broken: list[Broken] = []
        self._mesh = lru_cache(maxsize=None)(self._load)
        self._support = lru_cache(maxsize=None)(self._cast)

    def mesh(self, piece: Furniture) -> Mesh | None:
        """A model standing on (0, 0, 0), its front along +y; None, named in `broken`, where it can't be used."""
        return self._mesh(piece.id)

    def support(self, piece: Furniture) -> Support:
        """Find a usable model's support, and surfaces on it.

        Raises:
            ValueError: the model can't be used.
            MissingExtraError: embreex is not installed.
        """
        return self._support(piece.id)

    def unstable(self) -> list[Broken]:
        """The usable models that are to stand on a floor or a table but would fall over, by their ids."""
        return [
            Broken(piece.name, "what touches the floor doesn't carry it")
            for piece in self.usable()
            if piece.habit not in ("hung", "never") and not self.stands(piece)
        ]

    def stands(self, piece: Furniture) -> bool:
        """Tell whether a usable model stands by itself on a floor or a table.

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
        path: a `.sh3f` file; None for the selection that ships with the package.

    Raises:
        InputError: the file is no such library.
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path
        try:
            content = (path or files("tolman.simulate").joinpath("data/furniture.sh3f")).read_bytes()
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            text = self._zip.read(CATALOGUE).decode("latin-1")
        except (OSError, zipfile.BadZipFile, KeyError) as error:
            raise InputError(
                path or "furniture.sh3f", f"is no furniture library ({error})", fix="give a .sh3f file"
            ) from None
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
            raise InputError(self.path or "furniture.sh3f", f"holds no usable model{reason}")
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
