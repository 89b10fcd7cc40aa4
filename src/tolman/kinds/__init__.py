"""Item kinds: the form of an answer, and all that follows from it (`ItemKind`).

A module declares one as `KIND`, or several by name in the dict `ITEM_KINDS`.

A plugin adds one by declaring `KIND`; other packages do through the entry point group `tolman.kinds`.
"""

from tolman.items import KINDS, kind_named
from tolman.scoring.item_kind import ItemKind, kind_of

names = KINDS.names


def lettered() -> list[str]:
    """Names of the kinds whose answer is the letter of an option."""
    return [name for name in names() if kind_named(name).has_letters]


__all__ = ["ItemKind", "kind_named", "kind_of", "lettered", "names"]
