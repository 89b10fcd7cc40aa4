"""Simulated reviewers: they take a question, look, answer, decide and think in between, and ask as a browser does."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp

CSRF = re.compile(r'name="csrf" value="(\w+)"')
_MEDIUM = re.compile(r'src="(/media/\w+)')
_AGAIN_SECONDS = 2.0
"""After which a request without an answer is sent again; what static/review.js waits."""
_TWICE = 0.1
"""Share of forms that are sent twice, as a double click does."""


class Reviewer:
    """One simulated person.

    Args:
        name: of their account.
        cookie: of their session.
        base: the server's address.
        think: mean seconds between two actions.
        until: seconds for which they work.
        seed: of what they choose and how long they think.

    Attributes:
        times: the kind of each action ('page', 'answer', 'decide', 'video'), and the seconds from its begin until the
            page to which it led was there. One that a killed server cut off is left out: what it took is the start's.
        acknowledged: what the server said it has: assignment, step, value.
        resent: requests that were sent again, as nobody answered.
        requests: those that were answered.
    """

    def __init__(self, name: str, cookie: str, base: str, think: float, until: float, seed: int) -> None:
        self.name, self.base, self.think, self.until = name, base, think, until
        self.cookie = cookie
        self.random = random.Random(seed)
        self.times: list[tuple[str, float]] = []
        self.acknowledged: list[tuple[int, str, str]] = []
        self.resent = self.requests = 0

    async def work(self) -> None:
        """Review until the time is up or nothing is left."""
        async with aiohttp.ClientSession(cookies={"tolman": self.cookie}) as self.http:
            await asyncio.sleep(self.random.random() * self.think)
            where, page = await self.look("/projects/1/work")
            while time.monotonic() < self.until and where.startswith("/review/"):
                number = int(where.split("/")[-1])
                if medium := _MEDIUM.search(page):
                    await self.watch(medium.group(1))
                if f"{where}/answer" in page:
                    await self.pause()
                    letter = self.random.choice("ABCD")
                    said = number, "answer", letter
                    _, page = await self.send("answer", f"{where}/answer", said, page, answer=letter, seconds="1")
                await self.pause()
                verdict = "discard" if self.random.random() < 0.1 else "approve"
                said = number, "decide", verdict
                where, page = await self.send(
                    "decide", f"{where}/decide", said, page, verdict=verdict, reason="as told", seconds="2"
                )

    async def pause(self) -> None:
        """Think."""
        await asyncio.sleep(self.random.expovariate(1 / self.think) if self.think else 0)

    @property
    def pages(self) -> int:
        """Pages that they were shown."""
        return sum(kind != "video" for kind, _ in self.times)

    @contextmanager
    def timed(self, kind: str) -> Iterator[None]:
        """Keep the time of an action, unless something of it was sent again."""
        began, resent = time.perf_counter(), self.resent
        yield
        if self.resent == resent:
            self.times.append((kind, time.perf_counter() - began))

    async def look(self, path: str) -> tuple[str, str]:
        """Load a page, wherever it is by now; its address and text."""
        with self.timed("page"):
            return await self.page(path)

    async def watch(self, path: str) -> None:
        """Load the first part of a video."""
        with self.timed("video"):
            await self.ask("GET", path, headers={"Range": "bytes=0-65535"})

    async def send(self, kind: str, path: str, said: tuple[int, str, str], page: str, **fields: str) -> tuple[str, str]:
        """Send a page's form, sometimes twice, and go where the answer leads; the address and text of that page."""
        found = CSRF.search(page)
        assert found is not None, page[:300]
        data = {"csrf": found.group(1), **fields}

        async def once() -> tuple[str, str]:
            with self.timed(kind):
                status, _, location, body = await self.ask("POST", path, data=data)
                assert status == 303, (path, status, body[:300])
                self.acknowledged.append(said)
                return await self.page(location)

        often = 2 if self.random.random() < _TWICE else 1
        return (await asyncio.gather(*(once() for _ in range(often))))[-1]

    async def page(self, path: str) -> tuple[str, str]:
        """Follow redirects, as a browser does."""
        while True:
            status, where, location, body = await self.ask("GET", path)
            if status == 200:
                return where, body.decode("utf-8", "replace")
            assert status == 303, (path, status, body[:300])
            path = location

    async def ask(self, method: str, path: str, **rest: object) -> tuple[int, str, str, bytes]:
        """One request, again until it is answered; its status, its path, the address it names, and what it brought."""
        while True:
            try:
                async with self.http.request(method, self.base + path, allow_redirects=False, **rest) as got:
                    body = await got.read()
                    if got.status < 500:
                        self.requests += 1
                        return got.status, got.url.path, got.headers.get("location", ""), body
            except aiohttp.ClientError:
                pass
            self.resent += 1
            await asyncio.sleep(_AGAIN_SECONDS)
