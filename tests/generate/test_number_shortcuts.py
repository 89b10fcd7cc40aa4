"""Questions for a number that words tell are left out, until learners that the filter lacks get no more than a constant."""

import numpy as np
import pytest

from leaking import by_category, sizes_of_any
from tolman.analyze.outside.shortcut_audit import audit_with_learners
from tolman.generate.shortcut_filtering import MIN_QUESTIONS, FilterItem, filter_shortcuts
from tolman.guessing.answer_space import answer_space
from tolman.items import Item
from tolman.scoring.rule_sets import careful

NEAR = 0.05
"""Points by which a learner from outside may lie over the best constant, on a few hundred questions."""


def mixed(count: int) -> list[Item]:
    """Half of the sizes told by the name, half by nothing."""
    told, free = by_category(count, 1), sizes_of_any(count, 2)
    return [(told if i % 2 else free)[i].model_copy(update={"id": str(i), "scene": f"s{i // 4}"}) for i in range(count)]


def asked(items: list[Item]) -> list[FilterItem]:
    return [FilterItem(item, item.answer, closed=True) for item in items]


def over_constant(items: list[Item]) -> dict[str, float]:
    """Learner of the audit → by how much it scores more than the best constant."""
    rows = audit_with_learners(items, (), careful(), folds=5, seed=7).rows
    return {row.learner: row.difference for row in rows if row.difference is not None}


def constant(items: list[Item]) -> float:
    """Score of the answer that is rewarded most."""
    space = answer_space(items, careful())
    own = np.array(space.right, dtype=np.intp)
    return float(space.gains[space.best_constant(own), own].mean())


@pytest.mark.full
def test_sizes_that_names_tell_are_left_out_until_learners_from_outside_get_no_more_than_a_constant() -> None:
    items = mixed(600)
    before = over_constant(items)
    assert before["constant-per-category"] > 0.2
    assert before["ngram-linear"] > 0.2
    left = [items[i] for i in filter_shortcuts(asked(items), 10, 0.25, 0)]
    assert len(left) > 150
    after = over_constant(left)
    assert len(after) == 5
    assert max(after.values()) < NEAR
    assert constant(left) < constant(items) + NEAR


def test_sizes_that_nothing_tells_stay() -> None:
    items = sizes_of_any(200, 3)
    kept = filter_shortcuts(asked(items), 2, 0.25, 0)
    assert len(kept) > 0.85 * len(items)


def test_few_numbers_teach_nobody() -> None:
    items = by_category(MIN_QUESTIONS - 1, 4)
    assert filter_shortcuts(asked(items), 4, 0.25, 0) == list(range(MIN_QUESTIONS - 1))


@pytest.mark.full
def test_what_is_left_does_not_depend_on_the_number_of_processes() -> None:
    items = [*mixed(160), *(item.model_copy(update={"task": "other"}) for item in mixed(160))]
    one = filter_shortcuts(asked(items), 1, 0.25, 5)
    assert len(one) < len(items)
    assert one == filter_shortcuts(asked(items), 1, 0.25, 5, workers=2)
