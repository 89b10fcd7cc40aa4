"""Distractors: people choose frames of the other view that look right for a key step and aren't.

Source: SITE, section 4.2. The questions and their wording are those of `generate.families.site.association`;
people judge which frames are hard. Key steps are moments of ego-exo recordings that distractors are chosen for; a
choice is checked, and its problems are shown.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException
from fastapi.responses import FileResponse, HTMLResponse, Response
from sqlalchemy.orm import Session as Orm
from starlette.datastructures import FormData

from tolman.errors import TolmanError, counted
from tolman.generate.draft_items import item_of
from tolman.generate.families.site.association import (
    DIRECTIONS,
    AssociationSettings,
    contradiction,
    distinct,
    nearness,
    question,
)
from tolman.generate.families.site.support.camera_rig import WEARER, Change, Direction, Moment, SceneRig, rigs
from tolman.generate.family import Draft
from tolman.generate.presets import labels
from tolman.generate.question_media import sources_of, take_out
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item, Media
from tolman.media.video import BrokenMediaError
from tolman.review import tasks
from tolman.review.accounts import AccountError
from tolman.review.forms import Form, Key, seconds_of
from tolman.review.forms.question_checks import CheckProblem
from tolman.review.media import all_scenes, frames_of, inside, media_address, same_picture, scene_of
from tolman.review.site import Guest, Me, Site, TheSite, allow, page, see_other
from tolman.review.store import Assignment, Project
from tolman.review.tasks import Block, Mode, ModeSetting
from tolman.review.tasks.assignments import UNDO, allow_undo
from tolman.review.tasks.blinding import own_work, task_on_page
from tolman.review.tasks.made_items import MADE, add_made, identity, rarest_place, refuse_another

SETTINGS: AssociationSettings = AssociationSettings()
WANTED = 3
"""Distractors of a question."""
_WINDOW = 12.0
"""Seconds around the right moment that are offered."""
_OFFERED = 32


@dataclass(frozen=True)
class KeyStep:
    """A moment that a question is to be about.

    Attributes:
        rig: the cameras.
        family: a key of `DIRECTIONS`.
        right: the moment.
        label: the event then, in the data set's words; '' without one.
    """

    rig: SceneRig
    family: str
    right: Moment
    label: str = ""

    @property
    def direction(self) -> Direction:
        """Name of the view that is given."""
        return DIRECTIONS[self.family]

    @property
    def content(self) -> dict[str, Any]:
        """Stored form of the step in a task."""
        return {
            "scene": self.rig.geometry.scene.id,
            "ego": self.rig.ego.id,
            "exo": self.rig.exo.id,
            "family": self.family,
            "seconds": self.right.seconds,
            "label": self.label,
        }

    @property
    def videos(self) -> tuple[str, str]:
        """The paths of the given view's video and of the other's, relative to the collection."""
        ego, exo = self.rig.ego.media or "", self.rig.exo.media or ""
        return (ego, exo) if self.direction.given == "ego" else (exo, ego)

    def frame(self, moment: Moment, *, given: bool = False) -> int:
        """The number of a moment's frame in the other view's video, or in the given one's."""
        view = self.direction.given if given else self.direction.asked
        return moment.ego if view == "ego" else moment.exo

    def seconds_in_video(self, moment: Moment) -> float:
        """When the other view's player shows a moment."""
        capture = self.rig.ego if self.direction.asked == "ego" else self.rig.exo
        return capture.times[self.frame(moment)] - capture.times[0]

    def offered(self, also: Sequence[int] = ()) -> list[tuple[int, Moment]]:
        """The moments around the right one with their numbers among the rig's, and others that are to be shown."""
        around = [
            (abs(moment.seconds - self.right.seconds), number)
            for number, moment in enumerate(self.rig.moments)
            if moment != self.right and abs(moment.seconds - self.right.seconds) <= _WINDOW
        ]
        numbers = {number for _, number in sorted(around)[:_OFFERED]} | {n for n in also if self.is_other(n)}
        return [(number, self.rig.moments[number]) for number in sorted(numbers)]

    def is_other(self, number: int) -> bool:
        """Check whether a number is that of a moment other than the right one."""
        return 0 <= number < len(self.rig.moments) and self.rig.moments[number] != self.right

    def nearest(self, seconds: float) -> int:
        """The moment that the other view's player shows about this time."""
        moments = self.rig.moments
        return min(range(len(moments)), key=lambda number: abs(self.seconds_in_video(moments[number]) - seconds))

    def change(self, other: Moment) -> Change:
        """Name the difference between a moment and the right one; where only people see it, the way of the wearer."""
        found = contradiction(self.rig, self.direction.given, self.right, other) if self.rig.ego.poses else None
        if found is not None:
            return found
        return self.rig.change(WEARER, self.right, other) if self.rig.ego.poses else Change("people", 0.0, 0.0)

    def near(self, other: Moment) -> str:
        """Return the respect in which a moment is near: 'time' or 'place'."""
        return nearness(self.rig, self.right, other)


