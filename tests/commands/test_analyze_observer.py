"""`tolman analyze observer` on the rooms that ship with the package, each three times under another name."""

import json
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="scenes need the extra 'build'")

from terminal import typed as tolman
from three_rooms import ROOMS, write_nine
from tolman.scene_table import read_scenes, write_scenes

FITTED = "--tasks", "object_rel_direction_easy,object_size_estimation,object_counting"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine rooms, questions about them, and runs of the oracle and of a baseline that guesses."""
    folder = tmp_path_factory.mktemp("observer")
    write_nine(folder / "scenes")
    tolman(folder, "generate", "scenes", "--no-media", "--max-filter-rounds", "0", "--per-scene", "8", "--out", "bench")
    tolman(folder, "run", "./bench", "--model", "baseline/oracle", "--scenes", "scenes", "--out", "oracle")
    tolman(folder, "run", "./bench", "--model", "baseline/random", "--out", "random", *FITTED)
    return folder


@pytest.mark.full
def test_the_oracle_has_no_noise_and_makes_no_lapses(place: Path) -> None:
    done = tolman(place, "analyze", "observer", "oracle", "--scenes", "scenes", "--draws", "200", "--json")
    found = json.loads(done.stdout)
    (run,) = found["runs"].values()
    together = run["fits"]["together"]
    assert together["scenes"] == 9
    assert together["parameters"]["position"]["value"] < 0.05
    assert together["parameters"]["lapse"]["low"] == 0
    assert together["p_lapse"] > 0.05
    direction = run["fits"]["tasks"]["object_rel_direction_easy"]
    assert direction["explained"]["observed"] == 100
    assert direction["missed"] == []
    assert set(run["fits"]["curves"]) == set(run["fits"]["tasks"])
    assert run["sightings_known"]


@pytest.mark.full
def test_guesses_are_called_guesses(place: Path) -> None:
    done = tolman(place, "analyze", "observer", "random", "--scenes", "scenes", "--draws", "200")
    assert "object_rel_direction_easy: the answers can't be distinguished from guesses." in " ".join(
        done.stdout.split()
    )


def test_other_scenes_are_refused(place: Path) -> None:
    (place / "others").mkdir()
    write_scenes(place / "others", [s.model_copy(update={"id": "elsewhere"}) for s in list(read_scenes(ROOMS))[:1]])
    done = tolman(place, "analyze", "observer", "random", "--scenes", "others", status=2)
    assert "has no scene of the" in " ".join((done.stdout + done.stderr).split())
