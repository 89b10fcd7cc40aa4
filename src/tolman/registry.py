"""Registry: finding things by name, in modules of this package, in plugins and in other packages.

A registry's members are the declarations of modules. A module of the registry's package is found by an object of a
given name at its top level (`BENCHMARK`, `PROTOCOL`, `FAMILY` …), or by several in a tuple of the plural name
(`FAMILIES`), or in a dict by their names (`PROTOCOLS`). So is a plugin (`tolman.plugins`). Other packages name an
object in the registry's entry point group.
"""

from __future__ import annotations

import ast
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from tolman.errors import UsageError, unknown
from tolman.plugins import loaded_plugins


@dataclass(frozen=True)
class Registry:
    """One kind of thing that is looked up by name.

    Attributes:
        what: how it is called in a sentence: 'question family'.
        package: the dotted name of the package whose modules hold Tolman's own.
        attribute: the name of a module's declaration: 'FAMILY'.
        group: the entry point group of other packages.
        plural: the name of a module's tuple of several, or, where names are known without importing anything, of its
            dict with the names written out; '' where a module declares one only.
        named_by_file: whether one of Tolman's own is named as its module, `my_name` as 'my-name', so that names are
            known without importing anything. Else names are those of the objects (their attribute `name`).
        alphabetical: whether names of objects are listed in alphabetical order rather than in that of their modules.
        check: object → its problem, as the rest of a sentence, or ''. Reported at look-up.
    """

    what: str
    package: str
    attribute: str
    group: str
    plural: str = ""
    named_by_file: bool = True
    alphabetical: bool = False
    check: Callable[[Any], str] = field(default=lambda thing: "")

    def names(self) -> list[str]:
        """All that can be named, in alphabetical order; where names are the objects' own, Tolman's in the order of
        their modules, then the others."""
        own = sorted(self._files()) if self.named_by_file else list(self._declared())
        others = [
            *(name for name, _ in self._plugged()),
            *(p.name for p in _entry_points(tuple(sys.path)).select(group=self.group)),
        ]
        found = dict.fromkeys([*own, *others])
        return sorted(found) if self.named_by_file or self.alphabetical else list(found)

    def get(self, name: str) -> Any:
        """Return the thing of that name; a plugin's before Tolman's own.

        Raises:
            UsageError: there is none, and the sentence lists the known names; or the thing is of another kind.
        """
        thing = self.find(name)
        if thing is None:
            raise unknown(self.what, name, self.names(), other="what a file of yours declares (--plugin FILE)")
        wrong = self.check(thing)
        if wrong:
            raise UsageError(f"what is registered as {self.what} '{name}' {wrong}.")
        return thing

    def all(self) -> dict[str, Any]:
        """Everything by name; see `names` and `get`."""
        return {name: self.get(name) for name in self.names()}

    def find(self, name: str) -> Any:
        """Return the thing of that name, unchecked; None where there is none."""
        for plugged, thing in self._plugged():
            if plugged == name:
                return thing
        if self.named_by_file:
            module = self._module_of(name) or self._files().get(name)
            if module is not None:
                found = import_module(module)
                several: Mapping[str, Any] = getattr(found, self.plural, {}) if self.plural else {}
                return several[name] if name in several else getattr(found, self.attribute)
        elif name in self._declared():
            return self._declared()[name]
        for point in _entry_points(tuple(sys.path)).select(group=self.group, name=name):
            return point.load()
        return None

    def _module_of(self, name: str) -> str | None:
        """The module of that name, if it declares one; the sources of the others, which take 30 ms, aren't read."""
        module = f"{self.package}.{name.replace('-', '_')}"
        is_one = name.isidentifier() and "_" not in name and find_spec(module) is not None
        return module if is_one and _definition(module, self.attribute) else None

    def _files(self) -> dict[str, str]:
        """Tolman's own → module: by the names of modules that declare one, and by the keys of those that declare
        several."""
        names = (module.rpartition(".")[2] for module in declaring(self.package, self.attribute))
        found = {name.replace("_", "-"): f"{self.package}.{name}" for name in names}
        for module in declaring(self.package, self.plural) if self.plural else ():
            found |= dict.fromkeys(_keys(module, self.plural), module)
        return found

    def _declared(self) -> dict[str, Any]:
        """Tolman's own by their own names."""
        found: dict[str, Any] = {}
        for module in dict.fromkeys(
            (*declaring(self.package, self.attribute), *(declaring(self.package, self.plural) if self.plural else ()))
        ):
            for name, thing in self._in(import_module(module), ""):
                if name in found:
                    raise UsageError(f"two {self.what} objects are named '{name}'; the second is in {module}.")
                found[name] = thing
        return found

    def plugged_names(self) -> list[str]:
        """Return the names that plugins declare, in the order in which they were loaded."""
        return [name for name, _ in self._plugged()]

    def _plugged(self) -> Iterator[tuple[str, Any]]:
        """Yield the declarations of plugins by the object's own name, else by the file's."""
        for path, module in loaded_plugins().items():
            yield from self._in(module, path.stem.replace("_", "-"))

    def _in(self, module: ModuleType, default: str) -> Iterator[tuple[str, Any]]:
        things = [getattr(module, self.attribute)] if hasattr(module, self.attribute) else []
        several = getattr(module, self.plural, ()) if self.plural else ()
        things += several.values() if isinstance(several, dict) else several
        for thing in things:
            own = getattr(thing, "name", None)
            yield (own if isinstance(own, str) and own else default), thing


