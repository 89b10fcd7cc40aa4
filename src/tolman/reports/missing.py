"""How a report says that a figure lacks parts: a sign behind the figure, and a sentence for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SIGN = "‡"
"""Behind a figure that has no scored question of one of its parts."""


def sentences(name: str, figures: Iterable[tuple[str, Sequence[str], float, int]]) -> list[str]:
    """A line for each set of parts that figures lack.

    Args:
        name: whose figures they are, such as a run and its rule set.
        figures: title, titles of the missing parts, the figure of a perfect model, and decimals, of each.
    """
    alike: dict[tuple[tuple[str, ...], float, int], list[str]] = {}
    for title, missing, attainable, digits in figures:
        if missing:
            alike.setdefault((tuple(missing), round(attainable, 6), digits), []).append(title)
    return [
        f"{SIGN} {name}: {', '.join(titles)} without a scored question of {_listed(missing)}: "
        + (
            "the weights are renormalised over the other parts."
            if attainable > 100 - 1e-6
            else f"it counts as 0, as in the released code, so that a perfect model gets {attainable:.{digits}f}."
        )
        for (missing, attainable, digits), titles in alike.items()
    ]


def _listed(names: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
