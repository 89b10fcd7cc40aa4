"""Votes: laws of the majority, and hostile text."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from tolman.items import Item
from tolman.protocols.reasoning_strategies import choose_proposal, majority, proposals, value_of

VOTES = st.lists(st.none() | st.sampled_from("ABCD"), max_size=12)


@given(VOTES, st.text())
def test_the_winner_has_the_most_votes(votes: list[str | None], seed: str) -> None:
    found = majority(votes, seed)
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        assert found.winner is None
        assert found.votes == 0
        return
    most = max(counts.values())
    assert found.winner is not None
    assert found.votes == most == counts[found.winner]
    assert found.tied == (list(counts.values()).count(most) > 1)


@given(VOTES.flatmap(lambda votes: st.tuples(st.just(votes), st.permutations(votes))), st.text())
def test_the_order_of_votes_does_not_matter(pair: tuple[list[str | None], list[str | None]], seed: str) -> None:
    assert majority(pair[0], seed) == majority(pair[1], seed)


@given(VOTES, st.sampled_from("ABCD"), st.text())
def test_one_more_vote_for_the_winner_makes_it_win_alone(votes: list[str | None], other: str, seed: str) -> None:
    winner = majority(votes, seed).winner or other
    assert majority([*votes, winner], seed).winner == winner
    assert not majority([*votes, winner], seed).tied


def test_ties_are_broken_evenly() -> None:
    counts = Counter(majority(["A", "B", "C"], str(seed)).winner for seed in range(3000))
    assert all(900 < counts[letter] < 1100 for letter in "ABC")


@given(st.text(max_size=300), st.integers(1, 5))
def test_a_vote_is_a_proposal_or_none(text: str, count: int) -> None:
    pick = choose_proposal(text, count)
    assert pick is None or 0 <= pick < count


@pytest.mark.parametrize(
    ("text", "pick"),
    [
        ("The best plan is 2", 1),
        ("The best plan is **Plan 3**.", 2),
        ("Plan 1 is vague. I choose plan 2 over plan 1.", 1),
        ("I first thought the best plan is 1.\nBut no.\nThe best plan is 3.", 2),
        ("Compared them.\n2", 1),
        ("The best plan is 7", None),
        ("Plans 1 and 2 are equally good.", None),
        ("The best answer is number 2.", 1),
        ("", None),
        ("best " * 20_000, None),
    ],
)
def test_votes_are_read(text: str, pick: int | None) -> None:
    assert choose_proposal(text, 3) == pick


@given(st.text(alphabet="Plan 123:.\n*x", max_size=200))
def test_proposals_are_as_many_as_asked_or_none(text: str) -> None:
    found = proposals(text, 3)
    assert len(found) in (0, 3)
    assert all(part.strip() for part in found)


@pytest.mark.parametrize(
    ("text", "plans"),
    [
        ("Plan 1: a\nPlan 2: b\nPlan 3: c", ["a", "b", "c"]),
        ("### Plan 1\na\n### Plan 2\nb\n### Plan 3\nc", ["a", "b", "c"]),
        ("Sure!\n1. a\n2. b\n3. c", ["a", "b", "c"]),
        ("**Plan 1**: a\n1. x\n2. y\n**Plan 2**: b\n**Plan 3**: c", ["a\n1. x\n2. y", "b", "c"]),
        ("Plan 1: a\nPlan 2: b", []),
        ("Plan 1:\nPlan 2: b\nPlan 3: c", []),
        ("1. a\n2. b\n3. c\n4. d", []),
    ],
)
def test_plans_are_told_apart(text: str, plans: list[str]) -> None:
    assert proposals(text, 3) == plans


def test_values_are_compared_and_not_texts(choice: Callable[..., Item], number: Callable[..., Item]) -> None:
    assert {value_of(choice(), text) for text in ("B", "(B)", "B. table", "The answer is B.")} == {"B"}
    assert {value_of(number("2", unit="m"), text) for text in ("2.5", "2.50 m", "250 cm")} == {"2.5"}
    assert value_of(number("2"), "Four") == "4"
    assert value_of(choice(), "no idea") is None
