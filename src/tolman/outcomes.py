"""Outcomes: what came back of a run, by item and repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping

from tolman.responses import Outcome, Response

MANY = 6000
"""Responses beyond which further ones are kept as JSON: in a fifth of the memory, and parsed each time they are looked
at. More than VSI-Bench has questions."""

Key = tuple[str, int]


class Outcomes(MutableMapping[Key, Outcome]):
    """Responses and failures by item's id and repeat, in the order in which they were put in."""

    def __init__(self) -> None:
        self._kept: dict[Key, Outcome | bytes] = {}

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Outcomes:
        """Some outcomes; the last of several of one asking."""
        found = cls()
        for outcome in outcomes:
            found[outcome.id, outcome.repeat] = outcome
        return found

    def __getitem__(self, key: Key) -> Outcome:
        found = self._kept[key]
        return Response.model_validate_json(found) if isinstance(found, bytes) else found

    def __setitem__(self, key: Key, outcome: Outcome) -> None:
        few = len(self._kept) < MANY or not isinstance(outcome, Response)
        self._kept[key] = outcome if few else outcome.model_dump_json(exclude_defaults=True).encode()

    def __delitem__(self, key: Key) -> None:
        del self._kept[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def take(self, key: Key, other: Outcomes) -> None:
        """Put in what another holds under a key, as it is kept there."""
        self._kept[key] = other._kept[key]
