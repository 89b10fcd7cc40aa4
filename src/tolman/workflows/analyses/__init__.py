"""Analyses: what one is, and finding them by name. A module for each of Tolman's own; a plugin adds others.

```python
ANALYSIS = Analysis(
    name="my-analysis", title="What it measures.", config=MyConfig, run=my_analysis, show=show
)
```

`tolman analyze my-analysis` has an option for each field of the config. Three modules of one name make up each of
Tolman's own: `analyze.NAME` (arithmetic, and the result), `workflows.analyses.NAME` (config, what is read and written)
and `reports.analyses.NAME` (the result in tables and sentences).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from tolman.registry import Registry
from tolman.workflows.events import Events

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


@dataclass(frozen=True, kw_only=True)
class Analysis(Generic[C, R]):
    """An analysis: `tolman analyze NAME`.

    Attributes:
        name: of the command: 'shortcut-bias'.
        title: one sentence for lists of commands.
        config: a frozen dataclass whose fields are its options (`tolman.workflows.config`). Where it has a field `out`,
            the folder that this names gets a `tolman.toml` that repeats the command.
        run: config, events → result. Reads, computes, writes files; prints nothing.
        show: result → what is printed: a text, or a list of texts and Rich renderables.
        to_json: result → what `--json` prints; the fields of a dataclass as they are.
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
    "tolman.workflows.analyses",
    "ANALYSIS",
    "tolman.analyses",
    check=lambda thing: "" if isinstance(thing, Analysis) else "is no tolman.workflows.analyses.Analysis",
)
"""All analyses: Tolman's own, those of plugins and of other packages."""
