"""Servers on the loopback interface that answer as providers and open servers do for a model that thinks.

One scripted mind answers at each of them: it needs some tokens of reasoning to be right. The fields that each server
takes, refuses and answers with are those of vLLM 0.33, SGLang 0.5.23, llama.cpp, OpenAI, Anthropic and Gemini.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from aiohttp import web

INPUT, CACHED, MEDIA = 1000, 600, 300
"""Tokens that every server counts for a question: all, those of them from its cache, those of pictures."""
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True)
class Thought:
    """What the mind made of a question: tokens of reasoning, words of the answer, and whether the limit came first."""

    tokens: int
    answer: str
    cut: bool

    @property
    def text(self) -> str:
        return " ".join(["Hmm."] * self.tokens)

    @property
    def written(self) -> int:
        return self.tokens + len(self.answer.split())


@dataclass(frozen=True)
class Mind:
    """A model that is right after so many tokens of reasoning, and wrong before."""

    needs: int = 50
    right: str = "B"
    wrong: str = "A"
    by_itself: bool = True

    def think(self, limit: int | None, budget: int | None = None, on: bool | None = None) -> Thought:
        """Answer within a limit of reasoning and answer together, and a budget of reasoning."""
        tokens = self.needs if (self.by_itself if on is None else on) else 0
        tokens = tokens if budget is None else min(tokens, budget)
        limit = 1 << 17 if limit is None else limit
        if tokens >= limit:
            return Thought(limit, "", cut=True)
        words = (self.right if tokens >= self.needs else self.wrong).split()
        return Thought(tokens, " ".join(words[: limit - tokens]), cut=len(words) > limit - tokens)


class Thinker:
    """A server with a mind; each kind says which pages it has and how it answers."""

    camel = False

    def __init__(self, mind: Mind | None = None) -> None:
        self.mind = mind or Mind()
        self.bodies: list[dict[str, Any]] = []
        self.pages: list[str] = []

    def app(self) -> web.Application:
        app = web.Application(client_max_size=1 << 28)
        for path, content in self.gets().items():
            app.router.add_get(path, self._page(content))
        app.router.add_post(self.path(), self._post)
        app.router.add_get("/{rest:.*}", self._nowhere)
        return app

    def gets(self) -> dict[str, Any]:
        """Pages and what they say."""
        raise NotImplementedError

    def path(self) -> str:
        """Where questions are put."""
        return "/v1/chat/completions"

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """The reply to a question; ValueError where the server refuses it."""
        raise NotImplementedError

    def refusal(self, sentence: str, param: str | None = None) -> dict[str, Any]:
        code = "unsupported_value" if param == "temperature" else "unsupported_parameter" if param else None
        return {"error": {"message": sentence, "type": "invalid_request_error", "param": param, "code": code}}

    def _page(self, content: Any) -> Any:
        async def give(request: web.Request) -> web.Response:
            self.pages.append(request.path)
            return web.json_response(content)

        return give

    async def _nowhere(self, request: web.Request) -> web.Response:
        self.pages.append(request.path)
        return web.json_response({"error": {"message": "Not Found"}}, status=404)

    async def _post(self, request: web.Request) -> web.Response:
        body = camel(json.loads(await request.read())) if self.camel else json.loads(await request.read())
        self.bodies.append(body)
        try:
            return web.json_response(self.answer(body))
        except ValueError as error:
            return web.json_response(self.refusal(*error.args), status=400)


def camel(value: Any) -> Any:
    """JSON with its keys in Google's spelling; the endpoint takes both, and the package sends both."""
    if isinstance(value, list):
        return [camel(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {re.sub("_([a-z])", lambda m: m[1].upper(), key): camel(entry) for key, entry in value.items()}


def listing(owner: str, **more: Any) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": "m", "object": "model", "created": 1, "owned_by": owner, **more}]}


def completion(message: dict[str, Any], thought: Thought, usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "x", "object": "chat.completion", "model": "m",
        "choices": [
            {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "length" if thought.cut else "stop"}
        ],
        "usage": {"prompt_tokens": INPUT, "completion_tokens": thought.written, **usage},
    }  # fmt: skip


def limit_in(body: dict[str, Any]) -> int | None:
    return body.get("max_completion_tokens") or body.get("max_tokens")


def switch_in(body: dict[str, Any]) -> bool | None:
    """Whether an open server's template thinks: told by name, or by the effort."""
    told = body.get("chat_template_kwargs", {}).get("enable_thinking")
    effort = body.get("reasoning_effort")
    return told if told is not None or effort is None else effort != "none"


class Vllm(Thinker):
    """vLLM; without a reasoning parser the thoughts stand in the content, behind a tag that the template wrote."""

    def __init__(self, mind: Mind | None = None, *, parser: bool = True) -> None:
        super().__init__(mind)
        self.parser = parser

    def gets(self) -> dict[str, Any]:
        return {"/v1/models": listing("vllm", root="owner/m", max_model_len=1 << 15), "/version": {"version": "0.33.0"}}

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        budget, effort = body.get("thinking_token_budget"), body.get("reasoning_effort")
        if budget is not None and (not isinstance(budget, int) or budget < -1 or not self.parser):
            raise ValueError("thinking_token_budget needs a reasoning parser")
        if effort is not None and effort not in EFFORTS:
            raise ValueError(f"reasoning_effort must be one of {EFFORTS}")
        thought = self.mind.think(limit_in(body), budget, switch_in(body))
        usage: dict[str, Any] = {
            "prompt_tokens_details": {"cached_tokens": CACHED, "multimodal_tokens": {"image": MEDIA}}
        }
        if self.parser:
            usage["completion_tokens_details"] = {"reasoning_tokens": thought.tokens}
            return completion({"content": thought.answer or None, "reasoning": thought.text or None}, thought, usage)
        closed = thought.text if not thought.answer else f"{thought.text}\n</think>\n\n{thought.answer}"
        text = closed if thought.tokens else thought.answer
        return completion({"content": text, "reasoning": None}, thought, usage)


class Sglang(Thinker):
    """SGLang."""

    def gets(self) -> dict[str, Any]:
        return {"/v1/models": listing("sglang"), "/model_info": {"model_path": "owner/m", "weight_version": "1"}}

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        budget = body.get("custom_params", {}).get("thinking_budget")
        thought = self.mind.think(limit_in(body), budget, switch_in(body))
        message = {"content": thought.answer or None, "reasoning_content": thought.text or None}
        usage = {
            "reasoning_tokens": thought.tokens,
            "completion_tokens_details": {"reasoning_tokens": thought.tokens},
            "prompt_tokens_details": {"cached_tokens": CACHED, "image_tokens": MEDIA},
        }
        return completion(message, thought, usage)


class LlamaCpp(Thinker):
    """llama.cpp, which counts no tokens of reasoning."""

    def gets(self) -> dict[str, Any]:
        return {
            "/v1/models": listing("llamacpp"),
            "/props": {"default_generation_settings": {}, "model_path": "m.gguf"},
        }

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        thought = self.mind.think(limit_in(body), None, switch_in(body))
        message = {"content": thought.answer, "reasoning_content": thought.text or None}
        usage = {"prompt_tokens_details": {"cached_tokens": CACHED}}
        return completion(message, thought, usage) | {"timings": {"cache_n": CACHED}}


class OpenAI(Thinker):
    """OpenAI with a model that reasons: it refuses the older name of the limit, other temperatures, and what it doesn't
    know; it never shows its thoughts."""

    KNOWN = (
        "model",
        "messages",
        "temperature",
        "max_tokens",
        "max_completion_tokens",
        "reasoning_effort",
        "seed",
        "top_p",
    )

    def gets(self) -> dict[str, Any]:
        return {"/v1/models": listing("system")}

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        unknown = [name for name in body if name not in self.KNOWN]
        if unknown:
            raise ValueError(f"Unrecognized request argument supplied: {unknown[0]}")
        if "max_tokens" in body:
            raise ValueError("Unsupported parameter: 'max_tokens' is not supported with this model.", "max_tokens")
        if body.get("temperature", 1) != 1:
            raise ValueError("Unsupported value: 'temperature' does not support this value.", "temperature")
        effort = body.get("reasoning_effort")
        thought = self.mind.think(limit_in(body), None, None if effort is None else effort != "none")
        message = {"content": thought.answer or None, "refusal": None}
        usage = {
            "prompt_tokens_details": {"cached_tokens": CACHED, "image_tokens": MEDIA},
            "completion_tokens_details": {"reasoning_tokens": thought.tokens},
        }
        return completion(message, thought, usage) | {"model": "m-2026-11-01", "system_fingerprint": "fp_1"}


class Anthropic(Thinker):
    """Anthropic's messages; `types` are the ways of thinking that the model takes."""

    def __init__(
        self, mind: Mind | None = None, *, types: tuple[str, ...] = ("adaptive", "enabled", "disabled")
    ) -> None:
        super().__init__(mind)
        self.types = types

    def gets(self) -> dict[str, Any]:
        ways = {name: {"supported": name in self.types} for name in ("adaptive", "enabled", "disabled")}
        return {"/v1/models/m": {"id": "m", "type": "model", "capabilities": {"thinking": {"types": ways}}}}

    def path(self) -> str:
        return "/v1/messages"

    def refusal(self, sentence: str, param: str | None = None) -> dict[str, Any]:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": sentence}}

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        asked = body.get("thinking", {"type": "disabled"})
        kind, budget = asked["type"], asked.get("budget_tokens")
        if kind not in self.types:
            raise ValueError(f"thinking.type '{kind}' is not supported by this model")
        if kind == "enabled" and not 1024 <= budget < body["max_tokens"]:
            raise ValueError("thinking.budget_tokens must be at least 1024 and less than max_tokens")
        if kind != "disabled" and (body.get("temperature", 1) != 1 or "top_k" in body):
            raise ValueError("`temperature` may only be set to 1 when thinking is enabled")
        thought = self.mind.think(body["max_tokens"], budget, kind != "disabled")
        blocks = [{"type": "thinking", "thinking": thought.text, "signature": "s"}] if thought.tokens else []
        blocks += [{"type": "text", "text": thought.answer}] if thought.answer else []
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": blocks,
            "stop_reason": "max_tokens" if thought.cut else "end_turn", "stop_sequence": None,
            "usage": {
                "input_tokens": INPUT - CACHED - 100, "cache_creation_input_tokens": 100, "cache_read_input_tokens": CACHED,
                "output_tokens": thought.written, "output_tokens_details": {"thinking_tokens": thought.tokens},
            },
        }  # fmt: skip


class Gemini(Thinker):
    """Gemini's `generateContent`, which counts thoughts apart."""

    camel = True

    def gets(self) -> dict[str, Any]:
        return {}

    def path(self) -> str:
        return "/{version:v1|v1beta}/models/{model}"

    def refusal(self, sentence: str, param: str | None = None) -> dict[str, Any]:
        return {"error": {"code": 400, "message": sentence, "status": "INVALID_ARGUMENT"}}

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        settings = body.get("generationConfig", {})
        asked = settings.get("thinkingConfig", {})
        budget, level = asked.get("thinkingBudget"), asked.get("thinkingLevel")
        if budget is not None and level is not None:
            raise ValueError("thinkingBudget and thinkingLevel can't be set together")
        on = None if budget is None else budget != 0
        thought = self.mind.think(
            settings.get("maxOutputTokens"),
            budget if budget not in (None, -1) else None,
            False if level == "MINIMAL" else on,
        )
        parts = [{"text": thought.text, "thought": True}] if thought.tokens and asked.get("includeThoughts") else []
        parts += [{"text": thought.answer}] if thought.answer else []
        candidate: dict[str, Any] = {"finishReason": "MAX_TOKENS" if thought.cut else "STOP", "index": 0}
        if parts:  # a reply that was cut off in its thoughts may have no content at all
            candidate["content"] = {"role": "model", "parts": parts}
        return {
            "candidates": [candidate],
            "usageMetadata": {
                "promptTokenCount": INPUT, "cachedContentTokenCount": CACHED,
                "promptTokensDetails": [
                    {"modality": "TEXT", "tokenCount": INPUT - MEDIA}, {"modality": "IMAGE", "tokenCount": MEDIA},
                ],
                "candidatesTokenCount": len(thought.answer.split()), "thoughtsTokenCount": thought.tokens,
                "totalTokenCount": INPUT + thought.written,
            },
            "modelVersion": "gemini-2.5-test-001",
        }  # fmt: skip
