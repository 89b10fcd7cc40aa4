"""Participants of a study: who is in it, which form they have, their order of questions, and their codes.

The order of a person's questions and that of a question's options are both drawn from the study's seed. Codes are the
fields of the link by which people come from a platform, and the completion codes for it.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.items import LETTERS, Item
from tolman.kinds import kind_of
from tolman.review.accounts import AccountError
from tolman.review.forms.form_values import QuestionFormat
from tolman.review.site import Site
from tolman.review.store.database import record
from tolman.review.store.schema import Participant, Project, Task, User
from tolman.review.studies import STUDY, Completion, Link, StudyPart

SAMPLE, GOLD, ATTENTION, PRACTICE = "sample", "gold", "attention", "practice"
"""Roles of a study's tasks."""
BEGUN, ENDED, SCREENED, LAPSED = "begun", "ended", "screened", "lapsed"
"""States of a person in a study: with their form, at its end, out after practice, replaced after they left."""
FULL = "All places of this study are taken. Thank you for your interest."
NOT_ASKED = "This study is only for people who were asked by name. Open the link that you were given."
_NAME_LETTERS = "23456789" + "".join(c for c in string.ascii_uppercase if c not in "IO")


class FullError(AccountError):
    """All forms of a study are taken."""


def is_study(project: Project) -> bool:
    """Check whether a project is a part of a study."""
    return "study" in project.settings


def part_of(project: Project) -> StudyPart:
    """The part of a study that a project is."""
    return StudyPart.model_validate(project.settings["study"]["part"])


def format_of(project: Project) -> QuestionFormat | None:
    """The format that questions of a project must have; None outside of studies, and where the study says nothing."""
    return part_of(project).format if is_study(project) else None


def seed_of(project: Project) -> int:
    """The seed of the study that a project is a part of."""
    return int(project.settings["study"]["seed"])


def participant_of(db: Orm, project: Project, user: int) -> Participant | None:
    """Find a person's place in a study."""
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
    told: str = "",
) -> Participant:
    """Enrol a person who has agreed; an enrolled person stays as they are.

    Args:
        db, site, project: where.
        user: who.
        outside: their id at the platform that sent them.
        fields: of the link by which they came.
        spare: gives forms of people whose answers don't count, which are given out again where no other is free.
        told: the text that they agreed to, where it isn't the study's own; stored with them.

    Raises:
        FullError: all forms are taken.
        AccountError: the study takes other ids only.
    """
    found = participant_of(db, project, user)
    if found is not None:
        return found
    now = site.settings.clock()
    part = part_of(project)
    if part.link.ids and outside not in part.link.ids:
        raise AccountError(NOT_ASKED)
    form = _free_form(db, site, project, part, spare) if part.mode == STUDY else None
    content = {"fields": dict(fields or {}), "tasks": [] if form is None else _tasks(db, project, part, form)}
    content |= {"agreed to": told} if told else {}
    fresh = Participant(
        project_id=project.id, user_id=user, form=form, outside=outside, state=BEGUN, breaks=0, joined=now, agreed=now,
        seen=now, content=content,
    )  # fmt: skip
    db.add(fresh)
    db.flush()
    record(db, site.settings, "agreed", project=project.id, user=user, form=form)
    return fresh


def new_account(db: Orm, site: Site, project: Project) -> User:
    """Create an account without a password, under a meaningless name, for a person who comes by the study's link."""
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
    """Screen out a person by their practice; another gets their form."""
    found.state, found.form, found.ended = SCREENED, None, site.settings.clock()


def end(site: Site, found: Participant, why: str = "") -> None:
    """End a person's part, at its last question or when the time is over."""
    found.state, found.ended = ENDED, site.settings.clock()
    if why:
        found.content = {**found.content, "why": why}


def is_full(db: Orm, site: Site, project: Project, spare: Callable[[], Sequence[int]]) -> bool:
    """Check whether the study takes in no further people.

    Args:
        db, site, project: where.
        spare: as for `enrol`.
    """
    part = part_of(project)
    return part.mode == STUDY and _open_form(db, site, project, part, spare) is None


def _free_form(db: Orm, site: Site, project: Project, part: StudyPart, spare: Callable[[], Sequence[int]]) -> int:
    """Return the open form, taken from its holder."""
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
    """Return the first free form; else the form of a person who left long ago or is excluded, with that person."""
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


T = TypeVar("T")
_POINTS_ELSEWHERE = re.compile(
    r"\b(all|none|neither|both|any|either)\b.*\b(above|below|these|options?|of (them|the))\b|^(neither|both|none|all)\b"
    r"|\b(options?|answers?|choices?)\s+\(?[A-Z1-9]\b|^\(?[A-Z]\)?(\s*(,|and|or|&|\+)\s*\(?[A-Z]\)?)+$",
    re.IGNORECASE,
)
"""Options that speak of others, and would speak of others still after a shuffle."""


def shuffled(things: Sequence[T], *seed: object) -> list[T]:
    """Some things in an order that the seed draws."""
    order = list(things)
    random.Random(":".join(map(str, seed))).shuffle(order)
    return order


def option_order(item: Item, *seed: object) -> tuple[int, ...] | None:
    """An order of an item's options: for each new place the old one, from 0.

    None where the order must stay: the answer is no letter, or an option speaks of the others ("none of the above").
    """
    if not kind_of(item).has_letters or len(item.options) < 2:
        return None
    if any(_POINTS_ELSEWHERE.search(option.strip()) for option in item.options):
        return None
    return tuple(shuffled(range(len(item.options)), "options", *seed))


