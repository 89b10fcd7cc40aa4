"""How well MMSI-Bench's families hold: a second solver, one picture alone, and no picture at all.

    tolman generate worlds --preset mmsi --out pairs
    python benchmarks/pairs.py worlds pairs

For each question type: how many questions there are; how many a solver on the scenes' state gets right; how many
somebody gets right who knows of one picture everything (its camera, every object that it shows with its place, the
question), for the first and the second picture; and who knows the words alone. These are learned: forests on numbers
that describe what one picture shows, and a linear model on words, taught on other scenes' questions; the mean of five
draws of the folds. `suggested` is the answer that the drawn hypotheses of the better of both pictures suggest. `±` is
the half width of a 95 % interval around chance for so many questions. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from tolman.benchmarks.benchmark_folder import open_folder
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.guessing.folds import assign
from tolman.items import Item

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from generate.pair_solver import Place, corners

CLOSEST = 6
"""Objects of a picture that are described beside those that the question names."""
FOLDS, DRAWS = 5, 5
"""Folds, and how often they are drawn: which scenes are asked together moves a figure by some points."""


def main() -> None:
    """Solve, learn, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", type=Path)
    parser.add_argument("bench", type=Path)
    asked = parser.parse_args()
    by_scene: dict[str, list[Item]] = defaultdict(list)
    for item in open_folder(asked.bench).load(asked.bench, "all"):
        by_scene[item.scene or ""].append(item)
    right: dict[str, list[bool]] = defaultdict(list)
    rows: dict[str, list[tuple[Item, list[np.ndarray]]]] = defaultdict(list)
    for geometry in open_collection(asked.worlds):
        if not isinstance(geometry, SceneGeometry):
            continue
        solver = Place(geometry.scene, geometry.captures)
        for item in by_scene[geometry.scene.id]:
            right[item.task].append(solver.answer(item) == item.answer_text)
            rows[item.task].append((item, [described(solver, item, k) for k in range(len(item.media))]))
    print("| question type | n | ± | solver | first picture | second picture | suggested | words |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    sums = np.zeros(6)
    for task in sorted(rows):
        found = rows[task]
        taught = [learned(found, k) for k in (0, 1)]
        hinted = max(np.mean([item.evidence["suggested"][k] == item.answer_text for item, _ in found]) for k in (0, 1))
        figures = np.array([np.mean(right[task]), *taught, hinted, worded([item for item, _ in found])]) * 100
        sums += len(found) * np.array([1 / len(found), *figures]) * np.array([len(found), 1, 1, 1, 1, 1])
        show(task, len(found), figures)
    show("all", int(sums[0]), sums[1:] / sums[0])


def show(name: str, count: int, figures: np.ndarray) -> None:
    """Print a row; the interval's half width is that of a share of one in four."""
    interval = 196 * np.sqrt(0.25 * 0.75 / count)
    print(
        f"| {name} | {count:,} | {interval:.1f} | " + " | ".join(f"{value:.1f}" for value in figures) + " |", flush=True
    )


def described(place: Place, item: Item, number: int) -> np.ndarray:
    """What one picture shows, in its camera's coordinates on the floor plan: named objects first, then the closest."""
    capture, frame = item.evidence["shots"][number][0], int(item.evidence["shots"][number][1])
    eye, ray = place.eye((capture, frame)), place.ray((capture, frame))
    seen = {}
    for thing in place.scene.objects:
        pixels = place.pixels[capture].get((frame, thing.id), 0)
        if pixels:
            at = place.at(thing.category, (capture, frame)) if thing.track else place.middle(thing)
            way = (at - eye) / ray * abs(ray)
            seen[thing.id] = (thing, np.array([way.real, way.imag, abs(way), np.angle(way)]), pixels)
    names = re.findall(r"the ([a-z ]+?)(?= and| are|,| is| to| relative|\.|\?| without| move)", item.question)
    features: list[float] = []
    for name in list(dict.fromkeys(names))[:5]:
        own = [way for thing, way, _ in seen.values() if thing.category == name]
        features += list(own[0]) if own else [np.nan] * 4
    features += [np.nan] * (20 - len(features))
    ways = sorted((way for _, way, _ in seen.values()), key=lambda way: way[2])[:CLOSEST]
    for way in ways:
        features += list(way)
    features += [np.nan] * (20 + 4 * CLOSEST - len(features))
    features += [len(seen), float(place.scene.room_area or 0.0), corners(place.scene.objects[0])[:, 2].max()]
    features += [float(option.split()[0]) if option[0].isdigit() else 0.0 for option in sorted_options(item)]
    return np.nan_to_num(np.array(features), nan=-99.0)


def sorted_options(item: Item) -> list[str]:
    """Options in an order that doesn't depend on letters: numbers by size, texts by the alphabet."""
    return sorted(item.options, key=lambda option: (float(option.split()[0]) if option[0].isdigit() else 0.0, option))


def learned(found: list[tuple[Item, list[np.ndarray]]], number: int) -> float:
    """The share of answers that a forest guesses from one picture of questions about other scenes."""
    features = np.array([rows[number] for _, rows in found])
    answers = np.array([sorted_options(item).index(item.answer_text) for item, _ in found])
    return guessed(
        RandomForestClassifier(150, min_samples_leaf=4, class_weight="balanced", random_state=0),
        features,
        answers,
        found,
    )


def worded(items: list[Item]) -> float:
    """The same from the question's words."""
    texts = [f"{item.question} {' '.join(sorted_options(item))}" for item in items]
    features = CountVectorizer(ngram_range=(1, 2), binary=True, min_df=2).fit_transform(texts).toarray()
    answers = np.array([sorted_options(item).index(item.answer_text) for item in items])
    return guessed(
        LogisticRegression(max_iter=300, C=0.1, class_weight="balanced"),
        features,
        answers,
        [(item, []) for item in items],
    )


def guessed(model, features: np.ndarray, answers: np.ndarray, found: list[tuple[Item, list[np.ndarray]]]) -> float:
    """Accuracy over folds that share no scene, the mean of several draws of them."""
    items = [item for item, _ in found]
    if len({item.scene for item in items}) < FOLDS or len(set(answers)) < 2:
        return float("nan")
    hits = []
    for draw in range(DRAWS):
        fold = assign(items, FOLDS, draw)
        for held_out in range(FOLDS):
            asked, taught = fold == held_out, fold != held_out
            if len(set(answers[taught])) < 2:
                continue
            model.fit(features[taught], answers[taught])
            hits += list(model.predict(features[asked]) == answers[asked])
    return float(np.mean(hits))


if __name__ == "__main__":
    main()
