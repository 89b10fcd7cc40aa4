"""Labelling: the kinds of work in which people sort something into categories, and their common parts.

In Classify people sort questions into SITE's categories and its three classification systems (section 3). A recipe of
`tolman curate` takes the resulting file as labels by hand.

In Errors people say which errors are behind a model's wrong answers (VSI-Bench 5, MMSI-Bench 5.2). The runs are those
that the server was started with. People see the same as a judge would; `tolman analyze errors --labels` reads the
resulting file. The model's name is hidden.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from sqlalchemy.orm import Session as Orm

from tolman.analyze.error_shares import usual_taxonomy, worst
from tolman.benchmarks.site.site_rows import SYSTEMS
from tolman.curate.mapping import NO, open_taxonomy
from tolman.items import Item
from tolman.responses import Response as RunResponse
from tolman.review import tasks
from tolman.review.accounts import AccountError, belongs
from tolman.review.forms import (
    AnswerError,
    Drawn,
    Form,
    Key,
    Paragraphs,
    Seconds,
    Shown,
    as_field,
    shown_answer,
)
from tolman.review.site import COEFFICIENT, Guest, Me, Site, TheSite, allow, coefficient, page, see_other
from tolman.review.store import Assignment, ItemVersion, Project, Submission, Task, User
from tolman.review.tasks import (
    LEAST,
    Block,
    Mode,
    ModeSetting,
    assignments,
    marks_block,
    marks_of,
    problems_block,
    submitted,
)
from tolman.review.tasks.assignments import UNDO, UndoRule, allow_undo
from tolman.review.tasks.blinding import blind, drawn_of, keep_draft, own_work, task_on_page
from tolman.runs.reasoning import reasoning_of
from tolman.runs.run_folder import RunFolder
from tolman.scoring.agreement_coefficients import alpha, jaccard, nominal
from tolman.scoring.error_types import CORRECT, TAXONOMIES

STEP = "labels"
KINDS: dict[str, Labelling] = {}
"""Mode → its kind of labelling."""
_PREFIX = "group-"


@dataclass(frozen=True)
class Choice:
    """One category, with its key, title and note."""

    key: str
    title: str
    note: str = ""


@dataclass(frozen=True)
class LabelGroup:
    """Categories from which one or several apply.

    Attributes:
        name: of the field.
        title: on the page.
        choices: the categories.
        several: whether more than one may apply.
        alone: the key of a category that goes with no other; '' where there is none.
    """

    name: str
    title: str
    choices: tuple[Choice, ...]
    several: bool = False
    alone: str = ""

    def read(self, given: Sequence[str]) -> list[str]:
        """Read the chosen labels of a form, in the order of the choices.

        Raises:
            AnswerError: nothing, too much, or an unknown choice.
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
    """Read the chosen labels of each group.

    Raises:
        AnswerError: as `LabelGroup.read`.
    """
    return {group.name: group.read(given.get(group.name, [])) for group in groups}


@dataclass(frozen=True)
class Labelling:
    """One kind of labelling.

    Attributes:
        name: of the mode.
        groups: the groups of labels, for a project.
        shown: (site, project's id, task) → the visible part of a task: values of `label.html`.
        row: (task, person, labels, note) → a row of the resulting file.
        merged: rows → those of the file, where several people's become one.
    """

    name: str
    groups: Callable[[Project], Sequence[LabelGroup]]
    shown: Callable[[Site, int, Task], dict[str, Any]]
    row: Callable[[Task, str, Labels, str], dict[str, Any]]
    merged: Callable[[Sequence[dict[str, Any]]], list[dict[str, Any]]] = list


