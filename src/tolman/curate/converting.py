"""The stage `convert`: open-ended questions become multiple choice.

One model may write wrong answers, and one says which of them are right after all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tolman.curate.asking import Asker, ModelTask, number_lines, question_text
from tolman.curate.candidates import Candidate, read_pool, read_shards, write_lines, write_pool
from tolman.curate.convert import Bank, Unconverted, convert, converts, needs_model
from tolman.curate.pipeline import Stage, Work, plainly
from tolman.curate.recipe import Convert
from tolman.generate.distractors import Dealer
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
        return None if parts is None or any(not part or "\n" in part for part in parts) else parts

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


def convert_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Give every open-ended question options, as far as distractors can be had that are certainly wrong."""
    settings = work.recipe.convert
    work.watch.begin("collecting answers", None)
    bank = Bank()
    for candidate in read_pool(before):
        bank.add(candidate)
    opened = work.asker(settings.writer) if settings.writer else nullcontext(None)
    with opened as asker:
        converter = Converter(settings, bank, Dealer(f"{work.recipe.seed}:letters"), f"{work.recipe.seed}", asker, work)
        total = write_pool(out, converter.converted(before))
    write_lines(out / "unconverted.jsonl", ({"id": one.id, "reason": one.reason} for one in converter.lost))
    return {
        "candidates": total,
        "converted": dict(sorted(converter.by.items())),
        "as_they_were": converter.as_they_were,
        "unconverted": len(converter.lost),
        "letters": {str(size): dict(sorted(counts.items())) for size, counts in sorted(converter.letters.items())},
        "failed": converter.failed,
        **({"other_kinds": dict(sorted(converter.other_kinds.items()))} if converter.other_kinds else {}),
    }


@dataclass
class Converter:
    """Converts a pool, a shard at a time.

    Attributes:
        by: questions converted, by where their distractors came from.
        letters: right letters of converted questions, by the number of options.
        lost: questions that can't be converted.
        as_they_were: questions that came with options, may stay numbers, or are of other item kinds.
        other_kinds: the last of these, by kind: there is nothing to convert them by.
        failed: calls that must be made again.
    """

    settings: Convert
    bank: Bank
    dealer: Dealer
    seed: str
    asker: Asker | None
    work: Work
    by: Counter[str] = field(default_factory=Counter)
    letters: dict[int, Counter[str]] = field(default_factory=dict)
    lost: list[Unconverted] = field(default_factory=list)
    as_they_were: int = 0
    other_kinds: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    def converted(self, before: Path) -> Iterator[Candidate]:
        """All questions that are multiple choice by now, may stay numbers, or are of other item kinds."""
        for number, shard in enumerate(read_shards(before), start=1):
            self.work.watch.begin(f"converting, part {number}", None)
            offered = self._offered(shard)
            made = []
            for candidate in shard:
                if candidate.id in offered and not offered[candidate.id]:
                    continue
                found = convert(candidate, self.settings, self.bank, self.dealer, self.seed, offered.get(candidate.id))
                if isinstance(found, Unconverted):
                    self.lost.append(found)
                else:
                    made.append(found)
            for candidate in self._checked(made):
                self._count(candidate)
                yield candidate

    def _offered(self, shard: Sequence[Candidate]) -> dict[str, list[str]]:
        """A model's distractors; none for those that it gave none for."""
        wanted = [candidate for candidate in shard if needs_model(candidate, self.settings)]
        if not wanted or self.asker is None:
            return {}
        task = writing_task(self.settings.options, media=self.settings.show_media)
        found = {}
        for identity, reply in self.asker.ask(wanted, task).items():
            found[identity] = list(reply.value or ())
            if reply.value is None:
                self._lose(identity, reply.failure, lasting=reply.lasting)
        return found

    def _checked(self, made: Sequence[Candidate]) -> list[Candidate]:
        """Drop those converted texts for which the model calls another option right too."""
        doubtful = [one for one in made if _is_text(one)]
        if not doubtful or self.asker is None:
            return list(made)
        gone = set()
        for identity, reply in self.asker.ask(doubtful, checking_task(media=self.settings.show_media)).items():
            if reply.value is None:
                gone.add(identity)
                self._lose(identity, reply.failure, lasting=reply.lasting)
            elif reply.value:
                gone.add(identity)
                self._lose(identity, f"the model calls {', '.join(reply.value)} right too", lasting=True)
        return [one for one in made if one.id not in gone]

    def _lose(self, identity: str, reason: str | None, *, lasting: bool) -> None:
        if lasting:
            self.lost.append(Unconverted(identity, str(reason)))
        else:
            self.failed += 1

    def _count(self, candidate: Candidate) -> None:
        how = candidate.evidence.get("converted")
        if not (candidate.has_letters or converts(candidate)):
            self.other_kinds[candidate.kind] += 1
        if how is None or not candidate.has_letters:
            self.as_they_were += 1
            return
        self.by[str(how["by"])] += 1
        self.letters.setdefault(len(candidate.options), Counter())[candidate.answer] += 1


def _is_text(candidate: Candidate) -> bool:
    how = candidate.evidence.get("converted", {})
    return how.get("from") == "text" and how.get("by") in ("answers", "model")


STAGE = Stage(
    "convert",
    convert_stage,
    lambda work: [plainly(work.recipe.convert), work.recipe.seed],
    lambda recipe: True,
    after="classify",
)
