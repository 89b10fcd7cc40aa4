"""People of a study: who is in it, and which form they have."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import AccountError
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Participant, Project, Task, User
from tolman.review.studies.shuffling import shuffled, with_checks
from tolman.review.studies.spec import STUDY, StudyPart

SAMPLE, GOLD, ATTENTION, PRACTICE = "sample", "gold", "attention", "practice"
"""Roles of a study's tasks."""
BEGUN, ENDED, SCREENED, LAPSED = "begun", "ended", "screened", "lapsed"
"""States of somebody in a study: with their form, at its end, out after practice, replaced after they left."""
FULL = "All places of this study are taken. Thank you for your interest."
_NAME_LETTERS = "23456789" + "".join(c for c in string.ascii_uppercase if c not in "IO")


class FullError(AccountError):
    """All forms of a study are taken."""


def is_study(project: Project) -> bool:
    """Tell whether a project is a part of a study."""
    return "study" in project.settings


def part_of(project: Project) -> StudyPart:
    """The part of a study that a project is."""
    return StudyPart.model_validate(project.settings["study"]["part"])


def seed_of(project: Project) -> int:
    """The seed of the study that a project is a part of."""
    return int(project.settings["study"]["seed"])


def participant_of(db: Orm, project: Project, user: int) -> Participant | None:
    """Find somebody's place in a study."""
    return db.scalar(select(Participant).where(Participant.project_id == project.id, Participant.user_id == user))


def participants(db: Orm, project: Project) -> list[Participant]:
    """Everybody who has agreed to a study, in the order in which they did."""
    chosen = select(Participant).where(Participant.project_id == project.id)
    return list(db.scalars(chosen.order_by(Participant.id)))


def by_outside(db: Orm, project: Project, outside: str) -> Participant | None:
    """Find the person of an outside id."""
    return db.scalar(select(Participant).where(Participant.project_id == project.id, Participant.outside == outside))


def enrol(
    db: Orm,
    site: Site,
    project: Project,
    user: int,
    *,
    outside: str | None = None,
    fields: Mapping[str, str] | None = None,
    spare: Callable[[], Sequence[int]] = lambda: (),
) -> Participant:
    """Take somebody in who has agreed; whoever is in already stays as they are.

    Args:
        db, site, project: where.
        user: who.
        outside: their id at the platform that sent them.
        fields: of the link by which they came.
        spare: gives forms of people whose answers don't count, which are given out again where no other is free.

    Raises:
        FullError: all forms are taken.
    """
    found = participant_of(db, project, user)
    if found is not None:
        return found
    now = site.settings.clock()
    part = part_of(project)
    form = _free_form(db, site, project, part, spare) if part.mode == STUDY else None
    content = {"fields": dict(fields or {}), "tasks": [] if form is None else _tasks(db, project, part, form)}
    fresh = Participant(
        project_id=project.id, user_id=user, form=form, outside=outside, state=BEGUN, breaks=0, joined=now, agreed=now,
        seen=now, content=content,
    )  # fmt: skip
    db.add(fresh)
    db.flush()
    record(db, site.settings, "agreed", project=project.id, user=user, form=form)
    return fresh


def new_account(db: Orm, site: Site, project: Project) -> User:
    """An account without a password for somebody who comes by the study's link, under a name that says nothing."""
    for number in range(10_000):
        drawn = int(site.sign("participant", project.id, site.settings.token(), number), 16)
        name = "P-" + "".join(_NAME_LETTERS[drawn // len(_NAME_LETTERS) ** k % len(_NAME_LETTERS)] for k in range(6))
        if db.scalar(select(User.id).where(User.name == name)) is None:
            break
    user = User(name=name, role="subject", password=None, created=site.settings.clock())
    db.add(user)
    db.flush()
    return user


def screen_out(site: Site, found: Participant) -> None:
    """Somebody's practice ended it; another gets their form."""
    found.state, found.form, found.ended = SCREENED, None, site.settings.clock()


def end(site: Site, found: Participant, why: str = "") -> None:
    """Somebody is at the end, or the time is."""
    found.state, found.ended = ENDED, site.settings.clock()
    if why:
        found.content = {**found.content, "why": why}


def is_full(db: Orm, site: Site, project: Project, spare: Callable[[], Sequence[int]]) -> bool:
    """Whether nobody new is taken in.

    Args:
        db, site, project: where.
        spare: as for `enrol`.
    """
    part = part_of(project)
    return part.mode == STUDY and _open_form(db, site, project, part, spare) is None


def _free_form(db: Orm, site: Site, project: Project, part: StudyPart, spare: Callable[[], Sequence[int]]) -> int:
    """The open form, taken from who has it."""
    found = _open_form(db, site, project, part, spare)
    if found is None:
        raise FullError(FULL)
    form, holder = found
    if holder is not None:
        holder.form = None
        if holder.state == BEGUN:
            holder.state = LAPSED
        db.flush()
        record(db, site.settings, "replaced", project=project.id, user=holder.user_id, form=form)
    return form


def _open_form(
    db: Orm, site: Site, project: Project, part: StudyPart, spare: Callable[[], Sequence[int]]
) -> tuple[int, Participant | None] | None:
    """The first form that nobody has; else that of who left long ago, or whose answers don't count, and who that is."""
    assert part.sample is not None
    own = participants(db, project)
    taken = {one.form for one in own if one.form is not None}
    free = next((form for form in range(part.sample.people) if form not in taken), None)
    if free is not None:
        return free, None
    late = site.settings.clock() - 3600 * part.sample.hours
    left_out = set(spare())
    for one in sorted(own, key=lambda one: one.seen):
        left = one.state == BEGUN and one.seen < late
        if one.form is not None and (left or (one.form in left_out and one.state == ENDED)):
            return one.form, one
    return None


def _tasks(db: Orm, project: Project, part: StudyPart, form: int) -> list[int]:
    """The tasks of a form, in the order in which they are asked."""
    seed = seed_of(project)
    chosen = select(Task).where(Task.project_id == project.id, Task.stage == STUDY).order_by(Task.id)
    tasks = list(db.scalars(chosen))
    sample = [task for task in tasks if form in task.content.get("forms", ())]
    if part.order.questions == "shuffled":
        sample = shuffled(sample, seed, "questions", form)
    elif part.order.questions == "strata":
        strata = list(dict.fromkeys(task.content["stratum"] for task in sample))
        sample = [
            task
            for stratum in strata
            for task in shuffled([t for t in sample if t.content["stratum"] == stratum], seed, stratum, form)
        ]
    checks = [task for task in tasks if task.content["role"] in (GOLD, ATTENTION)]
    return [task.id for task in with_checks(sample, checks, seed, form)]
