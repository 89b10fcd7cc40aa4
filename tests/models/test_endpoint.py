"""What a failed call says of its endpoint: whether others fail too, whether waiting helps, what to look at."""

import asyncio
import json
from collections.abc import Callable

import pytest

from fleet import LOADING, QUOTA, free_port
from tolman.items import Item
from tolman.messages import Message, Sampling
from tolman.models import create
from tolman.models.endpoint import refusal
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import FailureKind


@pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")
@pytest.mark.parametrize(
    ("family", "package"), [("openai", "aiohttp"), ("anthropic", "anthropic"), ("gemini", "google.genai")]
)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_refused_connection_asks_whether_the_server_runs(
    choice: Callable[..., Item], family: str, package: str, host: str
) -> None:
    pytest.importorskip(package)

    async def go() -> None:
        model = create(f"{family}/m", ModelOptions(base_url=f"http://{host}:{free_port()}", api_key="k"))
        try:
            await model.answer(Request(choice(), (Message(parts=("Hello?",)),), Sampling()))
        finally:
            await model.close()

    with pytest.raises(CallError) as error:
        asyncio.run(go())
    assert error.value.message.endswith(" can't be reached: nothing listens at this address; is the server running?")
    assert (error.value.kind, error.value.scope, error.value.retry) == (FailureKind.NETWORK, "absent", True)


@pytest.mark.parametrize(
    ("status", "error", "headers", "scope", "retry", "after"),
    [
        (429, QUOTA, {}, "lasting", False, None),
        (402, {"message": "Insufficient credits"}, {}, "lasting", False, None),
        (429, {"message": "slow down"}, {"retry-after-ms": "1500", "retry-after": "9"}, "endpoint", True, 1.5),
        (503, LOADING, {}, "absent", True, None),
        (503, {"message": "overloaded"}, {"retry-after": "3"}, "endpoint", True, 3.0),
        (529, {"type": "overloaded_error", "message": "Overloaded"}, {}, "endpoint", True, None),
        (502, {"message": "Bad Gateway"}, {}, "absent", True, None),
        (500, {"message": "EngineDeadError"}, {}, "endpoint", True, None),
        (500, {"message": "no"}, {"x-should-retry": "false"}, "call", False, None),
        (400, {"message": "busy"}, {"x-should-retry": "true"}, "endpoint", True, None),
        (400, {"message": "This model's maximum context length is 8192"}, {}, "call", False, None),
        (400, {"message": "what is insufficient_quota?"}, {}, "call", False, None),
        (401, {"message": "key"}, {}, "endpoint", False, None),
    ],
)
def test_a_refusal_says_what_else_fails(
    status: int, error: dict[str, str], headers: dict[str, str], scope: str, retry: bool, after: float | None
) -> None:
    told = refusal("http://a/v1", status, json.dumps({"error": error}).encode(), headers=headers)
    assert (told.scope, told.retry, told.after) == (scope, retry, after)
