"""Adaptive testing: which items are asked next, and the score on all items that the answers to some show.

Items are drawn one after another, each question type by itself. An item's probability is proportional to the standard
deviation √(m·(1 − m)) of its answer, where m is the score that the item bank expects of this model. Under the Rasch
model m·(1 − m) is the item's information about ability (Lord 1980), so the most informative items come first. Drawing
them, rather than taking the very first, keeps the estimate right where the bank is wrong.

Each draw gives an unbiased estimate of the type's sum of scores: the scores so far, the expected scores of all items
that were left, and the drawn item's surprise over its probability. These are Des Raj's estimates (1956, Journal of the
American Statistical Association 51, 269–284) of differences from expected scores. They are uncorrelated, also where
later probabilities depend on earlier answers. Their mean has the weights of simple random sampling, as in active
testing (Kossen et al. 2021, ICML; Farquhar et al. 2021, ICLR). So the bank decides how precise the estimate is, and
never whether it is right.

The item bank has the difficulty of each question on the scale of models' ability. Question types have scales of their
own. A model of ability θ has the mean score 1/(1 + exp(−a·(θ − b))) on an item of difficulty b and discrimination a
(Birnbaum 1968). All a are 1 in the Rasch model. Scores between 0 and 1 enter likelihoods as a share of a right answer
and a share of a wrong one (Papke and Wooldridge 1996, Journal of Applied Econometrics 11, 619–632).
`analyze.difficulty` fits a bank.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

import tolman
from tolman.errors import InputError
from tolman.extras import LazyModule, NDArray, np, pl
from tolman.scoring.aggregate import Cell
from tolman.scoring.clusters import Floats
from tolman.scoring.intervals import Interval, t_quantile
from tolman.scoring.metrics import PERCENT
from tolman.scoring.score_table import Column, Pool, Table, coefficients, pools_of

if TYPE_CHECKING:
    from tolman.scoring import run_differences
else:
    run_differences = LazyModule("tolman.scoring.run_differences")

_NODES = 81
_WIDER = 2.0
"""Abilities are expected to spread so many times as much as those of the bank's models: new models may be better."""
_LEAST_CHANCE = 0.02
"""Expected scores stay so far from 0 and 1: no bank is surer than that."""


class BankedItem(BaseModel):
    """One item's parameters.

    Attributes:
        id: of the item.
        task: its question type, as the bank's scorer counts it.
        difficulty: the ability at which half a point is expected.
        error: standard deviation of the difficulty, given the answers.
        discrimination: the slope, above 0.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    task: str
    difficulty: FiniteFloat
    error: FiniteFloat = Field(ge=0)
    discrimination: FiniteFloat = Field(gt=0)


class TaskScale(BaseModel):
    """One question type's scale.

    Attributes:
        ability, spread: mean and standard deviation of the models' abilities.
        difficulties: standard deviation of the items' difficulties, whose mean is 0.
        noise: the scores' variance around their expectation, as a share of that of answers right or wrong.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    ability: FiniteFloat
    spread: FiniteFloat = Field(ge=0)
    difficulties: FiniteFloat = Field(ge=0)
    noise: FiniteFloat = Field(gt=0)


class ItemBank(BaseModel):
    """The parameters of a benchmark's items.

    Attributes:
        benchmark, subset, data_hash: whose items they are.
        scorer: whose scores were fitted.
        models: names of the runs.
        tasks: question type → its scale.
        items: the items that were fitted.
        tolman: version that fitted them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    benchmark: str
    subset: str
    data_hash: str
    scorer: str
    models: tuple[str, ...]
    tasks: dict[str, TaskScale]
    items: tuple[BankedItem, ...]
    tolman: str = tolman.__version__

    @model_validator(mode="after")
    def _is_whole(self) -> ItemBank:
        lacking = {item.task for item in self.items} - self.tasks.keys()
        if lacking:
            raise ValueError(f"no scale for the question type {sorted(lacking)[0]!r}")
        if len({item.id for item in self.items}) < len(self.items):
            raise ValueError("an item appears twice")
        return self

    @property
    def sign(self) -> str:
        """A hash of the parameters."""
        text = self.model_dump_json(exclude={"tolman"})
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_bank(path: Path) -> ItemBank:
    """Read a bank that `tolman analyze difficulty` wrote.

    Raises:
        InputError: the file is none.
    """
    fix = "give the bank.json of 'tolman analyze difficulty'"
    try:
        return ItemBank.model_validate_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})", fix=fix) from None
    except (ValidationError, UnicodeDecodeError) as error:
        what = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise InputError(path, f"is no item bank ({what})", fix=fix) from None


@dataclass(frozen=True)
class Ability:
    """A model's ability for one question type: posterior mean and standard deviation."""

    mean: float
    spread: float


