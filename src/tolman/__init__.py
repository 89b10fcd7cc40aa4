"""Tolman builds, runs and dissects spatial-intelligence benchmarks for multimodal models.

```python
import tolman

run = tolman.evaluate("vsi-bench", my_model, limit=100)   # my_model: messages in, a text out
run.scores.headline.value
tolman.reward(item, text)                                 # the score of one response
```

What is public is in `__all__`; nothing is imported before it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tolman.api import Benchmark as Benchmark
    from tolman.api import Item as Item
    from tolman.api import Media as Media
    from tolman.api import Message as Message
    from tolman.api import Run as Run
    from tolman.api import Scenes as Scenes
    from tolman.api import Scores as Scores
    from tolman.api import aevaluate as aevaluate
    from tolman.api import audit as audit
    from tolman.api import compare as compare
    from tolman.api import evaluate as evaluate
    from tolman.api import generate as generate
    from tolman.api import ingest as ingest
    from tolman.api import load as load
    from tolman.api import load_plugin as load_plugin
    from tolman.api import open_run as open_run
    from tolman.api import open_scenes as open_scenes
    from tolman.api import report as report
    from tolman.api import reward as reward
    from tolman.api import score as score
    from tolman.api import simulate as simulate

__version__ = "0.1.0"
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
    "compare",
    "evaluate",
    "generate",
    "ingest",
    "load",
    "load_plugin",
    "open_run",
    "open_scenes",
    "report",
    "reward",
    "score",
    "simulate",
]
_HOMES = {
    "Item": "tolman.items",
    "Media": "tolman.items",
    "Message": "tolman.messages",
    "load_plugin": "tolman.plugins",
    "reward": "tolman.workflows.rewards",
}
"""Where names are at home that don't need all of `tolman.api`."""
_VERBS = ("generate", "ingest", "simulate")
"""Functions of the API that have the name of a package, which is what is called."""


class _CallablePackage(ModuleType):
    """A package that is called as the function of its name: `tolman.generate(…)`."""

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        return getattr(import_module("tolman.api"), self.__name__.rpartition(".")[2])(*arguments, **settings)


class _Package(ModuleType):
    """This package: the import of `tolman.generate`, by whomever, leaves something here that can be called."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _VERBS and isinstance(value, ModuleType):
            value.__class__ = _CallablePackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _VERBS:
        return import_module(f"tolman.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'tolman' has no attribute '{name}'")
    found = getattr(import_module(_HOMES.get(name, "tolman.api")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
