"""Cognitive maps that a scripted model draws of three rooms."""

import json
from pathlib import Path

import terminal
from three_rooms import ROOMS
from tolman import benchmarks
from tolman.cognitive_maps import CognitiveMap, true_map
from tolman.items import Item
from tolman.scene_table import read_scenes

TASKS = ("object_rel_direction_easy", "object_rel_direction_medium", "object_rel_direction_hard", "object_counting")


def asked_about(place: Path) -> list[Item]:
    """The questions of the folder `bench`."""
    return benchmarks.get(str(place / "bench")).load(place / "bench", "all")


def write_drawings(place: Path, name: str, change: float) -> None:
    """A model that draws the true map of each question's scene, every place moved along x by a share of its x."""
    lines = []
    unread = next(item.id for item in asked_about(place) if item.task in TASKS)
    scenes = {scene.id: true_map(scene) for scene in read_scenes(ROOMS)}
    for item in asked_about(place):
        places = scenes[item.scene or ""].places
        text = CognitiveMap(10, {n: tuple((x * (1 - change), y) for x, y in at) for n, at in places.items()}).text()
        text = "No map." if item.id == unread else text
        turns = [{"purpose": p, "prompt": "", "response": r} for p, r in (("map", text), ("answer", "A"))]
        lines.append(json.dumps({"id": item.id, "response": "A", "turns": turns}) + "\n")
    (place / f"{name}.jsonl").write_text("".join(lines))


def draw(place: Path, name: str) -> None:
    """The run of that model, in a folder of its name."""
    terminal.typed(
        place, "run", "./bench", "--model", f"scripted/{name}.jsonl", "--protocol", "cognitive-map", "--scenes",
        str(ROOMS), "--map-categories", "scene", "--tasks", ",".join(TASKS), "--out", name,
    )  # fmt: skip
