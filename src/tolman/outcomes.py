"""Outcomes: what came back of a run, by item and repeat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping

from tolman.responses import Outcome, Response
from tolman.temporary import MANY, TemporaryTexts

Key = tuple[str, int]


class Outcomes(MutableMapping[Key, Outcome]):
    """Responses and failures by item's id and repeat, in the order in which they were put in.

    Responses beyond the first `MANY` are kept as JSON in a temporary file, and parsed each time they are looked at.
    """

    def __init__(self) -> None:
        self._kept: dict[Key | str, Outcome | int] = {}
        self._texts: TemporaryTexts | None = None

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Outcomes:
        """Some outcomes; the last of several of one asking."""
        found = cls()
        for outcome in outcomes:
            found[outcome.id, outcome.repeat] = outcome
        return found

    def __getitem__(self, key: Key) -> Outcome:
        found = self._kept[_short(key)]
        return Response.model_validate_json(self._text(found)) if isinstance(found, int) else found

    def __setitem__(self, key: Key, outcome: Outcome) -> None:
        few = len(self._kept) < MANY or not isinstance(outcome, Response)
        self._kept[_short(key)] = (
            outcome if few else self._keep(outcome.model_dump_json(exclude_defaults=True).encode())
        )

    def __delitem__(self, key: Key) -> None:
        del self._kept[_short(key)]

    def __iter__(self) -> Iterator[Key]:
        return ((key, 0) if isinstance(key, str) else key for key in self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, tuple) and _short(key) in self._kept

    def take(self, key: Key, other: Outcomes) -> None:
        """Put in what another holds under a key, as it is kept there."""
        found = other._kept[_short(key)]
        self._kept[_short(key)] = self._keep(other._text(found)) if isinstance(found, int) else found

    def _keep(self, text: bytes) -> int:
        if self._texts is None:
            self._texts = TemporaryTexts()
        return self._texts.add(text)

    def _text(self, place: int) -> bytes:
        assert self._texts is not None
        return self._texts.at(place)


def _short(key: Key) -> Key | str:
    """A key as it is kept: most items are asked once, and a tuple takes as much memory as its text."""
    return key[0] if key[1] == 0 else key
