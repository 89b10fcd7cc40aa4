"""Benchmarks that are data files: those of the package (`tolman/benchmarks/declared`), and a user's own.

A file says where the released questions stand, what a model is shown, how its responses are read and scored, and what
the table looks like (`declaring.schema`). No code comes with it: parsers are readers by name
(`tolman.scoring.readers`). What a file may hold is imported when one is opened: a run on another benchmark needs only
their names.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.benchmarks.base import BenchmarkSpec
from tolman.plugins import loaded_plugins
from tolman.shelf import TomlShelf, names_in

if TYPE_CHECKING:
    from tolman.benchmarks.declaring.schema import Declaration

_PACKAGE, _FOLDER = "tolman.benchmarks", "declared"


def declared_names() -> tuple[str, ...]:
    """The names of the package's data files."""
    return names_in(_PACKAGE, _FOLDER)


def declared_benchmark(name: str) -> BenchmarkSpec:
    """The benchmark of a data file: one of the package by its name, a user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names what is wrong, with its line.
    """
    return _spec(name, Path(name)) if name.endswith(".toml") else _opened(name, tuple(loaded_plugins()))


@lru_cache(maxsize=128)
def _opened(name: str, plugins: tuple[Path, ...]) -> BenchmarkSpec:
    """One of the package; made anew when another plugin, which may bring readers and metrics, is loaded."""
    return _spec(name, Path(str(files(_PACKAGE).joinpath(_FOLDER, f"{name}.toml"))))


def read_plugin(path: Path) -> dict[str, BenchmarkSpec]:
    """What a user's data file declares, as the names of a plugin's module (`tolman.plugins`).

    Raises:
        InputError: as `declared_benchmark`.
    """
    return {"BENCHMARK": _spec(str(path), path)}


@lru_cache(maxsize=1)
def shelf() -> TomlShelf[Declaration]:
    """The files of the package, and how one is read."""
    from tolman.benchmarks.declaring.schema import Declaration

    return TomlShelf("benchmark", Declaration, _PACKAGE, _FOLDER, named=True)


def _spec(name: str, path: Path) -> BenchmarkSpec:
    from tolman.benchmarks.declaring.spec import spec_of

    return spec_of(shelf().open(name), path)
