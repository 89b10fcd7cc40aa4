"""Scenes and captures: what they refuse, and their lossless Parquet form."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from pydantic import ValidationError

from tolman import scene_table
from tolman.errors import InputError
from tolman.scene_table import read_captures, read_scenes, write_captures, write_scenes
from tolman.scenes import Capture, Event, OrientedBox, Scene, SceneObject, Sighting, TrackPoint

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
TILTED = ((0.6, 0.8, 0.0), (-0.48, 0.36, 0.8), (0.64, -0.48, 0.6))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"extents": (1, -1, 1)}, "an extent is negative"),
        ({"extents": (0, 0, 0)}, "all extents are zero"),
        ({"center": (float("nan"), 0, 0)}, "isn't finite"),
        ({"axes": ((1, 0, 0), (0, 1, 0), (0, 0, -1))}, "no rotation"),
        ({"axes": ((1, 0, 0), (0, 1, 0), (0, 0, 2))}, "no rotation"),
    ],
)
def test_what_is_no_box_is_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        OrientedBox.model_validate({"center": (0, 0, 0), "axes": UNIT, "extents": (1, 1, 1), **change})


def test_a_capture_has_as_many_poses_as_frames() -> None:
    with pytest.raises(ValidationError, match="1 poses for 2 frames"):
        Capture(id="c", scene="s", sensor="camera", times=(0.0, 1.0), poses=((0.0,) * 16,))


def test_the_clock_of_a_sensor_is_put_on_the_scenes_time_line() -> None:
    capture = Capture(id="c", scene="s", sensor="lidar", times=(10.0, 10.5), offset=-9.863)
    assert capture.scene_time(1) == pytest.approx(0.637)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"end": 0.5}, "ends at 0.5 s, before it starts at 1 s"),
        ({"end": float("inf")}, "finite"),
        ({"label": ""}, "at least 1 character"),
    ],
)
def test_what_is_no_event_is_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        Event.model_validate({"start": 1.0, "end": 2.0, "label": "get a knife", **change})


def test_a_scenes_events_stand_in_the_order_of_time() -> None:
    events = (Event(start=2.0, end=3.0, label="b"), Event(start=1.0, end=9.0, label="a"))
    with pytest.raises(ValidationError, match="order of time"):
        Scene(id="s", dataset="d", objects=(), events=events)
    assert Scene(id="s", dataset="d", objects=(), events=events[::-1]).events[0].label == "a"


FLOATS = st.floats(-1e3, 1e3)
VECTORS = st.tuples(FLOATS, FLOATS, FLOATS)
BOXES = st.builds(
    OrientedBox,
    center=VECTORS,
    axes=st.sampled_from([UNIT, TILTED]),
    extents=st.tuples(*[st.floats(0.01, 5)] * 3),
)
OBJECTS = st.builds(
    SceneObject,
    id=st.uuids().map(str),
    category=st.text(max_size=9),
    box=BOXES,
    track=st.lists(st.floats(0, 99), max_size=3, unique=True).map(
        lambda times: tuple(TrackPoint(seconds=t, center=(t, 0.0, 0.1), axes=TILTED) for t in sorted(times))
    ),
)
EVENTS = st.builds(
    lambda start, length, **rest: Event(start=start, end=start + length, **rest),
    start=FLOATS,
    length=st.floats(0, 60),
    label=st.text(min_size=1, max_size=9),
    kind=st.sampled_from(["", "keystep"]),
    essential=st.none() | st.booleans(),
    views=st.lists(st.text(max_size=5), max_size=2).map(tuple),
)
SCENES = st.builds(
    Scene,
    id=st.text(max_size=9),
    dataset=st.text(max_size=9),
    objects=st.lists(OBJECTS, max_size=4).map(tuple),
    counts=st.dictionaries(st.text(max_size=5), st.integers(0, 9), max_size=3),
    room_area=st.none() | st.floats(0, 500),
    room_center=st.none() | VECTORS,
    floor=st.lists(st.lists(st.tuples(FLOATS, FLOATS), min_size=3, max_size=5, unique=True).map(tuple), max_size=2).map(
        tuple
    ),
    video=st.none() | st.text(max_size=9),
    events=st.lists(EVENTS, max_size=3).map(lambda events: tuple(sorted(events, key=lambda e: e.start))),
)
CAPTURES = st.builds(
    lambda id, sensor, times, offset, sightings: Capture(
        id=id,
        scene="s",
        sensor=sensor,
        role="ego",
        size=(640, 480),
        times=tuple(sorted(times)),
        offset=offset,
        poses=tuple(tuple(float(x) for x in np.eye(4).ravel() * (t + 1)) for t in times),
        intrinsics=((500.0, 500.0, 320.0, 240.0),),
        sightings=tuple(sightings),
    ),
    st.text(max_size=9),
    st.sampled_from(["camera", "lidar"]),
    st.lists(st.floats(0, 1e6), min_size=2, max_size=5),
    FLOATS,
    st.lists(
        st.builds(
            Sighting,
            frame=st.integers(0, 1),
            object=st.text(max_size=5),
            pixels=st.integers(0, 9),
            depth=st.none() | FLOATS,
        ),
        max_size=4,
    ),
)


@settings(deadline=None, max_examples=40)
@given(st.lists(SCENES, min_size=1, max_size=5), st.lists(CAPTURES, min_size=1, max_size=3))
def test_parquet_gives_back_what_it_got(
    tmp_path_factory: pytest.TempPathFactory, scenes: list[Scene], captures: list[Capture]
) -> None:
    folder = tmp_path_factory.mktemp("s")
    assert write_scenes(folder, scenes) == len(scenes)
    assert write_captures(folder, captures) == len(captures)
    assert list(read_scenes(folder)) == scenes
    assert list(read_captures(folder)) == captures


def test_scenes_stand_in_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_table, "SHARD", 3)
    scenes = [Scene(id=str(i), dataset="d", objects=()) for i in range(8)]
    write_scenes(tmp_path, iter(scenes))
    assert [p.name for p in sorted(tmp_path.iterdir())] == [f"scenes-0000{i}.parquet" for i in range(3)]
    assert list(read_scenes(tmp_path)) == scenes
    write_scenes(tmp_path, scenes[:2])
    assert list(read_scenes(tmp_path)) == scenes[:2]


def test_a_table_of_an_earlier_version_has_no_events(tmp_path: Path) -> None:
    scene = Scene(id="a", dataset="d", objects=(), counts={"chair": 2}, events=(Event(start=1, end=2, label="x"),))
    write_scenes(tmp_path, [scene])
    path = tmp_path / "scenes-00000.parquet"
    pl.read_parquet(path).drop("events").write_parquet(path)
    assert list(read_scenes(tmp_path)) == [scene.model_copy(update={"events": ()})]


def test_a_folder_without_scenes_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no scenes-\*\.parquet"):
        list(read_scenes(tmp_path))
    (tmp_path / "scenes-00000.parquet").write_text("x")
    with pytest.raises(InputError, match="is no readable table of scenes"):
        list(read_scenes(tmp_path))
