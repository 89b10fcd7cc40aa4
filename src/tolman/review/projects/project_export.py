"""A review's work out of its database: items as a new version of the benchmark, and people's answers as runs.

A published benchmark has the history of its review.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session as Orm

import tolman
from tolman import benchmarks
from tolman.benchmarks.benchmark_folder import FILE, OLD_PROFILE, PROFILE, card_lines, provenance_of, scenes_written
from tolman.errors import InputError, UsageError, counted
from tolman.files import write_text
from tolman.generate.publish import CONFIGS, check_place, with_media
from tolman.item_table import write_items
from tolman.items import Item, Selection
from tolman.responses import Response
from tolman.review import tasks
from tolman.review.media import absent
from tolman.review.modes import MODES
from tolman.review.modes.answering import answers
from tolman.review.projects import project_named
from tolman.review.site import Site
from tolman.review.store import Decision, HistoryEvent, ItemVersion, Project, User
from tolman.review.store.database import record
from tolman.review.studies import PROFILE as STUDY_PROFILE, STUDY
from tolman.review.studies.participants import is_study, part_of
from tolman.review.studies.study_records import PersonRecord, records
from tolman.review.tasks import LEAST, describe_marks, tally_marks
from tolman.review.tasks.decisions import Vote, agreement, last_decision, votes_of
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_folder import PEOPLE, RunFolder
from tolman.runs.run_items import Loaded, load

REVIEWS = "review.json"
UNDECIDED = "undecided"
_REVIEW = "review"
"""In an item's evidence: the decision about it."""


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
    """Publish a project's items as a new version of the benchmark's folder, with the whole history of their review.

    Args:
        site: the opened store.
        out: the new folder.
        name: of the project, where there are several.
        undecided: take in items without a decision; those that are flagged or discarded stay out.
        without_marked: leave reviewers' marked answers out of the agreement and of each item's evidence.
        by: who asked for it in the browser.

    Raises:
        UsageError: there is no such project, nothing to publish, or media of a folder's items are missing.
        InputError: the folder holds something else.
    """
    check_place(out)
    if out.resolve() == site.loaded.folder.resolve():
        raise InputError(out, "is the benchmark that was reviewed", fix="give another folder with --export")
    with site.database.read() as db:
        project = _published_project(db, name)
        votes = votes_of(db, project)
        versions = tasks.current_items(db, project)
        decisions = {version.item: last_decision(db, version) for version in versions}
        undecided = undecided or MODES[project.mode].makes_items
        taken = [v for v in versions if _taken(decisions[v.item], undecided=undecided)]
        earlier = _read(site.loaded.folder / REVIEWS)  # of the round before, where the benchmark came out of one
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
        counting = [vote for vote in votes if not (without_marked and vote.marks)]
        items = [_reviewed(v, decisions[v.item], counting) for v in taken]
    there = _read(out / REVIEWS)
    if (out / FILE).is_file() and any(there.get(key) != summary[key] for key in ("project", "benchmark")):
        raise InputError(out, "holds another benchmark", fix="give another folder with --export")
    if not items:
        raise UsageError(f"no item of the project '{project.name}' is approved yet; --undecided takes in the others.")
    missing, looked_for = absent(site, items)
    if missing and (site.loaded.folder / FILE).is_file():  # a release names media that it may come without
        be = "is" if len(missing) == 1 else "are"
        raise UsageError(
            f"{len(missing):,} of {counted(looked_for, 'media file')} of the exported questions {be} not there, the "
            f"first {missing[0]}; put them into the benchmark's folder."
        )
    out.mkdir(parents=True, exist_ok=True)
    shown: Iterator[Item] = iter(items)
    for folder in reversed(site.folders):  # where two have a file, the first one's is put there last
        shown = with_media(shown, folder, out)
    write_items(out / "items.parquet", shown)
    write_text(out / REVIEWS, _json(summary))
    provenance = provenance_of(site.loaded.folder) | {"tolman": tolman.__version__, "review": REVIEWS}
    if "scenes_from_here" in provenance:
        provenance |= scenes_written(site.loaded.folder / str(provenance["scenes_from_here"]), out)
    write_text(out / "provenance.json", _json(provenance))
    write_card(site, out, profile_of(project, items))
    marked = sum(bool(vote.marks) for vote in votes)
    with site.database.write() as db:
        record(db, site.settings, "exported", project=project.id, user=by, kind="benchmark", items=len(items))
    return Published(len(items), dict(summary["verdicts"]), int(summary["version"]), marked)


