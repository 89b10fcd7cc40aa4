"""What a first reply tells: the only sign that a setting of reasoning did nothing, where servers filter out what they
don't know."""

import pytest

from tolman.messages import Sampling, Thinking
from tolman.models.thinking import SPLIT_OFF, UNMARKED
from tolman.responses import Response, Usage
from tolman.runs.reasoning_room import remark_on


def said(asked: Thinking | None, **reply: object) -> str | None:
    response = Response.model_validate({"id": "1", "response": "B", **reply})
    return remark_on("openai/m", response, Sampling(max_tokens=16, thinking=asked))


@pytest.mark.parametrize(
    ("reply", "how"),
    [
        ({"reasoning": "Hmm."}, "in a field of its own"),
        ({"reasoning": "Hmm.", "notes": {SPLIT_OFF: 1}}, "inside its text, where it is split off"),
        ({"reasoning": "Hmm", "response": "", "notes": {UNMARKED: 1}}, "inside its text, where it is split off"),
        ({"usage": Usage(reasoning_tokens=1500)}, "1,500 tokens that the endpoint doesn't show"),
    ],
)
def test_reasoning_in_spite_of_being_switched_off_is_told(reply: dict[str, object], how: str) -> None:
    begin = f"openai/m reasons before it answers ({how})"
    for off in (Thinking(on=False), Thinking(budget=0), Thinking(effort="none")):
        found = said(off, **reply)
        assert found is not None
        assert found.startswith(f"{begin}, although it was told not to (")
    assert str(said(None, **reply)).startswith(f"{begin}; the limit of 16 tokens holds the reasoning too.")
    assert str(said(Thinking(on=True), **reply)).startswith(f"{begin}, with ")


@pytest.mark.parametrize("asked", [Thinking(on=True), Thinking(effort="high"), Thinking(budget=2048)])
def test_no_reasoning_in_spite_of_being_told_to_is_told(asked: Thinking) -> None:
    assert "shows no reasoning in its first reply, although it was told to reason (" in str(said(asked))


@pytest.mark.parametrize("asked", [None, Thinking(on=False), Thinking(budget=0)])
def test_no_reasoning_where_none_was_asked_for_needs_no_word(asked: Thinking | None) -> None:
    assert said(asked) is None
