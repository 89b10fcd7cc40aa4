"""Corrections: absolute facts, applied any number of times, to collections of any kind."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tolman.errors import InputError
from tolman.ground_truth.corrections import (
    NAME,
    ORIGINALS,
    Absent,
    BoxIs,
    CategoryIs,
    CountIs,
    ScaleIs,
    append_corrections,
    correct,
    correct_captures,
    declare_scale,
    find_unmatched,
    read_corrections,
)
from tolman.ground_truth.scene_arrays import SceneGeometry, open_collection
from tolman.scene_table import Part, Parts, write_captures, write_scenes
from tolman.scenes import Capture, OrientedBox, Scene, SceneObject, Sighting, Skipped

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def box(x: float) -> OrientedBox:
    return OrientedBox(center=(x, 0.0, 0.5), axes=UPRIGHT, extents=(0.5, 0.6, 1.0))


def scene(counts: bool = True) -> Scene:
    things = [("1", "chair"), ("2", "chair"), ("3", "table")]
    objects = tuple(SceneObject(id=i, category=name, box=box(float(i))) for i, name in things)
    return Scene(id="d/s", dataset="d", objects=objects, counts={"chair": 2, "table": 1} if counts else {})


FACTS = st.one_of(
    st.builds(CategoryIs, scene=st.just("d/s"), object=st.sampled_from("1234"), category=st.sampled_from("ab")),
    st.builds(Absent, scene=st.just("d/s"), object=st.sampled_from("1234")),
    st.builds(
        BoxIs, scene=st.just("d/s"), object=st.sampled_from("1234"), category=st.sampled_from(["chair", "c"]),
        box=st.sampled_from([box(1.0), box(7.0)]),
    ),
    st.builds(ScaleIs, scene=st.just("d/s"), metres=st.floats(0.1, 10)),
    st.builds(CountIs, scene=st.sampled_from(["d/s", "d/other"]), category=st.sampled_from(["chair", "a"]), count=st.integers(0, 9)),
)  # fmt: skip


@given(st.lists(FACTS, max_size=8), st.booleans())
def test_applying_twice_is_applying_once(facts: list, counts: bool) -> None:  # type: ignore[type-arg]
    for start in (scene(counts), scene(counts).model_copy(update={"metric": False})):
        once = correct(start, facts)
        assert correct(once, facts) == once


@given(st.lists(FACTS, max_size=8))
def test_counts_are_those_of_the_boxes_where_no_count_is_given(facts: list) -> None:  # type: ignore[type-arg]
    found = correct(scene(), [fact for fact in facts if not isinstance(fact, CountIs)])
    assert found.counts == {name: len(found.of(name)) for name in {thing.category for thing in found.objects}}


def test_each_fact_does_what_it_says() -> None:
    assert correct(scene(), [CategoryIs(scene="d/s", object="1", category="stool")]).counts == {
        "chair": 1, "table": 1, "stool": 1,
    }  # fmt: skip
    assert [o.id for o in correct(scene(), [Absent(scene="d/s", object="2")]).objects] == ["1", "3"]
    moved = correct(scene(), [BoxIs(scene="d/s", object="3", category="desk", box=box(9.0))])
    assert (moved.of("desk")[0].box, moved.of("table")) == (box(9.0), [])
    assert correct(scene(), [CountIs(scene="d/s", category="chair", count=5)]).count("chair") == 5
    assert correct(scene(), [Absent(scene="d/other", object="2")]) == scene()


def test_a_later_fact_about_the_same_thing_takes_the_place_of_the_older(tmp_path: Path) -> None:
    append_corrections(tmp_path, [Absent(scene="d/s", object="1"), CountIs(scene="d/s", category="chair", count=5)])
    facts = [
        BoxIs(scene="d/s", object="1", category="chair", box=box(3.0), note="it is there"),
        CountIs(scene="d/s", category="chair", count=4),
    ]
    assert append_corrections(tmp_path, facts) == 2
    assert list(read_corrections(tmp_path)) == facts


def test_what_matches_nothing_is_named() -> None:
    facts = [
        Absent(scene="d/s", object="8"),
        BoxIs(scene="d/s", object="9", category="x", box=box(1.0)),
        CategoryIs(scene="d/s", object="9", category="y"),
    ]
    assert find_unmatched(scene(), facts) == ["the correction 'absent' is about object '8', which isn't in the scene"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is no JSON"),
        ('{"version": 2, "corrections": []}', "version"),
        (
            '{"version": 1, "corrections": [{"fact": "absent", "scene": "d/s", "object": "1"}, {"fact": "count", "scene": "d/s", "category": "x", "count": -1}]}',
            "row 2, field 'count'",
        ),
        ('{"version": 1, "corrections": [{"fact": "gone", "scene": "d/s"}]}', "row 1"),
        ('{"version": 1, "corrections": [{"fact": "count", "scene": "d/s", "category": "x", "count": true}]}', "count"),
        ('{"version": 1, "corrections": [], "corrections": []}', "has the key 'corrections' twice"),
        ("[" * 100_000, "is no JSON"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / NAME).write_text(content)
    with pytest.raises(InputError, match=said):
        read_corrections(tmp_path)


def test_they_hold_wherever_a_collection_is_opened(tmp_path: Path) -> None:
    write_scenes(tmp_path, [scene()])
    sightings = tuple(Sighting(frame=0, object=name, pixels=300) for name in "123")
    write_captures(tmp_path, [Capture(id="d/s/ego", scene="d/s", sensor="camera", times=(0.0,), sightings=sightings)])
    append_corrections(tmp_path, [Absent(scene="d/s", object="2"), Absent(scene="d/gone", object="1")])
    found = list(open_collection(tmp_path))
    (geometry,) = (one for one in found if isinstance(one, SceneGeometry))
    assert [thing.id for thing in geometry.scene.objects] == ["1", "3"]
    assert [s.object for s in geometry.captures[0].sightings] == ["1", "3"]
    (skipped,) = (one for one in found if isinstance(one, Skipped))
    assert (skipped.scene, NAME in skipped.reason) == ("d/gone", True)


def test_corrections_without_a_match_are_listed_once_wherever_a_collection_is_opened(tmp_path: Path) -> None:
    write_scenes(tmp_path, [scene()])
    facts = [
        Absent(scene="d/s", object="2"),
        Absent(scene="d/s", object="nope"),
        CategoryIs(scene="d/s", object="3", category="desk"),
        CountIs(scene="d/s", category="desk", count=2),
        CountIs(scene="d/s", category="chiar", count=2),
        CountIs(scene="d/s", category="window", count=2),
    ]
    append_corrections(tmp_path, facts)
    said = [
        "the correction 'absent' is about object 'nope', which isn't in the scene",
        "the correction 'count' is about 'chiar', which the scene lacks; it has 'chair'",
    ]
    assert [one.reason for one in open_collection(tmp_path) if isinstance(one, Skipped)] == said
    # Ingest applies corrections to what it writes, and keeps the scene as it was.
    Parts(tmp_path, ORIGINALS).write(Part(scene(), ()))
    write_scenes(tmp_path, [correct(scene(), facts)])
    assert [one.reason for one in open_collection(tmp_path) if isinstance(one, Skipped)] == said


def test_a_corrected_category_is_composed_and_not_blank(tmp_path: Path) -> None:
    assert CategoryIs(scene="d/s", object="1", category="cafe\u0301 \u202echair").category == "caf\u00e9 chair"
    with pytest.raises(ValueError, match="is blank; name the kind of object"):
        CountIs(scene="d/s", category="\u200b ", count=1)


def test_meta_info_is_corrected_too(tmp_path: Path) -> None:
    record = {
        "dataset": "d", "object_counts": {"chair": 1}, "room_size": 9.0, "room_center": [0, 0, 0],
        "object_bbox": {"chair": [{"centroid": [0, 0, 0], "axesLengths": [1, 1, 1], "normalizedAxes": [1, 0, 0, 0, 1, 0, 0, 0, 1]}]},
    }  # fmt: skip
    (tmp_path / "x_meta_info_val.json").write_text(json.dumps({"s": record}))
    append_corrections(tmp_path, [CategoryIs(scene="d/s", object="chair 1", category="stool")])
    (geometry,) = open_collection(tmp_path)
    assert isinstance(geometry, SceneGeometry)
    assert geometry.scene.counts == {"stool": 1}


def test_a_scale_holds_for_all_lengths_of_a_scene_without_one_and_for_boxes_that_are_there(tmp_path: Path) -> None:
    unknown = scene().model_copy(update={"metric": False, "room_area": 3.0, "floor": (((0, 0), (1, 0), (1, 1)),)})
    pose = (1.0, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1)
    seen = Sighting(frame=0, object="1", pixels=5, depth=1.5)
    camera = Capture(id="c", scene="d/s", sensor="camera", times=(0.0,), poses=(pose,), sightings=(seen,))
    append_corrections(tmp_path, [BoxIs(scene="d/s", object="9", category="lamp", box=box(4.0))])
    for factor, total in ((2.0, 2.0), (1.5, 3.0)):
        declare_scale(tmp_path, "d/s", factor)
        facts = read_corrections(tmp_path)
        now = correct(unknown, facts)
        assert now.metric
        assert now.room_area == pytest.approx(3 * total**2)
        assert now.floor[0][2] == pytest.approx((total, total))
        assert {one.id: one.box.center[0] for one in now.objects} == {n: total * int(n) for n in "123"} | {
            "9": 4 * total
        }
        (moved,) = correct_captures([camera], unknown, now, facts)
        assert (moved.poses[0][3], moved.poses[0][7], moved.poses[0][11]) == (total, 2 * total, 3 * total)
        assert moved.sightings[0].depth == pytest.approx(1.5 * total)
        assert correct_captures([moved], now, correct(now, facts), facts) == [moved]
    assert correct(scene(), facts).objects[:3] == scene().objects  # its metres are known already


def test_a_new_scale_holds_after_ingest_applied_the_former(tmp_path: Path) -> None:
    unknown = scene().model_copy(update={"metric": False})
    Parts(tmp_path, ORIGINALS).write(Part(unknown, ()))
    declare_scale(tmp_path, "d/s", 2.0)
    write_scenes(tmp_path, [correct(unknown, read_corrections(tmp_path))])
    declare_scale(tmp_path, "d/s", 2.0)
    (now,) = (one for one in open_collection(tmp_path) if isinstance(one, SceneGeometry))
    assert now.boxes.centers[2][0] == pytest.approx(12.0)


def test_the_frames_of_a_box_take_the_place_of_its_sightings() -> None:
    old = tuple(Sighting(frame=frame, object=name, pixels=1) for frame, name in ((0, "1"), (1, "2")))
    camera = Capture(id="c", scene="d/s", sensor="camera", times=(0.0, 1.0), sightings=old)
    fact = BoxIs(
        scene="d/s", object="1", category="chair", box=box(3.0), seen={"c": ((1, 70), (9, 5)), "other": ((0, 3),)}
    )
    now = correct(scene(), [fact])
    (found,) = correct_captures([camera], scene(), now, [fact])
    assert [(one.frame, one.object, one.pixels) for one in found.sightings] == [(1, "2", 1), (1, "1", 70)]
