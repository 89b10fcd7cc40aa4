"""What each kind of endpoint is told about reasoning, and how its kind is found."""

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from loopback import Server, serving
from thinkers import LlamaCpp, OpenAI, Sglang, Thinker, Vllm
from tolman.messages import Sampling, Thinking
from tolman.models.dialects import (
    DASHSCOPE,
    LITELLM,
    LLAMA_CPP,
    OPENAI,
    OPENROUTER,
    PLAIN,
    SGLANG,
    VLLM,
    Dialect,
    by_host,
    by_listing,
    fields_of,
    find_dialect,
    merged,
)  # fmt: skip

SWITCHED_ON = {"enable_thinking": True, "thinking": True}
SWITCHED_OFF = {"enable_thinking": False, "thinking": False}
WORD = {"reasoning_effort": "low"}


def told(dialect: Dialect, **asked: Any) -> dict[str, Any]:
    return fields_of(dialect, Sampling(max_tokens=16, thinking=Thinking(**asked) if asked else None))[0]


@pytest.mark.parametrize(
    ("dialect", "limit", "effort", "budget", "off"),
    [
        (PLAIN, "max_tokens", WORD, {"chat_template_kwargs": SWITCHED_ON}, {"chat_template_kwargs": SWITCHED_OFF}),
        (OPENAI, "max_completion_tokens", WORD, {}, {"reasoning_effort": "none"}),
        (VLLM, "max_completion_tokens", WORD, {"thinking_token_budget": 2048, "chat_template_kwargs": SWITCHED_ON},
         {"chat_template_kwargs": SWITCHED_OFF}),
        (SGLANG, "max_completion_tokens", WORD,
         {"custom_params": {"thinking_budget": 2048}, "chat_template_kwargs": SWITCHED_ON},
         {"chat_template_kwargs": SWITCHED_OFF}),
        (LLAMA_CPP, "max_tokens", WORD, {"chat_template_kwargs": SWITCHED_ON},
         {"reasoning_effort": "none", "chat_template_kwargs": SWITCHED_OFF}),
        (OPENROUTER, "max_tokens", {"reasoning": {"effort": "low"}},
         {"reasoning": {"max_tokens": 2048, "enabled": True}}, {"reasoning": {"enabled": False}}),
        (DASHSCOPE, "max_tokens", {"enable_thinking": True, "thinking_budget": 4096},
         {"thinking_budget": 2048, "enable_thinking": True}, {"enable_thinking": False}),
        (LITELLM, "max_tokens", WORD, {"thinking": {"type": "enabled", "budget_tokens": 2048}},
         {"reasoning_effort": "none"}),
    ],
)  # fmt: skip
def test_an_effort_a_budget_and_off_are_told_in_each_dialects_fields(
    dialect: Dialect, limit: str, effort: dict[str, Any], budget: dict[str, Any], off: dict[str, Any]
) -> None:
    assert told(dialect) == {limit: 16}
    apart = dialect is DASHSCOPE  # whose limit is the answer's alone
    found, notes = fields_of(dialect, Sampling(max_tokens=16, thinking=Thinking(effort="low")))
    assert found == effort | {limit: 16 if apart else 4112}
    assert notes == (["effort 'low' sent as a budget of 4,096 tokens"] if apart else [])
    found, notes = fields_of(dialect, Sampling(max_tokens=16, thinking=Thinking(budget=2048)))
    assert found == budget | {limit: 16 if apart else 16 + 2048}
    without = dialect in (PLAIN, OPENAI, LLAMA_CPP)
    assert notes == (["reasoning budget of 2,048 tokens sent within the token limit only"] if without else [])
    for asked in ({"on": False}, {"budget": 0}):
        assert told(dialect, **asked) == off | {limit: 16}


def test_a_word_beside_on_reaches_templates_of_every_name() -> None:
    """vLLM makes of an effort alone `reasoning_effort` and `enable_thinking`, and not the `thinking` of Granite and
    DeepSeek; a template's arguments aren't sent unasked, because servers with Mistral's own tokenizer refuse them."""
    for dialect in (VLLM, SGLANG, LLAMA_CPP, PLAIN):
        found = told(dialect, on=True, effort="low")
        assert found == {dialect.limit: 4112, "reasoning_effort": "low", "chat_template_kwargs": SWITCHED_ON}


def test_openrouter_takes_an_effort_or_a_budget() -> None:
    found, notes = fields_of(OPENROUTER, Sampling(thinking=Thinking(effort="low", budget=100)))
    assert found == {"reasoning": {"max_tokens": 100, "enabled": True}}
    assert notes == ["effort 'low' not sent together with the reasoning budget"]


@pytest.mark.parametrize(
    ("url", "dialect"),
    [
        ("https://api.openai.com/v1", OPENAI),
        ("https://mine.openai.azure.com/openai/v1", OPENAI),
        ("https://openrouter.ai/api/v1", OPENROUTER),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", DASHSCOPE),
        ("http://localhost:8000/v1", None),
        ("https://notopenai.com/v1", None),
    ],
)
def test_an_address_tells_the_dialect(url: str, dialect: Dialect | None) -> None:
    assert by_host(url) is dialect


def test_litellm_tells_itself_by_its_headers() -> None:
    listing = {"data": [{"id": "m", "owned_by": "openai"}]}
    assert by_listing(listing, {"x-litellm-version": "1.109.1"}) is LITELLM
    assert by_listing(listing, {}) is None
    assert by_listing({"data": "none"}, {}) is None


def look(server: Any) -> Dialect:
    async def go(url: str) -> Dialect:
        async with aiohttp.ClientSession() as session:
            return await find_dialect(session, url)

    with serving(server) as url:
        return asyncio.run(go(url))


@pytest.mark.parametrize(
    ("server", "dialect"), [(Vllm(), VLLM), (Sglang(), SGLANG), (LlamaCpp(), LLAMA_CPP), (OpenAI(), OPENAI)]
)
def test_the_list_of_models_tells_the_dialect_in_one_look(server: Thinker, dialect: Dialect) -> None:
    assert look(server) is dialect
    assert server.pages == ["/v1/models"]


@pytest.mark.parametrize(("server", "dialect"), [(Vllm(), VLLM), (Sglang(), SGLANG), (LlamaCpp(), LLAMA_CPP)])
def test_behind_a_gateway_that_lists_nothing_another_page_tells_it(server: Thinker, dialect: Dialect) -> None:
    pages = {path: page for path, page in server.gets().items() if path != "/v1/models"}
    server.gets = lambda: pages  # type: ignore[method-assign]
    assert look(server) is dialect


class Silent(Server):
    """A server whose pages are no JSON."""

    async def listed(self, request: web.Request) -> web.Response:
        return web.Response(text="<html>", status=200)


def test_an_endpoint_that_says_nothing_is_plain() -> None:
    assert look(Silent()) is PLAIN

    async def nobody() -> Dialect:
        async with aiohttp.ClientSession() as session:
            return await find_dialect(session, "http://127.0.0.1:9/v1")

    assert asyncio.run(nobody()) is PLAIN


def test_the_users_fields_win_also_inside_objects() -> None:
    fields = {"a": 1, "chat_template_kwargs": {"thinking": True, "enable_thinking": True}}
    further = {"a": None, "chat_template_kwargs": {"enable_thinking": None, "custom": 1}}
    assert merged(fields, further) == {"chat_template_kwargs": {"thinking": True, "custom": 1}}
