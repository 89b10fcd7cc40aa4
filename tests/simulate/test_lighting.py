"""Baked light: near what physics says in an empty box, the same each time, and never dark or bright without a cause."""

import numpy as np
import pytest

pytest.importorskip("embreex", reason="baked light needs the extra 'worlds'")

from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Tree
from tolman.simulate.lighting import STEP, BakedLight, Emitter, LightGrid, facing_share
from tolman.simulate.mesh import Mesh, block, quads

SIDE = 3.0


def lamp(power: float = 10.0, radius: float = 0.15) -> Emitter:
    """In the middle under the ceiling of a room."""
    middle = (SIDE / 2, SIDE / 2, SIDE - 0.05)
    return Emitter(middle, (radius, 0, 0), (0, radius, 0), (0.0, 0.0, -1.0), (power, power, power))


def shell(colour: tuple[float, ...]) -> Mesh:
    """A closed room, seen from inside."""
    walls = block((0, 0, 0), (SIDE, SIDE, SIDE), colour)
    corners = walls.points[walls.faces][:, ::-1]
    return quads(np.concatenate([corners, corners[:, 2:]], axis=1), colour)


def light_at(grid: LightGrid, place: tuple[float, float, float], normal: tuple[float, float, float]) -> Floats:
    """What the renderer takes for a surface at a place, RGB."""
    x, y, z = (round((p - low) / STEP) for p, low in zip(place, grid.low, strict=True))
    amount = grid.most * (grid.amount[z, y, x, :3] / 255) ** 2
    flow = grid.flow[z, y, x, :3] / 127.5 - 1
    return np.asarray(amount * facing_share(flow[None], np.array([normal]))[0])


def test_an_unreflecting_rooms_light_falls_with_the_square_of_the_distance() -> None:
    grid = BakedLight([shell((0.0, 0.0, 0.0))], [lamp()]).grid
    area = 4 * 0.15**2
    for below in (1.0, 1.5, 2.0):
        got = light_at(grid, (SIDE / 2, SIDE / 2, SIDE - 0.05 - below), (0, 0, 1)).mean()
        assert got == pytest.approx(10.0 * area / below**2, rel=0.15)


def test_closed_rooms_of_grey_walls_get_brighter_by_what_they_reflect() -> None:
    black, grey = (BakedLight([shell(colour)], [lamp()]).grid for colour in ((0.0,) * 3, (0.73,) * 3))
    place, sides = (SIDE / 2, SIDE / 2, 1.0), ((0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    # Albedo 0.5: a lamp's light is once, a half and a quarter of itself on all walls together.
    power = np.pi * 10.0 * 4 * 0.15**2
    expected = power * (0.5 + 0.25) / (6 * SIDE**2)
    lit, unlit = (np.mean([light_at(grid, place, side).mean() for side in sides]) for grid in (grey, black))
    assert 0.6 * expected < lit - unlit < 1.6 * expected


def test_no_light_is_lost_and_none_is_negative() -> None:
    generator = np.random.default_rng(0)
    normals = generator.normal(size=(40_000, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    for length in (0.0, 0.3, 0.7, 1.0):
        shares = facing_share(np.tile([length, 0.0, 0.0], (len(normals), 1)), normals)
        assert shares.min() >= 0
        assert shares.mean() == pytest.approx(1.0, abs=0.02)


def test_a_red_wall_colours_what_is_beside_it() -> None:
    red = quads(np.array([[[0.02, 0, 0], [0.02, SIDE, 0], [0.02, SIDE, SIDE], [0.02, 0, SIDE]]]), (0.9, 0.05, 0.05))
    grid = BakedLight([shell((0.8, 0.8, 0.8)), red], [lamp()]).grid
    near = light_at(grid, (0.3, SIDE / 2, 1.0), (-1, 0, 0))
    far = light_at(grid, (SIDE - 0.3, SIDE / 2, 1.0), (1, 0, 0))
    assert near[0] / near[2] > 1.15
    assert near[0] / near[2] > far[0] / far[2]


def test_it_is_darker_under_a_table_and_not_inside_it() -> None:
    top = block((1.0, 1.0, 0.7), (2.0, 2.0, 0.75), (0.5, 0.5, 0.5))
    grid = BakedLight([shell((0.7, 0.7, 0.7)), top], [lamp()]).grid
    beneath = light_at(grid, (1.5, 1.5, 0.3), (0, 0, 1)).mean()
    above = light_at(grid, (1.5, 1.5, 1.1), (0, 0, 1)).mean()
    assert beneath < 0.4 * above
    cabinet = block((0.5, 0.5, 0.0), (1.2, 1.2, 1.2), (0.5, 0.5, 0.5))
    closed = BakedLight([shell((0.7, 0.7, 0.7)), cabinet], [lamp()]).grid
    assert light_at(closed, (0.85, 0.85, 0.6), (0, 0, 1)).mean() > 0


def test_it_is_the_same_each_time_and_computed_once() -> None:
    light = BakedLight([shell((0.7, 0.6, 0.5))], [lamp()])
    assert light.grid is light.grid
    again = BakedLight([shell((0.7, 0.6, 0.5))], [lamp()]).grid
    np.testing.assert_array_equal(light.grid.amount, again.amount)
    np.testing.assert_array_equal(light.grid.flow, again.flow)


def test_a_room_without_light_is_dark_not_broken() -> None:
    grid = BakedLight([shell((0.7, 0.7, 0.7))], []).grid
    assert np.isfinite(grid.exposure)
    assert grid.amount[..., :3].max() == 0


def test_a_lamp_in_the_open_lights_all_around_it() -> None:
    """No probe is in a room then, and each counts as open."""
    floor = block((0, 0, 0), (SIDE, SIDE, 0.1), (0.73,) * 3)
    grid = BakedLight([floor], [lamp()]).grid
    assert light_at(grid, (SIDE / 2, SIDE / 2, 0.1), (0, 0, 1)).min() > 0


def test_rays_are_blocked_where_something_is_met_before_their_ends() -> None:
    tree = Tree(*(getattr(shell((0.5,) * 3), name) for name in ("points", "faces")), "worlds")
    generator = np.random.default_rng(1)
    origins, ways = generator.uniform(0.1, SIDE - 0.1, (500, 3)), generator.normal(size=(500, 3))
    _, distances = tree.cast(origins, ways)
    reach = distances * generator.choice((0.0, 0.99, 1.01), 500)
    assert np.array_equal(tree.blocked(origins, ways, reach), reach > distances)
