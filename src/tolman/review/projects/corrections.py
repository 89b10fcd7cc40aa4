"""Consequences of a flag: a scene, a template or a rule is corrected, and the items concerned are made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.ingest.corrections import Absent, BoxIs, CategoryIs, Correction, CountIs
from tolman.items import Item
from tolman.review.forms.fields import clean
from tolman.review.modes import MODES
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Flag, ItemVersion, Project
from tolman.review.tasks import work
from tolman.review.tasks.settling import decide, last_decision
from tolman.scenes import OrientedBox, Scene

MOST_CHANGES = 1000
"""Objects that one form changes."""


class CorrectionError(Exception):
    """The form holds no correction; the text is one sentence for whoever sent it."""


@dataclass
class Outcome:
    """Items that a correction changed.

    Attributes:
        changed: items with a new version.
        gone: items that are asked no more.
        same: items that it changes nothing of.
    """

    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    same: int = 0

    def sentence(self) -> str:
        """For the history and the page."""
        return f"{len(self.changed)} made again, {len(self.gone)} asked no more, {self.same} the same"


def read_fact(fact: str, scene: str, thing: str, category: str, count: int | None, note: str) -> Correction:
    """A correction of a scene from a form's fields.

    Raises:
        CorrectionError: they are none.
    """
    try:
        if fact == "absent":
            return Absent(scene=scene, object=thing, note=note)
        if fact == "category":
            return CategoryIs(scene=scene, object=thing, category=category.strip(), note=note)
        if fact == "count" and count is not None:
            return CountIs(scene=scene, category=category.strip(), count=count, note=note)
    except ValidationError as error:
        raise CorrectionError(f"{error.errors()[0]['loc'][-1]} is missing.") from None
    raise CorrectionError("Say what is wrong with the scene: an object, its category, or a count.")


class BoxChange(BaseModel):
    """An object as a form has it.

    Attributes:
        object: its id; empty for one that the scene lacks.
        name: its category.
        box: where it is; None where it isn't there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    object: str = Field(default="", max_length=200)
    name: str = Field(default="", max_length=100)
    box: OrientedBox | None = None


_CHANGES = TypeAdapter(tuple[BoxChange, ...])


def read_boxes(text: str, scene: Scene, note: str) -> list[Correction]:
    """Corrections of a scene's boxes from a form's JSON, a list of `BoxChange`; what is as it was is left out.

    Raises:
        CorrectionError: it is no such list, an object isn't in the scene, a moving one's box is changed, or nothing is.
    """
    try:
        changes = _CHANGES.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = " ".join(str(part) for part in first["loc"])
        raise CorrectionError(f"The boxes can't be read: {place} {first['msg'].lower()}.") from None
    if len(changes) > MOST_CHANGES:
        raise CorrectionError(f"{len(changes)} objects are changed; one form changes {MOST_CHANGES} at most.")
    known = {thing.id: thing for thing in scene.objects}
    found: list[Correction] = []
    for change in changes:
        name, thing = " ".join(clean(change.name).split()), known.get(change.object)
        if change.object and thing is None:
            raise CorrectionError(f"The scene has no object '{change.object}' any more. Load the page again.")
        if change.box is None:
            if thing is not None:
                found.append(Absent(scene=scene.id, object=thing.id, note=note))
            continue
        if not name:
            raise CorrectionError("Each object needs a name.")
        if thing is not None and thing.box == change.box:
            if thing.category != name:
                found.append(CategoryIs(scene=scene.id, object=thing.id, category=name, note=note))
            continue
        if thing is not None and thing.track:
            raise CorrectionError(f"{thing.category} {thing.id} moves: its box can't be changed here, its name can.")
        identity = thing.id if thing is not None else _new_id(known, len(found))
        found.append(BoxIs(scene=scene.id, object=identity, category=name, box=change.box, note=note))
    if not found:
        raise CorrectionError("Nothing is changed yet.")
    return found


