"""What one picture tells: nothing that only another one tells."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

pytest.importorskip("shapely", reason="views need the extra 'build'")

from generate.made_places import made_place
from tolman.generate.families.mmsi_bench.support.ambiguity import Point, SingleViewAmbiguity, SingleViewCues, Values
from tolman.generate.families.mmsi_bench.support.views import Gallery, ViewSettings, gallery

RULES = ViewSettings()
SIDES = ("east", "west")
METRES = st.floats(0.5, 3.5)


@pytest.fixture(scope="module")
def shown() -> Gallery:
    return gallery(made_place(0), RULES)


def which_side(values: Values) -> np.ndarray:
    return (values["after"][:, 0] < values["before"][:, 0]).astype(np.int64)


def cues_of(shown: Gallery, before: tuple[float, float], after: tuple[float, float]) -> SingleViewCues:
    """Of a question about something that both of two pictures show, each where it then is."""
    both = next(
        (a, b, common)
        for a, b in itertools.combinations(shown.views, 2)
        if not np.array_equal(a.pose, b.pose) and (common := sorted(a.pixels.keys() & b.pixels.keys()))
    )
    a, b, (number, *_) = both
    points = {
        "before": Point(np.array(before), (number,), picture=0),
        "after": Point(np.array(after), (number,), picture=1),
    }
    found = SingleViewAmbiguity((a, b), {}, points, which_side).cues(shown, SIDES)
    assert found is not None
    return found


@given(x=METRES, y=METRES)
@settings(max_examples=15, deadline=None)
def test_a_picture_does_not_tell_where_something_is_in_the_other(shown: Gallery, x: float, y: float) -> None:
    usual = cues_of(shown, (2.0, 2.0), (2.5, 2.2))
    other_end, other_begin = cues_of(shown, (2.0, 2.0), (x, y)), cues_of(shown, (x, y), (2.5, 2.2))
    assert other_end.cues[0] == usual.cues[0]
    assert other_begin.cues[1] == usual.cues[1]
    assert (other_end.cues[1] == usual.cues[1]) == ((x, y) == (2.5, 2.2))
    assert (other_begin.cues[0] == usual.cues[0]) == ((x, y) == (2.0, 2.0))
