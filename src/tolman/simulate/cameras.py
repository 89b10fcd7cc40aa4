"""Cameras that move: walked with, held in a hand, or on a robot."""

from __future__ import annotations

from tolman.names import unknown
from tolman.simulate.driving import draw_drive
from tolman.simulate.tremor import with_tremor
from tolman.simulate.walks import Walk, draw_motion
from tolman.simulate.world import World

WALK, HANDHELD, ROBOT = CAMERAS = ("walk", "handheld", "robot")


def draw_trajectory(
    world: World, seed: str, *, camera: str = WALK, seconds: float, rate: int, size: tuple[int, int] = (640, 480)
) -> Walk:
    """The trajectory of a moving camera.

    Args:
        world: where.
        seed: of what is drawn.
        camera: one of `CAMERAS`: 'walk' is `draw_walk`, 'handheld' the same walk with the tremor of a hand, 'robot' a
            drive.
        seconds: how long.
        rate: frames a second.
        size: of the picture, for what its angle of view shows.

    Raises:
        UsageError: there is no such camera.
    """
    if camera not in CAMERAS:
        raise unknown("camera", camera, CAMERAS)
    draw = draw_drive if camera == ROBOT else draw_motion
    times, motion = draw(world, seed, seconds=seconds, rate=rate, size=size)
    if camera == HANDHELD:
        motion = with_tremor(motion, times, seed)
    return Walk(times, motion.poses)
