"""Records of a study: each person's work, exclusions, and tables of both, pay and progress.

Answers are excluded by rules that were stated before anybody answered. Gold questions are in no run, so that scored
questions don't decide on exclusions. The table of answers has each person's questions, answers and skips, and the right
answers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import counted
from tolman.review.forms import agree, labels_of
from tolman.review.site import COEFFICIENT, Site, coefficient, minutes
from tolman.review.store import Assignment, Participant, Project, Submission, Task, User
from tolman.review.studies import BROKEN, STUDY, Exclude, Pay, StudyPart, participants
from tolman.review.studies.participants import ATTENTION, ENDED, GOLD, PRACTICE, SAMPLE, SCREENED, fields_of
from tolman.review.studies.study_steps import ANSWER, SKIP, code_of
from tolman.review.tasks import FAST, REPORTED, Block, item_of, marks_block, problems_block, submitted
from tolman.scoring.agreement_coefficients import alpha
from tolman.text_tables import csv_text


@dataclass(frozen=True)
class Conduct:
    """A person's conduct, on which the exclusion rules are based.

    Attributes:
        asked: questions of the sample.
        answered, skipped, fast: of them; reported ones count as skipped.
        gold, gold_right: answers to gold questions, and how many were right.
        attention_wrong: wrong answers to attention questions.
        seconds: with a visible question.
        complete: whether they came to the end.
        screened: whether practice ended it.
    """

    asked: int
    answered: int
    skipped: int
    fast: int
    gold: int
    gold_right: int
    attention_wrong: int
    seconds: float
    complete: bool
    screened: bool = False


def exclusion_reasons(did: Conduct, rules: Exclude) -> list[str]:
    """Return the reasons why a person's answers don't count; none where they do."""
    if did.screened:
        return ["too few right answers in practice"]
    found = []
    if rules.incomplete and not did.complete:
        found.append(f"not complete ({did.answered + did.skipped} of {did.asked})")
    if rules.gold_below is not None and did.gold and did.gold_right / did.gold < rules.gold_below:
        found.append(f"{did.gold_right} of {counted(did.gold, 'gold question')} right")
    if rules.attention_wrong is not None and did.attention_wrong >= rules.attention_wrong:
        found.append(f"{counted(did.attention_wrong, 'attention question')} wrong")
    if rules.fast_above is not None and did.answered and did.fast / did.answered > rules.fast_above:
        found.append(f"{did.fast} of {counted(did.answered, 'answer')} too fast")
    if rules.skipped_above is not None and did.asked and did.skipped / did.asked > rules.skipped_above:
        found.append(f"{did.skipped} of {counted(did.asked, 'question')} skipped")
    if rules.minutes_below is not None and did.seconds < 60 * rules.minutes_below:
        found.append(f"{did.seconds / 60:.1f} minutes in all")
    return found


def stated_rules(rules: Exclude, least_seconds: int) -> list[str]:
    """Return the rules in words, as people read them before they agree."""
    told = []
    if rules.incomplete:
        told.append("You don't finish.")
    if rules.gold_below is not None:
        told.append(f"You get fewer than {100 * rules.gold_below:.0f} % of the check questions right.")
    if rules.attention_wrong is not None:
        told.append(f"You get {rules.attention_wrong} or more of the attention checks wrong.")
    if rules.fast_above is not None:
        told.append(
            f"You give more than {100 * rules.fast_above:.0f} % of your answers in under "
            f"{counted(least_seconds, 'second')}."
        )
    if rules.skipped_above is not None:
        told.append(f"You skip more than {100 * rules.skipped_above:.0f} % of the questions.")
    if rules.minutes_below is not None:
        told.append(f"You spend less than {rules.minutes_below:g} minutes on the questions.")
    return told


@dataclass
class PersonRecord:
    """A person's answers, skips and conduct in a study.

    Attributes:
        person: their place in the study.
        answers: item → answer, seconds, of the sample.
        marked: items whose answer is marked.
        tally: how many of the answers have which mark, as `tasks.tally_marks` counts them.
        skips: reason → how many questions of the sample.
        conduct: input of the exclusion rules.
        excluded: why their answers don't count; empty where they do.
        sample: items on their form that are neither gold nor for attention.
        seconds: with a visible question, practice among it.
    """

    person: Participant
    answers: dict[str, tuple[str, float | None]] = field(default_factory=dict)
    marked: set[str] = field(default_factory=set)
    tally: Counter[str] = field(default_factory=Counter)
    skips: Counter[str] = field(default_factory=Counter)
    conduct: Conduct = Conduct(0, 0, 0, 0, 0, 0, 0, 0.0, complete=False)
    excluded: list[str] = field(default_factory=list)
    sample: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def asked(self) -> int:
        """How many questions of the sample are on their form."""
        return len(self.sample)

    @property
    def name(self) -> str:
        """Return the name of the person's account."""
        return self.person.user.name


