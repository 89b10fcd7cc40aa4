"""Protocols that change how an item or its message is presented."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialogues import PICTURE, Talk, Turn
from tolman import benchmarks, protocols
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols.presentation import IMAGES, VIDEO, rotations, shuffle
from tolman.responses import Outcome, Response
from tolman.scoring.score_items import score

VSI = benchmarks.get("vsi-bench")
MMSI = benchmarks.get("mmsi-bench")


def test_direct_and_blind_send_the_released_prompts(talk: Talk, direction: Item) -> None:
    talk.run([direction], "direct", "C")
    text = VSI.prompt(direction, VSI.presets[0]).text
    assert talk.sent == [[("user", [PICTURE, text])]]
    outcome = talk.run([direction], "blind", "C")
    assert talk.sent == [[("user", [text.removeprefix("These are frames of a video.\n")])]]
    assert outcome.turns == ()


def test_question_first_puts_the_text_before_the_media(talk: Talk, direction: Item) -> None:
    talk.run([direction], "question-first", "C")
    assert talk.sent == [[("user", [VSI.prompt(direction, VSI.presets[0]).text, PICTURE])]]


def test_question_first_joins_with_chain_of_thought(talk: Talk, direction: Item) -> None:
    talk.run([direction], "question-first+cot", "C")
    first = talk.sent[0][0]
    assert first[1][1] == PICTURE
    assert first[1][0].endswith("Let's think step by step.")
    assert talk.sent[1][0] == first
    assert [role for role, _ in talk.sent[1]] == ["user", "assistant", "user"]


def test_question_first_leaves_media_that_stand_inside_the_text(talk: Talk, choice: Callable[..., Item]) -> None:
    media = [{"kind": "image", "path": "a.jpg"}, {"kind": "image", "path": "b.jpg"}]
    inside = choice("x", "y", id="in", media=media).model_copy(update={"question": "Is <image> left of <image>?"})
    before = choice("x", "y", id="out", media=media)
    talk.run([inside, before], "question-first", "A", benchmark="site")
    shapes = sorted([part == PICTURE for part in turns[0][1]] for turns in talk.sent)
    assert shapes == [[False, True, False, True, False], [False, True, True]]


def test_question_first_is_refused_where_it_changes_nothing(talk: Talk, direction: Item) -> None:
    with pytest.raises(UsageError, match="SpatialBench's prompt shows no media before its text already"):
        talk.run([direction], "question-first", "C", benchmark="spatialbench")


def test_repeated_media_are_shown_twice_and_the_model_is_told(talk: Talk, direction: Item) -> None:
    talk.run([direction], "repeated-media", "C")
    text = VSI.prompt(direction, VSI.presets[0]).text
    assert talk.sent == [[("system", [IMAGES]), ("user", [PICTURE, text, PICTURE])]]
    assert (
        len({part["image_url"]["url"] for part in talk.bodies[0]["messages"][1]["content"] if "image_url" in part}) == 1
    )


def test_a_repeated_video_joins_with_chain_of_thought(talk: Talk, direction: Item) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(talk.place / "v.mp4", 40)
    item = Item.model_validate({**direction.model_dump(), "media": [{"kind": "video", "path": "v.mp4"}]})
    talk.run([item], "cot+repeated-media", "C")
    system, first = talk.sent[0]
    assert system == ("system", [VIDEO])
    assert [part == PICTURE for part in first[1]] == [True] * 32 + [False] + [True] * 32
    assert [role for role, _ in talk.sent[1]] == ["system", "user", "assistant", "user"]
    assert len(talk.sent[1][3][1]) == 1  # what has no media stays as it is


def test_nothing_to_repeat_is_refused(talk: Talk, choice: Callable[..., Item]) -> None:
    with pytest.raises(UsageError, match="nothing to repeat"):
        talk.run([choice()], "repeated-media", "A")


def test_the_explanation_is_kept_and_the_answer_before_it_is_scored(talk: Talk, direction: Item) -> None:
    def reply(turns: list[Turn]) -> str:
        return "C" if len(turns) == 1 else "I turned around."

    outcome = talk.run([direction], "self-explanation", reply)
    asked = ("user", [PICTURE, VSI.prompt(direction, VSI.presets[0]).text])
    assert talk.sent == [[asked], [asked, ("assistant", ["C"]), ("user", ["Please explain your answer step by step."])]]
    assert [b["max_tokens"] for b in talk.bodies] == [16, 4096]
    assert outcome.response == "C"
    assert outcome.turn("explanation").response == "I turned around."
    assert outcome.usage.output_tokens == 1 + len("I turned around.")


def test_a_chain_of_thought_can_be_explained_in_its_dialogue(talk: Talk, direction: Item) -> None:
    outcome = talk.run([direction], "cot+self-explanation+blind", lambda turns: f"turn {len(turns)}")
    assert [len(turns) for turns in talk.sent] == [1, 3, 5]
    assert outcome.response == "turn 3"
    assert [t.purpose for t in outcome.turns] == ["reasoning", "extraction", "explanation"]


OPTIONS = st.lists(st.text(min_size=1, max_size=6), min_size=2, max_size=6, unique=True)


@given(OPTIONS, st.data())
def test_options_keep_their_answer_in_every_order(options: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(options) - 1))
    item = Item(id="1", question="?", kind="choice", answer="ABCDEF"[place], options=tuple(options), task="t")
    turned = item.reordered(data.draw(st.permutations(range(len(options)))))
    assert turned.answer_text == item.answer_text
    assert sorted(turned.options) == sorted(item.options)


def test_images_inside_options_move_with_them(choice: Callable[..., Item]) -> None:
    media = [{"kind": "image", "path": f"{i}.jpg"} for i in range(4)]
    item = choice("<image>", "none", "<image> or <image>", answer="C", media=media)
    item = item.model_copy(update={"question": "Like <image>?", "verbatim": "with options"})
    turned = item.reordered([2, 0, 1])
    assert turned.options == ("<image> or <image>", "<image>", "none")
    assert [m.path for m in turned.media] == ["0.jpg", "2.jpg", "3.jpg", "1.jpg"]
    assert turned.answer == "A"
    assert turned.verbatim is None
    with pytest.raises(ValueError, match="is no order of 3 options"):
        item.reordered([0, 1])


def test_a_shuffle_depends_on_the_seed_and_the_item_alone(choice: Callable[..., Item]) -> None:
    items = [choice(id=str(i), answer="B") for i in range(400)]
    once = [shuffle(VSI, item, 3) for item in items]
    assert once == [shuffle(VSI, item, 3) for item in reversed(items)][::-1]
    assert once != [shuffle(VSI, item, 4) for item in items]
    assert all(item.answer_text == "table" for item in once)
    assert all(70 < count < 130 for count in Counter(item.answer for item in once).values())


def test_a_shuffled_item_is_sent_and_scored_as_it_stands(talk: Talk, direction: Item) -> None:
    talk.run([direction], "shuffle", "X", seed=1)
    turned = shuffle(VSI, direction, 1)
    assert turned.options != direction.options
    assert talk.sent == [[("user", [PICTURE, VSI.prompt(turned, VSI.presets[0]).text])]]


def test_mmsis_released_text_is_written_anew(talk: Talk, direction: Item) -> None:
    item = direction.model_copy(
        update={
            "question": "Where?",
            "verbatim": "Where?\nOptions: A: front-left, B: back-right, C: back-left, D: front-right",
        }
    )
    talk.run([item], "circular", "A", benchmark="mmsi-bench")
    texts = [turns[0][1][1].splitlines()[1] for turns in talk.sent]
    assert sorted(texts) == [
        "Options: A: back-left, B: front-right, C: front-left, D: back-right",
        "Options: A: back-right, B: back-left, C: front-right, D: front-left",
        "Options: A: front-left, B: back-right, C: back-left, D: front-right",
        "Options: A: front-right, B: front-left, C: back-right, D: back-left",
    ]
    unread = item.model_copy(update={"labels": {"options_unread": "yes"}})
    assert rotations(MMSI, unread) == []
    assert shuffle(MMSI, unread, 0) == unread


def test_circular_is_right_only_if_all_rotations_are(choice: Callable[..., Item], number: Callable[..., Item]) -> None:
    items = [choice(id="a", answer="B"), choice("x", "y", "z", id="b", answer="C"), number("2", id="n")]
    asked = [turned for item in items for turned in rotations(VSI, item)]
    assert [item.id for item in asked] == ["a", "a@1", "a@2", "a@3", "b", "b@1", "b@2", "n"]
    assert {item.answer_text for item in asked if item.all_of == "a"} == {"table"}

    def scores(wrong: str) -> dict[str, float]:
        outcomes: list[Outcome] = [
            Response(id=item.id, response="nothing" if item.id == wrong else item.answer) for item in asked
        ]
        rows = score(asked, outcomes, [VSI.rule_set("careful")])
        return {row["id"]: row["score"] for row in rows.to_dicts() if row["status"] == "scored"}

    assert scores("none") == {"a": 1.0, "b": 1.0, "n": 1.0}
    assert scores("a@2") == {"a": 0.0, "b": 1.0, "n": 1.0}


def test_circular_turns_as_the_released_data_set_does(choice: Callable[..., Item]) -> None:
    item = choice("a", "b", "c", "d", answer="A")
    assert ["".join(turned.options) for turned in rotations(VSI, item)] == ["abcd", "bcda", "cdab", "dabc"]


def test_numbers_alone_have_no_options_to_turn(talk: Talk, number: Callable[..., Item]) -> None:
    for name in ("circular", "shuffle"):
        with pytest.raises(UsageError, match="none of these questions has options"):
            talk.run([number()], name, "2")


def test_a_group_that_is_turned_stays_one_group(choice: Callable[..., Item]) -> None:
    item = choice(id="5").model_copy(update={"all_of": "group"})
    assert {turned.all_of for turned in rotations(VSI, item)} == {"group"}


def test_ids_that_would_stand_twice_are_refused(choice: Callable[..., Item]) -> None:
    items = [choice(id="a"), choice(id="a@1")]
    with pytest.raises(UsageError, match="two questions would be called 'a@1'"):
        protocols.get("circular").present(VSI, items)


def test_shuffled_questions_of_real_data_keep_their_answers(shared_data: Path) -> None:
    for item in VSI.load(shared_data / "vsi-bench", "tiny"):
        assert shuffle(VSI, item, 0).answer_text == item.answer_text


def test_a_released_system_text_stands_first_and_asks_for_no_form_where_the_model_thinks(
    talk: Talk, choice: Callable[..., Item]
) -> None:
    item = choice("x", "y", id="q", media=[{"kind": "image", "path": "a.jpg"}])
    benchmark = benchmarks.get("omnispatial")
    preset = benchmark.presets[0]
    whole, alone, blind = (benchmark.system(item, preset, *how) for how in ((True, True), (True, False), (False, True)))
    assert whole.startswith(alone)
    assert whole != alone
    asked = benchmark.prompt(item, preset).text
    talk.run([item], "direct", "Answer: A", benchmark=benchmark)
    assert talk.sent == [[("system", [whole]), ("user", [asked, PICTURE])]]
    talk.run([item], "blind", "Answer: A", benchmark=benchmark)
    assert talk.sent == [[("system", [blind]), ("user", [asked])]]
    talk.run([item], "repeated-media", "Answer: A", benchmark=benchmark)
    assert talk.sent == [[("system", [f"{whole}\n{IMAGES}"]), ("user", [PICTURE, asked, PICTURE])]]
    talk.run([item], "cot", "Answer: A", benchmark=benchmark)
    first, second = talk.sent
    assert first[0] == second[0] == ("system", [alone])
    assert second[-1][1][0].endswith("where X ∈ {A, B, C, D}.")
