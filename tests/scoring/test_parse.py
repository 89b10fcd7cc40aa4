"""The conformance table, and laws that hold for any text."""

import csv
import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from tolman import benchmarks
from tolman.items import Item
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.parse import read_careful
from tolman.scoring.parse.plain_text import MAX_CHARS

TABLE = Path(__file__).with_name("parser_cases.tsv").read_text(encoding="utf-8")
CASES = list(csv.DictReader(TABLE.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
RULE_SETS = ("careful", "vsi-bench", "site", "mmsi-bench", "spatialbench")
PARSERS = {name: benchmarks.get(name).rule_set("official").read for name in RULE_SETS[1:]}
PARSERS["careful"] = lambda item, text, seed: read_careful(item, text)


def item_of(case: dict[str, str]) -> Item:
    common = {"id": case["case"], "question": "?", "task": "t"}
    if case["kind"] == "choice":
        return Item(**common, kind="choice", answer="A", options=tuple(case["options"].split(" | ")))
    return Item.model_validate({**common, "kind": "number", "answer": "1", "unit": case["unit"]})


def test_the_table_is_large_and_labels_every_rule_set() -> None:
    assert len(CASES) >= 250
    assert len({case["case"] for case in CASES}) == len(CASES)
    assert all(case[name] for case in CASES for name in RULE_SETS)
    assert sum(case["kind"] == "number" for case in CASES) >= 100


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_case_is_read_as_labelled(name: str) -> None:
    wrong = []
    for case in CASES:
        if case[name] == "n/a":
            continue
        reading = PARSERS[name](item_of(case), json.loads(case["response"]), 0)
        if not fits(reading, case[name]):
            wrong.append(f"{case['case']}: {case['response']} read as {reading}, labelled {case[name]}")
    assert not wrong, "\n".join(wrong)


def fits(reading: ParsedAnswer, label: str) -> bool:
    if label == "random":
        return reading.guessed
    if reading.guessed:
        return False
    if label == "-":
        return reading.value is None
    if isinstance(reading.value, str) or reading.value is None:
        return reading.value == label
    if label in ("nan", "inf", "-inf"):
        return str(float(reading.value)) == label
    return math.isclose(float(reading.value), float(label), rel_tol=1e-9)


CHOICE = Item(id="1", question="?", kind="choice", answer="A", options=("chair", "table", "sofa", "lamp"), task="t")
NUMBERS = [
    Item.model_validate({"id": "1", "question": "?", "kind": "number", "answer": "2", "unit": unit, "task": "t"})
    for unit in ("count", "m", "cm", "m2", None)
]
ANY_TEXT = st.text() | st.text("ABCDabcd()[]{}<>*`.,:;-–'\"\\/$ \n0123456789thinkanswer", max_size=200)


@settings(max_examples=400)
@given(ANY_TEXT)
@pytest.mark.parametrize("name", RULE_SETS)
def test_no_text_makes_a_parser_raise(name: str, text: str) -> None:
    for item in (CHOICE, *NUMBERS):
        if item.kind == "number" and name in ("site", "mmsi-bench"):
            continue
        reading = PARSERS[name](item, text, 0)
        if item.kind == "choice":
            assert reading.value is None or reading.value in item.letters
        else:
            assert reading.value is None or isinstance(reading.value, float | int | Fraction)


NAMELESS = CHOICE.model_copy(update={"options": ("zorb", "fleem", "quint", "wug")})
"""Options that no language has another word for, as "couch" is one for a sofa."""
WORD = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=2, max_size=12).filter(
    lambda word: word.lower() not in NAMELESS.options
)


@settings(max_examples=400)
@given(
    st.lists(WORD, min_size=1, max_size=12),
    st.sampled_from([" ", ", ", " - ", "\n", ". "]),
    st.sampled_from([".", "", "!", " "]),
)
def test_careful_never_reads_a_letter_out_of_a_word(words: list[str], glue: str, end: str) -> None:
    reading = read_careful(NAMELESS, glue.join(words) + end)
    assert reading.value is None


ERRORS = st.sampled_from(
    [
        "Error: {}",
        "error {}",
        "Error code: {} - {{'error': {{'message': 'Rate limit reached'}}}}",
        "HTTP {} Too Many Requests",
        "Request timed out after {} seconds",
        "RateLimitError: please retry in {} s",
        "openai.APIConnectionError: attempt {} failed",
        "Traceback (most recent call last):\n  File \"x.py\", line {}\nValueError: bad",
        "Internal server error ({})",
        "Failed to load frame {}",
        "Unable to process request {}",
        "Connection refused on port {}",
        "The request failed with status code {}.",
        "503 Service Unavailable: HTTP {}00",
    ]
)  # fmt: skip


@given(ERRORS, st.integers(1, 600))
def test_careful_never_reads_a_number_out_of_an_error_message(form: str, value: int) -> None:
    for item in NUMBERS:
        assert read_careful(item, form.format(value)).value is None


WRAPPINGS = [
    "{}", "({})", "**{}**", "`{}`", "``{}``", "\\boxed{{{}}}", "{}.", "{})", "[{}]", "Option {}",
    "Answer: {}", "The answer is {}.", "**Answer:** ({})", "<answer>{}</answer>", '{{"answer": "{}"}}',
    "<think>A or B?</think>{}", "Let me think. A is too far.\nFinal answer: {}", "{}\nbecause it is closest",
]  # fmt: skip
NUMBER_WRAPPINGS = [
    "{}", "{} m", "about {} meters", "The answer is {}.", "\\boxed{{{}}}", "**{}**", "<answer>{} m</answer>",
    '{{"answer": {}}}', "Answer: {}m",
]  # fmt: skip
HUGE = [
    "(" * 60_000, "A" * 60_000, "1," * 30_000, "\\boxed{" * 9_000, "<think>" * 9_000, "9" * 60_000, "- " * 30_000,
    "a b " * 15_000, "answer is " * 6_000, "{" * 60_000, "[[" * 30_000, "`" * 60_000,
    "<a " * 20_000, "one and " * 8_000,
    "<script>" * 8_000, "half a " * 9_000, "1 m " * 15_000, "(A) " * 15_000, "\n" * 60_000, "A. " * 20_000,
]  # fmt: skip


@given(st.sampled_from("ABCD"), st.sampled_from(WRAPPINGS))
def test_careful_reads_every_common_wrapping(letter: str, form: str) -> None:
    assert read_careful(CHOICE, form.format(letter)).value == letter


@given(st.decimals(0, 10**6, places=2), st.sampled_from(NUMBER_WRAPPINGS))
def test_careful_reads_every_plain_number(value: object, form: str) -> None:
    reading = read_careful(NUMBERS[1], form.format(value))
    assert reading.value == Fraction(str(value))


@given(st.integers(0, 10**9))
def test_thousands_separators_change_nothing(value: int) -> None:
    assert read_careful(NUMBERS[0], f"{value:,}").value == value


@given(st.integers(1, 500), st.integers(1, 500), st.sampled_from(["-", " to ", "–", " or "]))
def test_a_range_is_no_number(low: int, step: int, glue: str) -> None:
    assert read_careful(NUMBERS[0], f"{low}{glue}{low + step}").value is None


@pytest.mark.parametrize("text", HUGE)
def test_huge_texts_are_read_in_no_time(text: str) -> None:
    for name, parser in PARSERS.items():
        for item in (CHOICE, NUMBERS[1]):
            if item.kind == "choice" or name not in ("site", "mmsi-bench"):
                parser(item, text, 0)


def test_a_long_text_is_read_from_its_end() -> None:
    assert read_careful(CHOICE, "A\n" + "because " * MAX_CHARS + "\nAnswer: B").value == "B"
