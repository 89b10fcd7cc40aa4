"""Records: what everybody in a study did, for the rules of exclusion, the tables and the runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.forms.answers import agree
from tolman.review.store.schema import Assignment, Participant, Project, Submission, Task
from tolman.review.studies import exclusion, people
from tolman.review.studies.exclusion import Conduct
from tolman.review.studies.people import ATTENTION, ENDED, GOLD, SAMPLE, SCREENED
from tolman.review.studies.spec import BROKEN, STUDY, StudyPart
from tolman.review.studies.steps import ANSWER, SKIP
from tolman.review.tasks import work
from tolman.review.tasks.marks import FAST, REPORTED


@dataclass
class PersonRecord:
    """What one person did.

    Attributes:
        person: their place in the study.
        answers: item → answer, seconds, of the sample.
        marked: items whose answer is marked.
        tally: how many of the answers have which mark, as `marks.tally` counts them.
        skips: reason → how many questions of the sample.
        conduct: what the rules look at.
        excluded: why their answers don't count; empty where they do.
        sample: items on their form that are neither gold nor for attention.
        seconds: with a visible question, practice among it.
    """

    person: Participant
    answers: dict[str, tuple[str, float | None]] = field(default_factory=dict)
    marked: set[str] = field(default_factory=set)
    tally: Counter[str] = field(default_factory=Counter)
    skips: Counter[str] = field(default_factory=Counter)
    conduct: Conduct = Conduct(0, 0, 0, 0, 0, 0, 0, 0.0, complete=False)
    excluded: list[str] = field(default_factory=list)
    sample: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def asked(self) -> int:
        """How many questions of the sample are on their form."""
        return len(self.sample)

    @property
    def name(self) -> str:
        """Of their account."""
        return self.person.user.name


def records(db: Orm, project: Project) -> list[PersonRecord]:
    """What everybody in a study did, in the order in which they agreed to it."""
    part = people.part_of(project)
    found = {one.user_id: PersonRecord(one) for one in people.participants(db, project)}
    tasks = {task.id: task for task in db.scalars(select(Task).where(Task.project_id == project.id))}
    checks: dict[int, Counter[str]] = defaultdict(Counter)
    fast: Counter[int] = Counter()
    rows = db.execute(
        select(Submission, Assignment.user_id)
        .join(Assignment, Assignment.id == Submission.assignment_id)
        .join(Task, Task.id == Submission.task_id)
        .where(Task.project_id == project.id)
        .order_by(Submission.id)
    )
    for submitted, user in rows:
        own, task = found.get(user), tasks[submitted.task_id]
        if own is None:
            continue
        own.seconds += submitted.seconds or 0.0
        role = task.content.get("role")
        if task.stage != STUDY:
            continue
        if role == SAMPLE and submitted.step == ANSWER:
            own.answers[task.key] = submitted.content["answer"], submitted.seconds
            own.tally.update(["all", *(submitted.marks or ()), *(["marked"] if submitted.marks else ())])
            if submitted.marks:
                own.marked.add(task.key)
            fast[user] += FAST in (submitted.marks or ())
        elif role == SAMPLE and submitted.step == SKIP:
            own.skips[submitted.content["reason"]] += 1
        elif role in (GOLD, ATTENTION):
            assert task.item is not None
            item = work.item_of(task.item)
            right = submitted.step == ANSWER and agree(item, submitted.content["answer"], item.answer)
            checks[user].update([role, *([f"{role} right"] if right else [])])
    reported = select(Assignment.user_id, Assignment.task_id).join(Task).where(
        Task.project_id == project.id, Task.stage == STUDY, Assignment.state == REPORTED
    )  # fmt: skip
    for user, number in db.execute(reported):
        if user in found and tasks[number].content["role"] == SAMPLE:
            found[user].skips[BROKEN] += 1
    for user, own in found.items():
        _judge(own, part, tasks, checks[user], fast[user])
    return list(found.values())


def _judge(own: PersonRecord, part: StudyPart, tasks: Mapping[int, Task], checks: Counter[str], fast: int) -> None:
    form = (tasks[number] for number in own.person.content["tasks"])
    own.sample = tuple(task.key for task in form if task.content["role"] == SAMPLE)
    skipped = own.skips.total()
    own.conduct = Conduct(
        asked=own.asked,
        answered=len(own.answers),
        skipped=skipped,
        fast=fast,
        gold=checks[GOLD],
        gold_right=checks[f"{GOLD} right"],
        attention_wrong=checks[ATTENTION] - checks[f"{ATTENTION} right"],
        seconds=own.seconds,
        complete=own.person.state == ENDED and len(own.answers) + skipped >= own.asked,
        screened=own.person.state == SCREENED,
    )
    own.excluded = exclusion.reasons(own.conduct, part.exclude) if part.mode == STUDY else []


def spare_forms(db: Orm, project: Project) -> list[int]:
    """Forms of people who came to the end and whose answers don't count."""
    found = records(db, project)
    return [r.person.form for r in found if r.excluded and r.person.form is not None and r.person.state == ENDED]
