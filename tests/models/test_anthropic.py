"""Anthropic's wire: what is sent, and what each answer becomes."""

import asyncio
import base64
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

pytest.importorskip("anthropic", reason="needs the extra 'providers'")

from loopback import serving
from terminal import tolman
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Message, Picture, Sampling, Video
from tolman.models.anthropic import Anthropic
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import FailureKind, Response
from wires import Messages, asked_once, reply, text

Ask = Callable[..., Response]


@pytest.fixture
def ask(choice: Callable[..., Item]) -> Ask:
    def call(
        server: Messages, *messages: Message, sampling: Sampling | None = None, url: str | None = None, **options: Any
    ) -> Response:
        async def go(url: str) -> Response:
            model = Anthropic("m", ModelOptions(base_url=url, api_key="secret", **options))
            try:
                asked = messages or (Message(parts=("Hello?",)),)
                return await model.answer(Request(choice(), asked, sampling or Sampling()))
            finally:
                await model.close()

        if url is not None:
            return asyncio.run(go(url))
        with serving(server) as address:
            return asyncio.run(go(address.removesuffix("/v1")))

    return call


def error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}}


def test_every_turn_is_sent_as_the_endpoint_wants_it(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(b"\xff\xd8\xff jpeg")
    server = Messages()
    ask(
        server,
        Message(role="system", parts=("Be brief.",)),
        Message(parts=("before", Picture(path=str(path), sha256="x"), "after")),
        Message(role="assistant", parts=("B",)),
        Message(parts=("Sure?",)),
        sampling=Sampling(temperature=0.7, top_p=0.9, top_k=40, max_tokens=16, seed=3),
    )
    encoded = base64.b64encode(path.read_bytes()).decode()
    assert server.bodies == [
        {
            "model": "m",
            "max_tokens": 16,
            "system": "Be brief.",
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "before"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": encoded}},
                        {"type": "text", "text": "after"},
                    ],
                },
                {"role": "assistant", "content": [{"type": "text", "text": "B"}]},
                {"role": "user", "content": [{"type": "text", "text": "Sure?"}]},
            ],
            "temperature": 0.7,
            "top_p": 0.9,
            "top_k": 40,
        }
    ]
    assert server.keys == ["secret"]


def test_a_top_p_of_one_is_left_out_and_a_length_is_always_sent(ask: Ask) -> None:
    server = Messages()
    ask(server, sampling=Sampling(temperature=0.0, top_p=1.0))
    assert server.bodies[0].keys() == {"model", "max_tokens", "messages", "temperature"}
    assert server.bodies[0]["max_tokens"] == 4096


def test_further_fields_are_added_and_null_takes_one_out(ask: Ask) -> None:
    server = Messages()
    thinking = {"type": "enabled", "budget_tokens": 1024}
    ask(server, body={"temperature": None, "thinking": thinking, "max_tokens": 2000})
    assert server.bodies[0]["thinking"] == thinking
    assert server.bodies[0]["max_tokens"] == 2000
    assert "temperature" not in server.bodies[0]


def test_an_answer_keeps_its_tokens_thoughts_and_reason(ask: Ask) -> None:
    blocks = ({"type": "thinking", "thinking": "Well.", "signature": "s"}, text("B"), text("!"))
    found = ask(Messages(reply(*blocks, stop="max_tokens")))
    assert (found.id, found.response, found.reasoning, found.finish_reason) == ("1", "B!", "Well.", "max_tokens")
    assert (found.usage.input_tokens, found.usage.output_tokens) == (15, 5)


def test_an_empty_answer_is_a_response(ask: Ask) -> None:
    assert ask(Messages(reply())).response == ""


