"""Reference rows next to runs: published rows with the reasons why they aren't comparable, and people's averages.

People's average has an interval over questions and one over people; the best of them has a row too.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tolman.benchmarks.published import NOT_STATED, PublishedRow, published_tables
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import counted
from tolman.extras import LazyModule, pl
from tolman.kinds import kind_of
from tolman.reports.loaded_runs import LoadedRun, scores_under
from tolman.reports.table_rows import TOGETHER, Figure, ReportRow
from tolman.responses import Response
from tolman.runs.run_folder import PEOPLE, RunSettings, is_blind
from tolman.scoring.aggregate import Cell, cells
from tolman.scoring.intervals import Interval

if TYPE_CHECKING:
    from tolman.analyze import humans
    from tolman.scoring import agreement_coefficients
else:  # few tables have people
    humans = LazyModule("tolman.analyze.humans")
    agreement_coefficients = LazyModule("tolman.scoring.agreement_coefficients")

Published = Literal["none", "baselines", "newest", "all", "paper"]

MOST_NEWEST = 8
"""Rows of models that 'newest' shows."""

MOST_NAMED = 3
"""A source with more rows is told with their number in place of their names."""

_ORDER = {"chance": 0, "human": 1, "model": 2}
_SCORERS = {
    "official": ("official",),
    "lmms-eval": ("lmms-eval",),
    "vlmevalkit": ("vlmevalkit", "easi"),
    "easi": ("easi", "vlmevalkit"),
}
"""Harness, in small letters → scorers that read responses as it does; EASI's default is VLMEvalKit's."""


@dataclass(frozen=True)
class Beside:
    """The settings that published rows are compared with.

    Attributes:
        subset: of the runs.
        default: the benchmark's first subset, which a row without one is of.
        protocols: the runs were asked with.
        frames: of videos that the runs show: '32', 'whole' …; empty where none is known to show any.
        scorers: that the runs were scored with.
        data: where the runs' questions came from.
    """

    subset: str
    default: str
    protocols: tuple[str, ...]
    frames: tuple[str, ...]
    scorers: tuple[str, ...]
    data: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShownRow:
    """A published row with its name in a table, and the signs of its differences: 's', 'f?' …"""

    row: PublishedRow
    name: str
    differs: tuple[str, ...]


@dataclass(frozen=True)
class ShownRows:
    """The published rows of a table.

    Attributes:
        rows: chance first, then people, then models.
        marks: a line for each sign.
        notes: where the rows of models are from, and that there are more.
    """

    rows: list[ShownRow]
    marks: list[str]
    notes: list[str]


def choose(benchmark: BenchmarkSpec, published: Published, runs: Sequence[LoadedRun]) -> ShownRows:
    """Choose the published rows to show next to runs, and describe their differences.

    'newest' is chance, people, and of the runs' subset the models that were printed last with figures of tasks; of each
    model the row that differs least from the runs. Rows of other subsets, or without tasks, take their place where
    there are no others. 'paper' is the rows of the benchmark's own paper.

    Args:
        benchmark: of the runs.
        published: which rows.
        runs: of one subset.
    """
    made = _beside(benchmark, runs)
    if published == "none":
        return ShownRows([], [], [])
    rows = sorted(benchmark.published_rows, key=lambda row: _ORDER[row.group])
    others = [row for row in rows if row.group != "model"]
    models = [row for row in rows if row.group == "model"]
    if published == "baselines":
        models = []
    elif published == "paper":
        others, models = ([row for row in own if is_of_paper(row)] for own in (others, models))
    chosen = _newest(models, benchmark.table.headline, made) if published == "newest" else models
    shown = [ShownRow(row, _name(row, made), differences(row, made)) for row in (*others, *chosen)]
    notes = _sources(chosen)
    if len(chosen) < len(models) and published == "newest":
        told = f"Of {len(models):,} published rows of models the {len(chosen)} newest are here"
        notes.append(f"{told}; --published all shows every one.")
    if published == "all":
        notes += [table.told() for table in published_tables("report", benchmark.scored_like or benchmark.title)]
    return ShownRows(shown, _explanations(shown, made), notes)


def is_of_paper(row: PublishedRow) -> bool:
    """Check whether a row is of the benchmark's own paper: its source is only a table or figure."""
    return re.match(r"(Table|Figure|Appendix) ", row.source) is not None


