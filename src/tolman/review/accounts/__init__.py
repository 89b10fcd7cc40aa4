"""Accounts: who people are, the links by which they come in, their sessions, and where they may work.

Accounts are made by invitation; everything secret is stored as a hash. The owner sees whose each link is and whether it
is still good, and may revoke it. A person has roles, and belongs to projects that aren't open to everybody. Owners
belong to every project, and a study's participants belong to its project, however they came.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, and_, bindparam, delete, insert, or_, select, update
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.protection import is_common
from tolman.review.server_settings import ReviewSettings
from tolman.review.store import ROLES, Invitation, Member, Participant, Project, Session, User
from tolman.review.store.database import record

OWNER = "owner"
SHORTEST_PASSWORD = 10
RESET_HOURS = 24.0
JOIN, ENTER, RESET = "join", "enter", "reset"
"""Purposes of a link."""
_SHARE = 0.02
"""Of the idle time, after which a session in use is written down again: a page in thousands writes."""
_INVISIBLE = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
"""Unicode's categories of characters that can't be seen, or mean something else everywhere."""


_SESSION = (
    select(User.id, User.name, User.role, User.further, User.active, Session.expires, Session.seen)
    .join_from(Session, User, User.id == Session.user_id)
    .where(Session.id == bindparam("session"))
)


class AccountError(Exception):
    """A refused request about an account; the text is one sentence for the person."""


@dataclass(frozen=True)
class Person:
    """A person who is signed in.

    Attributes:
        id, name: of the account.
        role: the first of their roles, in the order of `ROLES`.
        further: the others.
        stale: whether it is a while ago that their session was seen (`saw`).
    """

    id: int
    name: str
    role: str
    further: tuple[str, ...] = ()
    stale: bool = field(default=False, compare=False)

    @property
    def roles(self) -> tuple[str, ...]:
        """All roles, the first in the order of `ROLES` first."""
        return (self.role, *self.further)

    @property
    def is_owner(self) -> bool:
        """Check whether they own the review."""
        return self.role == OWNER


def hash_token(token: str) -> str:
    """Hash under which a token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def ensure_owner(db: Orm, settings: ReviewSettings) -> User:
    """The owner's account, made where there is none."""
    owner = db.scalar(select(User).where(User.role == OWNER).order_by(User.id))
    if owner is None:
        owner = User(name=OWNER, role=OWNER, password=None, created=settings.clock())
        db.add(owner)
        db.flush()
    return owner


def invite(
    db: Orm,
    settings: ReviewSettings,
    role: str,
    *,
    note: str = "",
    user: int | None = None,
    hours: float | None = None,
    purpose: str | None = None,
) -> str:
    """A token that is good once: for a new account of a role, to sign in as a user, or to set their password.

    Raises:
        AccountError: there is no such role.
    """
    if role not in ROLES:
        raise AccountError(f"There is no role '{role}'.")
    token, now = settings.token(), settings.clock()
    expires = now + 3600 * (settings.invitation_hours if hours is None else hours)
    purpose = purpose or (JOIN if user is None else ENTER)
    db.add(
        Invitation(
            token=hash_token(token), role=role, purpose=purpose, note=note, user_id=user, created=now, expires=expires
        )
    )
    db.flush()
    return token


def invitation(db: Orm, settings: ReviewSettings, token: str, purpose: str) -> Invitation:
    """Find the invitation of a token.

    Raises:
        AccountError: nothing, or nothing any more.
    """
    found = db.scalar(select(Invitation).where(Invitation.token == hash_token(token)))
    if found is None or found.purpose != purpose:
        raise AccountError("This link is not known. Ask for a new one.")
    state = _state(found, settings.clock())
    if state != OPEN:
        raise AccountError(_CLOSED[state])
    return found