@dataclass(frozen=True)
class TaskBank:
    """One question type's items as arrays, each of shape (items,).

    Attributes:
        scale: of the question type.
        difficulty, error, discrimination: of the items.
    """

    scale: TaskScale
    difficulty: Floats
    error: Floats
    discrimination: Floats

    @property
    def prior(self) -> Ability:
        """The ability of a model without an answer."""
        return Ability(self.scale.ability, max(_WIDER * self.scale.spread, 0.5))

    def expected(self, ability: Ability) -> Floats:
        """The mean scores, over the ability's and the difficulties' uncertainty.

        The mean of a logistic over a normal error is approximated by a flatter one (MacKay 1992, Neural Computation 4,
        720–736). Shape (items,).
        """
        return np.asarray(self._flattened(np.array([ability.mean]), ability.spread)[0])

    def _flattened(self, abilities: Floats, spread: float) -> Floats:
        """The mean scores at some abilities. Shape (abilities, items)."""
        variance = self.discrimination**2 * (self.error**2 + spread**2)
        slope = self.discrimination / np.sqrt(1 + math.pi * variance / 8)
        chance = 1 / (1 + np.exp(-np.clip(slope * (abilities[:, None] - self.difficulty), -30, 30)))
        return np.asarray(np.clip(chance, _LEAST_CHANCE, 1 - _LEAST_CHANCE))

    def ability(self, asked: NDArray[np.intp], scores: Floats) -> Ability:
        """The ability that some answers show: expected a posteriori (Bock and Mislevy 1982).

        Args:
            asked: places of the items.
            scores: of the answers, 0 to 1. Shape as `asked`.
        """
        prior = self.prior
        steps = np.linspace(-4.0, 4.0, _NODES)
        nodes = prior.mean + prior.spread * steps
        own = TaskBank(self.scale, self.difficulty[asked], self.error[asked], self.discrimination[asked])
        chance = own._flattened(nodes, 0.0)
        logs = (np.log(chance) @ scores + np.log(1 - chance) @ (1 - scores)) / self.scale.noise - steps**2 / 2
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        mean = float(weights @ nodes)
        return Ability(mean, math.sqrt(float(weights @ (nodes - mean) ** 2)))


BATCH = 32
"""Items that are chosen together."""
LEAST_DRAWS = 5
"""Answers of a question type without which nothing is estimated of it."""


class Draw(BaseModel):
    """One drawn item.

    Attributes:
        id, task: of the item.
        chance: the probability with which it was drawn among the items of its question type that were left.
        expected: its expected score.
        rest: the sum of the expected scores of the items that were left, with its own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: str
    task: str
    chance: float
    expected: float
    rest: float


class Stratum(BaseModel):
    """All items of one question type.

    Attributes:
        items: how many there are.
        chance: the sum of the scores of random options, 1/options each.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    items: int
    chance: float


class AdaptiveRecord(BaseModel):
    """The items that an adaptive run drew: all that its estimates need besides the scores.

    Attributes:
        strata: question type → all of its items.
        batches: the draws, in their order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    strata: dict[str, Stratum]
    batches: tuple[tuple[Draw, ...], ...] = ()

    @property
    def draws(self) -> list[Draw]:
        """All of them."""
        return [draw for batch in self.batches for draw in batch]

    @property
    def items(self) -> int:
        """How many items there are to estimate the score of."""
        return sum(one.items for one in self.strata.values())


@dataclass(frozen=True)
class AdaptiveEstimate:
    """A figure of all items, estimated from some.

    Attributes:
        value: 0 to 100; None where too little was answered.
        error: standard error of the figure on exactly these items.
        interval: 95 %, by Student's t.
        reason: why there is no value.
    """

    value: float | None
    error: float | None = None
    interval: Interval | None = None
    reason: str = ""


@dataclass(frozen=True)
class _Total:
    """The sum of one question type's scores: estimate, bounds, variance and its degrees of freedom."""

    value: float
    low: float
    high: float
    variance: float
    degrees: int


