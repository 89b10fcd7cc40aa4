"""The scenes that routes and moments are taken from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from fastapi import HTTPException

from tolman.errors import TolmanError
from tolman.generate.collection import open_collection
from tolman.generate.geometry import SceneGeometry
from tolman.ingest.corrections import NAME
from tolman.review.accounts.identity import AccountError
from tolman.review.site import Site


def all_scenes(site: Site) -> Iterator[SceneGeometry]:
    """The usable scenes that the server was started with, one after the other.

    Raises:
        AccountError: it was started with none, or they can't be read.
    """
    if site.settings.scenes is None:
        raise AccountError("Start the server with --scenes FOLDER: the scenes that this is about.")
    try:
        yield from (found for found in open_collection(site.settings.scenes) if isinstance(found, SceneGeometry))
    except TolmanError as error:
        raise AccountError(f"The scenes can't be used: {error}.") from None


def scene_of(site: Site, scene: str) -> SceneGeometry:
    """One scene as it is with its corrections.

    Raises:
        HTTPException: it is gone.
    """
    folder = site.settings.scenes
    corrections = folder / NAME if folder else None
    changed = corrections.stat().st_mtime_ns if corrections and corrections.is_file() else 0
    found = _scene(folder, scene, changed) if folder else None
    if found is None:
        raise HTTPException(404, f"The scene '{scene}' is not among the scenes that the server was started with.")
    return found


@lru_cache(maxsize=64)
def _scene(folder: Path, scene: str, changed: int) -> SceneGeometry | None:
    try:
        found = (one for one in open_collection(folder) if isinstance(one, SceneGeometry))
        return next((one for one in found if one.scene.id == scene), None)
    except TolmanError:
        return None
