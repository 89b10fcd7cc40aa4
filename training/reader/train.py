"""Trains the trees by which the careful reader chooses among the values that a response names.

    python training/reader/train.py [--shared ../shared] [--seed 0] [--folds 10] [--out FILE]

Writes `src/tolman/scoring/parse/weights.json`. Needs scikit-learn. Rows: the development part and the older corpus
(`tests/scoring/corpus/README.md`), without those of batches four and five that are held out (`rows.is_held_out`),
without the real rows of the development part, which show what it does where it learned nothing, and never the test
part. Only responses that leave anything to weigh take part (`selection.is_open`). Groups (a batch in a language, a
source) are split into folds; the thresholds are those that gain most on what the trees of the other folds say, where a
wrong or an invented answer costs as much as `COST` right ones, and neither may become more, nor right ones fewer, than
by the rules alone.
Prints what was read by the rules, by the selector cross-validated, and by the selector fitted to all.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import GroupKFold

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "scoring" / "corpus"))

from rows import Row, is_held_out, item_of, judge, load  # noqa: E402

from tolman.scoring.parse.answer_selection import Weights, decided, features, is_open, names  # noqa: E402  # noqa: E402
from tolman.scoring.parse.reader import Ruled, ruled  # noqa: E402

COST = 3.0
"""Right answers that a wrong or an invented one costs."""
FRESH_WEIGHT = 3.0
"""Weight of a row that the rules were never changed for."""
DOUBT_WEIGHT = 2.0
"""Weight of a row in which the rules read none."""
MOST_DROP = 0.5
"""Highest chance below which a reading is dropped: on 220 real rows, higher ones lost more right readings than they
spared wrong ones."""
TREES = 120
FORESTS = 2
"""Sets of trees, each grown with its own seed; their mean is taken."""
DEPTH = 4
RATE = 0.05
LEAST = 8
"""Rows in a leaf, at least."""
Tree = tuple[tuple[int, float, int, int, float], ...]
STEPS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)


@dataclass(frozen=True)
class Example:
    """A response with something to weigh.

    Attributes:
        row: of the corpus.
        ruled: what the rules make of it.
        rows: the features of its candidates.
        right: whether each is what the label says.
        group: rows that are alike and stay in one fold.
        fresh: the rules were never changed for it.
    """

    row: Row
    ruled: Ruled
    rows: list[list[float]]
    right: list[bool]
    group: str
    fresh: bool


def group_of(row: Row) -> str:
    """What stays together in a fold: a batch in a language, a source, a hundred rows of the older corpus."""
    if row.part == "development" and row.written:
        return f"{row.id[:3]} {row.language}"
    return row.source or f"given {int(row.id[1:]) // 100}"


def is_taught(row: Row) -> bool:
    """Tell whether the trees are grown from a row: the same ones, whether the real rows' texts are gathered or not."""
    return not is_held_out(row) and (row.written or row.part == "given")


def example(row: Row) -> Example | None:
    """What a row gives to learn from; None where there is nothing to weigh."""
    found = ruled(item_of(row), row.output)
    if found is None or not found.candidates or not is_open(found.setting, found.candidates):
        return None
    right = [judge(row, c.value) == "right" for c in found.candidates]
    rows = features(found.candidates, found.setting)
    return Example(row, found, rows, right, group_of(row), row.id.startswith(("w-u", "w-t")))


def weight(e: Example) -> float:
    """How much a response counts."""
    return FRESH_WEIGHT if e.fresh else DOUBT_WEIGHT if e.ruled.note else 1.0


def fit(examples: Sequence[Example], seed: int) -> Weights:
    """Trees for some examples, without thresholds."""
    x = np.array([r for e in examples for r in e.rows])
    y = np.array([r for e in examples for r in e.right], dtype=int)
    w = np.array([weight(e) for e in examples for _ in e.right])
    prior = float(np.clip(np.average(y, weights=w), 1e-6, 1 - 1e-6))
    trees = [tree for n in range(FORESTS) for tree in grown(x, y, w, seed * FORESTS + n)]
    return Weights(round(float(np.log(prior / (1 - prior))), 5), tuple(trees), 1.0, 0.0, 1.0)


def grown(x: np.ndarray, y: np.ndarray, w: np.ndarray, seed: int) -> list[Tree]:
    """One set of trees."""
    model = GradientBoostingClassifier(
        n_estimators=TREES,
        learning_rate=RATE,
        max_depth=DEPTH,
        min_samples_leaf=LEAST,
        subsample=0.7,
        max_features=0.15,
        random_state=seed,
    ).fit(x, y, sample_weight=w)
    return [tree_of(stage.tree_) for stage in model.estimators_[:, 0]]


def tree_of(grown_tree: Any) -> Tree:
    """A tree as the reader walks it."""
    t = grown_tree
    nodes: list[tuple[int, float, int, int, float]] = []
    for i in range(t.node_count):
        low, high = int(t.children_left[i]), int(t.children_right[i])
        if low < 0:
            nodes.append((-1, 0.0, -1, -1, round(RATE / FORESTS * float(t.value[i, 0, 0]), 4)))
        else:
            nodes.append((int(t.feature[i]), round(float(t.threshold[i]), 4), low, high, 0.0))
    return tuple(nodes)


