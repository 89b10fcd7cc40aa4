"""MMSI-Video-Bench on rows in the released shape: clips with their own times, and images, at their marks."""

import json
from pathlib import Path

import pytest

from released_rows import WRITERS, scores_of
from tolman import benchmarks
from tolman.errors import InputError
from tolman.items import Item

BENCHMARK = benchmarks.get("mmsi-video")


def test_clips_have_their_own_times_and_images_stand_beside_them(items: list[Item]) -> None:
    assert [(m.kind, m.path, m.start, m.end) for m in items[0].media] == [
        ("video", "videos/scan/00.mp4", 1.0, 9.5),
        ("video", "videos/scan/01.mp4", 2.0, 9.5),
        ("image", "ref_images/a/new.png", None, None),
    ]
    assert items[0].task == "(Cross-Video) Memory Update"
    assert items[0].options == ("left", "right", "none of these")
    assert items[0].scene == "scan/00.mp4"


def test_the_prompt_is_the_released_one_with_media_at_their_marks(items: list[Item]) -> None:
    preset = BENCHMARK.presets[0]
    first, second, image = items[0].media
    listed = "\nA. left\nB. right\nC. none of these\n"
    assert BENCHMARK.prompt(items[0], preset).parts == (
        "You see clips.\nFirst ", first, ", then ", second, ". What is new in ", image, f"?{listed}Give the letter."
    )  # fmt: skip
    assert BENCHMARK.prompt(items[1], preset).parts == (
        "You see clips.\nAnswer. The clip: ", items[1].media[0], f"\nWhere do I go?{listed}Give the letter."
    )  # fmt: skip
    blind = BENCHMARK.blind_prompt(items[0], preset)
    assert not blind.media
    assert "".join(map(str, blind.parts)) == f"You see clips.\nFirst , then . What is new in ?{listed}Give the letter."
    assert BENCHMARK.demand(items[0], preset) == "Give the letter."


def test_a_mark_without_its_medium_is_refused(tmp_path: Path) -> None:
    WRITERS["mmsi-video"](tmp_path)
    path = tmp_path / "mmsivideo.json"
    rows = json.loads(path.read_text())
    rows[0]["video_list"].pop()
    path.write_text(json.dumps(rows))
    with pytest.raises(InputError, match=r"row 1: the text has 2 marks <video> for 1 media"):
        BENCHMARK.load(tmp_path, "full")


@pytest.mark.parametrize(
    ("text", "official", "kit", "easi"),
    [("The answer is A.", 1.0, 1.0, 1.0), ("It is (A), I think.", 0.0, 1.0, 1.0), ("B", 0.0, 0.0, 0.0)],
)
def test_three_harnesses_read_the_same_text(
    items: list[Item], text: str, official: float, kit: float, easi: float
) -> None:
    found = scores_of(BENCHMARK, items[0], text)
    assert (found["official"], found["lmms-eval"], found["easi"]) == (official, kit, easi)
