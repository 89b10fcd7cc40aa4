"""The tables of a review database, the same on SQLite and PostgreSQL, for all kinds of work.

```
projects      one kind of work on one benchmark folder
users         owner, annotators, reviewers, subjects      invitations, sessions   how they come in
items         every version of every item                 media                   what may be sent, by opaque name
tasks         something to be done, by `wanted` people    exclusions              who must not do it
assignments   who does it: at most one for each slot      drafts                  what isn't submitted yet
undone        submissions that were taken back         trials                  models' attempts at what is written
submissions   what was submitted: only ever added         decisions               what became of an item, and why
starting      projects being made part after part         attempts                failed sign-ins, for their limits
flags         what somebody doubts, and what became of it history                 who did what when
participants  people in studies                           members                 people of restricted projects
acts          what the owner did with questions           acted                   what an act changed of each
```

A task belongs to a stage of its project's mode (`answer`; `review`, then `adjudicate`; …). Two laws are the database's
own, so that no race can break them: a task's slot is held by one person, and an assignment has one submission for each
attempt at a step. Times are seconds since 1970.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, MetaData, String, Text, UniqueConstraint, false, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import Double

ROLES = ("owner", "annotator", "reviewer", "subject")


class Base(DeclarativeBase):
    """All tables."""

    type_annotation_map = {dict[str, Any]: JSON, float: Double, str: Text}  # noqa: RUF012
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Fact(Base):
    """Facts about the database as a whole: the key that names and tokens are made with."""

    __tablename__ = "facts"
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[str]


class User(Base):
    """A person. Without a password, one can sign in by a link only; who isn't active can't at all."""

    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[str] = mapped_column(String(16))  # the first of theirs in the order of `ROLES`
    further: Mapped[list[str]] = mapped_column(JSON, default=list, server_default=text("'[]'"))  # the others
    password: Mapped[str | None]
    active: Mapped[bool] = mapped_column(default=True)
    created: Mapped[float]


class Invitation(Base):
    """A link that is good for one use: it makes an account of a role, or signs in the user it names, or lets them set a
    new password."""

    __tablename__ = "invitations"
    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(String(64), unique=True)  # a hash: who reads the database can't use it
    role: Mapped[str] = mapped_column(String(16))
    purpose: Mapped[str] = mapped_column(String(16), server_default=text("'join'"))  # join, enter, reset
    note: Mapped[str] = mapped_column(default="")  # who it is for
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))  # signed in, or with an account made by it
    created: Mapped[float]
    expires: Mapped[float]
    used: Mapped[float | None]
    revoked: Mapped[float | None]


class Session(Base):
    """The session of a person who is signed in, by the hash of their cookie."""

    __tablename__ = "sessions"
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    created: Mapped[float]
    expires: Mapped[float]
    seen: Mapped[float] = mapped_column(default=0.0, server_default=text("0"))  # when the cookie last came, roughly
    user: Mapped[User] = relationship(lazy="joined")


class SignInAttempt(Base):
    """An attempt to give a password that hasn't succeeded, under one of the keys that are limited."""

    __tablename__ = "attempts"
    __table_args__ = (Index(None, "key", "at"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    attempt: Mapped[str] = mapped_column(String(32), index=True)  # shared by the rows of one attempt
    key: Mapped[str] = mapped_column(String(32))  # made with the site's key: it reveals no name or address
    at: Mapped[float]
    ends: Mapped[float] = mapped_column(index=True)  # after which it counts no more


class Starting(Base):
    """A project whose tasks are being made part after part; the row goes when all are there."""

    __tablename__ = "starting"
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    problem: Mapped[str] = mapped_column(default="")


class Project(Base):
    """One kind of work on one benchmark folder, with the mode's settings."""

    __tablename__ = "projects"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120), unique=True)
    mode: Mapped[str] = mapped_column(String(32))
    benchmark: Mapped[str]
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)
    open: Mapped[bool] = mapped_column(default=True)
    restricted: Mapped[bool] = mapped_column(default=False, server_default=false())  # to its members
    created: Mapped[float]


class Member(Base):
    """A person chosen by the owner for a project."""

    __tablename__ = "members"
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)


