"""What `tolman audit --shortcuts` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from tolman.commands.show.printing import say, table, write_json
from tolman.commands.show.report import print_wide
from tolman.workflows.audit_shortcuts import SHORTCUTS

if TYPE_CHECKING:
    from tolman.workflows.audit_shortcuts import ShortcutAuditResult

COLOURS = {"pass": "green", "FAIL": "red", "too few": "yellow"}


def show_shortcut_audit(console: Console, result: ShortcutAuditResult, *, as_json: bool) -> None:
    """A row for each question type, learner and way of teaching; why rows don't pass; where it is written."""
    from tolman.generate.card import TAUGHT_ON, percent

    if as_json:
        write_json(console, result.record())
        return
    audit = result.audit
    texts = ("question type", "learner", "taught on")
    numbers = ("taught", "n", "score", "baseline", "per category", "difference", "95 % interval", "p (Holm)")
    grid = table((*texts, *numbers, "verdict"), left=(*texts, "verdict"))
    for row in audit.rows:
        interval = "–" if row.low is None else f"{percent(row.low, sign=True)} … {percent(row.high, sign=True)}"
        grid.add_row(
            escape(row.task),
            row.learner,
            TAUGHT_ON[row.taught_on],
            f"{row.taught:,}",
            f"{row.items:,}",
            percent(row.score),
            percent(row.baseline),
            percent(row.category_baseline),
            percent(row.difference, sign=True),
            interval,
            "–" if row.p is None else f"{row.p:.2g}",
            f"[{COLOURS[row.verdict]}]{row.verdict}[/]",
        )
    print_wide(console, grid)
    for row in audit.rows:
        if row.reason:
            say(console, f"{row.task}, {row.learner}, {TAUGHT_ON[row.taught_on]}: {row.verdict}: {row.reason}.")
    for note in audit.notes:
        say(console, note)
    if audit.shared:
        say(
            console,
            f"{audit.shared:,} of the {audit.others:,} questions taught are of scenes or files that the benchmark has "
            "too; they are taught only where those aren't asked about.",
        )
    say(
        console,
        f"Verdict: {audit.verdict}. Baseline: chance for choices, for numbers the best constant (scorer "
        f"{result.scorer}); {audit.questions:,} questions of {audit.scenes:,} scenes, {audit.folds} folds, "
        f"seed {audit.seed}. "
        f"Written: {result.out / SHORTCUTS}" + (f" and {result.card}." if result.card else "."),
    )
