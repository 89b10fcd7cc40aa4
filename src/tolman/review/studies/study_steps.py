"""The pages of a study's participants: texts, pictures, practice, and steps between pages.

Texts are Markdown, made to HTML that can do no harm. HTML in them is shown, not run; links lead to http and https only,
and open a page of their own; pictures are the study's. Pictures and videos are kept in the store, without metadata.
Practice is questions before the study, with the right answer after each; they are never scored.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

from tolman.errors import counted
from tolman.files import atomic_write
from tolman.media.video import BrokenMediaError
from tolman.review import tasks
from tolman.review.accounts import AccountError, Person
from tolman.review.forms import agree
from tolman.review.site import Site
from tolman.review.store import Assignment, Participant, Project, Submission, Task
from tolman.review.store.pool import IMAGES, MEDIA, without_metadata
from tolman.review.studies import STUDY, Completion, Link, Practising, StudyPart, participants
from tolman.review.studies.participants import BEGUN, ENDED, PRACTICE, SCREENED
from tolman.review.tasks import REPORTED, VOIDED, assignments


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False})


def pictures_in(text: str) -> list[str]:
    """The sources of the pictures of a text, in their order."""
    return [
        str(child.attrs["src"])
        for token in _reader().parse(text)
        for child in token.children or ()
        if child.type == "image"
    ]


def html_of(text: str, addresses: Mapping[str, str]) -> Markup:
    """A text as HTML.

    Args:
        text: Markdown.
        addresses: source of a picture → its address on this server; of others only the words are shown.
    """
    reader = _reader()
    tokens = reader.parse(text)
    for token in tokens:
        token.children = [_safe(child, addresses) for child in token.children or ()] or None
    # Everything of the text is escaped by the renderer; there is no HTML in it but the renderer's own.
    return Markup(reader.renderer.render(_lowered(tokens), reader.options, {}))


def _safe(token: Token, addresses: Mapping[str, str]) -> Token:
    if token.type == "link_open":
        address = str(token.attrs.get("href", ""))
        if not address.startswith(("https://", "http://")):
            token.attrs.pop("href", None)
        else:
            token.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
    elif token.type == "image":
        address = addresses.get(str(token.attrs["src"]), "")
        if not address:
            token.type, token.tag, token.content = "text", "", f"[{token.content}]"
            token.children = None
        else:
            token.attrs["src"] = address
    return token


def _lowered(tokens: Sequence[Token]) -> Sequence[Token]:
    """The page has a heading of its own, so a text's begin below it."""
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    return tokens


def study_html(site: Site, project: Project, text: str) -> Markup:
    """A text of a study, with its pictures where this server has them."""
    kept: dict[str, str] = project.settings["study"].get("pictures", {})
    return html_of(text, {source: f"/study-pictures/{_name(site, project, path)}" for source, path in kept.items()})


_SECONDS = 30
"""Seconds that a question is expected to take, where a study says nothing about its length."""


def default_consent(db: Orm, project: Project, account: str = "") -> str:
    """Return a text for people to agree to, in Markdown, for a study without one; '' where it has a text of its own.

    Args:
        db, project: the study's part.
        account: name of the reader's account; '' for people who come by the study's link and get a code.
    """
    part = participants.part_of(project)
    if part.instructions.strip() or part.consent.strip():
        return ""
    said = []
    if part.mode == STUDY and part.sample is not None:
        tasks = db.scalars(select(Task).where(Task.project_id == project.id, Task.stage == STUDY)).all()
        asked = Counter(form for task in tasks for form in task.content.get("forms", range(part.sample.people)))
        least, most = min(asked.values()), max(asked.values())
        said.append(f"You are asked {f'{least:,} to ' * (least != most)}{counted(most, 'question')}.")
        if part.time.most_minutes is None:
            seconds = min(_SECONDS, part.time.most_seconds or _SECONDS)
            whole = counted(max(1, round(most * seconds / 60)), "minute")
            said[-1] += f" At {counted(seconds, 'second')} each, this takes about {whole}."
    stored = f"Your answers and their times are stored under {f'the name {account}' if account else 'a code'}."
    stopped = "You can stop at any time: close the page. Answers up to then are kept."
    if participants.fields_of(part.link)[0] is not None:
        stored += " The people who run the study can see whose code it is."
        stopped += " Your link continues where you stopped."
    said += [stored, stopped]
    return "\n\n".join(said)


def study_picture(site: Site, project: Project, name: str) -> Path | None:
    """The file of a picture by the name in its address."""
    kept: dict[str, str] = project.settings["study"].get("pictures", {})
    path = next((p for p in kept.values() if hmac.compare_digest(_name(site, project, p), name)), None)
    return None if path is None else site.settings.store / path


def join_path(site: Site, project: int) -> str:
    """The path by which people come to a study without an invitation."""
    return f"/join/{project}/{site.sign('join', project)}"


def is_join(site: Site, project: int, token: str) -> bool:
    """Check whether a token is the one of a study's link."""
    return hmac.compare_digest(site.sign("join", project).encode(), token.encode())


