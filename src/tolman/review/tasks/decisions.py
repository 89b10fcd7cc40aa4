"""Decisions about items: how reviewers settle one, and how they agree with the benchmark and with each other.

An item whose reviewers have decided is settled by agreement or by an adjudicator; a new version or a flag may follow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Orm

from tolman.review import tasks
from tolman.review.forms import CHOICES, VERDICTS, WORDS, apply_changes, is_same_label, labels_of, widget_of
from tolman.review.site import COEFFICIENT, Site, coefficient, minutes
from tolman.review.store import Decision, Flag, ItemVersion, Project, Submission, Task, User
from tolman.review.store.database import record_item
from tolman.review.tasks import Block, marks_block, problems_block, submitted
from tolman.scoring.agreement_coefficients import Coefficient, alpha, cohen, fleiss

REVIEW, ADJUDICATE = "review", "adjudicate"
PROPOSE, VALIDATE, RESOLVE = "propose", "validate", "resolve"
"""Stages of tasks: two of the mode Review, three of the mode Verify."""
ANSWER, DECIDE = "answer", "decide"
DISCARD, LEFT_OUT_BY, CLOSED = "discard", "left_out", "closed"
"""The verdict that leaves an item out, and the contents of such an owner's decision: the act, the tasks it closed."""


def add_review(db: Orm, site: Site, project: Project, version: ItemVersion, *, not_by: set[int] | None = None) -> Task:
    """Have a version reviewed by as many people as the project wants, each alone."""
    return tasks.add_task(
        db, site, project, REVIEW, review_key(version), version=version, wanted=people_for(project),
        not_by=not_by or (),
    )  # fmt: skip


def review_key(version: ItemVersion) -> str:
    """The key of the task that reviews a version."""
    return f"{version.item}@{version.version}"


def people_for(project: Project) -> int:
    """How many people review each item of a project."""
    return int(project.settings.get("people", 1))


def votes(db: Orm, task: Task) -> list[Submission]:
    """The decisions submitted for a task, in the order in which they came."""
    chosen = select(Submission).where(Submission.task_id == task.id, Submission.step == DECIDE)
    return list(db.scalars(chosen.order_by(Submission.id)))


def settle(db: Orm, site: Site, task: Task) -> None:
    """Settle a task that all reviewers have decided: take the verdict that they agree on, or call an adjudicator."""
    cast, version = votes(db, task), task.version
    first = cast[0].content
    agreed = all(_core(vote.content) == _core(first) for vote in cast)
    if task.stage == ADJUDICATE:
        last = cast[-1]  # of a question that is asked again, an earlier adjudicator's comes before it
        decide(db, site, task, version, last.content, {last.user_id}, by=last.user_id)
    elif agreed:
        decide(db, site, task, version, first, {vote.user_id for vote in cast}, by=None)
    else:
        people = [vote.user_id for vote in cast]
        tasks.ask(db, site, task.project, ADJUDICATE, review_key(version), version=version, not_by=people)
        record_item(db, site.settings, "disagreed", version)


def _core(content: dict[str, Any]) -> object:
    """Extract the part that two decisions must share to be the same: the verdict, and its changes."""
    return content["verdict"], content.get("target"), content.get("changes")


def decide(
    db: Orm,
    site: Site,
    task: Task | None,
    version: ItemVersion,
    content: dict[str, Any],
    people: set[int],
    *,
    by: int | None,
) -> None:
    """Write a decision down and carry it out.

    Args:
        db, site: where.
        task: the decision comes from, where it comes from one.
        version: of the item.
        content: the verdict with all that belongs to it.
        people: who took part; a revision is reviewed by others.
        by: the one who decided alone; None where people agreed.
    """
    write_decision(db, site, task, version, content, by=by)
    if content["verdict"] == "revise":
        project = db.get_one(Project, version.project_id)
        item = apply_changes(tasks.item_of(version), content["changes"])
        author = min(people) if len(people) == 1 else None
        fresh = tasks.add_item(db, site, project, item, origin="revised", by=author, reason=content["reason"])
        add_review(db, site, project, fresh, not_by=people)


def write_decision(
    db: Orm, site: Site, task: Task | None, version: ItemVersion, content: dict[str, Any], *, by: int | None
) -> Decision:
    """Write a decision down, and raise the flag that it asks for; arguments as for `decide`."""
    verdict, reason = content["verdict"], content["reason"]
    made = Decision(
        item_id=version.id,
        task_id=task.id if task else None,
        user_id=by,
        verdict=verdict,
        reason=reason,
        content={key: value for key, value in content.items() if key not in ("verdict", "reason")},
        created=site.settings.clock(),
    )
    db.add(made)
    record_item(db, site.settings, "decided", version, user=by, verdict=verdict, reason=reason, version=version.version)
    if verdict == "flag" and by is not None:
        raise_flag(db, site, version, by, content["target"], reason)
    return made


