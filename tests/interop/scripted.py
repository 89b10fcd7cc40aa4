"""A generated benchmark and a scripted model, for other harnesses to run: what they report is compared with Tolman.

The model is an OpenAI-compatible server on the loopback interface. It answers by the text of the prompt alone, in many
forms, of which the released parsers read some and others not: the same number comes out only where the same is asked,
nothing is done to the responses, and the same rules score them.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from aiohttp import web

from loopback import Server
from making import make_rooms
from terminal import tolman

FORMS = (
    "A", "B", "C", "D", "A. the first", "(B)", "C.", "b", "Answer: D", "2", "3.5", "1.2 metres", "about 2", "0.8", "120",
    "I cannot tell.", "4\n\nThat is what I see.", "<think>Left, or right?</think>A", "D.", "60",
)  # fmt: skip
"""Texts that the model says."""
MODEL = "my-model"


class Scripted(Server):
    """A server that answers by the prompt's text, whatever the form of its pictures.

    Attributes:
        prompts: texts that were asked, each with the number of pictures or videos that it came with.
    """

    def __init__(self) -> None:
        super().__init__(models=(MODEL,))
        self.prompts: set[tuple[str, int]] = set()

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """One completion."""
        body = json.loads(await request.read())
        parts: list[dict[str, Any]] = []
        for message in body["messages"]:
            content = message["content"]
            parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
        text = "\n".join(part["text"] for part in parts if part["type"] == "text").strip()
        self.prompts.add((text, sum(part["type"] != "text" for part in parts)))
        self.requests += 1
        message = {"role": "assistant", "content": reply_to(text)}
        return web.json_response(
            {
                "id": "x", "object": "chat.completion", "created": 0, "model": MODEL,
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
            }
        )  # fmt: skip


def reply_to(text: str) -> str:
    """What the model says to a prompt."""
    return FORMS[int(hashlib.sha256(text.encode()).hexdigest(), 16) % len(FORMS)]


def generate(place: Path) -> Path:
    """A generated benchmark of choices and numbers about two rooms, of which one has a video.

    Returns:
        Its folder, `place/gen`.
    """
    make_rooms(place / "rooms")
    tolman(place, "generate", "rooms", "--out", "gen", code=0)
    return place / "gen"


def export(place: Path, form: str, out: str, *more: str) -> Path:
    """Export the benchmark `place/gen`.

    Returns:
        The new folder.
    """
    tolman(place, "export", "./gen", "--as", form, "--out", out, *more, code=0)
    return place / out


def own_figures(place: Path, url: str) -> dict[str, float]:
    """The figures of `official` of Tolman's own run."""
    done = tolman(
        place, "run", "./gen", "--model", f"openai/{MODEL}", "--base-url", url, "--out", "own", "--store", "own.sqlite"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return figures_of(place / "own")


def read_back(place: Path, log: Path, out: str) -> dict[str, float]:
    """The figures of `official` of another harness's log that Tolman reads."""
    tolman(place, "score", str(log), "--benchmark", "./gen", "--out", out, code=0)
    return figures_of(place / out)


def figures_of(folder: Path) -> dict[str, float]:
    """Those of a run's folder, by key."""
    cells = json.loads((folder / "scores.json").read_text())["rule_sets"]["official"]["cells"]
    return {key: cell["value"] for key, cell in cells.items() if cell["value"] is not None}


def theirs(variable: str, *command: str, place: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment that a variable names.

    Args:
        variable: with the environment's folder.
        command: its first word is a program in the environment's `bin`.
        place: the working directory.
        environment: more variables.
    """
    program = Path(os.environ[variable]).resolve() / "bin" / command[0]
    own = {"TOLMAN_CACHE": str(place / "cache"), "OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1", "HF_HOME": str(place)}
    done = subprocess.run(
        [str(program), *command[1:]], cwd=place, env={**os.environ, **own, **environment}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done