def accept(db: Orm, settings: ReviewSettings, token: str, name: str, stored: str) -> User:
    """Make the account that a token invites to.

    Args:
        db: written.
        settings: the clock.
        token: of the link.
        name: chosen by the person.
        stored: the password's hash.

    Raises:
        AccountError: the token is not good, or the name is taken or indistinguishable from another.
    """
    found = invitation(db, settings, token, JOIN)
    name = plain_name(name)
    if not name or any(unicodedata.category(c) in _INVISIBLE for c in name):
        raise AccountError("Give a name of letters that can be seen.")
    if any(one.casefold() == name.casefold() for one in db.scalars(select(User.name))):
        raise AccountError(f"The name '{name}' is taken. Choose another.")
    user = User(name=name, role=found.role, password=stored, created=settings.clock())
    db.add(user)
    db.flush()
    found.used, found.user_id = settings.clock(), user.id
    record(db, settings, "joined", user=user.id, role=user.role, invitation=found.id)
    return user


def enter(db: Orm, settings: ReviewSettings, token: str, purpose: str = ENTER) -> User:
    """The user that a link is for, to sign in if nothing else is said; the link is used up.

    Raises:
        AccountError: the token is not good, or the account is closed.
    """
    found = invitation(db, settings, token, purpose)
    user = db.get_one(User, found.user_id)
    if not user.active:
        raise AccountError("This account is closed.")
    found.used = settings.clock()
    return user


def reset_password(db: Orm, settings: ReviewSettings, user: User) -> str:
    """Return a token for setting a new password once. The old password, all sessions and all earlier links of the
    account become invalid."""
    end_sessions(db, user)
    user.password = None
    now = settings.clock()
    standing = (Invitation.user_id == user.id, Invitation.used.is_(None), Invitation.revoked.is_(None))
    for link in db.scalars(select(Invitation).where(*standing)):
        link.revoked = now
    return invite(db, settings, user.role, user=user.id, purpose=RESET, hours=RESET_HOURS)


def set_by_link(db: Orm, settings: ReviewSettings, token: str, stored: str) -> User:
    """Set the password that a reset link is for; the link is used up.

    Raises:
        AccountError: the token is not good, or the account is closed.
    """
    user = enter(db, settings, token, RESET)
    user.password = stored
    end_sessions(db, user)
    record(db, settings, "password", user=user.id, by="link")
    return user


def check_new(password: str, again: str, name: str = "") -> None:
    """Check that a password may be set for a person with this name.

    Raises:
        AccountError: the two differ, or it is too short or among the first that others would try.
    """
    if password != again:
        raise AccountError("The two passwords differ.")
    if len(password) < SHORTEST_PASSWORD:
        raise AccountError(f"A password needs {SHORTEST_PASSWORD} characters or more.")
    if is_common(password, [name, *name.split()]):
        raise AccountError("Many people have this password, or it is a name. Take another; a few words are good.")


def plain_name(name: str) -> str:
    """A name as it is stored and looked for, however its blanks and accents were typed."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def user_of(db: Orm, name: str) -> User | None:
    """The user of a name who can sign in by password."""
    # Names of earlier versions were stored as they were typed.
    user = db.scalar(select(User).where(User.name.in_({plain_name(name), " ".join(name.split())})).order_by(User.id))
    return user if user is not None and user.active and user.password is not None else None


def sign_in(db: Orm, settings: ReviewSettings, user: User, old_token: str | None) -> str:
    """Begin a new session and invalidate the browser's earlier cookie."""
    if old_token:
        sign_out(db, old_token)
    now, token = settings.clock(), settings.token()
    db.execute(delete(Session).where(Session.expires < now))
    expires = now + 3600 * settings.session_hours
    db.add(Session(id=hash_token(token), user_id=user.id, created=now, expires=expires, seen=now))
    return token


def sign_out(db: Orm, token: str) -> None:
    """End a session."""
    db.execute(delete(Session).where(Session.id == hash_token(token)))


