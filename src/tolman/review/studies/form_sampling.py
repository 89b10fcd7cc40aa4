"""The forms of a study: the questions on each, the tasks made of them, and the limits of the figures.

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
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.curate.verify import lacks_level
from tolman.errors import counted
from tolman.items import Item
from tolman.review.accounts import AccountError
from tolman.review.site import Site
from tolman.review.store.schema import ItemVersion, Project, Task
from tolman.review.studies import STUDY, OwnQuestion, StudyPart
from tolman.review.studies.participants import ATTENTION, GOLD, PRACTICE, SAMPLE, part_of, seed_of
from tolman.review.tasks import work
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
            version = work.add_item(db, site, project, item)
        elif part.gold is not None and item.id in part.gold.ids:
            content, version = {"role": GOLD}, _aside(work.add_item(db, site, project, item, origin=GOLD))
        else:
            continue
        work.add_task(db, site, project, STUDY, item.id, version=version, wanted=None, content=content)
    for number, asked in enumerate(part.attention):
        version = _own(db, site, project, asked, f"{ATTENTION}:{number}", known)
        work.add_task(db, site, project, STUDY, version.item, version=version, wanted=None, content={"role": ATTENTION})
    for number, asked in enumerate(part.practice):
        version = _own(db, site, project, asked, f"{PRACTICE}:{number}", known)
        for attempt in range(part.practising.rounds):
            content = {"role": PRACTICE, "round": attempt, "place": number}
            key = f"{PRACTICE}:{number}:{attempt}"
            work.add_task(db, site, project, PRACTICE, key, version=version, wanted=None, content=content)


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
    return _aside(work.add_item(db, site, project, item, origin=key.split(":")[0]))


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
    asked = [work.item_of(version) for version in work.current_items(db, project)]
    unknown = sum(lacks_level(item, project.settings["level"]) for item in asked)
    if not unknown:
        return []
    return [
        f"People look at {unknown:,} of {counted(len(asked), 'question')} whatever the models answer, because their "
        f"level isn't known: give them the label 'level', 1 to 5."
    ]
