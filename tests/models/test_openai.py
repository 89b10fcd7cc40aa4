"""The wire: what is sent, and what each answer becomes."""

import asyncio
import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from loopback import Server, serving
from tolman.errors import UsageError
from tolman.items import Item
from tolman.messages import Message, Picture, Sampling
from tolman.models.endpoint import retry_after
from tolman.models.model import CallError, ModelOptions, Request
from tolman.models.openai import OpenAICompatible
from tolman.responses import FailureKind, Response
from wires import asked_once

Ask = Callable[..., Response]


@pytest.fixture
def ask(choice: Callable[..., Item]) -> Ask:
    def call(
        server: Server, message: Message | None = None, sampling: Sampling | None = None, **options: Any
    ) -> Response:
        async def go(url: str) -> Response:
            model = OpenAICompatible("m", ModelOptions(base_url=url, api_key="secret", **options))
            try:
                return await model.answer(
                    Request(choice(), (message or Message(parts=("Hello?",)),), sampling or Sampling())
                )
            finally:
                await model.close()

        with serving(server) as url:
            return asyncio.run(go(url))

    return call


def test_text_and_pictures_are_sent_in_their_order(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(b"\xff\xd8\xff jpeg")
    server = Server()
    message = Message(parts=("before", Picture(path=str(path), sha256="x"), "after"))
    ask(server, message, Sampling(temperature=0.1, top_p=0.9, max_tokens=16, top_k=40, seed=3))
    assert server.bodies == [
        {
            "model": "m",
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "before"},
                        {
                            "type": "image_url",
                            "image_url": {
                                "url": "data:image/jpeg;base64," + base64.b64encode(path.read_bytes()).decode()
                            },
                        },
                        {"type": "text", "text": "after"},
                    ],
                }
            ],
            "temperature": 0.1,
            "top_p": 0.9,
            "top_k": 40,
            "max_tokens": 16,
            "seed": 3,
        }
    ]


def test_greedy_is_the_default_and_text_alone_is_a_string(ask: Ask) -> None:
    server = Server()
    ask(server)
    assert server.bodies == [{"model": "m", "messages": [{"role": "user", "content": "Hello?"}], "temperature": 0.0}]


def test_further_fields_are_added_and_null_takes_one_out(ask: Ask) -> None:
    server = Server()
    ask(server, body={"temperature": None, "max_completion_tokens": 5})
    assert server.bodies[0].keys() == {"model", "messages", "max_completion_tokens"}


def test_an_answer_keeps_its_tokens_and_reason(ask: Ask) -> None:
    found = ask(Server(answer="B"))
    assert (found.id, found.response, found.finish_reason) == ("1", "B", "stop")
    assert found.usage.input_tokens > 0
    assert found.seconds is not None


class Says(Server):
    """A server that answers with a given body."""

    def __init__(self, content: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        super().__init__()
        self.content, self.status, self.headers = content, status, headers

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append({"authorization": request.headers.get("Authorization")})
        text = self.content if isinstance(self.content, str) else json.dumps(self.content)
        return web.Response(text=text, status=self.status, headers=self.headers)


def message(content: object, **fields: object) -> dict[str, object]:
    return {"choices": [{"message": {"role": "assistant", "content": content, **fields}, "finish_reason": "length"}]}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", ""),
        (None, ""),
        ([{"type": "text", "text": "A"}, {"type": "text", "text": "B"}], "AB"),
        ([{"type": "output_text", "text": "A"}], "A"),
        ([{"type": "refusal", "refusal": "I won't."}], "I won't."),
        ("Error: 5", "Error: 5"),
    ],
)
def test_what_the_model_said_is_a_response_even_if_it_is_nothing(ask: Ask, content: object, text: str) -> None:
    assert ask(Says(message(content))).response == text


def test_tokens_that_cannot_be_are_none(ask: Ask) -> None:
    huge = "1" + "0" * 400
    for usage in (
        '{"prompt_tokens": Infinity}',
        '{"prompt_tokens": -1}',
        '{"prompt_tokens": "many"}',
        f'{{"prompt_tokens": {huge}}}',
    ):
        body = json.dumps(message("A"))[:-1] + f', "usage": {usage}}}'
        assert ask(Says(body)).usage.input_tokens == 0


def test_a_lone_surrogate_is_replaced(ask: Ask) -> None:
    found = ask(Says('{"choices": [{"message": {"content": "\\ud800 A"}}]}'))
    assert found.response == "\ufffd A"


