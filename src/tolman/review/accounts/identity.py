"""Identity of people: accounts by invitation, passwords, sessions. Everything secret is stored as a hash."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.passwords import is_common
from tolman.review.settings import ReviewSettings
from tolman.review.store.history import record
from tolman.review.store.schema import ROLES, Invitation, Session, User

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
    """Somebody who is signed in.

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
        """Whether they own the review."""
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
    if found.used is not None:
        raise AccountError("This link was used already. Sign in, or ask for a new one.")
    if found.revoked is not None:
        raise AccountError("This link was taken back. Ask for a new one.")
    if found.expires < settings.clock():
        raise AccountError("This link is too old. Ask for a new one.")
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
        AccountError: the token is not good, or the name is taken or can't be told from another.
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


def enter(db: Orm, settings: ReviewSettings, token: str) -> User:
    """The user that a sign-in link is for; the link is used up.

    Raises:
        AccountError: the token is not good.
    """
    found = invitation(db, settings, token, ENTER)
    user = db.get_one(User, found.user_id)
    if not user.active:
        raise AccountError("This account is closed.")
    found.used = settings.clock()
    return user


def reset_password(db: Orm, settings: ReviewSettings, user: User) -> str:
    """A token by which somebody sets a new password, once. The old password, all sessions and all earlier links of the
    account are worth nothing from now on."""
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
    found = invitation(db, settings, token, RESET)
    user = db.get_one(User, found.user_id)
    if not user.active:
        raise AccountError("This account is closed.")
    found.used = settings.clock()
    user.password = stored
    end_sessions(db, user)
    record(db, settings, "password", user=user.id, by="link")
    return user


def check_new(password: str, again: str, name: str = "") -> None:
    """Tell whether a password may be set for somebody of a name.

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
    """A new session; whatever cookie the browser came with is worth nothing from now on."""
    if old_token:
        sign_out(db, old_token)
    now, token = settings.clock(), settings.token()
    db.execute(delete(Session).where(Session.expires < now))
    db.add(
        Session(
            id=hash_token(token), user_id=user.id, created=now, expires=now + 3600 * settings.session_hours, seen=now
        )
    )
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


def close_account(db: Orm, user: User) -> None:
    """Nobody signs in to it any more; what was done with it stays."""
    user.active = False
    end_sessions(db, user)


def end_sessions(db: Orm, user: User) -> None:
    """Sign somebody out everywhere."""
    db.execute(delete(Session).where(Session.user_id == user.id))
