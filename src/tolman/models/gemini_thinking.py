"""How a model of Google's is told to reason: the 2.5 family takes a number of tokens, later ones take a level."""

from __future__ import annotations

import re
from typing import Any

from tolman.messages import Thinking
from tolman.models import thinking

LEVELS_FROM = 3
"""The first family that takes levels."""
AUTOMATIC = -1
"""The budget that leaves the number of tokens to the model."""


def takes_levels(model: str) -> bool:
    """Whether a model takes a level of thinking in place of a budget; a name without a number is one of the newest."""
    family = re.search(r"gemini-(\d+)", model)
    return family is None or int(family[1]) >= LEVELS_FROM


def config_of(model: str, asked: Thinking | None) -> tuple[dict[str, Any] | None, list[str]]:
    """The `thinking_config` of a request; None where the model is left to itself.

    Args:
        model: its name.
        asked: the settings.

    Returns:
        The fields, and notes on what was sent other than as the user gave it.
    """
    if asked is None or asked.wanted is None:
        return None, []
    levels = takes_levels(model)
    if asked.wanted is False:
        if levels:
            return {"thinking_level": "MINIMAL"}, ["thinking off sent as level MINIMAL"]
        return {"thinking_budget": 0}, []
    told: dict[str, Any] = {"include_thoughts": True}
    if levels:
        effort = asked.effort or (thinking.effort_of(asked.budget) if asked.budget else None)
        if effort is not None:
            told["thinking_level"] = effort.upper()
        if asked.budget is not None:
            sent = f"reasoning budget of {asked.budget:,} tokens sent as level {str(effort).upper()}"
            return told, [sent if asked.effort is None else thinking.within_limit(asked.budget)]
        return told, []
    if asked.budget is not None:
        told["thinking_budget"] = asked.budget
        return told, [] if asked.effort is None else [f"effort '{asked.effort}' not sent beside the reasoning budget"]
    if asked.effort is not None:
        tokens = thinking.tokens_of(asked.effort)
        return {**told, "thinking_budget": tokens}, [thinking.as_budget(asked.effort, tokens)]
    return {**told, "thinking_budget": AUTOMATIC}, []
