"""A library of furniture that is made by rule, beside the catalogue's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tolman.simulate.furniture import Furniture, FurnitureSource
from tolman.simulate.made.kind import REGISTRY, FurnitureKind, MadePiece, make_piece
from tolman.simulate.mesh import Mesh

DESIGNS = 2
"""Pieces of each kind in a library; things of a kind in a room are similar, not equal."""
STRETCH = 1.25
"""Factor by which a catalogue's model is scaled at most; a chair that is scaled by more looks like a toy's."""
MISFIT = 1.4
"""Factor by which a side of a scaled model and of the drawn size differ at most: a bar stool is no low stool."""
NATURAL = 1.12
"""The same for models of which no kind tells the sizes."""
ONE_SIZE = frozenset(("basketball", "glass", "phone", "pool table"))
"""Categories that come in one size."""


class MadeLibrary(FurnitureSource):
    """Pieces of every kind, drawn from a seed, and those of a catalogue in drawn sizes.

    A catalogue's model has the proportions of its file. It is scaled to a size that a kind of its category and habit
    draws, and left out where the two are too far apart or the category's kinds have other habits.

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
        kinds = list(REGISTRY.all().values())
        if catalogue is not None:
            resized = [piece for one in catalogue.usable() if (piece := _resized(one, kinds, seed))]
            # All of the catalogue's that are alike are chosen as often as one made design.
            alike = Counter((piece.category, piece.habit) for piece in resized)
            shares = {(kind.category, kind.habit): kind.share for kind in kinds}
            for piece in resized:
                key = piece.category, piece.habit
                self.pieces[piece.id] = replace(piece, weight=shares.get(key, 1.0) / alike[key])
            self.broken += catalogue.broken
        for kind in kinds:
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
                    weight=kind.share,
                )

    def usable(self) -> list[Furniture]:
        """All pieces, in the order of their ids; what a rule makes is usable."""
        return [piece for _, piece in sorted(self.pieces.items())]

    def stands(self, piece: Furniture) -> bool:
        """Tell whether a piece stands by itself, as all do that a rule makes: none is made to find that out."""
        if piece.id in self._made or self.catalogue is None:
            return True
        return self.catalogue.stands(self.catalogue.pieces[piece.id])

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
        own = None if self.catalogue is None else self.catalogue.mesh(piece)
        return None if own is None else own.fitted(piece.size)


def _resized(piece: Furniture, kinds: Sequence[FurnitureKind], seed: str) -> Furniture | None:
    """A catalogue's piece in a drawn size; None where none suits it."""
    of_category = [kind for kind in kinds if kind.category == piece.category]
    generator = np.random.default_rng(np.frombuffer(f"{seed}:{piece.id}".encode(), dtype=np.uint8))
    if not of_category:
        most = 0.0 if piece.category in ONE_SIZE else np.log(NATURAL)
        factor = float(np.exp(generator.uniform(-most, most)))
    else:
        alike = [kind for kind in of_category if kind.habit == piece.habit]
        if not alike:
            return None
        drawn = alike[int(generator.integers(len(alike)))].draws(f"{seed}:{piece.id}").size
        # Sides are compared sorted, as in the statistics of real rooms.
        ratios = np.log(sorted(drawn)) - np.log(sorted(piece.size))
        factor = float(np.exp(ratios.mean()))
        if abs(np.log(factor)) > np.log(STRETCH) or np.abs(ratios - ratios.mean()).max() > np.log(MISFIT):
            return None
    width, depth, height = (round(factor * side, 3) for side in piece.size)
    return replace(piece, size=(width, depth, height))
