"""OutsideLearner: what guesses answers without looking; BlindQuestion: what it is told of one.

A learner is one file: `learners/my_name.py` with `OUTSIDE_LEARNER`, or a plugin's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tolman.guessing.statistics import Floats
from tolman.registry import Registry

Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class BlindQuestion:
    """What can be known of a question without looking.

    Attributes:
        text: without its options.
        options: their texts; none where the answer is no letter.
        names: phrases that set the question apart from others of its type: mostly what it asks about.
        marks: what its row says beside its text, as tokens (`marks.marks_of`).
    """

    text: str
    options: tuple[str, ...]
    names: tuple[str, ...]
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LearnerSettings:
    """What a learner depends on beside the questions.

    Attributes:
        seed: of its draws.
        language_model: folder of a language model in the form of transformers; None for none.
    """

    seed: int = 0
    language_model: Path | None = None


class OutsideLearner(Protocol):
    """A learner.

    Attributes:
        title: what it is, for a table's legend.
        needs_language_model: whether it takes part only where a language model is named.
    """

    title: str
    needs_language_model: bool

    def choose(
        self, taught: Sequence[BlindQuestion], right: Ints, asked: Sequence[BlindQuestion], settings: LearnerSettings
    ) -> list[Floats]:
        """How likely each option of each question asked is right, on any scale; the greatest is answered.

        Args:
            taught: choices whose answers are known.
            right: the place of the right option of each. Shape (taught,).
            asked: choices.
            settings: of the learner.
        """
        ...

    def classify(
        self,
        taught: Sequence[BlindQuestion],
        classes: Ints,
        count: int,
        asked: Sequence[BlindQuestion],
        settings: LearnerSettings,
    ) -> Floats:
        """The probability of each class of answers. Shape (asked, count).

        Args:
            taught: questions without options whose answers are known.
            classes: the class of each answer, 0 … count − 1. Shape (taught,).
            count: how many classes there are.
            asked: questions without options.
            settings: of the learner.
        """
        ...


def _problem(thing: object) -> str:
    wanted = ("choose", "classify", "title", "needs_language_model")
    missing = [name for name in wanted if not hasattr(thing, name)]
    return f"has no {', '.join(missing)}" if missing else ""


LEARNERS = Registry(
    "learner", "tolman.analyze.outside.learners", "OUTSIDE_LEARNER", "tolman.outside_learners", check=_problem
)


def by_option(asked: Sequence[BlindQuestion], values: Floats) -> list[Floats]:
    """Values of options, one behind the other, as an array for each question."""
    return np.split(values, np.cumsum([len(question.options) for question in asked])[:-1])


def right_options(taught: Sequence[BlindQuestion], right: Ints) -> Ints:
    """Whether each option is the right one, one behind the other: 0 or 1. Shape (options of all,)."""
    return np.array(
        [place == own for question, own in zip(taught, right, strict=True) for place in range(len(question.options))],
        dtype=np.intp,
    )
