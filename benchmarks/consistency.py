"""Does `tolman analyze consistency` tell scripted models apart? Their consistency and their maps are known.

    python benchmarks/consistency.py [--noise 0.5] [--seed 0] [--workers 1]

All models answer VSI-Bench's released questions about its 288 scenes:

- `oracle`: from the true scenes.
- `one-map`: each object of a scene is in a wrong place, the same for all questions.
- `new-map`: the objects are in other wrong places at each question; the noise is the same.
- `guesser`: an option drawn evenly, or the true number of another question of the type.

The answers are made by `benchmarks/observer.py`, which shares no function with the analysis. Routes and orders of
appearance are guessed. It prints a table. The folder of the data is $TOLMAN_SHARED.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from observer import TASKS, Eyes, Planted, ToMeasure, answer, measured

import tolman
from tolman.analyze.answer_map import MapShare, RunConsistency
from tolman.features.analyses.config import ConsistencyConfig
from tolman.features.analyses.run_analyses import analyze_consistency
from tolman.ground_truth.scene_arrays import geometries_by_id
from tolman.items import LETTERS, Item
from tolman.runs.run_items import load
from tolman.scenes import Scene

MODELS = ("oracle", "one-map", "new-map", "guesser")


def answers(model: str, items: Sequence[Item], scenes: dict[str, Scene], noise: float, seed: int) -> dict[str, str]:
    """The responses of a scripted model, by item's id.

    Args:
        model: one of `MODELS`.
        items: of VSI-Bench.
        scenes: by id.
        noise: standard deviation of a place along each axis in metres; lengths are off by 20 %.
        seed: of all that is drawn.
    """
    dice = random.Random(f"{model} {seed}")
    planted = Planted(0.0, 0.0, 0.0, 0.0) if model == "oracle" else Planted(noise, 0.2, 0.0, 0.0)
    truths: dict[str, list[str]] = {}
    for item in items:
        truths.setdefault(item.task, []).append(item.answer)
    looks: dict[str, Eyes] = {}
    texts: list[str | ToMeasure] = []
    for item in items:
        text: str | ToMeasure | None = None
        if model != "guesser" and item.task in TASKS:
            scene = scenes[item.scene or ""]
            new = Eyes(scene, planted, dice)
            text = answer(item, new if model == "new-map" else looks.setdefault(scene.id, new))
        guess = dice.choice(LETTERS[: len(item.options)] if item.options else truths[item.task])
        texts.append(guess if text is None else text)
    distant = iter(measured([text for text in texts if isinstance(text, ToMeasure)]))
    return {
        item.id: text if isinstance(text, str) else next(distant) for item, text in zip(items, texts, strict=True)
    }  # fmt: skip


def run(responses: dict[str, str], name: str, data: Path, folder: Path) -> Path:
    """Score responses into a run folder; its path."""
    table = folder / f"{name}.jsonl"
    table.write_text("".join(json.dumps({"id": k, "response": v}) + "\n" for k, v in responses.items()))
    tolman.score(table, "vsi-bench", data=data, name=name, out=folder / name)
    return folder / name


def row(name: str, found: RunConsistency) -> str:
    """A row of the printed table."""
    every = found.contradictions["all"]
    assert found.map is not None
    cells = [f"{every.found:,} of {every.groups:,}", percent(every.found / every.groups), f"{every.guessed:.1f}"]
    for own in (found.map.best, found.map.best_right, found.map.true):
        cells += [shown(own), "–" if own.guessed is None else f"{own.guessed:.1f}"]
    return f"| {name} | {' | '.join(cells)} |"


def percent(part: float) -> str:
    """A part in per cent."""
    return f"{100 * part:.1f}"


def shown(own: MapShare) -> str:
    """A share in per cent, '–' without answers."""
    return "–" if own.share is None else f"{own.share.value:.1f}"


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--noise", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    data = Path(os.environ.get("TOLMAN_SHARED", "../shared")) / "data" / "vsi-bench"
    items = load("vsi-bench", data, None).items
    scenes = {name: one.scene for name, one in geometries_by_id(data / "meta_info").items()}
    with tempfile.TemporaryDirectory() as place:
        runs = [
            run(answers(model, items, scenes, chosen.noise, chosen.seed), model, data, Path(place)) for model in MODELS
        ]
        started = time.perf_counter()
        settings = {"scenes": data / "meta_info", "workers": chosen.workers, "seed": chosen.seed}
        found = analyze_consistency(ConsistencyConfig(runs=tuple(runs), **settings))
    print("| model | contradict | % | guesser | best map | guesser | right kept | guesser | true map | guesser |")
    print("|---|" + "---:|" * 9)
    for name, own in found.runs.items():
        print(row(name, own))
    print(f"{time.perf_counter() - started:.0f} s for {len(runs)} runs")
    (first, *_) = found.runs.values()
    assert first.map is not None
    own = first.map
    print(f"maps of {own.scenes} scenes with {own.best.answers:,} answers; {own.thin_scenes} scenes have too few")


if __name__ == "__main__":
    main()