@pytest.mark.parametrize(
    ("content", "status", "kind", "retry"),
    [
        ("{not json", 200, FailureKind.MALFORMED, True),
        ("<html>the answer is A</html>", 200, FailureKind.MALFORMED, True),
        ({"content": "A"}, 200, FailureKind.MALFORMED, True),
        ({"content": [{"type": "text"}]}, 200, FailureKind.MALFORMED, True),
        ({"type": "message"}, 200, FailureKind.MALFORMED, True),
        (reply(text("A"), {"type": "new", "say": "B"}), 200, FailureKind.MALFORMED, False),
        (error("authentication_error", "no key"), 401, FailureKind.REFUSED, False),
        (error("invalid_request_error", "too long"), 400, FailureKind.REFUSED, False),
        (error("not_found_error", "model: m"), 404, FailureKind.REFUSED, False),
        (error("rate_limit_error", "later"), 429, FailureKind.RATE_LIMIT, True),
        (error("overloaded_error", "Overloaded"), 529, FailureKind.RATE_LIMIT, True),
        (error("api_error", "oops"), 500, FailureKind.SERVER, True),
        ("<html>down</html>", 502, FailureKind.SERVER, True),
    ],
)
def test_what_brought_no_text_is_an_error_and_is_asked_once(
    ask: Ask, content: object, status: int, kind: FailureKind, retry: bool
) -> None:
    asked_once(ask, Messages(content, status, {"retry-after": "7"} if status != 200 else None), kind, retry=retry)


def test_an_endless_body_is_a_timeout_and_a_closed_port_a_network_error(ask: Ask) -> None:
    with pytest.raises(CallError, match=r"no answer within 0\.3 s") as caught:
        ask(Messages(slow=True), timeout=0.3)
    assert caught.value.kind == FailureKind.TIMEOUT
    with pytest.raises(CallError, match="can't be reached") as caught:
        ask(Messages(), url="http://127.0.0.1:9")
    assert (caught.value.kind, caught.value.retry) == (FailureKind.NETWORK, True)


def test_what_cannot_be_shown_is_a_failure_of_media(ask: Ask, tmp_path: Path) -> None:
    with pytest.raises(CallError, match="takes pictures, not whole videos") as caught:
        ask(Messages(), Message(parts=(Video(path="v.mp4", sha256="x"), "?")))
    assert (caught.value.kind, caught.value.retry) == (FailureKind.MEDIA, False)
    with pytest.raises(CallError, match="can't be read") as caught:
        ask(Messages(), Message(parts=(Picture(path=str(tmp_path / "gone.jpg"), sha256="x"), "?")))
    assert caught.value.kind == FailureKind.MEDIA


def test_a_wrong_address_or_a_missing_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY is not set"):
        Anthropic("m", ModelOptions())
    with pytest.raises(UsageError, match="must begin with http"):
        Anthropic("m", ModelOptions(base_url="localhost:8000"))
    model = Anthropic("m", ModelOptions(base_url="http://x", api_key="secret"))
    assert "secret" not in json.dumps(dict(model.settings))


def test_an_empty_answer_to_an_earlier_question_is_left_out(ask: Ask) -> None:
    server = Messages()
    ask(
        server,
        Message(role="system", parts=(" ",)),
        Message(parts=("First?", "\n")),
        Message(role="assistant", parts=("",)),
        Message(parts=("And now?",)),
    )
    (body,) = server.bodies
    assert "system" not in body
    assert body["messages"] == [
        {"role": "user", "content": [text("First?")]},
        {"role": "user", "content": [text("And now?")]},
    ]


def test_a_whole_run_is_tried_again_by_the_engine_and_goes_on(shared_data: Path, tmp_path: Path) -> None:
    class Overloaded(Messages):
        async def answer(self, request: web.Request) -> web.StreamResponse:
            await request.read()  # nothing waits behind it, so that no other request is counted in between
            self.status, self.headers = (529, {"retry-after": "0.05"}) if len(self.bodies) in (0, 3) else (200, None)
            found = await super().answer(request)
            answered.update([await request.text()] if found.status == 200 else [])
            return found

    answered: Counter[str] = Counter()
    server = Overloaded(reply(text("B")))
    command = (
        "run", "vsi-bench", "--data", str(shared_data / "vsi-bench"), "--protocol", "blind", "--limit", "12", "--model",
        "anthropic/some-model", "--out", "run", "--store", "s.sqlite", "--base-url",
    )  # fmt: skip
    with serving(server) as url:
        for said in ("tried again", "0 calls, 12 answers from the store"):
            done = tolman(tmp_path, *command, url.removesuffix("/v1"), ANTHROPIC_API_KEY="none", code=0)
            assert said in done.stderr
    distinct = {json.dumps(body) for body in server.bodies}
    assert len(server.bodies) == len(distinct) + 2
    assert (len(answered), set(answered.values())) == (12, {1})  # no question is paid for twice
    assert {(body["temperature"], body["max_tokens"]) for body in server.bodies} == {(0.0, 16)}
