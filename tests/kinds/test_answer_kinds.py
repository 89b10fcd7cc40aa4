"""Yes or no, words, orders, sets, points and boxes: what each promises, and what it refuses."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from typer.testing import CliRunner

from tolman.cli import app
from tolman.item_table import write_items
from tolman.items import Item
from tolman.kinds import kind_named, kind_of
from tolman.responses import Response
from tolman.runs.run_folder import RunFolder
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.metrics import metric_named
from tolman.scoring.picture_shapes import encode
from tolman.scoring.response_states import chance

OPTIONS = ("the lamp", "a red sofa", "bed", "door 2")


def item(kind: str, answer: Any, **fields: Any) -> Item:
    """An item; its answer as JSON, unless it is a text."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return Item.model_validate({"id": "1", "question": "Which?", "kind": kind, "answer": text, "task": "t", **fields})


def score(one: Item, response: str, metric: str = "") -> float:
    """What a response gets by a metric, the kind's own if none is named."""
    kind = kind_of(one)
    value = (metric_named(metric) if metric else kind.metric).value(one, kind.read(one, response))
    assert value is not None
    return value


WORDS = st.text("abcde fghij,.'-?!ABC0129éü图", min_size=1, max_size=30).filter(lambda text: text.strip(" .,'-?!"))
SHARE = st.integers(0, 999).map(lambda n: n / 1000)
SCALES = st.sampled_from([{}, *({"coordinates": name} for name in ("0-1", "0-100", "0-999", "0-1000 yx"))])


@st.composite
def places(draw: st.DrawFn, kind: str) -> Item:
    """An item about a place, on any scale."""
    x, y, width, height = (draw(SHARE) for _ in range(4))
    size = draw(st.sampled_from([None, [640, 480], [37, 1001]]))
    across, down = size or (1, 1)
    right, low = x + (1 - x) * max(width, 0.001), y + (1 - y) * max(height, 0.001)
    box = [x * across, y * down, right * across, low * down]
    form = draw(st.sampled_from(["box", "boxes"] if kind == "boxes" else ["box", "polygon", "points", "mask"]))
    truth: dict[str, Any] = {"size": size} if size else {}
    if form == "mask":
        pixels = np.zeros((12, 9), dtype=bool)
        pixels[int(y * 12) :, int(x * 9)] = True
        truth = {"mask": {"size": [12, 9], "counts": encode(pixels)}}
    elif form == "polygon":
        truth["polygon"] = [[box[0], box[1]], [box[2], box[1]], [box[0], box[3]]]
    elif form == "points":
        truth["points"] = [[box[0], box[1]], [across / 2, down / 2]]
    else:
        truth[form] = box if form == "box" else [box, [0, 0, across / 2, down / 3]]
    return item(kind, truth, labels=draw(SCALES))


@given(
    st.one_of(
        st.sampled_from(["yes", "no"]).map(lambda answer: item("yes-no", answer)),
        WORDS.map(lambda text: item("text", text)),
        st.lists(WORDS, min_size=2, max_size=4).map(lambda texts: item("text", texts)),
        st.permutations(OPTIONS).map(lambda things: item("order", things, options=OPTIONS)),
        st.lists(WORDS, min_size=2, max_size=4).map(lambda things: item("order", things)),
        st.lists(st.sampled_from(OPTIONS), unique=True).map(lambda things: item("set", things, options=OPTIONS)),
        st.lists(st.sampled_from(OPTIONS), unique=True).map(lambda things: item("set", things)),
        places("points"),
        places("boxes"),
    )
)
@example(item("text", "0? 图"))
@settings(max_examples=40)
def test_the_answer_given_as_a_response_is_right(one: Item) -> None:
    kind = kind_of(one)
    assert score(one, one.answer) == pytest.approx(1.0)
    assert score(one, kind.right_response(one)) == pytest.approx(1.0, abs=1e-6)
    assert score(one, "") == 0.0
    assert kind.answer_text(one)
    assert kind.released_answer(one.answer)
    assert kind.check(one.model_copy(update={"answer": kind.released_answer(one.answer)})) == ""


@given(
    st.one_of(st.text(max_size=60), st.text("[](){}<>0123456789.,:;'\"-/xy ABpoint answer is\n", max_size=60)),
    st.sampled_from(["yes-no", "text", "order", "set", "points", "boxes"]),
)
@settings(max_examples=60)
def test_any_response_is_read_without_an_error(response: str, kind: str) -> None:
    answers = {
        "yes-no": "yes", "text": "x", "order": ["a", "b"], "set": ["a"], "points": {"points": [[0, 0]]},
        "boxes": {"box": [0, 0, 1, 1]},
    }  # fmt: skip
    one = item(kind, answers[kind])
    found = kind_of(one).read(one, response)
    assert found.value is not None or found.note
    assert 0.0 <= kind_of(one).score(one, found) <= 1.0
    if found.span:
        assert 0 <= found.span[0] < found.span[1] <= len(response)


