"""The output of `tolman review`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from tolman.errors import counted
from tolman.features.printing import say, write_json

if TYPE_CHECKING:
    from tolman.features.review.compute import Listening, ReviewExportResult, ReviewRunsResult, StudyCheck
    from tolman.review.store.backup import Backup


def show_listening(console: Console, listening: Listening) -> None:
    """Print the owner's sign-in address at once: others may wait for the line in a pipe."""
    say(console, f"Everything is kept in {listening.kept_in}.")
    say(console, "The owner signs in here, once:")
    say(console, listening.link)
    if listening.joins:
        say(console, "People come to the study here:")
    for join in listening.joins:
        say(console, join)
        if "{{%" in join:
            say(console, "The platform replaces the words in braces. To try the study, put your own words there.")
    for sentence in listening.warnings:
        say(console, f"WARNING: {sentence}")
    say(console, "Ctrl-C stops the server.")
    console.file.flush()


def show_study(console: Console, found: StudyCheck, *, as_json: bool) -> None:
    """Print the planned questions of a study."""
    if as_json:
        write_json(console, asdict(found))
        return
    for part in found.parts:
        if part.people is None or part.each is None or part.times is None:
            say(console, f"{part.project}: {counted(part.questions, 'question')}, mode {part.mode}.")
            continue
        say(
            console,
            f"{part.project}: {counted(part.people, 'person', 'people')}, {_span(part.each, 'question')} each; "
            f"{counted(part.questions, 'question')} in all, each asked of {_span(part.times, 'person', 'people')}.",
        )
        if part.strata:
            say(console, "Of " + ", ".join(f"{name} {count:,}" for name, count in part.strata.items()) + ".")
    if found.later:
        say(console, f"Started later, when an earlier part is done: {', '.join(found.later)}.")
    for sentence in found.warnings:
        say(console, f"WARNING: {sentence}")


def _span(counts: tuple[int, int], one: str, many: str = "") -> str:
    least, most = counts
    return f"{least:,} to " * (least != most) + counted(most, one, many)


def show_marked(console: Console, result: ReviewRunsResult) -> None:
    """How many answers of each subject are marked, or were left out."""
    for person, marked in result.marked.items():
        say(console, f"{person}: {'left out' if result.without_marked else 'marked'} {marked}.")
    if result.marked and not result.without_marked:
        say(console, "They count like all others; --without-marked leaves them out.")
    for person, why in result.excluded.items():
        say(console, f"{person}: excluded by the study's rules: {why}.")
    for person, skipped in result.skipped.items():
        say(console, f"{person}: skipped {skipped}; skipped questions are missing, not wrong.")
    if result.benchmark is not None:
        say(console, f"The questions that were answered are the benchmark {result.benchmark}.")


def show_people(console: Console, path: Path, *, as_json: bool) -> None:
    """Print the place of the table of times and pay."""
    if as_json:
        write_json(console, {"people": str(path)})
        return
    say(console, f"Times and pay: {path}.")


def show_exported(console: Console, result: ReviewExportResult, *, as_json: bool) -> None:
    """Print the content and place of the reviewed benchmark."""
    done = result.published
    if as_json:
        write_json(console, asdict(done))
        return
    told = ", ".join(f"{count:,} {verdict}" for verdict, count in done.verdicts.items())
    say(
        console,
        f"{counted(done.items, 'question')}, version {done.version}: {result.out} ({told}). Their history is in "
        "review.json.",
    )
    if done.marked:
        text = "count like all others; --without-marked leaves them out"
        if result.without_marked:
            text = "left out of the agreement"
        answers = counted(done.marked, "reviewer's answer is", "reviewers' answers are")
        say(console, f"{answers} marked and {text}.")


def show_backup(console: Console, backup: Backup, done: str) -> None:
    """Print the content of a backup."""
    rows = sum(backup.rows.values())
    say(
        console,
        f"{done}: {counted(rows, 'row')} of {len(backup.rows)} tables (version {backup.version}) and "
        f"{counted(backup.files, 'file')} of {backup.bytes / 1e6:,.1f} MB: {backup.file}",
    )


def show_upgraded(console: Console, before: str, now: str) -> None:
    """Versions of the tables."""
    if before == now:
        say(console, f"The tables are of version {now} already; nothing was done.")
    else:
        say(console, f"The tables were of version {before} and are of version {now} now.")
