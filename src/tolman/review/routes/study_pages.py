"""Pages of studies: arrival, consent, breaks, the end; and the owner's pages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query
from fastapi.responses import FileResponse, HTMLResponse, Response
from sqlalchemy.orm import Session as Orm

from tolman.errors import InputError
from tolman.review import accounts
from tolman.review.accounts import AccountError, belongs
from tolman.review.forms import Form, Key, Line, clean, texts_of
from tolman.review.media import TYPES
from tolman.review.modes import MODES
from tolman.review.projects import study_projects
from tolman.review.routes import csv_file, exported
from tolman.review.site import ANYBODY, Guest, Me, Site, TheSite, allow, page, see_other, set_cookie
from tolman.review.store import ROLES, Project, User
from tolman.review.studies import (
    STUDY,
    STUDY_FILES,
    Study,
    groups_of,
    participants,
    study_records,
    study_steps,
    text_of,
)
from tolman.review.studies.participants import LinkError, foresee
from tolman.review.studies.study_records import answers_table
from tolman.toml_catalogue import checked

public = APIRouter(dependencies=[allow(ANYBODY, *ROLES)])
everybody = APIRouter(dependencies=[allow(*ROLES)])
owner = APIRouter(dependencies=[allow("owner")])
PAUSED = "This study is paused. Come back later."


@public.get("/join/{project}/{token}", response_class=HTMLResponse)
def look_in(site: TheSite, guest: Guest, project: Key, token: str) -> Response:
    """Show the study's subject to people who haven't joined."""
    with site.database.read() as db:
        found = _joined(db, site, project, token)
        content = _told(db, site, found, _account(guest, found))
        try:
            came = participants.arrival(participants.part_of(found).link, guest.request.query_params)
            problem = _closed_to(db, site, found, came)
        except LinkError as error:
            return page(guest, "study_begin.html", problem=str(error), closed=True, **content)
        content["fields"] = came.fields
    if guest.person is not None and guest.person.role != "subject":
        problem = f"You are signed in as {guest.person.name} ({guest.person.role}). Open this link in a private window."
        return page(guest, "study_begin.html", problem=problem, closed=True, **content)
    return page(guest, "study_begin.html", problem=problem, closed=bool(problem), **content)


def _account(guest: Guest, found: Project) -> str:
    """Return the account with which a visitor takes part; '' if they get one by the link."""
    has_id = participants.fields_of(participants.part_of(found).link)[0] is not None
    return guest.person.name if guest.person is not None and not has_id else ""


def _closed_to(db: Orm, site: Site, found: Project, came: participants.Arrival) -> str:
    """Return why a person who comes by the link can't join; '' if they can or are already in."""
    if came.outside is not None and participants.by_outside(db, found, came.outside) is not None:
        return ""
    asked = participants.part_of(found).link.ids
    if asked and came.outside not in asked:
        return participants.NOT_ASKED
    if not found.open:
        return PAUSED
    full = participants.is_full(db, site, found, lambda: study_records.spare_forms(db, found))
    return participants.FULL if full else ""


@public.post("/join/{project}/{token}", response_class=HTMLResponse)
def join(site: TheSite, guest: Guest, project: Key, token: str, form: Form) -> Response:
    """Agree, and begin; a person who returns by the same id continues their work."""
    given, content = texts_of(form), {}
    try:
        with site.database.write() as db:
            found = _joined(db, site, project, token)
            content = _told(db, site, found, _account(guest, found))
            came = participants.arrival(participants.part_of(found).link, given)
            content["fields"] = came.fields
            user = _user_of(db, site, guest, found, came, agreed="agreed" in given)
            cookie = accounts.sign_in(db, site.settings, user, guest.cookie)
    except (LinkError, AccountError) as error:
        return page(guest, "study_begin.html", problem=str(error), closed=False, status=409, **content)
    answer = see_other(f"/projects/{project}/work")
    set_cookie(guest, answer, cookie)
    return answer


