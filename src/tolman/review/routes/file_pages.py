"""A project's files for its owner: items, runs, labels, times, agreement, pictures, and returned marks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, HTTPException, Query, UploadFile
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import InputError, UsageError, counted
from tolman.review import accounts, projects
from tolman.review.accounts import Person
from tolman.review.exchange import ExchangeError, PictureFormat
from tolman.review.forms.form_values import Key, RowId
from tolman.review.modes import MODES
from tolman.review.modes.labelling import KINDS
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
from tolman.review.site import Guest, Me, Site, TheSite, Visitor, allow, page
from tolman.review.store.database import record
from tolman.review.store.schema import Project, User
from tolman.review.studies.participants import is_study

Fill = Callable[[Orm, Path], object]
"""Writes the files of a download into a folder."""
files_router = APIRouter(prefix="/projects/{project}/files", dependencies=[allow("owner")])


@files_router.get("", response_class=HTMLResponse)
def listed(site: TheSite, guest: Guest, project: Key) -> Response:
    """Show the downloads."""
    return listing(site, guest, project_of(site, project))


def listing(site: Site, guest: Visitor, found: Project, *, told: str = "", problem: str = "") -> Response:
    """Return the page of a project's files, with the result of the last one."""
    with site.database.read() as db:
        people = accounts.workers(db, found, MODES[found.mode].stages) if has_pictures(found) else []
    return page(
        guest, "files.html", status=400 if problem else 200, project=found, mode=MODES[found.mode],
        is_study=is_study(found), has_runs=found.mode in project_export.ANSWERED, has_labels=found.mode in KINDS,
        people=people, forms=FORMATS.values() if has_pictures(found) else (), frames=FRAMES, most_frames=MOST_FRAMES,
        told=told, problem=problem,
    )  # fmt: skip


@files_router.get("/items.zip", response_class=StreamingResponse)
def items(
    site: TheSite, guest: Guest, me: Me, project: Key, undecided: bool = False, without_marked: bool = False
) -> Response:
    """The items as a benchmark's folder."""
    found = project_of(site, project)
    return sent(
        site, me, guest, found, "items",
        lambda _, folder: project_export.publish(
            site, folder / site.loaded.folder.resolve().name, found.name, undecided=undecided,
            without_marked=without_marked, by=me.id,
        ),
    )  # fmt: skip


@files_router.get("/runs.zip", response_class=StreamingResponse)
def runs(
    site: TheSite, guest: Guest, me: Me, project: Key, without_marked: bool = False, with_excluded: bool = False
) -> Response:
    """People's answers as runs."""
    found = project_of(site, project)
    return sent(
        site, me, guest, found, "runs",
        lambda _, folder: project_export.export_runs(
            site, folder / "runs", found.name, without_marked=without_marked, with_excluded=with_excluded, by=me.id
        ),
    )  # fmt: skip


