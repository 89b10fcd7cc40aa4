"""The stages `import`, `duplicates`, `convert` and `verify`.

The first two read question sets into one pool, each question once. `convert` makes open-ended questions multiple
choice: one model may write wrong answers, and one says which of them are right after all. In `verify` several models
answer independently, and people check the questions that these don't settle.

Source: SpatialBench (Xu et al. 2025), section 4.2, "Annotation Verification". Every model answers with its evidence. A
question is provisionally approved if all of them give the recorded answer. People still check a share of these, and
all others, all from level 3 on, and all of unknown level. They are shown one line of review.jsonl for each question
(`docs/curate/index.md` describes its fields).
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from tolman.analyze.duplicates import QuestionText, leaks, media_names, near_duplicates, without_repeats
from tolman.benchmarks.spatialbench.spatialbench_rows import cognitive_level
from tolman.curate.asking import Asker, ModelTask, Reply, number_lines, question_text
from tolman.curate.candidates import Candidate, read_pool, read_shards, scan_pool, shards_of, write_lines, write_pool
from tolman.curate.convert import Bank, Unconverted, convert, converts, needs_model
from tolman.curate.importing import Importer, QuestionSource, Unmapped
from tolman.curate.mapping import Mapping
from tolman.curate.pipeline import Against, Convert, Duplicates, Stage, Verify, Work, plainly
from tolman.errors import InputError
from tolman.files import atomic_write
from tolman.generate.distractors import Dealer
from tolman.items import Item, Media
from tolman.kinds import kind_of
from tolman.media.frame_store import FrameStore, default_root
from tolman.messages import Message
from tolman.parallel import Workers
from tolman.runs.run_items import load


def import_settings(work: Work) -> Any:
    """Mappings, and the names, sizes and times of all files."""
    found = []
    for source in work.sources:
        files = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in source.files()]
        found.append([source.name, _determining(source.mapping), str(source.media_folder), files])
    return found


def _determining(mapping: Mapping) -> dict[str, Any]:
    """A mapping as JSON values; without the kinds that it doesn't name, which older versions knew nothing of."""
    found: dict[str, Any] = plainly(mapping)
    return found if mapping.kinds else {name: value for name, value in found.items() if name != "kinds"}


