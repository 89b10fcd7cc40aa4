"""The page that explains why a model loses points: waterfalls, psychometric curves, ablations, and revealing items.

Texts of questions and responses are text for the template, which escapes them. Floor plans are drawn by the explorer's
own scripts, from JSON that is not run.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

import numpy as np

from tolman.analyze.grounding import ALL as ALL_FRAMES, Loss, RunGrounding
from tolman.analyze.lost_points import (
    FAILED,
    NO_ANSWER,
    NOT_SHOWN,
    PERCEPTION,
    PIECES,
    REASONING,
    UNSPLIT,
    Losses,
    RunLosses,
)
from tolman.analyze.observer_answers import MISS, POSITION, SIZE
from tolman.analyze.observer_fit import Curve, ObserverFit, RunObserver
from tolman.errors import counted
from tolman.reports.charts.bar_forms import BARS_FORM
from tolman.reports.charts.chart import Chart, frame, plain, render
from tolman.reports.charts.point_forms import LINES_FORM
from tolman.reports.report_pages import embedded
from tolman.reports.svg_figures import Step, waterfall_svg, why_not_drawn
from tolman.reports.text import environment

MEANINGS: Mapping[str, str] = {
    NOT_SHOWN: "The frames don't show enough for an exact answer, or the stored answer is rounded. A viewer without "
    "any error would lose these points too.",
    PERCEPTION: "The model sees imprecisely: positions or lengths are off, objects are overlooked. A viewer that sees "
    "as imprecisely, but reasons without error, loses these points too.",
    FAILED: "The model gave no response, for example after an error or a timeout. It counts as wrong here.",
    NO_ANSWER: "There is a response, but no answer can be read in it, or it says that it can't tell.",
    REASONING: "Wrong answers that such imprecision doesn't explain. They are errors of reasoning, or gross errors of "
    "perception, such as an object taken for another.",
    UNSPLIT: "The answers don't show which of these causes it was. The reason is given for each question type.",
}
LOSS_MEANINGS: Mapping[Loss, str] = {
    "prior knowledge": "The answer is the same with and without the evidence.",
    "didn't look": "The answer is the same in every condition.",
    "misjudged": "The answer changes with the frames, and is wrong in some condition.",
    "unread": "No answer can be read in some condition.",
}
"""Losses of a grounded run, the most revealing first."""
SENTENCES: Mapping[str, str] = {
    NOT_SHOWN: "not in the frames",
    PERCEPTION: "perception",
    FAILED: "missing responses",
    NO_ANSWER: "responses without an answer",
    REASONING: "reasoning or gross errors",
    UNSPLIT: "of unknown cause",
}
HEADINGS: Mapping[str, str] = {
    NOT_SHOWN: "not shown",
    PERCEPTION: "perception",
    FAILED: "failed",
    NO_ANSWER: "no answer",
    REASONING: "reasoning",
    UNSPLIT: "unknown",
}
"""Of the table in the terminal."""
LABELS: Mapping[str, str] = {REASONING: "reasoning or gross errors", UNSPLIT: "cause unknown"}
"""Of bars and their meanings, where they aren't the piece's own name."""
UNCERTAIN = 0.5
"""The width of an interval of the explained share from which the split is called very uncertain."""
_UNITS = {
    POSITION: ("position error, m", 1.0),
    SIZE: ("length error, %", 100.0),
    MISS: ("objects overlooked, %", 100.0),
}
_SEEN = {
    POSITION: ("position error", 1.0, 2, "m"),
    SIZE: ("length error", 100.0, 0, "%"),
    MISS: ("of objects overlooked", 100.0, 0, "%"),
}
_LETTERS = max(len(LABELS.get(name, name)) for name in PIECES)
_WIDTH = 460.0
"""Pixels of a waterfall: letters stay readable on a phone."""
_SCRIPTS = ("view.js", "marks.js", "plan.js")


@dataclass(frozen=True)
class ShownItem:
    """One item of the page.

    Attributes:
        entry: of the item, as `page_items.entry_of` gives it.
        task: its question type.
        why: why it is shown, a sentence.
        answers: condition → response; '' for the only one.
        reasoning: the model's, where the endpoint gave it apart; else ''.
        score: of the first answer, 0 to 1.
        pictures: data URIs of frames; none where they aren't there.
        plan, marks: the floor plan and the evidence on it; None and none where the scene isn't there.
        undrawn: why the evidence isn't on the plan; else ''.
    """

    entry: Mapping[str, Any]
    task: str
    why: str
    answers: Mapping[str, str]
    reasoning: str
    score: float
    pictures: Sequence[str]
    plan: Mapping[str, Any] | None
    marks: Sequence[Mapping[str, Any]] = ()
    undrawn: str = ""

    @property
    def right(self) -> str:
        """The right answer: the whole option, or the number with its unit."""
        answer, unit = self.entry["answer"], self.entry["unit"]
        option = next((text for text in self.entry["options"] if text.startswith(f"{answer}. ")), None)
        return option or f"{answer} {'' if unit == 'count' else unit}".strip()


@dataclass(frozen=True)
class BlindScores:
    """Scores with and without pictures, over items that both runs answered.

    Attributes:
        tasks: question type → scores with and without, 0 to 100.
        together: the means over all.
        items: how many.
    """

    tasks: Mapping[str, tuple[float, float]]
    together: tuple[float, float]
    items: int


@dataclass(frozen=True)
class Explanation:
    """The content of the page.

    Attributes:
        benchmark, model: titles.
        scorer: its name.
        headline: title and score of the run's headline as they are printed, and its interval in words.
        losses: of the run.
        observer: fitted to it.
        titles: question type → its title.
        number_errors: question type → on which side of the truth its numbers are.
        examples: the most revealing items.
        rule: how they were chosen, a sentence.
        grounding, blind: of further runs; None without one.
        commands: part → the command that would fill it, of those that are lacking.
        remarks: on what the figures rest.
    """

    benchmark: str
    model: str
    scorer: str
    headline: tuple[str, str, str]
    losses: RunLosses
    observer: RunObserver
    titles: Mapping[str, str]
    number_errors: Mapping[str, str] = field(default_factory=dict)
    examples: Sequence[ShownItem] = ()
    rule: str = ""
    grounding: RunGrounding | None = None
    blind: BlindScores | None = None
    commands: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()

    @property
    def sentence(self) -> str:
        """Where the points go."""
        return said(self.losses.together)

    def title(self, task: str) -> str:
        """The title of a question type."""
        return self.titles.get(task, task).replace("_", " ")

    def note(self, task: str) -> str:
        """Facts about a question type: answers, errors of its numbers, fitted perception, why a part isn't split."""
        losses, fitted = self.losses.tasks[task], self.observer.fits.tasks.get(task)
        said = [counted(losses.answers, "answer")]
        if task in self.number_errors:
            said.append(self.number_errors[task])
        if fitted is not None and fitted.explained is not None and PERCEPTION in losses.pieces:
            split = fitted.explained
            said.append(f"fitted perception: {_perception(fitted)}")
            if split.share is not None:
                low, high = 100 * split.low, 100 * split.high
                shares = "about 100 %" if low >= 99 else f"{low:.0f} to {high:.0f} %"
                doubt = ", so the split is very uncertain" if split.high - split.low > UNCERTAIN else ""
                said.append(f"it explains {shares} of the loss (95 % interval){doubt}")
        if UNSPLIT in losses.pieces and losses.reason:
            said.append(f"the cause is unknown: {losses.reason}")
            if (curve := self.observer.fits.curves.get(task)) is not None:
                said.append(_same_score(curve, losses.score))
        return ". ".join(f"{one[0].upper()}{one[1:]}" for one in said) + "."

    def rows(self) -> list[tuple[str, Losses]]:
        """Question types in the table's order, then all together."""
        return [
            *((task, self.losses.tasks[task]) for task in self.ordered(self.losses.tasks)),
            ("all", self.losses.together),
        ]

    def ordered(self, tasks: Iterable[str]) -> list[str]:
        """Question types in the table's order."""
        order = list(self.titles)
        return sorted(tasks, key=lambda task: (order.index(task) if task in order else len(order), task))

    def table(self) -> list[tuple[str, ...]]:
        """The headings, and a row for each of `rows`, with what is lost to each cause."""
        known = [name for name in PIECES if any(name in losses.pieces for _, losses in self.rows())]
        found: list[tuple[str, ...]] = [("", "answers", *(HEADINGS[name] for name in known), "score")]
        for task, losses in self.rows():
            pieces = (f"{losses.pieces[name]:z.1f}" if name in losses.pieces else "–" for name in known)
            found.append((plain(self.title(task), 28), f"{losses.answers:,}", *pieces, f"{losses.score:.1f}"))
        return found


