"""Yes and no that a response says without the word."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful

ROWS: list[tuple[str, tuple[str, ...], str, str | None]] = [
    (
        "Is the window to the left of the door open?",
        ("yes", "no"),
        "The window left of the door is open; you can see the curtain blowing outwards.",
        "A",
    ),
    (
        "Does the red truck overtake the bus?",
        ("yes", "no"),
        "The red truck never overtakes the bus, although it tries twice.",
        "B",
    ),
    ("Is the stool shorter than the table?", ("yes", "no"), "If anything the stool is taller than the table.", "B"),
    (
        "Are there any people in the lobby at the end of the clip?",
        ("yes", "no"),
        "There isn't a soul in the lobby by then.",
        "B",
    ),
    ("Is the shelf above the sink?", ("yes", "no"), "Indeed it is, with a row of glasses on it.", "A"),
    (
        "Did the drone fly over the roof?",
        ("no", "yes"),
        "Without a doubt: its shadow crosses the tiles at second 4.",
        "B",
    ),
    (
        "Can the wheelchair pass through the doorway?",
        ("yes", "no"),
        "I'm afraid it can't. The frame is 60 cm wide and the chair needs 70.",
        "B",
    ),
    ("Is the camera moving backwards?", ("yes", "no"), "Quite the opposite.", "B"),
    ("Is the cup on the table?", ("yes", "no"), "The cup isn't on the table but on the windowsill.", "B"),
    ("Does the cat jump onto the sofa?", ("yes", "no"), "It does not; it merely looks up at it.", "B"),
    ("Are the two cars moving in the same direction?", ("yes", "no"), "They are moving in opposite directions.", "B"),
    ("Is the lamp switched on in the second picture?", ("yes", "no"), "In the second picture the lamp is off.", "B"),
    (
        "Would a robot 50 cm wide fit between the chairs?",
        ("yes", "no"),
        "It would, with some ten centimetres to spare.",
        "A",
    ),
    (
        "Is the door wide enough for the sofa?",
        ("yes", "no"),
        "Hard to say. It depends on whether the legs come off.",
        None,
    ),
    (
        "Is the bed against the wall?",
        ("yes", "no"),
        "By no means: there is a nightstand on either side and a gap behind the headboard.",
        "B",
    ),
    ("Is the plant bigger than the bin?", ("yes", "no"), "Certainly not; it is about half its height.", "B"),
    (
        "Does the elevator stop on the third floor?",
        ("yes", "no"),
        "It skips the third floor and goes straight up to the fifth.",
        "B",
    ),
    (
        "Is the fridge taller than the man standing beside it?",
        ("yes", "no"),
        "The man is a head taller than the fridge.",
        "B",
    ),
    ("Is the road wet?", ("yes", "no"), "The road is dry as a bone.", "B"),
    (
        "Are the curtains drawn in the last frame?",
        ("yes", "no"),
        "In the last frame the curtains are drawn, yes indeed.",
        "A",
    ),
    (
        "Can the robot see the charging station from where it stands?",
        ("yes", "no"),
        "From where it stands, the robot has no view of the charging station.",
        "B",
    ),
    ("Did the person leave the room before the phone rang?", ("yes", "no"), "She left after it rang.", "B"),
    (
        "Does the path lead past the pond?",
        ("no", "yes"),
        "The path does lead past the pond, just behind the willow.",
        "B",
    ),
    ("Is there a mirror in the hallway?", ("yes", "no"), "There is one, right over the shoe rack.", "A"),
    (
        "Is there a mirror in the hallway?",
        ("yes", "no"),
        "I looked at every frame of the hallway; there is no mirror.",
        "B",
    ),
    (
        "The statue faces the fountain. True or false?",
        ("True", "False"),
        "Far from it. It looks out over the street.",
        "B",
    ),
    ("Does the van turn left at the lights?", ("yes", "no"), "The van turns right at the lights.", "B"),
    ("Is the dog running toward the camera?", ("yes", "no"), "The dog is running away from the camera.", "B"),
    ("Is the crate too heavy for the forklift?", ("yes", "no"), "I can't judge weight from a picture.", None),
    (
        "Is the blue cup closer to the edge than the red cup?",
        ("yes", "no"),
        "The red cup is the closer of the two to the edge.",
        "B",
    ),
    ("Is the ladder leaning against the wall?", ("yes", "no"), "Nope, it's lying on the ground.", "B"),
    (
        "Is the ladder leaning against the wall?",
        ("yes", "no"),
        "So it would appear: its feet are on the lawn and its top touches the bricks.",
        "A",
    ),
    ("Hat das Zimmer mehr als ein Fenster?", ("ja", "nein"), "Das Zimmer hat nur ein einziges Fenster.", "B"),
    ("Is the piano in the same room as the sofa?", ("yes", "no"), "They are in different rooms.", "B"),
    (
        "Is the wardrobe door blocked by the bed?",
        ("yes", "no"),
        "There's plenty of room: the door of the wardrobe swings open without touching the bed.",
        "B",
    ),
    (
        "Is the wardrobe door blocked by the bed?",
        ("yes", "no"),
        "I'm sorry to report that it is. You'd have to move the bed first.",
        "A",
    ),
    (
        "Does the robot pass under the table?",
        ("yes", "no"),
        "Looking at the frames around second 12, I notice the antenna vanish beneath the table top and come out again on the far side. So it does.",
        "A",
    ),
    (
        "Are all four chairs the same colour?",
        ("yes", "no"),
        "One of the four is green while the rest are brown, so they aren't.",
        "B",
    ),
    ("Is the rug square?", ("yes", "no"), "Absolutely. All sides measure 2 m.", "A"),
    ("Is the tall lamp behind the sofa?", ("no", "yes"), "The tall lamp is in front of the sofa.", "A"),
    ("Is the microwave to the right of the oven?", ("yes", "no"), "The oven is to the right of the microwave.", "B"),
    ("Is the microwave to the right of the oven?", ("yes", "no"), "The oven is to the left of the microwave.", "A"),
    ("Is there enough space between the shelves for a pram?", ("yes", "no"), "Plenty.", "A"),
    ("Is the window bigger than the door?", ("yes", "no"), "Not by a long shot.", "B"),
    ("¿Está la lámpara encendida?", ("sí", "no"), "La lámpara está apagada.", "B"),
    ("Steht der Stuhl links vom Tisch?", ("ja", "nein"), "Der Stuhl steht rechts vom Tisch.", "B"),
    ("La porte est-elle ouverte ?", ("oui", "non"), "Pas du tout, elle est fermée à clé.", "B"),
    ("Do the tracks cross each other?", ("yes", "no"), "At no point do the tracks cross each other.", "B"),
    (
        "Was the photo taken from inside the car?",
        ("yes", "no"),
        "Correct: one can see the dashboard at the bottom.",
        "A",
    ),
    ("Is the bench long enough for four people?", ("yes", "no"), "Maybe, maybe not. It depends on the people.", None),
    ("Is the gate locked?", ("yes", "no"), "From the padlock on the chain I'd conclude that the gate is locked.", "A"),
    ("Is the gate locked?", ("yes", "no"), "The gate is unlocked; the chain hangs loose.", "B"),
    ("Does the staircase have a handrail?", ("yes", "no"), "The staircase lacks a handrail.", "B"),
    ("Can you see the garden from the kitchen window?", ("yes", "no"), "You can, though only a corner of it.", "A"),
    ("Are the two lamps equally tall?", ("yes", "no"), "The two lamps differ in height by about 10 cm.", "B"),
    (
        "Is the desk further from the window than the bed?",
        ("yes", "no"),
        "The desk is nearer to the window than the bed.",
        "B",
    ),
    (
        "Is the desk further from the window than the bed?",
        ("yes", "no"),
        "The bed is nearer to the window than the desk.",
        "A",
    ),
    ("Is the child holding the rope?", ("yes", "no"), "Nobody is holding the rope.", "B"),
    (
        "Was the second picture taken from a higher viewpoint than the first?",
        ("yes", "no"),
        "The second was taken from lower down.",
        "B",
    ),
    ("Is the light on?", ("yes", "no"), "It may be on, it may be off.", None),
    ("Is the light on?", ("yes", "no"), "If the switch is up, yes; if it is down, no.", None),
    ("Is the light on?", ("yes", "no"), "I would need to see the lamp itself to tell whether the light is on.", None),
    ("Is the cat under the table?", ("yes", "no"), "The table is under the cat, not the other way round.", "B"),
    ("Is the road narrower than the river?", ("yes", "no"), "The road is as wide as the river.", "B"),
    ("Does the train leave before noon?", ("yes", "no"), "The train leaves at ten past one, after noon.", "B"),
]


@pytest.mark.parametrize(("question", "options", "response", "expected"), ROWS)
def test_option(question: str, options: tuple[str, ...], response: str, expected: str | None) -> None:
    item = Item(id="c", question=question, kind="choice", answer="A", options=options, task="t")
    assert read_careful(item, response).value == expected


CUP, WALK = "Is the cup on the table?", "Can a person walk between the sofa and the table?"
SHELF, CLOSER = "Is the shelf more than 2 m tall?", "Is the sofa closer to the camera than the table?"
KEPT: list[tuple[str, str, str | None]] = [
    ("Could the sofa fit through the door?", "The sofa couldn't fit through the door.", "B"),
    ("Could the sofa fit through the door?", "The sofa is too wide to fit through the door.", "B"),
    ("Did the man open the door?", "The man didn't open the door.", "B"),
    ("Has the man left the room?", "The man hasn't left the room.", "B"),
    ("Were the lights on?", "The lights weren't on.", "B"),
    ("Will the ball hit the wall?", "The ball won't hit the wall.", "B"),
    (WALK, "A person cannot walk between the sofa and the table.", "B"),
    (CUP, "I doubt that the cup is on the table.", "B"),
    (CUP, "The statement that the cup is on the table is false.", "B"),
    (CUP, "Cup on table: no", "B"),
    (CLOSER, "Yes, the table isn't.", "A"),
    (CUP, "Yes, the other one isn't.", "A"),
    (CUP, "The other one is.", None),
    (CUP, "I don't know what it is.", None),
    (CUP, "I know how tall it is.", None),
    (CUP, "It was, but now the plate is there.", None),
    (CUP, "The cup is, I think.", "A"),
    (CUP, "It isn't.", "B"),
    (CUP, "Sure! The cup is not on the table.", "B"),
    (CUP, "Of course, I can help with that. No, it isn't.", "B"),
    (CUP, "Sure. The cup is on the table.", "A"),
    (CUP, "The cup is on the shelf.", None),
    (CUP, "The plate is on the table.", None),
    ("Are there two chairs at the table?", "There are three chairs at the table.", None),
    ("Are there two chairs at the table?", "There are two chairs at the table.", "A"),
    (SHELF, "The shelf is about 180 cm tall.", "B"),
    (SHELF, "The shelf is about 3 m tall.", "A"),
    (SHELF, "The shelf is about 1.8 m tall.", "B"),
    (SHELF, "The shelf is about 3 books tall.", None),
    (CLOSER, "The table is closer, the sofa is farther.", None),
    (CLOSER, "The table is 1 m away and the sofa 2 m, so the table is closer.", "B"),
    (CUP, "The plate isn't, but the cup is.", "A"),
    (CUP, "The plate is not on the table, but the cup is.", "A"),
    (CUP, "The plate isn't. The cup, which is in question, is.", "A"),
    (CUP, "The plate is not on the table.", None),
    (CUP, "Sure. The cup is under the table.", "B"),
    (CUP, "It's beside it.", "B"),
    (CUP, "The cup is under the chair.", None),
    (CUP, "The cup is standing next of the table.", None),
    ("Is the lamp switched on?", "Off.", "B"),
    ("Is the lamp switched on?", "The radio is on; the lamp, however, is off.", "B"),
    ("Does the cat jump before the ball falls?", "After.", "B"),
    ("Can the robot pass without touching the sofa?", "Too narrow.", "B"),
    ("Can the robot pass without touching the sofa?", "Plenty of room.", "A"),
    ("Are there more than three chairs?", "There are five.", "A"),
    ("Are there more than three chairs?", "Exactly three.", "B"),
    ("Are there more than three chairs?", "I see five people.", None),
    ("Is there a window in the bathroom?", "One, above the tub.", "A"),
    ("Is there a window in the kitchen?", "The kitchen has a window.", "A"),
    ("Is there a dog in the picture?", "One dog is visible.", "A"),
    ("Is the stairway steeper than the ramp?", "The ramp is flatter.", "A"),
    ("Is the light on?", "It's on the left.", None),
    ("Is the car behind the bus?", "It is near the bus, right behind it.", None),
    ("Can the robot pass without touching the sofa?", "It's too dark.", None),
    ("Can the robot pass without touching the sofa?", "There is plenty of room, but the gap is too narrow.", None),
    ("Does the car move?", "The camera pans while the car stays still.", "B"),
    ("Does the train stop at the platform?", "The train does not move, and people get out at the platform.", None),
]
"""Denials, echoes and openers that turn an answer around, and statements that don't answer."""


@pytest.mark.parametrize(("question", "response", "expected"), KEPT)
def test_kept(question: str, response: str, expected: str | None) -> None:
    item = Item(id="c", question=question, kind="choice", answer="A", options=("yes", "no"), task="t")
    assert read_careful(item, response).value == expected
