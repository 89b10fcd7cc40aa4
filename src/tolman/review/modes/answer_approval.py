"""Way of an answer from proposed to approved, and the progress of a verification.

Source: SpatialBench (Xu et al. 2025), section 4.2.

```
propose ─► models agree with it, below the level ─► approved, provisionally ─┬─► (the rest)
   │                                                                 a share │
   └─► all others ─────────────────────────────► validate, by another person ◄┘
                                                    │ the same answer, a clean checklist: approved
                                                    └─► anything else: resolve, by a third person, whose word is final
```

Progress has the outcomes of answers, the agreement of people, and the accuracy of models.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.curate.stages import CHECKLIST, DRAWN, doubts, is_drawn, lacks_level, needs_people
from tolman.errors import counted
from tolman.items import Item
from tolman.review import tasks
from tolman.review.evidence import Opinion, Opinions, opinions_as_json, point_clouds, unfit_sentences
from tolman.review.forms import CHOICES, WORDS, agree, apply_changes, labels_of, widget_of
from tolman.review.site import COEFFICIENT, Site, coefficient
from tolman.review.store import Assignment, Decision, HistoryEvent, ItemVersion, Project, Submission, Task, User
from tolman.review.store.database import record_item
from tolman.review.tasks import Block, current_items, item_of, marks_block, problems_block, submitted
from tolman.review.tasks.assignments import UndoRule
from tolman.review.tasks.decisions import (
    ANSWER,
    DECIDE,
    PROPOSE,
    RESOLVE,
    VALIDATE,
    last_decisions,
    review_key,
    write_decision,
)
from tolman.scoring.agreement_coefficients import Coefficient, cohen

MODELS = "models"
"""Name of the models' opinions in the history of an item."""
UNFIT = "unfit"
"""In the same event: the differences of models' questions from the item, where their replies don't count."""
PROVISIONAL = "models agree"
FORM = "form"
"""In the submission of a proposal: the form's contents."""
_ORIGIN = "proposed"
_FEWEST = 2
_UNFIT = "a model was asked another question"
_ABOUT_MODELS = CHECKLIST[1]


@dataclass(frozen=True)
class VerifyRules:
    """Rules that a project's owner chose.

    Attributes:
        share: of the questions that models agree on, which people look at all the same.
        level: from which on people look at all, and where a question's level isn't known.
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
    if opinions.unfit:
        reasons.append(_UNFIT)
    if len(given) < _FEWEST:
        reasons.append("fewer than two models were asked")
    if not reasons and is_drawn(item.id, rules.share, f"{rules.seed}:verify"):
        reasons.append(DRAWN)
    return reasons


def checklist(task: Task) -> list[str]:
    """Points to go through before a decision; without models there is no reading of theirs to be checked."""
    return [point for point in CHECKLIST if point != _ABOUT_MODELS or task.content.get(MODELS)]


def add_proposal(db: Orm, site: Site, project: Project, version: ItemVersion, opinions: Opinions) -> None:
    """Have a person propose an answer."""
    content = opinions.model_dump(mode="json")
    tasks.add_task(db, site, project, PROPOSE, version.item, version=version, content={MODELS: content})
    _record_models(db, site, project, version, opinions)


def take_proposal(db: Orm, site: Site, own: Assignment, answered: dict[str, Any]) -> None:
    """Make a version of the item from a proposed answer, and send it on."""
    task = own.task
    asked = item_of(task.version)
    item = apply_changes(asked, _with(asked, answered))
    version = tasks.add_item(db, site, task.project, item, origin=_ORIGIN, by=own.user_id)
    opinions = Opinions.model_validate(task.content[MODELS])
    go_on(db, site, task.project, version, opinions, by=own.user_id)


def _proposal(db: Orm, submission: Submission) -> ItemVersion | None:
    """The version that a proposal made; None where another has taken its place."""
    asked = db.get_one(Task, submission.task_id).version
    same = select(ItemVersion).where(ItemVersion.project_id == asked.project_id, ItemVersion.item == asked.item)
    last = db.scalars(same.order_by(ItemVersion.version.desc()).limit(1)).one()
    mine = last.current and last.origin == _ORIGIN and last.user_id == submission.user_id
    return last if mine else None


def _goes_on(db: Orm, submission: Submission) -> bool:
    """Check whether an answer is final: it was given to be compared, or another person has begun to validate the
    proposal.
    """
    if db.get_one(Task, submission.task_id).stage != PROPOSE or FORM not in submission.content:
        return True
    version = _proposal(db, submission)
    if version is None:
        return True
    begun = select(Assignment.id).join(Task, Task.id == Assignment.task_id).where(Task.item_id == version.id)
    return db.scalar(begun.limit(1)) is not None


def _take_back(db: Orm, submission: Submission) -> None:
    version, asked = _proposal(db, submission), db.get_one(Task, submission.task_id).version
    assert version is not None
    version.current, asked.current = False, True
    tasks.withdraw(db, version)


PROPOSED = UndoRule(lambda content: dict(content[FORM]), _goes_on, _take_back)
"""How a proposed answer is taken back, until another person begins to validate it."""


def add_proposed(db: Orm, site: Site, project: Project, version: ItemVersion, opinions: Opinions) -> None:
    """Take the benchmark's own answer as proposed."""
    _record_models(db, site, project, version, opinions)
    go_on(db, site, project, version, opinions, by=None)


