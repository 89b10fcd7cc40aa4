"""The stage `verify`: several models answer independently, and people check the questions that these don't settle.

Source: SpatialBench (Xu et al. 2025), section 4.2, "Annotation Verification". Every model answers with its evidence. A
question is provisionally approved if all of them give the recorded answer. People still check a share of these, and
all others, all from level 3 on, and all of unknown level. They are shown one line of review.jsonl for each question
(`docs/curate/index.md` describes its fields).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman.benchmarks.spatialbench.spatialbench_rows import cognitive_level
from tolman.curate.asking import ModelTask, Reply, question_text
from tolman.curate.candidates import Candidate, read_pool, read_shards, write_lines, write_pool
from tolman.curate.pipeline import Stage, Work, plainly
from tolman.curate.recipe import Verify
from tolman.items import Item
from tolman.kinds import kind_of
from tolman.messages import Message

CHECKLIST = (
    "The evidence shows the things that the question is about.",
    "The models' answers were read correctly.",
    "The answer has the form that the question asks for.",
)
"""Points that a reviewer goes through (SpatialBench, section 4.2)."""
DRAWN = "drawn for a spot check"
UNKNOWN_LEVEL = "its level isn't known"
NO_LEVELS = 99
"""As the level from which people look at every question: levels don't count."""


@dataclass(frozen=True)
class Verdict:
    """Outcome of a question.

    Attributes:
        status: 'approved' (provisionally), 'spot-check' (approved, and to be looked at), or 'people'.
        reasons: why people are to look at it.
    """

    status: str
    reasons: tuple[str, ...] = ()


def answering_task() -> ModelTask:
    """A question with the demand for evidence; the value is {"answer", "evidence", "frames"}."""

    def messages(group: Sequence[Candidate]) -> tuple[Message, ...]:
        one = group[0]
        item = one.item()
        wanted = kind_of(item).answer_form(item)
        text = (
            f"{question_text(one, answer=False)}\n\n"
            "Reply with exactly three lines:\n"
            "Evidence: what you see that settles the question, in one or two sentences\n"
            "Frames: the numbers of the images that show it, from 1, separated by commas, or 'none'\n"
            f"Answer: {wanted}"
        )
        return (Message(parts=(*one.media, text)),)

    return ModelTask("verify", messages, read_answer, shows_media=True)


def read_answer(text: str, candidate: Candidate) -> dict[str, Any] | None:
    """The three lines that were asked for; None for anything else."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 3:
        return None
    evidence, frames_said, answer_said = " ".join(lines[:-2]), lines[-2], lines[-1]
    said = [
        line[len(name) :].strip() if line[: len(name)].casefold() == name else ""
        for name, line in (("evidence:", evidence), ("frames:", frames_said), ("answer:", answer_said))
    ]
    if not all(said):
        return None
    item = candidate.item()
    stated = kind_of(item).stated_answer(item, said[2])
    if stated is None:
        return None
    frames = [int(number) for number in re.findall(r"\b\d{1,6}\b", said[1])][:100]
    return {"answer": stated, "evidence": " ".join(said[0].split())[:1000], "frames": frames}


def judge(candidate: Candidate, replies: Sequence[Reply], settings: Verify, seed: str) -> Verdict:
    """Judge a question by each model's answer."""
    given = [None if reply.value is None else str(reply.value["answer"]) for reply in replies]
    reasons = doubts(candidate, given, settings.people_from_level)
    if reasons:
        return Verdict("people", tuple(reasons))
    if is_drawn(candidate.id, settings.spot_check, seed):
        return Verdict("spot-check", (DRAWN,))
    return Verdict("approved")


def doubts(question: Candidate | Item, given: Sequence[str | None], people_from_level: int) -> list[str]:
    """Why models don't settle a question; nothing where they do.

    Args:
        question: with the answer that is written down.
        given: each model's answer; None where it gave none that can be read.
        people_from_level: questions of this level or a higher one always go to people, and so do those whose level
            isn't known; `NO_LEVELS`: levels don't count.
    """
    reasons = []
    read = [answer for answer in given if answer is not None]
    if len(read) < len(given):
        reasons.append("a model gave no answer that can be read")
    if any(not same(question, answer, read[0]) for answer in read):
        reasons.append("the models disagree")
    if any(not same(question, answer, question.answer) for answer in read):
        reasons.append("a model disagrees with the answer that is written down")
    if needs_people(question, people_from_level):
        level = level_of(question)
        reasons.append(UNKNOWN_LEVEL if level is None else f"level {level}")
    return reasons


