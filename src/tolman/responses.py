"""Responses and failures: a model's outputs, the reasons for missing ones, and both by item and repeat.

Response and Failure are two types on purpose. A Response is scored with any text; a Failure never is, and it never
enters a store of answers. `Outcomes` holds those of a run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, MutableMapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from tolman.errors import InputError
from tolman.files import atomic_write
from tolman.memory import MANY, Lean, TemporaryTexts


class FailureKind(StrEnum):
    """Why a call brought no text."""

    NETWORK = "network"  # no connection, or one that broke
    TIMEOUT = "timeout"
    RATE_LIMIT = "rate limit"
    SERVER = "server"  # the endpoint answered with an error of its own
    REFUSED = "refused"  # the endpoint refused this request (4xx)
    MALFORMED = "malformed"  # an answer that isn't what the protocol promises
    MEDIA = "media"  # a video or image that is missing or broken
    INTERRUPTED = "interrupted"
    IMPORTED = "imported"  # another harness's file records a failed call
    CUT_OFF = "cut off"  # the token limit ended the answer before its first word
    FILTERED = "filtered"  # the endpoint's filter withheld the answer, or the model refused the question
    NO_TEXT = "no text"  # a tool call, or reasoning without an answer


class Usage(Lean):
    """Tokens of one call, as the endpoint reports them; 0 where it doesn't say.

    Attributes:
        input_tokens: all that was read, cached tokens and those of media included.
        output_tokens: all that was written, reasoning included.
        reasoning_tokens: of the output, those of the reasoning.
        cached_tokens: of the input, those that the endpoint had from earlier calls.
        media_tokens: of the input, those of pictures and videos.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    media_tokens: int = 0

    @property
    def is_known(self) -> bool:
        """Check whether the endpoint reported any."""
        return bool(self.input_tokens or self.output_tokens)

    def describe(self) -> str:
        """The tokens in words: '1,234 + 567 tokens (1,000 cached, 900 of media, 480 of reasoning)'."""
        kinds = (
            (self.cached_tokens, "cached"),
            (self.media_tokens, "of media"),
            (self.reasoning_tokens, "of reasoning"),
        )
        told = ", ".join(f"{count:,} {kind}" for count, kind in kinds if count)
        return f"{self.input_tokens:,} + {self.output_tokens:,} tokens" + (f" ({told})" if told else "")

    @classmethod
    def total(cls, usages: Iterable[Usage]) -> Usage:
        """The sum of several calls' tokens."""
        counted = list(usages)
        if len(counted) == 1:
            return counted[0]
        sums = dict.fromkeys(cls.model_fields, 0)
        for usage in counted:
            for name in sums:
                sums[name] += getattr(usage, name)
        return cls(**sums)


def _encodable(text: object) -> object:
    """A text without lone surrogates, which no file can hold."""
    if not isinstance(text, str) or text.isascii():
        return text
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _is_counted(usage: Usage, *written: str | None) -> bool:
    """Check whether both kinds of tokens are reported; where no text was written, there may be none of that kind."""
    return usage.input_tokens > 0 and (usage.output_tokens > 0 or not any(written))


