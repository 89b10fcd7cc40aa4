"""A project's pictures for other annotation programs, and the marks that come back; for its owner."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, HTTPException, Query, Request, UploadFile
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from sqlalchemy import select

from tolman.errors import UsageError
from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts import membership
from tolman.review.exchange.annotated import ExchangeError, PictureFormat
from tolman.review.exchange.formats import FORMATS
from tolman.review.forms.fields import Key, RowId
from tolman.review.modes import MODES
from tolman.review.projects import files, marks
from tolman.review.projects.pictures import FRAMES, MOST_FRAMES, Album, PictureContents, has_pictures, questions_of
from tolman.review.routes.files import exported, listing, project_of, sent
from tolman.review.site import Site
from tolman.review.store.schema import Project, User

router = APIRouter(prefix="/projects/{project}/pictures", dependencies=[allow("owner")])
FrameCount = Annotated[int, Query(ge=0, le=MOST_FRAMES)]


@router.get("/{form}.zip", response_class=StreamingResponse)
def load(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, form: str, frames: FrameCount = FRAMES,
    marked: bool = False, boxes: bool = False,
) -> Response:  # fmt: skip
    """The pictures, with what is marked on them where that is asked for."""
    found, wanted = _pictured(site, project), _form(form)
    with site.database.read() as db:
        questions = questions_of(db, found)

    def made() -> files.Parts:
        try:
            parts = files.pictures_zip(site, found, questions, wanted, PictureContents(frames, marked, boxes))
        except ExchangeError as error:
            raise UsageError(str(error)) from None
        exported(site, found, me.id, f"{wanted.name} pictures")
        return parts

    return sent(request, guest, f"{marks.file_name(found, wanted)}.zip", made)


@router.post("/{form}/upload", response_class=HTMLResponse)
def take(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, form: str, person: RowId = None,
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:  # fmt: skip
    """Take marks in as somebody's."""
    found, wanted = _pictured(site, project), _form(form)
    content = file.file.read() if file is not None else b""
    try:
        with site.database.read() as db:
            questions = questions_of(db, found)
            workers = membership.workers(db, found, MODES[found.mode].stages)
            people = set(db.scalars(select(User.name)))
        whose = next((one for one in workers if one.id == person), None)
        if whose is None:
            raise ExchangeError("Choose somebody who may work in this project.")
        # Media are looked at before the transaction that writes, so that nobody's answer waits for it.
        incoming = marks.read(found, Album(site, questions), whose, people, wanted, content)
        with site.database.write() as db:
            done = marks.take_in(db, site, found, whose, incoming, me.id)
    except ExchangeError as error:
        return listing(request, site, guest, found, problem=str(error))
    return listing(request, site, guest, found, told=told(done, whose.name))


def told(done: marks.MarksTakenIn, name: str) -> str:
    """What became of a file, in words."""
    parts = [f"{done.marks:,} marks on {done.questions:,} questions are {name}'s."]
    if done.labelled:
        parts.append(f"{done.labelled:,} questions are labelled as {name}'s.")
    if done.left:
        parts.append(f"{done.left:,} questions stay as they are: theirs came in before, or enough people have them.")
    if done.shapes:
        kinds = ", ".join(f"{number:,} × {kind}" for kind, number in sorted(done.shapes.items()))
        parts.append(f"Only points and lines are evidence here; left out: {kinds}.")
    return " ".join(parts)


def _pictured(site: Site, project: int) -> Project:
    found = project_of(site, project)
    if not has_pictures(found):
        raise HTTPException(404, "Nobody marks pictures in such a project.")
    return found


def _form(name: str) -> PictureFormat:
    if name not in FORMATS:
        raise HTTPException(404, "There is no such form.")
    return FORMATS[name]
