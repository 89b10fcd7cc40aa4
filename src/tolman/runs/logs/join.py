"""Joining the rows of a log with the items of a benchmark, by ids, prompts or order.

In this order, the first that fits every row: the benchmark's own ids; question ids, which must not contradict the
question where the row has it; the prompt with the media, the scene and the true answer, and among equal ones the
position; the position in the released order, where the true answer agrees on every row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tolman.errors import InputError, counted
from tolman.items import LETTERS, Item
from tolman.runs.logs.log import Log, LogRow

ANCHOR = 16
"""Characters of a question, white space left out, by which prompts that may hold it are found."""
_LETTERED = re.compile(r"\s*\(?([A-Z])(?:[).:\s]|$)")
_MARKS = re.compile(r"<image>|<video>|\s+")
_OPTION = re.compile(r"\s*\(?[A-Z][).:]\s*")


@dataclass(frozen=True)
class JoinedLog:
    """Rows with their items.

    Attributes:
        pairs: every row of the log, in its order, with its item.
        by: the key of the join: 'id', 'question id', 'prompt' or 'order'.
    """

    pairs: tuple[tuple[LogRow, Item], ...]
    by: str


def join(log: Log, items: Sequence[Item]) -> JoinedLog:
    """Join each row of a log with its item.

    Args:
        log: with rows.
        items: the benchmark's, in released order.

    Raises:
        InputError: naming the first row that has no item, or could have several, and the keys tried.
    """
    ways: tuple[tuple[str, Callable[[Log, Sequence[Item]], list[Item]]], ...] = (
        ("id", _by_id),
        ("question id", _by_question_id),
        ("prompt", _by_prompt),
        ("order", _by_order),
    )
    problems: list[_RefusalError] = []
    for by, way in ways:
        try:
            found = way(log, items)
        except _RefusalError as refusal:
            problems.append(refusal)
        else:
            pairs = tuple(zip(log.rows, found, strict=True))
            _check_options(log, pairs)
            return JoinedLog(pairs, by)
    told = max(problems, key=lambda problem: problem.weight)
    raise NotJoinedError(log.path, told.what, row=told.place, field=told.field, fix=told.fix)


def _check_options(log: Log, pairs: Sequence[tuple[LogRow, Item]]) -> None:
    """Check that a letter means the same option in a row as in its item.

    Raises:
        InputError: a row's options are others, or in another order.
    """
    for row, item in pairs:
        if row.options and item.options:
            theirs, own = ([_plain(_OPTION.sub("", text, count=1)) for text in texts]
                           for texts in (row.options, item.options))  # fmt: skip
            if theirs != own:
                other = "are in another order than" if sorted(theirs) == sorted(own) else "aren't"
                raise InputError(
                    log.path, f"its options ({', '.join(row.options)[:80]}) {other} those of item {item.id!r} "
                    f"({', '.join(item.options)[:80]})", row=row.place, field="options",
                    fix="score it with the data that it was made on, or leave the row out",
                )  # fmt: skip


class NotJoinedError(InputError):
    """A log has no rows of the benchmark."""


class _RefusalError(Exception):
    """Why a way of joining doesn't fit a log; the reason with the greatest weight is reported."""

    def __init__(self, weight: int, row: LogRow, field: str, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.weight, self.place, self.field, self.what = weight, row.place, field, what
        self.fix = fix or "check the benchmark and the subset"


def _by_id(log: Log, items: Sequence[Item]) -> list[Item]:
    def other(row: LogRow, item: Item) -> bool:  # a text alone may have been rewritten for this program
        return row.prompt is not None and not _asks(row.prompt, item) and not target_agrees(row, item)

    return _named(log, items, "id", lambda row: row.id, other, 4)


def _by_question_id(log: Log, items: Sequence[Item]) -> list[Item]:
    def other(row: LogRow, item: Item) -> bool:
        return not (target_agrees(row, item) if row.prompt is None else _asks(row.prompt, item))

    return _named(log, items, "question_id", lambda row: row.question_id, other, 3)


def _named(
    log: Log,
    items: Sequence[Item],
    field: str,
    name: Callable[[LogRow], str | None],
    other: Callable[[LogRow, Item], bool],
    weight: int,
) -> list[Item]:
    known = {item.id: item for item in items}
    last_parts: dict[str, list[Item]] = {}
    for item in items:  # such as 'real_mc/validation_1', which logs call by its last part
        last_parts.setdefault(item.id.rpartition("/")[2], []).append(item)
    found = []
    for row in log.rows:
        own = name(row)
        if own is None:
            raise _RefusalError(0, row, field, "is missing", "write the log with the benchmark's own ids")
        candidates = [known[own]] if own in known else last_parts.get(own, [])
        if not candidates:
            raise _RefusalError(weight, row, field, f"the benchmark has no item {own!r}")
        fitting = [item for item in candidates if not other(row, item)]
        if row.prompt is not None and len(fitting) > 1:
            fitting = [item for item in fitting if _asks(row.prompt, item)] or fitting
        if len(fitting) > 1:
            ids = " and ".join(repr(item.id) for item in fitting[:2])
            raise _RefusalError(weight + 2, row, field, f"{own!r} may be {ids}", "write whole ids, or name the subset")
        if not fitting:
            raise _RefusalError(
                weight + 1, row, "question", f"its question isn't that of item {own!r}",
                "the file numbers its rows otherwise; give it the benchmark's own ids",
            )  # fmt: skip
        found.append(fitting[0])
    return found


def _by_prompt(log: Log, items: Sequence[Item]) -> list[Item]:
    index = _anchors(items)
    places = {id(item): place for place, item in enumerate(items)}
    found: list[Item] = []
    for row in log.rows:
        if row.prompt is None:
            raise _RefusalError(0, row, "input", "is missing", "log the prompts too")
        candidates = _asked(row.prompt, index)
        if not candidates:
            raise _RefusalError(2, row, "input", "its question is none of the benchmark's")
        for fits in (_same_media, _same_scene, target_agrees):
            candidates = [item for item in candidates if fits(row, item)] or candidates
        if not any(target_agrees(row, item) for item in candidates):
            raise _RefusalError(
                6, row, "target", f"its answer {row.target!r} isn't the benchmark's {candidates[0].answer!r}",
                "the log was written with other data: score it with the revision that it used",
            )  # fmt: skip
        if len(candidates) > 1:
            candidates = [item for item in candidates if places[id(item)] == row.order]
        if not candidates:
            raise _RefusalError(
                6, row, "input", "its question and answer are those of several items",
                "give rows the benchmark's ids, or the whole log with the subset that it is of",
            )  # fmt: skip
        found.append(candidates[0])
    return found


def _by_order(log: Log, items: Sequence[Item]) -> list[Item]:
    found = []
    for row in log.rows:
        if row.order is None or row.target is None:
            raise _RefusalError(
                1, row, "id", "holds no question id, no prompt, and no row number with the true answer next to it",
                "write the log with the benchmark's own ids",
            )  # fmt: skip
        if row.order >= len(items):
            raise _RefusalError(
                5,
                row,
                "order",
                f"is row {row.order} of the split, counted from 0; the benchmark has {counted(len(items), 'item')}",
            )
        item = items[row.order]
        if not target_agrees(row, item):
            raise _RefusalError(
                5, row, "target", f"its answer {row.target!r} isn't {item.answer!r}, that of the item in its place",
                "the rows are in another order: give them the benchmark's own ids",
            )  # fmt: skip
        if row.prompt is not None and not _asks(row.prompt, item) and _plain(item.question):
            raise _RefusalError(5, row, "input", f"its question isn't that of item {item.id!r}, which is in its place")
        found.append(item)
    return found


def target_agrees(row: LogRow, item: Item) -> bool:
    """Check whether the true answer of a row is the item's, as far as the row names one.

    'A', '(A)', 'A. left' and the text of the option are one, as 2.90 and 2.9 are.
    """
    told = row.target
    if told is None or told.strip() == item.answer:
        return True
    if item.kind == "number":
        try:
            return Fraction(told.strip()) == item.exact_answer
        except (ValueError, ZeroDivisionError):
            return False
    if not item.options:
        return _plain(told) == _plain(item.answer)
    if told.strip().isdigit() and item.answer in LETTERS:  # the option's position, as EmbSpatial-Bench has it
        return int(told) == LETTERS.index(item.answer) or _plain(told) == _plain(item.answer_text)
    letter = _LETTERED.match(told)
    if letter and letter[1] == item.answer:
        return True
    return _plain(told) == _plain(item.answer_text)


def _asks(prompt: str, item: Item) -> bool:
    """Check whether a prompt holds an item's question, or the released question holds all of the prompt."""
    text = _plain(prompt)
    return _plain(item.question) in text or text in _plain(item.verbatim or item.question)


def _anchors(items: Iterable[Item]) -> Mapping[int, Mapping[str, list[tuple[str, tuple[str, ...], Item]]]]:
    """Length of an anchor → anchor → the questions that begin with it, squeezed, with their options."""
    index: dict[int, dict[str, list[tuple[str, tuple[str, ...], Item]]]] = {}
    for item in items:
        question = _plain(item.question)
        if question:
            anchor = question[:ANCHOR]
            entry = question, tuple(_plain(_OPTION.sub("", option, count=1)) for option in item.options), item
            index.setdefault(len(anchor), {}).setdefault(anchor, []).append(entry)
    return index


def _asked(prompt: str, index: Mapping[int, Mapping[str, list[tuple[str, tuple[str, ...], Item]]]]) -> list[Item]:
    """Return the items whose question, followed by its options in their order, is in a prompt; of questions that hold
    each other the longest."""
    text = _plain(prompt)
    found: list[tuple[int, Item]] = []
    for length, entries in index.items():
        anchors = {text[start : start + length] for start in range(len(text) - length + 1)}
        for anchor in anchors.intersection(entries):
            for question, options, item in entries[anchor]:
                start = text.find(question)
                if start >= 0 and _in_order(text, start + len(question), options):
                    found.append((len(question) + sum(map(len, options)), item))
    longest = max((size for size, _ in found), default=0)
    return [item for size, item in found if size == longest]


def _in_order(text: str, start: int, options: Sequence[str]) -> bool:
    for option in options:
        start = text.find(option, start)
        if start < 0:
            return False
        start += len(option)
    return True


def _same_media(row: LogRow, item: Item) -> bool:
    if not row.media:
        return True
    own = [medium.path for medium in item.media]
    return len(own) > 0 and all(_ends_alike(shown, path) for shown, path in zip(row.media, own, strict=False))


def _ends_alike(one: str, other: str) -> bool:
    """Check whether one path is the other, or its end."""
    a, b = one.replace("\\", "/").lstrip("./"), other.replace("\\", "/").lstrip("./")
    return a == b or a.endswith(f"/{b}") or b.endswith(f"/{a}")


def _same_scene(row: LogRow, item: Item) -> bool:
    if row.scene is None or item.scene is None:
        return True
    return _ends_alike(re.sub(r"\.\w{2,4}$", "", row.scene), re.sub(r"\.\w{2,4}$", "", item.scene))


def _plain(text: str) -> str:
    """A text without white space and marks of media, in lower case."""
    return _MARKS.sub("", text).lower()
