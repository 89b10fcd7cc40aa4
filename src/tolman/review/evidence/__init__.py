"""Models' opinions: their answers with evidence, and the key frames, traces and checklists of any answer.

Source: SpatialBench (Xu et al. 2025), section 4.2: leading models answer independently, each with an evidence summary
of key frames and a brief reasoning trace. An answer is held to a checklist. Opinions are read from `tolman curate`'s
review.jsonl or from runs.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tolman.curate.candidates import Candidate
from tolman.curate.stages import read_answer as read_three_lines
from tolman.errors import InputError, counted
from tolman.files import file_state
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, read_index
from tolman.responses import Failure, Outcome, Text
from tolman.review.forms import AnswerError, read_answer
from tolman.runs.reasoning import reasoning_of
from tolman.runs.run_folder import RunFolder

MOST_FRAMES = 20
_FRAME = re.compile(r"(?:(?P<medium>\d{1,3})\s*@\s*)?(?P<number>\d{1,6}(?:\.\d{1,6})?)")


class EvidenceError(Exception):
    """A form without valid evidence or checklist; the text is one sentence for its sender."""


class KeyFrame(BaseModel):
    """A moment of a video, or an image, that shows why an answer is right.

    Attributes:
        medium: which of the question's media, from 1.
        seconds: from the beginning of a video; None for an image.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    medium: int = Field(ge=1)
    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)


def read_frames(item: Item, text: str) -> list[KeyFrame]:
    """Key frames as people write them: '1.5, 12' seconds of the only video, '2' for the second image, '3@1.5' for the
    third medium at 1.5 s.

    Raises:
        EvidenceError: there is none, too many, or one that the question's media don't have.
    """
    pieces = [piece.strip() for piece in re.split(r"[,;\n]", text) if piece.strip()]
    only_video = len(item.media) == 1 and item.media[0].kind == "video"
    if not pieces and item.media:
        raise EvidenceError("Name at least one key frame, which shows that the answer is right.")
    if len(pieces) > MOST_FRAMES:
        raise EvidenceError(f"Name the key frames only, {MOST_FRAMES} at most.")
    found = []
    for piece in pieces:
        match = _FRAME.fullmatch(piece)
        if match is None:
            raise EvidenceError(f"“{piece[:40]}” is no key frame. Write {_how(item, only_video=only_video)}.")
        if match["medium"] is None and not only_video:
            medium, seconds = match["number"], None
        else:
            medium, seconds = match["medium"] or "1", float(match["number"])
        known = medium.isdigit() and 1 <= int(medium) <= len(item.media)
        if not known or (item.media[int(medium) - 1].kind == "video") != (seconds is not None):
            raise EvidenceError(f"“{piece[:40]}” isn't there. Write {_how(item, only_video=only_video)}.")
        found.append(KeyFrame(medium=int(medium), seconds=seconds))
    return list(dict.fromkeys(found))


def _how(item: Item, *, only_video: bool) -> str:
    if only_video:
        return "seconds of the video, such as 1.5, 12"
    if all(medium.kind == "image" for medium in item.media):
        return f"the numbers of pictures, from 1 to {len(item.media)}"
    return "the video's number and seconds, such as 1@2.5"


def write_frames(item: Item, frames: Sequence[KeyFrame]) -> str:
    """The inverse of `read_frames`."""
    only_video = len(item.media) == 1
    return ", ".join(
        f"{frame.medium}"
        if frame.seconds is None
        else f"{frame.seconds:g}"
        if only_video
        else f"{frame.medium}@{frame.seconds:g}"
        for frame in frames
    )


def read_evidence(item: Item, frames: str, trace: str) -> dict[str, Any]:
    """Stored form of an answer's evidence.

    Raises:
        EvidenceError: the key frames are none, or the trace is empty.
    """
    found = read_frames(item, frames)
    if not trace.strip():
        raise EvidenceError("Say in a sentence or two what settles the question.")
    return {"frames": [frame.model_dump(mode="json", exclude_none=True) for frame in found], "trace": trace.strip()}


