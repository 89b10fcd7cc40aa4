"""Recovery of observers that were written from the documentation alone, without the code of the fits.

    python benchmarks/outside_observers.py [--look scene|question] [--distances boxes|places]
        [--options guess|skip] [--observers 60] [--out FOLDER]

Each observer answers VSI-Bench's questions from its own map of a scene: places off by `sigma` metres along each axis,
sizes by a factor with logarithmic deviation `tau`, objects overlooked with probability `miss`. It guesses about what it
overlooked, and elsewhere with probability `lapse`. Geometry, parsing and guesses are this file's own. Answers go
through `tolman score` and `tolman analyze observer`, as a user's would. It prints how often the 95 % intervals of all
question types together hold the planted values, and how often lapses are found at the 5 % level.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tolman.cli import main as command_line

SHARED = Path(os.environ.get("TOLMAN_SHARED", Path(__file__).resolve().parents[2] / "shared"))
DATA = SHARED / "data" / "vsi-bench"
LEFT_OUT = ("route_planning", "obj_appearance_order")
"""Question types that need frames or floors, which the release lacks."""
ALIASES = {"coat rack": "coat hanger"}
PARAMETERS = {"sigma": "position", "tau": "size", "miss": "miss", "lapse": "lapse"}
"""Planted parameters, by this file's names, and Tolman's names in JSON."""
STEPS, CLOSE = 400, 1e-7
"""The descent to the closest points ends after so many steps, or once all are shorter than this, in metres."""
DISTANCE = r"between the (.+) and the (.+) \(in meters\)"
NEAREST = r"which of these objects \((.+)\) is the closest to the (.+)\?"
FACING = r"standing by the (.+?) and facing the (.+?), is the (.+?) to (?:the left|my)"
SIZE = r"height\) of the (.+), measured"
COUNT = r"How many (.+)\(s\) are"

Floats = NDArray[np.float64]
Row = dict[str, Any]


@dataclass(frozen=True)
class Noise:
    """Planted parameters."""

    sigma: float
    tau: float
    miss: float
    lapse: float


@dataclass(frozen=True)
class Boxes:
    """Boxes of one category: centres (n, 3) in metres, axes in rows (n, 3, 3), full lengths (n, 3) in metres."""

    centres: Floats
    axes: Floats
    lengths: Floats

    def __len__(self) -> int:
        return len(self.centres)


@dataclass(frozen=True)
class Place:
    """A scene, or an observer's map of it. A category of which nothing was seen is absent; the area is in m²."""

    boxes: dict[str, Boxes]
    area: float


class OverlookedError(Exception):
    """The map lacks a thing that the question is about."""


def read_scenes(folder: Path) -> dict[str, Place]:
    """Scenes by name, each box once: the release repeats some."""
    found = {}
    for file in sorted(folder.glob("*.json")):
        for name, scene in json.loads(file.read_text()).items():
            boxes = {}
            for category, given in scene["object_bbox"].items():
                rows = {(*b["centroid"], *b["normalizedAxes"], *b["axesLengths"]): None for b in given}
                table = np.array(list(rows), dtype=float).reshape(-1, 15)
                boxes[category] = Boxes(table[:, :3], table[:, 3:12].reshape(-1, 3, 3), table[:, 12:])
            found[name] = Place(boxes, scene["room_size"])
    return found


def look(place: Place, noise: Noise, exact_boxes: bool, rng: np.random.Generator) -> tuple[Place, Place]:
    """The map that a look leaves, and the one for distances, with boxes of their true size if `exact_boxes`."""
    seen, for_distances = {}, {}
    for category, true in place.boxes.items():
        centres = true.centres + noise.sigma * rng.standard_normal((len(true), 3))
        lengths = true.lengths * np.exp(noise.tau * rng.standard_normal((len(true), 1)))
        kept = rng.random(len(true)) >= noise.miss
        if kept.any():
            seen[category] = Boxes(centres[kept], true.axes[kept], lengths[kept])
            exact = Boxes(centres[kept], true.axes[kept], true.lengths[kept])
            for_distances[category] = exact if exact_boxes else seen[category]
    area = place.area * float(np.exp(2 * noise.tau * rng.standard_normal()))
    return Place(seen, area), Place(for_distances, area)


def distance(one: Boxes, other: Boxes) -> float:
    """Metres between the closest points of any two boxes; 0 where they overlap.

    Minimises |p − q|² over points p and q of the two boxes by accelerated projected gradients (Beck and Teboulle 2009,
    SIAM Journal on Imaging Sciences 2, 183–202).
    """
    n, m = len(one), len(other)
    first, second = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    turns = np.concatenate([one.axes[first], -other.axes[second]], axis=1)  # (pairs, 6, 3)
    apart = one.centres[first] - other.centres[second]
    half = np.concatenate([one.lengths[first], other.lengths[second]], axis=1) / 2
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


