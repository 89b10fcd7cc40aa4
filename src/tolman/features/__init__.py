"""Features: the work of commands, a folder each with its settings (`config`), work (`compute`) and tables
(`render`).

`features.run.compute` is imported when it is first used: a command imports its own work only, and `--help` none.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING


def module_getter(package: str) -> Callable[[str], ModuleType]:
    """Make a package's `__getattr__`, which imports the package's modules at their first use."""

    def get(name: str) -> ModuleType:
        module = f"{package}.{name}"
        if find_spec(module) is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return import_module(module)

    return get


if TYPE_CHECKING:
    from tolman.features import (
        catalogue as catalogue,
        compare as compare,
        curate as curate,
        figures as figures,
        generate as generate,
        paper as paper,
        report as report,
        reproduce as reproduce,
        review as review,
        run as run,
        scenes as scenes,
        scores as scores,
    )
else:
    __getattr__ = module_getter(__name__)
