"""Tables of a study's progress page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.review.forms.answers import labels_of
from tolman.review.pages import COEFFICIENT, coefficient, minutes
from tolman.review.site import Site
from tolman.review.store.schema import Project, Task
from tolman.review.studies import exclusion, people
from tolman.review.studies.people import SAMPLE
from tolman.review.studies.records import PersonRecord, records
from tolman.review.studies.spec import STUDY
from tolman.review.tasks import work
from tolman.review.tasks.marks import block, problems
from tolman.review.tasks.mode import Block
from tolman.scoring.coefficients import alpha

_STATES = {
    people.BEGUN: "at work",
    people.ENDED: "at the end",
    people.SCREENED: "out after practice",
    people.LAPSED: "replaced after they left",
}


def progress(db: Orm, site: Site, project: Project) -> Sequence[Block]:
    """People, rules of exclusion, coverage of the strata, skips and agreement."""
    part = people.part_of(project)
    found = records(db, project)
    tasks = list(db.scalars(select(Task).where(Task.project_id == project.id, Task.stage == STUDY)))
    sample = {task.key: task for task in tasks if task.content["role"] == SAMPLE}
    assert part.sample is not None
    who = [
        (
            one.name, one.person.outside or "",
            "" if one.person.form is None else one.person.form + 1, one.person.state,
            f"{one.conduct.answered + one.conduct.skipped} of {one.asked}", one.conduct.skipped, minutes(one.seconds),
            _of(one.conduct.gold_right, one.conduct.gold), one.conduct.attention_wrong,
            "; ".join(one.excluded) or "counts",
        )
        for one in found
    ]  # fmt: skip
    head = (
        "person", "external id", "form", "state", "done", "skipped", "time", "gold right", "attention wrong", "answers"
    )  # fmt: skip
    told = exclusion.stated(part.exclude, part.time.least_seconds)
    note = f"{_came(found)} for {part.sample.people} forms. Stated beforehand: answers don't count where " + (
        "; or ".join(f"{rule[:1].lower()}{rule[1:].rstrip('.')}" for rule in told) + "."
        if told
        else "nothing is wrong."
    )
    counting = [one for one in found if not one.excluded]
    strata = ("stratum", "questions", "answers that count", "people for a question")
    skips, marked = ("reason", "questions", "people"), block(db, project, ["answer"])
    return [
        Block("People", head, who, note),
        Block("Strata", strata, _strata(sample, counting)),
        Block("Skipped", skips, _skips(found), "What is skipped is no answer, and not wrong."),
        _agreement(sample, counting),
        replace(marked, note=f"Practice, gold and attention questions are counted here too. {marked.note}"),
        problems(db, project),
    ]  # fmt: skip


def _came(found: Sequence[PersonRecord]) -> str:
    states = Counter(one.person.state for one in found)
    said = ", ".join(f"{states[state]} {words}" for state, words in _STATES.items() if states[state])
    return f"{len(found)} {'person' if len(found) == 1 else 'people'} came{f' ({said})' if said else ''}"


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
        labels.append(labels_of(work.item_of(version), answers))
        clusters.append(version.scene or key)
    rows = [("Krippendorff's alpha of all answers, numbers among them", *coefficient(alpha(labels, clusters)))]
    return Block("Agreement", ("figure", *COEFFICIENT), rows, "Of questions with two answers or more that count.")
