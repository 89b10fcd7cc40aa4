"""Questions about pictures of simulated places, from the command line to the oracle."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")

from PIL import Image

from folders import contents
from generate.pair_solver import Place
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.cli import app
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.simulate.collection import simulate
from tolman.simulate.simulated_places import WorldsConfig

ORDER = WorldsConfig(
    scenes=1, seed=77, shapes=("rectangle",), seconds=40.0, rate=1, size=(160, 120), exo=1, quality="fast"
)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory, needs_egl: None) -> Path:
    place = tmp_path_factory.mktemp("worlds")
    simulate(ORDER, place, 1)
    return place


@pytest.mark.full
def test_generate_show_solve_and_run(worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = "camera-camera,camera-object,measurement,multi-step"
    command = ["generate", str(worlds), "--preset", "mmsi", "--families", chosen, "--out", "pairs"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    benchmark = open_folder(Path("pairs"))
    items = benchmark.load(Path("pairs"), "all")
    assert len({item.task for item in items}) >= 3
    places = {g.scene.id: Place(g.scene, g.captures) for g in open_collection(worlds) if isinstance(g, SceneGeometry)}
    for item in items:
        assert places[item.scene or ""].answer(item) == item.answer_text, item.question
        for media in item.media:
            with Image.open(Path("pairs") / media.path) as picture:
                assert picture.size == ORDER.size
    shown = {media.path for item in items for media in item.media}
    assert {f"images/{path.name}" for path in Path("pairs/images").iterdir()} == shown
    settings = json.loads(Path("pairs/provenance.json").read_text())["preset"]
    assert settings["families"] == [f"mmsi-bench/{name}" for name in chosen.split(",")]
    assert set(settings["settings"]) == set(settings["families"])
    oracle = ["run", "./pairs", "--model", "baseline/oracle", "--scenes", str(worlds), "--out", "o", "--json"]
    ran = CliRunner().invoke(app, oracle)
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["rows"][0]["figures"]["average"]["value"] == 100
    again = CliRunner().invoke(app, [*command[:-1], "again"])
    assert again.exit_code == 0
    first, second = (contents(Path(folder)) for folder in ("pairs", "again"))
    tables = {name for name in first if name.endswith(".parquet")}
    assert tables == {name for name in second if name.endswith(".parquet")}
    assert all(first[name] == second[name] for name in tables)


@pytest.mark.full
def test_an_unknown_family_is_one_sentence(worlds: Path) -> None:
    done = CliRunner().invoke(app, ["generate", str(worlds), "--preset", "mmsi", "--families", "camera", "--out", "x"])
    assert done.exit_code != 0
    assert "there is no question family 'camera'" in str(done.exception or done.output)
