"""Routes: people choose landmarks on a floor plan next to the video; the turns follow from the scene (VSI-Bench, B.1).

The questions, their wording and the check for clear routes are those of `generate.families.vsi_bench.route_plan`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.orm import Session as Orm
from starlette.datastructures import FormData

from tolman.generate.distractors import placed
from tolman.generate.families.vsi_bench.route_plan import TASK, RouteSettings, obstacles, question, turns_of, violations
from tolman.generate.family import Draft
from tolman.generate.presets import labels
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import LETTERS, Item, Media
from tolman.review import tasks
from tolman.review.accounts import AccountError
from tolman.review.evidence.scene_drawings import floor_path, floor_view
from tolman.review.forms import Form, Key, clean, seconds_of
from tolman.review.media import all_scenes, media_address, scene_of
from tolman.review.site import Guest, Me, Site, TheSite, allow, page, see_other
from tolman.review.store import Assignment, Project
from tolman.review.tasks import Block, Mode, ModeSetting
from tolman.review.tasks.assignments import UNDO, allow_undo
from tolman.review.tasks.blinding import own_work, task_on_page
from tolman.review.tasks.made_items import MADE, add_made, identity, rarest_place, refuse_another

NAME = "routes"
STEP = "route"
SETTINGS = RouteSettings()
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow("annotator")])


@dataclass(frozen=True)
class Route:
    """A route as far as it is chosen.

    Attributes:
        start: where it begins.
        facing: the object faced there; '' for the first stop.
        stops: where one goes.
    """

    start: str = ""
    facing: str = ""
    stops: tuple[str, ...] = ()

    @property
    def all_stops(self) -> tuple[str, ...]:
        """The start with the stops."""
        return (self.start, *self.stops)

    @property
    def turn_first(self) -> str | None:
        """The object that is faced at the start, where it isn't the first stop."""
        return self.facing if self.facing and self.stops and self.facing != self.stops[0] else None


@router.get("/{assignment}", response_class=HTMLResponse)
def show(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """A scene, for a route to be planned in it."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME, "scene")
        if tasks.submission(db, own, STEP) is not None:
            return see_other(f"/projects/{own.task.project_id}/work")
        route = _of_draft(own.draft.content if own.draft else {})
        return page(guest, "routes.html", **_content(db, site, me, own, route))


@router.post("/{assignment}/plan", response_class=HTMLResponse)
def plan(site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Keep the choice; show the turns, or the problem of the route."""
    route = _of_form(form)
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME, "scene")
        if own.state == "done":
            return Response(status_code=204)
        tasks.save_draft(db, site, own, _draft(route), seconds_of(form))
        content = _content(db, site, me, own, route)
    return page(guest, "_route_preview.html", **content | {"oob": True})


@router.post("/{assignment}", response_class=HTMLResponse)
def submit(site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Submit a route; one that isn't clear is refused with a sentence."""
    route = _of_form(form)
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME, "scene")
        if not refuse_another(db, own, STEP, _draft(route)):
            geometry = scene_of(site, own.task.content["scene"])
            problem = problem_of(geometry, route) or _twice(db, own, route)
            if problem:
                content = _content(db, site, me, own, route) | {"problem": problem, "seconds": seconds_of(form)}
                tasks.save_draft(db, site, own, _draft(route), seconds_of(form))
                return page(guest, "routes.html", status=422, **content)
            item = _item(db, site, own, geometry, route)
            add_made(db, site, own, me, item, STEP, seconds_of(form), _draft(route))
        return see_other(f"/projects/{own.task.project_id}/work")


def problem_of(geometry: SceneGeometry, route: Route) -> str:
    """Find a fault of a route, as a sentence; '' where there is none."""
    stops = route.all_stops
    if not route.start or len(stops) < 2:
        return "Choose where the route begins and where it goes."
    strange = [name for name in (*stops, route.facing) if name and name not in geometry.unique]
    if strange:
        return f"“{strange[0]}” can't be named: there must be one of it, which the video shows."
    if len(set(stops)) < len(stops) or route.facing == route.start:
        return "A landmark is there twice: go to each once, and face another than the one where it begins."
    if not SETTINGS.least_moves <= len(stops) - 1 <= SETTINGS.most_moves:
        return f"A route has {SETTINGS.least_moves} to {SETTINGS.most_moves} stops after its beginning."
    for name, margin in turns_of(geometry, stops, route.turn_first):
        if margin < SETTINGS.margin:
            told = f"“{name}” is only {margin:.0f}° from another answer: {SETTINGS.margin:.0f}° are needed"
            return f"A turn is ambiguous: {told}. Choose another stop."
    blocked = obstacles(geometry, stops, SETTINGS)
    if blocked:
        what = "the floor ends" if blocked[0] == "the floor ends" else f"the {blocked[0]} stands in the way"
        return f"One can't walk there straight: {what}."
    broken = violations(geometry, stops, SETTINGS, route.turn_first)
    return f"The route can't be asked: {broken[0]}." if broken else ""


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """Tasks for each scene in which a route can be planned.

    Raises:
        AccountError: there are no scenes, or none with a floor, a video and three landmarks.
    """
    tasks.add_items(db, site, project, items)
    usable = 0
    for geometry in all_scenes(site):
        scene = geometry.scene
        if not scene.floor or not scene.video or len(geometry.unique) < SETTINGS.least_moves + 1:
            continue
        usable += 1
        for number in range(1, project.settings["routes"] + 1):
            task = tasks.add_task(db, site, project, NAME, f"{scene.id}/{number}", content={"scene": scene.id})
            tasks.show_media(db, site, task, [Media(kind="video", path=scene.video)])
    if not usable:
        raise AccountError("No scene has a floor's outline, a video and three things of which there is one each.")


