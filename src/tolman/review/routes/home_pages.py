"""Pages behind the sign-in: open tasks, progress, undoing an answer, and the server's health.

Health is for the server's administrators, a proxy or a supervisor. It reveals nothing about the work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from fastapi import Form as InForm
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from sqlalchemy import select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session as Orm

from tolman.review import projects
from tolman.review.accounts import AccountError, Person, belongs
from tolman.review.forms.form_values import Form, Key, Line, texts_of
from tolman.review.modes import MODES
from tolman.review.site import ANYBODY, Guest, Me, Site, TheSite, allow, page, see_other
from tolman.review.store.database import record
from tolman.review.store.schema import ROLES, Assignment, Project, Starting
from tolman.review.studies import STUDY, participants, study_steps
from tolman.review.studies.study_records import study_summary
from tolman.review.tasks import Block, assignments, work
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
            names = participants.names_of(db, found)
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
        rows.append(list((cells | {"person": participants.named(name, cells["person"])}).values()))
    return replace(block, head=tuple(head for head in block.head if head != "external id"), rows=rows)


@everybody.post("/tasks/{assignment}/report", response_class=HTMLResponse)
def report(site: TheSite, me: Me, assignment: Key, note: Line = "") -> Response:
    """Say that a task can't be done as a video or picture can't be shown, and go on with the next."""
    with site.database.write() as db:
        own = db.get(Assignment, assignment)
        if own is None or own.user_id != me.id:
            raise HTTPException(404, "There is no such task.")
        work.report(db, site, own, " ".join(note.split()))
        project = own.task.project_id
    return see_other(f"/projects/{project}/work")


@owner.post("/projects/{project}/reported", response_class=HTMLResponse)
def ask_again(site: TheSite, me: Me, project: Key) -> Response:
    """Have reported questions asked again, once the media are repaired."""
    with site.database.write() as db:
        count = work.ask_again(db, site, projects.project_of(db, project))
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


ROUTERS = (everybody, staff, owner, undo_router, health_router)