@pytest.mark.parametrize(
    ("kind", "answer", "fields", "wrong"),
    [
        ("yes-no", "maybe", {}, "the answer 'maybe' is neither yes nor no"),
        ("yes-no", "yes", {"options": ["a", "b"]}, "has no options"),
        ("text", "", {}, "an accepted answer is empty"),
        ("text", ["a", " "], {}, "an accepted answer is empty"),
        ("text", "a", {"options": ["a", "b"]}, "answered in words has no options"),
        ("order", "a, b", {}, "is no list of two things or more"),
        ("order", ["a"], {}, "is no list of two things or more"),
        ("order", ["a", "b"], {"options": ["a", "b", "c"]}, "doesn't have each option once"),
        ("order", ["a", "A"], {"options": ["a", "A"]}, "two options are the same"),
        ("set", "a", {}, "is no list of things"),
        ("set", ["cup", "the cup"], {}, "comes twice"),
        ("set", ["c"], {"options": ["a", "b"]}, "'c' is none of the options"),
        ("points", "(0.1, 0.2)", {}, "is no JSON object that names a place"),
        ("points", {"points": [[1, 2]], "in": "pixels"}, {}, "in pixels of a picture whose size isn't given"),
        ("points", {"points": [[0, 0]]}, {"options": ["a", "b"]}, "about places has no options"),
        ("points", {"box": [0, 0, 640, 480]}, {}, "isn't between 0 and 1; give the picture's size"),
        ("boxes", {"points": [[0, 0]]}, {}, "a place without a box"),
    ],
)
def test_an_item_that_is_not_whole_is_refused(kind: str, answer: Any, fields: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        item(kind, answer, **fields)


def test_metrics_give_credit_for_parts() -> None:
    words = item("text", ["red chair", "armchair"])
    assert [score(words, said) for said in ("The red chair.", "ARMCHAIR", "chair", '["armchair", "bed"]')] == [
        1,
        1,
        0,
        0,
    ]
    assert score(words, "chair", "text-f1") == pytest.approx(2 / 3)
    assert score(item("text", "2"), "two") == 1.0
    assert score(item("text", "-2"), "2") == 0.0
    order = item("order", OPTIONS, options=OPTIONS)
    assert (score(order, "B, A, C, D"), score(order, "B, A, C, D", "order-pairs")) == (0.0, pytest.approx(5 / 6))
    some = item("set", OPTIONS[:2], options=OPTIONS)
    said = "A, C"
    assert [score(some, said, name) for name in ("set-accuracy", "set-f1", "set-iou")] == [0, 0.5, pytest.approx(1 / 3)]
    assert score(item("set", []), "none", "set-f1") == 1.0
    left = item("points", {"size": [640, 480], "box": [0, 0, 320, 480]})
    said = "[(0.1, 0.5), (0.9, 0.5)]"
    shares = [score(left, said, name) for name in ("points-inside", "any-point-inside", "first-point-inside")]
    assert shares == [0.5, 1.0, 1.0]
    assert score(left, said, "point-distance") == pytest.approx(0.5 * 0.4 * 640 / 800)
    said = '{"size": [640, 480], "boxes": [[0, 0, 320, 300], [320, 0, 330, 10]]}'
    assert score(left, said) == pytest.approx(96_000 / 96_100)
    empty = ParsedAnswer('{"size": [640, 480], "boxes": [[5, 5, 5, 9]]}')  # as a released reader may give it
    assert kind_of(left).score(left, empty) == 0.0
    half = item("boxes", {"box": [0, 0, 0.5, 1]})
    assert [score(half, "[0, 0, 1000, 1000]", name) for name in ("box-iou", "box-iou-50", "box-iou-51")] == [0.5, 1, 0]
    assert score(half, "no box") == 0.0


def test_a_random_answer_has_the_chance_level() -> None:
    told = {
        "yes-no": (item("yes-no", "no"), 0.5),
        "order": (item("order", OPTIONS, options=OPTIONS), 1 / 24),
        "set": (item("set", OPTIONS[:1], options=OPTIONS), 1 / 16),
        "points": (item("points", {"size": [640, 480], "box": [0, 0, 160, 480]}), 0.25),
    }
    for one, level in told.values():
        kind = kind_of(one)
        drawn = kind.guesses(one, ())
        assert sum(score(one, said) for said in drawn) / len(drawn) == pytest.approx(level) == chance(one)
    assert [chance(item("text", "a")), chance(item("boxes", {"box": [0, 0, 1, 1]}))] == [0.0, 0.0]


def test_many_options_are_guessed_from_evenly_spread_orders_and_sets() -> None:
    options = tuple("abcdefghijkl")
    orders = kind_named("order").guesses(item("order", options, options=options), ())
    sets = kind_named("set").guesses(item("set", [], options=options), ())
    assert (len(set(orders)), len(set(sets))) == (720, 1024)
    assert {json.loads(order)[0] for order in orders} == set(options)


@pytest.mark.full
def test_baselines_answer_as_models_do_and_reports_show_places_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes = [[0, 0, 100, 480], [0, 0, 120, 480], [600, 0, 640, 480]]
    points = [
        item("points", {"size": [640, 480], "box": box}, id=f"p{i}", task="points") for i, box in enumerate(boxes)
    ]
    doors = [item("yes-no", answer, id=f"y{i}", task="doors") for i, answer in enumerate(("yes", "no", "no"))]
    words = [item("text", answer, id=f"t{i}", task="words") for i, answer in enumerate((["a sofa", "couch"], "a sofa"))]
    (tmp_path / "benchmark.json").write_text('{"title": "Mixed"}', encoding="utf-8")
    write_items(tmp_path / "items.parquet", [*points, *doors, *words])
    monkeypatch.chdir(tmp_path)
    said, figures = {}, {}
    for name in ("random", "best-constant"):
        ran = CliRunner().invoke(app, ["run", ".", "--model", f"baseline/{name}", "--protocol", "blind", "--out", name])
        assert ran.exit_code == 0, (ran.output, ran.exception)
        said[name] = {
            one.id: one.response for one in RunFolder(tmp_path / name).outcomes() if isinstance(one, Response)
        }
        scores = json.loads((tmp_path / name / "scores.json").read_text(encoding="utf-8"))
        figures[name] = {key: cell["value"] for key, cell in scores["rule_sets"]["careful"]["cells"].items()}
    assert {said["best-constant"][one.id] for one in points} == {"[(0.078125, 0.5000)]"}
    assert figures["best-constant"]["points"] == pytest.approx(200 / 3)
    assert figures["best-constant"]["doors"] == pytest.approx(200 / 3)
    assert (said["best-constant"]["t0"], figures["best-constant"]["words"]) == ("a sofa", 100.0)
    assert figures["random"].keys() == figures["best-constant"].keys()
    assert len({said["random"][one.id] for one in points}) == 3
    ran = CliRunner().invoke(app, ["report", "best-constant", "--out", "page.html"])
    assert ran.exit_code == 0, (ran.output, ran.exception)
    pages = "".join(page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html"))
    assert "in the box (0, 0) – (100, 480) px, 15.6% of the picture" in pages


@pytest.mark.parametrize(
    ("text", "value"),
    [("Answer: a vase", None), ("Answer: B", None), ("**Answer:** yes", "yes"), ("No, a vase.", "no")],
)
def test_a_letter_is_neither_yes_nor_no(text: str, value: str | None) -> None:
    one = item("yes-no", "yes")
    assert kind_of(one).read(one, text).value == value


@pytest.mark.parametrize(
    ("kind", "released", "stored"),
    [
        ("yes-no", "Yes.", "yes"),
        ("yes-no", "False", "no"),
        ("text", ' ["a", "a", " "] ', "a"),
        ("text", '["a", "b"]', '["a", "b"]'),
        ("order", "lamp, sofa -> bed", '["lamp", "sofa", "bed"]'),
        ("set", "none", "[]"),
        ("set", '["a"]', '["a"]'),
        ("points", "[(0.5, 0.25)]", '{"points": [[0.5, 0.25]]}'),
        ("boxes", "[10, 20, 300, 400]", '{"box": [0.01, 0.02, 0.3, 0.4]}'),
    ],
)
def test_released_answers_are_stored_in_one_form(kind: str, released: str, stored: str) -> None:
    assert kind_named(kind).released_answer(released) == stored


def test_prompts_and_judges_ask_for_the_kinds_answer() -> None:
    points = item("points", {"size": [64, 48], "points": [[1, 2]]}, labels={"coordinates": "pixels yx"})
    kind = kind_of(points)
    assert kind.demand(points).endswith("as a JSON list of [y, x], with x and y in pixels of the picture.")
    assert kind.right_response(points) == "[(2, 1)]"
    order = item("order", OPTIONS, options=OPTIONS)
    assert "letters of all options in the right order" in kind_of(order).demand(order)
    assert kind_of(order).right_response(order) == "A, B, C, D"
    for one in (
        points,
        order,
        item("yes-no", "yes"),
        item("text", "a"),
        item("set", []),
        item("boxes", {"box": [0, 0, 1, 1]}),
    ):
        assert kind_of(one).judge_request(one).startswith("Reply with")
        assert kind_of(one).answer_form(one) in kind_of(one).answer_form(one)
        assert kind_of(one).asks_for


def test_people_agree_as_far_as_the_kind_says() -> None:
    boxes = item("boxes", {"box": [0, 0, 1, 1]})
    agree = kind_of(boxes).agree
    assert agree(boxes, '{"box": [0, 0, 0.5, 1]}', '{"box": [0, 0, 0.6, 1]}')
    assert not agree(boxes, '{"box": [0, 0, 0.5, 1]}', '{"box": [0.4, 0, 1, 1]}')
    points = item("points", {"box": [0, 0, 1, 1]})
    assert kind_of(points).agree(points, '{"points": [[0.5, 0.5]]}', '{"points": [[0.52, 0.5]]}')
    assert not kind_of(points).agree(points, '{"points": [[0.5, 0.5]]}', '{"points": [[0.7, 0.5]]}')
    words = item("text", "a sofa")
    assert kind_of(words).agree(words, "the sofa", "Sofa.")
    assert math.isclose(kind_of(words).score(words, kind_of(words).read(words, "sofa")), 1.0)
