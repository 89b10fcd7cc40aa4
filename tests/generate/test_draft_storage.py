"""Drafts come back from the disk as they were, and what they share is read and written as if each had its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tolman.errors import OutputError
from tolman.generate.draft_storage import DraftEntry, DraftFile, Entries, EntryPart
from tolman.generate.family import Draft, ReasoningStep
from tolman.generate.question_media import PictureSource
from tolman.item_table import evidence_text
from tolman.items import Item, Media
from tolman.media.needed_frames import KEY, WrittenThing, needed_frames, text_with_things

CHAIR: dict[str, Any] = {"name": "chaîse", "frames": [[0, 14], [30, 61]], "seconds": [[0.0, 0.6], [1.2, 2.5]]}
SOFA: dict[str, Any] = {"name": "sofa", "frames": [[70, 70]], "seconds": [[2.8, 2.8]]}


def draft(*things: Any, **more: Any) -> Draft:
    said = {"frames": 100, "seconds": 4.0, "needed": list(things), "in_order": False, "least": {"down": 4}}
    steps = (ReasoningStep("logic", "It is near."),)
    return Draft("t", "s", "Which?", "a", None, ("a", "b"), {"gap": 0.5, KEY: said, **more}, reasoning=steps)


def test_drafts_come_back_with_what_they_share(tmp_path: Path) -> None:
    source = (PictureSource("v.mp4"),)
    own = [draft(CHAIR, SOFA, turns=[1.0, -2]), draft(SOFA), Draft("t", "s", "?", "a", None, ("a",), {"x": 1})]
    with DraftFile(tmp_path / "draft_file") as draft_file:
        places = [draft_file.add(one, source) for one in own]
        assert [draft_file.get(place) for place in reversed(places)] == [(one, source) for one in reversed(own)]
        assert list(draft_file.get(places[0])[0].evidence) == ["gap", KEY, "turns"]
        first, other = (draft_file.get(place)[0].evidence[KEY]["needed"] for place in places[:2])
        assert first[1] is other[0]
        bare, media = draft_file.without_evidence(places[0])
        assert (bare.question, bare.options, bare.evidence, bare.reasoning) == ("Which?", ("a", "b"), {}, ())
        assert media == source
    assert (tmp_path / "draft_file").read_bytes().count(b"sofa") == 1


@pytest.mark.parametrize(
    "thing",
    [{"name": "a"}, {**CHAIR, "frames": ((0, 3),)}, "all", {**CHAIR, "more": 1}],
    ids=["part", "tuple", "text", "more"],
)
def test_what_json_does_not_say_is_kept_as_it_is(thing: Any, tmp_path: Path) -> None:
    own = draft(CHAIR, thing)
    with DraftFile(tmp_path / "draft_file") as draft_file:
        found, _ = draft_file.get(draft_file.add(own, ()))
    assert found == own
    assert not any(isinstance(one, WrittenThing) for one in found.evidence[KEY]["needed"])


def test_shared_things_are_read_and_written_as_others(tmp_path: Path) -> None:
    own = draft(CHAIR, SOFA, key_frames=[3, 70])
    with DraftFile(tmp_path / "draft_file") as draft_file:
        found, _ = draft_file.get(draft_file.add(own, ()))
    assert all(isinstance(one, WrittenThing) for one in found.evidence[KEY]["needed"])
    assert text_with_things(found.evidence) == evidence_text(found.evidence) == json.dumps(own.evidence)
    made = [
        Item(id="i", question="?", kind="number", answer="1", task="t", media=(Media(kind="video", path="v"),),
             evidence=dict(one.evidence))
        for one in (own, found)
    ]  # fmt: skip
    assert needed_frames(made[0]) == needed_frames(made[1]) is not None
    assert made[0] == made[1]
    assert made[0].model_dump_json() == made[1].model_dump_json()


def test_texts_of_other_evidence_are_plain() -> None:
    for evidence in (
        {},
        {"a": 1},
        {KEY: "all"},
        {KEY: {"needed": []}},
        {KEY: {"needed": [SOFA]}},
        {KEY: {"frames": 3}},
    ):
        assert text_with_things(evidence) == json.dumps(evidence)


def test_a_thing_that_is_none_makes_needed_frames_unknown() -> None:
    wrong = WrittenThing(json.dumps({**SOFA, "frames": [["a", 2]]}))
    said = {**draft(SOFA).evidence[KEY], "needed": [wrong]}
    item = Item(id="i", question="?", kind="number", answer="1", task="t", evidence={KEY: said})
    assert needed_frames(item) is None


def test_texts_are_those_of_models() -> None:
    evidence = {
        "ratio": float("inf"),
        "first": {"gaps": (1.5, float("nan")), 3: True},
        KEY: {"needed": [SOFA]},
        "é": -0.0,
    }
    item = Item(id="i", question="?", kind="number", answer="1", task="t", evidence=evidence)
    assert text_with_things(evidence) == json.dumps(item.model_dump(mode="json")["evidence"])
    assert '"ratio": null' in evidence_text(evidence)


@pytest.mark.usefixtures("only_small_files")
def test_without_room_the_file_is_named(tmp_path: Path) -> None:
    said = r"draft_file: can't be written \(File too large\); make room or name another folder in TMPDIR"
    for length, count in ((100_000, 1), (9_990, 6), (49_999, 1)):  # at once, from the buffer, as the file is closed
        own = draft(note="x" * length)
        with pytest.raises(OutputError, match=said), DraftFile(tmp_path / "draft_file") as draft_file:
            [draft_file.add(own, ()) for _ in range(count)]


ENTRIES = [
    DraftEntry("far", "left", True, False, 2, 0, (("left", 0.5), ("", None)), kind="fronted"),
    DraftEntry("size", "120", False, True, 4, 700),
    DraftEntry("near", "lamp", False, False, 4, 2**40),
]


def test_what_is_put_in_comes_out() -> None:
    made = Entries()
    for entry in ENTRIES:
        made.append(entry)
    assert list(made) == ENTRIES
    assert list(made[1:]) == ENTRIES[1:]
    part = EntryPart(made, [2, 0])
    assert list(part) == [ENTRIES[2], ENTRIES[0]]
    assert list(part[1:]) == [ENTRIES[0]]
    assert [made.stratum(i) for i in range(3)] == ["far:fronted", "size", None]
    assert [made.is_number(i) for i in range(3)] == [False, True, False]
    assert [made.answer(i) for i in range(3)] == ["left", "120", "lamp"]