def add_again(db: Orm, site: Site, project: Project, version: ItemVersion) -> None:
    """Have a version validated that was remade after a correction: models' answers were about another."""
    go_on(db, site, project, version, Opinions(), by=None)


def go_on(db: Orm, site: Site, project: Project, version: ItemVersion, opinions: Opinions, *, by: int | None) -> None:
    """To people, or provisionally approved."""
    item = item_of(version)
    version.missed = missed_by(item, opinions.given)
    reasons = why_people(item, opinions, VerifyRules.of(project))
    if not reasons:
        content = {"verdict": "approve", "reason": PROVISIONAL, "provisional": True}
        write_decision(db, site, None, version, content, by=None)
        return
    content = {MODELS: opinions_as_json(opinions), "reasons": reasons}
    not_by = () if by is None else (by,)
    tasks.ask(db, site, project, VALIDATE, review_key(version), version=version, content=content, not_by=not_by)


def take_validation(db: Orm, site: Site, own: Assignment) -> None:
    """Act on the second person's decision: approve an answer that both agree on, or call a third."""
    task, version = own.task, own.task.version
    answered, decided = tasks.submission(db, own, ANSWER), tasks.submission(db, own, DECIDE)
    assert answered is not None
    assert decided is not None
    item = item_of(version)
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
    tasks.ask(db, site, task.project, RESOLVE, review_key(version), version=version, content=content, not_by=people)
    record_item(db, site.settings, "disagreed", version, reasons=reasons)


def take_resolution(db: Orm, site: Site, own: Assignment) -> None:
    """Act on the third person's decision, which is final; their changes make a new version, approved with it."""
    task, version = own.task, own.task.version
    decided = tasks.submission(db, own, DECIDE)
    assert decided is not None
    content = decided.content
    write_decision(db, site, task, version, content, by=own.user_id)
    if content["verdict"] != "revise":
        return
    item = item_of(version)
    changes = dict(content["changes"])
    second = second_submission(db, task, ANSWER)
    if second is not None and second.content["answer"] == changes["answer"]:
        changes["evidence"] = _with(item, second.content)["evidence"]
    elif changes["answer"] != item.answer:
        changes["evidence"] = {k: v for k, v in item.evidence.items() if k not in ("annotation", "measured")}
    reason, models = content["reason"], [Opinion.model_validate(one) for one in task.content.get(MODELS, [])]
    changed = apply_changes(item, changes)
    fresh = tasks.add_item(db, site, task.project, changed, origin="revised", by=own.user_id, reason=reason)
    fresh.missed = missed_by(changed, models)
    approval = {"verdict": "approve", "reason": reason, "checklist": content["checklist"]}
    write_decision(db, site, task, fresh, approval, by=own.user_id)


def missed_by(item: Item, given: Sequence[Opinion]) -> int | None:
    """How many models gave another answer than an item has; None where none was asked. A failure is no answer."""
    answers = [one.answer for one in given if one.answer is not None]
    return sum(not agree(item, answer, item.answer) for answer in answers) if given else None


def second_submission(db: Orm, task: Task, step: str) -> Submission | None:
    """The second person's answer or decision, for a third."""
    return tasks.submission(db, db.get_one(Assignment, task.content["second"]), step)


