"""Chain of thought, self-consistency and tree of thoughts: what is sent, turn by turn."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from dialogues import PICTURE, Talk, Turn
from tolman import benchmarks
from tolman.errors import UsageError
from tolman.items import Item
from tolman.protocols import reasoning_strategies
from tolman.responses import Response

OPEN = """\
These are frames of a video.
If I am standing by the stove and facing the sofa, is the tv to my front-left, front-right, back-left, or back-right?
The directions refer to the quadrants of a Cartesian plane (if I am standing at the origin and facing along the positive y-axis).
Options:
A. front-left
B. back-right
C. back-left
D. front-right"""
POST = "Answer with the option's letter from the given choices directly."


def test_cot_thinks_and_then_extracts(talk: Talk, direction: Item) -> None:
    outcome = talk.run([direction], "cot", lambda turns: "C" if len(turns) > 1 else "The tv is behind me, so left.")
    first = ("user", [PICTURE, f"{OPEN}\nLet's think step by step."])
    assert talk.sent == [
        [first],
        [
            first,
            ("assistant", ["The tv is behind me, so left."]),
            ("user", [f"Now state your final answer to the question.\n{POST}"]),
        ],
    ]
    assert [(b["temperature"], b["top_p"], b["max_tokens"]) for b in talk.bodies] == [(0.0, 1.0, 4096), (0.0, 1.0, 16)]
    assert outcome.response == "C"
    assert [(t.purpose, t.response) for t in outcome.turns] == [
        ("reasoning", "The tv is behind me, so left."),
        ("extraction", "C"),
    ]
    assert outcome.turns[0].prompt == first[1][1]
    assert outcome.usage.output_tokens == len("The tv is behind me, so left.") + 1
    assert outcome.usage.input_tokens == sum(turn.usage.input_tokens for turn in outcome.turns) > 0


def test_the_limit_of_tokens_of_a_thought_is_the_users_to_set(talk: Talk, direction: Item) -> None:
    talk.run([direction], "cot", "C", reasoning_tokens=99, sampling={"temperature": 0.5})
    assert [(b["temperature"], b["max_tokens"]) for b in talk.bodies] == [(0.5, 99), (0.5, 16)]


def test_mmsi_asks_for_steps_and_letter_at_once(talk: Talk, direction: Item) -> None:
    item = direction.model_copy(update={"verbatim": "Where?\nOptions: A: x, B: y, C: z, D: w"})
    outcome = talk.run([item], "cot", "Behind. ``C``", benchmark="mmsi-bench")
    post = "Let's think step by step and then answer with the option's letter from the given choices. Enclose the option's letter within ``."
    assert talk.sent == [[("user", [PICTURE, f"Where?\nOptions: A: x, B: y, C: z, D: w\n{post}"])]]
    assert outcome.response == "Behind. ``C``"
    assert outcome.turns == ()  # one call, which is the response
    assert "max_tokens" not in talk.bodies[0]  # the preset sets none


@pytest.mark.parametrize("name", ["spatialbench", "site"])
def test_other_benchmarks_think_without_the_sentence_that_forbids_it(talk: Talk, direction: Item, name: str) -> None:
    item = direction.model_copy(update={"labels": {"media": "video"}})
    talk.run([item], "cot", "C", benchmark=name)
    first = "\n".join(text for text in talk.sent[0][0][1] if text != PICTURE)
    assert first.endswith("front-right\nLet's think step by step.")
    assert "ONLY" not in first
    assert "only the letter" not in first
    demand = benchmarks.get(name).demand(item, benchmarks.get(name).presets[0])
    assert talk.sent[1][-1] == ("user", [f"{reasoning_strategies.EXTRACT}\n{demand}"])


def test_cot_can_be_blind(talk: Talk, direction: Item) -> None:
    talk.run([direction], "cot+blind", "C")
    assert talk.sent[0] == [
        ("user", [OPEN.removeprefix("These are frames of a video.\n") + "\nLet's think step by step."])
    ]


def counted(answers: list[str]) -> Callable[[list[Turn]], str]:
    """Chains that differ, and to each its answer."""
    given: Counter[str] = Counter()

    def reply(turns: list[Turn]) -> str:
        if len(turns) == 1:
            given["thoughts"] += 1
            return f"Thought {given['thoughts']}."
        return answers[int(turns[1][1][0].split()[1].rstrip(".")) - 1]

    return reply


def test_self_consistency_takes_the_majority_of_five(talk: Talk, direction: Item) -> None:
    outcome = talk.run([direction], "self-consistency", counted(["(C)", "A", "C. back-left", "A.", "The answer is C"]))
    assert outcome.response == "C"
    assert outcome.notes == {}
    assert len(talk.bodies) == 10
    thoughts, extractions = talk.sent[:5], talk.sent[5:]
    assert all(t == [("user", [PICTURE, f"{OPEN}\nLet's think step by step."])] for t in thoughts)
    assert sorted(e[1][1][0] for e in extractions) == [f"Thought {i}." for i in range(1, 6)]
    assert all(e[2] == ("user", [f"{reasoning_strategies.EXTRACT}\n{POST}"]) for e in extractions)
    assert {(b["temperature"], b["top_p"], b["top_k"]) for b in talk.bodies} == {(0.7, 1.0, 40)}
    assert [b["max_tokens"] for b in talk.bodies] == [4096] * 5 + [16] * 5
    assert [(t.purpose, t.draw) for t in outcome.turns] == [
        *(("reasoning", i) for i in range(5)),
        *(("extraction", i) for i in range(5)),
    ]
    stored = outcome.usage.output_tokens
    again = talk.run([direction], "self-consistency", "never asked")
    assert talk.bodies == []  # each draw has a key of its own
    assert again.response == "C"
    assert again.usage.output_tokens == stored


def test_a_tie_is_broken_by_the_seed_and_counted(talk: Talk, direction: Item) -> None:
    answers = counted(["A", "C", "I can't tell.", "A", "C"])
    found = {seed: talk.run([direction], "self-consistency", answers, seed=seed) for seed in range(6)}
    assert {outcome.response for outcome in found.values()} == {"A", "C"}
    assert all(o.notes == {"tied vote": 1, "vote or draw without an answer": 1} for o in found.values())


def test_numbers_are_voted_for_by_their_value(talk: Talk, number: Callable[..., Item]) -> None:
    item = number("3", unit="m", task="object_abs_distance")
    outcome = talk.run([item], "self-consistency", counted(["2.50 m", "3", "2.5", "nothing", "4"]))
    assert outcome.response == "2.5"


def test_where_nothing_can_be_read_the_first_answer_stands_as_it_is(talk: Talk, direction: Item) -> None:
    outcome = talk.run([direction], "self-consistency", counted(["hm", "well", "so"]), draws=3)
    assert outcome.response == "hm"
    assert outcome.notes == {"vote or draw without an answer": 3}


def test_drawing_without_temperature_is_refused(talk: Talk, direction: Item) -> None:
    with pytest.raises(UsageError, match="which --temperature 0 doesn't give"):
        talk.run([direction], "self-consistency", "C", sampling={"temperature": 0})


PLANS = "Here are plans.\n\n**Plan 1:** Look at the stove.\n1. Stand.\n2. Turn.\nPlan 2: Draw a map.\nPlan 3: Guess."


def branches(votes: list[str], answers: list[str], judgements: list[str]) -> Callable[[list[Turn]], str]:
    left = {"votes": list(votes), "answers": list(answers), "judgements": list(judgements)}

    def reply(turns: list[Turn]) -> str:
        text = turns[-1][1][-1]
        for mark, kind in (
            (reasoning_strategies.VOTE, "votes"),
            (reasoning_strategies.FOLLOW, "answers"),
            (reasoning_strategies.JUDGE, "judgements"),
        ):
            if mark in text:
                place = re.search(r"Proposal (\d): C", text)  # draws are numbered as they were asked, not as they came
                return left[kind].pop(0).format(C=place and place[1])
        return PLANS

    return reply


def test_tree_of_thoughts_plans_votes_answers_and_votes(talk: Talk, direction: Item) -> None:
    reply = branches(
        ["Plan 2 is clear. The best plan is 2.", "The best plan is 1", "The best plan is **2**"],
        ["A", "C", "A"],
        ["The best answer is number {C}.", "The best answer is number {C}", "The best answer is 9"],
    )
    outcome = talk.run([direction], "tree-of-thoughts", reply)
    assert outcome.response == "C"
    assert outcome.notes == {"vote or draw without an answer": 1}
    listed = "Plan 1: Look at the stove.\n1. Stand.\n2. Turn.\n\nPlan 2: Draw a map.\n\nPlan 3: Guess."
    answers = [t.response for t in outcome.turns if t.purpose == "answer"]
    proposed = "\n\n".join(f"Proposal {i}: {text}" for i, text in enumerate(answers, start=1))
    expected = [
        f"{OPEN}\n{reasoning_strategies.PLAN}",
        *[f"{OPEN}\n{reasoning_strategies.VOTE}\n{listed}"] * 3,
        *[f"{OPEN}\n{reasoning_strategies.FOLLOW}\nDraw a map.\n{POST}"] * 3,
        *[f"{OPEN}\n{reasoning_strategies.JUDGE}\n{proposed}"] * 3,
    ]
    assert talk.sent == [[("user", [PICTURE, text])] for text in expected]  # each of them a new dialogue
    assert [(t.purpose, t.draw) for t in outcome.turns] == [
        ("plans", 0),
        *(("plan vote", i) for i in range(3)),
        *(("answer", i) for i in range(3)),
        *(("answer vote", i) for i in range(3)),
    ]
    assert {(b["temperature"], b["top_k"]) for b in talk.bodies} == {(0.7, 40)}


def test_votes_for_equal_answers_are_votes_for_one_answer(talk: Talk, direction: Item) -> None:
    votes = ["The best plan is 1"] * 3
    outcome = talk.run([direction], "tree-of-thoughts", branches(votes, ["A", "A", "A"], ["none of them"] * 3))
    assert outcome.response == "A"
    assert outcome.notes == {"vote or draw without an answer": 3}


def test_plans_that_cannot_be_told_apart_are_followed_as_they_are(talk: Talk, direction: Item) -> None:
    def reply(turns: list[Turn]) -> str:
        text = turns[-1][1][-1]
        return "I would just look." if reasoning_strategies.PLAN in text else "C"

    outcome = talk.run([direction], "tree-of-thoughts", reply)
    assert f"{reasoning_strategies.FOLLOW}\nI would just look.\n{POST}" in talk.sent[1][0][1][1]
    assert len(talk.bodies) == 7
    assert outcome.notes["plans not distinguished"] == 1


def test_repeats_have_draws_of_their_own(talk: Talk, direction: Item) -> None:
    talk.run([direction], "self-consistency", counted(["A"] * 99), draws=2, repeats=2)
    assert len(talk.bodies) == 8


def test_a_turn_that_fails_fails_the_item_and_keeps_the_others(talk: Talk, direction: Item) -> None:
    def broken(turns: list[Turn]) -> str:
        if len(turns) > 1:
            raise RuntimeError
        return "Thought 1."

    assert not isinstance(talk.run([direction], "cot", broken), Response)
    outcome: Any = talk.run([direction], "cot", "C")
    assert len(talk.bodies) == 1  # the thought is in the store
    assert outcome.turns[0].response == "Thought 1."
