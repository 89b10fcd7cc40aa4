"""Options that are related, compared or measured."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful

ROWS: list[tuple[str, tuple[str, ...], str, str | None]] = [
    (
        "Which of the two is nearer to the camera, the ladder or the bucket?",
        ("the ladder", "the bucket"),
        "The latter is nearer.",
        "B",
    ),
    (
        "Which of these is the farthest from the camera?",
        ("the tree", "the bench", "the car"),
        "Distances: tree 12 m, bench 7 m, car 21 m.",
        "C",
    ),
    (
        "Which object is the smallest?",
        ("mug", "bowl", "jar", "bottle"),
        "| Object | Height (cm) |\n|---|---|\n| mug | 9 |\n| bowl | 7 |\n| jar | 14 |\n| bottle | 28 |",
        "B",
    ),
    (
        "Which lamp is the tallest?",
        ("lamp 1", "lamp 2", "lamp 3"),
        "lamp 1: 1.4 m\nlamp 2: 1.9 m\nlamp 3: 1.2 m\n\nThe tallest is thus the one at 1.9 m.",
        "B",
    ),
    (
        "Which chair is closest to the fireplace?",
        ("red chair", "blue chair", "green chair"),
        "The red chair is 2.4 m away from the fireplace, the blue one 80 cm, and the green one 3 m.",
        "B",
    ),
    ("Which of the two rooms is larger?", ("the study", "the bedroom"), "The study has 12 m², the bedroom 15 m².", "B"),
    (
        "Where is the chair relative to the desk?",
        ("left", "right", "in front", "behind"),
        "The desk is in front of the chair.",
        "D",
    ),
    (
        "From the lamp, in which direction is the sofa?",
        ("north", "south", "east", "west"),
        "The lamp is north of the sofa.",
        "B",
    ),
    (
        "Where is the bag in relation to the bench?",
        ("to its left", "to its right", "on top of it", "under it"),
        "You'll find the bench to the left of the bag.",
        "B",
    ),
    ("Is the box above or below the shelf?", ("above", "below"), "The shelf is directly above the box.", "B"),
    (
        "Where is the cat with respect to the dog?",
        ("left", "right"),
        "Seen from the dog, the cat is on the right.",
        "B",
    ),
    (
        "Standing at the door, where is the window?",
        ("left", "right", "behind"),
        "The door is behind you and the window is to the left.",
        "A",
    ),
    (
        "Where is the ball?",
        ("in front of the box", "left of the box", "behind the box"),
        "The ball has been left behind the box.",
        "C",
    ),
    (
        "Which sofa is the longest?",
        ("sofa A", "sofa B", "sofa C"),
        "- sofa A: 180 cm\n- sofa B: 2.1 m\n- sofa C: 195 cm",
        "B",
    ),
    (
        "Which plant is shortest?",
        ("the fern", "the cactus", "the palm"),
        "| plant | height |\n|---|---|\n| fern | 60 cm |\n| cactus | 25 cm |\n| palm | 180 cm |\n\nSo the answer is the one with 25 cm.",
        "B",
    ),
    (
        "Which of the two is farther from the exit?",
        ("the printer", "the copier"),
        "The copier is closer to the exit than the printer is.",
        "A",
    ),
    ("Which of the two is heavier?", ("the trunk", "the suitcase"), "The suitcase is the lighter one.", "A"),
    (
        "Where is the printer relative to the copier?",
        ("to the left", "to the right", "above", "below"),
        "The copier stands to the right of the printer.",
        "A",
    ),
    (
        "Where is the tree with respect to the house?",
        ("in front of it", "behind it", "left of it", "right of it"),
        "The house is behind the tree.",
        "A",
    ),
    (
        "In which direction is the harbour from the station?",
        ("north", "south", "east", "west"),
        "The station lies to the west of the harbour.",
        "C",
    ),
    (
        "Where is the clock relative to the mirror?",
        ("above the mirror", "below the mirror"),
        "You can see the mirror hanging right below the clock.",
        "A",
    ),
    (
        "Where is the shop from the bank?",
        ("northeast", "northwest", "southeast", "southwest"),
        "The bank is south-west of the shop.",
        "A",
    ),
    ("Which box is heaviest?", ("box 1", "box 2", "box 3"), "Box 1: 12 kg, box 2: 9 kg, box 3: 15 kg.", "C"),
    (
        "Which path is the shortest?",
        ("the red path", "the blue path", "the green path"),
        "Red is 120 m, blue 95 m and green 140 m long. The 95 m one is therefore the best choice.",
        "B",
    ),
    (
        "Which of these rooms is the smallest?",
        ("the bathroom", "the hall", "the pantry"),
        "| room | area in m² |\n|---|---|\n| bathroom | 6.5 |\n| hall | 8 |\n| pantry | 2.1 |",
        "C",
    ),
    ("Which of the two arrives earlier?", ("the bus", "the train"), "The bus arrives later than the train.", "B"),
    (
        "Where is the dog in relation to the child?",
        ("to the left of the child", "to the right of the child", "in front of the child"),
        "The child is standing to the left of the dog.",
        "B",
    ),
    ("Relative to the sink, where is the stove?", ("left", "right"), "The sink is on the stove's left side.", "B"),
    (
        "Where is the ball relative to the goal?",
        ("behind the goal", "in front of the goal"),
        "It's the goal that is in front of the ball.",
        "A",
    ),
    (
        "In what direction does the lighthouse lie from the pier?",
        ("northeast", "southwest", "southeast", "northwest"),
        "The pier is to the northeast of the lighthouse.",
        "B",
    ),
    (
        "Où est le chat par rapport au fauteuil ?",
        ("à gauche", "à droite", "devant", "derrière"),
        "Le fauteuil est à gauche du chat.",
        "B",
    ),
    ("Which rope is longer?", ("the red rope", "the green rope"), "red: 3.2 m, green: 2.9 m", "A"),
    (
        "Which table is farther from the stage, table 4 or table 9?",
        ("table 4", "table 9"),
        "Table 9 is nearer the stage.",
        "A",
    ),
    (
        "Where is the well relative to the oak?",
        ("north", "south", "east", "west"),
        "Standing at the well, you have the oak to your south.",
        "A",
    ),
    (
        "Where is the van relative to the truck?",
        ("in front of the truck", "behind the truck", "beside the truck"),
        "The truck is parked in front of the van.",
        "B",
    ),
    ("Where is the vase relative to the candle?", ("left", "right"), "Left of the vase there's the candle.", "B"),
    (
        "Dans quelle direction va-t-il ?",
        ("à gauche", "à droite"),
        "À gauche. Si la porte avait été ouverte, il serait allé à droite.",
        "A",
    ),
    (
        "Where is the stool relative to the piano?",
        ("to the left", "to the right", "in front", "behind"),
        "The piano has the stool on its left.",
        "A",
    ),
    (
        "Where is the stool relative to the piano?",
        ("to the left", "to the right", "in front", "behind"),
        "To the right of the stool is the piano.",
        "A",
    ),
    (
        "Where is the stool relative to the piano?",
        ("to the left", "to the right", "in front", "behind"),
        "The stool is left of the piano, and the piano is left of the door.",
        "A",
    ),
    (
        "Where is the stool relative to the piano?",
        ("to the left", "to the right", "in front", "behind"),
        "From the stool, the piano is on the right.",
        "A",
    ),
    (
        "Where is the stool relative to the piano?",
        ("to the left", "to the right", "in front", "behind"),
        "The lamp is on the right of the piano, the stool on the left.",
        "A",
    ),
    (
        "Where is the stool relative to the piano?",
        ("to the left", "to the right", "in front", "behind"),
        "You'd have to look past the stool to see the piano, which is behind it.",
        "C",
    ),
    (
        "Where is the kiosk relative to the tram stop?",
        ("left of it", "right of it", "in front of it", "behind it"),
        "Looking at the street from the camera, I first see the tram stop; the kiosk comes after it, further to the right.",
        "B",
    ),
    (
        "Where is the kiosk relative to the tram stop?",
        ("left of it", "right of it", "in front of it", "behind it"),
        "The tram stop, which has a blue roof, stands to the right of the kiosk.",
        "A",
    ),
    (
        "Where is the kiosk relative to the tram stop?",
        ("left of it", "right of it", "in front of it", "behind it"),
        "Going by the map, the tram stop lies left of where the kiosk is.",
        "B",
    ),
    (
        "Where is the kiosk relative to the tram stop?",
        ("left of it", "right of it", "in front of it", "behind it"),
        "It's the tram stop that's on the left, as compared with the kiosk.",
        "B",
    ),
    (
        "Where is the kiosk relative to the tram stop?",
        ("left of it", "right of it", "in front of it", "behind it"),
        "The tram stop has been built behind the kiosk.",
        "C",
    ),
    ("Which of the two is older, the oak or the elm?", ("the oak", "the elm"), "The elm is younger than the oak.", "A"),
    (
        "Where was the photo taken?",
        ("in front of the house", "behind the house"),
        "From the back garden one sees the kitchen door, so the camera was behind the house.",
        "B",
    ),
    (
        "Which direction does the arrow show?",
        ("left", "right"),
        "What's left of the arrow's paint points to the right.",
        "B",
    ),
    ("Which direction does the arrow show?", ("left", "right"), "You're right to ask. It points left.", "A"),
    (
        "Which cup is closest?",
        ("red", "blue", "green"),
        "The red cup is 40 cm away. The blue is closer, but the green one beats both.",
        "C",
    ),
    (
        "Which cup is closest?",
        ("red", "blue", "green"),
        "Red: 40 cm. Blue: 35 cm. Green: 55 cm. So the answer is A.",
        "A",
    ),
]


CLOSER, TALLER = "Which object is closer to the camera?", "Which lamp is taller?"
CHAIR = "Is the chair to the left of the table?"
SIDE = "Where is the chair relative to the table?"
LAMPS = ("the left one", "the right one")
KEPT: list[tuple[str, tuple[str, ...], str, str | None]] = [
    (CHAIR, ("yes", "no"), "No, it is to the right.", "B"),
    (CHAIR, ("True", "False"), "False: the chair is to the right of the table.", "B"),
    (CHAIR, ("Yes, it is to the left", "No, it is to the right"), "No, it is to the right.", "B"),
    ("Is the lamp taller than the chair?", ("yes", "no", "cannot tell"), "No, it's shorter.", "B"),
    (CLOSER, ("sofa", "table"), "The sofa, because the other one is farther away.", "A"),
    (CLOSER, ("sofa", "table"), "It's the table, as far as I can tell.", "B"),
    (CLOSER, ("sofa", "table"), "The table by far.", "B"),
    (CLOSER, ("sofa", "table"), "The sofa (the other is further back).", "A"),
    (CLOSER, ("sofa", "table"), "The sofa on the far side.", "A"),
    (CLOSER, ("sofa", "table"), "The sofa is farther away.", "B"),
    (CLOSER, ("sofa", "table"), "The farther one is the sofa.", "B"),
    (CLOSER, ("sofa", "table"), "The sofa isn't as near as the table.", "B"),
    (TALLER, LAMPS, "In short, the left one.", "A"),
    (TALLER, LAMPS, "The left one on the low table.", "A"),
    (TALLER, LAMPS, "The left one with the lower shade.", "A"),
    ("Which room is larger?", ("the study", "the hall"), "The hall, even though it looks smaller.", "B"),
    ("Which cup is on the left?", ("the red cup", "the blue cup"), "B is right.", "B"),
    ("Which cup is on the left?", ("the red cup", "the blue cup"), "The blue cup has the plate on its right.", "B"),
    ("Which cup is behind the plate?", ("the red cup", "the blue cup"), "The plate is in front of the blue cup.", "B"),
    ("Which event comes before the crash?", ("the horn", "the siren"), "The crash comes after the horn.", "A"),
    (SIDE, ("left", "right"), "Left, the chair is there.", "A"),
    (SIDE, ("left", "right"), "Right (the chair is there).", "B"),
    (SIDE, ("left", "right"), "Left - the chair stands there.", "A"),
    (SIDE, ("left", "right"), "The chair is right next to the table, on the left.", "A"),
    (SIDE, ("left", "right"), "Left, the chair is right by the table.", "A"),
    (SIDE, ("left", "right"), "Left. The table is right next to it.", "A"),
]
"""Answers that name the opposite of the question without taking it from the named option."""


ROOM, ROOMS = "Which room is larger, the kitchen or the bedroom?", ("kitchen", "bedroom")
SIDES = ("left", "right")
BOXES = ("the red box", "the green box")
CUPS = ("the white cup", "the striped cup", "the blue cup")
COLOURS = ("red", "blue", "white", "black")
GENERAL: list[tuple[str, tuple[str, ...], str, str | None]] = [
    ("Is the shop north or south of the station?", ("north", "south"), "The station is north of it.", "B"),
    ("Is the plant left or right of the sofa?", SIDES, "The sofa's on its left.", "B"),
    ("Which is bigger?", BOXES, "The green box has less volume than the red box.", "A"),
    ("Which is bigger?", (*BOXES, "they are equal"), "Green is the smaller one.", "A"),
    ("Which is bigger?", BOXES, "The two boxes are equally small, the green box and the red box.", None),
    (
        "Which lamp is brighter?",
        ("the left lamp", "the right lamp"),
        "The left one is on; the other one blinds you.",
        None,
    ),
    ("Which way does she look?", ("north", "east", "south", "west"), "North is behind her.", None),
    ("Which way does she look?", ("north", "east", "south", "west"), "W", "D"),
    ("Which cup is under the lamp?", CUPS, "striped/blue", None),
    ("Which cup is under the lamp?", CUPS, "Striped. If you moved the lamp, then it would be blue.", "B"),
    ("Which car is it?", COLOURS, "If it's day, it's white, but if that's a lamp it could be blue.", None),
    ("Which car is it?", COLOURS, "It might be the red one, the white one isn't out of the question.", None),
    ("Which car is it?", COLOURS, "The answer depends on the frame: first red, then black.", None),
    ("Which car is it?", COLOURS, "Maybe blue.", "B"),
    ("What touches?", ("the lamp and the book", "the book and the vase"), "vase + book", "B"),
    ("Where is the key?", ("on the hook", "in the door"), "The key is no longer on the hook.", None),
    ("What does he push?", ("a pram", "a bicycle"), "There is a bicycle, but that's not his.", None),
    ("What is there?", ("a plant", "a piano"), "Easy: (A), the piano!", None),
    ("What points up?", ("the arrow", "the lamp"), "No. 1", "A"),
    ("Which vehicle stops?", ("a lorry", "a taxi"), "The truck.", "A"),
    (ROOM, ROOMS, "The kitchen has 14 m2, the bedroom 12 m2.", "A"),
    (ROOM, ROOMS, "The kitchen has 14 m², the bedroom 18.", "B"),
]
"""Each has a form that was read otherwise: the other thing, a case, a hedge, a unit that is said once."""

CONCLUDED: list[tuple[str, tuple[str, ...], str, str | None]] = [
    (ROOM, ROOMS, "The bedroom has 2 windows, the kitchen 3. The bedroom is larger.", "B"),
    (ROOM, ROOMS, "The kitchen has 4 chairs and the bedroom has 1 bed. I would say the bedroom.", "B"),
    (ROOM, ROOMS, "The kitchen has 12 m² and the bedroom 15 m².", "B"),
]
"""An option behind the last measure."""


CAMERA = ("It moves to the left", "It moves to the right", "It moves forward", "It is static")
TURNS = ("turn left", "turn right", "go straight")
STANDING = "If I am standing by the stove and facing the sofa, is the TV to my left or right?"
OBJECTS = ("phone", "lamp", "book", "cup")
PLAIN: list[tuple[str, tuple[str, ...], str, str | None]] = [
    ("Where is the TV?", SIDES, "On your right is a TV, and the sofa is further left. The TV is on the left.", "A"),
    (
        "Which is right of the fridge?",
        ("cabinet", "stove", "sink", "microwave"),
        "What is correct is that the sink is left and the stove is right of the fridge.",
        None,
    ),
    ("How does the camera move?", CAMERA, "The camera does not turn; it moves forward.", "C"),
    ("How does the camera move?", CAMERA, "The person is at rest. The camera moves forward.", "C"),
    ("How does the car turn?", TURNS, "It keeps going straight, right after the light turns green.", "C"),
    ("How does the car turn?", TURNS, "It goes straight right after the light.", "C"),
    ("How does the car turn?", TURNS, "It keeps straight, leaving the shop on its right.", "C"),
    ("How does the car turn?", TURNS, "Right at the light the car turns left.", "A"),
    (STANDING, SIDES, "If I am standing by the stove and facing the sofa, the TV would be on my right.", "B"),
    (STANDING, SIDES, "I stand by the stove and face the sofa. Then it would be on the left.", "A"),
    ("Which is closer?", ("the bin", "the chair"), "The bin may be larger, but the chair is closer.", "B"),
    ("Which box is heavier?", BOXES, "The same person lifts both; the red box is lighter.", "B"),
    ("Which box is heavier?", BOXES, "Both have the same size, but the green box is lighter.", "A"),
    ("What is next to the bed?", OBJECTS, "The lamp is next to the bed, but it is not lit.", "B"),
    ("What is next to the bed?", OBJECTS, "The lamp, but it's not switched on.", "B"),
    (
        "Which car is the fastest?",
        ("red car", "blue car", "white car"),
        "The red car is slower than the blue car; the white car is slowest.",
        None,
    ),
    ("What is nearest?", ("phone", "shelf"), "It is the shelf; the mobile base stands behind it.", "B"),
    ("What is in the box?", ("trash bin", "plant"), "The storage bin holds a plant.", "B"),
    (ROOM, (*ROOMS, "the bathroom"), "The kitchen has 2 windows; the bedroom measures 18 m².", None),
]
"""Ordinary answers whose words are cues elsewhere."""


@pytest.mark.parametrize(("question", "options", "response", "expected"), ROWS + KEPT + CONCLUDED + GENERAL + PLAIN)
def test_option(question: str, options: tuple[str, ...], response: str, expected: str | None) -> None:
    item = Item(id="c", question=question, kind="choice", answer="A", options=options, task="t")
    assert read_careful(item, response).value == expected
