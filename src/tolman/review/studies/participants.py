"""Participants of a study and their forms: who is in it, their order of questions, and their codes.

The order of a person's questions and that of a question's options are both drawn from the study's seed. Codes are the
fields of the link by which people come from a platform, and the completion codes for it.

A form holds the questions of one person. Forms are drawn before anybody comes, from the questions and the seed alone.
The order in which people come only decides who gets which form.

Within each stratum, questions are dealt like cards: the whole stratum is shuffled and dealt from its first question to
its last, then reshuffled, and so on; each form takes so many in turn. So all questions of a stratum are asked equally
often, to one time. A form on which a deal ends and another begins first takes the questions that it lacks, so none has
a question twice.

A stratum that doesn't come out even gives one question more to some forms; the next stratum goes on with the form after
them. So forms differ by one question at most, in each stratum and in all.

Tasks are made for the questions of all forms, for gold and attention questions, and for practice. The owner learns of
the limits that the design sets to the figures before anybody comes.
"""

from __future__ import annotations

import math
import random
import re
import string
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.curate.stages import lacks_level
from tolman.errors import counted
from tolman.items import LETTERS, Item
from tolman.kinds import kind_of
from tolman.review import tasks
from tolman.review.accounts import AccountError
from tolman.review.forms import QuestionFormat
from tolman.review.site import Site
from tolman.review.store import ItemVersion, Participant, Project, Task, User
from tolman.review.store.database import record
from tolman.review.studies import STUDY, Link, OwnQuestion, StudyPart
from tolman.scoring.intervals import MIN_EFFECTIVE_SCENES


class SampleError(Exception):
    """The questions aren't enough for the sample; the text is one sentence."""


@dataclass(frozen=True)
class StratumPlan:
    """The draw of one stratum.

    Attributes:
        pool: the questions that are asked at all.
        counts: for each form how many of them it has.
    """

    pool: tuple[str, ...]
    counts: tuple[int, ...]


def plan_strata(
    ids: Sequence[str], people: int, each: int | None, overlap: int | None, seed: str, name: str = "", first: int = 0
) -> StratumPlan:
    """Choose the questions of a stratum, and share them out.

    Args:
        ids: of its questions.
        people: how many forms there are.
        each: questions on a form; None for as many as the overlap needs.
        overlap: forms for each question; None for all of them where `each` is given, else for one.
        seed: of the draw.
        name: of the stratum, for the sentence.
        first: the form that is the first to have one question more, where they don't come out even.

    Raises:
        SampleError: there are fewer questions than are to be on a form.
    """
    order = sorted(ids)
    random.Random(f"{seed}:pool").shuffle(order)
    if each is None:
        total = len(order) * (overlap or 1)
        each_form, more = divmod(total, people)
        counts = tuple(each_form + ((form - first) % people < more) for form in range(people))
        return StratumPlan(tuple(order), counts)
    if len(order) < each:
        raise SampleError(
            f"{name or 'the benchmark'} has {counted(len(order), 'question')}, fewer than the {each:,} that each "
            "person is to be asked; lower 'each', or leave it out with 'only'"
        )
    wanted = max(each, math.ceil(people * each / (overlap or people)))
    return StratumPlan(tuple(order[:wanted]), (each,) * people)


def deal_questions(plan: StratumPlan, seed: str) -> list[list[str]]:
    """Deal the questions of a stratum to its forms: to each so many as the plan says, none twice on one form, and no
    question more than once oftener than another."""
    forms: list[list[str]] = []
    rest: list[str] = []
    lap = 0
    for count in plan.counts:
        form, rest = rest[:count], rest[count:]
        while len(form) < count:
            lap += 1
            fresh = list(plan.pool)
            random.Random(f"{seed}:{lap}").shuffle(fresh)
            fresh.sort(key=lambda one: one in form)  # stable: what isn't on this form yet comes first
            needed = count - len(form)
            form, rest = form + fresh[:needed], fresh[needed:]
        forms.append(form)
    return forms


def draw_forms(
    strata: Mapping[str, Sequence[str]], people: int, each: int | None, overlap: int | None, seed: int
) -> list[list[str]]:
    """The forms of a study: for each the ids of its questions, stratum by stratum.

    Args:
        strata: name → ids of its questions; neither their order nor that of the strata has a part in the draw.
        people, each, overlap: as for `plan`.
        seed: of all draws.

    Raises:
        SampleError: as `plan`; the sentence names the stratum.
    """
    found: list[list[str]] = [[] for _ in range(people)]
    first = 0
    for name in sorted(strata):
        own = f"{seed}:{name}"
        drawn = plan_strata(strata[name], people, each, overlap, own, name, first)
        for form, dealt in zip(found, deal_questions(drawn, own), strict=True):
            form += dealt
        first = (first + sum(drawn.counts)) % people
    return found


