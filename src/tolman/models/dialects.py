"""Dialects of OpenAI's chat completions: the fields in which each kind of endpoint takes the amount of reasoning.

Sources: the request classes of openai 3.54, vllm 0.33 and sglang 0.5.23, llama.cpp's server page, and the pages of
OpenRouter, LiteLLM and DashScope. A dialect is found by the address's host, else by the endpoint's own report. Asking
the endpoint never fails a run.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from tolman.messages import Sampling
from tolman.models import thinking
from tolman.models.identity import entries_of

_TEMPLATE = "chat_template_kwargs"


def _switch(on: bool) -> dict[str, Any]:
    """Both names that chat templates have for the switch; a template ignores the one that it doesn't know."""
    return {f"{_TEMPLATE}.enable_thinking": on, f"{_TEMPLATE}.thinking": on}


@dataclass(frozen=True)
class Dialect:
    """Fields of a request, as dotted paths in its body.

    Attributes:
        name: of the server or provider.
        limit: of the field with the most tokens of a reply.
        limit_holds_reasoning: whether that limit is of reasoning and answer together.
        effort: of the field that takes a word; None where there is none.
        budget: of the field that takes a number of tokens; None where there is none.
        budget_with: fields that go with it.
        both: whether effort and budget may be sent together.
        on, off: fields that switch reasoning on and off.
        marked: whether reasoning always comes in a field of its own. An open server may run without a reasoning parser:
            then it comes inside the text, and where it is cut off nothing marks it.
        hosts: of addresses, with those below them.
        owners: values of `owned_by` in the list of models.
    """

    name: str
    limit: str = "max_tokens"
    limit_holds_reasoning: bool = True
    effort: str | None = "reasoning_effort"
    budget: str | None = None
    budget_with: Mapping[str, Any] = field(default_factory=dict)
    both: bool = True
    on: Mapping[str, Any] = field(default_factory=dict)
    off: Mapping[str, Any] = field(default_factory=dict)
    marked: bool = False
    hosts: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()


PLAIN = Dialect("an endpoint of an unknown kind", on=_switch(True), off=_switch(False))
OPENAI = Dialect(
    "OpenAI",
    limit="max_completion_tokens",
    off={"reasoning_effort": "none"},
    marked=True,
    hosts=("api.openai.com", "openai.azure.com"),
    owners=("system", "openai-internal"),
)
VLLM = Dialect(
    "vLLM",
    limit="max_completion_tokens",
    budget="thinking_token_budget",
    on=_switch(True),
    off=_switch(False),
    owners=("vllm",),
)
SGLANG = Dialect(
    "SGLang",
    limit="max_completion_tokens",
    budget="custom_params.thinking_budget",
    on=_switch(True),
    off=_switch(False),
    owners=("sglang",),
)
LLAMA_CPP = Dialect(
    "llama.cpp", on=_switch(True), off={"reasoning_effort": "none", **_switch(False)}, owners=("llamacpp",)
)
OPENROUTER = Dialect(
    "OpenRouter",
    effort="reasoning.effort",
    budget="reasoning.max_tokens",
    both=False,
    on={"reasoning.enabled": True},
    off={"reasoning.enabled": False},
    marked=True,
    hosts=("openrouter.ai",),
)
DASHSCOPE = Dialect(
    "DashScope",
    limit_holds_reasoning=False,
    effort=None,
    budget="thinking_budget",
    on={"enable_thinking": True},
    off={"enable_thinking": False},
    marked=True,
    hosts=("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"),
)
LITELLM = Dialect(
    "LiteLLM",
    budget="thinking.budget_tokens",
    budget_with={"thinking.type": "enabled"},
    off={"reasoning_effort": "none"},
    marked=True,
)
DIALECTS = (OPENAI, OPENROUTER, DASHSCOPE, VLLM, SGLANG, LLAMA_CPP, LITELLM, PLAIN)


def by_host(url: str) -> Dialect | None:
    """Return the dialect that an address implies; None where it doesn't."""
    host = urlsplit(url).hostname or ""
    return next((one for one in DIALECTS for known in one.hosts if host == known or host.endswith(f".{known}")), None)


def by_listing(listing: object, headers: Mapping[str, str]) -> Dialect | None:
    """Return the dialect that a reply to `GET /v1/models` implies; None where it doesn't."""
    if any(name.lower().startswith("x-litellm") for name in headers):
        return LITELLM
    owners = {str(entry.get("owned_by")) for entry in entries_of(listing)}
    return next((one for one in DIALECTS if owners & set(one.owners)), None)


