"""Marks beyond the reach of the depth, on pictures of cuboids."""

from dataclasses import replace

import numpy as np

from ingest.test_lifted_boxes import NOTHING, STOOLS, TABLE, around, marks_on, view
from tolman.ingest.joined_marks import join_unmeasured
from tolman.ingest.lifted_boxes import lift

NEAR = [view(pose, [TABLE, *STOOLS], depth=True) for pose in around(60, 6)]
FAR = [view(pose, [TABLE, *STOOLS]) for pose in around(60, 6, away=7.0)]
NAMES = ["table", "stool", "stool"]


def test_marks_join_the_object_in_their_place_and_each_other() -> None:
    """The table is measured, and the stools aren't."""
    marks = marks_on(FAR, NAMES, tracks=False)
    true = [mark.value for mark in marks]
    more, others = join_unmeasured(FAR, marks, range(len(marks)), [("table", TABLE, ())])
    assert [[true[i] for i in own] for own in more] == [[1] * 6]
    # A picture in which the table hides half of a stool isn't joined to the others.
    assert sorted([true[i] for i in own] for own in others if len(own) > 1) == [[2] * 5, [3] * 6]


def test_an_object_takes_one_mark_of_a_picture_and_no_other_label() -> None:
    marks = marks_on(FAR, NAMES, tracks=False)
    tables = [i for i, mark in enumerate(marks) if mark.value == 1]
    assert join_unmeasured(FAR, marks, tables[2:], [("table", TABLE, tables[:3])]) == ([tables[3:]], [tables[2:3]])
    assert join_unmeasured(FAR, marks, tables, [("sofa", TABLE, ())]) == ([[]], [tables])


def test_far_things_have_no_box_but_are_one_each() -> None:
    """Depth ends at 5 m, nearer than the stools and the table of six pictures."""
    views = [*NEAR, *(replace(one, depth=np.zeros((12, 16))) for one in FAR)]
    marks = [mark for mark in marks_on(views, NAMES, tracks=False) if mark.value == 1 or mark.view >= len(NEAR)]
    lifted = lift(views, marks, NOTHING)
    assert lifted is not None
    (table,), left_out = lifted
    assert (table.label, len(table.marks)) == ("table", 12)
    assert sorted(len(one.marks) for one in left_out) == [1, 5, 6]
    assert {(one.label, one.reason) for one in left_out} == {("stool", "beyond the reach of the depth")}
