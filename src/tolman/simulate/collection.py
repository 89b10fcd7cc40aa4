"""A collection of simulated scenes: drawn, recorded and written, over any number of processes."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tolman.errors import InputError
from tolman.files import remove_partials, write_text
from tolman.parallel import TaskNeeds, Workers, WorkPlace, parallel_map
from tolman.scene_shards import Shard, ShardRecord, claim, end_join, finish, join_scenes
from tolman.scene_table import Part, Parts, read_collection, write_collection
from tolman.scenes import Capture
from tolman.simulate.agents import with_actors, with_robots
from tolman.simulate.lighting import DEFAULT, quality_named
from tolman.simulate.rig_sensors import ROOM, STREET, exo_walks, record_lidar, with_wearer, without_body
from tolman.simulate.scene_recording import CameraTrack, look, record
from tolman.simulate.simulated_places import WorldsConfig, library_at, place, twin_place, twin_walk, walk_through
from tolman.simulate.traffic import with_traffic
from tolman.simulate.twins import WATCHED
from tolman.simulate.walks import WALK
from tolman.simulate.world import World

DATASET = "simulated"
SETTINGS = "simulation.json"
_BEFORE = {"quality": DEFAULT.name, "camera": WALK}
"""Settings of collections that don't name them."""
_WATCHING = 2
"""Fixed cameras that watch twins."""
NEEDS = TaskNeeds(memory=600 * 2**20)
"""What one scene takes: its meshes, the pictures that are drawn and those that are encoded."""


@dataclass(frozen=True)
class SimulatedScene:
    """Summary of one scene; the scene itself is in the collection.

    Attributes:
        id: of the scene.
        room_area: of its floor, square metres; None outdoors.
        objects, categories: how many it has.
        coverage: the share of its objects that its first recording shows.
        frames: of all its recordings.
        notes: requested items that didn't fit, and models that are left out.
        drawn: whether it was made now; else it was there.
    """

    id: str
    room_area: float | None
    objects: int
    categories: int
    coverage: float
    frames: int
    notes: tuple[str, ...] = ()
    drawn: bool = True

    @classmethod
    def of(cls, part: Part, *, drawn: bool = True) -> SimulatedScene:
        """Summarize a scene."""
        scene, captures = part.scene, part.captures
        seen = {sighting.object for sighting in captures[0].sightings}
        things, frames = len(scene.objects), sum(len(capture.times) for capture in captures)
        coverage = len(seen) / max(1, things)
        return cls(scene.id, scene.room_area, things, len(scene.categories), coverage, frames, part.notes, drawn)


