"""Labels of errors as a file: what people export, and what a judge said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tolman.analyze.errors import PEOPLE, Key, Label
from tolman.benchmarks.rows import read_rows
from tolman.errors import InputError
from tolman.files import write_text
from tolman.scoring.error_types import ErrorTaxonomy, valid

FIELDS = ("id", "annotator", "categories")


def read_labels(path: Path, runs: Mapping[str, str], known: set[Key], taxonomy: ErrorTaxonomy) -> list[Label]:
    """Read a file of labels: JSON Lines, CSV or another table.

    A row has the item's `id`, the `annotator` and the `categories` (a list, or a text with commas or semicolons; each
    by key, title or number). `model` says whose response it is, where there are several runs, and `repeat` which of
    several. A row may say its `source`; without one it is a person's. Further fields are left alone.

    Args:
        path: the file.
        runs: the runs' names → their models.
        known: the responses that there are.
        taxonomy: the categories.

    Raises:
        InputError: a row is no label, or of no such response.
    """
    found: dict[tuple[Key, str, str], Label] = {}
    for number, row in enumerate(read_rows(path), start=1):
        label = _label(path, number, row, runs, known, taxonomy)
        key = label.response, label.source, label.annotator
        if key in found:
            what = f"labels item {label.response[1]} for {label.annotator} a second time"
            raise InputError(path, what, row=number, fix="keep one of the two rows")
        found[key] = label
    if not found:
        raise InputError(path, "holds no label", fix="give a row with id, annotator and categories for each")
    return list(found.values())


def write_labels(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write labels as JSON Lines, which `read_labels` reads."""
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _label(
    path: Path,
    number: int,
    row: Mapping[str, Any],
    runs: Mapping[str, str],
    known: set[Key],
    taxonomy: ErrorTaxonomy,
) -> Label:
    for field in FIELDS:
        if row.get(field) in (None, "", []):
            raise InputError(path, "is missing", row=number, field=field, fix=f"a row has {', '.join(FIELDS)}")
    run = _run(path, number, row.get("model"), runs)
    repeat = str(row.get("repeat") or 0)
    if not (repeat.isascii() and repeat.isdigit() and len(repeat) < 5):
        raise InputError(path, f"{repeat!r} is no whole number", row=number, field="repeat")
    response = run, str(row["id"]), int(repeat)
    if response not in known:
        what = f"{run} has no answer to item {response[1]}" + (f", repeat {repeat}" if repeat != "0" else "")
        raise InputError(path, what, row=number, field="id", fix="label answered items of the runs that are given")
    categories = _categories(path, number, row["categories"], taxonomy)
    return Label(response, str(row["annotator"]), str(row.get("source") or PEOPLE), categories)


def _run(path: Path, number: int, model: Any, runs: Mapping[str, str]) -> str:
    if model in (None, ""):
        if len(runs) == 1:
            return next(iter(runs))
        fix = "say whose response it is, as there are several runs"
        raise InputError(path, "is missing", row=number, field="model", fix=fix)
    if model in runs:
        return str(model)
    fitting = [name for name, own in runs.items() if own == model]
    if len(fitting) == 1:
        return fitting[0]
    what = f"'{model}' fits {'several' if fitting else 'none'} of the runs"
    raise InputError(path, what, row=number, field="model", fix=f"use one of: {'; '.join(runs)}")


def _categories(path: Path, number: int, value: Any, taxonomy: ErrorTaxonomy) -> frozenset[str]:
    names: Sequence[Any] = value if isinstance(value, list) else _split(str(value), taxonomy)
    keys = [taxonomy.find(str(name)) for name in names]
    for name, key in zip(names, keys, strict=True):
        if key is None:
            fix = f"use {', '.join(taxonomy.keys)}"
            raise InputError(
                path, f"'{name}' is no category of {taxonomy.name}", row=number, field="categories", fix=fix
            )
    found = frozenset(key for key in keys if key is not None)
    if not valid(taxonomy, found):
        fix = "'correct' stands alone" if taxonomy.several else f"{taxonomy.name} takes exactly one"
        raise InputError(
            path, f"'{', '.join(sorted(found))}' don't go together", row=number, field="categories", fix=fix
        )
    return found


def _split(text: str, taxonomy: ErrorTaxonomy) -> list[str]:
    return [text] if taxonomy.find(text) else [part.strip() for part in re.split(r"[,;|+]", text) if part.strip()]
