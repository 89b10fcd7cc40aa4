"""Who somebody is: accounts by invitation, passwords, sessions. Everything secret is stored as a hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, select
from sqlalchemy.orm import Session as Orm

from tolman.review.history import record
from tolman.review.schema import ROLES, Invitation, Session, User
from tolman.review.settings import Settings

OWNER = "owner"
SHORTEST_PASSWORD = 10
_HASHER = PasswordHasher()
_NOBODY = _HASHER.hash("nobody has this password")


class AccountError(Exception):
    """What somebody asked for isn't possible; the text is one sentence for them."""


@dataclass(frozen=True)
class Person:
    """Somebody who is signed in."""

    id: int
    name: str
    role: str


def hashed(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def ensure_owner(db: Orm, settings: Settings) -> User:
    """The owner's account, made where there is none."""
    owner = db.scalar(select(User).where(User.role == OWNER).order_by(User.id))
    if owner is None:
        owner = User(name=OWNER, role=OWNER, password=None, created=settings.clock())
        db.add(owner)
        db.flush()
    return owner


def invite(
    db: Orm, settings: Settings, role: str, *, note: str = "", user: int | None = None, hours: float | None = None
) -> str:
    """A token that is good once: for a new account of a role, or to sign in as a user.

    Raises:
        AccountError: there is no such role.
    """
    if role not in ROLES:
        raise AccountError(f"There is no role '{role}'.")
    token, now = settings.token(), settings.clock()
    expires = now + 3600 * (settings.invitation_hours if hours is None else hours)
    db.add(Invitation(token=hashed(token), role=role, note=note, user_id=user, created=now, expires=expires))
    db.flush()
    return token


def invitation(db: Orm, settings: Settings, token: str, *, to_sign_in: bool) -> Invitation:
    """What a token is good for.

    Raises:
        AccountError: nothing, or nothing any more.
    """
    found = db.scalar(select(Invitation).where(Invitation.token == hashed(token)))
    if found is None or (found.user_id is not None) != to_sign_in:
        raise AccountError("This link is not known. Ask for a new one.")
    if found.used is not None:
        raise AccountError("This link was used already. Sign in, or ask for a new one.")
    if found.expires < settings.clock():
        raise AccountError("This link is too old. Ask for a new one.")
    return found


def accept(db: Orm, settings: Settings, token: str, name: str, password: str) -> User:
    """Make the account that a token invites to.

    Raises:
        AccountError: the token is not good, the name is taken, or the password too short.
    """
    found = invitation(db, settings, token, to_sign_in=False)
    name = " ".join(name.split())
    if not name:
        raise AccountError("Give a name.")
    if db.scalar(select(User.id).where(User.name == name)) is not None:
        raise AccountError(f"The name '{name}' is taken. Choose another.")
    user = User(name=name, role=found.role, password=hash_password(password), created=settings.clock())
    db.add(user)
    db.flush()
    found.used = settings.clock()
    record(db, settings, "joined", user=user.id, role=user.role)
    return user


def enter(db: Orm, settings: Settings, token: str) -> User:
    """The user that a sign-in link is for; the link is used up.

    Raises:
        AccountError: the token is not good.
    """
    found = invitation(db, settings, token, to_sign_in=True)
    user = db.get_one(User, found.user_id)
    if not user.active:
        raise AccountError("This account is closed.")
    found.used = settings.clock()
    return user


def hash_password(password: str) -> str:
    """By Argon2id.

    Raises:
        AccountError: the password is too short.
    """
    if len(password) < SHORTEST_PASSWORD:
        raise AccountError(f"A password needs {SHORTEST_PASSWORD} characters or more.")
    return _HASHER.hash(password)


def check_password(db: Orm, name: str, password: str) -> User | None:
    """The user of that name and password. An unknown name takes as long as a wrong password."""
    user = db.scalar(select(User).where(User.name == " ".join(name.split())))
    usable = user is not None and user.active and user.password is not None
    try:
        _HASHER.verify(user.password if user is not None and usable and user.password else _NOBODY, password)
    except (VerificationError, InvalidHashError):
        return None
    return user if usable else None


def sign_in(db: Orm, settings: Settings, user: User, old_token: str | None) -> str:
    """A new session; whatever cookie the browser came with is worth nothing from now on."""
    if old_token:
        sign_out(db, old_token)
    now, token = settings.clock(), settings.token()
    db.execute(delete(Session).where(Session.expires < now))
    db.add(Session(id=hashed(token), user_id=user.id, created=now, expires=now + 3600 * settings.session_hours))
    return token


def sign_out(db: Orm, token: str) -> None:
    """End a session."""
    db.execute(delete(Session).where(Session.id == hashed(token)))


def person_of(db: Orm, settings: Settings, token: str) -> Person | None:
    """Who a cookie stands for."""
    found = db.get(Session, hashed(token))
    if found is None or found.expires < settings.clock() or not found.user.active:
        return None
    return Person(found.user.id, found.user.name, found.user.role)


def close_account(db: Orm, user: User) -> None:
    """Nobody signs in to it any more; what was done with it stays."""
    user.active = False
    db.execute(delete(Session).where(Session.user_id == user.id))
