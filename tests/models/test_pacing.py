"""Limits by the minute that endpoints tell in headers."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from fleet import Endpoint
from loopback import serving
from tolman import benchmarks, protocols
from tolman.items import Item
from tolman.media.frame_store import FrameStore
from tolman.messages import Message, Sampling
from tolman.models.model import ModelOptions, Request
from tolman.models.openai import OpenAICompatible
from tolman.models.pacing import Pacer, Window, windows_of
from tolman.responses import FailureKind, Response, Usage
from tolman.runs.engine import Engine, Limits

BENCHMARK = benchmarks.get("vsi-bench")
PRESET, BLIND = BENCHMARK.presets[0], protocols.get("blind")


def test_headers_of_openai_and_anthropic_are_read() -> None:
    told = {
        "x-ratelimit-limit-requests": "500", "x-ratelimit-remaining-requests": "499", "x-ratelimit-reset-requests": "120ms",
        "x-ratelimit-limit-tokens": "30000", "x-ratelimit-remaining-tokens": "29000", "x-ratelimit-reset-tokens": "6m0s",
    }  # fmt: skip
    assert windows_of(told) == {"requests": Window(500, 499, 0.12), "tokens": Window(30000, 29000, 360.0)}
    then = (datetime.now(UTC) + timedelta(seconds=30)).isoformat().replace("+00:00", "Z")
    told = {
        f"anthropic-ratelimit-output-tokens-{part}": value
        for part, value in (("limit", "8000"), ("remaining", "0"), ("reset", then))
    }
    window = windows_of(told)["output-tokens"]
    assert (window.limit, window.remaining) == (8000, 0)
    assert window.reset == pytest.approx(30, abs=1)
    # Azure: seconds, and what it doesn't know.
    told = {
        "x-ratelimit-limit-tokens": "0",
        "x-ratelimit-remaining-tokens": "-1",
        "x-ratelimit-remaining-requests": "5",
    }
    assert windows_of(told) == {}


def test_what_a_call_reserves_and_does_not_use_comes_back(choice: Callable[..., Item]) -> None:
    headers = {"x-ratelimit-limit-tokens": "6000", "x-ratelimit-remaining-tokens": "6000"}
    request = Request(choice(), (Message(parts=("x" * 400,)),), Sampling(max_tokens=2900))

    async def go() -> list[float]:
        pacer = Pacer()
        pacer.heard(headers)
        waits = []
        for used in (None, Usage(input_tokens=100, output_tokens=10), None):
            began = time.monotonic()
            costs = await pacer.reserve(request)
            waits.append(time.monotonic() - began)
            assert costs["tokens"] == 3000
            if used is not None:
                pacer.settle(costs, used)
        return waits

    first, second, third = asyncio.run(go())
    assert max(first, second) < 0.5 < third  # 6,000 at hand; 110 of them are used, and 100 come in a second


@pytest.fixture
def items(number: Callable[..., Item]) -> list[Item]:
    return [number(id=str(i)).model_copy(update={"question": f"How many {i}?"}) for i in range(60)]


class Metered(Endpoint):
    """Takes 1,200 requests a minute, ten at once, and says so."""

    def __init__(self) -> None:
        self.level, self.updated = 10.0, time.monotonic()
        super().__init__(self._meter, headers=self._told, latency=0.01)

    def _meter(self, number: int) -> str | None:
        now = time.monotonic()
        self.level = min(10.0, self.level + 20 * (now - self.updated))
        self.updated = now
        if self.level < 1:
            return "429"
        self.level -= 1
        return None

    def _told(self) -> dict[str, str]:
        return {
            "x-ratelimit-limit-requests": "1200", "x-ratelimit-remaining-requests": str(int(self.level)),
            "x-ratelimit-reset-requests": "1s",
        }  # fmt: skip


def ask(url: str, items: list[Item], place: Path, limits: Limits | None = None, **options: object) -> Engine:
    model = OpenAICompatible("m", ModelOptions(base_url=url, **options))  # type: ignore[arg-type]
    engine = Engine(
        model=model, converse=lambda item: BLIND.converse(BENCHMARK, item, PRESET), preset=PRESET, data=place,
        frames=FrameStore(place), store=None, limits=limits or Limits(),
    )  # fmt: skip
    asyncio.run(engine.run(items))
    return engine


def test_requests_a_minute_are_kept(items: list[Item], tmp_path: Path) -> None:
    server = Metered()
    with serving(server) as url:
        # Before the first answer nobody knows of a limit, and more than ten at once would be too many.
        engine = ask(url, items, tmp_path, concurrency=8)
    assert all(isinstance(one, Response) for one in engine.outcomes.values())
    assert server.faulted["429"] <= 2
    assert server.times[-1] - server.times[0] > 1.5  # 60 at 20 a second, ten at once


@pytest.mark.parametrize(
    ("headers", "retried", "seconds"),
    [({"retry-after-ms": "300"}, 1, 0.3), ({"x-should-retry": "false"}, 0, 0.0), ({"retry-after": "1"}, 1, 1.0)],
)
def test_an_endpoint_says_when_and_whether_to_try_again(
    items: list[Item], tmp_path: Path, headers: dict[str, str], retried: int, seconds: float
) -> None:
    class Told(Endpoint):
        async def _misbehave(self, request, fault):  # type: ignore[no-untyped-def]
            from aiohttp import web

            return web.json_response({"error": {"message": "no"}}, status=500, headers=headers)

    server = Told(lambda number: "500" if number == 2 else None)
    with serving(server) as url:
        engine = ask(url, items[: 2 if retried else 3], tmp_path, concurrency=1)
    assert engine.tally.retried == retried
    lost = [one for one in engine.outcomes.values() if not isinstance(one, Response)]
    assert [one.kind for one in lost] == ([] if retried else [FailureKind.SERVER])
    pause = server.times[2] - server.times[1]
    assert seconds <= pause < seconds + 0.25
