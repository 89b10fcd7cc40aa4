"""A project's files for its owner: items, runs, labels, times, agreement, pictures, and returned marks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, File, HTTPException, Query, Request, UploadFile
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from sqlalchemy import select

from tolman.errors import InputError, UsageError
from tolman.review import accounts
from tolman.review.exchange import ExchangeError, PictureFormat
from tolman.review.forms.form_values import Key, RowId
from tolman.review.modes import MODES
from tolman.review.modes.labelling import KINDS
from tolman.review.pages import page
from tolman.review.projects import project_export, project_files
from tolman.review.projects.project_files import FORMATS
from tolman.review.projects.question_pictures import (
    FRAMES,
    MOST_FRAMES,
    Album,
    PictureContents,
    has_pictures,
    questions_of,
)
from tolman.review.site import Guest, Me, Site, TheSite, Visitor, allow
from tolman.review.store.database import record
from tolman.review.store.schema import Project, User
from tolman.review.studies.participants import is_study

files_router = APIRouter(prefix="/projects/{project}/files", dependencies=[allow("owner")])


@files_router.get("", response_class=HTMLResponse)
def listed(request: Request, site: TheSite, guest: Guest, project: Key) -> Response:
    """Show the downloads."""
    return listing(request, site, guest, project_of(site, project))


def listing(
    request: Request,
    site: Site,
    guest: Visitor,
    found: Project,
    *,
    told: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    """Return the page of a project's files, with the result of the last one."""
    with site.database.read() as db:
        people = accounts.workers(db, found, MODES[found.mode].stages) if has_pictures(found) else []
    return page(
        request, guest, "files.html", status=400 if problem else 200, project=found, mode=MODES[found.mode],
        is_study=is_study(found), has_runs=found.mode in project_export.ANSWERED, has_labels=found.mode in KINDS,
        people=people, forms=FORMATS.values() if has_pictures(found) else (), frames=FRAMES,
        most_frames=MOST_FRAMES, told=told, problem=problem,
    )  # fmt: skip


@files_router.get("/items.zip", response_class=StreamingResponse)
def items(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, undecided: bool = False,
    without_marked: bool = False,
) -> Response:  # fmt: skip
    """The items as a benchmark's folder."""
    found = project_of(site, project)
    return sent(
        request, guest, f"{found.id}-items.zip",
        lambda: project_files.benchmark_zip(site, found, undecided=undecided, without_marked=without_marked, by=me.id),
    )  # fmt: skip


@files_router.get("/runs.zip", response_class=StreamingResponse)
def runs(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, without_marked: bool = False,
    with_excluded: bool = False,
) -> Response:  # fmt: skip
    """People's answers as runs."""
    found = project_of(site, project)
    return sent(
        request, guest, f"{found.id}-runs.zip",
        lambda: project_files.runs_zip(
            site, found, without_marked=without_marked, with_excluded=with_excluded, by=me.id
        ),
    )  # fmt: skip


