"""A model that writes wrong answers, and one that says which of them are right after all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tolman.curate.asking import ModelTask, number_lines, question_text
from tolman.curate.candidates import Candidate
from tolman.messages import Message

SPARE = 3
"""Wrong answers that are asked for beyond those that are needed, as some will be struck out."""


def writing_task(count: int, *, media: bool = False) -> ModelTask:
    """Wrong answers to an open-ended question; the value is a list of texts."""
    wanted = count - 1 + SPARE

    def messages(group: Sequence[Candidate]) -> tuple[Message, ...]:
        text = (
            "The question below has the right answer given with it. Write wrong answers for a multiple-choice form of "
            "it: of the same kind, style and length as the right one, plausible to someone who has not looked "
            "carefully, but certainly wrong, and different from each other.\n\n"
            f"{question_text(group[0])}\n\n"
            f"Reply with exactly {wanted} lines, each a wrong answer and nothing else, numbered '1.' to '{wanted}.'."
        )
        return (Message(parts=(*(group[0].media if media else ()), text)),)

    def read(text: str, candidate: Candidate) -> list[str] | None:
        parts = number_lines(text, wanted)
        if parts is None or any(not part or "\n" in part for part in parts):
            return None
        return parts

    return ModelTask("distractors", messages, read, shows_media=media)


def checking_task(*, media: bool = False) -> ModelTask:
    """Task that finds options of a converted question which might be right as well; the value is a list of letters."""

    def messages(group: Sequence[Candidate]) -> tuple[Message, ...]:
        text = (
            "Below is a multiple-choice question with its right answer. Is there another option that a careful person "
            "could accept as right too, because it means the same or is true as well?\n\n"
            f"{question_text(group[0])}\n\n"
            "Reply with 'None', or with the letters of those options separated by commas, and nothing else."
        )
        return (Message(parts=(*(group[0].media if media else ()), text)),)

    return ModelTask("second-right", messages, read_letters, shows_media=media)


def read_letters(text: str, candidate: Candidate) -> list[str] | None:
    """'None', or letters of wrong options; None where the reply is anything else."""
    said = text.strip().rstrip(".")
    if said.casefold() == "none":
        return []
    if not re.fullmatch(r"\(?[A-Z]\)?(?:\s*,\s*\(?[A-Z]\)?)*", said):
        return None
    letters = re.findall(r"[A-Z]", said)
    known = candidate.item().letters
    return letters if all(letter in known and letter != candidate.answer for letter in letters) else None
