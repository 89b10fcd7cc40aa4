"""Which responses a judge is asked about, and in which words.

These are the responses that the benchmark has judged, and a random sample of those that the reader read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tolman.benchmarks.base import BenchmarkSpec
from tolman.items import Item
from tolman.responses import Outcome, Response
from tolman.scoring.judge_sample import SampleSize, draw, is_read
from tolman.scoring.judged import digest, extraction_prompt, read_reply
from tolman.scoring.reading import ParsedAnswer
from tolman.scoring.rules import RuleSet

Texts = Mapping[str, Sequence[str]]
"""Item's id → its responses' texts, each once, without empty ones."""


@dataclass(frozen=True)
class JudgeJob:
    """One response that the judge is asked about, how, and how its reply is read."""

    item: Item
    text: str
    prompt: str
    read: Callable[[Item, str], ParsedAnswer | None] = read_reply


@dataclass(frozen=True)
class JudgePlan:
    """All that a judge is asked about a run.

    Attributes:
        judged: what the benchmark has judged, by the name of the judgement.
        sampled: the sample in the order of the items, each with the name of the judgement that answers it.
        readable: how many responses the sample was drawn from.
    """

    judged: Mapping[str, JudgeJob]
    sampled: Sequence[tuple[str, JudgeJob]]
    readable: int

    @property
    def asked(self) -> dict[str, JudgeJob]:
        """Every judgement, by its name."""
        return {**self.judged, **dict(self.sampled)}


def plan_judging(
    benchmark: BenchmarkSpec, items: Sequence[Item], outcomes: Iterable[Outcome], size: SampleSize, seed: int
) -> JudgePlan:
    """Decide what a judge is asked.

    Args:
        benchmark: for when and how it is asked.
        items, outcomes: of the run.
        size: of the sample.
        seed: of the run, for released parsers that draw at random and for the sample.
    """
    texts = _texts(outcomes)
    judged = _judged(benchmark, items, texts, seed)
    sample, readable = _sample(benchmark, items, texts, size, seed)
    # What is asked about a response in the same words already is not asked twice.
    known = {(job.item.id, job.prompt): key for key, job in judged.items()}
    sampled = []
    for job in sample:
        key = _key(job.item.id, list(texts[job.item.id]).index(job.text))
        free = f"{key}, sampled" if key in judged else key
        sampled.append((known.get((job.item.id, job.prompt), free), job))
    return JudgePlan(judged, sampled, readable)


def reader_of(benchmark: BenchmarkSpec) -> RuleSet:
    """The rule set whose readings a judge's are held against: the careful one, or the one that its judging rests on."""
    names = {rules.name for rules in benchmark.rule_sets}
    return benchmark.rule_set("careful" if "careful" in names else benchmark.judging.base)


def _texts(outcomes: Iterable[Outcome]) -> Texts:
    texts: dict[str, dict[str, None]] = {}
    for outcome in outcomes:
        if isinstance(outcome, Response) and outcome.response.strip():
            texts.setdefault(outcome.id, {}).setdefault(outcome.response)
    return {identity: list(found) for identity, found in texts.items()}


def _judged(benchmark: BenchmarkSpec, items: Sequence[Item], texts: Texts, seed: int) -> dict[str, JudgeJob]:
    """What the benchmark has judged, each text of an item once, in the order of the items."""
    judging = benchmark.judging
    base = benchmark.rule_set(judging.base)
    return {
        _key(item.id, number): JudgeJob(item, text, judging.prompt(item, text), judging.read)
        for item in items
        for number, text in enumerate(texts.get(item.id, ()))
        if judging.asks(item, text, base.read(item, text, seed))
    }


def _sample(
    benchmark: BenchmarkSpec, items: Sequence[Item], texts: Texts, size: SampleSize, seed: int
) -> tuple[list[JudgeJob], int]:
    """A random sample of the responses that were read, in the order of the items, and how many were."""
    if not size.of(1):
        return [], 0
    reader = reader_of(benchmark)
    read = {
        (item.id, digest(text)): (item, text)
        for item in items
        for text in texts.get(item.id, ())
        if is_read(reader.read(item, text, seed))
    }
    drawn = draw(read, size.of(len(read)), seed)
    jobs = [JudgeJob(item, text, extraction_prompt(item, text)) for key, (item, text) in read.items() if key in drawn]
    return jobs, len(read)


def _key(identity: str, number: int) -> str:
    """What the judgement of an item's text is called."""
    return identity if number == 0 else f"{identity}, text {number + 1}"