def said(losses: Losses) -> str:
    """A sentence on where points go."""
    lost = 100 - losses.score
    parts = [f"{points:.1f} are {SENTENCES[name]}" for name, points in losses.pieces.items() if points >= 0.05]
    gains = [f"{-points:.1f} ({SENTENCES[name]})" for name, points in losses.pieces.items() if points <= -0.05]
    if not parts:
        return f"Next to nothing is lost: {lost:.1f} points."
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    more = f" The model regains {' and '.join(gains)}." if gains else ""
    return f"Of {lost:.1f} lost points, {listed}.{more}"


def lost(points: float) -> str:
    """Lost points as the legend gives them."""
    return f"−{-points:.1f}, a gain" if points <= -0.05 else f"{points:z.1f}"


def _perception(fitted: ObserverFit) -> str:
    """The fitted noise in words, with its interval, and the miss rate."""
    parts = []
    for axis, (what, factor, digits, unit) in _SEEN.items():
        own = fitted.parameters.get(axis)
        if own is None or own.value is None:
            continue
        most = f"{factor * own.high:.{digits}f} {unit}" if math.isfinite(own.high) else "any"
        parts.append(f"{factor * own.value:.{digits}f} {unit} {what} ({factor * own.low:.{digits}f} … {most})")
    if fitted.held_miss:
        parts.append(f"{100 * fitted.held_miss:.0f} % of objects overlooked, as in all types together")
    return ", ".join(parts)


