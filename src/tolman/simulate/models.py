"""Models of a furniture library: OBJ with pictures, as meshes. What was read once is kept in the user's cache."""

from __future__ import annotations

import hashlib
import importlib.metadata
import io
import posixpath
import zipfile
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tolman.extras import needs
from tolman.files import atomic_write, cache_folder
from tolman.simulate import mesh
from tolman.simulate.mesh import PLAIN, Mesh, Texture, joined

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
        """A model as its file has it.

        Raises:
            MissingExtraError: trimesh is not installed.
            Exception: whatever the readers of models and pictures raise where a file is broken.
        """
        # Reading OBJ takes a hundred times as long as reading arrays, and every process needs the same models.
        name = hashlib.sha256(f"{_reader()} {self._identity} {path}".encode()).hexdigest()
        kept = cache_folder() / "models" / f"{name[:32]}.npz"
        try:
            return _kept(kept)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):  # not there, or not whole
            model = _read_obj(self._zip, path)
        _keep(kept, model)
        return model


@cache
def _reader() -> str:
    """What a mesh depends on besides its file: how it is read."""
    with needs("simulate", "Reading furniture"):
        version = importlib.metadata.version("trimesh")
    code = b"".join(Path(place).read_bytes() for place in (__file__, mesh.__file__))
    return f"{version} {hashlib.sha256(code).hexdigest()}"


def _kept(path: Path) -> Mesh:
    with path.open("rb") as file, np.load(file) as arrays:
        textures = tuple(arrays[f"texture_{i}"] for i in range(int(arrays["textures"])))
        return Mesh(**{name: arrays[name] for name in _ARRAYS}, textures=textures)


def _keep(path: Path, model: Mesh) -> None:
    arrays: dict[str, Any] = {name: getattr(model, name) for name in _ARRAYS}
    arrays |= {f"texture_{i}": texture for i, texture in enumerate(model.textures)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as partial, partial.open("wb") as out:
            np.savez(out, textures=np.array(len(model.textures)), **arrays)
    except OSError:  # a cache that can't be written is none
        pass


def _read_obj(library: zipfile.ZipFile, path: str) -> Mesh:
    with needs("simulate", "Reading furniture"):
        import trimesh

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
