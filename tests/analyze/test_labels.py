"""What items are told apart by."""

from collections.abc import Callable

import pytest

from tolman.analyze.labels import NOT_LABELLED, in_order, label_frame, label_names
from tolman.errors import UsageError
from tolman.items import Item, Media
from tolman.media.needed_frames import KEY
from tolman.media.sampling import Frames

NEEDED = {
    "frames": 100, "seconds": 10.0, "needed": [{"name": "chair", "frames": [[60, 70]]}], "least": {"down": 3, "nearest": 9},
}  # fmt: skip


def test_an_items_own_label_goes_before_a_derived_one(choice: Callable[..., Item]) -> None:
    items = [
        choice(id="1", labels={"dataset": "ScanNet", "options": "many"}),
        choice(id="2", labels={"dataset": "DL3DV"}),
    ]
    found = label_frame(items, ["source", "options", "kind", "answer", "media_count"])
    assert found["source"].to_list() == ["ScanNet", "DL3DV"]
    assert found["options"].to_list() == ["many", NOT_LABELLED]
    assert found.row(0) == ("1", "ScanNet", "many", "choice", "A", "0")
    assert label_names(items) == {"dataset": 2, "options": 2, "source": 2}


def test_a_label_that_no_question_has_is_named_with_the_nearest(choice: Callable[..., Item]) -> None:
    with pytest.raises(UsageError, match=r"no question has the label 'dificulty'; .*'difficulty'"):
        label_frame([choice(labels={"difficulty": "hard"})], ["dificulty"])


def test_whether_the_evidence_was_seen_depends_on_the_frames_shown(choice: Callable[..., Item]) -> None:
    video = (Media(kind="video", path="a.mp4"),)
    items = [
        choice(id="1", media=video, evidence={KEY: NEEDED}),
        choice(id="2", media=video),
        choice(id="3", media=(Media(kind="image", path="a.jpg"),)),
    ]
    names = ["evidence", "frames", "frames_needed", "media_kind"]
    few, enough = (label_frame(items, names, Frames(count=n)) for n in (2, 4))
    assert few["evidence"].to_list() == ["not seen", "unknown", "no video"]  # frames 0 and 99 of 100
    assert enough["evidence"].to_list() == ["seen", "unknown", "no video"]  # and 33 and 66
    assert enough["frames"].to_list() == ["4 frames", "4 frames", "no video"]
    assert enough["frames_needed"].to_list() == ["3–4", NOT_LABELLED, NOT_LABELLED]
    assert enough["media_kind"].to_list() == ["video", "video", "image"]
    assert label_frame(items, ["evidence"])["evidence"].to_list() == ["unknown"] * 3


def test_values_stand_in_an_order_of_their_kind() -> None:
    assert in_order(["hard", NOT_LABELLED, "easy"]) == ["easy", "hard", NOT_LABELLED]
    assert in_order(["10", "9", "none"]) == ["9", "10", "none"]
    assert in_order(["over 64", "17–32", "1", "5–8"]) == ["1", "5–8", "17–32", "over 64"]
    assert in_order(["scannet", "ARKitScenes"]) == ["ARKitScenes", "scannet"]
