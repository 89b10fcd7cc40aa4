"""Whether what was there before is there still."""

import math
from typing import Any


def holds(before: Any, after: Any, where: str = "") -> list[str]:
    """Where something of before is absent from what is there now, or differs; new keys of objects are welcome."""
    if isinstance(before, dict) and isinstance(after, dict):
        absent = [f"{where}/{key} is gone" for key in before if key not in after]
        both = [key for key in before if key in after]
        return absent + [found for key in both for found in holds(before[key], after[key], f"{where}/{key}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = zip(before, after, strict=True)
        return [found for i, (a, b) in enumerate(pairs) for found in holds(a, b, f"{where}/{i}")]
    if isinstance(before, float) and isinstance(after, float | int) and math.isclose(before, after, rel_tol=1e-9):
        return []
    return [] if before == after else [f"{where} was {before!r} and is {after!r}"]