@files_router.get("/tables.zip", response_class=StreamingResponse)
def tables(request: Request, site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """The tables of the progress page."""
    found = project_of(site, project)

    def made() -> project_files.Parts:
        with site.database.read() as db:
            parts = project_files.tables_zip(db, site, found)
        exported(site, found, me.id, "tables")
        return parts

    return sent(request, guest, f"{found.id}-tables.zip", made)


@files_router.get("/label-studio.zip", response_class=StreamingResponse)
def to_label_studio(request: Request, site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """A labelling project as Label Studio has it."""
    found = _labelled(site, project)

    def made() -> project_files.Parts:
        with site.database.read() as db:
            parts = project_files.label_studio_zip(db, found)
        exported(site, found, me.id, "label-studio")
        return parts

    return sent(request, guest, f"{found.id}-label-studio.zip", made)


@files_router.post("/label-studio/upload", response_class=HTMLResponse)
def from_label_studio(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, person: RowId = None,
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:  # fmt: skip
    """Import labels as a person's."""
    found = _labelled(site, project)
    content = file.file.read() if file is not None else b""
    try:
        with site.database.write() as db:
            people = accounts.workers(db, found, MODES[found.mode].stages)
            whose = next((one for one in people if one.id == person), None)
            if whose is None:
                raise ExchangeError("Choose somebody who may label in this project.")
            done = project_files.take_in_labels(db, site, found, whose, content, me.id)
    except ExchangeError as error:
        return listing(request, site, guest, found, problem=str(error))
    more = (
        f" {done.left:,} questions stay as they are: labelled by them already, or by enough people."
        if done.left
        else ""
    )
    if done.earlier:
        more += (
            f" Annotations left out: {done.earlier:,}. Only the last one on a question is read, so export each "
            "person's alone."
        )
    return listing(request, site, guest, found, told=f"{done.fresh:,} questions are labelled as {whose.name}'s.{more}")


def _labelled(site: Site, project: int) -> Project:
    found = project_of(site, project)
    if found.mode not in KINDS:
        raise HTTPException(404, "There are no labels in such a project.")
    return found


@files_router.get("/times.csv", response_class=Response)
def times(site: TheSite, me: Me, project: Key) -> Response:
    """The time of each submission."""
    found = project_of(site, project)
    with site.database.read() as db:
        text = project_files.times_table(db, found)
    exported(site, found, me.id, "times")
    name = {"content-disposition": f'attachment; filename="{found.id}-times.csv"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=name)


def project_of(site: Site, project: int) -> Project:
    """A project by its number.

    Raises:
        HTTPException: there is none.
    """
    with site.database.read() as db:
        found = db.get(Project, project)
    if found is None or found.mode not in MODES:
        raise HTTPException(404, "There is no such project.")
    return found


def exported(site: Site, project: Project, by: int, kind: str) -> None:
    """Record a download and its user."""
    with site.database.write() as db:
        record(db, site.settings, "exported", project=project.id, user=by, kind=kind)


def sent(request: Request, guest: Guest, name: str, make: Callable[[], project_files.Parts]) -> Response:
    """A zip file, or the page that says why there is none."""
    try:
        parts = make()
    except (UsageError, InputError) as error:
        return page(request, guest, "problem.html", status=409, title="There is no such file", problem=str(error))
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, media_type="application/zip", headers=headers)


pictures_router = APIRouter(prefix="/projects/{project}/pictures", dependencies=[allow("owner")])
FrameCount = Annotated[int, Query(ge=0, le=MOST_FRAMES)]


@pictures_router.get("/{form}.zip", response_class=StreamingResponse)
def load_pictures(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, form: str, frames: FrameCount = FRAMES,
    marked: bool = False, boxes: bool = False,
) -> Response:  # fmt: skip
    """Send the pictures, with the marks on them if requested."""
    found, wanted = _pictured(site, project), _form(form)
    with site.database.read() as db:
        questions = questions_of(db, found)

    def made() -> project_files.Parts:
        try:
            parts = project_files.pictures_zip(site, found, questions, wanted, PictureContents(frames, marked, boxes))
        except ExchangeError as error:
            raise UsageError(str(error)) from None
        exported(site, found, me.id, f"{wanted.name} pictures")
        return parts

    return sent(request, guest, f"{project_files.pictures_file_name(found, wanted)}.zip", made)


@pictures_router.post("/{form}/upload", response_class=HTMLResponse)
def take_marks(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, form: str, person: RowId = None,
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:  # fmt: skip
    """Import marks as a person's."""
    found, wanted = _pictured(site, project), _form(form)
    content = file.file.read() if file is not None else b""
    try:
        with site.database.read() as db:
            questions = questions_of(db, found)
            workers = accounts.workers(db, found, MODES[found.mode].stages)
            people = set(db.scalars(select(User.name)))
        whose = next((one for one in workers if one.id == person), None)
        if whose is None:
            raise ExchangeError("Choose somebody who may work in this project.")
        # Media are looked at before the transaction that writes, so that nobody's answer waits for it.
        incoming = project_files.read_marks(found, Album(site, questions), whose, people, wanted, content)
        with site.database.write() as db:
            done = project_files.take_in_marks(db, site, found, whose, incoming, me.id)
    except ExchangeError as error:
        return listing(request, site, guest, found, problem=str(error))
    return listing(request, site, guest, found, told=told_marks(done, whose.name))


def told_marks(done: project_files.MarksTakenIn, name: str) -> str:
    """Describe the import of a file in words."""
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
