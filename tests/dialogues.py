"""Carrying one item through a protocol against the loopback server, and what was sent, turn by turn."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from loopback import Server, serving
from tolman import benchmarks, protocols
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.items import Item
from tolman.media.frame_store import FrameStore
from tolman.models.model import ModelOptions
from tolman.models.openai import OpenAICompatible
from tolman.protocols import ProtocolOptions
from tolman.responses import Outcome
from tolman.runs.engine import Engine, Limits
from tolman.runs.response_store import ResponseStore

PICTURE = "<picture>"
Turn = tuple[str, list[str]]


class Talk:
    """A folder with media and stores, in which items are put to a loopback server.

    Attributes:
        bodies: of the requests, in the order in which they came.
        outcomes: what became of the items.
        engine: of the last run.
    """

    def __init__(self, place: Path) -> None:
        self.place = place
        self.bodies: list[dict[str, Any]] = []
        self.outcomes: list[Outcome] = []

    def run(
        self,
        items: Sequence[Item],
        protocol: str,
        reply: str | Callable[[list[Turn]], str],
        *,
        benchmark: BenchmarkSpec | str = "vsi-bench",
        preset: PromptPreset | None = None,
        repeats: int = 1,
        **options: Any,
    ) -> Any:
        """The response to the first item. `reply` is a text, or makes one from the conversation it gets."""
        chosen = benchmarks.get(benchmark) if isinstance(benchmark, str) else benchmark
        preset = preset or chosen.presets[0]
        # As a run does: the user's own settings are in the preset too.
        drawn = preset.sampling.model_copy(update=options.get("sampling", {}))
        preset = replace(preset, sampling=drawn)
        put = self.protocol = protocols.get(protocol, ProtocolOptions(**options))
        put.check(chosen, items, preset)
        answer = reply if callable(reply) else lambda turns: reply
        server = Server(reply=lambda body: answer(said(body)))
        store = ResponseStore(self.place / "store.sqlite")
        with serving(server) as url:
            models = [OpenAICompatible(name, ModelOptions(base_url=url)) for name in ("m", "c")]
            for model in models:
                model.settings = {"base_url": "http://fixed/v1"}
            self.engine = Engine(
                model=models[0], converse=lambda item: put.converse(chosen, item, preset), preset=preset,
                data=self.place, frames=FrameStore(self.place / "frames"), store=store, limits=Limits(retries=0),
                helpers={"captioner": models[1]} if "captioner" in options else {},
            )  # fmt: skip
            presented = put.present(chosen, items)
            asyncio.run(self.engine.run(presented, repeats))
        store.close()
        self.bodies = server.bodies
        self.outcomes = [self.engine.outcomes[item.id, 0] for item in presented]
        return self.outcomes[0]

    @property
    def sent(self) -> list[list[Turn]]:
        """The conversations that were sent."""
        return [said(body) for body in self.bodies]


def said(body: dict[str, Any]) -> list[Turn]:
    """A request's messages: role, and its parts, pictures as `PICTURE`."""
    turns = []
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        turns.append((message["role"], [p["text"] if p["type"] == "text" else PICTURE for p in parts]))
    return turns
