"""Item kinds, one module each: what an answer is, and all that follows from it (`ItemKind`).

A plugin adds one by declaring `KIND`; other packages do through the entry point group `tolman.kinds`.
"""

from tolman.items import KINDS, kind_named
from tolman.scoring.item_kind import ItemKind, kind_of

names = KINDS.names


def lettered() -> list[str]:
    """Names of the kinds whose answer is the letter of an option."""
    return [name for name in names() if kind_named(name).has_letters]


__all__ = ["ItemKind", "kind_named", "kind_of", "lettered", "names"]
