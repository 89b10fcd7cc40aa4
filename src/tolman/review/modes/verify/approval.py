"""Way of an answer from proposed to approved (SpatialBench, Xu et al. 2025, section 4.2).

```
propose ─► models agree with it, below the level ─► approved, provisionally ─┬─► (the rest)
   │                                                                 a share │
   └─► all others ─────────────────────────────► validate, by another person ◄┘
                                                    │ the same answer, a clean checklist: approved
                                                    └─► anything else: resolve, by a third person, whose word is final
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.curate.verify import CHECKLIST, DRAWN, doubts, is_drawn
from tolman.items import Item
from tolman.review.evidence.opinions import Opinion, Opinions, opinions_as_json
from tolman.review.forms.answers import agree
from tolman.review.forms.verdicts import apply_changes
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Assignment, ItemVersion, Project, Submission, Task
from tolman.review.tasks import work
from tolman.review.tasks.settling import ANSWER, DECIDE, PROPOSE, RESOLVE, VALIDATE, write_decision
from tolman.review.tasks.undoing import UndoRule

MODELS = "models"
"""Name of the models' opinions in the history of an item."""
PROVISIONAL = "models agree"
FORM = "form"
"""In the submission of a proposal: what the form said."""
_ORIGIN = "proposed"
_FEWEST = 2
_ABOUT_MODELS = CHECKLIST[1]


@dataclass(frozen=True)
class VerifyRules:
    """Rules that a project's owner chose.

    Attributes:
        share: of the questions that models agree on, which people look at all the same.
        level: from which on people look at all.
        seed: of the draw.
    """

    share: float
    level: int
    seed: int

    @classmethod
    def of(cls, project: Project) -> VerifyRules:
        """A project's."""
        chosen = project.settings
        return cls(chosen["share"] / 100, chosen["level"], chosen["seed"])


def why_people(item: Item, opinions: Opinions, rules: VerifyRules) -> list[str]:
    """Why people are to look at a proposed answer; empty where the models' agreement settles it for now."""
    given = [opinion.answer for opinion in opinions.given]
    reasons = list(opinions.reasons)
    reasons += [reason for reason in doubts(item, given, rules.level) if reason not in reasons]
    if len(given) < _FEWEST:
        reasons.append("fewer than two models were asked")
    if not reasons and is_drawn(item.id, rules.share, f"{rules.seed}:verify"):
        reasons.append(DRAWN)
    return reasons


def checklist(task: Task) -> list[str]:
    """Points to go through before a decision; without models there is no reading of theirs to be checked."""
    return [point for point in CHECKLIST if point != _ABOUT_MODELS or task.content.get(MODELS)]


def add_proposal(db: Orm, site: Site, project: Project, version: ItemVersion, opinions: Opinions) -> None:
    """Have an answer proposed by somebody."""
    content = opinions.model_dump(mode="json")
    work.add_task(db, site, project, PROPOSE, version.item, version=version, content={MODELS: content})
    _record_models(db, site, project, version, opinions)


def take_proposal(db: Orm, site: Site, own: Assignment, answered: dict[str, Any]) -> None:
    """Somebody has proposed an answer: it becomes a version of the item, which goes on."""
    task = own.task
    assert task.item is not None
    item = apply_changes(work.item_of(task.item), _with(work.item_of(task.item), answered))
    version = work.add_item(db, site, task.project, item, origin=_ORIGIN, by=own.user_id)
    opinions = Opinions.model_validate(task.content[MODELS])
    go_on(db, site, task.project, version, opinions, by=own.user_id)


def _proposal(db: Orm, submission: Submission) -> ItemVersion | None:
    """The version that a proposal made; None where another has taken its place."""
    asked = db.get_one(Task, submission.task_id).item
    assert asked is not None
    same = select(ItemVersion).where(ItemVersion.project_id == asked.project_id, ItemVersion.item == asked.item)
    last = db.scalars(same.order_by(ItemVersion.version.desc()).limit(1)).one()
    mine = last.current and last.origin == _ORIGIN and last.user_id == submission.user_id
    return last if mine else None


def _goes_on(db: Orm, submission: Submission) -> bool:
    """Tell whether an answer stands: it was given to be compared, or somebody has begun to validate the proposal."""
    if db.get_one(Task, submission.task_id).stage != PROPOSE or FORM not in submission.content:
        return True
    version = _proposal(db, submission)
    if version is None:
        return True
    begun = select(Assignment.id).join(Task, Task.id == Assignment.task_id).where(Task.item_id == version.id)
    return db.scalar(begun.limit(1)) is not None


def _take_back(db: Orm, submission: Submission) -> None:
    version, asked = _proposal(db, submission), db.get_one(Task, submission.task_id).item
    assert version is not None
    assert asked is not None
    version.current, asked.current = False, True
    work.withdraw(db, version)


PROPOSED = UndoRule(lambda content: dict(content[FORM]), _goes_on, _take_back)
"""How a proposed answer is taken back, until somebody begins to validate it."""