def later(target: str) -> Callable[..., Any]:
    """Make a function that imports another at its first call, so that lists of commands import nothing heavy.

    Args:
        target: 'package.module:function'.
    """

    def call(*args: Any, **settings: Any) -> Any:
        module, _, name = target.partition(":")
        return getattr(import_module(module), name)(*args, **settings)

    call.__qualname__ = target
    return call


@lru_cache(maxsize=4)
def _entry_points(path: tuple[str, ...]) -> Any:
    """Return those of all packages on a path, `sys.path`; they are kept, as each reading takes 20 ms.

    They are of another class in Python 3.11 than later; both have `select`.
    """
    return entry_points()


@lru_cache(maxsize=64)
def declaring(package: str, attribute: str) -> tuple[str, ...]:
    """Return the modules below a package, by dotted name, that have an object of that name at their top level. Sources
    are read, so that none is imported."""
    spec = find_spec(package)
    found = []
    for info in pkgutil.iter_modules(spec.submodule_search_locations if spec else None):
        name = f"{package}.{info.name}"
        if _definition(name, attribute):
            found.append(name)
        elif info.ispkg:
            found += declaring(name, attribute)
    return tuple(found)


@lru_cache(maxsize=256)
def _keys(module: str, attribute: str) -> tuple[str, ...]:
    """The keys of a dict that a module's source writes out at its top level; none where it is no such dict."""
    for node in ast.parse(_definition(module, attribute)).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
            return tuple(str(key.value) for key in node.value.keys if isinstance(key, ast.Constant))
    return ()


_REST = r".*\n?(?:(?:[ \t)\]}].*)?\n)*"
"""A line and those that go on with its statement: indented, empty, or with a closing bracket."""


def _definition(module: str, name: str) -> str:
    """Return the source of the statement at a module's top level that defines a name; '' where there is none.

    It is searched for, as parsing the sources of all modules takes 50 ms.
    """
    source = _source(module)
    if name not in source:
        return ""
    defining = rf"^(?:(?:(?:async )?def|class) {name}\b|{name}(?:\s*:|\s*=(?!=))){_REST}"
    for found in re.finditer(defining, source, re.MULTILINE):
        if source.count('"""', 0, found.start()) % 2 == 0:  # no example in a docstring
            return found[0]
    return ""


@lru_cache(maxsize=256)
def _source(module: str) -> str:
    spec = find_spec(module)
    source = getattr(spec.loader, "get_source", lambda name: None)(module) if spec and spec.loader else None
    return source or ""
