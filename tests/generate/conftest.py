"""Worlds that several tests of question families look at, made once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from once import made_once
from tolman.generate.draft_collection import collect
from tolman.generate.draft_items import items_of
from tolman.generate.draft_storage import DraftFile
from tolman.generate.presets import preset
from tolman.generate.selection import select
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Item

Asked = tuple[dict[str, SceneGeometry], list[Item]]


def asked_of(folder: Path, name: str, draft_file: Path, *, most_common: float = 1.0) -> Asked:
    """A collection's scenes, and what a preset asks about them."""
    rules = preset(name)
    share = rules.share.model_copy(update={"most_common": most_common, "max_filter_rounds": 0})
    rules = rules.model_copy(update={"share": share})
    scenes = {g.scene.id: g for g in open_collection(folder) if isinstance(g, SceneGeometry)}
    with DraftFile(draft_file) as drafts:
        collected = collect(scenes.values(), rules, 0, drafts)
        items = list(items_of(select(collected, rules, 0), collected, 0, scoring_profile=rules.scoring_profile))
    return scenes, items


@pytest.fixture(scope="session")
def rigs(needs_egl: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A room with a person in it, recorded by a worn camera and two fixed ones."""
    from tolman.simulate.collection import simulate
    from tolman.simulate.simulated_places import WorldsConfig

    order = WorldsConfig(
        scenes=1,
        seed=32,
        shapes=("rectangle",),
        objects=16,
        seconds=16.0,
        rate=2,
        size=(160, 120),
        actors=1,
        exo=2,
        quality="fast",
    )
    return made_once(tmp_path_factory, "rigs", lambda folder: simulate(order, folder, 1))


@pytest.fixture(scope="session")
def asked(rigs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Asked]:
    """What a preset asks about the rigs."""
    made: dict[str, Asked] = {}

    def ask(name: str) -> Asked:
        if name not in made:
            made[name] = asked_of(rigs, name, tmp_path_factory.mktemp("drafts") / name)
        return made[name]

    return ask
