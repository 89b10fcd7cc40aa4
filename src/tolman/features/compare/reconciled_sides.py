"""The sides of a reconciliation: a run's folder or another program's log, and scorers as their rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from tolman import protocols
from tolman.analyze.score_causes import LEFT_OUT, ReconciledSide, Rules, SideItem, exact, squeeze
from tolman.analyze.score_waterfall import PlaceInTable
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import UsageError, counted
from tolman.items import LETTERS, MEDIA_MARK, Item
from tolman.responses import Failure, Outcome, Response
from tolman.runs.imports import read_import
from tolman.runs.logs.join import target_agrees
from tolman.runs.logs.log import Log, LogRow, read_logs
from tolman.runs.run_folder import RunFolder, RunSettings, is_blind
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.item_kind import equal_answers, kind_of
from tolman.scoring.response_states import was_cut_off
from tolman.scoring.rule_sets import RuleSet, draw_of

PICTURES = "all pictures"
"""The frames of an item without a video."""


@dataclass(frozen=True)
class OpenedSide:
    """A side with the questions that it answered.

    Attributes:
        side: the data of each item.
        items: by the keys of the side's records.
        scorer: by which it is scored; None where no scorer here matches its own program.
        settings: of its making, in words by name.
        remarks: sentences about how it was understood.
    """

    side: ReconciledSide
    items: Mapping[str, Item]
    scorer: RuleSet | None
    settings: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def scored_by(self) -> str:
        """The scorer's name, or the program's."""
        return self.scorer.name if self.scorer is not None else self.side.rules.parser


def key_of(id: str, repeat: int) -> str:
    """The key of an item's sample: its id, with a number from the second on."""
    return id if repeat == 0 else f"{id} (sample {repeat + 1})"


def side_of_run(folder: RunFolder, benchmark: BenchmarkSpec, scorer: str | None) -> OpenedSide:
    """A run's folder as a side, scored by one scorer.

    Args:
        folder: of the run.
        benchmark: its benchmark.
        scorer: the headline's where None.

    Raises:
        UsageError: there is no such scorer.
        InputError: a file of the folder is broken.
    """
    record = folder.record()
    settings = record.settings
    rule_set = benchmark.rule_set(scorer) if scorer else benchmark.headline_rules
    return side_of_outcomes(
        settings.named(), folder.outcomes(), folder.items(), rule_set,
        asked=_asked(settings, benchmark), seed=settings.seed, failures_are_wrong=record.failures_are_wrong,
        settings=_run_settings(settings),
    )  # fmt: skip


def _unknown(item: Item) -> tuple[str | None, str | None]:
    return None, None


def side_of_outcomes(
    name: str,
    outcomes: Iterable[Outcome],
    questions: Iterable[Item],
    rule_set: RuleSet,
    *,
    asked: Callable[[Item], tuple[str | None, str | None]] = _unknown,
    seed: int = 0,
    failures_are_wrong: bool = False,
    settings: Mapping[str, str] | None = None,
) -> OpenedSide:
    """Responses and failures as a side, scored here.

    Args:
        name: of the side.
        outcomes: of the questions; of others they are left out.
        questions: the benchmark's items.
        rule_set: the scorer.
        asked: item → prompt and frames; None where they aren't known.
        seed: of parsers that draw at random.
        failures_are_wrong: whether failed calls score 0 or are left out.
        settings: of the side's making, in words by name.
    """
    by_id = {item.id: item for item in questions}
    items: dict[str, Item] = {}
    records: dict[str, SideItem] = {}
    draws: dict[str, int] = {}
    for outcome in outcomes:
        item = by_id.get(outcome.id)
        if item is None:
            continue
        key = key_of(item.id, outcome.repeat)
        items[key], draws[key] = item, draw_of(seed, outcome.repeat)
        records[key] = _run_record(key, item, outcome, rule_set, draws[key], asked(item), failures_are_wrong)
    side = ReconciledSide(name, records, rules_of(rule_set, items, draws))
    return OpenedSide(side, items, rule_set, settings or {})


