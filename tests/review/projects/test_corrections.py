"""Corrections of boxes as a form sends them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tolman.ground_truth.corrections import Absent, BoxIs, CategoryIs, correct
from tolman.review.projects.flag_corrections import CorrectionError, in_words, read_boxes
from tolman.scenes import OrientedBox, Scene, SceneObject, TrackPoint

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _box(x: float) -> OrientedBox:
    return OrientedBox(center=(x, 0.0, 0.5), axes=AXES, extents=(1.0, 1.0, 1.0))


def _scene() -> Scene:
    track = (TrackPoint(seconds=0.0, center=(5.0, 0.0, 0.5), axes=AXES),)
    things = (
        SceneObject(id="a", category="chair", box=_box(0)),
        SceneObject(id="b", category="table", box=_box(3)),
        SceneObject(id="c", category="robot", box=_box(5), track=track),
    )
    return Scene(id="s", dataset="d", objects=things, counts={"chair": 1, "table": 1, "robot": 1})


def _change(identity: str, name: str, box: OrientedBox | None) -> dict[str, Any]:
    return {"object": identity, "name": name, "box": None if box is None else box.model_dump()}


def test_each_change_is_a_fact_and_what_is_as_it_was_is_none() -> None:
    changes = [
        _change("a", "chair", _box(0)),
        _change("a", " arm\u0000 chair ", _box(0)),
        _change("b", "table", _box(2)),
        _change("", "lamp", _box(7)),
    ]
    facts = read_boxes(json.dumps(changes[1:]), _scene(), "seen")
    assert facts == [
        CategoryIs(scene="s", object="a", category="arm\ufffd chair", note="seen"),
        BoxIs(scene="s", object="b", category="table", box=_box(2), note="seen"),
        BoxIs(scene="s", object="added-6", category="lamp", box=_box(7), note="seen"),
    ]
    assert correct(_scene(), facts).counts == {"arm\ufffd chair": 1, "table": 1, "robot": 1, "lamp": 1}
    assert "table b at 2.00, 0.00, 0.50 m" in in_words(facts)
    assert read_boxes(json.dumps([{"object": "b"}]), _scene(), "") == [Absent(scene="s", object="b")]
    assert read_boxes(json.dumps([_change("c", "drone", _box(5))]), _scene(), "")[0].fact == "category"
    with pytest.raises(CorrectionError, match="Nothing is changed"):
        read_boxes(json.dumps(changes[:1]), _scene(), "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no", "can't be read"),
        ('[{"object": "a", "name": "x", "box": {"center": [0, 0, 0]}}]', "can't be read"),
        (json.dumps([_change("z", "x", _box(0))]), "no object 'z'"),
        (json.dumps([_change("", "  ", _box(0))]), "needs a name"),
        (json.dumps([_change("c", "robot", _box(6))]), "moves"),
        (json.dumps([{"object": ""}] * 1001), "1001 objects"),
    ],
)
def test_what_is_no_change_is_refused_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(CorrectionError, match=said):
        read_boxes(text, _scene(), "")


def test_an_axis_that_is_no_rotation_is_refused() -> None:
    change = _change("b", "table", _box(2))
    change["box"]["axes"] = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]
    with pytest.raises(CorrectionError, match="no rotation"):
        read_boxes(json.dumps([change]), _scene(), "")
