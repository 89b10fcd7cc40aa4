"""Perceptions of a scene: what the frames show, errors of the sizes that were asked for, and distances of boxes."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("shapely", reason="scenes need the extra 'build'")

from three_rooms import ROOMS
from tolman.analyze.observer import Noise, Percepts, SampledView, box_gap, view_of
from tolman.geometry.boxes import Boxes, distances
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.media.sampling import Frames

STILL = Noise(positions=(0.0,), sizes=(0.0,), misses=(0.0,))


@pytest.fixture(scope="module")
def rooms() -> list[SceneGeometry]:
    return [one for one in open_collection(ROOMS) if isinstance(one, SceneGeometry)]


@pytest.fixture
def room(rooms: list[SceneGeometry]) -> SceneGeometry:
    return rooms[0]


def percepts(room: SceneGeometry, noise: Noise, draws: int = 4000, **changed: object) -> Percepts:
    view = replace(view_of(room), **changed)  # type: ignore[arg-type]
    return Percepts(room, view, noise, draws)


def upright(generator: np.random.Generator, count: int) -> Boxes:
    angles = generator.uniform(0, np.pi, count)
    c, s, o, i = np.cos(angles), np.sin(angles), np.zeros(count), np.ones(count)
    axes = np.stack([np.stack(row, -1) for row in ((c, s, o), (-s, c, o), (o, o, i))], axis=1)
    return Boxes(generator.uniform(-2, 2, (count, 3)), axes, generator.uniform(0.2, 1.5, (count, 3)))


def test_distances_of_moved_boxes_are_exact_to_a_centimetre() -> None:
    generator = np.random.default_rng(0)
    off = []
    for _ in range(20):
        boxes = upright(generator, 2)
        moved = generator.normal(0, 1, (200, 3))
        found = box_gap(boxes.centers[1] + moved - boxes.centers[0], boxes, 0, 1)
        first = boxes.take(np.zeros(200, dtype=np.intp))
        second = boxes.take(np.ones(200, dtype=np.intp))
        exact = distances(first, Boxes(second.centers + moved, second.axes, second.extents))
        assert (found > exact - 1e-4).all()
        off.append(found - exact)
    assert np.mean(off) < 1e-3
    assert np.quantile(off, 0.99) < 0.01


def test_a_view_of_the_whole_video_shows_what_the_families_ask_about(room: SceneGeometry) -> None:
    view = view_of(room)
    assert view.known
    assert [thing.id in room.shown_frames for thing in room.scene.objects] == view.shown.tolist()
    few = view_of(room, Frames(count=2))
    assert few.shown.sum() < view.shown.sum()
    assert not (few.shown & ~view.shown).any()
    assert (few.first[few.shown] >= view.first[few.shown]).all()
    for name, times in few.category_times.items():
        assert set(times) <= set(view.category_times[name])


def test_a_scene_without_sightings_shows_everything(room: SceneGeometry) -> None:
    view = view_of(SceneGeometry(room.scene), Frames(count=1))
    assert not view.known
    assert view.shown.all()


def test_errors_have_the_size_and_direction_that_were_asked_for(room: SceneGeometry) -> None:
    seen = percepts(room, Noise(positions=(0.0, 0.3), sizes=(0.0, 0.2), misses=(0.0, 0.25), radial=3.0))
    off = seen.places - room.boxes.centers
    assert (off[0] == 0).all()
    sight = seen.view.sight
    number = int(np.flatnonzero(np.abs(sight).any(1))[0])
    along = off[1, :, number] @ sight[number]
    across = off[1, :, number] @ np.cross(sight[number], [0.0, 0.0, 1.0])
    across /= np.linalg.norm(np.cross(sight[number], [0.0, 0.0, 1.0]))
    assert along.std() == pytest.approx(0.9, rel=0.05)
    assert across.std() == pytest.approx(0.3, rel=0.05)
    longest = seen.longest(np.full((1, seen.draws), number))
    assert (longest[0] == room.boxes.extents[number].max()).all()
    assert np.log(longest[1] / room.boxes.extents[number].max()).std() == pytest.approx(0.2, rel=0.05)
    shown = seen.view.shown
    assert seen.noticed[0][:, shown].all()
    assert seen.noticed[1][:, shown].mean() == pytest.approx(0.75, abs=0.01)
    assert not seen.noticed[..., ~shown].any()


def test_the_same_draws_are_used_at_every_level(room: SceneGeometry) -> None:
    seen = percepts(room, Noise(positions=(0.1, 0.2), sizes=(0.0,), misses=(0.1, 0.4)), 50)
    off = seen.places - room.boxes.centers
    np.testing.assert_allclose(off[1], 2 * off[0], atol=1e-12)
    assert not (seen.noticed[1] & ~seen.noticed[0]).any()


def test_drift_is_common_to_things_seen_together_and_grows_with_time(room: SceneGeometry) -> None:
    count = len(room.scene.objects)
    first = np.where(np.arange(count) < 2, 0.0, np.where(np.arange(count) < 4, 5.0, 10.0))
    seen = percepts(room, replace(STILL, drift=0.5), shown=np.ones(count, bool), first=first, end=10.0)
    off = (seen.places - room.boxes.centers)[0]
    assert (off[:, :2] == 0).all()
    np.testing.assert_allclose(off[:, 2], off[:, 3], atol=1e-12)
    assert off[:, 2].std() == pytest.approx(0.5 * np.sqrt(0.5), rel=0.05)
    assert off[:, 5].std() == pytest.approx(0.5, rel=0.05)


def test_things_that_were_last_seen_long_ago_are_forgotten(room: SceneGeometry) -> None:
    count = len(room.scene.objects)
    last = np.where(np.arange(count) == 0, 0.0, 20.0)
    seen = percepts(room, replace(STILL, memory=20.0), shown=np.ones(count, bool), last=last, end=20.0)
    assert seen.noticed[0, :, 0].mean() == pytest.approx(np.exp(-1), abs=0.03)
    assert seen.noticed[0, :, 1:].all()


def test_a_confused_thing_counts_as_one_of_another_category(room: SceneGeometry) -> None:
    seen = percepts(room, replace(STILL, confusion=0.3))
    counts = sum(seen.count(name) for name in seen.names)
    assert (counts == seen.noticed.sum(-1)).all()
    unique = room.unique[0]
    number, noticed = seen.one(unique)
    (member,) = room.members[unique]
    assert (number == member)[noticed].mean() > 0.5
    assert (number != member)[noticed].any()


def test_distances_follow_the_labels(room: SceneGeometry) -> None:
    a, b = room.unique[:2]
    true = percepts(room, STILL, 20).distance(a, b)
    assert true == pytest.approx(room.exact_distance(a, b), abs=1e-5)
    confused = percepts(room, replace(STILL, confusion=0.5), 300).distance(a, b)
    assert np.isinf(confused).any()
    finite = confused[np.isfinite(confused)]
    assert (np.abs(finite - room.exact_distance(a, b)) > 0.01).any()


def test_an_unseen_object_has_no_distance(room: SceneGeometry) -> None:
    a, b = room.unique[:2]
    view: SampledView = view_of(room)
    hidden = view.shown.copy()
    hidden[room.members[a][0]] = False
    assert np.isinf(Percepts(room, replace(view, shown=hidden), STILL, 5).distance(a, b)).all()
