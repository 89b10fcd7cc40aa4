"""Items of a project as a table. The database filters, sorts and counts; a page of rows is loaded."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import ColumnElement, Double, Integer, Row, Select, Subquery, Text, and_, case, cast, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session as Orm

from tolman.kinds import kind_named, names
from tolman.review.forms import CHOICES, WIDGETS
from tolman.review.modes.labelling import KINDS, STEP
from tolman.review.store import Assignment, Decision, Flag, ItemVersion, Project, Submission, Task
from tolman.review.tasks.decisions import ANSWER

STATES = ("waiting", "leased", "answered", "settled", "flagged", "left out", "not asked")
"""States of an item. Settled: decided on, or done by as many people as are wanted. Not asked: no task is about it."""
WAITING, LEASED, ANSWERED, SETTLED, FLAGGED, LEFT_OUT, NOT_ASKED = range(len(STATES))
SORTS = ("id", "label", "state", "answers", "disagreement", "time", "models")
ROWS = 50
"""Items of a page."""
_MOST_LABELS = 500
_SHOWN = 160
"""Letters of a question that a row shows."""


@dataclass(frozen=True)
class ItemFilter:
    """A selection of items, and their order.

    Attributes:
        text: part of the id, the label or the question, in any case.
        label: the question type; '' for all.
        state: one of `STATES`; '' for all.
        sort: one of `SORTS`.
        order: 'down' for the largest first.
        page: from 1.
    """

    text: str = ""
    label: str = ""
    state: str = ""
    sort: str = "id"
    order: str = ""
    page: int = 1

    def query(self, **changes: object) -> str:
        """Return the address's query of the same with some changes, without default values."""
        told = asdict(replace(self, **({"page": 1} | changes)))  # type: ignore[arg-type]
        return urlencode({name: value for name, value in told.items() if value != getattr(_USUAL, name)})

    def sorted_by(self, column: str) -> str:
        """The query for a click on a column's heading: by it, or the other way round."""
        down = self.sort == column and not self.order
        return self.query(sort=column, order="down" if down else "")


_USUAL = ItemFilter()


@dataclass(frozen=True)
class ItemPage:
    """A page of the table: its rows, how many items there are in all, and the pages."""

    rows: list[Row[Any]]
    found: int
    page: int
    pages: int


