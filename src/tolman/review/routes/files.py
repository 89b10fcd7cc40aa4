"""A project's files for its owner: items, runs, labels, times, agreement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, File, HTTPException, Request, UploadFile
from fastapi.responses import HTMLResponse, Response, StreamingResponse

from tolman.errors import InputError, UsageError
from tolman.review.access import Guest, Me, TheSite, Visitor, allow
from tolman.review.accounts import membership
from tolman.review.exchange.annotated import ExchangeError
from tolman.review.exchange.formats import FORMATS
from tolman.review.forms.fields import Key, RowId
from tolman.review.modes import MODES
from tolman.review.modes.labelling import KINDS
from tolman.review.pages import page
from tolman.review.projects import export, files, labels
from tolman.review.projects.pictures import FRAMES, MOST_FRAMES, has_pictures
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Project
from tolman.review.studies.people import is_study

router = APIRouter(prefix="/projects/{project}/files", dependencies=[allow("owner")])


@router.get("", response_class=HTMLResponse)
def listed(request: Request, site: TheSite, guest: Guest, project: Key) -> Response:
    """Show what can be loaded."""
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
    """The page of a project's files, with what came of the last one."""
    with site.database.read() as db:
        people = membership.workers(db, found, MODES[found.mode].stages) if has_pictures(found) else []
    return page(
        request, guest, "files.html", status=400 if problem else 200, project=found, mode=MODES[found.mode],
        is_study=is_study(found), has_runs=found.mode in export.ANSWERED, has_labels=found.mode in KINDS, people=people,
        forms=FORMATS.values() if has_pictures(found) else (), frames=FRAMES, most_frames=MOST_FRAMES, told=told,
        problem=problem,
    )  # fmt: skip


@router.get("/items.zip", response_class=StreamingResponse)
def items(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, undecided: bool = False,
    without_marked: bool = False,
) -> Response:  # fmt: skip
    """The items as a benchmark's folder."""
    found = project_of(site, project)
    return sent(
        request, guest, f"{found.id}-items.zip",
        lambda: files.benchmark_zip(site, found, undecided=undecided, without_marked=without_marked, by=me.id),
    )  # fmt: skip


@router.get("/runs.zip", response_class=StreamingResponse)
def runs(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, without_marked: bool = False,
    with_excluded: bool = False,
) -> Response:  # fmt: skip
    """People's answers as runs."""
    found = project_of(site, project)
    return sent(
        request, guest, f"{found.id}-runs.zip",
        lambda: files.runs_zip(site, found, without_marked=without_marked, with_excluded=with_excluded, by=me.id),
    )  # fmt: skip


@router.get("/tables.zip", response_class=StreamingResponse)
def tables(request: Request, site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """The tables of the progress page."""
    found = project_of(site, project)

    def made() -> files.Parts:
        with site.database.read() as db:
            parts = files.tables_zip(db, site, found)
        exported(site, found, me.id, "tables")
        return parts

    return sent(request, guest, f"{found.id}-tables.zip", made)


@router.get("/label-studio.zip", response_class=StreamingResponse)
def to_label_studio(request: Request, site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """A labelling project as Label Studio has it."""
    found = _labelled(site, project)

    def made() -> files.Parts:
        with site.database.read() as db:
            parts = files.label_studio_zip(db, found)
        exported(site, found, me.id, "label-studio")
        return parts

    return sent(request, guest, f"{found.id}-label-studio.zip", made)


@router.post("/label-studio/upload", response_class=HTMLResponse)
def from_label_studio(
    request: Request, site: TheSite, guest: Guest, me: Me, project: Key, person: RowId = None,
    file: Annotated[UploadFile | None, File()] = None,
) -> Response:  # fmt: skip
    """Take labels in as somebody's."""
    found = _labelled(site, project)
    content = file.file.read() if file is not None else b""
    try:
        with site.database.write() as db:
            people = membership.workers(db, found, MODES[found.mode].stages)
            whose = next((one for one in people if one.id == person), None)
            if whose is None:
                raise ExchangeError("Choose somebody who may label in this project.")
            done = labels.take_in(db, site, found, whose, content, me.id)
    except ExchangeError as error:
        return listing(request, site, guest, found, problem=str(error))
    more = (
        f" {done.left:,} questions stay as they are: labelled by them already, or by enough people."
        if done.left
        else ""
    )
    return listing(request, site, guest, found, told=f"{done.fresh:,} questions are labelled as {whose.name}'s.{more}")


def _labelled(site: Site, project: int) -> Project:
    found = project_of(site, project)
    if found.mode not in KINDS:
        raise HTTPException(404, "There are no labels in such a project.")
    return found


@router.get("/times.csv", response_class=Response)
def times(site: TheSite, me: Me, project: Key) -> Response:
    """The time of each submission."""
    found = project_of(site, project)
    with site.database.read() as db:
        text = files.times_table(db, found)
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
    """Write down who loaded what."""
    with site.database.write() as db:
        record(db, site.settings, "exported", project=project.id, user=by, kind=kind)


def sent(request: Request, guest: Guest, name: str, make: Callable[[], files.Parts]) -> Response:
    """A zip file, or the page that says why there is none."""
    try:
        parts = make()
    except (UsageError, InputError) as error:
        return page(request, guest, "problem.html", status=409, title="There is no such file", problem=str(error))
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(parts, media_type="application/zip", headers=headers)
