"""Recovery of grounded accuracy: plant models of known grounding, run them, and see whether the analysis finds it.

    python benchmarks/grounding.py [--rings 300] [--seed 0]

Items are made here: rings of four scenes with one text and another answer each, choices and numbers in turn, about
videos of 40 frames. The models are scripts that look at the request and at the truth. Each item has a planted fate, so
that the share of grounded items is known without `tolman.analyze.grounding`. It prints the planted and the measured
figures of models with 20, 50 and 80 % and of one that reads the text alone.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import tolman
from tolman.analyze.grounding import LOSSES, RunGrounding
from tolman.features.analyses.config import GroundingConfig
from tolman.features.analyses.run_analyses import analyze_grounding
from tolman.items import Item
from tolman.messages import KeyFrames, Message
from tolman.models.model import Request
from tolman.responses import Response

FRAMES, SAMPLED = 40, 8
NAMES = ("lamp", "sofa", "desk", "shelf")
UNREADABLE = "Let me look at that."


def made_items(rings: int) -> list[Item]:
    """Four items for each ring; those of every fifth ring don't say which frames carry the answer."""
    found = []
    for ring in range(rings):
        for place in range(4):
            first = 5 * place + ring % 5
            thing = {"name": "it", "frames": [[first, first + 9]]}
            needed = {"needed_frames": {"frames": FRAMES, "seconds": 8.0, "needed": [thing]}} if ring % 5 else {}
            common = {
                "id": f"{ring}-{place}",
                "scene": f"scene-{ring // 6}-{place}",
                "media": [{"kind": "video", "path": f"{ring}-{place}.mp4"}],
                "evidence": {"twins": f"ring-{ring}", **needed},
            }
            kind = (
                {"kind": "choice", "question": f"Which is nearest, {ring}?", "options": NAMES, "answer": "ABCD"[place]}
                if ring % 2
                else {"kind": "number", "question": f"How far, {ring}?", "unit": "m", "answer": str(2**place)}
            )
            found.append(Item.model_validate({**common, **kind, "task": str(kind["kind"])}))
    return found


class Planted:
    """A model that is grounded on a known share of the items.

    Args:
        items: that it will be asked.
        share: of items that are grounded; None answers from the text alone.
        seed: of the fates.

    Attributes:
        fates: item's id → 'grounded', or the loss.
    """

    remote, concurrency = False, 1

    def __init__(self, items: Sequence[Item], share: float | None, seed: int) -> None:
        self.name, self.settings = f"planted/{share}", {"share": share, "seed": seed}
        draw = random.Random(f"{share}:{seed}")
        self.fates: dict[str, str] = {}
        for start in range(0, len(items), 4):
            ring = items[start : start + 4]
            blind = share is None or draw.random() < (1 - share) / 2
            for item in ring:
                # Blind rings take their part of the losses; what is left makes the share of grounded items exact.
                part = 1.0 if share is None else share / (1 - (1 - share) / 2)
                fate = "grounded" if draw.random() < part else draw.choice(("prior knowledge", "misjudged", "unread"))
                if fate in ("prior knowledge", "unread") and "needed_frames" not in item.evidence:
                    fate = "misjudged"  # the others differ without evidence only
                self.fates[item.id] = "didn't look" if blind else fate

    async def answer(self, request: Request) -> Response:
        """Answer as the item's fate says."""
        return Response(id=request.item.id, response=self._said(request), repeat=request.repeat)

    async def close(self) -> None:
        """Nothing to let go of."""

    def _said(self, request: Request) -> str:
        item, fate = request.item, self.fates[request.item.id]
        if fate == "didn't look":
            return "B" if item.kind == "choice" else "2"
        seen = shows_evidence(item, request.messages)
        if fate == "unread" and not seen:
            return UNREADABLE
        if fate == "prior knowledge" or (fate != "misjudged" and seen):
            return item.answer
        if seen:  # neither right nor the twin's answer
            return "BCDA"["ABCD".index(item.answer)] if item.kind == "choice" else f"{1.3 * float(item.answer):.2f}"
        return item.letters[-1] if item.kind == "choice" else "can't tell"


def shows_evidence(item: Item, messages: Sequence[Message]) -> bool:
    """Check whether some frame of the messages shows the needed thing; all frames of a video do."""
    (shown,) = messages[-1].media
    if not isinstance(shown, KeyFrames):
        return True
    ((first, last),) = item.evidence["needed_frames"]["needed"][0]["frames"]
    return any(first <= number <= last for number in shown.numbers)


def measure(items: Sequence[Item], model: Planted, out: Path) -> RunGrounding:
    """Run a planted model and analyse the run."""
    tolman.evaluate(items, model, protocol="grounded", frames=SAMPLED, out=out)
    (found,) = analyze_grounding(GroundingConfig(runs=(out,))).runs.values()
    return found


def main() -> None:
    """Print a row for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rings", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    items = made_items(options.rings)
    print("| planted | measured | interval |", " | ".join(LOSSES), "|")
    for share in (0.2, 0.5, 0.8, None):
        model = Planted(items, share, options.seed)
        with tempfile.TemporaryDirectory() as place:
            found = measure(items, model, Path(place) / "run").together
        planted = 100 * sum(fate == "grounded" for fate in model.fates.values()) / len(items)
        planted = 0.0 if share is None else planted
        own, losses = found.grounded, [found.losses[loss].value for loss in LOSSES]
        reach = "–" if own.interval is None else f"{own.interval.low:.1f} … {own.interval.high:.1f}"
        print(f"| {planted:.1f} | {own.value:.1f} | {reach} |", " | ".join(f"{loss:.1f}" for loss in losses), "|")


if __name__ == "__main__":
    main()
