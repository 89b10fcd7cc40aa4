"""The protocol `grounded`: which frames are shown, how the way out is offered, and twins."""

import base64
import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from dialogues import PICTURE, Talk
from tolman import benchmarks, protocols
from tolman.errors import UsageError
from tolman.features.run.estimate import asks_of
from tolman.items import CANT_TELL, Item
from tolman.media.needed_frames import NeededFrames, NeededThing
from tolman.media.sampling import Frames
from tolman.messages import Clip, KeyFrames
from tolman.models.geometric import as_generated
from tolman.protocols.captions_and_examples import twins_of

VSI = benchmarks.get("vsi-bench")
EIGHT = replace(VSI.presets[0], frames=Frames(count=8, quality=95))
NEEDED = {"frames": 40, "seconds": 8.0, "needed": [{"name": "lamp", "frames": [[10, 19]]}]}
VIDEO = {"kind": "video", "path": "v.mp4"}


@pytest.fixture
def clip(talk: Talk, choice: Callable[..., Item]) -> Item:
    """A choice about a video of 40 numbered frames."""
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(talk.place / "v.mp4", 40, rate=5)
    return choice(media=[VIDEO], evidence={"needed_frames": NEEDED})


def numbers_in(body: dict[str, object]) -> list[int]:
    from PIL import Image

    from videos import read_code

    parts = body["messages"][-1]["content"]  # type: ignore[index]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [read_code(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))) for url in urls]


def test_the_same_words_go_with_all_frames_the_evidence_alone_and_others(talk: Talk, clip: Item) -> None:
    outcome = talk.run([clip], "grounded", "E", preset=EIGHT)
    shown = sorted(map(numbers_in, talk.bodies), key=lambda numbers: (len(numbers), numbers))
    assert shown == [[11, 16], [0, 4, 8, 22, 26, 30, 34, 39], [0, 5, 11, 16, 22, 27, 33, 39]]
    texts = {part for turns in talk.sent for _, parts in turns for part in parts if part != PICTURE}
    assert len(texts) == 1
    (text,) = texts
    assert "E. can't tell" in text
    assert text.endswith("If what is shown isn't enough to answer the question, answer E (can't tell).")
    assert [turn.purpose for turn in outcome.turns] == ["answer", "evidence alone", "without evidence"]
    assert outcome.response == "E"


def test_a_number_has_the_way_out_in_words(number: Callable[..., Item]) -> None:
    (item,) = protocols.get("grounded").present(VSI, [number()])
    assert item == number()
    (ask,) = asks_of(protocols.get("grounded"), VSI, item, EIGHT)
    assert ask.messages[0].text.endswith(', answer "can\'t tell" instead.')


def test_some_frames_are_shown_in_the_form_of_the_video(talk: Talk, clip: Item) -> None:
    talk.run([clip], "grounded", "A", preset=EIGHT)
    some = KeyFrames(kind="video", path="v.mp4", numbers=(11, 16), as_sampled=True)
    talk.engine.preset = replace(EIGHT, frames=Frames(count=8, native=True))
    (shown,) = talk.engine._shown(some)
    assert isinstance(shown, Clip)
    assert shown.ticks == (11, 16)
    talk.engine.preset = replace(EIGHT, frames=Frames(count=8, label="Frame{number}: <image>\n"))
    assert talk.engine._shown(some)[0] == "Frame1: "
    assert len(talk.engine._shown(some.model_copy(update={"as_sampled": False}))) == 2


def test_the_system_text_asks_for_the_form_as_it_does_otherwise(clip: Item) -> None:
    spoken = replace(VSI, system=lambda item, preset, sees, demands: "A letter." if demands else "Look.")
    for protocol, texts in (("grounded", {"A letter."}), ("direct", {"A letter."}), ("cot", {"Look."})):
        asks = asks_of(protocols.get(protocol), spoken, clip, EIGHT)
        assert {m.text for ask in asks for m in ask.messages if m.role == "system"} == texts


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": {}},
        {"evidence": {"needed_frames": {**NEEDED, "needed": [{"name": "lamp", "frames": [[12, 14]]}]}}},  # not sampled
        {"evidence": {"needed_frames": {**NEEDED, "needed": [{"name": "lamp", "frames": [[0, 39]]}]}}},  # nothing else
        {"evidence": {"needed_frames": "all"}},
        {"media": [{**VIDEO, "start": 1.0}]},
        {"media": [VIDEO, VIDEO]},
        {"media": []},
    ],
)
def test_items_without_such_frames_are_asked_once(clip: Item, change: dict[str, object]) -> None:
    item = Item.model_validate({**clip.model_dump(), **change})
    assert len(asks_of(protocols.get("grounded"), VSI, item, EIGHT)) == 1
    with pytest.raises(UsageError, match="nothing to compare: of 1 question none has a twin, or evidence in 8 frames"):
        protocols.get("grounded").check(VSI, [item], EIGHT)


