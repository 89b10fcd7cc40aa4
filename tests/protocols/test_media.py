"""Protocols that show media otherwise: captions, examples with key frames, joined images."""

import base64
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dialogues import PICTURE, Talk, Turn, said
from tolman import benchmarks, protocols
from tolman.errors import InputError, UsageError
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.protocols import ProtocolOptions, captions_and_examples

VSI, SPATIALBENCH, MMSI = (benchmarks.get(name) for name in ("vsi-bench", "spatialbench", "mmsi-bench"))


@pytest.fixture
def clip(talk: Talk, direction: Item) -> Item:
    """A question about a video of 2 seconds."""
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(talk.place / "v.mp4", 60)
    return Item.model_validate({**direction.model_dump(), "media": [{"kind": "video", "path": "v.mp4"}]})


def test_each_frame_is_captioned_and_the_captions_are_answered_from(talk: Talk, clip: Item) -> None:
    def reply(turns: list[Turn]) -> str:
        return "A sofa,\nleft." if PICTURE in turns[0][1] else "C"

    preset = replace(VSI.presets[0], frames=Frames(count=3))
    other = clip.model_copy(update={"id": "8", "question": "Which?", "task": "t"})
    outcome = talk.run([clip, other], "caption-then-answer", reply, preset=preset, captioner="openai/c")
    captions = [body for body in talk.bodies if body["model"] == "c"]
    assert [said(body) for body in captions] == [[("user", [PICTURE, captions_and_examples.FRAME])]] * 3
    assert len(captions) == 3  # both questions are about the same video: each frame is captioned once
    answers = [body for body in talk.bodies if body["model"] == "m"]
    texts = sorted((said(body)[0][1][0] for body in answers), key=len)
    assert texts[1] == (
        "You can't see the video itself. These are descriptions of 3 of its frames, in their order:\n"
        "Frame 1 (0.0 s): A sofa, left.\nFrame 2 (1.0 s): A sofa, left.\nFrame 3 (2.0 s): A sofa, left.\n\n"
        + VSI.blind_prompt(clip, preset).text
    )
    assert outcome.response == "C"
    assert [(t.purpose, t.model) for t in outcome.turns] == [
        *((f"caption {i}", "openai/c") for i in (1, 2, 3)),
        ("answer", None),
    ]


def test_images_are_captioned_too(talk: Talk, direction: Item) -> None:
    talk.run([direction], "caption-then-answer", "A red wall.", captioner="openai/c")
    assert talk.sent[0] == [("user", [PICTURE, captions_and_examples.IMAGE])]
    assert talk.sent[1][0][1][0].startswith(f"{captions_and_examples.IMAGES_HEAD}\nImage 1: A red wall.\n\nIf I am")


def test_captions_of_whole_videos_are_refused(clip: Item) -> None:
    put = protocols.get("caption-then-answer", ProtocolOptions(captioner="openai/c"))
    with pytest.raises(UsageError, match="the preset 'gemini' shows whole videos; give a number with --frames"):
        put.check(VSI, [clip], next(p for p in VSI.presets if p.name == "gemini"))
    bare = clip.model_copy(update={"media": ()})
    with pytest.raises(UsageError, match="nothing to caption for 1 of 1 question, without media"):
        put.check(VSI, [bare], VSI.presets[0])


