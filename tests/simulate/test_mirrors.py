"""Mirrors: which planes they are, where they lie in a picture, and that they show what is before them."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from simulate.worlds import gaze, thing_at
from tolman.geometry.camera_geometry import pixel_rays
from tolman.scenes import Scene
from tolman.simulate.lighting import DEFAULT, FAST, HIGH
from tolman.simulate.mesh import Mesh, block, joined, placed
from tolman.simulate.render import Renderer
from tolman.simulate.render_input import mirrors_of
from tolman.simulate.walks import intrinsics_of
from tolman.simulate.world import Body, Caster, World

SIZE = (160, 120)
CAMERA = intrinsics_of(SIZE)


def glass() -> Mesh:
    """A pane at x = 3 that reflects what is at smaller x."""
    return block((3.0, -1.0, 0.5), (3.02, 1.0, 2.5)).painted((0.5, 0.5, 0.5)).mirrored()


def hall() -> World:
    """A mirror before the camera, a red post behind it and a green one behind the mirror."""
    frame = block((3.02, -1.1, 0.4), (3.05, 1.1, 2.6), (0.1, 0.1, 0.1))
    posts = (block((-3.0, y - 0.25, 0.0), (-2.5, y + 0.25, 3.0), colour) for y, colour in _POSTS)
    hidden = block((5.0, -3.0, 0.0), (5.2, 3.0, 3.0), (0.1, 0.8, 0.1))
    objects = (
        thing_at("mirror", (3.025, 0.0, 1.5), (0.05, 2.2, 2.2)),
        thing_at("post", (-2.75, 0.0, 1.5), (0.5, 6.0, 3.0)),
        thing_at("screen", (5.1, 0.0, 1.5), (0.2, 6.0, 3.0)),
    )
    scene = Scene(id="t/hall", dataset="t", objects=objects)
    bodies = (Body(joined([glass(), frame]), "mirror-0"), Body(joined(list(posts)), "post-0"), Body(hidden, "screen-0"))
    return World(scene, bodies, shapely.box(-5, -5, 5, 5))


_POSTS = ((0.8, (0.9, 0.05, 0.05)), (-0.6, (0.05, 0.05, 0.9)))
"""Where posts stand along y, and their colours."""
AHEAD = gaze((0.0, 0.0, 1.5))


def test_a_pane_has_two_faces_that_reflect_and_each_its_image() -> None:
    planes = list(mirrors_of(glass()))
    faces = {round(float(plane.plane[0])): plane for plane in planes if abs(plane.plane[0]) > 0.9}
    assert len(planes) == 6  # its rims reflect, too: each has 0.04 m²
    assert faces[-1].plane == pytest.approx([-1, 0, 0, 3])
    image = faces[-1].reflection @ [1.0, 0.4, 0.7, 1.0]
    assert image == pytest.approx([5.0, 0.4, 0.7, 1.0])
    assert faces[1].window(AHEAD, CAMERA, SIZE) is None
    left, top, width, height = faces[-1].window(AHEAD, CAMERA, SIZE) or (0, 0, 0, 0)
    fx, fy, cx, cy = CAMERA
    assert (left, top) == (int(cx - fx / 3), int(cy - fy / 3))
    assert left + width == pytest.approx(cx + fx / 3, abs=1)
    assert top + height == pytest.approx(cy + fy / 3, abs=1)
    assert faces[-1].window(gaze((0.0, 0.0, 1.5), yaw=np.pi), CAMERA, SIZE) is None


def test_what_has_no_mirror_has_no_planes() -> None:
    assert list(mirrors_of(block((0, 0, 0), (1, 1, 1)))) == []


def test_joined_and_moved_meshes_keep_their_mirrors() -> None:
    both = joined([block((0, 0, 0), (1, 1, 1)), glass()]).moved(placed((1.0, 0.0, 0.0)))
    planes = [plane.plane for plane in mirrors_of(both)]
    assert len(planes) == 6
    assert any(plane == pytest.approx([-1, 0, 0, 4]) for plane in planes)


@pytest.mark.usefixtures("needs_egl")
@pytest.mark.parametrize("level", [DEFAULT, replace(HIGH, shadows=512, samples=2)], ids=["default", "high"])
def test_a_mirror_shows_what_rays_meet_that_it_throws_back(level: object) -> None:
    here = hall()
    with Renderer(here, SIZE, level) as renderer:  # type: ignore[arg-type]
        frame = renderer.frame(AHEAD, CAMERA)
        again = renderer.frame(AHEAD, CAMERA)
        behind = renderer.frame(AHEAD @ np.diag([-1.0, 1.0, -1.0, 1.0]), CAMERA)
    with Renderer(here, SIZE, FAST) as renderer:
        plain = renderer.frame(AHEAD, CAMERA)
        unseen = renderer.frame(AHEAD @ np.diag([-1.0, 1.0, -1.0, 1.0]), CAMERA)
    # Instances and depth are those of the glass, and what is drawn behind it leaves nothing to the next picture.
    for a, b in ((frame, plain), (again, plain), (behind, unseen)):
        np.testing.assert_array_equal(a.instances, b.instances)
        np.testing.assert_array_equal(a.depth, b.depth)
    np.testing.assert_array_equal(frame.colour, again.colour)
    rays = pixel_rays(AHEAD, CAMERA, SIZE).reshape(*SIZE[::-1], 3)
    pane = (frame.instances == 1) & np.isclose(frame.depth, 3.0, atol=1e-4)
    assert pane.sum() > 2000
    ways = rays[pane] * (-1, 1, 1)
    starts = AHEAD[:3, 3] + rays[pane] * 2.999 / rays[pane][:, :1]  # a ray that began on the glass would meet it
    hits = Caster(here).cast(starts, ways)
    places = starts + np.where(np.isfinite(hits.distances), hits.distances, 0.0)[:, None] * ways
    colours = frame.colour[pane].astype(int)
    # Away from edges: their pixels are smoothed.
    for y, channel in ((0.8, 0), (-0.6, 2)):
        inner = (hits.numbers == 2) & (np.abs(places[:, 1] - y) < 0.2)
        assert inner.sum() > 50
        others = np.delete(colours[inner], channel, axis=1).max(1)
        assert (colours[inner, channel] > 2 * others).mean() > 0.97
    # The green screen behind the glass is never seen.
    assert (colours[:, 1] <= np.maximum(colours[:, 0], colours[:, 2]) + 12).all()
