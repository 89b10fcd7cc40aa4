"""What a judge is asked, how its reply is read, and what a judgement is worth."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response
from tolman.scoring.answer_values import ParsedAnswer, nothing
from tolman.scoring.judge_sample import SampleSize, agreement, draw, is_read, wilson
from tolman.scoring.judged import (
    EXTRACTION,
    JudgedSample,
    Judgement,
    Judgements,
    digest,
    extraction_prompt,
    judged,
    read_reply,
    same_answer,
)
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_items import score

MMSI, SITE = benchmarks.get("mmsi-bench"), benchmarks.get("site")
ITEM = Item(
    id="7", question="Where is the lamp?", kind="choice", answer="B", options=("left", "right", "in front", "behind"),
    task="t", verbatim="Where is the lamp?\nOptions: A: left, B: right, C: in front, D: behind",
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"), (" B\n", "B"), ("B.", "B"), ("(B)", "B"), ("**B**", "B"), ("`B`", "B"), ("Your output: B", "B"),
        ("Answer: B", "B"), ("The answer is B", "B"), ("B. right", "B"), ("right", "B"),
    ],
)  # fmt: skip
def test_a_reply_is_a_letter(reply: str, letter: str) -> None:
    found = read_reply(ITEM, reply)
    assert found is not None
    assert found.value == letter


@pytest.mark.parametrize("reply", ["Z", "z", " Z. ", "(Z)", "**Z**", "Your output: Z", "Z\nNo option is meant."])
def test_z_is_no_answer_and_no_failure(reply: str) -> None:
    found = read_reply(ITEM, reply)
    assert found is not None
    assert found.value is None


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   ",
        "E",
        "A or B",
        "Zebra",
        "I cannot help with that.",
        "Error: rate limited",
        "left or right",
        "The model is wrong.",
    ],
)
def test_nonsense_is_a_failure(reply: str) -> None:
    assert read_reply(ITEM, reply) is None


@given(st.text(max_size=200))
def test_whatever_a_judge_says_is_an_option_no_answer_or_a_failure(reply: str) -> None:
    found = read_reply(ITEM, reply)
    assert found is None or found.value is None or found.value in tuple("ABCD")


def test_mmsi_asks_where_the_released_parser_reads_nothing_with_the_released_prompt() -> None:
    judging, official = MMSI.judging, MMSI.rule_set("official")
    asked = {
        text: judging.asks(ITEM, text, official.read(ITEM, text, 0))
        for text in ("``B``", "B", "**D**", "b", "to the right", "")
    }
    assert asked == {"``B``": False, "B": False, "**D**": False, "b": True, "to the right": True, "": True}
    assert judging.base == "official"
    assert judging.prompt(ITEM, "to the right") == (
        "You are an AI assistant who will help me to match an answer with several options of a single-choice question. "
        "You are provided with a question and an answer, and you need to find which option is most similar to the answer. "
        "If the meaning of all options are significantly different from the answer, output Z. Your should output a single "
        "uppercase character in A, B, C, D (if they are valid options), and Z. Do not explain your reasoning, just output "
        "the letter directly.\n"
        "Example 1: \nQuestion: What is the main object in image?\nOptions: A. teddy bear B. rabbit C. cat D. dog\n"
        "Answer: a cute teddy bear\nYour output: A\n"
        "Example 2: \nQuestion: What is the main object in image?\nOptions: A. teddy bear B. rabbit C. cat D. dog\n"
        "Answer: Spider\nYour output: Z\n"
        "Example 3: \nQuestion: Where is the lamp?\nOptions: A: left, B: right, C: in front, D: behind\n"
        "Answer: to the right\nYour output: "
    )


def test_site_asks_about_all_but_a_letter_alone() -> None:
    judging, official = SITE.judging, SITE.rule_set("official")
    texts = ("B", " B\n", "(B)", "B.", "B:", "b", "B)", "**B**", "The answer is B", "F", "nothing")
    asked = [text for text in texts if judging.asks(ITEM, text, official.read(ITEM, text, 0))]
    assert asked == ["b", "B)", "**B**", "The answer is B", "F", "nothing"]


def test_the_judge_is_not_told_the_right_answer() -> None:
    for bench in (MMSI, SITE, benchmarks.get("vsi-bench")):
        other = ITEM.model_copy(update={"answer": "C"})
        assert bench.judging.prompt(ITEM, "hm") == bench.judging.prompt(other, "hm")


def test_own_prompt_for_a_number_names_its_unit(number: Callable[..., Item]) -> None:
    prompt = extraction_prompt(number("2.5", "m"), " about as long as a bus ")
    assert "the number that the response gives as its answer, in metres, and nothing else" in prompt
    assert "<response>\nabout as long as a bus\n</response>" in prompt
    assert "as its answer, and" in extraction_prompt(number("2", "count"), "x")
    found = read_reply(number("2.5", "m"), "2.4")
    assert found is not None
    assert float(found.value or 0) == 2.4


def rows(text: str, judgement: Judgement | None, **options: bool) -> dict[str, object]:
    known = {(judgement.id, judgement.response): judgement} if judgement else {}
    rules = judged(MMSI.judging, MMSI.rule_set("official"), known)
    return score([ITEM], [Response(id="7", response=text)], [rules], **options).row(0, named=True)  # type: ignore[arg-type]


def said(text: str, reply: str | None, failure: str | None = None) -> Judgement:
    return Judgement(id="7", response=digest(text), reply=reply, failure=failure)


def test_a_judgement_is_scored_and_marked() -> None:
    row = rows("to the right", said("to the right", "B"))
    assert (row["status"], row["reading"], row["score"], row["judged"], row["note"]) == (
        "scored",
        "B",
        1.0,
        True,
        "judged: 'B'",
    )
    row = rows("to the left", said("to the left", "A"))
    assert (row["score"], row["judged"]) == (0.0, True)
    row = rows("nowhere", said("nowhere", "Z"))
    assert (row["status"], row["reading"], row["score"], row["judged"]) == ("scored", "", 0.0, True)


def test_what_the_parser_reads_needs_no_judgement() -> None:
    row = rows("``B``", said("``B``", "C"))
    assert (row["reading"], row["score"], row["judged"]) == ("B", 1.0, False)


@pytest.mark.parametrize("wrong", [False, True])
def test_a_failed_judgement_is_no_score_whatever_the_user_says_of_failures(wrong: bool) -> None:
    for judgement, note in (
        (said("hm", "no idea what you mean"), "the judge's reply is no answer: 'no idea what you mean'"),
        (said("hm", None, "network: gone"), "network: gone"),
        (said("another text", "B"), "the judge was not asked about this response"),
        (None, "the judge was not asked about this response"),
    ):
        row = rows("hm", judgement, failures_are_wrong=wrong)
        assert (row["status"], row["score"], row["expected"], row["judged"], row["note"]) == (
            "unjudged",
            None,
            None,
            False,
            note,
        )


def test_an_empty_response_is_no_answer_without_a_judge_and_draws_nothing() -> None:
    rules = judged(SITE.judging, SITE.rule_set("official"), {})
    row = score([ITEM], [Response(id="7", response=" \n")], [rules]).row(0, named=True)
    assert (row["status"], row["score"], row["guessed"], row["note"]) == ("scored", 0.0, False, "empty")


def test_a_failure_stays_one() -> None:
    rules = judged(MMSI.judging, MMSI.rule_set("official"), {})
    failure = Failure(id="7", kind=FailureKind.NETWORK, message="gone")
    assert score([ITEM], [failure], [rules])["status"].to_list() == ["failed"]


def test_own_extraction_scores_numbers_by_the_metric(number: Callable[..., Item]) -> None:
    item = number("4", "count", id="7")
    text = "as many as a chair has legs"
    rules = judged(EXTRACTION, careful(), {("7", digest(text)): said(text, "4")})
    assert score([item], [Response(id="7", response=text)], [rules])["score"].to_list() == [1.0]


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