def page_of(db: Orm, project: Project, chosen: ItemFilter, now: float) -> ItemPage:
    """A page of a project's items; the last one where it has fewer."""
    found = db.scalar(matching(project, chosen, now).with_only_columns(func.count(), maintain_column_froms=True)) or 0
    pages = max(1, -(-found // ROWS))
    number = min(chosen.page, pages)
    ordered = _sorted(matching(project, chosen, now), project, chosen, now)
    ids = list(db.scalars(ordered.limit(ROWS).offset((number - 1) * ROWS)))
    rows = {row.version: row for row in _rows(db, project, ids, now)} if ids else {}
    return ItemPage([rows[one] for one in ids], found, number, pages)


def labels_of(db: Orm, project: Project) -> list[str]:
    """The question types of a project's items."""
    label = _text("task")
    chosen = select(label).where(*_current(project)).distinct().order_by(label).limit(_MOST_LABELS)
    return [name for name in db.scalars(chosen) if name]


def matching(project: Project, chosen: ItemFilter, now: float) -> Select[int]:
    """Ids of the current versions that a filter chooses, in no order."""
    wanted = _current(project)
    if needle := chosen.text.strip().lower():
        texts: tuple[Any, ...] = (ItemVersion.item, _text("task"), _text("question"))
        wanted.append(or_(*(func.lower(text).contains(needle, autoescape=True) for text in texts)))
    if chosen.label:
        wanted.append(_text("task") == chosen.label)
    if chosen.state:
        wanted.append(_state(now) == STATES.index(chosen.state))
    return select(ItemVersion.id).where(*wanted)


def _current(project: Project) -> list[ColumnElement[bool]]:
    return [ItemVersion.project_id == project.id, ItemVersion.current.is_(True)]


def _text(name: str) -> ColumnElement[str]:
    text: ColumnElement[str] = ItemVersion.content[name].as_string()
    return text


def _about(column: InstrumentedAttribute[Any], *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Match items with a row whose column names them."""
    return select(column).where(column == ItemVersion.id, *conditions).correlate(ItemVersion).exists()


def _worked(*conditions: ColumnElement[bool]) -> Select[int]:
    """Assignments about an item."""
    chosen = select(Assignment.id).join(Task, Task.id == Assignment.task_id)
    return chosen.where(Task.item_id == ItemVersion.id, *conditions).correlate(ItemVersion)


def _state(now: float) -> ColumnElement[int]:
    """The place of an item's state in `STATES`."""
    last = (
        select(Decision.verdict).where(Decision.item_id == ItemVersion.id, Decision.taken_back.is_(None))
        .order_by(Decision.id.desc()).limit(1).correlate(ItemVersion).scalar_subquery()
    )  # fmt: skip
    held = and_(Assignment.state == "held", Assignment.expires >= now)
    return case(
        (last == "discard", LEFT_OUT),
        (_about(Flag.item_id, Flag.open.is_(True)), FLAGGED),
        (last.is_not(None), SETTLED),
        (~_about(Task.item_id), NOT_ASKED),
        (~_about(Task.item_id, Task.open.is_(True)), SETTLED),
        (_worked(held).exists(), LEASED),
        (_worked(Assignment.state == "done").exists(), ANSWERED),
        else_=WAITING,
    )


def _answers() -> ColumnElement[int]:
    """How many people have done a task about an item."""
    done = _worked(Assignment.state == "done").with_only_columns(func.count(), maintain_column_froms=True)
    return done.scalar_subquery()


def _wanted() -> ColumnElement[int | None]:
    """How many people are wanted: of an open task so many, of a closed one those who have done it; None for all."""
    done = select(func.count()).select_from(Assignment).where(Assignment.task_id == Task.id, Assignment.state == "done")
    number = case((Task.open.is_(True), Task.wanted), else_=done.correlate(Task).scalar_subquery())
    known = case((func.count(Task.wanted) == func.count(), func.sum(number)))
    chosen = select(known).select_from(Task).where(Task.item_id == ItemVersion.id)
    return chosen.correlate(ItemVersion).scalar_subquery()


def _medians(project: Project, ids: list[int] | None = None) -> Subquery:
    """Version's id → median of the seconds for which people had it before them who are done."""
    spent = (
        select(Task.item_id.label("item_id"), func.sum(Submission.seconds).label("seconds"))
        .join(Assignment, Assignment.task_id == Task.id)
        .join(Submission, Submission.assignment_id == Assignment.id)
        .where(Assignment.state == "done", Submission.seconds.is_not(None), *_tasks_of(project, ids))
        .group_by(Task.item_id, Assignment.id)
        .subquery()
    )
    own = spent.c.item_id
    ranked = select(
        spent.c.item_id,
        spent.c.seconds,
        func.row_number().over(order_by=spent.c.seconds, partition_by=own).label("place"),
        func.count().over(partition_by=own).label("number"),
    ).subquery()
    middle = (2 * ranked.c.place).between(ranked.c.number, ranked.c.number + 2)
    return (
        select(ranked.c.item_id, func.avg(ranked.c.seconds).label("value")).where(middle)
        .group_by(ranked.c.item_id).subquery()
    )  # fmt: skip


def _disagreements(project: Project, ids: list[int] | None = None) -> Subquery:
    """Version's id → share of the pairs of people with the same task whose answers differ.

    It is 1 less the agreement of an item in Fleiss' kappa (Fleiss 1971, P_i). Only choices are compared, as the
    database can't recognize other answers with the same meaning.
    """
    labels = project.mode in KINDS
    given = cast(Submission.content["labels"], Text) if labels else Submission.content["answer"].as_string()
    answered = [Submission.step == (STEP if labels else ANSWER), *_tasks_of(project, ids)]
    if not labels:
        answered.append(_text("kind").in_(_choices()))
    each = (
        select(Task.item_id.label("item_id"), Task.id.label("task_id"), func.count().label("number"))
        .join(Submission, Submission.task_id == Task.id)
        .join(ItemVersion, ItemVersion.id == Task.item_id)
        .where(*answered)
        .group_by(Task.item_id, Task.id, given)
        .subquery()
    )
    of_task = (
        select(
            each.c.item_id,
            func.sum(each.c.number * (each.c.number - 1)).label("alike"),
            (func.sum(each.c.number) * (func.sum(each.c.number) - 1)).label("pairs"),
        ).group_by(each.c.item_id, each.c.task_id).subquery()
    )  # fmt: skip
    alike, pairs = func.sum(of_task.c.alike), func.sum(of_task.c.pairs)
    share = case((pairs > 0, 1.0 - 1.0 * alike / pairs))
    return select(of_task.c.item_id, share.label("value")).group_by(of_task.c.item_id).subquery()


def _tasks_of(project: Project, ids: list[int] | None) -> list[ColumnElement[bool]]:
    return [Task.project_id == project.id, *([] if ids is None else [Task.item_id.in_(ids)])]


def _choices() -> list[str]:
    """Kinds of items whose answer is chosen."""
    return [name for name in names() if WIDGETS[kind_named(name).widget].group == CHOICES]


def _sorted(ids: Select[int], project: Project, chosen: ItemFilter, now: float) -> Select[int]:
    column: ColumnElement[Any]
    if chosen.sort in ("disagreement", "time"):
        found = _disagreements(project) if chosen.sort == "disagreement" else _medians(project)
        ids, column = ids.outerjoin(found, found.c.item_id == ItemVersion.id), found.c.value
    elif chosen.sort == "state":
        column = _state(now)
    elif chosen.sort == "answers":
        column = _answers()
    elif chosen.sort == "label":
        column = _text("task")
    else:
        column = {"models": ItemVersion.missed}.get(chosen.sort, ItemVersion.item).expression
    ordered = column.desc() if chosen.order == "down" else column.asc()
    return ids.order_by(ordered.nulls_last(), ItemVersion.item, ItemVersion.id)


def _rows(db: Orm, project: Project, ids: list[int], now: float) -> list[Row[Any]]:
    medians, differ = _medians(project, ids), _disagreements(project, ids)
    chosen = (
        select(
            *(ItemVersion.id.label("version"), ItemVersion.item, ItemVersion.missed, _text("task").label("label")),
            *(func.substr(_text("question"), 1, _SHOWN).label("question"), _answers().label("answers")),
            case(dict(enumerate(STATES)), value=_state(now)).label("state"),
            *(cast(_wanted(), Integer).label("wanted"), cast(differ.c.value, Double).label("disagreement")),
            medians.c.value.label("seconds"),
        )
        .outerjoin(medians, medians.c.item_id == ItemVersion.id)
        .outerjoin(differ, differ.c.item_id == ItemVersion.id)
        .where(ItemVersion.id.in_(ids))
    )
    return list(db.execute(chosen))
