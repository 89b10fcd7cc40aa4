"""How well furniture and street furniture are measured: dimensions of objects of simulated recordings.

python benchmarks/measuring.py [--places rectangle,street] [--scenes 8] [--seed 0] [--furniture FILE] [--cut] [--all]

Each place is walked through with a LiDAR that turns five times a second. Its noise and the errors of its poses, smooth
in time, are drawn for each place. Up to 19 objects of a place, at most three of them doors, windows and such, are
picked by a level box around each that is 7 cm wider on every side, as a person would draw it. Objects within 5 cm of
another one are measured again with masks in 15 frames. The masks are shifted by up to two pixels of 320, and one in
ten is missing. With `--cut`, every third object is measured again in a scan that ends within it.

A scene takes 15 to 40 s of CPU. `--rows FILE` keeps its rows, so that a stopped command goes on where it was.

`--calibrate FILE` writes the factors of bounds: the conformal quantiles of errors over their scales, by case and
direction. The package's own were made with the command in `measured_bounds.json`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, get_args

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.stats import binomtest

from tolman.errors import TolmanError
from tolman.geometry.box_uncertainty import Rays
from tolman.geometry.boxes import Boxes, distances
from tolman.geometry.camera_geometry import pixel_rays
from tolman.geometry.clouds import Cloud, voxel_means
from tolman.geometry.fitting import FitError
from tolman.geometry.measuring import Case, Uncalibrated, box_of, uncalibrated
from tolman.geometry.regions import BoxRegion, Votes, pick
from tolman.ingest.clouds import Gathered
from tolman.ingest.clouds.recording import open_collection
from tolman.ingest.joined_marks import Mark, MarkedView
from tolman.ingest.lifted_boxes import MaskVotes, with_depth
from tolman.scene_table import write_captures
from tolman.scenes import Capture, OrientedBox
from tolman.simulate.rig_sensors import ROOM, STREET, record_lidar
from tolman.simulate.simulated_places import PLACES, WorldsConfig, place
from tolman.simulate.walks import Walk, draw_trajectory, intrinsics_of
from tolman.simulate.world import Caster, World

AROUND, TOUCHING, MOST_RAYS = 0.07, 0.05, 150_000
MOST = (16, 3)
"""Objects of a place that are measured: things that stand, and doors, windows and such."""
HUNG = {"clock", "picture", "window", "door", "mirror"}
SMALL = {"rectangle", "l-shape", "street"}
"""Places that are walked through in 10 s; others in 20 s."""
PICTURE, FRAMES = (320, 240), 30
DIMENSIONS = ("height", "length", "width")
QUANTITIES = ("size", *DIMENSIONS)
DIRECTIONS = ("vertical", "level")


@dataclass(frozen=True)
class Draw:
    """What is drawn for each place: ranges of noise and the greatest error of poses, metres; and the furniture.

    With `cut`, objects are measured again in scans that end within them.
    """

    noise: tuple[float, float] = (0.01, 0.01)
    poses: float = 0.0
    furniture: Path | None = None
    cut: bool = False


@dataclass(frozen=True)
class Try:
    """One dimension of one object measured."""

    scene: int
    place: str
    category: str
    apart: float
    """Metres to the next object."""
    masks: bool
    cut: bool
    """Whether the scan ends within the object."""
    quantity: str
    wanted: float
    found: Uncalibrated | None
    reason: str = ""
    """Why there is no value, not even with a wide bound."""

    @property
    def off(self) -> float:
        return abs(self.found.value - self.wanted) if self.found else np.nan

    @property
    def good(self) -> bool:
        return self.off <= max(0.02, 0.02 * self.wanted)

    @property
    def held(self) -> bool:
        return self.found is not None and self.off <= self.found.bound()

    def given(self, wide: bool = False) -> bool:
        return self.found is not None and self.found.given(wide=wide)


def region_of(box: OrientedBox, around: float = AROUND) -> BoxRegion:
    """The level box around an object that a person would draw."""
    half = (np.abs(np.array(box.axes)) * np.array(box.extents)[:, None] / 2).sum(0) + around
    center = np.array(box.center)
    return BoxRegion(tuple((center - half).tolist()), tuple((center + half).tolist()))


def shaken(capture: Capture, generator: np.random.Generator, error: float) -> Capture:
    """Poses with smooth errors: of so many metres, standard deviation, and 0.3 rad for each metre."""

    def smooth() -> Any:
        rates, phases = generator.uniform(0.05, 0.5, (3, 3)), generator.uniform(0, 2 * np.pi, (3, 3))
        return np.sin(2 * np.pi * seconds[:, None, None] * rates + phases).sum(-1) * np.sqrt(2 / 3)

    if error == 0:
        return capture
    poses, seconds = np.array(capture.poses).reshape(-1, 4, 4), np.array(capture.times) - capture.times[0]
    poses[:, :3, 3] += error * smooth()
    poses[:, :3, :3] = Rotation.from_rotvec(0.3 * error * smooth()).as_matrix() @ poses[:, :3, :3]
    return capture.model_copy(update={"poses": tuple(tuple(pose.ravel().tolist()) for pose in poses)})


def recorded(shape: str, number: int, seed: int, draw: Draw, folder: Path) -> tuple[World, Walk, Gathered]:
    """A place, the walk through it, and the gathered recording."""
    generator, name = np.random.default_rng([seed, number]), f"{seed}:{number}"
    noise, error = generator.uniform(*draw.noise), generator.uniform(0, draw.poses)
    world, _ = place(WorldsConfig(furniture=draw.furniture), shape, f"simulated/{number}", name)
    walk = draw_trajectory(world, name, seconds=10.0 if shape in SMALL else 20.0, rate=24, size=(640, 480))
    spinner = replace(STREET if world.scene.room_area is None else ROOM, rate=5.0, noise=noise)
    capture = record_lidar(world, walk, folder / "lidar", identity="l", media="lidar", seed=name, spinner=spinner)
    write_captures(folder, [shaken(capture, generator, error)])
    recording = open_collection(folder)
    return world, walk, recording.gathered(cell=0.01, crossing=lambda r: np.ones(len(r), bool), most_rays=800_000)


def masks_of(world: World, walk: Walk, cloud: Cloud, generator: np.random.Generator) -> MaskVotes:
    """Masks as a segmenter would draw them, in every other of the frames."""
    intrinsics, caster, thin = intrinsics_of(PICTURE), Caster(world), voxel_means(cloud, 0.03).points
    views: list[MarkedView] = []
    marks: list[Mark] = []
    for frame in np.linspace(0, len(walk.times) - 1, FRAMES).astype(int)[::2]:
        pose = walk.poses[frame]
        ways = pixel_rays(pose, intrinsics, PICTURE)
        hits = caster.cast(np.tile(pose[:3, 3], (len(ways), 1)), ways, float(walk.times[frame]))
        labels = np.roll(hits.numbers.reshape(PICTURE[::-1]), generator.integers(-2, 3, 2), (0, 1))
        for one in np.unique(labels):
            if one and generator.random() < 0.1:
                labels = np.where(labels == one, 0, labels)
        marks += [
            Mark(len(views), int(one), "thing", str(one))
            for one in np.unique(labels)
            if one and (labels == one).sum() > 20
        ]
        views.append(with_depth(MarkedView(pose, intrinsics, labels), thin))
    return MaskVotes(views, marks)


def wanted(box: OrientedBox, quantity: str) -> float:
    """The true value."""
    up = int(np.abs(np.array(box.axes)[:, 2]).argmax())
    level = sorted((box.extents[i] for i in range(3) if i != up), reverse=True)
    return {"size": max(box.extents), "height": box.extents[up], "length": level[0], "width": level[1]}[quantity]


def tries(world: World, walk: Walk, gathered: Gathered, number: int, name: str, *, cut: bool = False) -> Iterator[Try]:
    """The dimensions of objects of a recording: with masks where something touches them; or of those it ends within."""
    objects, cloud, rays = world.scene.objects, gathered.cloud, gathered.rays
    assert rays is not None
    generator = np.random.default_rng(0)
    order = [[i for i, one in enumerate(objects) if (one.category in HUNG) == hung] for hung in (False, True)]
    chosen = [i for some, most in zip(order, MOST, strict=True) for i in generator.permutation(some)[:most]]
    boxes = Boxes(*(np.array([getattr(one.box, part) for one in objects]) for part in ("center", "axes", "extents")))
    masks, noisy = None, np.random.default_rng(5)
    for i in chosen:
        box = objects[i].box
        others = [j for j in range(len(objects)) if j != i]
        away = min(
            (float(distances(boxes.take(np.array([i])), boxes.take(np.array([j])))[0]) for j in others), default=9.0
        )
        region = region_of(box)
        near = np.flatnonzero(region.crossed(rays))
        if len(near) > MOST_RAYS:
            near = near[generator.choice(len(near), MOST_RAYS, replace=False)]
        own, crossed = cloud.take(region.near(cloud.points)), Rays(rays.origins[near], rays.ends[near])
        if cut:
            if noisy.random() > 0.35:
                continue
            own, crossed = cut_off(box, own, crossed, noisy)
        runs: list[Votes | None] = [None]
        if away <= TOUCHING and not cut:
            masks = masks or masks_of(world, walk, cloud, np.random.default_rng(5))
            runs.append(masks)
        for votes in runs:
            about = (number, name, objects[i].category, away, votes is not None, cut)
            yield from _measured(own, region, crossed, votes, box, about)


def cut_off(box: OrientedBox, cloud: Cloud, rays: Rays, generator: np.random.Generator) -> tuple[Cloud, Rays]:
    """A scan that ends within an object: without all that is beyond a plane across its longer level axis."""
    axes, extents = np.array(box.axes), np.array(box.extents)
    longest = max((i for i in range(3) if abs(axes[i, 2]) < 0.5), key=lambda i: extents[i])
    way = axes[longest] * generator.choice([-1, 1])
    limit = np.array(box.center) @ way + extents[longest] * (generator.uniform(0.3, 0.8) - 0.5)
    kept = rays.ends @ way < limit
    return cloud.take(cloud.points @ way < limit), Rays(rays.origins[kept], rays.ends[kept])


def _measured(
    cloud: Cloud,
    region: BoxRegion,
    rays: Rays,
    votes: Votes | None,
    box: OrientedBox,
    about: tuple[int, str, str, float, bool, bool],
) -> Iterator[Try]:
    try:
        boxed = box_of(pick(cloud, region, rays=rays, votes=votes), "box", 0)
    except FitError as error:
        for quantity in QUANTITIES:
            yield Try(*about, quantity, wanted(box, quantity), None, str(error))
        return
    for quantity in QUANTITIES:
        yield Try(*about, quantity, wanted(box, quantity), uncalibrated(boxed, quantity))


def scene(shape: str, number: int, seed: int, folder: Path, draw: Draw | None = None) -> Iterator[Try]:
    """The objects of one simulated place."""
    draw = draw or Draw()
    world, walk, gathered = recorded(shape, number, seed, draw, folder)
    for cut in (False, True)[: 1 + draw.cut]:
        yield from tries(world, walk, gathered, number, shape, cut=cut)


def written(rows: Sequence[Try]) -> str:
    """Rows as lines of JSON."""
    return "".join(json.dumps(asdict(one), default=float) + "\n" for one in rows)


def read(path: Path) -> list[Try]:
    """Rows that were written."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    return [Try(**(row | {"found": Uncalibrated(**row["found"]) if row["found"] else None})) for row in rows]