def seen(place: Place, category: str) -> Boxes:
    category = ALIASES.get(category, category)
    if category not in place.boxes:
        raise OverlookedError(category)
    return place.boxes[category]


def parts(pattern: str, question: str) -> tuple[str, ...]:
    found = re.search(pattern, question)
    if not found:
        raise ValueError(f"A question is not of the form expected: {question}")
    return found.groups()


def nearest(question: str, options: list[str], place: Place, skip: bool) -> str:
    """The nearest option; overlooked ones are left out if `skip`, unless all are."""
    _, target = parts(NEAREST, question)
    goal, far = seen(place, target), {}
    for option in options:
        try:
            far[option[0]] = distance(goal, seen(place, option.split(". ", 1)[1]))
        except OverlookedError:
            if not skip:
                raise
    if not far:
        raise OverlookedError(question)
    return min(far, key=lambda letter: far[letter])


def direction(question: str, options: list[str], place: Place) -> str:
    standing, facing, target = (seen(place, name).centres[0, :2] for name in parts(FACING, question))
    ahead, there = facing - standing, target - standing
    across = ahead[0] * there[1] - ahead[1] * there[0]  # positive on the left
    angle = np.degrees(np.arctan2(across, ahead @ there))
    side = "left" if angle > 0 else "right"
    names = {option.split(". ", 1)[1]: option[0] for option in options}
    if "front-left" in names:
        side = f"{'front' if abs(angle) < 90 else 'back'}-{side}"
    elif "back" in names and abs(angle) >= 135:
        side = "back"
    return names[side]


def reason(row: Row, place: Place, for_distances: Place, skip: bool) -> str:
    """The answer that follows from a map."""
    kind, question = row["question_type"], row["question"]
    if kind == "object_counting":
        return str(len(seen(place, *parts(COUNT, question))))
    if kind == "object_size_estimation":
        return f"{100 * seen(place, *parts(SIZE, question)).lengths[0].max():.3f}"
    if kind == "room_size_estimation":
        return f"{place.area:.3f}"
    if kind == "object_abs_distance":
        one, other = parts(DISTANCE, question)
        return f"{distance(seen(for_distances, one), seen(for_distances, other)):.4f}"
    if kind == "object_rel_distance":
        return nearest(question, row["options"], for_distances, skip)
    return direction(question, row["options"], place)


def guess(row: Row, others: list[Row], rng: np.random.Generator) -> str:
    """An option drawn evenly, or the true number of another question of the type."""
    if row["options"]:
        return str(rng.choice([option[0] for option in row["options"]]))
    drawn = others[rng.integers(len(others))]
    while drawn["id"] == row["id"]:
        drawn = others[rng.integers(len(others))]
    return str(drawn["ground_truth"])


def answers(
    asked: list[Row], rows: list[Row], scenes: dict[str, Place], noise: Noise, args: argparse.Namespace, seed: int
) -> Iterable[dict[str, str]]:
    """An observer's answers to the questions `asked`; guesses draw from all `rows`."""
    rng = np.random.default_rng(seed)
    by_kind = defaultdict(list)
    for row in rows:
        by_kind[row["question_type"]].append(row)
    see = partial(look, noise=noise, exact_boxes=args.distances == "places", rng=rng)
    looks = {name: see(scene) for name, scene in scenes.items()}
    for row in asked:
        maps = looks[row["scene_name"]] if args.look == "scene" else see(scenes[row["scene_name"]])
        try:
            answer = reason(row, *maps, args.options == "skip")
        except OverlookedError:
            answer = guess(row, by_kind[row["question_type"]], rng)
        if rng.random() < noise.lapse:
            answer = guess(row, by_kind[row["question_type"]], rng)
        yield {"id": str(row["id"]), "response": answer}


def observer(number: int) -> Noise:
    """An observer of the series: 20 settings in turn, and lapses of its setting, 10 % and none in turn.

    Each parameter's 20 values are spread evenly, and the four are shuffled against each other.
    """
    rng = np.random.default_rng(20)
    sigma = rng.permutation(np.linspace(0.1, 0.8, 20))
    tau = rng.permutation(np.linspace(0.05, 0.4, 20))
    miss = rng.permutation([0.0] * 5 + list(np.linspace(0.05, 0.2, 15)))
    lapse = rng.permutation(np.linspace(0.02, 0.3, 20))
    turn, setting = divmod(number, 20)
    lapses = (lapse[setting], 0.1, 0.0)[(setting + turn) % 3]
    return Noise(float(sigma[setting]), float(tau[setting]), float(miss[setting]), float(lapses))


