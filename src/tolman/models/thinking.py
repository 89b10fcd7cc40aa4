"""Models that reason before they answer: the room that their reasoning needs, words and numbers for how much they
reason, and reasoning inside the text."""

from __future__ import annotations

from typing import NamedTuple

from tolman.messages import Sampling, Thinking
from tolman.scoring.parse.plain_text import behind_reasoning, without_tags

EFFORT_TOKENS = {"minimal": 2048, "low": 4096, "medium": 10_000, "high": 16_000, "xhigh": 32_000, "max": 32_000}
"""Tokens of reasoning where an endpoint takes a number and the user gave a word (those of inspect-ai; the same word is
another number elsewhere, so the number that is sent is recorded)."""
USUAL_EFFORT = "medium"
REASONING = Thinking(on=True)
"""Reasoning of which the user says no more than that it is wanted."""
SPLIT_OFF = "reasoning inside the text split off"
"""The note of a response whose reasoning came in tags before the answer."""
UNMARKED = "text that the token limit ended taken for reasoning"
"""The note of a response that is all reasoning though nothing in it says so."""


def tokens_of(effort: str | None) -> int:
    """Return the tokens of reasoning for a word; those of `USUAL_EFFORT` for none, or for one unknown here."""
    return EFFORT_TOKENS.get(effort or USUAL_EFFORT, EFFORT_TOKENS[USUAL_EFFORT])


def effort_of(tokens: int) -> str:
    """Return the least word for at least so many tokens of reasoning."""
    return next((effort for effort, most in EFFORT_TOKENS.items() if most >= tokens), "xhigh")


def room(thinking: Thinking | None) -> int:
    """Tokens of reasoning that the limit of a call leaves room for: the budget, or those of the effort."""
    if thinking is None or not thinking.wanted:
        return 0
    return thinking.budget if thinking.budget else tokens_of(thinking.effort)


def limit_of(sampling: Sampling) -> int | None:
    """Most tokens of answer and reasoning together; None where the answer has no limit."""
    return None if sampling.max_tokens is None else sampling.max_tokens + room(sampling.thinking)


def as_budget(effort: str | None, tokens: int) -> str:
    """The note of a response that was asked for with a number where the user gave a word, or none."""
    word = f"effort '{effort}'" if effort else "thinking"
    return f"{word} sent as a budget of {tokens:,} tokens"


def within_limit(budget: int) -> str:
    """The note of a response whose budget of reasoning the endpoint has no field for."""
    return f"reasoning budget of {budget:,} tokens sent within the token limit only"


def not_sent(field: str) -> str:
    """The note of a response that was asked for without a setting that the endpoint refuses."""
    return f"{field} not sent: refused by the endpoint"


class Split(NamedTuple):
    """A text taken apart.

    Attributes:
        answer: the text after the reasoning; empty where the reasoning never ended.
        reasoning: without its tags.
    """

    answer: str
    reasoning: str


def split(text: str) -> Split | None:
    """Take the reasoning off that a text begins with; None where it begins with none.

    The opening tag may be missing, where a chat template puts it into the prompt, and the closing one, where the token
    limit came first.
    """
    begin, _, unfinished = behind_reasoning(text)
    if begin == 0 and not unfinished:
        return None
    if unfinished:
        begin = len(text)
    return Split(text[begin:].lstrip(), without_tags(text[:begin]).strip())


def apart(text: str, *, reasons: bool, is_cut: bool) -> tuple[str, str, str]:
    """Return text and reasoning where both came as text, with a note where they were taken apart.

    A reply that the token limit ended inside its reasoning has no tag at all where the template opened it. It is taken
    for reasoning where the model was asked to reason and its reasoning isn't known to come elsewhere.

    Args:
        text: as it came.
        reasons: whether a text without any tag may be reasoning.
        is_cut: whether the token limit ended it.
    """
    found = split(text)
    if found is not None:
        return found.answer, found.reasoning, SPLIT_OFF
    if reasons and is_cut and text.strip():
        return "", text, UNMARKED
    return text, "", ""
