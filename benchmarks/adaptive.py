"""Adaptive testing against the whole benchmark: rankings, errors, and how often the stated intervals hold.

    python benchmarks/adaptive.py [--share 0.25] [--seeds 5] [--repository VLM4D]

Each model in turn is left out. The item bank is fitted to the others alone, and the model is asked a share of the items
that the bank makes informative for it. Its estimate is compared with its score on all items.

- VSI-Bench's released questions about boxes and areas, answered by planted observers (`benchmarks/observer.py`), by
  blind learners and by baselines. The folder of the data is $TOLMAN_SHARED.
- VLM4D's questions with the released outputs of real models, where `--repository` names a clone of
  ShijieZhou-UCLA/VLM4D at 23f2680.

A flat bank, in which all items are equally hard, makes the same number of draws without any knowledge: stratified
random sampling. It prints a table for each benchmark.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

import numpy as np
import polars as pl
from observer import SETTINGS, TASKS, Planted, plant
from scipy.stats import kendalltau
from vlm4d import OUTPUTS, PARTS, PROMPTS, names_in, shown

from tolman import benchmarks
from tolman.analyze.difficulty import DifficultyResult, bank_of, difficulties
from tolman.features.analyses.scored_runs import chance_scores
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.guessing.blind import guess
from tolman.guessing.folds import assign
from tolman.guessing.learners import QUICK
from tolman.items import Item
from tolman.runs.run_items import load
from tolman.scoring.adaptive_testing import AdaptiveEstimate, AdaptiveTest, DrawableItem, ItemBank
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import SCHEMA
from tolman.scoring.score_table import Table

SPECIALISTS = (Planted(0.8, 0.05, 0.05, 0.0), Planted(0.1, 0.4, 0.05, 0.0), Planted(0.1, 0.05, 0.4, 0.0))
"""Observers that are good at some question types and bad at others."""


def vsi_bench(data: Path) -> tuple[dict[str, pl.DataFrame], Table]:
    """The rows of scripted and learned models, by name."""
    geometries = [one for one in open_collection(data / "meta_info") if isinstance(one, SceneGeometry)]
    scenes = {one.scene.id: one.scene for one in geometries}
    loaded = load("vsi-bench", data, None)
    spec, items = loaded.benchmark, [item for item in loaded.items if item.task in TASKS]
    rules = spec.rule_set("careful")
    models = {
        f"observer {p.position:g} m, {100 * p.size:g} %, missed {p.miss:g}, lapses {p.lapse:g}": _frame(
            items, [one.score for one in plant(items, scenes, p, number, one_look=number % 2 == 0)]
        )
        for number, p in enumerate((*SETTINGS, *SPECIALISTS))
    }
    models |= guess(items, assign(items, 5, 0), rules, learners=QUICK, workers=1).scores(rules)
    for name in ("most-frequent", "most-frequent-text"):
        models[name] = chance_scores(name, spec, items, rules)
    draw = np.random.default_rng(0)
    models["random"] = _frame(items, [_random(item, items, draw) for item in items])
    return models, spec.table_of("careful").restricted(set(TASKS))


def _random(item: Item, items: Sequence[Item], draw: np.random.Generator) -> float:
    """The score of a random option, or of the true number of another question of the type."""
    if item.options:
        return float(draw.random() < 1 / len(item.options))
    alike = [other for other in items[:: max(1, len(items) // 997)] if other.task == item.task]
    error = abs(alike[draw.integers(len(alike))].float_answer - item.float_answer) / item.float_answer
    return sum(error <= 1 - limit for limit in np.linspace(0.5, 0.95, 10)) / 10


def _frame(items: Sequence[Item], scores: Sequence[float]) -> pl.DataFrame:
    common = {"rule_set": "careful", "repeat": 0, "status": "scored", "state": "read"}
    rows = [
        {**common, "id": item.id, "task": item.task, "cluster": item.cluster, "options": len(item.options)}
        | {"score": own, "expected": own, "at_chance": own}
        for item, own in zip(items, scores, strict=True)
    ]
    return pl.DataFrame(rows, schema=SCHEMA)


def vlm4d(repository: Path) -> tuple[dict[str, pl.DataFrame], Table]:
    """The rows of real models' released outputs by their authors' grades, by name."""
    spec = benchmarks.get("vlm4d")
    with tempfile.TemporaryDirectory() as place:
        for part in PARTS:
            (Path(place) / f"{part}_mc.json").write_bytes(shown(repository, f"data/{part}_mc.json"))
        items = list(spec.load(Path(place), "full"))
    models = {}
    for prompt in PROMPTS:
        folders = {part: f"{OUTPUTS}/{part}_mc_{prompt}" for part in PARTS}
        for name in sorted(set.intersection(*(set(names_in(repository, folder)) for folder in folders.values()))):
            right = {
                f"{part}_mc/{row['id']}": float(row["correct"])
                for part, folder in folders.items()
                for row in json.loads(shown(repository, f"{folder}/{name}"))
            }
            asked = [item for item in items if item.id in right]
            models[f"{name.removesuffix('.json')}, {prompt}"] = _frame(asked, [right[item.id] for item in asked])
    return models, spec.table_of("careful")


def fitted(models: Sequence[pl.DataFrame]) -> ItemBank:
    """The item bank of some models."""
    tasks, rows = difficulties(models, {})
    return bank_of(DifficultyResult([], "careful", tasks, rows, {}), "", "", "")


def flat(bank: ItemBank) -> ItemBank:
    """The same bank without any knowledge of single items."""
    items = [one.model_copy(update={"difficulty": 0.0, "error": 0.0, "discrimination": 1.0}) for one in bank.items]
    return bank.model_copy(update={"items": tuple(items)})


def tested(
    bank: ItemBank, frame: pl.DataFrame, table: Table, share: float, seed: int
) -> tuple[AdaptiveEstimate, frozenset[str]]:
    """The estimate of one model, and the items that it was asked."""
    candidates = [
        DrawableItem(id, task, 1 / options if options else 0.0)
        for id, task, options in frame.select("id", "task", "options").iter_rows()
    ]
    test = AdaptiveTest(bank, candidates, table, most=math.ceil(share * len(frame)), error=None, seed=seed)
    asked: list[str] = []
    answered = frame.head(0)
    while batch := test.next_batch(answered):
        asked += [draw.id for draw in batch]
        answered = frame.filter(pl.col("id").is_in(asked))
    return test.estimate(answered), frozenset(asked)


def compared(title: str, models: Mapping[str, pl.DataFrame], table: Table, share: float, seeds: int) -> None:
    """Print the table of one benchmark."""
    started, names = time.perf_counter(), list(models)
    full = {name: cells(frame, table)[table.headline].value or 0.0 for name, frame in models.items()}
    found: dict[str, dict[str, list[AdaptiveEstimate]]] = {"adaptive": {}, "random": {}}
    for name in names:
        bank = fitted([frame for other, frame in models.items() if other != name])
        for kind, own in (("adaptive", bank), ("random", flat(bank))):
            found[kind][name] = [tested(own, models[name], table, share, seed)[0] for seed in range(seeds)]
    items = len(next(iter(models.values())))
    print(f"\n{title}: {len(names)} models, {items:,} items, {100 * share:g} % asked, {seeds} seeds")
    print("| model | all items | estimate | standard error | inside |\n|---|---:|---:|---:|---:|")
    for name in sorted(names, key=lambda name: -full[name]):
        own = found["adaptive"][name]
        first, inside = own[0], sum(_holds(one, full[name]) for one in own)
        print(f"| {name} | {full[name]:.2f} | {first.value:.2f} | {first.error:.2f} | {inside} of {seeds} |")
    print("\n| items | Kendall, mean | least | error, root mean square | stated | intervals that hold |")
    print("|---|---:|---:|---:|---:|---:|")
    for kind, each in found.items():
        ranks = [
            kendalltau([full[n] for n in names], [each[n][s].value for n in names]).statistic for s in range(seeds)
        ]
        pairs = [(one, full[name]) for name, own in each.items() for one in own]
        off, stated = (
            math.sqrt(mean(value**2 for value in values))
            for values in ([(one.value or 0.0) - true for one, true in pairs], [one.error or 0.0 for one, _ in pairs])
        )
        held = sum(_holds(one, true) for one, true in pairs)
        print(
            f"| {kind} | {mean(ranks):.3f} | {min(ranks):.3f} | {off:.2f} | {stated:.2f} | "
            f"{100 * held / len(pairs):.1f} % of {len(pairs)} |"
        )
    print(f"{time.perf_counter() - started:.0f} s", flush=True)


def _holds(found: AdaptiveEstimate, true: float) -> bool:
    return found.interval is not None and found.interval.low - 1e-9 <= true <= found.interval.high + 1e-9


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=0.25)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--repository", type=Path, help="clone of VLM4D")
    chosen = parser.parse_args()
    data = Path(os.environ.get("TOLMAN_SHARED", "../shared")) / "data" / "vsi-bench"
    compared("VSI-Bench", *vsi_bench(data), chosen.share, chosen.seeds)
    if chosen.repository is not None:
        compared("VLM4D", *vlm4d(chosen.repository), chosen.share, chosen.seeds)


if __name__ == "__main__":
    main()