Text = Annotated[str, BeforeValidator(_encodable)]
Repeat = Annotated[int, Field(ge=0, le=9999)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Turn(Lean):
    """One call of a conversation that took several.

    Attributes:
        purpose: the kind of output requested: 'answer', 'reasoning', 'extraction', 'map', 'explanation' … (the
            protocol's page in the documentation lists them).
        prompt: the text of the last message that was sent, without media.
        response: the text that came back.
        draw: the number of this draw among equal ones, from 0.
        model: the one asked, where it wasn't the run's model.
        reasoning, finish_reason, usage, seconds: as in `Response`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    purpose: str
    prompt: Text
    response: Text
    draw: Repeat = 0
    model: str | None = None
    reasoning: Text | None = None
    finish_reason: str | None = None
    usage: Usage = Usage()
    seconds: Seconds | None = None

    @property
    def is_counted(self) -> bool:
        """Check whether the endpoint reported both the tokens that were read and those that were written."""
        return _is_counted(self.usage, self.response, self.reasoning)


class Response(Lean):
    """The text a model gave for one item.

    Attributes:
        id: the item's.
        response: the text that is scored, exactly as it came; of several draws, the one that was chosen.
        repeat: 0 for the first time this item was asked, 1 for the second …
        reasoning: the model's reasoning, where the endpoint returned it apart from the text.
        finish_reason: as the endpoint reports it ('stop', 'length' …).
        usage: tokens, of all turns together.
        seconds: how long the calls took, together.
        turns: the calls behind it in their order, where there was more than one.
        notes: events on the way and their counts, such as a tied vote.
        cost: of its tokens, where the user gave prices.
        served: the model that answered, by the endpoint's account: its dated name, with the fingerprint where there is
            one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: Text
    response: Text
    repeat: Repeat = 0
    reasoning: Text | None = None
    finish_reason: str | None = None
    usage: Usage = Usage()
    seconds: Seconds | None = None
    turns: tuple[Turn, ...] = ()
    notes: dict[str, int] = Field(default_factory=dict)
    cost: float | None = None
    served: Text | None = None

    @property
    def is_counted(self) -> bool:
        """Check whether the endpoint reported both the tokens that were read and those that were written."""
        counts = [turn.is_counted for turn in self.turns]
        if counts:
            return all(counts)
        return _is_counted(self.usage, self.response, self.reasoning)

    def turn(self, purpose: str) -> Turn | None:
        """The last turn of a purpose; None where there is none."""
        return next((turn for turn in reversed(self.turns) if turn.purpose == purpose), None)


class Failure(Lean):
    """Why there is no response for an item.

    Attributes:
        id: the item's.
        kind: the class of the reason.
        message: one sentence.
        repeat: as in `Response`.
        attempts: how often it was tried.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: Text
    kind: FailureKind
    message: Text
    repeat: Repeat = 0
    attempts: int = 1


Outcome = Response | Failure


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def outcome_to_line(outcome: Outcome) -> str:
    """Return one JSON object on one line; a Failure's is under the key `failure`."""
    record = outcome.model_dump(mode="json", exclude_defaults=True)
    if isinstance(outcome, Failure):
        record = {"id": record.pop("id"), "failure": record}
    return _ENCODER.encode(record)


def outcome_from_record(record: object, path: Path, row: int) -> Outcome:
    """The inverse of `outcome_to_line`, for one parsed line.

    Raises:
        InputError: the record is no response and no failure.
    """
    if not isinstance(record, dict):
        raise InputError(path, "is no JSON object", row=row, fix='write {"id": …, "response": …} on each line')
    if "id" not in record:
        raise InputError(path, "is missing", row=row, field="id", fix="give each row the id of its question")
    record = {**record, "id": str(record["id"])}
    if "response" in record and not str(record.get("failure") or "").strip():
        record.pop("failure", None)  # an empty cell of a table
    try:
        if isinstance(record.get("failure"), str):
            kind, repeat = FailureKind.IMPORTED, record.get("repeat", 0)
            return Failure(id=record["id"], kind=kind, message=record["failure"], repeat=repeat)
        if "failure" in record:
            return Failure.model_validate({"id": record["id"], **record["failure"]})
        return Response.model_validate(record)
    except (ValidationError, TypeError) as error:
        field, what = _first_problem(error)
        raise InputError(
            path, what, row=row, field=field, fix='a row is {"id": …, "response": "the model\'s text"}'
        ) from None


def each_outcome(path: Path) -> Iterator[Outcome]:
    """Yield the outcomes of a JSONL file one by one.

    Raises:
        InputError: a line is none.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                found: Outcome = Response.model_validate_json(line)
            except ValidationError:  # a failure, a row of others, or a mistake to be named
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    raise InputError(path, "is no JSON Lines", row=number) from None
                found = outcome_from_record(record, path, number)
            yield found


def write_outcomes(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Write a JSONL file, whole or not at all."""
    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as file:
        for outcome in outcomes:
            file.write(outcome_to_line(outcome) + "\n")


def _first_problem(error: ValidationError | TypeError) -> tuple[str | None, str]:
    if not isinstance(error, ValidationError):
        return "failure", "is neither a sentence nor an object"
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"]) or None
    return field, {
        "missing": "is missing",
        "extra_forbidden": "is not a known field",
    }.get(first["type"], first["msg"].lower())


Key = tuple[str, int]


class Outcomes(MutableMapping[Key, Outcome]):
    """Responses and failures by item's id and repeat, in the order in which they were put in.

    From `MANY` on, responses are kept as JSON in a temporary file, and parsed each time they are looked at.
    """

    def __init__(self) -> None:
        self._kept: dict[Key | str, Outcome | int] = {}
        self._texts: TemporaryTexts | None = None

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Outcomes:
        """Some outcomes; the last of several of one asking."""
        found = cls()
        for outcome in outcomes:
            found[outcome.id, outcome.repeat] = outcome
        return found

    def __getitem__(self, key: Key) -> Outcome:
        found = self._kept[_short(key)]
        return Response.model_validate_json(self._text(found)) if isinstance(found, int) else found

    def __setitem__(self, key: Key, outcome: Outcome) -> None:
        self._kept[_short(key)] = outcome
        if len(self._kept) == MANY and self._texts is None:
            for name, one in self._kept.items():
                self._kept[name] = self._written(one)
        elif len(self._kept) > MANY:
            self._kept[_short(key)] = self._written(outcome)

    def __delitem__(self, key: Key) -> None:
        del self._kept[_short(key)]

    def __iter__(self) -> Iterator[Key]:
        return ((key, 0) if isinstance(key, str) else key for key in self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, tuple) and _short(key) in self._kept

    def take(self, key: Key, other: Outcomes) -> None:
        """Copy another's outcome under a key, as it is kept there; the first that is in a file brings the file."""
        found = other._kept[_short(key)]
        if isinstance(found, int):
            self._texts = self._texts or other._texts
            found = found if self._texts is other._texts else self._keep(other._text(found))
        self._kept[_short(key)] = found

    def _written(self, outcome: Outcome | int) -> Outcome | int:
        """An outcome's place in the file; failures stay as they are."""
        if not isinstance(outcome, Response):
            return outcome
        return self._keep(outcome.model_dump_json(exclude_defaults=True).encode())

    def _keep(self, text: bytes) -> int:
        if self._texts is None:
            self._texts = TemporaryTexts()
        return self._texts.add(text)

    def _text(self, place: int) -> bytes:
        assert self._texts is not None
        return self._texts.at(place)


def _short(key: Key) -> Key | str:
    """A key as it is kept: most items are asked once, and a tuple takes as much memory as its text."""
    return key[0] if key[1] == 0 else key


def once(path: Path, placed: Iterable[tuple[int | str, Outcome]]) -> Outcomes:
    """The outcomes of a file that has one for each item and repeat.

    Args:
        path: the file.
        placed: the row and the outcome of each.

    Raises:
        InputError: two are of one item and repeat.
    """
    found = Outcomes()
    places: list[int | str] = []
    for place, outcome in placed:
        key = outcome.id, outcome.repeat
        if key in found:
            earlier = next(places[number] for number, other in enumerate(found) if other == key)
            raise InputError(
                path,
                f"the id {outcome.id!r} is also row {earlier}'s",
                row=place,
                field="id",
                fix="give each item one response",
            )
        found[key] = outcome
        places.append(place)
    return found