def _with(item: Item, answered: dict[str, Any]) -> dict[str, Any]:
    """Return the changes that a person's answer makes to an item: the answer, and its evidence."""
    evidence = {name: value for name, value in item.evidence.items() if name != "measured"}
    evidence["annotation"] = answered["evidence"]
    if answered.get("measured"):
        evidence["measured"] = answered["measured"]
    return {"answer": answered["answer"], "evidence": evidence}


def _record_models(db: Orm, site: Site, project: Project, version: ItemVersion, opinions: Opinions) -> None:
    if opinions.given or opinions.unfit:
        version.missed = missed_by(item_of(version), opinions.given)
        further: dict[str, Any] = {UNFIT: list(opinions.unfit)} if opinions.unfit else {}
        told = opinions_as_json(opinions)
        record_item(db, site.settings, MODELS, version, opinions=told, reasons=list(opinions.reasons), **further)


@dataclass(frozen=True)
class OpinionPair:
    """Two independent answers to a question.

    Attributes:
        group: of the answers, see `Widget`; '' for numbers.
        first: the proposed answer, by a person or by the benchmark.
        second: another person's, who hadn't seen it; of words that are the same in other words, the first.
        same: whether they agree.
        scene: of the question; the question itself where it has none.
    """

    group: str
    first: str
    second: str
    same: bool
    scene: str = ""


@dataclass(frozen=True)
class ModelStanding:
    """A model compared with people.

    Attributes:
        answers, failures: how many questions it answered, and how many not.
        right, judged: answers equal to people's, among those to questions that people have settled.
    """

    answers: int
    failures: int
    right: int
    judged: int


def pairs_of(db: Orm, project: Project) -> list[OpinionPair]:
    """First and second answers, in the order in which the second were given."""
    chosen = submitted(project, Submission.content, ItemVersion)
    pairs = []
    for content, version in db.execute(chosen.where(Task.stage == VALIDATE, Submission.step == ANSWER)):
        item = item_of(version)
        first, second = labels_of(item, [item.answer, content["answer"]])
        alike = agree(item, item.answer, content["answer"])
        pairs.append(OpinionPair(widget_of(item).group, first, second, alike, item.scene or item.id))
    return pairs


def standings(db: Orm, project: Project) -> dict[str, ModelStanding]:
    """Compare each model's answers with the answers that people settled, by model."""
    settled = {}
    last = last_decisions(db, project)
    for version in current_items(db, project):
        decision = last.get(version.id)
        if decision is not None and decision.verdict == "approve" and not decision.content.get("provisional"):
            settled[version.item] = item_of(version)
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    for event in _model_events(db, project):
        for content in event.content["opinions"]:
            opinion = Opinion.model_validate(content)
            own = tally[opinion.model]
            own["answers" if opinion.answer is not None else "failures"] += 1
            item = settled.get(event.item or "")
            if item is not None and opinion.answer is not None:
                own["judged"] += 1
                own["right"] += agree(item, opinion.answer, item.answer)
    return {
        model: ModelStanding(own["answers"], own["failures"], own["right"], own["judged"])
        for model, own in sorted(tally.items())
    }


def _model_events(db: Orm, project: Project) -> list[HistoryEvent]:
    chosen = select(HistoryEvent).where(HistoryEvent.project_id == project.id, HistoryEvent.what == MODELS)
    return list(db.scalars(chosen.order_by(HistoryEvent.id)))


def verification_progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
    """The tables of the progress page."""
    blocks = [_became(db, project), _agreement(db, project)]
    unfit = [why for event in _model_events(db, project) for why in event.content.get(UNFIT, [])]
    told = " ".join(unfit_sentences(unfit))
    if (models := standings(db, project)) or told:
        rows = [
            (name, own.answers, own.failures, f"{own.right} of {own.judged}", _per_cent(own.right, own.judged))
            for name, own in models.items()
        ]
        head = ("model", "answers", "no answer", "as people settled", "share")
        note = "Against the answers that people approved; questions that only models approved aren't counted."
        blocks.append(Block("Models", head, rows, f"{note} {told}".strip()))
    blocks += [_checklist(db, project), marks_block(db, project, [ANSWER]), problems_block(db, project)]
    if site.settings.rigs:
        items = [item_of(version) for version in current_items(db, project)]
        reachable = [item for item in items if point_clouds.place_of(site.settings.rigs, item) is not None]
        measured = sum("measured" in item.evidence for item in items)
        metric = [("can be measured in a recording", len(reachable)), ("answer is measured", measured)]
        blocks.append(Block("Metric truth", ("questions whose", "questions"), metric))
    return blocks


