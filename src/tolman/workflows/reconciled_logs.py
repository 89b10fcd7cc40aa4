"""Another program's log as one side of a reconciliation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from tolman.analyze.reconciling.conditions import squeeze
from tolman.analyze.reconciling.sides import ReconciledSide, Rules, SideItem, exact
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.items import LETTERS, Item
from tolman.responses import Response
from tolman.runs.imports import read_responses
from tolman.runs.logs.join import target_agrees
from tolman.runs.logs.log import Log, LogRow, read_logs
from tolman.scoring.item_kind import kind_of
from tolman.scoring.rules import RuleSet
from tolman.scoring.states import was_cut_off
from tolman.workflows.reconciled_sides import (
    PICTURES,
    OpenedSide,
    as_reading,
    key_of,
    rules_of,
    side_of_outcomes,
    text_of,
    with_truth,
)

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
    """Whether a scorer gives the score that a row records; also where it draws its reading at random, as the program
    did with another draw. False where the row has no response or no score."""
    if row.response is None or row.score is None:
        return False
    reading = rules.read(item, row.response, 0)
    score = rules.score(with_truth(item, truth_of(item, row)), reading)
    return reading.guessed or abs(score - row.score) < SAME_SCORE


def side_of_log(path: Path, benchmark: BenchmarkSpec, items: Sequence[Item], scorer: str | None) -> OpenedSide:
    """A log as a side, with the program's own scores where it recorded them.

    Args:
        path: the log.
        benchmark: that it is of.
        items: the benchmark's questions.
        scorer: that does what the program's own code does; where None, the one that gives its recorded scores, or
            where it recorded none the headline's.

    Raises:
        UsageError: there is no such scorer.
        InputError: the file is no log, or its rows don't fit the benchmark.
    """
    outcomes = read_responses(path, items)
    log = next((one for one in read_logs(path) if len(one.rows) == len(outcomes)), None)
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
    records = {key: _record(key, one, log, benchmark, stand_in) for key, one in rows.items()}
    side = ReconciledSide(log.model or path.stem, records, rules)
    return OpenedSide(side, by_key, stand_in, _told(log), tuple(remarks))


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
    """The scorer that stands in for a program's own code, and what is to be said of it; None where none does."""
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


def _record(key: str, one: _Row, log: Log, benchmark: BenchmarkSpec, rule_set: RuleSet | None) -> SideItem:
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
    return replace(record, score=exact(rule_set.score(with_truth(item, one.truth), reading)))


def _frames(item: Item, row: LogRow) -> str | None:
    if item.media and all(medium.kind == "image" for medium in item.media):
        return PICTURES
    return None if row.frames is None else f"{row.frames} frames"


def _sent(item: Item, row: LogRow, log: Log) -> str | None:
    """The prompt, where the log holds what was sent and not the question alone."""
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
    """Whether pieces stand in a text one behind the other, but for white space and marks of media."""
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


def _told(log: Log) -> dict[str, str]:
    """What a log says that it was made with."""
    limit = _limit(log.settings)
    told = {
        "model": log.model,
        "program": " ".join(part for part in (log.program, log.version) if part),
        "task": log.task,
        "max tokens": "" if limit is None else str(limit),
    }
    return {name: value for name, value in told.items() if value}