class ItemVersion(Base):
    """One version of an item: `content` is the Item; the current one is the highest that isn't withdrawn."""

    __tablename__ = "items"
    __table_args__ = (UniqueConstraint("project_id", "item", "version"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    item: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)
    current: Mapped[bool] = mapped_column(default=True)
    content: Mapped[dict[str, Any]]
    scene: Mapped[str | None] = mapped_column(index=True)
    origin: Mapped[str] = mapped_column(String(32), default="benchmark")  # benchmark, written, revised, regenerated
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    reason: Mapped[str] = mapped_column(default="")
    missed: Mapped[int | None]  # models whose answers that are known here are wrong; None where none was asked
    created: Mapped[float]


class Medium(Base):
    """A video or image of the folder, under the only name that leaves the server."""

    __tablename__ = "media"
    __table_args__ = (UniqueConstraint("project_id", "path", "row", "place"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    name: Mapped[str] = mapped_column(String(64), unique=True)
    kind: Mapped[str] = mapped_column(String(8))
    path: Mapped[str]
    row: Mapped[int] = mapped_column(default=-1)  # of a table that holds it, with its place in the row's list
    place: Mapped[int] = mapped_column(default=-1)


class Task(Base):
    """Something to be done by `wanted` people, or by everybody where that is None."""

    __tablename__ = "tasks"
    __table_args__ = (
        UniqueConstraint("project_id", "stage", "key"),
        Index(None, "project_id", "stage", "open", "position"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    stage: Mapped[str] = mapped_column(String(32))
    key: Mapped[str]  # names its subject, so that making tasks again makes none twice
    item_id: Mapped[int | None] = mapped_column(ForeignKey("items.id"), index=True)
    position: Mapped[str] = mapped_column(String(64))  # in the order of these texts, which no answer has a part in
    wanted: Mapped[int | None]
    open: Mapped[bool] = mapped_column(default=True)
    content: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[float]
    project: Mapped[Project] = relationship(lazy="joined")
    item: Mapped[ItemVersion | None] = relationship(lazy="joined")

    @property
    def version(self) -> ItemVersion:
        """The version of the item that it is about; for tasks about one."""
        assert self.item is not None
        return self.item


class TaskMedium(Base):
    """Media of a task: only people assigned to it may load them, and they may load no others."""

    __tablename__ = "task_media"
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"), primary_key=True)
    medium_id: Mapped[int] = mapped_column(ForeignKey("media.id"), primary_key=True, index=True)


class Exclusion(Base):
    """A person who must not be given a task: the author of the work that it checks."""

    __tablename__ = "exclusions"
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), primary_key=True)


class Assignment(Base):
    """A person on a task: held until it expires, lapsed when another took the slot, then done; reported where it can't
    be done, as a medium is broken. It is voided where the owner took back their submission and asks others.
    """

    __tablename__ = "assignments"
    __table_args__ = (
        UniqueConstraint("task_id", "user_id"),
        UniqueConstraint("task_id", "slot"),
        Index(None, "user_id", "state"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    slot: Mapped[int | None]  # None where the task is for everybody, or the slot is another's by now
    state: Mapped[str] = mapped_column(String(8), default="held")  # held, lapsed, done, reported, voided
    taken: Mapped[float]
    expires: Mapped[float]
    done: Mapped[float | None]
    task: Mapped[Task] = relationship(lazy="joined")
    draft: Mapped[SavedDraft | None] = relationship(cascade="all, delete-orphan")


class Submission(Base):
    """A submission. Rows are only ever added; the database refuses to change or delete one.

    Those that are taken back (`Undone`) are found by no query, unless it asks for them: see `database.WITH_UNDONE`.
    """

    __tablename__ = "submissions"
    __table_args__ = (UniqueConstraint("assignment_id", "step", "attempt"), UniqueConstraint("user_id", "key"))
    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"))
    task_id: Mapped[int] = mapped_column(ForeignKey("tasks.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    step: Mapped[str] = mapped_column(String(32))
    attempt: Mapped[int] = mapped_column(default=0, server_default=text("0"))  # how many were taken back before it
    key: Mapped[str] = mapped_column(String(64))  # the form's: the same form sent twice is one submission
    content: Mapped[dict[str, Any]]
    seconds: Mapped[float | None]  # while the page was visible
    marks: Mapped[list[str] | None] = mapped_column(JSON(none_as_null=True))  # None: never checked; see `tasks.MARKS`
    created: Mapped[float]


class Undone(Base):
    """A submission that was taken back: by its person, or by the owner with a reason. Rows are only ever added."""

    __tablename__ = "undone"
    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submissions.id"), unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))  # who took it back
    reason: Mapped[str] = mapped_column(default="", server_default=text("''"))
    created: Mapped[float]


class Trial(Base):
    """A model's attempt at a question that is being written."""

    __tablename__ = "trials"
    __table_args__ = (UniqueConstraint("assignment_id", "digest", "model", "view"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"))
    digest: Mapped[str] = mapped_column(String(64))  # of the question as it was tried
    model: Mapped[str]
    view: Mapped[str] = mapped_column(String(64))  # the part that it was shown
    state: Mapped[str] = mapped_column(String(8), default="waiting")  # waiting, done, failed
    content: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[float]


class SavedDraft(Base):
    """Form contents that are not submitted yet, and the seconds for which the person has looked at them."""

    __tablename__ = "drafts"
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"), primary_key=True)
    content: Mapped[dict[str, Any]]
    seconds: Mapped[float] = mapped_column(default=0.0)
    updated: Mapped[float]


class Decision(Base):
    """A decision about an item, with its reason.

    Those that an act took back are found by no query, as it is with submissions: see `database.WITH_UNDONE`.
    """

    __tablename__ = "decisions"
    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), index=True)
    task_id: Mapped[int | None] = mapped_column(ForeignKey("tasks.id"))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))  # None where people agreed
    verdict: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str] = mapped_column(default="")
    content: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[float]
    taken_back: Mapped[int | None] = mapped_column(ForeignKey("acts.id"))  # by which act; None while it is valid


class Act(Base):
    """An act of the owner on some questions, as a whole: they are reopened, left out, taken in again, given to a
    person, or a submission is voided. It is carried out part after part (`console.acts`).
    """

    __tablename__ = "acts"
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    kind: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(8), default="doing")  # doing, done, undoing, undone
    reason: Mapped[str] = mapped_column(default="")
    content: Mapped[dict[str, Any]] = mapped_column(default=dict)  # the recipient; the filter; the result of an undoing
    total: Mapped[int]
    created: Mapped[float]
    ended: Mapped[float | None]
    undone_by: Mapped[int | None] = mapped_column(ForeignKey("users.id"))


class Acted(Base):
    """An act's part about one version of an item: its change, the state before it, or the reason why there was none."""

    __tablename__ = "acted"
    __table_args__ = (Index(None, "act_id", "state", "item_id"),)
    act_id: Mapped[int] = mapped_column(ForeignKey("acts.id"), primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), primary_key=True, index=True)
    state: Mapped[str] = mapped_column(String(8))  # waiting, done, passed over; then undone, kept as people went on
    why: Mapped[str] = mapped_column(default="", server_default=text("''"))  # it was passed over
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    seen: Mapped[int | None]  # the last submission that was there


class Flag(Base):
    """A doubt about an item, or about the scene, template or rule that it came from."""

    __tablename__ = "flags"
    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("items.id"), index=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    target: Mapped[str] = mapped_column(String(16))  # item, scene, template, rule
    reason: Mapped[str]
    open: Mapped[bool] = mapped_column(default=True)
    content: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[float]
    closed: Mapped[float | None]
    closed_by: Mapped[int | None] = mapped_column(ForeignKey("users.id"))


class Participant(Base):
    """A person in a study: their consent, form and progress.

    A form is held by one person, and an outside id is one person, by the database's own law.
    """

    __tablename__ = "participants"
    __table_args__ = (
        UniqueConstraint("project_id", "user_id"),
        UniqueConstraint("project_id", "form"),
        UniqueConstraint("project_id", "outside"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"), index=True)
    form: Mapped[int | None]  # None where the kind of work has no forms, or it is another's by now
    outside: Mapped[str | None] = mapped_column(String(200))  # their id at the platform that sent them
    state: Mapped[str] = mapped_column(String(16), default="begun")  # begun, ended, refused, screened, lapsed
    breaks: Mapped[int] = mapped_column(default=0)  # how many they have come back from
    joined: Mapped[float]
    agreed: Mapped[float | None]
    seen: Mapped[float]
    ended: Mapped[float | None]
    content: Mapped[dict[str, Any]] = mapped_column(default=dict)  # further fields of the link; tasks of the form
    user: Mapped[User] = relationship(lazy="joined")


class HistoryEvent(Base):
    """An event: the provenance that a published benchmark carries. Rows are only ever added."""

    __tablename__ = "history"
    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int | None] = mapped_column(ForeignKey("projects.id"), index=True)
    item: Mapped[str | None]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("users.id"))
    what: Mapped[str] = mapped_column(String(32))
    content: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[float]
