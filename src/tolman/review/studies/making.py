"""Making the tasks of a study: the questions of all forms, gold and attention questions, practice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session as Orm

from tolman.items import Item
from tolman.review.accounts.identity import AccountError
from tolman.review.site import Site
from tolman.review.store.schema import ItemVersion, Project
from tolman.review.studies.people import ATTENTION, GOLD, PRACTICE, SAMPLE, part_of, seed_of
from tolman.review.studies.sampling import SampleError, forms
from tolman.review.studies.spec import STUDY, OwnQuestion, StudyPart
from tolman.review.tasks import work


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
        drawn = forms(strata, part.sample.people, part.sample.each, part.sample.overlap, seed)
    except SampleError as error:
        raise AccountError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
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
    """A question of the study's own, or one of the benchmark, beside those of the sample."""
    pictures = project.settings["study"].get("pictures", {})
    item = asked.item(key, pictures) if asked.id is None else known[asked.id].model_copy(update={"id": key})
    return _aside(work.add_item(db, site, project, item, origin=key.split(":")[0]))


def _aside(version: ItemVersion) -> ItemVersion:
    """No version of the benchmark's questions: it is in no run and in no export."""
    version.current = False
    return version
