"""Flags: what reviewers doubt, the other items of the same scene, and the correction that a flag leads to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import TolmanError
from tolman.items import Item
from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts.identity import Person
from tolman.review.forms.answers import shown_answer
from tolman.review.forms.fields import Clean, Key, Line, Paragraphs
from tolman.review.media.blind import blind
from tolman.review.pages import page, see_other
from tolman.review.projects import corrections
from tolman.review.projects.corrections import CorrectionError
from tolman.review.projects.origins import Origin, origin_of, scene_of, thresholds
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Flag, ItemVersion, Project, User
from tolman.review.tasks import work
from tolman.review.tasks.drawing import drawings_about
from tolman.review.tasks.settling import last_decision

router = APIRouter(prefix="/flags", dependencies=[allow("owner")])
Count = Annotated[int | None, Form(ge=0, le=10_000)]
Value = Annotated[float | None, Form(allow_inf_nan=False)]
Changes = Annotated[str, Form(max_length=400_000), Clean]
_Make = Callable[[Item], Item | None]


@router.get("/project/{project}", response_class=HTMLResponse)
def listed(request: Request, site: TheSite, guest: Guest, project: Key) -> Response:
    """The flags of a project, the open ones first."""
    with site.database.read() as db:
        found = db.get(Project, project)
        if found is None:
            raise HTTPException(404, "There is no such project.")
        rows = db.execute(
            select(Flag, ItemVersion, User.name)
            .join(ItemVersion, ItemVersion.id == Flag.item_id)
            .join(User, User.id == Flag.user_id)
            .where(ItemVersion.project_id == project)
            .order_by(Flag.open.desc(), Flag.id)
        ).all()
    return page(request, guest, "flags.html", project=found, rows=rows)


@router.get("/{flag}", response_class=HTMLResponse)
def show(request: Request, site: TheSite, guest: Guest, flag: Key) -> Response:
    """One flag: the item, its scene, the items beside it."""
    with site.database.read() as db:
        return page(request, guest, "flag.html", **_content(db, site, _flag(db, flag)))


@router.post("/{flag}/dismiss", response_class=HTMLResponse)
def dismiss(request: Request, site: TheSite, guest: Guest, me: Me, flag: Key, note: Paragraphs = "") -> Response:
    """Nothing is wrong: the item is approved as it was."""
    with site.database.write() as db:
        found = _flag(db, flag)
        if not note.strip():
            return _problem(request, guest, db, site, found, "Give a reason.")
        if found.open:
            corrections.close_flags(db, site, found, me.id, "dismissed", note.strip())
    return see_other(f"/flags/{flag}")


@router.post("/{flag}/scene", response_class=HTMLResponse)
def correct_scene(
    request: Request,
    site: TheSite,
    guest: Guest,
    me: Me,
    flag: Key,
    fact: Line = "",
    thing: Line = "",
    category: Line = "",
    count: Count = None,
    note: Paragraphs = "",
) -> Response:
    """Write down what is wrong with the scene, and make its items again."""

    def correct(db: Orm, version: ItemVersion, origin: Origin) -> tuple[list[ItemVersion], _Make, str]:
        if version.scene is None:
            raise CorrectionError("The item has no scene.")
        origin.correct(corrections.read_fact(fact, version.scene, thing, category, count, note.strip()))
        what = f"scene corrected: {fact} {thing or category}" + ("" if count is None else f" {count}")
        return corrections.items_like(db, version), origin.maker(), what

    return _corrected(request, site, guest, me, flag, note, correct)


@router.post("/{flag}/boxes", response_class=HTMLResponse)
def correct_boxes(
    request: Request, site: TheSite, guest: Guest, me: Me, flag: Key, changes: Changes = "", note: Paragraphs = "",
) -> Response:  # fmt: skip
    """Write down where boxes are, as the workbench sends them, and make the scene's items again."""

    def correct(db: Orm, version: ItemVersion, origin: Origin) -> tuple[list[ItemVersion], _Make, str]:
        scene = scene_of(origin, version.scene)
        if scene is None:
            raise CorrectionError("The item has no scene.")
        facts = corrections.read_boxes(changes, scene, note.strip())
        origin.correct(*facts)
        return corrections.items_like(db, version), origin.maker(), corrections.in_words(facts)

    return _corrected(request, site, guest, me, flag, note, correct)


