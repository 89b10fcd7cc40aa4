"""Why questions are not asked: reasons that differ only in what they are about, as one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

ANY = "…"
"""Stands for categories and values in which reasons differ."""
MAX_VALUES = 3
"""Values in which reasons may differ, such as a threshold for each of two kinds of rooms, and still be told apart."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def without_categories(reason: str, categories: Iterable[str]) -> str:
    """Put `ANY` for each category that a reason names, in the singular or plural."""
    # Hardly any reason names one, and a pattern of a scene's names is made only where one may. Letters beyond ASCII
    # have more cases than two.
    plain = reason.lower() if reason.isascii() else ""
    named = {name for name in categories if name and (not plain or not name.isascii() or name.lower() in plain)}
    names = sorted(named, key=len, reverse=True)
    if not names:
        return reason
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?:s|es)?(?!\w)"
    return re.sub(pattern, ANY, reason, flags=re.IGNORECASE)


def grouped(counts: Mapping[str, int], patterns: Mapping[str, str]) -> dict[str, int]:
    """Merge counts of reasons that differ only in categories, or in many values.

    Args:
        counts: of reasons as families give them.
        patterns: reason → the reason without categories.

    Returns:
        Reason → count, in alphabetical order. The sum is that of the counts.
    """

    def without(reason: str) -> str:
        return patterns.get(reason, reason)

    merged = _merged(counts, without, lambda reasons: without(reasons[0]), 1)
    merged = _merged(merged, lambda reason: _NUMBER.sub(ANY, reason), _values, MAX_VALUES)
    return dict(sorted(merged.items()))


def _merged(
    counts: Mapping[str, int],
    pattern: Callable[[str], str],
    label: Callable[[Sequence[str]], str],
    most: int,
) -> dict[str, int]:
    """The same with reasons of one pattern under one label, where there are more than so many of them."""
    alike: dict[str, list[str]] = {}
    for reason in counts:
        alike.setdefault(pattern(reason), []).append(reason)
    found: dict[str, int] = {}
    for reasons in alike.values():
        for reason in reasons:
            key = reason if len(reasons) <= most else label(reasons)
            found[key] = found.get(key, 0) + counts[reason]
    return found


def _values(reasons: Sequence[str]) -> str:
    """Reasons of one pattern as one: numbers that all of them have stay."""
    texts = _NUMBER.split(reasons[0])
    numbers = [set(own) for own in zip(*map(_NUMBER.findall, reasons), strict=True)]
    shown = [own.pop() if len(own) == 1 else ANY for own in numbers]
    return "".join(text + number for text, number in zip(texts, [*shown, ""], strict=True))