def differences(row: PublishedRow, made: Beside) -> tuple[str, ...]:
    """Return the signs of differences from the runs: s(ubset), p(rotocol), f(rames), h(arness), m(ean), r(evision of
    the data); with '?' where the source doesn't say."""
    found = {
        "s": row.subset if (row.subset or made.default) != made.subset else "",
        "p": "" if row.protocol in made.protocols else row.protocol,
        "f": "" if row.group != "model" or row.protocol == "blind" or not made.frames else _frames(row, made),
        "h": "" if _scorers_alike(row, made) else row.harness,
        "m": row.averaging,
        "r": "" if any(row.revision in place for place in made.data) else row.revision,
    }
    return tuple(f"{sign}?" if said == NOT_STATED else sign for sign, said in found.items() if said)


def _beside(benchmark: BenchmarkSpec, runs: Sequence[LoadedRun]) -> Beside:
    settings = [run.record.settings for run in runs]
    shows_video = any(p.frames.whole or p.frames.count or p.frames.per_second for p in benchmark.presets)
    return Beside(
        subset=settings[0].subset,
        default=next(iter(benchmark.subsets)),
        protocols=tuple(dict.fromkeys(one.protocol for one in settings)),
        frames=tuple(dict.fromkeys(filter(None, map(_shown_frames, settings)))) if shows_video else (),
        scorers=tuple(dict.fromkeys(name for run in runs for name in run.figures["rule_sets"])),
        data=tuple(run.record.data for run in runs),
    )


def _shown_frames(settings: RunSettings) -> str:
    """The frames of a run; empty where it shows none or they are other programs'."""
    blind = is_blind(settings.model) or "blind" in settings.protocol.split("+")
    if blind or "imported" in settings.model_settings:
        return ""
    if settings.frames.whole:
        return "whole"
    if settings.frames.per_second is not None:
        return f"{settings.frames.per_second:g} per second"
    return "" if settings.frames.count is None else str(settings.frames.count)


def _frames(row: PublishedRow, made: Beside) -> str:
    return "" if row.frames in made.frames else row.frames or NOT_STATED


def _scorers_alike(row: PublishedRow, made: Beside) -> list[str]:
    """The scorers of the runs that read responses as a row's harness does."""
    return [name for name in _SCORERS.get(row.harness.lower(), ()) if name in made.scorers]


def _newest(rows: Sequence[PublishedRow], headline: str, made: Beside) -> list[PublishedRow]:
    own = [row for row in rows if (row.subset or made.default) == made.subset] or rows
    own = [row for row in own if any(value is not None for key, value in row.values.items() if key != headline)] or own
    of_model: dict[str, list[PublishedRow]] = {}
    for row in own:
        of_model.setdefault(re.sub(r"[\W_]", "", row.name.lower()), []).append(row)
    ranked = []
    for model in of_model.values():
        best = min(model, key=lambda row: _distance(row, made))
        # A partial date counts as its first day, which is the least that it says.
        value = best.values.get(headline)
        known = [one for one in best.values.values() if one is not None]
        ranked.append((min(row.date for row in model), max(known, default=0.0) if value is None else value, best))
    ranked.sort(key=lambda one: one[2].name)
    ranked.sort(key=lambda one: one[:2], reverse=True)
    return [row for _, _, row in ranked[:MOST_NEWEST]]


def _distance(row: PublishedRow, made: Beside) -> tuple[int, int, int]:
    """Return the distance from comparable: the numbers of differences, of unknown ones among them, and of missing
    figures."""
    signs = differences(row, made)
    missing = sum(value is None for value in row.values.values())
    return len(signs), sum(sign.endswith("?") for sign in signs), missing


def _name(row: PublishedRow, made: Beside) -> str:
    said = [row.setting] if row.setting else []
    if row.subset and row.subset not in (made.subset, NOT_STATED) and row.subset not in row.setting:
        said.append(row.subset)
    if row.frames and row.frames not in made.frames:
        said.append(_frames_said(row.frames))
    if row.harness not in ("", NOT_STATED) and (row.harness != "official" or not _scorers_alike(row, made)):
        said.append(row.harness)
    return f"{row.name} ({', '.join(said)})" if said else row.name


def _frames_said(frames: str) -> str:
    if frames == "whole":
        return "whole video"
    return f"{frames} frames" if frames.isdigit() else frames


