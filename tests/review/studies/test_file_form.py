"""The form of a study's file: every key is asked for, and what it writes is the file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tolman.errors import InputError, UsageError
from tolman.review import studies
from tolman.review.studies import STUDY_FILES, FileField, Study, groups_of, text_of

PRESETS = {
    name: (Path(studies.__file__).parent / f"{name}.toml").read_text(encoding="utf-8") for name in STUDY_FILES.names
}
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=9)
TABLES = st.dictionaries(
    st.sampled_from(["title", "parts", "sample", "people", "practice", "options", "x"]),
    st.recursive(
        LEAVES,
        lambda below: (
            st.lists(below, max_size=3)
            | st.dictionaries(
                st.sampled_from(["sample", "practice", "gold", "people", "ids", "only", "skip"]), below, max_size=4
            )
        ),
        max_leaves=12,
    ),
    max_size=5,
)


def fields(table: dict[str, Any]) -> dict[str, FileField]:
    return {field.name: field for group in groups_of(table) for field in group.fields}


def keys(model: type[BaseModel], prefix: str = "") -> set[str]:
    """Every key of a file, as the names of the first of each list."""
    found = set()
    for name, field in model.model_fields.items():
        held = (field.annotation, *get_args(field.annotation))
        below = next((one for one in held if isinstance(one, type) and issubclass(one, BaseModel)), None)
        place = f"{prefix}{name}." + ("0." if below is not None and len(held) > 2 and held[-1] is Ellipsis else "")
        found |= {prefix + name} if below is None else keys(below, place)
    return found


def test_every_key_of_a_file_has_a_field_with_a_label_of_its_own() -> None:
    asked = fields({})
    assert set(asked) == keys(Study)
    assert all(field.label not in ("", field.name.rpartition(".")[2]) for field in asked.values())
    assert not any("Undefined" in field.default for field in asked.values())


@pytest.mark.parametrize("name", PRESETS)
def test_a_form_that_nobody_touched_writes_the_same_study(name: str) -> None:
    table = tomllib.loads(PRESETS[name])
    shown = {one.name: one.value for one in fields(table).values()}
    assert tomllib.loads(text_of(table, {})) == table
    written = tomllib.loads(text_of(table, shown))
    assert Study.model_validate(written) == Study.model_validate(table)


def test_what_stands_in_the_form_stands_in_the_file() -> None:
    given = {
        "title": "T",
        "seed": "7",
        "parts.0.instructions": "# Look\nfirst",
        "parts.0.sample.people": "10",
        "parts.0.sample.only": "task: counting, size\nplace: room",
        "parts.0.order.options": "yes",
        "parts.0.skip": "can't tell\n\nbroken media",
        "parts.0.attention.0.question": "Say B.",
        "parts.0.attention.0.options": "A\nB",
        "parts.0.attention.0.answer": "B",
        "parts.0.exclude.fast_above": "0,2",
        "parts.0.pay.per_hour": "12.5",
        "not.a.field": "x",
    }
    assert tomllib.loads(text_of({}, given)) == {
        "title": "T",
        "seed": 7,
        "parts": [
            {
                "instructions": "# Look\nfirst\n",
                "sample": {"people": 10, "only": {"task": ["counting", "size"], "place": ["room"]}},
                "order": {"options": True},
                "skip": ["can't tell", "broken media"],
                "attention": [{"question": "Say B.", "options": ["A", "B"], "answer": "B"}],
                "exclude": {"fast_above": 0.2},
                "pay": {"per_hour": 12.5},
            }
        ],
    }


def test_an_emptied_field_takes_its_key_and_its_table_along() -> None:
    table = tomllib.loads('title = "T"\n[[parts]]\n[parts.sample]\npeople = 3\n[parts.breaks]\nevery = 4\n')
    left = tomllib.loads(text_of(table, {"parts.0.breaks.every": ""}))
    assert left == {"title": "T", "parts": [{"sample": {"people": 3}}]}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("parts.0.sample.people", "many", "field 'People': needs a number, not 'many'"),
        ("parts.0.sample.only", "counting", "needs a name, a colon and what it has, not 'counting'"),
        ("parts.0.sample.people", "1e999", "needs a number, not '1e999'"),
        ("parts.0.sample.people", "1,000", "needs a number without a comma, not '1,000'"),
    ],
)
def test_what_is_no_number_is_told_by_its_label(name: str, value: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        text_of({}, {name: value})


@given(TABLES)
def test_any_table_has_a_form(table: dict[str, Any]) -> None:
    assert {"title", "parts.0.sample.people"} <= set(fields(table))


PART = "title = 'T'\n[[parts]]\n"
SAMPLE = PART + "[parts.sample]\npeople = 2\n"


def test_the_packages_studies_are_the_papers() -> None:
    assert STUDY_FILES.names == ("mmsi-bench", "site", "spatialbench")
    (site,) = STUDY_FILES.open("site").parts
    assert site.sample is not None
    assert (site.sample.people, site.sample.each, site.sample.overlap, site.sample.by) == (7, 50, 7, "task")
    mmsi = STUDY_FILES.open("mmsi-bench").parts
    assert [(part.mode, part.after) for part in mmsi] == [("write", None), ("review", "Write"), ("study", "Review")]
    assert mmsi[1].settings == {"people": 3, "back": 1}
    assert mmsi[2].sample is not None
    assert mmsi[2].sample.overlap == 2
    assert STUDY_FILES.open("spatialbench").parts[0].mode == "verify"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title = ", "is no TOML"),
        ("[[parts]]\n[parts.sample]\npeople = 2", "field 'title': is missing"),
        (SAMPLE + "eahc = 3", "line 5, field 'parts.0.sample.eahc': is not a known key"),
        (PART, "needs [parts.sample] with the number of people"),
        (SAMPLE + "overlap = 3", "an overlap of 3 needs as many people, here are 2"),
        (PART + "mode = 'review'\n[parts.pay]\nfixed = 1", "has 'pay', which only the mode 'study' takes, not 'review'"),
        (SAMPLE + "[[parts.practice]]\nquestion = 'What?'", "line 5, field 'parts.0.practice.0': needs a question and its answer"),
        (SAMPLE + "[[parts.practice]]\nquestion = 'What?'\noptions = ['a', 'b']\nanswer = 'C'", "the answer 'C' is none of the options A, B"),
        (SAMPLE + "[parts.exclude]\ngold_below = 0.5", "excludes people by gold questions and has none"),
        (SAMPLE + "[parts.exclude]\nattention_wrong = 1", "excludes people by attention questions and has none"),
        (SAMPLE + "[parts.practising]\nleast_right = 1", "asks for 1 right answers of 0 for practice"),
        (PART + "after = 'Write'\n[parts.sample]\npeople = 2", "comes after 'Write', which is no earlier part"),
        (SAMPLE + "[[parts]]\n[parts.sample]\npeople = 2", "two parts have the name ''"),
        (SAMPLE + "[parts.order]\nquestions = 'random'", "line 6, field 'parts.0.order.questions': can't be 'random'; known: 'shuffled'"),
        (SAMPLE + "[parts.completion]\nredirect = 'javascript:x'", "field 'parts.0.completion.redirect'"),
    ],
)  # fmt: skip
def test_a_bad_file_gets_one_sentence(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        STUDY_FILES.open(str(file))
    assert told in str(error.value)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_name_that_is_no_study_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match="mmsi-bench, site, spatialbench"):
        STUDY_FILES.open("siet")
