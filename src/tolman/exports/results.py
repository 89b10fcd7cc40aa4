"""Runs as results for export: their model, their gaps, and their figures under any scorer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from tolman.errors import UsageError, counted
from tolman.exports.exporters import RunSource
from tolman.responses import Response
from tolman.runs.run_folder import is_blind
from tolman.runs.run_scoring import rows_with_metrics
from tolman.scoring.aggregate import Cell, cells
from tolman.scoring.further_figures import WITHHELD

MARK = "mark"
"""The value of the setting `incomplete` with which parts are exported, and marked."""
INCOMPLETE_HELP = "'mark' exports runs that lack questions or answers too, and says so in the result. Default: refused."


def model_of(runs: Sequence[RunSource]) -> str:
    """The model that all runs are of.

    Raises:
        UsageError: they are of several, or of one name and different labels.
    """
    found = {(run.record.settings.model, run.record.settings.model_settings.get("label")) for run in runs}
    if len(found) > 1:
        named = ", ".join(sorted(f"{model} ({label})" if label else model for model, label in found))
        raise UsageError(f"the runs are of several models ({named}); export each model's by themselves.")
    return next(iter(found))[0]


def lacks_of(run: RunSource) -> list[str]:
    """Return a run's gaps in its benchmark's subset, a few words each; none if it is complete.

    They include calls that failed or never were made, unless the user counted failures as wrong.
    """
    settings, found = run.record.settings, []
    released = run.benchmark.sizes.get(settings.subset, run.record.subset_items)
    if not settings.selection.is_all:
        found.append(f"only the questions of {settings.selection.describe()}")
    elif run.record.subset_items < released:
        found.append(f"{run.record.subset_items:,} of the {counted(released, 'released question')}")
    lost = lost_of(run)
    if lost and not run.record.failures_are_wrong:
        found.append(f"{lost:,} of {counted(len(run.items) * settings.repeats, 'answer')} missing")
    return found


def lost_of(run: RunSource) -> int:
    """How many askings brought no response."""
    answered = {(one.id, one.repeat) for one in run.outcomes if isinstance(one, Response)}
    return len(run.items) * run.record.settings.repeats - len(answered)


def check_whole(runs: Sequence[RunSource], incomplete: str | None) -> None:
    """Refuse runs that lack something, unless they are to be marked.

    Raises:
        UsageError: a process is at work in a folder, a run lacks something, or the setting has another value.
    """
    if incomplete not in (None, MARK):
        raise UsageError(f"--set incomplete takes '{MARK}', not '{incomplete}'.")
    for run in runs:
        if run.folder.is_at_work:
            raise UsageError(f"{run.folder.path} is still being written by another process; export it when it is done.")
        lacks = lacks_of(run)
        if lacks and incomplete is None:
            raise UsageError(
                f"{run.folder.path} is INCOMPLETE ({'; '.join(lacks)}); carry it out whole, leave it out, or export it "
                f"marked with --set incomplete={MARK}."
            )


def rows_of(runs: Sequence[RunSource], scorer: str) -> pl.DataFrame:
    """The rows of runs of one benchmark under one scorer, pooled.

    Raises:
        UsageError: the benchmark has no such scorer, or a question is in two runs.
    """
    frames = [rows_with_metrics(run.folder, run.benchmark, scorer, ()) for run in runs]
    seen: dict[str, RunSource] = {}
    for run in runs:
        for item in run.items:
            if item.id in seen:
                raise UsageError(
                    f"{seen[item.id].folder.path} and {run.folder.path} both hold question {item.id}; name one of them."
                )
            seen[item.id] = run
    return pl.concat(frames)


def figures_of(runs: Sequence[RunSource], scorer: str) -> dict[str, Cell]:
    """The figures of the benchmark's table over the pooled rows of runs: key of the figure → Cell."""
    found = cells(rows_of(runs, scorer), runs[0].benchmark.table_of(scorer))
    stored = [run.figures["rule_sets"].get(scorer, {}).get("cells", {}) for run in runs]
    lacking = {key for own in stored for key, cell in own.items() if cell.get("reason") == WITHHELD}
    return {key: replace(cell, value=None, interval=None) if key in lacking else cell for key, cell in found.items()}


def setup_of(run: RunSource) -> str:
    """How a run was carried out, in the words of the command line."""
    settings = run.record.settings
    imported = settings.model_settings.get("imported")
    # What another program asked and showed isn't known.
    said = [f"preset {settings.preset}" if imported is None else f"answers imported from {imported}"]
    if settings.protocol != "direct":
        said.append(f"protocol {settings.protocol}")
    sees = imported is None and not is_blind(settings.model) and "blind" not in settings.protocol.split("+")
    if sees and any(medium.kind == "video" for item in run.items for medium in item.media):
        said.append(settings.frames.describe())
    if run.record.failures_are_wrong and lost_of(run):
        said.append(f"{counted(lost_of(run), 'failed call')} counted as wrong")
    if served := run.figures.get("served"):
        said.append(f"MIXED: answers by {' and '.join(served)}")
    return ", ".join([*said, *(f"INCOMPLETE: {lack}" for lack in lacks_of(run))])
