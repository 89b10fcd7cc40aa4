"""Benchmarks that are data files: those of the package (`tolman/benchmarks/declared`), and a user's own.

A file declares the fields of the released questions, the model's input, how its responses are read and scored, and the
table's layout (`declaring.schema`). No code comes with it: parsers are readers by name (`tolman.scoring.readers`). The
schema is imported when a file is opened: a run on another benchmark needs only their names.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from tolman.benchmarks.spec import BenchmarkSpec
from tolman.extras import LazyModule
from tolman.plugins import loaded_plugins
from tolman.toml_catalogue import TomlCatalogue, names_in

if TYPE_CHECKING:
    from tolman.benchmarks.declaring import data_file, declared_spec
else:
    data_file = LazyModule("tolman.benchmarks.declaring.data_file")
    declared_spec = LazyModule("tolman.benchmarks.declaring.declared_spec")

_PACKAGE, _FOLDER = "tolman.benchmarks", "declared"


def declared_names() -> tuple[str, ...]:
    """The names of the package's data files."""
    return names_in(_PACKAGE, _FOLDER)


def declared_benchmark(name: str) -> BenchmarkSpec:
    """Return the benchmark of a data file: one of the package by its name, a user's by its path.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none; the sentence names the mistake, with its line.
    """
    return _spec(name, Path(name)) if name.endswith(".toml") else _opened(name, tuple(loaded_plugins()))


@lru_cache(maxsize=128)
def _opened(name: str, plugins: tuple[Path, ...]) -> BenchmarkSpec:
    """Return one of the package, rebuilt when another plugin, which may bring readers and metrics, is loaded."""
    return _spec(name, Path(str(files(_PACKAGE).joinpath(_FOLDER, f"{name}.toml"))))


def read_plugin(path: Path) -> dict[str, BenchmarkSpec]:
    """Return the content of a user's data file, as the names of a plugin's module (`tolman.plugins`).

    Raises:
        InputError: as `declared_benchmark`.
    """
    return {"BENCHMARK": _spec(str(path), path)}


@lru_cache(maxsize=1)
def catalogue() -> TomlCatalogue[data_file.Declaration]:
    """The files of the package, and how one is read."""
    return TomlCatalogue("benchmark", data_file.Declaration, _PACKAGE, _FOLDER, named=True)


def _spec(name: str, path: Path) -> BenchmarkSpec:
    return declared_spec.spec_of(catalogue().open(name), path)
