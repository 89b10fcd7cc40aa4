"""Furniture made by rule: closed bodies of the size that was drawn, standing, in many shapes, as large as real ones."""

import csv
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("shapely", reason="furniture needs the extra 'worlds'")
pytest.importorskip("embreex", reason="furniture needs the extra 'worlds'")

from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Tree
from tolman.simulate.furniture import support_of
from tolman.simulate.made.forms import volume
from tolman.simulate.made.kind import REGISTRY, FurnitureKind, MadePiece, make_piece
from tolman.simulate.mesh import Mesh

KINDS: dict[str, FurnitureKind] = REGISTRY.all()
SHAPES, LOOKED_AT = 20, 60
"""Distinct shapes that a kind has at least among so many pieces."""
MOST_STRETCH = 1.12
"""Factor by which a rule misses the size that it was given at most, before it is fitted."""
LARGEST_SIZE_ERROR = 0.15
DRAWS = 300
TRIANGLES = 20_000

kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))


def closed(body: Mesh) -> bool:
    """Whether each edge is passed as often in one direction as in the other."""
    _, corner = np.unique(np.round(body.points[body.faces.ravel()], 6), axis=0, return_inverse=True)
    triangles = corner.reshape(-1, 3)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    there, back = (np.sort(edges[:, order] @ (1 << 32, 1)) for order in ([0, 1], [1, 0]))
    return bool((there == back).all())


def areas(body: Mesh) -> Floats:
    corners = body.points[body.faces]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(np.linalg.norm(cross, axis=1) / 2)


def agree(body: Mesh) -> bool:
    """Whether the normals that light falls on look to the side from which the triangles run counter-clockwise."""
    corners = body.points[body.faces]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return bool(((body.normals[body.faces] * flat[:, None]).sum(2) > 0).all())


def holds(kind: FurnitureKind, piece: MadePiece) -> None:
    """All that a piece of any kind keeps to."""
    for number, body in enumerate(piece.bodies):
        told = f"body {number} of {len(piece.bodies)} at {body.bounds.round(3).tolist()}"
        assert np.isfinite(body.points).all(), told
        assert areas(body).min() > 1e-10, told
        assert closed(body), told
        assert volume(body) > 0, told
        assert agree(body), told
        assert np.abs(np.linalg.norm(body.normals, axis=1) - 1).max() < 1e-6, told
        assert body.tints.min() >= 0, told
        assert body.tints.max() <= 1, told
    mesh = piece.mesh
    low, high = mesh.bounds
    np.testing.assert_allclose(high - low, piece.size, atol=1e-3)
    np.testing.assert_allclose(low, (-piece.size[0] / 2, -piece.size[1] / 2, 0), atol=1e-3)
    assert len(mesh.faces) < TRIANGLES
    assert max(*piece.stretch, *(1 / share for share in piece.stretch)) < MOST_STRETCH
    support = support_of(mesh)
    if kind.habit not in ("hung", "never"):
        assert support.stable
    tree = Tree(mesh.points, mesh.faces, "worlds")
    for surface in piece.surfaces:
        spots = np.array([[surface.low[0], surface.low[1]], [surface.high[0], surface.high[1]]])
        middle = spots.mean(0)
        spots = np.concatenate([middle + (spots - middle) * 0.95, [middle]])
        origins = np.column_stack([spots, np.full(3, surface.height + 0.02)])
        _, distances = tree.cast(origins, np.tile([0.0, 0.0, -1.0], (3, 1)))
        np.testing.assert_allclose(distances, 0.02, atol=2e-3)
    for part in piece.openings:
        inside = np.array([part.low, part.high])
        assert (inside[0] < inside[1]).all()
        assert (inside[0] > low - 1e-3).all()
        assert (inside[1] < high + 1e-3).all()


@kinds
def test_the_same_seed_makes_the_same_piece_and_another_seed_another(kind: FurnitureKind) -> None:
    first, again, other = (make_piece(kind, seed) for seed in ("7", "7", "8"))
    holds(kind, first)
    assert first.size == again.size != other.size
    assert first.surfaces == again.surfaces
    assert np.array_equal(first.mesh.points, again.mesh.points)
    assert np.array_equal(first.mesh.tints, again.mesh.tints)
    assert first.mesh.points.shape != other.mesh.points.shape or not np.allclose(first.mesh.points, other.mesh.points)


