"""Questions about twins that differ in their walks: which form rings, and what a second solver says."""

import pytest

pytest.importorskip("embreex", reason="rays need the extra 'worlds'")

from generate.pair_solver import Place
from generate.plan_solver import PlanSolver
from generate.walk_solver import WalkSolver
from tolman.generate.draft_collection import collect
from tolman.generate.draft_items import items_of
from tolman.generate.draft_storage import DraftFile
from tolman.generate.presets import preset
from tolman.generate.selection import select
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.simulate.collection import make
from tolman.simulate.simulated_places import WorldsConfig

FAMILIES = {
    "vsi-bench/appearance-order": WalkSolver,
    "posed-video/displacement": WalkSolver,
    "posed-video/speed": WalkSolver,
    "posed-video/motion-direction": WalkSolver,
    "posed-video/frame-order": WalkSolver,
    "mmsi-bench/camera-motion": Place,
    "mmsi-bench/camera-camera": Place,
    "mmsi-bench/camera-object": Place,
    "mmsi-bench/camera-region": Place,
    "spatialbench/commands": PlanSolver,
}


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SceneGeometry]:
    """Four walks through one room."""
    order = WorldsConfig(scenes=12, seed=3, shapes=("rectangle",), rate=2, media=False, twins=4, differ=("walk",))
    made = (make(order, number, tmp_path_factory.mktemp("walks")) for number in range(8, 12))
    return {part.scene.id: SceneGeometry(part.scene, part.captures) for part in made}


@pytest.fixture(scope="module")
def asked(scenes: dict[str, SceneGeometry], tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    rules = preset("tolman-2").with_share(max_filter_rounds=0)
    rules = rules.model_copy(update={"families": tuple(FAMILIES)})
    with DraftFile(tmp_path_factory.mktemp("drafts") / "drafts") as drafts:
        collected = collect(scenes.values(), rules, 0, drafts)
        return list(items_of(select(collected, rules, 0), collected, 0))


def test_a_room_is_walked_through_on_different_ways(scenes: dict[str, SceneGeometry]) -> None:
    first, *others = scenes.values()
    ways = [one.captures[0].poses for one in scenes.values()]
    assert len(set(ways)) == 4
    assert len({one.scene.twins for one in scenes.values()}) == 1
    assert all(one.scene.objects == first.scene.objects and not one.scene.differs for one in others)


def test_questions_about_the_walk_form_rings(asked: list[Item]) -> None:
    by_ring: dict[str, list[Item]] = {}
    for item in asked:
        by_ring.setdefault(item.evidence["twins"], []).append(item)
    for own in by_ring.values():
        assert len({item.scene for item in own}) == len({item.answer for item in own}) == len(own)
        assert len({(item.question, item.options) for item in own}) == 1
    families = {item.labels["family"] for item in asked}
    # One room has too few of some.
    assert families >= {
        "vsi-bench/appearance-order",
        "posed-video/displacement",
        "posed-video/motion-direction",
        "mmsi-bench/camera-camera",
        "spatialbench/commands",
    }


def test_a_second_solver_agrees(asked: list[Item], scenes: dict[str, SceneGeometry]) -> None:
    for item in asked:
        scene = scenes[item.scene or ""]
        found = FAMILIES[item.labels["family"]](scene.scene, list(scene.captures)).answer(item)
        if item.kind == "number":
            assert abs(float(found) - float(item.answer)) <= 0.0501, item
        else:
            assert found == item.answer_text, item
