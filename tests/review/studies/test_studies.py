"""The form of a study's file: every key is asked for, and what it writes is the file.

Laws of the draw.

Practice, exclusion, codes and pay: the rules by themselves.
"""

import shutil
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings, strategies as st
from pydantic import BaseModel

from reviewing import Serve
from tolman.errors import InputError, UsageError
from tolman.item_table import read_items, write_items
from tolman.items import Item
from tolman.review import studies
from tolman.review.projects.study_projects import start_named
from tolman.review.studies import (
    STUDY_FILES,
    Completion,
    Exclude,
    FileField,
    Link,
    Pay,
    Practising,
    Sample,
    Study,
    StudyPart,
    groups_of,
    text_of,
)
from tolman.review.studies.participants import (
    PREVIEW,
    LinkError,
    SampleError,
    arrival,
    deal_questions,
    draw_forms,
    foresee,
    link_query,
    option_order,
    plan_strata,
    shown_answer,
    true_answer,
    with_checks,
)
from tolman.review.studies.study_records import Conduct, amount, exclusion_reasons, pay_rows, stated_rules
from tolman.review.studies.study_steps import Passed, html_of, pictures_in, redirect_of, standing
from tolman.text_tables import csv_text

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


SIZES = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 25), min_size=1, max_size=4)


def strata_of(sizes: dict[str, int]) -> dict[str, list[str]]:
    return {name: [f"{name}{number}" for number in range(size)] for name, size in sizes.items()}


@settings(max_examples=60, deadline=None)
@given(
    sizes=SIZES, people=st.integers(1, 9), each=st.integers(1, 25), overlap=st.integers(1, 9), seed=st.integers(0, 9)
)
def test_quotas_are_met_and_the_overlap_is_even(
    sizes: dict[str, int], people: int, each: int, overlap: int, seed: int
) -> None:
    strata, overlap = strata_of(sizes), min(overlap, people)
    each = min(each, *sizes.values())
    found = draw_forms(strata, people, each, overlap, seed)
    assert len(found) == people
    for name, ids in strata.items():
        own = [[one for one in form if one.startswith(name)] for form in found]
        assert all(len(form) == each == len(set(form)) for form in own)  # nobody is asked anything twice
        asked = Counter(one for form in own for one in form)
        assert max(asked.values()) - min(asked.values()) <= 1
        if len(ids) * overlap >= people * each:  # enough questions for the overlap that was asked for
            assert max(asked.values()) <= max(overlap, 1) or len(asked) == each


@settings(max_examples=60, deadline=None)
@given(sizes=SIZES, people=st.integers(1, 9), overlap=st.integers(1, 9), seed=st.integers(0, 9))
def test_without_a_quota_every_question_is_asked_so_many_people(
    sizes: dict[str, int], people: int, overlap: int, seed: int
) -> None:
    strata, overlap = strata_of(sizes), min(overlap, people)
    found = draw_forms(strata, people, None, overlap, seed)
    asked = Counter(one for form in found for one in form)
    assert asked == {one: overlap for ids in strata.values() for one in ids}
    assert all(len(set(form)) == len(form) for form in found)
    for name in strata:
        counts = [sum(one.startswith(name) for one in form) for form in found]
        assert max(counts) - min(counts) <= 1
    assert max(map(len, found)) - min(map(len, found)) <= 1


def test_ten_strata_of_one_question_are_shared_out_evenly() -> None:
    assert [len(form) for form in draw_forms({name: [name] for name in "abcdefghij"}, 2, None, 1, 0)] == [5, 5]


@settings(max_examples=20, deadline=None)
@given(sizes=SIZES, people=st.integers(1, 6), seed=st.integers(0, 9), order=st.randoms())
def test_the_draw_comes_from_the_seed_and_not_from_the_order_of_the_questions(
    sizes: dict[str, int], people: int, seed: int, order: object
) -> None:
    strata = strata_of(sizes)
    mixed = list(strata.items())
    order.shuffle(mixed)  # type: ignore[attr-defined]
    again = {name: sorted(ids, key=lambda one: order.random()) for name, ids in mixed}  # type: ignore[attr-defined]
    assert draw_forms(strata, people, None, 1, seed) == draw_forms(again, people, None, 1, seed)


def test_a_form_is_the_same_however_many_come_after_it() -> None:
    strata = {"a": [str(number) for number in range(40)]}
    few, many = (draw_forms(strata, people, 10, people, 3) for people in (3, 7))
    assert [sorted(form) for form in few] == [sorted(form) for form in many[:3]]


def test_seven_people_are_asked_the_same_fifty_of_each_task_as_sites_were() -> None:
    found = draw_forms(strata_of({"a": 60, "b": 75}), 7, 50, 7, 0)
    assert {tuple(sorted(form)) for form in found} == {tuple(sorted(found[0]))}
    assert len(found[0]) == 100
    assert found[0] != draw_forms(strata_of({"a": 60, "b": 75}), 7, 50, 7, 1)[0]