def profile_of(project: Project, items: Sequence[Item]) -> str | None:
    """The scoring profile that a project's study declares, where all question types are of that benchmark."""
    profile: str | None = project.settings.get("study", {}).get(STUDY_PROFILE)
    if profile is None or not {item.task for item in items} <= set(benchmarks.named(profile).table.places_of_tasks):
        return None
    return profile


def write_card(site: Site, out: Path, profile: str | None = None) -> None:
    """Write the new folder's card: the old one's, or one that names the benchmark of its scoring profile.

    Args:
        site: the opened store.
        out: the new folder.
        profile: the scoring profile where the old card names none.
    """
    benchmark = site.loaded.benchmark
    known = _read(site.loaded.folder / FILE)
    card = known or {
        "title": f"{benchmark.title}, reviewed",
        "paper": f"Questions of {benchmark.title} ({benchmark.paper}) as reviewed with tolman {tolman.__version__}",
        "licence": benchmark.licence,
        PROFILE: benchmark.name,
    }
    if profile is not None and not card.get(PROFILE) and not card.get(OLD_PROFILE):
        card = card | {PROFILE: profile}
    card = card | {"name": out.name}
    write_text(out / FILE, _json(card))
    if not (out / README).exists() or (out / README).read_text(encoding="utf-8", errors="replace").startswith(_HEAD):
        write_text(out / README, _readme(card))


README = "README.md"
_HEAD = "---\n# Written by 'tolman review'; a file without this line is kept.\n"


def _readme(card: Mapping[str, Any]) -> str:
    """A data card: without one, `datasets.load_dataset` takes the folder's JSON files and media for the rows."""
    rows = CONFIGS.replace("data/test-*.parquet", "items.parquet")
    return f"""{_HEAD}{card_lines(str(card.get("licence") or ""))}task_categories: [visual-question-answering]
{rows}---
# {card.get("title") or card["name"]}

Reviewed with tolman {tolman.__version__}. `{REVIEWS}`, where there is one, holds each question's history,
verdicts and agreement. Evaluate with `tolman run ./{card["name"]}`.
"""


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


def reviewed_items(db: Orm, project: Project) -> dict[str, Item]:
    """Return the items as the benchmark of a project's export has them, decided or not, by id."""
    votes = votes_of(db, project)
    return {v.item: _reviewed(v, last_decision(db, v), votes) for v in tasks.current_items(db, project)}


def without_review(item: Item) -> Item:
    """Return an item as it was before an export added its review."""
    return item.model_copy(update={"evidence": {k: v for k, v in item.evidence.items() if k != _REVIEW}})


def _reviewed(version: ItemVersion, decision: Decision | None, votes: list[Vote]) -> Item:
    """Return an item with its decision among its evidence."""
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
    item = tasks.item_of(version)
    return item.model_copy(update={"evidence": item.evidence | {_REVIEW: told}})


def _histories(db: Orm, project: Project) -> dict[str, list[dict[str, Any]]]:
    """Item → all that happened to it, the oldest first; its versions' contents among it."""
    names: dict[int | None, str] = dict(db.execute(select(User.id, User.name)).all())
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for version in db.scalars(select(ItemVersion).where(ItemVersion.project_id == project.id).order_by(ItemVersion.id)):
        about = {name: getattr(version, name) for name in ("version", "origin", "reason", "content")}
        by = names.get(version.user_id)
        found[version.item].append({"time": version.created, "what": "version", "by": by, **about})
    events = select(HistoryEvent).where(HistoryEvent.project_id == project.id).order_by(HistoryEvent.id)
    for event in db.scalars(events):
        told = {"time": event.created, "what": event.what, "by": names.get(event.user_id), **event.content}
        found[event.item or ""].append(told)
    return {item: sorted(events, key=lambda event: event["time"]) for item, events in found.items()}


def _seconds(votes: list[Vote]) -> dict[str, float]:
    """The mean time of each reviewer for a question."""
    own: dict[str, list[float]] = defaultdict(list)
    for vote in votes:
        own[vote.person].append(vote.seconds)
    return {person: round(sum(times) / len(times), 2) for person, times in sorted(own.items())}


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _json(content: object) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