def records(db: Orm, project: Project) -> list[PersonRecord]:
    """Return the records of all people in a study, in the order in which they agreed to it."""
    part = participants.part_of(project)
    found = {one.user_id: PersonRecord(one) for one in participants.participants(db, project)}
    tasks = {task.id: task for task in db.scalars(select(Task).where(Task.project_id == project.id))}
    checks: dict[int, Counter[str]] = defaultdict(Counter)
    fast: Counter[int] = Counter()
    for given in db.scalars(submitted(project, Submission)):
        user = given.user_id
        own, task = found.get(user), tasks[given.task_id]
        if own is None:
            continue
        own.seconds += given.seconds or 0.0
        role = task.content.get("role")
        if task.stage != STUDY:
            continue
        if role == SAMPLE and given.step == ANSWER:
            own.answers[task.key] = given.content["answer"], given.seconds
            own.tally.update(["all", *(given.marks or ()), *(["marked"] if given.marks else ())])
            if given.marks:
                own.marked.add(task.key)
            fast[user] += FAST in (given.marks or ())
        elif role == SAMPLE and given.step == SKIP:
            own.skips[given.content["reason"]] += 1
        elif role in (GOLD, ATTENTION):
            item = item_of(task.version)
            right = given.step == ANSWER and agree(item, given.content["answer"], item.answer)
            checks[user].update([role, *([f"{role} right"] if right else [])])
    reported = select(Assignment.user_id, Assignment.task_id).join(Task).where(
        Task.project_id == project.id, Task.stage == STUDY, Assignment.state == REPORTED
    )  # fmt: skip
    for user, number in db.execute(reported):
        if user in found and tasks[number].content["role"] == SAMPLE:
            found[user].skips[BROKEN] += 1
    for user, own in found.items():
        _judge(own, part, tasks, checks[user], fast[user])
    return list(found.values())


def _judge(own: PersonRecord, part: StudyPart, tasks: Mapping[int, Task], checks: Counter[str], fast: int) -> None:
    form = (tasks[number] for number in own.person.content["tasks"])
    own.sample = tuple(task.key for task in form if task.content["role"] == SAMPLE)
    skipped = own.skips.total()
    own.conduct = Conduct(
        asked=own.asked,
        answered=len(own.answers),
        skipped=skipped,
        fast=fast,
        gold=checks[GOLD],
        gold_right=checks[f"{GOLD} right"],
        attention_wrong=checks[ATTENTION] - checks[f"{ATTENTION} right"],
        seconds=own.seconds,
        complete=own.person.state == ENDED and len(own.answers) + skipped >= own.asked,
        screened=own.person.state == SCREENED,
    )
    own.excluded = exclusion_reasons(own.conduct, part.exclude) if part.mode == STUDY else []


def spare_forms(db: Orm, project: Project) -> list[int]:
    """Forms of people who came to the end and whose answers don't count."""
    found = records(db, project)
    return [r.person.form for r in found if r.excluded and r.person.form is not None and r.person.state == ENDED]


def amount(pay: Pay, seconds: float, *, counts: bool) -> float:
    """Return a person's pay, in the study's currency, to the cent.

    Args:
        pay: the study's.
        seconds: with a visible question.
        counts: whether their answers count.
    """
    return round(pay.fixed + pay.per_hour * seconds / 3600, 2) if counts or pay.excluded else 0.0


def pay_table(db: Orm, site: Site, project: Project) -> str:
    """Times and pay of everybody in a study, as CSV."""
    part, found = participants.part_of(project), records(db, project)
    own = {one.person.id: code_of(site, part.completion, one.person) for one in found}
    return csv_text(pay_rows(part, found, own))