def quantile(scores: Sequence[float], level: float = 0.95) -> float:
    """The split conformal quantile (Papadopoulos et al. 2002); with fewer than 19 scores, infinity."""
    rank = int(np.ceil((len(scores) + 1) * level))
    return float(np.sort(scores)[rank - 1]) if rank <= len(scores) else float("inf")


def factors(found: Sequence[Try]) -> dict[str, dict[str, dict[str, float | None]]]:
    """The factor of each case and direction, from heights, lengths and widths; none with fewer than 19 of them.

    A dimension that is refused has no bound, so it isn't counted: its scale is wide, and its error a small part of it.
    """
    table: dict[str, dict[str, dict[str, float | None]]] = {}
    for case, direction in itertools.product(get_args(Case), DIRECTIONS):
        scores = [one.off / one.found.scale for one in of_cell(found, case, direction) if one.found]
        factor = quantile(scores)
        row = {"factor": round(factor, 3) if np.isfinite(factor) else None, "dimensions": len(scores)}
        table.setdefault(case, {})[direction] = row
    return table


def of_cell(found: Sequence[Try], case: str, direction: str) -> list[Try]:
    """Dimensions of a case and direction that have a bound."""
    some = [one for one in found if one.quantity in DIMENSIONS and one.found and one.found.bounded]
    return [one for one in some if one.found and (one.found.case, one.found.direction) == (case, direction)]


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--places", default=",".join(PLACES))
    parser.add_argument("--scenes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--noise", default="0.01,0.01", help="standard deviation of a range, from … to …, metres")
    parser.add_argument("--poses", type=float, default=0.0, help="greatest error of poses, metres")
    parser.add_argument("--furniture", type=Path, help="an .sh3f library")
    parser.add_argument("--cut", action="store_true", help="measure again with scans that end within objects")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="JSON lines: scenes in it aren't measured again")
    parser.add_argument("--calibrate", type=Path, metavar="FILE", help="write the factors of bounds")
    parser.add_argument("--all", action="store_true", help="print each object")
    asked = parser.parse_args()
    low, high = (float(one) for one in asked.noise.split(","))
    draw, shapes = Draw((low, high), asked.poses, asked.furniture, asked.cut), asked.places.split(",")
    found = read(asked.rows) if asked.rows else []
    for number in sorted(set(range(asked.scenes)) - {one.scene for one in found}):
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows = list(scene(shapes[number % len(shapes)], number, asked.seed, Path(folder), draw))
            except TolmanError as error:
                print(f"left out: {error}")
                continue
        found += rows
        if asked.rows:
            with asked.rows.open("a") as file:
                file.write(written(rows))
    found = [one for one in found if one.scene < asked.scenes]
    if asked.all:
        print(*(shown(one) for one in found if one.quantity == "size"), sep="\n")
    if asked.calibrate is not None:
        command = "python benchmarks/measuring.py " + " ".join(sys.argv[1:])
        table = {"command": command, "date": date.today().isoformat(), "cases": factors(found)}
        asked.calibrate.write_text(json.dumps(table, indent=1) + "\n")
        return
    print_tables(found)


