"""Collections: the same bytes whatever the number of processes, resumed, and never mixed."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")

from folders import contents
from simulate.holding import HUNG, faults
from simulate.worlds import FURNITURE, SHAPES
from three_rooms import ROOMS
from tolman.errors import InputError, MissingExtraError, NoDisplayError
from tolman.generate.draft_collection import collect
from tolman.generate.draft_items import items_of
from tolman.generate.draft_storage import DraftFile
from tolman.generate.presets import preset
from tolman.generate.selection import select
from tolman.ground_truth.scene_arrays import open_collection
from tolman.media.video import read_index
from tolman.scene_table import Part, read_captures, read_scenes
from tolman.scenes import Capture
from tolman.simulate import collection
from tolman.simulate.collection import simulate
from tolman.simulate.scene_recording import CameraTrack
from tolman.simulate.simulated_places import WorldsConfig, place
from tolman.simulate.walks import draw_trajectory
from tolman.simulate.world import World

pytestmark = pytest.mark.usefixtures("needs_egl")
ORDER = WorldsConfig(scenes=3, seed=5, shapes=SHAPES, seconds=2.0, rate=4, size=(160, 120), quality="fast")
QUESTIONS = Path(__file__).parent / "questions.json"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone") / "worlds"
    simulate(ORDER, folder, 1)
    return folder


def test_the_folder_holds_scenes_captures_and_videos(alone: Path) -> None:
    scenes, captures = list(read_scenes(alone)), list(read_captures(alone))
    assert [scene.id for scene in scenes] == [f"simulated/5-{n:04d}" for n in range(3)]
    for scene, capture in zip(scenes, captures, strict=True):
        assert capture.scene == scene.id
        assert capture.media == scene.video
        index = read_index(alone / str(scene.video))
        assert len(index.times) == len(capture.times) == 8
        assert index.seconds(3) == pytest.approx(capture.times[3])
        ids = {thing.id for thing in scene.objects}
        assert {sighting.object for sighting in capture.sightings} <= ids
        assert {found.object for found in capture.recorded} <= ids
        assert all(found.longest[0] <= found.longest[1] + 1e-9 for found in capture.recorded)


@pytest.mark.full
def test_two_processes_write_the_same_bytes(alone: Path, tmp_path: Path) -> None:
    simulate(ORDER, tmp_path / "two", 2)
    assert contents(tmp_path / "two") == contents(alone)


@pytest.mark.full
def test_it_goes_on_where_it_was_stopped(alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    real = collection.make

    def stopping(order: WorldsConfig, number: int, out: Path) -> Part:
        if number == 2 and not made.count(2):
            made.append(2)
            raise KeyboardInterrupt
        made.append(number)
        return real(order, number, out)

    monkeypatch.setattr(collection, "make", stopping)
    with pytest.raises(KeyboardInterrupt):
        simulate(ORDER, tmp_path / "worlds", 1)
    simulate(ORDER, tmp_path / "worlds", 1)
    assert made == [0, 1, 2, 2]
    assert contents(tmp_path / "worlds") == contents(alone)
    simulate(replace(ORDER, scenes=4), tmp_path / "worlds", 1)
    assert made == [0, 1, 2, 2, 3]
    assert len(list(read_scenes(tmp_path / "worlds"))) == 4


@pytest.mark.full
def test_of_a_scene_with_several_cameras_it_goes_on_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = replace(ORDER, scenes=1, seconds=1.0, exo=2, lidar=True)
    simulate(order, tmp_path / "whole", 1)
    drawn: list[str] = []
    real = collection.record

    def stopping(world: World, camera: CameraTrack, folder: Path, **how: Any) -> Capture:
        drawn.append(camera.role)
        if len(drawn) == 2:
            raise KeyboardInterrupt
        return real(world, camera, folder, **how)

    monkeypatch.setattr(collection, "record", stopping)
    with pytest.raises(KeyboardInterrupt):
        simulate(order, tmp_path / "worlds", 1)
    simulate(order, tmp_path / "worlds", 1)
    assert drawn == ["ego", "exo-1", "exo-1", "exo-2"]
    assert contents(tmp_path / "worlds") == contents(tmp_path / "whole")


def test_other_settings_and_other_files_are_refused(alone: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="made with another rate, seconds"):
        simulate(replace(ORDER, seconds=3.0, rate=6), alone, 1)
    with pytest.raises(InputError, match="holds scenes made with another quality; give another folder"):
        simulate(replace(ORDER, quality="default"), alone, 1)
    settings = json.loads((alone / "simulation.json").read_text())
    assert (settings["quality"], settings["camera"]) == ("fast", "walk")
    with pytest.raises(InputError, match="made with another camera"):
        simulate(replace(ORDER, camera="robot"), alone, 1)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds other files"):
        simulate(ORDER, tmp_path, 1)
    with pytest.raises(InputError, match="can't be read"):
        simulate(replace(ORDER, furniture=tmp_path / "absent.sh3f"), tmp_path / "new", 1)


@pytest.mark.full
def test_depth_and_instances_are_what_the_camera_has(tmp_path: Path) -> None:
    from PIL import Image

    simulate(replace(ORDER, scenes=1, depth=True), tmp_path, 1)
    (scene,), (capture,) = list(read_scenes(tmp_path)), list(read_captures(tmp_path))
    for number in (0, 7):
        depth = np.asarray(Image.open(tmp_path / f"depth/5-0000/{number:06d}.png"))
        ids = np.asarray(Image.open(tmp_path / f"instances/5-0000/{number:06d}.png"))
        assert depth.shape == ids.shape == (120, 160)
        assert depth[depth > 0].min() > 200
        assert depth.max() < 15_000
        seen = {s.object: (s.pixels, s.depth) for s in capture.sightings if s.frame == number}
        for i, thing in enumerate(scene.objects, start=1):
            count = int((ids == i).sum())
            assert count == (seen[thing.id][0] if thing.id in seen else 0)
            if count:
                known = depth[(ids == i) & (depth > 0)]  # a surface that is seen edge on has none
                assert known.min() / 1000 == pytest.approx(seen[thing.id][1], abs=0.001)


def test_stored_visibility_gives_the_committed_questions(tmp_path: Path) -> None:
    """From the rooms that ship with the package: nothing is drawn here."""
    rules = preset("vsi-paper")
    with DraftFile(tmp_path / "drafts") as draft_file:
        collected = collect(open_collection(ROOMS), rules, 0, draft_file)
        items = list(items_of(select(collected, rules, 0), collected, 0))
    rounded = [[i.id, i.question, i.answer, list(i.options)] for i in items]
    digest = hashlib.sha256(json.dumps(rounded).encode()).hexdigest()
    assert {"questions": len(items), "sha256": digest} == json.loads(QUESTIONS.read_text(encoding="utf-8"))
    assert len({item.task for item in items}) == 10


@pytest.mark.full
def test_the_rooms_that_ship_are_those_that_are_made_now() -> None:
    """Their boxes and ways are planned afresh: rooms of an older version would show its faults."""
    settings = json.loads((ROOMS / "simulation.json").read_text(encoding="utf-8"))
    captures = {capture.scene: capture for capture in read_captures(ROOMS)}
    for scene in read_scenes(ROOMS):
        number = int(scene.id.rpartition("-")[2])
        seed = f"{settings['seed']}:{number}"
        config = WorldsConfig(objects=settings["objects"], furniture=FURNITURE)
        shape = settings["shapes"][number % len(settings["shapes"])]
        world, _ = place(config, shape, scene.id, seed)
        assert faults(world, hung=HUNG) == []
        assert scene.objects == world.scene.objects
        walk = draw_trajectory(world, seed, seconds=settings["seconds"], rate=settings["rate"])
        poses = np.array(captures[scene.id].poses).reshape(-1, 4, 4)
        np.testing.assert_allclose(poses, walk.poses, atol=1e-6)
    assert sum(path.stat().st_size for path in ROOMS.rglob("*") if path.is_file()) < 2_500_000


def test_a_machine_without_egl_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import moderngl

    def broken(**ignored: object) -> None:
        raise OSError("libEGL.so not found in the system")

    monkeypatch.setattr(moderngl, "create_context", broken)
    with pytest.raises(NoDisplayError, match=r"libegl1 and libgl1-mesa-dri, or conda's"):
        simulate(ORDER, tmp_path / "worlds", 1)
    assert not issubclass(NoDisplayError, MissingExtraError)
