"""Links by which people come in, as the owner sees them: whose each is, whether it is still good, revoking it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import and_, select
from sqlalchemy.orm import Session as Orm

from tolman.review.accounts.identity import ENTER, JOIN, RESET
from tolman.review.settings import ReviewSettings
from tolman.review.store.schema import Invitation, User

OPEN, USED, REVOKED, EXPIRED = "open", "used", "revoked", "expired"
"""States of a link."""
PAST_SHOWN = 100
"""Links listed that are good no more; the audit log has them all."""
_PURPOSES = {JOIN: "new account", ENTER: "sign in", RESET: "new password"}


@dataclass(frozen=True)
class ListedLink:
    """A link without its secret, which nobody can read again.

    Attributes:
        id: of its row.
        what: it does, in words.
        role: of whom it lets in.
        note: who it is for, as the owner wrote.
        account: name of the account that it signs in to or has made, or None.
        state: open, used, revoked or expired.
        created, expires: seconds since 1970.
        ended: when it was used or revoked.
    """

    id: int
    what: str
    role: str
    note: str
    account: str | None
    state: str
    created: float
    expires: float
    ended: float | None


def listed(db: Orm, settings: ReviewSettings) -> list[ListedLink]:
    """All links that are still good, then the last of the others; the newest first in both."""
    now = settings.clock()
    good = and_(Invitation.used.is_(None), Invitation.revoked.is_(None), Invitation.expires >= now)
    chosen = (
        select(Invitation, User.name)
        .outerjoin(User, User.id == Invitation.user_id)
        .order_by(Invitation.created.desc(), Invitation.id.desc())
    )
    rows = [*db.execute(chosen.where(good)), *db.execute(chosen.where(~good).limit(PAST_SHOWN))]
    return [_told(found, name, now) for found, name in rows]


def revoke(settings: ReviewSettings, found: Invitation) -> bool:
    """Take a link back; False where it is good no more anyway."""
    now = settings.clock()
    if _state(found, now) != OPEN:
        return False
    found.revoked = now
    return True


def _told(found: Invitation, name: str | None, now: float) -> ListedLink:
    return ListedLink(
        id=found.id, what=_PURPOSES[found.purpose], role=found.role, note=found.note, account=name,
        state=_state(found, now), created=found.created, expires=found.expires, ended=found.used or found.revoked,
    )  # fmt: skip


def _state(found: Invitation, now: float) -> str:
    if found.used is not None:
        return USED
    if found.revoked is not None:
        return REVOKED
    return EXPIRED if found.expires < now else OPEN
