"""Pages behind the sign-in: open tasks, progress, undoing an answer, the server's health, and a project's files.

Health is for the server's administrators, a proxy or a supervisor. It reveals nothing about the work. Files are for a
project's owner: items, runs, labels, times, agreement, pictures, and returned marks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, File, Form as InForm, HTTPException, Query, UploadFile
from fastapi.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from sqlalchemy import select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session as Orm

from tolman.errors import InputError, UsageError, counted
from tolman.review import accounts, projects, tasks
from tolman.review.accounts import AccountError, Person, belongs
from tolman.review.exchange import ExchangeError, PictureFormat
from tolman.review.forms import Form, Key, Line, RowId, texts_of
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
from tolman.review.site import ANYBODY, Guest, Me, Site, TheSite, Visitor, allow, page, see_other
from tolman.review.store import ROLES, Assignment, Project, Starting, User
from tolman.review.store.database import record
from tolman.review.studies import STUDY, participants, study_steps
from tolman.review.studies.participants import is_study
from tolman.review.studies.study_records import named, names_of, study_summary
from tolman.review.tasks import Block, assignments
from tolman.review.tasks.assignments import undoable
from tolman.review.tasks.made_items import feedback

everybody = APIRouter(dependencies=[allow(*ROLES)])
staff = APIRouter(dependencies=[allow("owner", "reviewer")])
owner = APIRouter(dependencies=[allow("owner")])
Number = Annotated[int | None, InForm(ge=0, le=1000)]


@everybody.get("/", response_class=HTMLResponse)
def home(site: TheSite, guest: Guest, me: Me) -> Response:
    """Show projects and their open tasks."""
    entries = []
    with site.database.read() as db:
        begun = projects.starting_under_way(db)
        for project in db.scalars(select(Project).order_by(Project.id)):
            mode = MODES.get(project.mode)
            if mode is None or not belongs(db, me, project):
                continue
            stages = mode.stages_for(*me.roles)
            if not stages and not me.is_owner:
                continue
            if mode.counts is not None and stages:
                done, waiting = mode.counts(db, site, project, me)
            else:
                done = assignments.done_by(db, project, me, stages)
                waiting = assignments.waiting(db, site, project, me, stages)
            entries.append(
                {
                    "project": project,
                    "mode": mode,
                    "starting": begun.get(project.id),
                    "done": done,
                    "waiting": waiting if project.open else 0,
                    "feedback": feedback(db, project, me),
                    "counts": projects.project_counts(db, project) if me.is_owner else {},
                }
            )
    title = site.loaded.benchmark.title if me.is_owner else ""
    return page(guest, "home.html", entries=entries, modes=MODES, benchmark=title, problem="")


@owner.post("/projects", response_class=HTMLResponse)
def start(
    site: TheSite, guest: Guest, me: Me, form: Form, name: Line = "", mode: Line = "", people: Number = None
) -> Response:
    """Start a project."""
    try:
        chosen = {} if people is None else {"people": people}
        for setting in MODES[mode].settings if mode in MODES else ():
            text = texts_of(form).get(f"{mode}-{setting.name}", "")
            if text.strip():
                chosen[setting.name] = setting.read(text)
        projects.begin_starting(site, name, mode, chosen, me.id)
    except AccountError as error:
        return page(guest, "problem.html", status=400, title="No project was started", problem=str(error))
    return see_other("/")


@owner.post("/projects/{project}/open", response_class=HTMLResponse)
def open_or_close(site: TheSite, me: Me, project: Key, open: Annotated[bool, InForm()]) -> Response:
    """Pause a project, or let it go on."""
    with site.database.write() as db:
        found = projects.project_of(db, project)
        if db.get(Starting, project) is not None:
            raise HTTPException(409, "The project is still being started. It opens by itself when all is there.")
        found.open = open
        record(db, site.settings, "opened" if open else "paused", project=project, user=me.id)
    return see_other("/")


@everybody.get("/projects/{project}/work", response_class=HTMLResponse)
def work_on(site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """The next task: the one begun, or a free one."""
    with site.database.write_for(me.id) as db:
        address = _next(db, site, me, project)
    if address is None:
        # While nobody else is given anything or gives anything back, as what others had locked was passed over.
        with site.database.write() as db:
            address = _next(db, site, me, project)
            found = db.get_one(Project, project)
            done = assignments.done_by(db, found, me, MODES[found.mode].stages_for(*me.roles))
            last = undoable(db, found, me)
            told = feedback(db, found, me)
    if address is not None:
        return see_other(address)
    undo = None if last is None else found.id
    return page(guest, "finished.html", project=found, done=done, undo=undo, feedback=told)


def _next(db: Orm, site: Site, me: Person, project: int) -> str | None:
    """Return the address of a person's next step in a project; None if there is nothing to be done in it."""
    found = projects.project_of(db, project, me)
    mode = MODES[found.mode]
    stages = mode.stages_for(*me.roles)
    if not stages:
        raise HTTPException(404, "There is no such project.")
    if not found.open:
        return None
    before = study_steps.before_work(db, found, me)
    if before is not None:
        return before
    if mode.next_page is not None:
        return mode.next_page(db, site, found, me)
    own = assignments.take(db, site, found, me, stages)
    return None if own is None else f"/{mode.name}/{own.id}"