def progress(db: Orm, site: Site, project: Project) -> list[Block]:
    """Tabulate lengths and turns of the routes."""
    made = [v.content for v in tasks.current_items(db, project) if v.origin == "written"]
    turns: Counter[str] = Counter()
    lengths: Counter[int] = Counter()
    for content in made:
        right = content["options"][LETTERS.index(content["answer"])]
        turns.update(right.split(", "))
        lengths[len(content["evidence"]["stops"]) - 1] += 1
    return [
        Block("Turns", ("turn", "times"), sorted(turns.items())),
        Block("Lengths", ("stops after the beginning", "routes"), sorted(lengths.items())),
    ]


def _drafted(geometry: SceneGeometry, route: Route) -> Draft:
    """The question; its wrong options depend on nothing but the route."""
    generator = random.Random(f"{geometry.scene.id}:{TASK}:{route.facing}:{':'.join(route.all_stops)}")
    return question(geometry, route.all_stops, generator, route.turn_first)


def _item(db: Orm, site: Site, own: Assignment, geometry: SceneGeometry, route: Route) -> Item:
    drafted = _drafted(geometry, route)
    scene = geometry.scene
    place = rarest_place(db, own.task.project, len(drafted.options), [TASK])
    name = identity(site, own)
    assert scene.video is not None
    return Item(
        id=name,
        question=drafted.question,
        kind="choice",
        options=placed(drafted.options, place, name),
        answer=LETTERS[place],
        task=TASK,
        labels={"dataset": scene.dataset, **labels("route", outdoors=scene.room_area is None, own={})},
        scene=scene.id,
        media=(Media(kind="video", path=scene.video),),
        evidence=dict(drafted.evidence) | {"settings": SETTINGS.model_dump()},
    )


def _twice(db: Orm, own: Assignment, route: Route) -> str:
    """Check whether the project has the route already."""
    for version in tasks.current_items(db, own.task.project):
        told = version.content["evidence"]
        same = version.scene == own.task.content["scene"] and told.get("stops") == list(route.all_stops)
        if same and told.get("facing") == route.turn_first:
            return "This route is there already. Plan another."
    return ""


def _of_form(form: FormData) -> Route:
    def text(value: object) -> str:
        return clean(value[:500]) if isinstance(value, str) else ""

    stops = tuple(text(value) for value in form.getlist("stop")[:20])
    return Route(text(form.get("start")), text(form.get("facing")), tuple(name for name in stops if name))


def _of_draft(content: dict[str, Any]) -> Route:
    return Route(content.get("start", ""), content.get("facing", ""), tuple(content.get("stops", ())))


def _draft(route: Route) -> dict[str, Any]:
    return {"start": route.start, "facing": route.facing, "stops": list(route.stops)}


def _content(db: Orm, site: Site, me: Me, own: Assignment, route: Route) -> dict[str, Any]:
    geometry = scene_of(site, own.task.content["scene"])
    drawn = floor_view(geometry)
    wrong = problem_of(geometry, route)
    known = route.start in geometry.unique and all(name in geometry.unique for name in route.stops)
    turns = turns_of(geometry, route.all_stops, route.turn_first) if known and not wrong else []
    video = Media(kind="video", path=geometry.scene.video or "")
    return task_on_page(db, site, me, own, [NAME]) | {
        "scene": geometry.scene.id,
        "video": media_address(site, own.task.project_id, video),
        "plan": drawn,
        "way": floor_path(drawn, route.all_stops if route.start else route.stops),
        "route": route,
        "landmarks": sorted(geometry.unique),
        "most": SETTINGS.most_moves,
        "turns": turns,
        "wrong": wrong,
        "preview": None if wrong else _drafted(geometry, route),
        "oob": False,
    }


allow_undo(NAME, STEP, MADE)
ROUTES = Mode(
    name=NAME,
    title="Routes",
    purpose="Annotators plan routes on a scene's floor plan beside its video; the turns follow from the scene.",
    stages={NAME: ("annotator",)},
    router=router,
    start=start,
    progress=progress,
    makes_items=True,
    settings=(ModeSetting("routes", "Routes for each scene", 2, most=50), UNDO),
)
