"""The code that a model's answers come from, where that isn't Tolman's: the response store keeps answers of each apart.

An answer is stored under all that determines it: the model's name and settings, and the messages as they are sent. Code
of the user's own determines it too, and changes under the same name. So a model of a plugin, or one that a Python
program hands over, has an identity besides: its attribute `version` where it has one, else a hash of the files that it
is defined in. If neither is known, as for a class that was typed into a notebook, its answers are not stored.

A function's identity decides whether a run that was stopped goes on with its earlier answers (`runs.response_store`).
If the function has no file, it is a hash of its compiled code. The name of a function or its version (`callable_of`)
identifies the callable that made a run, also after an edit.
"""

from __future__ import annotations

import hashlib
import sys
import time
import weakref
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tolman.plugins import loaded_plugins, source_digest

if TYPE_CHECKING:
    from tolman.models.model import Model

UNKNOWN = ""
"""The identity of code that can't be told from other code."""
OBJECT = "object "
"""How the name begins of a callable that is known only as long as it lives."""
_objects: dict[int, tuple[weakref.ref[Any], str]] = {}
_MARK = "_tolman_code"
_MAKER = "_tolman_callable"
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


def mark_function(model: Model, function: Any, module: ModuleType | None = None) -> None:
    """Note in a model which code the callable behind it comes from.

    A callable is identified by its `version`, by the module that the user named it in, or as a plain function of a
    module. Closures, lambdas, bound methods and objects hold state outside any file, so they stay unidentified.

    Args:
        model: changed in place.
        function: the callable.
        module: in which the user named it; None for a callable that a Python program hands over.
    """
    version = getattr(function, "version", None)
    if version is None and isinstance(function, MethodType):
        version = getattr(function.__self__, "version", None)
    if isinstance(version, str | int):
        identity, made_by = f"version {version}", f"version {version}"
    elif module is not None:
        while isinstance(function, partial):
            function = function.func
        if isinstance(function, MethodType):
            function = function.__self__
        definition = function if isinstance(function, FunctionType | type) else type(function)
        identity = _digest([module, sys.modules.get(definition.__module__)]) or _compiled(definition)
        made_by = UNKNOWN
    elif _is_plain(function):
        home = sys.modules.get(function.__module__)
        identity = _digest([home]) or _compiled(function)
        file = getattr(home, "__file__", None)
        name = Path(file).stem if function.__module__ == "__main__" and file else function.__module__
        made_by = f"{name}:{function.__qualname__}"
    else:
        identity, made_by = UNKNOWN, _of_object(function)
    object.__setattr__(model, _MARK, identity)
    object.__setattr__(model, _MAKER, None if module is not None else made_by)


def callable_of(model: object) -> str | None:
    """The name of the callable behind a model; None for a model that has no such callable or that the user named.

    A callable that can't be identified has a name that begins with OBJECT and holds for this object in this process, or
    UNKNOWN.
    """
    found = getattr(model, _MAKER, None)
    return found if isinstance(found, str) else None


def _of_object(function: Any) -> str:
    """The name of an object that can't be identified, the same as long as it lives."""
    known, name = _objects.get(id(function), (None, UNKNOWN))
    if known is not None and known() is function:
        return name
    try:
        reference = weakref.ref(function)
    except TypeError:
        return UNKNOWN
    name = f"{OBJECT}{uuid4().hex}"
    _objects[id(function)] = reference, name
    return name


def _is_plain(function: Any) -> bool:
    """Check whether something is a function that its module holds under its own name, without a closure."""
    if not isinstance(function, FunctionType) or function.__closure__:
        return False
    return function.__globals__.get(function.__qualname__) is function


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
    """Return the hash of a module's file; None where it has none, or one that may differ from the imported code."""
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


def _compiled(definition: FunctionType | type) -> str:
    """The hash of a function's or a class's compiled code, of functions of the same module that it calls, and of plain
    values that it reads; UNKNOWN where there is no such code."""
    functions = [definition] if isinstance(definition, FunctionType) else list(vars(definition).values())
    parts, seen = list[str](), set[FunctionType]()
    waiting = [one for one in functions if isinstance(one, FunctionType)]
    while waiting:
        function = waiting.pop(0)
        if function in seen:
            continue
        seen.add(function)
        codes = list(_codes(function.__code__))
        names = sorted({name for code in codes for name in code.co_names})
        held = [cell.cell_contents for cell in function.__closure__ or () if cell != _EMPTY]
        read = [*(function.__globals__.get(name) for name in names), *held, *(function.__defaults__ or ())]
        waiting += [v for v in read if isinstance(v, FunctionType) and v.__module__ == function.__module__]
        parts += [code.co_code.hex() for code in codes]
        parts += [repr((code.co_names, [*map(_constant, code.co_consts)])) for code in codes]
        parts += [repr(value) for value in read if isinstance(value, str | int | float)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest() if parts else UNKNOWN


def _constant(value: object) -> object:
    """A constant of compiled code in a form that is the same in every process."""
    if isinstance(value, frozenset):
        return sorted(map(repr, value))
    return None if isinstance(value, CodeType) else value


_EMPTY = CellType()
"""A cell of a closure whose variable has no value yet."""


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of the functions in it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)
