"""`tolman analyze consistency` on the rooms that ship with the package: the oracle, a guesser, and drawn maps."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("shapely", reason="scenes need the extra 'build'")

from drawings import ROOMS, TASKS, asked_about, draw, write_drawings
from terminal import typed as tolman
from tolman.features.analyses import ANALYSES
from tolman.features.analyses.config import ConsistencyConfig
from tolman.features.analyses.run_analyses import analyze_consistency
from tolman.scene_table import read_scenes, write_scenes


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions about the rooms, and runs of the oracle and of a model that gives the same answer everywhere."""
    folder = tmp_path_factory.mktemp("consistency")
    tolman(folder, "generate", str(ROOMS), "--max-filter-rounds", "0", "--per-scene", "12", "--out", "bench")
    tolman(folder, "run", "./bench", "--model", "baseline/oracle", "--scenes", str(ROOMS), "--out", "oracle")
    lines = [{"id": one.id, "response": "A" if one.options else "2"} for one in asked_about(folder)]
    (folder / "alike.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    tolman(folder, "run", "./bench", "--model", "scripted/alike.jsonl", "--out", "alike")
    return folder


def runs_of(place: Path, *arguments: str) -> dict[str, Any]:
    done = tolman(place, "analyze", "consistency", *arguments, "--starts", "2", "--permutations", "20", "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.full
def test_the_oracle_contradicts_itself_nowhere_and_is_one_map(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = runs_of(place, "oracle", "alike", "--scenes", str(ROOMS))
    oracle, alike = found["runs"].values()
    assert oracle["contradictions"]["all"]["groups"] == alike["contradictions"]["all"]["groups"] > 100
    assert oracle["contradictions"]["all"]["found"] == 0
    assert oracle["contradictions"]["all"]["guessed"] > 10
    assert oracle["map"]["best"]["share"]["value"] > 98
    assert oracle["map"]["best_right"]["answers"] == oracle["map"]["best"]["answers"]
    assert "obj_appearance_order" in oracle["other_types"]
    contradicting = alike["contradictions"]["all"]["ids"]
    assert len(contradicting) == alike["contradictions"]["all"]["found"] > 0
    assert {one for group in contradicting for one in group} <= {item.id for item in asked_about(place)}
    shown = tolman(
        place, "analyze", "consistency", "oracle", "--scenes", str(ROOMS), "--starts", "2", "--permutations", "20"
    )
    tables = [line for line in shown.stdout.splitlines() if not line.endswith(".")]
    assert max(map(len, tables)) <= 100
    assert "two directions" in shown.stdout
    assert "the best map, of the right answers" in shown.stdout
    monkeypatch.chdir(place)
    settings = {"scenes": ROOMS, "starts": 2, "permutations": 20}
    result = analyze_consistency(ConsistencyConfig(runs=(Path("oracle"), Path("alike")), **settings))
    assert ANALYSES.get("consistency").to_json(result) == found


@pytest.mark.full
def test_answers_are_held_against_the_maps_that_the_model_drew(tmp_path: Path) -> None:
    tolman(tmp_path, "generate", str(ROOMS), "--out", "bench", "--per-scene", "8")
    write_drawings(tmp_path, "true", 0.0)
    draw(tmp_path, "true")
    asked = [item for item in asked_about(tmp_path) if item.task in TASKS]
    lines = [{"id": one.id, "response": one.answer} for one in asked]
    (tmp_path / "true.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    tolman(tmp_path, "run", "./bench", "--model", "scripted/true.jsonl", "--tasks", ",".join(TASKS), "--out", "right")
    own = ("--scenes", str(ROOMS), "--maps", "true")
    (right,) = runs_of(tmp_path, "right", *own)["runs"].values()
    directions = [item for item in asked if "direction" in item.task]
    # One map can't be read, and another of the scene takes its place.
    assert (right["drawn"]["answers"], right["undrawn"]) == (len(directions), 0)
    assert right["drawn"]["share"]["value"] == 100
    assert right["drawn"]["guessed"] < 80
    (drawing,) = runs_of(tmp_path, "true", *own)["runs"].values()  # it answers "A" to all
    assert 0 < drawing["drawn"]["share"]["value"] < 80
    refused = tolman(tmp_path, "analyze", "consistency", "right", "--scenes", str(ROOMS), "--maps", "right", status=2)
    assert "right drew no maps; run it with --protocol cognitive-map." in " ".join(refused.stderr.split())


@pytest.mark.full
def test_bad_input_gets_one_sentence(place: Path) -> None:
    (place / "others").mkdir()
    write_scenes(place / "others", [s.model_copy(update={"id": "elsewhere"}) for s in list(read_scenes(ROOMS))[:1]])
    done = tolman(place, "analyze", "consistency", "oracle", "--scenes", "others", status=2)
    said = " ".join((done.stdout + done.stderr).split())
    assert "no answer of oracle can be compared: the scene is not there" in said
    done = tolman(place, "analyze", "consistency", "oracle", "--scenes", str(ROOMS), "--maps", "alike", status=2)
    assert "alike drew no maps" in " ".join(done.stderr.split())
    done = tolman(place, "analyze", "consistency", "oracle", "--scenes", "nowhere", status=2)
    assert "nowhere" in done.stderr
