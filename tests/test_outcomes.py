"""Outcomes of many items are the same as those of few, kept otherwise."""

import pytest
from hypothesis import given, strategies as st

from tolman import responses as module
from tolman.responses import Failure, FailureKind, Outcome, Outcomes, Response, Turn, Usage

texts = st.text(max_size=20)
responses = st.builds(
    Response,
    id=st.sampled_from("abcdef"),
    response=texts,
    repeat=st.integers(0, 2),
    reasoning=st.none() | texts,
    usage=st.builds(Usage, input_tokens=st.integers(0, 9), reasoning_tokens=st.integers(0, 9)),
    seconds=st.none() | st.floats(0, 1e6),
    turns=st.lists(st.builds(Turn, purpose=st.just("map"), prompt=texts, response=texts), max_size=2).map(tuple),
    notes=st.dictionaries(st.sampled_from(["tied", "cut"]), st.integers(1, 3)),
    cost=st.none() | st.floats(0, 10),
)
failures = st.builds(
    Failure, id=st.sampled_from("abcdef"), kind=st.sampled_from(FailureKind), message=texts, repeat=st.integers(0, 2)
)


@given(st.lists(responses | failures, max_size=12), st.integers(0, 4))
def test_they_are_a_mapping_whatever_their_number(found: list[Outcome], few: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY", few)
        kept = Outcomes.of(found)
        plain = {(one.id, one.repeat): one for one in found}
        assert dict(kept) == plain
        assert list(kept.values()) == list(plain.values())
        assert len(kept) == len(plain)
        other = Outcomes()
        for key in sorted(plain):
            other.take(key, kept)
        assert dict(other) == plain
        assert list(other) == sorted(plain)
        for key in plain:
            del other[key]
        assert not other
