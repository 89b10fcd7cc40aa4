"""Results of generation, simulation and audits in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from math import ceil
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from tolman.analyze.outside.learner_trials import MIN_TAUGHT, MIN_TAUGHT_SCENES
from tolman.analyze.outside.shortcut_audit import ALL_LEARNERS
from tolman.errors import counted
from tolman.features.generate.audit import (
    DOUBTFUL,
    FINDINGS,
    OVERLAP,
    SHORTCUTS,
    STRICT,
    AuditResult,
    OverlapAuditResult,
    ShortcutAuditResult,
)
from tolman.features.printing import list_first, plain_table, say, typed, write_json
from tolman.features.report.render import print_wide
from tolman.generate.publish import TAUGHT_ON, percent
from tolman.generate.selection import TOO_FEW
from tolman.generate.shortcut_filtering import MIN_QUESTIONS, MIN_SCENES
from tolman.ground_truth.released_audit import most_frequent_note

if TYPE_CHECKING:
    from tolman.features.generate.compute import GenerateResult
    from tolman.features.generate.parallel_forms import FormResult
    from tolman.features.scenes.simulation import SimulateResult


MAX_REASONS = 4
"""Lines of reasons for each question type."""
_LISTED = 20
"""Scenes that are listed."""

AUDIT_WIDTH = 124
"""Characters in which no heading of an audit's table is cut."""


def show_generated(console: Console, result: GenerateResult, *, licence: str) -> None:
    """A row for each question type, where the benchmark is, and a hint where no licence is named."""
    show_reasons(console, result.statistics)
    tasks = result.statistics["tasks"]
    lacking = [task for task, n in tasks.items() if "filtered" in n and not n["filtered"]["learned"]]
    if lacking:
        which = "all question types" if len(lacking) == len(tasks) else ", ".join(lacking)
        say(
            console,
            f"Not filtered for shortcuts, so words alone may answer them: {which}. A type needs "
            f"{MIN_QUESTIONS} questions from {MIN_SCENES} scenes.",
            "yellow",
        )
    small = [f"{task} ({n['left_out'][TOO_FEW]:,})" for task, n in tasks.items() if TOO_FEW in n["left_out"]]
    none = [task for task, n in tasks.items() if not n["taken"] and TOO_FEW not in n["left_out"]]
    if small:
        say(console, f"Question types left out because they have too few questions: {', '.join(small)}.", "yellow")
    if small and none:
        say(console, f"Question types without any: {', '.join(none)}.", "yellow")
    say(
        console,
        f"{counted(result.questions, 'question')} from {counted(result.scenes, 'scene')}: {result.out}. "
        f"Evaluate with 'tolman run {typed(result.out)}'.",
    )
    if not licence:
        say(console, "No licence is named: give --licence before you publish the questions.", "yellow")


def show_reasons(console: Console, statistics: Mapping[str, Any], *, every: bool = False) -> None:
    """Print a row for each question type: how many drafts were considered, how many are asked, why the others aren't.

    Args:
        console: where to.
        statistics: of a generation.
        every: whether all reasons are listed; else the most frequent ones.
    """
    words = ("question type", "why not asked")
    grid = plain_table(("question type", "considered", "questions", "not asked", "why not asked"), left=words)
    for task, counts in statistics["tasks"].items():
        reasons = Counter(counts["left_out"]) + Counter(counts["rejected"])
        considered = counts["offered"] + sum(counts["rejected"].values())
        first, *others = [
            escape(f"{count:,} × {reason}") for reason, count in _first_reasons(reasons, every=every)
        ] or [""]
        grid.add_row(task, f"{considered:,}", f"{counts['taken']:,}", f"{reasons.total():,}", first)
        for line in others:
            grid.add_row("", "", "", "", line)
    print_wide(console, grid)
    say(
        console,
        "considered = questions + not asked; a scene of which a question type finds nothing to draft counts once.",
    )


def _first_reasons(reasons: Counter[str], *, every: bool) -> list[tuple[str, int]]:
    """The most frequent reasons, and all others as one."""
    listed = sorted(reasons.items(), key=lambda entry: (-entry[1], entry[0]))
    if every or len(listed) <= MAX_REASONS:
        return listed
    rest = listed[MAX_REASONS - 1 :]
    return [*listed[: MAX_REASONS - 1], (f"{len(rest)} other reasons, in provenance.json", sum(n for _, n in rest))]


