"""Tolman builds, runs and dissects spatial-intelligence benchmarks for multimodal models.

```python
import tolman

run = tolman.evaluate("vsi-bench", my_model, limit=100)   # my_model: messages in, a text out
run.scores.headline.value
tolman.reward(item, text)                                 # the score of one response
```

Public names are in `__all__`; nothing is imported before it is used.
"""

# ruff: noqa: F403, F405 – the star below is for type checkers, and `__all__` says what of it is public.

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from tolman import forks as _forks  # noqa: F401 – watches forks from here on

if TYPE_CHECKING:
    from tolman.api import *

__version__ = "0.2.0"
__all__ = [
    "Benchmark",
    "Item",
    "Media",
    "Message",
    "Run",
    "Scenes",
    "Scores",
    "__version__",
    "aevaluate",
    "audit",
    "audit_shortcuts",
    "compare",
    "evaluate",
    "explain",
    "figure",
    "generate",
    "ingest",
    "load",
    "load_plugin",
    "open_run",
    "open_scenes",
    "paper",
    "reconcile",
    "report",
    "reward",
    "score",
    "simulate",
]
_HOMES = {
    "Benchmark": "tolman.features.loaded_benchmark",
    "Item": "tolman.items",
    "Media": "tolman.items",
    "Message": "tolman.messages",
    "load": "tolman.features.loaded_benchmark",
    "load_plugin": "tolman.plugins",
    "reward": "tolman.features.rewards",
}
"""Where names are at home that don't need all of `tolman.api`."""


class _Package(ModuleType):
    """This package, where a name of `__all__` is a function's also if a package below has it: `tolman.generate`."""

    def __setattr__(self, name: str, value: Any) -> None:
        # The import of tolman.generate, by whomever, would bind its name here. `import` itself needs no such name.
        if not (isinstance(value, ModuleType) and name in __all__):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def _public(name: str) -> Any:
    """Return the object of a name in `__all__`, imported at its first use."""
    if name not in __all__:
        raise AttributeError(f"module 'tolman' has no attribute '{name}'")
    found = getattr(import_module(_HOMES.get(name, "tolman.api")), name)
    if isinstance(found, FunctionType) and find_spec(f"{__name__}.{name}") is not None:
        # So that `tolman.generate.selection` is found, and `import tolman.generate.selection as selection` works.
        found.__dict__ = import_module(f"{__name__}.{name}").__dict__
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # to a type checker, a name that isn't there is an error
    __getattr__ = _public


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
