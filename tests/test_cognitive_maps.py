"""Reading maps as models write them, and true maps from scenes."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from counting import calls
from tolman.cognitive_maps import CognitiveMap, read_map, true_map
from tolman.scenes import OrientedBox, Scene, SceneObject

EXPECTED = {"chair": ((1.0, 2.0), (3.0, 4.0)), "tv": ((9.0, 0.0),)}


@pytest.mark.parametrize(
    "text",
    [
        '{"chair": [(1, 2), (3, 4)], "tv": [(9, 0)]}',
        '{"chair": [[1, 2], [3, 4]], "tv": [[9, 0]]}',
        "{'chair': [(1, 2), (3, 4)], 'tv': [(9, 0)]}",
        '```json\n{\n  "chair": [(1, 2), (3, 4),],\n  "tv": [(9, 0)],\n}\n```',
        'Here is the map:\n```\n{"chair": [(1, 2), (3, 4)], "tv": [(9, 0)]}\n```\nI hope that helps {really}.',
        "{“chair”: [(1, 2), (3, 4)], “tv”: [(9, 0)]}",
        '{"chair": [{"x": 1, "y": 2}, {"x": 3, "y": 4}], "tv": {"x": 9, "y": 0}}',
        '{"chair": [(1, 2, 0.5), (3, 4, 0)], "tv": (9, 0)}',
        '{"Chair": [(1.0, 2.00), (3, 4)], "TV": [9, 0]}',
        '{"chairs": [(1, 2), (3, 4)], "tv": [(9, 0)]}',
        '{"chair 1": [(1, 2)], "chair_2": [(3, 4)], "tv": [(9, 0)]}',
        "{chair: [(1, 2), (3, 4)], tv: [(9, 0)]}",
        '{"map": {"chair": [(1, 2), (3, 4)], "tv": [(9, 0)]}}',
        "chair: [(1, 2), (3, 4)]\ntv: [(9, 0)]",
        '{"chair": [(1, 2), (3, 4)], "tv": [(9, 0)',
        '{"chair": [(5, 5)], "tv": [(5, 5)]} Wait, no:\n{"chair": [(1, 2), (3, 4)], "tv": [(9, 0)]}',
        '<think>{"tv": [(5, 5)]}</think>{"chair": [(1, 2), (3, 4)], "tv": [(9, 0)]}',
        'The format is {"category name": [(x_1, y_1), ...]}.\n{"chair": [(1, 2), (3, 4)], "tv": [(9, 0)]}',
        '{"chair": [(1, 2), (3, 4)], "tv": [(9, 0)]}\nin the format {"category name": [(x_1, y_1), ...], ...}',
        '{"chair": [( 1 ,2 ), (+3,4)], "tv": [(9, 0)]} // done',
        "{`chair`: [（1，2）, (3, 4)], `tv`: [(9, 0)]}",
    ],
)  # fmt: skip
def test_maps_are_read_as_models_write_them(text: str) -> None:
    reading = read_map(text, categories=["chair", "tv"])
    assert reading.map is not None
    assert dict(reading.map.places) == EXPECTED


@pytest.mark.parametrize(
    "text",
    ["", "I can't see a video.", "{}", '{"category name": [(x_1, y_1), ...]}', "{{{{", "}{", '"chair": [', "(1, 2)"],
)
def test_what_is_no_map_is_none(text: str) -> None:
    reading = read_map(text, categories=["chair"])
    assert reading.map is None
    assert "no map" in reading.problems


def test_what_cannot_be_used_is_said() -> None:
    reading = read_map('{"chair": [(1, 2), (11, 3), (-1, 2)], "ufo": [(1, 1)]}', categories=["chair", "lamp"])
    assert reading.map is not None
    assert dict(reading.map.places) == {"chair": ((1.0, 2.0),)}
    assert reading.problems == ("'ufo' was not asked for", "2 places outside the grid", "'lamp' is not placed")
    assert read_map('{"ufo": [(1, 2)]}', categories=["chair"]).map is None


def test_a_grid_of_twenty_has_room_for_twenty() -> None:
    assert read_map('{"a": [(20, 15)]}', grid=20).map == CognitiveMap(20, {"a": ((20.0, 15.0),)})
    assert read_map('{"a": [(20, 15)]}', grid=10).map is None


@given(st.text(max_size=400) | st.text(alphabet="{}[]()\"':,. 0123xyab`\\-", max_size=400))
def test_no_text_breaks_the_reader(text: str) -> None:
    reading = read_map(text, categories=["a", "b"])
    if reading.map is not None:
        assert set(reading.map.places) <= {"a", "b"}
        assert all(0 <= v <= 10 for places in reading.map.places.values() for place in places for v in place)


@pytest.mark.parametrize(
    "text",
    ["{" * 50_000, '{"a":' * 20_000, "[(" * 50_000, '"a' * 50_000, "a:" * 50_000, "(1," * 50_000, '{"x":1,' * 20_000,
     "```\n" * 20_000, "{}" * 50_000, "'" * 100_000, '{"a": [(1, 1)]}' * 20_000, "a " * 50_000, "9" * 100_000,
     "<think>" * 20_000],
)  # fmt: skip
def test_work_grows_with_the_length_of_a_hostile_text(text: str) -> None:
    """Counted, not timed; the whole text is read as well."""
    quarter, whole = (calls(partial(read_map, part, categories=["a"])) for part in (text[: len(text) // 4], text))
    assert whole <= 6 * quarter


PLACES = st.lists(st.tuples(*[st.integers(0, 1000).map(lambda v: v / 100)] * 2), min_size=1, max_size=4)
NAMES = st.text(alphabet="abcdefg", min_size=3, max_size=8)


@given(st.dictionaries(NAMES, PLACES, min_size=1, max_size=6))
def test_what_is_written_is_read_back(places: dict[str, list[tuple[float, float]]]) -> None:
    written = CognitiveMap(10, {name: tuple(points) for name, points in places.items()})
    assert read_map(written.text()).map == written


def scene(*things: tuple[str, float, float]) -> Scene:
    identity = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    objects = (
        SceneObject(id=str(i), category=c, box=OrientedBox(center=(x, y, 9.0 * i), axes=identity, extents=(1, 1, 1)))
        for i, (c, x, y) in enumerate(things)
    )
    return Scene(id="s", dataset="d", objects=tuple(objects))


def test_a_true_map_leaves_z_out_and_fills_the_grid_with_the_longer_side() -> None:
    room = scene(("a", -2, 1), ("b", 2, 1), ("c", 0, 3), ("a", 0, 1))
    found = true_map(room)
    assert dict(found.places) == {"a": ((0.0, 2.5), (5.0, 2.5)), "b": ((10.0, 2.5),), "c": ((5.0, 7.5),)}
    assert dict(true_map(room, stretch=True).places)["c"] == ((5.0, 10.0),)
    assert dict(true_map(room, grid=20, categories=["b"]).places) == {"b": ((20.0, 5.0),)}
    assert found.text() == '{"a": [(0, 2.5), (5, 2.5)], "b": [(10, 2.5)], "c": [(5, 7.5)]}'
    with pytest.raises(KeyError):
        true_map(room, categories=["d"])


def test_one_object_is_in_the_middle() -> None:
    assert dict(true_map(scene(("a", 7, 7))).places) == {"a": ((5.0, 5.0),)}


COORDINATES = st.floats(-20, 20, allow_nan=False)


@given(st.lists(st.tuples(COORDINATES, COORDINATES), min_size=2, max_size=8))
@example([(0.0, 0.0), (0.0, 5e-324)])
def test_a_true_map_keeps_the_proportions_of_distances(points: list[tuple[float, float]]) -> None:
    room = scene(*((f"c{i}", x, y) for i, (x, y) in enumerate(points)))
    placed = np.array([place for (place,) in true_map(room).places.values()])
    assert placed.min() >= -1e-9
    assert placed.max() <= 10 + 1e-9
    real = np.array(points)
    span = float((real.max(axis=0) - real.min(axis=0)).max())
    if span > 1e-3:
        distances = np.linalg.norm(real[:, None] - real[None], axis=2)
        mapped = np.linalg.norm(placed[:, None] - placed[None], axis=2)
        assert np.allclose(mapped, distances * 10 / span, atol=1e-6)


def test_every_released_scene_has_a_map_that_is_read_back(shared_data: Path) -> None:
    from tolman.benchmarks.vsi_bench import vsi_meta_info

    scenes = [s for s in vsi_meta_info.read(shared_data / "vsi-bench" / "meta_info") if isinstance(s, Scene)]
    assert len(scenes) == 288
    for one in scenes:
        drawn = true_map(one)
        reading = read_map(drawn.text(), categories=list(drawn.places))
        assert reading.problems == ()
        assert reading.map is not None
        for category, places in drawn.places.items():
            assert np.allclose(reading.map.places[category], places, atol=0.0051)
