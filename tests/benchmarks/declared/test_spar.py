"""SPAR-Bench on rows in the released shape (the data itself is not at hand)."""

from pathlib import Path

import pytest

from released_rows import PICTURE, SPAR_CHOICES, SPAR_NUMBERS
from tolman import benchmarks
from tolman.items import Item
from tolman.media.images import read_image
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score

BENCHMARK = benchmarks.get("spar")
BOXES = (
    "The values represent the bounding box coordinates normalized to a 0-1000 scale, with the top-left corner as the "
    "origin of the image."
)
LETTER = "Answer with the option's letter from the given choices directly."


@pytest.fixture
def items(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Item]:
    pytest.importorskip("polars")
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    return {item.task: item for item in BENCHMARK.load(folder, "full")}


def test_released_rows_become_items_of_three_kinds(folder: Path, items: dict[str, Item]) -> None:
    assert {task: items[task].kind for task in SPAR_NUMBERS} == dict.fromkeys(SPAR_NUMBERS, "number")
    assert {task: items[task].kind for task in SPAR_CHOICES} == dict.fromkeys(SPAR_CHOICES, "choice")
    assert items["position_matching"].options == ("left", "right", "above", "below")
    assert items["view_change_infer"].kind == "text"
    pictures = items["depth_prediction_oc_mv"].media
    assert [read_image(folder, medium.path, medium.part) for medium in pictures] == [PICTURE, PICTURE]
    assert items["view_change_infer"].labels["views"] == "multi view"


def test_the_prompts_are_the_released_ones(items: dict[str, Item]) -> None:
    released, api = BENCHMARK.presets
    number, choice = items["depth_prediction_oc"], items["spatial_imagination_oo_mv"]
    assert BENCHMARK.prompt(number, released).parts == (
        *number.media,
        "\nHow far is the red point from the camera, in metres?\n"
        "Please answer the question using a single word or phrase.",
    )
    asked = "\nWhere is the lamp, seen from the bed? A. left B. right C. above D. below\n"
    assert BENCHMARK.prompt(choice, released).text == f"{asked}\n{LETTER}"
    for task in ("position_matching", "camera_motion_infer"):
        assert BENCHMARK.prompt(items[task], released).text == f"{asked}{BOXES}\n{LETTER}"
    change = items["view_change_infer"]
    assert BENCHMARK.prompt(change, released).text == f"\n{change.question}\n\n"
    assert BENCHMARK.prompt(number, api).text.endswith("?\nDo not response anything other than a single number!")
    assert BENCHMARK.prompt(choice, api) == BENCHMARK.prompt(choice, released)
    assert released.sampling.max_tokens == 100


def test_what_thinks_first_is_still_told_what_the_values_are(items: dict[str, Item]) -> None:
    preset = BENCHMARK.presets[0]
    assert BENCHMARK.question(items["position_matching"], preset, True).text.endswith(f"D. below\n{BOXES}")
    assert BENCHMARK.demand(items["position_matching"], preset) == LETTER


@pytest.mark.parametrize(
    ("task", "text", "official", "easi"),
    [
        ("spatial_imagination_oc", "", 1.0, 0.0),
        ("depth_prediction_oc", "1.5 of 3", 1.0, 0.0),
        ("depth_prediction_oc_mv", "3 and 1.5", 1.0, 1.0),
        ("depth_prediction_oc", "-1.5", 1.0, 0.0),
        ("view_change_infer", "move_right:0.2,move_up:0.1,rotate_left:20", 0.82, 0.88),
        ("view_change_infer", "I can't tell", 0.0, 0.4),
    ],
)
def test_the_authors_and_easis_scores_stand_side_by_side(
    items: dict[str, Item], task: str, text: str, official: float, easi: float
) -> None:
    item = items[task]
    rules = [BENCHMARK.rule_set("official"), BENCHMARK.rule_set("easi")]
    found = score([item], [Response(id=item.id, response=text)], rules)["score"].to_list()
    assert found == pytest.approx([official, easi])


def test_the_headline_is_the_mean_of_the_tasks(items: dict[str, Item]) -> None:
    right = [*SPAR_NUMBERS, "view_change_infer", "position_matching"]
    responses = [Response(id=item.id, response=item.answer if item.task in right else "no")
                 for item in items.values()]  # fmt: skip
    rows = score(list(items.values()), responses, [BENCHMARK.rule_set("official")])
    found = cells(rows, BENCHMARK.table)
    assert found["overall"].value == pytest.approx(50)
    assert [found[key].value for key in ("low", "middle", "high")] == pytest.approx([100, 200 / 3, 0])


def test_tiny_is_the_same_with_a_repository_of_its_own() -> None:
    tiny = benchmarks.get("spar-tiny")
    assert (tiny.title, tiny.sizes) == ("SPAR-Bench-Tiny", {"full": 1000})
    assert tiny.hub is not None
    assert tiny.hub.repository == "jasonzhango/SPAR-Bench-Tiny"
    assert tiny.presets == BENCHMARK.presets
