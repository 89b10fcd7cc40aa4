"""The careful reader against labelled outputs, forms that must be read, and laws that hold for any text."""

import hashlib
import re
from collections import Counter
from fractions import Fraction
from functools import cache, partial
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from counting import calls
from scoring.corpus import rows as corpus
from scoring.corpus.phrases import phrases_by_language
from scoring.corpus.rows import Part, Row, is_held_out, item_of, judge
from tolman.items import Item, Unit
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.parse import read_careful, wrappers as preparing
from tolman.scoring.parse.option_sequences import orders_of
from tolman.scoring.parse.option_texts import option_texts, values_of
from tolman.scoring.parse.plain_text import Plain, plain

THINGS = ("chair", "table", "sofa", "lamp")
LANGUAGES = ("zh", "ja", "ko", "es", "fr", "de", "pt", "ru", "ar", "hi")


def choice(*options: str, question: str = "Which of these is closest to the door?") -> Item:
    return Item(id="c", question=question, kind="choice", answer="A", options=options or THINGS, task="t")


def number(unit: Unit | None = "m", question: str = "How far is the sofa from the door?") -> Item:
    return Item(id="n", question=question, kind="number", answer="1", unit=unit, task="t")


# Forms that must be read ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{}", "**{}**", "Answer: {}", "The answer is {}.", "({letter}) {}"])
@pytest.mark.parametrize("options", [("chair", "table", "None of the above"), ("None of the above", "chair", "table")])
def test_none_of_the_above_is_an_option_where_it_is_one(form: str, options: tuple[str, ...]) -> None:
    letter = "ABC"[options.index("None of the above")]
    response = form.format("None of the above", letter=letter)
    assert read_careful(choice(*options), response).value == letter
    assert read_careful(choice(), response.replace(f"({letter}) ", "")).value is None


# The three states -------------------------------------------------------------------------------------------------

NONE = [
    "I'm sorry, but I can't determine this from the video.",
    "I can't tell.",
    "It is either A or B.",
    "A or C",
    "",
    "   \n",
    "E",
    "Error: rate limit exceeded",
    "The options are A. chair, B. table, C. sofa and D. lamp.",
]
NONE_NUMBERS = ["between 2 and 3 meters", "2-3 m", "I cannot tell how far it is.", "far away", "3 kg"]
CUT_OFF = [
    "<think>The chair is near the window. The table",
    "<think>First, A. The chair is far from the door, and the lamp is",
]


@pytest.mark.parametrize("response", ["C", "The answer is C.", "<think>A?</think>C"])
def test_state_read(response: str) -> None:
    reading = read_careful(choice(), response)
    assert (reading.state, reading.value, reading.note) == ("read", "C", "")
    assert reading.span is not None
    assert reading.rule


@pytest.mark.parametrize("response", NONE)
def test_state_none_of_a_choice(response: str) -> None:
    _holds_none(read_careful(choice(), response), "none")


@pytest.mark.parametrize("response", NONE_NUMBERS)
def test_state_none_of_a_number(response: str) -> None:
    _holds_none(read_careful(number(), response), "none")


@pytest.mark.parametrize("response", CUT_OFF)
def test_state_cut_off(response: str) -> None:
    for item in (choice(), number()):
        _holds_none(read_careful(item, response), "cut off")


def _holds_none(reading: ParsedAnswer, state: str) -> None:
    assert (reading.state, reading.value, reading.span) == (state, None, None)
    assert reading.note


# Spans ------------------------------------------------------------------------------------------------------------


PARTS = ("development", pytest.param("test", marks=pytest.mark.full))


@cache
def loaded(part: Part) -> list[Row]:
    return corpus.load([part]).of(part)


@cache
def read(part: Part) -> list[tuple[Row, ParsedAnswer]]:
    return [(row, read_careful(item_of(row), row.output)) for row in loaded(part)]


@pytest.mark.full
@pytest.mark.parametrize("part", PARTS)
def test_a_span_lies_inside_the_response_and_only_a_reading_has_one(part: Part) -> None:
    for row, reading in read(part):
        if reading.value is None:
            assert reading.span is None, row.id
            continue
        assert reading.span is not None, row.id
        start, end = reading.span
        assert 0 <= start < end <= len(row.output), row.id
        assert row.output[start:end].strip(), row.id


MIN_REREAD_SHARE = 0.96
"""Of the options named in words, so many are read again from their span alone."""