def test_too_few_questions_are_told_with_their_stratum() -> None:
    with pytest.raises(SampleError, match="counting has 3 questions, fewer than the 5 that each person is to be asked"):
        draw_forms({"counting": ["a", "b", "c"]}, 2, 5, None, 0)


def test_a_form_on_which_one_deal_ends_takes_first_what_it_lacks() -> None:
    drawn = plan_strata(["a", "b", "c"], 3, 2, 2, "s")
    assert sorted(Counter(one for form in deal_questions(drawn, "s") for one in form).values()) == [2, 2, 2]


@pytest.mark.parametrize(
    ("scenes", "sample", "told"),
    [
        (4, "people = 3", ["The questions cover 4 scenes. Figures have no intervals below 6 scenes."]),
        (8, "people = 4\neach = 8\noverlap = 2", ["answered by more people than the overlap of 2, as there are too few: object_counting by up to 4."]),
        (8, "people = 4\neach = 8", []),
        (8, "people = 4\neach = 4\noverlap = 2", []),
    ],
)  # fmt: skip
def test_what_a_design_lacks_is_told_beforehand(
    benchmark: Path, tmp_path: Path, serve: Serve, scenes: int, sample: str, told: list[str]
) -> None:
    (folder := tmp_path / "bench").mkdir()
    shutil.copy(benchmark / "benchmark.json", folder)
    rest = read_items(benchmark / "items.parquet")[0].model_copy(update={"media": ()})
    write_items(
        folder / "items.parquet",
        [rest.model_copy(update={"id": f"q{n}", "scene": f"s{n}", "task": "object_counting"}) for n in range(scenes)],
    )
    file = tmp_path / "study.toml"
    file.write_text(f'title = "P"\n[[parts]]\n[parts.sample]\n{sample}\n')
    served = serve(folder)
    started = start_named(served.site, str(file))
    assert len(started.foreseen) == len(told)
    assert all(end in sentence for sentence, end in zip(started.foreseen, told, strict=True))
    assert served.told(foresee, 1) == list(started.foreseen)
    page = served.person("owner", "Olga").get("/studies/1/about").text
    assert all(sentence in page for sentence in told)


FINE = Conduct(10, 9, 1, 0, 4, 4, 0, 600.0, complete=True)


@pytest.mark.parametrize(
    ("rounds", "found"),
    [
        ([], (Passed.GOING_ON, 0)), ([[True]], (Passed.GOING_ON, 0)), ([[True, True]], (Passed.DONE, 0)),
        ([[True, False]], (Passed.GOING_ON, 1)), ([[False, True], [True]], (Passed.GOING_ON, 1)),
        ([[False, True], [True, True]], (Passed.DONE, 1)), ([[False, True], [True, False]], (Passed.FAILED, 1)),
    ],
)  # fmt: skip
def test_practice_is_repeated_until_it_is_right_or_there_is_no_round_left(
    rounds: list[list[bool]], found: tuple[Passed, int]
) -> None:
    told = standing(rounds, 2, Practising(least_right=2, rounds=2))
    assert (told.passed, told.round) == found


@pytest.mark.parametrize(
    ("rules", "did", "why"),
    [
        ({}, FINE, []),
        ({}, replace(FINE, complete=False), ["not complete (10 of 10)"]),
        ({"incomplete": False}, replace(FINE, complete=False), []),
        ({"gold_below": 0.75}, replace(FINE, gold_right=3), []),
        ({"gold_below": 0.76}, replace(FINE, gold_right=3), ["3 of 4 gold questions right"]),
        ({"attention_wrong": 1}, replace(FINE, attention_wrong=1), ["1 attention question wrong"]),
        ({"fast_above": 0.0}, replace(FINE, fast=1), ["1 of 9 answers too fast"]),
        ({"skipped_above": 0.1}, FINE, []),
        ({"skipped_above": 0.05}, FINE, ["1 of 10 questions skipped"]),
        ({"minutes_below": 11}, FINE, ["10.0 minutes in all"]),
        ({}, replace(FINE, screened=True), ["too few right answers in practice"]),
    ],
)  # fmt: skip
def test_people_are_left_out_by_the_stated_rules_alone(rules: dict[str, float], did: Conduct, why: list[str]) -> None:
    assert exclusion_reasons(did, Exclude.model_validate(rules)) == why


def test_every_rule_is_stated() -> None:
    rules = Exclude(gold_below=0.8, attention_wrong=2, fast_above=0.1, skipped_above=0.2, minutes_below=5)
    assert len(stated_rules(rules, 2)) == 6
    assert stated_rules(Exclude(incomplete=False), 2) == []