def pay_rows(part: StudyPart, found: Sequence[PersonRecord], codes: dict[int, str]) -> list[list[str]]:
    """Headings, and a row for each person.

    Args:
        part: of the study.
        found: of everybody.
        codes: id of a place in the study → completion code.
    """
    _, fields = fields_of(part.link)
    skips = [*part.skip, *sorted({reason for one in found for reason in one.skips} - set(part.skip))]
    own = [
        "form", "state", "agreed", "ended", "minutes", "asked", "answered", "marked",
        *(f"skipped: {reason}" for reason in skips), "gold", "gold right", "attention wrong", "counts",
        "excluded because", "code", "pay", "currency",
    ]  # fmt: skip
    head = ["person"]
    for name in fields:  # a study's file chooses their names
        while name in (*head, *own):
            name = f"link_{name}"
        head.append(name)
    return [[*head, *own], *(_pay_row(part, one, fields, skips, codes) for one in found)]


def _pay_row(
    part: StudyPart, one: PersonRecord, fields: Sequence[str], skips: Sequence[str], codes: dict[int, str]
) -> list[str]:
    person, did, pay = one.person, one.conduct, part.pay
    earned = "" if pay is None else f"{amount(pay, one.seconds, counts=not one.excluded):.2f}"
    return [
        one.name, *(str(person.content["fields"].get(name, "")) for name in fields),
        "" if person.form is None else str(person.form + 1), person.state, moment(person.agreed), moment(person.ended),
        f"{one.seconds / 60:.2f}", str(one.asked), str(did.answered), str(len(one.marked)),
        *(str(one.skips[reason]) for reason in skips), str(did.gold), str(did.gold_right), str(did.attention_wrong),
        "no" if one.excluded else "yes", "; ".join(one.excluded), codes.get(person.id, ""), earned,
        pay.currency if pay else "",
    ]  # fmt: skip


def moment(seconds: float | None) -> str:
    """A time in a table, to the second, in UTC; '' for none."""
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


ANSWERS_HEAD = [
    "person", "external id", "question", "type", "asked as", "answer", "right answer", "right", "skipped", "seconds",
    "marks", "time",
]  # fmt: skip


def answers_table(db: Orm, project: Project) -> str:
    """Return a row for each answer and each skipped question, in the order in which they came, as CSV.

    Answers are letters of the question's own options, in any display order, or the typed text. Asked as: 'sample',
    'gold', 'attention' or 'practice'. Right: yes or no, as the question's kind compares answers; of a number, whether
    it is the same. A question that was reported for a broken medium is in no row.
    """
    taking_part = (Participant.user_id == Submission.user_id) & (Participant.project_id == Task.project_id)
    found = db.execute(
        submitted(project, Submission, Task, User.name, Participant.outside)
        .outerjoin(Participant, taking_part)
        .where(Task.stage.in_((STUDY, PRACTICE)), Submission.step.in_((ANSWER, SKIP)))
    )
    rows = [_answer_row(one, task, name, outside) for one, task, name, outside in found]
    return csv_text([ANSWERS_HEAD, *rows])


def _answer_row(one: Submission, task: Task, name: str, outside: str | None) -> list[str]:
    item = item_of(task.version)
    given = str(one.content["answer"]) if one.step == ANSWER else ""
    right = "" if one.step != ANSWER else "yes" if agree(item, given, item.answer) else "no"
    role = PRACTICE if task.stage == PRACTICE else str(task.content["role"])
    return [
        name, outside or "", item.id, item.task, role, given, item.answer, right,
        str(one.content["reason"]) if one.step == SKIP else "",
        "" if one.seconds is None else f"{one.seconds:.1f}", " ".join(one.marks or ()),
        moment(one.created),
    ]  # fmt: skip


_STATES = {
    participants.BEGUN: "at work",
    participants.ENDED: "finished",
    participants.SCREENED: "failed practice",
    participants.LAPSED: "left and replaced",
}


_NOT_COME = "not come yet"


def state_of(found: Participant | None) -> str:
    """A person's state in words; None is a person of the study's list who has no place yet."""
    return _STATES[found.state] if found is not None else _NOT_COME


