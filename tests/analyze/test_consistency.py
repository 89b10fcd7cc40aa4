"""Contradictions among answers about one scene: each rule on answers made for it, and a guesser's rate."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from tolman.analyze.consistency import (
    COUNT,
    DIRECTION,
    DISTANCE,
    KINDS,
    NEAREST,
    SIZE,
    AnswerSheet,
    Contradictions,
    SceneAnswer,
    contradictions,
    read_answers,
)
from tolman.ground_truth.scene_arrays import SceneGeometry
from tolman.items import CANT_TELL, Item
from tolman.scenes import OrientedBox, Scene, SceneObject

FLAT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SECTORS = {
    "object_rel_direction_easy": ("left", "right"),
    "object_rel_direction_medium": ("left", "back", "right"),
    "object_rel_direction_hard": ("front-left", "back-left", "back-right", "front-right"),
}
EASY, MEDIUM, HARD = SECTORS


def room(*names: str) -> SceneGeometry:
    boxes = [
        OrientedBox(center=(float(n), float(n * n), 0.5), axes=FLAT, extents=(0.2,) * 3) for n in range(len(names))
    ]
    things = [
        SceneObject(id=f"{n}", category=name, box=box) for n, (name, box) in enumerate(zip(names, boxes, strict=True))
    ]
    return SceneGeometry(Scene(id="s", dataset="made", objects=tuple(things)))


ROOM = room("a", "b", "c", "d", "chair", "chair")


def turned(task: str, here: str, facing: str, asked: str, said: str) -> SceneAnswer:
    value = float(SECTORS[task].index(said))
    name = f"{task[-4:]} {here}{facing}{asked}"
    return SceneAnswer(name, task, "s", "s", 0, DIRECTION, (here, facing, asked), value, 0.0, len(SECTORS[task]))


def nearest(primary: str, options: str, said: str, *, repeat: int = 0) -> SceneAnswer:
    about = (primary, *options)
    head = f"{primary}:{options}", "object_rel_distance", "s", "s", repeat, NEAREST, about
    return SceneAnswer(*head, float(options.index(said)), 0.0, len(options))


def apart(a: str, b: str, metres: float, *, id: str = "") -> SceneAnswer:
    about = (min(a, b), max(a, b))
    return SceneAnswer(id or f"{a}-{b}", "object_abs_distance", "s", "s", 0, DISTANCE, about, metres, 1.0, 0)


def large(name: str, centimetres: float) -> SceneAnswer:
    return SceneAnswer(f"size {name}", "object_size_estimation", "s", "s", 0, SIZE, (name,), centimetres, 1.0, 0)


def found_in(answers: Sequence[SceneAnswer], tolerance: float = 0.2) -> dict[str, Contradictions]:
    return contradictions(AnswerSheet([*answers]), {"s": ROOM}, tolerance=tolerance, permutations=20, seed=0)


@pytest.mark.parametrize(
    ("one", "other", "broken"),
    [
        # The same side of one triangle, seen from its corners.
        ((EASY, "a", "b", "c", "left"), (EASY, "b", "c", "a", "left"), False),
        ((EASY, "a", "b", "c", "left"), (EASY, "b", "c", "a", "right"), True),
        ((EASY, "a", "b", "c", "left"), (EASY, "a", "c", "b", "right"), False),
        ((EASY, "a", "b", "c", "left"), (EASY, "a", "c", "b", "left"), True),
        ((EASY, "a", "b", "c", "left"), (HARD, "a", "b", "c", "back-left"), False),
        ((EASY, "a", "b", "c", "left"), (HARD, "a", "b", "c", "front-right"), True),
        # Angles at one corner.
        ((MEDIUM, "a", "b", "c", "back"), (HARD, "a", "b", "c", "back-left"), False),
        ((MEDIUM, "a", "b", "c", "back"), (HARD, "a", "c", "b", "front-left"), True),
        ((MEDIUM, "a", "b", "c", "back"), (MEDIUM, "a", "c", "b", "left"), True),
        ((MEDIUM, "a", "b", "c", "back"), (MEDIUM, "a", "c", "b", "back"), False),
        # Two angles of a triangle.
        ((MEDIUM, "a", "b", "c", "back"), (MEDIUM, "b", "a", "c", "back"), True),
        ((MEDIUM, "a", "b", "c", "back"), (HARD, "b", "a", "c", "back-right"), True),
        ((HARD, "a", "b", "c", "back-left"), (HARD, "b", "c", "a", "back-left"), True),
        ((HARD, "a", "b", "c", "front-left"), (HARD, "b", "c", "a", "back-left"), False),
        ((HARD, "a", "b", "c", "front-left"), (HARD, "b", "c", "a", "front-left"), False),
    ],
)
def test_two_directions_among_three_objects(
    one: tuple[str, str, str, str, str], other: tuple[str, str, str, str, str], broken: bool
) -> None:
    for pair in ((one, other), (other, one)):
        found = found_in([turned(*own) for own in pair])
        assert (found["directions"].groups, found["directions"].found) == (1, int(broken))
        assert found["directions"].ids == ((tuple(turned(*own).id for own in pair),) if broken else ())


def test_every_scene_is_free_of_contradictions_in_directions() -> None:
    """Random triangles: directions that hold of a scene never contradict each other."""
    dice = np.random.default_rng(0)
    for points in dice.normal(size=(25, 3, 2)):
        answers = []
        for here, facing, asked in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
            u, v = (complex(*(points[n] - points[here])) for n in (facing, asked))
            angle = float(np.degrees(np.angle(v / u))) % 360
            said = {EASY: "left" if angle < 180 else "right", HARD: SECTORS[HARD][int(angle // 90)]}
            said[MEDIUM] = "left" if angle < 135 else "back" if angle < 225 else "right"
            answers += [turned(task, "abc"[here], "abc"[facing], "abc"[asked], text) for task, text in said.items()]
        found = found_in(answers)
        assert found["directions"].groups > 100
        assert found["directions"].found == 0


def test_answers_for_the_nearest_object_can_form_cycles_of_two_and_three() -> None:
    assert found_in([nearest("a", "bcd", "b"), nearest("a", "bc", "c")])["nearest"].found == 1
    assert found_in([nearest("a", "bcd", "d"), nearest("a", "bc", "c")])["nearest"].found == 0
    assert found_in([nearest("a", "bcd", "d"), nearest("b", "ac", "a")]) == {}  # no two distances in common
    ring = [nearest("a", "bc", "b"), nearest("b", "ac", "c"), nearest("c", "ab", "a")]  # ab < ac, bc < ab, ac < bc
    found = found_in(ring)["nearest"]
    assert (found.groups, found.found, found.ids) == (1, 1, (("a:bc", "b:ac", "c:ab"),))
    assert found_in([*ring[:2], nearest("c", "ab", "b")])["nearest"].found == 0
    other_way = [nearest("a", "bc", "c"), nearest("b", "ac", "a"), nearest("c", "ab", "b")]
    assert found_in(other_way)["nearest"].found == 1


def test_numbers_contradict_beyond_the_tolerance() -> None:
    chosen = nearest("a", "bcd", "b")
    assert found_in([chosen, apart("a", "b", 2.0), apart("c", "a", 1.0)])["nearest and distances"].found == 1
    assert found_in([chosen, apart("a", "b", 2.0), apart("c", "a", 1.9)])["nearest and distances"].found == 0
    assert found_in([chosen, apart("d", "a", 2.0), apart("c", "a", 1.0)])["nearest and distances"].found == 0
    assert found_in([chosen, apart("a", "b", 2.0)]) == {}
    twice = [apart("a", "b", 2.0), apart("b", "a", 2.6, id="again")]
    assert found_in(twice)["twice"].ids == (("a-b", "again"),)
    assert found_in(twice, 0.3)["twice"].found == 0


def test_a_distance_is_no_longer_than_a_way_through_a_third_object() -> None:
    sides = [apart("a", "b", 1.0), apart("b", "c", 1.0), apart("a", "c", 5.0)]
    assert found_in(sides) == {}  # as large as b may be
    assert found_in([*sides, large("b", 100)])["triangle"].ids == (("a-c", "a-b", "b-c", "size b"),)
    assert found_in([*sides, large("b", 200)])["triangle"].found == 0  # a box of 2 m is up to 3.5 m across
    assert found_in([*sides, large("a", 10)])["triangle"].found == 0
    chairs = [apart("a", "chair", 1.0), apart("c", "chair", 1.0), apart("a", "c", 5.0), large("chair", 10)]
    assert found_in(chairs) == {}  # two chairs may be anywhere


def test_samples_are_compared_with_themselves() -> None:
    first, second = nearest("a", "bc", "b"), nearest("a", "bcd", "c", repeat=1)
    assert found_in([first, second]) == {}
    both = [first, nearest("a", "bcd", "c"), nearest("a", "bc", "b", repeat=1), second]
    found = found_in(both)["nearest"]
    assert (found.groups, found.found) == (2, 2)


def test_a_guesser_contradicts_itself_as_often_as_its_answers_permuted() -> None:
    dice = np.random.default_rng(3)
    geometries = {f"s{n}": ROOM for n in range(200)}
    answers = []
    for scene in geometries:
        for here, facing, asked in ("abc", "bca", "cab"):
            one = turned(EASY, here, facing, asked, ("left", "right")[dice.integers(2)])
            answers.append(SceneAnswer(**{**vars_of(one), "scene": scene, "cluster": scene, "id": f"{scene} {one.id}"}))
    settings = {"tolerance": 0.2, "permutations": 50}
    found = contradictions(AnswerSheet(answers), geometries, seed=1, **settings)["all"]
    assert found.groups == 600
    assert found.guessed == pytest.approx(50, abs=1.5)
    assert found.share is not None
    assert found.share.interval is not None
    assert found.share.interval.low < found.guessed < found.share.interval.high
    assert 0.02 < found.p < 1
    assert contradictions(AnswerSheet(answers), geometries, seed=1, **settings)["all"] == found
    assert contradictions(AnswerSheet(answers), geometries, seed=2, **settings)["all"].guessed != found.guessed
    alike = [SceneAnswer(**{**vars_of(one), "value": 0.0}) for one in answers]
    same = contradictions(AnswerSheet(alike), geometries, seed=1, **settings)["all"]
    assert (same.found, same.guessed, same.p) == (0, 0, 1)


def vars_of(one: SceneAnswer) -> dict[str, object]:
    return {name: getattr(one, name) for name in SceneAnswer.__dataclass_fields__}


def test_answers_are_read_from_scores_and_others_counted() -> None:
    def item(id: str, task: str, question: str, **rest: object) -> Item:
        return Item.model_validate({"id": id, "task": task, "question": question, "scene": "s", **rest})

    choice = {"kind": "choice", "answer": "A"}
    between = (
        "Measuring from the closest point of each object, what is the distance between the {} and the {} (in meters)?"
    )
    turn = "If I am standing by the {} and facing the {}, is the {} to the left or the right of the b?"
    closest = "Measuring from the closest point of each object, which of these objects ({}) is the closest to the {}?"
    metres = {"kind": "number", "answer": "2", "unit": "m"}
    items = [
        item("1", "object_abs_distance", between.format("b", "a"), **metres),
        item("2", "object_abs_distance", between.format("b", "lamp"), **metres),
        item("3", "object_abs_distance", between.format("b", "a"), **metres | {"scene": None}),
        item("4", EASY, turn.format("c", "b", "a"), options=("right", "left", CANT_TELL), **choice),
        item("5", EASY, turn.format("c", "b", "chair"), options=("right", "left"), **choice),
        item("6", "object_rel_distance", closest.format("b, chair", "a"), options=("b", "chair"), **choice),
        item("7", "obj_appearance_order", "In which order?", options=("a, b", "b, a"), **choice),
        item("8", "object_counting", "How many chair(s) are in this room?", kind="number", answer="2", unit="count"),
        item("9", "object_abs_distance", between.format("b", "a"), **metres),
    ]  # fmt: skip
    said = ["2.5", "1", "1", "B", "A", "B", "A", "-1", None]
    rows = pl.DataFrame(
        [
            (one.id, 0, one.task, "none" if text is None else "read", False, text, "scored")
            for one, text in zip(items, said, strict=True)
        ],
        schema=["id", "repeat", "task", "state", "guessed", "reading", "status"],
        orient="row",
    )
    sheet = read_answers(rows, {one.id: one for one in items}, {"s": ROOM})
    assert [(one.id, one.about, one.value, one.truth) for one in sheet.answers] == [
        ("1", ("a", "b"), 2.5, 2.0),
        ("4", ("c", "b", "a"), 0.0, 1.0),  # the number of the sector: left, then right
        ("6", ("a", "b", "chair"), 1.0, 0.0),
    ]
    assert dict(sheet.left_out) == {
        "the scene lacks an object that it names": 1,
        "the scene is not there": 1,
        "it asks for the direction of one of several objects": 1,
        "the answer is no number from 0": 1,
    }
    assert dict(sheet.other_types) == {"obj_appearance_order": 1}
    assert dict(sheet.unread) == {"object_abs_distance": 1}
    right = sheet.right(sheet.values, 0.5)
    assert right.tolist() == [True, False, False]
    assert sheet.right(sheet.values, 0.7).tolist() == [False, False, False]  # off by a quarter: 0.6


def test_no_answers_have_no_contradictions() -> None:
    assert found_in([]) == {}
    count = SceneAnswer("1", "object_counting", "s", "s", 0, COUNT, ("a",), 0.0, 0.0, 0)
    assert found_in([count]) == {}
    assert set(KINDS) >= found_in([count, count]).keys() - {"all"}