def _user_of(db: Orm, site: Site, guest: Guest, found: Project, came: participants.Arrival, *, agreed: bool) -> User:
    """Return the account of a person who comes by a study's link, and make it at their first visit.

    Raises:
        AccountError: they don't agree, the study is full or paused, or their account is closed.
    """
    known = participants.by_outside(db, found, came.outside) if came.outside is not None else None
    if known is not None:
        if not known.user.active:
            raise AccountError("This account is closed.")
        return known.user
    if not found.open:
        raise AccountError(PAUSED)
    if not agreed:
        raise AccountError("Tick that you agree, or leave this page.")
    own = db.get_one(User, guest.person.id) if guest.person is not None and came.outside is None else None
    if own is not None and own.role != "subject":
        raise AccountError(f"You are signed in as {own.name} ({own.role}). Open this link in a private window.")
    user = own or participants.new_account(db, site, found)
    participants.enrol(
        db, site, found, user.id, outside=came.outside, fields=came.fields,
        spare=lambda: study_records.spare_forms(db, found),
        told=study_steps.default_consent(db, found, _account(guest, found)),
    )  # fmt: skip
    return user


@public.get("/study-pictures/{name}", response_class=Response)
def picture(site: TheSite, name: str) -> Response:
    """Return a picture of a study's texts; only readers of the text know its name."""
    number, _, _ = name.partition("-")
    with site.database.read() as db:
        found = db.get(Project, int(number)) if number.isascii() and number.isdigit() and len(number) < 10 else None
        path = (
            study_steps.study_picture(site, found, name) if found is not None and participants.is_study(found) else None
        )
    kind = TYPES.get(path.suffix) if path is not None and path.is_file() else None
    if path is None or kind is None:
        raise HTTPException(404, "There is no such picture.")
    return FileResponse(path, media_type=kind)