@pytest.mark.parametrize("part", PARTS)
def test_the_piece_under_a_span_is_read_alike_by_itself(part: Part) -> None:
    """Holds for every letter and every number. An option's text, too, but for a few ordinals ("the third"), which name
    an option only beside what they count."""
    named = []
    for row, reading in read(part):
        if not row.written or reading.span is None:
            continue
        piece = row.output[slice(*reading.span)]
        again = read_careful(item_of(row), piece).value
        alike = again == reading.value
        if row.kind == "number" or re.fullmatch(r"\W*[A-Za-zＡ-Ｚ]\W*", piece):
            # The unit may stand elsewhere: in the head of a table, in a key.
            scaled = isinstance(again, Fraction) and reading.value in (100 * again, again / 100)
            assert alike or scaled, f"{row.id}: {piece!r} is not read as {reading.value}"
        else:
            named.append(alike)
    assert len(named) > 50
    assert sum(named) >= MIN_REREAD_SHARE * len(named)


def test_the_span_in_a_json_field_with_a_unit_in_its_key_lies_inside_the_response() -> None:
    response = '{"distance_m": 2.7}'
    reading = read_careful(number(), response)
    assert reading.value == Fraction("2.7")
    assert reading.span is not None
    assert response[slice(*reading.span)] == "2.7"
    assert reading.span[1] <= len(response)


# Floors -----------------------------------------------------------------------------------------------------------

SLACK = 0.015
"""So much below the shares measured with `benchmarks/reading.py` a part may not fall."""
MEASURED = {"written development": (0.870, 0.023, 0.005), "given": (0.974, 0.002, 0.001)}
"""Right of the answers that are there; wrong and invented of all rows."""


@pytest.mark.parametrize("name", MEASURED)
def test_a_part_is_read_as_well_as_when_it_was_measured(name: str) -> None:
    part: Part = "given" if name == "given" else "development"
    rows = [(row, reading) for row, reading in read(part) if name == "given" or row.written]
    if not rows:
        pytest.skip(f"no corpus at {corpus.SHARED}/data/reading (set TOLMAN_SHARED)")
    verdicts = Counter((row.has_answer, judge(row, reading.value)) for row, reading in rows)
    answers = sum(n for (there, _), n in verdicts.items() if there)
    right, wrong, invented = MEASURED[name]
    assert verdicts[True, "right"] / answers >= right - SLACK
    assert verdicts[True, "wrong"] / len(rows) <= wrong + SLACK
    assert verdicts[False, "invented"] / len(rows) <= invented + SLACK


# Laws for any text ------------------------------------------------------------------------------------------------


@cache
def phrases() -> list[str]:
    """Every phrase of the language files."""
    return sorted({phrase for found in phrases_by_language().values() for phrase in found})


SIGNS = [
    "A", "B", "C", "D", "(A)", "a)", "E.", "sofa", "chair", "0", "1", "2.5", "1,000", "½", "-3", "3/4", "10^6", "1e9",
    "9" * 40, "m", "cm", "m²", "ft", "'", '"', "(", ")", "[", "]", "{", "}", "<", ">", "**", "`", "```json", "$",
    "\\boxed{", "\\frac{1}{", "<think>", "</think>", "<answer>", "</answer>", '{"answer":', "<|im_end|>", "→", ":",
    "：", ".", "。", ",", "?", "-", "–", "=", "×", "/", "\n", "\n\n", "\t", "\x00", "\u200b", "\u202e", "\u0301", "😀",
]  # fmt: skip
TEXTS = st.lists(
    st.sampled_from(SIGNS) | st.deferred(lambda: st.sampled_from(phrases())), min_size=1, max_size=14
).flatmap(lambda pieces: st.sampled_from(["", " ", "\n"]).map(lambda glue: glue.join(pieces)))
ITEMS = [choice(), choice("yes", "no"), *(number(unit) for unit in ("m", "cm", "m2", "count", None))]


@pytest.mark.full
@settings(max_examples=300)
@given(TEXTS)
def test_no_text_makes_it_raise_and_every_reading_is_one_of_three_states(text: str) -> None:
    for item in ITEMS:
        reading = read_careful(item, text)
        if reading.value is None:
            assert reading.state in ("none", "cut off")
            assert reading.note
            assert reading.span is None
        elif item.kind == "choice":
            assert isinstance(reading.value, str)
            assert reading.value in item.letters
        else:
            assert isinstance(reading.value, Fraction)


def test_a_lone_sign_that_changes_a_letter_is_no_word() -> None:
    assert [read_careful(item, "x \u093c").value for item in ITEMS] == [None] * len(ITEMS)


