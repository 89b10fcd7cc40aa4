"""Plugins: local files whose declarations every registry finds: Python files, and benchmarks as TOML files.

A file declares its additions at its top level, under the names that Tolman's own modules use: `FAMILY`, `METRIC`,
`BENCHMARK`, `PROTOCOL`, `FORMAT`, a function `create` for a family of models, and so on (`tolman.registry`). It is
named with `--plugin FILE`, with `tolman.load_plugin`, or in the environment variable TOLMAN_PLUGINS (several, separated
as PATH is). A TOML file holds one benchmark (`tolman.benchmarks.declaring`).
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tolman.errors import InputError

VARIABLE = "TOLMAN_PLUGINS"
_loaded: dict[Path, ModuleType] = {}
_loading: set[Path] = set()
_READERS = {".toml": ("tolman.benchmarks.declaring", "read_plugin")}
"""Suffix of a file that is no Python → module and function that read it: path → what it declares, by name."""
_DIGEST = "__tolman_digest__"


def load_plugin(file: Path | str) -> ModuleType:
    """Load a plugin, once: its declarations can be named from then on, in worker processes too.

    Args:
        file: a Python file, which is executed, or the TOML file of a benchmark.

    Returns:
        Its module.

    Raises:
        InputError: there is no such file, it is of another kind, or it can't be executed; the sentence names the line.
    """
    path = Path(file).resolve()
    if path in _loaded:
        return _loaded[path]
    if path.suffix not in (".py", *_READERS) or not path.is_file():
        raise InputError(file, "is no plugin", fix="give a Python file, such as my_family.py, or a benchmark's .toml")
    name = module_name(path)
    if path.suffix in _READERS:
        _loaded[path] = _read(path, name)
        return _loaded[path]
    spec = spec_from_file_location(name, path)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # before it is executed: dataclasses and pickle look it up
    try:
        source = path.read_bytes()
        setattr(module, _DIGEST, hashlib.sha256(source).hexdigest())
        # Not by the loader, which takes the compiled code of a file for that of another of the same size that was
        # written within the same second.
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(
            file, f"can't be executed ({type(error).__name__}: {error})", row=_line(error, path)
        ) from error
    _loaded[path] = module
    return module


def _read(path: Path, name: str) -> ModuleType:
    """Return a file that is no Python as a module with its declarations."""
    place, function = _READERS[path.suffix]
    module = ModuleType(name)
    _loading.add(path)  # what reads it looks for readers and metrics of the other plugins
    try:
        module.__dict__.update(getattr(import_module(place), function)(path))
        setattr(module, _DIGEST, hashlib.sha256(path.read_bytes()).hexdigest())
    finally:
        _loading.discard(path)
    return module


def load_plugins(files: Iterable[Path | str]) -> None:
    """Load several; see `load_plugin`."""
    for file in files:
        load_plugin(file)


def loaded_plugins() -> dict[Path, ModuleType]:
    """The plugins by file, in the order in which they were loaded; those of TOLMAN_PLUGINS among them.

    Raises:
        InputError: one of TOLMAN_PLUGINS can't be loaded.
    """
    named = (part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part)
    load_plugins(part for part in named if Path(part).resolve() not in _loading)
    return dict(_loaded)


def source_digest(module: ModuleType) -> str | None:
    """SHA-256 of a plugin's file as it was when it was loaded; None of other modules."""
    return getattr(module, _DIGEST, None)


def module_name(path: Path) -> str:
    """Return the name of a plugin's module: two files of one name don't share a module."""
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    return f"tolman_plugin_{path.stem}_{digest}"


def line_in_plugin(error: BaseException) -> tuple[Path, int] | None:
    """The plugin and its last line that an error passed through; None where it passed through none."""
    for path in _loaded:
        line = _line(error, path)
        if line is not None:
            return path, line
    return None


def _line(error: BaseException, path: Path) -> int | None:
    """The last line of the file that the error passed through."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return error.lineno
    found, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            found = trace.tb_lineno
        trace = trace.tb_next
    return found
