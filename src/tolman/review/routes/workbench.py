"""The scene workbench: an item's scene in three dimensions, for those who may see its truth; the owner corrects it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import TolmanError
from tolman.generate.geometry import SceneGeometry
from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts.identity import Person
from tolman.review.forms.answers import shown_answer
from tolman.review.forms.fields import Clean, Key, Paragraphs
from tolman.review.media.blind import blind
from tolman.review.media.collection import scene_in, scenes_folder
from tolman.review.media.scene_answers import cloud_answer, frame_answer, scene_answer
from tolman.review.pages import page, see_other
from tolman.review.projects import corrections
from tolman.review.projects.corrections import CorrectionError
from tolman.review.projects.origins import origin_of
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import HistoryEvent, ItemVersion, Project
from tolman.review.tasks import work
from tolman.review.tasks.settling import last_decision
from tolman.review.tasks.sight import sees_scene, sees_truth

Changes = Annotated[str, Form(max_length=400_000), Clean]

shared = APIRouter(prefix="/workbench", dependencies=[allow("annotator", "reviewer", "owner")])
owner = APIRouter(prefix="/workbench", dependencies=[allow("owner")])


@owner.get("/{version}", response_class=HTMLResponse)
def show(request: Request, site: TheSite, guest: Guest, version: Key) -> Response:
    """An item with its scene, to be corrected."""
    with site.database.read() as db:
        return page(request, guest, "workbench.html", **_content(db, site, _version(db, version)))


@owner.post("/{version}/boxes", response_class=HTMLResponse)
def correct(
    request: Request, site: TheSite, guest: Guest, me: Me, version: Key, changes: Changes = "", note: Paragraphs = "",
) -> Response:  # fmt: skip
    """Write down where boxes are, and make the scene's items again."""
    # What takes long is done before the transaction that writes, so that nobody's answer waits for it.
    with site.database.read() as db:
        found = _version(db, version)
        try:
            if not note.strip():
                raise CorrectionError("Give a reason.")
            origin = origin_of(site)
            scene = origin.geometry(found.scene) if origin is not None and found.scene is not None else None
            if origin is None or scene is None:
                raise CorrectionError("The scene that the item was generated from is not known here.")
            facts = corrections.read_boxes(changes, scene.scene, note.strip())
            origin.correct(*facts)
            make, what = origin.maker(), corrections.in_words(facts)
            made = {one.id: make(work.item_of(one)) for one in corrections.items_like(db, found)}
        except (CorrectionError, TolmanError) as error:
            content = _content(db, site, found) | {"problem": str(error)}
            return page(request, guest, "workbench.html", status=422, **content)
    with site.database.write() as db:
        done = corrections.make_again(db, site, made, me.id, f"{what}: {note.strip()}")
        record(
            db, site.settings, "corrected", project=found.project_id, item=found.item, user=me.id, reason=what,
            changed=done.changed, gone=done.gone, same=done.same,
        )  # fmt: skip
        now = db.scalar(
            select(ItemVersion.id)
            .where(ItemVersion.project_id == found.project_id, ItemVersion.item == found.item)
            .order_by(ItemVersion.id.desc())
        )
    return see_other(f"/workbench/{now}")


@shared.get("/{version}/scene", response_class=Response)
def data(site: TheSite, me: Me, version: Key) -> Response:
    """The scene's boxes, cameras and evidence."""
    with site.database.read() as db:
        found = _seen(db, me, version)
        whole = sees_scene(db, me, found)
        item = work.item_of(found)
    return scene_answer(site, _geometry(site, found), item, whole=whole)


@shared.get("/{version}/cloud", response_class=Response)
def cloud(site: TheSite, me: Me, version: Key) -> Response:
    """The scene's cloud."""
    with site.database.read() as db:
        found = _seen(db, me, version)
    return cloud_answer(site, found.scene or "")


@shared.get("/{version}/frame/{camera}/{number}", response_class=Response)
def frame(site: TheSite, me: Me, version: Key, camera: int, number: int) -> Response:
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
    """An item's version, for who may see its truth; to all others it isn't there."""
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


def _content(db: Orm, site: Site, version: ItemVersion) -> dict[str, Any]:
    item = work.item_of(version)
    last = db.scalar(
        select(HistoryEvent)
        .where(HistoryEvent.project_id == version.project_id, HistoryEvent.what == "corrected")
        .order_by(HistoryEvent.id.desc())
        .limit(1)
    )
    return {
        "version": version,
        "project": db.get_one(Project, version.project_id),
        "item": item,
        "truth": shown_answer(item, item.answer),
        "question": blind(site, version.project_id, item),
        "beside": [(one, last_decision(db, one)) for one in corrections.items_like(db, version)],
        "last": last,
        "problem": "",
    }