def test_whole_videos_are_refused(clip: Item) -> None:
    with pytest.raises(UsageError, match=re.escape("shows whole videos; give a number with --frames.")):
        protocols.get("grounded").check(VSI, [clip], replace(EIGHT, frames=Frames(whole=True)))


def ring(make: Callable[..., Item], answers: str, name: str = "ring-1") -> list[Item]:
    return [
        make(id=f"{name} {i}", answer=answer, evidence={"twins": name}, scene=f"s{i}")
        for i, answer in enumerate(answers)
    ]


@given(st.lists(st.sampled_from("ABCD"), max_size=9))
def test_a_twin_has_another_answer_to_the_same_text(answers: list[str]) -> None:
    def make(**rest: object) -> Item:
        return Item.model_validate({"question": "?", "kind": "choice", "options": list("wxyz"), "task": "t", **rest})

    items = [*ring(make, "".join(answers)), *ring(make, "A", "other"), make(id="alone", answer="B")]
    found = twins_of(items)
    assert found.keys() == ({item.id for item in items[: len(answers)]} if len(set(answers)) > 1 else set())
    assert all(twin.evidence == item.evidence for item in items if (twin := found.get(item.id)))
    assert all(twin.answer != item.answer for item in items if (twin := found.get(item.id)))


def test_in_a_whole_ring_the_twin_is_half_a_ring_on(choice: Callable[..., Item], number: Callable[..., Item]) -> None:
    items = ring(choice, "CADB")
    answers = {item.id: item.answer for item in items}
    assert {answers[id] + twin.answer for id, twin in twins_of(items).items()} == {"AC", "BD", "CA", "DB"}
    numbers = [
        number(answer, id=answer).model_copy(update={"labels": {"twins": "r"}}) for answer in ("10", "2", "8.5", "3")
    ]
    assert {id: twin.id for id, twin in twins_of(numbers).items()} == {"2": "8.5", "3": "10", "8.5": "2", "10": "3"}


SPANS = st.lists(st.tuples(st.integers(0, 29), st.integers(0, 9)), min_size=1, max_size=3)


@given(st.lists(SPANS, min_size=1, max_size=3), st.integers(1, 30))
def test_frames_are_split_by_what_they_show(things: list[list[tuple[int, int]]], count: int) -> None:
    spans = [tuple((first, min(29, first + more)) for first, more in own) for own in things]
    needed = NeededFrames(
        frames=30, seconds=6.0, needed=tuple(NeededThing(name=str(i), frames=own) for i, own in enumerate(spans))
    )
    carrying = {n for own in spans for first, last in own for n in range(first, last + 1)}
    sampling = Frames(count=count)
    found = needed.split(sampling)
    if not needed.shown_by(sampling):
        assert found is None
        return
    assert found is not None
    evidence, others = found
    sampled = sampling.indices(30, 6)  # type: ignore[arg-type]
    assert evidence == tuple(n for n in sampled if n in carrying)
    assert not carrying & set(others)
    assert list(others) == sorted(set(others))
    assert len(others) == min(count, 30 - len(carrying))


def test_the_way_out_is_offered_once_and_last(choice: Callable[..., Item]) -> None:
    many = choice(*(f"thing {i}" for i in range(26)), id="2")
    shown = protocols.get("grounded").present(VSI, [choice(), many])
    assert [item.options[-1] for item in shown] == [CANT_TELL, "thing 25"]
    assert shown[0].answer == choice().answer
    assert [as_generated(item) for item in shown] == [choice(), many]  # what the oracle and the detector ask families