def _total(draws: Sequence[Draw], scores: Mapping[str, float], stratum: Stratum) -> _Total | None:
    """Estimate a question type's sum of scores; None with too few answers.

    An item whose call failed is in the sum with its expected score, as if it had not been drawn.
    """
    answered = [place for place, draw in enumerate(draws) if draw.id in scores]
    if len(answered) < min(LEAST_DRAWS, stratum.items):
        return None
    before, each = 0.0, []
    for draw in draws:
        surprise = scores.get(draw.id, draw.expected) - draw.expected
        each.append(before + draw.rest + surprise / draw.chance)
        before += draw.expected + surprise
    found = np.array(each)[answered]
    left = stratum.items - np.array(answered, dtype=float)
    spread = left * (left - 1)
    known = sum(scores[draws[place].id] for place in answered)
    low, high = known, known + stratum.items - len(answered)
    if spread[-1] == 0:  # every item was asked
        return _Total(float(found[-1]), low, high, 0.0, len(answered))
    weights = (1 / spread) / (1 / spread).sum()
    value = float(weights @ found)
    square = float(((found - value) ** 2 / spread).sum()) / (len(answered) - 1)
    variance = square * float((weights**2 * spread).sum())
    return _Total(min(max(value, low), high), low, high, variance, len(answered) - 1)


def estimates(
    record: AdaptiveRecord, scores: pl.DataFrame, table: Table, column: str = "score"
) -> dict[str, AdaptiveEstimate]:
    """Estimate the figures of a table on all items.

    Args:
        record: of the run.
        scores: rows of `scoring.score_items.score` for one rule set; repeats are averaged.
        table: the benchmark's.
        column: of the scores.

    Returns:
        Column key → AdaptiveEstimate.
    """
    rows = run_differences.one_row_each(scores)
    known = dict(zip(rows["id"].to_list(), rows[column].to_list(), strict=True))
    own_task = dict(zip(rows["id"].to_list(), rows["task"].to_list(), strict=True))
    by_task: dict[str, list[Draw]] = {}
    for draw in record.draws:
        by_task.setdefault(draw.task, []).append(draw)
    # Another rule set may call a question type otherwise; it must not cut one into several.
    names = {task: {own_task[draw.id] for draw in own if draw.id in own_task} for task, own in by_task.items()}
    if any(len(found) > 1 for found in names.values()):
        reason = "its question types are not those that items were drawn from"
        return {one.key: AdaptiveEstimate(None, reason=reason) for one in table.columns}
    totals = {task: _total(by_task.get(task, ()), known, own) for task, own in record.strata.items()}
    called = {task: next(iter(names.get(task, ())), task) for task in record.strata}
    return {one.key: _figure(one, record.strata, totals, called) for one in table.columns}


def _pools(column: Column, strata: Mapping[str, Stratum], called: Mapping[str, str]) -> dict[Pool, list[str]]:
    """The pools of a figure with their question types that have items."""
    found = {
        leaf: [t for t in strata if leaf.tasks is None or called[t] in leaf.tasks] for leaf in pools_of([column.node])
    }
    return {leaf: tasks for leaf, tasks in found.items() if tasks}


def _shares(column: Column, strata: Mapping[str, Stratum], called: Mapping[str, str]) -> tuple[dict[str, float], float]:
    """The weights of the question types' sums of scores in a figure, and the constant that is added."""
    pools = _pools(column, strata, called)
    weights, offset = dict.fromkeys(strata, 0.0), 0.0
    for leaf, weight in coefficients(column.node, frozenset(pools)).items():
        adjusted = leaf.metric == "chance-adjusted"
        chance = sum(strata[task].chance for task in pools[leaf]) if adjusted else 0.0
        size = sum(strata[task].items for task in pools[leaf]) - chance
        if size <= 0:
            continue
        offset -= weight * chance / size
        for task in pools[leaf]:
            weights[task] += weight / size
    return weights, offset


