"""Consequences of a flag: a scene, a template or a rule is corrected, and the items concerned are made again.

The origin of a benchmark's questions is the scenes, the rules and the seed that they were generated with.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from sqlalchemy.orm import Session as Orm

from tolman.errors import TolmanError
from tolman.generate.draft_items import again, drafts_of, is_sound
from tolman.generate.family import Draft
from tolman.generate.presets import GenerationPreset
from tolman.ground_truth.corrections import Absent, BoxIs, CategoryIs, Correction, CountIs
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Item
from tolman.review import tasks
from tolman.review.forms import clean
from tolman.review.media import scenes_folder
from tolman.review.modes import MODES
from tolman.review.site import Site
from tolman.review.store import Flag, ItemVersion, Project
from tolman.review.store.database import record_item
from tolman.review.tasks.decisions import decide, last_decision
from tolman.scenes import OrientedBox, Scene


@dataclass(frozen=True)
class Origin:
    """Scenes, rules and seed that a benchmark was generated from.

    Attributes:
        scenes: the folder of the collection.
        preset, seed: as they were.
    """

    scenes: Path
    preset: GenerationPreset
    seed: int

    def geometry(self, scene: str) -> SceneGeometry | None:
        """A scene as it is with its corrections; None where the collection hasn't got it.

        Raises:
            TolmanError: the collection can't be read.
        """
        found = (one for one in open_collection(self.scenes) if isinstance(one, SceneGeometry))
        return next((one for one in found if one.scene.id == scene), None)

    def maker(self) -> Callable[[Item], Item | None]:
        """Making items as their scenes and the rules are now; None for one that is asked no more.

        Raises:
            TolmanError: the collection can't be read, then and later.
        """
        known: dict[str, tuple[SceneGeometry, list[Draft]] | None] = {}

        def make(item: Item) -> Item | None:
            if item.scene is None:
                return item
            if item.scene not in known:
                geometry = self.geometry(item.scene)
                known[item.scene] = None if geometry is None else (geometry, drafts_of(geometry, self.preset))
            made = known[item.scene]
            if made is None or is_sound(item, made[0], self.preset):
                return item
            return again(item, made[1], self.seed)

        return make

    def with_rule(self, family: str, name: str, value: float) -> Origin:
        """The same with one threshold of a family changed.

        Raises:
            ValueError: there is no such threshold.
        """
        return Origin(self.scenes, self.preset.with_threshold(family, name, value), self.seed)


def origin_of(site: Site) -> Origin | None:
    """Find the origin of the server's benchmark; None where nothing names it, or the scenes are not there."""
    path = site.loaded.folder / "provenance.json"
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        preset, seed = GenerationPreset.model_validate(told["preset"]), int(told["seed"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    scenes = scenes_folder(site)
    return Origin(scenes, preset, seed) if scenes else None


def scene_of(origin: Origin | None, scene: str | None) -> Scene | None:
    """The scene of an item, where it can be read."""
    if origin is None or scene is None:
        return None
    try:
        geometry = origin.geometry(scene)
    except TolmanError:
        return None
    return geometry.scene if geometry else None


MOST_CHANGES = 1000
"""Objects that one form changes."""


class CorrectionError(Exception):
    """The error of a form that holds no correction; the text is one sentence for its sender."""


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
    """Read corrections of a scene's boxes from a form's JSON, a list of `BoxChange`; unchanged objects are left out.

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
    """Return corrections of objects in words, for the history."""
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
    found = tasks.current_items(db, db.get_one(Project, version.project_id))
    if task:
        return [one for one in found if one.content["task"] == version.content["task"]]
    return [one for one in found if one.item == version.item or (one.scene and one.scene == version.scene)]


def make_again(db: Orm, site: Site, made: Mapping[int, Item | None], by: int, reason: str) -> Outcome:
    """Remake items; a changed item is a new version that is reviewed, and an item that can't be remade is discarded.

    Args:
        db, site: where.
        made: id of an item's version → the item now, None where it is asked no more.
        by, reason: the person who corrected, and the correction.
    """
    done = Outcome()
    for identity, after in made.items():
        version = db.get_one(ItemVersion, identity)
        last = last_decision(db, version)
        if not version.current or (last is not None and last.verdict == "discard"):
            continue
        before = tasks.item_of(version)
        project = db.get_one(Project, version.project_id)
        if after is None:
            tasks.withdraw(db, version)
            decide(db, site, None, version, {"verdict": "discard", "reason": reason}, {by}, by=by)
            done.gone.append(version.item)
        elif (after.question, after.options, after.answer) == (before.question, before.options, before.answer):
            done.same += 1
        else:
            tasks.withdraw(db, version)
            fresh = tasks.add_item(db, site, project, after, origin="regenerated", by=by, reason=reason)
            if (again := MODES[project.mode].again) is not None:
                again(db, site, project, fresh)
            record_item(db, site.settings, "regenerated", fresh, user=by, reason=reason, version=fresh.version)
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
    """Close a flag, with the reason; an item withheld by it alone is approved."""
    version = db.get_one(ItemVersion, flag.item_id)
    flag.open, flag.closed, flag.closed_by = False, site.settings.clock(), by
    flag.content = {"resolution": what, "note": note}
    record_item(db, site.settings, "flag closed", version, user=by, resolution=what, note=note)
    last = last_decision(db, version)
    if version.current and last is not None and last.verdict == "flag":
        decide(db, site, None, version, {"verdict": "approve", "reason": f"{what}: {note}"}, {by}, by=by)
