"""The result of `tolman analyze representative`: a row for each model."""

from __future__ import annotations

from tolman.analyze.representative import RepresentativeResult
from tolman.reports.analyses.output import Shown, table, warning


def show(result: RepresentativeResult) -> list[Shown]:
    """Make what is printed: errors of the figures on the subset, and whether it beats a random draw."""
    subset, headline = result.subset, result.headline
    body = []
    for i, name in enumerate(result.models):
        held_out = subset.held_out[i]
        figures = [own[i][headline.key] for own in (subset.full, subset.figures)]
        errors = [subset.errors[i], held_out.chosen, held_out.drawn]
        body.append(
            [name, *(f"{f:.2f}" for f in figures), *(f"{e.headline:.2f}" for e in errors)]
            + [f"{e.mean:.2f}" for e in errors]
        )
    short = ["taking part", "held out", "random draw"]
    headings = ["", "all items", "subset", *short, *(f"{name}, all columns" for name in short)]
    title = f"{len(subset.ids):,} of {subset.items:,} items; {headline.title} and its error in points"
    shown: list[Shown] = [table(headings, body, title=title)]
    chosen, drawn = (sum(getattr(check, side).mean for check in subset.held_out) for side in ("chosen", "drawn"))
    if chosen >= drawn:
        shown.append(warning("On models left out the subset does no better than a stratified random draw."))
    shown += [one.told() for one in result.published]
    if result.out is not None:
        ids = result.out / "ids.txt"
        shown.append(f"Written: {ids}; use it with 'tolman run … --ids {ids}'.")
    return shown