def study_progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
    """People, rules of exclusion, coverage of the strata, skips and agreement."""
    part = participants.part_of(project)
    found = records(db, project)
    tasks = list(db.scalars(select(Task).where(Task.project_id == project.id, Task.stage == STUDY)))
    sample = {task.key: task for task in tasks if task.content["role"] == SAMPLE}
    assert part.sample is not None
    who: list[tuple[object, ...]] = [
        (
            one.name, one.person.outside or "",
            "" if one.person.form is None else one.person.form + 1, state_of(one.person),
            f"{one.conduct.answered + one.conduct.skipped} of {one.asked}", one.conduct.skipped, minutes(one.seconds),
            _of(one.conduct.gold_right, one.conduct.gold), one.conduct.attention_wrong,
            f"no: {'; '.join(one.excluded)}" if one.excluded else "yes",
        )
        for one in found
    ]  # fmt: skip
    came = {one.person.outside for one in found}
    who += [("", name, "", state_of(None), *[""] * 6) for name in part.link.ids if name not in came]
    head = (
        "person", "external id", "form", "state", "done", "skipped", "time", "gold right", "attention wrong",
        "answers count",
    )  # fmt: skip
    told = stated_rules(part.exclude, part.time.least_seconds)
    states = Counter(str(row[head.index("state")]) for row in who)
    people = ", ".join(f"{number:,} {state}" for state, number in states.items()) or "none yet"
    rules = f", as people read them: {' '.join(told)}" if told else ": none."
    note = f"People: {people}. Forms: {part.sample.people:,}. Exclusion rules{rules}"
    counting = [one for one in found if not one.excluded]
    strata = ("stratum", "questions", "answers that count", "people per question")
    skips, marked = ("reason", "questions", "people"), marks_block(db, project, ["answer"])
    return [
        Block("People", head, who, note),
        Block("Strata", strata, _strata(sample, counting)),
        Block("Skipped", skips, _skips(found), "A skipped question has no answer and isn't wrong."),
        _agreement(sample, counting),
        replace(marked, note=f"Practice, gold and attention questions are counted here too. {marked.note}"),
        problems_block(db, project),
    ]  # fmt: skip


def study_summary(db: Orm, project: Project) -> str:
    """Return how many of a study's answers there are, in one sentence."""
    part = participants.part_of(project)
    assert part.sample is not None
    tasks = db.scalars(select(Task).where(Task.project_id == project.id, Task.stage == STUDY))
    wanted = {(form, task.key) for task in tasks if task.content["role"] == SAMPLE for form in task.content["forms"]}
    came = [one for one in records(db, project) if one.answers]
    given = {(one.person.form, key) for one in came for key in one.answers} & wanted
    return (
        f"{len(given):,} of {counted(len(wanted), 'answer')}, from {len(came):,} of "
        f"{counted(part.sample.people, 'person', 'people')}."
    )


def _of(right: int, all_of: int) -> str:
    return f"{right} of {all_of}" if all_of else "–"


def _strata(sample: dict[str, Task], found: Sequence[PersonRecord]) -> list[tuple[object, ...]]:
    times = Counter(key for one in found for key in one.answers)
    own: dict[str, list[int]] = defaultdict(list)
    for key, task in sample.items():
        own[task.content["stratum"]].append(times[key])
    return [
        (name or "all", len(counts), sum(counts), f"{min(counts)} to {max(counts)}")
        for name, counts in sorted(own.items())
    ]


def _skips(found: Sequence[PersonRecord]) -> list[tuple[object, ...]]:
    reasons = sorted({reason for one in found for reason in one.skips})
    return [
        (reason, sum(one.skips[reason] for one in found), sum(reason in one.skips for one in found))
        for reason in reasons
    ]


def _agreement(sample: dict[str, Task], found: Sequence[PersonRecord]) -> Block:
    units: dict[str, list[str]] = defaultdict(list)
    for one in found:
        for key, (given, _) in one.answers.items():
            units[key].append(given)
    shared = {key: given for key, given in units.items() if len(given) > 1}
    labels, clusters = [], []
    for key, answers in shared.items():
        version = sample[key].item
        assert version is not None
        labels.append(labels_of(item_of(version), answers))
        clusters.append(version.scene or key)
    rows = [("Krippendorff's alpha of all answers, including numbers", *coefficient(alpha(labels, clusters)))]
    return Block("Agreement", ("figure", *COEFFICIENT), rows, "Over questions with at least two answers that count.")


def names_of(db: Orm, *projects: Project) -> dict[str, str]:
    """Name of an account → outside id, in studies that list their people. For the owner's pages, not for exports."""
    listing = (one for one in projects if participants.is_study(one) and participants.part_of(one).link.ids)
    return {
        found.user.name: found.outside
        for one in listing
        for found in participants.participants(db, one)
        if found.outside
    }


def named(name: str, account: str) -> str:
    """A person as the owner's pages show them: their name with that of their account, or whichever there is."""
    return f"{name} ({account})" if name and account else name or account