@files_router.get("/tables.zip", response_class=StreamingResponse)
def tables(site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """The tables of the progress page."""
    found = project_of(site, project)
    return sent(
        site, me, guest, found, "tables",
        lambda db, folder: project_files.write_tables(db, site, found, folder), "tables",
    )  # fmt: skip


@files_router.get("/label-studio.zip", response_class=StreamingResponse)
def to_label_studio(site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """A labelling project as Label Studio has it."""
    found, name = _labelled(site, project), "label-studio"
    return sent(
        site, me, guest, found, name,
        lambda db, folder: project_files.write_label_studio(db, found, folder), name,
    )  # fmt: skip


@files_router.post("/label-studio/upload", response_class=HTMLResponse)
def from_label_studio(
    site: TheSite, guest: Guest, me: Me, project: Key, person: RowId = None,
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:  # fmt: skip
    """Import labels as a person's."""
    found = _labelled(site, project)
    content = file.file.read() if file is not None else b""
    try:
        with site.database.write() as db:
            whose = _worker(db, found, person, "label")
            done = project_files.take_in_labels(db, site, found, whose, content, me.id)
    except ExchangeError as error:
        return listing(site, guest, found, problem=str(error))
    told = f"{counted(done.fresh, 'question is', 'questions are')} labelled as {whose.name}'s."
    if done.left:
        told += (
            f" {counted(done.left, 'question stays', 'questions stay')} unchanged: labelled by them already, or by "
            "enough people."
        )
    if done.earlier:
        told += f" Annotations left out: {done.earlier:,}. Only the last one on a question is read, "
        told += "so export each person's alone."
    return listing(site, guest, found, told=told)


def _labelled(site: Site, project: int) -> Project:
    found = project_of(site, project)
    if found.mode not in KINDS:
        raise HTTPException(404, "There are no labels in such a project.")
    return found


def _worker(db: Orm, project: Project, person: int | None, does: str) -> Person:
    people = accounts.workers(db, project, MODES[project.mode].stages)
    found = next((one for one in people if one.id == person), None)
    if found is None:
        raise ExchangeError(f"Choose somebody who may {does} in this project.")
    return found


@files_router.get("/times.csv", response_class=Response)
def times(site: TheSite, me: Me, project: Key) -> Response:
    """The time of each submission."""
    found = project_of(site, project)
    with site.database.read() as db:
        text = project_files.times_table(db, found)
    exported(site, found.id, me.id, "times")
    return csv_file(f"{found.id}-times.csv", text)


def csv_file(name: str, text: str) -> Response:
    """A table that a browser keeps as a file."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


def project_of(site: Site, project: int) -> Project:
    """A project by its number.

    Raises:
        HTTPException: there is none.
    """
    with site.database.read() as db:
        return projects.project_of(db, project)


def exported(site: Site, project: int, by: int, kind: str) -> None:
    """Record a download and its user."""
    with site.database.write() as db:
        record(db, site.settings, "exported", project=project, user=by, kind=kind)


def sent(site: Site, me: Me, guest: Guest, project: Project, name: str, fill: Fill, kind: str = "") -> Response:
    """A zip file, whose download is recorded if its kind is given; or the page that says why there is none."""
    try:
        with site.database.read() as db:
            parts = project_files.zipped(partial(fill, db))
    except (UsageError, InputError, ExchangeError) as error:
        return page(guest, "problem.html", status=409, title="There is no such file", problem=str(error))
    if kind:
        exported(site, project.id, me.id, kind)
    headers = {"content-disposition": f'attachment; filename="{project.id}-{name}.zip"'}
    return StreamingResponse(parts, media_type="application/zip", headers=headers)


pictures_router = APIRouter(prefix="/projects/{project}/pictures", dependencies=[allow("owner")])
FrameCount = Annotated[int, Query(ge=0, le=MOST_FRAMES)]


@pictures_router.get("/{form}.zip", response_class=StreamingResponse)
def load_pictures(
    site: TheSite, guest: Guest, me: Me, project: Key, form: str, frames: FrameCount = FRAMES, marked: bool = False,
    boxes: bool = False,
) -> Response:  # fmt: skip
    """Send the pictures, with the marks on them if requested."""
    found, wanted, what = _pictured(site, project), _form(form), PictureContents(frames, marked, boxes)
    return sent(
        site, me, guest, found, f"{wanted.name}-pictures",
        lambda db, folder: project_files.write_marks(site, found, questions_of(db, found), wanted, what, folder),
        f"{wanted.name} pictures",
    )  # fmt: skip


@pictures_router.post("/{form}/upload", response_class=HTMLResponse)
def take_marks(
    site: TheSite, guest: Guest, me: Me, project: Key, form: str, person: RowId = None,
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:  # fmt: skip
    """Import marks as a person's."""
    found, wanted = _pictured(site, project), _form(form)
    content = file.file.read() if file is not None else b""
    try:
        with site.database.read() as db:
            questions = questions_of(db, found)
            whose = _worker(db, found, person, "work")
            people = set(db.scalars(select(User.name)))
        # Media are looked at before the transaction that writes, so that nobody's answer waits for it.
        incoming = project_files.read_marks(found, Album(site, questions), whose, people, wanted, content)
        with site.database.write() as db:
            done = project_files.take_in_marks(db, site, found, whose, incoming, me.id)
    except ExchangeError as error:
        return listing(site, guest, found, problem=str(error))
    return listing(site, guest, found, told=told_marks(done, whose.name))


def told_marks(done: project_files.MarksTakenIn, name: str) -> str:
    """Describe the import of a file in words."""
    parts = [
        f"{counted(done.marks, 'mark')} on {counted(done.questions, 'question')} {'is' if done.marks == 1 else 'are'} "
        f"{name}'s."
    ]
    if done.labelled:
        parts.append(f"{counted(done.labelled, 'question is', 'questions are')} labelled as {name}'s.")
    if done.left:
        parts.append(
            f"{counted(done.left, 'question stays', 'questions stay')} unchanged: theirs came in before, or enough "
            "people have them."
        )
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


ROUTERS = (files_router, pictures_router)
