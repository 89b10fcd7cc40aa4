"""Flags and the scene workbench: reviewers' doubts, an item's scene in three dimensions, and corrections.

A flag's page shows the other items of the same scene, and the correction that the flag leads to. The workbench is for
those who may see an item's truth; the owner corrects the scene there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import TolmanError
from tolman.ground_truth.corrections import append_corrections
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.review import tasks
from tolman.review.accounts import Person
from tolman.review.forms import Clean, Key, Line, Paragraphs, shown_answer
from tolman.review.media import cloud_answer, frame_answer, scene_answer, scene_in, scenes_folder
from tolman.review.projects import flag_corrections, project_of
from tolman.review.projects.flag_corrections import CorrectionError, Origin, origin_of, scene_of
from tolman.review.site import Guest, Me, Site, TheSite, allow, page, see_other
from tolman.review.store import Flag, HistoryEvent, ItemVersion, Project, User
from tolman.review.store.database import record, record_item
from tolman.review.tasks.blinding import blind, drawings_about, sees_scene, sees_truth
from tolman.review.tasks.decisions import last_decision

flags_router = APIRouter(prefix="/flags", dependencies=[allow("owner")])
Count = Annotated[int | None, Form(ge=0, le=10_000)]
Value = Annotated[float | None, Form(allow_inf_nan=False)]
Changes = Annotated[str, Form(max_length=400_000), Clean]
_Make = Callable[[Item], Item | None]
_Correct = Callable[[Orm, ItemVersion, Any], tuple[list[ItemVersion], _Make, str]]


@flags_router.get("/project/{project}", response_class=HTMLResponse)
def list_flags(site: TheSite, guest: Guest, project: Key) -> Response:
    """The flags of a project, the open ones first."""
    with site.database.read() as db:
        found = project_of(db, project)
        rows = db.execute(
            select(Flag, ItemVersion, User.name)
            .join(ItemVersion, ItemVersion.id == Flag.item_id)
            .join(User, User.id == Flag.user_id)
            .where(ItemVersion.project_id == project)
            .order_by(Flag.open.desc(), Flag.id)
        ).all()
    return page(guest, "flags.html", project=found, rows=rows)


@flags_router.get("/{flag}", response_class=HTMLResponse)
def show_flag(site: TheSite, guest: Guest, flag: Key) -> Response:
    """Show one flag: the item, its scene, and the scene's other items."""
    with site.database.read() as db:
        return page(guest, "flag.html", **_flag_content(db, site, _flag(db, flag)))


@flags_router.post("/{flag}/dismiss", response_class=HTMLResponse)
def dismiss(site: TheSite, guest: Guest, me: Me, flag: Key, note: Paragraphs = "") -> Response:
    """Nothing is wrong: the item is approved as it was."""
    with site.database.write() as db:
        found = _flag(db, flag)
        if not note.strip():
            return _problem(guest, db, site, found, "Give a reason.")
        if found.open:
            flag_corrections.close_flags(db, site, found, me.id, "dismissed", note.strip())
    return see_other(f"/flags/{flag}")


@flags_router.post("/{flag}/scene", response_class=HTMLResponse)
def correct_scene(
    site: TheSite, guest: Guest, me: Me, flag: Key, fact: Line = "", thing: Line = "", category: Line = "",
    count: Count = None, note: Paragraphs = "",
) -> Response:  # fmt: skip
    """Record an error of the scene, and make its items again."""

    def correct(db: Orm, version: ItemVersion, origin: Origin) -> tuple[list[ItemVersion], _Make, str]:
        if version.scene is None:
            raise CorrectionError("The item has no scene.")
        written = flag_corrections.read_fact(fact, version.scene, thing, category, count, note.strip())
        append_corrections(origin.scenes, [written])
        what = f"scene corrected: {fact} {thing or category}" + ("" if count is None else f" {count}")
        return flag_corrections.items_like(db, version), origin.maker(), what

    return _corrected(site, guest, me, flag, note, correct)


@flags_router.post("/{flag}/boxes", response_class=HTMLResponse)
def correct_boxes(
    site: TheSite, guest: Guest, me: Me, flag: Key, changes: Changes = "", note: Paragraphs = ""
) -> Response:
    """Write down where boxes are, as the workbench sends them, and make the scene's items again."""
    return _corrected(site, guest, me, flag, note, _moved(changes, note))


