"""Options named by their places."""

from __future__ import annotations

import pytest

from tolman.items import Item
from tolman.scoring.parse import read_careful

BOXES = ("wooden", "paper", "plastic", "iron")
PAIRS = ("lamp and bed", "bed and desk", "desk and lamp")
PHOTOS = ("foto 1", "foto 2", "foto 3", "foto 4")

PLACES = [
    ("(2)", BOXES, "B"),
    ("Number three.", BOXES, "C"),
    ("Opción 4", PHOTOS, "D"),
    ("Resposta correta: 4", PHOTOS, "D"),
    ("2번이 맞습니다.", ("나무", "가로등", "표지판"), "B"),
    ("इन चारों में नंबर तीन वाली है।", ("तालाब", "स्कूल", "कुआँ", "बस"), "C"),
    ("The smallest of the three values is 0.6 m, and it belongs to the first pair.", PAIRS, "A"),
    ("C'est donc le premier de la liste.", ("bibliothèque", "frigo", "commode"), "A"),
    ("Daher passt nur die letzte Zeichnung.", ("Skizze 1", "Skizze 2", "Skizze 3"), "C"),
    # What is counted is no place.
    ("In the second frame nothing has changed.", BOXES, None),
    ("There are 2 of them.", BOXES, None),
]


@pytest.mark.parametrize(("response", "options", "letter"), PLACES)
def test_an_option_is_named_by_its_place(response: str, options: tuple[str, ...], letter: str | None) -> None:
    item = Item(id="p", question="Which one is it?", kind="choice", answer="A", options=options, task="t")
    assert read_careful(item, response).value == letter
