"""Write: people choose media from a pool and write questions about them (MMSI-Bench paper, sections 3.2 and F)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import ValidationError
from sqlalchemy.orm import Session as Orm
from starlette.datastructures import FormData

from tolman.errors import TolmanError
from tolman.ingest.media_pool import PoolMedium
from tolman.items import LETTERS, MEDIA_MARK, Item
from tolman.review.access import Guest, Me, TheSite, allow
from tolman.review.accounts.identity import AccountError
from tolman.review.forms.answers import AnswerError
from tolman.review.forms.checking import Around, about, check, least_media, media_of, right_answer
from tolman.review.forms.fields import Form, Key, seconds_of
from tolman.review.forms.proposals import propose
from tolman.review.forms.writing import STEP_KINDS, UNITS, Written, control_of, writable_kinds
from tolman.review.media.collection import scene_shown, things_seen
from tolman.review.modes.write_pool import add_pool, pool_of
from tolman.review.modes.write_scene import add_scene
from tolman.review.pages import page, see_other
from tolman.review.site import Site
from tolman.review.store.pool import Filters, kept_name
from tolman.review.store.schema import Assignment, Project
from tolman.review.tasks import taking, trials, work
from tolman.review.tasks.assigned import own_work
from tolman.review.tasks.making import MADE, add_existing, add_made, identity, letters
from tolman.review.tasks.mode import Block, Mode, ModeSetting
from tolman.review.tasks.undoing import UNDO, allow_undo, undoable

NAME = "write"
STEP = "written"
router = APIRouter(prefix=f"/{NAME}", dependencies=[allow("annotator")])
add_pool(router, NAME)
add_scene(router, NAME)


@router.get("/{assignment}", response_class=HTMLResponse)
def show(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """A question to be written."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME)
        if work.submission(db, own, STEP) is not None:
            return see_other(f"/projects/{own.task.project_id}/work")
        kept = work.draft_of(db, own)
        content = kept.content if kept else {}
        return page(
            request, guest, "write.html", tab=site.settings.token()[:16], seen=content.get("saves", 0),
            seconds=kept.seconds if kept else 0.0, shelf=pool_of(site).browse(Filters()), filters=Filters(),
            uploads=site.settings.uploads, **_place(db, site, me, own),
            **_trials(db, site, own, Written.of_draft(content)), **_state(db, site, own, Written.of_draft(content)),
        )  # fmt: skip


@router.post("/{assignment}/edit", response_class=HTMLResponse)
def edit(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Keep what is entered, do what a button says, and tell what is still missing."""
    act = str(form.get("do", ""))[:80]
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME)
        if own.state == "done":
            return Response(status_code=204)
        written, other_tab = _keep(db, site, own, form, act)
        state = _state(db, site, own, written)
        seen = _saves(db, own)
        if act == "propose" or act.startswith("take:"):
            state |= {"proposals": _proposals(db, site, own, written), "proposed": True}
    template = "_write_form.html" if act else "_write_checks.html"
    told = {"other_tab": other_tab, "focus": act, "tab": str(form.get("tab", ""))[:16], "seen": seen}
    return page(request, guest, template, own=assignment, **state | told)


@router.post("/{assignment}/try", response_class=HTMLResponse)
def try_it(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Have models try the question as it stands; what is missing for that is said."""
    if not site.settings.try_models:
        raise HTTPException(404, "The owner of this server has named no model that tries questions.")
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME)
        if own.state == "done":
            return Response(status_code=204)
        written, _ = _keep(db, site, own, form, "")
        item = _complete(site, own, written)
        if isinstance(item, str):
            return page(request, guest, "_write_trials.html", own=assignment, trials=[], trial_problem=item)
        wanted = trials.begin(db, site, own, item)
    trials.run(site, item, wanted)
    return tried(request, site, guest, me, assignment)


@router.get("/{assignment}/trials", response_class=HTMLResponse)
def tried(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key) -> Response:
    """What came of it so far, of the question as it stands."""
    with site.database.read() as db:
        own = own_work(db, me, assignment, NAME)
        kept = work.draft_of(db, own)
        content = _trials(db, site, own, Written.of_draft(kept.content if kept else {}))
    return page(request, guest, "_write_trials.html", own=assignment, **content)


