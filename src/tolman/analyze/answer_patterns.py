"""Answers as they were read: numbers against the true ones, letters by position, options mistaken for each other."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tolman.items import LETTERS, Item
from tolman.scoring.intervals import Share, share

CHOICE, NUMBER = "choice", "number"
"""The kinds of items that these are about."""

CIRCLE = (
    "front", "forward", "front-right", "right", "back-right", "back", "behind", "backward", "back-left", "left",
    "front-left", "north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest", "up", "down",
)  # fmt: skip
"""Directions in the order in which they stand beside each other: clockwise, then by compass."""

UNREAD = "unread"
"""The column of answers in which no option could be read."""

MOST_OPTIONS = 12
"""Distinct options of a question type from which they are texts of its questions rather than classes."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted number and the true one.

    Attributes:
        id, task, cluster: of the item.
        true, read: in the item's unit.
    """

    id: str
    task: str
    cluster: str
    true: float
    read: float


@dataclass(frozen=True, slots=True)
class Position:
    """How often models choose an option by its position.

    Attributes:
        letter: of the option.
        true: per cent of the questions whose answer it is.
        picked: per cent of the readable answers that name it.
        score: mean score, 0–100, where it is the answer; None where it never is.
    """

    letter: str
    true: float
    picked: Share
    score: Share | None


def predictions(items: Mapping[str, Item], rows: pl.DataFrame) -> tuple[list[Prediction], int]:
    """Return the predicted numbers with the true ones.

    Args:
        items: by id.
        rows: of `scoring.score_items.score` for one rule set, scored ones.

    Returns:
        A prediction for each readable answer to a question about a number, and how many of them were not readable.
    """
    found, unread = [], 0
    for row in rows.select("id", "task", "cluster", "reading").iter_rows(named=True):
        item = items[row["id"]]
        if item.kind != NUMBER:
            continue
        read, true = _number(row["reading"]), _number(item.answer)
        if read is None or true is None:
            unread += 1
        else:
            found.append(Prediction(row["id"], row["task"], row["cluster"], true, read))
    return found, unread


def positions(items: Mapping[str, Item], rows: pl.DataFrame) -> tuple[list[Position], int]:
    """Count how often each option is chosen, with the mean score where it is the answer.

    Args:
        items: by id.
        rows: as for `predictions`.

    Returns:
        One for each letter that an item has, and how many answers name none.
    """
    chosen = [row for row in rows.iter_rows(named=True) if items[row["id"]].kind == CHOICE]
    if not chosen:
        return [], 0
    most = max(len(items[row["id"]].options) for row in chosen)
    read = [row for row in chosen if _letter(row["reading"], items[row["id"]])]
    clusters, scenes = _clusters(read), _clusters(chosen)
    names, every = [row["id"] for row in read], [row["id"] for row in chosen]
    found = []
    for letter in LETTERS[:most]:
        true = np.array([items[row["id"]].answer == letter for row in chosen], dtype=np.float64)
        picks = np.array([row["reading"] == letter for row in read], dtype=np.float64)
        offered = np.array([LETTERS.index(letter) < len(items[row["id"]].options) for row in read], dtype=np.float64)
        picked = share(picks, np.ones_like(offered), clusters, names) if len(read) else None
        scored = share(true * np.array([row["score"] for row in chosen]), true, scenes, every)
        if picked is not None and (offered.any() or true.any()):
            found.append(Position(letter, 100 * float(true.mean()), picked, scored))
    return found, len(chosen) - len(read)


def classes(items: Sequence[Item]) -> list[str]:
    """Question types whose options are a few classes, such as directions, that recur from question to question."""
    texts: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    for item in items:
        if item.kind == CHOICE and item.options:
            texts.setdefault(item.task, set()).update(map(normal, item.options))
            counts[item.task] += 1
    return [task for task, own in texts.items() if len(own) <= min(MOST_OPTIONS, counts[task])]


def confusion(items: Mapping[str, Item], rows: pl.DataFrame) -> dict[tuple[str, str], Share]:
    """Which option is given for which: the texts of options, not their letters.

    Args:
        items: by id.
        rows: as for `predictions`, of question types whose options are classes.

    Returns:
        (true option, given option or `UNREAD`) → per cent of the answers to questions with that true option; true
        options in the order of `in_order`.
    """
    pairs = []
    for row in rows.iter_rows(named=True):
        item = items[row["id"]]
        if item.kind == CHOICE and item.answer in LETTERS[: len(item.options)]:
            letter = _letter(row["reading"], item)
            given = normal(item.options[LETTERS.index(letter)]) if letter else UNREAD
            pairs.append((normal(item.options[LETTERS.index(item.answer)]), given, row["cluster"], item.id))
    clusters = _clusters([{"cluster": cluster} for _, _, cluster, _ in pairs])
    ids = [identity for *_, identity in pairs]
    names = in_order({true for true, *_ in pairs} | {given for _, given, *_ in pairs})
    found = {}
    for true in names:
        inside = np.array([one == true for one, *_ in pairs], dtype=np.float64)
        for given in names:
            both = np.array([one == true and other == given for one, other, *_ in pairs], dtype=np.float64)
            cell = share(both, inside, clusters, ids)
            if cell is not None:
                found[true, given] = cell
    return found


def in_order(names: Sequence[str] | set[str]) -> list[str]:
    """Sort options: directions with adjacent ones next to each other, then others by the alphabet; unread last."""
    places = {name: i for i, name in enumerate(CIRCLE)}
    return sorted(names, key=lambda name: (name == UNREAD, places.get(name, len(places)), name))


def normal(text: str) -> str:
    """An option's text without case, quotes, a full stop and spaces around."""
    said = re.sub(r"\s+", " ", text.strip(" \t\n'\".")).casefold()
    return re.sub(r"^(front|back)[ -]?(left|right)$", r"\1-\2", said)


def _letter(reading: str | None, item: Item) -> str | None:
    return reading if reading and len(reading) == 1 and reading in LETTERS[: len(item.options)] else None


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _clusters(rows: Sequence[Mapping[str, object]]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.unique([str(row["cluster"]) for row in rows], return_inverse=True)[1].astype(np.intp)
