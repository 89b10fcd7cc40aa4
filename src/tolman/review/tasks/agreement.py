"""Agreement of reviewers, with the benchmark and with each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Orm

from tolman.review.forms.verdicts import VERDICTS
from tolman.review.pages import COEFFICIENT, coefficient, minutes
from tolman.review.site import Site
from tolman.review.store.schema import Decision, Flag, ItemVersion, Project, Submission, Task, User
from tolman.review.tasks.marks import block, problems
from tolman.review.tasks.mode import Block
from tolman.review.tasks.settling import ANSWER, DECIDE, REVIEW, VALIDATE
from tolman.scoring.coefficients import Coefficient, alpha, cohen, fleiss

_FEWEST = 2


@dataclass(frozen=True)
class Vote:
    """One reviewer's part in one review.

    Attributes:
        person, task, version: who, which task, and the id of the item's version.
        item, kind: the item's id, and whether it is a choice or a number.
        answered, truth: what they answered before they saw the truth, and the truth.
        verdict: what they decided; None as long as they haven't.
        seconds: for both steps.
        scene: of the item; the item itself where it has none.
        marks: of the answer (`marks`).
    """

    person: str
    task: int
    version: int
    item: str
    kind: str
    answered: str
    truth: str
    verdict: str | None
    seconds: float
    scene: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerdictAgreement:
    """Coefficients with their intervals, which are clustered by scene.

    Attributes:
        reviews: items that two people or more have decided on.
        verdicts_alpha, answers_alpha: Krippendorff's, of verdicts and of answers to choices.
        verdicts_fleiss: Fleiss' kappa over items with the number of reviewers that most have.
        pairs: (person, person, items of both, Cohen's kappa of their verdicts).
        marked: parts whose answer is marked and that are left out of all this.
        with_truth: share of answers to choices, given blindly, that are the benchmark's.
    """

    reviews: int
    verdicts_alpha: Coefficient
    answers_alpha: Coefficient
    verdicts_fleiss: Coefficient
    pairs: tuple[tuple[str, str, int, Coefficient], ...]
    with_truth: float | None
    marked: int = 0


def votes_of(db: Orm, project: Project) -> list[Vote]:
    """All reviewers' parts in a project, in the order in which they answered."""
    found = db.execute(
        select(User.name, Submission, ItemVersion)
        .join(Task, Task.id == Submission.task_id)
        .join(ItemVersion, ItemVersion.id == Task.item_id)
        .join(User, User.id == Submission.user_id)
        .where(Task.project_id == project.id, Task.stage.in_((REVIEW, VALIDATE)))
        .order_by(Submission.id)
    )
    steps: dict[int, dict[str, Submission]] = defaultdict(dict)
    about: dict[int, tuple[str, ItemVersion]] = {}
    for name, submitted, version in found:
        steps[submitted.assignment_id][submitted.step] = submitted
        about[submitted.assignment_id] = name, version
    votes = []
    for assignment, own in steps.items():
        if ANSWER not in own:
            continue
        name, version = about[assignment]
        decided = own.get(DECIDE)
        votes.append(
            Vote(
                person=name,
                task=own[ANSWER].task_id,
                version=version.id,
                item=version.item,
                kind=version.content["kind"],
                answered=own[ANSWER].content["answer"],
                truth=version.content["answer"],
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
    answers: dict[int, list[str]] = defaultdict(list)
    for vote in votes:
        if vote.verdict is not None:
            verdicts[vote.task][vote.person] = vote.verdict
        if vote.kind == "choice":
            answers[vote.task].append(vote.answered)
    shared = {task: own for task, own in verdicts.items() if len(own) >= _FEWEST}
    sizes = Counter(len(own) for own in shared.values())
    usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
    choices = [vote for vote in votes if vote.kind == "choice"]
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
        answers_alpha=alpha(list(answers.values()), [scenes[task] for task in answers]),
        verdicts_fleiss=fleiss([Counter(own.values()) for own in full.values()], [scenes[task] for task in full]),
        pairs=tuple(pairs),
        with_truth=sum(v.answered == v.truth for v in choices) / len(choices) if choices else None,
        marked=left_out,
    )


def progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
    """Agreement, pairs, verdicts, times and open flags."""
    votes = votes_of(db, project)
    found = agreement(votes)
    answered = sum(vote.kind == "choice" for vote in votes)
    figures = [
        ("Krippendorff's alpha of verdicts", *coefficient(found.verdicts_alpha)),
        ("Fleiss' kappa of verdicts", *coefficient(found.verdicts_fleiss)),
        ("Krippendorff's alpha of answers to choices", *coefficient(found.answers_alpha)),
        ("blind answers to choices that are the benchmark's", _share(found.with_truth), "", answered),
        ("questions with two reviewers or more", found.reviews, "", found.reviews),
    ]
    pairs = [(f"{one} and {other}", *coefficient(kappa)) for one, other, _, kappa in found.pairs]
    people = sorted({vote.person for vote in votes})
    rows = []
    for person in people:
        own = [vote for vote in votes if vote.person == person]
        cast = Counter(vote.verdict for vote in own)
        middle = sorted(vote.seconds for vote in own)[len(own) // 2]
        rows.append((person, *(cast[verdict] for verdict in VERDICTS), minutes(middle)))
    by_verdict = db.execute(
        select(Decision.verdict, func.count())
        .join(ItemVersion, ItemVersion.id == Decision.item_id)
        .where(ItemVersion.project_id == project.id, ItemVersion.current)
        .group_by(Decision.verdict)
    )
    decided = dict(by_verdict.all())
    flags = db.scalar(
        select(func.count())
        .select_from(Flag)
        .join(ItemVersion, ItemVersion.id == Flag.item_id)
        .where(ItemVersion.project_id == project.id, Flag.open)
    )
    decisions = [(verdict, decided.get(verdict, 0)) for verdict in VERDICTS]
    return [
        Block("Decisions", ("what became of questions", "questions"), [*decisions, ("open flags", flags or 0)]),
        Block("Agreement", ("figure", *COEFFICIENT), figures, "Of decisions taken without seeing the others'."),
        Block("Pairs", ("pair", "Cohen's kappa", *COEFFICIENT[1:]), pairs),
        Block("Reviewers", ("reviewer", *VERDICTS, "usual time"), rows),
        block(db, project, [ANSWER]),
        problems(db, project),
    ]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