def _became(db: Orm, project: Project) -> Block:
    """Tabulate the outcomes of questions."""
    counts: Counter[str] = Counter()
    last = last_decisions(db, project)
    tasks = list(db.scalars(select(Task).where(Task.project_id == project.id)))
    open_stages = {task.stage: 0 for task in tasks}
    for task in tasks:
        open_stages[task.stage] += task.open
    drawn = {task.item_id for task in tasks if task.stage == VALIDATE and DRAWN in task.content["reasons"]}
    overturned = {task.item_id for task in tasks if task.stage == RESOLVE} & drawn
    checked = {task.item_id for task in tasks if task.stage == VALIDATE and not task.open} & drawn
    for version in current_items(db, project):
        standing = _standing(last.get(version.id), version)
        counts[standing] += 1
        item = item_of(version)
        counts["no level"] += lacks_level(item, project.settings["level"])
        if standing == "models" and needs_people(item, project.settings["level"]):
            counts["too early"] += 1
    rows = [
        ("approved by models' agreement, provisionally", counts["models"]),
        ("approved by people", counts["people"]),
        ("approved by people after a change", counts["changed"]),
        ("discarded", counts["discard"]),
        ("flagged", counts["flag"]),
        ("waiting for a proposal", open_stages.get(PROPOSE, 0)),
        ("waiting for a second person", open_stages.get(VALIDATE, 0)),
        ("waiting for a third", open_stages.get(RESOLVE, 0)),
        ("left to people because the level isn't known", counts["no level"]),
        ("spot checks done", f"{len(checked)} of {len(drawn)}"),
        ("spot checks that found a difference", len(overturned)),
    ]
    return Block("What became of answers", ("so far", "questions"), rows, _early(counts["too early"]))


def _early(count: int) -> str:
    """Name the approvals of an earlier version that the level forbids."""
    if not count:
        return ""
    should = "that people should look at"
    questions = counted(count, f"question {should} was", f"questions {should} were")
    return f"{questions} approved by models alone, by an earlier version. Reopen such questions on the page Items."


def _standing(decision: Decision | None, version: ItemVersion) -> str:
    if decision is None:
        return "open"
    if decision.verdict != "approve":
        return decision.verdict
    if decision.content.get("provisional"):
        return "models"
    return "changed" if version.origin == "revised" else "people"


def _agreement(db: Orm, project: Project) -> Block:
    pairs = pairs_of(db, project)
    choices, words, numbers = ([pair for pair in pairs if pair.group == group] for group in (CHOICES, WORDS, ""))
    rows: list[tuple[object, ...]] = [
        ("Cohen's kappa of answers to choices", *coefficient(_kappa(choices))),
        ("the same option", _share(choices), "", len(choices)),
        ("the same number, within 5 %", _share(numbers), "", len(numbers)),
    ]
    if words:
        rows += [
            ("Cohen's kappa of answers in words", *coefficient(_kappa(words))),
            ("the same answer in words", _share(words), "", len(words)),
        ]
    note = "Of the proposed answer and the second person's, who hadn't seen it."
    return Block("First and second person", ("figure", *COEFFICIENT), rows, note)


def _kappa(pairs: Sequence[OpinionPair]) -> Coefficient:
    return cohen([pair.first for pair in pairs], [pair.second for pair in pairs], [pair.scene for pair in pairs])


def _share(pairs: Sequence[OpinionPair]) -> str:
    return _per_cent(sum(pair.same for pair in pairs), len(pairs))


def _per_cent(some: int, all_of: int) -> str:
    return f"{100 * some / all_of:.0f} %" if all_of else "–"


def _checklist(db: Orm, project: Project) -> Block:
    """Tabulate how often each point of the checklist was fulfilled, and the last problem with it."""
    found = db.execute(submitted(project, Submission.content, User.name).where(Submission.step == DECIDE))
    fine: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    lately: dict[str, str] = {}
    for content, name in found:
        for point in content["checklist"]:
            (fine if point["fine"] else wrong)[point["point"]] += 1
            if not point["fine"]:
                lately[point["point"]] = f"{point['problem']} ({name})"
    points = sorted({*fine, *wrong})
    rows = [(point, fine[point], wrong[point], lately.get(point, "")) for point in points]
    return Block("Checklist", ("point", "fine", "problems", "the latest"), rows)
