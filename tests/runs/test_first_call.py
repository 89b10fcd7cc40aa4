"""The first call of a run goes ahead of the others: for how long, and what it tells."""

import asyncio
import json
from pathlib import Path

import pytest
from aiohttp import web

from loopback import Server, serving
from tolman import benchmarks, protocols
from tolman.errors import EndpointError
from tolman.items import Item
from tolman.media.frame_store import FrameStore
from tolman.models.model import ModelOptions
from tolman.models.openai import OpenAICompatible
from tolman.responses import Failure, Response
from tolman.runs import calling
from tolman.runs.engine import Engine, Limits
from tolman.runs.flow_control import FirstCalls

BENCHMARK = benchmarks.get("vsi-bench")
PRESET, BLIND = BENCHMARK.presets[0], protocols.get("blind")
ITEMS = [
    Item(id=str(i), question=f"How many {i}?", kind="number", answer="2", task="object_counting") for i in range(6)
]


def asked(server: Server, place: Path, items: list[Item] = ITEMS) -> Engine:
    """Six questions or others, six at once."""
    with serving(server) as url:
        model = OpenAICompatible("m", ModelOptions(base_url=url, concurrency=6, timeout=20.0))
        engine = Engine(
            model=model, converse=lambda item: BLIND.converse(BENCHMARK, item, PRESET), preset=PRESET, data=place,
            frames=FrameStore(place), store=None, limits=Limits(retries=1, base_delay=0.01),
        )  # fmt: skip

        async def go() -> None:
            await engine.identify()
            await engine.run(items)

        asyncio.run(go())
    return engine


class FirstWaits(Server):
    """The first question's answer comes after all others have been asked; its status is 200 or another.

    Args:
        status: of the first question's answer.
        others: of the others'.
    """

    def __init__(self, status: int = 200, others: int = 200) -> None:
        super().__init__(answer="2", models=("m",))
        self.status, self.others = status, others
        self.all_asked = asyncio.Event()

    async def complete(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        is_first = "How many 0?" in json.dumps(body)
        if is_first:
            await self.all_asked.wait()
        elif self.requests == len(ITEMS) - 2:
            self.all_asked.set()
        status = self.status if is_first else self.others
        if status == 200:
            return await super().complete(request)
        self.requests += 1
        return web.json_response({"error": {"message": f"not this one: {status}"}}, status=status)


def test_others_do_not_wait_for_the_first_answer_of_a_listed_model(tmp_path: Path) -> None:
    engine = asked(FirstWaits(), tmp_path)  # would never end otherwise
    assert [type(outcome) for outcome in engine.outcomes.values()] == [Response] * 6


def test_a_model_that_is_not_listed_is_asked_once_before_all_else(tmp_path: Path) -> None:
    server = Server(answer="2", latency=0.3, models=("other",))
    asked(server, tmp_path)
    assert server.peak == 5


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others wait until the first call's refusal is there, however busy the machine is."""
    monkeypatch.setattr(calling, "LEAST_HEAD_START", 60.0)


@pytest.mark.usefixtures("patient")
def test_a_listed_model_that_refuses_is_told_by_the_first_call_alone(tmp_path: Path) -> None:
    server = Server(faults={"404": 1.0}, models=("m",))
    with pytest.raises(EndpointError, match=r"Nothing else was sent\.$"):
        asked(server, tmp_path)
    assert server.requests == 1


@pytest.mark.usefixtures("patient")
def test_nothing_else_is_sent_while_the_first_call_is_tried_again(tmp_path: Path) -> None:
    server = Server(faults={"429": 1.0}, retry_after=0.2, models=("m",))
    with pytest.raises(EndpointError, match="Nothing else was sent"):
        asked(server, tmp_path)
    assert server.peak == 1


def test_a_first_question_that_is_refused_after_others_were_answered_is_its_own_failure(tmp_path: Path) -> None:
    engine = asked(FirstWaits(400), tmp_path)
    assert [o.id for o in engine.outcomes.values() if isinstance(o, Failure)] == ["0"]


def test_a_refusal_that_comes_late_does_not_say_that_nothing_else_was_sent(tmp_path: Path) -> None:
    with pytest.raises(EndpointError) as caught:
        asked(FirstWaits(404, 404), tmp_path)
    assert "Nothing else" not in str(caught.value)


def test_refusals_that_come_late_end_the_run_before_its_last_question(tmp_path: Path) -> None:
    class Refuses(Server):
        async def complete(self, request: web.Request) -> web.StreamResponse:
            self.requests += 1
            await asyncio.sleep(0.2)  # longer than the head start
            return web.json_response({"error": {"message": "no images"}}, status=400)

    server = Refuses(models=("m",))
    items = [ITEMS[0].model_copy(update={"id": str(i), "question": f"How many {i}?"}) for i in range(100)]
    with pytest.raises(EndpointError, match="no images"):
        asked(server, tmp_path, items)
    assert 5 <= server.requests <= 40


@pytest.mark.parametrize("cancelled", [[0, 1, 2], [1, 2], [1], [0]])
def test_a_cancelled_turn_is_passed_on_and_cancelled_waits_are_skipped(cancelled: list[int]) -> None:
    """Ctrl-C cancels the call that has the turn and those that wait for one in the same moment."""
    first, took = FirstCalls(), []

    async def call(number: int) -> None:
        async with first.turn(str(number)):
            await asyncio.sleep(0.01)
            took.append(number)

    async def go() -> list[BaseException | None]:
        calls = [asyncio.create_task(call(number)) for number in range(3)]
        await asyncio.sleep(0)
        for number in cancelled:
            calls[number].cancel()
        return await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 10)

    ended = asyncio.run(go())
    assert [type(one) for one in ended] == [asyncio.CancelledError if n in cancelled else type(None) for n in range(3)]
    assert took == [n for n in range(3) if n not in cancelled]