@everybody.get("/studies/{project}", response_class=HTMLResponse)
def begin(site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """Show a person with an account the study's information before their first task."""
    with site.database.read() as db:
        found = _own(db, me, project)
        if participants.participant_of(db, found, me.id) is not None:
            return see_other(f"/projects/{project}/work")
        content = _told(db, site, found, me.name)
    return page(guest, "study_begin.html", problem="", closed=False, **content)


@everybody.post("/studies/{project}", response_class=HTMLResponse)
def agree(site: TheSite, guest: Guest, me: Me, project: Key, agreed: Line = "") -> Response:
    """Agree, and begin."""
    with site.database.write() as db:
        found = _own(db, me, project)
        content = _told(db, site, found, me.name)
        try:
            if not found.open:
                raise AccountError(PAUSED)
            if not agreed:
                raise AccountError("Tick that you agree, or leave this page.")
            participants.enrol(
                db, site, found, me.id, spare=lambda: study_records.spare_forms(db, found),
                told=study_steps.default_consent(db, found, me.name),
            )  # fmt: skip
        except AccountError as error:
            return page(guest, "study_begin.html", problem=str(error), closed=False, status=409, **content)
    return see_other(f"/projects/{project}/work")


@everybody.get("/studies/{project}/break", response_class=HTMLResponse)
def rest(site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """A break."""
    with site.database.read() as db:
        found = _own(db, me, project)
        part, own = participants.part_of(found), participants.participant_of(db, found, me.id)
        if part.breaks is None or own is None:
            return see_other(f"/projects/{project}/work")
        place = study_steps.place_of(db, found, part, own)
        text = study_steps.study_html(site, found, part.breaks.text)
    return page(guest, "study_break.html", project=found, text=text, done=place.done, total=place.total)


@everybody.post("/studies/{project}/break", response_class=HTMLResponse)
def go_on(site: TheSite, me: Me, project: Key) -> Response:
    """Come back from a break."""
    with site.database.write() as db:
        found = _own(db, me, project)
        part, own = participants.part_of(found), participants.participant_of(db, found, me.id)
        if part.breaks is not None and own is not None:
            own.breaks = study_steps.place_of(db, found, part, own).done // part.breaks.every
    return see_other(f"/projects/{project}/work")


@everybody.get("/studies/{project}/end", response_class=HTMLResponse)
def the_end(site: TheSite, guest: Guest, me: Me, project: Key) -> Response:
    """Thanks, and the code; or why it ends here."""
    with site.database.read() as db:
        found = _own(db, me, project)
        own = participants.participant_of(db, found, me.id)
        if own is None or own.state == participants.BEGUN:
            return see_other(f"/projects/{project}/work")
        part = participants.part_of(found)
        code = study_steps.code_of(site, part.completion, own)
        why = str(own.content.get("why", ""))
        text = study_steps.study_html(site, found, part.completion.text)
    back = study_steps.redirect_of(part.completion, part.link, code) if code else None
    content: dict[str, Any] = {"project": found, "state": own.state, "code": code, "back": back}
    return page(guest, "study_end.html", why=why, text=text, **content)


@owner.get("/studies", response_class=HTMLResponse)
def choose(guest: Guest, like: Annotated[str, Query(max_length=64)] = "") -> Response:
    """A form for a study, with one of the package's in it where one is chosen."""
    text = ""
    if like in STUDY_FILES.names:
        text = (Path(study_records.__file__).parent / f"{like}.toml").read_text(encoding="utf-8")
    return _study_form(guest, text, like=like)


@owner.post("/study-file", response_class=HTMLResponse)
def draft(guest: Guest, form: Form) -> Response:
    """Write the file out of the form, or fill the form from the file; nothing is started."""
    given = {name: clean(value) for name, value in texts_of(form).items()}
    text = given.get("text", "")
    if given.get("act") == "read":
        return _study_form(guest, text)
    try:
        text = text_of(_table(text), given)
        read_text(text)
    except InputError as error:
        return _study_form(guest, text, given=given, problem=str(error))
    return _study_form(guest, text)


@owner.post("/studies", response_class=HTMLResponse)
def start(site: TheSite, guest: Guest, me: Me, form: Form) -> Response:
    """Start a study from its file, or out of the form where none is written."""
    given = {name: clean(value) for name, value in texts_of(form).items()}
    text = given.get("text", "")
    try:
        text = text if text.strip() else text_of({}, given)
        study = read_text(text)
        with site.database.write() as db:
            first = study_projects.start_study(db, site, study, by=me.id)[0].id
    except (AccountError, InputError) as error:
        return _study_form(guest, text, given=given, problem=str(error))
    return see_other(f"/studies/{first}/about")


def _study_form(
    guest: Guest, text: str, *, like: str = "", given: Mapping[str, str] | None = None, problem: str = ""
) -> Response:
    try:
        table = _table(text)
    except InputError as error:
        table, problem = {}, problem or str(error)
    content: dict[str, Any] = {"names": STUDY_FILES.names, "like": like, "text": text, "problem": problem}
    return page(guest, "study_new.html", status=400 if problem else 200, groups=groups_of(table, given), **content)


@owner.get("/studies/{project}/about", response_class=HTMLResponse)
def about(site: TheSite, guest: Guest, project: Key) -> Response:
    """Show the study to its owner: the link and information for people, the next part, the table of times and pay."""
    with site.database.read() as db:
        found = _study(db, project)
        content = _about(guest, site, db, found)
    return page(guest, "study_about.html", problem="", **content)


@owner.post("/studies/{project}/next", response_class=HTMLResponse)
def next_part(site: TheSite, guest: Guest, me: Me, project: Key, part: Line = "") -> Response:
    """Start a part that comes after this one."""
    with site.database.write() as db:
        found = _study(db, project)
        study = Study.model_validate(found.settings["study"]["file"])
        wanted = next((one for one in study_projects.waiting_parts(db, study, found) if one.name == part), None)
        try:
            if wanted is None:
                raise AccountError(f"There is no part '{part}' that could be started here.")
            started = study_projects.start_next(db, site, found, wanted, study, by=me.id)
            if found.restricted:
                accounts.set_members(db, started, accounts.members(db, found), restricted=True)
            fresh = started.id
        except AccountError as error:
            content = _about(guest, site, db, found)
            return page(guest, "study_about.html", problem=str(error), status=409, **content)
    return see_other(f"/studies/{fresh}/about")


@owner.get("/studies/{project}/people.csv", response_class=Response)
def times_and_pay(site: TheSite, project: Key) -> Response:
    """Times and pay of everybody."""
    with site.database.read() as db:
        found = _study(db, project)
        text = study_records.pay_table(db, site, found)
    return csv_file("people.csv", text)


@owner.get("/studies/{project}/answers.csv", response_class=Response)
def all_answers(site: TheSite, me: Me, project: Key) -> Response:
    """Answers of everybody."""
    with site.database.read() as db:
        found = _study(db, project)
        text = answers_table(db, found)
    exported(site, found.id, me.id, "answers")
    return csv_file("answers.csv", text)


def read_text(text: str) -> Study:
    """A study out of a text.

    Raises:
        InputError: it is none; the sentence names the line.
    """
    return checked(Study, Path("study"), text, _table(text))


def _table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError("study", f"is no TOML ({error})") from None


def _about(guest: Guest, site: Site, db: Orm, found: Project) -> dict[str, Any]:
    part = participants.part_of(found)
    file = found.settings["study"].get("file")
    study = Study.model_validate(file) if file else None
    address = site.link(study_steps.join_path(site, found.id), guest.request)
    came = {one.outside: one for one in participants.participants(db, found)}
    own = participants.link_queries(part.link)
    return {
        "project": found,
        "link": address["link"] + participants.link_query(part.link) if part.mode == STUDY and not own else "",
        "own_links": [
            (
                study_records.named(name, came[name].user.name if name in came else ""),
                study_records.state_of(came.get(name)),
                address["link"] + query,
            )
            for name, query in own.items()
        ],
        "named": address["named"],
        "next": [one.name for one in study_projects.waiting_parts(db, study, found)] if study else [],
        "source": study.source if study else "",
        "foreseen": foresee(db, found),
        **_told(db, site, found),
    }


def _told(db: Orm, site: Site, project: Project, account: str = "") -> dict[str, Any]:
    """Return the information that people read before they agree."""
    part = participants.part_of(project)
    return {
        "title": project.name,
        "fields": {},
        "instructions": study_steps.study_html(site, project, part.instructions),
        "consent": study_steps.study_html(
            site, project, part.consent or study_steps.default_consent(db, project, account)
        ),
        "rules": study_records.stated_rules(part.exclude, part.time.least_seconds) if part.mode == STUDY else [],
        "limit": part.time.most_minutes,
        "practice": len(part.practice),
        "practising": part.practising,
        "pay": part.pay,
    }


def _joined(db: Orm, site: Site, project: int, token: str) -> Project:
    found = db.get(Project, project)
    ours = found is not None and found.mode == STUDY and participants.is_study(found)
    if found is None or not ours or not study_steps.is_join(site, project, token):
        raise HTTPException(404, "There is no such study. Ask for the link once more.")
    return found


def _own(db: Orm, me: Me, project: int) -> Project:
    found = _study(db, project)
    if found.mode not in MODES or not MODES[found.mode].stages_for(*me.roles) or not belongs(db, me, found):
        raise HTTPException(404, "There is no such study.")
    return found


def _study(db: Orm, project: int) -> Project:
    found = db.get(Project, project)
    if found is None or not participants.is_study(found):
        raise HTTPException(404, "There is no such study.")
    return found


ROUTERS = (public, everybody, owner)
