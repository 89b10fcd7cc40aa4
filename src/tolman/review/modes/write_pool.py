"""The media pool beside a question that is being written: browsing it, its media, and files added to it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, File, HTTPException, Query, Request, UploadFile
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response

from tolman.media.video import BrokenMediaError
from tolman.review.access import Guest, Me, TheSite
from tolman.review.forms.fields import Key, Line
from tolman.review.media.serving import TYPES, frames_answer, inside
from tolman.review.pages import page
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.pool import Filters, MediaPool, UploadError
from tolman.review.tasks.assigned import own_work

Text = Annotated[str, Query(max_length=500)]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]


def pool_of(site: Site) -> MediaPool:
    """The pool of a server.

    Raises:
        HTTPException: it has none.
    """
    if site.pool is None:
        raise HTTPException(404, "This server has no media pool. Tell the owner.")
    return site.pool


def add_pool(router: APIRouter, mode: str) -> None:
    """Add the pool's pages to those of a mode; they come before its own, which begin with any assignment."""

    @router.get("/pool/{key}/frames", response_class=JSONResponse)
    def frames(site: TheSite, me: Me, key: str) -> Response:
        """When each frame of a video of the pool is shown."""
        medium = pool_of(site).media().get(key)
        if medium is None or medium.kind != "video":
            raise HTTPException(404, "There is no such video.")
        return frames_answer(inside(pool_of(site).folder, medium.path))

    @router.get("/pool/{key}/{size}", response_class=Response)
    def picture(site: TheSite, me: Me, key: str, size: str) -> Response:
        """A medium of the pool: 'small' as a picture, or 'whole'. The pool holds no answers."""
        medium = pool_of(site).media().get(key)
        if medium is None or size not in ("small", "whole"):
            raise HTTPException(404, "There is no such video or image.")
        cache = {"cache-control": "private, max-age=3600"}
        if size == "small":
            try:
                return Response(pool_of(site).small(medium), media_type="image/jpeg", headers=cache)
            except BrokenMediaError:
                raise HTTPException(404, "This can't be read. Tell the owner.") from None
        path = inside(pool_of(site).folder, medium.path)
        kind = TYPES.get(path.suffix.lower())
        if kind is None:
            raise HTTPException(404, "This is no video or image that a browser can show. Tell the owner.")
        return FileResponse(path, media_type=kind, headers=cache)

    @router.get("/{assignment}/pool", response_class=HTMLResponse)
    def browse(
        request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key,
        source: Text = "", group: Text = "", kind: Text = "", text: Text = "", number: PageNumber = 1,
    ) -> Response:  # fmt: skip
        """A page of the pool."""
        with site.database.read() as db:
            own_work(db, me, assignment, mode)
        filters = Filters(source, group, kind, text, number)
        shelf = pool_of(site).browse(filters)
        told: dict[str, Any] = {"shelf": shelf, "filters": filters, "told": "", "problem": ""}
        return page(request, guest, "_write_pool.html", own=assignment, **told)

    @router.post("/{assignment}/upload", response_class=HTMLResponse)
    def upload(
        request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key,
        file: Annotated[UploadFile | None, File()] = None, licence: Line = "",
    ) -> Response:  # fmt: skip
        """Add a file to the pool, where the owner allows it."""
        with site.database.read() as db:
            project = own_work(db, me, assignment, mode).task.project_id
        told = problem = ""
        limit = site.settings.uploads * 1_000_000
        if not limit:
            raise HTTPException(403, "The owner of this server takes no files.")
        content = file.file.read(limit + 1) if file else b""
        try:
            if not content:
                raise UploadError("Choose a file.")
            if len(content) > limit:
                raise UploadError(f"The file is too large: at most {site.settings.uploads} MB.")
            if not licence.strip():
                raise UploadError("Say under which licence the file may be published.")
            medium = pool_of(site).upload(content, " ".join(licence.split()))
            told = f"It is in the pool as {medium.original}, from “{medium.source}”."
            with site.database.write() as db:
                record(
                    db, site.settings, "uploaded", project=project, user=me.id, path=medium.path,
                    licence=medium.licence, sha256=medium.sha256,
                )  # fmt: skip
        except UploadError as error:
            problem = str(error)
        filters = Filters(source="" if problem else "uploads")
        shelf = pool_of(site).browse(filters)
        return page(
            request, guest, "_write_pool.html", status=422 if problem else 200, own=assignment, shelf=shelf,
            filters=filters, told=told, problem=problem,
        )  # fmt: skip
