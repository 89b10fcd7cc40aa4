"""Rows of a benchmark's released files as Items, as its data file says.

Rows that count as one question form a group: the groups of a subset, which items bear, and those of a scorer.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tolman.benchmarks.declaring.data_file import Declaration, DeclaredSubset, Groups
from tolman.benchmarks.declaring.row_values import (
    in_order_of_marks,
    is_one_of_equals,
    media_of,
    options_of,
    region_of,
    right_letter,
    split_inline,
    text_or_json,
    with_plain_marks,
)
from tolman.benchmarks.fields import Field, Unmappable, plain
from tolman.benchmarks.rows import Row, check_unique, checked_rows, find_files, make_item, matching, whole
from tolman.errors import IncompleteGroupWarning, InputError, unknown
from tolman.items import BY_WORDS, LETTERS, Item, Media, kind_named
from tolman.kinds import names as kind_names
from tolman.scoring.answer_values import listed, written_list


def load_items(declared: Declaration, folder: Path, subset: str) -> list[Item]:
    """Load the questions of a subset, in the released order.

    Args:
        declared: the benchmark.
        folder: with the released files; or one of them.
        subset: one of the benchmark's.

    Raises:
        InputError: a row that is not the benchmark's; naming it, the mistake and the fix.
    """
    chosen = declared.subsets[subset]
    root = folder if folder.is_dir() else folder.parent
    items: list[Item] = []
    read = 0
    second = _second(declared, root)
    for path in _files(declared, chosen, folder):
        for place, (number, row) in enumerate(checked_rows(path, declared.records)):
            row |= {"_file": path.relative_to(root).as_posix(), "_stem": path.stem, "_folder": path.parent.name,
                    "_row": number, "_place": read, "_subset": subset}  # fmt: skip
            read += 1
            if declared.second is not None:
                row["_second"] = _of_second(declared.second.on, second, path, number, row)
            if all(plain(Field(column=name, optional=True).of(row)) in kept for name, kept in chosen.keep.items()):
                items.append(_item(declared, chosen, root, path, number, row, place))
    check_unique(folder, items)
    if not items:
        raise InputError(folder, f"holds no question of the subset '{subset}' of {declared.title}")
    check_groups(folder, declared, subset, items)
    return items


def _files(declared: Declaration, subset: DeclaredSubset, folder: Path) -> list[Path]:
    patterns, what = subset.files or declared.files, f"{declared.title} questions"
    if folder.is_file() and subset.files:
        _check_is_own(declared, subset, folder)
    if not declared.join_files or not folder.is_dir():
        return find_files(folder, patterns, what, without=declared.without)
    for pattern in patterns:
        if found := matching(folder, pattern, declared.without):
            return whole(found)
    raise InputError(folder, f"holds no {what}", fix=f"put one of {', '.join(patterns)} there")


def _check_is_own(declared: Declaration, subset: DeclaredSubset, path: Path) -> None:
    """Refuse a file that is named as those of another subset are, and not as this one's."""
    if any(path.match(pattern) for pattern in subset.files):
        return
    for name, other in declared.subsets.items():
        if any(path.match(pattern) for pattern in other.files):
            fix = f"ask for --subset {name}, or give the folder of all subsets with --data"
            raise InputError(path, f"holds the questions of the subset '{name}' of {declared.title}", fix=fix)


def _second(declared: Declaration, root: Path) -> dict[str, Row]:
    """Return the rows of the second file by the key that they share with questions."""
    if declared.second is None:
        return {}
    found: dict[str, Row] = {}
    where = Field(column=declared.second.on)
    for path in find_files(root, declared.second.files, f"second file of {declared.title}"):
        for number, row in checked_rows(path, declared.second.records):
            try:
                key = where.text(row) or ""
            except Unmappable as error:
                raise InputError(path, str(error), row=number) from None
            if key in found:
                fix = "keep the one that is right"
                raise InputError(path, f"the {declared.second.on} {key!r} occurs twice", row=number, fix=fix)
            found[key] = row
    return found


def _of_second(on: str, second: dict[str, Row], path: Path, number: int, row: Row) -> Row:
    key = plain(row.get(on))
    if key not in second:
        fix = "give the two files of one release"
        raise InputError(path, f"the second file has no row with the {on} {key!r}", row=number, fix=fix)
    return second[key]


def _item(
    declared: Declaration, subset: DeclaredSubset, root: Path, path: Path, number: int, row: Row, place: int
) -> Item:
    try:
        fields = _fields(declared, subset, root, row, place)
    except Unmappable as error:
        fix = "check that the file is the benchmark's, and name its columns as they are"
        raise InputError(path, str(error), row=number, fix=fix) from None
    return make_item(path, number, **fields)


