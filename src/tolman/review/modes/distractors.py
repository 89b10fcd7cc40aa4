"""Distractors: people choose frames of the other view that look right beside a key step and aren't (SITE, section 4.2).

What is asked and how it is worded is `generate.egoexo.association`'s; which frames are hard, people see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from sqlalchemy.orm import Session as Orm
from starlette.datastructures import FormData

from tolman.errors import TolmanError
from tolman.generate.draft import Draft
from tolman.generate.draft_items import item_of
from tolman.generate.drafting import labels
from tolman.generate.families.site.association import question
from tolman.generate.families.site.support.rig import Moment
from tolman.generate.pictures import sources_of, take_out
from tolman.items import Item, Media
from tolman.media.video import BrokenMediaError
from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts.identity import AccountError
from tolman.review.evidence.frames import frames_of
from tolman.review.evidence.moments import WANTED, KeyStep, check, key_steps, name_moment, step_of
from tolman.review.forms.fields import Form, Key, seconds_of
from tolman.review.media.collection import all_scenes, scene_of
from tolman.review.media.serving import address, inside
from tolman.review.pages import page, see_other
from tolman.review.site import Site
from tolman.review.store.schema import Assignment, Project
from tolman.review.tasks import taking, work
from tolman.review.tasks.assigned import own_work
from tolman.review.tasks.making import MADE, add_existing, add_made, identity, rarest_place, show_with
from tolman.review.tasks.mode import Block, Mode, ModeSetting
from tolman.review.tasks.undoing import UNDO, allow_undo, undoable

NAME = "distractors"
STEP = "chosen"
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow("annotator")])


@router.get("/{assignment}", response_class=HTMLResponse)
def show(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """A key step, and the other view's frames around it."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME, "key step")
        if work.submission(db, own, STEP) is not None:
            return see_other(f"/projects/{own.task.project_id}/work")
        kept = work.draft_of(db, own)
        content = _content(db, site, me, own, list(kept.content.get("picks", [])) if kept else [])
        return page(request, guest, "distractors.html", **content | {"seconds": kept.seconds if kept else 0.0})


@router.get("/{assignment}/frame/{view}/{number}", response_class=Response)
def frame(site: TheSite, me: Me, assignment: Key, view: str, number: int) -> Response:
    """A frame of the 'given' view at the key step, or of the 'other' at one of the rig's moments."""
    with site.database.read() as db:
        step = _step(site, own_work(db, me, assignment, NAME, "key step"))
    if view not in ("given", "other") or not 0 <= number < len(step.rig.moments):
        raise HTTPException(404, "There is no such frame.")
    try:
        if view == "given":
            path = _given(site, step)
        else:
            pictures = _pictures(site, step, [n for n, _ in step.offered([number])])
            path = pictures[step.frame(step.rig.moments[number])]
    except BrokenMediaError:
        raise HTTPException(404, "The video can't be read. Tell the owner.") from None
    return FileResponse(path, media_type="image/jpeg", headers={"cache-control": "private, max-age=3600"})


