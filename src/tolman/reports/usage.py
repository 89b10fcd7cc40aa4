"""What a run's answers took, in a sentence below its table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tolman.responses import Usage


def usage_note(name: str, figures: Mapping[str, Any]) -> list[str]:
    """The sentence about a run's tokens, their cost, and how often the model reasoned; none where nothing is known.

    Args:
        name: the run's.
        figures: of scores.json.
    """
    told = figures.get("usage")
    if not told:
        return []
    said = [Usage(**{key: told[key] for key in Usage.model_fields}).describe()]
    said += [f"cost {told['cost']:,.2f}"] if "cost" in told else []
    said += [f"{told['reasoned']:,} of {figures['asked']:,} answers came after reasoning"] if told["reasoned"] else []
    return [f"{name}: {', '.join(said)}."]