def read_checklist(points: Sequence[str], ticked: Sequence[str], problems: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return each point with its state, fulfilled or not, and the problem if it isn't.

    Args:
        points: the checklist.
        ticked: numbers of the points that are fulfilled, from 0.
        problems: number of a point → its problem.

    Raises:
        EvidenceError: a point was left out, or has both.
    """
    found = []
    for number, point in enumerate(points):
        fine, problem = str(number) in ticked, problems.get(number, "").strip()
        if fine == bool(problem):
            both = "is ticked and has a problem" if fine else "is left out"
            raise EvidenceError(f"Point {number + 1} of the checklist {both}: tick it, or name the problem.")
        found.append({"point": point, "fine": fine, "problem": problem})
    return found


COMPARED = {
    "question": "question text", "options": "options", "kind": "kind", "unit": "unit", "answer": "answer",
    "media": "media",
}  # fmt: skip
"""Fields in which a model's question must equal the benchmark's for its reply to count → their names in sentences."""
_MOST_FRAMES = 100
_LONGEST = 20_000


def _plain(text: object) -> object:
    return text.replace("\0", "\ufffd") if isinstance(text, str) else text


Plain = Annotated[Text, BeforeValidator(_plain), Field(max_length=_LONGEST)]


class Opinion(BaseModel):
    """Opinion of one model about one question.

    Attributes:
        model: its name.
        answer: the letter or number; None where none could be had.
        trace: why, in its words.
        frames: key frames whose place in the media is known.
        shown: numbers, from 1, of key frames among the pictures it was shown, where their place isn't known.
        failure: why there is no answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    answer: str | None = None
    trace: str = ""
    frames: tuple[KeyFrame, ...] = ()
    shown: tuple[int, ...] = ()
    failure: str | None = None


class _Model(BaseModel):
    """A model's part of a line of review.jsonl."""

    model: Plain = Field(min_length=1)
    answer: Plain | None = None
    evidence: Plain = ""
    frames: list[Annotated[int, Field(ge=0, le=10**6)]] = Field(default=[], max_length=_MOST_FRAMES)
    failure: Plain | None = None


class _Line(BaseModel):
    """Fields that are read of a line of review.jsonl."""

    id: Text
    status: str = ""
    reasons: list[Plain] = Field(default=[], max_length=100)
    models: list[_Model] = Field(max_length=100)


class Opinions(BaseModel):
    """All models' opinions of one question.

    Attributes:
        given: one for each model.
        reasons: for which the file already leaves the question to people, or has it drawn for a spot check.
        unfit: for each reply that doesn't count, the differences of the model's question from the benchmark's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    given: tuple[Opinion, ...] = ()
    reasons: tuple[str, ...] = ()
    unfit: tuple[str, ...] = ()


class UnrelatedOpinionsError(InputError):
    """A file or run has no reply to any question of the benchmark."""


def read_opinions(paths: Sequence[Path], items: Sequence[Item], media: Path) -> dict[str, Opinions]:
    """Return item → opinions of all models, in the order of the files.

    Args:
        paths: review.jsonl files and folders of runs.
        items: of the benchmark; opinions of other questions are left out, as a benchmark may be a part of a pool.
        media: the folder that the items' media are relative to.

    Raises:
        UnrelatedOpinionsError: a file says nothing about any of the items.
        InputError: a file can't be read, is none of these, or answers other questions under the items' ids.
    """
    known = {item.id: item for item in items}
    given: dict[str, list[Opinion]] = defaultdict(list)
    reasons: dict[str, list[str]] = defaultdict(list)
    unfit: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        found = _of_run(path, known, media) if path.is_dir() else _of_file(path, known)
        if not found:
            what = "says nothing about any question of this benchmark"
            raise UnrelatedOpinionsError(path, what, fix="give one that is about it")
        differing = Counter(why for own in found.values() for why in own.unfit)
        if differing and not any(own.given for own in found.values()):
            what = f"answers other questions under the ids of this benchmark ({_counted(differing)})"
            raise InputError(path, what, fix="give replies to this benchmark's own questions")
        for identity, own in found.items():
            have = {opinion.model for opinion in given[identity]}
            for opinion in own.given:
                if opinion.model in have:
                    raise InputError(path, f"answers '{identity}' by {opinion.model}, which another file does as well")
            given[identity] += own.given
            reasons[identity] += own.reasons
            unfit[identity] += own.unfit
    return {
        identity: Opinions(given=tuple(own), reasons=tuple(reasons[identity]), unfit=tuple(unfit[identity]))
        for identity, own in given.items()
    }


def unfit_sentences(unfit: Sequence[str]) -> list[str]:
    """Return a sentence about replies that don't count, if there are any.

    Args:
        unfit: for each of them, the differences of its question.
    """
    if not unfit:
        return []
    some = counted(len(unfit), "reply of a model doesn't", "replies of models don't")
    return [
        f"{some} count, because the model was asked another question under the same id "
        f"({_counted(Counter(unfit))}): people look at these questions."
    ]


def foreseen_unfit(paths: Sequence[Path], items: Sequence[Item], media: Path) -> list[str]:
    """The same before a project is started; nothing about files that may be about questions people have yet to write.

    Raises:
        InputError: as `read_opinions`.
    """
    try:
        found = read_opinions(paths, items, media)
    except UnrelatedOpinionsError:
        return []
    return unfit_sentences([why for own in found.values() for why in own.unfit])


def _counted(differing: Counter[str]) -> str:
    return "; ".join(f"{count:,} with another {why}" for why, count in sorted(differing.items()))


def _difference(asked: Item, item: Item) -> str:
    """Return the differences of a model's question from the benchmark's; empty if there are none."""
    return ", ".join(name for field, name in COMPARED.items() if getattr(asked, field) != getattr(item, field))


def _difference_of_line(asked: Mapping[str, Any], item: Item) -> str:
    """The same for a line of review.jsonl, by the fields that it has."""
    told = {field: asked[field] for field in COMPARED if field in asked}
    try:
        return _difference(Item.model_validate(item.model_dump() | told), item)
    except ValidationError:
        return ", ".join(name for field, name in COMPARED.items() if field in told) or "form"


def _of_file(path: Path, known: Mapping[str, Item]) -> dict[str, Opinions]:
    found: dict[str, Opinions] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(path, "is no readable text", fix="give a review.jsonl or the folder of a run") from None
    for row, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            read = json.loads(text)
            line = _Line.model_validate(read)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"]) or None
            raise InputError(path, first["msg"].lower(), row=row, field=field) from None
        except (ValueError, RecursionError):
            raise InputError(path, "is no JSON", row=row, fix="give the review.jsonl of 'tolman curate'") from None
        item = known.get(line.id)
        if item is None:
            continue
        if line.id in found:
            raise InputError(path, f"has a second line about '{line.id}'", row=row)
        if differs := _difference_of_line(read, item):
            found[line.id] = Opinions(unfit=(differs,) * len(line.models))
            continue
        reasons = tuple(line.reasons) or (("left to people by the file",) if line.status == "people" else ())
        found[line.id] = Opinions(
            given=tuple(_opinion(item, one) for one in line.models),
            reasons=reasons if line.status in ("people", "spot-check") else (),
        )
    return found


def _opinion(item: Item, said: _Model) -> Opinion:
    answer, failure = _checked(item, said.answer, said.failure)
    frames, shown = _placed(item, said.frames)
    return Opinion(model=said.model, answer=answer, trace=said.evidence, frames=frames, shown=shown, failure=failure)


def _checked(item: Item, answer: str | None, failure: str | None) -> tuple[str | None, str | None]:
    """An answer that the question can have, or why there is none."""
    if answer is None:
        return None, failure or "no answer"
    try:
        return read_answer(item, answer), None
    except AnswerError:
        return None, f"its answer is none: {' '.join(answer.split())[:80]!r}"


def _placed(item: Item, numbers: Sequence[int]) -> tuple[tuple[KeyFrame, ...], tuple[int, ...]]:
    """Numbers of shown pictures as key frames where all media are pictures; else as they are."""
    numbers = [number for number in dict.fromkeys(numbers) if number >= 1]
    if any(medium.kind == "video" for medium in item.media):
        return (), tuple(numbers)
    return tuple(KeyFrame(medium=number) for number in numbers if number <= len(item.media)), ()


def _of_run(path: Path, known: Mapping[str, Item], media: Path) -> dict[str, Opinions]:
    folder = RunFolder(path)
    record = folder.record()
    scores = folder.scores()
    names = scores["rule_set"].unique().to_list()
    rules = "careful" if "careful" in names else sorted(names)[0] if names else ""
    rows = scores.filter(pl.col("rule_set") == rules, pl.col("repeat") == 0).select("id", "status", "reading")
    readings = {identity: reading for identity, status, reading in rows.iter_rows() if status == "scored"}
    asked = {item.id: item for item in folder.open_items() if item.id in known}
    found = {}
    for outcome in folder.outcomes():
        item = known.get(outcome.id)
        if item is not None and outcome.repeat == 0:
            own = asked.get(outcome.id)
            if differs := "form" if own is None else _difference(own, item):
                found[outcome.id] = Opinions(unfit=(differs,))
                continue
            opinion = _of_outcome(item, outcome, record.settings.model, readings, record.settings.frames, media)
            found[outcome.id] = Opinions(given=(opinion,))
    return found


def _of_outcome(
    item: Item, outcome: Outcome, model: str, readings: Mapping[str, str], frames: Frames, media: Path
) -> Opinion:
    if isinstance(outcome, Failure):
        return Opinion(model=model, failure=f"{outcome.kind}: {outcome.message}")
    said = read_three_lines(outcome.response, Candidate.model_validate(item.model_dump() | {"source": model}))
    if said is not None:
        answer, failure = _checked(item, said["answer"], None)
        moments = _of_numbers(item, said["frames"], frames, media)
        return Opinion(model=model, answer=answer, trace=said["evidence"], frames=moments, failure=failure)
    answer, failure = _checked(item, readings.get(item.id) or None, None)
    text = reasoning_of(outcome) or ""
    return Opinion(model=model, answer=answer, trace=text.replace("\0", "\ufffd")[:_LONGEST], failure=failure)


def _of_numbers(item: Item, numbers: Sequence[int], frames: Frames, media: Path) -> tuple[KeyFrame, ...]:
    """Find the moments of frame numbers, as the run's settings drew frames out of each medium."""
    shown: list[KeyFrame] = []
    for place, medium in enumerate(item.media, start=1):
        if medium.kind == "image":
            shown.append(KeyFrame(medium=place))
            continue
        times = () if frames.whole else _times_of(media / medium.path, frames)
        shown += [KeyFrame(medium=place, seconds=seconds) for seconds in times]
    return tuple(shown[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(shown))


def _times_of(path: Path, frames: Frames) -> tuple[float, ...]:
    """When the frames are shown that a run takes of a video; nothing for one that can't be read."""
    try:
        return _times(path, frames, file_state(path))
    except (OSError, BrokenMediaError):
        return ()


@lru_cache(maxsize=4096)
def _times(path: Path, frames: Frames, state: tuple[int, ...]) -> tuple[float, ...]:
    index = read_index(path)
    total = len(index.times)
    numbers = frames.indices(total, index.duration, index.moments(0, total))
    return tuple(round(index.seconds(number), 3) for number in numbers)


def opinions_as_json(opinions: Opinions) -> list[dict[str, Any]]:
    """As JSON values."""
    return [opinion.model_dump(mode="json") for opinion in opinions.given]
