"""What a benchmark is made of, against counts by hand."""

from collections import Counter

import pytest

from charted import questions
from tolman.analyze.composition import MOST_VALUES, count, cross, differing, facts
from tolman.errors import UsageError
from tolman.items import Item, Media


def test_counts_and_crosses_are_those_of_a_loop() -> None:
    items = questions()
    assert count(items, "task").counts == dict(Counter(item.task for item in items))
    assert list(count(items, "answer").counts) == ["A", "B", "C", "D", "number"]
    found = cross(items, "task", "dataset")
    pairs = Counter((item.task, item.labels["dataset"]) for item in items)
    assert found == {pair: pairs[pair] for pair in found}
    assert sum(found.values()) == len(items)


def test_labels_that_tell_questions_apart_are_found() -> None:
    assert differing(questions()) == ["task", "kind", "answer", "options", "dataset"]


def test_many_values_end_in_others() -> None:
    items = [questions()[0].model_copy(update={"id": str(i), "labels": {"room": f"room {i:02d}"}}) for i in range(40)]
    found = count(items, "room").counts
    assert len(found) == MOST_VALUES
    assert found[f"{40 - MOST_VALUES + 1} others"] == 40 - MOST_VALUES + 1


def test_an_unknown_label_is_told() -> None:
    with pytest.raises(UsageError, match="nonsense"):
        count(questions(), "nonsense")


def test_facts_are_those_that_papers_print() -> None:
    pictures = [Media(kind="image", path=f"{name}.png") for name in "abcc"]
    items = [
        Item(id="1", question="abcd", kind="choice", answer="A", options=("x", "y"), task="t", media=tuple(pictures[:2])),
        Item(
            id="2", question="ab", kind="choice", answer="A", options=("x", "y", "z"), task="u", reasoning="because",
            media=tuple(pictures[1:]),
        ),
    ]  # fmt: skip
    found = {fact.name: fact.value for fact in facts(items)}
    assert found["Total questions"] == 2
    assert found["Number of unique images"] == 3
    assert found["Average question length"] == 3
    assert found["Average image count per question"] == 2.5
    assert found["Maximum image count per question"] == 3
    assert found["Maximum reasoning process length"] == 7
    assert found["2-choice questions"] == found["3-choice questions"] == 1
