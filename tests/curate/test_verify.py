"""Which questions people look at, by their cognitive level: released, curated and generated ones."""

from collections import Counter
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF, LEVELS, repair_task_name
from tolman.curate.mapping import open_mapping
from tolman.curate.verify import NO_LEVELS, doubts, lacks_level, level_of
from tolman.generate.family import labels_of
from tolman.generate.family_registry import families
from tolman.items import Item

UNKNOWN = ["its level isn't known"]


def question(task: str = "t", **labels: str) -> Item:
    return Item(id="q", question="Which?", kind="choice", options=("x", "y"), answer="A", task=task, labels=labels)


@pytest.mark.parametrize(
    ("labels", "task", "level"),
    [
        ({"level": "symbolic_visual_reasoning"}, "t", 3),
        ({"level": "Spatial Planning"}, "t", 5),
        ({"level": "Observation & Measurement"}, "t", 1),
        ({"spatialbench_level": "spatial_causality"}, "t", 4),
        ({"level": "3"}, "t", 3),
        ({"level": "L2"}, "t", 2),
        ({"level": "level-4"}, "t", 4),
        ({"level": "Level 5: planning"}, "t", 5),
        ({"level": "hard"}, "route_plan", 5),
        ({"level": "1"}, "route_plan", 1),
        ({"level": "3D"}, "t", None),
        ({"level": "2025"}, "t", None),
        ({"level": "-1"}, "t", None),
        ({"level": "level -1"}, "t", None),
        ({"level": "0"}, "t", None),
        ({"level": "2.9"}, "t", None),
        ({"level": "2,9"}, "t", None),
        ({"level": "1-5"}, "t", None),
        ({"level": "level_74"}, "t", 74),
        ({"level": "level - 4"}, "t", 4),
        ({"level": "2."}, "t", 2),
        ({"spatialbench_task": "affordance"}, "t", 3),
        ({"spatialbench_task": "", "spatialbench_level": ""}, "t", None),
        ({}, "visual_Based_commands", 5),
        ({}, "Positional Relationship (Obj.–Obj.)", None),
    ],
)
def test_the_level_comes_from_words_numbers_or_the_task(labels: dict[str, str], task: str, level: int | None) -> None:
    assert level_of(question(task, **labels)) == level


def test_models_alone_settle_no_question_of_level_3_or_higher_of_the_paper_s_own_set(shared_data: Path) -> None:
    items = benchmarks.get("spatialbench").load(shared_data / "spatialbench", "v1")
    alone = Counter(LEVEL_OF[repair_task_name(i.task)] for i in items if not doubts(i, [i.answer, i.answer], 3))
    high = [item for item in items if LEVEL_OF[repair_task_name(item.task)] in tuple(LEVELS)[2:]]
    assert len(high) == 536
    assert alone == {"observation_and_measurement": 318, "topology_and_composition": 493}
    assert not any(lacks_level(item, 3) for item in items)


def test_generated_and_curated_questions_have_the_level_of_their_task() -> None:
    numbers = {level: number for number, level in enumerate(LEVELS, start=1)}
    for name, family in families().items():
        place = family.taxonomy
        expected = numbers.get(LEVEL_OF.get(place.spatialbench, ""))
        assert level_of(question(**labels_of(name, place, outdoors=False, own={}))) == expected, name
    curated = open_mapping("spatialbench").labels["level"].values
    assert curated
    for task, value in curated.items():
        assert level_of(question("other", level=value)) == level_of(question(task)) == int(value)


def test_people_look_where_no_level_is_known() -> None:
    assert doubts(question(), ["A", "A"], 3) == UNKNOWN
    assert doubts(question(), ["A", "A"], NO_LEVELS) == []
    assert doubts(question(level="5"), ["A", "A"], NO_LEVELS) == []
    assert doubts(question(level="2"), ["A", "A"], 3) == []
