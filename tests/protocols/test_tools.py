"""Looking again before an answer: at other moments of a video, and at enlarged parts."""

import base64
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from dialogues import PICTURE, Talk, Turn
from tolman import benchmarks, protocols
from tolman.errors import UsageError
from tolman.items import Item, Media
from tolman.media.sampling import Frames
from tolman.messages import Detail, Video
from tolman.protocols import Look
from tolman.protocols.tools import detail_of, read_request

VSI = benchmarks.get("vsi-bench")
VIDEO, IMAGE = Media(kind="video", path="v.mp4"), Media(kind="image", path="a.jpg")


@pytest.fixture
def clip(talk: Talk, direction: Item) -> Item:
    """A question about a video of 2 seconds, 30 frames a second."""
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(talk.place / "v.mp4", 60)
    return Item.model_validate({**direction.model_dump(), "media": [{"kind": "video", "path": "v.mp4"}]})


def picture_of(body: dict[str, Any], turn: int) -> Image.Image:
    """The picture of a turn of a request."""
    (url,) = (part["image_url"]["url"] for part in body["messages"][turn]["content"] if part["type"] == "image_url")
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))


def test_a_model_looks_at_another_time_and_at_a_part_and_answers(talk: Talk, clip: Item) -> None:
    said = ["I need more.\nFRAME 0.5 s\nI see a sofa, so A.", "crop: 0.5, 25%, 0%, 75%, 50%", "C"]
    outcome = talk.run(
        [clip], "tools", lambda turns: said[len(turns) // 2], preset=replace(VSI.presets[0], frames=Frames(count=3))
    )
    first, second, third = sorted(talk.bodies, key=lambda body: len(body["messages"]))
    offer = first["messages"][0]["content"][-1]["text"]
    assert "up to 5 times" in offer
    assert "The frames that you see are of 0.0, 1.0, 2.0 s." in offer
    assert offer.index("Answer with the option") < offer.index("FRAME 12.5")
    whole, part = picture_of(second, 2), picture_of(third, 4)
    assert part.size == (whole.width, whole.height)  # half of both sides, enlarged
    expected = whole.crop((whole.width // 4, 0, 3 * whole.width // 4, whole.height // 2)).resize(part.size)
    assert sum(abs(a - b) for a, b in zip(expected.tobytes(), part.tobytes(), strict=True)) < 8 * len(part.tobytes())
    said_then = third["messages"][4]["content"][-1]["text"]
    assert said_then.startswith("Here is the frame nearest to 0.5 s. You may look 3 more times, or answer.")
    assert outcome.response == "C"
    assert outcome.notes == {"looks by FRAME": 1, "looks by CROP": 1}
    assert [turn.purpose for turn in outcome.turns] == ["answer", "look 1", "look 2"]
    assert outcome.usage.output_tokens == sum(turn.usage.output_tokens for turn in outcome.turns)


def test_a_model_that_never_answers_is_told_and_ends(talk: Talk, direction: Item) -> None:
    outcome = talk.run([direction], "tools", "CROP 1 10 10 60 60", looks=2)
    assert len(talk.bodies) == 3
    last = max(talk.sent, key=len)
    assert last[-1] == (
        "user",
        [PICTURE, "Here it is. You can't look any more: answer now. " + VSI.demand(direction, VSI.presets[0])],
    )
    assert outcome.response == "CROP 1 10 10 60 60"
    assert outcome.notes == {"looks by CROP": 2, "requests after the last look": 1}


def test_what_can_t_be_shown_is_said(talk: Talk, direction: Item) -> None:
    def reply(turns: list[Turn]) -> str:
        return "CROP 9 1 1 9 9" if len(turns) == 1 else "C"

    outcome = talk.run([direction], "tools", reply)
    (text,) = max(talk.sent, key=len)[-1][1]
    assert re.match(r"That can't be shown: there is one picture or video\. You may look 4 more times", text)
    assert (outcome.response, outcome.notes) == ("C", {"looks that can't be met": 1})


def test_a_video_that_is_sent_whole_has_no_times_of_frames(talk: Talk, clip: Item) -> None:
    conversation = protocols.get("tools").converse(VSI, clip, VSI.presets[0])
    assert isinstance(next(conversation), Look)
    asked = conversation.send((Video(path="v.mp4", sha256="0"),))
    assert "FRAME 12.5 shows the video" in asked.messages[0].text
    assert "The frames that you see" not in asked.messages[0].text


def test_a_detail_stays_within_the_part_that_is_meant(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from tolman.media.frame_store import FrameStore
    from videos import write_video

    write_video(tmp_path / "v.mp4", 60)
    media = Detail(kind="video", path="v.mp4", start=0.5, end=1.0, seconds=40.0)
    (found,) = FrameStore(tmp_path / "frames").pictures(tmp_path, media, Frames(count=3))
    assert (found.frame, found.seconds) == (30, 1.0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FRAME 12.5", ("FRAME", (12.5,))),
        ("**Crop 1 40 20 70 60**", ("CROP", (1, 40, 20, 70, 60))),
        ("A", None),
        ("The frame 12.5 shows it.", None),
        ("FRAME later", None),
        ("FRAME nan", None),
        ("FRAME: 3 seconds.", ("FRAME", (3,))),
        ("CROP 1 40%, 20%, 70%, 60%", ("CROP", (1, 40, 20, 70, 60))),
        ("FRAME 1 2 3 4 5 6 7", None),
        ("", None),
        ("<think>FRAME?\nFRAME 9\n</think>\nframe 3s", ("FRAME", (3,))),
    ],
)
def test_requests_are_read_as_models_write_them(text: str, found: tuple[str, tuple[float, ...]] | None) -> None:
    assert read_request(text) == found


@pytest.mark.parametrize(
    ("word", "numbers", "media", "found"),
    [
        ("FRAME", (3,), [VIDEO], (3, None)),
        ("FRAME", (2, 3), [IMAGE, VIDEO], (3, None)),
        ("FRAME", (1,), [IMAGE], "an image has no times"),
        ("FRAME", (3,), [VIDEO, VIDEO], "there are 2 pictures and videos"),
        ("CROP", (2, 10, 20, 30, 140), [IMAGE, IMAGE], (None, (10, 20, 30, 100))),
        ("CROP", (10, 20, 30, 40), [IMAGE], (None, (10, 20, 30, 40))),
        ("CROP", (10, 20, 30, 40), [VIDEO], "the line needs other numbers"),
        (
            "CROP",
            (1, 50, 20, 30, 40),
            [IMAGE],
            "the part is narrower than 1 percent, or its sides are in another order",
        ),
        ("CROP", (1, 2), [IMAGE], "a part has four sides"),
    ],
)
def test_a_request_names_a_picture_or_says_why_not(
    word: str, numbers: tuple[float, ...], media: list[Media], found: object
) -> None:
    made = detail_of(word, numbers, media)
    assert (made if isinstance(made, str) else (made.seconds, made.box)) == found


def test_questions_without_media_are_refused(talk: Talk, direction: Item) -> None:
    with pytest.raises(UsageError, match="1 of 1 question has none"):
        talk.run([direction.model_copy(update={"media": ()})], "tools", "C")
