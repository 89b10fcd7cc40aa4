"""Recovery of scripted observers, written from `docs/analyses/observer.md` without sight of the code that fits them.

    python benchmarks/outside_observers.py --out FOLDER [--look question] [--habits sides zero all]
        [--without object_rel_distance] [--seeds 3] [--settings 0 1 2 …]

There are 20 settings. Each observer of a setting answers 1,000 of VSI-Bench's questions from its own map of each scene:
centres of boxes off by `places` metres along each axis, lengths by a factor with logarithmic deviation `lengths`,
objects overlooked with probability `missed`. It guesses with probability `lapses`, and about overlooked objects.
Answers go through `tolman score` and `tolman analyze observer`, as a user's would. Finished fits
in FOLDER are kept.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import binomtest

from tolman.cli import main as command_line

SHARED = Path(os.environ.get("TOLMAN_SHARED", Path(__file__).resolve().parents[2] / "shared"))
DATA = SHARED / "data" / "vsi-bench"
ALIASES = {"coat rack": "coat hanger"}
"""A name in questions, and the scenes' own."""
LEFT_OUT = ("route_planning", "obj_appearance_order")
"""Question types that need frames or floors, which the release lacks."""
NAMES = {"places": "position", "lengths": "size", "missed": "miss", "lapses": "lapse"}
"""Planted parameters, and their names in Tolman's JSON."""
SETTINGS, QUESTIONS, POWER = 20, 1000, (0.0, 0.1)
STEPS, CLOSE = 400, 1e-7
"""The search for the closest points ends after so many steps, or once all are shorter than this, in metres."""
PATTERNS = {
    "object_counting": r"How many (.+)\(s\) are",
    "object_size_estimation": r"height\) of the (.+), measured",
    "object_abs_distance": r"between the (.+) and the (.+) \(in meters\)",
    "object_rel_distance": r"is the closest to the (.+)\?",
    "object_rel_direction": r"standing by the (.+?) and facing the (.+?), is the (.+?) to (?:the left|my)",
}

Floats = NDArray[np.float64]
Map = dict[str, tuple[Floats, Floats, Floats]]
"""Category → centres (n, 3) and true half lengths (n, 3) with axes (n, 3, 3) of boxes, in metres. See `look`."""
Row = dict[str, Any]


class OverlookedError(Exception):
    """Nothing that the question asks about was seen."""


def settings() -> list[dict[str, float]]:
    """Planted values: four settings with one kind of error alone, four no lapses, three no misses.

    Each parameter's values are spread evenly over its range and shuffled.
    """
    rng = np.random.default_rng(2026)
    spread = {
        "places": rng.permutation(np.linspace(0.05, 1.0, SETTINGS)),
        "lengths": rng.permutation(np.linspace(0.02, 0.4, SETTINGS)),
        "missed": rng.permutation(np.linspace(0.02, 0.4, SETTINGS)),
        "lapses": rng.permutation(np.linspace(0.01, 0.2, SETTINGS)),
    }
    planted = [{name: float(values[i]) for name, values in spread.items()} for i in range(SETTINGS)]
    for alone, noise in zip(spread, planted, strict=False):
        noise.update({name: 0.0 for name in spread if name != alone})
    for noise in planted[4:8]:
        noise["lapses"] = 0.0
    for noise in planted[8:11]:
        noise["missed"] = 0.0
    for noise in [planted[3], *planted[9::2]]:
        noise["lapses"] = 0.1
    return planted


def read_scenes(folder: Path) -> dict[str, Row]:
    """Scenes by name: boxes of each category, each once, since the release repeats some; and the area in m²."""
    found = {}
    for file in sorted(folder.glob("*.json")):
        for name, scene in json.loads(file.read_text()).items():
            boxes = {}
            for category, given in scene["object_bbox"].items():
                rows = {(*box["centroid"], *box["axesLengths"], *box["normalizedAxes"]): None for box in given}
                table = np.array(list(rows), dtype=float).reshape(-1, 15)
                boxes[category] = (table[:, :3], table[:, 3:6] / 2, table[:, 6:].reshape(-1, 3, 3))
            found[name] = {"boxes": boxes, "area": scene["room_size"]}
    return found


def look(scene: Row, planted: dict[str, float], habits: list[str], rng: np.random.Generator) -> Row:
    """A map: the boxes seen, at wrong places and of true size; their longest sides in metres, and the area, wrong."""
    boxes, longest = {}, {}
    for category, (centres, half, axes) in scene["boxes"].items():
        kept = rng.random(len(half)) >= planted["missed"]
        moved = centres + planted["places"] * rng.standard_normal(centres.shape)
        factors = np.exp(planted["lengths"] * rng.standard_normal((len(half), 3 if "sides" in habits else 1)))
        if kept.any():
            boxes[category] = (moved[kept], half[kept], axes[kept])
            longest[category] = 2 * (half * factors).max(axis=1)[kept]
    area = scene["area"] * np.exp(2 * planted["lengths"] * rng.standard_normal())
    return {"boxes": boxes, "longest": longest, "area": area}