def rules_of(
    rule_set: RuleSet, items: Mapping[str, Item], draws: Mapping[str, int], *, recorded: bool = False
) -> Rules:
    """A scorer as the rules of a side.

    Args:
        rule_set: the scorer.
        items: by the keys of records; texts of the other side are read for these.
        draws: seed of each key, for parsers that draw at random; 0 where it has none.
        recorded: whether the side's own code recorded its readings, which then go before the scorer's.
    """

    def read(key: str, text: str) -> Any:
        item = items[key]
        return rule_set.read(item, text, draws.get(key, 0)) if rule_set.counts(item, text) else LEFT_OUT

    def score(key: str, reading: Any, truth: str | None) -> Fraction | None:
        return _score(rule_set, with_truth(items[key], truth), reading)

    def metric(key: str) -> str:
        return "accuracy" if kind_of(items[key]).has_letters else rule_set.name

    return Rules(rule_set.name, metric, read, as_reading(items) if recorded else None, score)


def _score(rule_set: RuleSet, item: Item, reading: ParsedAnswer) -> Fraction | None:
    """The score of a reading; None where only a judge can score the text."""
    return None if reading.failed else exact(rule_set.score(item, reading))


def as_reading(items: Mapping[str, Item]) -> Callable[[str, str], Any]:
    """Recorded readings, texts, as a scorer's parser gives them."""

    def recorded(key: str, text: str) -> ParsedAnswer:
        if kind_of(items[key]).has_letters:
            return ParsedAnswer(text.strip().strip("().").upper() or None)
        try:
            return ParsedAnswer(float(text))
        except ValueError:
            return ParsedAnswer(text or None if items[key].kind != "number" else None)

    return recorded


def with_truth(item: Item, truth: str | None) -> Item:
    """The item with another true answer; itself where the answer is none for it."""
    if truth is None or truth == item.answer:
        return item
    changed = item.model_copy(update={"answer": truth})
    return item if kind_of(item).check(changed) else changed


def text_of(prompt: str) -> str:
    """A prompt without the marks of its media, which not every log has."""
    return prompt.replace(MEDIA_MARK, " ")


def _run_record(
    key: str, item: Item, outcome: Outcome, rule_set: RuleSet, draw: int, asked: tuple[str | None, str | None],
    failures_are_wrong: bool,
) -> SideItem:  # fmt: skip
    prompt, frames = asked
    head = {
        "id": key, "truth": item.answer, "question": (item.question, *item.options), "prompt": prompt, "frames": frames
    }  # fmt: skip
    if isinstance(outcome, Failure):
        score = Fraction(0) if failures_are_wrong else None
        return SideItem(text=None, score=score, failure=f"{outcome.kind}: {outcome.message}", **head)  # type: ignore[arg-type]
    text, cut_off = outcome.response, was_cut_off(outcome)
    if not rule_set.counts(item, text):
        return SideItem(text=text, score=None, cut_off=cut_off, **head)  # type: ignore[arg-type]
    reading = rule_set.read(item, text, draw)
    return SideItem(
        text=text, score=_score(rule_set, item, reading), reading=reading.text, cut_off=cut_off,
        unjudged=reading.failed, **head,  # type: ignore[arg-type]
    )  # fmt: skip


def _asked(settings: RunSettings, benchmark: BenchmarkSpec) -> Callable[[Item], tuple[str | None, str | None]]:
    """Return item → the prompt and the frames of a run; None where unknown, as for other programs' responses, or
    irrelevant, as for baselines."""
    if "imported" in settings.model_settings or is_blind(settings.model):
        return lambda item: (None, None)
    preset = next((one for one in benchmark.presets if one.name == settings.preset), benchmark.presets[0])
    try:
        sees = protocols.get(settings.protocol).shows_media
    except UsageError:  # another package's protocol, which isn't installed any more
        return lambda item: (None, None)
    strategy = "+".join(part for part in settings.protocol.split("+") if part not in ("direct", "blind"))
    more = f"[{strategy} {sorted(settings.protocol_settings.items())}] " if strategy else ""

    def asked(item: Item) -> tuple[str, str | None]:
        message = benchmark.whole_prompt(item, preset, sees)
        videos = any(one.kind == "video" for one in item.media)
        sampled = settings.frames.describe() if settings.frames.known else None
        frames = sampled if videos else PICTURES
        return more + text_of(message.text), frames if sees else "nothing"

    return asked


