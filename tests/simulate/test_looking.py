"""What rays tell of a recording that isn't drawn, held against one that is."""

from pathlib import Path

import pytest

pytest.importorskip("embreex", reason="rays need the extra 'worlds'")

from simulate.worlds import MADE_HOME, SHAPES, walk, world
from tolman.benchmarks.benchmark_folder import open_folder
from tolman.errors import UsageError
from tolman.features.generate.compute import generate
from tolman.features.generate.config import GenerateConfig
from tolman.features.scenes.config import SimulateConfig
from tolman.features.scenes.simulation import simulate
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.scenes import Capture
from tolman.simulate.render import Renderer
from tolman.simulate.scene_recording import STRIDE, CameraTrack, look, record

PLACES = [
    "rectangle",
    *(pytest.param(place, marks=pytest.mark.full) for place in ("two-rooms", "street", "park", MADE_HOME)),
]


@pytest.fixture(scope="module", params=PLACES)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Capture, Capture]:
    """A recording that is drawn, and the same by rays."""
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    here, rate = world(request.param), 5
    camera = CameraTrack("t/ego", "ego", walk(request.param, 4.0, rate), (320, 240), rate, "videos/t.mp4")
    return record(here, camera, tmp_path_factory.mktemp("drawn")), look(here, camera)


def test_pixels_are_those_of_the_pictures(both: tuple[Capture, Capture]) -> None:
    drawn, looked = ({(s.frame, s.object): s for s in one.sightings} for one in both)
    # Rays are a sample of the pixels: of a thing with n of them, √n of its n rays lie on its edge at most.
    least = 40 * STRIDE**2
    large = {key: one for key, one in drawn.items() if one.pixels >= least}
    assert len(large) > 20
    assert set(large) <= set(looked)
    for key, one in large.items():
        assert looked[key].pixels == pytest.approx(one.pixels, rel=0.25), key
        assert one.depth is not None
        assert looked[key].depth == pytest.approx(one.depth, abs=0.15, rel=0.1), key  # its nearest corner may be missed
    shares = [looked[key].pixels / one.pixels for key, one in large.items()]
    assert sum(shares) / len(shares) == pytest.approx(1.0, abs=0.02)
    assert all(one.pixels < least for key, one in looked.items() if key not in drawn)


def test_the_rest_is_told_alike(both: tuple[Capture, Capture]) -> None:
    drawn, looked = both
    kept = {"sightings", "recorded", "recorded_area"}
    assert looked.model_dump(exclude=kept) == drawn.model_dump(exclude=kept)
    if drawn.recorded_area is not None:
        assert looked.recorded_area == pytest.approx(drawn.recorded_area, rel=0.1)
    bounds = {one.object: one for one in looked.recorded}
    for one in drawn.recorded:
        if one.object in bounds and one.missing < 0.1:
            # Rays leave much open of things that are far away, and of windows behind curtains.
            assert bounds[one.object].missing < 0.45, one.object


@pytest.mark.full
def test_questions_are_asked_of_scenes_without_media(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("a picture is drawn")

    monkeypatch.setattr(Renderer, "__init__", refuse)
    config = SimulateConfig(out=tmp_path / "worlds", scenes=3, shapes=SHAPES, seconds=8, media=False, on="here")
    assert [scene.coverage > 0.5 for scene in simulate(config).scenes] == [True] * 3
    assert not list((tmp_path / "worlds").rglob("*.mp4"))
    found = [one for one in open_collection(tmp_path / "worlds") if isinstance(one, SceneGeometry)]
    assert [one.scene.video for one in found] == [f"videos/0-000{n}.mp4" for n in range(3)]
    generate(GenerateConfig(scenes=tmp_path / "worlds", out=tmp_path / "bench", per_scene=10))
    assert len(open_folder(tmp_path / "bench").load(tmp_path / "bench", "all")) > 20
    assert [one.id for one in simulate(config).scenes] == [one.scene.id for one in found]  # goes on: nothing is left


def test_media_that_are_not_written_can_not_be_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leave out --depth and --lidar"):
        simulate(SimulateConfig(out=tmp_path, media=False, depth=True))