def verdicts(examples: Sequence[Example], chances: Sequence[Sequence[float]], own: Weights) -> list[str]:
    """What the readings are by some thresholds."""
    result = []
    for e, c in zip(examples, chances, strict=True):
        chosen = decided(own, c, e.ruled.setting, e.ruled.candidates)
        if chosen is None:
            standing = e.ruled.chosen
            value = None if e.ruled.note or standing is None else standing.value
        else:
            value = chosen.value
        result.append(judge(e.row, value))
    return result


def counted(examples: Sequence[Example], chances: Sequence[Sequence[float]], own: Weights) -> dict[str, int]:
    """How many verdicts of each kind there are by some thresholds."""
    found = Counter(verdicts(examples, chances, own))
    return {name: found[name] for name in ("right", "wrong", "invented")}


def thresholds(examples: Sequence[Example], chances: Sequence[Sequence[float]], silent: Weights) -> Weights:
    """The thresholds that gain most, where neither wrong nor invented answers become more than by the rules alone."""
    parts = []
    drops = (-1.0, *(step for step in STEPS if step <= MOST_DROP))
    for none in (True, False):  # `read` is for responses in which the rules read none, `drop` and `switch` for others
        some = [i for i, e in enumerate(examples) if bool(e.ruled.note) == none]
        rows, said = [examples[i] for i in some], [chances[i] for i in some]
        tried = (
            [replace(silent, read=r) for r in (*STEPS, 2.0)]
            if none
            else [replace(silent, drop=d, switch=s) for d in drops for s in (*STEPS[6:], 2.0)]
        )
        parts.append([(w, counted(rows, said, w)) for w in tried])
    before = counted(examples, chances, silent)
    best, most = silent, 0.0
    for (a, read), (b, dropped) in itertools.product(*parts):
        more = {name: read[name] + dropped[name] - before[name] for name in before}
        gain = more["right"] - COST * (more["wrong"] + more["invented"])
        if gain > most and more["right"] >= 0 >= max(more["wrong"], more["invented"]):
            best, most = replace(silent, read=a.read, drop=b.drop, switch=b.switch), gain
    return best


def cross_validated(examples: Sequence[Example], folds: int, seed: int) -> list[list[float]]:
    """For each example the chances of its candidates by trees that saw nothing of its group."""
    groups = [e.group for e in examples]
    chances: list[list[float]] = [[] for _ in examples]
    for train, test in GroupKFold(folds).split(examples, groups=groups):
        own = fit([examples[i] for i in train], seed)
        for i in test:
            chances[i] = [own.chance(r) for r in examples[i].rows]
    return chances


def counts(found: Sequence[str], examples: Sequence[Example]) -> str:
    """One line on some verdicts."""
    there = sum(e.row.has_answer for e in examples)
    right = sum(v == "right" and e.row.has_answer for v, e in zip(found, examples, strict=True))
    wrong, invented, missed = (sum(v == name for v in found) for name in ("wrong", "invented", "missed"))
    return f"{right} of {there} right, {missed} missed, {wrong} wrong, {invented} invented"


def as_data(own: Weights) -> dict[str, Any]:
    """Weights as they are stored."""
    trees = [[list(node[:4]) if node[0] >= 0 else [node[4]] for node in tree] for tree in own.trees]
    return {"base": own.base, "read": own.read, "drop": own.drop, "switch": own.switch, "trees": trees}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, help="folder that holds data/reading (default: TOLMAN_SHARED)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=ROOT / "src" / "tolman" / "scoring" / "parse" / "weights.json")
    options = parser.parse_args()
    rows = [r for r in load(("development", "given"), shared=options.shared).rows if is_taught(r)]
    kinds = {}
    for kind in ("choice", "number"):
        examples = [e for e in map(example, (r for r in rows if r.kind == kind)) if e is not None]
        chances = cross_validated(examples, options.folds, options.seed)
        silent = Weights(0.0, (), 2.0, -1.0, 2.0)
        usual = [i for i, e in enumerate(examples) if not e.fresh]  # the others were written to be hard
        own = thresholds([examples[i] for i in usual], [chances[i] for i in usual], silent)
        final = replace(fit(examples, options.seed), read=own.read, drop=own.drop, switch=own.switch)
        kinds[kind] = as_data(final)
        fitted = [[final.chance(r) for r in e.rows] for e in examples]
        print(
            f"{kind}: {len(examples)} responses, {sum(len(e.rows) for e in examples)} candidates; read from {own.read},"
        )
        print(f"  drop below {own.drop}, switch from {own.switch}")
        for title, keep in (("all", lambda e: True), ("batches four and five", lambda e: e.fresh)):
            part = [i for i, e in enumerate(examples) if keep(e)]
            some = [examples[i] for i in part]
            for name, said, by in (
                ("rules", chances, silent),
                ("cross-validated", chances, own),
                ("fitted", fitted, own),
            ):
                print(f"  {title}, {name}: {counts(verdicts(some, [said[i] for i in part], by), some)}")
    text = json.dumps({"features": names(), "kinds": kinds}, separators=(",", ":"))
    options.out.write_text(text + "\n", encoding="utf-8")
    print(f"{options.out}: {len(text):,} bytes")


if __name__ == "__main__":
    main()
