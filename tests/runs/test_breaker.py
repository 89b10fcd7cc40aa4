"""Endpoints that go down for good or for a while: few further requests, a sentence, and everything answered is kept."""

import asyncio
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from fleet import Endpoint, free_port, in_turn, serving_later
from loopback import Server, serving
from runs.letters import write_letters
from terminal import tolman
from tolman import benchmarks, protocols
from tolman.errors import EndpointError
from tolman.items import Item
from tolman.media.frame_store import FrameStore
from tolman.models.model import CallError, ModelOptions
from tolman.models.openai import OpenAICompatible
from tolman.responses import Failure, FailureKind, Response
from tolman.runs.engine import Engine, Limits
from tolman.runs.flow_control import Breaker, Watcher
from tolman.runs.response_store import ResponseStore

BENCHMARK = benchmarks.get("vsi-bench")
PRESET, BLIND = BENCHMARK.presets[0], protocols.get("blind")
QUICK = Limits(base_delay=0.01, most_delay=0.6, give_up_seconds=2.0)
"""The defaults, fifty times as fast: as many probes fit in."""
SIBLINGS = tuple(pytest.param(fault, marks=pytest.mark.full) for fault in ("cut", "loading", "malformed"))
"""Faults that end as those of `make test` do."""


@pytest.fixture
def items(number: Callable[..., Item]) -> list[Item]:
    return [number(id=str(i)).model_copy(update={"question": f"How many {i}?"}) for i in range(100)]


def test_an_address_is_back_with_the_first_answer_to_a_request_sent_since_it_was_away() -> None:
    breaker, cut = Breaker("m", Limits()), time.monotonic()
    breaker.failed(CallError(FailureKind.NETWORK, "nothing listens", retry=True, scope="absent"), cut)
    breaker.failed(CallError(FailureKind.NETWORK, "cut", retry=True), cut)  # was on its way, and is noticed later
    assert not breaker.is_back(cut)
    breaker.answered(cut)  # a late answer of the server before
    later = time.monotonic() + 1
    assert breaker.is_back(later)
    breaker.answered(later)
    assert not breaker.is_back(later + 1)


