"""The rule set `judged`: a model reads the responses that a parser can't, and its readings are scored like any other.

Asking the judge is `runs.judging`'s. Here are its prompt and how its reply is read, so that a run's stored judgements
give the same figures again without a call. The judge does not learn the right answer: it states the answer of a
response, and the benchmark's own metric scores that. A benchmark whose metric is a judge's mark (`Judging.score`), as
OpenEQA's is, is the exception.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tolman.items import Item
from tolman.messages import Sampling
from tolman.responses import Text, Usage
from tolman.scoring.answer_values import ParsedAnswer, is_finite_number, normalised, nothing
from tolman.scoring.item_kind import kind_of
from tolman.scoring.rule_sets import RuleSet, Score, read_by_kind

NAME = "judged"
_ECHO = re.compile(r"\A\W*your (?:output|reply)\s*:", re.IGNORECASE)  # the prompt's last line, said again
_NONE = re.compile(r"\W*Z\W*(?:\n.*)?", re.IGNORECASE | re.DOTALL)
_SHOWN = 60  # characters of a reply in a note


def read_reply(item: Item, reply: str) -> ParsedAnswer | None:
    """Return the answer of a response according to a judge's reply.

    Args:
        item: that was asked.
        reply: the judge's.

    Returns:
        The reading of the item's kind, such as a letter of its options or a number; a ParsedAnswer without value for Z;
        None where the reply is nonsense, which is a failure of the judgement.
    """
    reply = _ECHO.sub("", reply)
    if _NONE.fullmatch(reply):
        return nothing("the judge found no answer")
    reading = read_by_kind(item, reply)
    return reading if reading.value is not None else None


_EXACT = re.compile(r"[A-Z](?:\W+[A-Z])*\Z|[\[{]")
"""Letters, and values in JSON: they have no articles and no punctuation to be left out."""
NUMBERS_AGREE_WITHIN = Fraction(1, 100)
"""Of the larger of two numbers: how far apart reader and judge may be."""


def same_answer(one: ParsedAnswer, other: ParsedAnswer) -> bool:
    """Check whether two readings are one answer: equal letters or texts, or numbers within 1 % of the larger."""
    a, b = one.value, other.value
    if isinstance(a, str) and isinstance(b, str):
        return a == b or (not _EXACT.match(a) and normalised(a) == normalised(b))
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return a == b
    if not (is_finite_number(a) and is_finite_number(b)):
        return False
    left, right = Fraction(a), Fraction(b)
    return abs(left - right) <= NUMBERS_AGREE_WITHIN * max(abs(left), abs(right))


@dataclass(frozen=True)
class Judging:
    """The judging of a benchmark: when and how a model reads responses.

    Attributes:
        source: where this is written, as a report says it.
        model: that the released code asks; empty where there is none, or nothing is known of it.
        base: the rule set whose reading holds where the judge isn't asked, and whose metric and question types apply.
        asks: (item, response text, reading of `base`) → whether the judge is asked.
        prompt: (item, response text) → its prompt. Its reply is a letter, or a number, or Z for neither.
        read: (item, reply) → the answer of the response according to the reply; None where it is nonsense, so that the
            judge is asked again.
        score: the metric of the judge's reply, where that is a mark; that of `base` where None.
        sampling: how the judge draws.
    """

    source: str
    base: str
    asks: Callable[[Item, str, ParsedAnswer], bool]
    prompt: Callable[[Item, str], str]
    model: str = ""
    read: Callable[[Item, str], ParsedAnswer | None] = read_reply
    score: Score | None = None
    sampling: Sampling = Sampling(temperature=0.0)

    def sample_prompt(self, item: Item, text: str) -> str:
        """Return the judge's prompt for a response that the reader reads: Tolman's own, or for a mark that of any."""
        return extraction_prompt(item, text) if self.score is None else self.prompt(item, text)

    def agrees(self, item: Item, own: ParsedAnswer, reply: str, score: Score) -> tuple[bool, bool] | None:
        """Return whether a judge agrees with the reader and whether it finds an answer; None for a nonsense reply.

        Letters agree that are equal, and numbers within 1 %. A mark agrees with a score that is less than half the
        scale away.

        Args:
            item, own: the item and the reader's reading.
            reply: the judge's.
            score: the reader's metric.
        """
        said = (read_reply if self.score is None else self.read)(item, reply)
        if said is None:
            return None
        if self.score is None:
            return same_answer(own, said), said.value is not None
        return abs(score(item, own) - self.score(item, said)) < 1 / 2, said.value is not None


class Judgement(BaseModel):
    """The judgement of one response.

    Attributes:
        id: the item's.
        response: the SHA-256 of the response's text; another text needs another judgement.
        reply: the judge's reply, exactly as it came; None where no call succeeded.
        failure: why there is no reply.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: Text
    response: str
    reply: Text | None = None
    failure: Text | None = None


class JudgedSample(BaseModel):
    """Judgements about responses that were read, to measure how far reader and judge agree; they score nothing.

    Attributes:
        reader: the rule set whose readings are checked.
        seed: of the sample.
        size: as requested: a number, or a percentage.
        readable: distinct responses that the reader read, from which the sample was drawn.
        judgements: in the order of the items.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    reader: str
    seed: int
    size: str
    readable: int
    judgements: tuple[Judgement, ...] = ()


class Judgements(BaseModel):
    """All judgements of a run, with where they come from.

    Attributes:
        judge: the model's name.
        by_itself: whether it is the run's own model, which reads its own responses.
        prompt: its prompt, with placeholders.
        settings: all that determines its replies besides the prompt.
        source: of the benchmark's `Judging`.
        usage: tokens of all replies, those that answered nothing included.
        cost: of these tokens, where the user gave prices.
        judgements: in the order of the items.
        sample: about responses that were read; None where none was drawn.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    judge: str
    by_itself: bool = False
    prompt: str = ""
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
    """Return the hash by which a judgement identifies a response's text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def judged(
    judging: Judging,
    base: RuleSet,
    judgements: Mapping[tuple[str, str], Judgement],
    *,
    unasked: str = "the judge was not asked about this response",
) -> RuleSet:
    """The rule set that reads with a judge's help.

    Args:
        judging: the benchmark's.
        base: its rule set of that name.
        judgements: by item and `digest` of the response.
        unasked: the note at a response without a judgement.
    """

    def read(item: Item, text: str, seed: int) -> ParsedAnswer:
        if not text.strip():
            return nothing("empty")
        own = base.read(item, text, seed)
        if not judging.asks(item, text, own):
            return own
        found = judgements.get((item.id, digest(text)))
        if found is None or found.reply is None:
            reason = (found.failure or "no reply") if found else unasked
            return replace(nothing(reason), failed=True)
        reading = judging.read(item, found.reply)
        said = " ".join(found.reply.split())[:_SHOWN]
        if reading is None:
            return replace(nothing(f"the judge's reply is no answer: {said!r}"), failed=True)
        return replace(reading, note=f"judged: {said!r}", judged=True, rule="judge", span=None)

    score, marks = judging.score or base.score, judging.score is not None
    return replace(base, name=NAME, read=read, alike=None, score=score, marks=marks)


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

BY_ITSELF = replace(
    EXTRACTION, source="Tolman's own: the model reads its responses itself where the careful parser reads nothing"
)
"""For the run's own model as the judge, whatever the benchmark's paper describes."""


def stated_prompt(judging: Judging, item: Item) -> str:
    """Return the judge's prompt for an item, with placeholders for its question, its options and the response."""
    options = tuple("{option}" for _ in item.options)
    return judging.prompt(item.model_copy(update={"question": "{question}", "options": options}), "{response}")
