"""What is to be said of a run beside its figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tolman.benchmarks.base import BenchmarkSpec
from tolman.models.thinking import limit_of
from tolman.reports.frames_shown import frames_note, frames_warning
from tolman.reports.loaded import LoadedRun, protocol_settings
from tolman.reports.people import people_of, people_warnings
from tolman.reports.unread import ended_sentence, mark_sentence, sample_sentence, stored
from tolman.reports.usage import usage_note


def marks_of(run: LoadedRun, benchmark: BenchmarkSpec, rule_sets: Iterable[str]) -> list[str]:
    """A sentence for each rule set that could not read so much of the headline that it is marked."""
    table, judging = benchmark.table, benchmark.judging
    headline, has_judge = table.column(table.headline), "judge" in run.figures
    found = {name: stored(run.figures["rule_sets"][name]).get(headline.key) for name in rule_sets}
    return [
        mark_sentence(
            run.name,
            name,
            unread,
            headline,
            has_judge=has_judge,
            left_to=judging.model if name == judging.base else "",
        )
        for name, unread in found.items()
        if unread is not None and unread.is_marked
    ]


def ended_early(run: LoadedRun) -> list[str]:
    """A sentence for each way in which something stopped the model in answers of a run."""
    limit = limit_of(run.record.settings.sampling)
    return [
        ended_sentence(run.name, ending, entry, run.figures["asked"], limit)
        for ending, entry in run.figures.get("endings", {}).items()
    ]


def warnings_of(runs: Sequence[LoadedRun], benchmark: BenchmarkSpec) -> list[str]:
    """Sentences above the table: parts, failures, answers that something ended, frames that carry no answer.

    What several people were asked and left out is one sentence for all of them.
    """
    people = people_of(runs)
    together = set(people) if len(people) > 1 else set()
    warnings = []
    for run in runs:
        released = benchmark.sizes.get(run.record.settings.subset, run.record.subset_items)
        if run.record.subset_items != released:
            warnings.append(f"PART: the data holds {run.record.subset_items:,} of the {released:,} released questions.")
        alone = run.record.settings.model not in together
        warnings += _unanswered(run) if alone else []
        warnings += ended_early(run)
        judge = run.figures.get("judge")
        if judge and judge["failed"]:
            warnings.append(
                f"INCOMPLETE: {run.name}: {judge['failed']:,} judgement{'s' if judge['failed'] > 1 else ''} of "
                f"{judge['model']} failed, not in the figures of 'judged'; the first: {judge['example']}."
            )
        warnings += frames_warning(run.name, run.figures)
        warnings += _part(run) if alone else []
    if together:
        warnings += people_warnings([*people.values()])
    return list(dict.fromkeys(warnings))


def _unanswered(run: LoadedRun) -> list[str]:
    failed, missing = run.figures["unanswered"]["failed"], run.figures["unanswered"]["missing"]
    if not failed and not missing:
        return []
    parts = [f"{failed:,} failed"] if failed else []
    parts += [f"{missing:,} missing"] if missing else []
    counted = "counted as wrong" if run.record.failures_are_wrong else "not in the figures"
    asked = f"{run.figures['asked']:,} {'items' if run.record.settings.repeats == 1 else 'askings'}"
    reasons = "".join(f" {f['count']:,} × {f['kind']}: {f['example']}." for f in run.figures["failures"][:3])
    return [f"INCOMPLETE: {run.name}: {' and '.join(parts)} of {asked}, {counted}.{reasons}"]


def _part(run: LoadedRun) -> list[str]:
    selection = run.record.settings.selection
    if selection.is_all:
        return []
    everything = run.record.presented_items or run.record.subset_items
    return [f"PART: {run.name}: {run.figures['items']:,} of {everything:,} items ({selection.describe()})."]


def _state(run: LoadedRun) -> str:
    """The hub's data set and commit that the questions came from; a folder on a disk says nothing to others."""
    found = re.fullmatch(r"([\w.-]+/[\w.-]+)@([0-9a-f]{40})", run.record.data)
    return f" of {found[1]} at {found[2][:12]}" if found else ""


def _shown(run: LoadedRun) -> str:
    """What of a run's input isn't its preset's: the form of videos, and the recipe."""
    frames, recipe = run.record.settings.frames, run.record.recipe
    said = [frames.describe()] if frames.native else []
    if recipe is not None:
        said.append(f"recipe {recipe['name']}" + ("" if recipe["asked"] else " by the model's name"))
    return "".join(f", {text}" for text in said)


def notes_of(run: LoadedRun) -> list[str]:
    """Sentences below the table: where the figures come from, and what the rule sets and the judge did."""
    settings = run.record.settings
    notes = [
        (
            f"{run.name}: {settings.benchmark} {settings.subset}, data {settings.data_hash}{_state(run)}, "
            f"preset {settings.preset}{_shown(run)}, seed {settings.seed}, "
            f"{run.figures['items']:,} items, tolman {run.record.tolman}."
        )
    ]
    if settings.protocol_settings:
        notes.append(f"{run.name}: {protocol_settings(settings)}.")
    notes += frames_note(run.name, run.figures)
    notes += usage_note(run.name, run.figures)
    if run.figures.get("notes"):
        counts = ", ".join(f"{count:,} × {name}" for name, count in run.figures["notes"].items())
        notes.append(f"{run.name}: {counts}.")
    if run.figures.get("differ"):
        first, second = list(run.figures["rule_sets"])[:2]
        notes.append(f"{run.name}: {first} and {second} differ on {run.figures['differ']:,} items.")
    for name, entry in run.figures["rule_sets"].items():
        if entry.get("guessed"):
            notes.append(f"{run.name}: the {name} parser drew {entry['guessed']:,} answers at random.")
    judge = run.figures.get("judge")
    if judge:
        none = f", {judge['no_answer']:,} of them as no answer" if judge["no_answer"] else ""
        notes.append(
            f"{run.name}: judged: {judge['model']} read {judge['judged']:,} of {run.figures['asked']:,} "
            f"responses{none}; they are marked in the list of items. {judge['source']}."
        )
        if "sample" in judge:
            notes.append(sample_sentence(run.name, judge["model"], judge["sample"]))
    return notes