def _new_id(known: Mapping[str, object], start: int) -> str:
    number = len(known) + start + 1
    while f"added-{number}" in known:
        number += 1
    return f"added-{number}"


def in_words(corrections: Sequence[Correction]) -> str:
    """What corrections of objects say, for the history."""
    said = []
    for one in corrections:
        if isinstance(one, Absent):
            said.append(f"{one.object} isn't there")
        elif isinstance(one, CategoryIs):
            said.append(f"{one.object} is {one.category}")
        elif isinstance(one, BoxIs):
            x, y, z = one.box.center
            said.append(f"{one.category} {one.object} at {x:.2f}, {y:.2f}, {z:.2f} m")
    return "scene corrected: " + "; ".join(said[:20]) + (f"; {len(said) - 20} more" if len(said) > 20 else "")


def items_like(db: Orm, version: ItemVersion, *, task: bool = False) -> list[ItemVersion]:
    """The current items of the same scene, or of the same question type, the item itself among them."""
    chosen = select(ItemVersion).where(ItemVersion.project_id == version.project_id, ItemVersion.current)
    found = list(db.scalars(chosen.order_by(ItemVersion.id)))
    if task:
        return [one for one in found if one.content["task"] == version.content["task"]]
    return [one for one in found if one.item == version.item or (one.scene and one.scene == version.scene)]


def make_again(db: Orm, site: Site, made: Mapping[int, Item | None], by: int, reason: str) -> Outcome:
    """Make items again; what comes out otherwise is a new version that is reviewed, what doesn't come out is discarded.

    Args:
        db, site: where.
        made: id of an item's version → what it is now, None where it is asked no more.
        by, reason: who corrected, and what.
    """
    done = Outcome()
    for identity, after in made.items():
        version = db.get_one(ItemVersion, identity)
        last = last_decision(db, version)
        if not version.current or (last is not None and last.verdict == "discard"):
            continue
        before = work.item_of(version)
        project = db.get_one(Project, version.project_id)
        if after is None:
            work.withdraw(db, version)
            decide(db, site, None, version, {"verdict": "discard", "reason": reason}, {by}, by=by)
            done.gone.append(version.item)
        elif (after.question, after.options, after.answer) == (before.question, before.options, before.answer):
            done.same += 1
        else:
            work.withdraw(db, version)
            fresh = work.add_item(db, site, project, after, origin="regenerated", by=by, reason=reason)
            if (again := MODES[project.mode].again) is not None:
                again(db, site, project, fresh)
            record(
                db, site.settings, "regenerated", project=project.id, item=version.item, user=by, reason=reason,
                version=fresh.version,
            )  # fmt: skip
            done.changed.append(version.item)
    return done


def by_wording(old: str, new: str) -> Callable[[Item], Item | None]:
    """Making items again with a wording of their template replaced.

    Raises:
        CorrectionError: there is nothing to replace.
    """
    if not old or old == new:
        raise CorrectionError("Give the wording as it is, and as it should be.")

    def make(item: Item) -> Item:
        question = item.question.replace(old, new)
        if question == item.question:
            return item
        return Item.model_validate(item.model_dump() | {"question": question, "verbatim": None})

    return make


def close_flags(db: Orm, site: Site, flag: Flag, by: int, what: str, note: str) -> None:
    """Close a flag, and say why; what it alone withheld is approved."""
    version = db.get_one(ItemVersion, flag.item_id)
    flag.open, flag.closed, flag.closed_by = False, site.settings.clock(), by
    flag.content = {"resolution": what, "note": note}
    record(
        db, site.settings, "flag closed", project=version.project_id, item=version.item, user=by, resolution=what,
        note=note,
    )  # fmt: skip
    last = last_decision(db, version)
    if version.current and last is not None and last.verdict == "flag":
        decide(db, site, None, version, {"verdict": "approve", "reason": f"{what}: {note}"}, {by}, by=by)
