"""The baseline that sees: scripted detections in, answers out."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tolman import benchmarks, models
from tolman.errors import InputError, UsageError
from tolman.items import CANT_TELL, Item
from tolman.messages import Clip, Message, Picture, Sampling
from tolman.models.detector.detector_model import BLIND, DetectorModel, pictures_of
from tolman.models.detector.network import Detection
from tolman.models.model import CallError, ModelOptions, Request
from tolman.responses import Response

BENCHMARK = benchmarks.get("vsi-bench")


def thing(category: str, right: float, ahead: float, score: float = 0.9, size: float = 0.5) -> Detection:
    """An object on the floor, so many metres to the right and ahead."""
    box = (0.4, 0.4, 0.6, 0.6)
    return Detection(category, score, box, (right, 1.2, ahead), (size / 2, size / 2, size))


SHOWN = {
    "0": [thing("table", 0.0, 3.0)],
    "1": [thing("table", 0.0, 3.0), thing("chair", -1.0, 2.0), thing("chair", 1.0, 2.0), thing("sofa", 2.0, 4.0, size=2.0)],
    "2": [thing("table", 0.0, 3.0), thing("lamp", -2.0, 4.0, score=0.2)],
    "blank": [],
}  # fmt: skip


class Scripted:
    """A network that has its detections by the picture's name."""

    def detect(self, path: str) -> list[Detection]:
        if path not in SHOWN:
            raise FileNotFoundError(path)
        return SHOWN[path]


class Silent:
    """A blind baseline that says that it is asked."""

    name, settings, remote, concurrency = "blind", {}, False, 1

    def prepare(self, benchmark: object, items: Sequence[Item]) -> None:
        pass

    async def answer(self, request: Request) -> Response:
        return Response(id=request.item.id, response="blind", repeat=request.repeat)

    async def close(self) -> None:
        pass


def answered(item: Item, *shown: str) -> Response:
    model = DetectorModel(Silent(), Scripted(), {})
    model.prepare(BENCHMARK, [item])
    pictures = [Picture(path=name, sha256=name, frame=i, seconds=i / 2) for i, name in enumerate(shown)]
    message = Message(parts=(*pictures, item.question))
    return asyncio.run(model.answer(Request(item, (message,), Sampling())))


@pytest.fixture
def ask(choice: Callable[..., Item], number: Callable[..., Item]) -> Callable[..., Response]:
    def asked(task: str, question: str, *options: str, shown: Sequence[str] = ("0", "1", "2")) -> Response:
        if options:
            item = choice(*options, task=task, question=question)
        else:
            item = number("1", task=task).model_copy(update={"question": question})
        return answered(item, *shown)

    return asked


Ask = Callable[..., Response]


def test_counts_are_of_objects_and_not_of_sightings(ask: Ask) -> None:
    found = ask("object_counting", "How many chair(s) are in this room?", shown=("1", "1", "2", "1"))
    assert float(found.response) == 2


def test_a_size_is_read_in_centimetres(ask: Ask) -> None:
    question = (
        "What is the length of the longest dimension (length, width, or height) of the sofa, measured in centimeters?"
    )
    assert float(ask("object_size_estimation", question).response) == 200


def test_directions_follow_from_one_frame(ask: Ask) -> None:
    question = "If I am standing by the table and facing the sofa, is the lamp to the left or the right of the sofa?"
    assert ask("object_rel_direction_easy", question, "right", "left").response == "B"


def test_of_orders_that_are_no_option_the_nearest_is_chosen(ask: Ask) -> None:
    question = "What will be the first-time appearance order of the following categories in the video: {}?"
    task, names = "obj_appearance_order", "lamp, chair, sofa, table"
    orders = ("lamp, sofa, table, chair", "table, chair, lamp, sofa", "table, sofa, lamp, chair")
    assert ask(task, question.format(names), *orders, "chair, table, lamp, sofa").response in "BC"
    exact = ("lamp, sofa, table, chair", "table, sofa, chair, lamp")
    assert ask(task, question.format(names), *exact).response == "B"


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        pytest.param("How many chair(s) are in this room?", ("blank", "blank"), id="blank frames"),
        pytest.param("How many chair(s) are in this room?", (), id="no frames"),
        pytest.param("How many piano(s) are in this room?", ("0", "1"), id="an object that is not seen"),
        pytest.param("How many chairs would fit?", ("0", "1"), id="a question of no family"),
    ],
)
def test_what_the_frames_do_not_tell_is_answered_blind_and_noted(ask: Ask, question: str, shown: Sequence[str]) -> None:
    found = ask("object_counting", question, shown=shown)
    assert (found.response, dict(found.notes)) == ("blind", {BLIND: 1})


def test_a_frame_that_cannot_be_read_is_a_failure(ask: Ask) -> None:
    with pytest.raises(CallError, match="a frame can't be read"):
        ask("object_counting", "How many chair(s) are in this room?", shown=("missing",))


def test_sampled_frames_of_one_video_have_their_times() -> None:
    pictures = tuple(Picture(path=name, sha256=name) for name in "ab")
    clip = Clip(frames=pictures, fps=10.0, ticks=(0, 15), total=30)
    image = Picture(path="c", sha256="c")
    told = pictures_of([Message(parts=("Look:", clip, image))])
    assert [(picture.path, seconds) for picture, seconds in told] == [("a", 0.0), ("b", 1.5), ("c", None)]


@pytest.mark.parametrize("body", [{"wights": "x"}, {"weights": 3}, {"names": "chair"}])
def test_unknown_fields_of_the_body_are_told(body: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="takes --body"):
        models.create("baseline/detector", ModelOptions(body=body))


def test_a_file_that_is_no_network_is_told(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs the extra 'build'")
    with pytest.raises(InputError, match="can't be read"):
        models.create("baseline/detector", ModelOptions(body={"weights": str(tmp_path / "none.onnx")}))
    (tmp_path / "text.onnx").write_text("no network", encoding="utf-8")
    with pytest.raises(InputError, match="no network that onnxruntime reads"):
        models.create("baseline/detector", ModelOptions(body={"weights": str(tmp_path / "text.onnx")}))


@pytest.mark.parametrize("offered", [False, True])
def test_where_it_is_offered_the_unseen_cannot_be_told(offered: bool, choice: Callable[..., Item]) -> None:
    options = ("chair", "lamp", "sofa", "bed", *((CANT_TELL,) if offered else ()))
    question = f"Which of these objects ({', '.join(options[:4])}) is the closest to the table?"
    item = choice(*options, task="object_rel_distance", question=question)
    model = DetectorModel(Silent(), Scripted(), {})
    model.prepare(BENCHMARK, [item])
    said = [
        asyncio.run(
            model.answer(Request(item, (Message(parts=(Picture(path=name, sha256=name), *options)),), Sampling()))
        )
        for name in ("blank", "1")
    ]
    assert [one.response for one in said] == (["E", "E"] if offered else ["blind", "blind"])
