"""Finding what can be named: own modules of a package, and what other packages add through an entry point group."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from tolman.errors import UsageError


@dataclass(frozen=True)
class Registry:
    """One kind of thing that is looked up by name.

    Attributes:
        what: how it is called in a sentence.
        package: the dotted name of the package whose modules are the own ones; `my_name` is named 'my-name'.
        attribute: what a module of that package calls the thing.
        group: the entry point group of other packages.
        helpers: modules of the package that are none.
    """

    what: str
    package: str
    attribute: str
    group: str
    helpers: frozenset[str] = field(default_factory=frozenset)

    def names(self) -> list[str]:
        """All that can be named, in alphabetical order."""
        return sorted(self._own() | {point.name for point in entry_points(group=self.group)})

    def get(self, name: str) -> Any:
        """The thing of that name.

        Raises:
            UsageError: there is none; the sentence lists those there are.
        """
        if name in self._own():
            return getattr(import_module(f"{self.package}.{name.replace('-', '_')}"), self.attribute)
        for point in entry_points(group=self.group, name=name):
            return point.load()
        raise UsageError(f"there is no {self.what} '{name}'; known: {', '.join(self.names())}.")

    def _own(self) -> set[str]:
        package: ModuleType = import_module(self.package)
        modules = {info.name for info in pkgutil.iter_modules(package.__path__)} - self.helpers
        return {name.replace("_", "-") for name in modules}