async def _chosen(form: Form) -> Labels:
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
        """Send all labels so far, as the file that they are made for; without those that are marked where `marked` is
        false.

        People who may still be asked to label here must not see others' labels.
        """
        with site.database.read() as db:
            found = db.get(Project, project)
            if found is None or found.mode != kind.name or not belongs(db, me, found):
                raise HTTPException(404, "There is no such project.")
            if me.role != "owner" and not assignments.all_done(db, found, me, [kind.name]):
                raise HTTPException(403, "Labels can be loaded when you have done all your own tasks in this project.")
            rows = label_rows(db, found, kind, marked=marked)
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        name = f"attachment; filename={kind.name}-{project}-labels.jsonl"
        return PlainTextResponse(text, headers={"content-disposition": name})

    @router.get("/{assignment}", response_class=HTMLResponse, dependencies=[people])
    def show(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
        """Show the item that is to be labelled."""
        with site.database.view() as db:
            own = own_work(db, me, assignment, kind.name, "task")
            if tasks.submission(db, own, STEP) is not None:
                return see_other(f"/projects/{own.task.project_id}/work")
            return page(guest, "label.html", **_content(db, site, me, own, kind))

    @router.post("/{assignment}", response_class=HTMLResponse, dependencies=[people])
    def submit(
        site: TheSite, guest: Guest, me: Me, assignment: Key, chosen: Chosen, note: Paragraphs = "",
        seconds: Seconds = 0.0, shown: Shown = "", drawn: Drawn = "",
    ) -> Response:  # fmt: skip
        """Submit labels."""
        with site.database.write_for(me.id, assignment) as db:
            own = own_work(db, me, assignment, kind.name, "task")
            try:
                labels = read_labels(kind.groups(own.task.project), chosen)
                more = drawn_of(site, own, drawn)
                marks = marks_of(site, own, seconds, shown)
            except AnswerError as error:
                kept = {"labels": chosen, "note": note, "seconds": seconds, "problem": str(error), "drawn": drawn}
                return page(guest, "label.html", status=422, **_content(db, site, me, own, kind) | kept)
            _, fresh = tasks.submit(
                db, site, own, STEP, {"labels": labels, "note": note.strip()} | more, seconds, marks
            )
            if fresh:
                tasks.finish(db, site, own)
            return see_other(assignments.going_on(db, site, own, me, [own.task.stage]))

    @router.post("/{assignment}/draft", status_code=204, response_class=Response, dependencies=[people])
    def draft(
        site: TheSite, me: Me, assignment: Key, chosen: Chosen, note: Paragraphs = "", seconds: Seconds = 0.0,
        drawn: Drawn = "",
    ) -> Response:  # fmt: skip
        """Keep a draft of the labels."""
        content = {"labels": chosen, "note": note, "drawn": drawn}
        return keep_draft(site, me, lambda db: own_work(db, me, assignment, kind.name, "task"), content, seconds)

    return router


def label_rows(db: Orm, project: Project, kind: Labelling, *, marked: bool = True) -> list[dict[str, Any]]:
    """Rows of a project's file, in the order of the tasks' names and of the people's, with marked ones or without."""
    found = [one for one in submissions(db, project) if marked or not one[3]]
    return kind.merged([kind.row(task, name, given["labels"], given["note"]) for task, name, given, _ in found])


def labelling_progress(kind: Labelling) -> Callable[[Orm, Site, Project], list[Block]]:
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
            measure = jaccard if group.several else nominal
            found_alpha = alpha(list(units.values()), [scenes[key] for key in units], measure)
            agreed.append((group.title, *coefficient(found_alpha)))
        head = ("question", "Krippendorff's alpha", *COEFFICIENT[1:])
        files = [(len(found), address), (sum(not marks for *_, marks in found), f"{address}?marked=false")]
        note = "Open an address in this browser to load the file; the second leaves marked labels out."
        return [
            Block("Labels", ("question", "category", "times"), tally),
            Block("Agreement", head, agreed, "Of what is labelled twice or more."),
            Block("File", ("labels", "address"), files, note),
            marks_block(db, project, [STEP]),
            problems_block(db, project),
        ]

    return tables


def submissions(db: Orm, project: Project) -> list[tuple[Task, str, dict[str, Any], list[str] | None]]:
    """(task, person, content, marks) of all labels so far, by tasks' keys and people's names."""
    chosen = submitted(project, Task, User.name, Submission.content, Submission.marks).where(Submission.step == STEP)
    found = db.execute(chosen.order_by(None).order_by(Task.key, User.name))
    return [(task, name, content, marks) for task, name, content, marks in found]


def _content(db: Orm, site: Site, me: Me, own: Assignment, kind: Labelling) -> dict[str, Any]:
    kept = own.draft.content if own.draft else {}
    return task_on_page(db, site, me, own, [own.task.stage]) | {
        "mode": kind.name,
        "groups": kind.groups(own.task.project),
        "labels": kept.get("labels", {}),
        "note": kept.get("note", ""),
        "drawn": kept.get("drawn", ""),
        **kind.shown(site, own.task.project_id, own.task),
    }


CLASSIFY_NAME = "classify"
_SYSTEM_TITLES = {
    "scale": "Scale of the space",
    "factor": "Visualization or orientation",
    "information": "Intrinsic or extrinsic",
    "change": "Static or dynamic",
}


def start_classifying(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """A task for each question."""
    versions = {version.item: version for version in tasks.add_items(db, site, project, items)}
    tasks.add_tasks(db, site, project, CLASSIFY_NAME, versions, wanted=project.settings["people"])


def category_groups(project: Project) -> Sequence[LabelGroup]:
    """SITE's six categories, and its systems."""
    categories = tuple(Choice(c.key, c.key.capitalize(), c.description) for c in open_taxonomy("site").categories)
    no = Choice(NO, "Not spatial", "the question needs no spatial intelligence")
    groups = [LabelGroup("category", "Category", (*categories, no))]
    for name, values in SYSTEMS.items():
        choices = tuple(Choice(key, key.capitalize(), means) for key, means in values.items())
        groups.append(LabelGroup(name, _SYSTEM_TITLES[name], choices))
    return groups


def shown_question(site: Site, project: int, task: Task) -> dict[str, Any]:
    """Return the question; its answer isn't part of the labelling."""
    return {"question": blind(site, project, tasks.item_of(task.version)), "right": "", "texts": []}


def category_row(task: Task, person: str, labels: Labels, note: str) -> dict[str, Any]:
    """One person's labels."""
    chosen = {name: values[0] for name, values in labels.items()}
    return {"id": task.key, "annotator": person, **chosen, "note": note}


def majority_labels(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each question with the labels that more than half of its people gave; the others are left out."""
    by_item: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in rows:
        by_item[one["id"]].append(one)
    found = []
    for identity, own in by_item.items():
        labels = {}
        for name in ("category", *SYSTEMS):
            value, votes = Counter(one[name] for one in own).most_common(1)[0]
            if 2 * votes > len(own):
                labels[name] = value
        found.append({"id": identity, **labels, "annotators": [one["annotator"] for one in own]})
    return found


_CLASSIFYING = Labelling(CLASSIFY_NAME, category_groups, shown_question, category_row, majority_labels)
CLASSIFY = Mode(
    name=CLASSIFY_NAME,
    title="Classify",
    purpose="Annotators sort questions into SITE's categories and classification systems.",
    stages={CLASSIFY_NAME: ("annotator", "reviewer")},
    router=labelling_router(_CLASSIFYING),
    start=start_classifying,
    in_parts=True,
    progress=labelling_progress(_CLASSIFYING),
    settings=(ModeSetting("people", "People for each question", 2), LEAST, UNDO),
)


ERRORS_NAME = "errors"


def start_error_labelling(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """A task for each answer that VSI-Bench's examiners would have looked at, and that comes with reasoning.

    Raises:
        AccountError: no run was given, two are of one model, or none has reasoning behind a wrong answer.
    """
    if not site.settings.runs:
        raise AccountError("Start the server with --errors-of RUN for each run whose errors are to be labelled.")
    known = {item.id: item for item in items}
    project.settings = project.settings | {"taxonomy": usual_taxonomy(items).name}
    versions: dict[str, ItemVersion] = {}
    models: set[str] = set()
    missed: Counter[str] = Counter()
    for path in site.settings.runs:
        model = RunFolder(path).record().settings.model
        if model in models:
            raise AccountError(f"Two runs are of {model}. Label one of them at a time.")
        models.add(model)
        wrong = _wrong(path)
        missed.update({identity for identity, _ in wrong})
        for identity, repeat, text in _explained(path, wrong):
            if identity not in known:
                raise AccountError(f"{path} answers '{identity}', which is none of this benchmark's questions.")
            if identity not in versions:
                versions[identity] = tasks.add_item(db, site, project, known[identity])
            told, key = {"model": model, "repeat": repeat, "text": text}, f"{model}/{identity}/{repeat}"
            people, version = project.settings["people"], versions[identity]
            tasks.add_task(db, site, project, ERRORS_NAME, key, version=version, wanted=people, content=told)
    for identity, version in versions.items():
        version.missed = missed[identity]
    if not versions:
        raise AccountError("No wrong answer of these runs comes with reasoning. Ask for it: --protocol cot.")


def _wrong(path: Path) -> set[tuple[str, int]]:
    """Item and repeat of a run's wrong answers, as `worst` chooses them."""
    folder = RunFolder(path)
    scores = folder.scores()
    kinds = {item.id: item.kind for item in folder.items()}
    rules = next(iter(folder.figures()["rule_sets"]))
    rows = scores.filter((pl.col("rule_set") == rules) & pl.col("score").is_not_null()).select(
        pl.lit(str(path)).alias("run"),
        "id",
        pl.col("repeat").cast(pl.Int64),
        "task",
        pl.col("id").replace_strict(kinds, return_dtype=pl.String).alias("kind"),
        "score",
    )
    return set(worst(rows).select("id", "repeat").iter_rows())


def _explained(path: Path, wrong: set[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Item, repeat and reasoning of the answers to be labelled."""
    found = []
    for outcome in RunFolder(path).outcomes():
        if isinstance(outcome, RunResponse) and (outcome.id, outcome.repeat) in wrong:
            text = reasoning_of(outcome)
            if text is not None:
                found.append((outcome.id, outcome.repeat, text))
    return found


def error_groups(project: Project) -> Sequence[LabelGroup]:
    """The paper's categories."""
    taxonomy = TAXONOMIES[project.settings["taxonomy"]]
    choices = tuple(Choice(kind.key, kind.title, kind.means) for kind in taxonomy.all_types)
    return [LabelGroup("categories", "What is wrong with the reasoning?", choices, taxonomy.several, CORRECT)]


def shown_reasoning(site: Site, project: int, task: Task) -> dict[str, Any]:
    """Question, right answer, the model's reasoning and people's."""
    item = tasks.item_of(task.version)
    texts = [("The model's reasoning and answer", task.content["text"])]
    if item.reasoning:
        texts.append(("A person's reasoning", item.reasoning))
    return {"question": blind(site, project, item), "right": shown_answer(item, item.answer), "texts": texts}


def error_row(task: Task, person: str, labels: Labels, note: str) -> dict[str, Any]:
    """A row of a file of labels."""
    return {
        "id": task.version.item,
        "model": task.content["model"],
        "repeat": task.content["repeat"],
        "annotator": person,
        "categories": labels["categories"],
        "note": note,
    }


_ERROR_LABELLING = Labelling(ERRORS_NAME, error_groups, shown_reasoning, error_row)
ERRORS = Mode(
    name=ERRORS_NAME,
    title="Label errors",
    purpose="Annotators say which errors are behind a model's wrong answers.",
    stages={ERRORS_NAME: ("annotator", "reviewer")},
    router=labelling_router(_ERROR_LABELLING),
    start=start_error_labelling,
    progress=labelling_progress(_ERROR_LABELLING),
    settings=(ModeSetting("people", "People for each answer", 2), LEAST, UNDO),
)