def _run_settings(settings: RunSettings) -> dict[str, str]:
    """Return the settings of a run; of another program's answers those that are known."""
    if "imported" in settings.model_settings:
        known = {"frames": settings.frames.describe()} if settings.frames.count is not None else {}
        return {"model": settings.model, **known}
    sampling = settings.sampling.model_dump(exclude_none=True, exclude={"thinking"})
    said = {name.replace("_", " "): str(value) for name, value in sampling.items()}
    thinking = settings.sampling.thinking
    return said | {
        "model": settings.model,
        "prompt preset": settings.preset,
        "protocol": settings.protocol,
        "frames": settings.frames.describe(),
        "reasoning": thinking.describe() if thinking else "as the model does by itself",
        "seed": str(settings.seed),
    }


def places_of(rule_set: RuleSet, items: Mapping[str, Item], order: Sequence[str]) -> dict[str, PlaceInTable]:
    """Return the places of items in a benchmark's figures.

    Args:
        rule_set: that says which question type an item counts under.
        items: by the keys of both sides' records.
        order: the benchmark's ids; keys come in this order, then as they are given.
    """
    rank = {id: number for number, id in enumerate(order)}
    found = {}
    for key, item in sorted(items.items(), key=lambda entry: rank.get(entry[1].id, len(rank))):
        group = None if item.all_of is None else item.all_of + key.removeprefix(item.id)
        found[key] = PlaceInTable(rule_set.task(item), len(item.options) or equal_answers(item), group)
    return found


LEAST_AGREEMENT = 0.95
"""Share of a log's recorded scores that a scorer must give for it to stand in for the program's own."""
SAME_SCORE = 1e-3
"""Recorded scores are rounded by some programs."""
_WORD = re.compile(r"[^\W\d]{3,}")
_LETTER = re.compile(r"\(?([A-Z])(?![A-Za-z])")


@dataclass(frozen=True)
class _Row:
    """A row of a log with its item, and the true answer that it was scored against."""

    item: Item
    row: LogRow
    truth: str | None


def gives_score(rules: RuleSet, item: Item, row: LogRow) -> bool:
    """Check whether a scorer gives the score that a row records; also where it draws its reading at random, as the
    program did with another draw. False where the row has no response or no score, or only a judge can score it."""
    if row.response is None or row.score is None:
        return False
    reading = rules.read(item, row.response, 0)
    if reading.failed:
        return False
    score = rules.score(with_truth(item, truth_of(item, row)), reading)
    return reading.guessed or abs(score - row.score) < SAME_SCORE


def side_of_log(path: Path, benchmark: BenchmarkSpec, items: Sequence[Item], scorer: str | None) -> OpenedSide:
    """A log as a side, with the program's own scores where it recorded them.

    Args:
        path: the log, or a folder of logs.
        benchmark: that it is of.
        items: the benchmark's questions.
        scorer: that matches the program's own code; where None, the one that gives its recorded scores, or where it
            recorded none the headline's.

    Raises:
        UsageError: there is no such scorer.
        InputError: the file is no log, or its rows don't fit the benchmark.
    """
    imported = read_import(path, items)
    outcomes = list(imported.outcomes.values())
    log = _joined(imported.files, len(outcomes))
    if log is None:  # ids and texts alone
        rule_set = benchmark.rule_set(scorer) if scorer else benchmark.headline_rules
        return side_of_outcomes(path.stem, outcomes, items, rule_set)
    by_id = {item.id: item for item in items}
    rows: dict[str, _Row] = {}
    for outcome, row in zip(outcomes, log.rows, strict=True):
        item = by_id[outcome.id]
        rows[key_of(item.id, outcome.repeat)] = _Row(item, row, truth_of(item, row))
    stand_in, remarks = _scorer(log, list(rows.values()), benchmark, scorer)
    by_key = {key: one.item for key, one in rows.items()}
    rules = _unknown_rules(log, by_key) if stand_in is None else rules_of(stand_in, by_key, {}, recorded=True)
    records = {key: _log_record(key, one, log, benchmark, stand_in) for key, one in rows.items()}
    side = ReconciledSide(log.model or path.stem, records, rules)
    return OpenedSide(side, by_key, stand_in, _log_settings(log), tuple(remarks))


