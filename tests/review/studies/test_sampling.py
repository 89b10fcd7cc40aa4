"""Laws of the draw."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewing import Serve
from tolman.item_table import read_items, write_items
from tolman.review.projects.study_projects import start_named
from tolman.review.studies.participants import SampleError, deal_questions, draw_forms, foresee, plan_strata

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