MAX_GROWTH = 6
"""A text of four times the length costs at most so many times the calls."""
REPEATED = [
    "(", "1,", "- ", "{", "[[", "`", "A. ", "(A) ", "1 m ", "one and ", "<think>", "\\boxed{", "<answer>",
    "wait, ", "2.5 x 3 = ", "about 1-2 ", "the sofa is not the chair ", "A: chair ", "答案是", "不是", "三", "답은 ",
    "الإجابة ", "उत्तर ", "ответ ", "richtig ", "donc ", "no es ", "Answer: A or ", "예컨대 ", "et que ", "약속 ", "2 + 3 = 5\n",
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("piece", REPEATED)
def test_work_grows_with_the_length(piece: str) -> None:
    """Counted, not timed; below the length from which the middle of a text is left out."""
    text = piece * (4_000 // len(piece) + 1)
    for item in (choice(), number(), number("count")):
        read_careful(item, text[:999])  # languages are read once; a text read again costs less
        short, long = (calls(partial(read_careful, item, text[:length])) for length in (1_000, 4_000))
        assert long <= MAX_GROWTH * short, f"{item.kind}: {short} calls, then {long}"


def test_the_example_of_the_documentation_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    page = (corpus.HERE.parents[2] / "docs" / "reading.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    exec(compile(example, "docs/reading.md", "exec"), {})
    assert capsys.readouterr().out.strip() == example.strip().split("  # ")[-1]


# The corpus itself ------------------------------------------------------------------------------------------------


@cache
def records(name: str) -> list[dict[str, Any]]:
    return corpus.records(corpus.HERE / f"{name}.jsonl")


COUNTS = {"written_test": 660, "real_test": 871, "written_development": 3109, "real_development": 558}
DIFFERENT_LABELS = 3


@pytest.mark.parametrize(("name", "count"), COUNTS.items())
def test_a_file_has_the_rows_that_its_readme_says(name: str, count: int) -> None:
    assert len(records(name)) == count
    assert f"| `{name}.jsonl` | {count} |" in (corpus.HERE / "README.md").read_text(encoding="utf-8")


def test_ids_are_unique() -> None:
    ids = [r["id"] for name in COUNTS for r in records(name)]
    assert len(set(ids)) == len(ids) == sum(COUNTS.values())


@pytest.mark.parametrize("name", COUNTS)
def test_labels_are_answers_that_the_item_allows(name: str) -> None:
    for record in records(name):
        options = record.get("options") or [""] * 26  # pointers to real rows hold no options
        letters = item_letters(len(options))
        for label in {*record["labels"], record["expected"], *record["accept"]} - {corpus.NONE}:
            if record["kind"] == "choice":
                assert label in letters, record["id"]
            else:
                Fraction(label)
        assert record["expected"] == record["labels"][0], record["id"]
        assert {*record["labels"]} <= {record["expected"], *record["accept"]}, record["id"]
        assert len(record["labels"]) == (2 if name.endswith("test") else 1), record["id"]


def item_letters(count: int) -> str:
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:count]


def test_labels_of_the_gathered_texts_are_among_their_options() -> None:
    rows = [r for part in ("test", "development") for r in loaded(part) if not r.written and r.kind == "choice"]
    for row in rows:
        assert {row.expected, *row.accept} <= {*item_letters(len(row.options)), corpus.NONE}, row.id


def test_so_many_test_rows_have_two_different_labels() -> None:
    rows = [r for name in ("written_test", "real_test") for r in records(name)]
    assert sum(len(set(r["labels"])) > 1 for r in rows) == DIFFERENT_LABELS


@pytest.mark.parametrize("language", LANGUAGES)
def test_sixty_written_test_rows_stand_in_each_language(language: str) -> None:
    assert sum(row.language == language for row in loaded("test") if row.written) >= 60


MAX_BARE_CHARS = 20
"""Bare answers ("D", "6", "<answer>C</answer>") may be alike in two languages."""


@pytest.mark.parametrize("name", ["written_test", "written_development"])
def test_no_two_written_rows_are_equal(name: str) -> None:
    outputs = Counter(r["output"] for r in records(name))
    assert all(len(output) <= MAX_BARE_CHARS for output, n in outputs.items() if n > 1)
    assert set(Counter((r["language"], r["output"], r["question"]) for r in records(name)).values()) == {1}


@pytest.mark.parametrize("part", PARTS)
def test_gathered_texts_have_the_hashes_of_the_corpus(part: Part) -> None:
    path = corpus.texts_folder() / f"real_{part}.jsonl"
    if not path.is_file():
        pytest.skip(f"no gathered texts at {path}")
    pointers = {r["id"]: r["sha256"] for r in records(f"real_{part}")}
    for record in corpus.records(path):
        assert hashlib.sha256(record["output"].encode()).hexdigest() == pointers[record["id"]], record["id"]


def test_rows_without_text_are_counted_and_named() -> None:
    found = corpus.load(["test", "development"], texts=corpus.HERE / "sources")
    assert {row.written for row in found.rows} == {True}
    assert dict(found.absent) == {"test": 871, "development": 558}
    assert "871 real rows of the test part" in found.describe_absent()


@pytest.mark.parametrize(
    ("expected", "accept", "value", "verdict"),
    [
        ("A", (), "A", "right"),
        ("A", ("B",), "B", "right"),
        ("A", (), "B", "wrong"),
        ("A", (), None, "missed"),
        ("A", ("NONE",), None, "right none"),
        ("NONE", (), None, "right none"),
        ("NONE", (), "A", "invented"),
        ("NONE", ("A",), "A", "right"),
        ("2.5", (), Fraction("2.499"), "right"),
        ("2.5", (), Fraction("2.55"), "wrong"),
        ("0", (), Fraction(0), "right"),
    ],
)
def test_judging(expected: str, accept: tuple[str, ...], value: str | Fraction | None, verdict: str) -> None:
    row = Row("1", "test", "choice", "?", THINGS, "", "", expected, accept, written=True)
    assert judge(row, value) == verdict


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("How many chairs are in this room?", "count"),
        ("房间里有几把椅子？", "count"),
        ("椅子は何脚ありますか？", "count"),
        ("의자가 몇 개 있습니까?", "count"),
        ("¿Cuántas sillas hay?", "count"),
        ("Combien y a-t-il de sources de lumière ?", "count"),
        ("Wie viele Stühle stehen hier?", "count"),
        ("Quantas cadeiras há?", "count"),
        ("Сколько стульев?", "count"),
        ("كم عدد الكراسي؟", "count"),
        ("कितनी कुर्सियाँ हैं?", "count"),
        ("What is the value of x?", None),
    ],
)
def test_a_question_for_a_count_has_its_unit_in_every_language(question: str, unit: Unit | None) -> None:
    row = Row("1", "test", "number", question, (), "", "3", "3", (), written=True)
    assert item_of(row).unit == unit


