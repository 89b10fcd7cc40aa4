"""What a run's first reply tells about whether its model reasons, and what option changes it."""

from __future__ import annotations

from tolman.messages import Sampling
from tolman.models.thinking import SPLIT_OFF, UNMARKED
from tolman.responses import Response


def reasoned(response: Response) -> bool:
    """Whether a model reasoned before it answered, as far as its reply shows."""
    return bool(response.reasoning or response.usage.reasoning_tokens or SPLIT_OFF in response.notes)


def remark_on(name: str, response: Response, sampling: Sampling) -> str | None:
    """The sentence about a model's reasoning; None where there is nothing to say.

    Args:
        name: the model's.
        response: its first.
        sampling: as it was asked.
    """
    asked = sampling.thinking
    wanted = None if asked is None else asked.wanted
    settings = "" if asked is None else asked.describe()
    if not reasoned(response):
        if not wanted:
            return None
        return f"{name} shows no reasoning in its first reply, although it was told to reason ({settings})."
    how = "in a field of its own"
    if SPLIT_OFF in response.notes or UNMARKED in response.notes:
        how = "inside its text, where it is split off"
    elif not response.reasoning:
        how = f"{response.usage.reasoning_tokens:,} tokens that the endpoint doesn't show"
    if wanted:
        return f"{name} reasons before it answers ({how}), with {settings}."
    if wanted is False:
        return f"{name} reasons before it answers ({how}), although it was told not to ({settings})."
    limit = sampling.max_tokens
    room = f"; the limit of {limit:,} tokens holds the reasoning too" if limit else ""
    return (
        f"{name} reasons before it answers ({how}){room}. --reasoning-budget 8k gives the reasoning a limit of its "
        "own, --effort changes how much it reasons, --thinking off switches it off."
    )