def show_audit(console: Console, result: AuditResult, *, as_json: bool) -> None:
    """A row for each question type, a line for each rule that is broken, and where the findings are."""
    if as_json:
        write_json(console, result.rows)
        return
    first = "question type"
    numbers = ("items", "checked", "agree", "exact differs")
    grid = plain_table((first, *numbers, "mean error", "largest", "in doubt", "broken, safe"), left=(first,))
    grid.columns[0].min_width = 28
    for row in result.rows:
        errors = ["–" if row[key] is None else f"{row[key]:+z.3f}" for key in ("mean_error", "largest_error")]
        counts = [f"{row[key]:,}" for key in ("items", "checked", "agree", "exact_differs")]
        grid.add_row(row["task"], *counts, *errors, f"{row['in_doubt']:,}", f"{row['broken_but_safe']:,}")
    console.print(grid, width=max(console.width, AUDIT_WIDTH), crop=False)
    for row in result.rows:
        for rule, count in (row["doubts"] | row["rules"]).items():
            doubted = row["doubts"].get(rule, 0)
            said = "answer in doubt" if doubted == count else f"answer in doubt in {doubted:,}" if doubted else "safe"
            say(console, f"{row['task']}: {count:,} × {rule} ({said})")
    if unchecked := sum(row["items"] - row["checked"] for row in result.rows):
        say(console, f"Not checked: {unchecked:,}, mostly because {most_frequent_note(result.findings)}.")
    say(
        console,
        f"Findings: {result.out / FINDINGS}. {counted(len(result.doubtful), 'answer is', 'answers are')} in doubt "
        f"({counted(len(result.differing), 'differs', 'differ')} from the scene's): "
        f"tolman run {result.benchmark} --exclude {result.out / DOUBTFUL}",
    )
    say(
        console,
        f"{counted(len(result.safe), 'more breaks', 'more break')} a rule, with a safe answer: {result.out / STRICT} "
        "names both.",
    )


def show_overlap_audit(console: Console, result: OverlapAuditResult, *, as_json: bool) -> None:
    """A line for each other set, the first of the overlap, and its file."""
    if as_json:
        write_json(console, result.record())
        return
    for name, found in result.shared.items():
        if found.unread:
            say(console, f"{counted(found.unread, 'file')} compared by name only, as it can't be read.", "yellow")
        if found.is_empty:
            say(console, f"No scene, question or frame of {result.benchmark} is in {name}.", "green")
            continue
        say(console, f"{result.benchmark} and {name} share {found.counts}.", "red")
        list_first(console, [f"scene {scene}" for scene in found.scenes], MAX_REASONS, "dim")
        list_first(console, [f"question {own}: {other}" for own, other in found.questions], MAX_REASONS, "dim")
        files = [f"{own}: a frame of {other}, {bits} of 64 bits differ" for own, other, bits in found.frames]
        list_first(console, files, MAX_REASONS, "dim")
    say(console, f"Written: {result.out / OVERLAP}.")


def _speed(result: SimulateResult) -> str:
    """How fast frames were drawn, as a sentence; nothing where none were."""
    frames, seconds = result.frames_drawn, result.seconds
    if not frames or not seconds:
        return ""
    return f"{counted(frames, 'frame')} in {seconds:.0f} s, {frames / seconds:.1f} a second. "


def show_simulated(console: Console, result: SimulateResult) -> None:
    """Print a row for each scene, the requests that didn't fit, and the place of the scenes."""
    listed = result.scenes[:_LISTED]
    grid = plain_table(
        headings := ("scene", "floor m²", "objects", "categories", "seen", "frames"), left=("scene",), whole=headings
    )
    for one in listed:
        area = "–" if one.room_area is None else f"{one.room_area:.1f}"
        grid.add_row(one.id, area, f"{one.objects}", f"{one.categories}", f"{one.coverage:.0%}", f"{one.frames:,}")
    console.print(grid)
    if len(result.scenes) > _LISTED:
        say(console, f"… and {len(result.scenes) - _LISTED:,} more")
    scenes_of: dict[str, list[str]] = {}
    for one in result.scenes:
        for note in dict.fromkeys(one.notes):
            scenes_of.setdefault(note, []).append(one.id)
    notes = [f"{own[0] if len(own) == 1 else f'{len(own):,} scenes'}: {note}" for note, own in scenes_of.items()]
    list_first(console, notes, len(notes), "dim")
    say(
        console,
        f"{counted(len(result.scenes), 'scene')} with{'' if result.media else 'out'} videos: {result.out}. "
        f"{_speed(result)}"
        f"Make questions with 'tolman generate {typed(result.out)} --out BENCH'.",
    )


