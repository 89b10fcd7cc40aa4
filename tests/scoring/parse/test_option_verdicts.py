"""Options by place, by elimination, in longer phrases, for a case each, or against their letter."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful

ROWS: list[tuple[str, tuple[str, ...], str, str | None]] = [
    ("What is on the shelf?", ("a globe", "a clock", "a vase", "a radio"), "It's the second item in your list.", "B"),
    (
        "Which room is next to the kitchen?",
        ("bathroom", "bedroom", "study", "hall"),
        "Not the bathroom, not the study, and it can't be the hall either.",
        "B",
    ),
    ("Which tool is hanging on the hook?", ("hammer", "saw", "pliers"), "I'd go with the last of the three.", "C"),
    ("Which object is closest to the window?", ("desk", "chair", "plant", "lamp"), "B) plant", None),
    ("Which object is on the left?", ("bin", "box", "bag"), "The answer is C, the box.", None),
    ("Which one is taller?", ("the fridge", "the cupboard"), "A: the cupboard", None),
    (
        "Which way does the car turn?",
        ("left", "right", "straight on"),
        "Left. Had the driver missed the sign, he would have gone right.",
        "A",
    ),
    (
        "Which object is on the desk?",
        ("laptop", "printer", "phone"),
        "It's the laptop. If the picture had been taken an hour later it would be the printer.",
        "A",
    ),
    (
        "Which way does the arrow point?",
        ("left", "right", "up", "down"),
        "If the picture is mirrored, left; otherwise, right.",
        None,
    ),
    ("Which animal is it?", ("dog", "cat", "fox"), "It could be a dog, or perhaps a fox.", None),
    ("Which object is red?", ("ball", "kite", "hat", "shoe"), "A. ball\nB. kite\nC. hat\nD. shoe", None),
    ("Which way does the fan rotate?", ("clockwise", "counterclockwise"), "It spins anti-clockwise.", "B"),
    ("Which way does it rotate?", ("clockwise", "anticlockwise"), "counter clockwise, as seen from above", "B"),
    ("What colour is the car?", ("blue", "green", "white"), "The car by the greenhouse is white.", "C"),
    (
        "Which item is on top of the fridge?",
        ("a basket", "a kettle", "a radio", "a plant"),
        "The last one on your list.",
        "D",
    ),
    (
        "Which item is on top of the fridge?",
        ("a basket", "a kettle", "a radio", "a plant"),
        "I would say it's the third of these.",
        "C",
    ),
    (
        "Which item is on top of the fridge?",
        ("a basket", "a kettle", "a radio", "a plant"),
        "It isn't a basket and it isn't a plant. The radio is on the counter. That leaves one option.",
        "B",
    ),
    ("Which door does the cat use?", ("the front door", "the back door"), "The former.", "A"),
    ("Which of the bags is open?", ("the red bag", "the grey bag", "both"), "Each of them is open.", "C"),
    (
        "Which of these does the kitchen have?",
        ("an oven", "a dishwasher", "a microwave", "all of the above"),
        "All three appliances can be made out.",
        "D",
    ),
    (
        "Which of these is in the shed?",
        ("a rake", "a spade", "a hoe", "none of the above"),
        "I see neither a rake nor a spade nor a hoe in there.",
        "D",
    ),
    ("Which way does the wheel spin?", ("clockwise", "counterclockwise"), "Anticlockwise.", "B"),
    ("Which way does the man walk?", ("left", "right"), "He has left his bag by the bench and heads right.", "B"),
    ("What does the girl hold?", ("a bat", "a battery", "a ball"), "She is holding a battery.", "B"),
    ("Which one is on the shelf?", ("vase", "book", "cup"), "A. the cup", None),
    ("Which one is on the shelf?", ("vase", "book", "cup"), "I pick B (the vase).", None),
    (
        "Which way is north?",
        ("left", "right", "up"),
        "It might be left, or it might be up; there is nothing to decide it.",
        None,
    ),
    ("Which way is north?", ("left", "right", "up"), "Up. If the map had been rotated, it would be left.", "C"),
    ("Which object is nearest?", ("cup", "plate", "fork"), "The candidates are cup, plate and fork.", None),
    ("Which seat is free?", ("seat 1", "seat 2", "seat 3"), "Seat 2. Otherwise I would have said seat 3.", "B"),
    (
        "In which room is the piano?",
        ("kitchen", "hall", "study", "attic"),
        "The candidates that can be ruled out are the kitchen (too small) and the hall (no piano there), and the attic was never shown. This leaves us with a single candidate.",
        "C",
    ),
    (
        "In which room is the piano?",
        ("kitchen", "hall", "study", "attic"),
        "I'd go for the second to last of these.",
        "C",
    ),
    ("Which one is moving?", ("the bus", "the tram"), "The bus stands still. It's the other one.", "B"),
    ("Which vehicle is parked illegally?", ("the van", "the taxi", "the truck"), "Neither the van nor the truck.", "B"),
    ("Which statement is true?", ("the cat is on the bed", "the cat is under the bed"), "The second statement.", "B"),
    ("Which planet model is larger, Mars or Venus?", ("Mars", "Venus"), "Mars is the smaller one.", "B"),
    ("Which side is the door on?", ("left", "right"), "Right, let me see... the door is on the left.", "A"),
    (
        "Which side is the door on?",
        ("left", "right"),
        "The people who were left behind are waiting at the door on the right.",
        "B",
    ),
    ("How does the camera move?", ("up", "down", "left", "right"), "It ends up moving left.", "C"),
    (
        "What is on the wall?",
        ("a clock", "a clockwork toy", "a painting"),
        "A painting, unless the frame is empty.",
        "C",
    ),
    (
        "Which seat is taken?",
        ("A1", "B2", "C3"),
        "B2 is taken. If the lady hadn't come, A1 would be taken instead.",
        "B",
    ),
    ("Which is right?", ("cup", "bowl", "mug"), "(A) bowl", None),
    ("Which is right?", ("cup", "bowl", "mug"), "Option C, cup. No wait, the cup is option A. So A.", "A"),
    ("Which is right?", ("cup", "bowl", "mug"), "Either the cup or the bowl.", None),
    ("Which is right?", ("cup", "bowl", "mug"), "cup\nbowl\nmug", None),
    ("Which is right?", ("cup", "bowl", "mug"), "Assuming it's metal, the cup. Assuming it's clay, the mug.", None),
    ("Which object did the camera pass first?", ("the bench", "the bin", "the sign"), "Number two on the list.", "B"),
    (
        "Which wall has the clock?",
        ("north wall", "south wall", "east wall", "west wall"),
        "Not the north, not the south, not the west: only one is left.",
        "C",
    ),
    ("Which is it?", ("fork", "spoon", "knife"), "Answer: B. fork", None),
    ("Which is it?", ("fork", "spoon", "knife"), "B (spoon). Had the handle been longer I'd have said A.", "B"),
    ("Which is it?", ("fork", "spoon", "knife"), "Could be the fork, could be the knife.", None),
    (
        "What does the man do?",
        ("sits down", "stands up", "lies down"),
        "He gets up from the chair, that is, he stands up.",
        "B",
    ),
    (
        "Which object is on the shelf?",
        ("mug", "vase", "lamp", "clock"),
        "I'm torn between the vase and the lamp.",
        None,
    ),
    (
        "Which object is on the shelf?",
        ("mug", "vase", "lamp", "clock"),
        "It's hard to say. The vase was there in an earlier frame, and the clock in a later one.",
        None,
    ),
    (
        "Which object is on the shelf?",
        ("mug", "vase", "lamp", "clock"),
        "The options are:\nA. mug\nB. vase\nC. lamp\nD. clock\n\nWithout seeing the shelf I can't choose among them.",
        None,
    ),
    (
        "Which object is on the shelf?",
        ("mug", "vase", "lamp", "clock"),
        "If the shelf is the upper one, then B. If it is the lower one, then C.",
        None,
    ),
    (
        "Which object is on the shelf?",
        ("mug", "vase", "lamp", "clock"),
        "That depends: seen from the door it's the vase, seen from the window it's the lamp.",
        None,
    ),
    ("Which object is on the shelf?", ("mug", "vase", "lamp", "clock"), "None of these. I see a book.", None),
    ("Which object is on the shelf?", ("mug", "vase", "lamp", "clock"), "B or C", None),
    (
        "Which object is on the shelf?",
        ("mug", "vase", "lamp", "clock"),
        "To answer this, one would check whether the vase is on the shelf.",
        None,
    ),
    ("Which object is on the shelf?", ("mug", "vase", "lamp", "clock"), "**D. Vase**", None),
    ("Which object is on the shelf?", ("mug", "vase", "lamp", "clock"), "Answer: A (the clock)", None),
    ("Which object is on the shelf?", ("mug", "vase", "lamp", "clock"), "The correct answer is B: the lamp.", None),
    (
        "Which object is on the shelf?",
        ("mug", "vase", "lamp", "clock"),
        "So my answer is option C, which is the mug.",
        None,
    ),
    ("Which object is on the shelf?", ("mug", "vase", "lamp", "clock"), "C - clock", None),
    ("Which object is on the shelf?", ("mug", "vase", "lamp", "clock"), "The vase, so that's option B.", "B"),
    (
        "Which way did he go?",
        ("left", "right"),
        "He went left. He could have gone right if the gate had been open.",
        "A",
    ),
    (
        "Which way did he go?",
        ("left", "right"),
        "Left. Only if the gate had been open would right have been the answer.",
        "A",
    ),
    ("Which way did he go?", ("left", "right"), "A. The answer would change to B if the gate were open.", "A"),
    ("Which way did he go?", ("left", "right"), "He turns left; a right turn would lead into the river.", "A"),
    (
        "Which is taller, the tree or the pole?",
        ("the tree", "the pole"),
        "The pole doesn't reach as high as the tree.",
        "A",
    ),
    (
        "Which is nearer, the tree or the pole?",
        ("the tree", "the pole"),
        "Of the two, the pole is the one farther away.",
        "A",
    ),
    ("Which is nearer, the tree or the pole?", ("the tree", "the pole"), "The tree isn't as near as the pole.", "B"),
    (
        "Which is nearer, the tree or the pole?",
        ("the tree", "the pole"),
        "The pole is less far away than the tree.",
        "B",
    ),
    (
        "What lies between the bed and the door?",
        ("a rug", "a rucksack", "a rugby ball"),
        "There's a rugby ball lying there.",
        "C",
    ),
    ("How does the drone move?", ("up", "down", "forward"), "It speeds up and then comes down.", "B"),
    (
        "Which is north of the other, the inn or the mill?",
        ("the inn", "the mill"),
        "The mill lies south of the inn.",
        "A",
    ),
    ("Is the inn north or south of the mill?", ("north", "south"), "The mill is to the north of the inn.", "B"),
    (
        "Which runner is behind?",
        ("the one in red", "the one in blue"),
        "The runner in blue is ahead of the runner in red.",
        "A",
    ),
    ("Who is faster?", ("Ann", "Bea"), "Bea is slower than Ann.", "A"),
    (
        "Wo steht die Lampe relativ zum Sofa?",
        ("links", "rechts", "davor", "dahinter"),
        "Das Sofa steht links von der Lampe.",
        "B",
    ),
    (
        "¿Dónde está el gato respecto a la silla?",
        ("a la izquierda", "a la derecha", "encima", "debajo"),
        "La silla está encima del gato.",
        "D",
    ),
    (
        "What's the man doing?",
        ("sitting", "sitting down", "standing"),
        "He is sitting down on the bench just now.",
        "B",
    ),
    ("Which shelf is empty?", ("upper", "lower"), "The upper one is full, so it's the lower one that is empty.", "B"),
    ("Which shelf is empty?", ("upper", "lower"), "Upper. I checked the lower as well, and it's full.", "A"),
]


BOTH = ("a sofa", "a table", "both", "neither")
SINGLE: list[tuple[str, tuple[str, ...], str, str | None]] = [
    ("Which of these are in the room?", BOTH, "I can see a table. Both walls are empty.", None),
    ("Which of these are in the room?", BOTH, "Only the table. Both windows are closed.", None),
    ("Which of these are in the room?", BOTH, "Both of them.", "C"),
    ("Which is bigger?", ("cup", "bowl", "both the same"), "The bowl. Both stand on the table.", "B"),
]
"""One option is affirmed, and "both" is said of other things: never the option for both."""


@pytest.mark.parametrize(("question", "options", "response", "expected"), ROWS + SINGLE)
def test_option(question: str, options: tuple[str, ...], response: str, expected: str | None) -> None:
    item = Item(id="c", question=question, kind="choice", answer="A", options=options, task="t")
    assert read_careful(item, response).value == expected
