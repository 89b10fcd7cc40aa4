"""Tolman's answer kinds in the web application: lists are stored in one form, points are clicked and boxes dragged."""

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from reviewing import Serve, Served, at_work
from tolman.item_table import write_items
from tolman.items import Item
from tolman.review.forms import AnswerError, labels_of, read_answer, shown_answer
from tolman.review.modes.answering import answers

PICTURE = {"kind": "image", "path": "picture.png"}
ITEMS = [
    Item.model_validate({"id": kind, "task": kind, "kind": kind, "media": [PICTURE], **fields})
    for kind, fields in {
        "points": {"question": "Where is the cup?", "answer": '{"size": [320, 240], "box": [0, 0, 160, 120]}'},
        "boxes": {"question": "Around what is it?", "answer": '{"size": [320, 240], "box": [32, 24, 160, 120]}'},
        "order": {"question": "What comes first?", "answer": '["lamp", "sofa"]', "options": ["sofa", "lamp"]},
        "set": {"question": "What is there?", "answer": '["lamp"]'},
        "text": {"question": "What is it?", "answer": '["a cup", "mug"]'},
        "yes-no": {"question": "Is it a cup?", "answer": "yes"},
    }.items()
]
BY_KIND = {item.kind: item for item in ITEMS}


@pytest.mark.parametrize(
    ("kind", "entered", "stored", "shown"),
    [
        ("order", " B, A ", '["lamp", "sofa"]', "lamp → sofa"),
        ("set", "lamp and sofa", '["lamp", "sofa"]', "lamp, sofa"),
        ("set", "none", "[]", "none"),
        ("text", "A cup.", "A cup.", "A cup."),
        ("yes-no", "no", "no", "no"),
        ("points", "(0.5, 0.25)", '{"points": [[0.5, 0.25]]}', "(0.5, 0.25)"),
        ("points", "(500, 250)", '{"points": [[0.5, 0.25]]}', "(0.5, 0.25)"),
        ("boxes", "[0.1, 0.2, 0.3, 0.4]", '{"box": [0.1, 0.2, 0.3, 0.4]}', "(0.1, 0.2) – (0.3, 0.4)"),
    ],
)
def test_an_answer_is_stored_in_its_kinds_form(kind: str, entered: str, stored: str, shown: str) -> None:
    item = BY_KIND[kind]
    assert read_answer(item, entered) == stored
    assert read_answer(item, stored) == stored
    assert shown_answer(item, stored) == shown


@pytest.mark.parametrize(
    ("kind", "entered", "sentence"),
    [
        ("order", "A", "That is no answer that can be read: not each option once."),
        ("order", "chair, table", "That is no answer that can be read: not among the options."),
        ("points", "", "Mark the answer in the picture, or write its coordinates."),
        ("points", "there", "That is no answer that can be read: no answer."),
        ("points", "(5000, 2)", "That is no answer that can be read."),
        ("boxes", "(0.1, 0.2)", "That is no answer that can be read: no box."),
        ("yes-no", "maybe", "Choose one of the options."),
    ],
)
def test_what_is_no_answer_is_refused_in_a_sentence(kind: str, entered: str, sentence: str) -> None:
    with pytest.raises(AnswerError) as told:
        read_answer(BY_KIND[kind], entered)
    assert str(told.value) == sentence


def test_answers_in_words_are_labels_by_what_they_say() -> None:
    assert labels_of(BY_KIND["text"], ["a cup", "Cup.", "mug"]) == ["a cup", "a cup", "mug"]
    assert labels_of(BY_KIND["set"], ['["lamp", "sofa"]', '["Sofa", "the lamp"]']) == ['["lamp", "sofa"]'] * 2


@pytest.fixture
def served(tmp_path: Path, serve: Serve) -> Served:
    """A server of a question about points and one about boxes."""
    folder = tmp_path / "places"
    folder.mkdir()
    Image.new("RGB", (320, 240), "grey").save(folder / "picture.png")
    (folder / "benchmark.json").write_text('{"title": "Places"}', encoding="utf-8")
    write_items(folder / "items.parquet", ITEMS[:2])
    return serve(folder)


@pytest.mark.full
def test_points_are_clicked_and_boxes_dragged_in_the_picture(page: Any, served: Served) -> None:
    project = served.project("answer")
    at_work(page, served, "subject", "Sam", project)
    for number in (1, 2):
        page.get_by_text(f"{number} of 2", exact=True).wait_for()
        page.locator(".placing img").wait_for()
        page.wait_for_function("document.querySelector('.placing img').naturalWidth > 0")
        area = page.locator(".placing").bounding_box()

        def at(x: float, y: float, area: dict[str, float] = area) -> tuple[float, float]:
            return area["x"] + x * area["width"], area["y"] + y * area["height"]

        if "cup" in page.locator("h1.question").inner_text():
            for place in ((0.25, 0.25), (0.75, 0.5), (0.75, 0.5)):  # the second is taken away again
                page.mouse.click(*at(*place))
            assert page.locator(".placed.point").count() == 1
        else:
            page.mouse.move(*at(0.5, 0.5))
            page.mouse.down()
            page.mouse.move(*at(0.1, 0.1), steps=4)
            page.mouse.up()
            assert page.locator(".placed.area").count() == 1
            page.mouse.click(*at(0.3, 0.3))
            assert page.locator("#answer").input_value() == ""
            page.locator("#answer").fill('{"box": [0.1, 0.1, 0.5, 0.5]}')
            assert page.locator(".placed.area").count() == 1
        page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="Nothing is left to do").wait_for()
    given = served.told(answers, project)["Sam"]
    assert json.loads(given["points"][0])["points"][0] == pytest.approx([0.25, 0.25], abs=0.01)
    assert given["boxes"][0] == '{"box": [0.1, 0.1, 0.5, 0.5]}'
