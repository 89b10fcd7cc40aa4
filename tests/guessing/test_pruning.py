"""What is left out: whatever takes guessers away from chance, and no more."""

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tolman.guessing.learners import prune_to_chance

ROWS = st.integers(1, 60).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=3)
)
SHARES = st.lists(st.sampled_from([0.0, 1 / 3, 2 / 3, 1.0]), min_size=1, max_size=60)


def excess(rows: list[list[bool]] | list[list[float]], gone: set[int], chance: float) -> list[float]:
    left = [i for i in range(len(rows[0])) if i not in gone]
    return [sum(row[i] - chance for i in left) for row in rows]


@given(ROWS, st.sampled_from([2, 3, 4]))
def test_a_guesser_comes_to_chance_from_above_and_from_below(rows: list[list[bool]], options: int) -> None:
    row, chance = rows[0], 1 / options
    gone = prune_to_chance([row], [chance] * len(row), "seed")
    [off] = excess([row], gone, chance)
    # Leaving out one right answer more would take away 1 - chance, one wrong answer more would add chance.
    assert -chance / 2 - 1e-6 <= off <= (1 - chance) / 2 + 1e-6
    [before] = excess([row], set(), chance)
    left = [row[i] for i in range(len(row)) if i not in gone]
    if before > 1:
        assert sum(not right for right in left) >= row.count(False) - options
    if before < -1:
        assert sum(left) >= sum(row) - 1


@given(ROWS)
def test_all_together_come_nearer_and_the_same_ones_go_every_time(rows: list[list[bool]]) -> None:
    chance = [0.25] * len(rows[0])
    gone = prune_to_chance(rows, chance, "seed")
    off = sum(value**2 for value in excess(rows, gone, 0.25))
    assert off <= sum(value**2 for value in excess(rows, set(), 0.25)) + 1e-6
    assert gone == prune_to_chance(rows, chance, "seed")
    for i in set(range(len(chance))) - gone:
        assert sum(value**2 for value in excess(rows, gone | {i}, 0.25)) >= off - 1e-6


@given(SHARES, st.floats(0, 0.2))
def test_nothing_goes_within_the_slack(row: list[float], slack: float) -> None:
    [off] = excess([row], set(), 0.25)
    gone = prune_to_chance([row], [0.25] * len(row), "seed", slack)
    if abs(off) <= slack * len(row):
        assert not gone
    assert abs(excess([row], gone, 0.25)[0]) <= slack * (len(row) - len(gone)) + 0.375 + 1e-6


def test_what_several_guess_right_goes_first() -> None:
    one = [True, True, True, True, False, False, False, False]
    two = [True, True, True, False, False, False, False, False]
    assert len(prune_to_chance([one, two], [0.25] * 8, "seed") & {0, 1, 2}) >= 2


def test_who_is_right_too_seldom_is_brought_up() -> None:
    often, seldom = np.zeros(200, dtype=bool), np.zeros(200, dtype=bool)
    often[:80], seldom[80:100] = True, True
    gone = prune_to_chance([often, seldom], [0.25] * 200, "seed", slack=0.01)
    left = [i for i in range(200) if i not in gone]
    assert abs(often[left].mean() - 0.25) < 0.02
    assert abs(seldom[left].mean() - 0.25) < 0.02
    assert len(left) >= 80
    assert not prune_to_chance([seldom], [0.25] * 200, "seed", from_below=False)
    assert prune_to_chance([often], [0.25] * 200, "seed", from_below=False) <= set(range(80))


@given(st.lists(st.booleans(), min_size=8, max_size=80))
def test_answers_stay_even_as_far_as_anything_helps(row: list[bool]) -> None:
    answers = [str(i % 2) for i in range(len(row))]
    gone = prune_to_chance([row], [0.25] * len(row), "seed", answers=answers)
    left = [i for i in range(len(row)) if i not in gone]
    counts = [sum(answers[i] == a for i in left) for a in "01"]
    if gone and abs(counts[0] - counts[1]) > 1:
        # Only an answer that has nothing left of what goes stays more frequent.
        often = str(int(counts[1] > counts[0]))
        going = {row[i] for i in gone}
        assert len(going) == 2 or not any(row[i] in going for i in left if answers[i] == often)


def one_by_one(
    right: np.ndarray, chance: list[float], seed: str, slack: float, answers: list[str], from_below: bool
) -> set[int]:
    """The rule as its docstring has it: all questions are weighed, one goes, until none helps."""
    order = list(range(len(chance)))
    random.Random(seed).shuffle(order)
    left, gone = order[:], set[int]()
    total = (right - np.array(chance))[:, order].sum(axis=1)

    def off(total: np.ndarray, count: int) -> float:
        beyond = np.maximum((np.abs(total) if from_below else total) - slack * count, 0.0)
        return float(np.round(np.square(beyond).sum(), 9))

    while left and off(total, len(left)) > 0:
        counts = {name: sum(answers[i] == name for i in left) for name in set(answers)}
        then = {i: off(total - (right[:, i] - chance[i]), len(left) - 1) for i in left}
        frequent = [i for i in left if counts[answers[i]] == max(counts.values())]
        now = off(total, len(left))
        nearest = (min(some, key=then.__getitem__) for some in (frequent, left))
        best = next((i for i in nearest if then[i] < now), None)
        if best is None:
            break
        left.remove(best)
        gone.add(best)
        total = total - (right[:, best] - chance[best])
    return gone


@pytest.mark.parametrize("from_below", [True, False])
@pytest.mark.parametrize("values", [2, 4, 1000])
def test_questions_weighed_once_for_all_that_are_alike_go_as_if_each_were_weighed(
    values: int, from_below: bool
) -> None:
    generator = np.random.default_rng(values)
    for count in (1, 40, 150):
        right = generator.integers(0, values, (3, count)) / (values - 1)
        right[0] = np.minimum(1.0, right[0] + (generator.random(count) < 0.4))
        chance = generator.choice([0.25, 0.5], count).tolist()
        answers = generator.choice(["left", "right", "back"], count).tolist()
        found = prune_to_chance(right, chance, "seed", 0.01, answers, from_below=from_below)
        assert found == one_by_one(right, chance, "seed", 0.01, answers, from_below)
        assert found or count == 1
