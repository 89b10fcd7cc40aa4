"""What an endpoint serves, as far as it says so: asked once, beside the loading of the questions.

| server | what identifies the weights |
|---|---|
| vLLM | `root` of `/v1/models`: a hub's id or a path; of a hub's snapshot folder, the id and the commit |
| SGLang | `model_path` and `weight_version` of `/model_info` (its `root` is only the served name) |
| llama.cpp | size, number of parameters and vocabulary in `meta` of `/v1/models` |

Nothing here fails a run: what can't be asked isn't known.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from tolman.models.credentials import split_password
from tolman.models.listing import entries_of

LOOK_SECONDS = 5.0
"""How long each request of a look may take."""
NOT_UP = (502, 503, 504)
"""Statuses of a server that is loading, or of a proxy whose server isn't there."""
_SNAPSHOT = re.compile(r"models--(?P<owner>[^/]+?)--(?P<name>[^/]+)/snapshots/(?P<commit>[0-9a-f]{40})/?$")
_META = ("size", "n_params", "n_vocab")


@dataclass(frozen=True)
class Served:
    """What one address says of itself.

    Attributes:
        reached: whether something answered there that isn't just loading.
        weights: what tells its weights from others; None where it doesn't say.
        server: which server it is, with its version.
        listed: whether the model stands in its list of models.
    """

    reached: bool
    weights: str | None = None
    server: str | None = None
    listed: bool = False


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

    def result(self) -> Served:
        """What was found; waited for."""
        self.begin()
        assert self._found is not None
        found = self._found.result()
        if self.known is None and found.reached:
            self.known = found
        return found

    def again(self) -> Served:
        """Look anew."""
        self._found = None
        return self.result()

    def _work(self, found: Future[Served]) -> None:
        began = time.monotonic()
        try:
            served = look(self._url, self._model, self._key)
            self.took = time.monotonic() - began
            found.set_result(served)
        except Exception:  # whatever a server sends, a look fails no run
            found.set_result(Served(reached=True))


def look(url: str, model: str, key: str | None = None) -> Served:
    """Ask an OpenAI-compatible endpoint what it serves under a name."""
    status, listed = _get(f"{url}/models", key)
    if status is None or status in NOT_UP:
        return Served(reached=False)
    entry = _entry(listed, model)
    return replace(_told(entry, re.sub(r"/v\d+$", "", url), key), listed=bool(entry))


def _told(entry: Mapping[str, Any], base: str, key: str | None) -> Served:
    """What the entry of a list of models says, and further pages of the server that it names."""
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
    """A hub's id with its commit for a path of its cache, which lies elsewhere on each machine; else the path."""
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
    """The status and the JSON of a page; no status where nobody answers. As in a run's calls, no proxy of the
    environment is used and no redirection followed, so that the key goes nowhere else."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    address, basic = split_password(url)
    parts = urlsplit(address)
    allowed = f"Bearer {key}" if key else basic
    headers = {"Accept": "application/json"} | ({"Authorization": allowed} if allowed else {})
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        connection = kind(parts.netloc, timeout=LOOK_SECONDS)
        try:
            connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=headers)
            reply = connection.getresponse()
            content = reply.read()
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError):
        return None, None
    try:
        return reply.status, json.loads(content) if reply.status == 200 else None
    except (ValueError, RecursionError):
        return reply.status, None


async def changed(look: Looking, expected: str | None = None) -> tuple[Served, str | None]:
    """Look again at an address that was away.

    Args:
        look: at the address.
        expected: weights that it should serve, where it said nothing before.

    Returns:
        What it says, and a sentence where that is something else than it should be.
    """
    before = look.known.weights if look.known is not None else expected
    now = await asyncio.to_thread(look.again)
    if before is None or not now.reached or now.weights in (None, before):
        return now, None
    return now, f"it serves {now.weights} now, and {before} before"
