"""What a browser is sent of a scene, for those who may see it: its boxes and cameras, its cloud, single frames."""

from __future__ import annotations

from fastapi import HTTPException
from fastapi.responses import FileResponse, JSONResponse, Response

from tolman.errors import TolmanError
from tolman.generate.geometry import SceneGeometry
from tolman.items import Item
from tolman.media.video import BrokenMediaError
from tolman.review.evidence.clouds import cloud_of
from tolman.review.evidence.drawn import cameras_of, scene_data
from tolman.review.evidence.frames import frames_of
from tolman.review.media.collection import scenes_folder
from tolman.review.media.serving import find, inside
from tolman.review.site import Site

MOST_POINTS = 120_000
"""Points of a cloud that are sent, 12 bytes each."""


def scene_answer(site: Site, geometry: SceneGeometry, item: Item | None, *, whole: bool) -> Response:
    """The scene's boxes, cameras and evidence, as `scene_data` gives them."""
    told = scene_data(geometry, item, whole=whole)
    return JSONResponse(told | {"cloud": _has_cloud(site, geometry)})


def cloud_answer(site: Site, scene: str) -> Response:
    """The scene's cloud: x, y, z of each point in metres, as 32-bit floats, little-endian.

    Raises:
        HTTPException: there is none, or it can't be read.
    """
    try:
        points = cloud_of(tuple(site.settings.rigs), scene, MOST_POINTS)
    except TolmanError as error:
        raise HTTPException(404, f"The cloud can't be read: {error}.") from None
    if points is None:
        raise HTTPException(404, "There is no cloud of this scene.")
    return Response(points.astype("<f4").tobytes(), media_type="application/octet-stream")


def frame_answer(site: Site, geometry: SceneGeometry, camera: int, number: int) -> Response:
    """One frame of a camera of the scene, decoded here, so that it is exactly that one.

    Raises:
        HTTPException: there is none, or it can't be read.
    """
    cameras = cameras_of(geometry)
    if not (0 <= camera < len(cameras) and 0 <= number < len(cameras[camera].poses)):
        raise HTTPException(404, "There is no such frame.")
    media = cameras[camera].media
    if media is None:
        raise HTTPException(404, "This camera's pictures aren't there.")
    folder = scenes_folder(site)
    video = inside(folder, media) if folder is not None and (folder / media).is_file() else find(site, media)
    try:
        picture = frames_of(site.settings.store, video, [number])[number]
    except BrokenMediaError:
        raise HTTPException(404, "This frame can't be read. Tell the owner.") from None
    return FileResponse(picture, media_type="image/jpeg", headers={"cache-control": "private, max-age=3600"})


def _has_cloud(site: Site, geometry: SceneGeometry) -> bool:
    try:
        return cloud_of(tuple(site.settings.rigs), geometry.scene.id, 1) is not None
    except TolmanError:
        return False
