"""Kinds of furniture, how a piece is made of one, and a library of such pieces next to the catalogue's.

A piece gets its size first, then its parts, then the fit of the parts into that size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tolman.registry import Registry
from tolman.simulate.furniture import Furniture, FurnitureSource
from tolman.simulate.made.forms import Material, Point, drawn_material
from tolman.simulate.mesh import Mesh, joined
from tolman.simulate.room_contents import Habit
from tolman.toml_catalogue import read_table, with_tuples

Size = tuple[float, float, float]

REACH = 1.645
"""Standard deviations within which sizes are drawn: from the 5th to the 95th percentile."""


@dataclass(frozen=True)
class SizeClass:
    """Sizes of some design of a kind: log-normal, cut at the 5th and the 95th percentile.

    Attributes:
        median: width, depth and height, metres.
        spread: standard deviations of their logarithms.
        common: correlation of the three, 0 … 1: large ones are mostly large all over.
        name: of the design: 'bunk', 'floor lamp'.
        share: of all pieces of the kind.
    """

    median: Size
    spread: Size
    common: float = 0.5
    name: str = ""
    share: float = 1.0

    def draw(self, generator: np.random.Generator) -> Size:
        """A size, to the millimetre."""
        shared = generator.standard_normal()
        each = generator.standard_normal(3)
        steps = np.clip(np.sqrt(self.common) * shared + np.sqrt(1 - self.common) * each, -REACH, REACH)
        w, d, h = (round(float(m * np.exp(s * z)), 3) for m, s, z in zip(self.median, self.spread, steps, strict=True))
        return w, d, h


@dataclass(frozen=True)
class Draws:
    """Everything that is drawn for one piece.

    Attributes:
        generator: of all that is drawn after the size.
        size: width, depth, height, metres: x from -width/2, y from -depth/2 (the back) and z from 0.
        design: name of the size class.
    """

    generator: np.random.Generator
    size: Size
    design: str = ""

    def between(self, low: float, high: float) -> float:
        """A number, each as likely."""
        return float(self.generator.uniform(low, high))

    def count(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return int(self.generator.integers(low, high + 1))

    def chance(self, probability: float) -> bool:
        """Draw True with a probability."""
        return bool(self.generator.random() < probability)

    def pick(self, *options: str) -> str:
        """One of some words."""
        return options[int(self.generator.integers(len(options)))]

    def top(self, margin: float) -> LevelSurface:
        """The upper side, but for a margin along its edges, metres."""
        x, y = self.size[0] / 2 - margin, self.size[1] / 2 - margin
        return LevelSurface((-x, -y), (x, y), self.size[2])

    def material(self, *families: str) -> Material:
        """A material of one of some families."""
        return drawn_material(self.generator, self.pick(*families))


@dataclass(frozen=True)
class LevelSurface:
    """A level rectangle that can carry things.

    Attributes:
        low, high: its corners, x and y.
        height: metres above the base of the piece.
    """

    low: tuple[float, float]
    high: tuple[float, float]
    height: float


@dataclass(frozen=True)
class OpeningPart:
    """A part that opens: a door, a drawer, a lid.

    Attributes:
        kind: 'hinged' (turns about an upright axis), 'lid' and 'flap' (turn about an axis along x), 'drawer' (comes out
            along `out`) or 'sliding' (moves along x).
        low, high: corners of the closed part's box.
        hinge: a point of the axis about which it turns; None for sliding parts.
        out: the side to which it opens.
    """

    kind: str
    low: Point
    high: Point
    hinge: Point | None = None
    out: Point = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class MadeParts:
    """Parts that a kind's rule makes.

    Attributes:
        bodies: closed meshes.
        surfaces: that can carry things.
        openings: parts that open.
    """

    bodies: Sequence[Mesh]
    surfaces: Sequence[LevelSurface] = ()
    openings: Sequence[OpeningPart] = ()


@dataclass(frozen=True)
class FurnitureKind:
    """A kind of furniture.

    Attributes:
        name: 'office chair'.
        category: as questions name it.
        habit: where people put such a thing.
        sizes: its designs' sizes.
        make: the rule: everything drawn → parts. Pure.
        source: of the sizes.
        real: the row of the statistics of real rooms with which its sizes are compared; '' for none.
        share: of the real things in that row that are of this kind.
        elevation: metres above the floor at which it hangs.
    """

    name: str
    category: str
    habit: Habit
    sizes: tuple[SizeClass, ...]
    make: Callable[[Draws], MadeParts]
    source: str
    real: str = ""
    share: float = 1.0
    elevation: float = 0.0

    def draws(self, seed: str) -> Draws:
        """Everything that a seed determines; of each kind something else."""
        generator = np.random.default_rng(np.frombuffer(f"{self.name}:{seed}".encode(), dtype=np.uint8))
        shares = np.array([one.share for one in self.sizes])
        chosen = self.sizes[int(np.searchsorted(shares.cumsum() / shares.sum(), generator.random(), side="right"))]
        return Draws(generator, chosen.draw(generator), chosen.name)


def own_kinds(makers: Mapping[str, Callable[[Draws], MadeParts]]) -> tuple[FurnitureKind, ...]:
    """Return Tolman's own kinds of some rules, by their tables in `kinds/kinds.toml`."""
    _, tables = read_table(Path(__file__).with_name("kinds") / "kinds.toml")
    found = []
    for name, make in makers.items():
        table = with_tuples(tables[name])
        sizes = tuple(SizeClass(**one) for one in table.pop("sizes"))
        found.append(FurnitureKind(name, sizes=sizes, make=make, **table))
    return tuple(found)


