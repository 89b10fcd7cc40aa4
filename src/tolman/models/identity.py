"""Identity of a served model: the weights that the endpoint reports, and changes of them during a run.

The endpoint is asked once, while the questions load. Nothing here fails a run: an identity that can't be asked for is
unknown.

| server | fields that identify the weights |
|---|---|
| vLLM | `root` of `/v1/models`: a hub's id or a path; of a hub's snapshot folder, the id and the commit |
| SGLang | `model_path` and `weight_version` of `/model_info` (its `root` is only the served name) |
| llama.cpp | size, number of parameters and vocabulary in `meta` of `/v1/models` |

A server that serves another model in the middle of a run says so in its replies. Addresses may hold USER:PASSWORD@,
which is split off.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

from tolman.extras import asyncio

LOOK_SECONDS = 5.0
"""The longest that each request of a look may take, from connecting to the last byte."""
NOT_UP = (502, 503, 504)
"""Statuses of a server that is loading, or of a proxy whose server isn't there."""
_SNAPSHOT = re.compile(r"models--(?P<owner>[^/]+?)--(?P<name>[^/]+)/snapshots/(?P<commit>[0-9a-f]{40})/?$")
_META = ("size", "n_params", "n_vocab")


@dataclass(frozen=True)
class Served:
    """The report of one address on itself.

    Attributes:
        reached: whether something answered there that isn't just loading.
        weights: identity of its weights; None where it doesn't say.
        server: which server it is, with its version.
        listed: whether its list of models has the model.
        others: the names in a list without the model; empty where there is no such list.
    """

    reached: bool
    weights: str | None = None
    server: str | None = None
    listed: bool = False
    others: tuple[str, ...] = ()


class Looking:
    """A look at an address, in a thread of its own.

    Args:
        url: of the endpoint, such as http://localhost:8000/v1.
        model: the name under which it serves.
        key: of the endpoint.
    """

    def __init__(self, url: str, model: str, key: str | None) -> None:
        self._url, self._model, self._key = url, model, key
        self._found: Future[Served] | None = None
        self.known: Served | None = None
        """What it said when it was reached first; None before."""
        self.took = 0.0
        """Seconds that the last look took."""

    def begin(self) -> None:
        """Start, unless that was done."""
        if self._found is None:
            self._found = Future()
            threading.Thread(target=self._work, args=(self._found,), name="look", daemon=True).start()

    async def result(self) -> Served:
        """Wait for the report; a cancellation doesn't wait for the thread."""
        self.begin()
        assert self._found is not None
        found = await asyncio.shield(asyncio.wrap_future(self._found))
        if self.known is None and found.reached:
            self.known = found
        return found

    async def again(self) -> Served:
        """Look again."""
        self._found = None
        return await self.result()

    def _work(self, found: Future[Served]) -> None:
        began = time.monotonic()
        try:
            served = look(self._url, self._model, self._key)
            self.took = time.monotonic() - began
            found.set_result(served)
        except Exception:  # whatever a server sends, a look fails no run
            found.set_result(Served(reached=True))


@runtime_checkable
class AtAddresses(Protocol):
    """A model behind addresses; for its attributes see `models.endpoint.EndpointModel`."""

    name: str
    urls: tuple[str, ...]
    label: str | None
    origin: str | None
    names_itself: bool
    looks: tuple[Looking, ...]
    settings: Mapping[str, Any]


def look(url: str, model: str, key: str | None = None) -> Served:
    """Ask an OpenAI-compatible endpoint which weights it serves under a name."""
    status, listed = _get(f"{url}/models", key)
    if status is None or status in NOT_UP:
        return Served(reached=False)
    entry = _entry(listed, model)
    names = tuple(str(one["id"]) for one in entries_of(listed) if one.get("id"))
    is_variant = model in {name.partition(":")[0] for name in names} or model.partition(":")[0] in names
    others = () if entry or is_variant else names
    return replace(_told(entry, re.sub(r"/v\d+$", "", url), key), listed=bool(entry), others=others)


def _told(entry: Mapping[str, Any], base: str, key: str | None) -> Served:
    """Read the entry of a list of models, and further pages of the server that it names."""
    owner = str(entry.get("owned_by", ""))
    if owner == "sglang":
        return _sglang(base, key)
    if isinstance(entry.get("meta"), Mapping) and "n_params" in entry["meta"]:
        _, properties = _get(f"{base}/props", key)
        build = _mapping(properties).get("build_info")
        said = ", ".join(f"{name} {entry['meta'][name]}" for name in _META if name in entry["meta"])
        return Served(True, said, f"llama.cpp {build}" if build else "llama.cpp")
    root, parent = entry.get("root"), entry.get("parent")
    weights = _named(root) if isinstance(root, str) and (root != entry.get("id") or owner == "vllm") else None
    if weights and isinstance(parent, str) and parent and parent != entry.get("id"):
        weights = f"{weights} on {_named(parent)}"
    if owner == "vllm":
        _, version = _get(f"{base}/version", key)
        number = _mapping(version).get("version")
        return Served(True, weights, f"vllm {number}" if number else "vllm")
    return Served(True, weights, owner or None)


