"""Actors: people who walk through a world, pick something up, carry it elsewhere and put it down."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tolman.geometry.boxes import Floats
from tolman.scenes import SceneObject
from tolman.simulate.figure import STRIDE, Limb, draw_figure, stance
from tolman.simulate.ground import WalkableFloor
from tolman.simulate.mesh import Mesh, block, joined, placed, rod
from tolman.simulate.moving import moving_object, reach_of, shift
from tolman.simulate.paths import LEAST, RATE, KeepOff, ease, ground_of, travel
from tolman.simulate.walks import Walk
from tolman.simulate.world import Body, World

CARRIED: dict[str, tuple[float, float, float]] = {
    "parcel": (0.41, 0.28, 0.24),
    "toolbox": (0.42, 0.22, 0.2),
    "suitcase": (0.42, 0.2, 0.32),
}
"""Loads of people: width, depth and height in metres; as wide as the hands are apart."""
_TAKEN_FOR = {"parcel": {"box", "crate"}, "toolbox": {"box", "crate", "briefcase"}, "suitcase": {"briefcase"}}
"""What else a load would be counted as, in small pictures."""
_SPEED = (0.7, 1.1)
_LIFT = 0.9
"""Seconds to pick up or to put down."""
_HANDS = (0.46, 1.02)
"""Metres ahead of the body and above the ground at which things are carried: to the box's middle."""
_APART = 0.7
"""Metres that a person keeps from the camera and from other people."""
_ROOMY = 0.12
"""Metres that a person keeps from things beyond what a walker needs: arms and loads reach out."""
_TRIES = 600
_TURN = 1.8
"""Radians a second."""
_IRON = (0.12, 0.12, 0.13)


@dataclass(frozen=True)
class _Way:
    """Positions of a person, `RATE` times a second.

    Attributes:
        places: shape (n, 2).
        yaws: the way that the person faces, counter-clockwise from +x, shape (n,).
        swing: of the legs, -1 … 1, shape (n,).
        raised: how far the arms are, 0 … 1, shape (n,).
        held: how far the load is from the ground to the hands, 0 … 1, shape (n,).
        pick, put: steps at which the load leaves the ground and is on it again.
    """

    places: Floats
    yaws: Floats
    swing: Floats
    raised: Floats
    held: Floats
    pick: int
    put: int

    def at(self, series: Floats, seconds: float) -> Floats:
        """A series at a time, straight between its steps; at rest before and after."""
        x = float(np.clip(seconds * RATE, 0, len(series) - 1))
        low = min(int(x), len(series) - 2)
        return np.asarray(series[low] + (series[low + 1] - series[low]) * (x - low))

    def person(self, seconds: float) -> Floats:
        """The transform of the ground below the person, facing as it does."""
        x, y = self.at(self.places, seconds)
        return placed((x, y, 0.0), float(self.at(self.yaws, seconds)) - np.pi / 2)

    def body(self, seconds: float) -> Floats:
        """The transform of the person's body, which a step lifts and lowers."""
        return np.asarray(self.person(seconds) @ placed((0.0, 0.0, stance(float(self.at(self.swing, seconds))))))

    def load(self, seconds: float) -> Floats:
        """The load's transform; its origin is in the middle of its lower side."""
        step = seconds * RATE
        moment = np.clip(step, self.pick, self.put) / RATE
        matrix = self.person(float(moment))
        high = float(self.at(self.held, float(moment))) * _HANDS[1]
        matrix[:3, 3] += matrix[:3, :3] @ np.array([0.0, _HANDS[0], high])
        return matrix

    def limb(self, limb: Limb, seconds: float) -> Floats:
        """The transform of one of the person's limbs."""
        swing, raised = float(self.at(self.swing, seconds)), float(self.at(self.raised, seconds))
        return np.asarray(self.body(seconds) @ limb.pose(swing, raised))


def with_actors(
    world: World, seed: str, *, seconds: float, count: int = 1, walk: Walk | None = None
) -> tuple[World, tuple[str, ...]]:
    """A world with people in it.

    Each walks to a thing on the ground, picks it up, carries it elsewhere and puts it down, without touching anything
    that stands there, other people, or the camera.

    Args:
        world: a still one.
        seed: of what is drawn.
        seconds: how long they act; before and after they stand.
        count: how many people.
        walk: of the camera, to be kept away from.

    Returns:
        The world with the objects 'person-0', … and what they carry, their boxes at time 0 and their tracks; and notes
        of what found no room.
    """
    generator = np.random.default_rng(np.frombuffer(f"actors:{seed}".encode(), dtype=np.uint8))
    present = set(world.scene.categories)
    absent = [name for name in CARRIED if name not in present]
    names = [name for name in absent if _TAKEN_FOR[name].isdisjoint(present)] or absent or ["parcel"]
    bodies: list[Body] = []
    objects: list[SceneObject] = []
    notes = []
    keep_off = KeepOff(world, walk, _APART)
    ground = ground_of(world, generator, _ROOMY)
    for number in range(count):
        name = names[number % len(names)]
        figure, limbs = draw_figure(generator)
        load = _load(name, generator)
        reach = reach_of(figure, limbs)
        way = None if ground is None else _draw(ground, generator, seconds, reach, CARRIED[name], keep_off)
        if way is None:
            notes.append(f"no room for {count - number} more person")
            break
        keep_off.others.append(way.places)
        person, thing = f"person-{number}", f"{name}-{number}"
        bodies += [Body(figure, person, way.body), Body(load, thing, way.load)]
        bodies += [Body(limb.mesh, person, partial(way.limb, limb)) for limb in limbs]
        body_box = partial(shift, way.person, reach.mean(0))
        load_box = partial(shift, way.load, np.array([0.0, 0.0, CARRIED[name][2] / 2]))
        objects.append(moving_object(person, "person", reach[1] - reach[0], body_box, seconds))
        objects.append(moving_object(thing, name, np.array(CARRIED[name]), load_box, seconds))
    return world.adding(bodies, objects), tuple(notes)


