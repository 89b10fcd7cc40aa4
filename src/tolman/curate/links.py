"""Groups of things of which pairs are found to be the same."""

from __future__ import annotations


class Links:
    """Groups of what is linked, directly or through others.

    Args:
        count: how many there are, by their positions.
    """

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def root(self, i: int) -> int:
        """The first of the group that one is in."""
        parent = self._parent
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    def join(self, a: int, b: int) -> None:
        """Link two."""
        a, b = self.root(a), self.root(b)
        self._parent[max(a, b)] = min(a, b)  # the first of a group stays its root

    def groups(self) -> list[list[int]]:
        """All groups, each in rising order, those of one among them."""
        found: dict[int, list[int]] = {}
        for i in range(len(self._parent)):
            found.setdefault(self.root(i), []).append(i)
        return list(found.values())