def make_tasks(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """Make all tasks of a part in which each person is asked a sample.

    Raises:
        AccountError: the questions aren't enough, or one that is named isn't there.
    """
    part, seed = part_of(project), seed_of(project)
    known = {item.id: item for item in items}
    apart = {asked.id for asked in part.practice if asked.id} | set(part.gold.ids if part.gold else ())
    for identity in sorted(apart):
        if identity not in known:
            raise AccountError(f"The study asks the question '{identity}', which the benchmark doesn't have.")
    strata = strata_of([item for item in items if item.id not in apart], part)
    assert part.sample is not None
    try:
        drawn = draw_forms(strata, part.sample.people, part.sample.each, part.sample.overlap, seed)
    except SampleError as error:
        raise AccountError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    if not all(drawn):
        questions = counted(sum(map(len, strata.values())), "question isn't", "questions aren't")
        raise AccountError(
            f"{questions} enough for {len(drawn):,} people, some of whom would be asked none; lower 'people', raise "
            "'overlap' or give 'each'."
        )
    on_forms: dict[str, list[int]] = defaultdict(list)
    for form, ids in enumerate(drawn):
        for identity in ids:
            on_forms[identity].append(form)
    stratum_of = {identity: name for name, ids in strata.items() for identity in ids}
    for item in items:
        if item.id in on_forms:
            content: dict[str, Any] = {"role": SAMPLE, "stratum": stratum_of[item.id], "forms": on_forms[item.id]}
            version = tasks.add_item(db, site, project, item)
        elif part.gold is not None and item.id in part.gold.ids:
            content, version = {"role": GOLD}, _aside(tasks.add_item(db, site, project, item, origin=GOLD))
        else:
            continue
        tasks.add_task(db, site, project, STUDY, item.id, version=version, wanted=None, content=content)
    for number, asked in enumerate(part.attention):
        version = _own(db, site, project, asked, f"{ATTENTION}:{number}", known)
        tasks.add_task(
            db, site, project, STUDY, version.item, version=version, wanted=None, content={"role": ATTENTION}
        )
    for number, asked in enumerate(part.practice):
        version = _own(db, site, project, asked, f"{PRACTICE}:{number}", known)
        for attempt in range(part.practising.rounds):
            content = {"role": PRACTICE, "round": attempt, "place": number}
            key = f"{PRACTICE}:{number}:{attempt}"
            tasks.add_task(db, site, project, PRACTICE, key, version=version, wanted=None, content=content)


def strata_of(items: Sequence[Item], part: StudyPart) -> dict[str, list[str]]:
    """Name of a stratum → ids of its questions.

    Raises:
        AccountError: a question lacks the label that strata are made by, or no question is left.
    """
    assert part.sample is not None
    found: dict[str, list[str]] = defaultdict(list)
    for item in items:
        if any(_value(item, name) not in values for name, values in part.sample.only.items()):
            continue
        value = "" if part.sample.by is None else _value(item, part.sample.by)
        if value is None:
            raise AccountError(
                f"The question '{item.id}' has no '{part.sample.by}', by which the study draws; name another label, or "
                f"leave it out with 'only'."
            )
        found[value].append(item.id)
    if not found:
        raise AccountError("None of the benchmark's questions is in the study; look at 'only'.")
    return dict(found)


def _value(item: Item, name: str) -> str | None:
    return item.task if name == "task" else item.scene if name == "scene" else item.labels.get(name)


def _own(db: Orm, site: Site, project: Project, asked: OwnQuestion, key: str, known: dict[str, Item]) -> ItemVersion:
    """Return a question of the study's own, or one of the benchmark, in addition to the sample."""
    pictures = project.settings["study"].get("pictures", {})
    item = asked.item(key, pictures) if asked.id is None else known[asked.id].model_copy(update={"id": key})
    return _aside(tasks.add_item(db, site, project, item, origin=key.split(":")[0]))


def _aside(version: ItemVersion) -> ItemVersion:
    """No version of the benchmark's questions: it is in no run and in no export."""
    version.current = False
    return version


VERIFY = "verify"
"""The mode whose rule about levels needs the questions' levels."""


def foresee(db: Orm, project: Project) -> list[str]:
    """Return a sentence for each thing that the owner may want to change before people are paid.

    Args:
        db: where.
        project: a part of a study; only parts that ask a sample or verify answers get sentences.
    """
    if project.mode == VERIFY:
        return _unknown_levels(db, project)
    sample = part_of(project).sample
    if project.mode != STUDY or sample is None:
        return []
    tasks = db.scalars(select(Task).where(Task.project_id == project.id, Task.stage == STUDY)).all()
    scenes: set[str] = set()
    most: dict[str, int] = defaultdict(int)
    for task in tasks:
        if task.content["role"] == SAMPLE and task.item is not None:
            scenes.add(task.item.scene or task.key)
            stratum = task.content["stratum"] or "the benchmark"
            most[stratum] = max(most[stratum], len(task.content["forms"]))
    found = []
    if len(scenes) < MIN_EFFECTIVE_SCENES:
        found.append(
            f"The questions cover {counted(len(scenes), 'scene')}. Figures have no intervals below "
            f"{MIN_EFFECTIVE_SCENES:g} scenes."
        )
    over = {name: times for name, times in sorted(most.items()) if sample.overlap and times > sample.overlap}
    if over:
        listed = ", ".join(f"{name} by up to {times}" for name, times in over.items())
        found.append(
            f"Some questions are answered by more people than the overlap of {sample.overlap}, as there are too few: "
            f"{listed}."
        )
    return found


def _unknown_levels(db: Orm, project: Project) -> list[str]:
    """Say how many questions models can't settle, as it isn't known whether their level is one that people look at."""
    asked = [tasks.item_of(version) for version in tasks.current_items(db, project)]
    unknown = sum(lacks_level(item, project.settings["level"]) for item in asked)
    if not unknown:
        return []
    return [
        f"People look at {unknown:,} of {counted(len(asked), 'question')} whatever the models answer, because their "
        f"level isn't known: give them the label 'level', 1 to 5."
    ]


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
