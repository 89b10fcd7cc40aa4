"""Several addresses: the least loaded first, a video's questions together, a dead one left out and looked at again."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from fleet import Endpoint, free_port, in_turn
from loopback import Server, serving
from runs.letters import write_letters
from terminal import tolman
from tolman.errors import UsageError
from tolman.items import Item, Media
from tolman.models import create
from tolman.models.model import ModelOptions
from tolman.models.servers import Fleet

ITEMS = 90


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Ninety questions about nine pictures."""
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    write_letters(tmp_path / "bench", ITEMS, media=lambda i: (Media(kind="image", path=f"{i // 10}.png"),))
    for number in range(ITEMS // 10):
        pillow.new("RGB", (16, 16), (20 * number, 0, 0)).save(tmp_path / "bench" / f"{number}.png")
    return tmp_path


def command(*urls: str, more: tuple[str, ...] = ()) -> tuple[str, ...]:
    return (
        "run", "./bench", "--model", "openai/m", "--base-url", ",".join(urls), "--out", "run", "--store", "s.sqlite",
        "--label", "x", "--frame-store", "frames", *more,
    )  # fmt: skip


class Together(Endpoint):
    """Counts the requests that several servers have at a time."""

    now = most = 0

    async def complete(self, request: web.Request) -> web.StreamResponse:
        Together.now += 1
        Together.most = max(Together.most, Together.now)
        try:
            return await super().complete(request)
        finally:
            Together.now -= 1


class Patient(Endpoint):
    """Takes its time after twenty requests, so that another server is looked at again before the run is over.

    Args:
        other: the server that comes back.
    """

    def __init__(self, other: Endpoint, **more: Any) -> None:
        super().__init__(**more)
        self.other = other

    async def complete(self, request: web.Request) -> web.StreamResponse:
        self.latency = 0.1 if self.requests < 20 else 0.25 if self.other.looks else 0.8
        return await super().complete(request)


def pictures_of(server: Server) -> set[str]:
    return set(server.pictures)


def counts(place: Path) -> list[dict[str, int]]:
    usage = json.loads((place / "run" / "usage.json").read_text())
    return list(usage["addresses"].values())


def test_questions_about_one_video_stay_on_one_address_and_all_are_used(place: Path) -> None:
    servers = [Together(latency=0.03) for _ in range(3)]
    with ExitStack() as held:
        urls = [held.enter_context(serving(server)) for server in servers]
        tolman(place, *command(*urls, more=("--concurrency", "12")), code=0)
    assert sum(server.requests for server in servers) == ITEMS
    seen = [pictures_of(server) for server in servers]
    assert sum(len(one) for one in seen) == len(set().union(*seen)) == ITEMS // 10
    assert all(20 <= server.requests <= 60 for server in servers)
    assert 6 < Together.most <= 12
    assert [one["called"] for one in counts(place)] == [server.requests for server in servers]


def test_an_address_that_dies_is_left_out_and_comes_back(place: Path) -> None:
    first, second = Endpoint(latency=0.05), Endpoint(latency=0.05)
    stays = Patient(second)
    with serving(stays) as url, in_turn(first, second, after=15, pause=0.3) as other:
        done = tolman(place, *command(url, other, more=("--concurrency", "4")), code=0)
    lines = [json.loads(line) for line in (place / "run" / "responses.jsonl").read_text().splitlines()]
    assert all("response" in line for line in lines)
    assert len(lines) == ITEMS
    assert "Other addresses are asked meanwhile." in done.stderr
    assert f"{other} answers again." in done.stderr
    assert second.requests > 5
    assert stays.requests > 20
    assert counts(place)[1]["failed"] >= 1
    assert "Calls pause" not in done.stderr


@pytest.mark.parametrize("fault", ["500", "429", "loading"])
def test_an_address_that_only_fails_costs_no_answer(place: Path, fault: str) -> None:
    good, bad = Endpoint(latency=0.02), Endpoint(lambda number: fault if number > 4 else None, retry_after=5.0)
    with serving(good) as url, serving(bad) as other:
        tolman(place, *command(url, other, more=("--concurrency", "8")), timeout=60, code=0)
    assert good.requests >= ITEMS - 4
    assert bad.requests < 30


def vllm(root: str, **more: Any) -> Endpoint:
    return Endpoint(listed=[{"id": "m", "owned_by": "vllm", "root": root}], **more)


def test_addresses_that_serve_different_weights_are_refused(place: Path) -> None:
    one, other = vllm("/ckpt/a"), vllm("/ckpt/b")
    with serving(one) as url, serving(other) as another:
        done = tolman(place, *command(url, another), code=2)
    assert done.stderr.splitlines()[-1] == (
        f"tolman: {url} serves /ckpt/a as m, and {another} serves /ckpt/b; addresses of one run must serve the same."
    )
    assert one.requests + other.requests == 0


def test_an_address_that_comes_back_with_other_weights_stays_out(place: Path) -> None:
    listed = [{"id": "m", "owned_by": "vllm", "root": "/a"}]
    first, second = vllm("/a", latency=0.05), vllm("/b")
    stays = Patient(second, listed=listed)
    with serving(stays) as url, in_turn(first, second, after=15, pause=0.2) as other:
        done = tolman(place, *command(url, other, more=("--concurrency", "4")), code=0)
    assert second.requests == 0
    assert f"{other} is left out for good: it serves /b now, and /a before." in done.stderr


def test_one_address_of_two_may_be_down_from_the_beginning(place: Path) -> None:
    server = vllm("/a")
    with serving(server) as url:
        tolman(place, *command(f"http://127.0.0.1:{free_port()}/v1", url), code=0)
    assert server.requests == ITEMS


def test_lists_of_addresses_that_make_no_sense_are_refused(choice: Callable[..., Item]) -> None:
    fleet = create("openai/m", ModelOptions(base_url="http://a:1/v1, http://b:2/v1/", api_key="k"))
    assert isinstance(fleet, Fleet)
    assert fleet.urls == ("http://a:1/v1", "http://b:2/v1")
    with pytest.raises(UsageError, match="names an address twice"):
        create("openai/m", ModelOptions(base_url="http://a:1/v1,http://a:1/v1/"))
    with pytest.raises(UsageError, match="must begin with http"):
        create("openai/m", ModelOptions(base_url="http://a:1/v1,b:2"))
    with pytest.raises(UsageError, match="takes several addresses for"):
        create("baseline/random", ModelOptions(base_url="http://a:1/v1,http://b:2/v1"))
