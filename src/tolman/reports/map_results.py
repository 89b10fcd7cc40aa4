"""Cognitive maps as `tolman analyze maps` shows them: distances by length, unusable maps, and a page of figures.

The page shows the accuracy by distance, and drawn maps next to the true ones. Also the output of `tolman analyze
consistency`, which searches for the map behind a model's answers, and of `tolman analyze probes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from tolman.analyze.answer_map import GUESSED_SETS, ConsistencyResult, MapShare, RunConsistency
from tolman.analyze.consistency import KINDS, Contradictions
from tolman.analyze.maps import Consistency, Drawn, ItemMap, Locality, MapsResult, RunMaps, bin_labels
from tolman.analyze.probes import JoinedAnswers, ProbesResult
from tolman.cognitive_maps import CognitiveMap
from tolman.errors import counted
from tolman.reports.analysis_results import Shown, format_interval, format_share, list_written, missing_intervals, table
from tolman.reports.charts.chart import CLUSTERED, Chart, ends_of, frame, rendered
from tolman.reports.charts.point_forms import DRAWN, PLANES_FORM, TRUE
from tolman.reports.text import environment
from tolman.scoring.intervals import Share


def show_maps(result: MapsResult) -> list[Shown]:
    """Make the output: accuracy by true distance, and sentences for each run."""
    first = next(iter(result.localities.values()))
    headings = ["true distance", *(f"{a:g}–{b:g}" for a, b in zip(first.edges, first.edges[1:], strict=False))]
    body = []
    for name, one in result.localities.items():
        body.append([name, *("–" if share is None else f"{share.value:.1f}" for share in one.bins)])
        if any(share and share.interval for share in one.bins):
            body.append(["  95 % interval", *(format_interval(share.interval) if share else "–" for share in one.bins)])
        body.append(["  pairs", *(f"{share.n:,}" if share else "0" for share in one.bins)])
    for table_of in result.published:
        body += [[f"{name}, published", *(f"{100 * v:.1f}" for v in row)] for name, row in table_of.rows.items()]
    title = f"% of distances at most one unit off, grid {result.grid}x{result.grid}"
    shown: list[Shown] = [table(headings, body, title=title)]
    shown += missing_intervals(share.reason for one in result.localities.values() for share in one.bins if share)
    shown += [f"published: {one.place}, on that benchmark's videos." for one in result.published]
    for name, own in result.maps.items():
        shown += (f"{name}: {text}" for text in _said(own, result.localities[name], result.consistencies[name]))
    return [*shown, *list_written(result.written, drawn=True)]


def _said(own: RunMaps, found: Locality, fit: Consistency | None) -> list[str]:
    middle = found.edges[len(found.edges) // 2]
    drawn = f"{counted(len(own.maps), 'map')}, drawn for {counted(sum(one.questions for one in own.maps), 'answer')}"
    said = [
        f"{drawn}; all distances {format_share(found.accuracy)}.",
        f"up to {middle:g} {format_share(found.near)}, above {format_share(found.far)}.",
    ]
    if fit is not None:
        off = f"{fit.local:.2f} units within neighbourhoods and {fit.whole:.2f} over whole maps"
        said.append(f"places off by {off} ({counted(fit.maps, 'map')}).")
    left_out = {
        "unreadable maps": own.unread,
        "pairs with a category that was not drawn": found.missing,
        f"pairs nearer than {found.edges[0]:g} (in no bin)": found.below,
        f"pairs farther than {found.edges[-1]:g} (in no bin)": found.above,
        "categories that the scene doesn't have": sum(own.strange.values()),
    }
    counts = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
    return [*said, f"{counts}."] if counts else said


def show_probes(result: ProbesResult) -> list[Shown]:
    """Make the output: each run's probes against the scenes, then a row for each question type, split by the probe."""
    shown: list[Shown] = []
    for name, run in result.runs.items():
        of = "of the named, right number" if run.probe == "object-list" else "of the pairs, right order"
        shown.append(f"{name}: {counted(run.scenes, run.probe.replace('-', ' '))} read, {run.unread:,} unread")
        figures = (("of the scene's categories, named", run.named), (of, run.right),
                   ("of the named, not in the scene", run.invented))  # fmt: skip
        shown += [f"  {what}: {format_share(share)}" for what, share in figures]
        if run.strange:
            shown.append(f"  {counted(run.strange, 'name')} of no category in any scene: not judged")
        rows = [_joined_row(task, own) for task, own in run.tasks.items()]
        if run.together is not None:
            rows += [_joined_row("all", run.together)] if len(rows) > 1 else []
            headings = ["", "answers", "probe agrees", "score", "if it agrees", "if not"]
            shown.append(table(headings, rows, title=f"{name}: score in % (95 % interval)"))
        if run.unjoined:
            shown.append(f"{counted(run.unjoined, 'answer')} in no row: no score, no probe, or no category named.")
    every = [own for run in result.runs.values() for own in run.tasks.values()]
    shown += missing_intervals(own.score.reason for own in every)
    shown.append(
        "A probe agrees if it has the right count or order; with other types, if it names all that the question names. "
        f"Scorer: {result.scorer}."
    )
    return shown


