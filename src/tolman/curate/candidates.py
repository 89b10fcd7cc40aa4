"""Candidate: a question on its way into a benchmark; and pools of them, as shards of Parquet.

A candidate is like an `Item`, with two differences: accepted answers besides the first are kept apart, and it
remembers the question set that it came from. A pool is a folder of shards `items-00000.parquet` with the columns of
`tolman.item_table` and two more, read and written shard by shard, so that its size doesn't matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import AfterValidator, ValidationError, model_validator

from tolman.errors import InputError
from tolman.files import atomic_write, check_shards
from tolman.item_table import first_problem, from_row, schema, to_row
from tolman.items import Item, ItemFields, existing_kind, kind_named

POOL_SCHEMA = schema() | {"source": pl.String, "also": pl.List(pl.String)}
SHARD = 5_000
"""Candidates in one file, and in memory at a time."""
TEXT = "text"
"""The kind of a question whose answer is a free text, to be converted."""


class Candidate(ItemFields):
    """One question of a pool. The fields that `Item` has too mean the same here.

    Attributes:
        source: the name of the question set.
        kind: an item kind, such as `choice`, `number`, or `text` for a free answer.
        answer: as an item of the kind has it; of a free text one accepted answer.
        also: further answers that count as right, such as other annotators'.
    """

    kind: Annotated[str, AfterValidator(existing_kind)]
    source: str
    also: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Candidate:
        if not self.question.strip():
            raise ValueError("the question is empty")
        if not self.answer.strip():
            raise ValueError("the answer is empty")
        if self.kind == TEXT:
            if self.options:
                raise ValueError("a question with a free answer has no options")
        else:
            try:
                self.item()
            except ValidationError as error:
                raise ValueError(first_problem(error)[1]) from None
        return self

    def item(self) -> Item:
        """The question of a benchmark; of a free text with all accepted answers.

        Raises:
            ValueError: the answer doesn't fit its kind.
        """
        fields = {name: getattr(self, name) for name in ItemFields.model_fields}
        if self.kind == TEXT:
            accepted = json.dumps([self.answer, *self.also], ensure_ascii=False)
            fields["answer"] = kind_named(TEXT).released_answer(accepted)
        return Item.model_validate(fields)

    @property
    def answer_text(self) -> str:
        """The right answer in words: the text of the right option, for example."""
        return self.answer if self.kind == TEXT else self.item().answer_text

    @property
    def has_letters(self) -> bool:
        """Check whether the answer is the letter of an option, so that the options can change their order."""
        return self.kind != TEXT and bool(kind_named(self.kind).has_letters)

    def having(self, **labels: str) -> Candidate:
        """The same with further labels."""
        return self.model_copy(update={"labels": {**self.labels, **labels}})


def write_pool(folder: Path, candidates: Iterable[Candidate]) -> int:
    """Write shards into a folder; how many candidates there were."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    total = shard = 0

    def flush() -> None:
        nonlocal shard
        with atomic_write(folder / f"items-{shard:05d}.parquet") as partial:
            pl.DataFrame(rows, schema=POOL_SCHEMA, orient="row").write_parquet(partial)
        shard += 1
        rows.clear()

    for candidate in candidates:
        rows.append(to_row(candidate))
        total += 1
        if len(rows) == SHARD:
            flush()
    if rows or not shard:
        flush()
    return total


def shards_of(folder: Path) -> list[Path]:
    """The files of a pool.

    Raises:
        InputError: the folder holds none.
    """
    found = sorted(folder.glob("items-*.parquet"))
    if not found:
        raise InputError(folder, "holds no pool of candidates", fix="give a folder that 'tolman curate' wrote")
    check_shards(found)
    return found


def read_shards(folder: Path, only: set[str] | None = None) -> Iterator[list[Candidate]]:
    """The candidates of a pool, or those with some ids, a shard at a time.

    Raises:
        InputError: a file is none of these.
    """
    wanted = None if only is None else pl.Series(sorted(only), dtype=pl.String).implode()
    for path in shards_of(folder):
        try:
            table = pl.read_parquet(path)
            rows = (table if wanted is None else table.filter(pl.col("id").is_in(wanted))).to_dicts()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(path, f"is no readable shard of a pool ({str(error).splitlines()[0]})") from None
        shard = []
        for number, row in enumerate(rows, start=1):
            try:
                shard.append(Candidate(**from_row(row)))
            except ValidationError as error:
                field, what = first_problem(error)
                raise InputError(path, what, row=number, field=field) from None
            except (ValueError, TypeError, KeyError) as error:
                what = f"is no candidate ({str(error).splitlines()[-1].strip()})"
                raise InputError(path, what, row=number) from None
        yield shard


def read_pool(folder: Path, only: set[str] | None = None) -> Iterator[Candidate]:
    """The candidates of a pool, or those with some ids, one by one."""
    for shard in read_shards(folder, only):
        yield from shard


def scan_pool(folder: Path, labels: Iterable[str] = ()) -> pl.LazyFrame:
    """A pool as a lazy frame, with a column for each of some labels (null where a candidate lacks it)."""
    frame = pl.scan_parquet(shards_of(folder))
    names = [name for name in labels if name not in POOL_SCHEMA]
    if not names:
        return frame
    decoded = pl.col("labels").str.json_decode(pl.Struct(dict.fromkeys(names, pl.String)))
    return frame.with_columns(decoded.struct.field(name).alias(name) for name in names)


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    """Write JSON Lines, whole or not at all; how many."""
    count = 0
    with atomic_write(path) as partial, partial.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count
