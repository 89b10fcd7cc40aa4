"""Which frames carry an answer, and how few evenly taken ones show all of them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tolman import benchmarks
from tolman.items import Item, Media
from tolman.media.needed_frames import KEY, FrameCount, NeededFrames, NeededThing, count_answerable, needed_frames
from tolman.media.sampling import Frames


def needs(*spans: tuple[tuple[int, int], ...], frames: int = 100, in_order: bool = False) -> NeededFrames:
    things = tuple(NeededThing(name=f"thing {i}", frames=one) for i, one in enumerate(spans))
    return NeededFrames(frames=frames, seconds=frames / 10, needed=things, in_order=in_order)


def item(said: object, *media: Media) -> Item:
    evidence = {} if said is None else {KEY: said}
    shown = media or (Media(kind="video", path="v.mp4"),)
    return Item(id="i", question="?", kind="number", answer="1", task="t", media=shown, evidence=evidence)


@pytest.mark.parametrize("rounding", ["down", "nearest"])
def test_the_least_budget_is_the_first_that_shows_everything(rounding: str) -> None:
    one = needs(((3, 4), (60, 61)), ((97, 99),), ((40, 47),)).with_least()
    least = one.least[rounding]  # type: ignore[index]
    taken = {
        count: set(Frames(count=count, rounding=rounding).indices(100, Fraction(10)))  # type: ignore[arg-type]
        for count in range(1, 101)
    }
    shows = {
        count: bool(chosen & {3, 4, 60, 61}) and bool(chosen & {97, 98, 99}) and bool(chosen & set(range(40, 48)))
        for count, chosen in taken.items()
    }
    assert least == next(count for count in range(1, 101) if shows[count])
    assert least > 2
    # More frames may show less: the run's own frames decide.
    assert any(shows[a] and not shows[a + 1] for a in range(1, 100))
    for count in range(1, 101):
        assert one.shown_by(Frames(count=count, rounding=rounding)) == shows[count]  # type: ignore[arg-type]


def test_an_order_needs_each_to_come_into_view_after_the_last() -> None:
    # Evenly taken: 0 and 99; 0, 49 and 99; 0, 33, 66 and 99.
    first, second = ((10, 49),), ((30, 99),)
    assert needs(first, second).with_least().least["down"] == 3
    # Frame 49 shows both, so that three frames don't tell which comes first, nor do four (33); of five the one at 24
    # shows the first thing alone.
    assert needs(first, second, in_order=True).with_least().least["down"] == 5
    together = needs(((0, 9),), ((0, 9),), in_order=True).with_least()
    assert together.least == {}
    assert not together.shown_by(Frames(count=100))


def test_frames_a_second_and_whole_videos() -> None:
    one = needs(((48, 52),))
    assert not one.shown_by(Frames(per_second=0.2))  # two frames: the first and the last
    assert one.shown_by(Frames(per_second=0.31))
    assert one.shown_by(Frames(whole=True))


def test_items_without_such_evidence_are_unknown_and_pictures_are_not_counted() -> None:
    said = needs(((50, 52),)).with_least().model_dump(mode="json")
    broken = [
        {**said, "frames": 51},
        {**said, "needed": []},
        {**said, "needed": [{"name": "a", "frames": []}]},
        {**said, "needed": [{"name": "a", "frames": [[5, 2]]}]},
        "all of them",
        {},
    ]
    items = [
        item(said),
        item(None),
        *(item(one) for one in broken),
        item(None, Media(kind="image", path="a.jpg")),
        item(said, Media(kind="video", path="v.mp4", start=1.0, end=2.0)),
    ]
    assert count_answerable(items, Frames(count=2)) == FrameCount(unanswerable=1, unknown=8)
    assert count_answerable(items, Frames(count=3)) == FrameCount(unanswerable=1, unknown=8)  # frame 49
    assert count_answerable(items, Frames(count=5, rounding="nearest")).answerable == 1  # frame 50
    assert needed_frames(items[0]) is not None
    assert all(needed_frames(one) is None for one in items[1:8])


def test_all_pairs_of_spans_agree_with_trying_every_frame() -> None:
    spans = [((a, a + 2),) for a in range(0, 28, 5)]
    for one, other in itertools.product(spans, repeat=2):
        found = needs(one, other, frames=30).with_least().least["down"]
        wanted = [set(range(a, b + 1)) for ((a, b),) in (one, other)]
        tried = next(n for n in range(1, 31) if all(w & set(Frames(count=n).indices(30, Fraction(3))) for w in wanted))
        assert found == tried


@given(st.integers(1, 5000), st.integers(2, 128))
def test_a_number_of_frames_is_numpys_linspace_as_lmms_eval_uses_it(total: int, count: int) -> None:
    found = Frames(count=count).indices(total, Fraction(60))
    if count < total:
        assert found == np.linspace(0, total - 1, count, dtype=int).tolist()
    else:
        assert found == list(range(total))


@given(st.integers(1, 4000), st.sampled_from([24, 25, 30, 60, Fraction(30000, 1001)]))
def test_spatialbench_shows_one_frame_a_second_and_at_most_64(total: int, fps: int | Fraction) -> None:
    frames = benchmarks.get("spatialbench").presets[0].frames
    # As the released code computes it.
    wanted = min(min(int(total / float(fps)), 64), total)
    if wanted == 0:
        released = []
    elif wanted == 1:
        released = [0]
    else:
        step = (total - 1) / (wanted - 1)
        released = [round(i * step) for i in range(wanted)]
    assert frames.indices(total, Fraction(total) / fps) == released


@given(st.integers(1, 3000), st.integers(1, 64), st.sampled_from(["down", "nearest"]))
def test_frames_rise_from_the_first_to_the_last(total: int, count: int, rounding: str) -> None:
    found = Frames.model_validate({"count": count, "rounding": rounding}).indices(total, Fraction(1))
    assert len(found) == min(count, total)
    assert found == sorted(set(found))
    assert found[0] == 0
    assert len(found) == 1 or found[-1] == total - 1


def test_a_rate_spreads_as_many_frames_as_there_are_seconds_from_the_first_to_the_last() -> None:
    found = Frames(per_second=1.0).indices(105, Fraction("10.5"))  # the example in the help of --fps
    assert (len(found), found[0], found[-1]) == (10, 0, 104)


def test_a_rate_is_capped() -> None:
    assert len(Frames(per_second=2.0, cap=10).indices(900, Fraction(30))) == 10
    assert len(Frames(per_second=0.1).indices(900, Fraction(30))) == 3
    assert Frames(per_second=1.0).indices(10, Fraction(1, 3)) == []


def test_a_sampling_says_what_it_is() -> None:
    said = {
        "16 frames": Frames(count=16),
        "1 frame": Frames(count=1),
        "1 frame/s, at most 64": Frames(per_second=1.0, cap=64),
        "0.5 frame/s": Frames(per_second=0.5),
        "whole video": Frames(whole=True),
        "all frames": Frames(),
        "16 frames as video": Frames(count=16, native=True),
        "16 frames with texts": Frames(count=16, label="{number} <image>"),
    }
    assert {frames.describe(): frames for frames in said.values()} == said


@given(st.integers(1, 3000), st.integers(1, 64))
def test_middles_leave_out_the_first_and_the_last_frame(total: int, count: int) -> None:
    found = Frames(count=count, rounding="middle").indices(total, Fraction(1))
    assert len(found) == min(count, total)
    assert found == sorted(set(found))
    assert all(0 <= number < total for number in found)
    if 4 <= 3 * count < total:
        # InternVL's own: the middle of each of `count` equal parts.
        part = (total - 1) / count
        assert found == [int(part / 2 + np.round(part * i)) for i in range(count)]
        assert found[0] > 0
        assert found[-1] < total - 1


def test_a_rate_samples_by_time_where_the_frame_rate_varies() -> None:
    moments = [i / 30 for i in range(30)] + [float(second) for second in range(1, 11)]
    length = Fraction(301, 30)
    assert [round(moments[i], 3) for i in Frames(per_second=1).indices(40, length, moments)] == list(range(10))
    halves = Frames(per_second=2).indices(40, length, moments)
    assert [moments[i] for i in halves] == [0.0, 0.5, *(float(second) for second in range(1, 10))]
    assert Frames(per_second=30).indices(40, length, moments) == list(range(40))
    capped = Frames(per_second=1, cap=4).indices(40, length, moments)
    assert [moments[i] for i in capped] == [0.0, 2.0, 5.0, 7.0]
    assert Frames(per_second=1, cap=1).indices(40, length, moments) == [0]
    assert Frames(per_second=0.05).indices(40, length, moments) == []
    # A number of frames is a number of frames.
    assert Frames(count=8).indices(40, length, moments) == Frames(count=8).indices(40, length)


@given(st.integers(1, 2000), st.sampled_from([10, 24, 25, 30]), st.floats(0.1, 40), st.integers(1, 80))
def test_a_constant_rate_is_sampled_by_numbers(total: int, rate: int, wanted: float, cap: int) -> None:
    # As all versions have done it: as many frames as fit into the length, spread over the numbers.
    count = min(int(Fraction(total, rate) * Fraction(wanted)), total, cap)
    expected = [0] * count if count <= 1 else np.linspace(0, total - 1, count, dtype=int).tolist()
    assert Frames(per_second=wanted, cap=cap).indices(total, Fraction(total, rate), None) == expected
