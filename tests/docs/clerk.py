"""The models behind the names in the docs: endpoints on the loopback interface that answer whatever pages ask them.

OpenAI's chat completions, Gemini's and Anthropic's wires give the same answers: letters and numbers worded as models
word theirs, reasoning where steps are asked for, and what curation and judges of errors ask for.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from aiohttp import web

from batches import OpenAIBatchServer
from before.actors import text_of, wordings
from curator import Curator
from explained import JUDGED
from loopback import Server, serving
from wires import Google, Messages, camel, generated, reply as message, text as block

_CURATION = (
    "classify a series of Q&A pairs", "Classify each Q&A pair about space", "Reply with exactly three lines",
    "Write wrong answers", "Is there another option",
)  # fmt: skip
_CURATOR = Curator()


def answer(text: str) -> str:
    """The answer to a request, by its words."""
    if any(words in text for words in _CURATION):
        body = {"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}
        assert _CURATOR.reply is not None
        return _CURATOR.reply(body)
    if found := re.search(r"Reply with (\d+) lines?, one for each step", text):
        return "\n".join(f"{step}: {1 + step % 4}" for step in range(1, int(found[1]) + 1))
    if "Please output only the relevant category number." in text or "Reply with the numbers only." in text:
        return _category(text)
    if text.rstrip().endswith("Let's think step by step."):
        return f"The sofa is left of the door, and the lamp behind both. {_choice(text)}"
    return _choice(text)


def _category(text: str) -> str:
    if case := re.search(r"Case (\d)\.", text):
        return JUDGED[int(case[1])]
    return str(1 + hashlib.sha256(text.encode()).digest()[0] % 5)


def _choice(text: str) -> str:
    return wordings(text, number=re.search(r"^\(?A[.:)]|Options: A", text, re.MULTILINE) is None)


class Clerk(OpenAIBatchServer):
    """The model behind `openai/NAME`, and behind the HTTP API of the page about models.

    Attributes:
        generated: answers of that API.
        status: which it answers with.
    """

    def __init__(self) -> None:
        super().__init__(reply=lambda body: answer(text_of(body)), keep=False)
        self.generated, self.status = 0, 200

    def app(self) -> web.Application:
        """The application with one more path."""
        app = super().app()
        app.router.add_post("/v1/generate", self.generate)
        return app

    async def generate(self, request: web.Request) -> web.Response:
        """One answer of the API."""
        body = await request.json()
        assert set(body) >= {"model", "text", "images"}
        self.generated += 1
        return web.json_response({"text": answer(body["text"])}, status=self.status)


class _Gemini(Google):
    """Gemini's endpoint; files are taken in at once."""

    def __init__(self) -> None:
        super().__init__(states=("ACTIVE",))

    async def generate(self, request: web.Request) -> web.StreamResponse:
        body = camel(json.loads(await request.read()))
        parts = [part for content in body["contents"] for part in content["parts"]]
        text = "\n".join(part["text"] for part in parts if "text" in part)
        return web.json_response(generated({"text": answer(text)}))


class _Anthropic(Messages):
    """Anthropic's endpoint."""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        return web.json_response(message(block(answer(text_of(json.loads(await request.read()))))))


def clerk() -> Clerk:
    """A server whose answers are letters and numbers, worded as models word theirs."""
    return Clerk()


@contextmanager
def endpoints(model: Server | None = None) -> Iterator[dict[str, str]]:
    """Serve all of them; the environment variables by which commands find them. OpenAI's ends in /v1, as it does.

    Args:
        model: behind `openai/NAME`; a clerk where None.
    """
    with ExitStack() as stack:
        openai, gemini, anthropic = (
            stack.enter_context(serving(server)) for server in (model or clerk(), _Gemini(), _Anthropic())
        )
        yield {
            "OPENAI_BASE_URL": openai, "OPENAI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": gemini.removesuffix("/v1"), "GEMINI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": anthropic.removesuffix("/v1"), "ANTHROPIC_API_KEY": "none",
        }  # fmt: skip