ANSWERED = ("answer", STUDY)
"""Modes whose answers are runs."""


@dataclass(frozen=True)
class WrittenRuns:
    """People's answers as runs.

    Attributes:
        folders: one for each person.
        marked: for each person with marked answers how many those are, in words.
        excluded: for each person excluded by a study's rules, why.
        skipped: for each person of a study who skipped questions, how many and why.
        benchmark: the folder of the questions, where they were made here.
    """

    folders: list[RunFolder]
    marked: dict[str, str]
    excluded: dict[str, str]
    skipped: dict[str, str]
    benchmark: Path | None = None


def export_runs(
    site: Site,
    out: Path,
    name: str | None = None,
    *,
    without_marked: bool = False,
    with_excluded: bool = False,
    by: int | None = None,
) -> WrittenRuns:
    """Write each subject's answers as a run of the model `human/NAME`, in a folder each; scored like any other.

    Args:
        site: the opened store.
        out: the folder of the runs.
        name: of the project, where there are several.
        without_marked: leave out answers that are marked: given too fast, or before the media could be seen.
        with_excluded: write also the runs of people excluded by a study's rules.
        by: who asked for it in the browser.

    Raises:
        UsageError: there is no such project, there are no answers, or nothing is left.
        InputError: the folder of the questions holds something else.
        RunConflictError: a folder holds another run.
    """
    with site.database.read() as db:
        project = project_named(db, ANSWERED, name)
        studied = {one.name: one for one in records(db, project)} if is_study(project) else {}
        people = (
            _answers_of(studied, without_marked) if studied else answers(db, project, without_marked=without_marked)
        )
        tallies = {name: one.tally for name, one in studied.items() if one.answers}
        counts = tallies if studied else tally_marks(db, project, ["answer"])
        current = [tasks.item_of(version) for version in tasks.current_items(db, project)]
        reviewed = _reviewed_before(db, project)
    if not counts:
        raise UsageError(f"nobody has answered in the project '{project.name}' yet.")
    if not people:
        raise UsageError(
            f"all answers in the project '{project.name}' are marked; write them without --without-marked."
        )
    excluded = {person: "; ".join(studied[person].excluded) for person in sorted(studied) if studied[person].excluded}
    if not with_excluded:
        people = {person: own for person, own in people.items() if person not in excluded}
    if not people:
        raise UsageError(
            f"the rules of the study '{project.name}' leave out everybody who has answered "
            f"({next(iter(excluded))}: {excluded[next(iter(excluded))]}); write them with --with-excluded."
        )
    least = int(project.settings.get(LEAST.name, 0))
    marked = {
        person: f"{own['marked']:,} of {counted(own['all'], 'answer')} ({describe_marks(own, least)})"
        for person, own in sorted(counts.items())
        if own["marked"] and person in people
    }
    skipped = {person: _skips(own) for person, own in sorted(studied.items()) if own.skips and person in people}
    loaded, benchmark, made = _asked_of(site, project, current, reviewed, out)
    folders = []
    for person in sorted(people):
        own = people[person]
        given = [(item.id, *own[item.id]) for item in loaded.items if item.id in own]
        outcomes = [Response(id=identity, response=text, seconds=seconds) for identity, text, seconds in given]
        told: dict[str, Any] = {"review": project.name}
        if without_marked:
            told["left_out"] = marked.get(person, "no answer")
        if person in studied:
            told |= {"study": _about(studied[person], len(studied), len(excluded))}
        place = out / _safe(person, set(people))
        _remove_earlier(place, PEOPLE + person, project.name)
        asked = _asked_alone(studied.get(person), loaded.items)
        folder, _ = score_outcomes(
            loaded,
            outcomes,
            benchmark=benchmark,
            model=PEOPLE + person,
            model_settings=told,
            selection=asked,
            out=place,
        )
        folders.append(folder)
    with site.database.write() as db:
        record(db, site.settings, "exported", project=project.id, user=by, kind="runs", people=len(folders))
    return WrittenRuns(folders, marked, excluded, skipped, made)


