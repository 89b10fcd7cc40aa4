"""Tolman-2: its recipe makes questions and forms; that it makes its scenes again is in `test_tolman_1`."""

import hashlib
import re
from collections import defaultdict
from pathlib import Path

import pytest

pytest.importorskip("shapely", reason="the scenes need the extra 'worlds'")

from test_tolman_1 import recorded
from tolman.features.config import make, read_tables
from tolman.features.generate.config import FormConfig, GenerateConfig
from tolman.features.generate.parallel_forms import make_form
from tolman.features.scenes.config import SimulateConfig
from tolman.item_table import read_items
from tolman.items import MEDIA_MARK, Item
from tolman.simulate.twins import DIFFERENCES

FOLDER = Path(__file__).parents[1] / "tolman-2"


def test_the_recipe_has_every_difference_that_it_needs() -> None:
    (told,) = read_tables(FOLDER / "recipe.toml", "simulate")
    assert set(told["differ"]) <= set(DIFFERENCES)
    (told,) = read_tables(FOLDER / "recipe.toml", "generate")
    assert make(GenerateConfig, told).preset == "tolman-2"


def test_every_ring_of_the_published_questions_is_whole() -> None:
    """Their text is the same, and each option is right once; of numbers, four differ."""
    data = FOLDER / "questions" / "data" / "test-00000-of-00001.parquet"
    assert (
        hashlib.sha256(data.read_bytes()).hexdigest() == recorded(FOLDER)["questions/data/test-00000-of-00001.parquet"]
    )
    rings, pictures = defaultdict[str, list[Item]](list), 0
    for item in read_items(data):
        if MEDIA_MARK in item.options:
            pictures += 1
        else:
            rings[str(item.evidence["twins"])].append(item)
    assert (sum(map(len, rings.values())), pictures) == (8_615, 1_625)
    for own in rings.values():
        assert len({(one.task, one.question, one.options) for one in own}) == 1
        answers = {one.answer for one in own}
        assert len(answers) == len(own) == (len(own[0].options) or 4)
        assert len({one.scene for one in own}) == len(own)


@pytest.mark.full
def test_a_small_run_of_the_recipe_makes_questions_and_a_fresh_form(tmp_path: Path) -> None:
    from tolman.features.generate.compute import generate
    from tolman.features.scenes.simulation import simulate

    own = (FOLDER / "recipe.toml").read_text(encoding="utf-8").replace('"made/', f'"{tmp_path}/')
    own = own.replace("tolman-1/", f"{FOLDER.parent}/tolman-1/").replace("scenes = 2400", "scenes = 8")
    own = own.replace("seconds = 20", "seconds = 8").replace(
        "[generate]", '[generate]\nfamilies = ["relative-direction"]'
    )
    own = re.sub(r"differ = \[.*?\]", 'differ = ["exchange"]', own, flags=re.DOTALL)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(own, encoding="utf-8")
    (told,), (asked,) = (read_tables(recipe, name) for name in ("simulate", "generate"))
    simulate(make(SimulateConfig, told | {"workers": 2}))
    made = generate(make(GenerateConfig, asked | {"workers": 2}))
    assert made.questions >= 100
    form = make_form(FormConfig(benchmark=recipe, out=tmp_path / "form", seed=77, spare=1.0, fewer=True, workers=2))
    assert form.questions
    assert not form.same_scenes
