"""A question whose answer was cut off while the model was reasoning is asked again, alone, with more room."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from tolman.messages import Sampling
from tolman.models import thinking
from tolman.models.base import Request
from tolman.responses import FailureKind, Response, Usage
from tolman.runs.without_text import NoAnswerError

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
    sampling, rooms = request.sampling, list[int]()
    while True:
        try:
            response = await call(replace(request, sampling=sampling))
            break
        except NoAnswerError as error:
            more = more_room(request.sampling, len(cut)) if error.kind == FailureKind.CUT_OFF else None
            if more is None or len(cut) == most or not _grew([*cut, error.response]):
                raise _told(error, rooms) from None
            cut.append(error.response)
            sampling, room = more
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
    """Whether a response came with more room than was asked for first."""
    return any(note.startswith(_NOTE) for note in response.notes)


def _grew(cut: list[Response]) -> bool:
    """Whether the last call came further than the one before it; else another limit than that of the request ends it,
    such as the length of the model's context."""
    spent = [response.usage.output_tokens for response in cut]
    return len(spent) < 2 or not spent[-1] or spent[-1] > spent[-2]


def _told(error: NoAnswerError, rooms: list[int]) -> NoAnswerError:
    if rooms:
        said = " and ".join(f"{room:,}" for room in rooms)
        message = f"{error.message} (asked again with room for {said} tokens of reasoning)"
        return NoAnswerError(error.kind, message, error.response)
    return error