@router.post("/{assignment}", response_class=HTMLResponse)
def submit(request: Request, site: TheSite, guest: Guest, me: Me, assignment: Key, form: Form) -> Response:
    """Submit a question; what is wrong with it is said and nothing is lost."""
    with site.database.write() as db:
        own = own_work(db, me, assignment, NAME)
        if work.submission(db, own, STEP) is None:
            written, other_tab = _keep(db, site, own, form, "")
            state = _state(db, site, own, written)
            stops = [finding.text for finding in state["findings"] if finding.level == "stop"]
            if other_tab:
                stops.append("You went on with this question in another tab. What stands there is shown here now.")
            seconds = seconds_of(form)
            item = None if stops else _item(site, own, written)
            if item is None or isinstance(item, str):
                problem = "Not yet: " + " ".join(stops) if item is None else item
                return page(
                    request, guest, "write.html", status=422, tab=site.settings.token()[:16],
                    seen=_saves(db, own), seconds=seconds, shelf=pool_of(site).browse(Filters()), filters=Filters(),
                    uploads=site.settings.uploads, **_place(db, site, me, own), **_trials(db, site, own, written),
                    **state | {"problem": problem},
                )  # fmt: skip
            outcomes = trials.kept(db, site, own, item)
            if outcomes:
                item = item.model_copy(update={"evidence": item.evidence | {"tried": outcomes}})
            add_made(db, site, own, me, item, STEP, seconds, written.draft())
        return see_other(f"/projects/{own.task.project_id}/work")


def start(db: Orm, site: Site, project: Project, items: Sequence[Item]) -> None:
    """A task for each question that is wanted.

    Raises:
        AccountError: the server has no pool.
    """
    if site.pool is None:
        raise AccountError("Start the server with --pool FOLDER: the media that people write about.")
    project.settings = project.settings | {"categories": least_media(items)}
    add_existing(db, site, project, items)
    for number in range(1, project.settings["questions"] + 1):
        work.add_task(db, site, project, NAME, f"question-{number}")


def progress(db: Orm, site: Site, project: Project) -> list[Block]:
    """Tabulate the questions of each category, and the letters that are right."""
    versions = work.current_items(db, project)
    count = Counter(v.content["task"] for v in versions)
    fresh = Counter(v.content["task"] for v in versions if v.origin == "written")
    quota = project.settings.get("per_category") or "–"
    rows = [(name, fresh[name], count[name], quota) for name in project.settings["categories"]]
    blocks = [Block("Categories", ("category", "written", "with those that were there", "at most"), rows)]
    for options, so_far in sorted(letters(versions).items()):
        head = ("right option", *LETTERS[:options])
        told: list[tuple[object, ...]] = [("questions", *(so_far[letter] for letter in LETTERS[:options]))]
        blocks.append(Block(f"Choices of {options}", head, told))
    return blocks


def _keep(db: Orm, site: Site, own: Assignment, form: FormData, act: str) -> tuple[Written, bool]:
    """The draft with what a form says and a button does; and whether another tab has been there since the form's page
    was loaded, in which case the form's texts are not taken."""
    kept = work.draft_of(db, own)
    content: dict[str, Any] = dict(kept.content) if kept else {}
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
    work.save_draft(db, site, own, fresh, seconds_of(form))
    return written, other


def _saves(db: Orm, own: Assignment) -> int:
    kept = work.draft_of(db, own)
    return int(kept.content.get("saves", 0)) if kept else 0


def _place(db: Orm, site: Site, me: Me, own: Assignment) -> dict[str, Any]:
    project = own.task.project
    done = taking.done_by(db, project, me, [NAME])
    return {
        "own": own.id,
        "project": project.name,
        "number": done + 1,
        "total": done + taking.waiting(db, site, project, me, [NAME]),
        "told": "",
        "tries": bool(site.settings.try_models),
        "undo": project.id if undoable(db, project, me) is not None else None,
    }


def _state(db: Orm, site: Site, own: Assignment, written: Written) -> dict[str, Any]:
    """Contents of the form and its checks."""
    around = _around(db, site, own.task.project, written)
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
    items = [work.item_of(version) for version in work.current_items(db, own.task.project)]
    near = [item for item in items if names & {medium.path for medium in item.media}]
    alike = [item for item in items if item.task == written.category]
    others = [option for item in (*near, *alike) for option in item.options if MEDIA_MARK not in option]
    return propose(written.options[place], written.options, things, others)


def _around(db: Orm, site: Site, project: Project, written: Written) -> Around:
    versions = work.current_items(db, project)
    items = [work.item_of(version) for version in versions]
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
    )


def _trials(db: Orm, site: Site, own: Assignment, written: Written) -> dict[str, Any]:
    """Contents of the models' trials of a question."""
    found: list[dict[str, Any]] = []
    if site.settings.try_models:
        item = _complete(site, own, written)
        if not isinstance(item, str):
            found = [trials.shown(site, row) for row in trials.trials(db, own, item)]
    return {"trials": found, "trial_problem": ""}


def _complete(site: Site, own: Assignment, written: Written) -> Item | str:
    """The item as far as it can be tried, or what is missing for that."""
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
            "id": identity(site, own),
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
            "scene": "/".join(part for part in (media[0].source, media[0].group) if part),
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