def true_answer(order: Sequence[int] | None, shown: str) -> str:
    """The letter that an answer to a shuffled question has in the question as it is stored."""
    if order is None or len(shown) != 1 or shown not in LETTERS[: len(order)]:
        return shown
    return LETTERS[order[LETTERS.index(shown)]]


def shown_answer(order: Sequence[int] | None, true: str) -> str:
    """The letter under which a shuffled question shows an answer: the inverse of `true_answer`."""
    if order is None or len(true) != 1 or true not in LETTERS[: len(order)]:
        return true
    return LETTERS[list(order).index(LETTERS.index(true))]


def with_checks(questions: Sequence[T], checks: Sequence[T], *seed: object) -> list[T]:
    """Questions with others among them: spread evenly, each at a random place of its share, never the very first where
    there is room for another."""
    found = list(questions)
    n = len(found)
    drawn = random.Random(":".join(map(str, ("checks", *seed))))
    places = []
    for k in range(len(checks)):
        low, high = k * n // len(checks), max((k + 1) * n // len(checks), k * n // len(checks) + 1)
        places.append(max(1, drawn.randrange(low, high)) if n else 0)
    for place, check in sorted(zip(places, shuffled(checks, "which", *seed), strict=True), key=lambda p: -p[0]):
        found.insert(min(place, len(found)), check)
    return found


PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
"""MTurk's assignment id of a person who only previews."""
_LONGEST = 200
_PROLIFIC_END = "https://app.prolific.com/submissions/complete?cc={code}"
_PLATFORMS = {
    "none": (None, ()),
    "prolific": ("PROLIFIC_PID", ("STUDY_ID", "SESSION_ID")),
    "mturk": ("workerId", ("assignmentId", "hitId", "turkSubmitTo")),
}
"""Platform → field of the person's id, further fields. Sources: Prolific's URL parameters; MTurk's ExternalQuestion."""


class LinkError(Exception):
    """The error of a link by which a person can't come in; the text is one sentence for them."""


@dataclass(frozen=True)
class Arrival:
    """Fields of a link.

    Attributes:
        outside: the person's id at the platform; None where the study asks for none.
        fields: all that is kept, the id among them.
    """

    outside: str | None
    fields: dict[str, str]


def fields_of(link: Link) -> tuple[str | None, tuple[str, ...]]:
    """The field of the person's id, and all that are kept."""
    own, further = _PLATFORMS[link.platform]
    own = link.id or own
    return own, tuple(dict.fromkeys((*([own] if own else []), *further, *link.keep)))


def arrival(link: Link, query: Mapping[str, str]) -> Arrival:
    """Read a link's fields.

    Raises:
        LinkError: the person's id is missing or can't be one, or they only look.
    """
    own, kept = fields_of(link)
    fields = {name: query[name] for name in kept if query.get(name)}
    if PREVIEW in fields.values():
        raise LinkError("This is what the study looks like. Accept it first, then you can begin.")
    if any(len(value) > _LONGEST or not value.isprintable() for value in fields.values()):
        raise LinkError("This link can't be read. Open it once more from where you found it.")
    if own is None:
        return Arrival(None, fields)
    if own not in fields:
        raise LinkError(f"This link lacks your id ({own}). Open it from where you found it.")
    if not is_outside_id(fields[own]):
        raise LinkError(f"The id in this link ({own}) can't be one. Open the link from where you found it.")
    return Arrival(fields[own], fields)


def is_outside_id(text: str) -> bool:
    """Check whether a text can be a person's id in a link."""
    return re.fullmatch(r"[\w.@:+-]+", text) is not None


def link_query(link: Link) -> str:
    """The query that a platform fills in, such as '?PROLIFIC_PID={{%PROLIFIC_PID%}}'; MTurk appends its own."""
    if link.platform == "prolific":
        _, kept = fields_of(link)
        return "?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in kept)
    return f"?{link.id}=ID" if link.id else ""


def link_queries(link: Link) -> dict[str, str]:
    """Outside id → the query of that person's own link, where a study lists its people and no platform sends them."""
    return {name: f"?{link.id}={quote(name)}" for name in link.ids} if link.platform == "none" else {}


def names_of(db: Orm, *projects: Project) -> dict[str, str]:
    """Name of an account → outside id, in studies that list their people. For the owner's pages, not for exports."""
    listing = (one for one in projects if is_study(one) and part_of(one).link.ids)
    return {found.user.name: found.outside for one in listing for found in participants(db, one) if found.outside}


def named(name: str, account: str) -> str:
    """A person as the owner's pages show them: their name with that of their account, or whichever there is."""
    return f"{name} ({account})" if name and account else name or account


def code_of(site: Site, completion: Completion, found: Participant) -> str:
    """Return the code that a person enters at the platform: the study's code or their own at its end, its code for
    failed practice; '' where they get none.
    """
    if found.state == ENDED:
        return completion.code or site.sign("completion", found.id)[:10].upper()
    return completion.screened or "" if found.state == SCREENED else ""


def redirect_of(completion: Completion, link: Link, code: str) -> str | None:
    """The address to which the last page leads; None where the code is only shown."""
    template = completion.redirect or (_PROLIFIC_END if link.platform == "prolific" else None)
    return template.replace("{code}", code) if template else None
