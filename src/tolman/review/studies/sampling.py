"""Sampling: the forms of a study, and which questions are on each.

A form is what one person is asked. Forms are drawn before anybody comes, from the questions and the seed alone, so that
who comes when has no part in what is asked; it only says who gets which form.

Within each stratum, questions are dealt like cards: the whole stratum is shuffled and dealt from its first question to
its last, then shuffled anew, and so on; each form takes so many in turn. So all questions of a stratum are asked
equally often, to one time. A form on which a deal ends and another begins takes first what isn't on it yet, so none has
a question twice.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


class SampleError(Exception):
    """The questions aren't enough for the sample; the text is one sentence."""


@dataclass(frozen=True)
class StratumPlan:
    """The draw of one stratum.

    Attributes:
        pool: the questions that are asked at all.
        counts: for each form how many of them it has.
    """

    pool: tuple[str, ...]
    counts: tuple[int, ...]


def plan(
    ids: Sequence[str], people: int, each: int | None, overlap: int | None, seed: str, name: str = ""
) -> StratumPlan:
    """Choose the questions of a stratum, and share them out.

    Args:
        ids: of its questions.
        people: how many forms there are.
        each: questions on a form; None for as many as the overlap needs.
        overlap: forms for each question; None for all of them where `each` is given, else for one.
        seed: of the draw.
        name: of the stratum, for the sentence.

    Raises:
        SampleError: there are fewer questions than are to be on a form.
    """
    order = sorted(ids)
    random.Random(f"{seed}:pool").shuffle(order)
    if each is None:
        total = len(order) * (overlap or 1)
        counts = tuple((k + 1) * total // people - k * total // people for k in range(people))
        return StratumPlan(tuple(order), counts)
    if len(order) < each:
        raise SampleError(
            f"{name or 'the benchmark'} has {len(order):,} questions, fewer than the {each:,} that each person is to "
            f"be asked; lower 'each', or leave it out with 'only'"
        )
    wanted = max(each, math.ceil(people * each / (overlap or people)))
    return StratumPlan(tuple(order[:wanted]), (each,) * people)


def deal(plan: StratumPlan, seed: str) -> list[list[str]]:
    """Deal the questions of a stratum to its forms: to each so many as the plan says, none twice on one form, and no
    question more than once oftener than another."""
    forms: list[list[str]] = []
    rest: list[str] = []
    lap = 0
    for count in plan.counts:
        form, rest = rest[:count], rest[count:]
        while len(form) < count:
            lap += 1
            fresh = list(plan.pool)
            random.Random(f"{seed}:{lap}").shuffle(fresh)
            fresh.sort(key=lambda one: one in form)  # stable: what isn't on this form yet comes first
            needed = count - len(form)
            form, rest = form + fresh[:needed], fresh[needed:]
        forms.append(form)
    return forms


def forms(
    strata: Mapping[str, Sequence[str]], people: int, each: int | None, overlap: int | None, seed: int
) -> list[list[str]]:
    """The forms of a study: for each the ids of its questions, stratum by stratum.

    Args:
        strata: name → ids of its questions; neither their order nor that of the strata has a part in the draw.
        people, each, overlap: as for `plan`.
        seed: of all draws.

    Raises:
        SampleError: as `plan`; the sentence names the stratum.
    """
    found: list[list[str]] = [[] for _ in range(people)]
    for name in sorted(strata):
        own = f"{seed}:{name}"
        for form, dealt in zip(found, deal(plan(strata[name], people, each, overlap, own, name), own), strict=True):
            form += dealt
    return found
