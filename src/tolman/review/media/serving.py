"""Sending videos and images: under names that say nothing, in ranges, to those who have a task with them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, JSONResponse, Response
from sqlalchemy import Row, bindparam, select
from sqlalchemy.orm import Session as Orm

from tolman.items import Item, Media
from tolman.media.tables import image_in_table, in_column, table_and_column
from tolman.media.video import BrokenMediaError
from tolman.review.access import Me, TheSite, allow
from tolman.review.accounts.identity import Person
from tolman.review.accounts.membership import belongs
from tolman.review.media.frame_times import frame_times
from tolman.review.site import Site
from tolman.review.store.schema import ROLES, Assignment, Medium, Project, TaskMedium

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


def address(site: Site, project: int, medium: Media) -> str:
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
def send(request: Request, site: TheSite, me: Me, name: str) -> Response:
    """One video or image; a part of it where the browser asks for a range."""
    medium = _visible(site, me, name)
    if medium.row >= 0:
        try:
            content = in_a_table(site, medium.path, medium.row, medium.place)
        except BrokenMediaError:
            raise HTTPException(404, "This image can't be read. Tell the owner.") from None
        return Response(content, media_type=_sniffed(content), headers=_CACHE)
    path = find(site, medium.path)
    kind = TYPES.get(path.suffix.lower())
    if kind is None:
        raise HTTPException(404, "This is no video or image that a browser can show. Tell the owner.")
    return FileResponse(path, media_type=kind, headers=_CACHE)


@router.get("/media/{name}/frames", response_class=JSONResponse)
def frames(site: TheSite, me: Me, name: str) -> Response:
    """When each frame of a video is shown, for players that go from frame to frame."""
    medium = _visible(site, me, name)
    if medium.kind != "video":
        raise HTTPException(404, "There is no such video.")
    return frames_answer(find(site, medium.path))


def frames_answer(path: Path) -> Response:
    """`{"times": […]}` of a video, in seconds of its own time, rising.

    Raises:
        HTTPException: it can't be read.
    """
    try:
        return JSONResponse({"times": frame_times(path)}, headers=_CACHE)
    except BrokenMediaError:
        raise HTTPException(404, "The frames of this video can't be read. Tell the owner.") from None


def _visible(site: Site, me: Person, name: str) -> Row[Any]:
    """The path, row, place and kind of the medium of a name, for who has a task with it, or works where all may look
    through the pool.

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


def find(site: Site, path: str) -> Path:
    """The file of an item's medium.

    Raises:
        HTTPException: there is none.
    """
    first = next((folder for folder in site.folders if (folder / path).is_file()), site.folder)
    return inside(first, path)


def in_a_table(site: Site, path: str, row: int, place: int) -> bytes:
    """An image that stands in a table, as it is there.

    Raises:
        HTTPException: there is no such table.
        BrokenMediaError: the image can't be read.
    """
    file, column = table_and_column(path)
    table = str(find(site, file))
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


def _sniffed(content: bytes) -> str:
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if content.startswith(magic)), "application/octet-stream")