@flags_router.post("/{flag}/rule", response_class=HTMLResponse)
def correct_rule(
    site: TheSite, guest: Guest, me: Me, flag: Key, rule: Line = "", value: Value = None, note: Paragraphs = ""
) -> Response:
    """Change a threshold, and make all items of the question type again."""

    def correct(db: Orm, version: ItemVersion, origin: Origin) -> tuple[list[ItemVersion], _Make, str]:
        family, _, name = rule.partition(".")
        if value is None:
            raise CorrectionError("Give the rule's new value.")
        try:
            changed = origin.with_rule(family, name, value)
        except ValueError as error:
            raise CorrectionError(f"The rule can't be changed: {error}.") from None
        return flag_corrections.items_like(db, version, task=True), changed.maker(), f"rule {rule} = {value:g}"

    return _corrected(site, guest, me, flag, note, correct)


@flags_router.post("/{flag}/template", response_class=HTMLResponse)
def correct_template(
    site: TheSite, guest: Guest, me: Me, flag: Key, old: Paragraphs = "", new: Paragraphs = "", note: Paragraphs = ""
) -> Response:
    """Replace a wording in all items of the question type."""

    def correct(db: Orm, version: ItemVersion, origin: Origin | None) -> tuple[list[ItemVersion], _Make, str]:
        make = flag_corrections.by_wording(old, new)
        return flag_corrections.items_like(db, version, task=True), make, f"wording '{old}' replaced by '{new}'"

    return _corrected(site, guest, me, flag, note, correct, needs_origin=False)


def _corrected(
    site: Site, guest: Guest, me: Person, flag: int, note: str, correct: _Correct, *, needs_origin: bool = True
) -> Response:
    """Do a correction, make items again, and close the flag; or name the missing input."""
    with site.database.read() as db:
        found = _flag(db, flag)
        if not found.open:
            return see_other(f"/flags/{flag}")
        version = db.get_one(ItemVersion, found.item_id)
        try:
            made, what = _made_again(db, site, version, note, correct, needs_origin=needs_origin)
        except (CorrectionError, TolmanError) as error:
            return _problem(guest, db, site, found, str(error))
    with site.database.write() as db:
        found = _flag(db, flag)
        if found.open:
            done = flag_corrections.make_again(db, site, made, me.id, f"{what}: {note.strip()}")
            flag_corrections.close_flags(db, site, found, me.id, f"{what}; {done.sentence()}", note.strip())
            record(
                db, site.settings, "corrected", project=version.project_id, user=me.id, reason=what,
                changed=done.changed, gone=done.gone,
            )  # fmt: skip
    return see_other(f"/flags/{flag}")


def _made_again(
    db: Orm, site: Site, version: ItemVersion, note: str, correct: _Correct, *, needs_origin: bool = True
) -> tuple[dict[int, Item | None], str]:
    """Do a correction and make items again: it takes long, and is done before the transaction for which people wait.

    Raises:
        CorrectionError, TolmanError: something is missing.
    """
    origin = origin_of(site)
    if not note.strip():
        raise CorrectionError("Give a reason.")
    if needs_origin and origin is None:
        raise CorrectionError("The scenes that the benchmark was generated from are not known here.")
    versions, make, what = correct(db, version, origin)
    return {one.id: make(tasks.item_of(one)) for one in versions}, what


def _flag(db: Orm, flag: int) -> Flag:
    found = db.get(Flag, flag)
    if found is None:
        raise HTTPException(404, "There is no such flag.")
    return found


def _problem(guest: Guest, db: Orm, site: Site, found: Flag, sentence: str) -> Response:
    return page(guest, "flag.html", status=422, **(_flag_content(db, site, found) | {"problem": sentence}))


def _flag_content(db: Orm, site: Site, found: Flag) -> dict[str, Any]:
    version = db.get_one(ItemVersion, found.item_id)
    origin = origin_of(site)
    scene = scene_of(origin, version.scene)
    beside = [one for one in flag_corrections.items_like(db, version) if one.item != version.item]
    return _item_content(db, site, version) | {
        "flag": found,
        "by": db.get_one(User, found.user_id).name,
        "beside": [(one, last_decision(db, one)) for one in beside],
        "scene": scene,
        "known": origin is not None,
        "rules": origin.preset.thresholds() if origin else [],
        "drawings": drawings_about(db, version),
    }


def _item_content(db: Orm, site: Site, version: ItemVersion) -> dict[str, Any]:
    item = tasks.item_of(version)
    return {
        "version": version,
        "project": db.get_one(Project, version.project_id),
        "item": item,
        "truth": shown_answer(item, item.answer),
        "question": blind(site, version.project_id, item),
        "problem": "",
    }


