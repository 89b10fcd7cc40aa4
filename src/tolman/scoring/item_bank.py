"""Item bank: the difficulty of each question on the scale of models' ability, and the abilities that answers show.

Question types have scales of their own. A model of ability θ has the mean score 1/(1 + exp(−a·(θ − b))) on an item of
difficulty b and discrimination a (Birnbaum 1968). All a are 1 in the Rasch model.
Scores between 0 and 1 enter likelihoods as a share of a right answer and a share of a wrong one (Papke and Wooldridge
1996, Journal of Applied Econometrics 11, 619–632). `analyze.difficulty` fits a bank.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

import tolman
from tolman.errors import InputError
from tolman.scoring.clusters import Floats

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

    model_config = ConfigDict(frozen=True, extra="forbid")

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

    model_config = ConfigDict(frozen=True, extra="forbid")

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

    model_config = ConfigDict(frozen=True, extra="forbid")

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
