"""Replica's rooms: boxes of `habitat/info_semantic.json`, and the mesh with the object of each face.

A box is given in its own frame and moved by a rotation (x, y, z, w) and translation; its `abb.center` alone is no place
in the room. Source: facebookresearch/habitat-sim, src/esp/scene/ReplicaSemanticScene.cpp. z is up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tolman.errors import InputError
from tolman.geometry.boxes import Floats
from tolman.ingest.readers import list_of, natural, read_ply, rotations
from tolman.ingest.scan_format import Instance, RawScene, ScannedSurface, SceneSource
from tolman.ingest.surfaces import orient, read_json

_INFO, _MESH = "info_semantic.json", "mesh_semantic.ply"
_LEVEL = 5.0
"""Degrees by which a room may lean without being mentioned."""


@dataclass(frozen=True)
class ReplicaRooms:
    """The format."""

    name: str = "replica"
    title: str = "Replica"

    def find(self, root: Path) -> list[SceneSource]:
        """The folders with info_semantic.json, commonly ROOM/habitat."""
        found = sorted({*root.glob(_INFO), *root.rglob(_INFO)}, key=lambda path: natural(path.as_posix()))
        sources = []
        for path in found if root.is_dir() else []:
            place = path.parent.parent if path.parent.resolve().name == "habitat" else path.parent
            files = tuple(one for one in (path, path.parent / _MESH) if one.is_file())
            sources.append(SceneSource(f"{self.name}/{place.resolve().name}", path.parent, files))
        if not sources:
            raise InputError(root, f"holds no habitat/{_INFO}")
        return sources

    def read(self, source: SceneSource) -> RawScene:
        """Read a room."""
        path = source.path / _INFO
        content = read_json(path)
        objects = content.get("objects")
        if not isinstance(objects, list):
            raise InputError(path, "has no list of objects, as that of ReplicaCAD", field="objects")
        instances = tuple(_instance(path, one, i) for i, one in enumerate(objects))
        surface = None
        if (mesh := source.path / _MESH).is_file():
            ply = read_ply(mesh)
            surface = ScannedSurface(ply.points, ply.faces, ply.of_faces("object_id").astype(np.int64) + 1)
        notes = [] if surface is not None else [f"it has no {_MESH}, so that the room's area isn't known"]
        if "gravity_dir" in content:
            down = list_of(path, content["gravity_dir"], 3, None, "gravity_dir")
            lean = float(np.degrees(np.arccos(np.clip(-down[2] / max(np.linalg.norm(down), 1e-9), -1, 1))))
            notes += [f"its z axis leans by {lean:.0f}° from gravity"] if lean > _LEVEL else []
        return RawScene(instances, surface, notes=tuple(notes))


def _instance(path: Path, one: Any, number: int) -> Instance:
    row = f"objects.{number}"
    try:
        box, label, identity = one["oriented_bbox"], str(one["class_name"]), int(one["id"])
        own, pose = box["abb"], box["orientation"]
        given: Mapping[str, Floats] = {
            "center": list_of(path, own["center"], 3, None, f"{row}.center"),
            "sizes": list_of(path, own["sizes"], 3, None, f"{row}.sizes"),
            "rotation": list_of(path, pose["rotation"], 4, None, f"{row}.rotation"),
            "translation": list_of(path, pose["translation"], 3, None, f"{row}.translation"),
        }
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(path, f"lacks a part of an object ({error})", field=row) from None
    x, y, z, w = (np.array(value) for value in given["rotation"])
    try:
        turn = rotations(w, x, y, z)
    except ValueError as error:
        raise InputError(path, str(error), field=row) from None
    center = turn @ given["center"] + given["translation"]
    return Instance(str(identity), label, orient(path, center, turn.T, given["sizes"], row=row), number=identity + 1)


FORMAT = ReplicaRooms()