def _same_score(curve: Curve, score: float) -> str:
    """The error of perception at which an observer without other errors has a score, by linear interpolation."""
    if min(curve.scores) > score:
        return "every simulated observer scores higher"
    if max(curve.scores) < score:
        return "every simulated observer scores lower"
    what, factor, digits, unit = _SEEN[curve.axis]
    level = float(np.interp(-score, [-one for one in curve.scores], curve.levels))
    return f"for comparison, an observer with {factor * level:.{digits}f} {unit} {what} has the same score"


def waterfall(losses: Losses) -> str:
    """The way from 100 to a score, as one SVG element."""
    steps = [Step(LABELS.get(name, name), -points, name != UNSPLIT) for name, points in losses.pieces.items()]
    return waterfall_svg(("every answer right", 100.0), steps, ("score", losses.score), 1, _WIDTH, _LETTERS)


def page(content: Explanation) -> str:
    """The whole page."""
    missing = why_not_drawn()
    tasks = () if missing else [task for task, _ in content.rows() if task in content.observer.fits.curves]
    static = files("tolman.reports.site") / "static"
    return (
        environment()
        .get_template("explained.html.j2")
        .render(
            content=content,
            waterfall=waterfall,
            lost=lost,
            pieces=PIECES,
            meanings=MEANINGS,
            labels=LABELS,
            reasoning=REASONING,
            loss_meanings=LOSS_MEANINGS,
            charts=[_curve(content, task) for task in tasks],
            gains=any(points <= -0.05 for _, own in content.rows() for points in own.pieces.values()),
            overlooks=any(content.observer.fits.curves[task].miss for task in tasks),
            missing=missing or "",
            grounded=_grounded(content, drawn=not missing),
            blind=_blind(content, drawn=not missing),
            scripts=["window.tolman = {};", *((static / name).read_text(encoding="utf-8") for name in _SCRIPTS)],
            plans=embedded([{"plan": one.plan, "marks": one.marks} for one in content.examples]),
        )
    )


