"""Values of forms: types of fields, answers, points and lines that are drawn, and a reviewer's verdict.

Item kinds define their own differences (`tolman.kinds`). This module has a table with one entry for each control that
an item kind names as its widget. Points and lines that people draw on pictures and frames are evidence of an answer.
A study can require a format of the questions that people write, such as MMSI-Bench's (sections 3.1 and F.4).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from fastapi import Depends, Form as InForm, Path, Request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.datastructures import FormData

from tolman.errors import counted
from tolman.items import LETTERS, Item, Media
from tolman.kinds import kind_of
from tolman.kinds.written_kinds import UNITS, in_ascii_digits
from tolman.scoring.item_kind import states_as_written

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def clean(text: str) -> str:
    """A text that every database and file can hold."""
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


def seconds_of(form: FormData) -> float:
    """Return the visible time that a form reports."""
    try:
        return min(max(float(str(form.get("seconds", "0"))), 0.0), 1e7)
    except ValueError:
        return 0.0


def texts_of(form: FormData) -> dict[str, str]:
    """The texts of a form by their fields' names, without files."""
    return {name: value for name, value in form.items() if isinstance(value, str)}


async def _request_form(request: Request) -> FormData:
    return await request.form()


Clean = AfterValidator(clean)
Key = Annotated[int, Path(ge=1, le=2**31 - 1)]
Name = Annotated[str, InForm(min_length=1, max_length=64), Clean]
Line = Annotated[str, InForm(max_length=500), Clean]
Answer = Annotated[str, InForm(max_length=100_000), Clean]
Paragraphs = Annotated[str, InForm(max_length=20_000), Clean]
Secret = Annotated[str, InForm(max_length=200)]
Shown = Annotated[str, InForm(max_length=16), Clean]
"""The state of the question's media in the browser; empty where it doesn't tell."""
Seconds = Annotated[float, InForm(ge=0, le=1e7, allow_inf_nan=False)]
RowId = Annotated[int | None, InForm(ge=1, le=2**31 - 1), BeforeValidator(_none_if_empty)]
Form = Annotated[FormData, Depends(_request_form)]
"""A form as a whole, for those whose fields are not known beforehand."""