def _explanations(shown: Sequence[ShownRow], made: Beside) -> list[str]:
    """A line for each sign that a row bears."""

    def those(sign: str) -> list[PublishedRow]:
        return [one.row for one in shown if sign in one.differs]

    def listed(values: Sequence[str]) -> str:
        return ", ".join(dict.fromkeys(value for value in values if value))

    frames = sorted({row.frames for row in those("f")}, key=lambda text: (not text.isdigit(), text.rjust(6)))
    harnesses = listed(
        ["the authors' code (scorer official)" if row.harness == "official" else row.harness for row in those("h")]
    )
    protocols = listed([row.protocol for row in those("p")])
    subsets = listed([row.subset or made.default for row in those("s")])
    revisions = listed([row.revision for row in those("r")])
    lines: Mapping[str, str] = {
        "s": f"other questions: of {subsets}; the runs are of {made.subset}",
        "s?": f"the source doesn't say which questions; the runs are of {made.subset}",
        "p": f"asked with another protocol: {protocols}; the runs with {', '.join(made.protocols)}",
        "f": f"other frames: {', '.join(frames)}; the runs show {', '.join(made.frames)}",
        "f?": f"the source doesn't say how many frames; the runs show {', '.join(made.frames)}",
        "h": f"another prompt and parser: {harnesses}; the runs have the scorers {', '.join(made.scorers)}",
        "h?": "the source doesn't say whose prompt and parser",
        "m": "averaged over questions; the table averages over tasks",
        "m?": "not known whether averaged over questions or over tasks",
        "r": f"on the questions as they were {revisions}; they were corrected since",
        "r?": "the source doesn't say whether the questions were the corrected ones",
    }
    alike = {one.row.harness: _scorers_alike(one.row, made) for one in shown if one.row.harness != "official"}
    compared = [
        f"({harness}): to be compared with the runs' rows of the scorer {scorers[0]}; the prompt may differ."
        for harness, scorers in alike.items()
        if scorers
    ]
    return [*(f"[{sign}] {text}." for sign, text in lines.items() if those(sign)), *compared]


def _sources(rows: Sequence[PublishedRow]) -> list[str]:
    """Return the sources of rows: a line for each source, the newest first."""
    of_source: dict[tuple[str, str], list[PublishedRow]] = {}
    for row in rows:
        of_source.setdefault((row.date, row.source), []).append(row)
    lines = []
    for (date, source), own in sorted(of_source.items(), key=lambda one: one[0][0], reverse=True):
        names = list(dict.fromkeys(row.name for row in own))
        told = ", ".join(names) if len(names) <= MOST_NAMED else f"{len(own):,} rows"
        harness = ", ".join(dict.fromkeys(row.harness for row in own if row.harness not in ("", NOT_STATED)))
        how = ", ".join(text for text in (date, f"harness {harness}" if harness else "") if text)
        place = f"the paper's {source}" if source.startswith(("Table ", "Figure ")) else source
        lines.append(f"Published: {told}: {place}{f' ({how})' if how else ''}.")
    return lines


METHOD = "over people by Student's t and over scenes, added in squares"


def people_rows(runs: Sequence[LoadedRun], benchmark: BenchmarkSpec) -> tuple[list[ReportRow], list[str]]:
    """Return the average of several people, the best of them, and how far they agree.

    Every person counts once, however many questions they answered. Both shares of the uncertainty are in the interval:
    other people, and other questions. The part common to both is counted twice, so it is a little too wide.

    Returns:
        Two rows and sentences; none where fewer than two of the runs are people's.
    """
    people = people_of(runs)
    if len(people) < 2:
        return [], []
    rules = next(iter(next(iter(people.values())).figures["rule_sets"]))
    if any(rules not in run.figures["rule_sets"] for run in people.values()):
        return [], []
    scores = {name: scores_under(run, rules) for name, run in people.items()}
    table = benchmark.table_of(rules)
    _, average = humans.averages(scores, table)
    # Each person's answers are draws of the same question, so a scene's questions are one cluster over all people.
    pooled = cells(
        pl.concat(
            [rows.with_columns(repeat=pl.lit(n, rows.schema["repeat"])) for n, rows in enumerate(scores.values())]
        ),
        table,
    )
    figures = {key: _figure(found, pooled[key]) for key, found in average.items()}
    best = {key: Figure(found.highest, n=figures[key].n) for key, found in average.items()}
    asked = len({item.id for run in people.values() for item in run.folder.items()})
    everything = max(run.record.subset_items for run in people.values())
    part = f"{asked:,} of {everything:,}" if asked < everything else ""
    rows = [
        ReportRow(f"{TOGETHER}average of {len(people)}", rules, figures, group="run", part=part),
        ReportRow(f"{TOGETHER}best of {len(people)} (ceiling)", rules, best, group="run", part=part),
    ]
    return rows, _notes(people, scores, len(people))


