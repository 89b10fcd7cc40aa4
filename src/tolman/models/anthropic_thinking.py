"""How a model of Anthropic's is told to reason.

Newer models reason adaptively, by an effort; older ones take a budget. `GET /v1/models/NAME` tells what a model takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tolman.messages import Sampling
from tolman.models import thinking

MIN_BUDGET = 1024
"""Least tokens of reasoning that the endpoint takes."""
MIN_TOP_P = 0.95
"""Least `top_p` that the endpoint takes beside reasoning."""


@dataclass(frozen=True)
class Capabilities:
    """What a model takes.

    Attributes:
        adaptive: reasoning by effort.
        enabled: reasoning with a budget.
    """

    adaptive: bool = True
    enabled: bool = True


def read_capabilities(record: object) -> Capabilities:
    """What the endpoint says that a model takes; both ways where it doesn't say."""
    try:
        types = record["capabilities"]["thinking"]["types"]  # type: ignore[index]
        found = Capabilities(*(bool(types[name]["supported"]) for name in ("adaptive", "enabled")))
    except (KeyError, TypeError):
        return Capabilities()
    return found


def fields_of(sampling: Sampling, most: int, can: Capabilities) -> tuple[dict[str, Any], list[str]]:
    """The fields of a request that say how long a reply may be, how much the model is to reason, and how it draws.

    Args:
        sampling: as it was asked for.
        most: tokens of the answer.
        can: what the model takes.

    Returns:
        The fields, and notes on what was sent other than as the user gave it.
    """
    asked = sampling.thinking
    # All of the distribution is what comes without it, and newer models refuse it beside a temperature.
    top_p = None if sampling.top_p == 1.0 else sampling.top_p
    drawing = {"temperature": sampling.temperature, "top_p": top_p, "top_k": sampling.top_k}
    if asked is None or asked.wanted is None:
        return {"max_tokens": most, **drawing}, []
    if asked.wanted is False:
        return {"max_tokens": most, **drawing, "thinking": {"type": "disabled"}}, []
    notes = []
    for name, value in drawing.items():
        taken = {"temperature": value == 1.0, "top_p": (value or 0.0) >= MIN_TOP_P}.get(name, False)
        if value is not None and not taken:
            drawing[name] = None
            notes.append(thinking.not_sent(name))
    tokens = thinking.room(asked)
    told: dict[str, Any] = {"thinking": {"type": "adaptive"}}
    if can.enabled and (asked.budget or not can.adaptive):
        tokens = max(MIN_BUDGET, tokens)
        told = {"thinking": {"type": "enabled", "budget_tokens": tokens}}
        if asked.budget != tokens:
            notes.append(thinking.as_budget(None if asked.budget else asked.effort, tokens))
        if asked.budget and asked.effort:
            notes.append(f"effort '{asked.effort}' not sent beside the reasoning budget")
    elif asked.effort:
        told["output_config"] = {"effort": asked.effort}
    if asked.budget and not can.enabled:
        notes.append(thinking.within_limit(asked.budget))
    return {"max_tokens": most + tokens, **drawing, **told}, notes
