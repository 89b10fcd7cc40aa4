"""Settings of reasoning as they are written, and the score against the budget of reasoning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tolman.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from tolman.messages import Thinking
    from tolman.scoring.compare import Difference
    from tolman.workflows.opened_run import Run

MOST_BUDGET = 1_000_000
"""Most tokens of a budget of reasoning."""
ASKED_AGAIN = 2
"""How often a question whose answer was cut off in reasoning is asked again, where the user doesn't say."""


def budgets_of(texts: Sequence[str]) -> tuple[int, ...]:
    """The budgets of reasoning that a setting names: '0', '2048', '2k' (2,048), '1.5k'.

    Raises:
        UsageError: one can't be read, is out of bounds, or stands there twice.
    """
    found = [_budget(text) for text in texts]
    if len(set(found)) < len(found):
        raise UsageError(f"--reasoning-budget names a number twice: {','.join(texts)}.")
    return tuple(found)


def _budget(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(k?)", text.strip(), re.IGNORECASE)
    tokens = round(float(match[1]) * (1024 if match[2] else 1)) if match else -1
    if match is None or tokens > MOST_BUDGET or ("." in match[1] and not match[2]):
        raise UsageError(
            f"--reasoning-budget takes tokens, such as 0, 2048 or 8k (8,192), up to {MOST_BUDGET:,}, not '{text}'."
        )
    return tokens


def thinking_of(on: str | None, effort: str | None, budget: int | None) -> Thinking | None:
    """The settings of reasoning of one run; None where none is given.

    Args:
        on: 'on' or 'off'.
        effort: in the endpoint's word.
        budget: in tokens.

    Raises:
        UsageError: they contradict each other.
    """
    from tolman.messages import Thinking

    if on is None and effort is None and budget is None:
        return None
    switched_off = [text for text, off in (("--thinking off", on == "off"), ("--effort none", effort == "none")) if off]
    switched_off += ["--reasoning-budget 0"] if budget == 0 else []
    wanted = ["--thinking on"] if on == "on" else []
    wanted += [f"--effort {effort}"] if effort not in (None, "none") else []
    wanted += [f"--reasoning-budget {budget}"] if budget else []
    if switched_off and wanted:
        raise UsageError(f"{switched_off[0]} and {wanted[0]} contradict each other; give one of them.")
    return Thinking(on=None if on is None else on == "on", effort=effort, budget=budget)


@dataclass(frozen=True)
class BudgetStep:
    """One run of several that differ in the budget of reasoning.

    Attributes:
        budget: in tokens.
        value, low, high: the headline figure with its 95 % interval; None where there is none.
        reasoning_tokens: of the answers, on average.
        cut_off: answers that were cut off before their first word.
        difference: the headline figure minus that of the first run, on items that both answered; None for the
            first, and where there is none.
    """

    budget: int
    value: float | None
    low: float | None
    high: float | None
    reasoning_tokens: float
    cut_off: int
    difference: Difference | None


@dataclass(frozen=True)
class BudgetCurve:
    """The score against the budget of reasoning.

    Attributes:
        scorer: by which the runs are scored.
        column: title of the headline figure.
        digits: that the paper prints of it.
        frames: of a video, in words.
        steps: in the order of the budgets as they were given.
        failures_are_wrong: whether answers that were cut off count as wrong.
    """

    scorer: str
    column: str
    digits: int
    frames: str
    steps: tuple[BudgetStep, ...]
    failures_are_wrong: bool

    def to_list(self) -> list[dict[str, Any]]:
        """For JSON."""
        return [asdict(step) for step in self.steps]


def budget_curves(runs: Sequence[Run]) -> list[BudgetCurve]:
    """Put the headline figures of runs that differ in their budget of reasoning beside each other: a curve for each
    number of frames.

    Raises:
        UsageError: the runs are of different benchmarks or data.
        InputError: one was never scored.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.record.settings.frames.describe(), []).append(run)
    return [_curve(group) for group in groups.values()]


def _curve(runs: Sequence[Run]) -> BudgetCurve:
    from tolman.reports.alike import one_benchmark, one_rule_set, scores_under
    from tolman.reports.loaded import load_runs
    from tolman.responses import FailureKind
    from tolman.scoring.compare import differences

    loaded = load_runs([run.path for run in runs])
    scorer = one_rule_set(loaded, None)
    table = one_benchmark(loaded).table_of(scorer)
    column = table.column(table.headline)
    frames = [scores_under(run, scorer) for run in loaded]
    steps = []
    for run, frame in zip(loaded, frames, strict=True):
        settings, figures = run.record.settings, run.figures
        cell = figures["rule_sets"][scorer]["cells"].get(column.key) or {}
        interval = cell.get("interval") or {}
        answered = figures["asked"] - sum(figures["unanswered"].values())
        asked = settings.sampling.thinking
        shared = frame is not frames[0] and bool(_answered(frame) & _answered(frames[0]))
        paired = differences(frame, frames[0], table, seed=settings.seed) if shared else {}
        steps.append(
            BudgetStep(
                budget=asked.budget or 0 if asked is not None else 0,
                value=cell.get("value"),
                low=interval.get("low"),
                high=interval.get("high"),
                reasoning_tokens=figures.get("usage", {}).get("reasoning_tokens", 0) / max(1, answered),
                cut_off=sum(one["count"] for one in figures["failures"] if one["kind"] == FailureKind.CUT_OFF),
                difference=paired.get(column.key),
            )
        )
    wrong = all(run.record.failures_are_wrong for run in loaded)
    shown = loaded[0].record.settings.frames.describe()
    return BudgetCurve(scorer, column.title, column.digits, shown, tuple(steps), wrong)


def _answered(scores: pl.DataFrame) -> set[str]:
    """The items that have a score."""
    return set(scores.drop_nulls("score")["id"])
