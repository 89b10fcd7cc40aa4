"""A reviewer's decision about a question: reading it from a form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from fastapi import Depends
from pydantic import ValidationError

from tolman.items import LETTERS, Item
from tolman.kinds import kind_of
from tolman.review.forms.answers import AnswerError, read_answer
from tolman.review.forms.fields import Answer, Line, Paragraphs

Verdict = Literal["approve", "flag", "revise", "discard"]
Target = Literal["item", "scene", "template", "rule"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
TARGETS: tuple[Target, ...] = get_args(Target)


class VerdictError(Exception):
    """The form holds no verdict; the text is one sentence for whoever sent it."""


@dataclass(frozen=True)
class VerdictForm:
    """A form as it came.

    Attributes:
        verdict: approve, flag, revise or discard.
        reason: why; needed for all but approving.
        target: what a flag doubts.
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

    def read(self, item: Item) -> dict[str, Any]:
        """Stored form of the decision.

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
        return content


def _form(
    verdict: Line = "",
    reason: Paragraphs = "",
    target: Line = "",
    question: Paragraphs = "",
    options: Paragraphs = "",
    answer: Answer = "",
    reasoning: Paragraphs = "",
) -> VerdictForm:
    return VerdictForm(verdict, reason, target, question, options, answer, reasoning)


Form = Annotated[VerdictForm, Depends(_form)]
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
