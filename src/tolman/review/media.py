"""Media and scenes that a page shows: videos and pictures, single frames, and the scenes that tasks are about.

Videos and images are sent under names that say nothing, in ranges, to those who have a task with them. Frames for pages
that show many of one video are decoded together and kept in the store; frame times are as browsers count them.
Browsers of people who may see a scene receive its boxes, cameras, cloud and single frames.
"""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from PIL import Image
from sqlalchemy import Row, bindparam, select
from sqlalchemy.orm import Session as Orm

from tolman.benchmarks.benchmark_folder import scenes_named
from tolman.errors import TolmanError, counted
from tolman.files import atomic_write, file_state
from tolman.geometry.boxes import Floats
from tolman.ground_truth.corrections import NAME
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.ingest.media_pool import IMAGES, PoolMedium
from tolman.items import Item, Media
from tolman.media.frame_store import READING
from tolman.media.images import image_in_table, image_to_jpeg, in_column, table_and_column, to_jpeg
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, VideoIndex, read_frames, read_index
from tolman.review.accounts import AccountError, Person, belongs
from tolman.review.evidence.point_clouds import cloud_of
from tolman.review.evidence.scene_drawings import cameras_of, scene_data
from tolman.review.site import Me, Site, TheSite, allow
from tolman.review.store import ROLES, Assignment, Medium, Project, TaskMedium

TYPES = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".webm": "video/webm",
    ".mov": "video/quicktime",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".bmp": "image/bmp",
}
"""File types that are sent. SVG and HTML are not: a browser would run scripts in them."""
_MAGIC = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG", "image/png"), (b"GIF8", "image/gif"), (b"BM", "image/bmp"))
_AT_ONCE = 500
"""Paths that one statement asks for."""
_CACHE = {"cache-control": "private, max-age=3600"}

router = APIRouter(dependencies=[allow(*ROLES)])


def register(db: Orm, site: Site, project: Project, media: Iterable[Media]) -> dict[tuple[str, int, int], int]:
    """Give media of a project their names, once; their (path, row, place) → id."""
    wanted = {key_of(medium): medium.kind for medium in media}
    paths = sorted({path for path, _, _ in wanted})
    known: dict[tuple[str, int, int], int] = {}
    for begin in range(0, len(paths), _AT_ONCE):
        there = select(Medium.path, Medium.row, Medium.place, Medium.id).where(
            Medium.project_id == project.id, Medium.path.in_(paths[begin : begin + _AT_ONCE])
        )
        known |= {(path, row, place): number for path, row, place, number in db.execute(there)}
    fresh = [
        Medium(
            project_id=project.id, name=site.sign("medium", project.id, *key), kind=kind, path=key[0], row=key[1],
            place=key[2],
        )
        for key, kind in wanted.items()
        if key not in known
    ]  # fmt: skip
    db.add_all(fresh)
    db.flush()
    return known | {(medium.path, medium.row, medium.place): medium.id for medium in fresh}


def key_of(medium: Media) -> tuple[str, int, int]:
    """Key of a medium's bytes: its path, row and place."""
    row, place = medium.part if medium.part is not None else (-1, -1)
    return medium.path, row, place


def media_address(site: Site, project: int, medium: Media) -> str:
    """Address at which a browser finds a medium."""
    name = site.sign("medium", project, *key_of(medium))
    span = "" if medium.start is None and medium.end is None else f"#t={medium.start or 0:g}"
    return f"/media/{name}{span}" + ("" if medium.end is None else f",{medium.end:g}")


# A medium, the settings of its project, and whether somebody has a task with it.
_SEEN = (
    select(
        *(Medium.path, Medium.row, Medium.place, Medium.kind, Medium.project_id),
        *(Project.settings, Project.restricted),
        select(Assignment.id)
        .join(TaskMedium, TaskMedium.task_id == Assignment.task_id)
        .where(TaskMedium.medium_id == Medium.id, Assignment.user_id == bindparam("me"))
        .correlate(Medium)
        .exists()
        .label("theirs"),
    )
    .join(Project, Project.id == Medium.project_id)
    .where(Medium.name == bindparam("name"))
)