def test_one_shot_shows_the_released_example_of_the_task(talk: Talk, shared_data: Path) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from PIL import Image

    from videos import read_code, write_video

    data = shared_data / "spatialbench"
    items = SPATIALBENCH.load(data, "v1")
    item = next(i for i in items if i.task == "object_counting" and i.id != "10008")
    example = next(i for i in SPATIALBENCH.load(data, "few-shot") if i.id == "10008")
    write_video(talk.place / example.media[0].path, 900, size=(176, 120))
    write_video(talk.place / item.media[0].path, 95, size=(176, 120))
    talk.run([item], "one-shot", "2", benchmark=SPATIALBENCH, data=data)
    ((_, parts),) = talk.sent[0]
    assert parts[0] == "### BEGIN EXAMPLE ###"
    assert parts[1:3] == [PICTURE, PICTURE]
    assert parts[3] == (
        "This is an example of how to solve a 'regression' problem.\n\n"
        "Exemplar Question: How many covered car(s) are there in the parking lot?\n\n\n"
        "Correct Reasoning Process: There are 2 cars coverd (0:15 on right and 0:23 on left and they are shown twice because the "
        "recorder made a U turn).\nFinal Correct Answer: 2\n\n### END EXAMPLE ###\n\n"
        "Now, based on the new set of images provided, solve the following new problem.\n\n---\n\n"
        f"Question: {item.question}\n\n\n"
        "YOUR TASK IS TO PROVIDE ONLY THE FINAL ANSWER.\nDO NOT INCLUDE ANY EXPLANATIONS, REASONING, OR THOUGHT PROCESS.\n"
        "YOUR RESPONSE MUST BE EXTREMELY CONCISE AND CONTAIN ONLY THE ANSWER.\n\nDesired Answer Format:\n"
        "- For a Multiple choice question, your entire response must be a single letter (e.g., A).\n"
        "- For a Regression question, your entire response must be a single number (e.g., 240).\n\nProvide the final answer ONLY."
    )
    assert parts[4:] == [PICTURE] * 3
    shown = [
        base64.b64decode(part["image_url"]["url"].split(",", 1)[1])
        for part in talk.bodies[0]["messages"][0]["content"]
        if "image_url" in part
    ]
    assert [read_code(Image.open(io.BytesIO(s))) for s in shown] == [680, 362, 0, 47, 94]
    first = Image.open(io.BytesIO(shown[0]))
    quality_30, quality_85 = first.quantization[0][0], Image.open(io.BytesIO(shown[2])).quantization[0][0]  # type: ignore[attr-defined]
    assert quality_30 > quality_85


def test_each_task_has_its_own_example_and_examples_are_not_asked(shared_data: Path) -> None:
    data = shared_data / "spatialbench"
    put = protocols.get("one-shot", ProtocolOptions(data=data))
    for subset, total in (("v1", 1347), ("v2", 3193)):
        items = put.present(SPATIALBENCH, SPATIALBENCH.load(data, subset))
        assert len(items) == total - 15
        put.check(SPATIALBENCH, items, SPATIALBENCH.presets[0])
        for item in items:
            ask = next(put.converse(SPATIALBENCH, item, SPATIALBENCH.presets[0]))
            parts = ask.messages[0].parts  # type: ignore[union-attr]
            assert f"Question: {item.question}" in parts[2]  # type: ignore[operator]
    how = SPATIALBENCH.one_shot
    assert how is not None
    assert len({example.id for example in how.load(data, 0).values()}) == 15


def test_examples_that_are_missing_or_broken_are_one_sentence(shared_data: Path, tmp_path: Path) -> None:
    how = SPATIALBENCH.one_shot
    assert how is not None
    with pytest.raises(InputError, match=r"QA_fewshot\.txt"):
        how.load(tmp_path, 0)
    rows = json.loads((shared_data / "spatialbench" / "QA_fewshot.txt").read_text(encoding="utf-8"))
    for row in rows:
        row["sample"].pop("reason", None)
    (tmp_path / "QA_fewshot.txt").write_text(json.dumps(rows[:20]))
    with pytest.raises(InputError, match="holds no row with reasoning and key frames"):
        how.load(tmp_path, 0)
    rows[0]["sample"] |= {"reason": "so", "keyframes": ["one"]}
    (tmp_path / "QA_fewshot.txt").write_text(json.dumps(rows[:20]))
    with pytest.raises(InputError, match="are no numbers of frames"):
        how.load(tmp_path, 0)


