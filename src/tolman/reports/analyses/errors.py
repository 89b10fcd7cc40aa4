"""The result of `tolman analyze errors`: shares of error types, reasoning beside answers, agreement."""

from __future__ import annotations

from rich.table import Table as RichTable

from tolman.analyze.errors import PEOPLE, Distribution, ErrorsResult, LabelAgreement
from tolman.reports.analyses.output import Shown, format_interval, format_share, list_written, missing_intervals, table
from tolman.scoring.error_types import ErrorTaxonomy
from tolman.scoring.shares import Share


def show(result: ErrorsResult) -> list[Shown]:
    """Make what is printed: failed judgements, the types for each run and source, agreement, what was written."""
    shown: list[Shown] = []
    if result.failures:
        first, count = result.failures[0], len(result.failures)
        what = f"{count:,} of {count + result.judged:,} judgements failed, in no figure"
        shown.append(f"INCOMPLETE: {what}; the first: {first.run}, item {first.id}: {first.why}.")
    for run, source in dict.fromkeys((one.run, one.source) for one in result.distributions):
        own = [one for one in result.distributions if (one.run, one.source) == (run, source)]
        shown += _types(f"{run}, judged by {source}", own, result.taxonomy, result.scorer)
    if result.agreement:
        shown.append(_agreement(result.agreement))
        shown += missing_intervals(one.kappa_reason for one in result.agreement if one.kappa is not None)
    if (alpha := result.people_alpha).value is not None:
        interval = f"{format_interval(alpha.interval, 3)}, " if alpha.interval else ""
        shown.append(f"Krippendorff's alpha of all people: {alpha.value:.3f} ({interval}n = {alpha.n:,}).")
    if result.without_reasoning:
        shown.append(f"{result.without_reasoning:,} responses are an answer without reasoning and were not judged.")
    shown += [one.told() for one in result.published]
    shown += list_written(result.written, drawn=bool(result.distributions))
    return shown


def _types(title: str, own: list[Distribution], taxonomy: ErrorTaxonomy, scorer: str) -> list[Shown]:
    """One run under one source: a row for all tasks and for each, and its reasoning beside its answers."""
    titles = [kind.title.removesuffix(" error").removesuffix(" reasoning") for kind in taxonomy.types]
    body = [[one.task or "all", f"{one.n:,}", *(_percent(one.types.get(key)) for key in taxonomy.keys)] for one in own]
    whole = own[0]
    right, wrong = format_share(whole.reasoning_on_right), format_share(whole.reasoning_on_wrong)
    return [
        table(["% of responses", "n", *titles, "correct"], body, title=title),
        f"Reasoning {format_share(whole.reasoning)}; answers ({scorer}) {format_share(whole.answers)}.",
        f"Reasoning behind right answers {right}, behind wrong ones {wrong}.",
        *(f"{title}: {format_share(share)} of the errors." for title, share in whole.groups.items()),
        *missing_intervals([whole.reasoning.reason]),
    ]


def _agreement(found: list[LabelAgreement]) -> RichTable:
    rows = [
        [
            one.first,
            "most people" if one.second == PEOPLE else one.second,
            f"{one.n:,}",
            "–" if one.accuracy is None else f"{100 * one.accuracy:.1f}",
            "–" if one.overlap is None else f"{100 * one.overlap:.1f}",
            "–" if one.kappa is None else f"{one.kappa:.3f}",
            format_interval(one.kappa_interval, 3),
            f"{one.undecided:,}",
        ]
        for one in found
    ]
    headings = ["", "against", "n", "the same, %", "overlap, %", "Cohen's kappa", "95 % interval", "people divided"]
    return table(headings, rows, left=2, title="agreement")


def _percent(share: Share | None) -> str:
    return "–" if share is None else f"{share.value:.1f}"
