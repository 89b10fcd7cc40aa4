"""Blind answers: what is planted is found, frequent texts and hints are learned from other scenes alone."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from guessing.planted import choices, numbers
from kinds.yes_no import write_kind
from tolman import benchmarks
from tolman.guessing.blind import CONSTANT, answers_from_matrix, encoded, guess, most_frequent_text, ranked, vocabulary
from tolman.guessing.folds import assign
from tolman.guessing.learners import LEARNERS, LINEAR, QUICK
from tolman.items import Item
from tolman.kinds import ItemKind
from tolman.plugins import load_plugin
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.metrics import Metric
from tolman.scoring.rule_sets import careful

RULES = careful()


def shares(items: list[Item], **options: int) -> dict[str, float]:
    found = guess(items, assign(items, 3, 0), RULES, workers=1, **options)
    return {name: float(frame["score"].mean()) for name, frame in found.scores(RULES).items()}


@pytest.mark.full
def test_what_is_planted_is_found() -> None:
    found = shares(choices(200, planted=1.0))
    assert min(found[name] for name in LEARNERS) > 0.97
    assert found[CONSTANT] < 0.4
    found = shares(numbers(160))
    assert min(found[name] for name in LEARNERS) > 0.85
    assert found[CONSTANT] < 0.6


def test_without_a_plant_there_is_only_chance() -> None:
    found = shares(choices(300, planted=0.0))
    error = (0.25 * 0.75 / 300) ** 0.5
    assert all(abs(share - 0.25) < 4 * error for share in found.values())


@pytest.mark.full
def test_real_questions_with_permuted_answers_give_chance(shared_data: Path) -> None:
    items = benchmarks.get("vsi-bench").load(shared_data / "vsi-bench", "full")
    items = [item for item in items if item.task == "object_rel_distance"][:400]
    real = shares(items)
    letters = np.random.default_rng(1).permutation([item.answer for item in items])
    permuted = [item.model_copy(update={"answer": str(a)}) for item, a in zip(items, letters, strict=True)]
    found = shares(permuted)
    error = (0.25 * 0.75 / len(items)) ** 0.5
    assert all(abs(found[name] - 0.25) < 3 * error for name in LEARNERS)
    assert min(real[name] for name in LEARNERS) > 0.25 + 3 * error


@pytest.mark.full
def test_real_numbers_with_permuted_answers_give_the_constants_score(shared_data: Path) -> None:
    items = benchmarks.get("vsi-bench").load(shared_data / "vsi-bench", "full")
    items = [item for item in items if item.task == "object_size_estimation"][:200]
    answers = np.random.default_rng(1).permutation([item.answer for item in items])
    permuted = [item.model_copy(update={"answer": str(a)}) for item, a in zip(items, answers, strict=True)]
    found, real = shares(permuted), shares(items)
    assert all(found[name] < found[CONSTANT] + 0.03 for name in LEARNERS)
    assert min(real[name] for name in LEARNERS) > real[CONSTANT] + 0.2


@pytest.mark.full
def test_the_result_does_not_depend_on_how_many_work_on_it() -> None:
    items = choices(60, planted=0.5) + numbers(30)
    fold = assign(items, 3, 0)
    one, two = (guess(items, fold, RULES, learners=QUICK, workers=workers) for workers in (1, 2))
    assert one.answers == two.answers
    assert np.array_equal(one.guessability, two.guessability)


def test_mixed_numbers_of_options_and_few_items_are_answered() -> None:
    items = [
        Item(id=str(i), question="Which?", kind="choice", answer="A", options=("x", "y", "z")[: 2 + i % 2], task="t")
        for i in range(7)
    ]
    items.append(Item(id="n", question="How many?", kind="number", answer="0", task="t"))
    items.append(Item(id="m", question="How many?", kind="number", answer="-3", task="u"))
    found = guess(items, assign(items, 3, 0), RULES, workers=1)
    assert all(len(texts) == 9 and all(texts) for texts in found.answers.values())
    assert all(0 <= value <= 1 for value in found.guessability)


def doors(count: int, planted: float, seed: int = 0) -> list[Item]:
    """Questions of a plugin's kind, answered yes or no; in this share of them red doors are open and others aren't."""
    generator = np.random.default_rng(seed)
    made = []
    for i in range(count):
        colour = str(generator.choice(["red", "green"]))
        told = generator.random() < planted
        answer = ("yes" if colour == "red" else "no") if told else str(generator.choice(["yes", "no"]))
        made.append(
            Item(id=f"d{i}", question=f"Is the {colour} door open?", kind="yes-no", answer=answer, task="open",
                 scene=f"s{i // 3}")
        )  # fmt: skip
    return made


@pytest.mark.full
def test_items_of_a_plugins_kind_are_guessed(tmp_path: Path) -> None:
    load_plugin(write_kind(tmp_path))
    found = shares(doors(120, planted=1.0))
    assert min(found[name] for name in LEARNERS) > 0.97
    assert 0.3 < found[CONSTANT] < 0.7
    found = shares(doors(300, planted=0.0))
    error = (0.25 / 300) ** 0.5
    assert all(abs(found[name] - 0.5) < 4 * error for name in LEARNERS)
    few = doors(3, planted=0.0)
    alone = [few[0].model_copy(update={"task": str(i), "id": str(i)}) for i in range(3)]
    nothing_known = guess(alone, np.arange(3), RULES, workers=1)
    assert all(texts == ["yes"] * 3 for texts in nothing_known.answers.values())  # what the kind says without any


@pytest.mark.full
def test_guesses_of_places_are_points_and_no_regions() -> None:
    items = [
        Item(id=f"p{i}", question="Where is the cup?", kind="points", task="where", scene=f"s{i}",
             answer=f'{{"size": [640, 480], "box": [{side}, 0, {side + 320 + i}, 480]}}')
        for i, side in enumerate([0] * 9 + [300] * 3)
    ]  # fmt: skip
    found = guess(items, np.arange(12) % 3, RULES, workers=1)
    assert all("box" not in text for texts in found.answers.values() for text in texts)
    rows = found.scores(RULES)[CONSTANT]
    assert rows["score"].to_list() == [1.0] * 9 + [0.0] * 3


def test_answers_without_an_order_may_be_many(monkeypatch: pytest.MonkeyPatch) -> None:
    from tolman import items as registry

    def read(item: Item, text: str) -> ParsedAnswer:
        return ParsedAnswer(text) if text else nothing("nothing")

    right = Metric(
        name="same-name", title="Same name", per_item=lambda item, reading: float(reading.value == item.answer),
        kinds=("name",),
    )  # fmt: skip
    monkeypatch.setitem(registry.known_kinds, "name", ItemKind(name="name", title="name", read=read, metric=right))
    generator = np.random.default_rng(0)
    made = []
    for i in range(260):
        common = generator.random() < 0.3
        made.append(
            Item(id=str(i), question=f"What is the {'big' if common else 'small'} thing?", kind="name",
                 answer="the sofa" if common else f"thing {i}", task="name", scene=f"s{i // 2}")
        )  # fmt: skip
    found = guess(made, assign(made, 3, 0), RULES, workers=1)
    for name in LEARNERS:
        told = [text for text, item in zip(found.answers[name], made, strict=True) if item.answer == "the sofa"]
        assert set(told) == {"the sofa"}
    assert found.guessability.max() == 1.0
    assert all(text.strip() for texts in found.answers.values() for text in texts)


def test_texts_count_where_they_are_right_in_another_scene(choice: Callable[..., Item]) -> None:
    items = [
        choice("chair", "table", "lamp", "sofa", answer="A", id="1", scene="s1"),
        choice("table", "chair", "lamp", "sofa", answer="B", id="2", scene="s2"),
        *(choice("lamp", "bed", "oven", "desk", answer="A", id=f"3{i}", scene="s3") for i in range(5)),
        choice("lamp", "sofa", "oven", "chair", answer="C", id="4", scene="s4"),
        choice("lamp", "sofa", "oven", "desk", answer="D", id="5", scene="s5"),
        choice("cup", "book", "rug", "vase", answer="B", id="6", scene="s6"),
    ]
    choose = most_frequent_text(items)
    assert [choose(item) for item in items] == ["C", "C", *"DDDDD", "A", "A", "A"]


@given(st.lists(st.sampled_from("abc"), min_size=1))
def test_ranking_is_by_frequency_then_alphabet(answers: list[str]) -> None:
    found = ranked(answers)
    assert sorted(found) == sorted(set(answers))
    keys = [(-answers.count(answer), answer) for answer in found]
    assert keys == sorted(keys)


def test_answers_that_are_no_letters_are_given_as_they_are(
    choice: Callable[..., Item], number: Callable[..., Item]
) -> None:
    numbers = [
        number(answer, id=f"n{answer}{i}", task="t") for answer, count in (("3", 2), ("2", 1)) for i in range(count)
    ]
    choose = most_frequent_text([*numbers, *(choice(id=f"c{i}", task="t") for i in range(4))])
    assert {choose(item) for item in numbers} == {"3"}  # and no letter or text of the choices beside them


def test_numbers_take_a_column_and_names_one_for_each() -> None:
    found = encoded([("b", 0.5, None), ("a", 2.0, 3), ("b", None)])
    assert found.tolist() == [[0, 1, 0.5, -1000], [1, 0, 2, 3], [0, 1, -1000, -1000]]
    assert encoded([(), ()]).shape == (2, 1)


@pytest.mark.parametrize("learner", QUICK)
def test_a_hint_that_tells_the_answer_is_found_and_noise_is_not(learner: str) -> None:
    generator = np.random.default_rng(0)
    answers = [str(a) for a in generator.choice(["left", "right", "ahead"], 300)]
    fold = np.arange(300) // 3 % 5
    noise = [(float(x), str(n)) for x, n in zip(generator.random(300), generator.choice(list("xyz"), 300), strict=True)]
    angle = {"left": 90.0, "right": -90.0, "ahead": 0.0}
    told = [(*row, angle[a] + float(generator.normal(0, 10))) for row, a in zip(noise, answers, strict=True)]
    found = {
        name: np.mean(np.array(answers_from_matrix(answers, encoded(hints), fold, learner, 0)) == answers)
        for name, hints in (("noise", noise), ("told", told))
    }
    assert found["told"] > 0.95
    assert found["noise"] < 0.45


def test_words_that_tell_the_answer_are_found() -> None:
    generator = np.random.default_rng(0)
    answers = [str(a) for a in generator.choice(["left", "right"], 200)]
    names = {"left": "lamp", "right": "desk"}
    texts = [f"Where is the {names[a]} of room {i}?" for i, a in enumerate(answers)]
    told = vocabulary(texts)
    assert set(told.ravel().tolist()) == {0, 1}
    assert np.mean(np.array(answers_from_matrix(answers, told, np.arange(200) % 5, LINEAR, 0)) == answers) == 1
    assert vocabulary(["one text"] * 3).tolist() == [[0], [0], [0]]