def distance(one: tuple[Floats, ...], other: tuple[Floats, ...]) -> float:
    """Metres between the closest points of any two boxes; 0 where they overlap.

    Minimises |p − q|² over points p and q of the two boxes by accelerated projected gradients (Beck and Teboulle 2009,
    SIAM Journal on Imaging Sciences 2, 183–202).
    """
    n, m = len(one[0]), len(other[0])
    first, second = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    turns = np.concatenate([one[2][first], -other[2][second]], axis=1)  # (pairs, 6, 3)
    apart = one[0][first] - other[0][second]
    half = np.concatenate([one[1][first], other[1][second]], axis=1)
    point = ahead = np.zeros_like(half)
    speed = 1.0
    for _ in range(STEPS):
        gap = apart + np.einsum("pij,pi->pj", turns, ahead)
        stepped = np.clip(ahead - np.einsum("pij,pj->pi", turns, gap) / 2, -half, half)
        faster = (1 + np.sqrt(1 + 4 * speed**2)) / 2
        step, point = stepped - point, stepped
        if np.abs(step).max() < CLOSE:
            break
        ahead, speed = point + (speed - 1) / faster * step, faster
    return float(np.linalg.norm(apart + np.einsum("pij,pi->pj", turns, point), axis=1).min())


def of(seen: dict[str, Any], category: str) -> Any:
    category = ALIASES.get(category, category)
    if category not in seen:
        raise OverlookedError(category)
    return seen[category]


def reason(row: Row, seen: Row, habits: list[str]) -> str:
    """The answer that follows from a map."""
    kind = re.sub("_(easy|medium|hard)$", "", row["question_type"])
    if kind == "room_size_estimation":
        return f"{seen['area']:.3f}"
    match = re.search(PATTERNS[kind], row["question"])
    assert match, row["question"]
    names, boxes = match.groups(), seen["boxes"]
    if kind == "object_counting":
        if "zero" in habits and ALIASES.get(names[0], names[0]) not in boxes:
            return "0"
        return str(len(of(boxes, names[0])[0]))
    if kind == "object_size_estimation":
        return f"{100 * of(seen['longest'], names[0])[0]:.3f}"
    if kind == "object_abs_distance":
        return f"{distance(of(boxes, names[0]), of(boxes, names[1])):.4f}"
    options = dict(option.split(". ", 1)[::-1] for option in row["options"])
    if kind == "object_rel_distance":
        goal, far = of(boxes, names[0]), {}
        for name, letter in options.items():
            with contextlib.suppress(OverlookedError):
                far[letter] = distance(goal, of(boxes, name))
        if not far:
            raise OverlookedError(row["question"])
        return min(far, key=lambda letter: far[letter])
    standing, facing, target = (of(boxes, name)[0][0, :2] for name in names)
    (x, y), (a, b) = facing - standing, target - standing
    angle = np.degrees(np.arctan2(x * b - y * a, x * a + y * b))  # positive on the left
    side = "left" if angle > 0 else "right"
    if "front-left" in options:
        side = f"{'front' if abs(angle) < 90 else 'back'}-{side}"
    elif "back" in options and abs(angle) >= 135:
        side = "back"
    return options[side]


def answers(
    asked: list[Row],
    pool: list[Row],
    scenes: dict[str, Row],
    planted: dict[str, float],
    args: argparse.Namespace,
    seed: int,
) -> Iterator[dict[str, str]]:
    """An observer's answers to the questions `asked`; guesses are true numbers of questions in the `pool`."""
    rng = np.random.default_rng(seed)
    truths = defaultdict(list)
    for row in pool:
        truths[row["question_type"]].append((row["id"], str(row["ground_truth"])))
    looks = {
        name: look(scenes[name], planted, args.habits, rng) for name in sorted({row["scene_name"] for row in asked})
    }
    for row in asked:
        name = row["scene_name"]
        seen = looks[name] if args.look == "scene" else look(scenes[name], planted, args.habits, rng)
        guesses = [option[0] for option in row["options"] or ()]
        guesses = guesses or [truth for id_, truth in truths[row["question_type"]] if id_ != row["id"]]
        answer = guesses[rng.integers(len(guesses))]
        if rng.random() >= planted["lapses"]:
            with contextlib.suppress(OverlookedError):
                answer = reason(row, seen, args.habits)
        yield {"id": str(row["id"]), "response": answer}


def tolman(*words: str | Path) -> str:
    """Run a command in this process and return its output."""
    printed = io.StringIO()
    sys.argv = ["tolman", *map(str, words)]
    try:
        with contextlib.redirect_stdout(printed):
            command_line()
    except SystemExit as end:
        if end.code:
            raise
    return printed.getvalue()