def show_form(console: Console, result: FormResult, *, as_json: bool) -> None:
    """A row for each question type: how alike form and benchmark are; and the next steps."""
    if as_json:
        about = {"out": str(result.out), "scenes": str(result.scenes), "commitment": str(result.commitment)}
        write_json(console, about | {"same_scenes": result.same_scenes, "rows": [asdict(row) for row in result.rows]})
        return
    texts = ("question type", "measure")
    numbers = ("questions", "median", "form", "distance", "frames", "form", "distance")
    grid = plain_table((*texts, *numbers), left=texts)
    for row in result.rows:
        count = f"{row.questions:,}" if row.questions == row.wanted else f"{row.questions:,} of {row.wanted:,}"
        cells = (*_medians(row.difficulty, ".2f"), _distance(row.difficulty_distance))
        frames = (*_medians(row.frames, ".0f"), _distance(row.frames_distance))
        grid.add_row(row.task, row.measure or "–", count, *cells, *frames)
    print_wide(console, grid)
    say(
        console,
        "median, frames: of the measure of difficulty and of the fewest frames needed, in the benchmark, then in the "
        "form. distance: the greatest difference of the two distributions, 0–1 (Kolmogorov–Smirnov).",
    )
    if result.same_scenes:
        say(
            console,
            "It asks about the benchmark's own scenes, so it can't show whether a model memorised scenes: give others "
            "with --scenes.",
            "yellow",
        )
    say(
        console,
        f"{counted(result.questions, 'question')}: {result.out}. Publish {result.commitment} now, and the folder, "
        "with the seed in form.json, only when you reveal the form.",
    )


def _medians(found: tuple[float, float] | None, form: str) -> tuple[str, str]:
    return ("–", "–") if found is None else (f"{found[0]:{form}}", f"{found[1]:{form}}")


def _distance(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


COLOURS = {"pass": "green", "FAIL": "red", "too few": "yellow"}


def show_shortcut_audit(console: Console, result: ShortcutAuditResult, *, as_json: bool) -> None:
    """A row for each question type, learner and way of teaching; why rows don't pass; where it is written."""

    if as_json:
        write_json(console, result.record())
        return
    audit = result.audit
    texts = ("question type", "learner", "taught on")
    numbers = ("taught", "n", "score", "baseline", "per category", "difference", "95 % interval", "p (Holm)")
    grid = plain_table((*texts, *numbers, "verdict"), left=(*texts, "verdict"))
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
    untaught = [row for row in audit.rows if row.learner == ALL_LEARNERS and row.items]
    if untaught:
        tasks = dict.fromkeys(row.task for row in untaught)
        questions, scenes = (ceil(n * audit.folds / (audit.folds - 1)) for n in (MIN_TAUGHT, MIN_TAUGHT_SCENES))
        say(
            console,
            f"Not tested, as too few questions can't train a learner: {', '.join(tasks)}. With {audit.folds} folds a "
            f"type needs about {questions} questions from {scenes} scenes. Add scenes, or run a text-only model with "
            "--protocol blind.",
            "yellow",
        )
    for row in audit.rows:
        if row.reason and row not in untaught:
            say(console, f"{row.task}, {row.learner}, {TAUGHT_ON[row.taught_on]}: {row.verdict}: {row.reason}.")
    for note in audit.notes:
        say(console, note)
    if audit.shared:
        say(
            console,
            f"{audit.shared:,} of the {counted(audit.others, 'question')} taught "
            f"{'is' if audit.shared == 1 else 'are'} of scenes or files that the benchmark has too, taught only where "
            "those aren't asked about.",
        )
    say(
        console,
        f"Verdict: {audit.verdict}. Baseline: chance for choices, for numbers the best constant (scorer "
        f"{result.scorer}); {counted(audit.questions, 'question')} of {counted(audit.scenes, 'scene')}, {audit.folds} "
        f"folds, seed {audit.seed}. "
        f"Written: {result.out / SHORTCUTS}" + (f" and {result.card}." if result.card else "."),
    )