class QuestionFormat(BaseModel, title="Format of the questions that people write or revise"):
    """The format of a question.

    Attributes:
        options: how many options a question has, all different; None for any number, or none.
        pictures: how many pictures it has, and no videos; None for any media.
        more_pictures: question types whose questions may have more.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    options: int | None = Field(default=None, ge=2, le=10, title="Options of a question, all different")
    pictures: int | None = Field(default=None, ge=1, le=20, title="Pictures of a question")
    more_pictures: tuple[str, ...] = Field(default=(), title="Question types with that many pictures or more")

    def problem(self, task: str, options: Sequence[str], media: Sequence[str] | None) -> str | None:
        """Return one sentence on a question's mismatches with the format, or None.

        Args:
            task: its question type.
            options: their texts; none of a question without options.
            media: their kinds, 'image' or 'video'; None where only the texts are judged.
        """
        wanted: list[str] = []
        found: list[str] = []
        if self.options is not None:
            texts = {" ".join(option.split()).casefold().rstrip(".") or option for option in options}
            alike = len(options) - len(texts)
            if len(options) != self.options or alike:
                wanted.append(f"{self.options} different options")
                found.append(counted(len(options), "option") + ", some alike" * bool(alike))
        if self.pictures is not None and media is not None:
            kinds = Counter(media)
            more = task in self.more_pictures
            if kinds["image"] < self.pictures or (kinds["image"] > self.pictures and not more) or kinds["video"]:
                pictures = counted(self.pictures, "picture")
                least = f"{pictures} or more" if more else f"exactly {pictures}"
                wanted.append(least)
                found += [counted(kinds[kind], word) for kind, word in _KINDS if kinds[kind] or kind == "image"]
        if not wanted:
            return None
        about = f" of the type '{task}'" if task and media is not None else ""
        return f"In this study a question{about} has {' and '.join(wanted)}; this one has {' and '.join(found)}."


_KINDS = (("image", "picture"), ("video", "video"))


CHOICES, WORDS = "choices", "words"
_NUMBER = re.compile(r"[+-]?(\d{1,9}([.,]\d{0,9})?|[.,]\d{1,9})")


class AnswerError(Exception):
    """A form without an answer; the text is one sentence for its sender."""


@dataclass(frozen=True)
class Widget:
    """Properties of a control with which a person answers.

    Attributes:
        read: (item, entered text without surrounding white space) → the answer as it is stored. Raises AnswerError.
        group: of answers that coefficients of agreement count as labels, `CHOICES` or `WORDS`; '' where they are none.
        is_free: whether the same answer can be written in several ways.
    """

    read: Callable[[Item, str], str]
    group: str = ""
    is_free: bool = False


def _chosen(item: Item, text: str) -> str:
    if text not in kind_of(item).choices(item):
        raise AnswerError("Choose one of the options.")
    return text


def _number(item: Item, text: str) -> str:
    text = in_ascii_digits(text)
    if not is_number(text):
        raise AnswerError("Give a number in digits, such as 3 or 2.5.")
    number = text.replace(",", ".")
    if may_be_thousands(text):
        raise AnswerError(f"'{text}' may mean {text.replace(',', '')} or {number}: write it without the comma.")
    if item.unit is not None and float(number) < 0 and not item.answer.startswith("-"):
        what = "A count" if item.unit == "count" else f"A number of {UNITS[item.unit]}"
        raise AnswerError(f"{what} can't be negative: give it without the minus sign.")
    return number


def _words(item: Item, text: str) -> str:
    if not text:
        raise AnswerError("Write an answer.")
    return text


def _marked(item: Item, text: str) -> str:
    if not text:
        raise AnswerError("Mark the answer in the picture, or write its coordinates.")
    return text


WIDGETS: Mapping[str, Widget] = {
    "choice": Widget(_chosen, CHOICES),
    "number": Widget(_number),
    "text": Widget(_words, WORDS, is_free=True),
    "points": Widget(_marked, is_free=True),
    "boxes": Widget(_marked, is_free=True),
}


def widget_of(item: Item) -> Widget:
    """The widget that an item's kind names."""
    return WIDGETS[kind_of(item).widget]


def read_answer(item: Item, text: str) -> str:
    """Return the answer of a form as it is stored: an option's letter, a number with a decimal point for its comma, or
    another answer in the form that the item's kind gives it.

    Raises:
        AnswerError: it is no answer; the message is the item kind's, if it has one.
    """
    kind, widget = kind_of(item), WIDGETS[kind_of(item).widget]
    answer = widget.read(item, text.strip())
    try:
        stated = kind.stated_answer(item, answer) if widget.is_free else answer
        if stated is None and not states_as_written(kind):
            note = kind.read(item, answer).note
            raise AnswerError(f"That is no answer that can be read{': ' if note else ''}{note}.")
        answer = answer if stated is None else stated
        problem = kind.check(item.model_copy(update={"answer": answer}))
        if not problem and stated is None:
            problem = kind.read(item, answer).note or f"'{answer}' is no answer that can be read"
    except ValueError as error:
        problem = str(error) or f"'{answer}' is no answer"
    if problem:
        raise AnswerError(f"{problem[:1].upper()}{problem[1:].rstrip('.')}.")
    return answer


def shown_answer(item: Item, answer: str) -> str:
    """Return an answer as pages show it: the letter next to the options, else in words."""
    kind = kind_of(item)
    return answer if kind.has_letters else kind.answer_text(item.model_copy(update={"answer": answer}))


def agree(item: Item, first: str, second: str) -> bool:
    """Check whether two answers agree, by the comparison of the item's kind."""
    return kind_of(item).agree(item, first, second)


def is_same_label(item: Item, first: str, second: str) -> bool:
    """Check whether two answers count as one: numbers if they are written alike, all others if they agree."""
    return first == second or (bool(widget_of(item).group) and agree(item, first, second))