def _joined_row(name: str, own: JoinedAnswers) -> list[str]:
    scores = ("–" if one is None else _bare(one) for one in (own.score, own.score_agreeing, own.score_others))
    return [name, f"{own.answers:,}", f"{own.agreeing.value:.1f}", *scores]


def _bare(one: Share) -> str:
    return f"{one.value:.1f}" + (f" ({format_interval(one.interval)})" if one.interval else "")


def page(figure: str, shown: Sequence[ItemMap]) -> str:
    """One self-contained page: the figure, then the maps."""
    return environment().get_template("maps.html.j2").render(figure=figure, shown=shown, beside=beside)


def beside(one: Drawn) -> str:
    """Draw the model's map next to the true one, as one SVG element."""
    rows = [*place_rows("drawn", DRAWN, one.drawn), *place_rows("true", TRUE, one.true)]
    title = f"The map that the model drew of {one.scene}, and the true one"
    return rendered(Chart(frame(rows), title, settings={"grid": one.true.grid}), PLANES_FORM)


def place_rows(panel: str, series: str, shown: CognitiveMap) -> list[dict[str, Any]]:
    """The rows of a chart's data for the places of a map."""
    return [
        {"panel": panel, "series": series, "role": "run", "label": category, "x": x, "value": y}
        for category, places in shown.places.items()
        for x, y in places
    ]


def locality_chart(found: MapsResult, *notes: str) -> Chart:
    """For each run (series) and bin of true distances (label, its middle in x) the per cent of drawn distances that are
    at most one grid unit off, with printed ones behind."""
    rows: list[dict[str, Any]] = []
    for name, one in found.localities.items():
        rows += [
            {**place, "series": name, "role": "run", "value": share.value, "n": share.n, **ends_of(share.interval)}
            for place, share in zip(_bin_places(one), one.bins, strict=True)
            if share is not None
        ]
    first = next(iter(found.localities.values()))
    for table_of in found.published:
        for name, values in table_of.rows.items():
            rows += [
                {**place, "series": name, "role": "published", "value": 100 * value}
                for place, value in zip(_bin_places(first), values, strict=True)
            ]
    shares = [share for one in found.localities.values() for share in one.bins if share is not None]
    why_none = [f"No intervals: {reason}." for reason in dict.fromkeys(share.reason for share in shares) if reason]
    said = [CLUSTERED] if any(share.interval for share in shares) else why_none[:1]
    said += [f"Grey: {', '.join(one.rows)}, as printed ({one.place})." for one in found.published]
    said += [
        f"{name}: {one.missing:,} of {counted(one.pairs, 'distance')} {'is' if one.missing == 1 else 'are'} of "
        "categories that were not drawn."
        for name, one in found.localities.items()
        if one.missing
    ]
    title = "Locality of cognitive maps: distances at most one grid unit off"
    return Chart(frame(rows), title, "true distance, grid units", "% of drawn distances", (*said, *notes))


