"""VLMEvalKit without the packages that its other benchmarks and its local networks need.

    python kit.py SCRIPT ARGUMENTS

What VLMEvalKit imports and is not installed becomes a module whose every name is a class that does nothing; its runner,
its client and its tables are its own.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import runpy
import sys
from types import ModuleType
from typing import Any


class Nothing(type):
    """A class whose attributes are such classes."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") or name in ("_typing_subst", "_name"):
            raise AttributeError(name)
        return Nothing(name, (Base,), {})

    def __or__(cls, other: Any) -> Any:
        return Any

    __ror__ = __or__

    def __getitem__(cls, key: Any) -> Any:
        return cls


class Base(metaclass=Nothing):
    """An object that can be made and called with anything; called with a function, it gives that back."""

    def __init__(self, *arguments: Any, **rest: Any) -> None:
        pass

    def __call__(self, *arguments: Any, **rest: Any) -> Any:
        return arguments[0] if arguments else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Base()


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for packages that VLMEvalKit imports and that are not installed."""

    def __init__(self) -> None:
        self.packages: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        top = name.partition(".")[0]
        if top not in self.packages:
            if top in sys.modules or not _imported_by_vlmeval():
                return None
            self.packages.add(top)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        module = ModuleType(spec.name)

        def found(name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return Nothing(name, (Base,), {})

        module.__getattr__ = found  # type: ignore[method-assign]
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass


def _imported_by_vlmeval() -> bool:
    frame = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name != __name__ and not name.startswith("importlib"):
            return name.partition(".")[0] in ("vlmeval", "__main__")
        frame = frame.f_back  # type: ignore[assignment]
    return False


if __name__ == "__main__":
    sys.meta_path.append(Absent())
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
