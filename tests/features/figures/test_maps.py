"""Figures of cognitive maps of the rooms that ship with the package, against distances computed here."""

import itertools
import math
from pathlib import Path

import polars as pl
import pytest

import terminal
from drawings import ROOMS, draw, write_drawings
from tolman.cognitive_maps import true_map
from tolman.errors import DataWarning
from tolman.features.config import make
from tolman.features.events import silent
from tolman.features.figures import FIGURES
from tolman.scene_table import read_scenes, write_scenes

pytestmark = pytest.mark.full
CHANGE = 0.45


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that draws the true maps with every place moved along x by a share of its x."""
    place = tmp_path_factory.mktemp("maps")
    terminal.typed(place, "generate", str(ROOMS), "--out", "bench", "--per-scene", "8")
    write_drawings(place, "moved", CHANGE)
    draw(place, "moved")
    return place / "moved"


@pytest.fixture(autouse=True)
def beside_the_benchmark(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run names its benchmark by a path relative to where it was started."""
    monkeypatch.chdir(run.parent)


def test_maps_hold_the_true_places_and_the_drawn_ones(run: Path) -> None:
    kind = FIGURES.get("maps")
    made = kind.make(make(kind.config, {"runs": (run,)}), silent)
    scenes = {scene.id: true_map(scene).places for scene in read_scenes(ROOMS)}
    assert set(made.values("panel")) == set(scenes)
    for panel, places in scenes.items():
        own = made.data.filter(pl.col("panel") == panel)
        true = own.filter(pl.col("series") == "true").select("label", "x", "value").rows()
        assert sorted(true) == sorted((name, x, y) for name, some in places.items() for x, y in some)
        drawn = own.filter(pl.col("series") == "drawn").select("label", "x").rows()
        expected = sorted((name, x * (1 - CHANGE)) for name, some in places.items() for x, _ in some)
        for (name, x), (other, y) in zip(sorted(drawn), expected, strict=True):
            assert name == other
            assert x == pytest.approx(y, abs=0.06)  # as written, to a tenth


def test_locality_is_the_share_of_distances_at_most_one_unit_off(run: Path) -> None:
    kind = FIGURES.get("locality")
    made = kind.make(make(kind.config, {"runs": (run,)}), silent)
    own = made.data.filter(pl.col("role") == "run")
    assert made.series("published") == ["Gemini-1.5 Pro", "LLaVA-Video-72B", "LLaVA-Video-7B"]
    counted = 0
    for row in own.iter_rows(named=True):
        assert 0 <= row["value"] <= 100
        counted += row["n"]
    pairs = 0
    for scene in read_scenes(ROOMS):
        places = true_map(scene).places
        for a, b in itertools.combinations(places, 2):
            true = min(math.dist(p, q) for p in places[a] for q in places[b])
            pairs += 1 <= true <= 10
    assert counted == pairs
    first = own.sort("x").row(0, named=True)
    assert first["label"] == "[1.0, 2.1]"
    published = made.data.filter(pl.col("series") == "LLaVA-Video-7B")["label"].to_list()
    assert published == [
        "[1.0, 2.1]",
        "(2.1, 3.3]",
        "(3.3, 4.4]",
        "(4.4, 5.5]",
        "(5.5, 6.6]",
        "(6.6, 7.8]",
        "(7.8, 8.9]",
        "(8.9, 10.0]",
    ]
    assert first["value"] == 100  # what is near is moved by less than a unit


def test_scenes_of_another_collection_are_named(run: Path, tmp_path: Path) -> None:
    known = list(read_scenes(ROOMS))
    others = [
        other.model_copy(update={"id": scene.id}) for scene, other in zip(known, known[1:] + known[:1], strict=True)
    ]
    write_scenes(tmp_path / "others", others)
    kind = FIGURES.get("maps")
    with pytest.warns(DataWarning, match=r"others: .* checked answers aren't those of its scenes"):
        kind.make(make(kind.config, {"runs": (run,), "scenes": tmp_path / "others"}), silent)