@router.post("/{assignment}/check", response_class=HTMLResponse)
def look(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Keep what is chosen, and say what is wrong with it; with 'at', choose what the player shows as well."""
    with site.database.read() as db:
        step = _step(site, own_work(db, me, assignment, NAME, "key step"))
    picks, by_time = _picks(step, form), form.get("do") == "at"
    if by_time:
        picks = _with_time(step, picks, str(form.get("at", "")))
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME, "key step")
        if own.state == "done":
            return Response(status_code=204)
        work.save_draft(db, site, own, {"picks": picks}, seconds_of(form))
        content = _content(db, site, me, own, picks)
    return page(request, guest, "_distractors_form.html" if by_time else "_checks.html", **content)


@router.post("/{assignment}", response_class=HTMLResponse)
def submit(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Submit three distractors."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME, "key step")
        done, project = work.submission(db, own, STEP) is not None, own.task.project_id
        step = _step(site, own)
        picks = _picks(step, form)
        content = {} if done else _content(db, site, me, own, picks)
    if done:
        return see_other(f"/projects/{project}/work")
    stops = [finding.text for finding in content["findings"] if finding.level == "stop"]
    drafted = None if stops else _drafted(step, [step.rig.moments[number] for number in picks])
    try:  # frames are taken out before anybody has to wait for the database
        media = _media(site, step, drafted) if drafted else ()
    except TolmanError as error:
        stops.append(f"A frame can't be taken out: {error}.")
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME, "key step")
        if stops or drafted is None:
            work.save_draft(db, site, own, {"picks": picks}, seconds_of(form))
            changes = {"problem": "Not yet: " + " ".join(stops), "seconds": seconds_of(form)}
            return page(request, guest, "distractors.html", status=422, **content | changes)
        place = rarest_place(db, own.task.project, WANTED + 1, [drafted.task])
        name = identity(site, own)
        known = labels(step.family, outdoors=step.rig.geometry.scene.room_area is None, own={})
        item = item_of(drafted, place, media, 0)
        evidence = item.evidence | {"distractors": "people", "keystep": step.label}
        changed = {"id": name, "labels": item.labels | known, "evidence": evidence}
        made = Item.model_validate(item.model_dump() | changed)
        add_made(db, site, own, me, made, STEP, seconds_of(form), {"picks": picks})
    return see_other(f"/projects/{project}/work")


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """Tasks for the key steps of each scene, or for moments where nobody has written down key steps.

    Raises:
        AccountError: there are no scenes, or none that a worn and a fixed camera recorded.
    """
    add_existing(db, site, project, items)
    usable = 0
    for geometry in all_scenes(site):
        for step in key_steps(geometry, project.settings["moments"]):
            usable += 1
            key = f"{step.rig.exo.id}/{step.family}/{step.right.seconds:g}"
            task = work.add_task(db, site, project, NAME, key, content=step.content)
            show_with(db, site, project, task, [Media(kind="video", path=path) for path in step.videos])
    if not usable:
        raise AccountError("No scene has a recording by a worn camera ('ego') and one by a fixed camera ('exo').")


def progress(db: Orm, site: Site, project: Project) -> list[Block]:
    """In what the chosen frames are near to the right ones."""
    near: Counter[str] = Counter()
    seconds = []
    for version in work.current_items(db, project):
        if version.origin == "written":
            for other in version.content["evidence"]["others"]:
                near[other["near"]] += 1
                seconds.append(abs(other["seconds"]))
    rows: list[tuple[object, ...]] = [(f"near in {kind}", count) for kind, count in sorted(near.items())]
    if seconds:
        rows.append(("seconds away, on average", f"{sum(seconds) / len(seconds):.1f}"))
    return [Block("Distractors", ("", "frames"), rows)]


def _drafted(step: KeyStep, moments: Sequence[Moment]) -> Draft:
    others = [(moment, step.change(moment), step.near(moment)) for moment in moments]
    return question(step.rig, step.direction, step.right, others)


def _media(site: Site, step: KeyStep, drafted: Draft) -> tuple[Media, ...]:
    """The frames as pictures in the store."""
    assert site.settings.scenes is not None
    sources = sources_of(drafted, step.rig.geometry)
    names = take_out(sources, site.settings.scenes, site.settings.store)
    return tuple(source.media(names) for source in sources)


def _video(site: Site, path: str) -> Path:
    assert site.settings.scenes is not None
    return inside(site.settings.scenes, path)


def _given(site: Site, step: KeyStep) -> Path:
    number = step.frame(step.right, given=True)
    return frames_of(site.settings.store, _video(site, step.videos[0]), [number])[number]


def _pictures(site: Site, step: KeyStep, numbers: Sequence[int]) -> dict[int, Path]:
    """Frame of the other view's video → its picture, of some moments and the right one."""
    moments = [step.right, *(step.rig.moments[number] for number in numbers)]
    return frames_of(site.settings.store, _video(site, step.videos[1]), [step.frame(moment) for moment in moments])


def _picks(step: KeyStep, form: FormData) -> list[int]:
    texts = [text for text in form.getlist("pick")[:50] if isinstance(text, str) and text.isdecimal() and len(text) < 7]
    return [number for number in sorted({int(text) for text in texts}) if step.is_other(number)]


def _with_time(step: KeyStep, picks: list[int], text: str) -> list[int]:
    try:
        number = step.nearest(float(text.replace(",", ".")))
    except ValueError:
        return picks
    return sorted({*picks, number}) if step.is_other(number) else picks


def _step(site: Site, own: Assignment) -> KeyStep:
    step = step_of(scene_of(site, own.task.content["scene"]), own.task.content)
    if step is None:
        raise HTTPException(404, "The recording has changed: this moment isn't there any more. Tell the owner.")
    return step


def _content(db: Orm, site: Site, me: Me, own: Assignment, picks: list[int]) -> dict[str, Any]:
    step = _step(site, own)
    project = own.task.project
    picks = [number for number in picks if step.is_other(number)]
    done = taking.done_by(db, project, me, [NAME])
    offered = step.offered(picks)
    try:
        findings = check(step, picks, _pictures(site, step, [number for number, _ in offered]))
    except BrokenMediaError:
        raise HTTPException(404, "The other view's video can't be read. Tell the owner.") from None
    return {
        "own": own.id,
        "project": project.name,
        "number": done + 1,
        "total": done + taking.waiting(db, site, project, me, [NAME]),
        "label": step.label,
        "given": step.direction.given,
        "asked": step.direction.asked,
        "right": step.rig.moments.index(step.right),
        "begins": round(step.seconds_in_video(step.right), 2),
        "video": address(site, project.id, Media(kind="video", path=step.videos[1])),
        "offered": [(number, name_moment(step, moment)) for number, moment in offered],
        "picks": picks,
        "findings": findings,
        "problem": "",
        "undo": project.id if undoable(db, project, me) is not None else None,
    }


allow_undo(NAME, STEP, MADE)
DISTRACTORS = Mode(
    name=NAME,
    title="Distractors",
    purpose="Annotators choose hard distractor frames of the other view beside key steps of ego-exo recordings.",
    stages={NAME: ("annotator",)},
    router=router,
    start=start,
    progress=progress,
    makes_items=True,
    settings=(ModeSetting("moments", "Key steps of each pair of cameras", 4, most=200), UNDO),
)
