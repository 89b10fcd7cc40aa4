"""Answers of everybody in a study, as a table: what each was asked and answered, what is right, what they skipped."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.forms.answers import agree
from tolman.review.store.schema import Participant, Project, Submission, Task, User
from tolman.review.studies.pay import moment, to_csv
from tolman.review.studies.people import PRACTICE
from tolman.review.studies.spec import STUDY
from tolman.review.studies.steps import ANSWER, SKIP
from tolman.review.tasks import work

HEAD = [
    "person", "external id", "question", "type", "asked as", "answer", "right answer", "right", "skipped", "seconds",
    "marks", "time",
]  # fmt: skip


def answers_table(db: Orm, project: Project) -> str:
    """A row for each answer and each skipped question, in the order in which they came, as CSV.

    Answers are letters of the question's own options, whatever order they were shown in, or what was typed. Asked as:
    'sample', 'gold', 'attention' or 'practice'. Right: yes or no, as the question's kind compares answers; of a number,
    whether it is the same. A question that was reported for a broken medium is in no row.
    """
    found = db.execute(
        select(Submission, Task, User.name, Participant.outside)
        .join(Task, Task.id == Submission.task_id)
        .join(User, User.id == Submission.user_id)
        .outerjoin(
            Participant, (Participant.user_id == Submission.user_id) & (Participant.project_id == Task.project_id)
        )
        .where(Task.project_id == project.id, Task.stage.in_((STUDY, PRACTICE)), Submission.step.in_((ANSWER, SKIP)))
        .order_by(Submission.id)
    )
    rows = [_row(one, task, name, outside) for one, task, name, outside in found]
    return to_csv([HEAD, *rows])


def _row(one: Submission, task: Task, name: str, outside: str | None) -> list[str]:
    assert task.item is not None
    item = work.item_of(task.item)
    given = str(one.content["answer"]) if one.step == ANSWER else ""
    right = "" if one.step != ANSWER else "yes" if agree(item, given, item.answer) else "no"
    role = PRACTICE if task.stage == PRACTICE else str(task.content["role"])
    return [
        name, outside or "", item.id, item.task, role, given, item.answer, right,
        str(one.content["reason"]) if one.step == SKIP else "",
        "" if one.seconds is None else f"{one.seconds:.1f}", " ".join(one.marks or ()),
        moment(one.created),
    ]  # fmt: skip
