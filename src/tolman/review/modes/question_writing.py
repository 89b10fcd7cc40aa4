"""Write: people choose media from a pool and write questions about them (MMSI-Bench paper, sections 3.2 and F).

The page shows, next to the draft, the media pool, which is browsed and added to, and the scene of a medium: its boxes,
cameras and cloud, where they are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, File, HTTPException, Query, UploadFile
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import ValidationError
from sqlalchemy.orm import Session as Orm
from starlette.datastructures import FormData

from tolman.errors import TolmanError
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.ingest.media_pool import PoolMedium, scene_of as scene_of_media
from tolman.items import LETTERS, MEDIA_MARK, Item
from tolman.media.video import BrokenMediaError
from tolman.review import tasks
from tolman.review.accounts import AccountError
from tolman.review.forms import AnswerError, Form, Key, Line, seconds_of
from tolman.review.forms.question_checks import Around, about, check, least_media, media_of, right_answer
from tolman.review.forms.question_form import STEP_KINDS, UNITS, Written, control_of, propose, writable_kinds
from tolman.review.media import (
    cloud_answer,
    frame_answer,
    frames_answer,
    inside,
    scene_answer,
    scene_of,
    scene_shown,
    things_seen,
    whole_file,
)
from tolman.review.site import Guest, Me, Site, TheSite, allow, page, see_other
from tolman.review.store import Assignment, Project
from tolman.review.store.database import record
from tolman.review.store.pool import Filters, MediaPool, UploadError, kept_name
from tolman.review.studies.participants import format_of
from tolman.review.tasks import Block, Mode, ModeSetting, made_items
from tolman.review.tasks.assignments import UNDO, allow_undo
from tolman.review.tasks.blinding import own_work, sees_whole, task_on_page
from tolman.review.tasks.made_items import (
    DRAFT,
    MADE,
    REASONS,
    REVISES,
    add_made,
    identity,
    letters,
    refuse_another,
    review_again,
    revision_progress as came_back,
)

Text = Annotated[str, Query(max_length=500)]
PageNumber = Annotated[int, Query(ge=1, le=1_000_000)]


def pool_of(site: Site) -> MediaPool:
    """The pool of a server.

    Raises:
        HTTPException: it has none.
    """
    if site.pool is None:
        raise HTTPException(404, "This server has no media pool. Tell the owner.")
    return site.pool


def add_pool(router: APIRouter, mode: str) -> None:
    """Add the pool's pages to those of a mode; they come before its own, which begin with any assignment."""

    @router.get("/pool/{key}/frames", response_class=JSONResponse)
    def frames(site: TheSite, me: Me, key: str) -> Response:
        """When each frame of a video of the pool is shown."""
        medium = pool_of(site).media().get(key)
        if medium is None or medium.kind != "video":
            raise HTTPException(404, "There is no such video.")
        return frames_answer(inside(pool_of(site).folder, medium.path))

    @router.get("/pool/{key}/{size}", response_class=Response)
    def picture(site: TheSite, me: Me, key: str, size: str) -> Response:
        """A medium of the pool: 'small' as a picture, or 'whole'. The pool holds no answers."""
        medium = pool_of(site).media().get(key)
        if medium is None or size not in ("small", "whole"):
            raise HTTPException(404, "There is no such video or image.")
        cache = {"cache-control": "private, max-age=3600"}
        if size == "small":
            try:
                return Response(pool_of(site).small(medium), media_type="image/jpeg", headers=cache)
            except BrokenMediaError:
                raise HTTPException(404, "This can't be read. Tell the owner.") from None
        return whole_file(inside(pool_of(site).folder, medium.path))

    @router.get("/{assignment}/pool", response_class=HTMLResponse)
    def browse(
        site: TheSite, guest: Guest, me: Me, assignment: Key, source: Text = "", group: Text = "", kind: Text = "",
        text: Text = "", number: PageNumber = 1,
    ) -> Response:  # fmt: skip
        """A page of the pool."""
        with site.database.read() as db:
            own_work(db, me, assignment, mode)
        return _pool_page(site, guest, assignment, Filters(source, group, kind, text, number))

    @router.post("/{assignment}/upload", response_class=HTMLResponse)
    def upload(
        site: TheSite, guest: Guest, me: Me, assignment: Key, file: Annotated[UploadFile | None, File()] = None,
        licence: Line = "",
    ) -> Response:  # fmt: skip
        """Add a file to the pool, where the owner allows it."""
        with site.database.read() as db:
            project = own_work(db, me, assignment, mode).task.project_id
        told = problem = ""
        limit = site.settings.uploads * 1_000_000
        if not limit:
            raise HTTPException(403, "The owner of this server takes no files.")
        content = file.file.read(limit + 1) if file else b""
        try:
            if not content:
                raise UploadError("Choose a file.")
            if len(content) > limit:
                raise UploadError(f"The file is too large: at most {site.settings.uploads} MB.")
            if not licence.strip():
                raise UploadError("Say under which licence the file may be published.")
            medium = pool_of(site).upload(content, " ".join(licence.split()))
            told = f"It is in the pool as {medium.original}, from “{medium.source}”."
            with site.database.write() as db:
                record(
                    db, site.settings, "uploaded", project=project, user=me.id, path=medium.path,
                    licence=medium.licence, sha256=medium.sha256,
                )  # fmt: skip
        except UploadError as error:
            problem = str(error)
        filters = Filters(source="" if problem else "uploads")
        return _pool_page(site, guest, assignment, filters, told, problem)