def import_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Read all question sets.

    Raises:
        InputError: a file can't be read, or no row of a question set can be mapped.
    """
    importer = Importer(work.root)
    trusted = work.recipe.trusted
    taken: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    unmapped: Counter[str] = Counter()

    def rows() -> Iterator[Candidate]:
        for source in work.sources:
            if source.name in trusted:
                work.taxonomy.check(_labels_of(source), f"the mapping {source.mapping.name}")
            work.watch.begin(f"reading {source.name}", None)
            first: Unmapped | None = None
            for found in importer.read(source):
                work.watch.advance()
                if isinstance(found, Unmapped):
                    first = first or found
                    unmapped[source.name] += 1
                    lines.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")
                else:
                    taken[source.name] += 1
                    kinds[found.kind] += 1
                    yield found
            if not taken[source.name]:
                reason = f"the first: {first.file}, row {first.row}: {first.reason}" if first else "there is none"
                raise InputError(source.data, f"no row can be mapped ({reason})", fix="correct the mapping")

    with atomic_write(out / "unmapped.jsonl") as partial, partial.open("w", encoding="utf-8") as lines:
        total = write_pool(out, rows())
    return {
        "candidates": total,
        "sources": {name: {"taken": taken[name], "unmapped": unmapped[name]} for name in taken},
        "kinds": dict(sorted(kinds.items())),
    }


def _labels_of(source: QuestionSource) -> set[str]:
    return {*source.mapping.spatial.categories.values(), source.mapping.spatial.default}


def duplicates_stage(work: Work, before: Path, out: Path) -> dict[str, Any]:
    """Leave out questions that are in the pool before, or in a benchmark that nothing may be shared with."""
    settings = work.recipe.duplicates or Duplicates()
    frames = FrameStore(default_root()) if settings.pictures else None
    work.watch.begin("comparing", None)
    questions, looked_at = pool_questions(before, work.root, frames, settings.bits, work.workers)
    groups = near_duplicates(questions, settings.alike)
    dropped = dict(without_repeats(groups, [question.id for question in questions]))
    within = len(dropped)
    leaked: Counter[str] = Counter()
    for against in settings.against:
        own = [question for question in questions if question.id not in dropped]
        for question, other in shared_with(own, against, settings, frames, before, work):
            dropped[question.id] = f"{against.benchmark}: {other.id}"
            leaked[against.benchmark] += 1
    told = ((group, [questions[i].id for i in group.members]) for group in groups)
    rows = ({"members": members, "different_answers": group.conflict} for group, members in told)
    write_lines(out / "duplicates.jsonl", rows)
    write_lines(out / "left-out.jsonl", ({"id": one, "same_as": other} for one, other in dropped.items()))
    kept = _without(before, out, set(dropped))
    return {
        "candidates": kept,
        "groups": len(groups),
        "different_answers": sum(group.conflict for group in groups),
        "left_out": within,
        "shared": dict(leaked),
        "media_looked_at": looked_at,
    }


def pool_questions(
    folder: Path, root: Path, frames: FrameStore | None, bits: int, workers: Workers | None = None
) -> tuple[list[QuestionText], int]:
    """Compared questions of a pool, and the number of media that could be looked at."""
    media = [_media_of(row) for row in scan_pool(folder).select("media").collect()["media"]]
    names, looked_at = media_names(media, root, frames, bits, workers)
    questions = [
        QuestionText.of(one.id, "pool", one.question, name, one.answer_text, one.options)
        for name, one in zip(names, read_pool(folder), strict=True)
    ]
    return questions, looked_at


def shared_with(
    own: list[QuestionText], against: Against, settings: Duplicates, frames: FrameStore | None, folder: Path, work: Work
) -> list[tuple[QuestionText, QuestionText]]:
    """Return the pool's questions that a benchmark has too, each with the benchmark's.

    Pictures are compared across both, so their names are made again.
    """
    loaded = load(against.benchmark, against.data, against.subset)
    table = scan_pool(folder).select("id", "media").collect()
    wanted = {question.id for question in own}
    media = [_media_of(row) for identity, row in table.iter_rows() if identity in wanted]
    # One list of names for both, so that groups of pictures mean the same: paths made absolute.
    there = [[_below(loaded.folder, medium) for medium in item.media] for item in loaded.items]
    here = [[_below(work.root, medium) for medium in one] for one in media]
    names, _ = media_names([*here, *there], Path("/"), frames, settings.bits, work.workers)
    mine = [replace(question, media=name) for question, name in zip(own, names, strict=False)]
    theirs = [
        QuestionText.of(item.id, against.benchmark, item.question, name, item.answer_text, item.options)
        for item, name in zip(loaded.items, names[len(mine) :], strict=True)
    ]
    both = [*mine, *theirs]
    return list(leaks(near_duplicates(both, settings.alike), both))


def _below(folder: Path, medium: Media) -> Media:
    return medium.model_copy(update={"path": str((folder / medium.path).absolute()).lstrip("/")})


def _media_of(row: Any) -> list[Media]:
    return [Media(**one) for one in row] if row is not None else []


def _without(before: Path, out: Path, dropped: set[str]) -> int:
    """Copy a pool shard by shard without some of its questions; how many are left."""
    gone = pl.Series(sorted(dropped), dtype=pl.String)
    total = 0
    for path in shards_of(before):
        kept = pl.read_parquet(path).filter(~pl.col("id").is_in(gone.implode()))
        total += kept.height
        with atomic_write(out / path.name) as partial:
            kept.write_parquet(partial)
    return total


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


STAGES = (
    Stage("import", import_stage, import_settings, lambda recipe: True),
    Stage(
        "duplicates",
        duplicates_stage,
        lambda work: work.recipe.duplicates,
        lambda recipe: recipe.duplicates is not None,
        after="import",
    ),
    Stage(
        "convert",
        convert_stage,
        lambda work: [plainly(work.recipe.convert), work.recipe.seed],
        lambda recipe: True,
        after="classify",
    ),
    Stage(
        "verify",
        verify_stage,
        lambda work: [plainly(work.recipe.verify), work.recipe.seed, _RULES],
        lambda recipe: recipe.verify is not None,
        after="stratify",
    ),
)
