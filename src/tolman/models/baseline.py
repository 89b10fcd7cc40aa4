"""Baselines: answers without looking, and with a look (`detector`).

`random` draws uniformly (an option; for numbers, one of the true values of the question type; for another item kind one
of its guesses). `most-frequent` gives each question type's most frequent answer, `best-constant` the one among its true
values that the headline's metric rewards most (`official`, where the benchmark has it) on the questions that it can be
scored on without a judge, `most-frequent-text` the option
whose text is right most often, of those that are right in another scene too (the most frequent letter where none is).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tolman.benchmarks.spec import BenchmarkSpec, as_it_is
from tolman.errors import UsageError, unknown
from tolman.guessing.blind import most_frequent_text, ranked
from tolman.items import Item
from tolman.models.model import Model, ModelOptions, Request
from tolman.responses import Response
from tolman.scoring.item_kind import kind_of
from tolman.scoring.rule_sets import check_defined, kind_and_answer


class _Offline:
    """Base of all baselines: they make no calls."""

    remote = False
    concurrency = 1

    async def close(self) -> None:
        """Nothing to let go of."""


class Constant(_Offline):
    """A baseline that gives each question type one answer (or one ranking of answers).

    Args:
        name: of the model.
        choose: (benchmark, items of one question type) → item → answer.
    """

    def __init__(self, name: str, choose: Callable[[BenchmarkSpec, Sequence[Item]], Callable[[Item], str]]) -> None:
        self.name = name
        self.settings: Mapping[str, Any] = {}
        self._choose = choose
        self._answers: dict[str, Callable[[Item], str]] = {}
        self._written: Callable[[Item, str], str] = as_it_is

    def prepare(self, benchmark: BenchmarkSpec, items: Sequence[Item]) -> None:
        """Fix the answer of every question type."""
        self._written = benchmark.written
        self._answers = {task: self._choose(benchmark, group) for task, group in _by_task(items).items()}

    async def answer(self, request: Request) -> Response:
        """The answer of the item's question type."""
        item = request.item
        text = self._written(item, self._answers[item.task](item))
        return Response(id=item.id, response=text, repeat=request.repeat)


class Random(_Offline):
    """A baseline that draws uniformly, seeded by item so that the order of asking doesn't matter."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.settings: Mapping[str, Any] = {"seed": seed}
        self._seed = seed
        self._answers: dict[tuple[str, str], tuple[str, ...]] = {}
        self._written: Callable[[Item, str], str] = as_it_is
        self._distributions: dict[tuple[str, ...], list[tuple[str, float]]] = {}

    def prepare(self, benchmark: BenchmarkSpec, items: Sequence[Item]) -> None:
        """Collect the true answers of every question type and kind."""
        answers: dict[tuple[str, str], list[str]] = {}
        for item in items:
            answers.setdefault((item.task, item.kind), []).append(kind_of(item).right_response(item))
        self._answers = {key: tuple(found) for key, found in answers.items()}
        self._written = benchmark.written
        self._distributions = {}

    def _pool(self, item: Item) -> Sequence[str]:
        """Return the answers to draw from."""
        return kind_of(item).guesses(item, self._answers.get((item.task, item.kind), ()))

    async def answer(self, request: Request) -> Response:
        """A draw."""
        item = request.item
        drawn = random.Random(f"{self._seed}:{request.repeat}:{item.id}").choice(self._pool(item))
        return Response(id=item.id, response=self._written(item, drawn), repeat=request.repeat)

    def distribution(self, item: Item) -> Sequence[tuple[str, float]]:
        """Every option, or every true value of the question type by its frequency; items that draw from the same share
        one sequence."""
        pool, key = self._pool(item), (item.task, item.kind)
        known = key if pool is self._answers.get(key) else ("", *pool)
        if known not in self._distributions:
            self._distributions[known] = [
                (self._written(item, text), count / len(pool)) for text, count in Counter(pool).items()
            ]
        return self._distributions[known]


def _by_task(items: Iterable[Item]) -> dict[str, list[Item]]:
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.task, []).append(item)
    return groups


def _most_frequent(benchmark: BenchmarkSpec, items: Sequence[Item]) -> Callable[[Item], str]:
    answer = ranked(kind_of(item).right_response(item) for item in items)[0]
    return lambda item: answer


def _best_constant(benchmark: BenchmarkSpec, items: Sequence[Item]) -> Callable[[Item], str]:
    rules = benchmark.headline_rules
    check_defined(items, [rules])
    # Items that differ in nothing that a metric looks at are scored once.
    kinds = Counter(kind_and_answer(item) or item.id for item in items)
    examples = {kind_and_answer(item) or item.id: item for item in items}

    def reward(answer: str) -> tuple[float, int]:
        """The mean score over the items that it is scored on, and their number."""
        scored = [
            (score, count)
            for key, count in kinds.items()
            if (score := rules.score_of(examples[key], benchmark.written(examples[key], answer))) is not None
        ]
        number = sum(count for _, count in scored)
        return sum(score * count for score, count in scored) / max(1, number), number

    best = max(sorted({kind_of(item).right_response(item) for item in items}), key=reward)
    return lambda item: best


_CONSTANTS = {
    "most-frequent": _most_frequent,
    "best-constant": _best_constant,
    "most-frequent-text": lambda benchmark, items: most_frequent_text(items),
}
MODELS = ("random", "oracle", *_CONSTANTS, "detector")
"""The names of all of them."""


def create(name: str, options: ModelOptions) -> Model:
    """The baseline of that name.

    Raises:
        UsageError: there is none.
    """
    if name == "random":
        return Random("baseline/random", options.seed)
    if name == "oracle":
        from tolman.models.geometric import Oracle

        if options.scenes is None:
            raise UsageError("baseline/oracle reads its answers off scenes; give their folder with --scenes.")
        return Oracle(options.scenes)
    if name == "detector":
        from tolman.models.detector.detector_model import create_detector

        return create_detector(Constant("baseline/best-constant", _best_constant), options)
    if name not in _CONSTANTS:
        raise unknown("baseline", name, MODELS)
    return Constant(f"baseline/{name}", _CONSTANTS[name])
