"""Whole rings of a benchmark."""

import numpy as np

from leaking import twins
from tolman.analyze.outside.learner_trials import one_right_each, whole_rings
from tolman.analyze.outside.shortcut_audit import audit_with_learners
from tolman.scoring.rule_sets import careful


def test_twins_with_each_option_right_once_are_whole_rings() -> None:
    items = twins(40, 1)
    ring = whole_rings(items)
    assert (ring >= 0).all()
    assert np.bincount(ring).tolist() == [4] * 10
    turned = items[0].model_copy(update={"options": items[0].options[::-1]})
    assert (whole_rings([turned, *items[1:]])[:4] == -1).all()
    assert (whole_rings(items[1:])[:3] == -1).all()
    twice = items[0].model_copy(update={"answer": items[1].answer})
    assert (whole_rings([twice, *items[1:]])[:4] == -1).all()


def test_one_right_of_each() -> None:
    ring = np.array([0, 0, 1, 1])
    assert one_right_each(np.array([1.0, 0.0, 0.0, 1.0]), ring)
    assert not one_right_each(np.array([1.0, 1.0, 0.0, 0.0]), ring)
    assert not one_right_each(np.array([1.0, 0.0, 0.0, 1.0]), np.array([0, 0, -1, -1]))


def test_few_whole_rings_pass_for_nothing_else_can_come_out() -> None:
    items = twins(160, 1)
    found = audit_with_learners(items, [], careful(), learners=["nearest-neighbours"])
    (row,) = found.rows
    assert (row.score, row.low, row.high, row.verdict) == (0.25, 0.0, 0.0, "pass")
    spoilt = [one.model_copy(update={"labels": {}, "evidence": {}}) for one in items]
    (row,) = audit_with_learners(spoilt, [], careful(), learners=["nearest-neighbours"]).rows
    assert row.low != 0.0


def test_scenes_that_rings_join_in_a_few_groups_still_teach() -> None:
    """40 rings of 40 scenes, ten groups of four scenes that share nothing."""
    joined = [one.model_copy(update={"scene": f"{i // 16}-{i % 4}"}) for i, one in enumerate(twins(160, 1))]
    (row,) = audit_with_learners(joined, [], careful(), learners=["nearest-neighbours"]).rows
    assert (row.scenes, row.taught, row.score, row.verdict) == (10, 128, 0.25, "pass")
