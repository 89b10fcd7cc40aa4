"""Classify: people sort questions into SITE's categories and its three classification systems (section 3).

The file that comes of it is what a recipe of `tolman curate` takes as labels by hand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session as Orm

from tolman.benchmarks.site.taxonomy import SYSTEMS
from tolman.curate.mapping import NO
from tolman.curate.taxonomy import open_taxonomy
from tolman.items import Item
from tolman.review.media.blind import blind
from tolman.review.modes.labelling import Choice, LabelGroup, Labelling, Labels, labelling_router, progress
from tolman.review.site import Site
from tolman.review.store.schema import Project, Task
from tolman.review.tasks import work
from tolman.review.tasks.marks import LEAST
from tolman.review.tasks.mode import Mode, ModeSetting
from tolman.review.tasks.undoing import UNDO

NAME = "classify"
_TITLES = {
    "scale": "Scale of the space",
    "factor": "Visualization or orientation",
    "information": "Intrinsic or extrinsic",
    "change": "Static or dynamic",
}


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """A task for each question."""
    versions = {version.item: version for version in work.add_items(db, site, project, items)}
    work.add_tasks(db, site, project, NAME, versions, wanted=project.settings["people"])


def groups(project: Project) -> Sequence[LabelGroup]:
    """SITE's six categories, and its systems."""
    categories = tuple(Choice(c.key, c.key.capitalize(), c.description) for c in open_taxonomy("site").categories)
    no = Choice(NO, "Not spatial", "the question needs no spatial intelligence")
    systems = [
        LabelGroup(name, _TITLES[name], tuple(Choice(key, key.capitalize(), means) for key, means in values.items()))
        for name, values in SYSTEMS.items()
    ]
    return [LabelGroup("category", "Category", (*categories, no)), *systems]


def shown(site: Site, project: int, task: Task) -> dict[str, Any]:
    """The question; its answer has no part in what it is about."""
    assert task.item is not None
    return {"question": blind(site, project, work.item_of(task.item)), "right": "", "texts": []}


def row(task: Task, person: str, labels: Labels, note: str) -> dict[str, Any]:
    """One person's labels."""
    chosen = {name: values[0] for name, values in labels.items()}
    return {"id": task.key, "annotator": person, **chosen, "note": note}


def majority(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each question with the labels that more than half of its people gave; the others are left out."""
    by_item: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in rows:
        by_item[one["id"]].append(one)
    found = []
    for identity, own in by_item.items():
        labels = {}
        for name in ("category", *SYSTEMS):
            value, votes = Counter(one[name] for one in own).most_common(1)[0]
            if 2 * votes > len(own):
                labels[name] = value
        found.append({"id": identity, **labels, "annotators": [one["annotator"] for one in own]})
    return found


_KIND = Labelling(NAME, groups, shown, row, majority)
CLASSIFY = Mode(
    name=NAME,
    title="Classify",
    purpose="Annotators sort questions into SITE's categories and classification systems.",
    stages={NAME: ("annotator", "reviewer")},
    router=labelling_router(_KIND),
    start=start,
    in_parts=True,
    progress=progress(_KIND),
    settings=(ModeSetting("people", "People for each question", 2), LEAST, UNDO),
)