def _fields(declared: Declaration, subset: DeclaredSubset, root: Path, row: Row, place: int) -> dict[str, Any]:
    columns = declared.columns
    question = _text(columns.question, row) or ""
    released = _text(columns.released, row)
    task = (_text(columns.task, row) if columns.task else str(row["_stem"])) or ""
    options: tuple[str, ...] = ()
    named = _named_kind(declared, row, task)
    if declared.options is not None and declared.options.form == "inline" and _has_letters(named):
        stem, options = _inline(declared, question)
        released = released or (question if options else None)
        question = stem
    elif declared.options is not None and declared.options.form != "inline":
        options = options_of(declared.options, row)
    media, marks = _media(declared, row, place, question)
    question = with_plain_marks(question, marks)
    released = with_plain_marks(released, marks) if released is not None else None
    default = "choice" if options else "number"
    kind = named or str(_of_task(declared.answer.kinds, task, default) or default)
    if kind == "points" and declared.answer.region is not None:
        answer = region_of(declared.answer.region, columns.answer, row, root, row["_file"], place, media)
    else:
        answer = _answer(declared, kind, columns.answer.of(row), options)
    scene = _text(columns.scene, row) if columns.scene else media[0].path if media and not media[0].part else None
    by_words = kind_named(kind).has_letters and declared.answer.form == "text" and is_one_of_equals(answer, options)
    labels = {name: text for name, where in declared.labels.items() if (text := _label(where, row)) is not None}
    return {
        "id": (_text(columns.id, row) or "") if columns.id else str(row["_place"]),
        "question": question.strip(),
        "verbatim": released,
        "kind": kind,
        "answer": answer,
        "options": options,
        "unit": _of_task(declared.answer.units, task, kind),
        "task": task,
        "labels": labels,
        "scene": scene,
        "media": media,
        "reasoning": _text(columns.reasoning, row),
        "all_of": _text(subset.groups.key, row) if subset.groups else None,
        "evidence": {BY_WORDS: True} if by_words else {},
    }


def _named_kind(declared: Declaration, row: Row, task: str) -> str | None:
    """The item kind that the row says, else the one of its question type; None where none is named.

    Raises:
        Unmappable: the row says one that there is not.
    """
    said = _text(declared.answer.kind, row)
    if said is None:
        found = _of_task(declared.answer.kinds, task, "*")
        return None if found is None else str(found)
    if said not in kind_names():
        raise Unmappable(f"there is no item kind {said[:40]!r}; known: {', '.join(kind_names())}")
    return said


def _has_letters(kind: str | None) -> bool:
    """Check whether questions may have options: all but those whose kind is named and has none."""
    return kind is None or bool(kind_named(kind).has_letters)


def _media(declared: Declaration, row: Row, place: int, text: str) -> tuple[tuple[Media, ...], list[str]]:
    """Media in the order of their marks, and the marks."""
    tables = [table for table in (declared.media, declared.images) if table is not None]
    found = [(table.mark, media_of(table, row, row["_file"], place)) for table in tables]
    return in_order_of_marks(text, found), [table.mark for table in tables]


def _inline(declared: Declaration, question: str) -> tuple[str, tuple[str, ...]]:
    try:
        return split_inline(question)
    except Unmappable:
        if declared.options is not None and declared.options.optional:
            return question, ()
        raise


def _answer(declared: Declaration, name: str, answer: Any, options: tuple[str, ...]) -> str:
    """
    Raises:
        Unmappable: the answer is none of the kind.
    """
    kind = kind_named(name)
    if kind.has_letters:
        return right_letter(declared.answer.form, answer, options)
    try:
        found = str(kind.released_answer(text_or_json(answer)))
    except ValueError as error:
        raise Unmappable(str(error)) from None
    things = listed(found) if options else None
    if not things or not set(things) <= set(LETTERS[: len(options)]) - set(options):
        return found
    return written_list([options[LETTERS.index(one)] for one in things])  # an order, or a set, of letters


def _of_task(table: Any, task: str, kind: str) -> Any:
    return table.get(task, table.get(kind, table.get("*")))


def _text(where: Field | None, row: Row) -> str | None:
    """A value as a text; a list or mapping as JSON."""
    if where is None:
        return None
    found = where.of(row)
    if isinstance(found, list | dict):
        return json.dumps(found, ensure_ascii=False)
    return None if found is None else plain(found)


def _label(where: Field, row: Row) -> str | None:
    """A value as a text; the parts of a list with commas between them."""
    found = where.of(row)
    return ", ".join(map(plain, found)) if isinstance(found, list) else None if found is None else plain(found)


OF_ITEM = ("id", "task", "scene")
"""What the key of a scorer's groups may name besides labels."""


def group_of(groups: Groups) -> Callable[[Item], str | None]:
    """Return a function, item → the name of its group under a scorer, for `RuleSet.group`; None for an item by itself.

    The function raises Unmappable for an item that the key doesn't fit, which `check_groups` reports on loading.
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
    """Report groups that lack rows: they are scored on those that are there, which is easier.

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