def simulate(
    config: WorldsConfig,
    out: Path,
    workers: Workers,
    done: Callable[[SimulatedScene], None] | None = None,
    shard: Shard | None = None,
) -> list[SimulatedScene]:
    """Simulate scenes into a folder; the same command resumes where it was stopped.

    Args:
        config: the scenes that are asked for.
        out: the collection's folder.
        workers: processes, or another place.
        done: called with each scene, in order.
        shard: the part of the scenes that is made; None for all.

    Raises:
        InputError: the folder holds something else or more scenes, or the furniture can't be used.
        NoDisplayError: the machine can't draw.
    """
    settings = config.settings()
    check_place(out, settings)
    if config.furniture is not None:
        library_at(config.furniture).usable()
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / SETTINGS, json.dumps(settings, indent=2) + "\n")
    record = None
    if shard is not None:
        record = ShardRecord(job="simulate", number=shard.number, of=shard.of, things=config.scenes, settings=settings)
    claim(out, record, (SETTINGS,))
    own = range(config.scenes) if shard is None else shard.part(range(config.scenes))
    names = {number: f"{DATASET}/{config.seed}-{number:04d}" for number in own}
    # Without recordings it is of a table that was not written to its end; the scene still lies in its part then.
    there = {part.scene.id: SimulatedScene.of(part, drawn=False) for part in read_collection(out) if part.captures}
    _check_number(out, there, names.values(), config.twins)
    missing = [number for number, name in names.items() if name not in there]
    groups = [tuple(some) for _, some in itertools.groupby(missing, lambda number: number // config.twins)]
    threads = WorkPlace.of(workers).cores_each(len(groups))
    jobs = [_Job(config, numbers, out, threads) for numbers in groups]
    shared = [out / SETTINGS, *([config.furniture] if config.furniture else [])]
    fresh = itertools.chain.from_iterable(parallel_map(_carry_out, jobs, workers, needs=NEEDS, shared=shared))
    made = []
    for name in names.values():
        one = there.get(name) or next(fresh)
        made.append(one)
        if done:
            done(one)
    if list(there) != [one.id for one in made] or Parts(out).folder.exists():
        _write(out, [one.id for one in made])
    if jobs:
        remove_partials(out)
    if record is not None:
        finish(out, record, len(made))
    return made


def _check_number(out: Path, there: Iterable[str], names: Collection[str], twins: int) -> None:
    """Refuse a number of scenes that would drop some from the folder: their videos would be drawn again later."""
    more = {*there, *Parts(out).others(names)} - set(names)
    if more:
        least = 1 + max(int(name.rpartition("-")[2]) for name in more)
        fix = f"give --scenes {-(-least // twins) * twins} or more, or another folder with --out"
        raise InputError(out, "holds more scenes than are asked for", fix=fix)


def _write(out: Path, names: Sequence[str]) -> None:
    """Rewrite the collection from parts and its previous content, a scene at a time."""
    parts, wanted = Parts(out), frozenset(names)
    # All of it lies in parts before the tables are touched: whoever is stopped then finds it there.
    for old in read_collection(out):
        if old.scene.id in wanted and parts.read(old.scene.id) is None:
            parts.write(old)
    write_collection(out, _Kept(parts, names))
    parts.remove()


@dataclass(frozen=True)
class _Kept:
    """Parts in an order, read again at each iteration."""

    parts: Parts
    names: Sequence[str]

    def __iter__(self) -> Iterator[Part]:
        for name in self.names:
            part = self.parts.read(name)
            if part is None:
                raise InputError(self.parts.folder, f"has lost the scene '{name}'", fix="start again")
            yield part


def join(shards: Sequence[Path], out: Path) -> int:
    """Join the shards of a job, as `scene_shards.whole_job` gives them; the number of scenes.

    Raises:
        InputError: the folder holds something else, or a shard isn't whole.
    """
    count = join_scenes(shards, out)
    write_text(out / SETTINGS, (shards[0] / SETTINGS).read_text(encoding="utf-8"))
    end_join(out)
    return count


def check_place(out: Path, settings: dict[str, Any]) -> None:
    """Make sure that a folder is free, or holds a collection that was simulated with the same settings.

    Raises:
        InputError: it doesn't.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    try:
        found = json.loads((out / SETTINGS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise InputError(out, "holds other files", fix="give an empty folder with --out") from None
    if isinstance(found, dict):
        found = _BEFORE | found
    if found != settings:
        changed = sorted(key for key in {*found, *settings} if found.get(key) != settings.get(key))
        raise InputError(
            out, f"holds scenes made with another {', '.join(changed)}", fix="give another folder with --out"
        )


@dataclass(frozen=True)
class _Job:
    """Scenes that are to be simulated by one process, as they share a plan, and the cores that may draw each."""

    config: WorldsConfig
    numbers: tuple[int, ...]
    out: Path
    threads: int


def _carry_out(job: _Job) -> list[SimulatedScene]:
    """Draw and record scenes, or take them from where an earlier start left them."""
    os.environ.setdefault("LP_NUM_THREADS", str(job.threads))
    return [_drawn_or_kept(job.config, number, job.out) for number in job.numbers]


def _drawn_or_kept(config: WorldsConfig, number: int, out: Path) -> SimulatedScene:
    parts = Parts(out)
    if kept := parts.read(f"{DATASET}/{config.seed}-{number:04d}"):
        return SimulatedScene.of(kept, drawn=False)
    made = make(config, number, out)
    parts.write(made)
    for capture in made.captures:
        parts.drop(capture.id)
    return SimulatedScene.of(made)


def make(config: WorldsConfig, number: int, out: Path) -> Part:
    """Simulate one scene: its place, the people and robots in it, its walk, its recordings.

    Each of several recordings is kept when it is done, so that an interrupted run resumes at the next.
    """
    name = f"{config.seed}-{number:04d}"
    group, twin = divmod(number, config.twins)
    identity, seed = f"{DATASET}/{name}", f"{config.seed}:{group}"
    shape, exo = config.shapes[group % len(config.shapes)], config.exo
    if config.twins > 1:
        differ = config.differ[group % len(config.differ)]
        exo = max(exo, _WATCHING * (differ == WATCHED))
        whole, world, notes = twin_place(config, shape, identity, seed, twin, differ)
        walk = twin_walk(config, shape, seed, twin, differ)
    else:
        world, notes = place(config, shape, identity, seed)
        whole = world
        walk = walk_through(world, config, shape, seed)
    movers = (with_actors, config.actors), (with_robots, config.robots), (with_traffic, config.traffic)
    for adding, count in movers:
        if count:
            world, missing = adding(world, seed, seconds=config.seconds, count=count, walk=walk)
            notes += missing
    planned = whole if config.twins > 1 else world
    fixed = exo_walks(planned, walk, exo, size=config.size) if exo else []
    if fixed:
        world = with_wearer(world, walk, seed)
    own = without_body(world)
    camera = CameraTrack(f"{identity}/ego", "ego", walk, config.size, config.rate, f"videos/{name}.mp4")
    kept = _KeptRecordings(Parts(out) if config.media and (fixed or config.lidar) else None)
    captures = [kept.or_made(camera.id, partial(_recorded, config, own, camera, out))]
    for role, still in fixed:
        media = f"videos/{name}-{role}.mp4"
        watching = CameraTrack(f"{identity}/{role}", role, still, config.size, config.rate, media)
        captures.append(kept.or_made(watching.id, partial(_recorded, config, world, watching, out)))
    if config.lidar:
        media, spinner = f"lidar/{name}", STREET if world.scene.room_area is None else ROOM
        scan = partial(record_lidar, own, walk, out / media, media=media, seed=seed, spinner=spinner)
        captures.append(kept.or_made(f"{identity}/lidar", partial(scan, identity=f"{identity}/lidar")))
    group_name = f"{DATASET}/{config.seed}-twins-{group:04d}" if config.twins > 1 else None
    scene = world.scene.model_copy(update={"video": captures[0].media, "twins": group_name})
    return Part(scene, tuple(captures), notes)


@dataclass(frozen=True)
class _KeptRecordings:
    """Finished recordings of a scene that isn't done; none where it has but one."""

    parts: Parts | None

    def or_made(self, identity: str, make: Callable[[], Capture]) -> Capture:
        if self.parts is None:
            return make()
        if there := self.parts.read_capture(identity):
            return there
        made = make()
        self.parts.write_capture(made)
        return made


def _recorded(config: WorldsConfig, world: World, camera: CameraTrack, out: Path) -> Capture:
    if not config.media:
        return look(world, camera)
    return record(world, camera, out, depth=config.depth, quality=quality_named(config.quality))
