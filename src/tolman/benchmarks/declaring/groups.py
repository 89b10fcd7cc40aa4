"""Rows that count as one question: the groups of a subset, which items bear, and those of a scorer."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from tolman.benchmarks.declaring.schema import Declaration, Groups
from tolman.benchmarks.fields import Unmappable
from tolman.errors import IncompleteGroupWarning, InputError
from tolman.items import Item
from tolman.names import unknown

OF_ITEM = ("id", "task", "scene")
"""What the key of a scorer's groups may name besides labels."""


def group_of(groups: Groups) -> Callable[[Item], str | None]:
    """An item → the name of its group under a scorer, for `RuleSet.group`; None for an item by itself.

    The function raises Unmappable for an item that the key doesn't fit, which `check_groups` tells of on loading.
    """

    def group(item: Item) -> str | None:
        return groups.key.text({"id": item.id, "task": item.task, "scene": item.scene, **item.labels})

    return group


def check_keys(declared: Declaration) -> None:
    """
    Raises:
        UsageError: the key of a scorer's groups names no label.
    """
    known = [*OF_ITEM, *declared.labels]
    for scorer in declared.scorers.values():
        for name in sorted(scorer.groups.key.wanted) if scorer.groups is not None else ():
            if name not in known:
                raise unknown("label", name, known)


def check_groups(folder: Path, declared: Declaration, subset: str, items: Sequence[Item]) -> None:
    """Tell of groups that lack rows: they are scored on those that are there, which is easier.

    Raises:
        InputError: an item doesn't fit the key of a scorer's groups.
    """
    of_subset = declared.subsets[subset].groups
    whose: dict[tuple[int, bool, tuple[str | None, ...]], list[str]] = {}

    def add(groups: Groups, names: Sequence[str | None], user: str) -> None:
        if groups.rows is not None:
            whose.setdefault((groups.rows, groups.per_option, tuple(names)), []).append(user)

    if of_subset is not None:
        add(of_subset, [item.all_of for item in items], f"the subset {subset}")
    for name, scorer in declared.scorers.items():
        if scorer.groups is not None:
            add(scorer.groups, _named(folder, scorer.groups, items, name), f"the scorer {name}")
    told = [
        f"{short} under {', '.join(users)}"
        for (rows, per_option, names), users in whose.items()
        if (short := _short(rows, per_option, names, items))
    ]
    if told:
        warnings.warn(
            f"{folder}: groups that count as one question have fewer or more rows than a whole group: "
            f"{'; '.join(told)}. Each is right if all rows that are there are.",
            IncompleteGroupWarning,
            stacklevel=3,
        )


def _named(folder: Path, groups: Groups, items: Sequence[Item], scorer: str) -> list[str | None]:
    group, found = group_of(groups), []
    for item in items:
        try:
            found.append(group(item))
        except Unmappable as error:
            raise InputError(
                folder, f"{error}, which the scorer '{scorer}' groups by", row=item.id,
                fix="mend the row, or the scorer's groups",
            ) from None  # fmt: skip
    return found


def _short(rows: int, per_option: bool, names: Sequence[str | None], items: Sequence[Item]) -> str:
    """How many groups lack rows, and the first of them; empty where none does."""
    found = Counter(name for name in names if name is not None)
    options = {name: len(item.options) for name, item in zip(names, items, strict=True)}
    short = [name for name, count in found.items() if count != rows * (options[name] if per_option else 1)]
    return f"{len(short):,} of {len(found):,} ('{short[0]}' has {found[short[0]]})" if short else ""