@pytest.mark.parametrize("thing", ["sofa", "monitor", "laptop", "table", "tv"])
def test_things_of_several_languages_do_not_make_an_english_question_foreign(thing: str) -> None:
    """In "9.000" a dot separates thousands in German, and decimals in English."""
    question = f"How many {thing}(s) are in this room?"
    item = Item(id="1", question=question, kind="number", unit="count", answer="9", task="count")
    assert read_careful(item, "About 9.000.").value == 9


def test_rows_of_hard_kinds_are_whole_and_the_first_batch_is_labelled_twice() -> None:
    rows = loaded("kinds")
    assert len({row.id for row in rows}) == len(rows) == 1770
    assert sum(map(is_held_out, rows)) == 130 + 110
    for row in rows:
        letters = "ABCDEFGHIJ"[: len(row.options)]
        assert row.expected == "NONE" or (
            row.expected in letters if row.kind == "choice" else float(row.expected) >= 0
        ), row.id
    labels = [record["labels"] for record in records("written_kinds") if record["id"].startswith("w-s")]
    assert all(first == second or float(first) == float(second) for first, second in labels)


MANY = 1_100


def item(number: int) -> Item:
    options = (f"{number}.1 m", f"{number}.2 m", f"{number}.3 m")
    return Item(id=str(number), question="How far?", kind="choice", answer="A", options=options, task="t")


@pytest.mark.full
def test_items_that_are_answered_again_are_not_prepared_again() -> None:
    """As in a training loop, which scores thousands of items in the same order again and again."""
    items = [item(number) for number in range(MANY)]
    first = [read_careful(one, "The answer is B.") for one in items]
    before = [found.cache_info().misses for found in (option_texts, orders_of, values_of)]
    assert [read_careful(one, "The answer is B.") for one in items] == first
    assert [found.cache_info().misses for found in (option_texts, orders_of, values_of)] == before
    assert {reading.value for reading in first} == {"B"}


def test_equal_texts_are_prepared_once_and_read_for_each_item(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[str] = []

    def counted(response: str) -> Plain:
        prepared.append(response)
        return plain(response)

    monkeypatch.setattr(preparing, "plain", counted)
    text = "I am sure that it is 7.2 m, as nothing else is so far away."
    readings = [read_careful(item(number), text).value for number in (7, 8, 7)]
    assert readings[0] == readings[2] == "B"
    assert readings[1] is None
    assert prepared.count(text) == 1