def raise_flag(db: Orm, site: Site, version: ItemVersion, user: int, target: str, reason: str) -> None:
    """Doubt an item; the same doubt of the same person once."""
    known = select(Flag).where(Flag.item_id == version.id, Flag.user_id == user, Flag.target == target)
    if db.scalar(known) is None:
        flag = Flag(item_id=version.id, user_id=user, target=target, reason=reason, created=site.settings.clock())
        flag.content = {}
        db.add(flag)
        record_item(db, site.settings, "flagged", version, user=user, target=target, reason=reason)


def open_again(db: Orm, task: Task) -> None:
    """Open a task after one of its submissions was taken back. That of an item which the owner has left out stays
    closed, and is opened when the item is taken in again.
    """
    last = None if task.item is None else last_decision(db, task.item)
    if last is None or LEFT_OUT_BY not in last.content:
        task.open = True
    elif task.id not in last.content[CLOSED]:
        last.content = last.content | {CLOSED: [*last.content[CLOSED], task.id]}


def last_decisions(db: Orm, project: Project) -> dict[int, Decision]:
    """Return the last decision about each version, by the version's id."""
    found = db.scalars(
        select(Decision)
        .join(ItemVersion, ItemVersion.id == Decision.item_id)
        .where(ItemVersion.project_id == project.id)
        .order_by(Decision.id)
    )
    return {decision.item_id: decision for decision in found}


def last_decision(db: Orm, version: ItemVersion) -> Decision | None:
    """Find the last decision about a version."""
    chosen = select(Decision).where(Decision.item_id == version.id).order_by(Decision.id.desc())
    return db.scalar(chosen.limit(1))


_FEWEST = 2


@dataclass(frozen=True)
class Vote:
    """One reviewer's part in one review.

    Attributes:
        person, task, version: who, which task, and the id of the item's version.
        item: its id.
        group: of its answers, see `Widget`.
        answered: their answer before they saw the truth, as a label: people who gave the same answer have the same.
        is_truth: whether it is the benchmark's answer.
        verdict: their decision; None as long as they have none.
        seconds: for both steps.
        scene: of the item; the item itself where it has none.
        marks: of the answer (`tasks.MARKS`).
    """

    person: str
    task: int
    version: int
    item: str
    group: str
    answered: str
    is_truth: bool
    verdict: str | None
    seconds: float
    scene: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerdictAgreement:
    """Coefficients with their intervals, which are clustered by scene.

    Attributes:
        reviews: items that two people or more have decided on.
        verdicts_alpha, answers_alpha, words_alpha: Krippendorff's, of verdicts, of answers that are chosen and of those
            in words.
        verdicts_fleiss: Fleiss' kappa over items with the number of reviewers that most have.
        pairs: (person, person, items of both, Cohen's kappa of their verdicts).
        marked: parts whose answer is marked and that are left out of all this.
        with_truth, words_with_truth: share of chosen answers and of those in words, given blindly, that are the
            benchmark's.
    """

    reviews: int
    verdicts_alpha: Coefficient
    answers_alpha: Coefficient
    verdicts_fleiss: Coefficient
    pairs: tuple[tuple[str, str, int, Coefficient], ...]
    with_truth: float | None
    marked: int = 0
    words_alpha: Coefficient | None = None
    words_with_truth: float | None = None


def votes_of(db: Orm, project: Project) -> list[Vote]:
    """All reviewers' parts in a project, in the order in which they answered."""
    stages = Task.stage.in_((REVIEW, VALIDATE))
    found = db.execute(submitted(project, User.name, Submission, ItemVersion).where(stages))
    parts: dict[int, tuple[str, ItemVersion, dict[str, Submission]]] = {}
    for name, step, version in found:
        parts.setdefault(step.assignment_id, (name, version, {}))[2][step.step] = step
    parts = {assignment: part for assignment, part in parts.items() if ANSWER in part[2]}
    given: dict[int, dict[int, str]] = defaultdict(dict)
    for assignment, (_, version, own) in parts.items():
        given[version.id][assignment] = own[ANSWER].content["answer"]
    versions = {version.id: version for _, version, _ in parts.values()}
    items = {identity: tasks.item_of(version) for identity, version in versions.items()}
    labels: dict[int, str] = {}
    for identity, answers in given.items():
        labels |= zip(answers, labels_of(items[identity], list(answers.values())), strict=True)
    votes = []
    for assignment, (name, version, own) in parts.items():
        item, decided = items[version.id], own.get(DECIDE)
        votes.append(
            Vote(
                person=name,
                task=own[ANSWER].task_id,
                version=version.id,
                item=version.item,
                group=widget_of(item).group,
                answered=labels[assignment],
                is_truth=is_same_label(item, item.answer, given[version.id][assignment]),
                verdict=decided.content["verdict"] if decided else None,
                seconds=sum(step.seconds or 0.0 for step in own.values()),
                scene=version.scene or version.item,
                marks=tuple(own[ANSWER].marks or ()),
            )
        )
    return votes