def _pool_page(
    site: Site, guest: Guest, assignment: int, filters: Filters, told: str = "", problem: str = ""
) -> Response:
    content: dict[str, Any] = {"own": assignment, "told": told, "problem": problem, "filters": filters}
    status, shelf = 422 if problem else 200, pool_of(site).browse(filters)
    return page(guest, "_write_pool.html", status=status, shelf=shelf, **content)


LEFT = "You may still be asked questions about this scene, so it isn't shown yet."


def add_scene(router: APIRouter, mode: str) -> None:
    """Add the pages of a medium's scene to those of a mode."""

    @router.get("/{assignment}/scene/{medium}", response_class=HTMLResponse)
    def show(site: TheSite, guest: Guest, me: Me, assignment: Key, medium: str) -> Response:
        """The place for the scene, which a script fills; or why it isn't shown."""
        problem = ""
        try:
            _scene(site, me, assignment, medium)
        except HTTPException as error:
            if error.detail != LEFT:
                raise
            problem = LEFT
        return page(guest, "_write_scene.html", own=assignment, medium=medium, problem=problem)

    @router.get("/{assignment}/scene/{medium}/scene", response_class=Response)
    def data(site: TheSite, me: Me, assignment: Key, medium: str) -> Response:
        """Boxes and cameras of the scene."""
        return scene_answer(site, _scene(site, me, assignment, medium), None, whole=True)

    @router.get("/{assignment}/scene/{medium}/cloud", response_class=Response)
    def cloud(site: TheSite, me: Me, assignment: Key, medium: str) -> Response:
        """The scene's cloud."""
        return cloud_answer(site, _scene(site, me, assignment, medium).scene.id)

    @router.get("/{assignment}/scene/{medium}/frame/{camera}/{number}", response_class=Response)
    def frame(site: TheSite, me: Me, assignment: Key, medium: str, camera: int, number: int) -> Response:
        """One frame of a camera of the scene."""
        return frame_answer(site, _scene(site, me, assignment, medium), camera, number)

    def _scene(site: Site, me: Me, assignment: int, medium: str) -> SceneGeometry:
        found = pool_of(site).media().get(medium)
        scene = None if found is None else scene_shown(site, found)
        with site.database.read() as db:
            own_work(db, me, assignment, mode)
            if scene is None:
                raise HTTPException(404, "The scene of this medium is not known here.")
            if not sees_whole(db, me, scene):
                raise HTTPException(404, LEFT)
        return scene_of(site, scene)


NAME = "write"
STEP = "written"
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow("annotator")])
add_pool(router, NAME)
add_scene(router, NAME)