def _sglang(base: str, key: str | None) -> Served:
    status, told = _get(f"{base}/model_info", key)
    if status != 200:
        _, told = _get(f"{base}/get_model_info", key)
    info = _mapping(told)
    path, version = info.get("model_path"), info.get("weight_version")
    weights = _named(path) if isinstance(path, str) and path else None
    if weights and version not in (None, "", "default"):
        weights = f"{weights} version {version}"
    _, known = _get(f"{base}/server_info", key)
    number = _mapping(known).get("version")
    return Served(True, weights, f"sglang {number}" if number else "sglang")


def _named(path: str) -> str:
    """Return a hub's id with its commit for a path of its cache, which differs between machines; else the path."""
    found = _SNAPSHOT.search(path)
    return f"{found['owner']}/{found['name']}@{found['commit']}" if found else path.rstrip("/")


def _entry(listed: object, model: str) -> Mapping[str, Any]:
    """The entry of a model in a list of models; that of llama.cpp, which answers to any name, where there is one."""
    entries = entries_of(listed)
    for entry in entries:
        if entry.get("id") == model:
            return entry
    alone = entries[0] if len(entries) == 1 else {}
    return alone if alone.get("owned_by") == "llamacpp" else {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _get(url: str, key: str | None) -> tuple[int | None, object]:
    """Return the status and the JSON of a page; no status without an answer. As in a run's calls, no proxy of the
    environment is used and no redirection followed, so that the key goes nowhere else."""
    address, basic = split_password(url)
    parts = urlsplit(address)
    allowed = f"Bearer {key}" if key else basic
    headers = {"Accept": "application/json"} | ({"Authorization": allowed} if allowed else {})
    status = None
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        connection = kind(parts.netloc, timeout=LOOK_SECONDS)
        try:
            connection.connect()
            with ended_after(LOOK_SECONDS, connection.sock):
                connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=headers)
                reply = connection.getresponse()
                status = reply.status
                content = reply.read()
        finally:
            connection.close()
        return status, json.loads(content) if status == 200 else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return status, None


@contextmanager
def ended_after(seconds: float, connected: socket.socket) -> Iterator[None]:
    """End a connection that is still in use after some seconds; a timeout of its own counts from each byte."""

    def end() -> None:
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


async def changed(look: Looking, expected: str | None = None) -> tuple[Served, str | None]:
    """Look again at an address that was away.

    Args:
        look: at the address.
        expected: weights that it should serve, where it said nothing before.

    Returns:
        Its report, and a sentence where that differs from the expected one.
    """
    before = look.known.weights if look.known is not None else expected
    now = await look.again()
    if before is None or not now.reached or now.weights in (None, before):
        return now, None
    return now, f"it serves {now.weights} now, and {before} before"


def entries_of(listed: object) -> list[Mapping[str, Any]]:
    """The entries of a list of models; none where it is no such list."""
    entries = listed.get("data") if isinstance(listed, Mapping) else None
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def without_password(url: str) -> str:
    """An address that may be shown."""
    return re.sub(r"//[^/@]*@", "//…@", url)


def split_password(url: str) -> tuple[str, str]:
    """An address without USER:PASSWORD@, and these as a header of basic authentication; empty where there are none."""
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    basic = f"Basic {b64encode(unquote(user).encode()).decode()}" if user else ""
    return parts._replace(netloc=host).geturl(), basic


AS_ASKED = "the model under the name that is asked for"


class ServedWatch:
    """The models that replies of one address name; replies without a name count as the requested model.

    Args:
        who: the model or the address, for the sentence.
        noted: called with a sentence for each further thing that answers.

    Attributes:
        seen: number of replies by the name in them.
    """

    def __init__(self, who: str, noted: Callable[[str], None]) -> None:
        self._who, self._noted = who, noted
        self.seen: Counter[str] = Counter()
        self._last = ""

    def saw(self, served: str | None) -> None:
        """Count a reply, and report a change of the model that answers."""
        served = served or AS_ASKED
        if self._last and served != self._last and served not in self.seen:
            self._noted(
                f"{self._who}: {served} answers now, and {self._last} did before: what is served has changed in the "
                "middle of the run."
            )
        self.seen[served] += 1
        self._last = served
