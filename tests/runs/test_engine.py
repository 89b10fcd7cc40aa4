"""The engine against a server that misbehaves: nothing lost, nothing invented."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest

from loopback import Server, serving
from tolman import benchmarks, protocols
from tolman.errors import EndpointError
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore
from tolman.messages import Message
from tolman.models.model import ModelOptions
from tolman.models.openai import OpenAICompatible
from tolman.protocols import Ask, Conversation
from tolman.responses import Failure, FailureKind, Response
from tolman.runs.engine import Engine, Limits
from tolman.runs.response_store import ResponseStore

BENCHMARK = benchmarks.get("vsi-bench")
PRESET, BLIND = BENCHMARK.presets[0], protocols.get("blind")
QUICK = Limits(retries=8, base_delay=0.01, most_delay=0.05)
Run = Callable[..., Engine]


@pytest.fixture
def items(number: Callable[..., Item]) -> list[Item]:
    return [number(id=str(i)).model_copy(update={"question": f"How many {i}?"}) for i in range(200)]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def go(
        server: Server,
        items: list[Item],
        *,
        protocol: str = "blind",
        converse: Callable[[Item], Conversation] | None = None,
        limits: Limits = QUICK,
        repeats: int = 1,
        data: Path = Path(),
        store: str = "s.sqlite",
        **options: Any,
    ) -> Engine:
        with serving(server) as url:
            # The address is part of an answer's key; a fixed name keeps it the same over servers.
            model = OpenAICompatible("m", ModelOptions(base_url=url, **{"concurrency": 16, "timeout": 20.0, **options}))
            model.settings = {"base_url": "http://fixed/v1"}
            opened = ResponseStore(tmp_path / store)
            engine = Engine(
                model=model,
                converse=converse or (lambda item: protocols.get(protocol).converse(BENCHMARK, item, PRESET)),
                preset=PRESET,
                data=data,
                frames=FrameStore(tmp_path / "frames"),
                store=opened,
                limits=limits,
            )
            try:
                asyncio.run(engine.run(items, repeats))
            finally:
                opened.close()
        return engine

    return go


def stored(tmp_path: Path) -> list[dict[str, Any]]:
    opened = ResponseStore(tmp_path / "s.sqlite")
    rows = list(opened.export())
    opened.close()
    return rows


def test_every_item_is_asked_once_and_many_at_a_time(run: Run, items: list[Item], tmp_path: Path) -> None:
    server = Server(latency=0.02, answer="2")
    engine = run(server, items, timeout=60.0)  # a call that a busy machine makes slow would be tried again
    assert {o.id for o in engine.outcomes.values() if isinstance(o, Response)} == {i.id for i in items}
    assert server.requests == 200
    assert 8 <= server.peak <= 16
    assert len(stored(tmp_path)) == 200


FAULTS = {
    "429": 0.04,
    "500": 0.04,
    "cut": 0.04,
    "malformed": 0.03,
    "html": 0.02,
    "shape": 0.02,
    "stall": 0.005,
    "slow": 0.005,
}


def test_with_a_fifth_of_all_calls_failing_every_item_is_answered(run: Run, items: list[Item], tmp_path: Path) -> None:
    server = Server(faults=FAULTS, answer="2", seed=4)
    engine = run(server, items, timeout=0.5)
    assert all(isinstance(o, Response) and o.response == "2" for o in engine.outcomes.values())
    assert len(engine.outcomes) == 200
    assert sum(server.faulted.values()) > 25
    # A loaded machine may miss the limit of half a second without a fault of the server, and where the first call does,
    # another question takes its turn.
    more = engine.tally.called - 200
    assert sum(server.faulted.values()) <= more
    assert more - 1 <= engine.tally.retried <= more
    rows = stored(tmp_path)
    assert [row["response"]["response"] for row in rows] == ["2"] * 200


@pytest.mark.parametrize("fault", ["429", "503", "500", "cut", "malformed", "html", "shape", "stall", "slow"])
def test_a_call_that_never_succeeds_is_a_failure_and_never_stored(
    run: Run, items: list[Item], tmp_path: Path, fault: str
) -> None:
    class BreaksDown(Server):
        def _draw(self, pictures: list[str]) -> str | None:
            return fault if self.requests > 1 else None

    server = BreaksDown(answer="2", retry_after=0.01)
    # Only these two are noticed by the time: with so short a limit a loaded machine would miss the first answer, too.
    timeout = 0.5 if fault in ("stall", "slow") else 30
    engine = run(server, items[:6], limits=Limits(retries=1, base_delay=0.01), timeout=timeout)
    lost = [o for o in engine.outcomes.values() if isinstance(o, Failure)]
    assert len(lost) == 5
    assert all(f"item {o.id}: " in o.message and o.attempts == 2 for o in lost)
    assert len(stored(tmp_path)) == 1


@pytest.mark.parametrize("fault", ["429", "500", "cut", "malformed", "stall"])
def test_an_endpoint_that_never_answers_is_told_after_a_few_tries(run: Run, items: list[Item], fault: str) -> None:
    server = Server(faults={fault: 1.0}, retry_after=0.01)
    with pytest.raises(EndpointError, match="Nothing else was sent"):
        run(server, items, timeout=0.1)
    assert server.requests <= 5


def test_an_endpoint_that_asks_for_a_day_is_not_waited_for(run: Run, items: list[Item]) -> None:
    class Tomorrow(Server):
        def _draw(self, pictures: list[str]) -> str | None:
            return "429" if self.requests > 10 else None

    server = Tomorrow(retry_after=86_400)
    with pytest.raises(EndpointError, match=r"8 failures in a row and it asks for a pause of 24 h\.$"):
        run(server, items)
    assert server.requests <= 40


def test_calls_that_wait_for_a_place_keep_the_pause_too(run: Run, items: list[Item]) -> None:
    class Burst(Server):
        times: ClassVar[list[float]] = []

        def _draw(self, pictures: list[str]) -> str | None:
            self.times.append(time.monotonic())
            return "429" if 9 <= self.requests <= 12 else None

    server = Burst(latency=0.05, retry_after=0.5)
    run(server, items[:40], concurrency=4)
    refused = server.times[11]
    assert not [t for t in server.times[12:] if t < refused + 0.4]


def test_an_empty_answer_is_an_answer(run: Run, items: list[Item], tmp_path: Path) -> None:
    engine = run(Server(faults={"empty": 1.0}), items[:3])
    assert all(isinstance(o, Response) and o.response == "" for o in engine.outcomes.values())
    assert len(stored(tmp_path)) == 3


@pytest.mark.parametrize(
    ("fault", "sentence"), [("401", "is the key in OPENAI_API_KEY right"), ("404", "does the endpoint serve 'm'")]
)
def test_an_endpoint_that_refuses_is_told_by_the_first_call_alone(
    run: Run, items: list[Item], fault: str, sentence: str
) -> None:
    server = Server(faults={fault: 1.0})
    with pytest.raises(EndpointError, match=sentence):
        run(server, items)
    assert server.requests == 1


def test_retry_after_is_honoured_and_the_limit_shrinks(run: Run, items: list[Item]) -> None:
    class Busy(Server):
        def _draw(self, pictures: list[str]) -> str | None:
            return "429" if 20 <= self.requests < 24 else None

    server = Busy(answer="2", latency=0.005, retry_after=0.4)
    started = time.monotonic()
    engine = run(server, items[:60])
    assert time.monotonic() - started > 0.4
    assert all(isinstance(o, Response) for o in engine.outcomes.values())
    assert server.faulted["429"] == 4
    assert engine.callers["model"].throttle.limit < 16


def test_a_second_run_asks_nothing_twice(run: Run, items: list[Item]) -> None:
    run(Server(answer="2"), items[:50])
    server = Server(answer="other")
    engine = run(server, items[:60])
    assert server.requests == 10
    assert engine.tally.reused == 50
    assert [engine.outcomes[i.id, 0].response for i in items[:60]] == ["2"] * 50 + ["other"] * 10  # type: ignore[union-attr]


def test_failures_are_asked_again(run: Run, items: list[Item]) -> None:
    class Half(Server):
        def _draw(self, pictures: list[str]) -> str | None:
            return "500" if self.requests > 10 else None

    first = run(Half(answer="2"), items[:20], limits=Limits(retries=0), concurrency=1)
    lost = [o for o in first.outcomes.values() if isinstance(o, Failure)]
    assert len(lost) == 10
    server = Server(answer="2")
    run(server, items[:20])
    assert server.requests == 10


def test_repeats_are_asked_and_stored_apart(run: Run, items: list[Item], tmp_path: Path) -> None:
    server = Server()
    engine = run(server, items[:5], repeats=3)
    assert server.requests == 15
    assert set(engine.outcomes) == {(str(i), r) for i in range(5) for r in range(3)}
    assert len(stored(tmp_path)) == 15


def test_the_time_limit_ends_a_run(run: Run, items: list[Item]) -> None:
    engine = run(Server(latency=0.2), items, limits=Limits(run_seconds=0.7), concurrency=4)
    kinds = {o.kind for o in engine.outcomes.values() if isinstance(o, Failure)}
    assert kinds == {FailureKind.INTERRUPTED}
    assert 0 < sum(isinstance(o, Response) for o in engine.outcomes.values()) < 200


def test_tokens_are_summed_over_the_turns_of_a_conversation(run: Run, items: list[Item], tmp_path: Path) -> None:
    def converse(item: Item) -> Conversation:
        first = yield Ask((Message(parts=(f"Think about {item.id}.",)),))
        history = (Message(parts=(f"Think about {item.id}.",)), Message(role="assistant", parts=(first.response,)))
        second = yield Ask((*history, Message(parts=("So?",))))
        third = yield Ask((*history, Message(parts=("So?",))), draw=1)
        return second.response + third.response

    server = Server(answer="x")
    engine = run(server, items[:2], converse=converse)
    outcome = engine.outcomes["0", 0]
    assert isinstance(outcome, Response)
    assert outcome.response == "xx"
    assert outcome.usage.output_tokens == 3
    assert server.requests == 6
    assert len(stored(tmp_path)) == 6
    assert [m["role"] for m in server.bodies[-1]["messages"]] == ["user", "assistant", "user"]


def test_a_conversation_without_a_benchmark_finds_the_answers_to_the_same_messages(
    run: Run, items: list[Item], tmp_path: Path
) -> None:
    run(Server(answer="2"), items[:3])

    def converse(item: Item) -> Conversation:
        response = yield Ask((BENCHMARK.blind_prompt(item, PRESET),))
        return response.response * 2

    server = Server(answer="3")
    engine = run(server, items[:4], converse=converse)
    texts = [one.response for one in engine.outcomes.values() if isinstance(one, Response)]
    assert texts == ["22", "22", "22", "33"]
    assert (server.requests, engine.tally.reused) == (1, 3)
    assert len(stored(tmp_path)) == 4


def test_missing_and_broken_videos_are_one_failure_each_and_the_rest_goes_on(
    run: Run, items: list[Item], tmp_path: Path
) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(tmp_path / "good.mp4", 40)
    (tmp_path / "broken.mp4").write_bytes(b"no video at all")
    paths = ["good.mp4", "broken.mp4", "missing.mp4"] * 3
    shown = [
        item.model_copy(update={"media": (Media(kind="video", path=path),)})
        for item, path in zip(items, paths, strict=False)
    ]
    server = Server(answer="2")
    engine = run(server, shown, protocol="direct", data=tmp_path)
    for item in shown:
        outcome = engine.outcomes[item.id, 0]
        if item.media[0].path == "good.mp4":
            assert isinstance(outcome, Response)
        else:
            assert isinstance(outcome, Failure)
            assert outcome.kind == FailureKind.MEDIA
            assert item.media[0].path in outcome.message
            assert f"item {item.id}" in outcome.message
    assert server.requests == 3
    assert set(server.pictures.values()) == {3}
    assert len(server.pictures) == 32


def test_an_endpoint_that_refuses_images_is_told_by_the_first_call(run: Run, items: list[Item], tmp_path: Path) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    for number in range(3):
        write_video(tmp_path / f"{number}.mp4", 40)
    videos = [(Media(kind="video", path=f"{number}.mp4"),) for number in range(3) for _ in range(9)]
    shown = [item.model_copy(update={"media": media}) for item, media in zip(items, videos, strict=False)]
    server = Server(faults={"images": 1.0})
    with pytest.raises(
        EndpointError, match=r"this model takes no images. 3 questions were tried. Nothing else was sent"
    ):
        run(server, shown, protocol="direct", data=tmp_path)
    assert server.requests < 27