class Asking:
    """Runs of the engine in one folder, and what they noted."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.notes: list[str] = []

    def __call__(self, url: str, items: list[Item], limits: Limits = QUICK, **more: Any) -> Engine:
        model = OpenAICompatible("m", ModelOptions(base_url=url, timeout=5.0))
        store = ResponseStore(self.place / "s.sqlite")
        self.engine = Engine(
            model=model, converse=lambda item: BLIND.converse(BENCHMARK, item, PRESET), preset=PRESET,
            data=self.place, frames=FrameStore(self.place), store=store, limits=limits,
            watcher=Watcher(self.notes.append, **more),
        )  # fmt: skip
        try:
            asyncio.run(self.engine.run(items))
        finally:
            store.close()
        return self.engine

    @property
    def answered(self) -> int:
        return sum(isinstance(one, Response) for one in self.engine.outcomes.values())


@pytest.fixture
def asking(tmp_path: Path) -> Asking:
    return Asking(tmp_path)


def dies(number: int) -> Callable[[str], Callable[[int], str | None]]:
    return lambda fault: lambda request: fault if request > number else None


class Dying(Endpoint):
    """Answers what it took before it goes down, and fails from then on."""

    async def _misbehave(self, request: web.Request, fault: str) -> web.StreamResponse:
        while sum(self.answered.values()) < 20:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        return await super()._misbehave(request, fault)


@pytest.mark.full
@pytest.mark.parametrize("fault", ["500", "401", *SIBLINGS])
def test_an_endpoint_that_dies_for_good_gets_at_most_fifty_further_requests(
    asking: Asking, items: list[Item], fault: str
) -> None:
    server = Dying(dies(20)(fault), latency=0.02)
    with serving(server) as url, pytest.raises(EndpointError, match=r"failures in a row and no answer for .*--wait"):
        asking(url, items)
    assert asking.answered == 20
    assert server.requests - 20 <= 50
    assert any("Calls pause; one is tried in" in note for note in asking.notes)


@pytest.mark.full
def test_with_the_defaults_it_ends_within_two_minutes(asking: Asking, items: list[Item]) -> None:
    server = Endpoint(dies(20)("500"), latency=0.2)
    began = time.monotonic()
    with serving(server) as url, pytest.raises(EndpointError):
        asking(url, items, Limits())
    assert time.monotonic() - began < 120
    assert server.requests - 20 <= 50


def test_an_endpoint_that_comes_back_on_its_port_is_gone_on_with(asking: Asking, items: list[Item]) -> None:
    first, second = Endpoint(latency=0.05), Endpoint(latency=0.01)
    with in_turn(first, second, after=40, pause=1.5) as url:
        asking(url, items, Limits(base_delay=0.01, most_delay=0.3, wait_seconds=60.0))
    assert asking.answered == 100
    assert second.requests > 0
    assert any("is the server running?" in note for note in asking.notes)
    assert sum("answers again after" in note for note in asking.notes) == 1


@pytest.mark.parametrize("fault", ["500", *SIBLINGS[:2]])
def test_a_pause_of_the_endpoint_costs_no_item_its_tries(asking: Asking, items: list[Item], fault: str) -> None:
    server = Endpoint(lambda number: fault if number > 20 and time.monotonic() < server.times[20] + 1.0 else None)
    with serving(server) as url:
        asking(url, items)
    assert asking.answered == 100
    assert server.requests - 100 <= 50


def test_only_one_call_is_tried_while_others_wait(asking: Asking, items: list[Item]) -> None:
    server = Endpoint(lambda number: "500" if 20 < number <= 70 else None, latency=0.02)
    with serving(server) as url, pytest.raises(EndpointError):
        asking(url, items, Limits(base_delay=0.05, most_delay=0.4, give_up_seconds=2.5))
    late = [b - a for a, b in zip(server.times[-4:], server.times[-3:], strict=False)]
    assert min(late) > 0.35


def test_a_question_that_the_server_breaks_on_is_one_failure(asking: Asking, items: list[Item]) -> None:
    class Poisoned(Server):
        def _draw(self, pictures: list[str]) -> str | None:
            return "500" if "How many 7?" in json.dumps(self.bodies[-1]) else None

    with serving(Poisoned()) as url:
        asking(url, items[:12])
    lost = [one.id for one in asking.engine.outcomes.values() if isinstance(one, Failure)]
    assert lost == ["7"]
    assert asking.notes == []


@pytest.mark.parametrize("fault", ["quota", "402"])
def test_used_up_credit_ends_the_run_at_once(asking: Asking, items: list[Item], fault: str) -> None:
    server = Endpoint(dies(20)(fault), latency=0.02)
    with serving(server) as url, pytest.raises(EndpointError, match=r"HTTP (429: You exceeded|402: Insufficient)"):
        asking(url, items)
    assert server.requests - 20 <= 32
    assert asking.answered == 20


def test_a_server_that_is_started_with_the_run_is_waited_for(asking: Asking, items: list[Item]) -> None:
    server = Endpoint(lambda number: "loading" if number < 2 else None)
    with serving_later(server, 1.0, free_port()) as url:
        asking(url, items[:20], Limits(base_delay=0.05, wait_seconds=30.0))
    assert asking.answered == 20
    assert server.requests == 21
    assert len(asking.notes) == 1
    assert asking.notes[0].endswith("is the server running? Waiting for it, 30 s at most.")


def test_waiting_ends_too(asking: Asking, items: list[Item]) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    sentence = r"is the server running\? It was waited for .* s \(--wait\)\. Nothing else was sent\."
    with pytest.raises(EndpointError, match=sentence):
        asking(url, items, Limits(base_delay=0.05, wait_seconds=0.7))
    assert asking.engine.outcomes == {}


def test_what_can_not_come_back_is_not_waited_for(asking: Asking, items: list[Item]) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    began = time.monotonic()
    with pytest.raises(EndpointError, match="the server ended"):
        asking(url, items, Limits(wait_seconds=60.0), gone=lambda: "the server ended.")
    assert time.monotonic() - began < 60  # the wait


def test_a_refused_connection_asks_whether_the_server_runs(asking: Asking, items: list[Item]) -> None:
    with pytest.raises(EndpointError) as error:
        asking(f"http://127.0.0.1:{free_port()}/v1", items)
    assert "nothing listens at this address; is the server running? Nothing else was sent." in str(error.value)
    assert "ssl" not in str(error.value)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_letters(tmp_path / "bench", 100)


def command(url: str, *more: str) -> tuple[str, ...]:
    return ("run", "./bench", "--model", "openai/m", "--base-url", url, "--out", "run", "--store", "s.sqlite", *more)


def test_a_run_without_an_end_is_scored_as_a_part_and_gone_on_with(place: Path) -> None:
    with serving(Endpoint(dies(20)("quota"), latency=0.02)) as url:
        done = tolman(place, *command(url), code=1)
    sentence = "You exceeded your current quota. 20 of 100 answered and kept; run the same command again to resume."
    assert sentence in " ".join(done.stderr.split())
    assert "INCOMPLETE" in done.stdout
    scores = json.loads((place / "run" / "scores.json").read_text())
    assert scores["unanswered"] == {"failed": 0, "missing": 80}


def test_waits_and_costs_that_can_not_be_read_are_one_sentence(place: Path) -> None:
    for more, sentence in (
        (("--wait", "soon"), "tolman: --wait takes a duration such as 90s, 20m or 2h, not 'soon'.\n"),
        *(
            ((option, "inf"), f"tolman: {option} takes a finite number, not inf.\n")
            for option in ("--max-cost", "--time-limit")
        ),
        (
            ("--body", '{"seed": NaN}'),
            "tolman: --body takes a JSON object, and '{\"seed\": NaN}' is none (JSON has no number NaN).\n",
        ),
        (("--max-cost", "3"), "tolman: --max-cost needs the prices of tokens; name a file of them with --prices.\n"),
    ):
        done = tolman(place, *command("http://127.0.0.1:9/v1", *more))
        assert (done.returncode, done.stderr) == (2, sentence)
    finite = "tolman: --time-limit takes a finite number, not nan.\n"  # Typer lets NaN through, or does not
    for option in ("--retries", "--time-limit"):
        for value in ("-1", "nan"):
            done = tolman(place, *command("http://127.0.0.1:9/v1", option, value))
            refused = f"Invalid value for '{option}'" in done.stderr or (value == "nan" and done.stderr == finite)
            assert (done.returncode, refused) == (2, True), (option, value)


def test_a_run_ends_where_its_money_does(place: Path) -> None:
    (place / "prices.json").write_text(json.dumps({"openai/m": {"input": 0, "output": 1_000_000}}))
    server = Endpoint(latency=0.02, answer="A")  # costs 1
    with serving(server) as url:
        done = tolman(place, *command(url, "--prices", "prices.json", "--max-cost", "30"), code=1)
        assert server.requests == 30
        assert "This call of the run has cost 30 of at most 30 (--max-cost): 30 of 100 answered and kept" in done.stderr
        assert "INCOMPLETE" in done.stdout
        tolman(place, *command(url, "--prices", "prices.json", "--max-cost", "80"), code=0)
    assert server.requests == 100


class Uncounted(Endpoint):
    """Reports the tokens of prompts alone."""

    async def complete(self, request: web.Request) -> web.StreamResponse:
        reply = await super().complete(request)
        assert isinstance(reply, web.Response)
        return web.json_response({**json.loads(str(reply.text)), "usage": {"prompt_tokens": 9}})


def test_replies_without_token_counts_cost_what_their_text_would(place: Path) -> None:
    (place / "prices.json").write_text(json.dumps({"openai/m": {"input": 0, "output": 1_000_000}}))
    server = Uncounted(latency=0.02, answer="Answer A")  # eight letters: costs 2
    with serving(server) as url:
        done = tolman(place, *command(url, "--prices", "prices.json", "--max-cost", "30"), code=1)
        assert server.requests == 15
        told = " ".join(done.stderr.split())
        assert "openai/m doesn't report all tokens, so --max-cost can't be held" in told
        assert "15 replies without full token counts, cost at least 30.00" in told
        more = tolman(place, *command(url, "--prices", "prices.json"), code=0)
    assert "--max-cost" not in more.stderr
    responses = [json.loads(line) for line in (place / "run" / "responses.jsonl").read_text().splitlines()]
    assert {one.get("cost") for one in responses} == {None}


def test_totals_of_answers_say_that_some_were_not_counted(place: Path) -> None:
    class Half(Uncounted):
        async def complete(self, request: web.Request) -> web.StreamResponse:
            return await (super() if self.requests % 2 else super(Uncounted, self)).complete(request)

    (place / "prices.json").write_text(json.dumps({"openai/m": {"input": 0, "output": 1_000_000}}))
    with serving(Half(answer="A")) as url:
        done = tolman(place, *command(url, "--prices", "prices.json", "--limit", "20"))
    usage = json.loads((place / "run" / "scores.json").read_text())["usage"]
    assert 0 < usage["uncounted"] < 20
    assert re.search(
        rf"cost at least {20 - usage['uncounted']}\.00, {usage['uncounted']} answers? without full token counts\.",
        done.stdout,
    )
