"""Labels of a project out to Label Studio, and back in as somebody's."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import Person
from tolman.review.exchange import label_studio
from tolman.review.exchange.annotated import Choices, ExchangeError
from tolman.review.exchange.label_studio import LabelledTask
from tolman.review.forms.answers import AnswerError
from tolman.review.modes.labelling import KINDS, STEP, read_labels, submissions
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Project, Task
from tolman.review.tasks import taking, work


@dataclass(frozen=True)
class TakenIn:
    """What became of a file's labels.

    Attributes:
        fresh: labels that count from now on.
        left: questions that the person has labelled already, or that enough people have.
    """

    fresh: int
    left: int


def controls(project: Project) -> list[Choices]:
    """What is asked in a labelling project."""
    return [
        Choices(group.name, group.title, tuple(choice.key for choice in group.choices), group.several)
        for group in KINDS[project.mode].groups(project)
    ]


def write(db: Orm, project: Project) -> str:
    """All questions with everybody's labels, as Label Studio's JSON."""
    tasks = {task.key: LabelledTask(task.key, _text(task)) for task in _tasks(db, project)}
    for task, name, content, _ in submissions(db, project):
        tasks[task.key].labels.append((name, content["labels"], None))
    return label_studio.write_tasks(list(tasks.values()))


def take_in(db: Orm, site: Site, project: Project, person: Person, content: bytes, by: int) -> TakenIn:
    """Add the labels of a file as a person's; all of them, or none where one can't be used.

    Labels have neither seconds nor marks: nobody looked how they were given.

    Raises:
        ExchangeError: the file is none, or has a question or a label that isn't here.
    """
    groups = KINDS[project.mode].groups(project)
    tasks = {task.key: task for task in _tasks(db, project)}
    fresh = left = 0
    for key, given in label_studio.read_tasks(content).items():
        task = tasks.get(key)
        if task is None:
            raise ExchangeError(f"The question '{key[:80]}' is not in this project.")
        try:
            labels = read_labels(groups, given)
        except AnswerError as error:
            raise ExchangeError(f"The labels of '{key[:80]}' can't be used. {error}") from None
        own = taking.assign_if_free(db, site, task, person)
        if own is None:
            left += 1
            continue
        work.submit(db, site, own, STEP, {"labels": labels, "note": ""})
        work.finish(db, site, own)
        fresh += 1
    record(db, site.settings, "labels taken in", project=project.id, user=by, account=person.name, labels=fresh)
    if not fresh and not left:
        raise ExchangeError(f"The file has no labels of the project's {len(tasks):,} questions.")
    return TakenIn(fresh, left)


def _tasks(db: Orm, project: Project) -> list[Task]:
    return list(db.scalars(select(Task).where(Task.project_id == project.id).order_by(Task.key)))


def _text(task: Task) -> str:
    return work.item_of(task.item).question if task.item is not None else task.key
