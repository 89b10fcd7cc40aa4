"""Option-position bias: how often each letter is given and true, and the score where it is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolman.errors import UsageError
from tolman.workflows.events import Events
from tolman.workflows.figures import FigureKind
from tolman.workflows.figures.settings import OfTasks, RunsFigureConfig

if TYPE_CHECKING:
    from tolman.reports.charts.chart import Chart

GIVEN, SCORE = "answers that give this letter, %", "score where this letter is right"
TRUE = "questions whose answer it is"


@dataclass(frozen=True, kw_only=True)
class PositionsConfig(RunsFigureConfig):
    """Settings of `positions_chart`."""

    tasks: OfTasks = ()


def positions_chart(config: PositionsConfig, events: Events) -> Chart:
    """Make the data: for each letter (label) and run (series) how often it is given and, in a second panel, what is
    scored where it is right; how often it is right stands as the first panel's chance level.

    Raises:
        InputError: a folder holds no run, or no scores.
        UsageError: there is no such question type, or no question has options.
    """
    from tolman.analyze.answers import positions
    from tolman.reports.charts.chart import Chart, frame
    from tolman.workflows.analyses.inputs import scored_runs
    from tolman.workflows.figures.inputs import CLUSTERED, answers, ends, run_notes

    scored = scored_runs(config.runs, config.scorer)
    true: list[dict[str, object]] = []
    rows: list[dict[str, object]] = []
    notes = []
    for run in scored.runs:
        items = {item.id: item for item in run.folder.items()}
        found, unread = positions(items, answers(scored, run, config.tasks))
        for one in found:
            if not any(row["label"] == one.letter for row in true):
                true.append({"panel": GIVEN, "series": TRUE, "role": "chance", "label": one.letter, "value": one.true})
            for panel, share in ((GIVEN, one.picked), (SCORE, one.score)):
                if share is not None:
                    rows.append(
                        {
                            "panel": panel, "series": run.name, "role": "run", "label": one.letter,
                            "value": share.value, **ends(share.interval), "n": share.n,
                        }
                    )  # fmt: skip
        if unread:
            notes.append(f"{run.name}: {unread:,} answers to questions with options name none and are not in the left.")
    if not rows:
        raise UsageError("no readable answer of these runs is an option; nothing can be drawn.")
    return Chart(
        frame([*sorted(true, key=lambda row: str(row["label"])), *rows]),
        f"{scored.benchmark.title}: answers by the position of the option, scorer {scored.scorer}",
        x="per cent",
        notes=(CLUSTERED, *notes, *run_notes(scored)),
        settings={"behind": {"chance": TRUE}},
    )


FIGURE = FigureKind(
    name="positions",
    title="Option-position bias: how often each letter is given and is right, and the score where it is right.",
    config=PositionsConfig,
    make=positions_chart,
    form="dots",
    columns=("panel", "series", "role", "label", "value", "low", "high", "n"),
    examples=("positions runs/mmsi-bench-full/*",),
)
