"""Open-ended questions in their multiple-choice form: never a second right option, letters even."""

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.curate.candidates import Candidate
from tolman.curate.convert import Bank, ConvertRules, Unconverted, convert, movable, numbers_apart, too_close
from tolman.curate.stages import read_letters
from tolman.generate.distractors import Dealer

ANSWERS = st.one_of(
    st.integers(-500, 5000).map(str),
    st.decimals(Decimal("0.01"), Decimal(10_000), places=2).map(str),
    st.decimals(Decimal("0.1"), Decimal(100), places=1).map(str),
)
RULES = ConvertRules()
MARGINS = st.sampled_from(["0.05", "0.10", "0.20", "0.30"])


def candidate(answer: str, kind: str = "number", number: int = 0, **rest: Any) -> Candidate:
    return Candidate(id=f"s/{number}", source="s", question="How far?", kind=kind, answer=answer, task="t", **rest)


def bank_of(*answers: str, kind: str = "text") -> Bank:
    bank = Bank()
    for i, answer in enumerate(answers):
        bank.add(candidate(answer, kind, i))
    return bank


def made(one: Candidate, rules: ConvertRules = RULES, bank: Bank | None = None) -> Candidate:
    """The converted question."""
    found = convert(one, rules, bank or Bank(), Dealer("0"), "0")
    assert isinstance(found, Candidate)
    return found


def kept_open(one: Candidate, rules: ConvertRules = RULES, bank: Bank | None = None) -> str:
    """Why a question can't be converted."""
    found = convert(one, rules, bank or Bank(), Dealer("0"), "0")
    assert isinstance(found, Unconverted)
    return found.reason


@given(ANSWERS, MARGINS, st.sampled_from(["count", "m", None]), st.integers(2, 6), st.booleans(), st.integers(0, 99))
def test_a_converted_number_never_has_a_second_right_option(
    answer: str, margin: str, unit: Any, count: int, own: bool, seed: int
) -> None:
    rules = ConvertRules(margin=margin, options=count, numbers="answers" if own else "bounds")
    bank = bank_of("1", "2", "3.5", "40", "400", "0.5", "17", kind="number")
    found = convert(candidate(answer, unit=unit), rules, bank, Dealer("0"), str(seed))
    if isinstance(found, Unconverted):
        return
    assert found.kind == "choice"
    assert len(found.options) == count
    assert Decimal(found.answer_text) == Decimal(answer)
    values = [Decimal(option) for option in found.options]
    least = abs(Decimal(answer)) * Decimal(margin)
    assert all(a != b and abs(a - b) >= least for i, a in enumerate(values) for b in values[:i])
    assert found.evidence["converted"]["margin"] == margin
    found.item()


@given(st.integers(0, 3000), st.sampled_from(["count", None]))
def test_every_count_can_be_converted(answer: int, unit: Any) -> None:
    found = made(candidate(str(answer), unit=unit))
    assert all(int(option) >= min(1, answer) for option in found.options)


@given(st.lists(st.sampled_from([3, 4, 4, 4, 5]), min_size=1, max_size=400), st.integers(0, 9))
def test_letters_are_even_at_every_moment(counts: list[int], seed: int) -> None:
    dealer = Dealer(str(seed))
    given_out: dict[int, Counter[int]] = {}
    for count in counts:
        given_out.setdefault(count, Counter(dict.fromkeys(range(count), 0)))[dealer.place(count)] += 1
        tally = given_out[count].values()
        assert max(tally) - min(tally) <= 1


def test_letters_of_many_converted_questions_are_even_within_one_per_cent() -> None:
    dealer, letters = Dealer("0"), Counter[str]()
    for i in range(1000):
        found = convert(candidate(str(i + 5), number=i), ConvertRules(), Bank(), dealer, "0")
        assert isinstance(found, Candidate)
        letters[found.answer] += 1
    assert all(abs(n / 1000 - 0.25) <= 0.01 for n in letters.values())


def test_the_right_number_is_as_often_the_smallest_as_the_largest() -> None:
    ranks = Counter[int]()
    for i in range(800):
        found = made(candidate("240", number=i, unit="cm"))
        ranks[sorted(map(Decimal, found.options)).index(Decimal(240))] += 1
    assert all(150 < ranks[rank] < 250 for rank in range(4))


