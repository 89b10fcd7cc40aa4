"""Responses that are read only against the question: its relation, quality, rank, property or supposition."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import pytest

from tolman.items import Item, Unit
from tolman.scoring.parse import read_careful

CHOICES: list[tuple[str, str, str, str | None]] = [
    # question, options, response, letter
    (
        "Will the 2 m long sofa go through a corridor that is 1.8 m wide when carried lengthwise?",
        "yes|no",
        "It goes through with room to spare.",
        "A",
    ),
    ("Would the 60 cm deep cupboard fit in the 55 cm niche?", "yes|no", "It sticks out by 5 cm.", "B"),
    ("Is the cat on the armchair?", "yes|no", "**Verdict: negative.** The cat is on the windowsill.", "B"),
    ("Is the ladder leaning against the wall?", "yes|no", "Verdict - affirmative", "A"),
    (
        "How high is the ceiling?",
        "under 2 m|2 to 2.5 m|2.5 to 3 m|over 3 m",
        "A door is about 2 m, and above it there is about a third of a door. So the ceiling is at roughly 2.7 m.",
        "C",
    ),
    ("How far apart are the two posts?", "less than 1 m|1-2 m|2-4 m|more than 4 m", "They are 4.6 m apart.", "D"),
    (
        "Which object is on the shelf?",
        "a globe|a radio|a plant|a bowl",
        "The thing on the shelf is a radio. It has an antenna and two knobs. Answer: (D) a radio",
        "B",
    ),
    (
        "Which of the rooms is darkest?",
        "the cellar|the attic|the hall",
        "I'll number them myself: (A) hall, (B) attic, (C) cellar. The darkest one is (C).",
        "A",
    ),
    (
        "Which object is nearest to the bed?",
        "lamp|chair|shelf|rug",
        "My own list: a) rug, b) shelf, c) chair, d) lamp. Closest to the bed: a).",
        "D",
    ),
    (
        "Which shelf is the second longest?",
        "white shelf|black shelf|grey shelf|brown shelf",
        "- white: 80 cm\n- black: 120 cm\n- grey: 95 cm\n- brown: 60 cm",
        "C",
    ),
    (
        "Which person enters last?",
        "the girl|the old man|the nurse|the boy",
        "| Person | Enters at |\n|---|---|\n| girl | 0:12 |\n| old man | 0:47 |\n| nurse | 0:05 |\n| boy | 0:33 |",
        "B",
    ),
    (
        "Which lamp was switched on first?",
        "desk lamp|floor lamp|ceiling lamp",
        "Desk lamp at 1:20, floor lamp at 0:45, ceiling lamp at 2:05.",
        "B",
    ),
    ("Which box is the lightest?", "red|blue|green", "red 3 kg, blue 850 g, green 1.2 kg", "B"),
    (
        "Which of these has the third largest area?",
        "hall|office|lobby|store",
        "| room | area |\n|---|---|\n| hall | 40 m² |\n| office | 25 m² |\n| lobby | 32 m² |\n| store | 12 m² |",
        "B",
    ),
    (
        "Which photo was taken earliest?",
        "photo of the bridge|photo of the church|photo of the market",
        "Bridge: 1932. Church: 1921. Market: 1954.",
        "B",
    ),
    (
        "Which of the shelves is the lowest?",
        "top shelf|metal shelf|glass shelf",
        "The top shelf is at 1.9 m, the metal shelf at half a meter and the glass shelf at 1 meter and 20.",
        "B",
    ),
    ("Which way is the exit?", "left|right|straight", "Right - had the corridor been mirrored, left.", "B"),
    (
        "Is the shelf within reach of the child?",
        "yes|no",
        "No. On a stool the answer would become yes, but there is none.",
        "B",
    ),
    (
        "Which lamp is brighter?",
        "the desk lamp|the floor lamp",
        "The floor lamp; only when the desk lamp is turned to maximum would it be the desk lamp.",
        "B",
    ),
    ("On which side of the bed is the lamp?", "left|right", "The bed is to the right of the lamp.", "A"),
    (
        "Where is the clock in relation to the picture?",
        "above it|below it|beside it",
        "The picture hangs above the clock.",
        "B",
    ),
    (
        "How does the stool compare to the chair in height?",
        "The stool is taller|The stool is shorter|They are the same",
        "The chair is taller than the stool.",
        "B",
    ),
    ("How does the table compare with the desk in length?", "longer|shorter|equal", "The desk is shorter.", "A"),
    (
        "When does the bell ring relative to the door opening?",
        "before it opens|after it opens",
        "The door opens before the bell rings.",
        "B",
    ),
    (
        "Where is the church from the station?",
        "to the north|to the south|to the east|to the west",
        '{"station_from_church": "to the north"}',
        "B",
    ),
    (
        "On which floor is the gym compared with the pool?",
        "one floor above|one floor below|same floor",
        "The pool is one floor below the gym.",
        "A",
    ),
    (
        "Which is true of the tree as seen from the window?",
        "It is left of the shed|It is right of the shed",
        "The shed is on the right of the tree.",
        "A",
    ),
    (
        "How does the hall compare with the kitchen?",
        "The hall is bigger|The hall is smaller|They are equal in size",
        "Of the two, the kitchen is the smaller one.",
        "A",
    ),
    ("Is the light in the hall on?", "yes|no", "On. Wait, at the end someone flips the switch, so it's off.", "B"),
    ("Which room is it?", "kitchen|bath|office", '{"draft": "kitchen", "corrected": "office"}', "C"),
    ("Which animal is it?", "dog|fox|cat", "~~dog~~ fox", "B"),
    ("Is the window open?", "yes|no", "Yes. Correction: that's a reflection, the window is shut.", "B"),
    ("Which lamp is tallest?", "red|blue|green", "- [ ] red\n- [x] blue\n- [ ] green", "B"),
    (
        "Which lamp is tallest?",
        "red lamp|blue lamp|green lamp",
        "1. ~~red lamp~~\n2. ~~green lamp~~\n3. blue lamp",
        "B",
    ),
    ("Is the door open?", "yes|no", '{"door_open": false}', "B"),
    ("Is the sofa closer to the window than the table?", "yes|no", "The table is the closer one.", "B"),
    ("Is the parcel small enough for the letterbox?", "yes|no", "It would not go through the slot.", "B"),
    ("Is the television on?", "yes|no", "Its screen is dark, so it's off.", "B"),
    ("Is the room tidy?", "yes|no", "My verdict is negative, clothes are all over the floor.", "B"),
    ("Can the robot pass between the boxes?", "yes|no", "The passage is 40 cm, the robot 55 cm. It gets stuck.", "B"),
    ("How deep is the pond?", "less than 50 cm|50-100 cm|100-150 cm|over 150 cm", "I'd say roughly 1.2 m.", "C"),
    ("How many people are in the hall?", "fewer than 5|5 to 10|11 to 20|more than 20", "I count 14 people.", "C"),
    (
        "Which fruit is cut?",
        "lemon|melon|mango",
        "Options in my order: A = mango, B = melon, C = lemon. The cut fruit is A.",
        "C",
    ),
    (
        "Which building is the second tallest?",
        "bank|church|school|hotel",
        "bank 40 m, church 55 m, school 15 m, hotel 62 m",
        "B",
    ),
    ("Which bag weighs least?", "bag 1|bag 2|bag 3", "bag 1: 900 g; bag 2: 1.1 kg; bag 3: 0.7 kg", "C"),
    ("Which event comes second?", "the fall|the jump|the turn", "fall 0:31, jump 0:12, turn 0:20", "C"),
    (
        "Which train arrives first?",
        "red train|blue train|green train",
        "red train 14:05, blue train 13:50, green train 14:20",
        "B",
    ),
    (
        "Is the ice thick enough?",
        "yes|no",
        "| thickness | safe |\n|---|---|\n| under 5 cm | no |\n| over 15 cm | yes |",
        None,
    ),
    (
        "On which side of the road is the barn?",
        "the left side|the right side",
        "The road passes the barn on the barn's left side.",
        "B",
    ),
    (
        "How does the oak compare to the pine in height?",
        "taller|shorter|the same height",
        "The pine is taller than the oak.",
        "B",
    ),
    ("How does the attic compare with the cellar in temperature?", "warmer|colder", "The cellar is warmer.", "B"),
    ("Compared to the van, the truck is …", "longer|shorter", "The van is longer than the truck.", "B"),
    (
        "Did the girl arrive before or after the boy?",
        "before the boy|after the boy",
        "The boy arrived before the girl.",
        "B",
    ),
    (
        "How does the speed of the bus compare with that of the tram?",
        "The bus is faster|The tram is faster|Both are equal",
        "The bus is slower than the tram.",
        "B",
    ),
    (
        "Which statement is true?",
        "The cup is left of the jar|The cup is right of the jar",
        "The jar is to the left of the cup.",
        "B",
    ),
    ("Is the lamp off?", "yes|no", "It's off. No wait, there's a glow: it's on.", "B"),
    ("Is the gate open?", "yes|no", "Closed. Sorry, I looked at the wrong gate; this one is open.", "A"),
    ("What is on the plate?", "a pear|an apple|a peach", "A pear. On second thoughts the fuzz says peach.", "C"),
    ("Is it raining?", "yes|no", '{"raining": true, "confidence": 0.9}', "A"),
    ("Which?", "the oak|the fir|the elm", "[x] the elm\n[ ] the oak\n[ ] the fir", "C"),
]
NUMBERS: list[tuple[str, str, str, str | None]] = [
    # question, unit, response, number
    ("How many plants are in the office?", "", "The office is free of plants.", "0"),
    ("How many cars are in the driveway?", "", "The driveway is empty, no car in sight.", "0"),
    ("How many chairs does the hall have?", "", "Five rows of six chairs each fill the hall.", "30"),
    ("How many seats are in the cinema?", "", "There are eight rows with a dozen seats in each.", "96"),
    (
        "How many windows does the house have?",
        "",
        "On the ground floor there are four windows, on the upper floor three, and in the attic one.",
        "8",
    ),
    (
        "How many lamps are in the flat?",
        "",
        "Hall: one lamp. Kitchen: two lamps. Living room: three lamps. Bathroom: none.",
        "6",
    ),
    ("How many pictures are on the wall?", "", "Not one picture hangs there.", "0"),
    ("How many people are at the table?", "", "It is a quartet.", "4"),
    ("How many of the mugs are red?", "", "There are nine mugs in the cupboard; three of them are red.", "3"),
    ("How many doors are open?", "", "I count six doors along the corridor. Two are open, the rest are shut.", "2"),
    ("How many boxes are on the pallet?", "", "Three layers of four boxes.", "12"),
    (
        "How many steps does the stair have?",
        "",
        "12 — or 13, if one counts the landing as a step, which one normally doesn't.",
        "12",
    ),
    (
        "How wide is the river, in metres?",
        "m",
        "I would need a reference object, for example a person of 1.8 m, to say.",
        None,
    ),
    ("How many lights are off?", "", "There are ten lights. Seven are on and three are off.", "3"),
    (
        "How many books are on the table?",
        "",
        "| Pile | Books |\n|---|---|\n| left | 4 |\n| middle | 3 |\n| right | 5 |",
        "12",
    ),
    (
        "How many passengers got off?",
        "",
        "Before the stop there were 23 passengers, afterwards 17. So 6 got off. (Capacity of the bus: 40.)",
        "6",
    ),
    ("How many of the windows are broken?", "", "The facade has 24 windows, of which 4 are broken.", "4"),
    ("How many screens are switched off?", "", '{"screens": {"total": 9, "on": 6, "off": 3}}', "3"),
    ("How tall is the plant, in cm?", "cm", "It was 80 cm. Sorry, I read the wrong pot, it is 65 cm.", "65"),
    ("How many trees are in the park?", "", '{"trees": {"oak": 3, "birch": 4, "sum": 7}, "benches": 5}', "7"),
    ("How many beds are in the dormitory?", "", "Four rooms with three beds in each.", "12"),
    ("How many boxes are stacked?", "", "Two stacks of five.", "10"),
    ("How many trees are there?", "", "Six to the left of the road, two to the right.", "8"),
    ("How many cars are parked?", "", "The car park is completely deserted.", "0"),
    ("How many plates are broken?", "", "12 plates, none of them broken.", "0"),
    ("How many doors does the corridor have?", "", "On the left side three doors, on the right side two doors.", "5"),
    ("How many screws are there?", "", "Not a single screw.", "0"),
    ("How many knives are there?", "", "5 (6 if the bread knife is included)", "5"),
    (
        "How many coins are in the jar?",
        "",
        "Count the coins in one layer, then multiply by the number of layers, which is hidden here.",
        None,
    ),
    ("How far is it to the lake, in metres?", "m", "I cannot measure that from a single picture.", None),
    ("How many seats are free?", "", "40 seats minus 33 taken leaves 7.", "7"),
    ("How many red cars are there?", "", "There are 9 cars: 4 red, 3 blue and 2 white.", "4"),
    ("How many pages are left?", "", "The book has 300 pages, 120 are read, 180 are left.", "180"),
    ("How many steps are there?", "", "| Flight | Steps |\n|---|---|\n| lower | 9 |\n| upper | 8 |", "17"),
    ("How many of the ten lights work?", "", "Ten lights, three are defective, seven work.", "7"),
    ("How many chairs?", "", "~~8~~ 9", "9"),
]


@pytest.mark.parametrize(("question", "options", "response", "letter"), CHOICES)
def test_an_option_is_read_against_the_question(question: str, options: str, response: str, letter: str | None) -> None:
    item = Item(id="1", question=question, kind="choice", options=tuple(options.split("|")), answer="A", task="t")
    assert read_careful(item, response).value == letter


@pytest.mark.parametrize(("question", "unit", "response", "number"), NUMBERS)
def test_a_number_is_read_against_the_question(question: str, unit: str, response: str, number: str | None) -> None:
    item = Item(id="1", question=question, kind="number", unit=cast("Unit | None", unit or None), answer="1", task="t")
    assert read_careful(item, response).value == (None if number is None else Fraction(number))


NEAREST = "Which object is nearest to the window?"
KITCHEN = "kettle|toaster|blender|radio"
RELATIVE = "Where is the plant relative to the TV?"
DIRECTIONS = "left|right|in front|behind"
NO_CHOICE = [
    # what names an option without giving it as the answer, and beside it what does
    (NEAREST, KITCHEN, "I see a toaster by the sink.", None),
    (NEAREST, KITCHEN, "I see that the toaster is nearest.", "B"),
    (NEAREST, KITCHEN, "A person carrying a kettle walks past the open door.", None),
    (NEAREST, KITCHEN, "It is the kettle that somebody has put on the sill.", "A"),
    (NEAREST, KITCHEN, "Not the kettle, the toaster or the radio.", "C"),
    (NEAREST, KITCHEN, "Not the kettle, the toaster.", "B"),
    (NEAREST, KITCHEN, "The kettle is nearest. Move it a little and the toaster takes over.", "A"),
    (NEAREST, KITCHEN, "Kettle: 2.0 x 1.6 m\nToaster: 1.2 m\nBlender: hidden\nRadio: 0.8 m", None),
    (RELATIVE, DIRECTIONS, "The left edge of the TV is cut off.", None),
    (RELATIVE, DIRECTIONS, "It is near the left edge of the TV.", "A"),
    (RELATIVE, DIRECTIONS, "The person turns left and walks past the plant.", None),
    (RELATIVE, DIRECTIONS, "The plant turns left.", "A"),
    (RELATIVE, DIRECTIONS, "The man holds a cup in his right hand.", None),
    (RELATIVE, DIRECTIONS, "It is on the right hand side.", "B"),
    (RELATIVE, DIRECTIONS, "The plant hangs behind a curtain.", None),
    (RELATIVE, DIRECTIONS, "It is anything but behind.", None),
    (RELATIVE, DIRECTIONS, "There is a lamp to the right of the TV.", None),
    (RELATIVE, DIRECTIONS, "There is a plant to the right of the TV.", "B"),
    (RELATIVE, DIRECTIONS, "The TV has an arrow pointing left.", None),
    (RELATIVE, DIRECTIONS, "The TV has it on the left.", "A"),
    (NEAREST, KITCHEN, "The radio, though a kettle on the sill would come close.", "D"),
]
WINDOWS = "How many windows are there?"
SHELF = "How tall is the shelf in meters?"
NO_NUMBER = [
    # what names a number that isn't the one asked for, and beside it what is
    (WINDOWS, "count", "Should I count the two skylights as well?", None),
    (WINDOWS, "count", "Two?", "2"),
    (WINDOWS, "count", "Two if the skylight counts, otherwise one.", None),
    (WINDOWS, "count", "Four walls, one of them with windows that I cannot count.", None),
    (WINDOWS, "count", "One window has 4 panes.", "1"),
    (WINDOWS, "count", "Frame 1: 2 windows\nFrame 2: 3 windows\nFrame 3: 2 windows", None),
    (WINDOWS, "count", "Frame 1: 2 windows\nFrame 2: 2 windows", "2"),
    (WINDOWS, "count", "In frame 10 I see two windows, in frame 40 I see three.", None),
    (WINDOWS, "count", "Three in the hall, plus the pair by the door.", None),
    (WINDOWS, "count", "There are four windows, plus a couple of vents.", "4"),
    (WINDOWS, "count", "Half of the 6 openings.", None),
    ("How many doors are open?", "count", "Two are closed.", None),
    ("How many doors are open?", "count", "Two are closed, three are open.", "3"),
    (SHELF, "m", "It is 0.2 m taller than the lamp.", None),
    ("How much taller than the lamp is the shelf?", "m", "It is 0.2 m taller than the lamp.", "1/5"),
    (SHELF, "m", "A bit taller than the 2 m door.", None),
    (SHELF, "m", "Five boards high.", None),
    (SHELF, "m", "Assume a ceiling of 2.5 m.", None),
    (SHELF, "m", "Assume a ceiling of 2.5 m, then 1.8 m.", "9/5"),
    (SHELF, "m", "Would 1.8 m be plausible?", None),
    (SHELF, "m", "The shelf is 2 m wide.", None),
    (SHELF, "m", "2 m high and 1 m wide.", "2"),
    (SHELF, "m", "A man of 1.8 m could reach the top.", None),
    (SHELF, "m", "The door is 2 m and the shelf is half of that.", None),
    (SHELF, "m", "The shelf is 1 m tall, about half the height of the door.", "1"),
    (SHELF, "m", "1 m, twice the chair's seat.", "1"),
    (SHELF, "m", "Height: 1.8 m. Width: 1 m.", "9/5"),
    (SHELF, "m", "Height: 1.8 m, width: 1 m, depth: 0.4 m", "9/5"),
    (SHELF, "m", "It has a width of 1 m.", None),
    (SHELF, "m", "1.8 m in height and 2.4 m in length.", "9/5"),
    (SHELF, "m", "Could be about 1.8 m?", "9/5"),
]


@pytest.mark.parametrize(("question", "options", "response", "letter"), NO_CHOICE)
def test_a_mention_is_no_answer(question: str, options: str, response: str, letter: str | None) -> None:
    test_an_option_is_read_against_the_question(question, options, response, letter)


@pytest.mark.parametrize(("question", "unit", "response", "number"), NO_NUMBER)
def test_a_number_of_something_else_is_no_answer(question: str, unit: str, response: str, number: str | None) -> None:
    test_a_number_is_read_against_the_question(question, unit, response, number)
