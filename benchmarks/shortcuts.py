"""What words alone tell of a preset's choices, before and after filtering, to attackers unlike the filter's learners.

    python benchmarks/shortcuts.py SCENES [--preset vsi-paper] [--families A,B] [--per-task N] [--seed 0]

Sparse logistic regression and naive Bayes on question word × option (`tests/guessing/attackers.py`), asked about scenes
that they weren't taught on, the mean of three draws of five folds. `taught on all`: the attacker learns from every
question that the generator offers of the other scenes, unfiltered, as anybody may who has generator and scenes.
Prints a Markdown table, per cent right.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tolman.generate.draft_collection import Collected, collect
from tolman.generate.draft_items import items_of
from tolman.generate.draft_storage import DraftEntry, DraftFile
from tolman.generate.presets import GenerationPreset, preset
from tolman.generate.selection import select
from tolman.ground_truth.scene_arrays import open_collection
from tolman.items import Item
from tolman.parallel import cores

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from guessing.attackers import ATTACKERS, accuracy


def choices(entries: Sequence[DraftEntry], collected: Collected, seed: int) -> dict[str, list[Item]]:
    """By question type."""
    found: dict[str, list[Item]] = {}
    for item in items_of(entries, collected, seed):
        if item.kind == "choice":
            found.setdefault(item.task, []).append(item)
    return found


def unfiltered(rules: GenerationPreset, per_scene: int | None = None) -> GenerationPreset:
    """The same rules without filtering, with another share of each scene."""
    changes = {"max_filter_rounds": 0} | ({"per_scene": per_scene, "per_task": None} if per_scene else {})
    return rules.model_copy(update={"share": rules.share.model_copy(update=changes)})


def main() -> None:
    """Generate three times, attack, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", type=Path)
    parser.add_argument("--preset", default="vsi-paper")
    parser.add_argument("--families", help="only these of the preset's, separated by commas")
    parser.add_argument("--per-task", type=int, help="most questions of a type")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rules = preset(asked.preset)
    if asked.families:
        rules = rules.choosing(asked.families.split(","))
    rules = rules.model_copy(update={"share": rules.share.model_copy(update={"per_task": asked.per_task})})
    made = []
    with tempfile.TemporaryDirectory() as place:
        for kind in (unfiltered(rules), rules, unfiltered(rules, per_scene=1_000)):
            with DraftFile(Path(place) / f"{len(made)}") as draft_file:
                collected = collect(open_collection(asked.scenes), kind, asked.seed, draft_file)
                entries = select(collected, kind, asked.seed, workers=cores())
                made.append(choices(entries, collected, asked.seed))
    before, after, everything = made
    names = list(ATTACKERS)
    said = " | ".join(names)
    print(f"| question type | chance | n before | {said} | n after | ± | {said} | taught on all |")
    print("|---|" + "---:|" * (5 + 2 * len(names)))
    for task in before:
        left = after.get(task, [])
        chance = float(np.mean([1 / len(item.options) for item in before[task]]))
        half = 1.96 * np.sqrt(chance * (1 - chance) / max(1, len(left)))
        cells = [f"{accuracy(before[task], name):.1%}" for name in names]
        cells += [f"{len(left):,}", f"{100 * half:.1f}", *(f"{accuracy(left, name):.1%}" for name in names)]
        cells.append(f"{accuracy(left, names[0], everything[task]):.1%} of {len(everything[task]):,}")
        print(f"| {task} | {chance:.1%} | {len(before[task]):,} | " + " | ".join(cells).replace("%", "") + " |")


if __name__ == "__main__":
    main()