def _bin_places(one: Locality) -> list[dict[str, Any]]:
    ends = pairwise(one.edges)
    return [{"label": label, "x": sum(own) / 2} for label, own in zip(bin_labels(one.edges), ends, strict=True)]


_KIND_NAMES = {
    "directions": "two directions",
    "nearest": "nearest objects",
    "nearest and distances": "nearest, distances",
    "triangle": "three distances",
    "twice": "a number asked for twice",
    "all": "all",
}


def show_consistency(result: ConsistencyResult) -> list[Shown]:
    """Make the output: for each run its contradictions, its best maps, and the answers in no figure."""
    shown: list[Shown] = []
    for name, run in result.runs.items():
        found = run.contradictions
        kinds = [kind for kind in (*KINDS, "all") if kind in found and (kind != "all" or len(found) > 2)]
        if kinds:
            headings = ["", "groups", "contradict", "% (95 % interval)", "guesser, %", "p"]
            rows = [_contradiction_row(kind, found[kind]) for kind in kinds]
            shown.append(table(headings, rows, title=f"{name}: contradictions among answers about one scene"))
        rows = _map_rows(run)
        if rows:
            headings = ["answers that agree with", "answers", "% (95 % interval)", "guesser, %"]
            shown.append(table(headings, rows, title=f"{name}: maps of the scenes"))
        shown += _left_out(run)
        shares = [*(own.share for own in found.values()), *([run.map.best.share] if run.map else [])]
        shown += missing_intervals(own.reason for own in shares if own)
    shown.append(
        "groups: sets of answers that could contradict each other. guesser: the same after the answers are permuted "
        f"within each question type ({result.permutations} times; {GUESSED_SETS} times for maps). p: share of "
        "permutations with as few contradictions. best map: the places that satisfy most answers. Numbers contradict "
        f"from a difference of {100 * result.tolerance:g} %; seed {result.seed}; scorer: {result.scorer}."
    )
    return shown


def _contradiction_row(kind: str, own: Contradictions) -> list[str]:
    return [_KIND_NAMES[kind], f"{own.groups:,}", f"{own.found:,}", _with_interval(own.share), f"{own.guessed:.1f}",
            f"{own.p:.3f}"]  # fmt: skip


def _map_rows(run: RunConsistency) -> list[list[str]]:
    own = run.map
    named: list[tuple[str, MapShare]] = [] if run.drawn is None else [("the maps that the model drew", run.drawn)]
    if own is not None:
        best = [("the best map", own.best), ("the best map, of the right answers", own.best_right)]
        named = [*best, ("the true map", own.true), *named]
    return [
        [text, f"{one.answers:,}", _with_interval(one.share), "–" if one.guessed is None else f"{one.guessed:.1f}"]
        for text, one in named
    ]


def _with_interval(share: Share | None) -> str:
    return "–" if share is None else f"{share.value:.1f} ({format_interval(share.interval)})"


def _left_out(run: RunConsistency) -> list[str]:
    """Sentences about answers that are in no figure."""
    said = []
    if not run.contradictions:
        said.append("No answers share enough objects to contradict each other.")
    if run.map is None:
        said.append("No scene has enough answers about places for a map.")
    elif run.map.thin_scenes:
        thin = counted(run.map.thin_scenes, "scene has", "scenes have")
        said.append(f"{thin} too few answers for a map ({run.map.thin_answers:,}).")
    if run.undrawn:
        said.append(f"{counted(run.undrawn, 'answer is', 'answers are')} about objects that the drawn map leaves open.")
    if run.unread:
        said.append(f"{counted(sum(run.unread.values()), 'answer is', 'answers are')} unread.")
    if run.other_types:
        others = ", ".join(f"{task} {count:,}" for task, count in run.other_types.items())
        said.append(f"Answers of other question types: {others}.")
    said += [f"{counted(count, 'answer is', 'answers are')} left out: {why}." for why, count in run.left_out.items()]
    return said
