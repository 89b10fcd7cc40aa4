"""The rule set `judged`: a model reads what a parser can't, and what it said is scored like any other reading.

Asking the judge is `runs.judging`'s; here is what it is told and how its reply is read, so that a run's stored
judgements give the same figures again without a call. The judge is never told the right answer: it says what a
response answers, and the benchmark's own metric decides what that is worth.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tolman.items import Item
from tolman.responses import Text, Usage
from tolman.scoring.item_kind import kind_of
from tolman.scoring.reading import ParsedAnswer, nothing
from tolman.scoring.rules import RuleSet

NAME = "judged"
_ECHO = re.compile(r"\A\W*your (?:output|reply)\s*:", re.IGNORECASE)  # the prompt's last line, said again
_NONE = re.compile(r"\W*Z\W*(?:\n.*)?", re.IGNORECASE | re.DOTALL)
_SHOWN = 60  # characters of a reply in a note


def read_reply(item: Item, reply: str) -> ParsedAnswer | None:
    """What a judge's reply says that a response answers.

    Args:
        item: that was asked.
        reply: the judge's.

    Returns:
        What the item's kind reads, such as a letter of its options or a number; a ParsedAnswer without value for Z;
        None where the reply is nonsense, which is a failure of the judgement.
    """
    reply = _ECHO.sub("", reply)
    if _NONE.fullmatch(reply):
        return nothing("the judge found no answer")
    reading = kind_of(item).read(item, reply)
    return reading if reading.value is not None else None


@dataclass(frozen=True)
class Judging:
    """When and how a benchmark has a model read responses.

    Attributes:
        source: where this is written, as a report says it.
        model: whom the released code asks; empty where there is none, or nothing is known of it.
        base: the rule set whose reading stands where the judge isn't asked, and whose metric and question types apply.
        asks: (item, response text, reading of `base`) → whether the judge is asked.
        prompt: (item, response text) → what it is told. Its reply is a letter, or a number, or Z for neither.
        read: (item, reply) → what the reply says that the response answers; None where it is nonsense, so that the
            judge is asked again.
    """

    source: str
    base: str
    asks: Callable[[Item, str, ParsedAnswer], bool]
    prompt: Callable[[Item, str], str]
    model: str = ""
    read: Callable[[Item, str], ParsedAnswer | None] = read_reply


class Judgement(BaseModel):
    """What the judge made of one response.

    Attributes:
        id: the item's.
        response: the SHA-256 of the response's text; another text needs another judgement.
        reply: what the judge said, exactly as it came; None where no call succeeded.
        failure: why there is no reply.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Text
    response: str
    reply: Text | None = None
    failure: Text | None = None


class JudgedSample(BaseModel):
    """Judgements about responses that were read, to measure how far reader and judge agree; they score nothing.

    Attributes:
        reader: the rule set whose readings are checked.
        seed: of the sample.
        size: what was asked for: a number, or a percentage.
        readable: distinct responses that the reader read, from which the sample was drawn.
        judgements: in the order of the items.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reader: str
    seed: int
    size: str
    readable: int
    judgements: tuple[Judgement, ...] = ()


class Judgements(BaseModel):
    """All judgements of a run, with where they come from.

    Attributes:
        judge: the model's name.
        settings: all that determines its replies besides what it was asked.
        source: of the benchmark's `Judging`.
        usage: tokens of all replies, those that answered nothing included.
        cost: of these tokens, where the user gave prices.
        judgements: in the order of the items.
        sample: about responses that were read; None where none was drawn.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    judge: str
    settings: dict[str, Any] = Field(default_factory=dict)
    source: str
    tolman: str
    usage: Usage = Usage()
    cost: float | None = None
    judgements: tuple[Judgement, ...] = ()
    sample: JudgedSample | None = None

    def by_response(self) -> dict[tuple[str, str], Judgement]:
        """Judgements that score, by item and response."""
        return {(judgement.id, judgement.response): judgement for judgement in self.judgements}


def digest(text: str) -> str:
    """What a judgement knows a response's text by."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def judged(judging: Judging, base: RuleSet, judgements: Mapping[tuple[str, str], Judgement]) -> RuleSet:
    """The rule set that reads with a judge's help.

    Args:
        judging: the benchmark's.
        base: its rule set of that name.
        judgements: by item and `digest` of the response.
    """

    def read(item: Item, text: str, seed: int) -> ParsedAnswer:
        if not text.strip():
            return nothing("empty")
        own = base.read(item, text, seed)
        if not judging.asks(item, text, own):
            return own
        found = judgements.get((item.id, digest(text)))
        if found is None or found.reply is None:
            reason = (found.failure or "no reply") if found else "the judge was not asked about this response"
            return replace(nothing(reason), failed=True)
        reading = judging.read(item, found.reply)
        said = " ".join(found.reply.split())[:_SHOWN]
        if reading is None:
            return replace(nothing(f"the judge's reply is no answer: {said!r}"), failed=True)
        return replace(reading, note=f"judged: {said!r}", judged=True, rule="judge", span=None)

    return replace(base, name=NAME, read=read, alike=None)


def extraction_prompt(item: Item, text: str) -> str:
    """Tolman's own words for the judge."""
    otherwise = "If it gives none, or more than one, reply Z."
    if item.options:
        otherwise = "If it chooses none, or more than one, reply Z."
    wanted = kind_of(item).judge_request(item)
    options = "\n".join(["Options:", *item.lettered_options]) if item.options else ""
    parts = [
        f"A model was asked a question. Below are the question and its response. {wanted} {otherwise} "
        "Go by what the response says, not by what is right.",
        "\n".join(part for part in (f"Question: {item.question}", options) if part),
        f"Response:\n<response>\n{text.strip()}\n</response>",
        "Your reply:",
    ]
    return "\n\n".join(parts)


EXTRACTION = Judging(
    source="Tolman's own: where the careful parser reads nothing",
    base="careful",
    asks=lambda item, text, own: own.value is None,
    prompt=extraction_prompt,
)
"""For a benchmark whose paper describes no judge."""
