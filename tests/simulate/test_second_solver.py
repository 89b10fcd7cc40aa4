"""Every generated answer, computed once more from depth, instances and poses alone."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")

from simulate.solver import Solver
from simulate.worlds import SHAPES
from tolman.generate.draft_collection import collect
from tolman.generate.draft_items import items_of
from tolman.generate.draft_storage import DraftFile
from tolman.generate.presets import preset
from tolman.generate.selection import select
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.items import Item
from tolman.parallel import cores
from tolman.simulate.collection import simulate
from tolman.simulate.simulated_places import WorldsConfig

pytestmark = pytest.mark.full
SCENES = 12
ORDER = WorldsConfig(
    scenes=SCENES, seed=11, shapes=SHAPES, seconds=8.0, rate=3, size=(320, 240), depth=True, quality="fast"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, needs_egl: None) -> Path:
    place = tmp_path_factory.mktemp("worlds")
    simulate(ORDER, place, cores())
    return place


@pytest.fixture(scope="module")
def solved(folder: Path) -> list[tuple[Item, float | str]]:
    rules = preset("vsi-paper")
    share = rules.share.model_copy(update={"most_common": 1.0, "max_filter_rounds": 0})
    rules = rules.model_copy(update={"share": share})
    with DraftFile(folder / "drafts") as draft_file:
        collected = collect(open_collection(folder), rules, 0, draft_file)
        items = list(items_of(select(collected, rules, 0), collected, 0))
    found = []
    for geometry in open_collection(folder):
        assert isinstance(geometry, SceneGeometry)
        capture = geometry.captures[0]
        poses = np.array(capture.poses).reshape(-1, 4, 4)
        names = {i: thing.category for i, thing in enumerate(geometry.scene.objects, start=1)}
        name = geometry.scene.id.split("/")[1]
        solver = Solver(folder, name, poses, capture.intrinsics[0], capture.times, names)
        found += [(item, solver.answer(item)) for item in items if item.scene == geometry.scene.id]
    assert len(found) == len(items)
    return found


def test_every_choice_with_enough_margin_is_answered_right(solved: list[tuple[Item, float | str]]) -> None:
    checked: Counter[str] = Counter()
    for item, answer in solved:
        if item.kind != "choice":
            continue
        evidence = item.evidence
        if item.task == "obj_appearance_order":
            clear = evidence["gap"] > 0
        elif item.task == "route_planning":
            clear = all(
                margin > error for margin, error in zip(evidence["margins"], evidence["sensor_errors"], strict=True)
            )
        else:
            clear = evidence.get("margin", evidence.get("gap")) > evidence["sensor_error"]
        if clear:
            checked[item.task] += 1
            assert answer == item.answer_text, (item.id, item.question, evidence)
    assert checked["obj_appearance_order"] >= SCENES / 2
    # Routes with clear turns are checked where there are any: these rooms may have none.
    assert checked["object_rel_distance"] >= SCENES, checked
    assert sum(n for task, n in checked.items() if task.startswith("object_rel_direction")) >= 3 * SCENES, checked


def test_every_number_is_within_its_own_bound(solved: list[tuple[Item, float | str]]) -> None:
    errors: dict[str, list[float]] = {}
    for item, answer in solved:
        if item.kind == "choice":
            continue
        evidence, bound = item.evidence, item.evidence["sensor_error"]
        field = {"object_counting": "count", "object_abs_distance": "distance", "room_size_estimation": "area"}.get(
            item.task
        )
        truth = evidence[field] if field else 100 * max(evidence["extents"])
        error = abs(float(answer) - truth)
        errors.setdefault(item.task, []).append(error)
        assert error <= bound, (item.id, item.question, answer, truth, bound)
    assert len(errors) == 4
    # Rooms that are seen whole are fewer.
    assert all(len(found) >= SCENES / 3 for found in errors.values()), {task: len(own) for task, own in errors.items()}
