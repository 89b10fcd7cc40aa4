"""Durations as people and endpoints write them: '90s', '20m', '6m0s', '12ms', '1h30m'."""

from __future__ import annotations

import re

_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|min|s|m|h|d)\s*")


def seconds_of(text: str) -> float | None:
    """The seconds of a duration; a number alone is seconds; None for what is no duration."""
    text = text.strip()
    try:
        found = float(text)
    except ValueError:
        pass
    else:
        return found if 0 <= found < float("inf") else None
    parts = list(_PART.finditer(text))
    if not parts or "".join(part[0] for part in parts) != text:
        return None
    return sum(float(part[1]) * _SECONDS[part[2]] for part in parts)


def in_words(seconds: float) -> str:
    """A duration for a sentence: '0.5 s', '31 s', '20 min', '1 h 5 min'."""
    if seconds < 10:
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    if round(seconds) < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
