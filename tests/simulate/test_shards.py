"""Shards of simulated scenes: joined they are what one job makes; what doesn't belong together is refused."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")

from folders import contents
from simulate.worlds import SHAPES
from tolman.errors import InputError, UsageError
from tolman.features.scenes.compute import merge
from tolman.features.scenes.config import MergeConfig
from tolman.ground_truth.corrections import Absent, append_corrections, read_corrections
from tolman.scene_shards import JOINING, NAME, Shard
from tolman.scene_table import Part, read_scenes
from tolman.scenes import Capture, Scene
from tolman.simulate import collection
from tolman.simulate.collection import simulate
from tolman.simulate.simulated_places import WorldsConfig

ORDER = WorldsConfig(scenes=5, seed=5, shapes=SHAPES, seconds=2.0, rate=4, size=(160, 120), quality="fast")


def quick(config: WorldsConfig, number: int, out: Path) -> Part:
    """A scene with a recording that nobody draws."""
    identity, media = f"simulated/{config.seed}-{number:04d}", f"videos/{number}.mp4"
    if config.media:
        (out / "videos").mkdir(exist_ok=True)
        (out / media).write_bytes(bytes([number]) * 100)
    capture = Capture(
        id=f"{identity}/ego", scene=identity, sensor="camera", role="ego", media=media, size=(64, 48), times=(0.0,),
        poses=((1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1),), intrinsics=((50.0, 50.0, 32.0, 24.0),), sightings=(),
    )  # fmt: skip
    return Part(Scene(id=identity, dataset="simulated", objects=(), video=media), (capture,))


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the scenes that are made, by a function that takes no time."""
    made: list[int] = []

    def make(config: WorldsConfig, number: int, out: Path) -> Part:
        made.append(number)
        return quick(config, number, out)

    monkeypatch.setattr(collection, "make", make)
    return made


def joined(place: Path, *numbers: int, out: str = "whole") -> Path:
    merge(MergeConfig(parts=tuple(place / str(number) for number in numbers), out=place / out))
    return place / out


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_shards_joined_in_any_order_are_the_whole_job(undrawn: list[int], tmp_path: Path, count: int) -> None:
    simulate(ORDER, tmp_path / "alone", 1)
    undrawn.clear()
    for number in range(1, count + 1):
        simulate(ORDER, tmp_path / str(number), 1, shard=Shard(number, count))
    assert sorted(undrawn) == list(range(5))
    whole = joined(tmp_path, *reversed(range(1, count + 1)))
    assert contents(whole) == contents(tmp_path / "alone")


def test_shards_without_media_are_joined(undrawn: list[int], tmp_path: Path) -> None:
    order = replace(ORDER, media=False)
    simulate(order, tmp_path / "alone", 1)
    for number in (1, 2):
        simulate(order, tmp_path / str(number), 1, shard=Shard(number, 2))
    assert contents(joined(tmp_path, 1, 2)) == contents(tmp_path / "alone")


def test_corrections_of_shards_are_kept(undrawn: list[int], tmp_path: Path) -> None:
    order = replace(ORDER, media=False)
    gone = []
    for number in (1, 2):
        simulate(order, tmp_path / str(number), 1, shard=Shard(number, 2))
        scene = next(iter(read_scenes(tmp_path / str(number))))
        gone.append(Absent(scene=scene.id, object="lamp"))
        append_corrections(tmp_path / str(number), gone[-1:])
    assert read_corrections(joined(tmp_path, 1, 2)) == tuple(gone)


