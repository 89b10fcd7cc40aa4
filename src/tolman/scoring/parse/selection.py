"""The learned selector: which of the values that a response names is its answer, where the rules leave a doubt.

The rules read first. Then the candidates are weighed by small trees (`weights.json`, made by `training/reader/train.py`
from labelled responses): a candidate that is likely enough is read where the rules read none; a reading that is likely
wrong is dropped, or another takes its place. Left to the rules are responses in a wrapper, those that name a single
value plainly, and those of which the rules know why they hold no answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from tolman.scoring.parse.candidates import NamedValue
from tolman.scoring.parse.commitments import (
    ALONE,
    DECLARED,
    IN_PASSING,
    NO_ANSWER,
    REFUSAL,
    SEVERAL,
    UNLIKELY,
    WRAPPED,
    Commitment,
)
from tolman.scoring.parse.features import ResponseSetting, features, is_settled, names

MAX_ENDING_CHARS = 4
"""Characters behind an announced answer that ends a response, at most."""
RULE = "selected"
"""The name of the rule that reads what the selector chooses."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The trees for one kind of items.

    Attributes:
        base: log odds of a candidate before any tree.
        trees: each a list of nodes: feature, threshold, places of the nodes for at most and more than that, value.
            A leaf has the feature -1.
        read: from this chance on a candidate is read where the rules read none.
        drop: below this chance a reading of the rules is dropped.
        switch: from this chance on another takes the place of a reading that is dropped.
    """

    base: float
    trees: tuple[tuple[tuple[int, float, int, int, float], ...], ...]
    read: float
    drop: float
    switch: float

    def chance(self, row: Sequence[float]) -> float:
        """Tell how likely a candidate is the answer.

        Args:
            row: its features.

        Returns:
            A probability.
        """
        score = self.base
        for tree in self.trees:
            feature, threshold, low, high, value = tree[0]
            while feature >= 0:
                feature, threshold, low, high, value = tree[low if row[feature] <= threshold else high]
            score += value
        return 1 / (1 + math.exp(-score))


@cache
def weights() -> dict[str, Weights]:
    """Read the trees, once.

    Returns:
        The weights by the kind of items.
    """
    path = resources.files("tolman.scoring.parse") / "weights.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    if tuple(data["features"]) != names():
        raise ValueError("weights.json: made for other features; run training/reader/train.py")
    return {
        kind: Weights(
            base=found["base"],
            trees=tuple(tuple(_node(n) for n in tree) for tree in found["trees"]),
            read=found["read"],
            drop=found["drop"],
            switch=found["switch"],
        )
        for kind, found in data["kinds"].items()
    }


def _node(stored: Sequence[float]) -> tuple[int, float, int, int, float]:
    """A node as it is walked: stored as its value alone where it is a leaf."""
    if len(stored) == 1:
        return -1, 0.0, -1, -1, stored[0]
    feature, threshold, low, high = stored
    return int(feature), threshold, int(low), int(high), 0.0


def is_open(setting: ResponseSetting, found: Sequence[NamedValue]) -> bool:
    """Tell whether there is anything to weigh.

    Args:
        setting: the response.
        found: its candidates.

    Returns:
        False where the rules read a wrapper or the only value that there is, or know why there is no answer: two that
        are announced, a bound, a letter that contradicts its text.
    """
    if is_plain(setting) or any(c.strength == WRAPPED for c in setting.commitments):
        return False
    if setting.note == SEVERAL:
        apart = bool(setting.choices) or len(setting.lines) > 1  # "2.5 m and 3.5 m" is all that is said
        return apart and setting.chosen is not None and setting.chosen.strength < ALONE
    if setting.note:
        return setting.note in (NO_ANSWER, REFUSAL, IN_PASSING)
    return not is_settled(found, setting.chosen)


def is_plain(setting: ResponseSetting) -> bool:
    """Tell whether a response ends in its only announcement, so that nothing needs to be collected.

    Args:
        setting: the response.

    Returns:
        True for "There are 2 sofas. Final answer: 4".
    """
    chosen = setting.chosen
    if chosen is None or setting.note or chosen.strength != DECLARED or chosen.rule != "declared":
        return False
    if any(c.strength >= ALONE and c.value != chosen.value for c in setting.commitments):
        return False
    return len(setting.text.rstrip()) - chosen.end <= MAX_ENDING_CHARS


def select(kind: str, setting: ResponseSetting, found: Sequence[NamedValue]) -> Commitment | None:
    """Choose among the candidates of a response.

    Args:
        kind: of the item.
        setting: the response, with what the rules read.
        found: its candidates.

    Returns:
        A commitment to the one that is selected; one without value where the reading of the rules is dropped; None
        where what the rules say stands.
    """
    if not found or not is_open(setting, found):
        return None
    own = weights()[kind]
    chances = [own.chance(row) for row in features(found, setting)]
    return decided(own, chances, setting, found)


def decided(
    own: Weights, chances: Sequence[float], setting: ResponseSetting, found: Sequence[NamedValue]
) -> Commitment | None:
    """Choose among candidates whose chances are known.

    Args:
        own: for the thresholds.
        chances: of the candidates.
        setting: the response, with what the rules read.
        found: its candidates.

    Returns:
        As `select`.
    """
    best = max(range(len(found)), key=lambda i: chances[i])
    start, end = found[best].span
    chosen = setting.chosen
    if setting.note or chosen is None:
        if chances[best] < own.read or setting.broken:
            return None
        return Commitment(found[best].value, chosen.strength if chosen else 0, start, end, RULE)
    at = next((i for i, c in enumerate(found) if c.value == chosen.value), None)
    if at is None or chances[at] >= own.drop:
        return None
    if best != at and chances[best] >= own.switch:
        return Commitment(found[best].value, chosen.strength, start, end, RULE)
    return Commitment(None, chosen.strength, chosen.start, chosen.end, RULE, UNLIKELY)
