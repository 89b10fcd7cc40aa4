"""Watching a run while it goes on, after its end, and after it was killed."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from aiohttp import web

from explorers import CHROMIUM, browsing
from loopback import Server, serving
from terminal import refused, tolman
from tolman.item_table import write_items
from tolman.items import Item


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Twelve questions of two types, two about each scene."""
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "benchmark.json").write_text(json.dumps({"title": "Rooms", "scoring_profile": "vsi-bench"}))
    kinds = ({"kind": "number", "answer": "2"}, {"kind": "choice", "answer": "A", "options": ("bed", "sofa")})
    tasks = ("object_counting", "object_rel_distance")
    items = [
        Item(id=f"q{n}", question=f"Question {n}?", scene=f"s{n // 2}", task=tasks[n % 2], **kinds[n % 2])
        for n in range(12)
    ]
    write_items(folder / "items.parquet", items)
    return tmp_path


class Gated(Server):
    """Answers six requests, the third with an error, and the others when the gate is opened, the ninth with an error."""

    is_shut = True

    async def complete(self, request: web.Request) -> web.StreamResponse:
        while self.is_shut and self.requests >= 6:
            await asyncio.sleep(0.05)
        return await super().complete(request)

    def _draw(self, pictures: list[str]) -> str | None:
        return "500" if self.requests in (3, 9) else None


def command(url: str) -> tuple[str, ...]:
    return (
        "run", "./bench", "--model", "openai/my-model", "--base-url", url, "--out", "run", "--concurrency", "1",
        "--retries", "0", "--store", "s.sqlite",
    )  # fmt: skip


def start(place: Path, *words: str) -> subprocess.Popen[str]:
    own = {**os.environ, "TOLMAN_CACHE": str(place / "cache"), "OPENAI_API_KEY": "none"}
    return subprocess.Popen(
        [sys.executable, "-m", "tolman", *words], cwd=place, env=own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, process_group=0,
    )  # fmt: skip


@contextmanager
def watching(place: Path, said: list[str], folder: str = "run") -> Iterator[str]:
    """The address of the live page; `said` gets the command's lines."""
    process = start(place, "watch", folder, "--no-browser")
    assert process.stdout is not None
    try:
        said.append(process.stdout.readline())
        yield said[0].split("Page: ")[1].split()[0]
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=60)[0].splitlines()
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()


def until(look: Callable[[], Any], seconds: float = 120) -> Any:
    """The first result of a look that isn't empty."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end
        time.sleep(0.2)
    return found


def text_of(address: str) -> str:
    """The words of the page, without scripts and settings."""
    page = urlopen(address).read().decode()
    page = re.sub(r"<(style|script|svg|details)\b.*?</\1>", "", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_a_run_is_watched_to_its_end(place: Path) -> None:
    said: list[str] = []
    server = Gated()
    with serving(server) as url:
        run = start(place, *command(url))
        until(lambda: server.requests == 6)
        with watching(place, said) as address:
            during = until(
                lambda: "Scores so far" in (text := text_of(address)) and "goes on: 6 of 12" in text and text
            )
            assert said[0].startswith("run goes on: 6 of 12 answers. Page: http://127.0.0.1:")
            assert re.search(r"[\d.]+ s so far, about [\d.]+ (s|min) left 6 calls, 0 answers from the store", during)
            assert "Obj. Count 2 1 6 Rel. Dist. 3 0 6" in during
            assert "1 × server, the last: item q" in during
            server.is_shut = False
            run.communicate(timeout=120)
            after = text_of(address)
            assert "has ended: 10 of 12 answered; the same command asks the others again." in after
            assert "2 × server, the last: item q" in after
            assert "Scores so far" not in after
            with pytest.raises(OSError, match="403"):
                urlopen(Request(address, headers={"Host": "elsewhere.example"}))
        assert said[1:] == ["No longer watching; no run is affected."]
        assert sorted(path.name for path in (place / "run").glob("*progress*")) == []


def test_a_run_that_was_killed_says_so_and_goes_on(place: Path) -> None:
    server = Gated()
    with serving(server) as url:
        run = start(place, *command(url))
        until(lambda: server.requests == 6)
        run.kill()
        run.communicate()
        with watching(place, []) as address:
            assert re.search(r"was killed after [56] of 12 answers; the same command resumes it", text_of(address))
            with (place / "run" / "progress.jsonl").open("a") as file:
                file.write('{"at": 1, "outcome": {"id"')  # cut off
            assert re.search(r"was killed after [56] of 12", text_of(address))
            server.is_shut = False
            tolman(place, *command(url), code=1)  # the ninth request
            tolman(place, *command(url), code=0)
            assert "is finished: 12 of 12 answered." in text_of(address)


def test_the_runs_of_a_suite_are_watched(place: Path) -> None:
    """One finished, one that stands still, and one that begins while the page is open."""
    said: list[str] = []
    server = Gated()
    with serving(Server()) as url:
        tolman(place, *command(url)[:6], "--out", "all/bench/first", "--store", "s.sqlite", code=None)
    with serving(server) as url:
        rest = "--retries 0 --out all/bench/second --concurrency 1 --store t.sqlite"
        second = start(place, *command(url)[:6], *rest.split())
        until(lambda: server.requests == 6)
        with watching(place, said, "all") as address:
            assert said[0].startswith("all has 2 runs that began; 1 at work. Page: http://127.0.0.1:")
            page = until(lambda: "goes on: 6 of 12" in (text := text_of(address)) and text)
            assert re.search(r"is finished: 12 of 12 answered.*? 0 100 % 100 % 50\.00†‡§ 25\.0–75\.0", page)
            assert re.search(r"goes on: 6 of 12 answers. .*? 1 50 % 50 % – ", page)
            assert "Scores so far" in until(
                lambda: "Obj. Count 2" in (text := text_of(f"{address}bench/second")) and text
            )
            server.is_shut = False
            second.communicate(timeout=120)
            with pytest.raises(OSError, match="404"):
                urlopen(f"{address}bench/third")
            tolman(place, *command(url)[:6], "--out", "all/bench/third", "--store", "t.sqlite", code=None)
            assert "all has 3 runs that began; 0 at work." in text_of(address)
    assert said[1:] == ["No longer watching; no run is affected."]


def test_a_folder_without_a_run_is_refused(place: Path) -> None:
    assert refused(place, "watch", "bench", "--no-browser") == (
        "bench: is no run folder (it has no run.json); give a folder that 'tolman run' wrote."
    )


@pytest.mark.full
def test_the_page_changes_in_place(place: Path) -> None:
    if not Path(CHROMIUM).exists():
        pytest.skip("Chromium is not installed (Debian's package chromium)")
    pytest.importorskip("playwright.sync_api", reason="the browser is driven by Playwright")
    with serving(Server(latency=0.5)) as url, browsing() as browser:
        run = start(place, *command(url))
        until(lambda: (place / "run" / "progress.jsonl").exists())
        with watching(place, []) as address:
            page, wrong = browser.new_page(), []
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
            page.goto(address)
            page.evaluate("document.querySelector('h1').kept = true")
            until(lambda: "is finished: 12 of 12" in page.evaluate("document.body.textContent"))
            assert page.evaluate("document.querySelector('h1').kept")  # the same element as before
            assert page.title() == "100 % · openai/my-model"
            assert wrong == []
        run.communicate()
