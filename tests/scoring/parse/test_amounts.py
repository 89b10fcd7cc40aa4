"""Counts in words, forms of numbers, and conclusions behind totals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tolman.items import Item, Unit
from tolman.scoring.parse import read_careful

UNITS: dict[str, Unit | None] = {"": "count", "m": "m", "cm": "cm", "m²": "m2"}
ROWS: list[tuple[str, str, str, str | None]] = [
    ("How many pictures hang on the wall?", "", "None whatsoever.", "0"),
    ("How many times does the ball bounce?", "", "It bounces only once before it is caught.", "1"),
    ("How many cups are on the table?", "", "Three on the tray, two beside it.", "5"),
    ("How many lamps are there in the video?", "", "A pair of them, one at each end of the sofa.", "2"),
    ("How many dogs are in the picture?", "", "There's a lone dog by the fence.", "1"),
    ("How many times does the man wave?", "", "Thrice, each time a bit slower.", "3"),
    ("How many bicycles are parked outside?", "", "I can't see any bicycles at all out there.", "0"),
    ("How many stools stand at the bar?", "", "Half a dozen, all of them empty.", "6"),
    (
        "How many boxes are stacked by the door?",
        "",
        "I counted four at first, but one of them is a suitcase, so three.",
        "3",
    ),
    ("How long is the corridor, in centimeters?", "cm", "It is 1\u202f250 cm long.", "1250"),
    ("How far is it to the gate, in metres?", "m", "roughly 1.2 × 10^3 m", "1200"),
    ("How wide is the opening, in metres?", "m", "1 3/4 m", "1.75"),
    ("How large is the floor, in square metres?", "m²", "Some 2 400 m², parking spaces included.", "2400"),
    ("How wide is the shelf, in centimetres?", "cm", "three quarters of a metre", "75"),
    ("How high is the ceiling in metres?", "m", "Two and three quarter metres, I'd say.", "2.75"),
    ("How far apart are the posts, in metres?", "m", "6\xa0½ m", "6.5"),
    ("How tall is the door in centimetres?", "cm", "2.1e2 cm", "210"),
    ("How many people are in the room?", "", "Four. If you counted the portrait it would be five.", "4"),
    (
        "How far away is the wall, in metres?",
        "m",
        "If the tiles are 30 cm wide it's 3 m, if they are 45 cm wide it's 4.5 m.",
        None,
    ),
    (
        "How long is the path in metres?",
        "m",
        "The total is 24 m, but 4 m of that are inside the shed, so the path itself is 20 m.",
        "20",
    ),
    ("How many chairs are free?", "", "There are 12 chairs in all; 7 are taken, which leaves 5.", "5"),
    ("How many windows face the street?", "", "Of the nine windows in total, four face the street.", "4"),
    ("How many guests are seated?", "", "Two at the bar, four at the round table and one by the window.", "7"),
    ("How many times does the bus stop?", "", "It stops three times: at the school, the church and the mill.", "3"),
    ("How many times does the bus stop?", "", "Only the once, at the church.", "1"),
    ("How many towels hang on the rail?", "", "There's but one towel on it.", "1"),
    ("How many keys are on the hook?", "", "Not a single one.", "0"),
    ("How many keys are on the hook?", "", "I'd put it at about a dozen.", "12"),
    ("How many cars are parked in the yard?", "", "I see no cars in the yard, only bicycles.", "0"),
    ("How many pillows are there?", "", "Two on the bed, and another two on the sofa; so four altogether.", "4"),
    ("How many floors does the building have?", "", "One more than its neighbour, so five.", "5"),
    ("How long is the fence in metres?", "m", "It's 1\xa0050 m long in total.", "1050"),
    ("How long is the rope in centimetres?", "cm", "$1.5 \\times 10^{3}$ mm, i.e. 150 cm", "150"),
    ("How wide is the gate in metres?", "m", "a metre and three quarters", "1.75"),
    ("How wide is the step in centimetres?", "cm", "A quarter of a metre.", "25"),
    ("How tall is the tree in metres?", "m", "5 ¼ m", "5.25"),
    ("What is the area of the lawn in square metres?", "m²", "About one hundred and twenty square metres.", "120"),
    (
        "How far is the car from the wall in metres?",
        "m",
        "Between the car and the wall there are 2 m of gravel and 1.5 m of grass, so it's 3.5 m in all.",
        "3.5",
    ),
    (
        "How far is the car from the wall in metres?",
        "m",
        "It was 4 m at first, but after it backs up it is 1.5 m.",
        "1.5",
    ),
    (
        "How high is the shelf in centimetres?",
        "cm",
        "I measured 180 cm to the top edge. With its feet it would have been 190 cm.",
        "180",
    ),
    ("How many of the windows are broken?", "", "Eight windows in total, three of them broken.", "3"),
    ("How many steps are there?", "", "12 if you count the landing, 11 if you don't.", None),
    ("How many candles are lit?", "", "Every one of the five candles is lit.", "5"),
    ("How many candles are lit?", "", "A single candle is burning.", "1"),
    ("How many candles are lit?", "", "Zero.", "0"),
    ("How many candles are lit?", "", "No candle is lit.", "0"),
    ("How many times does the light blink?", "", "It blinks once.", "1"),
    ("How many times does the light blink?", "", "It doesn't blink at all.", "0"),
    ("How many bikes are there?", "", "There's one in the stairwell, plus the two in the yard: three.", "3"),
    ("How many bikes are there?", "", "one in the stairwell, two in the yard", "3"),
    ("How many bikes are there?", "", "Too many to count.", None),
    ("How many bikes are there?", "", "Several.", None),
    ("How many legs does the table have?", "", "Three and only three.", "3"),
    ("How long is the pool in metres?", "m", "The pool is 2 500 cm long.", "25"),
    ("How long is the pool in metres?", "m", "about 2.5 × 10¹ m", "25"),
    ("How long is the pool in metres?", "m", "twenty-five and a half metres", "25.5"),
    ("How long is the pool in metres?", "m", "Approx. 1’250 cm", "12.5"),
    ("How wide is the pool in cm?", "cm", "½ m", "50"),
    (
        "What is the floor area in square metres?",
        "m²",
        "The room is 3 m by 4 m, so 12 m², minus the 2 m² of the chimney, which leaves 10 m².",
        "10",
    ),
    (
        "What's the distance in metres?",
        "m",
        "Adding up the legs 2 m + 3 m + 1.5 m gives 6.5 m. With a margin of 0.5 m either way.",
        "6.5",
    ),
    ("What's the distance in metres?", "m", "First I thought 5 m. On second thoughts, 4 m.", "4"),
    (
        "How many doors open onto the landing?",
        "",
        "Two on the left and two on the right, plus the one at the far end.",
        "5",
    ),
    ("How many doors open onto the landing?", "", "I count a pair on each side, making four.", "4"),
    ("How many doors open onto the landing?", "", "There is exactly one.", "1"),
    ("How many times did the cat cross the path?", "", "Three times altogether.", "3"),
    ("How far is the lamp from the bed in metres?", "m", "1.2e0 m", "1.2"),
    ("How far is the lamp from the bed in centimetres?", "cm", "12 dm", "120"),
    (
        "How tall is the mast in metres?",
        "m",
        "It is 12 m tall. If the flag on top were included, it would be 13 m.",
        "12",
    ),
    (
        "What is the length of the wall in metres?",
        "m",
        "4 m + 3.5 m + 2 m = 9.5 m; the door takes up 1 m of that, so the wall itself is 8.5 m long.",
        "8.5",
    ),
]


CHAIRS, BOUNCES = "How many chairs are there?", "How many times does the ball bounce?"
PLAIN: list[tuple[str, str, str, str | None]] = [
    (CHAIRS, "", "Three, one on the left and two on the right.", "3"),
    (CHAIRS, "", "Six in the room, four at the table and two by the wall.", "6"),
    (CHAIRS, "", "Four, with one behind the table.", "4"),
    (CHAIRS, "", "Of the seven chairs, three are red.", "3"),
    (CHAIRS, "", "All of the boxes are there; none is a chair.", "0"),
    ("How many times does the ball bounce?", "", "It bounces once or twice.", None),
    ("How many times does the ball bounce?", "", "Once or twice.", None),
    ("How thick is the book, in cm?", "cm", "45 milimeters.", "4.5"),
    (CHAIRS, "", "5 in the picture, 1 with a red cushion.", None),
    (CHAIRS, "", "4 at the table, of which 2 are on the left.", None),
    (CHAIRS, "", "Four around the table, two on each side.", None),
    (CHAIRS, "", "There were 2 at the beginning, 4 at the end.", None),
    (CHAIRS, "", "Two at the window and four at the table.", "6"),
    (CHAIRS, "", "Three chairs, none of them free.", "3"),
    (BOUNCES, "", "Once the ball leaves the hand it bounces 4 times.", "4"),
    (BOUNCES, "", "4 times, at once.", "4"),
    (BOUNCES, "", "I watched it twice: 4 times.", "4"),
    (BOUNCES, "", "I watched the video twice and counted 4 bounces.", "4"),
    (BOUNCES, "", "The ball bounces 4 times and is thrown twice.", "4"),
    (BOUNCES, "", "At least twice.", None),
    (BOUNCES, "", "It bounces once, not twice.", "1"),
    (BOUNCES, "", "Twice.", "2"),
    (BOUNCES, "", "Only once, at the start; the two later sounds are steps.", "1"),
    (CHAIRS, "", "A lonely chair in the corner, and two more at the table, so three.", "3"),
    (CHAIRS, "", "Three around the table, another one by the stove, and then two on the balcony.", "6"),
]
"""Numbers that aren't added up, and "once" where it counts nothing."""


@pytest.mark.parametrize(("question", "unit", "response", "expected"), ROWS + PLAIN)
def test_number(question: str, unit: str, response: str, expected: str | None) -> None:
    item = Item(id="n", question=question, kind="number", answer="1", unit=UNITS[unit], task="t")
    assert read_careful(item, response).value == (None if expected is None else Fraction(expected))
