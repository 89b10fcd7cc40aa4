"""Setting a reasoning trace aside: the answer stands behind it."""

from __future__ import annotations

import re

_NAMES = r"(?:think|thinking|thought|thoughts|reasoning|reason|analysis|scratchpad|cot)"
_CLOSE = re.compile(
    rf"</\s*{_NAMES}\s*>|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final(?:<\|constrain\|>\w*)?<\|message\|>"
    r"|\[/THINK\]|assistantfinal",
    re.IGNORECASE,
)
_OPEN = re.compile(
    rf"<\s*{_NAMES}\s*>|◁think▷|<\|begin_of_thought\|>|<\|channel\|>(?:analysis|commentary)<\|message\|>|\[THINK\]",
    re.IGNORECASE,
)


def behind_reasoning(text: str) -> tuple[int, int, bool]:
    """Find the part of a text that isn't a reasoning trace.

    A trace may lack its opening tag, where a chat template puts it into the prompt, or its closing tag, where the
    response was cut off.

    Args:
        text: with its tags.

    Returns:
        Where that part begins, where it ends, and whether the trace was cut off.
    """
    begin = 0
    for match in _CLOSE.finditer(text):
        begin = match.end()
    opening = _OPEN.search(text, begin)
    if opening is None:
        return begin, len(text), False
    if text[begin : opening.start()].strip():
        return begin, opening.start(), False
    return opening.start(), opening.start(), True


def without_reasoning(text: str) -> str:
    """Remove a reasoning trace.

    Args:
        text: with its tags.

    Returns:
        The part of the text that isn't one.
    """
    begin, end, _ = behind_reasoning(text)
    return text[begin:end]


def without_tags(trace: str) -> str:
    """Remove the tags of a reasoning trace, and keep its text."""
    return _CLOSE.sub("", _OPEN.sub("", trace))