def _draw(
    ground: WalkableFloor,
    generator: np.random.Generator,
    seconds: float,
    person: Floats,
    load: tuple[float, float, float],
    keep_off: KeepOff,
) -> _Way | None:
    """A way that touches nothing; None where none was found."""
    places = len(ground.nodes) - ground.first
    for _ in range(_TRIES):
        start, pick, put = (int(i) for i in generator.integers(places, size=3))
        lengths = ground.length(start, pick), ground.length(pick, put)
        if min(lengths) < LEAST or sum(lengths) > _SPEED[1] * seconds:
            continue
        legs = ground.way(start, pick), ground.way(pick, put)
        way = _walked(legs, lengths, ground, seconds, float(generator.uniform(*_SPEED)), float(generator.random()))
        if way is None:
            continue
        middle = np.array([0, 0, load[2] / 2])
        parts = [
            (person[1] - person[0], partial(shift, way.person, person.mean(0))),
            (np.array(load), partial(shift, way.load, middle)),
        ]
        if keep_off.allows(way.places, parts, 0.0, seconds):
            return way
    return None


def _walked(
    legs: tuple[Floats, Floats],
    lengths: tuple[float, float],
    ground: WalkableFloor,
    seconds: float,
    speed: float,
    wait: float,
) -> _Way | None:
    """Path of a person over two legs; None where the time is too short."""
    from scipy.ndimage import gaussian_filter1d

    ends, tangents = [], []
    for leg in legs:
        along, path = travel(leg, ground)
        turn = np.unwrap(np.arctan2(*np.gradient(path, axis=0).T[::-1]))
        ends.append((along, path))
        tangents.append(gaussian_filter1d(turn, 8, mode="nearest"))
    jump = (tangents[1][0] - tangents[0][-1] + np.pi) % (2 * np.pi) - np.pi
    tangents[1] = tangents[1] + (tangents[0][-1] + jump - tangents[1][0])
    spans = [lengths[0] / speed + 0.4, _LIFT, abs(jump) / _TURN + 0.1, lengths[1] / speed + 0.4, _LIFT]
    spare = seconds - sum(spans)
    if spare < 0.2:
        return None
    moments = np.cumsum([0.1 + wait * 0.5 * spare, *spans])
    times = np.arange(int(np.ceil(seconds * RATE)) + 1) / RATE
    places, yaws = np.empty((len(times), 2)), np.empty(len(times))
    for number, (begin, end) in enumerate(((moments[0], moments[1]), (moments[3], moments[4]))):
        inside = times >= (begin if number else -1)
        along, path = ends[number]
        at = along[-1] * ease((times[inside] - begin) / (end - begin))
        places[inside] = np.column_stack([np.interp(at, along, path[:, i]) for i in range(2)])
        yaws[inside] = np.interp(at, along, tangents[number])
    turning = (times >= moments[2]) & (times < moments[3])
    share = (times[turning] - moments[2]) / (moments[3] - moments[2])
    yaws[turning] = tangents[0][-1] + jump * ease(share)
    moved = np.append(0.0, np.linalg.norm(np.diff(places, axis=0), axis=1).cumsum())
    pace = gaussian_filter1d(np.gradient(moved) * RATE, 0.12 * RATE, mode="nearest")
    swing = np.sin(2 * np.pi * moved / STRIDE) * np.clip(pace / 0.8, 0, 1)
    lifted = ease((times - moments[1]) / _LIFT) - ease((times - moments[4]) / _LIFT)
    raised = np.clip(2.5 * lifted, 0, 1)
    pick, put = int(moments[1] * RATE), int(np.ceil(moments[5] * RATE))
    return _Way(places, yaws, swing, raised, lifted, pick, min(put, len(times) - 1))


def _load(name: str, generator: np.random.Generator) -> Mesh:
    """Model of a load, standing in the middle of (0, 0, 0)."""
    width, depth, height = CARRIED[name]
    if name == "parcel":
        card = np.array([0.7, 0.52, 0.34]) * generator.uniform(0.85, 1.1)
        tape = block((-0.03, -0.501, -0.001), (0.03, 0.501, 1.001), (0.82, 0.74, 0.6))
        return joined([block((-0.5, -0.5, 0), (0.5, 0.5, 1), card), tape]).fitted((width, depth, height))
    colour = generator.uniform((0.5, 0.1, 0.08), (0.8, 0.3, 0.3))[generator.permutation(3)]
    parts = [
        block((-width / 2, -depth / 2, 0), (width / 2, depth / 2, height * 0.82), colour),
        block((-width / 2, -depth / 2 - 0.004, height * 0.42), (width / 2, depth / 2 + 0.004, height * 0.47), _IRON),
        rod((-0.07, 0, height * 0.95), (0.07, 0, height * 0.95), 0.013, _IRON),
        rod((-0.07, 0, height * 0.8), (-0.07, 0, height * 0.97), 0.011, _IRON),
        rod((0.07, 0, height * 0.8), (0.07, 0, height * 0.97), 0.011, _IRON),
    ]
    return joined(parts).fitted((width, depth, height))