def key_steps(geometry: SceneGeometry, most: int) -> Iterator[KeyStep]:
    """At most so many moments of each pair of cameras, the given view in turn.

    Those of annotated events if there are any, else of the whole recording; evenly spread.
    """
    families = tuple(DIRECTIONS)
    for rig in rigs(geometry, SETTINGS):
        usable = [moment for moment in rig.moments if not rig.ego.poses or rig.cues(moment.ego, moment.exo)]
        if len(rig.moments) < WANTED + 1 or not usable:
            continue
        marked = [event for event in geometry.scene.events if event.kind in ("keystep", "")] or geometry.scene.events
        found: dict[Moment, str] = {}
        for event in marked:
            middle = (event.start + event.end) / 2
            moment = min(usable, key=lambda one: abs(one.seconds - middle))
            if event.start - SETTINGS.every <= moment.seconds <= event.end + SETTINGS.every:
                found.setdefault(moment, event.label)
        if not geometry.scene.events:
            found = dict.fromkeys(usable, "")
        chosen = list(found.items())
        step = max(len(chosen) / most, 1.0)
        for turn in range(min(most, len(chosen))):
            moment, label = chosen[int(turn * step)]
            yield KeyStep(rig, families[turn % len(families)], moment, label)


def step_of(geometry: SceneGeometry, content: Mapping[str, Any]) -> KeyStep | None:
    """The moment of a task; None where the scene has changed so that it isn't there any more."""
    for rig in rigs(geometry, SETTINGS):
        if (rig.ego.id, rig.exo.id) == (content["ego"], content["exo"]):
            right = next((m for m in rig.moments if abs(m.seconds - content["seconds"]) < 1e-6), None)
            return KeyStep(rig, content["family"], right, content["label"]) if right else None
    return None


def check_moments(step: KeyStep, picks: Sequence[int], pictures: Mapping[int, Path]) -> list[CheckProblem]:
    """Find problems of some distractors.

    Args:
        step: the key step of the distractors.
        picks: numbers of moments.
        pictures: frame of the other view's video → its picture, of the picks and the right moment.
    """
    found = []
    if len(picks) != WANTED:
        found.append(
            CheckProblem("stop", f"Choose {WANTED} frames that don't fit; {counted(len(picks), 'is', 'are')} chosen.")
        )
    moments = [step.rig.moments[number] for number in picks]
    right = pictures[step.frame(step.right)]
    for moment in moments:
        name = name_moment(step, moment)
        if abs(moment.seconds - step.right.seconds) <= SETTINGS.together or same_picture(
            pictures[step.frame(moment)], right
        ):
            found.append(CheckProblem("stop", f"{name} shows the same as the right one."))
        elif step.rig.ego.poses and contradiction(step.rig, step.direction.given, step.right, moment) is None:
            change = step.change(moment)
            how = f"the wearer is {change.metres:.1f} m away and turned by {change.degrees:.0f}°"
            found.append(CheckProblem("warn", f"{name} is hardly told apart from the right one: {how}."))
    for one, other in itertools.combinations(moments, 2):
        names = f"{name_moment(step, one)} and {name_moment(step, other)}"
        if same_picture(pictures[step.frame(one)], pictures[step.frame(other)]):
            found.append(CheckProblem("stop", f"{names} show the same."))
        elif step.rig.ego.poses and not distinct(step.rig, one, other):
            found.append(CheckProblem("warn", f"{names} are hardly told apart."))
    return sorted(found, key=lambda finding: finding.level != "stop")