@dataclass(frozen=True)
class MadePiece:
    """A piece of furniture.

    Attributes:
        size: width, depth, height, metres.
        bodies: its parts, on (0, 0, 0) with the front along +y.
        surfaces: that can carry things.
        openings: parts that open.
        stretch: by how much its rule's parts were stretched to fill the size, along x, y and z.
    """

    size: Size
    bodies: tuple[Mesh, ...]
    surfaces: tuple[LevelSurface, ...] = ()
    openings: tuple[OpeningPart, ...] = ()
    stretch: Size = field(default=(1.0, 1.0, 1.0))

    @property
    def mesh(self) -> Mesh:
        """All parts as one mesh."""
        return joined(self.bodies)


def make_piece(kind: FurnitureKind, seed: str, like: Draws | None = None) -> MadePiece:
    """A piece of a kind; the same seed gives the same.

    Args:
        kind: its rule.
        seed: of everything that is drawn.
        like: draws of another piece, whose size and design it has; None for a size and a design of its own.
    """
    draws = kind.draws(seed)
    if like is not None:
        draws = replace(draws, size=like.size, design=like.design)
    parts = kind.make(draws)
    low = np.min([body.bounds[0] for body in parts.bodies], axis=0)
    high = np.max([body.bounds[1] for body in parts.bodies], axis=0)
    scale = np.asarray(draws.size) / (high - low)
    shift = -scale * np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    fit = np.diag([*scale, 1.0])
    fit[:3, 3] = shift

    def at(point: Sequence[float]) -> Point:
        x, y, z = (float(v) for v in np.asarray(point) * scale + shift)
        return x, y, z

    return MadePiece(
        draws.size,
        tuple(body.moved(fit) for body in parts.bodies),
        tuple(LevelSurface(at((*s.low, 0))[:2], at((*s.high, 0))[:2], at((0, 0, s.height))[2]) for s in parts.surfaces),
        tuple(
            replace(o, low=at(o.low), high=at(o.high), hinge=None if o.hinge is None else at(o.hinge))
            for o in parts.openings
        ),
        (float(scale[0]), float(scale[1]), float(scale[2])),
    )


def _problem(kind: object) -> str:
    return "" if isinstance(kind, FurnitureKind) else "is no FurnitureKind"


REGISTRY = Registry(
    "kind of furniture",
    "tolman.simulate.made.kinds",
    "FURNITURE",
    "tolman.furniture",
    plural="FURNITURE_KINDS",
    named_by_file=False,
    check=_problem,
)
"""Kinds by name, Tolman's and those of plugins."""


DESIGNS = 2
"""Pieces of each kind in a library; things of a kind in a room are similar, not equal."""
STRETCH = 1.25
"""Factor by which a catalogue's model is scaled at most; a chair that is scaled by more looks like a toy's."""
MISFIT = 1.4
"""Factor by which a side of a scaled model and of the drawn size differ at most: a bar stool is no low stool."""
NATURAL = 1.12
"""The same for models of which no kind tells the sizes."""
_NO_COPIES = frozenset({"picture"})
"""Categories whose things in a room all look different; their sizes are the same."""
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
        """Return all pieces, in the order of their ids; pieces made by a rule are usable."""
        return [piece for _, piece in sorted(self.pieces.items())]

    def stands(self, piece: Furniture) -> bool:
        """Check whether a piece stays upright; those made by a rule do, so none is made to check it."""
        if piece.id in self._made or self.catalogue is None:
            return True
        return self.catalogue.stands(self.catalogue.pieces[piece.id])

    def copy(self, piece: Furniture, number: int) -> Mesh | None:
        kind, own = self._made.get(piece.id, (None, ""))
        if kind is None or number == 0 or piece.category not in _NO_COPIES:
            return self.mesh(piece)
        return make_piece(kind, f"{own}:{number}", like=kind.draws(own)).mesh

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
