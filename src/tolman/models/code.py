"""Which code a model's answers come from, where that isn't Tolman's: the response store keeps answers of each apart.

An answer is stored under all that determines it: the model's name and settings, and the messages as they are sent. Code
of the user's own determines it too, and changes under the same name. So a model of a plugin, or one that a Python
program hands over, has an identity besides: its attribute `version` where it has one, else a hash of the files that it
is defined in. Where neither is known, as of a class that was typed into a notebook, its answers are not stored.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tolman.plugins import loaded_plugins, source_digest

if TYPE_CHECKING:
    from tolman.models.base import Model

UNKNOWN = ""
"""The identity of code that can't be told from other code."""
_MARK = "_tolman_code"
_STARTED = time.time()


def code_of(model: Model) -> str | None:
    """The identity of the code behind a model; None where it is Tolman's own or an installed package's."""
    found = getattr(model, _MARK, None)
    return found if isinstance(found, str) else None


def mark_created(model: Model, maker: Any) -> Model:
    """Note in a model which plugin's code it comes from.

    Args:
        model: changed in place, in nothing that its class knows of.
        maker: the function `create` that made it.

    Returns:
        The model; unchanged where no plugin declares that function.
    """
    plugin = next((m for m in loaded_plugins().values() if getattr(m, "create", None) is maker), None)
    if plugin is not None:
        _mark(model, plugin, *_modules_of(model))
    return model


def mark_given(model: Model) -> Model:
    """Note in a model that a Python program hands over which code it comes from.

    Returns:
        The model; unchanged where its class is Tolman's own.
    """
    if code_of(model) is None and _modules_of(model):
        _mark(model, *_modules_of(model))
    return model


def _mark(model: Model, *modules: ModuleType | None) -> None:
    version = getattr(model, "version", None)
    identity = f"version {version}" if isinstance(version, str | int) else _digest(modules)
    try:
        object.__setattr__(model, _MARK, identity)  # frozen dataclasses too
    except AttributeError:  # a class with __slots__
        setattr(type(model), _MARK, identity)


def _modules_of(model: Model) -> list[ModuleType | None]:
    """The module of a model's class, None where it can't be found; empty where the class is Tolman's own."""
    name = type(model).__module__
    return [] if name.partition(".")[0] == "tolman" else [sys.modules.get(name)]


def _digest(modules: Iterable[ModuleType | None]) -> str:
    """One hash of the sources of all modules."""
    found = {_source(module) for module in modules}
    return UNKNOWN if None in found else hashlib.sha256("\n".join(sorted(map(str, found))).encode()).hexdigest()


def _source(module: ModuleType | None) -> str | None:
    """The hash of a module's file; None where it has none, or one that may not be what was imported."""
    if module is None:
        return None
    noted = source_digest(module)
    if noted is not None:
        return noted
    try:
        path = Path(str(module.__file__))
        if path.stat().st_mtime > _STARTED:
            return None
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (AttributeError, OSError):
        return None
