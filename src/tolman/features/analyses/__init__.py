"""Analyses: their declaration, finding them by name, shared settings, and shared output files.

```python
ANALYSIS = Analysis(
    name="my-analysis", title="What it measures.", config=MyConfig, run=my_analysis, show=show
)
```

A module declares one (`ANALYSIS`) or several (`ANALYSES`). `tolman analyze my-analysis` has an option for each field of
the config. A module has the config, and reads and writes files; the arithmetic is in `tolman.analyze`, and the result
in tables and sentences in `tolman.reports.analysis_results`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from tolman.features.config import Setting
from tolman.features.events import Events
from tolman.files import write_text
from tolman.registry import Registry

if TYPE_CHECKING:
    from tolman.benchmarks.published import PublishedTable


C = TypeVar("C")
R = TypeVar("R")


def to_plain(value: Any) -> Any:
    """Make a result such that JSON can hold it: dataclasses by field, frames by row, nan and infinity as None.

    Raises:
        TypeError: something in it is none of these.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: to_plain(getattr(value, one.name)) for one in fields(value)}
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): to_plain(one) for key, one in value.items()}
    if isinstance(value, AbstractSet):
        return [to_plain(one) for one in sorted(value)]
    if isinstance(value, Sequence):
        return [to_plain(one) for one in value]
    for method in ("to_dicts", "tolist", "to_list"):  # a frame; an array or one of its numbers; a column
        if hasattr(value, method):
            return to_plain(getattr(value, method)())
    raise TypeError(f"{type(value).__name__} can't be written as JSON; give the analysis a to_json function.")


def plain_fields(result: Any, *names: str) -> dict[str, Any]:
    """Fields of a result for JSON, where the scorer is called 'rules'."""
    return {"rules" if name == "scorer" else name: to_plain(getattr(result, name)) for name in names}


@dataclass(frozen=True, kw_only=True)
class Analysis(Generic[C, R]):
    """An analysis: `tolman analyze NAME`.

    Attributes:
        name: of the command: 'shortcut-bias'.
        title: one sentence for lists of commands.
        config: a frozen dataclass whose fields are its options (`tolman.features.config`). If it has a field `out`, the
            folder that this names gets a `tolman.toml` that repeats the command.
        run: config, events → result. Reads, computes, writes files; prints nothing.
        show: result → the printed output: a text, or a list of texts and Rich renderables.
        to_json: result → the output of `--json`; the fields of a dataclass as they are.
        examples: command lines for help texts, without 'tolman analyze'.
        is_complete: whether the result is all that was asked for; the command ends with exit code 1 where it isn't.
    """

    name: str
    title: str
    config: type[C]
    run: Callable[[C, Events], R]
    show: Callable[[R], Sequence[Any] | str]
    to_json: Callable[[R], Any] = to_plain
    examples: tuple[str, ...] = ()
    is_complete: Callable[[R], bool] = lambda result: True


ANALYSES = Registry(
    "analysis",
    "tolman.features.analyses",
    "ANALYSIS",
    "tolman.analyses",
    plural="ANALYSES",
    named_by_file=False,
    alphabetical=True,
    check=lambda thing: "" if isinstance(thing, Analysis) else "is no tolman.features.analyses.Analysis",
)
"""All analyses: Tolman's own, those of plugins and of other packages."""


Runs = Annotated[tuple[Path, ...], Setting("Run folders of one benchmark.", positional=True)]
Source = Annotated[
    str, Setting("A benchmark's name, a folder that is one, a run's folder, or a stage of a curation.", positional=True)
]
Scorer = Annotated[
    str | None,
    Setting("Scorer whose scores count: official, careful … Default: the headline's.", aliases=("--rules",)),
]
Seed = Annotated[int, Setting("Seed of everything that is drawn at random, 0 or more.", least=0)]
RightFrom = Annotated[
    float,
    Setting(
        "Score from which an answer counts as right, 0–1. A choice scores 0 or 1; a number anything between.",
        least=0,
        most=1,
    ),
]


def write_ids(path: Path, ids: Iterable[str]) -> None:
    """Write a list of ids that --ids and --exclude take."""
    write_text(path, "".join(f"{identity}\n" for identity in ids))


def write_json(path: Path, content: Any) -> None:
    """Write JSON with unrounded figures."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def to_plain_tables(tables: Iterable[PublishedTable]) -> list[dict[str, Any]]:
    """Published tables for JSON: benchmark, source, about, columns, rows and printed coefficients."""
    return [table.model_dump(mode="json", exclude={"analyses", "taxonomy"}, exclude_defaults=True) for table in tables]