def is_mean(column: Column) -> bool:
    """Check whether a figure is a weighted mean of scores, so that it can be estimated."""
    return column.unit == PERCENT and all(leaf.measure is None for leaf in pools_of([column.node]))


def _figure(
    column: Column, strata: Mapping[str, Stratum], totals: Mapping[str, _Total | None], called: Mapping[str, str]
) -> AdaptiveEstimate:
    if not is_mean(column):
        return AdaptiveEstimate(None, reason="it is no mean of scores, so that no part estimates it")
    weights, offset = _shares(column, strata, called)
    used = {task: weight for task, weight in weights.items() if weight}
    if not used:
        return AdaptiveEstimate(None, reason="no scored item")
    lacking = [task for task in used if totals[task] is None]
    if lacking:
        return AdaptiveEstimate(None, reason=f"fewer than {LEAST_DRAWS} answers of {lacking[0]}")
    parts = [(weight, total) for task, weight in used.items() if (total := totals[task]) is not None]
    value, low, high = (
        100 * (offset + sum(weight * getattr(total, name) for weight, total in parts))
        for name in ("value", "low", "high")
    )
    variances = [(weight**2 * total.variance, total.degrees) for weight, total in parts]
    variance = sum(one for one, _ in variances)
    error = 100 * math.sqrt(variance)
    # Welch and Satterthwaite's degrees of freedom.
    degrees = int(variance**2 / sum(one**2 / n for one, n in variances)) if variance > 0 else 1
    reach = t_quantile(0.975, max(1, degrees)) * error
    return AdaptiveEstimate(value, error, Interval(max(low, value - reach), min(high, value + reach)))


def with_estimates(cells: Mapping[str, Cell], found: Mapping[str, AdaptiveEstimate]) -> dict[str, Cell]:
    """The cells of the asked items, with the estimates for all items in place of their figures.

    Args:
        cells: column key → Cell.
        found: column key → estimate.
    """
    return {
        key: replace(
            cell,
            value=found[key].value,
            interval=found[key].interval,
            method=METHOD if found[key].interval is not None else None,
            reason=found[key].reason or None,
            rest=None,
        )
        for key, cell in cells.items()
    }


METHOD = "estimate of an adaptive run, Student's t"
"""How the intervals are computed: around the figure on all items, not on items of other scenes."""


@dataclass(frozen=True)
class DrawableItem:
    """An item that may be asked.

    Attributes:
        id: of the item.
        task: its question type, as the bank's scorer counts it.
        chance: the score of a random option.
    """

    id: str
    task: str
    chance: float


