"""What is left out: the surplus of right guesses over chance, and no more."""

import math

from hypothesis import given
from hypothesis import strategies as st

from tolman.guessing.surplus import surplus

ROWS = st.integers(1, 80).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=3)
)


@given(ROWS, st.sampled_from([2, 3, 4]))
def test_a_guesser_comes_down_to_chance_and_no_further(rows: list[list[bool]], options: int) -> None:
    count = len(rows[0])
    gone = surplus(rows[:1], [1 / options] * count, "seed")
    hits, left = sum(rows[0]), count - len(gone)
    kept = sum(right for i, right in enumerate(rows[0]) if i not in gone)
    assert kept <= left / options + 1e-6
    assert all(rows[0][i] for i in gone)
    if hits * options <= count:
        assert not gone
    else:
        assert kept >= math.floor(left / options) - 1


@given(ROWS)
def test_only_right_guesses_go_and_the_same_ones_every_time(rows: list[list[bool]]) -> None:
    chance = [0.25] * len(rows[0])
    gone = surplus(rows, chance, "seed")
    assert all(any(row[i] for row in rows) for i in gone)
    assert gone == surplus(rows, chance, "seed")
    assert sum(rows[-1]) - sum(rows[-1][i] for i in gone) <= (len(rows[0]) - len(gone)) / 4 + 1e-6


def test_what_several_guess_right_goes_first() -> None:
    one = [True, True, True, True, False, False, False, False]
    two = [True, True, False, False, False, False, False, False]
    assert surplus([one, two], [0.25] * 8, "seed") >= {0, 1}


@given(st.lists(st.booleans(), min_size=8, max_size=80))
def test_answers_stay_even_as_far_as_right_guesses_allow(row: list[bool]) -> None:
    answers = [str(i % 2) for i in range(len(row))]
    gone = surplus([row], [0.25] * len(row), "seed", answers=answers)
    left = [i for i in range(len(row)) if i not in gone]
    counts = [sum(answers[i] == a for i in left) for a in "01"]
    others = [[i for i in left if row[i] and answers[i] == a] for a in "01"]
    # Only an answer that has no right guess left stays more frequent.
    assert abs(counts[0] - counts[1]) <= 1 or not others[counts.index(max(counts))] or not gone