@router.get("/media/{name}", response_class=Response)
def send_medium(request: Request, site: TheSite, me: Me, name: str) -> Response:
    """One video or image; a part of it where the browser asks for a range."""
    medium = _visible(site, me, name)
    if medium.row >= 0:
        try:
            content = in_a_table(site, medium.path, medium.row, medium.place)
        except BrokenMediaError:
            raise HTTPException(404, "This image can't be read. Tell the owner.") from None
        kind = _sniffed(content)
        return _as_jpeg(content) if kind is None else Response(content, media_type=kind, headers=_CACHE)
    return whole_file(find_medium(site, medium.path))


@router.get("/media/{name}/frames", response_class=JSONResponse)
def frames(site: TheSite, me: Me, name: str) -> Response:
    """When each frame of a video is shown, for players that go from frame to frame."""
    medium = _visible(site, me, name)
    if medium.kind != "video":
        raise HTTPException(404, "There is no such video.")
    return frames_answer(find_medium(site, medium.path))


def frames_answer(path: Path) -> Response:
    """`{"times": […]}` of a video, in seconds of its own time, rising.

    Raises:
        HTTPException: it can't be read.
    """
    try:
        return JSONResponse({"times": frame_times(path)}, headers=_CACHE)
    except BrokenMediaError:
        raise HTTPException(404, "The frames of this video can't be read. Tell the owner.") from None


def whole_file(path: Path) -> Response:
    """A video or image; an image that browsers don't show, such as a TIFF, as a JPEG.

    Raises:
        HTTPException: it is neither, or can't be read.
    """
    kind = TYPES.get(path.suffix.lower())
    if kind is not None:
        return FileResponse(path, media_type=kind, headers=_CACHE)
    if path.suffix.lower() not in IMAGES:
        raise HTTPException(404, "This is no video or image that a browser can show. Tell the owner.")
    return _as_jpeg(path.read_bytes())


def _as_jpeg(content: bytes) -> Response:
    try:
        return Response(image_to_jpeg(content, Frames(quality=95), "it"), media_type="image/jpeg", headers=_CACHE)
    except BrokenMediaError:
        raise HTTPException(404, "This image can't be read. Tell the owner.") from None


def _visible(site: Site, me: Person, name: str) -> Row[Any]:
    """Return path, row, place and kind of a named medium, for people with a task with it or a project whose pool is
    open to all.

    Raises:
        HTTPException: there is none, or it isn't for them.
    """
    with site.database.look() as looking:
        found = looking.execute(_SEEN, {"name": name[:64].replace("\0", ""), "me": me.id}).first()
    if found is not None and _may_see(site, me, found):
        return found
    raise HTTPException(404, "There is no such video or image.")


def _may_see(site: Site, me: Person, found: Row[Any]) -> bool:
    if me.is_owner:
        return True
    if found.restricted:
        with site.database.read() as db:
            if not belongs(db, me, db.get_one(Project, found.project_id)):
                return False
    browses = {"annotator", "reviewer"} & set(me.roles) and found.settings.get("pool")  # all may look through the pool
    return bool(browses or found.theirs)


def find_medium(site: Site, path: str) -> Path:
    """The file of an item's medium.

    Raises:
        HTTPException: there is none.
    """
    first = next((folder for folder in site.folders if (folder / path).is_file()), site.folder)
    return inside(first, path)


def in_a_table(site: Site, path: str, row: int, place: int) -> bytes:
    """Return an image inside a table, unchanged.

    Raises:
        HTTPException: there is no such table.
        BrokenMediaError: the image can't be read.
    """
    file, column = table_and_column(path)
    table = str(find_medium(site, file))
    return image_in_table(Path(in_column(table, column) if column else table), row, place)


def absent(site: Site, items: Iterable[Item]) -> tuple[list[str], int]:
    """The paths of items' media that are files of none of the site's folders, and how many paths were looked for.

    Pictures inside of tables are not looked for.
    """
    paths = dict.fromkeys(medium.path for item in items for medium in item.media if medium.part is None)
    return [path for path in paths if not any((folder / path).is_file() for folder in site.folders)], len(paths)


def inside(folder: Path, path: str) -> Path:
    """A file of a folder, never one outside of it.

    Raises:
        HTTPException: there is none.
    """
    root = folder.resolve()
    try:
        found = (root / path).resolve()
        if found.is_relative_to(root) and found.is_file():
            return found
    except (OSError, ValueError):
        pass
    raise HTTPException(404, "The file of this video or image is missing. Tell the owner.")


