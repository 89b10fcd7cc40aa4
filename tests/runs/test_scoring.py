"""Counts of a scored run."""

from collections.abc import Callable

import pytest

import tolman
from tolman.items import Item

KEYS = {"route_planning": "route_plan", "object_rel_distance": "rel_distance"}


def test_scorers_that_differ_on_all_samples_of_an_item_differ_on_one_item(choice: Callable[..., Item]) -> None:
    items = [choice(id=str(i), scene=str(i), task="object_rel_distance") for i in range(4)]
    benchmark = tolman.load(items, scoring_profile="vsi-bench")
    # Careful reads the text of an option, the released code compares the first letters.
    said = {"0": ["I think that it is (A)."] * 3, "1": ["I think that it is (A).", "A", "A"], "2": ["A"] * 3}
    assert benchmark.score(said | {"3": ["B"] * 3}).to_dict()["differ"] == 2


def test_samples_of_a_run_are_averaged_before_scenes_are_clustered(choice: Callable[..., Item]) -> None:
    items = [choice(id=str(i), scene=str(i), task="object_rel_distance") for i in range(40)]
    benchmark = tolman.load(items, scoring_profile="vsi-bench")
    once, five = (
        benchmark.score({item.id: ["B" if i < 3 else "A"] * times for i, item in enumerate(items)}) for times in (1, 5)
    )
    for scorer in once.scorers:
        assert five.cells(scorer)["rel_distance"].to_dict() == once.cells(scorer)["rel_distance"].to_dict()


def test_the_mean_pooled_over_items_stands_beside_the_mean_over_question_types(choice: Callable[..., Item]) -> None:
    counts = {"object_counting": 0, "route_planning": 30, "object_rel_distance": 10}
    items = [choice(id=f"{task}-{i}", scene=str(i), task=task) for task, n in counts.items() for i in range(n)]
    benchmark = tolman.load(items, scoring_profile="vsi-bench")
    found = benchmark.score({item.id: "A" if item.task == "route_planning" else "B" for item in items})
    for scorer, entry in found.to_dict()["rule_sets"].items():
        cells = entry["cells"]
        assert cells["average"]["value"] == pytest.approx(50), scorer
        by_count = sum(counts[task] * cells[key]["value"] for task, key in KEYS.items()) / 40
        assert entry["pooled"]["value"] == pytest.approx(by_count) == pytest.approx(75)
        assert entry["pooled"]["n"] == 40
    assert found.headline.value == pytest.approx(50)
