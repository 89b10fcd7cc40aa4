"""Contract of a mode of work: its settings, its routes, its tables of progress."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter
from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review.accounts.identity import AccountError, Person
from tolman.review.site import Site
from tolman.review.store.schema import ItemVersion, Project


@dataclass(frozen=True)
class ModeSetting:
    """A whole number that the owner chooses when a project is started."""

    name: str
    label: str
    default: int
    least: int = 1
    most: int = 20

    def read(self, text: str) -> int:
        """A form's value.

        Raises:
            AccountError: it is no whole number.
        """
        if not re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII):
            raise AccountError(f"{self.label}: a whole number, please.")
        return int(text)


@dataclass(frozen=True)
class Block:
    """A table of a progress page."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    note: str = ""


@dataclass(frozen=True)
class Mode:
    """One kind of work: its routes, who does it, how its tasks come about and how its progress is told.

    Attributes:
        name: of the module and of its addresses: an assignment's page is /NAME/ASSIGNMENT.
        title: on pages.
        purpose: one sentence for the owner who chooses it.
        stages: stage of a task → the roles that do it.
        router: its routes; each is given its roles by `allow`.
        start: (db, site, project, items) → makes the tasks of a new project.
        progress: (db, site, project) → tables of its progress page, beside those that all modes have.
        makes_items: whether people make items in it: those are published without a decision, which a review brings.
        settings: what the owner chooses.
        again: (db, site, project, version) → has a version looked at that was made anew after a correction; None where
            the mode has no flags.
        next_page: (db, site, project, person) → the address of the next page, where the mode itself says what comes
            next; None where it is the next free task.
        counts: (db, site, project, person) → how many tasks they have done and how many wait, likewise.
        in_parts: whether `start` may be given the items of a large benchmark part after part, each in a transaction of
            its own, so that others' pages don't wait.
        fixed: settings that the owner doesn't choose, such as {"pool": True} (all media may be looked through).
    """

    name: str
    title: str
    purpose: str
    stages: Mapping[str, tuple[str, ...]]
    router: APIRouter
    start: Callable[[Orm, Site, Project, Sequence[Item]], None]
    progress: Callable[[Orm, Site, Project], Sequence[Block]] = lambda db, site, project: ()
    makes_items: bool = False
    settings: tuple[ModeSetting, ...] = ()
    again: Callable[[Orm, Site, Project, ItemVersion], object] | None = None
    next_page: Callable[[Orm, Site, Project, Person], str] | None = None
    counts: Callable[[Orm, Site, Project, Person], tuple[int, int]] | None = None
    in_parts: bool = False
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def stages_for(self, *roles: str) -> list[str]:
        """The stages whose tasks somebody of some roles does."""
        return [stage for stage, theirs in self.stages.items() if set(roles) & set(theirs)]