def people_of(runs: Sequence[LoadedRun]) -> dict[str, LoadedRun]:
    """Those of some runs whose answers are people's, by the models' names."""
    return {run.record.settings.model: run for run in runs if run.record.settings.model.startswith(PEOPLE)}


def people_warnings(people: Sequence[LoadedRun]) -> list[str]:
    """Return sentences on several people: how many items they were asked, if not all, and how many have no answer."""
    found = []
    parts = [run for run in people if not run.record.settings.selection.is_all]
    if parts:
        counts = sorted(run.figures["items"] for run in parts)
        each = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
        together = {item.id for run in people for item in run.folder.items()}
        found.append(
            f"PART: {len(parts):,} of {len(people):,} people {'was' if len(parts) == 1 else 'were'} asked {each} of "
            f"{counted(parts[0].record.subset_items, 'item')} each; all people together {len(together):,}. A model is "
            "asked those with 'tolman run … --ids' and the folder of these runs."
        )
    lost = {run.name: run.figures["unanswered"]["missing"] for run in people if run.figures["unanswered"]["missing"]}
    if lost:
        asked = sum(run.figures["asked"] for run in people)
        each = ", ".join(f"{name} {count:,}" for name, count in lost.items())
        found.append(
            f"INCOMPLETE: people: {sum(lost.values()):,} of {counted(asked, 'question')} without an answer, not in the "
            f"figures ({each})."
        )
    return found


def _figure(average: humans.Average, pooled: Cell) -> Figure:
    interval, reason = None, pooled.reason
    if average.interval is not None and pooled.interval is not None and pooled.value is not None:
        low = math.hypot(average.value - average.interval.low, pooled.value - pooled.interval.low)
        high = math.hypot(average.interval.high - average.value, pooled.interval.high - pooled.value)
        floor = 0.0 if average.lowest >= 0 else -math.inf
        interval = Interval(max(floor, average.value - low), min(100.0, average.value + high))
    elif average.interval is None:
        reason = "one person"
    return Figure(
        average.value,
        interval=interval,
        n=pooled.n,
        effective_scenes=pooled.effective_scenes,
        method=METHOD if interval else None,
        reason=reason,
        missing=tuple(pooled.missing),
        attainable=pooled.attainable,
        small=pooled.small,
    )


def _notes(people: dict[str, LoadedRun], scores: dict[str, pl.DataFrame], count: int) -> list[str]:
    items = {item.id: item for run in people.values() for item in run.folder.items()}  # each was asked a part
    given: dict[str, list[str]] = defaultdict(list)
    for run in people.values():
        for outcome in run.folder.outcomes():
            if isinstance(outcome, Response) and outcome.id in items and kind_of(items[outcome.id]).widget == "choice":
                given[outcome.id].append(outcome.response)
    shared = {item: answers for item, answers in given.items() if len(answers) > 1}
    found = agreement_coefficients.alpha(list(shared.values()), [items[item].cluster for item in shared])
    between = f", 95 % {found.interval.low:.2f} to {found.interval.high:.2f}" if found.interval else ""
    lacking = f", no interval: {found.reason}" if found.reason and not found.interval else ""
    agreement = f"{found.value:.2f}{between}{lacking}" if found.value is not None else f"none: {found.reason}"
    notes = [
        f"The average of {count} people weighs each person once; its interval is {METHOD}.",
        "The best of the people is the highest figure of any of them in each column.",
        f"Agreement of the people, Krippendorff's alpha: {agreement} ({counted(found.n, 'question')} with options that "
        f"two or more answered).",
    ]
    return notes + _studied(people)


def _studied(people: dict[str, LoadedRun]) -> list[str]:
    """Return a sentence from a study on its people: skipped questions, and people that its rules leave out."""
    told = [run.record.settings.model_settings.get("study") for run in people.values()]
    studied = [one for one in told if isinstance(one, dict)]
    if not studied:
        return []
    skipped = sum(sum(one.get("skipped", {}).values()) for one in studied)
    asked = sum(one.get("asked", 0) for one in studied)
    left_out = max(one.get("people_excluded", 0) for one in studied)
    everybody = max(one.get("people", 0) for one in studied)
    return [
        f"People skipped {skipped:,} of {counted(asked, 'question')}, which {'is' if skipped == 1 else 'are'} missing "
        f"and not wrong; the study's rules leave out {left_out:,} of {counted(everybody, 'person', 'people')}."
    ]
