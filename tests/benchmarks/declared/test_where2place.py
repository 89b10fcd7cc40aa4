"""Where2Place on rows in the released shape (the data itself is not at hand)."""

import json
from pathlib import Path

import pytest

from released_rows import in_table, mask_picture, png
from tolman import benchmarks
from tolman.items import Item

BENCHMARK = benchmarks.get("where2place")
TUPLES = (
    "Your answer should be formatted as a list of tuples, i.e. [(x1, y1), (x2, y2), ...], where each tuple contains "
    "the x and y coordinates of a point satisfying the conditions above. The coordinates should be between 0 and 1, "
    "indicating the normalized pixel locations of the points in the image."
)


def test_rows_become_items_with_masks_and_both_prompts(items: list[Item]) -> None:
    assert [(item.id, item.kind, item.task) for item in items] == [
        ("0", "points", "pointing"),
        ("1", "points", "pointing"),
    ]
    assert json.loads(items[1].answer)["mask"]["counts"][:2] == [150 * 480 + 60, 30]
    released, lmms = BENCHMARK.presets
    asked = f"Find a few spots beside the plate. {TUPLES}"
    assert BENCHMARK.prompt(items[0], released).parts == (*items[0].media, asked)
    assert BENCHMARK.prompt(items[0], lmms).parts[-1] == f"{asked} Return only list of tuples, don't add anything else."


@pytest.mark.parametrize(("value", "is_right"), [(127, False), (128, True)])
def test_pixels_of_a_mask_are_right_from_half_of_its_brightness(tmp_path: Path, value: int, is_right: bool) -> None:
    """The released masks are JPEG files with grey edges."""
    import polars as pl

    faint, bright = (mask_picture(8, 4, box, value) for box, value in (((0, 0, 2, 1), value), ((6, 0, 8, 4), 255)))
    mixed = png([bytes(map(max, a, b)) for a, b in zip(_pixels(faint), _pixels(bright), strict=True)])
    row = {"question_id": "0", "question": "Where?", "question_type": "", "image": in_table(png([bytes(8)] * 4)),
           "mask": in_table(mixed)}  # fmt: skip
    pl.DataFrame([row]).write_parquet(tmp_path / "test-00000-of-00001.parquet")
    (item,) = BENCHMARK.load(tmp_path, "all")
    counts = json.loads(item.answer)["mask"]["counts"]
    assert counts == ([0, 1, 3, 1, 19, 8] if is_right else [24, 8])


def _pixels(picture: bytes) -> list[bytes]:
    import io

    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    image = pillow.open(io.BytesIO(picture))
    content = image.tobytes()
    return [content[i : i + image.width] for i in range(0, len(content), image.width)]