def is_drawn(identity: str, share: float, seed: str) -> bool:
    """Check whether a question is in the share that people check although the models agree."""
    return random.Random(f"{seed}:{identity}").random() < share


def same(question: Candidate | Item, first: str, second: str) -> bool:
    """Check whether two answers to a question agree."""
    item = question.item() if isinstance(question, Candidate) else question
    return kind_of(item).agree(item, first, second)


def level_of(question: Candidate | Item) -> int | None:
    """The cognitive level of a question; None where it isn't known."""
    return cognitive_level(question.task, question.labels)


def needs_people(question: Candidate | Item, people_from_level: int) -> bool:
    """Check whether people must see a question because of its level, regardless of the models' answers."""
    level = level_of(question)
    return lacks_level(question, people_from_level) or (level is not None and level >= people_from_level)


def lacks_level(question: Candidate | Item, people_from_level: int) -> bool:
    """Check whether people must see a question because its level isn't known."""
    return people_from_level < NO_LEVELS and level_of(question) is None


def verify_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Ask all models about all questions, and write the lines for people."""
    settings = work.recipe.verify
    assert settings is not None
    replies: list[dict[str, Reply]] = []
    names: list[str] = []
    for asked in settings.models:
        with work.asker(asked) as asker:
            names.append(asker.model.name)
            found: dict[str, Reply] = {}
            for number, shard in enumerate(read_shards(before), start=1):
                work.watch.begin(f"{asker.model.name}, part {number}", len(shard))
                found |= asker.ask(shard, answering_task())
        replies.append(found)
    failed = sum(not reply.lasting for found in replies for reply in found.values() if reply.value is None)
    seed = f"{work.recipe.seed}:verify"
    tally: Counter[str] = Counter()

    def verdicts() -> Iterator[tuple[Candidate, list[Reply], Verdict]]:
        for one in read_pool(before):
            given = [found[one.id] for found in replies]
            yield one, given, judge(one, given, settings, seed)

    def judged() -> Iterator[Candidate]:
        for one, given, verdict in verdicts():
            tally[verdict.status] += 1
            tally[UNKNOWN_LEVEL] += lacks_level(one, settings.people_from_level)
            evidence = {**one.evidence, "models": _said(names, given)}
            yield one.having(verified=verdict.status).model_copy(update={"evidence": evidence})

    total = write_pool(out, judged())
    write_lines(out / "review.jsonl", (review_row(one, names, given, v) for one, given, v in verdicts()))
    return {
        "candidates": total,
        "models": names,
        "status": {status: tally[status] for status in ("approved", "spot-check", "people")},
        "level_unknown": tally[UNKNOWN_LEVEL],
        "failed": failed,
    }


def review_row(
    candidate: Candidate, names: Sequence[str], replies: Sequence[Reply], verdict: Verdict
) -> dict[str, Any]:
    """A line of review.jsonl."""
    item = candidate.item()
    return {
        "id": candidate.id,
        "status": verdict.status,
        "reasons": list(verdict.reasons),
        "question": candidate.question,
        "kind": candidate.kind,
        "options": list(candidate.options),
        "answer": candidate.answer,
        "unit": candidate.unit,
        "labels": candidate.labels,
        "media": [medium.model_dump(exclude_none=True) for medium in item.media],
        "models": _said(names, replies),
        "checklist": list(CHECKLIST),
    }


def _said(names: Sequence[str], replies: Sequence[Reply]) -> list[dict[str, Any]]:
    """Each model's answer, or the reason why it gave none."""
    return [
        {"model": name, **(reply.value or {"answer": None, "failure": reply.failure})}
        for name, reply in zip(names, replies, strict=True)
    ]


_RULES = 3
"""Version of the rules above: a pool that older ones judged is judged again; the models aren't asked again."""
STAGE = Stage(
    "verify",
    verify_stage,
    lambda work: [plainly(work.recipe.verify), work.recipe.seed, _RULES],
    lambda recipe: recipe.verify is not None,
    after="stratify",
)