PAGES: tuple[tuple[str, str, Dialect], ...] = (
    ("/model_info", "model_path", SGLANG),
    ("/get_model_info", "model_path", SGLANG),
    ("/props", "default_generation_settings", LLAMA_CPP),
    ("/version", "version", VLLM),
)
"""Pages beside the interface that only one kind of server has, and a key that is on each."""


def fields_of(dialect: Dialect, sampling: Sampling) -> tuple[dict[str, Any], list[str]]:
    """Return the fields of a request for the length of a reply and the amount of reasoning.

    Args:
        dialect: of the endpoint.
        sampling: with the answer's limit and the settings of reasoning.

    Returns:
        The fields, and notes on their differences from the user's settings.
    """
    fields: dict[str, Any] = {}
    notes: list[str] = []
    asked = sampling.thinking
    limit = thinking.limit_of(sampling) if dialect.limit_holds_reasoning else sampling.max_tokens
    if limit is not None:
        fields[dialect.limit] = limit
    if asked is None or asked.wanted is None:
        return fields, notes
    if asked.wanted is False:
        if asked.effort is not None and dialect.effort is not None:
            put(fields, dialect.effort, asked.effort)
        for path, value in dialect.off.items():
            put(fields, path, value)
        return fields, notes
    budget = asked.budget
    if asked.effort is not None and dialect.effort is None and budget is None:
        budget = thinking.tokens_of(asked.effort)
        notes.append(thinking.as_budget(asked.effort, budget))
    elif asked.effort is not None and dialect.effort is not None:
        if budget is None or dialect.both:
            put(fields, dialect.effort, asked.effort)
        else:
            notes.append(f"effort '{asked.effort}' not sent together with the reasoning budget")
    if budget is not None and dialect.budget is not None:
        put(fields, dialect.budget, budget)
        for path, value in dialect.budget_with.items():
            put(fields, path, value)
    elif budget is not None:
        notes.append(thinking.within_limit(budget))
    if asked.on or budget is not None:
        for path, value in dialect.on.items():
            put(fields, path, value)
    return fields, notes


def put(fields: dict[str, Any], path: str, value: object) -> None:
    """Set a field that may be inside others: 'reasoning.effort'."""
    *above, last = path.split(".")
    for name in above:
        fields = fields.setdefault(name, {})
    fields[last] = value


def overlaid(fields: Mapping[str, Any], further: Mapping[str, Any]) -> dict[str, Any]:
    """Fields with others over them, also inside objects; a field of None stays, to take one out later."""
    found = dict(fields)
    for name, value in further.items():
        below = found.get(name)
        found[name] = overlaid(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return found


def merged(fields: Mapping[str, Any], further: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a request with the user's own over them, also inside objects; a field of None is taken out."""
    return _without_none(overlaid(fields, further))


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    plain = ((name, _without_none(value) if isinstance(value, Mapping) else value) for name, value in fields.items())
    return {name: value for name, value in plain if value is not None}


LOOK_SECONDS = 3.0
"""The longest that a page is waited for."""


async def find_dialect(session: aiohttp.ClientSession, url: str) -> Dialect:
    """Find the dialect of an endpoint: by its host, its list of models, or a page that only one kind of server has.

    Args:
        session: for requests to it.
        url: its address, which mostly ends in /v1.

    Returns:
        The dialect; `PLAIN` where it is unknown.
    """
    known = by_host(url)
    if known is not None:
        return known
    listing, headers = await _page(session, f"{url}/models")
    told = by_listing(listing, headers)
    if told is not None:
        return told
    root = url.removesuffix("/v1")
    pages = await asyncio.gather(*(_page(session, root + path) for path, _, _ in PAGES))
    for (_, key, dialect), (content, _) in zip(PAGES, pages, strict=True):
        if isinstance(content, dict) and key in content:
            return dialect
    return PLAIN


async def _page(session: aiohttp.ClientSession, url: str) -> tuple[Any, dict[str, str]]:
    """A page's JSON with its headers; None where there is no such page."""
    limit = aiohttp.ClientTimeout(total=LOOK_SECONDS)
    with contextlib.suppress(aiohttp.ClientError, TimeoutError, ValueError, RecursionError, OSError):
        async with session.get(url, timeout=limit) as reply:
            content = await reply.read()
            return json.loads(content) if reply.status == 200 else None, dict(reply.headers)
    return None, {}
