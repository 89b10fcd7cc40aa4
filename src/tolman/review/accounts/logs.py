"""Logs: one JSON object a line for each request. No answer, no form, no address of a page that holds a secret is in it.

What is logged of an address is its pattern (`/invitation/{token}`), never what stood in its place; of a visitor their
number, once they are known; of an unforeseen error its type and place in the code, not its text, which may quote forms.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class JsonLines:
    """A file of log entries, or the standard error output where its name is '-'; a line is written whole or not at all.

    Args:
        file: appended to.
    """

    def __init__(self, file: Path) -> None:
        self._out = 2 if str(file) == "-" else os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)

    def __call__(self, entry: dict[str, Any]) -> None:
        """Write an entry."""
        os.write(self._out, (json.dumps(entry, ensure_ascii=True, separators=(",", ":")) + "\n").encode())


class Logged:
    """ASGI middleware around everything else.

    Args:
        app: whose requests are logged.
        write: takes an entry.
    """

    def __init__(self, app: ASGIApp, write: Callable[[dict[str, Any]], None]) -> None:
        self.app, self.write = app, write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status, size = time.perf_counter(), 500, 0
        scope.setdefault("state", {})

        async def counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            size += len(message.get("body", b""))
            await send(message)

        entry: dict[str, Any] = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": "request"}
        try:
            await self.app(scope, receive, counted)
        except Exception as error:
            entry["error"] = type(error).__name__
            entry["at"] = [
                f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-4:]
            ]
            raise
        finally:
            route = scope["state"].get("route")
            client = scope.get("client")
            entry |= {
                "method": scope["method"], "route": route or "-", "status": status, "bytes": size,
                "ms": round(1000 * (time.perf_counter() - began), 2), "person": scope["state"].get("person"),
                "from": client[0] if client else None,
            }  # fmt: skip
            self.write(entry)
