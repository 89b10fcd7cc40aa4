"""Optional packages: which extra brings which, and one sentence where one is missing.

The packages of each extra are read from Tolman's own metadata, as pip does.

- Around an import whose extra is known: `with needs("media", "Reading videos"): import av`.
- At a module's top, where the module must load without the package: `from tolman.extras import shapely`, and
  `anthropic = LazyModule("anthropic")` for a package that one module uses.
- `np` and `pl`: NumPy and Polars, which the core brings, in modules that commands import without a use for either.
- Around a whole command or function, for every other import inside: `with told(): ...`, or `@told()` on it.

The command line imports this before it starts, so that it imports little itself.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from tolman.errors import MissingExtraError

COLLECTIONS = frozenset({"all", "dev", "docs"})
"""Extras that no command asks for: all others together, and those for developers."""

_MODULES = {
    "argon2-cffi": "argon2",
    "google-genai": "google.genai",
    "markdown-it-py": "markdown_it",
    "opencv-python-headless": "cv2",
    "pillow": "PIL",
    "scikit-learn": "sklearn",
}
"""Modules that aren't called as their package is."""

_PARTS = {
    "analyze": "analyze",
    "curate": "build",
    "generate": "build",
    "ground_truth": "build",
    "ingest": "build",
    "review": "review",
    "simulate": "worlds",
}
"""Parts of Tolman, and the extras for them."""

_BROUGHT_ALONG = {"google": "google-genai", "lazrs": "laspy", "starlette": "fastapi", "threadpoolctl": "scikit-learn"}
"""Modules that Tolman imports and another package of an extra installs."""


class LazyModule(ModuleType):
    """A module that is imported when one of its names is first used.

    ```python
    if TYPE_CHECKING:
        import anthropic
    else:
        anthropic = LazyModule("anthropic")
    ```
    """

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self.__name__), name)
        setattr(self, name, found)
        return found


class _LazyPattern:
    def __init__(self, *made_of: Any) -> None:
        self._made_of = made_of

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._made_of), name)
        setattr(self, name, found)
        return found


def lazy_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression that is compiled at its first use: readers have hundreds, and a report uses none."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))


if TYPE_CHECKING:
    import asyncio as asyncio

    import filelock as filelock
    import huggingface_hub as huggingface_hub
    import numpy
    import polars
    import scipy as scipy
    import shapely as shapely
    import torch as torch
    from huggingface_hub import errors
    from numpy.typing import NDArray as NDArray
    from PIL import Image as Image, ImageOps as ImageOps

    np, pl, hub_errors = numpy, polars, errors
else:  # a table of finished runs and many an error need neither
    np, pl, NDArray = LazyModule("numpy"), LazyModule("polars"), list
    asyncio, filelock, scipy = LazyModule("asyncio"), LazyModule("filelock"), LazyModule("scipy")
    shapely, torch = LazyModule("shapely"), LazyModule("torch")
    Image, ImageOps = LazyModule("PIL.Image"), LazyModule("PIL.ImageOps")
    huggingface_hub, hub_errors = LazyModule("huggingface_hub"), LazyModule("huggingface_hub.errors")


@cache
def declared() -> dict[str, tuple[str, ...]]:
    """The packages that each extra installs, those of the extras that it names among them.

    Extras are in the order of the metadata. There are none where Tolman isn't installed.
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("tolman") or []
    except PackageNotFoundError:
        return {}
    own: dict[str, list[str]] = {}
    named: dict[str, list[str]] = {}
    for line in lines:
        package = re.match(r"([\w.-]+)\s*(?:\[([^\]]*)\])?", line)
        extra = re.search(r"extra\s*==\s*['\"]([\w.-]+)", line)
        if not (package and extra):
            continue
        packages = own.setdefault(extra[1], [])
        if _normal(package[1]) == "tolman":
            named.setdefault(extra[1], []).extend(re.findall(r"[\w.-]+", package[2] or ""))
        else:
            packages.append(_normal(package[1]))

    def closed(extra: str) -> Iterator[str]:
        yield from own.get(extra, ())
        for other in named.get(extra, ()):
            yield from closed(other)

    return {extra: tuple(dict.fromkeys(closed(extra))) for extra in own}


def lacking(extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    return [package for package in declared().get(extra, ()) if not _is_installed(package)]


def module_of(package: str) -> str:
    """The module by which a package of an extra is imported."""
    return _MODULES.get(package, package.replace("-", "_"))


def package_of(module: str) -> str:
    """The package that brings a module."""
    top = module.partition(".")[0]
    named = next((package for package, name in _MODULES.items() if name in (module, top)), None)
    return named or _BROUGHT_ALONG.get(top) or _normal(top)


@contextmanager
def needs(extra: str, purpose: str) -> Iterator[None]:
    """Import the packages of an extra.

    Args:
        extra: the extra that is named where a package is missing, unless a caller has one of its own (`extra_on`).
        purpose: its use, as the beginning of a sentence.

    Raises:
        MissingExtraError: a package isn't installed, or can't be imported here.
    """
    try:
        yield
    except ImportError as error:
        way = _way(error)
        module = error.name or way[-1]
        if module.partition(".")[0] == "tolman":
            raise
        package = package_of(module)
        reason = None if isinstance(error, ModuleNotFoundError) else str(error)
        raise MissingExtraError(package, extra_on(way, extras_with(package)) or extra, purpose, reason) from None


@contextmanager
def told() -> Iterator[None]:
    """Have a package of an extra that can't be imported named in a sentence, wherever the import is.

    Raises:
        MissingExtraError: in place of ModuleNotFoundError.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = error.name or ""
        found = extras_with(package_of(module))
        if not found:
            raise
        raise MissingExtraError(package_of(module), extra_on(_way(error), found) or found[0], "This") from None


def extra_on(way: Sequence[str], extras: Sequence[str]) -> str | None:
    """The extra for the outermost part of Tolman on the way to an import, if it is one of the extras.

    shapely, say, is installed by several. On the way from `tolman.generate` it is 'build' that brings it, on the way
    from `tolman.simulate` 'worlds'.

    Args:
        way: the dotted names of the modules that called each other, the outermost first.
        extras: those to choose from.
    """
    parts = (part for name in way if name.partition(".")[0] == "tolman" for part in name.split("."))
    return next((_PARTS[part] for part in parts if _PARTS.get(part) in extras), None)


def extras_with(package: str) -> list[str]:
    """The extras that install a package, the smallest first, without those that no command asks for."""
    found = (extra for extra, packages in declared().items() if package in packages and extra not in COLLECTIONS)
    return sorted(found, key=lambda extra: len(declared()[extra]))


def _way(error: ImportError) -> list[str]:
    """The names of the modules that called each other until an import failed, the outermost first."""
    above = [frame for frame, _ in traceback.walk_stack(None)][::-1]
    below = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return [str(frame.f_globals.get("__name__", "")) for frame in above + below]


def _is_installed(package: str) -> bool:
    from importlib.metadata import PackageNotFoundError, version

    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _normal(name: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
