"""STI-Bench on rows in the released shape."""

import pytest

from released_rows import scores_of
from tolman import benchmarks
from tolman.items import Item

BENCHMARK = benchmarks.get("sti-bench")


def test_released_rows_become_items(items: list[Item]) -> None:
    assert [item.id for item in items] == ["scene0000.mp4-0", "scene0000.mp4-1", "scene0001.mp4-0"]
    assert [item.answer for item in items] == ["A", "E", "C"]
    assert items[0].options == ("0 m", "1 m", "2 m", "3 m", "4 m")
    assert [item.scene for item in items] == ["scene0000.mp4", "scene0000.mp4", "scene0001.mp4"]
    assert items[1].labels == {"start": "1.5", "end": "8.5", "scene_type": "indoor"}


def test_the_prompt_names_the_seconds_and_the_whole_video_is_shown(items: list[Item]) -> None:
    preset = BENCHMARK.presets[0]
    assert BENCHMARK.prompt(items[1], preset).parts == (
        *items[1].media,
        "From 1.5 s to 8.5 s. How far does the camera move?\n(A) 0 m\n(B) 1 m\n(C) 2 m\n(D) 3 m\n(E) 4 m\n"
        "Please output only the option letter!",
    )
    assert (items[1].media[0].path, items[1].media[0].start) == ("video/scene0000.mp4", None)
    assert (preset.frames.count, preset.sampling.max_tokens) == (30, 512)


@pytest.mark.parametrize(("text", "official", "easi"), [("Ans='A'", 1.0, 1.0), ("I take A", 0.0, 1.0), ("A", 1.0, 1.0)])
def test_the_authors_and_easis_parsers_stand_side_by_side(
    items: list[Item], text: str, official: float, easi: float
) -> None:
    found = scores_of(BENCHMARK, items[0], text)
    assert (found["official"], found["easi"]) == (official, easi)
