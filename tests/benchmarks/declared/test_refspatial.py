"""RefSpatial-Bench on rows in the released shape (the data itself is not at hand)."""

import json
from pathlib import Path

import pytest

from released_rows import TUPLES, scores_of
from tolman import benchmarks
from tolman.items import Item
from tolman.media.images import read_image

BENCHMARK = benchmarks.get("refspatial")


def test_masks_become_answers(folder: Path, items: list[Item]) -> None:
    assert [(item.id, item.task) for item in items][::2] == [
        ("location-1", "location"), ("placement-1", "placement"), ("unseen-1", "unseen"),
    ]  # fmt: skip
    assert {item.kind for item in items} == {"points"}
    answer = json.loads(items[0].answer)
    assert answer["size"] == [64, 48]
    assert answer["mask"]["size"] == [48, 64]
    assert answer["mask"]["counts"] == [8 * 48 + 10, *[20, 28] * 7, 20, 48 * 48 + 18]
    (medium,) = items[0].media
    assert read_image(folder, medium.path, medium.part).startswith(b"\x89PNG")


def test_each_split_is_a_subset(folder: Path, items: list[Item]) -> None:
    loaded = {subset: BENCHMARK.load(folder, subset) for subset in ("location", "placement", "unseen")}
    assert {subset: {item.task for item in found} for subset, found in loaded.items()} == {
        subset: {subset} for subset in loaded
    }
    assert [item.id for found in loaded.values() for item in found] == [item.id for item in items]


@pytest.mark.parametrize(
    ("preset", "shown"),
    [
        ("released", f"Please point out the cup 1. {TUPLES}"),
        ("molmo", "Locate several points of the cup 1."),
        ("robobrain", "Please point out the cup 1. Please provide its 2D coordinates."),
        ("gemini", "Locate one point of the cup 1."),
        ("qwen", "Locate the cup 1 in this image and output the point coordinates in JSON format."),
        ("lmms-eval", f"Please point out the cup 1. {TUPLES} Return only list of tuples, don't add anything else."),
        (
            "vlmevalkit",
            "Please point out the cup 1.\n\nOutput the point coordinates in JSON format.\nFor example:\n[\n"
            '  {"point_2d": [x, y], "label": "point_1"}\n]\n',
        ),
    ],
)
def test_each_family_of_models_has_its_prompt(items: list[Item], preset: str, shown: str) -> None:
    assert {one.name for one in BENCHMARK.presets} >= {preset}
    (chosen,) = (one for one in BENCHMARK.presets if one.name == preset)
    assert BENCHMARK.prompt(items[0], chosen).parts == (*items[0].media, shown)


def test_points_score_their_share_and_what_cannot_be_parsed_is_left_out_as_released(items: list[Item]) -> None:
    """Of the mask's 8 × 20 pixels from (8, 10)."""
    said = {
        "[(0.2, 0.5), (0.9, 0.9)]": {"official": 0.5, "careful": 0.5, "lmms-eval": 0.5},
        "(12, 20)": {"official": 1.0, "lmms-eval": 0.0},  # lmms-eval scales whole numbers too
        "no idea": {"official": 0.0, "careful": 0.0, "lmms-eval": 0.0},
        "(5.0, 1, 2, 1)": {"official": None, "careful": 0.0, "lmms-eval": 0.0},  # a box that can't be filled
    }
    for text, wanted in said.items():
        found = scores_of(BENCHMARK, items[0], text)
        assert {name: found[name] for name in wanted} == wanted, text
