"""Published tables that aren't rows of a benchmark's own: what a paper measured in an analysis, as TOML beside it.

A folder's `published.tables.toml` names its benchmark and holds such tables; the analysis that measures the same prints
them beside its result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tolman.shelf import checked, read_table

FILE = "published.tables.toml"
_PACKAGE = "tolman.benchmarks"


class PublishedTable(BaseModel):
    """A table, or figures that a paper's text prints.

    Attributes:
        analyses: which measure the same: 'maps', 'correlation', 'errors' …, or 'report'.
        source: table or section of the benchmark's paper.
        about: what the figures are, and of what, in words.
        columns: headings, as printed or as the analysis calls them.
        rows: name as printed → its figures; nan where none is printed.
        taxonomy: of errors, whose categories they are.
        score: of correlations, the column that was correlated with the others.
        pearson, spearman: other column → the coefficient that the paper prints.
        benchmark: its title; that of the file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    analyses: Annotated[
        tuple[Literal["maps", "correlation", "diversity", "errors", "humans", "report", "representative"], ...],
        Field(min_length=1),
    ]
    source: str
    about: str
    columns: Annotated[tuple[str, ...], Field(min_length=1)]
    rows: Annotated[dict[str, tuple[float, ...]], Field(min_length=1)]
    taxonomy: str = ""
    score: str = ""
    pearson: dict[str, float] = {}
    spearman: dict[str, float] = {}
    benchmark: str = ""

    @model_validator(mode="after")
    def _fits(self) -> PublishedTable:
        for name, row in self.rows.items():
            if len(row) != len(self.columns):
                raise ValueError(f"the row '{name}' has {len(row)} figures for {len(self.columns)} columns")
        strange = [one for one in (self.score, *self.pearson, *self.spearman) if one and one not in self.columns]
        if strange:
            raise ValueError(f"'{strange[0]}' is no column")
        return self

    def told(self, *, only: str = "") -> str:
        """The table in one sentence.

        Args:
            only: what the names of the rows begin with that are told; all where empty.
        """
        heads = f" ({', '.join(self.columns)})" if len(self.columns) > 1 else ""
        rows = [
            f"{name} {', '.join(f'{value:g}' for value in row)}"
            for name, row in self.rows.items()
            if name.startswith(only)
        ]
        return f"Published ({self.place}): {self.about}{heads}: {'; '.join(rows)}."

    @property
    def place(self) -> str:
        """Where it stands: 'VSI-Bench, Table 4'."""
        return f"{self.benchmark}, {self.source}"


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    benchmark: str
    tables: tuple[PublishedTable, ...]


def read_published_tables(path: Path) -> tuple[PublishedTable, ...]:
    """Read such a file.

    Raises:
        InputError: it is no TOML, a key is not known, or a row doesn't fit the columns.
    """
    held = checked(_File, path, *read_table(path))
    return tuple(table.model_copy(update={"benchmark": held.benchmark}) for table in held.tables)


@cache
def _all_tables() -> tuple[PublishedTable, ...]:
    folders = sorted((entry for entry in files(_PACKAGE).iterdir() if entry.is_dir()), key=lambda entry: entry.name)
    found = [Path(str(folder.joinpath(FILE))) for folder in folders if folder.joinpath(FILE).is_file()]
    return tuple(table for path in found for table in read_published_tables(path))


def published_tables(analysis: str, benchmark: str | None = None) -> list[PublishedTable]:
    """The published tables of an analysis.

    Args:
        analysis: its name.
        benchmark: a benchmark's title; tables of all where None.
    """
    own = (table for table in _all_tables() if analysis in table.analyses)
    return [table for table in own if benchmark in (None, table.benchmark)]


def printed_in(benchmark: str, sources: Sequence[str]) -> list[PublishedTable]:
    """The published tables of a benchmark's paper that stand in some of its tables or sections."""
    return [table for table in _all_tables() if table.benchmark == benchmark and table.source in sources]
