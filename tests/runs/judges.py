"""A judge behind an endpoint, benchmarks whose responses it reads, and what it leaves in a run's folder."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loopback import Server
from runs.letters import write_letters
from tolman.benchmarks.mmsi_bench.mmsi_rows import TASKS

WORDS = ("left", "right", "up", "down")
RUN = ("run", "./bench", "--model", "scripted/script.jsonl", "--out", "run")


class Judge(Server):
    """A server that answers by the response in Tolman's prompt, or in the released one of MMSI-Bench.

    Attributes:
        asked: (`tolman` or `released`, response) → how often.
    """

    def __init__(self, replies: Mapping[str, str] | None = None, **options: Any) -> None:
        super().__init__(reply=self.answer_to, **options)
        self.replies = replies or {}
        self.asked: Counter[tuple[str, str]] = Counter()

    def answer_to(self, body: dict[str, Any]) -> str:
        prompt = body["messages"][0]["content"]
        tolmans = re.search(r"<response>\n(.*)\n</response>", prompt, re.DOTALL)
        text = tolmans[1] if tolmans else prompt.rsplit("Answer: ", 1)[-1].removesuffix("\nYour output: ")
        self.asked["tolman" if tolmans else "released", text] += 1
        return self.replies.get(text, text if len(text) == 1 else "Z")


def write_bench(place: Path, texts: Sequence[str], like: str = "mmsi-bench", order: int = 1) -> None:
    """A benchmark with a question for each response, and a model that gives them; the right answer is B."""
    released = like == "mmsi-bench"
    verbatim = "Where is lamp {}?\nOptions: A: left, B: right, C: up, D: down"
    more = {"verbatim": verbatim.format} if released else {}
    write_letters(
        place / "bench", len(texts), card={"title": "Mine", "scoring_profile": like}, question="Where is lamp {}?", answer="B",
        options=WORDS, task=TASKS[0] if released else "route_planning", scene=str, order=order, **more,
    )  # fmt: skip
    write_script(place, [{"id": str(i), "response": text} for i, text in enumerate(texts)][::order])


def write_script(place: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    (place / "script.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def figures(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / "run" / "scores.json").read_text())
    return found


def judgements(place: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((place / "run" / "judgements.json").read_text())
    return found