def _sniffed(content: bytes) -> str | None:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if content.startswith(magic)), None)


_DECIMALS = 6


def frame_times(path: Path) -> list[float]:
    """When each frame of a video is shown: seconds in the time of a browser's player, rising.

    Raises:
        BrokenMediaError: the file is missing, is no video, or holds no frame.
    """
    try:
        changed = file_state(path)
    except OSError as error:
        raise BrokenMediaError(f"{path}: can't be read ({error.strerror})") from None
    return list(_times(path, changed))


@lru_cache(maxsize=64)
def _times(path: Path, changed: tuple[int, ...]) -> tuple[float, ...]:
    index = read_index(path)
    return tuple(round(float(stamp * index.time_base), _DECIMALS) for stamp in index.times)


_SHOWN = Frames(quality=85, longest_side=960)
_COMPARED = (24, 18)
SAME = 5.0
"""Grey levels of 255 by which no part of two pictures differs that show the same."""
_lock = threading.Lock()


def frames_of(store: Path, video: Path, numbers: Iterable[int]) -> dict[int, Path]:
    """Return frame → a JPEG of it in the store. Missing ones are decoded in one pass.

    Raises:
        BrokenMediaError: the video can't be read, or has no such frame.
    """
    if not video.is_file():
        raise BrokenMediaError(f"{video}: the file is missing")
    state = file_state(video)
    key = hashlib.sha256(repr((str(video.resolve()), state, READING)).encode()).hexdigest()[:24]
    folder = store / "frames" / key
    wanted = {number: folder / f"{number:06d}.jpg" for number in sorted(set(numbers))}
    with _lock:
        missing = [number for number, path in wanted.items() if not path.is_file()]
        if missing:
            index = _index(video, state)
            if missing[-1] >= len(index.times):
                raise BrokenMediaError(f"{video}: has {counted(len(index.times), 'frame')}, not {missing[-1] + 1}")
            folder.mkdir(parents=True, exist_ok=True)
            for number, image in read_frames(video, index, missing):
                with atomic_write(wanted[number]) as partial:
                    partial.write_bytes(to_jpeg(image, _SHOWN))
    return wanted


def same_picture(one: Path, other: Path) -> bool:
    """Check whether two pictures show the same: no part of one differs from the other's by more than `SAME`."""
    return float(np.abs(_small(one) - _small(other)).max()) < SAME


@lru_cache(maxsize=256)
def _small(path: Path) -> Floats:
    with Image.open(io.BytesIO(path.read_bytes())) as image:
        return np.asarray(image.convert("L").resize(_COMPARED, Image.Resampling.BOX), dtype=np.float64)


@lru_cache(maxsize=16)
def _index(video: Path, state: tuple[int, ...]) -> VideoIndex:
    return read_index(video)


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
    """Return the collection that the server's benchmark was generated from: the server's setting, else the entry in the
    benchmark's provenance.json; None if neither names it, or it isn't there."""
    if site.settings.scenes is not None:
        return site.settings.scenes if site.settings.scenes.is_dir() else None
    return next((place for place in scenes_named(site.loaded.folder) if place.is_dir()), None)


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

    def find(media: str) -> Path:
        folder = scenes_folder(site)
        return inside(folder, media) if folder is not None and (folder / media).is_file() else find_medium(site, media)

    return frame_of(site.settings.store, find, geometry, camera, number)


def frame_of(store: Path, find: Callable[[str], Path], geometry: SceneGeometry, camera: int, number: int) -> Response:
    """The same, kept in a store, of a video that `find` finds by its path in the scenes' folder."""
    cameras = cameras_of(geometry)
    if not (0 <= camera < len(cameras) and 0 <= number < len(cameras[camera].poses)):
        raise HTTPException(404, "There is no such frame.")
    media = cameras[camera].media
    if media is None:
        raise HTTPException(404, "This camera's pictures aren't there.")
    try:
        picture = frames_of(store, find(media), [number])[number]
    except BrokenMediaError:
        raise HTTPException(404, "This frame can't be read. Tell the owner.") from None
    return FileResponse(picture, media_type="image/jpeg", headers={"cache-control": "private, max-age=3600"})


def _has_cloud(site: Site, geometry: SceneGeometry) -> bool:
    try:
        return cloud_of(tuple(site.settings.rigs), geometry.scene.id, 1) is not None
    except TolmanError:
        return False