def labels_of(item: Item, answers: Sequence[str]) -> list[str]:
    """Answers to an item as labels for coefficients of agreement: where one answer can be written in several ways, it
    is the first of those that agree."""
    if not widget_of(item).is_free:
        return list(answers)
    found: list[str] = []
    for answer in answers:
        found.append(next((label for label in dict.fromkeys(found) if is_same_label(item, label, answer)), answer))
    return found


def is_number(text: str) -> bool:
    """Check whether a text is a number as people write it."""
    return _NUMBER.fullmatch(in_ascii_digits(text)) is not None


def may_be_thousands(text: str) -> bool:
    """Check whether the comma of a number is ambiguous between decimals and thousands: '1,000' but not '0,125'."""
    return re.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}", text) is not None


MOST_DRAWN = 50
_SAME_FRAME_SECONDS = 0.002
"""By so much a browser's time of a frame may differ from the file's."""
_Number = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
_Place = tuple[_Number, _Number]

Drawn = Annotated[str, InForm(max_length=50_000), Clean]
"""The field of a form: a JSON list of drawings; '' for none."""


class DrawnMark(BaseModel):
    """A point, or a line from one point to another.

    Attributes:
        medium: which of the question's media, from 1.
        points: x and y in pixels of the original picture, seen upright: x to the right, y down.
        size: width and height of that picture, in pixels.
        time: of the frame, in seconds of the video's own time; None on an image.
        frame: its number in the file, from 0; None on an image, and where the file can't be read.
        note: the author's description of the mark.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    medium: int = Field(ge=1)
    points: Annotated[tuple[_Place, ...], Field(min_length=1, max_length=2)]
    size: _Place
    time: _Number | None = None
    frame: int | None = Field(default=None, ge=0)
    note: str = Field(default="", max_length=200)


_DRAWINGS = TypeAdapter(list[DrawnMark])
Times = Callable[[Media], Sequence[float]]


def read_drawn(text: str, media: Sequence[Media], times: Times) -> list[dict[str, Any]]:
    """Stored form of drawings, in their order.

    Args:
        text: of the form's field.
        media: of the question.
        times: video → when each of its frames is shown, in seconds; empty where that can't be read.

    Raises:
        AnswerError: they are none, too many, or outside of the question's media.
    """
    if not text.strip():
        return []
    try:
        found = _DRAWINGS.validate_json(text)
    except ValidationError as error:
        raise AnswerError(f"The drawings can't be read: {error.errors()[0]['msg'].lower()}.") from None
    if len(found) > MOST_DRAWN:
        raise AnswerError(f"There are {len(found)} drawings: at most {MOST_DRAWN}, please.")
    return [_placed(one, media, times).model_dump(mode="json", exclude_none=True) for one in found]


def _placed(drawing: DrawnMark, media: Sequence[Media], times: Times) -> DrawnMark:
    """A drawing with the frame that it is on.

    Raises:
        AnswerError: there is no such medium, place or frame.
    """
    if drawing.medium > len(media):
        raise AnswerError(f"A drawing is on medium {drawing.medium} of {len(media)}.")
    if any(x > drawing.size[0] or y > drawing.size[1] for x, y in drawing.points):
        width, height = drawing.size
        raise AnswerError(f"A drawing lies outside of its picture of {width:g} × {height:g} pixels.")
    medium = media[drawing.medium - 1]
    if (medium.kind == "video") != (drawing.time is not None):
        wrong = "a video without its time" if medium.kind == "video" else "an image with a time"
        raise AnswerError(f"A drawing is on {wrong}.")
    known = times(medium) if drawing.time is not None else ()
    if drawing.time is None or not known:
        return drawing.model_copy(update={"frame": None})
    time = drawing.time
    frame = min(range(len(known)), key=lambda number: abs(known[number] - time))
    if abs(known[frame] - time) > _SAME_FRAME_SECONDS:
        raise AnswerError(f"A drawing is at {time:g} s, where the video begins no frame.")
    return drawing.model_copy(update={"frame": frame, "time": known[frame]})


def as_field(content: Mapping[str, Any]) -> str:
    """Return the form's field for stored content; the inverse of `read_drawn`."""
    return json.dumps(content["drawn"]) if content.get("drawn") else ""


