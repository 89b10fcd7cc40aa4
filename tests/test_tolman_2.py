"""Tolman-2: its recipe makes its scenes and questions, which keep what the page promises."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the scenes need the extra 'worlds'")

from tolman.analyze.outside.learner_trials import whole_rings
from tolman.features.config import make, read_tables
from tolman.features.generate.config import FormConfig, GenerateConfig
from tolman.features.generate.forms import make_form
from tolman.features.scenes.config import SimulateConfig
from tolman.generate.presets import preset
from tolman.generate.rings import INTERVALS, LEAST_PLACES_FOR_SHARES
from tolman.item_table import open_items
from tolman.items import MEDIA_MARK, Item
from tolman.kinds import kind_of
from tolman.simulate.twins import DIFFERENCES

FOLDER = Path(__file__).parents[1] / "tolman-2"
FILES = sorted((FOLDER / "questions" / "data").glob("*.parquet"))


@lru_cache(maxsize=1)
def published() -> list[Item]:
    """All questions."""
    return list(open_items(FILES))


def recorded() -> dict[str, str]:
    """Name → hash, as the file of hashes has them."""
    lines = (FOLDER / "scenes.sha256").read_text(encoding="utf-8").splitlines()
    return {name: found for found, _, name in (line.partition("  ") for line in lines)}


def of_rings(items: list[Item]) -> list[Item]:
    return [item for item in items if not any(MEDIA_MARK in option for option in item.options)]


def test_the_questions_are_those_whose_hash_is_recorded() -> None:
    known = recorded()
    assert FILES
    for path in FILES:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == known[f"data/{path.name}"]


def test_every_text_has_each_answer_once() -> None:
    texts = of_rings(published())
    assert (whole_rings([item for item in texts if kind_of(item).has_letters]) >= 0).all()
    rings: dict[str, list[Item]] = {}
    for item in texts:
        if not kind_of(item).has_letters:
            rings.setdefault(item.evidence["twins"], []).append(item)
    for own in rings.values():
        assert len({item.question for item in own}) == 1
        assert len({item.answer for item in own}) == len(own) >= INTERVALS


def test_no_place_has_more_than_its_share_and_no_type_is_small() -> None:
    items = published()
    share = preset("tolman-2").share
    groups = Counter(int(str(item.scene).rpartition("-")[2]) // 4 for item in items)
    assert len(groups) >= LEAST_PLACES_FOR_SHARES
    assert max(groups.values()) <= share.most_of_place * len(items)
    # Shares are cut last.
    assert min(Counter(item.task for item in items).values()) >= 0.8 * share.fewest


def test_the_recipe_has_every_difference_that_it_needs() -> None:
    (told,) = read_tables(FOLDER / "recipe.toml", "simulate")
    assert set(told["differ"]) <= set(DIFFERENCES)
    (told,) = read_tables(FOLDER / "recipe.toml", "generate")
    assert make(GenerateConfig, told).preset == "tolman-2"


@pytest.mark.full
def test_the_recipe_makes_the_first_group_of_scenes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tolman.features.scenes.simulation import simulate
    from tolman.scene_table import read_scenes

    monkeypatch.syspath_prepend(str(FOLDER.parent / "benchmarks"))
    from tolman_1 import hash_of

    (told,) = read_tables(FOLDER / "recipe.toml", "simulate")
    known = recorded()
    simulate(make(SimulateConfig, {**told, "scenes": 4, "out": str(tmp_path / "scenes"), "workers": 2}))
    made = list(read_scenes(tmp_path / "scenes"))
    assert [hash_of(scene) for scene in made] == [known[scene.id] for scene in made]


@pytest.mark.full
def test_a_small_run_of_the_recipe_makes_questions_and_a_fresh_form(tmp_path: Path) -> None:
    from tolman.features.generate.compute import generate
    from tolman.features.scenes.simulation import simulate

    own = (FOLDER / "recipe.toml").read_text(encoding="utf-8").replace('"made/', f'"{tmp_path}/')
    own = own.replace("tolman-1/", f"{FOLDER.parent}/tolman-1/").replace("scenes = 2400", "scenes = 16")
    own = own.replace("[generate]", '[generate]\nfamilies = ["relative-direction"]')
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(own, encoding="utf-8")
    (told,), (asked,) = (read_tables(recipe, name) for name in ("simulate", "generate"))
    simulate(make(SimulateConfig, told | {"workers": 2}))
    made = generate(make(GenerateConfig, asked | {"workers": 2}))
    assert made.questions >= 100
    form = make_form(FormConfig(benchmark=recipe, out=tmp_path / "form", seed=77, fewer=True, workers=2))
    assert form.questions
    assert not form.same_scenes
