"""A response as it is looked at, whatever the item: without its reasoning, with its wrappers, as prose."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tolman.scoring.parse.plain import Plain, plain, without_markup
from tolman.scoring.parse.reasoning import behind_reasoning
from tolman.scoring.parse.wrappers import Wrapped, wrapped

HEAD_CHARS = 600
"""Characters at the beginning of a long text that are searched for commitments in prose."""
TAIL_CHARS = 3_000
"""Characters at its end that are searched."""
MAX_WRAPPERS = 8
"""Boxes, tags or objects that are looked at, the last of all."""
MAX_KEPT_CHARS = 500
"""Characters of a response whose text is prepared once however many items it answers, at most."""

_ERROR_START = re.compile(
    r"\A\W{0,8}(?:[\w.]{1,60}[ _]?)?(?:error|exception|traceback|http[ /]|failed to|failure"
    r"|request (?:failed|timed|rejected)"
    r"|rate[ _-]?limit|timed? ?out|timeout|internal server|bad gateway|service unavailable|gateway time"
    r"|too many requests|connection (?:error|refused|reset|aborted|closed)|quota|unauthorized|forbidden"
    r"|unable to (?:respond|process|connect|complete|reach)|api (?:call|request|key)|server (?:is|error|overloaded)"
    r"|\[?(?:blocked|error|failed)\]?\b)",
    re.IGNORECASE,
)
ERROR_WITHIN = re.compile(
    r"\b(?:status|error)[ _]?code\b|\bHTTP(?:/[0-9.]+)?[ ]?[1-5][0-9]{2}\b|rate[ _-]?limit(?:ed|s)?\b"
    r"|Traceback \(most recent|\btimed out\b|\bmax retries exceeded\b|\b(?:Error|Exception):",
    re.IGNORECASE,
)


def is_error_message(text: str) -> bool:
    """Tell whether a text is the message of an error in place of a response.

    Args:
        text: of a response.

    Returns:
        True where it begins as such messages do.
    """
    return _ERROR_START.match(text) is not None


@dataclass(frozen=True, slots=True)
class PreparedResponse:
    """A response as it is looked at, whatever the item.

    Attributes:
        whole: all of it.
        begin: where in it `text` begins.
        text: what stands behind its reasoning.
        cut_off: whether its reasoning has no end.
        is_error: whether it is the message of an error.
        wrappers: the last of them.
        prose: `text` without markup.
    """

    whole: Plain
    begin: int
    text: str
    cut_off: bool
    is_error: bool
    wrappers: tuple[Wrapped, ...] = ()
    prose: str = ""


def prepared(response: str) -> PreparedResponse:
    """Prepare a response, a short one once.

    Args:
        response: hostile or not.

    Returns:
        All that is looked at, whatever the item.
    """
    return _prepared_once(response) if len(response) <= MAX_KEPT_CHARS else _prepared(response)


def _prepared(response: str) -> PreparedResponse:
    whole = plain(response)
    begin, end, cut_off = behind_reasoning(whole.text)
    text = whole.text[begin:end]
    is_error = is_error_message(text)
    if is_error or not text.strip():
        return PreparedResponse(whole, begin, text, cut_off, is_error)
    wrappers = tuple(wrapped(text)[-MAX_WRAPPERS:])
    return PreparedResponse(whole, begin, text, cut_off, is_error, wrappers, shortened(without_markup(text)))


_prepared_once = lru_cache(maxsize=4096)(_prepared)


def shortened(text: str) -> str:
    """Blank the middle of a long text, so that places stay.

    Args:
        text: of any length.

    Returns:
        A text of the same length.
    """
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return text[:HEAD_CHARS] + "\n" + " " * (len(text) - HEAD_CHARS - TAIL_CHARS - 1) + text[-TAIL_CHARS:]