def name_moment(step: KeyStep, moment: Moment) -> str:
    """Name of a moment on pages: its time from the right one."""
    return f"{moment.seconds - step.right.seconds:+.1f} s".replace("-", "\u2212")


NAME = "distractors"
STEP = "chosen"
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow("annotator")])


@router.get("/{assignment}", response_class=HTMLResponse)
def show(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """A key step, and the other view's frames around it."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME, "key step")
        if tasks.submission(db, own, STEP) is not None:
            return see_other(f"/projects/{own.task.project_id}/work")
        picks = list(own.draft.content.get("picks", [])) if own.draft else []
        return page(guest, "distractors.html", **_content(db, site, me, own, picks))


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
def look(site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Keep the choice, and show its problems; with 'at', also choose the player's moment."""
    with site.database.read() as db:
        step = _step(site, own_work(db, me, assignment, NAME, "key step"))
    picks, by_time = _picks(step, form), form.get("do") == "at"
    if by_time:
        picks = _with_time(step, picks, str(form.get("at", "")))
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME, "key step")
        if own.state == "done":
            return Response(status_code=204)
        tasks.save_draft(db, site, own, {"picks": picks}, seconds_of(form))
        content = _content(db, site, me, own, picks)
    return page(guest, "_distractors_form.html" if by_time else "_checks.html", **content)


@router.post("/{assignment}", response_class=HTMLResponse)
def submit(site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Submit three distractors."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME, "key step")
        step = _step(site, own)
        picks = _picks(step, form)
        done, project = refuse_another(db, own, STEP, {"picks": picks}), own.task.project_id
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
            tasks.save_draft(db, site, own, {"picks": picks}, seconds_of(form))
            changes = {"problem": "Not yet: " + " ".join(stops), "seconds": seconds_of(form)}
            return page(guest, "distractors.html", status=422, **content | changes)
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
    """Add tasks for the key steps of each scene, or for moments where no key steps are recorded.

    Raises:
        AccountError: there are no scenes, or none that a worn and a fixed camera recorded.
    """
    tasks.add_items(db, site, project, items)
    usable = 0
    for geometry in all_scenes(site):
        for step in key_steps(geometry, project.settings["moments"]):
            usable += 1
            key = f"{step.rig.exo.id}/{step.family}/{step.right.seconds:g}"
            task = tasks.add_task(db, site, project, NAME, key, content=step.content)
            tasks.show_media(db, site, task, [Media(kind="video", path=path) for path in step.videos])
    if not usable:
        raise AccountError("No scene has a recording by a worn camera ('ego') and one by a fixed camera ('exo').")


def progress(db: Orm, site: Site, project: Project) -> list[Block]:
    """Return a table of the chosen frames, by the respect in which they are near to the right ones."""
    near: Counter[str] = Counter()
    seconds = []
    for version in tasks.current_items(db, project):
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
    picks = [number for number in picks if step.is_other(number)]
    offered = step.offered(picks)
    try:
        findings = check_moments(step, picks, _pictures(site, step, [number for number, _ in offered]))
    except BrokenMediaError:
        raise HTTPException(404, "The other view's video can't be read. Tell the owner.") from None
    return task_on_page(db, site, me, own, [NAME]) | {
        "label": step.label,
        "given": step.direction.given,
        "asked": step.direction.asked,
        "right": step.rig.moments.index(step.right),
        "begins": round(step.seconds_in_video(step.right), 2),
        "video": media_address(site, own.task.project_id, Media(kind="video", path=step.videos[1])),
        "offered": [(number, name_moment(step, moment)) for number, moment in offered],
        "picks": picks,
        "findings": findings,
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
