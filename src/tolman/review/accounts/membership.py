"""Who may work where: roles of a person, and people of a project that isn't open to everybody.

An owner is everywhere. Whoever takes part in a study is in it, however they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import OWNER, AccountError, Person
from tolman.review.store.schema import ROLES, Member, Participant, Project, User

SUBJECT = "subject"


def set_roles(db: Orm, user: User, roles: Iterable[str]) -> None:
    """Give somebody roles in place of those they have; they hold from the next request on.

    Raises:
        AccountError: there is none, or they don't go together, or nobody would be left who owns the review.
    """
    wanted = [role for role in ROLES if role in set(roles)]
    if not wanted:
        raise AccountError("Choose one role or more; an account that is not needed is closed.")
    if SUBJECT in wanted and len(wanted) > 1:
        raise AccountError("A subject has no other role: whoever writes or reviews questions knows their answers.")
    if user.role == OWNER and OWNER not in wanted:
        others = select(User.id).where(User.role == OWNER, User.id != user.id, User.active)
        if db.scalar(others.limit(1)) is None:
            raise AccountError("Nobody else is an owner. Make somebody an owner first.")
    user.role, user.further = wanted[0], wanted[1:]


def belongs(db: Orm, person: Person, project: Project) -> bool:
    """Tell whether a project is open to somebody, whatever their role does there."""
    if person.is_owner or not project.restricted:
        return True
    member = select(Member.user_id).where(Member.project_id == project.id, Member.user_id == person.id)
    taking_part = select(Participant.id).where(Participant.project_id == project.id, Participant.user_id == person.id)
    return any(db.execute(one.limit(1)).first() is not None for one in (member, taking_part))


def members(db: Orm, project: Project) -> set[int]:
    """Ids of the people whom the owner chose for a project."""
    return set(db.scalars(select(Member.user_id).where(Member.project_id == project.id)))


def set_members(db: Orm, project: Project, users: Iterable[int], *, restricted: bool) -> None:
    """Have some people in a project, or everybody; who was chosen is kept either way.

    Raises:
        AccountError: there is no such account.
    """
    wanted = sorted(set(users))
    known = set(db.scalars(select(User.id).where(User.id.in_(wanted))))
    if set(wanted) - known:
        raise AccountError("One of the people has no account any more. Load the page again.")
    project.restricted = restricted
    db.execute(delete(Member).where(Member.project_id == project.id))
    if wanted:
        db.execute(insert(Member), [{"project_id": project.id, "user_id": user} for user in wanted])


def workers(db: Orm, project: Project, stages: Mapping[str, Sequence[str]]) -> list[Person]:
    """Everybody who may work in a project whose stages are for some roles, by name."""
    roles = {role for theirs in stages.values() for role in theirs}
    users = db.scalars(select(User).where(User.active).order_by(User.name))
    found = [Person(user.id, user.name, user.role, tuple(user.further)) for user in users]
    return [one for one in found if roles & set(one.roles) and belongs(db, one, project)]


def set_projects(db: Orm, user: User, projects: Iterable[int]) -> list[str]:
    """Have somebody in those of the restricted projects that are named, and in no other; the names of theirs."""
    wanted, theirs = set(projects), []
    for project in db.scalars(select(Project).where(Project.restricted).order_by(Project.id)):
        found = db.get(Member, (project.id, user.id))
        if project.id in wanted:
            theirs.append(project.name)
            if found is None:
                db.add(Member(project_id=project.id, user_id=user.id))
        elif found is not None:
            db.delete(found)
    return theirs


def same_members(db: Orm, one: Project, other: Project) -> None:
    """Have the people of one project in another, which comes after it."""
    if one.restricted:
        set_members(db, other, members(db, one), restricted=True)
