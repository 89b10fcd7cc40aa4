"""Servers of others in the docs: the nodes of a fleet, and the programs that `--serve` starts.

They take videos as vLLM does, say so in their list of models, and answer as the clerk does.
"""

import io
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import av
from aiohttp import web
from PIL import Image

from docs.clerk import Clerk
from loopback import serving
from video_server import decoded

TESTS = Path(__file__).resolve().parents[1]
FRAMES = "data:video/jpeg;base64"
PROGRAM = """#!{python}
import sys
sys.path.insert(0, {tests!r})
from docs.nodes import serve
serve()
"""
PROGRAMS = ("bin/vllm", "bin/llama-server", "bin/sglang/__init__.py", "bin/sglang/launch_server.py")
"""What stands for the programs; sglang is started as a module."""


class Node(Clerk):
    """A server that takes images, sampled frames and files of videos."""

    async def listed(self, request: web.Request) -> web.Response:
        """One model, under the name that any request may use."""
        entry = {"id": "NAME", "object": "model", "owned_by": "vllm", "root": "somebody/NAME"}
        return web.json_response({"object": "list", "data": [entry]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """One completion; 400 for a video that can't be decoded."""
        body = json.loads(await request.read())
        try:
            look(body)
        except (ValueError, KeyError, OSError) as error:
            return web.json_response({"error": {"message": f"{type(error).__name__}: {error}"}}, status=400)
        return await super().complete(request)


def look(body: dict[str, Any]) -> int:
    """Decode the videos of a request.

    Returns:
        How many there are.

    Raises:
        ValueError, KeyError, OSError: one can't be decoded, or its times aren't those of its frames.
    """
    found = 0
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else []:
            if part["type"] != "video_url":
                continue
            found += 1
            header, data = part["video_url"]["url"].split(",", 1)
            if header == FRAMES:
                frames = data.split(",")
                for frame in frames:
                    Image.open(io.BytesIO(decoded(frame))).load()
                if len(body["media_io_kwargs"]["video"]["frames_indices"]) != len(frames):
                    raise ValueError("other times than frames")
            else:
                with av.open(io.BytesIO(decoded(data))) as video:
                    next(video.decode(video=0))
    return found


def serve() -> None:
    """Listen at the port that the command line names, until the program is ended."""
    port = int(sys.argv[sys.argv.index("--port") + 1])
    with serving(Node(), port):
        signal.sigwait({signal.SIGTERM, signal.SIGINT})


def write_programs(place: Path, kept: Path) -> None:
    """Programs by the names of real ones, to be found by `searched`."""
    for name in PROGRAMS:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if path.stem == "__init__" else PROGRAM.format(python=sys.executable, tests=str(TESTS)))
        path.chmod(0o755)


def searched(place: Path) -> dict[str, str]:
    """Environment variables by which the programs of a page are found; none where it has none."""
    folder = str(place / "bin")
    if not Path(folder).is_dir():
        return {}
    modules = os.pathsep.join([folder, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": modules.rstrip(os.pathsep)}


@contextmanager
def nodes() -> Iterator[dict[str, str]]:
    """Serve two of them; their names in the docs → base URLs."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(serving(Node())) for name in ("node1", "node2")}
