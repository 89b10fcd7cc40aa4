"""Room for reasoning: whether a run's model reasons, by its first reply, and questions asked again with more room.

A question whose answer was cut off while the model was reasoning is asked again, alone, with more room. The first reply
shows whether the model reasons, and a remark names the option that changes it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tolman.extras import LazyModule
from tolman.messages import Sampling
from tolman.models import thinking
from tolman.models.model import Request
from tolman.models.thinking import SPLIT_OFF, UNMARKED
from tolman.responses import FailureKind, Response, Usage

if TYPE_CHECKING:
    from tolman.runs import calling
    from tolman.runs.calling import NoAnswerError
else:  # scoring looks at responses, and calls nothing
    calling = LazyModule("tolman.runs.calling")

FACTOR = 4
"""By how much the room for reasoning grows each time."""
LEAST_ROOM = 4096
"""Least tokens of reasoning of a call that is made again: limits such as the 16 tokens of a preset are an answer's."""
_NOTE = "asked again with room for"


async def answered(
    call: Callable[[Request], Awaitable[Response]], request: Request, most: int, again: Callable[[], None]
) -> Response:
    """A response to a request, asked for again with more room while it is cut off before its first word.

    Args:
        call: asks the model; raises NoAnswerError where the token limit came before the answer.
        request: as the protocol wants it.
        most: how often it is asked again.
        again: called each time.

    Returns:
        The response, with the tokens and seconds of all calls. Its notes say with how much room the last one was made.

    Raises:
        CallError: no text came.
    """
    cut: list[Response] = []
    asked, rooms = request, list[int]()
    while True:
        try:
            response = await call(asked)
            break
        except calling.NoAnswerError as error:
            more = more_room(request.sampling, len(cut)) if error.kind == FailureKind.CUT_OFF else None
            if more is None or len(cut) == most or not _grew([*cut, error.response]):
                raise _told(error, rooms) from None
            cut.append(error.response)
            sampling, room = more
            asked = replace(request, sampling=sampling)
            rooms.append(room)
            again()
    if not cut:
        return response
    every = [*cut, response]
    seconds = [one.seconds for one in every if one.seconds is not None]
    changes = {
        "usage": Usage.total(one.usage for one in every),
        "seconds": round(sum(seconds), 4) if seconds else None,
        "notes": {**response.notes, f"{_NOTE} {rooms[-1]:,} tokens of reasoning": 1},
    }
    return response.model_copy(update=changes)


def more_room(sampling: Sampling, before: int) -> tuple[Sampling, int] | None:
    """Settings with more room for reasoning than before; None where there was no limit.

    A budget of reasoning grows; without one the limit of answer and reasoning together does, as a number that the user
    did not ask for could be refused.

    Args:
        sampling: as the protocol wants it.
        before: how often it was asked again already.

    Returns:
        The settings, and the tokens of reasoning that they have room for.
    """
    if sampling.max_tokens is None:
        return None
    first = thinking.room(sampling.thinking)
    room = FACTOR ** (before + 1) * first if first else FACTOR**before * max(LEAST_ROOM, FACTOR * sampling.max_tokens)
    if sampling.thinking is not None and sampling.thinking.budget:
        grown = sampling.thinking.model_copy(update={"budget": room})
        return sampling.model_copy(update={"thinking": grown}), room
    return sampling.model_copy(update={"max_tokens": sampling.max_tokens + room - first}), room


def was_asked_again(response: Response) -> bool:
    """Check whether a response came with more room than was asked for first."""
    return any(note.startswith(_NOTE) for note in response.notes)


def _grew(cut: list[Response]) -> bool:
    """Check whether the last call came further than the one before it. Otherwise another limit than the request's ends
    it, such as the length of the model's context."""
    spent = [response.usage.output_tokens for response in cut]
    return len(spent) < 2 or not spent[-1] or spent[-1] > spent[-2]


def _told(error: NoAnswerError, rooms: list[int]) -> NoAnswerError:
    if rooms:
        said = " and ".join(f"{room:,}" for room in rooms)
        message = f"{error.message} (asked again with room for {said} tokens of reasoning)"
        return calling.NoAnswerError(error.kind, message, error.response)
    return error


def reasoned(response: Response) -> bool:
    """Check whether a model reasoned before it answered, as far as its reply shows."""
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
