from collections import Counter
from decimal import Decimal
from itertools import pairwise

from hypothesis import given, strategies as st

from tolman.generate.distractors import (
    balanced_places,
    counting_options,
    has_numeric_options,
    numeric_options,
    others_for,
    placed,
    rebalanced_places,
    whole_options,
)
from tolman.generate.share_sampling import balanced, capped, evenly


@given(st.integers(1, 200), st.text(max_size=5))
def test_no_answer_is_infeasible_by_rounding(tenths: int, seed: str) -> None:
    options = numeric_options(f"{tenths / 10:.1f}", seed)
    # 0.1 and 0.2 leave no room for four numbers with one decimal; all others do, 0.3 and 0.6 among them.
    assert len(options) == (0 if tenths < 3 else 4)
    assert has_numeric_options(f"{tenths / 10:.1f}") == bool(options)


@given(st.integers(4, 3000), st.integers(0, 1), st.text(max_size=5))
def test_distractors_keep_their_distance_and_their_bounds(units: int, decimals: int, seed: str) -> None:
    answer = Decimal(units).scaleb(-decimals)
    options = [Decimal(o) for o in numeric_options(str(answer), seed)]
    if not options:
        return
    assert options[0] == answer
    for i, one in enumerate(options):
        assert answer * Decimal("0.25") <= one <= answer * Decimal("1.75")
        assert all(abs(one - other) >= answer * Decimal("0.2") for other in options[:i])


def test_the_right_number_has_no_place_of_its_own() -> None:
    for answer, lower in (("3.4", "0.25"), ("140", "0.4")):
        ranks = Counter()
        for seed in range(400):
            options = [Decimal(o) for o in numeric_options(answer, str(seed), lower=lower)]
            ranks[sorted(options).index(options[0])] += 1
        assert set(ranks) == {0, 1, 2, 3}
        assert max(ranks.values()) < 0.33 * 400


def test_huge_numbers_take_no_memory() -> None:
    assert len(numeric_options("100000000000.0", "s")) == 4


@given(st.integers(1, 60), st.text(max_size=5))
def test_counting_options_are_near_and_different(answer: int, seed: str) -> None:
    options = [int(o) for o in counting_options(answer, seed)]
    assert options[0] == answer
    assert len(set(options)) == 4
    assert all(o >= 1 and abs(o - answer) <= 5 for o in options)


@given(st.lists(st.integers(2, 6), max_size=300), st.text(max_size=5))
def test_every_place_is_as_frequent_as_any_other(sizes: list[int], seed: str) -> None:
    places = balanced_places(sizes, seed)
    for size in set(sizes):
        counts = Counter(p for p, n in zip(places, sizes, strict=True) if n == size)
        assert all(0 <= place < size for place in counts)
        assert max(counts.values()) - min(counts.get(p, 0) for p in range(size)) <= 1


@given(st.lists(st.text(max_size=3), min_size=2, max_size=6, unique=True), st.data())
def test_placing_keeps_all_options(options: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(options) - 1))
    found = placed(tuple(options), place, "seed")
    assert sorted(found) == sorted(options)
    assert found[place] == options[0]


@given(st.lists(st.sampled_from("abcd"), max_size=200), st.floats(0.05, 1))
def test_no_answer_has_more_than_its_share(answers: list[str], share: float) -> None:
    kept = balanced(answers, lambda a: a, share, "seed")
    if not answers:
        assert kept == []
        return
    counts = Counter(kept)
    bound = max(share, 1 / len(set(answers)))
    assert max(counts.values()) <= max(bound * len(kept) + 1e-6, 1)
    assert set(kept) == set(answers)


@given(st.lists(st.integers(0, 5), max_size=100), st.integers(0, 9))
def test_caps_hold_and_keep_the_order(things: list[int], most: int) -> None:
    kept = capped(list(enumerate(things)), lambda t: t[1], most, "seed")
    assert kept == sorted(kept)
    counts = Counter(value for _, value in kept)
    assert all(counts[value] == min(n, most) for value, n in Counter(things).items() if most)


@given(st.lists(st.sampled_from("abc"), max_size=60), st.integers(1, 30))
def test_an_even_cap_takes_answers_in_turn(things: list[str], most: int) -> None:
    kept = evenly(things, lambda t: t, most, "seed")
    assert len(kept) == min(most, len(things))
    counts, offered = Counter(kept), Counter(things)
    for one in offered:
        assert counts[one] == offered[one] or counts[one] >= max(counts.values()) - 1


@given(st.integers(0, 5000), st.sampled_from(["0.10", "0.20", "0.30"]), st.integers(2, 6), st.integers(0, 99))
def test_counts_have_whole_distractors_that_are_apart(answer: int, margin: str, count: int, seed: int) -> None:
    options = whole_options(answer, str(seed), margin=margin, count=count)
    assert len(options) == count
    assert options[0] == str(answer)
    values = sorted(int(option) for option in options)
    assert all(b - a >= max(1, answer * Decimal(margin)) for a, b in pairwise(values))
    assert all(value >= 1 for value in values if value != answer)
    assert whole_options(-1, "0") == ()


@given(st.lists(st.tuples(st.integers(2, 5), st.integers(0, 1), st.booleans()), max_size=80), st.integers(0, 9))
def test_letters_are_as_even_as_those_that_stay_allow(rows: list[tuple[int, int, bool]], seed: int) -> None:
    counts, places, free = [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]
    found = rebalanced_places(counts, places, free, str(seed))
    for size in set(counts):
        index = [i for i, n in enumerate(counts) if n == size]
        fixed = Counter(places[i] for i in index if not free[i])
        tally = Counter(found[i] for i in index)
        assert all(found[i] == places[i] for i in index if not free[i])
        assert all(0 <= found[i] < size for i in index)
        least = min(tally[p] for p in range(size))
        assert all(tally[p] <= max(least + 1, fixed[p]) for p in range(size))


@given(
    st.lists(st.sampled_from("abcdefg"), max_size=40),
    st.lists(st.sets(st.sampled_from("abcdefg"), max_size=2), min_size=40, max_size=40),
    st.integers(0, 5),
)
def test_wrong_options_are_other_questions_answers(answers: list[str], excluded: list[set[str]], seed: int) -> None:
    found = others_for(answers, excluded[: len(answers)], str(seed))
    assert found == others_for(answers, excluded[: len(answers)], str(seed))
    for answer, named, others in zip(answers, excluded, found, strict=False):
        assert len(set(others)) == len(others)
        assert not {answer, *named} & set(others)
        assert set(others) <= set(answers)
        assert (len(others) == 3) == (len(set(answers) - named - {answer}) >= 3)


def test_what_is_right_is_three_times_as_often_wrong() -> None:
    answers = list("aaabbbcccdddeeeffg")
    found = others_for(answers, [()] * len(answers), "seed")
    wrong = Counter(name for others in found for name in others)
    assert all(abs(wrong[name] - 3 * count) <= 1 for name, count in Counter(answers).items()), wrong
