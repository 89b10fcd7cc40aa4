"""What `tolman review` prints."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console

from tolman.commands.show.printing import say, write_json

if TYPE_CHECKING:
    from tolman.workflows.review import Listening, ReviewExportResult, ReviewRunsResult


def show_listening(console: Console, listening: Listening) -> None:
    """Where the owner signs in, at once: others may wait for the line in a pipe."""
    say(console, f"Everything is kept in {listening.kept_in}.")
    say(console, "The owner signs in here, once:")
    say(console, listening.link)
    say(console, "Ctrl-C stops the server.")
    console.file.flush()


def show_marked(console: Console, result: ReviewRunsResult) -> None:
    """How many answers of each subject are marked, or were left out."""
    for person, counted in result.marked.items():
        left_out = result.without_marked
        say(console, f"{person}: left out {counted}." if left_out else f"{person}: {counted} are marked.")
    if result.marked and not result.without_marked:
        say(console, "They count like all others; --without-marked leaves them out.")


def show_exported(console: Console, result: ReviewExportResult, *, as_json: bool) -> None:
    """What the reviewed benchmark holds, and where it is."""
    done = result.published
    if as_json:
        write_json(console, asdict(done))
        return
    told = ", ".join(f"{count:,} {verdict}" for verdict, count in done.verdicts.items())
    say(
        console,
        f"{done.items:,} questions, version {done.version}: {result.out} ({told}). Their history is in review.json.",
    )
    if done.marked:
        text = "count like all others; --without-marked leaves them out"
        if result.without_marked:
            text = "are left out of the agreement"
        say(console, f"{done.marked:,} reviewers' answers are marked and {text}.")
