"""The scenes that routes and moments are taken from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from fastapi import HTTPException

from tolman.errors import TolmanError
from tolman.generate.collection import open_collection
from tolman.generate.geometry import SceneGeometry
from tolman.ingest.corrections import NAME
from tolman.ingest.media_pool import PoolMedium
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
    found = scene_in(site.settings.scenes, scene) if site.settings.scenes else None
    if found is None:
        raise HTTPException(404, f"The scene '{scene}' is not among the scenes that the server was started with.")
    return found


def scenes_folder(site: Site) -> Path | None:
    """The collection that the server's benchmark was generated from: what it was started with, else as it is written
    in the benchmark's provenance.json; None where nothing names it, or it isn't there."""
    path = site.loaded.folder / "provenance.json"
    if site.settings.scenes is not None:
        return site.settings.scenes if site.settings.scenes.is_dir() else None
    try:
        named = Path(json.loads(path.read_text(encoding="utf-8"))["scenes"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    places = (named, path.parent / named, path.parent.parent / named)
    return next((place for place in places if place.is_dir()), None)


def scene_in(folder: Path, scene: str) -> SceneGeometry | None:
    """A scene of a collection as it is with its corrections; None where it can't be had. The last few are kept."""
    corrections = folder / NAME
    return _scene(folder, scene, corrections.stat().st_mtime_ns if corrections.is_file() else 0)


@lru_cache(maxsize=64)
def _scene(folder: Path, scene: str, changed: int) -> SceneGeometry | None:
    try:
        found = (one for one in open_collection(folder) if isinstance(one, SceneGeometry))
        return next((one for one in found if one.scene.id == scene), None)
    except TolmanError:
        return None


def things_seen(site: Site, medium: PoolMedium) -> list[str]:
    """Categories of the objects of the scene that a medium of the pool shows, as far as scenes are known here.

    It is the scene of `scene_shown`.
    """
    found = _shown(site, medium)
    return [] if found is None else list(found[2])


def scene_shown(site: Site, medium: PoolMedium) -> str | None:
    """Find the scene that a medium of the pool shows: whose video has its name, or whose id names its
    folder; None where none is known here."""
    found = _shown(site, medium)
    return None if found is None else found[0]


def _shown(site: Site, medium: PoolMedium) -> tuple[str, str | None, tuple[str, ...]] | None:
    folder = site.settings.scenes
    if folder is None:
        return None
    corrections = folder / NAME
    changed = corrections.stat().st_mtime_ns if corrections.is_file() else 0
    for found in _things(folder, changed):
        scene, video, _ = found
        by_video = video and Path(medium.original).name == Path(video).name
        if by_video or (medium.group and scene.split("/")[-1] == medium.group.split("/")[-1]):
            return found
    return None


@lru_cache(maxsize=4)
def _things(folder: Path, changed: int) -> list[tuple[str, str | None, tuple[str, ...]]]:
    try:
        found = [one.scene for one in open_collection(folder) if isinstance(one, SceneGeometry)]
    except TolmanError:
        return []
    return [(one.id, one.video, tuple(sorted({thing.category for thing in one.objects}))) for one in found]
