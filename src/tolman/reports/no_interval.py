"""How a report says why figures have no interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tolman.scoring.intervals import MIN_EFFECTIVE_SCENES


@dataclass(frozen=True)
class Lacking:
    """A figure without an interval.

    Attributes:
        title: of its column.
        effective_scenes: Kish's effective number of scenes.
        reason: why there is none.
        table: which table it stands in, where there are several, such as a metric's.
    """

    title: str
    effective_scenes: float
    reason: str
    table: str = ""


def sentences(lacking: Sequence[Lacking], *, all_figures: bool) -> list[str]:
    """A sentence for the figures of too few scenes, and one for each other reason.

    Args:
        lacking: figures that have a value and no interval.
        all_figures: whether no figure has an interval, so that none is named.
    """
    few = [one for one in lacking if one.effective_scenes < MIN_EFFECTIVE_SCENES]
    said = []
    if few:
        sizes = [round(one.effective_scenes, 1) for one in few]
        span = f"{min(sizes):g}" if min(sizes) == max(sizes) else f"{min(sizes):g} to {max(sizes):g}"
        which = "" if all_figures and len(few) == len(lacking) else f" for {_listed(few)}"
        said.append(
            f"No interval{which}: {span} effective scenes; an interval needs {MIN_EFFECTIVE_SCENES:g}, as how much "
            "scenes differ can't be told from fewer."
        )
    others = [one for one in lacking if one not in few]
    for reason in dict.fromkeys(one.reason for one in others):
        said.append(f"No interval for {_listed(one for one in others if one.reason == reason)}: {reason}.")
    return said


def _listed(lacking: Iterable[Lacking]) -> str:
    """Titles by table: 'a, b', or 'Within 25 %: a, b; Bias: a'; tables with the same titles together."""
    by_table: dict[str, dict[str, None]] = {}
    for one in lacking:
        by_table.setdefault(one.table, {})[one.title] = None
    alike: dict[tuple[str, ...], list[str]] = {}
    for table, titles in by_table.items():
        alike.setdefault(tuple(titles), []).append(table)
    return "; ".join(
        f"{', '.join(tables)}: {', '.join(titles)}" if any(tables) else ", ".join(titles)
        for titles, tables in alike.items()
    )
