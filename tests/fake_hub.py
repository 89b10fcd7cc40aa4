"""A Hugging Face hub on the loopback interface: its interface for data sets, with faults on demand.

Large files are on a host of their own, to which the hub forwards, as the true one does.
"""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

LFS = 100_000
"""Bytes from which a file is stored apart."""
COMMIT = "a" * 40
LATER = "b" * 40
VIDEOS = bytes(range(256)) * 2000
"""Half a megabyte."""


@dataclass
class Repository:
    """A data set.

    Attributes:
        commits: revision → path → content; the last is 'main'.
        licence: that its card names.
        gated: whether files need a token that has access.
        announced: sizes that are listed in place of the true ones.
        tampered: paths → other content of the same size, which is sent.
    """

    commits: dict[str, dict[str, bytes]]
    licence: str = "apache-2.0"
    gated: bool = False
    announced: dict[str, int] = field(default_factory=dict)
    tampered: dict[str, bytes] = field(default_factory=dict)

    def commit(self, revision: str) -> str | None:
        """The commit of a revision."""
        if revision == "main":
            return list(self.commits)[-1]
        return revision if revision in self.commits else None


class FakeHub:
    """Its content and memory.

    Attributes:
        repositories: by name.
        forwarded: old name → new name.
        cut: path → bytes after which the connection is cut, as often as `cuts` says.
        tokens: that have access to what is gated.
        asked: counts of (method, path) of requests.
        sent: bytes of file contents that went out, by path.
        authorised: for each request to the other host, whether it brought a token.
        ranges: whether a part of a file may be asked for.
        slow: the file that stops coming after three quarters.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.forwarded: dict[str, str] = {}
        self.cut: dict[str, int] = {}
        self.cuts = 0
        self.tokens = {"hf_access"}
        self.asked: Counter[tuple[str, str]] = Counter()
        self.sent: Counter[str] = Counter()
        self.authorised: list[bool] = []
        self.port = 0
        self.ranges = True
        self.slow = ""

    @property
    def url(self) -> str:
        """Of the hub."""
        return f"http://127.0.0.1:{self.port}"


def sha256(content: bytes) -> str:
    """As the hub writes it."""
    return hashlib.sha256(content).hexdigest()


def oid(content: bytes) -> str:
    """The SHA-1 of git."""
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked[self.command, path] += 1
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "datasets"]:
            self._interface("/".join(parts[2:4]), parts[4:])
        elif parts[0] == "datasets" and parts[3] == "resolve":
            self._resolve("/".join(parts[1:3]), parts[4], "/".join(parts[5:]))
        elif parts[0] == "cdn":
            self.hub.authorised.append("Authorization" in self.headers)
            self._content("/".join(parts[1:3]), parts[3], "/".join(parts[4:]))
        else:
            self._refuse(404, "")

    def _known(self, name: str, revision: str) -> tuple[Repository, str] | None:
        if name in self.hub.forwarded:
            old, new = name, self.hub.forwarded[name]
            self._send(307, b"", {"Location": self.path.replace(old, new)})
            return None
        repository = self.hub.repositories.get(name)
        if repository is None:
            self._refuse(404, "RepoNotFound")
            return None
        commit = repository.commit(revision)
        if commit is None:
            self._refuse(404, "RevisionNotFound")
            return None
        return repository, commit

    def _interface(self, name: str, rest: list[str]) -> None:
        what, revision = (rest[0], rest[1]) if len(rest) > 1 else ("revision", "main")
        known = self._known(name, revision)
        if known is None:
            return
        repository, commit = known
        files = repository.commits[commit]
        if what == "tree":
            found: Any = [self._entry(repository, path, content) for path, content in files.items()]
        else:
            found = {"id": name, "sha": commit, "gated": repository.gated, "cardData": {"license": repository.licence},
                     "siblings": [{"rfilename": path} for path in files]}  # fmt: skip
        self._send(200, json.dumps(found).encode(), {"Content-Type": "application/json"})

    def _entry(self, repository: Repository, path: str, content: bytes) -> dict[str, Any]:
        size = repository.announced.get(path, len(content))
        entry: dict[str, Any] = {"type": "file", "path": path, "size": size, "oid": oid(content)}
        if size >= LFS:
            entry["lfs"] = {"oid": sha256(content), "size": size, "pointerSize": 134}
        return entry

    def _resolve(self, name: str, revision: str, path: str) -> None:
        known = self._known(name, revision)
        if known is None:
            return
        repository, commit = known
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if repository.gated and token not in self.hub.tokens:
            self._refuse(403 if token else 401, "GatedRepo", f"Access to dataset {name} is restricted.")
            return
        content = repository.commits[commit].get(path)
        if content is None:
            self._refuse(404, "EntryNotFound")
            return
        if repository.announced.get(path, len(content)) < LFS:
            self._content(name, commit, path)
            return
        there = f"http://localhost:{self.hub.port}/cdn/{name}/{commit}/{path}"
        linked = {"X-Linked-Etag": f'"{sha256(content)}"', "X-Linked-Size": str(len(content))}
        self._send(302, b"", {"Location": there, "X-Repo-Commit": commit, "ETag": f'"{oid(content)}"', **linked})

    def _content(self, name: str, commit: str, path: str) -> None:
        repository = self.hub.repositories[name]
        content = repository.tampered.get(path, repository.commits[commit][path])
        asked = self.headers.get("Range", "") if self.hub.ranges else ""
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        part = content[start:]
        headers = {"X-Repo-Commit": commit, "ETag": f'"{oid(repository.commits[commit][path])}"'}
        headers["Accept-Ranges"] = "bytes"
        if asked:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        limit = self.hub.cut.get(path)
        if self.command == "GET" and limit is not None and self.hub.cuts > 0:
            self.hub.cuts -= 1
            self._send(206 if asked else 200, part, headers, limit)
            self.hub.sent[path] += min(limit, len(part))
            self.close_connection = True
            return
        self._send(206 if asked else 200, part, headers)
        if self.command == "GET":
            self.hub.sent[path] += len(part)

    def _send(self, status: int, content: bytes, headers: dict[str, str], limit: int | None = None) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self._write(content if limit is None else content[:limit])

    def _write(self, content: bytes) -> None:
        """Write at once; a slow file in pieces, with a rest in the middle."""
        if not self.hub.slow or not self.path.endswith(self.hub.slow):
            self.wfile.write(content)
            return
        with suppress(OSError):  # the client goes away
            self.wfile.write(content[: len(content) * 3 // 4])
            self.wfile.flush()
            threading.Event().wait(20)

    def _refuse(self, status: int, code: str, message: str = "") -> None:
        self._send(status, b"{}", {"X-Error-Code": code, "X-Error-Message": message or code})


@contextmanager
def serving() -> Iterator[FakeHub]:
    """A hub that answers until the block is over."""
    hub = FakeHub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


def use(hub: FakeHub, place: Path, monkeypatch: Any) -> None:
    """Make this process ask the hub, with empty caches, nobody's token and without the client's waiting; a hundred
    kilobytes are a large file."""
    from huggingface_hub import utils

    from tolman.benchmarks.fetching import transfer

    if hasattr(utils, "reset_sessions"):  # before version 1, a session that was made offline stays so
        utils.reset_sessions()
    for name, value in environment(hub, place).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(place / "token"))
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 10_000)
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda seconds: None)
    monkeypatch.setattr(transfer, "LARGE", LFS)


def environment(hub: FakeHub, place: Path) -> dict[str, str]:
    """The variables of a process that asks the hub, with caches below a folder."""
    return {
        "HF_ENDPOINT": hub.url,
        "HF_HUB_CACHE": str(place / "hub"),
        "HF_TOKEN_PATH": str(place / "token"),
        "TOLMAN_CACHE": str(place / "tolman"),
    }