def declared_in(module: str) -> tuple[FurnitureKind, ...]:
    kinds: tuple[FurnitureKind, ...] = import_module(f"tolman.simulate.made.kinds.{module}").FURNITURE_KINDS
    assert kinds
    return kinds


def test_every_module_of_kinds_declares_some_and_kinds_are_many() -> None:
    folder = Path(__file__).parents[2] / "src/tolman/simulate/made/kinds"
    declared = {kind.name for path in folder.glob("[a-z]*.py") for kind in declared_in(path.stem)}
    assert declared == set(KINDS)
    assert len(KINDS) >= 30
    assert [name for name in KINDS if name in ("chair", "office chair")] == ["chair", "office chair"]
    for kind in KINDS.values():
        assert kind.source
        assert kind.category == kind.category.lower()


@pytest.mark.full
@kinds
def test_pieces_of_a_kind_are_whole_and_of_many_shapes_and_colours(kind: FurnitureKind) -> None:
    """Two pieces are of one shape where their proportions are nearly the same and rays from three sides end alike."""
    shapes: list[tuple[Floats, Floats]] = []
    colours = set()
    for seed in range(LOOKED_AT):
        piece = make_piece(kind, str(seed))
        holds(kind, piece)
        if seed < 4:
            colours.add(tuple(np.round(piece.mesh.tints.mean(0), 2)))
        proportions, depths = np.array(piece.size) / max(piece.size), relief(piece.mesh)
        if all(
            np.abs(proportions - other).max() > 0.05 or (np.abs(depths - seen) > 0.02).mean() > 0.04
            for other, seen in shapes
        ):
            shapes.append((proportions, depths))
        if len(shapes) == SHAPES:
            break
    assert len(shapes) == SHAPES
    assert len(colours) == 4


def relief(mesh: Mesh) -> Floats:
    """Depths of a mesh in a cube of side 1 from the front, the right and above, on 24 × 24 rays each; 2 for no hit."""
    low, high = mesh.bounds
    points = (mesh.points - (low + high) / 2) / (high - low)
    tree = Tree(points, mesh.faces, "worlds")
    across = (np.arange(24) + 0.5) / 24 - 0.5
    u, v = (grid.ravel() for grid in np.meshgrid(across, across))
    depths = []
    for axis in range(3):
        origins = np.ones((len(u), 3))
        origins[:, (axis + 1) % 3], origins[:, (axis + 2) % 3] = u, v
        direction = np.zeros(3)
        direction[axis] = -1.0
        faces, distances = tree.cast(origins, np.tile(direction, (len(u), 1)))
        depths.append(np.where(faces >= 0, distances, 2.0))
    return np.concatenate(depths)


def test_sizes_are_those_of_real_rooms(shared_data: Path) -> None:
    """Sorted sides, since most of the real boxes are tilted, which leaves their height uncertain."""
    table = shared_data / "worlds" / "real_statistics" / "box_dimensions.csv"
    if not table.exists():
        pytest.skip(f"no statistics of real rooms ({table})")
    real: dict[str, dict[str, float]] = defaultdict(dict)
    with table.open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            real[row["category"]][row["dimension"]] = float(row["q50_m"])
    compared: dict[str, list[FurnitureKind]] = defaultdict(list)
    for kind in KINDS.values():
        if kind.real:
            compared[kind.real].append(kind)
    assert len(compared) >= 15
    wrong = []
    for name, parts in compared.items():
        whole = sum(kind.share for kind in parts)
        drawn = [kind.draws(str(i)).size for kind in parts for i in range(round(DRAWS * kind.share / whole))]
        medians = np.median(np.sort(drawn, axis=1)[:, ::-1], axis=0)
        for median, side in zip(medians, ("sorted_1_longest", "sorted_2", "sorted_3_shortest"), strict=True):
            if abs(median / real[name][side] - 1) > LARGEST_SIZE_ERROR:
                wrong.append(f"{name} {side}: {median:.3f} m, real {real[name][side]:.3f} m")
    assert not wrong, "\n".join(wrong)


def test_sizes_of_a_kind_differ() -> None:
    """No size can be known without looking: a category's longest side isn't the same twice."""
    for kind in KINDS.values():
        longest = np.array([max(kind.draws(str(i)).size) for i in range(40)])
        assert len(set(longest)) > 20, kind.name
        assert np.log(longest).std() > 0.02, kind.name
