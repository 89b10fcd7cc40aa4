"""All-Angles Bench on rows in the shape that a later loader reads (the data itself is not at hand)."""

from tolman import benchmarks
from tolman.items import Item

BENCHMARK = benchmarks.get("all-angles")


def test_rows_become_items_with_all_views(items: list[Item]) -> None:
    assert [(item.id, item.task, item.answer, len(item.options)) for item in items] == [
        ("0", "counting", "B", 3), ("1", "relative_distance", "B", 3), ("2", "manipulation", "B", 2),
    ]  # fmt: skip
    assert [medium.path for medium in items[0].media] == [f"egohumans/06_fencing/cam0{n}.jpg" for n in range(3)]
    assert items[0].scene == "06_fencing"
    assert items[0].labels == {"source": "egohumans", "pair": "0"}


def test_the_prompt_is_that_of_the_authors_fork(items: list[Item]) -> None:
    assert BENCHMARK.prompt(items[0], BENCHMARK.presets[0]).parts == (
        *items[0].media,
        "Question: How many people are there in all views?\nOptions:\nA. Two people\nB. Three people\nC. Four people\n"
        "Please select the correct answer from the options above. \n",
    )
