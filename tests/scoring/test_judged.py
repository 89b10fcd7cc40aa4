"""What a judge is asked, how its reply is read, and what a judgement is worth."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolman import benchmarks
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Response
from tolman.scoring.judged import EXTRACTION, Judgement, digest, extraction_prompt, judged, read_reply
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
