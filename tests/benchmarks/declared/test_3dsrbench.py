"""3DSRBench and its four settings, on rows in the released shape (the data itself is not at hand)."""

from pathlib import Path

import pytest

from released_rows import threedsrbench
from tolman import benchmarks
from tolman.errors import IncompleteGroupWarning
from tolman.items import Item
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("3dsrbench")
FILE = "3dsrbench_v1_vlmevalkit_circular.tsv"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    threedsrbench(tmp_path)
    return tmp_path


def figure(items: list[Item], wrong: set[str], scorer: str = "official") -> float:
    responses = [Response(id=i.id, response="Z" if i.labels["qid"] in wrong else i.answer) for i in items]
    return cells(score(items, responses, [BENCHMARK.rule_set(scorer)]), BENCHMARK.table)["overall"].value


def test_released_rows_become_items(data: Path) -> None:
    items = BENCHMARK.load(data, "vanilla")
    assert len(items) == 12
    assert [item.labels["qid"] for item in items[:4]] == ["VIN6MS3J", "VIN6MS3J-1", "VIN6MS3J-flip", "VIN6MS3J-flip-1"]
    assert items[1].options == ("lamp", "cup")
    assert items[1].answer == "B"
    assert items[0].all_of is None
    assert {item.scene for item in items} == {"VIN6MS3J", "QQ6MS3JA"}
    assert BENCHMARK.prompt(items[0], BENCHMARK.presets[0]).parts == (
        *items[0].media,
        "Question: Which one?\nOptions:\nA. cup\nB. lamp\nPlease select the correct answer from the options above. \n",
    )


@pytest.mark.parametrize(
    ("subset", "groups", "right"), [("vanilla", 12, 11), ("flip", 6, 5), ("circular", 4, 3), ("flip-circular", 2, 1)]
)
@pytest.mark.parametrize("reader", ["official", "lmms-eval"])
def test_one_set_of_responses_has_the_figures_of_all_settings(
    data: Path, reader: str, subset: str, groups: int, right: int
) -> None:
    items = BENCHMARK.load(data, "vanilla")
    scorer = reader if subset == "vanilla" else f"{reader}-{subset}"
    assert figure(items, set(), scorer) == 100
    assert figure(items, {"VIN6MS3J-flip-1"}, scorer) == pytest.approx(100 * right / groups)


@pytest.mark.parametrize(
    ("subset", "groups", "right"), [("vanilla", 12, 11), ("flip", 6, 5), ("circular", 4, 3), ("flip-circular", 2, 1)]
)
def test_a_group_is_right_only_if_all_its_rows_are(data: Path, subset: str, groups: int, right: int) -> None:
    items = BENCHMARK.load(data, subset)
    assert len({item.all_of or item.id for item in items}) == groups
    assert figure(items, set()) == 100
    assert figure(items, {"VIN6MS3J-flip-1"}) == pytest.approx(100 * right / groups)


def test_groups_that_lack_rows_are_told(data: Path) -> None:
    lines = (data / FILE).read_text().splitlines()
    (data / FILE).write_text("\n".join(line for line in lines if "VIN6MS3J-1" not in line))
    with pytest.warns(IncompleteGroupWarning, match=r"1 of 4 \('VIN6MS3J' has 1\) under the subset circular, the sc"):
        BENCHMARK.load(data, "circular")
