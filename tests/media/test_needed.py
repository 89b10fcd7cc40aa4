"""Which frames carry an answer, and how few evenly taken ones show all of them."""

import itertools
from fractions import Fraction

import pytest

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