def _joined(files: Sequence[Path], count: int) -> Log | None:
    """The log of all rows of one or several files; None where they hold other numbers of rows than were read."""
    logs = [read_logs(file) for file in files]
    if len(logs) == 1:
        return next((one for one in logs[0] if len(one.rows) == count), None)
    single = [own[0] for own in logs if len(own) == 1]
    rows = tuple(row for one in single for row in one.rows)
    return replace(single[0], rows=rows, figures={}) if single and len(rows) == count else None


def truth_of(item: Item, row: LogRow) -> str | None:
    """The true answer that a log's row was scored against, in the form of `Item.answer`.

    Returns:
        The item's own answer where the row names the same; None where it names none, or no answer to the item.
    """
    if row.target is None or not row.target.strip():
        return None
    if target_agrees(row, item):
        return item.answer
    text, kind = row.target.strip(), kind_of(item)
    if kind.has_letters:
        if text.isdecimal() and int(text) < len(item.options):
            return LETTERS[int(text)]
        found = _LETTER.match(text)
        return found[1] if found and found[1] in item.letters else None
    try:
        return kind.released_answer(text)
    except ValueError:
        return None


def _scorer(
    log: Log, rows: Sequence[_Row], benchmark: BenchmarkSpec, named: str | None
) -> tuple[RuleSet | None, list[str]]:
    """Return the scorer that replaces a program's own code, with remarks on it; None where none does."""
    scored = [one for one in rows if one.row.score is not None and one.row.response is not None]
    if named is None and not scored:
        rules = benchmark.headline_rules
        return rules, [f"the log holds no scores; it is scored by '{rules.name}'."]
    known = [*benchmark.rule_sets, *benchmark.further_rule_sets()]
    candidates = [benchmark.rule_set(named)] if named else sorted(known, key=lambda one: one.name != log.program)
    agreed = {rules.name: sum(gives_score(rules, one.item, one.row) for one in scored) for rules in candidates}
    enough = LEAST_AGREEMENT * len(scored)
    best = max(candidates, key=lambda rules: agreed[rules.name])
    if agreed[candidates[0].name] >= enough:  # what is named, or the program's own
        best = candidates[0]
    remark = f"scorer '{best.name}' gives {agreed[best.name]:,} of {len(scored):,} recorded scores"
    if named or agreed[best.name] >= enough:
        return best, [f"{remark}."] if scored else []
    return None, [
        f"{remark}, no other one more: how its texts are read isn't known here, so that other texts and another parser "
        "are not told apart. Name a scorer if you know that it is the program's."
    ]


def _unknown_rules(log: Log, items: Mapping[str, Item]) -> Rules:
    """The rules of a program whose code isn't known here: letters are right or wrong all the same."""
    name = " ".join(part for part in (log.program, log.version, log.task) if part)
    letters = all(kind_of(item).has_letters for item in items.values())

    def metric(key: str) -> str:
        return "accuracy" if kind_of(items[key]).has_letters else name

    def score(key: str, reading: object, truth: str | None) -> Fraction:
        return Fraction(getattr(reading, "value", None) == (truth or items[key].answer))

    return Rules(name, metric, None, as_reading(items), score if letters else None)


