"""Labelling: what every kind of work has in which people sort something into categories."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts.membership import belongs
from tolman.review.forms.answers import AnswerError
from tolman.review.forms.drawn import Drawn, as_field
from tolman.review.forms.fields import Key, Paragraphs, Seconds, Shown
from tolman.review.pages import COEFFICIENT, coefficient, page, see_other
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, Project, Submission, Task, User
from tolman.review.tasks import taking, work
from tolman.review.tasks.assigned import own_work
from tolman.review.tasks.drawing import drawn_of
from tolman.review.tasks.marks import block, marks_of, problems
from tolman.review.tasks.mode import Block
from tolman.review.tasks.undoing import UndoRule, allow_undo, undoable
from tolman.scoring.agreement import jaccard, nominal
from tolman.scoring.coefficients import alpha

STEP = "labels"
KINDS: dict[str, Labelling] = {}
"""Mode → its kind of labelling."""
_PREFIX = "group-"


@dataclass(frozen=True)
class Choice:
    """One category, and what belongs to it."""

    key: str
    title: str
    note: str = ""


@dataclass(frozen=True)
class LabelGroup:
    """Categories of which one applies, or several.

    Attributes:
        name: of the field.
        title: on the page.
        choices: what there is.
        several: whether more than one may apply.
        alone: the key of what goes with no other; '' where there is none.
    """

    name: str
    title: str
    choices: tuple[Choice, ...]
    several: bool = False
    alone: str = ""

    def read(self, given: Sequence[str]) -> list[str]:
        """Read the chosen labels of a form, in the order of the choices.

        Raises:
            AnswerError: nothing, too much, or what isn't there.
        """
        chosen = [choice.key for choice in self.choices if choice.key in given]
        if not chosen or set(given) - set(chosen):
            raise AnswerError(f"{self.title}: choose {'what applies' if self.several else 'one'}.")
        if len(chosen) > 1 and (not self.several or self.alone in chosen):
            titles = {choice.key: choice.title for choice in self.choices}
            only = f"“{titles[self.alone]}” stands alone" if self.several else "choose one"
            raise AnswerError(f"{self.title}: {only}.")
        return chosen


Labels = dict[str, list[str]]
"""Group → the keys chosen."""


def read_labels(groups: Sequence[LabelGroup], given: Mapping[str, Sequence[str]]) -> Labels:
    """What is chosen in each group.

    Raises:
        AnswerError: as `LabelGroup.read`.
    """
    return {group.name: group.read(given.get(group.name, [])) for group in groups}


@dataclass(frozen=True)
class Labelling:
    """One kind of labelling.

    Attributes:
        name: of the mode.
        groups: what is asked, for a project.
        shown: (site, project's id, task) → what is shown of a task: values of `label.html`.
        row: (task, person, labels, note) → a row of the file that comes of it.
        merged: rows → those of the file, where several people's become one.
    """

    name: str
    groups: Callable[[Project], Sequence[LabelGroup]]
    shown: Callable[[Site, int, Task], dict[str, Any]]
    row: Callable[[Task, str, Labels, str], dict[str, Any]]
    merged: Callable[[Sequence[dict[str, Any]]], list[dict[str, Any]]] = list


async def _chosen(request: Request) -> Labels:
    form = await request.form()
    names = [name for name in form if name.startswith(_PREFIX)]
    return {
        name.removeprefix(_PREFIX): [text for text in form.getlist(name)[:100] if isinstance(text, str)]
        for name in dict.fromkeys(names[:100])
    }


Chosen = Annotated[Labels, Depends(_chosen)]


def labelling_router(kind: Labelling) -> APIRouter:
    """The routes of a kind of labelling: a task's page, submitting it, keeping it, and the file of all labels."""
    router = APIRouter(prefix=f"/{kind.name}")
    KINDS[kind.name] = kind
    allow_undo(kind.name, STEP, UndoRule(lambda content: {**content, "drawn": as_field(content)}))
    staff, people = allow("owner", "reviewer"), allow("annotator", "reviewer")

    @router.get("/projects/{project}/labels.jsonl", response_class=PlainTextResponse, dependencies=[staff])
    def download(site: TheSite, me: Me, project: Key, marked: bool = True) -> Response:
        """All labels so far, as the file that they are made for; without those that are marked where `marked` is false.

        Who may still be asked to label something here must not see what others said.
        """
        with site.database.read() as db:
            found = db.get(Project, project)
            if found is None or found.mode != kind.name or not belongs(db, me, found):
                raise HTTPException(404, "There is no such project.")
            stages = [kind.name]
            if me.role != "owner" and not taking.all_done(db, found, me, stages):
                raise HTTPException(403, "Labels can be loaded when you have done all your own tasks in this project.")
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(db, found, kind, marked=marked))
        name = f"attachment; filename={kind.name}-{project}-labels.jsonl"
        return PlainTextResponse(text, headers={"content-disposition": name})

    @router.get("/{assignment}", response_class=HTMLResponse, dependencies=[people])
    def show(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
        """Show the item that is to be labelled."""
        with site.database.view() as db:
            own = own_work(db, me, assignment, kind.name, "task")
            if work.submission(db, own, STEP) is not None:
                return see_other(f"/projects/{own.task.project_id}/work")
            return page(request, guest, "label.html", **_content(db, site, me, own, kind))

    @router.post("/{assignment}", response_class=HTMLResponse, dependencies=[people])
    def submit(
        request: Request,
        site: TheSite,
        guest: Guest,
        me: Me,
        assignment: Key,
        chosen: Chosen,
        note: Paragraphs = "",
        seconds: Seconds = 0.0,
        shown: Shown = "",
        drawn: Drawn = "",
    ) -> Response:
        """Submit labels."""
        with site.database.write_for(me.id, assignment) as db:
            own = own_work(db, me, assignment, kind.name, "task")
            try:
                labels = read_labels(kind.groups(own.task.project), chosen)
                more = drawn_of(site, own, drawn)
                marks = marks_of(site, own, seconds, shown)
            except AnswerError as error:
                kept = {"labels": chosen, "note": note, "seconds": seconds, "problem": str(error), "drawn": drawn}
                return page(request, guest, "label.html", status=422, **_content(db, site, me, own, kind) | kept)
            _, fresh = work.submit(db, site, own, STEP, {"labels": labels, "note": note.strip()} | more, seconds, marks)
            if fresh:
                work.finish(db, site, own)
            return see_other(taking.going_on(db, site, own, me, [own.task.stage]))

    @router.post("/{assignment}/draft", status_code=204, response_class=Response, dependencies=[people])
    def draft(
        site: TheSite, me: Me, assignment: Key, chosen: Chosen, note: Paragraphs = "", seconds: Seconds = 0.0,
        drawn: Drawn = "",
    ) -> Response:  # fmt: skip
        """Keep what is entered."""
        with site.database.write_for(me.id) as db:
            own = own_work(db, me, assignment, kind.name, "task")
            if own.state != "done":
                work.save_draft(db, site, own, {"labels": chosen, "note": note, "drawn": drawn}, seconds)
        return Response(status_code=204)

    return router


def rows(db: Orm, project: Project, kind: Labelling, *, marked: bool = True) -> list[dict[str, Any]]:
    """Rows of a project's file, in the order of the tasks' names and of the people's, with marked ones or without."""
    return kind.merged(
        [
            kind.row(task, name, content["labels"], content["note"])
            for task, name, content, marks in submissions(db, project)
            if marked or not marks
        ]
    )


def progress(kind: Labelling) -> Callable[[Orm, Site, Project], list[Block]]:
    """The tables of a labelling project's progress page."""

    def tables(db: Orm, site: Site, project: Project) -> list[Block]:
        found = submissions(db, project)
        address = f"/{kind.name}/projects/{project.id}/labels.jsonl"
        tally: list[tuple[str, str, int]] = []
        agreed: list[tuple[str, str, str, int]] = []
        scenes = {task.key: (task.item.scene if task.item else None) or task.key for task, *_ in found}
        for group in kind.groups(project):
            units: dict[str, list[frozenset[str]]] = defaultdict(list)
            for task, _, content, _ in found:
                units[task.key].append(frozenset(content["labels"].get(group.name, ())))
            every = [one for unit in units.values() for one in unit]
            tally += [(group.title, c.title, sum(c.key in one for one in every)) for c in group.choices]
            agreed_on = alpha(
                list(units.values()), [scenes[key] for key in units], jaccard if group.several else nominal
            )
            agreed.append((group.title, *coefficient(agreed_on)))
        return [
            Block("Labels", ("question", "category", "times"), tally),
            Block(
                "Agreement",
                ("question", "Krippendorff's alpha", *COEFFICIENT[1:]),
                agreed,
                "Of what is labelled twice or more.",
            ),
            Block(
                "File",
                ("labels", "address"),
                [
                    (len(found), address),
                    (sum(not marks for *_, marks in found), f"{address}?marked=false"),
                ],
                "Open an address in this browser to load the file; the second leaves marked labels out.",
            ),
            block(db, project, [STEP]),
            problems(db, project),
        ]

    return tables


def submissions(db: Orm, project: Project) -> list[tuple[Task, str, dict[str, Any], list[str] | None]]:
    """(task, person, content, marks) of all labels so far, by tasks' keys and people's names."""
    found = db.execute(
        select(Task, User.name, Submission.content, Submission.marks)
        .join(Submission, Submission.task_id == Task.id)
        .join(User, User.id == Submission.user_id)
        .where(Task.project_id == project.id, Submission.step == STEP)
        .order_by(Task.key, User.name)
    )
    return [(task, name, content, marks) for task, name, content, marks in found]


def _content(db: Orm, site: Site, me: Me, own: Assignment, kind: Labelling) -> dict[str, Any]:
    task, kept = own.task, work.draft_of(db, own)
    done = taking.done_by(db, task.project, me, [task.stage])
    return {
        "own": own.id,
        "mode": kind.name,
        "project": task.project.name,
        "groups": kind.groups(task.project),
        "labels": kept.content.get("labels", {}) if kept else {},
        "note": kept.content.get("note", "") if kept else "",
        "drawn": kept.content.get("drawn", "") if kept else "",
        "seconds": kept.seconds if kept else 0.0,
        "number": done + 1,
        "total": done + taking.waiting(db, site, task.project, me, [task.stage]),
        "problem": "",
        "undo": task.project_id if undoable(db, task.project, me) is not None else None,
        **kind.shown(site, task.project_id, task),
    }