def _name(site: Site, project: Project, path: str) -> str:
    return f"{project.id}-{site.sign('study picture', project.id, path)}"


def sources_of(part: StudyPart) -> list[str]:
    """All pictures and videos that a part names, each once."""
    texts = (part.instructions, part.consent, *([part.breaks.text] if part.breaks else []), part.completion.text)
    found = [source for text in texts for source in pictures_in(text)]
    found += [path for asked in (*part.practice, *part.attention) for path in asked.media]
    return list(dict.fromkeys(found))


def keep_pictures(site: Site, part: StudyPart, folders: Sequence[Path]) -> dict[str, str]:
    """Put a part's pictures and videos into the store; path as the study names it → path in the store.

    Args:
        site: its store.
        part: names them.
        folders: of the pictures: the study file's, the benchmark's.

    Raises:
        AccountError: one is missing, is outside of these folders, or can't be read.
    """
    return {source: _kept(site, source, folders) for source in sources_of(part)}


def _kept(site: Site, source: str, folders: Sequence[Path]) -> str:
    suffix = Path(source).suffix.lower()
    if suffix not in (*IMAGES, ".mp4", ".webm"):
        raise AccountError(f"The study shows '{source}', which is no JPEG, PNG, WebP, MP4 or WebM file beside it.")
    roots = [folder.resolve() for folder in folders]
    paths = [(root / source).resolve() for root in roots]
    path = next((p for p, root in zip(paths, roots, strict=True) if p.is_relative_to(root) and p.is_file()), None)
    if path is None:
        raise AccountError(f"The study shows '{source}', which isn't in {' or '.join(map(str, roots))}. Put it there.")
    name = f"{MEDIA}/{hashlib.sha256(path.read_bytes()).hexdigest()[:20]}{suffix}"
    there = site.settings.store / name
    if not there.is_file():
        there.parent.mkdir(parents=True, exist_ok=True)
        try:
            with atomic_write(there) as partial:
                without_metadata(path, partial, suffix)
        except BrokenMediaError as error:
            raise AccountError(f"The study's '{source}' can't be read ({error}).") from None
    return name


class Passed(Enum):
    """The state of a person's practice."""

    GOING_ON = "going on"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Standing:
    """A person's progress in practice.

    Attributes:
        passed: whether they practise on, are done, or have failed.
        round: the one they are in, or the last, from 0.
        right: of its answers.
    """

    passed: Passed
    round: int
    right: int


def standing(rounds: Sequence[Sequence[bool]], questions: int, asked: Practising) -> Standing:
    """Return a person's progress in practice.

    Args:
        rounds: for each round that was begun, whether each of its answers was right.
        questions: of a round.
        asked: the pass mark.
    """
    for number, answers in enumerate(rounds):
        right = sum(answers)
        if len(answers) < questions:
            return Standing(Passed.GOING_ON, number, right)
        if right >= asked.least_right:
            return Standing(Passed.DONE, number, right)
    last = len(rounds) - 1
    if len(rounds) >= asked.rounds:
        return Standing(Passed.FAILED, last, sum(rounds[-1]))
    return Standing(Passed.GOING_ON if questions else Passed.DONE, last + 1, 0)


ANSWER, SKIP = "answer", "skip"
"""Steps of a study's submissions. A skip is a submission of its own kind, and no answer anywhere."""
TIME_OVER = "time is over"
GONE = ("done", REPORTED, VOIDED)
"""States of an assignment that needs no more work."""


@dataclass(frozen=True)
class StudyPlace:
    """A person's progress in a study.

    Attributes:
        done, total: questions that are behind them, and all of theirs.
        practice: their state of practice.
    """

    done: int
    total: int
    practice: Standing


def before_work(db: Orm, project: Project, me: Person) -> str | None:
    """Return the page with the instructions, for a person who hasn't agreed to them; None where there is nothing to
    agree to.
    """
    if not participants.is_study(project) or me.is_owner:
        return None
    return f"/studies/{project.id}" if participants.participant_of(db, project, me.id) is None else None


def place_of(db: Orm, project: Project, part: StudyPart, found: Participant) -> StudyPlace:
    """Return a person's progress in a study."""
    gone = _gone(db, project, found)
    tasks = found.content["tasks"]
    return StudyPlace(sum(task in gone for task in tasks), len(tasks), _practised(db, project, part, found))


def next_page(db: Orm, site: Site, project: Project, me: Person) -> str:
    """Return the address of a person's next page."""
    found = participants.participant_of(db, project, me.id)
    if found is None:
        return f"/studies/{project.id}"
    part, now = participants.part_of(project), site.settings.clock()
    found.seen = now
    if found.state != BEGUN:
        return f"/studies/{project.id}/end"
    most = part.time.most_minutes
    if most is not None and found.agreed is not None and now - found.agreed > 60 * most:
        participants.end(site, found, TIME_OVER)
        return f"/studies/{project.id}/end"
    place = place_of(db, project, part, found)
    if place.practice.passed is Passed.FAILED:
        participants.screen_out(site, found)
        return f"/studies/{project.id}/end"
    if place.practice.passed is Passed.GOING_ON:
        return _practice_page(db, site, project, me, place.practice)
    if not found.content.get("practised"):
        found.content = {**found.content, "practised": True}
    gone = _gone(db, project, found)
    task = next((task for task in found.content["tasks"] if task not in gone), None)
    if task is None:
        participants.end(site, found)
        return f"/studies/{project.id}/end"
    if part.breaks is not None and place.done // part.breaks.every > found.breaks:
        return f"/studies/{project.id}/break"
    return f"/study/{_held(db, site, me, db.get_one(Task, task)).id}"


