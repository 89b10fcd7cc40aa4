"""Grounded accuracy: the share of items whose right answer rests on the frames that carry it.

The protocol `grounded` asks each item in several conditions: all frames, the frames that carry the answer alone, and
others in their place. An item that has a counterfactual twin in the run has that one's answer as well. An item is
grounded if the answer is right with the evidence, "can't tell" without it, and another one on the twin. All other items
are losses of one type each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tolman.items import CANT_TELL, Item
from tolman.protocols.captions_and_examples import EVIDENCE, WITHOUT
from tolman.scoring.answer_values import normalised
from tolman.scoring.intervals import Share, share
from tolman.scoring.item_kind import kind_of
from tolman.scoring.parse.commitments import REFUSAL
from tolman.scoring.rule_sets import RuleSet

ALL, TWIN = "all frames", "twin"
CONDITIONS = (ALL, EVIDENCE, WITHOUT, TWIN)
Loss = Literal["didn't look", "prior knowledge", "misjudged", "unread"]
LOSSES: tuple[Loss, ...] = ("didn't look", "prior knowledge", "misjudged", "unread")


@dataclass(frozen=True)
class GroundingVerdict:
    """One item, asked once in each of its conditions.

    Attributes:
        id, task, cluster: of the item.
        met: condition that it was asked in → whether its answer is as a grounded one.
        loss: why the item isn't grounded; None where it is.
    """

    id: str
    task: str
    cluster: str
    met: Mapping[str, bool]
    loss: Loss | None


@dataclass(frozen=True)
class TaskGrounding:
    """Figures of some items, in per cent of them.

    Attributes:
        items: how many there are.
        conditions: condition → of the items that have it, the share with an answer as a grounded one; None where no
            item has it. For all frames it is the plain accuracy.
        grounded: grounded accuracy: all conditions that an item has are met.
        losses: type → its share; together with `grounded` they are 100.
    """

    items: int
    conditions: dict[str, Share | None]
    grounded: Share
    losses: dict[str, Share]


@dataclass(frozen=True)
class RunGrounding:
    """Figures of one run.

    Attributes:
        tasks: question type → its figures.
        together: those of all items.
        untested: items that have neither other frames nor a twin, and are in no figure.
        unanswered: askings without an answer in one of their conditions, which are in no figure either.
        ungrounded: type of loss → ids of its items.
    """

    tasks: dict[str, TaskGrounding]
    together: TaskGrounding
    untested: int
    unanswered: int
    ungrounded: dict[str, list[str]]


@dataclass(frozen=True)
class GroundingResult:
    """Figures of several runs.

    Attributes:
        runs: by name.
        scorer: whose scores say whether an answer is right.
        right_from: the score from which it is.
    """

    runs: dict[str, RunGrounding]
    scorer: str
    right_from: float


def judge(
    item: Item, answers: Mapping[str, str], rules: RuleSet, *, right_from: float = 0.5, draw: int = 0
) -> GroundingVerdict:
    """Judge the answers to one item. Two of them are the same if the careful reader reads the same answer.

    Args:
        item: as it was asked.
        answers: condition → response; that to all frames is among them.
        rules: that score.
        right_from: the score from which an answer is right, 0 to 1.
        draw: for released parsers that draw at random.
    """
    said = {condition: _said(item, text) for condition, text in answers.items()}
    same = {condition: _is_same(item, said[ALL], other) for condition, other in said.items() if condition != ALL}
    met = {
        condition: rules.score(item, rules.read(item, answers[condition], draw)) >= right_from
        for condition in (ALL, EVIDENCE)
        if condition in answers
    }
    if WITHOUT in said:
        met[WITHOUT] = said[WITHOUT] == CANT_TELL
    if TWIN in said:
        met[TWIN] = said[TWIN] is not None and not same[TWIN]
    loss: Loss | None = "misjudged"
    if None in said.values():
        loss = "unread"
    elif all(met.values()):
        loss = None
    elif all(same.values()):
        loss = "didn't look"
    elif same.get(WITHOUT) and not met[WITHOUT]:
        loss = "prior knowledge"
    return GroundingVerdict(item.id, rules.task(item), item.cluster, met, loss)


def _said(item: Item, text: str) -> str | None:
    """An answer as it is compared; None where none can be read."""
    reading = kind_of(item).read(item, text)
    said = normalised(text if reading.value is None else str(reading.value))
    if reading.note == REFUSAL or said.removeprefix("i ") == normalised(CANT_TELL):
        return CANT_TELL
    if reading.value is None:
        return None
    is_letter = item.options[-1:] == (CANT_TELL,) and reading.value == item.letters[-1]
    return CANT_TELL if is_letter else str(reading.value)


def _is_same(item: Item, first: str | None, second: str | None) -> bool:
    if first is None or second is None or CANT_TELL in (first, second):
        return first == second
    return kind_of(item).agree(item, first, second)


def summarise(verdicts: Sequence[GroundingVerdict], *, untested: int = 0, unanswered: int = 0) -> RunGrounding:
    """Compute the figures of a run, with 95 % intervals clustered by scene.

    Args:
        verdicts: one or more; several of one item are repeats of it.
        untested, unanswered: counts of the others.
    """
    tasks: dict[str, list[GroundingVerdict]] = {}
    for one in verdicts:
        tasks.setdefault(one.task, []).append(one)
    ids: dict[str, list[str]] = {loss: sorted({one.id for one in verdicts if one.loss == loss}) for loss in LOSSES}
    found = {task: _figures(own) for task, own in sorted(tasks.items())}
    return RunGrounding(found, _figures(verdicts), untested, unanswered, ids)


def _figures(verdicts: Sequence[GroundingVerdict]) -> TaskGrounding:
    ids = [one.id for one in verdicts]
    clusters = np.unique([one.cluster for one in verdicts], return_inverse=True)[1]

    def of(which: Sequence[bool | None]) -> Share | None:
        parts, wholes = np.array([[bool(one), one is not None] for one in which], dtype=np.float64).T
        return share(parts, wholes, clusters, ids)

    def of_all(which: Sequence[bool]) -> Share:
        found = of(which)
        assert found is not None  # there is an item
        return found

    return TaskGrounding(
        items=len(set(ids)),
        conditions={name: of([one.met.get(name) for one in verdicts]) for name in CONDITIONS},
        grounded=of_all([one.loss is None for one in verdicts]),
        losses={loss: of_all([one.loss == loss for one in verdicts]) for loss in LOSSES},
    )
