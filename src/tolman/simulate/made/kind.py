"""Kinds of furniture, and how a piece is made of one: size first, then its parts, then the fit into that size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tolman.registry import Registry
from tolman.simulate.habits import Habit
from tolman.simulate.made.materials import Material, drawn_material
from tolman.simulate.made.outlines import Point
from tolman.simulate.mesh import Mesh, joined

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
        """Whether something is so."""
        return bool(self.generator.random() < probability)

    def pick(self, *options: str) -> str:
        """One of some words."""
        return options[int(self.generator.integers(len(options)))]

    def material(self, *families: str) -> Material:
        """A material of one of some families."""
        return drawn_material(self.generator, self.pick(*families))


@dataclass(frozen=True)
class LevelSurface:
    """A level rectangle on which things can stand.

    Attributes:
        low, high: its corners, x and y.
        height: metres above what the piece stands on.
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
        hinge: a point of the axis about which it turns; None for what slides.
        out: the side to which it opens.
    """

    kind: str
    low: Point
    high: Point
    hinge: Point | None = None
    out: Point = (0.0, 1.0, 0.0)


@dataclass(frozen=True)
class MadeParts:
    """What a kind's rule makes.

    Attributes:
        bodies: closed meshes.
        surfaces: on which things can stand.
        openings: what opens.
    """

    bodies: Sequence[Mesh]
    surfaces: Sequence[LevelSurface] = ()
    openings: Sequence[OpeningPart] = ()


@dataclass(frozen=True)
class FurnitureKind:
    """A kind of furniture.

    Attributes:
        name: 'office chair'; the name of its file.
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


@dataclass(frozen=True)
class MadePiece:
    """A piece of furniture.

    Attributes:
        size: width, depth, height, metres.
        bodies: its parts, standing on (0, 0, 0) with the front along +y.
        surfaces: on which things can stand.
        openings: what opens.
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


def make_piece(kind: FurnitureKind, seed: str) -> MadePiece:
    """A piece of a kind; the same seed gives the same."""
    draws = kind.draws(seed)
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
    named_by_file=False,
    check=_problem,
)
"""Kinds by name, Tolman's and those of plugins."""