class AdaptiveTest:
    """The choice of items: which are next depends on the answers so far and the seed, and on nothing else.

    Args:
        bank: the items' parameters; an item that it lacks is of average difficulty. It has a scale for every question
            type in the headline.
        candidates: all items.
        table: whose headline is estimated.
        most: how many items may be asked.
        error: standard error of the headline, in points, at which to stop; None to go on until `most`.
        seed: of the draws.
        record: of an earlier start, whose batches are asked again.
    """

    def __init__(
        self,
        bank: ItemBank,
        candidates: Sequence[DrawableItem],
        table: Table,
        *,
        most: int,
        error: float | None,
        seed: int,
        record: AdaptiveRecord | None = None,
    ) -> None:
        self.most, self._error, self._seed, self._table = most, error, seed, table
        by_task: dict[str, list[DrawableItem]] = {}
        for one in sorted(candidates, key=lambda one: one.id):
            by_task.setdefault(one.task, []).append(one)
        strata = {
            task: Stratum(items=len(own), chance=sum(one.chance for one in own))
            for task, own in sorted(by_task.items())
        }
        self.record = record if record is not None else AdaptiveRecord(strata=strata)
        weights, _ = _shares(table.column(table.headline), strata, {task: task for task in strata})
        self._ids = {task: [one.id for one in own] for task, own in by_task.items() if weights[task]}
        self._banks = {task: task_bank(bank, task, ids) for task, ids in self._ids.items()}
        self._shares = {task: self._share(task, weights[task]) for task in self._ids}

    def _share(self, task: str, weight: float) -> float:
        """How much a question type adds to the headline's error: its draws are in this proportion (Neyman 1934)."""
        own = self._banks[task]
        expected = own.expected(own.prior)
        return weight * math.sqrt(own.scale.noise) * float(np.sqrt(expected * (1 - expected)).sum())

    @property
    def least(self) -> int:
        """The fewest items that give an estimate."""
        return sum(min(LEAST_DRAWS, len(ids)) for ids in self._ids.values())

    def estimate(self, scores: pl.DataFrame) -> AdaptiveEstimate:
        """The headline on all items.

        Args:
            scores: rows of the bank's scorer for the answers so far.
        """
        return estimates(self.record, scores, self._table)[self._table.headline]

    def next_batch(self, scores: pl.DataFrame) -> tuple[Draw, ...]:
        """Draw the next items and add them to the record; empty where enough were asked.

        Args:
            scores: as of `estimate`, for all batches so far.
        """
        drawn = self.record.draws
        room = min(self.most, sum(map(len, self._ids.values()))) - len(drawn)
        found = self.estimate(scores).error if self._error is not None and drawn else None
        if room <= 0 or (found is not None and self._error is not None and found <= self._error):
            return ()
        rows = run_differences.one_row_each(scores)
        known = dict(zip(rows["id"].to_list(), rows["score"].to_list(), strict=True))
        asked: dict[str, list[str]] = {task: [] for task in self._ids}
        for draw in drawn:
            asked[draw.task].append(draw.id)
        wanted = self._counts({task: len(own) for task, own in asked.items()}, min(room, BATCH))
        batch = [
            draw for task, count in wanted.items() for draw in self._drawn(task, count, asked[task], known, len(drawn))
        ]
        self.record = self.record.model_copy(update={"batches": (*self.record.batches, tuple(batch))})
        return tuple(batch)

    def _counts(self, asked: dict[str, int], room: int) -> dict[str, int]:
        """How many items of each question type are drawn: one at a time to the type with most room by its share
        (Sainte-Laguë), each type a few first."""
        found = dict.fromkeys(asked, 0)
        for _ in range(room):
            open_types = [task for task in asked if asked[task] < len(self._ids[task])]
            few = [task for task in open_types if asked[task] < LEAST_DRAWS]
            best = max(few or open_types, key=lambda task: self._shares[task] / (2 * asked[task] + 1))
            asked[best] += 1
            found[best] += 1
        return found

    def _drawn(
        self, task: str, count: int, asked: Sequence[str], known: Mapping[str, float], before: int
    ) -> list[Draw]:
        """Draw items of one question type without replacement, one after another (Efraimidis and Spirakis 2006)."""
        bank, ids = self._banks[task], self._ids[task]
        place = {id: number for number, id in enumerate(ids)}
        answered = [id for id in asked if id in known]
        ability = bank.ability(
            np.array([place[id] for id in answered], dtype=np.intp), np.array([known[id] for id in answered])
        )
        expected = bank.expected(ability)
        weights = np.sqrt(expected * (1 - expected))
        left = np.ones(len(ids), dtype=bool)
        left[[place[id] for id in asked]] = False
        luck = np.random.default_rng([self._seed, before, zlib.crc32(task.encode())]).exponential(size=len(ids))
        order = [int(number) for number in np.argsort(luck / weights, kind="stable") if left[number]][:count]
        found = []
        for number in order:
            chance = float(weights[number] / weights[left].sum())
            rest = float(expected[left].sum())
            found.append(Draw(id=ids[number], task=task, chance=chance, expected=float(expected[number]), rest=rest))
            left[number] = False
        return found


def task_bank(bank: ItemBank, task: str, ids: Sequence[str]) -> TaskBank:
    """The parameters of some items of one question type; of items that the bank lacks, those of any of the type."""
    scale, known = bank.tasks[task], {one.id: one for one in bank.items if one.task == task}
    rows: list[tuple[float, float, float]] = []
    for id in ids:
        one = known.get(id)
        rows.append((0.0, scale.difficulties, 1.0) if one is None else (one.difficulty, one.error, one.discrimination))
    values: Floats = np.array(rows, dtype=float).reshape(len(rows), 3)
    return TaskBank(scale, values[:, 0], values[:, 1], values[:, 2])