def test_frames_that_a_video_lacks_are_left_out(talk: Talk, clip: Item) -> None:
    from tolman.media.frame_store import FrameStore
    from tolman.media.video import BrokenMediaError
    from tolman.messages import KeyFrames

    store = FrameStore(talk.place / "frames")
    keys = KeyFrames(kind="video", path="v.mp4", numbers=(50, 5, 99, 5))
    assert [p.frame for p in store.pictures(talk.place, keys, Frames(count=8))] == [50, 5, 5]
    with pytest.raises(BrokenMediaError, match=r"v\.mp4: has none of the frames 99"):
        store.pictures(talk.place, keys.model_copy(update={"numbers": (99,)}), Frames())


@pytest.fixture
def pair(direction: Item) -> Item:
    """A question of MMSI-Bench about two images."""
    media = [{"kind": "image", "path": name} for name in ("a.jpg", "b.jpg")]
    return Item.model_validate(
        {**direction.model_dump(), "verbatim": "Where?\nOptions: A: x, B: y, C: z, D: w", "media": media}
    )


def test_joined_images_are_one_picture_before_the_same_question(talk: Talk, pair: Item) -> None:
    talk.run([pair], "direct", "``C``", benchmark=MMSI)
    ((role, parts),) = talk.sent[0]
    assert parts[:2] == [PICTURE, PICTURE]
    talk.run([pair], "joined", "``C``", benchmark=MMSI)
    assert talk.sent == [[(role, [PICTURE, parts[2]])]]


def test_correspondences_are_drawn_into_the_joined_picture(talk: Talk, pair: Item) -> None:
    pytest.importorskip("cv2", reason="matching needs the extra 'media'")
    import numpy as np
    from PIL import Image

    random = np.random.default_rng(0)
    whole = Image.fromarray(random.integers(0, 255, (30, 55, 3), dtype=np.uint8)).resize((440, 240))
    whole.crop((0, 0, 320, 240)).save(talk.place / "a.jpg", quality=95)
    whole.crop((120, 0, 440, 240)).save(talk.place / "b.jpg", quality=95)
    shown = {}
    for name in ("joined", "correspondence"):
        talk.run([pair], name, "``C``", benchmark=MMSI)
        ((_, parts),) = talk.sent[0]
        assert parts == [PICTURE, MMSI.prompt(pair, MMSI.presets[0]).text]
        url = talk.bodies[0]["messages"][0]["content"][0]["image_url"]["url"]
        shown[name] = np.asarray(Image.open(io.BytesIO(base64.b64decode(url.split(",", 1)[1])))).astype(int)
    assert shown["joined"].shape == shown["correspondence"].shape == (240, 650, 3)
    changed = np.abs(shown["joined"] - shown["correspondence"]).max(axis=2) > 60
    assert changed[:, 320:330].any(axis=1).sum() >= 10  # lines cross the gap


def test_correspondence_joins_with_chain_of_thought_and_question_first(talk: Talk, pair: Item) -> None:
    talk.run([pair], "joined+question-first+cot", "``C``", benchmark=MMSI)
    ((_, parts),) = talk.sent[0]
    assert parts[1:] == [PICTURE]
    assert parts[0].startswith("Where?")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"media": ()}, "needs at least two images; fewer are in 1 of 1 question (the first is 7)"),
        ({"media": [{"kind": "image", "path": "a.jpg"}]}, "needs at least two images"),
        ({"media": [{"kind": "video", "path": "v.mp4"}]}, "joins images, and a video is in 1 of 1 question"),
        ({"question": "Is <image> above <image>?"}, "would tear images out of the text"),
    ],
)
def test_what_cannot_be_joined_is_refused(pair: Item, change: dict[str, object], sentence: str) -> None:
    item = Item.model_validate({**pair.model_dump(), **change})
    with pytest.raises(UsageError, match=re.escape(sentence)):
        protocols.get("joined").check(MMSI, [item], MMSI.presets[0])


def test_an_unknown_matcher_is_refused(choice: Callable[..., Item]) -> None:
    with pytest.raises(UsageError, match="there is no matcher 'pats'"):
        protocols.get("correspondence", ProtocolOptions(matcher="pats")).check(MMSI, [choice()], MMSI.presets[0])