def fit(rows: pl.DataFrame, scenes: dict[str, Row], setting: int, seed: int, args: argparse.Namespace) -> Row:
    """Tolman's fits of an observer."""
    out = args.out / "-".join([args.look, *args.habits, *args.without, f"{setting:02}", str(seed)])
    file = out / "fits.json"
    if not file.exists():
        (out / "data").mkdir(parents=True, exist_ok=True)
        asked = rows.sample(QUESTIONS, seed=100 * seed + setting, shuffle=True)
        asked.write_parquet(out / "data" / "questions.parquet")
        pool = rows if "all" in args.habits else asked
        given = answers(asked.to_dicts(), pool.to_dicts(), scenes, settings()[setting], args, 100 * seed + setting)
        (out / "answers.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in given))
        source = ("--benchmark", "vsi-bench", "--data", out / "data" / "questions.parquet", "--published", "none")
        tolman("score", out / "answers.jsonl", *source, "--out", out / "run", "--workers", "1")
        meta = args.data / "meta_info"
        found = json.loads(tolman("analyze", "observer", out / "run", "--scenes", meta, "--json", "--workers", "1"))
        (run,) = found["runs"].values()
        file.write_text(json.dumps({"All types": run["fits"]["together"], **run["fits"]["tasks"]}))
    return dict(json.loads(file.read_text()))


def share(inside: list[bool]) -> str:
    """A share in per cent, with Wilson's 95 % interval."""
    found = binomtest(sum(inside), len(inside)).proportion_ci(method="wilson")
    return f"{sum(inside)} of {len(inside)}: {np.mean(inside):.1%} ({found.low:.1%} … {found.high:.1%})"


def report(fits: dict[tuple[int, int], Row]) -> None:
    """Print how often intervals hold the planted values, misses that way, and how often lapses are found."""
    inside: dict[tuple[str, str], list[bool]] = defaultdict(list)
    off: dict[tuple[str, str], list[float]] = defaultdict(list)
    sides: dict[tuple[str, str], list[str]] = defaultdict(list)
    alarms: dict[float, list[bool]] = defaultdict(list)
    for (setting, seed), found in sorted(fits.items()):
        planted = settings()[setting]
        if planted["lapses"] in POWER:
            p = found["All types"]["p_lapse"]
            alarms[planted["lapses"]].append(p is not None and p < 0.05)
        for kind, one in found.items():
            for name, json_name in NAMES.items():
                fitted = one["parameters"].get(json_name)
                if fitted is None:
                    continue
                if fitted["value"] is None:
                    sides[kind, name].append(f"{setting}.{seed} none")
                    continue
                low, high, true = fitted["low"], fitted["high"], planted[name]
                side = "high" if low > true else "low" if high is not None and high < true else ""
                inside[kind, name].append(not side)
                off[kind, name].append(fitted["value"] - true)
                if side:
                    sides[kind, name].append(f"{setting}.{seed} {side}")
    for (kind, name), held in inside.items():
        print(f"{kind:28} {name:8} {share(held)}; mean error {np.mean(off[kind, name]):+.3f}; {sides[kind, name]}")
    print(
        "All parameters:", share([held for (kind, _), given in inside.items() if kind == "All types" for held in given])
    )
    for lapses, found_lapses in sorted(alarms.items()):
        print(f"lapses found (p < 0.05) where {lapses:.0%} planted: {share(found_lapses)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of VSI-Bench's parquet and meta_info")
    parser.add_argument(
        "--look", choices=("scene", "question"), default="scene", help="a look at each scene or question"
    )
    parser.add_argument(
        "--habits",
        choices=("sides", "zero", "all"),
        nargs="*",
        default=[],
        help="other readings of the page: each side of a box has its own error; a category overlooked is counted as 0, "
        "without a guess; guesses are numbers of all released questions",
    )
    parser.add_argument("--without", nargs="*", default=[], help="question types to leave out")
    parser.add_argument("--seeds", type=int, default=3, help="of each setting")
    parser.add_argument("--settings", type=int, nargs="*", default=range(SETTINGS), help="numbers of settings to run")
    parser.add_argument("--out", type=Path, required=True, help="folder that keeps the fits")
    args = parser.parse_args()
    rows = pl.read_parquet(args.data / "*.parquet").filter(~pl.col("question_type").is_in([*LEFT_OUT, *args.without]))
    scenes = read_scenes(args.data / "meta_info")
    print(*(f"{i}: {noise}" for i, noise in enumerate(settings())), sep="\n")
    order = [(setting, seed) for seed in range(args.seeds) for setting in args.settings]
    report({(setting, seed): fit(rows, scenes, setting, seed, args) for setting, seed in order})


if __name__ == "__main__":
    main()
