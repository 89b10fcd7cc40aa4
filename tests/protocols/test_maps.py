"""Cognitive maps, drawn by the model or given."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dialogues import PICTURE, Talk, Turn
from tolman import benchmarks, protocols
from tolman.cognitive_maps import read_map
from tolman.errors import UsageError
from tolman.ground_truth.question_families import categories_in
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.protocols import ProtocolOptions, cognitive_map
from tolman.protocols.cognitive_map import drawn_map, pose_lines
from tolman.scenes import Capture, Scene

VSI = benchmarks.get("vsi-bench")

# As the release prints it (branch cogmap, lmms_eval/models/gemini_api.py), with its categories filled in.
RELEASED = """\
[Task]
This video captures an indoor scene. Your objective is to identify specific objects within the video, understand the spatial arrangement of the scene, and estimate the center point of each object, assuming the entire scene is represented by a 10x10 grid.

[Rule]
1. We provide the categories to care about in this scene: ['stove', 'sofa', 'tv']. Focus ONLY on these categories.
2. Estimate the center location of each instance within the provided categories, assuming the entire scene is represented by a 10x10 grid.
3. If a category contains multiple instances, include all of them.
4. Each object's estimated location should accurately reflect its real position in the scene, preserving the relative spatial relationships among all objects.

[Output]
Present the estimated center locations for each object as a list within a dictionary.
STRICTLY follow this JSON format:
{"category name": [(x_1, y_1), ...], ...}"""
DRAWN = '{"stove": [(1, 1)], "sofa": [(1, 9)], "tv": [(5, 0)]}'
SECOND = "According to the original video and the predicted objects' center locations, answer the following question:"


def test_the_map_is_drawn_and_then_answered_from(talk: Talk, direction: Item) -> None:
    outcome = talk.run([direction], "cognitive-map", lambda turns: DRAWN if len(turns) == 1 else "C")
    first = ("user", [PICTURE, RELEASED])
    question = VSI.blind_prompt(direction, VSI.presets[0]).text
    assert talk.sent == [[first], [first, ("assistant", [DRAWN]), ("user", [f"{SECOND}\n{question}"])]]
    assert [b["max_tokens"] for b in talk.bodies] == [4096, 16]
    assert outcome.response == "C"
    assert outcome.notes == {}
    drawn = outcome.turn("map")
    reading = read_map(drawn.response, categories=categories_in(direction))
    assert reading.map is not None
    assert reading.map.places["tv"] == ((5.0, 0.0),)


def test_the_map_of_a_runs_response_is_read_with_the_runs_settings(talk: Talk, direction: Item, scenes: Path) -> None:
    reply = '{"stove": [(15, 1)], "lamp": [(1, 1)]}'
    outcome = talk.run([direction], "cognitive-map", reply, grid=20)
    reading = drawn_map(outcome, direction, talk.protocol.settings)
    assert reading is not None
    assert reading.map is not None
    assert dict(reading.map.places) == {"stove": ((15.0, 1.0),)}
    assert "'sofa' is not placed" in reading.problems
    whole = talk.run([direction], "cognitive-map", reply, scenes=scenes, map_categories="scene")
    assert drawn_map(whole, direction, talk.protocol.settings) is not None
    plain = talk.run([direction], "direct", "C")
    assert drawn_map(plain, direction, {}) is None


def test_a_grid_of_twenty_is_asked_for_in_both_places(talk: Talk, direction: Item) -> None:
    talk.run([direction], "cognitive-map", DRAWN, grid=20)
    assert talk.sent[0][0][1][1] == RELEASED.replace("10x10", "20x20")


def test_a_map_that_cannot_be_read_is_counted_and_answered_from_all_the_same(talk: Talk, direction: Item) -> None:
    outcome = talk.run([direction], "cognitive-map", lambda turns: "No." if len(turns) == 1 else "C")
    assert outcome.response == "C"
    assert outcome.notes == {"map that can't be read": 1}


def test_categories_are_those_that_the_question_names(released: Callable[[str, str], list[Item]]) -> None:
    wanted = {
        "object_rel_distance": ("chair", "stool", "stove", "sofa", "tv"),
        "object_rel_direction_hard": ("stove", "sofa", "tv"),
        "object_rel_direction_easy": ("stove", "sofa", "tv"),
        "object_abs_distance": ("sofa", "stove"),
        "object_counting": ("table",),
        "object_size_estimation": ("stove",),
        "obj_appearance_order": ("ceiling light", "cup", "heater", "door"),
        "room_size_estimation": (),
        "route_planning": ("bed", "tv", "toilet", "shower"),
    }
    found: dict[str, tuple[str, ...]] = {}
    for item in released("vsi-bench", "full"):
        found.setdefault(item.task, categories_in(item))
        assert bool(categories_in(item)) == (item.task != "room_size_estimation")
    assert {task: found[task] for task in wanted} == wanted


@pytest.fixture
def scenes(tmp_path: Path) -> Path:
    """A collection in the released form: one scene of three objects."""

    def box(x: float, y: float) -> dict[str, list[float]]:
        axes = [1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0]
        return {
            "centroid": [x, y, 0.4],
            "axesLengths": [0.5, 0.5, 0.5],
            "normalizedAxes": axes,
            "min": [0, 0, 0],
            "max": [1, 1, 1],
        }

    boxes = {"stove": [box(0, 0)], "sofa": [box(0, 4)], "tv": [box(-2, -1), box(1, 1)]}
    record = {
        "video_path": "s.mp4", "room_size": 20.0, "room_center": [0, 0, 0], "dataset": "d", "object_bbox": boxes,
        "object_counts": {name: len(found) for name, found in boxes.items()},
    }  # fmt: skip
    folder = tmp_path / "scenes"
    folder.mkdir()
    (folder / "d_meta_info_val.json").write_text(json.dumps({"s": record}))
    return folder


def test_the_true_map_is_given_with_the_question(talk: Talk, direction: Item, scenes: Path) -> None:
    outcome = talk.run([direction], "true-map", "C", scenes=scenes)
    question = VSI.blind_prompt(direction, VSI.presets[0]).text
    text = (
        "These are the center points of objects in the scene, seen from above on a 10x10 grid. x grows to the right and "
        "y upwards:\n"
        '{"stove": [(6, 2)], "sofa": [(6, 10)], "tv": [(2, 0), (8, 4)]}\n'
        "According to the original video and the objects' center locations, answer the following question:\n" + question
    )
    assert talk.sent == [[("user", [PICTURE, text])]]
    assert outcome.response == "C"
    talk.run([direction], "true-map+blind", "C", scenes=scenes, grid=20)
    (turn,) = talk.sent[0]
    assert turn[1][0].startswith(
        "These are the center points of objects in the scene, seen from above on a 20x20 grid."
    )
    assert '"stove": [(12, 4)]' in turn[1][0]
    assert "According to the objects' center locations," in turn[1][0]


def test_a_map_of_the_whole_scene_is_one_prompt_for_all_its_questions(
    talk: Talk, direction: Item, scenes: Path
) -> None:
    other = direction.model_copy(update={"id": "8", "question": "Which?", "task": "room_size_estimation"})
    talk.run([direction, other], "cognitive-map", DRAWN, scenes=scenes, map_categories="scene")
    maps = [turns for turns in talk.sent if len(turns) == 1]
    assert len(maps) == 1  # asked once, for both
    assert "in this scene: ['stove', 'sofa', 'tv']. Focus" in maps[0][0][1][1]


@pytest.mark.parametrize(
    ("name", "change", "options", "sentence"),
    [
        ("true-map", {"scene": "d/other"}, {}, "has no scene 'd/other'; it lacks the scenes of 1 of 1 question"),
        ("true-map", {"question": "If I am standing by the stove and facing the sofa, is the ufo to my left?"}, {}, "has no object 'ufo', which question 7 (object_rel_direction_hard) names"),
        ("true-map", {"task": "strange"}, {}, "names no category to map"),
        ("cognitive-map", {}, {"grid": 1}, "a map has 2 to 100 cells along each side, not 1"),
        ("cognitive-map", {}, {"map_categories": "all"}, "--map-categories takes question or scene, not 'all'"),
        ("cognitive-map", {}, {"map_categories": "scene", "scenes": None}, "give their folder with --scenes"),
        ("cognitive-map", {"scene": None}, {"map_categories": "scene"}, "is of no scene in --scenes"),
    ],
)  # fmt: skip
def test_maps_that_cannot_be_had_are_refused(
    direction: Item, scenes: Path, name: str, change: dict[str, str], options: dict[str, object], sentence: str
) -> None:
    item = direction.model_copy(update=change)
    protocol = protocols.get(name, ProtocolOptions(**{"scenes": scenes, **options}))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=re.escape(sentence)):
        protocol.check(VSI, [item], VSI.presets[0])


def test_the_released_scenes_have_true_maps_for_their_questions(
    shared_data: Path, released: Callable[[str, str], list[Item]]
) -> None:
    items = [i for i in released("vsi-bench", "full") if i.task.startswith("object_rel")]
    put = protocols.get("true-map", ProtocolOptions(scenes=shared_data / "vsi-bench" / "meta_info"))
    put.check(VSI, items, VSI.presets[0])
    assert len(items) == 1678


def test_a_reader_who_answers_from_the_given_map_alone_is_right(
    shared_data: Path, released: Callable[[str, str], list[Item]], talk: Talk
) -> None:
    """Directions between unique objects need nothing but the map, and it says them all."""
    import math

    items = [i for i in released("vsi-bench", "full") if i.task == "object_rel_direction_hard"][:60]

    def reader(turns: list[Turn]) -> str:
        text = turns[0][1][0]
        places = read_map(text.splitlines()[1]).map
        assert places is not None
        a, b, c = (
            places.places[n][0]
            for n in re.search(r"by the (.+?) and facing the (.+?), is the (.+?) to my", text).groups()
        )  # type: ignore[union-attr]
        turn = math.atan2(c[1] - a[1], c[0] - a[0]) - math.atan2(b[1] - a[1], b[0] - a[0])
        degrees = math.degrees(turn) % 360
        side = ("front-left", "back-left", "back-right", "front-right")[int(degrees // 90)]
        return re.search(rf"([A-D])\. {side}", text)[1]  # type: ignore[index]

    talk.run(items, "true-map+blind", reader, scenes=shared_data / "vsi-bench" / "meta_info")
    answers = {outcome.id: getattr(outcome, "response", None) for outcome in talk.outcomes}
    assert answers == {item.id: item.answer for item in items}


def posed(*poses: tuple[float, float, float, float, float]) -> Capture:
    """A recording by its places in metres, and by turns to the left from +x and pitches upwards in degrees."""
    rows = []
    for x, y, z, turn, pitch in poses:
        a, b = math.radians(turn), math.radians(pitch)
        look = (math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.sin(b))
        right, down = (
            (math.sin(a), -math.cos(a), 0.0),
            (math.cos(a) * math.sin(b), math.sin(a) * math.sin(b), -math.cos(b)),
        )
        rows.append(
            (*(v for i, at in enumerate((x, y, z)) for v in (right[i], down[i], look[i], at)), 0.0, 0.0, 0.0, 1.0)
        )
    return Capture(
        id="c", scene="s", sensor="camera", media="videos/v.mp4", times=tuple(range(len(rows))), poses=tuple(rows)
    )


def test_poses_are_seen_from_the_first_frame() -> None:
    walk = posed((1, 2, 1.5, 90, -10), (1, 3, 1.5, 180, 0), (2, 2, 1.75, 0, 30), (math.nan, 0, 0, 0, 0))
    assert pose_lines(walk, [0, 1, 2, 3, 9]) == [
        "Frame 1: ahead 0.00, left 0.00, up 0.00, turn 0, pitch -10",
        "Frame 2: ahead 1.00, left 0.00, up 0.00, turn 90, pitch 0",
        "Frame 3: ahead 0.00, left -1.00, up 0.25, turn -90, pitch 30",
        "Frame 4: unknown",
        "Frame 5: unknown",
    ]


def test_the_true_poses_are_given_with_the_question(
    talk: Talk, direction: Item, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("av", reason="reading videos needs the extra 'media'")
    from videos import write_video

    write_video(talk.place / "v.mp4", 60)
    asked = Item.model_validate({**direction.model_dump(), "scene": "s", "media": [{"kind": "video", "path": "v.mp4"}]})
    walk = posed(*((0.1 * n, 0, 1.5, 0, 0) for n in range(60)))
    known = {"s": SceneGeometry(Scene(id="s", dataset="d", objects=(), video="videos/v.mp4"), (walk,))}
    monkeypatch.setattr(cognitive_map, "scenes", lambda folder: known)
    preset = replace(VSI.presets[0], frames=Frames(count=3))
    outcome = talk.run([asked], "true-poses", "C", preset=preset, scenes=tmp_path)
    ((_, parts),) = talk.sent[0]
    assert parts[:3] == [PICTURE] * 3
    assert re.findall(r"ahead ([\d.]+), left 0.00, up 0.00, turn 0, pitch 0\n", parts[3]) == ["0.00", "2.90", "5.90"]
    assert parts[3].endswith(VSI.blind_prompt(asked, preset).text)
    assert outcome.response == "C"
    with pytest.raises(UsageError, match="has no poses for the one video of 1 of 1 question"):
        talk.run([direction], "true-poses", "C", preset=preset, scenes=tmp_path)
