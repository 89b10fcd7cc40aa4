"""Protocols by name, a module for each with an object `PROTOCOL`; other packages add theirs through the entry point
group `tolman.protocols`."""

from __future__ import annotations

from tolman.protocols.base import Protocol
from tolman.registry import Registry

_REGISTRY = Registry("protocol", __name__, "PROTOCOL", "tolman.protocols", frozenset({"base"}))
names = _REGISTRY.names


def get(name: str) -> Protocol:
    """The protocol of that name.

    Raises:
        UsageError: there is none.
    """
    found: Protocol = _REGISTRY.get(name)
    return found
