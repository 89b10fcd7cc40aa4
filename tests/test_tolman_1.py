"""Tolman-1 as it is published: its recipe makes its scenes, and no text tells an answer."""

import hashlib
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("shapely", reason="the scenes need the extra 'worlds'")

from tolman import generate, load
from tolman.analyze.outside.learner_trials import whole_rings
from tolman.demo import __file__ as demo
from tolman.features.config import make, read_tables
from tolman.features.scenes.config import SimulateConfig
from tolman.generate.rings import INTERVALS
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.item_table import open_items
from tolman.items import MEDIA_MARK, Item
from tolman.kinds import kind_of
from tolman.media.needed_frames import needed_frames
from tolman.media.video import read_frames, read_index
from tolman.scene_table import read_captures, read_scenes

DEMO = Path(demo).parent / "rooms"
FOLDER = Path(__file__).parents[1] / "tolman-1"
FILES = sorted((FOLDER / "questions" / "data").glob("*.parquet"))


@lru_cache(maxsize=1)
def published() -> list[Item]:
    """All questions."""
    return list(open_items(FILES))


def recorded(folder: Path = FOLDER) -> dict[str, str]:
    """Name → hash, as a published benchmark's file of hashes has them."""
    lines = (folder / "scenes.sha256").read_text(encoding="utf-8").splitlines()
    return {name: found for found, _, name in (line.partition("  ") for line in lines)}


def test_the_questions_are_those_whose_hash_is_recorded() -> None:
    known = recorded()
    assert FILES
    for path in FILES:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == known[f"data/{path.name}"]


def test_every_choice_whose_options_are_texts_is_in_a_whole_ring() -> None:
    items = published()
    assert len(items) >= 9_900
    choices = [item for item in items if kind_of(item).has_letters]
    texts = [item for item in choices if not any(MEDIA_MARK in option for option in item.options)]
    assert (whole_rings(texts) >= 0).all()


def test_every_number_has_its_like_in_the_other_intervals() -> None:
    rings: dict[str, list[Item]] = {}
    for item in published():
        if not kind_of(item).has_letters:
            rings.setdefault(item.evidence["twins"], []).append(item)
    assert rings
    for own in rings.values():
        assert len({item.question for item in own}) == 1
        assert len({item.answer for item in own}) == len(own) >= INTERVALS


def test_the_number_of_a_video_tells_no_answer() -> None:
    """Twins were once numbered in the order of their counts."""
    ranks: dict[str, list[Item]] = {}
    for item in published():
        if not kind_of(item).has_letters:
            ranks.setdefault(item.evidence["twins"], []).append(item)
    found: Counter[tuple[int, int]] = Counter()
    for own in ranks.values():
        for rank, item in enumerate(sorted(own, key=lambda one: float(one.answer))):
            found[int(item.media[0].path.removesuffix(".mp4").rpartition("-")[2]) % 4, rank] += 1
    best = sum(max(found[place, rank] for rank in range(INTERVALS)) for place in range(4))
    assert found.total() > 1_000
    assert best < 0.3 * found.total()


def test_questions_that_are_drawn_are_among_all_questions() -> None:
    drawn = list(open_items(sorted((FOLDER / "places" / "data").glob("*.parquet"))))
    known = {item.id: item for item in published()}
    assert drawn
    for item in drawn:
        assert known[item.id] == item
        assert all((FOLDER / "places" / media.path).is_file() for media in item.media)


def test_the_rooms_of_the_demonstration_are_three_of_those_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER.parent / "benchmarks"))
    from tolman_1 import hash_of

    known = recorded()
    rooms = list(read_scenes(DEMO))
    assert len({room.twins for room in rooms}) == 3
    for room in rooms:
        assert hash_of(room) == known[room.id]
    for capture in read_captures(DEMO):
        small, whole = DEMO / capture.media, FOLDER / "places" / capture.media
        assert read_index(small).times == read_index(whole).times
        for (_, one), (_, other) in zip(
            *(read_frames(path, read_index(path), [0, 200]) for path in (small, whole)), strict=True
        ):
            assert np.abs(np.asarray(one, float) - np.asarray(other, float)).mean() < 3
        assert small.stat().st_size < whole.stat().st_size / 2  # the wheel's limit


def test_the_frames_that_show_what_is_asked_about_are_those_of_the_drawn_pictures() -> None:
    """The questions' frames come from rays, which look at every other one; these rooms' recordings were drawn."""
    captures = {capture.scene: capture for capture in read_captures(DEMO)}
    drawn = {room.id: SceneGeometry(room, [captures[room.id]]) for room in read_scenes(DEMO)}
    looked = 0
    for item in published():
        if item.scene not in drawn:
            continue
        found, said = drawn[item.scene], needed_frames(item)
        assert said is not None
        for one in said.needed:
            told = {frame for first, last in one.frames for frame in range(first, last + 1)}
            shown = [found.shown_frames[thing.id] for thing in found.scene.objects if thing.category == one.name]
            assert max(len(told.intersection(own)) / len(told.union(own)) for own in shown) > 0.85
            looked += 1
    assert looked > 150


@pytest.mark.full
def test_the_rooms_of_the_demonstration_are_asked_about_in_all_ten_ways(tmp_path: Path) -> None:
    made = generate(DEMO, tmp_path / "bench", preset="vsi-paper")
    assert len({item.task for item in load(str(made.out))}) == 10


@pytest.mark.full
@pytest.mark.parametrize("folder", [FOLDER, FOLDER.with_name("tolman-2")], ids=lambda folder: folder.name)
def test_a_recipe_makes_the_first_group_of_scenes_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tolman.features.scenes.simulation import simulate

    monkeypatch.syspath_prepend(str(FOLDER.parent / "benchmarks"))
    from tolman_1 import hash_of

    (told,) = read_tables(folder / "recipe.toml", "simulate")
    known = recorded(folder)
    simulate(make(SimulateConfig, {**told, "scenes": 4, "out": str(tmp_path / "scenes"), "workers": 2}))
    made = list(read_scenes(tmp_path / "scenes"))
    assert len(made) == 4
    assert [hash_of(scene) for scene in made] == [known[scene.id] for scene in made]
