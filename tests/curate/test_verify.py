"""Which questions people look at, by their cognitive level: released, curated and generated ones."""

from collections import Counter
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.benchmarks.spatialbench.spatialbench_rows import LEVEL_OF, LEVELS, repair_task_name
from tolman.curate.mapping import open_mapping
from tolman.curate.stages import NO_LEVELS, doubts, lacks_level, level_of
from tolman.generate.family import labels_of
from tolman.ground_truth.question_families import families
from tolman.items import Item

UNKNOWN = ["its level isn't known"]


def question(task: str = "t", **labels: str) -> Item:
    return Item(id="q", question="Which?", kind="choice", options=("x", "y"), answer="A", task=task, labels=labels)


@pytest.mark.parametrize(
    ("label", "level"),
    [
        ("symbolic_visual_reasoning", 3), ("Spatial Planning", 5), ("Observation & Measurement", 1), ("3", 3), ("L2", 2),
        ("level-4", 4), ("Level 5: planning", 5), ("level_74", 74), ("level - 4", 4), ("2.", 2), ("3D", None),
        ("2025", None), ("-1", None), ("level -1", None), ("0", None), ("2.9", None), ("2,9", None), ("1-5", None),
    ],
)  # fmt: skip
def test_the_level_comes_from_words_or_numbers(label: str, level: int | None) -> None:
    assert level_of(question(level=label)) == level


@pytest.mark.parametrize(
    ("labels", "task", "level"),
    [
        ({"spatialbench_level": "spatial_causality"}, "t", 4), ({"spatialbench_task": "affordance"}, "t", 3),
        ({"level": "hard"}, "route_plan", 5), ({"level": "1"}, "route_plan", 1), ({}, "visual_Based_commands", 5),
        ({"spatialbench_task": "", "spatialbench_level": ""}, "t", None), ({}, "Positional Relationship (Obj.–Obj.)", None),
    ],
)  # fmt: skip
def test_the_level_comes_from_other_labels_or_the_task(labels: dict[str, str], task: str, level: int | None) -> None:
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
    for one, level in ((question(), NO_LEVELS), (question(level="5"), NO_LEVELS), (question(level="2"), 3)):
        assert doubts(one, ["A", "A"], level) == []