def test_the_key_travels_in_the_header_only(ask: Ask) -> None:
    server = Says(message("A"))
    ask(server)
    assert server.bodies == [{"authorization": "Bearer secret"}]
    model = OpenAICompatible("m", ModelOptions(base_url="http://x/v1", api_key="secret"))
    assert "secret" not in json.dumps(dict(model.settings))


@pytest.mark.parametrize(
    ("content", "status", "kind", "retry"),
    [
        ("{not json", 200, FailureKind.MALFORMED, True),
        ({"choices": [{"message": {"content": "A"}}], "error": {"message": "dead"}}, 200, FailureKind.SERVER, True),
        ({"choices": [{"message": {"content": ""}, "finish_reason": "error"}]}, 200, FailureKind.SERVER, True),
        ({"choices": [{"message": {"content": ""}, "error": {"code": 502}}]}, 200, FailureKind.SERVER, True),
        ({"choices": [{"message": {"content": None, "tool_calls": [{}]}}]}, 200, FailureKind.NO_TEXT, False),
        (
            {"choices": [{"message": {"content": None, "function_call": {"name": "f"}}}]},
            200,
            FailureKind.NO_TEXT,
            False,
        ),
        ({"choices": [{"message": {"content": [{"type": "new", "say": "A"}]}}]}, 200, FailureKind.MALFORMED, False),
        ({"choices": [{"message": {"content": None, "audio": {"id": "1"}}}]}, 200, FailureKind.MALFORMED, False),
        ({"choices": [{"message": {"content": [{"type": "image_url"}]}}]}, 200, FailureKind.MALFORMED, False),
        ({"choices": [{"message": {"content": ["A"]}}]}, 200, FailureKind.MALFORMED, True),
        ({"choices": []}, 200, FailureKind.MALFORMED, True),
        ({"choices": [{"message": {"content": 5}}]}, 200, FailureKind.MALFORMED, True),
        ("[" * 100_000, 200, FailureKind.MALFORMED, True),
        ({"error": {"message": "no key"}}, 401, FailureKind.REFUSED, False),
        ({"error": {"message": "no such model"}}, 404, FailureKind.REFUSED, False),
        ({"error": "bad image"}, 400, FailureKind.REFUSED, False),
        ({"error": {"message": "later"}}, 429, FailureKind.RATE_LIMIT, True),
        ("<html>down</html>", 502, FailureKind.SERVER, True),
    ],
)
def test_what_brought_no_text_is_an_error_with_one_sentence(
    ask: Ask, content: object, status: int, kind: FailureKind, retry: bool
) -> None:
    asked_once(ask, Says(content, status, {"Retry-After": "7"}), kind, retry=retry)


def test_a_stall_and_an_endless_body_are_timeouts(ask: Ask) -> None:
    for fault in ("stall", "slow"):
        with pytest.raises(CallError, match=r"no answer within 0\.3 s") as caught:
            ask(Server(faults={fault: 1.0}), timeout=0.3)
        assert caught.value.kind == FailureKind.TIMEOUT


def test_a_cut_connection_and_a_closed_port_are_network_errors(ask: Ask) -> None:
    with pytest.raises(CallError, match="can't be reached") as caught:
        ask(Server(faults={"cut": 1.0}))
    assert caught.value.kind == FailureKind.NETWORK


@pytest.mark.parametrize(
    ("value", "seconds"), [(None, None), ("2", 2.0), ("0.5", 0.5), ("-3", 0.0), ("soon", None), ("Mon, 99", None)]
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after(value) == seconds


def test_retry_after_may_be_a_date() -> None:
    import email.utils
    import time

    found = retry_after(email.utils.formatdate(time.time() + 60, usegmt=True))
    assert found is not None
    assert 55 < found <= 61


def test_a_wrong_address_or_a_missing_key_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY is not set"):
        OpenAICompatible("m", ModelOptions())
    with pytest.raises(UsageError, match="must begin with http"):
        OpenAICompatible("m", ModelOptions(base_url="localhost:8000"))


def test_a_key_and_a_login_in_the_address_are_one_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    with pytest.raises(UsageError, match=r"^http://…@localhost:1/v1 has a login, and OPENAI_API_KEY is set"):
        OpenAICompatible("m", ModelOptions(base_url="http://me:secret@localhost:1/v1"))


def test_large_pictures_do_not_block(ask: Ask, tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="needs the extra 'media'")

    out = io.BytesIO()
    pillow.effect_noise((800, 600), 90).convert("RGB").save(out, "JPEG")
    path = tmp_path / "n.jpg"
    path.write_bytes(out.getvalue())
    server = Server()
    ask(server, Message(parts=tuple(Picture(path=str(path), sha256="x") for _ in range(32))))
    assert sum(server.pictures.values()) == 32