def _remove_earlier(place: Path, model: str, review: str) -> None:
    """Remove a person's run of an earlier export: answers and the study's counts may have changed since."""
    if not (place / "run.json").is_file():
        return
    settings = RunFolder(place).record().settings
    if (settings.model, settings.model_settings.get("review")) == (model, review):
        shutil.rmtree(place)


def _asked_alone(one: PersonRecord | None, items: Sequence[Item]) -> Selection:
    """Return the questions of a person's form; all of them outside of a study, or where the form has all."""
    asked = set(one.sample) if one is not None else set()
    return Selection(ids=tuple(sorted(asked))) if asked and asked != {item.id for item in items} else Selection()


def _answers_of(
    studied: Mapping[str, PersonRecord], without_marked: bool
) -> dict[str, dict[str, tuple[str, float | None]]]:
    """Return each person's answers with their seconds, by item; on request without answers that are marked."""
    found = {
        name: {item: given for item, given in one.answers.items() if not (without_marked and item in one.marked)}
        for name, one in studied.items()
    }
    return {name: own for name, own in found.items() if own}


def _skips(one: PersonRecord) -> str:
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(one.skips.items()))
    return f"{one.skips.total():,} of {counted(one.asked, 'question')} ({reasons})"


def _about(one: PersonRecord, people: int, excluded: int) -> dict[str, Any]:
    """Return a run's record of the study that it comes from."""
    return {
        "asked": one.asked,
        "answered": len(one.answers),
        "skipped": dict(sorted(one.skips.items())),
        "excluded": "; ".join(one.excluded) or None,
        "people": people,
        "people_excluded": excluded,
    }


def _reviewed_before(db: Orm, project: Project) -> Mapping[str, Item]:
    """The questions of a study's earlier part as its export has them; none where there is no earlier part."""
    if not is_study(project) or (after := part_of(project).after) is None:
        return {}
    title = project.settings["study"]["title"]
    for earlier in db.scalars(select(Project).where(Project.id != project.id)):
        if is_study(earlier) and earlier.settings["study"]["title"] == title and part_of(earlier).name == after:
            return reviewed_items(db, earlier)
    return {}


def _asked_of(
    site: Site, project: Project, current: Sequence[Item], reviewed: Mapping[str, Item], out: Path
) -> tuple[Loaded, str, Path | None]:
    """The benchmark that was answered, its name, and the folder where it was written for this: questions that were
    made or revised in another part of a study are in no benchmark yet. The folder's questions are those of the earlier
    part's export, so that its runs and these share a table.

    Raises:
        UsageError: the server's benchmark isn't the one that was answered.
        InputError: the folder of the questions holds something else.
    """
    known = {item.id: item for item in site.loaded.items}
    asked = {item.id: item for item in current}
    in_study = is_study(project)
    if asked == known or (in_study and asked and all(known.get(key) == item for key, item in asked.items())):
        return site.loaded, site.settings.benchmark, None
    if not in_study or part_of(project).after is None:
        raise UsageError(f"the benchmark isn't the one that was answered in the project '{project.name}'.")
    folder = out.parent / f"{out.name}-benchmark"
    if not (folder / FILE).is_file():
        check_place(folder)
        folder.mkdir(parents=True, exist_ok=True)
        told = [reviewed.get(item.id, item) for item in current]
        shown: Iterator[Item] = (
            there if without_review(there) == without_review(item) else item
            for there, item in zip(told, current, strict=True)
        )
        for place in reversed(site.folders):
            shown = with_media(shown, place, folder)
        write_items(folder / "items.parquet", shown)
        write_card(site, folder, profile_of(project, current))
    loaded = load(str(folder), None, None)
    plain = {key: without_review(item) for key, item in asked.items()}
    if {item.id: without_review(item) for item in loaded.items} != plain:
        raise InputError(folder, "holds other questions than were answered", fix="name another folder with --runs")
    return loaded, str(folder), folder


def _safe(person: str, people: set[str]) -> str:
    """Return a folder's name for a person; equal names are distinguished by number."""

    def plain(name: str) -> str:
        return "".join(c if c.isalnum() or c in "-_" else "-" for c in name)

    alike = sorted(name for name in people if plain(name) == plain(person))
    return plain(person) + (f"-{alike.index(person) + 1}" if len(alike) > 1 else "")