def shown(one: Try) -> str:
    """An object as a line."""
    masks = " with masks" if one.masks else ""
    state = f"{one.found.value:.3f} ± {one.found.bound():.3f} {one.found.case}" if one.found else one.reason
    missed = "" if one.held or not one.found else " MISSED"
    return f"{one.place:12} {one.category:20} {one.wanted:.3f}: {state}{masks}{missed}"


def print_tables(found: Sequence[Try]) -> None:
    """Sizes as they are given; and all bounds by case, as `wide` gives them."""
    print("| sizes of | objects | given | within 2 cm or 2 % | in their bound | median bound |")
    print("|---|---:|---:|---:|---:|---:|")
    sizes = [one for one in found if one.quantity == "size"]
    whole = [one for one in sizes if not one.cut]
    for name, rows in (
        ("free-standing objects", [one for one in whole if one.apart > TOUCHING]),
        ("touching objects", [one for one in whole if one.apart <= TOUCHING and not one.masks]),
        ("touching objects, with masks", [one for one in whole if one.masks]),
        ("objects that the scan ends within", [one for one in sizes if one.cut]),
    ):
        given = [one for one in rows if one.given()]
        if rows:
            print(f"| {name} | {len(rows)} | {len(given)} ({len(given) / len(rows):.0%}) | {_shares(given)} |")
    print("\n| case | direction | refused | dimensions | within 2 cm or 2 % | in their bound | median bound |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for case, directions in itertools.product(get_args(Case), (*((one,) for one in DIRECTIONS), DIRECTIONS)):
        rows = [one for name in directions for one in of_cell(found, case, name)]
        some = [one for one in found if one.found and one.found.case == case and one.found.direction in directions]
        refused = sum(one.quantity in DIMENSIONS for one in some) - len(rows)
        if rows:
            print(f"| {case} | {' and '.join(directions)} | {refused} | {len(rows)} | {_shares(rows)} |")


def _shares(rows: Sequence[Try]) -> str:
    if not rows:
        return "| |"
    good, held = (_share(sum(some), len(rows)) for some in ([one.good for one in rows], [one.held for one in rows]))
    bound = 1000 * float(np.median([one.found.bound() for one in rows if one.found]))
    return f"{good} | {held} | {bound:.0f} mm"


def _share(count: int, of: int) -> str:
    ends = binomtest(count, of).proportion_ci(method="wilson")
    return f"{count} ({count / of:.1%}, {ends.low:.1%} … {ends.high:.1%})"


if __name__ == "__main__":
    main()
