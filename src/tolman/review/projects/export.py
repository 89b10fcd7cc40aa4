"""People's answers out of a review's database as runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman.benchmarks.folder import FILE
from tolman.errors import InputError, UsageError
from tolman.generate.publish import check_place, with_media
from tolman.item_table import write_items
from tolman.items import Item
from tolman.responses import Outcome, Response
from tolman.review.modes.answer import answers
from tolman.review.projects.lifecycle import project_named
from tolman.review.projects.publish import write_card
from tolman.review.site import Site
from tolman.review.store.history import record
from tolman.review.store.schema import Project
from tolman.review.studies.people import is_study, part_of
from tolman.review.studies.records import PersonRecord, records
from tolman.review.studies.spec import STUDY
from tolman.review.tasks import work
from tolman.review.tasks.marks import LEAST, describe_marks, tally
from tolman.runs.folder import PEOPLE, RunFolder
from tolman.runs.load import Loaded, load
from tolman.runs.rescore import score_outcomes
from tolman.runs.selection import Selection

ANSWERED = ("answer", STUDY)
"""Modes whose answers are runs."""


@dataclass(frozen=True)
class WrittenRuns:
    """People's answers as runs.

    Attributes:
        folders: one for each person.
        marked: for each person with marked answers how many those are, in words.
        excluded: for each person whom a study's rules leave out, why.
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
    """Each subject's answers as a run of the model `human/NAME`, in a folder each; scored like any other.

    Args:
        site: the opened store.
        out: the folder of the runs.
        name: of the project, where there are several.
        without_marked: leave out answers that are marked: given too fast, or before the media could be seen.
        with_excluded: write runs of people as well whom a study's rules leave out.
        by: who asked for it in the browser.

    Raises:
        UsageError: there is no such project, nobody has answered, or nothing is left.
        InputError: the folder of the questions holds something else.
        RunConflictError: a folder holds another run.
    """
    with site.database.read() as db:
        project = project_named(db, ANSWERED, name)
        studied = {one.name: one for one in records(db, project)} if is_study(project) else {}
        people = (
            _answers_of(studied, without_marked) if studied else answers(db, project, without_marked=without_marked)
        )
        counts = _tally_of(studied) if studied else tally(db, project, ["answer"])
        current = [work.item_of(version) for version in work.current_items(db, project)]
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
        person: f"{own['marked']:,} of {own['all']:,} answers ({describe_marks(own, least)})"
        for person, own in sorted(counts.items())
        if own["marked"] and person in people
    }
    skipped = {person: _skips(own) for person, own in sorted(studied.items()) if own.skips and person in people}
    loaded, benchmark, made = _asked_of(site, project, current, out)
    folders = []
    for person in sorted(people):
        own = people[person]
        outcomes: list[Outcome] = [
            Response(id=item.id, response=own[item.id][0], seconds=own[item.id][1])
            for item in loaded.items
            if item.id in own
        ]
        told: dict[str, Any] = {"review": project.name}
        if without_marked:
            told["left_out"] = marked.get(person, "no answer")
        if person in studied:
            told |= {"study": _about(studied[person], len(studied), len(excluded))}
        folder, _ = score_outcomes(
            loaded,
            outcomes,
            benchmark=benchmark,
            model=PEOPLE + person,
            model_settings=told,
            selection=_asked_alone(studied.get(person), loaded.items),
            out=out / _safe(person, set(people)),
        )
        folders.append(folder)
    with site.database.write() as db:
        record(db, site.settings, "exported", project=project.id, user=by, kind="runs", people=len(folders))
    return WrittenRuns(folders, marked, excluded, skipped, made)


def _asked_alone(one: PersonRecord | None, items: Sequence[Item]) -> Selection:
    """The questions of somebody's form; all of them outside of a study, or where the form has all."""
    asked = set(one.sample) if one is not None else set()
    return Selection(ids=tuple(sorted(asked))) if asked and asked != {item.id for item in items} else Selection()


def _answers_of(
    studied: Mapping[str, PersonRecord], without_marked: bool
) -> dict[str, dict[str, tuple[str, float | None]]]:
    """Person → item → what they answered, and in how many seconds; on request without answers that are marked."""
    found = {
        name: {item: given for item, given in one.answers.items() if not (without_marked and item in one.marked)}
        for name, one in studied.items()
    }
    return {name: own for name, own in found.items() if own}


def _tally_of(studied: Mapping[str, PersonRecord]) -> dict[str, Counter[str]]:
    return {name: one.tally for name, one in studied.items() if one.answers}


def _skips(one: PersonRecord) -> str:
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(one.skips.items()))
    return f"{one.skips.total():,} of {one.asked:,} questions ({reasons})"


def _about(one: PersonRecord, people: int, excluded: int) -> dict[str, Any]:
    """What a run says of the study that it comes from."""
    return {
        "asked": one.asked,
        "answered": len(one.answers),
        "skipped": dict(sorted(one.skips.items())),
        "excluded": "; ".join(one.excluded) or None,
        "people": people,
        "people_excluded": excluded,
    }


def _asked_of(site: Site, project: Project, current: Sequence[Item], out: Path) -> tuple[Loaded, str, Path | None]:
    """The benchmark that was answered, its name, and the folder where it was written for this: questions that were
    made or revised in another part of a study are in no benchmark yet.

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
        shown: Iterator[Item] = iter(current)
        for place in reversed(site.folders):
            shown = with_media(shown, place, folder)
        write_items(folder / "items.parquet", shown)
        write_card(site, folder)
    loaded = load(str(folder), None, None)
    if {item.id: item for item in loaded.items} != asked:
        raise InputError(folder, "holds other questions than were answered", fix="name another folder with --runs")
    return loaded, str(folder), folder


def _safe(person: str, people: set[str]) -> str:
    """A folder's name for a person; those whose names would be one are told apart by number."""

    def plain(name: str) -> str:
        return "".join(c if c.isalnum() or c in "-_" else "-" for c in name)

    alike = sorted(name for name in people if plain(name) == plain(person))
    return plain(person) + (f"-{alike.index(person) + 1}" if len(alike) > 1 else "")