@staff.get("/projects/{project}/progress", response_class=HTMLResponse)
def progress(site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """Show the progress of a project."""
    with site.database.read() as db:
        found = projects.project_of(db, project, me)
        mode = MODES[found.mode]
        stages = mode.stages_for(*me.roles)
        if not me.is_owner and not mode.stages_for("reviewer"):
            raise HTTPException(404, "There is no such project.")
        withheld = not me.is_owner and not assignments.all_done(db, found, me, stages)
        blocks = projects.progress_tables(db, site, found, mode, withheld=withheld)
        if me.is_owner and participants.is_study(found) and participants.part_of(found).link.ids:
            names = names_of(db, found)
            blocks = [_with_names(block, names) for block in blocks]
        counts = projects.project_counts(db, found)
        summary = study_summary(db, found) if me.is_owner and mode.name == STUDY else ""
    content: dict[str, Any] = {"project": found, "mode": mode, "counts": counts, "blocks": blocks}
    return page(guest, "progress.html", withheld=withheld, summary=summary, **content)


def _with_names(block: Block, names: Mapping[str, str]) -> Block:
    """Show people's names in place of their outside ids, for the owner; tables that are exported have codes."""
    if "person" not in block.head:
        return block
    rows = []
    for row in block.rows:
        cells = {head: str(cell) for head, cell in zip(block.head, row, strict=True)}
        name = cells.pop("external id", "") or names.get(cells["person"], "")
        rows.append(list((cells | {"person": named(name, cells["person"])}).values()))
    return replace(block, head=tuple(head for head in block.head if head != "external id"), rows=rows)


@everybody.post("/tasks/{assignment}/report", response_class=HTMLResponse)
def report(site: TheSite, me: Me, assignment: Key, note: Line = "") -> Response:
    """Say that a task can't be done as a video or picture can't be shown, and go on with the next."""
    with site.database.write() as db:
        own = db.get(Assignment, assignment)
        if own is None or own.user_id != me.id:
            raise HTTPException(404, "There is no such task.")
        tasks.report(db, site, own, " ".join(note.split()))
        project = own.task.project_id
    return see_other(f"/projects/{project}/work")


@owner.post("/projects/{project}/reported", response_class=HTMLResponse)
def ask_again(site: TheSite, me: Me, project: Key) -> Response:
    """Have reported questions asked again, once the media are repaired."""
    with site.database.write() as db:
        count = tasks.ask_again(db, site, projects.project_of(db, project))
        record(db, site.settings, "asked again", project=project, user=me.id, tasks=count)
    return see_other(f"/projects/{project}/progress")


undo_router = APIRouter(dependencies=[allow(*ROLES)])


@undo_router.post("/projects/{project}/undo", response_class=HTMLResponse)
def undo(site: TheSite, me: Me, project: Key) -> Response:
    """Take one's last answer back, and show its question again."""
    with site.database.write() as db:
        found = projects.project_of(db, project, me)
        last = assignments.undoable(db, found, me)
        if last is None:
            raise HTTPException(409, "There is no answer of yours here that can be taken back.")
        own = assignments.undo(db, site, last)
        return see_other(f"/{found.mode}/{own.id}")


health_router = APIRouter(dependencies=[allow(ANYBODY, *ROLES)])


@health_router.get("/healthz", response_class=PlainTextResponse)
async def alive() -> Response:
    """The process answers; the database isn't asked."""
    return PlainTextResponse("ok\n")


@health_router.get("/readyz", response_class=PlainTextResponse)
def ready(site: TheSite) -> Response:
    """The database answers, so that pages can be served."""
    try:
        with site.database.read() as db:
            db.execute(text("SELECT 1"))
    except SQLAlchemyError:
        return PlainTextResponse("the database doesn't answer\n", status_code=503, headers={"retry-after": "2"})
    return PlainTextResponse("ready\n")


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


ROUTERS = (everybody, staff, owner, undo_router, health_router, files_router, pictures_router)
