"""A library of furniture that is made by rule, beside the catalogue's."""

from __future__ import annotations

from tolman.simulate.furniture import Furniture, FurnitureSource
from tolman.simulate.made.kind import REGISTRY, FurnitureKind, MadePiece, make_piece
from tolman.simulate.mesh import Mesh
from tolman.simulate.supports import Support

DESIGNS = 2
"""Pieces of each kind in a library; things of a kind in a room are similar, not equal."""


class MadeLibrary(FurnitureSource):
    """Pieces of every kind, drawn from a seed, and those of a catalogue.

    Args:
        seed: of all pieces that are made.
        catalogue: whose pieces are offered too; None for none.
        designs: pieces of each kind.

    Raises:
        UsageError: a plugin declares something that is no kind of furniture.
    """

    def __init__(self, seed: str, catalogue: FurnitureSource | None = None, *, designs: int = DESIGNS) -> None:
        super().__init__()
        self.catalogue = catalogue
        self._made: dict[str, tuple[FurnitureKind, str]] = {}
        if catalogue is not None:
            self.pieces |= {piece.id: piece for piece in catalogue.usable()}
            self.broken += catalogue.broken
        for kind in REGISTRY.all().values():
            for number in range(designs):
                identity, own = f"made {kind.name} {number}", f"{seed}:{number}"
                size = kind.draws(own).size
                self._made[identity] = kind, own
                self.pieces[identity] = Furniture(
                    identity,
                    identity,
                    kind.category,
                    size,
                    kind.elevation,
                    kind.habit,
                    path="",
                    turn=(),
                    at_elevation=True,
                )

    def usable(self) -> list[Furniture]:
        """All pieces, in the order of their ids; what a rule makes is usable."""
        return [piece for _, piece in sorted(self.pieces.items())]

    def stands(self, piece: Furniture) -> bool:
        """Tell whether a piece stands by itself, as all do that a rule makes: none is made to find that out."""
        if piece.id in self._made or self.catalogue is None:
            return True
        return self.catalogue.stands(piece)

    def make(self, piece: Furniture) -> MadePiece | None:
        """A piece with its parts, surfaces and openings; None for one of the catalogue."""
        if piece.id not in self._made:
            return None
        return make_piece(*self._made[piece.id])

    def _load(self, identity: str) -> Mesh | None:
        piece = self.pieces[identity]
        made = self.make(piece)
        if made is not None:
            return made.mesh
        return None if self.catalogue is None else self.catalogue.mesh(piece)

    def _cast(self, identity: str) -> Support:
        if identity in self._made or self.catalogue is None:
            return super()._cast(identity)
        return self.catalogue.support(self.pieces[identity])