def _log_record(key: str, one: _Row, log: Log, benchmark: BenchmarkSpec, rule_set: RuleSet | None) -> SideItem:
    item, row = one.item, one.row
    record = SideItem(
        id=key,
        text=row.response,
        score=None if row.score is None else exact(row.score),
        reading=row.prediction,
        truth=one.truth,
        question=_question(item, row, benchmark),
        prompt=_sent(item, row, log),
        frames=_frames(item, row),
        cut_off=_was_cut_off(row, log),
        failure=row.failure,
    )
    if row.response is not None and row.score is not None and rule_set is not None:
        return replace(record, given=gives_score(rule_set, item, row))
    if row.response is None or row.score is not None:
        return record
    if rule_set is None:
        raise UsageError(f"row {row.place} has no score, others have, and no scorer gives these; name one.")
    if not rule_set.counts(item, row.response):
        return record
    reading = rule_set.read(item, row.response, 0)
    score = _score(rule_set, with_truth(item, one.truth), reading)
    return replace(record, score=score, unjudged=reading.failed)


def _frames(item: Item, row: LogRow) -> str | None:
    if item.media and all(medium.kind == "image" for medium in item.media):
        return PICTURES
    return None if row.frames is None else counted(row.frames, "frame")


def _sent(item: Item, row: LogRow, log: Log) -> str | None:
    """Return the prompt, where the log holds the whole text sent and not the question alone."""
    if row.prompt is None or log.program == "vlmevalkit":
        return None
    rest = squeeze(text_of(row.prompt))
    for piece in (item.question, *item.options):
        rest = rest.replace(squeeze(text_of(piece)), " ", 1)
    return text_of(row.prompt) if _WORD.search(rest) else None


def _question(item: Item, row: LogRow, benchmark: BenchmarkSpec) -> tuple[str, ...] | None:
    """The question as the row has it: the benchmark's where it is in there with its options in their order, else that
    it is another one; None where this benchmark's prompts don't hold its questions word for word, or the row has no
    options."""
    usual = benchmark.prompt(item, benchmark.presets[0]).text
    own = (item.question, *item.options)
    if row.prompt is None or not _in_order(usual, own):
        return None
    if _in_order(row.prompt, own):
        return own
    if _in_order(row.prompt, own[:1]) and not any(_in_order(row.prompt, [option]) for option in item.options):
        return None
    return (text_of(row.prompt),)


def _in_order(text: str, pieces: Sequence[str]) -> bool:
    """Check whether pieces follow each other in a text, but for white space and marks of media."""
    whole, start = squeeze(text_of(text)), 0
    for piece in pieces:
        own = squeeze(text_of(piece))
        start = whole.find(own, start)
        if start < 0:
            return False
        start += len(own)
    return True


def _was_cut_off(row: LogRow, log: Log) -> bool | None:
    if row.response is None:
        return None
    limit = _limit(log.settings)
    if limit is not None and row.output_tokens is not None and row.output_tokens >= limit:
        return True
    known = row.finish_reason is not None or (limit is not None and row.output_tokens is not None)
    ended = was_cut_off(Response(id="", response=row.response, finish_reason=row.finish_reason))
    return ended if known or ended else None


def _limit(settings: object) -> int | None:
    """The most tokens of a response, wherever a program's settings have them."""
    if not isinstance(settings, Mapping):
        return None
    for name in ("max_new_tokens", "max_tokens", "max_gen_toks"):
        if isinstance(settings.get(name), int):
            return int(settings[name])
    return next((found for value in settings.values() if (found := _limit(value)) is not None), None)


def _log_settings(log: Log) -> dict[str, str]:
    """Return the settings that a log records."""
    limit = _limit(log.settings)
    told = {
        "model": log.model,
        "program": " ".join(part for part in (log.program, log.version) if part),
        "task": log.task,
        "max tokens": "" if limit is None else str(limit),
    }
    return {name: value for name, value in told.items() if value}
