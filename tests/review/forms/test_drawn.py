"""Drawings in a form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tolman.items import Media
from tolman.review.forms.form_values import AnswerError, as_field, read_drawn

MEDIA = (Media(kind="image", path="a.jpg"), Media(kind="video", path="b.mp4"))
TIMES = (0.5, 0.541667, 0.583333)
POINT: dict[str, Any] = {"medium": 1, "points": [[10, 20.5]], "size": [320, 240]}
LINE: dict[str, Any] = {"medium": 2, "points": [[0, 0], [320, 240]], "size": [320, 240], "time": 0.5417, "note": "edge"}


def _read(*drawings: Any) -> list[dict[str, Any]]:
    return read_drawn(json.dumps(list(drawings)), MEDIA, lambda medium: TIMES)


def test_a_line_is_kept_with_the_file_s_frame_and_its_time() -> None:
    point, line = _read(POINT, LINE)
    assert point == {"medium": 1, "points": [[10, 20.5]], "size": [320, 240], "note": ""}
    assert (line["frame"], line["time"], line["note"]) == (1, 0.541667, "edge")
    assert _read(*json.loads(as_field({"drawn": [point, line]}))) == [point, line]
    assert read_drawn("", MEDIA, lambda medium: TIMES) == []
    assert as_field({}) == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"medium": 3}, "medium 3 of 2"),
        ({"medium": 0}, "greater than or equal"),
        ({"points": [[321, 0]]}, "outside of its picture of 320 × 240"),
        ({"points": [[-1, 0]]}, "can't be read"),
        ({"points": []}, "can't be read"),
        ({"time": 1.0}, "an image with a time"),
        ({"medium": 2}, "a video without its time"),
        ({"medium": 2, "time": 0.56}, "begins no frame"),
        ({"note": "x" * 201}, "can't be read"),
        ({"more": 1}, "can't be read"),
    ],
)
def test_what_is_no_drawing_of_these_media_is_refused(change: dict[str, Any], told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        _read(POINT | change)
    with pytest.raises(AnswerError, match="at most 50"):
        _read(*[POINT] * 51)
    with pytest.raises(AnswerError, match="can't be read"):
        read_drawn("{no json", MEDIA, lambda medium: TIMES)