def person_of(db: Connection, settings: ReviewSettings, token: str) -> Person | None:
    """Find the person of a cookie."""
    found = db.execute(_SESSION, {"session": hash_token(token)}).first()
    now = settings.clock()
    if found is None or found.expires < now or not found.active:
        return None
    idle, passed = 3600 * settings.idle_hours, now - found.seen
    if found.seen and passed > idle:
        return None
    return Person(found.id, found.name, found.role, tuple(found.further), stale=passed > idle * _SHARE)


def saw(db: Orm, settings: ReviewSettings, token: str) -> None:
    """Write down that the browser of a session is in use."""
    db.execute(update(Session).where(Session.id == hash_token(token)).values(seen=settings.clock()))


def end_sessions(db: Orm, user: User) -> None:
    """Sign a person out everywhere."""
    db.execute(delete(Session).where(Session.user_id == user.id))


OPEN, USED, REVOKED, EXPIRED = "open", "used", "revoked", "expired"
"""States of a link."""
PAST_SHOWN = 100
"""Links listed that are good no more; the audit log has them all."""
_CLOSED = {
    USED: "This link was used already. Sign in, or ask for a new one.",
    REVOKED: "This link was taken back. Ask for a new one.",
    EXPIRED: "This link is too old. Ask for a new one.",
}
PURPOSES = {JOIN: "new account", ENTER: "sign in", RESET: "new password"}


def listed_links(db: Orm, settings: ReviewSettings) -> list[tuple[Invitation, str | None, str]]:
    """All links that are still good, then the last of the others; the newest first in both.

    With each are the name of the account that it signs in to or has made, and its state.
    """
    now = settings.clock()
    good = and_(Invitation.used.is_(None), Invitation.revoked.is_(None), Invitation.expires >= now)
    chosen = (
        select(Invitation, User.name)
        .outerjoin(User, User.id == Invitation.user_id)
        .order_by(Invitation.created.desc(), Invitation.id.desc())
    )
    rows = [*db.execute(chosen.where(good)), *db.execute(chosen.where(~good).limit(PAST_SHOWN))]
    return [(found, name, _state(found, now)) for found, name in rows]


def revoke_link(settings: ReviewSettings, found: Invitation) -> bool:
    """Take a link back; False where it is good no more anyway."""
    now = settings.clock()
    if _state(found, now) != OPEN:
        return False
    found.revoked = now
    return True


def _state(found: Invitation, now: float) -> str:
    if found.used is not None:
        return USED
    if found.revoked is not None:
        return REVOKED
    return EXPIRED if found.expires < now else OPEN


SUBJECT = "subject"


def set_roles(db: Orm, user: User, roles: Iterable[str]) -> None:
    """Replace a person's roles, with effect from the next request.

    Raises:
        AccountError: there is none, or they don't go together, or the review would have no owner left.
    """
    given = set(roles)
    wanted = [role for role in ROLES if role in given]
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
    """Check whether a project is open to a person, regardless of their role in it."""
    if person.is_owner or not project.restricted:
        return True
    member = select(Member.user_id).where(Member.project_id == project.id, Member.user_id == person.id)
    taking_part = select(Participant.id).where(Participant.project_id == project.id, Participant.user_id == person.id)
    return any(db.execute(one.limit(1)).first() is not None for one in (member, taking_part))


def members(db: Orm, project: Project) -> set[int]:
    """Return the ids of the people chosen by the owner for a project."""
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
    users = select(User).where(User.active).order_by(User.name)
    if project.restricted:  # `belongs`, of all people at once
        chosen = select(Member.user_id).where(Member.project_id == project.id)
        taking_part = select(Participant.user_id).where(Participant.project_id == project.id)
        users = users.where(or_(User.role == OWNER, User.id.in_(chosen), User.id.in_(taking_part)))
    found = [Person(user.id, user.name, user.role, tuple(user.further)) for user in db.scalars(users)]
    return [one for one in found if roles & set(one.roles)]


def set_projects(db: Orm, user: User, projects: Iterable[int]) -> list[str]:
    """Limit a person to the named ones among the restricted projects, and return the names of their projects."""
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