def add_proposed(db: Orm, site: Site, project: Project, version: ItemVersion, opinions: Opinions) -> None:
    """Take the benchmark's own answer as proposed."""
    _record_models(db, site, project, version, opinions)
    go_on(db, site, project, version, opinions, by=None)


def add_again(db: Orm, site: Site, project: Project, version: ItemVersion) -> None:
    """Have a version validated that was made anew after a correction: what models said was about another."""
    go_on(db, site, project, version, Opinions(), by=None)


def go_on(db: Orm, site: Site, project: Project, version: ItemVersion, opinions: Opinions, *, by: int | None) -> None:
    """To people, or provisionally approved."""
    item = work.item_of(version)
    version.missed = missed_by(item, opinions.given)
    reasons = why_people(item, opinions, VerifyRules.of(project))
    if not reasons:
        content = {"verdict": "approve", "reason": PROVISIONAL, "provisional": True}
        write_decision(db, site, None, version, content, by=None)
        return
    content = {MODELS: opinions_as_json(opinions), "reasons": reasons}
    not_by = () if by is None else (by,)
    work.ask(db, site, project, VALIDATE, _key(version), version=version, content=content, not_by=not_by)


def take_validation(db: Orm, site: Site, task: Task, own: Assignment) -> None:
    """The second person has decided: approve what both agree on, or call a third."""
    version = task.item
    assert version is not None
    answered, decided = work.submission(db, own, ANSWER), work.submission(db, own, DECIDE)
    assert answered is not None
    assert decided is not None
    item = work.item_of(version)
    alike = agree(item, answered.content["answer"], item.answer)
    clean = all(point["fine"] for point in decided.content["checklist"])
    if decided.content["verdict"] == "approve" and alike and clean:
        write_decision(db, site, task, version, decided.content, by=None)
        return
    people = [own.user_id] if version.user_id is None else [own.user_id, version.user_id]
    reasons = [
        *([] if alike else ["the two answers differ"]),
        *([] if clean else ["a point of the checklist has a problem"]),
        *([] if decided.content["verdict"] == "approve" else [f"the second person said: {decided.content['verdict']}"]),
    ]
    content = task.content | {"reasons": [*task.content["reasons"], *reasons], "second": own.id}
    work.ask(db, site, task.project, RESOLVE, _key(version), version=version, content=content, not_by=people)
    record(db, site.settings, "disagreed", project=task.project_id, item=version.item, reasons=reasons)


def take_resolution(db: Orm, site: Site, task: Task, own: Assignment) -> None:
    """The third person's word is final; what they change is a new version, approved with it."""
    version = task.item
    decided = work.submission(db, own, DECIDE)
    assert version is not None
    assert decided is not None
    content = decided.content
    write_decision(db, site, task, version, content, by=own.user_id)
    if content["verdict"] != "revise":
        return
    item = work.item_of(version)
    changes = dict(content["changes"])
    second = second_answer(db, task)
    if second is not None and second.content["answer"] == changes["answer"]:
        changes["evidence"] = _with(item, second.content)["evidence"]
    elif changes["answer"] != item.answer:
        changes["evidence"] = {k: v for k, v in item.evidence.items() if k not in ("annotation", "measured")}
    fresh = work.add_item(
        db, site, task.project, apply_changes(item, changes), origin="revised", by=own.user_id, reason=content["reason"]
    )
    fresh.missed = missed_by(
        work.item_of(fresh), [Opinion.model_validate(one) for one in task.content.get(MODELS, [])]
    )  # fmt: skip
    approval = {"verdict": "approve", "reason": content["reason"], "checklist": content["checklist"]}
    write_decision(db, site, task, fresh, approval, by=own.user_id)


def missed_by(item: Item, given: Sequence[Opinion]) -> int | None:
    """How many models gave another answer than an item has; None where none was asked. A failure is no answer."""
    answers = [one.answer for one in given if one.answer is not None]
    return sum(not agree(item, answer, item.answer) for answer in answers) if given else None


def second_answer(db: Orm, task: Task) -> Submission | None:
    """The second person's answer, for a third."""
    return work.submission(db, db.get_one(Assignment, task.content["second"]), ANSWER)


def second_decision(db: Orm, task: Task) -> Submission | None:
    """The second person's decision, for a third."""
    return work.submission(db, db.get_one(Assignment, task.content["second"]), DECIDE)


def _with(item: Item, answered: dict[str, Any]) -> dict[str, Any]:
    """The changes that somebody's answer makes to an item: the answer, and its evidence."""
    evidence = {name: value for name, value in item.evidence.items() if name != "measured"}
    evidence["annotation"] = answered["evidence"]
    if answered.get("measured"):
        evidence["measured"] = answered["measured"]
    return {"answer": answered["answer"], "evidence": evidence}


def _record_models(db: Orm, site: Site, project: Project, version: ItemVersion, opinions: Opinions) -> None:
    if opinions.given:
        version.missed = missed_by(work.item_of(version), opinions.given)
        record(
            db, site.settings, MODELS, project=project.id, item=version.item, opinions=opinions_as_json(opinions),
            reasons=list(opinions.reasons),
        )  # fmt: skip


def _key(version: ItemVersion) -> str:
    return f"{version.item}@{version.version}"