@router.post("/{flag}/rule", response_class=HTMLResponse)
def correct_rule(
    request: Request,
    site: TheSite,
    guest: Guest,
    me: Me,
    flag: Key,
    rule: Line = "",
    value: Value = None,
    note: Paragraphs = "",
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
        return corrections.items_like(db, version, task=True), changed.maker(), f"rule {rule} = {value:g}"

    return _corrected(request, site, guest, me, flag, note, correct)


@router.post("/{flag}/template", response_class=HTMLResponse)
def correct_template(
    request: Request,
    site: TheSite,
    guest: Guest,
    me: Me,
    flag: Key,
    old: Paragraphs = "",
    new: Paragraphs = "",
    note: Paragraphs = "",
) -> Response:
    """Replace a wording in all items of the question type."""

    def correct(db: Orm, version: ItemVersion, origin: Origin | None) -> tuple[list[ItemVersion], _Make, str]:
        make = corrections.by_wording(old, new)
        return corrections.items_like(db, version, task=True), make, f"wording '{old}' replaced by '{new}'"

    return _corrected(request, site, guest, me, flag, note, correct, needs_origin=False)


def _corrected(
    request: Request,
    site: Site,
    guest: Guest,
    me: Person,
    flag: int,
    note: str,
    correct: Callable[[Orm, ItemVersion, Any], tuple[list[ItemVersion], _Make, str]],
    *,
    needs_origin: bool = True,
) -> Response:
    """Do a correction, make items again, and close the flag; or say what is missing."""
    origin = origin_of(site)
    # What takes long is done before the transaction that writes, so that nobody's answer waits for it.
    with site.database.read() as db:
        found = _flag(db, flag)
        if not found.open:
            return see_other(f"/flags/{flag}")
        version = db.get_one(ItemVersion, found.item_id)
        try:
            if not note.strip():
                raise CorrectionError("Give a reason.")
            if needs_origin and origin is None:
                raise CorrectionError("The scenes that the benchmark was generated from are not known here.")
            versions, make, what = correct(db, version, origin)
            made = {one.id: make(work.item_of(one)) for one in versions}
        except (CorrectionError, TolmanError) as error:
            return _problem(request, guest, db, site, found, str(error))
    with site.database.write() as db:
        found = _flag(db, flag)
        if found.open:
            done = corrections.make_again(db, site, made, me.id, f"{what}: {note.strip()}")
            corrections.close_flags(db, site, found, me.id, f"{what}; {done.sentence()}", note.strip())
            record(
                db, site.settings, "corrected", project=version.project_id, user=me.id, reason=what,
                changed=done.changed, gone=done.gone,
            )  # fmt: skip
    return see_other(f"/flags/{flag}")


def _flag(db: Orm, flag: int) -> Flag:
    found = db.get(Flag, flag)
    if found is None:
        raise HTTPException(404, "There is no such flag.")
    return found


def _problem(request: Request, guest: Guest, db: Orm, site: Site, found: Flag, sentence: str) -> Response:
    return page(request, guest, "flag.html", status=422, **(_content(db, site, found) | {"problem": sentence}))


def _content(db: Orm, site: Site, found: Flag) -> dict[str, Any]:
    version = db.get_one(ItemVersion, found.item_id)
    origin = origin_of(site)
    scene = scene_of(origin, version.scene)
    beside = [one for one in corrections.items_like(db, version) if one.item != version.item]
    item = work.item_of(version)
    return {
        "flag": found,
        "by": db.get_one(User, found.user_id).name,
        "version": version,
        "project": db.get_one(Project, version.project_id),
        "item": item,
        "truth": shown_answer(item, item.answer),
        "question": blind(site, version.project_id, item),
        "beside": [(one, last_decision(db, one)) for one in beside],
        "scene": scene,
        "known": origin is not None,
        "rules": thresholds(origin.preset) if origin else [],
        "drawings": drawings_about(db, version),
        "problem": "",
    }
