"""Backups of a review: written while it is served, given back, and taken before an upgrade."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.extras import needs

if TYPE_CHECKING:
    from tolman.review.store.backup import Backup


@dataclass(frozen=True, kw_only=True)
class BackupPlaces:
    """Where the parts of a review are that a backup holds.

    Attributes:
        store: the folder of the database and of what items were made of.
        database: PostgreSQL's URL; SQLite in the store where None.
        pool: the media pool that files were added to, where there is one.
        scenes: the scenes whose corrections are kept, where there are any.
    """

    store: Path
    database: str | None = None
    pool: Path | None = None
    scenes: Path | None = None


def backup_review(places: BackupPlaces, out: Path) -> Backup:
    """Write a backup while the server may run; see `tolman.review.store.backup`."""
    with needs("review", "The web application"):
        from tolman.review.store.backup import back_up
    return back_up(places.store, places.database, out, _beside(places))


def restore_review(places: BackupPlaces, backup: Path) -> Backup:
    """Give everything of a backup back, into places where there is nothing."""
    with needs("review", "The web application"):
        from tolman.review.store.backup import restore
    return restore(backup, places.store, places.database, _beside(places))


def upgrade_review(places: BackupPlaces, backup: Path | None) -> tuple[str, str]:
    """Bring a database to this version's tables, after a backup where one is named: its version before and now."""
    with needs("review", "The web application"):
        from tolman.review.store.backup import upgrade
    if backup is not None:
        backup_review(places, backup)
    return upgrade(places.store, places.database)


def _beside(places: BackupPlaces) -> dict[str, Path]:
    found = {"pool": places.pool, "scenes": places.scenes}
    return {name: folder for name, folder in found.items() if folder is not None}
