"""Protocols by name, a module for each; other packages add theirs through the entry point group
`tolman.protocols`."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.metadata import entry_points

from tolman.errors import UsageError
from tolman.protocols.base import Protocol

GROUP = "tolman.protocols"
_NOT_PROTOCOLS = {"base"}


def names() -> list[str]:
    """All protocols that can be named."""
    own = {info.name.replace("_", "-") for info in pkgutil.iter_modules(__path__)} - _NOT_PROTOCOLS
    return sorted(own | {point.name for point in entry_points(group=GROUP)})


def get(name: str) -> Protocol:
    """The protocol of that name.

    Raises:
        UsageError: there is none.
    """
    module = name.replace("-", "_")
    if module in {info.name for info in pkgutil.iter_modules(__path__)} - _NOT_PROTOCOLS:
        found: Protocol = import_module(f"{__name__}.{module}").PROTOCOL
        return found
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if not points:
        raise UsageError(f"there is no protocol '{name}'; known: {', '.join(names())}.")
    loaded: Protocol = points[0].load()
    return loaded