def test_links_of_platforms() -> None:
    prolific = Link(platform="prolific")
    assert (
        link_query(prolific) == "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )
    came = arrival(prolific, {"PROLIFIC_PID": "5f", "SESSION_ID": "s", "other": "x"})
    assert (came.outside, came.fields) == ("5f", {"PROLIFIC_PID": "5f", "SESSION_ID": "s"})
    mturk = Link(platform="mturk")
    with pytest.raises(LinkError, match="Accept it first"):
        arrival(mturk, {"assignmentId": PREVIEW})
    assert arrival(mturk, {"workerId": "A1", "assignmentId": "3X"}).outside == "A1"
    with pytest.raises(LinkError, match="lacks your id"):
        arrival(prolific, {})
    with pytest.raises(LinkError, match="can't be one"):
        arrival(prolific, {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"})
    with pytest.raises(LinkError, match="can't be read"):
        arrival(prolific, {"PROLIFIC_PID": "5f\n"})
    assert arrival(Link(), {"x": "y"}).outside is None


def test_the_last_page_leads_back_with_the_code() -> None:
    assert (
        redirect_of(Completion(), Link(platform="prolific"), "C1")
        == "https://app.prolific.com/submissions/complete?cc=C1"
    )
    assert redirect_of(Completion(redirect="https://x.org/?c={code}"), Link(), "C1") == "https://x.org/?c=C1"
    assert redirect_of(Completion(), Link(platform="mturk"), "C1") is None


def test_pay_is_for_time_and_spreadsheets_compute_nothing() -> None:
    assert amount(Pay(fixed=1, per_hour=12), 900, counts=True) == 4.0
    assert amount(Pay(fixed=1), 900, counts=False) == 1.0
    assert amount(Pay(fixed=1, excluded=False), 900, counts=False) == 0.0
    assert csv_text([["a,b", "=1+1"], ["@x", "1"]]) == "\"a,b\",'=1+1\n'@x,1\n"


def test_no_two_columns_have_one_name() -> None:
    link = Link(id="person", keep=("link_person", "code", "skipped: late"))
    (head,) = pay_rows(StudyPart(sample=Sample(people=1, by=None, each=1), skip=("late",), link=link), [], {})
    assert head[:5] == ["person", "link_person", "link_link_person", "link_code", "link_skipped: late"]
    assert len(set(head)) == len(head)


def test_ids_need_the_field_that_holds_them() -> None:
    with pytest.raises(ValueError, match="needs 'id', the field of the address"):
        Link(ids=("anna",))


def test_texts_can_do_no_harm() -> None:
    shown = html_of(
        "# A\n<b onclick=x>bold</b> [x](javascript:alert(1)) [y](/signout) ![p](a.png) ![q](http://e.org/x.png)",
        {"a.png": "/p"},
    )
    assert "<b" not in shown
    assert "href" not in shown
    assert "e.org" not in shown
    assert "<h2>A</h2>" in shown
    assert '<img src="/p" alt="p"' in shown
    assert pictures_in("![p](a.png) and ![q](b/c.jpg)") == ["a.png", "b/c.jpg"]


def item(*options: str, answer: str = "A", **rest: object) -> Item:
    return Item.model_validate(
        {"id": "q", "question": "What?", "kind": "choice", "options": options, "answer": answer, "task": "t", **rest}
    )


@settings(max_examples=60, deadline=None)
@given(count=st.integers(2, 8), answer=st.integers(0, 7), seed=st.integers(0, 99))
def test_a_shuffled_question_is_right_where_the_stored_one_is(count: int, answer: int, seed: int) -> None:
    asked = item(*[f"thing {n}" for n in range(count)], answer="ABCDEFGH"[answer % count])
    order = option_order(asked, seed, "q")
    assert order is not None
    shown = asked.reordered(order)
    assert true_answer(order, shown.answer) == asked.answer
    assert all(shown_answer(order, true_answer(order, letter)) == letter for letter in shown.letters)
    assert order == option_order(asked, seed, "q")


@pytest.mark.parametrize(
    "options",
    [
        ("left", "right", "none of the above"), ("A", "B", "both A and B"), ("cup", "bowl", "All of these options"),
        ("one", "Neither"), ("x", "options A or B"),
    ],
)  # fmt: skip
def test_options_that_speak_of_others_stay(options: tuple[str, ...]) -> None:
    assert option_order(item(*options), 0) is None


def test_words_of_space_are_shuffled() -> None:
    assert option_order(item("above", "below", "to the left of the cup"), 0) is not None


def test_a_number_has_no_options() -> None:
    number = Item.model_validate({"id": "n", "question": "How many?", "kind": "number", "answer": "3", "task": "t"})
    assert option_order(number, 0) is None


@settings(max_examples=60, deadline=None)
@given(questions=st.integers(0, 40), checks=st.integers(0, 8), seed=st.integers(0, 9))
def test_checks_stand_among_the_questions_and_none_is_lost(questions: int, checks: int, seed: int) -> None:
    own, others = list(range(questions)), [f"c{n}" for n in range(checks)]
    found = with_checks(own, others, seed)
    assert [one for one in found if isinstance(one, int)] == own
    assert sorted(one for one in found if isinstance(one, str)) == others
    if questions > 1 and checks:
        assert isinstance(found[0], int)