def _picture(chart: Chart, form: Any, width: float) -> tuple[str, str]:
    """A chart as a data URI, and its title for those who can't see it."""
    content = base64.b64encode(render(chart, form, width=width)).decode()
    return f"data:image/svg+xml;base64,{content}", chart.title


def _curve(content: Explanation, task: str) -> tuple[str, str]:
    curve: Curve = content.observer.fits.curves[task]
    fitted = content.observer.fits.tasks[task]
    x, factor = _UNITS[curve.axis]
    rows: list[dict[str, Any]] = [
        {"series": "ideal observer", "role": "run", "x": factor * level, "value": score}
        for level, score in zip(curve.levels, curve.scores, strict=True)
    ]
    own, split = fitted.parameters.get(curve.axis), fitted.explained
    if own is not None and own.value is not None and split is not None:
        rows.append({"series": "model", "role": "run", "x": factor * own.value, "value": split.observed})
    else:
        rows.append({"series": "model's score", "role": "human", "value": content.losses.tasks[task].score})
    rows.append({"series": "guess", "role": "chance", "value": curve.guess})
    missed = f", {100 * curve.miss:.0f} % overlooked" if curve.miss else ""
    chart = Chart(frame(rows), f"{content.title(task)}{missed}", x, "score")
    return _picture(chart, replace(LINES_FORM, entries=lambda chart, theme: ()), 3.6)


def _bars(title: str, rows: Sequence[tuple[str, str, float, Any]]) -> Chart:
    return Chart(
        frame(
            {
                "series": series,
                "role": "run",
                "label": plain(label),
                "value": value,
                "low": getattr(interval, "low", None),
                "high": getattr(interval, "high", None),
            }
            for series, label, value, interval in rows
        ),
        title,
        "",
        "%",
    )


def _grounded(content: Explanation, *, drawn: bool) -> dict[str, Any] | None:
    found = content.grounding
    if found is None:
        return None
    named = [
        *((content.title(task), found.tasks[task]) for task in content.ordered(found.tasks)),
        ("all", found.together),
    ]
    rows = []
    for label, own in named:
        right = own.conditions[ALL_FRAMES]
        rows += [("right", label, right.value, right.interval)] if right is not None else []
        rows.append(("right and grounded", label, own.grounded.value, own.grounded.interval))
    together = found.together
    steps = [Step(loss, -share.value) for loss, share in together.losses.items()]
    return {
        "picture": _picture(_bars("Right answers, and those that rest on the frames", rows), BARS_FORM, 7.2)
        if drawn
        else None,
        "losses": waterfall_svg(("all items", 100.0), steps, ("grounded", together.grounded.value), 1, _WIDTH),
        "right": together.conditions[ALL_FRAMES],
        "share": together.grounded,
        "run": found,
    }


def _blind(content: Explanation, *, drawn: bool) -> dict[str, Any] | None:
    found = content.blind
    if found is None:
        return None
    named = [
        *((content.title(task), found.tasks[task]) for task in content.ordered(found.tasks)),
        ("all", found.together),
    ]
    rows = [(name, label, pair[n], None) for label, pair in named for n, name in enumerate(("with frames", "without"))]
    picture = _picture(_bars("Scores with and without frames", rows), BARS_FORM, 7.2) if drawn else None
    return {"picture": picture, "with": found.together[0], "without": found.together[1], "items": found.items}