def tolman(*words: str | Path) -> str:
    """Run a command and return its output. One process runs them all: a start takes longer than many commands."""
    printed = io.StringIO()
    sys.argv = ["tolman", *map(str, words)]
    try:
        with contextlib.redirect_stdout(printed):
            command_line()
    except SystemExit as end:
        if end.code:
            raise
    return printed.getvalue()


def fit(
    rows: pl.DataFrame, scenes: dict[str, Place], number: int, args: argparse.Namespace, out: Path
) -> dict[str, Any]:
    """Tolman's fit to all question types together; one that is in the folder is read."""
    file = out / "fit.json"
    if not file.exists():
        (out / "data").mkdir(parents=True, exist_ok=True)
        asked = rows.sample(args.questions, seed=number)
        asked.write_parquet(out / "data" / "questions.parquet")
        given = answers(asked.to_dicts(), rows.to_dicts(), scenes, observer(number), args, number)
        log = out / "answers.jsonl"
        log.write_text("".join(f"{json.dumps(line)}\n" for line in given))
        source = ("--benchmark", "vsi-bench", "--data", out / "data" / "questions.parquet", "--published", "none")
        tolman("score", log, *source, "--out", out / "run", "--workers", "1")
        meta = args.data / "meta_info"
        found = json.loads(tolman("analyze", "observer", out / "run", "--scenes", meta, "--json", "--workers", "1"))
        (run,) = found["runs"].values()
        file.write_text(json.dumps(run["fits"]["together"]))
    return dict(json.loads(file.read_text()))


def report(planted: list[Noise], fits: list[dict[str, Any]]) -> None:
    """Print the intervals, how often they hold the planted values, and how often lapses are found."""
    held: dict[str, list[bool]] = {name: [] for name in PARAMETERS}
    off: dict[str, list[float]] = {name: [] for name in PARAMETERS}
    alarms: dict[float, list[bool]] = {0.1: [], 0.0: []}
    for noise, found in zip(planted, fits, strict=True):
        cells = []
        for name, true in asdict(noise).items():
            fitted = found["parameters"].get(PARAMETERS[name]) or {}
            value, low, high = (fitted.get(key) for key in ("value", "low", "high"))
            if value is None:
                cells.append(f"{name} {true:.3f}: none ({fitted.get('reason') or found['reason']})")
                continue
            inside = low <= true and (high is None or true <= high)
            held[name].append(inside)
            off[name].append(value - true)
            upper = "" if high is None else f"{high:.3f}"
            cells.append(f"{name} {true:.3f}: {value:.3f} ({low:.3f} … {upper}){'' if inside else ' OUTSIDE'}")
        if noise.lapse in alarms and found["p_lapse"] is not None:
            alarms[noise.lapse].append(found["p_lapse"] < 0.05)
        print("; ".join(cells), f"p {found['p_lapse']}", sep="; ")
    print(f"\n{len(fits)} observers: planted values inside the 95 % interval; mean of fitted minus planted")
    for name, inside in held.items():
        print(f"{name:6} {sum(inside)} of {len(inside)}; {np.mean(off[name]) if inside else np.nan:+.3f}")
    for lapse, found_lapses in alarms.items():
        print(f"lapses found (p < 0.05) where {lapse:.0%} planted: {sum(found_lapses)} of {len(found_lapses)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of VSI-Bench's parquet and meta_info")
    parser.add_argument("--look", choices=("scene", "question"), default="scene", help="one look at each, or more")
    parser.add_argument(
        "--distances", choices=("boxes", "places"), default="boxes", help="boxes of wrong size, or the true one"
    )
    parser.add_argument(
        "--options",
        choices=("guess", "skip"),
        default="guess",
        help="where options were overlooked: guess, or skip them",
    )
    parser.add_argument("--observers", type=int, default=60, help="how many of the series")
    parser.add_argument("--first", type=int, default=0, help="number of the first of them")
    parser.add_argument("--questions", type=int, default=1000, help="questions of each observer")
    parser.add_argument("--out", type=Path, help="folder that keeps the fits; those that are there are not repeated")
    args = parser.parse_args()
    rows = pl.read_parquet(args.data / "*.parquet").filter(~pl.col("question_type").is_in(LEFT_OUT))
    scenes = read_scenes(args.data / "meta_info")
    with tempfile.TemporaryDirectory() as temporary:
        out = args.out or Path(temporary)
        numbers = range(args.first, args.first + args.observers)
        fits = [fit(rows, scenes, number, args, out / f"{number:02}") for number in numbers]
    report([observer(number) for number in numbers], fits)


if __name__ == "__main__":
    main()