def counts(db: Orm, site: Site, project: Project, me: Person) -> tuple[int, int]:
    """Count the questions that a person has finished, and those that wait."""
    found = participants.participant_of(db, project, me.id)
    if found is None:
        return 0, 1
    if found.state != BEGUN:
        return len(_gone(db, project, found).intersection(found.content["tasks"])), 0
    place = place_of(db, project, participants.part_of(project), found)
    return place.done, max(place.total - place.done, 1)


def over(site: Site, own: Assignment, part: StudyPart) -> bool:
    """Check whether the time for a question is over, with some seconds for the way of an answer."""
    return part.time.most_seconds is not None and left(site, own, part) < -tasks.SLACK


def left(site: Site, own: Assignment, part: StudyPart) -> float:
    """The seconds that are left for a question."""
    return (part.time.most_seconds or 0) - (site.settings.clock() - own.taken)


def is_right(db: Orm, own: Assignment) -> bool | None:
    """Check whether a submitted answer is right; None where there is none."""
    found = tasks.submission(db, own, ANSWER)
    if found is None:
        return None
    item = tasks.asked_item(own)
    return agree(item, found.content["answer"], item.answer)


def _practice_page(db: Orm, site: Site, project: Project, me: Person, now: Standing) -> str:
    tasks = select(Task).where(Task.project_id == project.id, Task.stage == PRACTICE)
    own = sorted(
        (t for t in db.scalars(tasks) if t.content["round"] == now.round), key=lambda task: int(task.content["place"])
    )
    for task in own:
        held = _held(db, site, me, task)
        if held.state not in GONE:
            return f"/study/{held.id}"
    return f"/study/{_held(db, site, me, own[-1]).id}"


def _practised(db: Orm, project: Project, part: StudyPart, found: Participant) -> Standing:
    if not part.practice or found.content.get("practised"):
        return Standing(Passed.DONE, 0, 0)
    own = db.scalars(
        select(Assignment)
        .join(Task)
        .where(
            Task.project_id == project.id, Task.stage == PRACTICE, Assignment.user_id == found.user_id,
            Assignment.state.in_(GONE),
        )
    )  # fmt: skip
    rounds: dict[int, list[bool]] = {}
    for one in own:
        rounds.setdefault(int(one.task.content["round"]), []).append(bool(is_right(db, one)))
    return standing([rounds[number] for number in sorted(rounds)], len(part.practice), part.practising)


def _gone(db: Orm, project: Project, found: Participant) -> set[int]:
    """Return the tasks that need no more work of a person."""
    gone = (
        select(Assignment.task_id)
        .join(Task)
        .where(Task.project_id == project.id, Assignment.user_id == found.user_id, Assignment.state.in_(GONE))
    )
    return set(db.scalars(gone))


def _held(db: Orm, site: Site, me: Person, task: Task) -> Assignment:
    """Return a person's assignment to a task, made where there is none: its time runs from then on."""
    own = db.scalar(select(Assignment).where(Assignment.task_id == task.id, Assignment.user_id == me.id))
    own = own or assignments.assign(db, site, task.id, None, me, site.settings.clock())
    assert own is not None  # a study's tasks are for all of its people
    return own


def skip(db: Orm, site: Site, own: Assignment, reason: str, seconds: float) -> None:
    """Skip a question: a submission with a reason, which is no answer."""
    _, fresh = tasks.submit(db, site, own, SKIP, {"reason": reason}, seconds)
    if fresh:
        tasks.finish(db, site, own)


def was_submitted(db: Orm, own: Assignment) -> bool:
    """Check whether a person has answered or skipped."""
    return db.scalar(select(Submission.id).where(Submission.assignment_id == own.id).limit(1)) is not None


_PROLIFIC_END = "https://app.prolific.com/submissions/complete?cc={code}"


def code_of(site: Site, completion: Completion, found: Participant) -> str:
    """Return the code that a person enters at the platform: the study's code or their own at its end, its code for
    failed practice; '' where they get none.
    """
    if found.state == ENDED:
        return completion.code or site.sign("completion", found.id)[:10].upper()
    return completion.screened or "" if found.state == SCREENED else ""


def redirect_of(completion: Completion, link: Link, code: str) -> str | None:
    """The address to which the last page leads; None where the code is only shown."""
    template = completion.redirect or (_PROLIFIC_END if link.platform == "prolific" else None)
    return template.replace("{code}", code) if template else None