Verdict = Literal["approve", "flag", "revise", "discard"]
Target = Literal["item", "scene", "template", "rule"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
TARGETS: tuple[Target, ...] = get_args(Target)


class VerdictError(Exception):
    """A form without a verdict; the text is one sentence for its sender."""


@dataclass(frozen=True)
class VerdictForm:
    """A form as it came.

    Attributes:
        verdict: approve, flag, revise or discard.
        reason: why; needed for all but approving.
        target: the part that a flag doubts.
        question, options, answer, reasoning: the revised item; options one on each line.
    """

    verdict: str = ""
    reason: str = ""
    target: str = ""
    question: str = ""
    options: str = ""
    answer: str = ""
    reasoning: str = ""

    @classmethod
    def of(cls, item: Item) -> VerdictForm:
        """An item as it is, to be decided about."""
        options = "\n".join(item.options)
        return cls(question=item.question, options=options, answer=item.answer, reasoning=item.reasoning or "")

    def read(self, item: Item, format: QuestionFormat | None = None) -> dict[str, Any]:
        """Return the decision as it is stored.

        Args:
            item: decided about.
            format: that a study requires of revisions.

        Raises:
            VerdictError: it is none.
        """
        if self.verdict not in VERDICTS:
            raise VerdictError("Choose what to do with the question.")
        if self.verdict != "approve" and not self.reason.strip():
            raise VerdictError("Give a reason.")
        content: dict[str, Any] = {"verdict": self.verdict, "reason": self.reason.strip()}
        if self.verdict == "flag":
            if self.target not in TARGETS:
                raise VerdictError("Say what the flag is about: the item, its scene, its template or its rule.")
            content["target"] = self.target
        if self.verdict == "revise":
            content["changes"] = revised(item, self.question, self.options, self.answer, self.reasoning)
            options = content["changes"].get("options", item.options)
            if format is not None and (problem := format.problem(item.task, options, None)) is not None:
                raise VerdictError(problem)
        return content


def _verdict_form(
    verdict: Line = "",
    reason: Paragraphs = "",
    target: Line = "",
    question: Paragraphs = "",
    options: Paragraphs = "",
    answer: Answer = "",
    reasoning: Paragraphs = "",
) -> VerdictForm:
    return VerdictForm(verdict, reason, target, question, options, answer, reasoning)


VerdictFields = Annotated[VerdictForm, Depends(_verdict_form)]
"""A verdict's fields of a request's form."""


def revised(item: Item, question: str, options: str, answer: str, reasoning: str) -> dict[str, Any]:
    """The fields of an item that a revision changes.

    Raises:
        VerdictError: the item would be none, or nothing is changed.
    """
    changes: dict[str, Any] = {"question": question.strip(), "verbatim": None, "reasoning": reasoning.strip() or None}
    if not changes["question"]:
        raise VerdictError("The question is empty.")
    if item.options:
        changes["options"] = [line.strip() for line in options.splitlines() if line.strip()]
        if len(set(changes["options"])) < len(changes["options"]):
            raise VerdictError("Two options are the same.")
    asked = item.model_copy(update=changes | {"options": tuple(changes.get("options", ()))})
    try:
        if kind_of(item).has_letters:  # whether the options can stand is told before the letter is read
            apply_changes(item, changes | {"answer": LETTERS[0]})
        changes["answer"] = read_answer(asked, answer)
        fresh = apply_changes(item, changes)
    except ValidationError as error:
        raise VerdictError(f"This is no question: {error.errors()[0]['msg'].removeprefix('Value error, ')}.") from None
    except AnswerError as error:
        raise VerdictError(f"The answer: {error}") from None
    if fresh.interleaved != item.interleaved:
        raise VerdictError("Keep as many <image> marks as there are images.")
    same = ("question", "options", "answer", "reasoning")
    if all(getattr(fresh, name) == getattr(item, name) for name in same):
        raise VerdictError("Nothing is changed. To leave the question as it is, approve it.")
    return changes


def apply_changes(item: Item, changes: dict[str, Any]) -> Item:
    """An item with some fields changed.

    Raises:
        ValidationError: it would be none.
    """
    return Item.model_validate(item.model_dump(mode="json") | changes)