workbench_shared = APIRouter(prefix="/workbench", dependencies=[allow("annotator", "reviewer", "owner")])
workbench_owner = APIRouter(prefix="/workbench", dependencies=[allow("owner")])


@workbench_owner.get("/{version}", response_class=HTMLResponse)
def show_workbench(site: TheSite, guest: Guest, version: Key) -> Response:
    """An item with its scene, to be corrected."""
    with site.database.read() as db:
        return page(guest, "workbench.html", **_workbench_content(db, site, _version(db, version)))


@workbench_owner.post("/{version}/boxes", response_class=HTMLResponse)
def correct_on_workbench(
    site: TheSite, guest: Guest, me: Me, version: Key, changes: Changes = "", note: Paragraphs = ""
) -> Response:
    """Write down where boxes are, and make the scene's items again."""
    with site.database.read() as db:
        found = _version(db, version)
        try:
            made, what = _made_again(db, site, found, note, _moved(changes, note))
        except (CorrectionError, TolmanError) as error:
            content = _workbench_content(db, site, found) | {"problem": str(error)}
            return page(guest, "workbench.html", status=422, **content)
    with site.database.write() as db:
        done = flag_corrections.make_again(db, site, made, me.id, f"{what}: {note.strip()}")
        told = {"reason": what, "changed": done.changed, "gone": done.gone, "same": done.same}
        record_item(db, site.settings, "corrected", found, user=me.id, **told)
        same = ItemVersion.project_id == found.project_id, ItemVersion.item == found.item
        now = db.scalar(select(ItemVersion.id).where(*same).order_by(ItemVersion.id.desc()))
    return see_other(f"/workbench/{now}")


def _moved(changes: str, note: str) -> _Correct:
    def correct(db: Orm, version: ItemVersion, origin: Origin) -> tuple[list[ItemVersion], _Make, str]:
        scene = scene_of(origin, version.scene)
        if scene is None:
            raise CorrectionError("The scene that the item was generated from is not known here.")
        facts = flag_corrections.read_boxes(changes, scene, note.strip())
        append_corrections(origin.scenes, facts)
        return flag_corrections.items_like(db, version), origin.maker(), flag_corrections.in_words(facts)

    return correct


@workbench_shared.get("/{version}/scene", response_class=Response)
def workbench_scene(site: TheSite, me: Me, version: Key) -> Response:
    """The scene's boxes, cameras and evidence."""
    with site.database.read() as db:
        found = _seen(db, me, version)
        whole = sees_scene(db, me, found)
        item = tasks.item_of(found)
    return scene_answer(site, _geometry(site, found), item, whole=whole)


@workbench_shared.get("/{version}/cloud", response_class=Response)
def workbench_cloud(site: TheSite, me: Me, version: Key) -> Response:
    """The scene's cloud."""
    with site.database.read() as db:
        found = _seen(db, me, version)
    return cloud_answer(site, found.scene or "")


@workbench_shared.get("/{version}/frame/{camera}/{number}", response_class=Response)
def workbench_frame(site: TheSite, me: Me, version: Key, camera: int, number: int) -> Response:
    """One frame of a camera of the scene."""
    with site.database.read() as db:
        found = _seen(db, me, version)
    return frame_answer(site, _geometry(site, found), camera, number)


def _version(db: Orm, version: int) -> ItemVersion:
    found = db.get(ItemVersion, version)
    if found is None:
        raise HTTPException(404, "There is no such item.")
    return found


def _seen(db: Orm, me: Person, version: int) -> ItemVersion:
    """Return an item's version to people who may see its truth; for all others it doesn't exist."""
    found = db.get(ItemVersion, version)
    if found is None or not sees_truth(db, me, found):
        raise HTTPException(404, "There is no such scene.")
    return found


def _geometry(site: Site, version: ItemVersion) -> SceneGeometry:
    """The scene of an item as it is with its corrections."""
    folder = scenes_folder(site)
    found = scene_in(folder, version.scene) if folder is not None and version.scene is not None else None
    if found is None:
        raise HTTPException(404, "The scene that this item was generated from is not known here.")
    return found


def _workbench_content(db: Orm, site: Site, version: ItemVersion) -> dict[str, Any]:
    events = select(HistoryEvent).where(HistoryEvent.project_id == version.project_id, HistoryEvent.what == "corrected")
    return _item_content(db, site, version) | {
        "last": db.scalar(events.order_by(HistoryEvent.id.desc()).limit(1)),
        "beside": [(one, last_decision(db, one)) for one in flag_corrections.items_like(db, version)],
    }


ROUTERS = (flags_router, workbench_owner, workbench_shared)