@router.get("/{assignment}", response_class=HTMLResponse)
def show(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """A question to be written."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME)
        if tasks.submission(db, own, STEP) is not None:
            return see_other(f"/projects/{own.task.project_id}/work")
        content = _page(db, site, me, own, Written.of_draft(_content(db, own)))
        return page(guest, "write.html", **content | {"seen": _content(db, own).get("saves", 0)})


@router.post("/{assignment}/edit", response_class=HTMLResponse)
def edit(site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Keep the draft, carry out a button's action, and show the missing parts."""
    act = str(form.get("do", ""))[:80]
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME)
        if own.state == "done":
            return Response(status_code=204)
        written, other_tab = _keep(db, site, own, form, act)
        state = _state(db, site, own, written)
        seen = _saves(own)
        if act == "propose" or act.startswith("take:"):
            state |= {"proposals": _proposals(db, site, own, written), "proposed": True}
    template = "_write_form.html" if act else "_write_checks.html"
    told = {"other_tab": other_tab, "focus": act, "tab": str(form.get("tab", ""))[:16], "seen": seen}
    return page(guest, template, own=assignment, **state | told)


@router.post("/{assignment}/try", response_class=HTMLResponse)
def try_it(site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Have models try the current question; missing parts are reported."""
    if not site.settings.try_models:
        raise HTTPException(404, "The owner of this server has named no model that tries questions.")
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME)
        if own.state == "done":
            return Response(status_code=204)
        written, _ = _keep(db, site, own, form, "")
        item = _complete(site, own, written)
        if isinstance(item, str):
            return page(guest, "_write_trials.html", own=assignment, trials=[], trial_problem=item)
        wanted = made_items.begin(db, site, own, item)
    made_items.run(site, item, wanted)
    return tried(site, guest, me, assignment)


@router.get("/{assignment}/trials", response_class=HTMLResponse)
def tried(site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """Show the trials so far of the current question."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME)
        content = _trials(db, site, own, Written.of_draft(_content(db, own)))
    return page(guest, "_write_trials.html", own=assignment, **content)


@router.post("/{assignment}", response_class=HTMLResponse)
def submit(site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Submit a question; its problems are shown and nothing is lost."""
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME)
        if not refuse_another(db, own, STEP, _submitted_form(db, own, form)):
            written, other_tab = _keep(db, site, own, form, "")
            state = _state(db, site, own, written)
            stops = [finding.text for finding in state["findings"] if finding.level == "stop"]
            if other_tab:
                stops.append("You went on with this question in another tab. What stands there is shown here now.")
            seconds = seconds_of(form)
            item = None if stops else _item(site, own, written)
            if item is None or isinstance(item, str):
                problem = "Not yet: " + " ".join(stops) if item is None else item
                content = _page(db, site, me, own, written) | state | {"problem": problem, "seconds": seconds}
                return page(guest, "write.html", status=422, **content)
            outcomes = made_items.kept(db, site, own, item)
            if outcomes:
                item = item.model_copy(update={"evidence": item.evidence | {"tried": outcomes}})
            if add_made(db, site, own, me, item, STEP, seconds, written.draft()) and REVISES in own.task.content:
                review_again(db, site, own, me, item)
        return see_other(f"/projects/{own.task.project_id}/work")


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """A task for each question that is wanted.

    Raises:
        AccountError: the server has no pool.
    """
    if site.pool is None:
        raise AccountError("Start the server with --pool FOLDER: the media that people write about.")
    project.settings = project.settings | {"categories": least_media(items)}
    tasks.add_items(db, site, project, items)
    for number in range(1, project.settings["questions"] + 1):
        tasks.add_task(db, site, project, NAME, f"question-{number}")


def progress(db: Orm, site: Site, project: Project) -> list[Block]:
    """Tabulate the questions of each category, and the letters that are right."""
    versions = tasks.current_items(db, project)
    count = Counter(v.content["task"] for v in versions)
    fresh = Counter(v.content["task"] for v in versions if v.origin == "written")
    quota = project.settings.get("per_category") or "–"
    rows = [(name, fresh[name], count[name], quota) for name in project.settings["categories"]]
    blocks = [Block("Categories", ("category", "written", "with those that were there", "at most"), rows)]
    for options, so_far in sorted(letters(versions).items()):
        head = ("right option", *LETTERS[:options])
        told: list[tuple[object, ...]] = [("questions", *(so_far[letter] for letter in LETTERS[:options]))]
        blocks.append(Block(f"Choices of {options}", head, told))
    return [*blocks, *came_back(db, project)]


def _keep(db: Orm, site: Site, own: Assignment, form: FormData, act: str) -> tuple[Written, bool]:
    """Return the draft with a form's texts and a button's action, and whether another tab has changed it since the
    form's page was loaded. In that case the form's texts are not taken.
    """
    kept = own.draft
    content: dict[str, Any] = dict(_content(db, own))
    written = Written.of_draft(content)
    tab, seen = str(form.get("tab", ""))[:16], str(form.get("seen", "0"))[:9]
    saves = int(content.get("saves", 0))
    other = bool(kept) and content.get("tab") != tab and saves > (int(seen) if seen.isdecimal() else 0)
    if not other:
        written = written.with_form(form)
    if act:
        written = written.edited(act)
    changed = written != Written.of_draft(content)
    fresh = written.draft() | {
        "tab": content.get("tab", "") if other or not changed else tab,
        "saves": saves + (1 if changed and not other else 0),
    }
    tasks.save_draft(db, site, own, fresh, seconds_of(form))
    return written, other


def _content(db: Orm, own: Assignment) -> Mapping[str, Any]:
    """Return the contents of the form: the draft, or the question that came back as it was submitted."""
    kept = own.draft
    found: Mapping[str, Any] = kept.content if kept else own.task.content.get(DRAFT, {})
    return found


def _submitted_form(db: Orm, own: Assignment, form: FormData) -> dict[str, Any]:
    """Return the form's fields for a question that is submitted already; no form has the media that it is about."""
    found = tasks.submission(db, own, STEP)
    return {} if found is None else Written.of_draft(found.content.get(DRAFT, {})).with_form(form).draft()


def _saves(own: Assignment) -> int:
    """How often the draft was saved with a change."""
    return int(own.draft.content.get("saves", 0)) if own.draft else 0


def _page(db: Orm, site: Site, me: Me, own: Assignment, written: Written) -> dict[str, Any]:
    """Return the contents of the whole page."""
    return {
        **task_on_page(db, site, me, own, [NAME]),
        "tab": site.settings.token()[:16],
        "seen": _saves(own),
        "shelf": pool_of(site).browse(Filters()),
        "filters": Filters(),
        "uploads": site.settings.uploads,
        "told": "",
        "reasons": own.task.content.get(REASONS, []),
        "tries": bool(site.settings.try_models),
        **_trials(db, site, own, written),
        **_state(db, site, own, written),
    }


def _state(db: Orm, site: Site, own: Assignment, written: Written) -> dict[str, Any]:
    """Contents of the form and its checks."""
    around = _around(db, site, own, written)
    chosen = [(one, around.pool.get(one.key)) for one in written.media]
    return {
        "written": written,
        "chosen": chosen,
        "in_scenes": {one.key for one, medium in chosen if medium and scene_shown(site, medium) is not None},
        "findings": check(written, around),
        "categories": {name: around.taken.get(name, 0) for name in around.categories},
        "quota": around.quota,
        "letters": LETTERS,
        "kinds": [(name, control_of(kind), kind.asks_for) for name, kind in writable_kinds().items()],
        "units": UNITS,
        "step_kinds": STEP_KINDS,
        "proposals": [],
        "proposed": False,
        "other_tab": False,
        "focus": "",
        "problem": "",
    }


def _proposals(db: Orm, site: Site, own: Assignment, written: Written) -> list[str]:
    """Wrong options for the right one that is marked, from the scene where it is known, else from other questions."""
    place = LETTERS.find(written.answer) if written.answer else -1
    if not 0 <= place < len(written.options):
        return []
    pool = pool_of(site).media()
    media = [pool[one.key] for one in written.media if one.key in pool]
    things = [thing for medium in media for thing in things_seen(site, medium)]
    names = {kept_name(medium) for medium in media}
    items = [tasks.item_of(version) for version in tasks.current_items(db, own.task.project)]
    near = [item for item in items if names & {medium.path for medium in item.media}]
    alike = [item for item in items if item.task == written.category]
    others = [option for item in (*near, *alike) for option in item.options if MEDIA_MARK not in option]
    return propose(written.options[place], written.options, things, others)


def _around(db: Orm, site: Site, own: Assignment, written: Written) -> Around:
    project, revised = own.task.project, own.task.content.get(REVISES)
    versions = [version for version in tasks.current_items(db, project) if version.item != revised]
    items = [tasks.item_of(version) for version in versions]
    pool = pool_of(site).media()
    looks = {one.key: pool_of(site).look_of(pool[one.key]) for one in written.media if one.key in pool}
    return Around(
        pool=pool,
        looks={key: look for key, look in looks.items() if look is not None},
        copies=pool_of(site).copies([pool[one.key] for one in written.media if one.key in pool]),
        categories=project.settings["categories"],
        quota=project.settings.get("per_category", 0),
        taken=Counter(item.task for item in items),
        letters=letters(versions),
        others=[(item, about(item.media)) for item in items],
        format=format_of(project),
    )


def _trials(db: Orm, site: Site, own: Assignment, written: Written) -> dict[str, Any]:
    """Contents of the models' trials of a question."""
    item = _complete(site, own, written) if site.settings.try_models else ""
    rows = [] if isinstance(item, str) else made_items.trials(db, own, item)
    return {"trials": [made_items.shown(site, row) for row in rows], "trial_problem": ""}


def _complete(site: Site, own: Assignment, written: Written) -> Item | str:
    """Return the item as far as it can be tried, or a note on the missing parts."""
    if not written.media or not written.question.strip():
        return "Choose media and write the question first."
    if written.control == "choice" and (not written.answer or not all(text.strip() for text in written.options)):
        return "Write all options and mark the right one first."
    try:
        right_answer(written)
    except AnswerError as error:
        return f"First the right answer: {error}"
    return _item(site, own, written)


def _item(site: Site, own: Assignment, written: Written) -> Item | str:
    """The item, its media put into the store; or why there is none."""
    pool = pool_of(site).media()
    media = [pool[one.key] for one in written.media]
    try:
        for medium in media:
            pool_of(site).keep(medium)
        control = written.control
        fields: dict[str, Any] = {
            "id": own.task.content.get(REVISES) or identity(site, own),
            "question": written.question.strip(),
            "kind": written.kind,
            "answer": right_answer(written),
            "unit": (written.unit or None) if control == "number" else None,
            "options": tuple(option.strip() for option in written.options) if control == "choice" else (),
            "task": written.category,
            "labels": {
                "source": ", ".join(dict.fromkeys(m.source for m in media)),
                "licence": ", ".join(dict.fromkeys(m.licence for m in media if m.licence)) or "not given",
            },
            "scene": scene_of_media(media),
            "media": media_of(written, pool),
            "reasoning": written.reasoning,
            "evidence": {"media": [_origin(medium) for medium in media], "needed": True},
        }
        return Item.model_validate(fields)
    except ValidationError as error:
        return f"This is no question: {error.errors()[0]['msg'].removeprefix('Value error, ')}."
    except TolmanError as error:
        return f"A file can't be used: {error}."


def _origin(medium: PoolMedium) -> dict[str, str]:
    """Provenance of a medium."""
    return {name: getattr(medium, name) for name in ("source", "licence", "original", "group", "sha256")}


allow_undo(NAME, STEP, MADE)
WRITE = Mode(
    name=NAME,
    title="Write",
    purpose="Annotators choose media from a pool and write questions about them, with answer and reasoning.",
    stages={NAME: ("annotator",)},
    router=router,
    start=start,
    progress=progress,
    makes_items=True,
    settings=(
        ModeSetting("questions", "Questions to be written", 20, most=5000),
        ModeSetting("per_category", "At most so many of a category; 0 for any number", 0, least=0, most=5000),
        UNDO,
    ),
)
