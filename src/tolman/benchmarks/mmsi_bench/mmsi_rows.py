"""MMSI-Bench's released rows as Items.

Source: the data set RunsenXu/MMSI-Bench, as Parquet (image bytes) or as the TSV of VLMEvalKit (base64), and the
circular variant, in which each question is asked with its options in four orders and counts as right only if all
four answers are. The question's text holds the options; it is kept whole in `Item.verbatim`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tolman.benchmarks.rows import Row, check_fields, check_known, check_unique, find_files, make_item, read_rows
from tolman.errors import InputError
from tolman.items import Item, Media
from tolman.text_tables import is_list_cell, read_cell

SUBSETS = {
    "full": "all 1,000 questions",
    "circular": "each question with its options in four orders; right only if all four answers are",
}
TASKS = (
    "Positional Relationship (Cam.–Cam.)", "Positional Relationship (Obj.–Obj.)", "Positional Relationship (Reg.–Reg.)",
    "Positional Relationship (Cam.–Obj.)", "Positional Relationship (Obj.–Reg.)", "Positional Relationship (Cam.–Reg.)",
    "Attribute (Meas.)", "Attribute (Appr.)", "Motion (Cam.)", "Motion (Obj.)", "MSR",
)  # fmt: skip
_IN_VLMEVALKIT = {
    **{re.sub(r".*\((\w+)\.–(\w+)\.\)", r"Pos-\1-\2", task): task for task in TASKS if task.startswith("Positional")},
    **{re.sub(r"(Attr|Motion)\w* \((\w+)\.\)", r"\1-\2", task): task for task in TASKS if not task.startswith("Pos")},
}
"""Its names of the question types: 'Pos-Cam-Cam', 'Attr-Meas', 'Motion-Cam', 'MSR'."""
_ORDERS = ("ABCD", "BCDA", "CDAB", "DABC")
_CIRCLE = 1_000_000
"""What VLMEvalKit adds to a question's index for each further order."""
_OPTIONS = re.compile(r"(?:\A|[\s,])([A-D])\s*:\s*(.*?)(?=(?:,\s*|\s+)[A-D]\s*:|\s*\Z)", re.DOTALL)
_HEAD = re.compile(r"\s*\n?\s*Options\s*:\s*", re.IGNORECASE)


def load(folder: Path, subset: str) -> list[Item]:
    """Load the questions of a subset, in the file's order.

    Args:
        folder: with `MMSI_Bench.parquet`, its shards (`test-00000-of-00002.parquet` …) or `MMSI_bench.tsv`.
        subset: a key of `SUBSETS`. Rows whose options can't be separated are left out of `circular`, as in the
            released code.

    Raises:
        InputError: a row that is not the benchmark's.
    """
    names = ("MMSI*.parquet", "MMSI*.tsv", "test-*.parquet", "*.parquet", "*.tsv")
    items = []
    for path in find_files(folder, names, "MMSI-Bench questions"):
        inside = path.name if folder.is_file() else path.relative_to(folder).as_posix()
        found = [_item(path, inside, number, row) for number, row in enumerate(read_rows(path), start=1)]
        _check_plain(path, found)
        items += found
    check_unique(folder, items)
    if subset == "circular":
        return [turned for item in items for turned in _circle(item)]
    return items


def _check_plain(path: Path, items: Sequence[Item]) -> None:
    """Make sure that a file isn't VLMEvalKit's circular one, which has each question in four orders.

    Raises:
        InputError: it is.
    """
    ids = {item.id for item in items}
    for number, item in enumerate(items, start=1):
        if item.id.isdigit() and int(item.id) >= _CIRCLE and str(int(item.id) % _CIRCLE) in ids:
            raise InputError(
                path,
                f"asks question {int(item.id) % _CIRCLE} again with its options in another order: a circular file",
                row=number,
                fix="give the plain one; the subset 'circular' makes the orders of it",
            )


def _item(path: Path, inside: str, number: int, row: Row) -> Item:
    if "index" in row:
        check_fields(
            path, number, row, ("index", "image", "question", "answer", "category"), ("thought", "l2-category")
        )
        identity, task, count = row["index"], row["category"], _images_in_tsv(path, number, row["image"])
    else:
        check_fields(
            path, number, row, ("id", "images", "question_type", "question", "answer"), ("thought", "difficulty")
        )
        identity, task, count = row["id"], row["question_type"], len(row["images"])
    task = _IN_VLMEVALKIT.get(task) or task.replace("-", "–")
    check_known(path, number, task, TASKS, "question type of MMSI-Bench")
    stem, options = split_question(row["question"])
    labels = {"difficulty": str(row["difficulty"])} if row.get("difficulty") else {}
    if not options:
        stem, options, labels["options_unread"] = row["question"], tuple("ABCD"), "yes"
    return make_item(
        path,
        number,
        id=str(identity),
        question=stem,
        verbatim=row["question"],
        kind="choice",
        options=options,
        answer=str(row["answer"]).strip(),
        task=task,
        labels=labels,
        media=tuple(Media(kind="image", path=inside, part=(number - 1, i)) for i in range(count)),
        reasoning=row.get("thought") or None,
    )


def split_question(text: str) -> tuple[str, tuple[str, ...]]:
    """A released question as its stem and the texts of its four options; no options where they can't be read."""
    parts = _HEAD.split(text)
    if len(parts) < 2:
        return text, ()
    found = _OPTIONS.findall(parts[-1])
    if "".join(letter for letter, _ in found) != "ABCD":
        return text, ()
    return "\n".join(parts[:-1]).strip(), tuple(option.strip().rstrip(",") for _, option in found)


def reorder(item: Item, order: Sequence[int]) -> Item | None:
    """The question with its options in another order, in the text too; None where they couldn't be read."""
    if "options_unread" in item.labels:
        return None
    turned = item.reordered(order)
    listed = ", ".join(f"{letter}: {text}" for letter, text in zip(turned.letters, turned.options, strict=True))
    return turned.model_copy(update={"verbatim": f"{item.question}\nOptions: {listed}"})


def _circle(item: Item) -> list[Item]:
    circle = (reorder(item, [item.letters.index(letter) for letter in order]) for order in _ORDERS)
    return [
        turned.model_copy(update={"id": str(int(item.id) + turn * _CIRCLE), "all_of": item.id})
        for turn, turned in enumerate(circle)
        if turned is not None
    ]


def _images_in_tsv(path: Path, number: int, cell: str) -> int:
    if not is_list_cell(cell):
        return 1
    try:
        return len(read_cell(cell))
    except ValueError as error:
        raise InputError(path, str(error), row=number, field="image", fix="fetch the file again") from None
