"""Streamed replies: the same response as without streaming, and one sentence for a stream that breaks off."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from loopback import Server, serving
from tolman.errors import UsageError
from tolman.features.run.compute import requests_of
from tolman.features.run.config import RunConfig
from tolman.items import Item
from tolman.messages import Message, Sampling
from tolman.models.model import CallError, ModelOptions, Request
from tolman.models.openai import OpenAICompatible
from tolman.responses import FailureKind, Response, Usage


def chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return json.dumps({"object": "chat.completion.chunk", "model": "m-1", "choices": [choice], "usage": None, **more})


THOUGHTS = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning": "Well, ü"}),
    chunk({"reasoning": " so."}),
    chunk({"content": "Turn "}),
    chunk({"content": "right."}, system_fingerprint="fp"),
    chunk({}, "stop"),
    json.dumps({"model": "m-1", "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 5}}),
    "[DONE]",
]


class Streaming(Server):
    """A server that sends events in pieces that end anywhere, also within a character."""

    def __init__(self, *events: str, end: str = "\n\n") -> None:
        super().__init__()
        self.stream = ": keep-alive\n\n" + "".join(f"data: {event}{end}" for event in events)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(json.loads(await request.read()))
        reply = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await reply.prepare(request)
        sent = self.stream.encode()
        for start in range(0, len(sent), 7):
            await reply.write(sent[start : start + 7])
        return reply


@pytest.fixture
def ask(choice: Callable[..., Item]) -> Callable[..., Response]:
    def call(server: Server, **options: Any) -> Response:
        async def go(url: str) -> Response:
            model = OpenAICompatible("m", ModelOptions(base_url=url, **options))
            try:
                return await model.answer(Request(choice(), (Message(parts=("?",)),), Sampling()))
            finally:
                await model.close()

        with serving(server) as url:
            return asyncio.run(go(url))

    return call


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
def test_a_streamed_reply_is_the_reply(ask: Callable[..., Response], end: str) -> None:
    server = Streaming(*THOUGHTS, end=end)
    found = ask(server, stream=True)
    assert (found.response, found.reasoning, found.finish_reason) == ("Turn right.", "Well, ü so.", "stop")
    assert (found.usage, found.served) == (Usage(input_tokens=10, output_tokens=5), "m-1 fp")
    assert server.bodies[0]["stream"] is True
    assert server.bodies[0]["stream_options"] == {"include_usage": True}


def test_a_stream_that_a_proxy_makes_is_read_too(ask: Callable[..., Response]) -> None:
    server = Streaming(*THOUGHTS)
    assert ask(server).response == "Turn right."
    assert "stream" not in server.bodies[0]


@pytest.mark.parametrize(
    ("events", "kind", "sentence"),
    [
        (THOUGHTS[:4], FailureKind.NETWORK, "the stream ended before the answer"),
        ([], FailureKind.NETWORK, "the stream ended before the answer"),
        ([*THOUGHTS[:4], json.dumps({"error": {"message": "out of memory"}})], FailureKind.SERVER, "out of memory"),
        (
            [*THOUGHTS[:5], THOUGHTS[5].replace('"finish_reason"', '"native_finish_reason": "abort", "finish_reason"')],
            FailureKind.SERVER, "finish reason 'abort'",
        ),
        (["{no json"], FailureKind.MALFORMED, "sent no chat completion"),
    ],
)  # fmt: skip
def test_a_stream_that_breaks_off_is_no_answer(
    ask: Callable[..., Response], events: list[str], kind: FailureKind, sentence: str
) -> None:
    with pytest.raises(CallError, match=sentence) as caught:
        ask(Streaming(*events), stream=True)
    assert (caught.value.kind, caught.value.retry) == (kind, True)


def test_streaming_is_no_part_of_what_is_asked() -> None:
    settings = [OpenAICompatible("m", ModelOptions(base_url="http://x/v1", stream=on)).settings for on in (True, False)]
    assert settings[0] == settings[1]


def test_streaming_is_refused_where_it_would_do_nothing() -> None:
    with pytest.raises(UsageError, match="--stream is for models of the family openai, not for gemini/m"):
        list(requests_of(RunConfig(benchmark="b", model="gemini/m", stream=True)))


def test_of_several_choices_the_first_counts(ask: Callable[..., Response]) -> None:
    """As `--body '{"n": 2}'` brings them: in one event or in several, the second one sooner."""

    def both(*choices: tuple[int, dict[str, Any], str | None]) -> str:
        held = [{"index": index, "delta": delta, "finish_reason": reason} for index, delta, reason in choices]
        return json.dumps({"object": "chat.completion.chunk", "model": "m-1", "choices": held})

    events = [
        both((1, {"content": "ZZZ"}, None)),
        both((0, {"content": "A is"}, None)),
        both((1, {"content": "ZZZ", "reasoning": "Z"}, "length"), (0, {"content": " right"}, None)),
        both((0, {}, "stop")),
        "[DONE]",
    ]
    found = ask(Streaming(*events), stream=True)
    assert (found.response, found.reasoning, found.finish_reason) == ("A is right", None, "stop")
