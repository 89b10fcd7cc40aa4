"""Questions under the classifications of the four papers."""

from collections.abc import Callable

import pytest

from tolman import benchmarks
from tolman.analyze.taxonomies import PLACE_LABELS, TAXONOMIES, PlaceFile, known_classes, reclassify, with_places
from tolman.errors import UsageError
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

Choice = Callable[..., Item]


def figures(items: list[Item], benchmark: str, name: str, places: PlaceFile | None = None, rules: str = "careful"):
    """Right answers under a taxonomy: column → (value, n)."""
    scores = score(
        items, [Response(id=i.id, response=i.answer) for i in items], [benchmarks.get(benchmark).rule_set(rules)]
    )
    found = reclassify(scores, with_places(items, places), name)
    held = {key: (cell.value, cell.n) for key, cell in cells(found.scores, found.table).items() if cell.n}
    return held, found.unplaced


def test_a_released_question_has_the_place_of_generated_ones_of_its_type(choice: Choice) -> None:
    items = [choice(id=str(n), task=task) for n, task in enumerate(("route_planning", "object_rel_distance", "my own"))]
    route, distance, own = with_places(items)
    assert route.labels["site_category"] == "movement prediction & navigation"
    assert (route.labels["mmsi_type"], route.labels["spatialbench_level"]) == ("MSR", "spatial_planning")
    assert distance.labels["factor"] == "visualization"
    assert not set(PLACE_LABELS) & set(own.labels)
    held, unplaced = figures(items, "vsi-bench", "site")
    assert held == {"overall": (100.0, 2), "rel": (100.0, 1), "mov": (100.0, 1), "accuracy": (100.0, 2)}
    assert unplaced == {"my own": 1}


def test_what_a_question_says_of_itself_goes_before_its_type(choice: Choice) -> None:
    (item,) = with_places([choice(task="route_planning", labels={"mmsi_type": "Motion (Cam.)", "vsi_task": ""})])
    assert item.labels == {"mmsi_type": "Motion (Cam.)", "vsi_task": ""}


def test_a_file_of_places_goes_before_both(choice: Choice) -> None:
    items = [choice(id="1", task="t", labels={"kind_of": "a"}), choice(id="2", task="t", labels={"kind_of": "b"})]
    places = PlaceFile("kind_of", {"a": {"mmsi_type": "MSR", "spatialbench_task": "route_plan"}})
    held, unplaced = figures(items, "mmsi-bench", "spatialbench", places)
    assert held["spatial_planning"] == held["route_plan"] == held["average"] == (100.0, 1)
    assert held["score"] == (pytest.approx(100), 1)
    assert unplaced == {"t": 1}


def test_a_question_s_own_type_may_be_the_class(choice: Choice) -> None:
    held, unplaced = figures([choice(task="counting & existence")], "site", "site")
    assert (held["count"], unplaced) == ((100.0, 1), {})


def test_directions_keep_their_difficulties_where_they_have_any(choice: Choice) -> None:
    tasks = ["object_rel_direction_easy", "object_rel_direction_easy", "object_rel_direction_hard"]
    items = [choice(id=str(n), task=task, answer="A") for n, task in enumerate(tasks)]
    answers = [Response(id="0", response="A"), Response(id="1", response="B"), Response(id="2", response="A")]
    rules = benchmarks.get("vsi-bench").rule_set("careful")
    found = reclassify(score(items, answers, [rules]), with_places(items), "vsi-bench")
    assert cells(found.scores, found.table)["rel_direction"].value == pytest.approx(75)  # the mean of 50 and 100
    flat = [
        i.model_copy(update={"task": "relative_direction", "labels": {"vsi_task": "object_rel_direction"}})
        for i in items
    ]
    found = reclassify(score(flat, answers, [rules]), flat, "vsi-bench")
    assert cells(found.scores, found.table)["rel_direction"].value == pytest.approx(200 / 3)  # one pool


def test_absent_levels_count_as_each_scorer_has_it(choice: Choice) -> None:
    items = [choice(task="route_planning")]
    for rules, value in (("official", 31.41), ("careful", 100.0)):
        held, _ = figures(items, "vsi-bench", "spatialbench", rules=rules)
        assert held["score"] == (pytest.approx(value, abs=0.005), 1)


def test_known_classes_are_those_of_the_tables() -> None:
    assert known_classes("vsi_task")[0] == "object_counting"
    assert "object_rel_direction" in known_classes("vsi_task")
    assert len(known_classes("mmsi_type")) == 11
    assert (len(known_classes("site_category")), len(known_classes("spatialbench_task"))) == (6, 15)
    assert known_classes("change") == ("static", "dynamic")
    with pytest.raises(UsageError, match=r"no taxonomy 'sites'.*'site'"):
        reclassify(score([], [], []), [], "sites")
    assert list(TAXONOMIES) == ["vsi-bench", "site", "mmsi-bench", "spatialbench"]
