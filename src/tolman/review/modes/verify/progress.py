"""Progress of a verification: outcomes of answers, agreement of people, accuracy of models."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.curate.verify import DRAWN
from tolman.review.evidence import clouds
from tolman.review.evidence.opinions import Opinion
from tolman.review.forms.answers import CHOICES, WORDS, agree, labels_of, widget_of
from tolman.review.modes.verify.approval import MODELS
from tolman.review.pages import COEFFICIENT, coefficient
from tolman.review.site import Site
from tolman.review.store.schema import Decision, HistoryEvent, ItemVersion, Project, Submission, Task, User
from tolman.review.tasks import work
from tolman.review.tasks.marks import block, problems
from tolman.review.tasks.mode import Block
from tolman.review.tasks.settling import ANSWER, DECIDE, PROPOSE, RESOLVE, VALIDATE, last_decisions
from tolman.scoring.coefficients import Coefficient, cohen


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
    """A model held against people.

    Attributes:
        answers, failures: how many questions it answered, and how many not.
        right, judged: answers that are what people came to, of those to questions that people have settled.
    """

    answers: int
    failures: int
    right: int
    judged: int


def pairs_of(db: Orm, project: Project) -> list[OpinionPair]:
    """First and second answers, in the order in which the second were given."""
    found = db.execute(
        select(Submission.content, ItemVersion)
        .join(Task, Task.id == Submission.task_id)
        .join(ItemVersion, ItemVersion.id == Task.item_id)
        .where(Task.project_id == project.id, Task.stage == VALIDATE, Submission.step == ANSWER)
        .order_by(Submission.id)
    )
    pairs = []
    for content, version in found:
        item = work.item_of(version)
        first, second = labels_of(item, [item.answer, content["answer"]])
        alike = agree(item, item.answer, content["answer"])
        pairs.append(OpinionPair(widget_of(item).group, first, second, alike, item.scene or item.id))
    return pairs


def standings(db: Orm, project: Project) -> dict[str, ModelStanding]:
    """Model → how it stands against what people settled."""
    settled = {}
    last = last_decisions(db, project)
    for version in work.current_items(db, project):
        decision = last.get(version.id)
        if decision is not None and decision.verdict == "approve" and not decision.content.get("provisional"):
            settled[version.item] = work.item_of(version)
    tally: dict[str, Counter[str]] = defaultdict(Counter)
    told = (
        select(HistoryEvent)
        .where(HistoryEvent.project_id == project.id, HistoryEvent.what == MODELS)
        .order_by(HistoryEvent.id)
    )
    for event in db.scalars(told):
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


def progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
    """The tables of the progress page."""
    blocks = [_became(db, project), _agreement(db, project)]
    if models := standings(db, project):
        rows = [
            (
                name,
                own.answers,
                own.failures,
                f"{own.right} of {own.judged}",
                f"{100 * own.right / own.judged:.0f} %" if own.judged else "–",
            )
            for name, own in models.items()
        ]
        head = ("model", "answers", "no answer", "as people settled", "share")
        note = "Against the answers that people approved; questions that only models approved aren't counted."
        blocks.append(Block("Models", head, rows, note))
    blocks += [_checklist(db, project), block(db, project, [ANSWER]), problems(db, project)]
    if site.settings.rigs:
        items = [work.item_of(version) for version in work.current_items(db, project)]
        reachable = [item for item in items if clouds.place_of(site.settings.rigs, item) is not None]
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
    for version in work.current_items(db, project):
        counts[_standing(last.get(version.id), version)] += 1
    rows = [
        ("approved by models' agreement, provisionally", counts["models"]),
        ("approved by people", counts["people"]),
        ("approved by people after a change", counts["changed"]),
        ("discarded", counts["discard"]),
        ("flagged", counts["flag"]),
        ("waiting for a proposal", open_stages.get(PROPOSE, 0)),
        ("waiting for a second person", open_stages.get(VALIDATE, 0)),
        ("waiting for a third", open_stages.get(RESOLVE, 0)),
        ("spot checks done", f"{len(checked)} of {len(drawn)}"),
        ("spot checks that found a difference", len(overturned)),
    ]
    return Block("What became of answers", ("so far", "questions"), rows)


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
    return f"{100 * sum(pair.same for pair in pairs) / len(pairs):.0f} %" if pairs else "–"


def _checklist(db: Orm, project: Project) -> Block:
    """Tabulate how often each point of the checklist was fulfilled, and the last problem with it."""
    found = db.execute(
        select(Submission.content, User.name)
        .join(Task, Task.id == Submission.task_id)
        .join(User, User.id == Submission.user_id)
        .where(Task.project_id == project.id, Submission.step == DECIDE)
        .order_by(Submission.id)
    )
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
