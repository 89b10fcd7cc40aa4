"""What each kind of reply becomes: text, reasoning, tokens, and how it ended."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tolman.items import Item
from tolman.messages import Message, Sampling
from tolman.models.model import CallError, Request
from tolman.models.openai import ReplyForm, read_reply, usage_of
from tolman.models.thinking import SPLIT_OFF, UNMARKED
from tolman.responses import FailureKind, Response, Usage

Read = Callable[..., Response]


@pytest.fixture
def read(choice: Callable[..., Item]) -> Read:
    def call(
        message: dict[str, Any],
        reason: str | None = "stop",
        *,
        form: dict[str, Any] | None = None,
        beside: dict[str, Any] | None = None,
        **more: Any,
    ) -> Response:
        request = Request(choice(), (Message(parts=("?",)),), Sampling())
        one = {"message": message, "finish_reason": reason, **(beside or {})}
        content = json.dumps({"choices": [one], **more}).encode()
        return read_reply(request, content, ReplyForm("http://x", "m", **(form or {})), 0.5)

    return call


@pytest.mark.parametrize(
    "message",
    [
        {"content": "B", "reasoning": "Because."},
        {"content": "B", "reasoning_content": "Because."},
        {"content": "B", "reasoning": "Because.", "reasoning_content": "Because."},
        {"content": "B", "reasoning": None, "reasoning_content": "Because."},
        {"content": "B", "thinking": "Because."},
        {"content": [{"type": "thinking", "thinking": "Because."}, {"type": "text", "text": "B"}]},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "Because."}]},
                {"type": "text", "text": "B"},
            ]
        },
        {"content": [{"type": "reasoning", "text": "Because."}, {"type": "text", "text": "B"}]},
        {"content": "B", "reasoning": None, "reasoning_details": [{"type": "reasoning.text", "text": "Because."}]},
        {"content": [{"type": "reasoning_text", "text": "Because."}, {"type": "text", "text": {"value": "B"}}]},
        {"content": [{"type": "summary_text", "text": "Because."}, {"type": "output_text", "text": "B"}]},
    ],
)
def test_reasoning_is_found_in_every_place(read: Read, message: dict[str, Any]) -> None:
    found = read(message)
    assert (found.response, found.reasoning, found.notes) == ("B", "Because.", {})


@pytest.mark.parametrize(
    ("content", "response", "reasoning"),
    [
        ("<think>\nBecause.\n</think>\n\nB", "B", "Because."),
        ("Because.\n</think>\n\nB", "B", "Because."),
        ("<think>\n\n</think>\n\nB", "B", None),
        ("<think>Because", "", "Because"),
        ("◁think▷Because.◁/think▷B", "B", "Because."),
    ],
)
def test_reasoning_in_tags_is_split_off_and_told(
    read: Read, content: str, response: str, reasoning: str | None
) -> None:
    found = read({"content": content})
    assert (found.response, found.reasoning, found.notes) == (response, reasoning, {SPLIT_OFF: 1})


@pytest.mark.parametrize("content", ["B", "B <think> is a tag", "x < y, so B", ""])
def test_text_that_begins_with_no_reasoning_stays_as_it_came(read: Read, content: str) -> None:
    found = read({"content": content})
    assert (found.response, found.reasoning, found.notes) == (content, None, {})


CUT = "Let me look at the sofa"


@pytest.mark.parametrize(
    ("form", "reason", "usage", "is_reasoning"),
    [
        ({"reasons": True, "marked": False}, "length", {}, True),
        ({"reasons": True, "marked": False}, "stop", {}, False),
        ({"reasons": False, "marked": False}, "length", {}, False),
        ({"reasons": True, "marked": True}, "length", {}, False),
        ({"reasons": True, "marked": False}, "length", {"completion_tokens_details": {"reasoning_tokens": 0}}, False),
    ],
)
def test_text_that_was_cut_off_is_reasoning_only_where_the_model_was_told_to_reason(
    read: Read, form: dict[str, Any], reason: str, usage: dict[str, Any], is_reasoning: bool
) -> None:
    found = read({"content": CUT, "reasoning": None}, reason, form=form, usage=usage)
    assert (found.response, found.reasoning) == (("", CUT) if is_reasoning else (CUT, None))
    assert found.notes == ({UNMARKED: 1} if is_reasoning else {})


@pytest.mark.parametrize("reason", ["abort", "error"])
def test_an_answer_that_the_endpoint_gave_up_is_tried_again(read: Read, reason: str) -> None:
    with pytest.raises(CallError, match=f"finish reason '{reason}'") as caught:
        read({"content": "B and"}, reason)
    assert (caught.value.kind, caught.value.retry) == (FailureKind.SERVER, True)


LITELLM, OPENROUTER = "provider_specific_fields", "native_finish_reason"


@pytest.mark.parametrize("gateway", [LITELLM, OPENROUTER])
@pytest.mark.parametrize("reason", ["abort", "error"])
def test_an_answer_given_up_behind_a_gateway_that_says_stop_is_tried_again(
    read: Read, gateway: str, reason: str
) -> None:
    own: Any = {OPENROUTER: reason} if gateway == LITELLM else reason
    with pytest.raises(CallError, match=f"finish reason '{reason}'") as caught:
        read({"content": "B and"}, "stop", beside={gateway: own})
    assert caught.value.retry


@pytest.mark.parametrize(
    ("told", "beside", "reason"),
    [
        ("stop", {LITELLM: {OPENROUTER: "repetition"}}, "repetition"),
        ("stop", {LITELLM: {OPENROUTER: "eaten"}}, "eaten"),  # LiteLLM says it where it has no word for it
        ("stop", {OPENROUTER: "MAX_TOKENS"}, "MAX_TOKENS"),
        ("stop", {OPENROUTER: "completed"}, "stop"),
        ("stop", {LITELLM: None, OPENROUTER: None}, "stop"),
        ("stop", {LITELLM: {"citations": []}}, "stop"),
        ("length", {LITELLM: {OPENROUTER: "max_tokens"}}, "length"),
    ],
)
def test_the_reason_of_the_server_behind_a_gateway_goes_before_its_stop(
    read: Read, told: str, beside: dict[str, Any], reason: str
) -> None:
    assert read({"content": "B"}, told, beside=beside).finish_reason == reason


def test_a_refusal_stays_text_and_says_so(read: Read) -> None:
    for message in (
        {"content": None, "refusal": "I won't."},
        {"content": [{"type": "refusal", "refusal": "I won't."}]},
    ):
        found = read(message)
        assert (found.response, found.finish_reason) == ("I won't.", "refusal")


def test_what_answered_is_kept_where_it_says_more_than_the_name(read: Read) -> None:
    assert read({"content": "B"}, model="m").served is None
    assert read({"content": "B"}).served is None
    assert read({"content": "B"}, model="m-2026", system_fingerprint=None).served == "m-2026"
    assert read({"content": "B"}, model="m", system_fingerprint="vllm-0.33.0-ab").served == "m vllm-0.33.0-ab"


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({}, Usage()),
        (
            {
                "prompt_tokens": 100, "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 60, "image_tokens": 30, "text_tokens": 70},
                "completion_tokens_details": {"reasoning_tokens": 15},
            },
            Usage(input_tokens=100, output_tokens=20, reasoning_tokens=15, cached_tokens=60, media_tokens=30),
        ),
        (
            {"prompt_tokens": 100, "prompt_tokens_details": {"multimodal_tokens": {"image": 10, "video": 40}}},
            Usage(input_tokens=100, media_tokens=50),
        ),
        (
            {"prompt_tokens": 100, "completion_tokens": 20, "reasoning_tokens": 15, "video_tokens": 40, "image_tokens": 2},
            Usage(input_tokens=100, output_tokens=20, reasoning_tokens=15, media_tokens=42),
        ),
        ({"prompt_tokens": 100, "prompt_cache_hit_tokens": 60}, Usage(input_tokens=100, cached_tokens=60)),
        (
            {"completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 15}},
            Usage(output_tokens=20, reasoning_tokens=15),
        ),
        ({"prompt_tokens": 1, "prompt_tokens_details": None, "completion_tokens_details": None}, Usage(input_tokens=1)),
    ],
)  # fmt: skip
def test_tokens_are_read_in_every_dialect(usage: dict[str, Any], tokens: Usage) -> None:
    assert usage_of(usage) == tokens


def test_of_several_choices_that_of_index_0_counts(choice: Callable[..., Item]) -> None:
    said = [{"index": n, "message": {"content": text}, "finish_reason": "stop"} for n, text in ((1, "ZZZ"), (0, "A"))]
    request = Request(choice(), (Message(parts=("?",)),), Sampling())
    found = read_reply(request, json.dumps({"choices": said}).encode(), ReplyForm("http://x", "m"), 0.5)
    assert found.response == "A"
