"""Prompts that always fail are failures of their items, and a run always ends in a table: whole commands, real HTTP."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from fleet import Endpoint, free_port
from loopback import serving
from runs.letters import write_letters
from terminal import tolman
from tolman.models.model import ModelOptions
from tolman.runs.flow_control import Limits
from tolman.runs.request import RunRequest
from tolman.runs.run import run

ITEMS = 300


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_letters(tmp_path / "bench", ITEMS)


def command(url: str, *more: str) -> tuple[str, ...]:
    return ("run", "./bench", "--model", "openai/m", "--base-url", url, "--out", "run", "--store", "s.sqlite", *more)


class Poisoned(Endpoint):
    """A server that answers some questions with the same status whenever they are asked.

    Args:
        status: of HTTP.
        bad: numbers of these questions.
        dies: number of requests after which every question fails.
    """

    def __init__(self, status: int, bad: set[int], *, dies: int | None = None) -> None:
        super().__init__(latency=0.005)
        self.status, self.bad, self.dies = status, bad, dies
        self.asked: list[int] = []

    async def complete(self, request: web.Request) -> web.StreamResponse:
        number = int(re.findall(r"Question (\d+)\?", await request.text())[0])
        self.asked.append(number)
        if number in self.bad or (self.dies is not None and len(self.asked) > self.dies):
            return web.json_response({"error": {"message": f"no answer to {number}"}}, status=self.status)
        return await super().complete(request)


def failed(place: Path) -> set[int]:
    rows = (json.loads(line) for line in (place / "run" / "responses.jsonl").read_text().splitlines())
    return {int(row["id"]) for row in rows if "failure" in row}


def scores(place: Path) -> Any:
    return json.loads((place / "run" / "scores.json").read_text())


BAD = {0, 1, 7, *range(285, 300)}
"""The first two, one in between, and all of the last: in the end only these are in flight."""


@pytest.mark.parametrize(
    ("status", "retries"),
    [(500, "0"), (502, "0"), (503, "0"), *(pytest.param(one, "2", marks=pytest.mark.full) for one in (500, 502, 503))],
)
def test_prompts_that_always_fail_are_failures_of_their_items(place: Path, status: int, retries: str) -> None:
    server = Poisoned(status, BAD)
    with serving(server) as url:
        done = tolman(place, *command(url, "--retries", retries, "--concurrency", "8"), code=1)
        assert f"INCOMPLETE: openai/m: {len(BAD)} failed of {ITEMS} items" in " ".join(done.stdout.split())
        assert failed(place) == BAD
        assert (place / "run" / "report.html").exists()
        server.asked.clear()
        tolman(place, *command(url, "--retries", retries, "--concurrency", "8"), code=1)
    assert failed(place) == BAD
    good = [number for number in server.asked if number not in BAD]
    assert len(set(good)) <= 1  # one that was answered before shows that the endpoint is up
    assert len(good) <= 5
    server.bad = set()
    with serving(server) as url:
        tolman(place, *command(url, "--label", "mended"), code=0)


@pytest.mark.full
@pytest.mark.parametrize("status", [500, 503])
def test_an_endpoint_that_dies_half_way_ends_in_an_incomplete_table(place: Path, status: int) -> None:
    server = Poisoned(status, set(), dies=100)
    said: list[str] = []
    with serving(server, port := free_port()) as url:
        request = RunRequest(
            benchmark=str(place / "bench"), model="openai/m", out=place / "run", store=place / "s.sqlite",
            options=ModelOptions(base_url=url, api_key="none", concurrency=8),
            limits=Limits(base_delay=0.01, most_delay=0.6, give_up_seconds=2.0),
        )  # fmt: skip
        _, figures = run(request, noted=said.append)
    assert figures["unanswered"] == {"failed": 0, "missing": 200}
    assert said[-1].endswith("100 of 300 answered and kept; run the same command again to resume.")
    assert len(server.asked) <= 150
    assert "INCOMPLETE: openai/m: 200 missing of 300 items" in tolman(place, "report", "run", COLUMNS="200").stdout
    server.dies = None
    server.asked.clear()
    with serving(server, port) as url:
        tolman(place, *command(url), code=0)
    assert len(server.asked) == 200


@pytest.mark.parametrize(("count", "sent"), [("300", 5), ("1", 1), ("2", 2)])
def test_an_endpoint_that_answers_none_is_one_sentence(place: Path, count: str, sent: int) -> None:
    server = Poisoned(500, set(range(ITEMS)))
    with serving(server) as url:
        done = tolman(place, *command(url, "--limit", count, "--retries", "0"), code=2)
    assert "no answer to" in done.stderr.splitlines()[-1]
    assert len(server.asked) == sent
