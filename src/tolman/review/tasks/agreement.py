"""Agreement of reviewers, with the benchmark and with each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from sqlalchemy import func, select
from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review.forms.answers import CHOICES, WORDS, is_same_label, labels_of, widget_of
from tolman.review.forms.verdicts import VERDICTS
from tolman.review.pages import COEFFICIENT, coefficient, minutes
from tolman.review.site import Site
from tolman.review.store.schema import Flag, ItemVersion, Project, Submission, Task, User
from tolman.review.tasks import work
from tolman.review.tasks.marks import block, problems
from tolman.review.tasks.mode import Block
from tolman.review.tasks.settling import ANSWER, DECIDE, REVIEW, VALIDATE, last_decisions
from tolman.scoring.coefficients import Coefficient, alpha, cohen, fleiss

_FEWEST = 2


@dataclass(frozen=True)
class Vote:
    """One reviewer's part in one review.

    Attributes:
        person, task, version: who, which task, and the id of the item's version.
        item: its id.
        group: of its answers, see `Widget`.
        answered: what they answered before they saw the truth, as a label: people who gave the same answer have the
            same.
        is_truth: whether it is the benchmark's answer.
        verdict: what they decided; None as long as they haven't.
        seconds: for both steps.
        scene: of the item; the item itself where it has none.
        marks: of the answer (`marks`).
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
    given: dict[int, dict[int, str]] = defaultdict(dict)
    items: dict[int, Item] = {}
    for assignment, own in steps.items():
        if ANSWER in own:
            _, version = about[assignment]
            given[version.id][assignment] = own[ANSWER].content["answer"]
            items.setdefault(version.id, work.item_of(version))
    labels: dict[int, str] = {}
    for identity, answers in given.items():
        labels |= zip(answers, labels_of(items[identity], list(answers.values())), strict=True)
    votes = []
    for assignment, own in steps.items():
        if ANSWER not in own:
            continue
        name, version = about[assignment]
        item = items[version.id]
        decided = own.get(DECIDE)
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


def progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
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
        block(db, project, [ANSWER]),
        problems(db, project),
    ]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
