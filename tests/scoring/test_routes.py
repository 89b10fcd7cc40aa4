"""Options that are routes or orders, said in other words."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful
from tolman.scoring.parse.language_detection import detected
from tolman.scoring.parse.option_sequences import routes_of

TURNS = ("turn left, turn left", "turn left, turn right", "turn right, turn left", "turn right, turn right")
WAYS = ("right, straight, left", "left, straight, right", "straight, left", "straight, right")

ROUTES = [
    ("First a right turn at the couch, then a left turn at the table.", TURNS, "C"),
    ("**Conclusion:** left at the machine, right at the cooler.", TURNS, "B"),
    ("You leave to the left, walk along the hall to its end and turn right.", WAYS, "B"),
    ("Erster Abzweig links, zweiter rechts.", ("links, links", "links, rechts", "rechts, links"), "B"),
    ("Сначала направо, потом налево.", ("налево, затем направо", "направо, затем налево", "прямо, затем налево"), "B"),
    ("出了门先往右拐，然后一直走。", ("左转，直走", "右转，直走", "直走，左转"), "B"),
    (
        "玄関を抜けたら右、廊下をまっすぐ行ってもう一度右に曲がります。",
        ("右折→直進→左折", "左折→直進→右折", "右折→直進→右折"),
        "C",
    ),
    ("It isn't left and then right.", TURNS, None),
]


@pytest.mark.parametrize(("response", "options", "letter"), ROUTES)
def test_a_route_is_told_by_its_steps(response: str, options: tuple[str, ...], letter: str | None) -> None:
    item = Item(id="r", question="How do I get there?", kind="choice", answer="A", options=options, task="t")
    assert read_careful(item, response).value == letter


@pytest.mark.parametrize("options", [("front left", "front right"), ("left", "right"), ("左前", "右前")])
def test_a_direction_is_no_route(options: tuple[str, ...]) -> None:
    assert routes_of(options, detected("\n".join(options), "")) == ()