def agreement(votes: Sequence[Vote], *, without_marked: bool = False) -> VerdictAgreement:
    """The coefficients of some votes; on request without those whose answer is marked."""
    left_out = sum(bool(vote.marks) for vote in votes) if without_marked else 0
    if without_marked:
        votes = [vote for vote in votes if not vote.marks]
    scenes = {vote.task: vote.scene for vote in votes}
    verdicts: dict[int, dict[str, str]] = defaultdict(dict)
    for vote in votes:
        if vote.verdict is not None:
            verdicts[vote.task][vote.person] = vote.verdict
    shared = {task: own for task, own in verdicts.items() if len(own) >= _FEWEST}
    sizes = Counter(len(own) for own in shared.values())
    usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
    choices, words = ([vote for vote in votes if vote.group == group] for group in (CHOICES, WORDS))
    people = sorted({vote.person for vote in votes})
    pairs = []
    for one, other in combinations(people, 2):
        both = {task: (own[one], own[other]) for task, own in shared.items() if one in own and other in own}
        if both:
            kappa = cohen([a for a, _ in both.values()], [b for _, b in both.values()], [scenes[t] for t in both])
            pairs.append((one, other, len(both), kappa))
    full = {task: own for task, own in shared.items() if len(own) == usual}
    return VerdictAgreement(
        reviews=len(shared),
        verdicts_alpha=alpha([list(own.values()) for own in shared.values()], [scenes[task] for task in shared]),
        answers_alpha=_answers_alpha(choices),
        verdicts_fleiss=fleiss([Counter(own.values()) for own in full.values()], [scenes[task] for task in full]),
        pairs=tuple(pairs),
        with_truth=_with_truth(choices),
        marked=left_out,
        words_alpha=_answers_alpha(words) if words else None,
        words_with_truth=_with_truth(words),
    )


def _answers_alpha(votes: Sequence[Vote]) -> Coefficient:
    answers: dict[int, list[str]] = defaultdict(list)
    for vote in votes:
        answers[vote.task].append(vote.answered)
    scenes = {vote.task: vote.scene for vote in votes}
    return alpha(list(answers.values()), [scenes[task] for task in answers])


def _with_truth(votes: Sequence[Vote]) -> float | None:
    return sum(vote.is_truth for vote in votes) / len(votes) if votes else None


def review_progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
    """Agreement, pairs, verdicts, times and open flags."""
    votes = votes_of(db, project)
    found = agreement(votes)
    counts = Counter(vote.group for vote in votes)
    figures: list[tuple[object, ...]] = [
        ("Krippendorff's alpha of verdicts", *coefficient(found.verdicts_alpha)),
        ("Fleiss' kappa of verdicts", *coefficient(found.verdicts_fleiss)),
        ("Krippendorff's alpha of answers to choices", *coefficient(found.answers_alpha)),
        ("blind answers to choices that are the benchmark's", _share(found.with_truth), "", counts[CHOICES]),
        ("questions with two reviewers or more", found.reviews, "", found.reviews),
    ]
    if found.words_alpha is not None:
        figures[-1:-1] = [
            ("Krippendorff's alpha of answers in words", *coefficient(found.words_alpha)),
            ("blind answers in words that are the benchmark's", _share(found.words_with_truth), "", counts[WORDS]),
        ]
    pairs = [(f"{one} and {other}", *coefficient(kappa)) for one, other, _, kappa in found.pairs]
    people = sorted({vote.person for vote in votes})
    rows = []
    for person in people:
        own = [vote for vote in votes if vote.person == person]
        cast = Counter(vote.verdict for vote in own)
        middle = sorted(vote.seconds for vote in own)[len(own) // 2]
        rows.append((person, *(cast[verdict] for verdict in VERDICTS), minutes(middle)))
    current = set(db.scalars(select(ItemVersion.id).where(ItemVersion.project_id == project.id, ItemVersion.current)))
    decided = Counter(one.verdict for version, one in last_decisions(db, project).items() if version in current)
    flags = db.scalar(
        select(func.count())
        .select_from(Flag)
        .join(ItemVersion, ItemVersion.id == Flag.item_id)
        .where(ItemVersion.project_id == project.id, Flag.open)
    )
    decisions = [(verdict, decided[verdict]) for verdict in VERDICTS]
    return [
        Block("Decisions", ("what became of questions", "questions"), [*decisions, ("open flags", flags or 0)]),
        Block("Agreement", ("figure", *COEFFICIENT), figures, "Of decisions taken without seeing the others'."),
        Block("Pairs", ("pair", "Cohen's kappa", *COEFFICIENT[1:]), pairs),
        Block("Reviewers", ("reviewer", *VERDICTS, "usual time"), rows),
        marks_block(db, project, [ANSWER]),
        problems_block(db, project),
    ]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
