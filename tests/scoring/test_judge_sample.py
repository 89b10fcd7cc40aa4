"""The sample that a judge is asked about, and how far it agrees with the reader."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.judge_sample import SampleSize, agreement, draw, is_read, wilson
from tolman.scoring.judged import JudgedSample, Judgement, Judgements, digest, same_answer
from tolman.scoring.rule_sets import careful

Make = Callable[..., Item]
KEYS = [(str(i), digest(f"text {i}")) for i in range(200)]


@pytest.mark.parametrize(
    ("text", "population", "count"),
    [
        ("50", 1000, 50), ("50", 20, 20), ("0", 20, 0), ("5%", 1000, 50), ("5 %", 1000, 50), ("0.05", 1000, 50),
        ("100%", 7, 7), ("1", 7, 1), ("1.0", 7, 7), ("1%", 7, 1), ("0%", 7, 0), ("5%", 0, 0),
    ],
)  # fmt: skip
def test_a_size_is_a_number_or_a_share(text: str, population: int, count: int) -> None:
    assert SampleSize.parse(text).of(population) == count
    assert SampleSize.parse(str(SampleSize.parse(text))).of(population) == count


@pytest.mark.parametrize("text", ["", "-1", "many", "101%", "1.5", "nan", "inf", "5%%", "²"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        SampleSize.parse(text)


@given(st.permutations(KEYS[:40]), st.integers(0, 40))
def test_a_sample_depends_on_its_seed_and_not_on_the_order(keys: list[tuple[str, str]], size: int) -> None:
    assert draw(keys, size, 3) == draw(KEYS[:40], size, 3)
    assert len(draw(keys, size, 3)) == size
    assert draw(keys, size, 3) <= draw(keys, 40, 3)


def test_a_sample_stays_when_other_responses_come() -> None:
    small, large = draw(KEYS[:100], 50, 0), draw(KEYS, 50, 0)
    assert large & set(KEYS[:100]) <= small


def test_every_response_is_as_likely() -> None:
    counts = Counter(key for seed in range(2000) for key in draw(KEYS[:10], 3, seed))
    assert all(abs(count - 600) < 4 * (2000 * 0.3 * 0.7) ** 0.5 for count in counts.values())
    assert len(counts) == 10


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("A", "A", True), ("A", "B", False), ("A", None, False),
        (Fraction(100), Fraction(99), True), (Fraction(99), Fraction(100), True), (Fraction(100), Fraction(9899, 100), False),
        (Fraction(0), Fraction(0), True), (Fraction(0), Fraction(1, 1000), False), (Fraction(-1), Fraction(1), False),
        (2.5, Fraction(5, 2), True), (float("nan"), Fraction(1), False), (float("inf"), float("inf"), False), (2.0, None, False),
    ],
)  # fmt: skip
def test_letters_are_equal_and_numbers_within_one_percent(
    one: str | float | Fraction | None, other: str | float | Fraction | None, same: bool
) -> None:
    assert same_answer(ParsedAnswer(one), ParsedAnswer(other)) is same
    assert same_answer(ParsedAnswer(other), ParsedAnswer(one)) is same


def test_a_draw_at_random_was_not_read() -> None:
    assert [is_read(r) for r in (ParsedAnswer("A"), ParsedAnswer("A", guessed=True), nothing("x"))] == [
        True,
        False,
        False,
    ]


# By scipy.stats.binomtest(…).proportion_ci(method="wilson").
@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(48, 50, 0.8653991, 0.9889611), (50, 50, 0.9286524, 1.0), (0, 10, 0.0, 0.2775328), (1, 1, 0.2065493, 1.0)],
)
def test_wilsons_interval(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson(successes, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-6)


def sample(replies: dict[tuple[str, str], str | None]) -> JudgedSample:
    """Judgements from (item's id, text) → reply."""
    judgements = [
        Judgement(id=identity, response=digest(text), reply=reply, failure=None if reply is not None else "gone")
        for (identity, text), reply in replies.items()
    ]
    return JudgedSample(reader="careful", seed=0, size="50", readable=99, judgements=tuple(judgements))


def test_agreement_counts_answers_and_leaves_failures_out(choice: Make, number: Make) -> None:
    items = {
        item.id: item
        for item in [*(choice(id=i) for i in "abcdef"), number("2", "m", id="n"), number("2", "m", id="o")]
    }
    replies: dict[tuple[str, str], str | None] = {
        ("a", "A"): "A",
        ("b", "(B)"): "C",  # another letter
        ("c", "C"): "Z",  # no answer
        ("d", "D"): None,  # the call failed
        ("e", "A"): "Well, it depends.",  # nonsense
        ("f", "I can't say."): "A",  # the reader reads nothing (any more)
        ("n", "250 cm"): "2.49",
        ("o", "2.5 m"): "2.4",
        ("gone", "A"): "A",  # no item of the run
    }
    found = agreement(sample(replies), careful(), items, [*replies, ("a", "another text")])
    assert (found.n, found.agreed, found.no_answer, found.failed, found.dropped) == (5, 2, 1, 2, 2)
    assert found.disagree == ("b", "c", "o")
    assert found.share == 40
    assert found.interval == wilson(2, 5).times(100)


def test_responses_to_one_item_are_one_draw(choice: Make) -> None:
    items = {item.id: item for item in (choice(id=i) for i in "abcdefgh")}
    replies: dict[tuple[str, str], str | None] = {
        (name, text): "B" if name == "a" else "A" for name in items for text in ("A", "(A)", "A.", "Answer: A")
    }
    found = agreement(sample(replies), careful(), items, list(replies))
    assert (found.n, found.agreed, found.items) == (32, 28, 8)
    assert found.interval == wilson(7, 8).times(100)


def test_a_response_that_changed_is_dropped(choice: Make) -> None:
    found = agreement(sample({("1", "A"): "A"}), careful(), {"1": choice()}, [("1", "B")])
    assert (found.n, found.dropped, found.share, found.interval) == (0, 1, None, None)


def test_old_judgements_have_no_sample_and_samples_do_not_score() -> None:
    old = (
        '{"judge": "m", "settings": {}, "source": "s", "tolman": "0.1.0", "judgements": [{"id": "1", "response": "x"}]}'
    )
    read = Judgements.model_validate_json(old)
    assert read.sample is None
    with_sample = read.model_copy(update={"sample": sample({("2", "A"): "B"})})
    assert with_sample.by_response().keys() == {("1", "x")}
    assert Judgements.model_validate_json(with_sample.model_dump_json()) == with_sample
