"""Protocols by name, a module for each with an object `PROTOCOL`: a strategy or a modifier.

A name is one of them, or several joined by '+': `cot`, `blind`, `cot+question-first`. Other packages add theirs through
the entry point group `tolman.protocols`.
"""

from __future__ import annotations

from tolman.errors import UsageError
from tolman.protocols.base import Modifier, Protocol, ProtocolOptions, Strategy
from tolman.protocols.compose import compose
from tolman.registry import Registry

_REGISTRY = Registry("protocol", __name__, "PROTOCOL", "tolman.protocols")
names = _REGISTRY.names
_NO_OPTIONS = ProtocolOptions()


def get(name: str, options: ProtocolOptions = _NO_OPTIONS) -> Protocol:
    """The protocol of that name.

    Raises:
        UsageError: there is none, or its parts make no sense together.
    """
    parts = [_part(part.strip()) for part in name.split("+")]
    direct = _part("direct")
    assert isinstance(direct, Strategy)
    return compose(parts, direct, options)


def users_of(option: str) -> list[str]:
    """The protocols to which an option matters."""
    return [name for name in names() if option in getattr(_part(name), "uses", ())]


def describe() -> list[tuple[str, str, str]]:
    """All of them: name, 'strategy' or 'modifier', and what it does in a line."""
    found = ((name, _part(name)) for name in names())
    return [
        (name, "modifier" if isinstance(part, Modifier) else "strategy", getattr(part, "summary", ""))
        for name, part in found
    ]


def _part(name: str) -> Strategy | Modifier | Protocol:
    found = _REGISTRY.get(name)
    if not isinstance(found, Strategy | Modifier | Protocol):
        raise UsageError(f"what is registered as protocol '{name}' is no Strategy, Modifier or Protocol.")
    return found