@pytest.mark.parametrize(
    ("answer", "options"),
    [("yes", {"yes", "no"}), ("No", {"Yes", "No"}), ("True", {"True", "False"}), ("no.", {"no.", "yes"})],
)
def test_closed_answers(answer: str, options: set[str]) -> None:
    assert set(made(candidate(answer, "text")).options) == options


def test_a_number_inside_a_text_keeps_its_words() -> None:
    found = made(candidate("about 3 meters", "text"))
    assert all(option.startswith("about ") and option.endswith(" meters") for option in found.options)
    assert found.evidence["converted"]["by"] == "bounds"


@pytest.mark.parametrize(
    ("answer", "kind", "right"), [("٣", "number", "3"), ("about ３ metres", "text", "about 3 metres")]
)
def test_options_are_in_the_digits_of_one_script(answer: str, kind: str, right: str) -> None:
    found = made(candidate(answer, kind))
    assert found.answer_text == right
    assert all(option.isascii() for option in found.options)


@pytest.mark.parametrize(
    ("first", "second"),
    [("the brown shelf", "a shelf"), ("Chairs", "chair"), ("two dogs", "2 dogs"), ("left of the tv", "to the left of tv")],
)  # fmt: skip
def test_the_same_in_other_words_is_too_close(first: str, second: str) -> None:
    assert too_close(first, second, 0.6)
    assert too_close(second, first, 0.6)


def test_distractors_of_texts_are_other_answers_that_say_something_else() -> None:
    bank = bank_of("on the shelf", "the shelf", "under the bed", "in the hall", "at the window", "on the brown shelf")
    found = made(candidate("on the shelf", "text", 77), bank=bank)
    assert set(found.options) == {"on the shelf", "under the bed", "in the hall", "at the window"}
    assert "only 1 distractors" in kept_open(candidate("here", "text"), bank=bank_of("there"))
    sofa = candidate("sofa", "text", 5, also=("couch",))
    assert set(made(sofa, ConvertRules(options=2), bank_of("couch", "lamp")).options) == {"sofa", "lamp"}


@given(st.lists(st.text("abcdef ", min_size=1, max_size=20), min_size=1, max_size=30), st.integers(0, 99))
def test_no_converted_text_has_a_second_right_option(answers: list[str], seed: int) -> None:
    answers = [answer for answer in answers if answer.strip()] or ["x"]
    rules = ConvertRules()
    found = convert(candidate(answers[0], "text", 1000), rules, bank_of(*answers), Dealer("0"), str(seed))
    if isinstance(found, Candidate):
        assert len(set(found.options)) == 4
        right = found.answer_text
        assert right == answers[0]
        others = [option for option in found.options if option != right]
        assert not any(too_close(right, other, rules.alike) for other in others)


def test_rules_that_keep_or_drop() -> None:
    number, text = candidate("3"), candidate("on the shelf", "text")
    assert made(number, ConvertRules(numbers="keep")) is number
    assert kept_open(text, ConvertRules(texts="drop"))
    assert kept_open(candidate("word " * 60, "text"), bank=bank_of("a", "b", "c"))
    assert kept_open(candidate("9" * 40))
    assert kept_open(candidate("0.1"))


def test_numbers_apart() -> None:
    assert numbers_apart(["10", "12", "8"], "0.20")
    assert not numbers_apart(["10", "11.9", "8"], "0.20")
    assert not numbers_apart(["10", "10.0"], "0.00")


@pytest.mark.parametrize(
    ("options", "moves"),
    [
        (("left", "right"), True), (("left", "right", "all of the above"), False), (("A", "B", "C"), False),
        (("left", "right", "Both A and B"), False), (("none of these", "x"), False), (("a lamp above the door", "x"), True),
    ],
)  # fmt: skip
def test_options_that_speak_of_each_other_stay_where_they_are(options: tuple[str, ...], moves: bool) -> None:
    assert movable(candidate("A", "choice", options=options)) is moves


def test_a_models_list_of_second_right_answers() -> None:
    one = candidate("A", "choice", options=("w", "x", "y", "z"))
    assert read_letters("None.", one) == []
    assert read_letters("B, (D)", one) == ["B", "D"]
    for text in ("", "A", "E", "B or D", "I think B", "none of them"):
        assert read_letters(text, one) is None