def test_a_shard_that_was_killed_is_repeated(
    undrawn: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate(ORDER, tmp_path / "alone", 1)
    undrawn.clear()
    simulate(ORDER, tmp_path / "1", 1, shard=Shard(1, 2))
    with monkeypatch.context() as patch:
        patch.setattr(collection, "write_collection", interrupted)
        with pytest.raises(KeyboardInterrupt):
            simulate(ORDER, tmp_path / "2", 1, shard=Shard(2, 2))
    with pytest.raises(InputError, match=r"2: is shard 2/2 and isn't finished; run its command again\."):
        joined(tmp_path, 1, 2)
    assert not (tmp_path / "whole").exists()
    simulate(ORDER, tmp_path / "2", 1, shard=Shard(2, 2))
    simulate(ORDER, tmp_path / "1", 1, shard=Shard(1, 2))  # whole already
    assert undrawn == list(range(5))
    # Joining is killed too, and done again.
    with monkeypatch.context() as patch:
        patch.setattr("tolman.scene_shards.write_collection", interrupted)
        with pytest.raises(KeyboardInterrupt):
            joined(tmp_path, 1, 2)
    assert (tmp_path / "whole" / JOINING).exists()
    assert contents(joined(tmp_path, 1, 2)) == contents(tmp_path / "alone")
    with pytest.raises(InputError, match=r"whole: holds other files; give an empty folder"):
        joined(tmp_path, 1, 2)


def test_a_table_that_was_not_written_to_its_end_is_made_of_the_parts(
    undrawn: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate(ORDER, tmp_path / "alone", 1)
    undrawn.clear()
    with monkeypatch.context() as patch:
        patch.setattr("tolman.scene_table.write_captures", interrupted)
        with pytest.raises(KeyboardInterrupt):
            simulate(ORDER, tmp_path / "out", 1)
    assert len(simulate(ORDER, tmp_path / "out", 1)) == len(undrawn) == 5
    assert contents(tmp_path / "out") == contents(tmp_path / "alone")
    half = tmp_path / "out" / "videos" / ".5.mp4.1-2-abc.partial"  # of a process that was killed
    half.write_bytes(b"half")
    # A scene more keeps those that are there, and takes no part of theirs along.
    simulate(replace(ORDER, scenes=6), tmp_path / "out", 1)
    assert undrawn == list(range(6))
    assert not half.exists()
    simulate(replace(ORDER, scenes=6), tmp_path / "alone", 1)
    assert contents(tmp_path / "out") == contents(tmp_path / "alone")


def test_a_smaller_number_of_scenes_drops_none(
    undrawn: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(collection, "write_collection", interrupted)
        with pytest.raises(KeyboardInterrupt):
            simulate(ORDER, tmp_path, 1)
    for _ in range(2):  # while all are in parts, and then in the tables
        before = contents(tmp_path)
        said = rf"{tmp_path.name}: holds more scenes than are asked for; give --scenes 5 or more, or another folder"
        with pytest.raises(InputError, match=said):
            simulate(replace(ORDER, scenes=1), tmp_path, 1)
        assert contents(tmp_path) == before
        simulate(ORDER, tmp_path, 1)
    assert undrawn == list(range(5))


def interrupted(*ignored: object) -> None:
    raise KeyboardInterrupt


def test_what_does_not_belong_together_is_refused(undrawn: list[int], tmp_path: Path) -> None:
    for number in (1, 2, 3):
        simulate(ORDER, tmp_path / str(number), 1, shard=Shard(number, 3))
    simulate(replace(ORDER, seed=6, objects=9), tmp_path / "4", 1, shard=Shard(2, 3))
    simulate(replace(ORDER, scenes=6), tmp_path / "5", 1, shard=Shard(3, 3))
    simulate(ORDER, tmp_path / "6", 1, shard=Shard(2, 4))
    simulate(ORDER, tmp_path / "7", 1)
    shutil.copytree(tmp_path / "2", tmp_path / "8")
    change(tmp_path / "8", tolman="0.0.9")
    shutil.copytree(tmp_path / "2", tmp_path / "9")
    (tmp_path / "9" / NAME).write_text("[")
    for numbers, said in (
        ((1, 3), r"of 3 shards 1 is missing: 2; run what makes them and name them too"),
        ((1, 2, 2), r"2: is shard 2/3, as .*2 is; give each once"),
        ((1, 4, 3), r"4: has another objects, seed than .*1; give shards of one job"),
        ((1, 2, 5), r"5: has another number of scenes than"),
        ((1, 6), r"6: has another --shard than"),
        ((1, 7), r"7: is no shard; give folders that were made with --shard"),
        ((1, 77), r"77: does not exist"),
        ((1, 8, 3), r"8: was made by tolman 0\.0\.9, and this is"),
        ((1, 9, 3), r"shard\.json: is no record of a shard"),
        ((), r"no shards are given"),
    ):
        with pytest.raises((InputError, UsageError), match=said):
            joined(tmp_path, *numbers)
        assert not (tmp_path / "whole").exists(), numbers
    (tmp_path / "2" / "videos" / "1.mp4").unlink()
    with pytest.raises(InputError, match=r"1\.mp4: is missing; run the shard's command again"):
        joined(tmp_path, 1, 2, 3)


def change(folder: Path, **values: Any) -> None:
    record = json.loads((folder / NAME).read_text())
    (folder / NAME).write_text(json.dumps(record | values))


def test_a_folder_holds_one_shard_or_none(undrawn: list[int], tmp_path: Path) -> None:
    simulate(ORDER, tmp_path / "1", 1, shard=Shard(1, 3))
    simulate(ORDER, tmp_path / "7", 1)
    with pytest.raises(InputError, match=r"holds a shard with another --shard; give another folder"):
        simulate(ORDER, tmp_path / "1", 1, shard=Shard(2, 3))
    with pytest.raises(InputError, match=r"holds a shard with another number of scenes"):
        simulate(replace(ORDER, scenes=9), tmp_path / "1", 1, shard=Shard(1, 3))
    with pytest.raises(InputError, match=r"holds shard 1/3; give --shard 1/3, or another folder"):
        simulate(ORDER, tmp_path / "1", 1)
    with pytest.raises(InputError, match=r"holds scenes of a job without --shard"):
        simulate(ORDER, tmp_path / "7", 1, shard=Shard(1, 3))


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/", "a/b", "1/0", "-1/2"])
def test_shards_that_there_are_not(text: str) -> None:
    with pytest.raises(UsageError, match=r"--shard takes a number and how many there are, such as 1/8 … 8/8, not"):
        Shard.parse(text)


def test_the_parts_of_a_job_follow_each_other() -> None:
    for count in (0, 1, 5, 12):
        for of in (1, 2, 5, 8):
            parts = [Shard(number, of).part(range(count)) for number in range(1, of + 1)]
            assert [thing for part in parts for thing in part] == list(range(count))
            assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert str(Shard.parse(" 2/8 ")) == "2/8"
