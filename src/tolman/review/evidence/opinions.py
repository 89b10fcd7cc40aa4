"""Models' opinions: their answers with what shows them, read from `tolman curate`'s review.jsonl or from runs.

Source: SpatialBench (Xu et al. 2025), section 4.2: leading models answer independently, each with an evidence summary
of key frames and a brief reasoning trace.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tolman.curate.candidates import Candidate
from tolman.curate.verify import read_answer as read_three_lines
from tolman.errors import InputError
from tolman.items import Item
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError, read_index
from tolman.responses import Failure, Outcome, Response, Text
from tolman.review.evidence.key_frames import KeyFrame
from tolman.review.forms.answers import AnswerError, read_answer
from tolman.runs.folder import RunFolder
from tolman.runs.reasoning import reasoning_of

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
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    given: tuple[Opinion, ...] = ()
    reasons: tuple[str, ...] = ()


def read_opinions(paths: Sequence[Path], items: Sequence[Item], media: Path) -> dict[str, Opinions]:
    """Item → what all models said, in the order of the files.

    Args:
        paths: review.jsonl files and folders of runs.
        items: of the benchmark; what is said of other questions is left out, as a benchmark may be a part of a pool.
        media: the folder that the items' media are relative to.

    Raises:
        InputError: a file can't be read, is none of these, or says nothing about any of the items.
    """
    known = {item.id: item for item in items}
    given: dict[str, list[Opinion]] = defaultdict(list)
    reasons: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        found = _of_run(path, known, media) if path.is_dir() else _of_file(path, known)
        if not found:
            raise InputError(path, "says nothing about any question of this benchmark", fix="give one that is about it")
        for identity, own in found.items():
            have = {opinion.model for opinion in given[identity]}
            for opinion in own.given:
                if opinion.model in have:
                    raise InputError(path, f"answers '{identity}' by {opinion.model}, which another file does as well")
            given[identity] += own.given
            reasons[identity] += own.reasons
    return {identity: Opinions(given=tuple(given[identity]), reasons=tuple(reasons[identity])) for identity in given}


def _of_file(path: Path, known: Mapping[str, Item]) -> dict[str, Opinions]:
    found: dict[str, Opinions] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(path, "is no readable text", fix="give a review.jsonl or the folder of a run") from None
    for row, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = _Line.model_validate(json.loads(text))
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
    found = {}
    for outcome in folder.outcomes():
        item = known.get(outcome.id)
        if item is not None and outcome.repeat == 0:
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
    return Opinion(model=model, answer=answer, trace=_trace(outcome), failure=failure)


def _trace(response: Response) -> str:
    text = reasoning_of(response) or ""
    return text.replace("\0", "\ufffd")[:_LONGEST]


def _of_numbers(item: Item, numbers: Sequence[int], frames: Frames, media: Path) -> tuple[KeyFrame, ...]:
    """Find the moments of frame numbers, as the run's settings drew frames out of each medium."""
    shown: list[KeyFrame] = []
    for place, medium in enumerate(item.media, start=1):
        if medium.kind == "image":
            shown.append(KeyFrame(medium=place))
            continue
        times = _times_of(media / medium.path, frames)
        shown += [KeyFrame(medium=place, seconds=seconds) for seconds in times]
    return tuple(shown[number - 1] for number in dict.fromkeys(numbers) if 1 <= number <= len(shown))


@cache
def _times_of(path: Path, frames: Frames) -> tuple[float, ...]:
    """When the frames are that a run shows of a video; nothing for one that can't be read or is sent whole."""
    if frames.whole:
        return ()
    try:
        index = read_index(path)
    except BrokenMediaError:
        return ()
    return tuple(round(index.seconds(number), 3) for number in frames.indices(len(index.times), index.duration))


def opinions_as_json(opinions: Opinions) -> list[dict[str, Any]]:
    """As JSON values."""
    return [opinion.model_dump(mode="json") for opinion in opinions.given]
