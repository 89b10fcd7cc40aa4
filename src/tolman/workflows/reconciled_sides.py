"""A run's folder as one side of a reconciliation, and scorers as its rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tolman import protocols
from tolman.analyze.reconciling.reconcile import PlaceInTable
from tolman.analyze.reconciling.sides import LEFT_OUT, ReconciledSide, Rules, SideItem, exact
from tolman.benchmarks.base import BenchmarkSpec
from tolman.errors import UsageError
from tolman.items import MEDIA_MARK, Item
from tolman.responses import Failure, Outcome
from tolman.runs.folder import RunFolder, RunSettings, is_blind
from tolman.scoring.item_kind import equal_answers, kind_of
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.rules import RuleSet, draw_of
from tolman.scoring.states import was_cut_off

PICTURES = "all pictures"
"""The frames of an item without a video."""


@dataclass(frozen=True)
class OpenedSide:
    """A side with the questions that it answered.

    Attributes:
        side: what is known of each item.
        items: by the keys of the side's records.
        scorer: by which it is scored; None where no scorer here does what its own program does.
        settings: what it was made with, in words by name.
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
        settings=_told(settings),
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
        settings: what the side was made with, in words by name.
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
        records[key] = _record(key, item, outcome, rule_set, draws[key], asked(item), failures_are_wrong)
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

    def score(key: str, reading: Any, truth: str | None) -> Fraction:
        return exact(rule_set.score(with_truth(items[key], truth), reading))

    def metric(key: str) -> str:
        return "accuracy" if kind_of(items[key]).has_letters else rule_set.name

    return Rules(rule_set.name, metric, read, as_reading(items) if recorded else None, score)


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


def _record(
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
    score = exact(rule_set.score(item, reading))
    return SideItem(text=text, score=score, reading=reading.text, cut_off=cut_off, **head)  # type: ignore[arg-type]


def _asked(settings: RunSettings, benchmark: BenchmarkSpec) -> Callable[[Item], tuple[str | None, str | None]]:
    """Item → the prompt and the frames of a run; None for what it doesn't know, as of other programs' responses, or
    what doesn't matter, as to baselines."""
    if "imported" in settings.model_settings or is_blind(settings.model):
        return lambda item: (None, None)
    preset = next((one for one in benchmark.presets if one.name == settings.preset), benchmark.presets[0])
    try:
        sees = protocols.get(settings.protocol).shows_media
    except UsageError:  # another package's protocol, which isn't installed any more
        return lambda item: (None, None)
    strategy = "+".join(part for part in settings.protocol.split("+") if part not in ("direct", "blind"))
    more = f"[{strategy} {sorted(settings.protocol_settings.items())}] " if strategy else ""

    def asked(item: Item) -> tuple[str, str]:
        message = benchmark.whole_prompt(item, preset, sees)
        videos = any(one.kind == "video" for one in item.media)
        frames = settings.frames.describe() if videos else PICTURES
        return more + text_of(message.text), frames if sees else "nothing"

    return asked


def _told(settings: RunSettings) -> dict[str, str]:
    """What a run was made with."""
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
    """Where items stand in a benchmark's figures.

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
