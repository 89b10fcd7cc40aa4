"""The result of `tolman analyze maps`: distances by length, and what could not be used."""

from __future__ import annotations

from tolman.analyze.maps import Consistency, Locality, MapsResult, RunMaps
from tolman.reports.analyses.output import Shown, format_interval, format_share, list_written, missing_intervals, table


def show(result: MapsResult) -> list[Shown]:
    """Make what is printed: accuracy by true distance, and sentences for each run."""
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
    drawn = f"{len(own.maps):,} maps, drawn for {sum(one.questions for one in own.maps):,} answers"
    said = [
        f"{drawn}; all distances {format_share(found.accuracy)}.",
        f"up to {middle:g} {format_share(found.near)}, above {format_share(found.far)}.",
    ]
    if fit is not None:
        off = f"{fit.local:.2f} units within neighbourhoods and {fit.whole:.2f} over whole maps"
        said.append(f"places off by {off} ({fit.maps:,} maps).")
    left_out = {
        "unreadable maps": own.unread,
        "pairs with a category that was not drawn": found.missing,
        f"pairs nearer than {found.edges[0]:g} (in no bin)": found.below,
        f"pairs farther than {found.edges[-1]:g} (in no bin)": found.above,
        "categories that the scene doesn't have": sum(own.strange.values()),
    }
    counts = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
    return [*said, f"{counts}."] if counts else said
