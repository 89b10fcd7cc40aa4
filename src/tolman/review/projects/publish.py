"""A review's items out of its database as a new version of the benchmark, with the history of their review."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

import tolman
from tolman.benchmarks.folder import FILE, PROFILE
from tolman.errors import InputError, UsageError
from tolman.files import write_text
from tolman.generate.publish import check_place, with_media
from tolman.item_table import write_items
from tolman.items import Item
from tolman.review.modes import MODES
from tolman.review.projects.lifecycle import project_named
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Decision, HistoryEvent, ItemVersion, Project, User
from tolman.review.tasks import work
from tolman.review.tasks.agreement import Vote, agreement, votes_of
from tolman.review.tasks.settling import last_decision

REVIEWS = "review.json"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Published:
    """Summary of a published benchmark.

    Attributes:
        items: in the new folder.
        verdicts: how many items of the project were decided how.
        version: of the benchmark, one higher than that of the folder it came from.
        marked: reviewers' answers that were given too fast, or before the media could be seen.
    """

    items: int
    verdicts: dict[str, int]
    version: int
    marked: int


def publish(
    site: Site,
    out: Path,
    name: str | None = None,
    *,
    undecided: bool = False,
    without_marked: bool = False,
    by: int | None = None,
) -> Published:
    """A project's items as a new version of the benchmark's folder, with the whole history of their review.

    Args:
        site: the opened store.
        out: the new folder.
        name: of the project, where there are several.
        undecided: take in items that nobody has decided about; those that are flagged or discarded stay out.
        without_marked: leave reviewers' marked answers out of the agreement and of each item's evidence.
        by: who asked for it in the browser.

    Raises:
        UsageError: there is no such project, or nothing to publish.
        InputError: the folder holds something else.
    """
    check_place(out)
    if out.resolve() == site.loaded.folder.resolve():
        raise InputError(out, "is the benchmark that was reviewed", fix="give another folder with --export")
    with site.database.read() as db:
        project = _published_project(db, name)
        votes = votes_of(db, project)
        versions = work.current_items(db, project)
        decisions = {version.item: last_decision(db, version) for version in versions}
        undecided = undecided or MODES[project.mode].makes_items
        taken = [v for v in versions if _taken(decisions[v.item], undecided=undecided)]
        earlier = _earlier(site)
        summary: dict[str, Any] = {
            "tolman": tolman.__version__,
            "version": 1 + int(earlier.get("version", 1)),
            "project": project.name,
            "mode": project.mode,
            "settings": project.settings,
            "benchmark": project.benchmark,
            "verdicts": _verdicts(decisions.values()),
            "agreement": asdict(agreement(votes, without_marked=without_marked)),
            "seconds": _seconds(votes),
            "items": _histories(db, project),
            "earlier": earlier or None,
        }
        counted = [vote for vote in votes if not (without_marked and vote.marks)]
        items = [_reviewed(v, decisions[v.item], counted) for v in taken]
    if not items:
        raise UsageError(f"no item of the project '{project.name}' is approved yet; --undecided takes in the others.")
    out.mkdir(parents=True, exist_ok=True)
    shown: Iterator[Item] = iter(items)
    for folder in reversed(site.folders):  # where two have a file, the first one's is put there last
        shown = with_media(shown, folder, out)
    write_items(out / "items.parquet", shown)
    write_text(out / REVIEWS, _json(summary))
    provenance = _read(site.loaded.folder / "provenance.json") | {"tolman": tolman.__version__, "review": REVIEWS}
    write_text(out / "provenance.json", _json(provenance))
    write_card(site, out)
    marked = sum(bool(vote.marks) for vote in votes)
    with site.database.write() as db:
        record(db, site.settings, "exported", project=project.id, user=by, kind="benchmark", items=len(items))
    return Published(len(items), dict(summary["verdicts"]), int(summary["version"]), marked)


def write_card(site: Site, out: Path) -> None:
    """Write the new folder's card: the old one's, or one that names the benchmark of its scoring profile."""
    benchmark = site.loaded.benchmark
    known = _read(site.loaded.folder / FILE)
    card = known or {
        "title": f"{benchmark.title}, reviewed",
        "paper": f"Questions of {benchmark.title} ({benchmark.paper}) as reviewed with tolman {tolman.__version__}",
        "licence": benchmark.licence,
        PROFILE: benchmark.name,
    }
    write_text(out / FILE, _json(card | {"name": out.name}))


def _published_project(db: Orm, name: str | None) -> Project:
    """The project of a name, or the only one in which items are decided on or made, else the only one at all.

    Raises:
        UsageError: as `project_named`.
    """
    publishing = {mode.name for mode in MODES.values() if mode.makes_items or mode.again is not None}
    modes = publishing.intersection(db.scalars(select(Project.mode)))
    return project_named(db, None if name is not None else modes or None, name)


def _taken(decision: Decision | None, *, undecided: bool) -> bool:
    return undecided if decision is None else decision.verdict == "approve"


def _verdicts(decisions: Iterable[Decision | None]) -> dict[str, int]:
    return dict(sorted(Counter(UNDECIDED if d is None else d.verdict for d in decisions).items()))


def _reviewed(version: ItemVersion, decision: Decision | None, votes: list[Vote]) -> Item:
    """An item with what was decided about it among its evidence."""
    own = [vote for vote in votes if vote.version == version.id]
    told = {
        "version": version.version,
        "origin": version.origin,
        "verdict": decision.verdict if decision else None,
        "adjudicated": decision is not None and decision.user_id is not None and decision.task_id is not None,
        "reviewers": len(own),
        "agreed": len({vote.verdict for vote in own}) == 1 if own else None,
        "answered_alike": sum(vote.is_truth for vote in own),
        "seconds": [round(vote.seconds, 1) for vote in own],
    }
    item = work.item_of(version)
    return item.model_copy(update={"evidence": item.evidence | {"review": told}})


def _histories(db: Orm, project: Project) -> dict[str, list[dict[str, Any]]]:
    """Item → all that happened to it, the oldest first; its versions' contents among it."""
    names = dict(db.execute(select(User.id, User.name)).all())
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for version in db.scalars(select(ItemVersion).where(ItemVersion.project_id == project.id).order_by(ItemVersion.id)):
        found[version.item].append(
            {
                "time": version.created,
                "what": "version",
                "by": names.get(version.user_id) if version.user_id else None,
                "version": version.version,
                "origin": version.origin,
                "reason": version.reason,
                "content": version.content,
            }
        )
    for event in db.scalars(
        select(HistoryEvent).where(HistoryEvent.project_id == project.id).order_by(HistoryEvent.id)
    ):
        key = event.item or ""
        by = names.get(event.user_id) if event.user_id else None
        found[key].append({"time": event.created, "what": event.what, "by": by, **event.content})
    return {item: sorted(events, key=lambda event: event["time"]) for item, events in found.items()}


def _seconds(votes: list[Vote]) -> dict[str, float]:
    """The mean time of each reviewer for a question."""
    own: dict[str, list[float]] = defaultdict(list)
    for vote in votes:
        own[vote.person].append(vote.seconds)
    return {person: round(sum(times) / len(times), 2) for person, times in sorted(own.items())}


def _earlier(site: Site) -> dict[str, Any]:
    """The history of the round before this one, where the benchmark came out of one."""
    return _read(site.loaded.folder / REVIEWS)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _json(content: object) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
