"""Who works with the fixtures: a model at the wire that counts what it is asked, and people at the web application."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import polars as pl

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = Path(__file__).resolve().parent / "fixtures"
PASSWORD = "a password that was set before"
MODIFIED = 1_700_000_000
"""Seconds since 1970: the time of the curated question files, which is in the fingerprint of the stage that reads them."""

Reply = tuple[int, str, str]
"""HTTP status, text, finish reason."""


def unpack(place: Path) -> Path:
    """A copy of the fixtures that may be changed, with all media where they were."""
    shutil.copytree(FIXTURES, place, symlinks=True, dirs_exist_ok=True)
    for path in place.rglob("*.sqlite.gz"):
        path.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        path.unlink()
    for benchmark in (place / "benchmarks").iterdir():
        (table,) = (benchmark / "data").glob("*.parquet")
        for media in pl.read_parquet(table)["media"].to_list():
            for path in (benchmark / one["path"] for one in media):
                path.parent.mkdir(exist_ok=True)
                source = place / ("images" if path.parent.name == "images" else "worlds/videos") / path.name
                if not path.exists():
                    path.hardlink_to(source)
    for name in ("rows.jsonl", "rooms.toml"):
        os.utime(place / "curation" / name, (MODIFIED, MODIFIED))
    return place


def text_of(body: dict[str, Any]) -> str:
    """All words of a request."""
    parts: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        parts += [content] if isinstance(content, str) else [p["text"] for p in content if p["type"] == "text"]
    return "\n".join(parts)


def wordings(key: str, *, number: bool) -> str:
    """An answer drawn by a text, worded as models word theirs."""
    drawn = hashlib.sha256(key.encode()).digest()
    if number:
        value = drawn[0] % 40 / 4
        return (f"{value:g}", f"About {value:g}.", f"I count 2 and 3, so the answer is {value:g}", f"**{value:g}**")[
            drawn[1] % 4
        ]
    letter = "ABCD"[drawn[0] % 4]
    return (
        letter, f"{letter}.", f"The answer is ({letter}).", f"**Answer: {letter}**", f"A or B? I would say {letter}, since it fits.",
        f"First the sofa, then the door.\n<answer>{letter}</answer>",
    )[drawn[1] % 6]  # fmt: skip


@contextmanager
def model(reply: Callable[[dict[str, Any]], Reply], port: int) -> Iterator[list[dict[str, Any]]]:
    """An OpenAI-compatible endpoint on loopback; what it was asked so far."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            status, text, reason = reply(body)
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
            answer: dict[str, Any] = {"error": {"message": text}}
            if status == 200:
                usage = {"prompt_tokens": len(text_of(body)) // 4, "completion_tokens": len(text)}
                answer = {
                    "id": "x",
                    "object": "chat.completion",
                    "model": body["model"],
                    "choices": [choice],
                    "usage": usage,
                }
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def environment(cache: Path) -> dict[str, str]:
    """Of a command whose answers and frames are kept in a folder."""
    return {**os.environ, "TOLMAN_CACHE": str(cache), "OPENAI_API_KEY": "none"}


@contextmanager
def review(place: Path, *arguments: str, command: str = "review") -> Iterator[tuple[str, str]]:
    """`tolman review`, or `view`, as a user starts it; its address, and the owner's link ('' where it prints none)."""
    typed = [sys.executable, "-m", "tolman", command, *arguments, "--port", "0"]
    process = subprocess.Popen(
        typed, cwd=place, env=environment(place / "cache") | {"COLUMNS": "400"}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    told = ""
    try:
        assert process.stdout is not None
        found = None
        while found is None:
            line = process.stdout.readline()
            assert line, told + process.communicate()[1]
            told += line
            found = re.search(r"(http://[\w.:]+)(/enter/\S+)?", line)
        address, link = found[1], found[0] if found[2] else ""
        yield address, link
    finally:
        process.terminate()
        process.communicate(timeout=120)


class Person:
    """Somebody's browser: keeps cookies, sends the token of the last page that had one."""

    def __init__(self, address: str) -> None:
        self.http = httpx.Client(base_url=address, timeout=20, verify=False, follow_redirects=True)
        self.page: httpx.Response = self.http.get("/signin")
        self._token()

    def __enter__(self) -> Person:
        return self

    def __exit__(self, *error: object) -> None:
        self.http.close()

    def get(self, path: str) -> str:
        """Load a page."""
        self.page = self.http.get(path)
        self._token()
        return self.page.text

    def post(self, path: str, **fields: Any) -> str:
        """Send a form."""
        self.page = self.http.post(path, data={"csrf": self.csrf} | fields)
        assert self.page.status_code < 400, f"{path}: {self.page.status_code} {self.page.text}"
        self._token()
        return self.page.text

    @property
    def path(self) -> str:
        """Of the last page."""
        return self.page.url.path

    def _token(self) -> None:
        if found := re.search(r'name="csrf" value="([0-9a-f]+)"', self.page.text):
            self.csrf = found[1]

    def sign_in(self, name: str) -> Person:
        """By the password that all people of the fixtures have."""
        self.get("/signin")
        self.post("/signin", name=name, password=PASSWORD)
        assert "/signin" not in self.path
        return self

    def enter(self, link: str) -> Person:
        """As the owner, by the link."""
        path = "/enter/" + link.split("/enter/")[1]
        self.get(path)
        self.post(path)
        return self
