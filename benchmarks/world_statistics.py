"""Statistics of made rooms beside those of real ones: areas, things in a room, sizes, neighbours, how alike rooms are.

python benchmarks/world_statistics.py [--scenes 300] [--workers 2]
python benchmarks/world_statistics.py --walks 12

Rooms are those of `tolman simulate` with Tolman-1's models added, drawn as plans, without pictures. The real ones are
the statistics of 288 scenes in `worlds/real_statistics` of the shared data (TOLMAN_SHARED). Sides are sorted, since
most real boxes are tilted.

With `--walks`: what the camera faces in so many homes, over frames of half a second, drawn 160 pixels wide.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import shapely

from tolman.parallel import cores, parallel_map
from tolman.simulate.furniture import Library
from tolman.simulate.interior import draw_plan
from tolman.simulate.made.kind import REGISTRY, FurnitureKind, MadeLibrary
from tolman.simulate.plan import FloorLayout, Placed
from tolman.simulate.render import Renderer
from tolman.simulate.simulated_places import WorldsConfig, place, walk_through
from tolman.simulate.walks import intrinsics_of

SHAPES = ("rectangle", "l-shape", "two-rooms")
SHARED = Path(os.environ.get("TOLMAN_SHARED", Path(__file__).resolve().parents[2] / "shared"))
REAL = SHARED / "data" / "worlds" / "real_statistics"
FIXED = {"door", "window", "rug"}
MEAN = "mean_count_where_present"
IN_WALLS = {"door", "window"}
"""Compared without their depth: a scanner's box holds the niche, a frame's own doesn't."""
PARTLY = {"stove"}
"""Not compared: real boxes are those of the hobs."""
MIN_BOXES = 20
"""Boxes, made and real, from which medians are compared."""
SMALL, EVERY = (160, 120), 6
"""Size of a walk's pictures, and frames from one that is looked at to the next."""
NEAR, ONE_THING, SHOWN = 1.2, 0.8, 0.01
"""Metres; shares of a picture's middle that a thing fills, and of a picture from which a thing is shown."""
LUMA = (0.2126, 0.7152, 0.0722)
DARK, BRIGHT = 70, 190


@cache
def _library() -> Library:
    return Library(Path(__file__).resolve().parents[1] / "tolman-1" / "furniture.sh3f")


def drawn(number: int) -> FloorLayout:
    """The plan of a scene."""
    seed = f"statistics:{number}"
    library = MadeLibrary(seed, _library())
    return draw_plan(f"s/{number}", SHAPES[number % len(SHAPES)], seed, library, objects=24)


def named(thing: Placed) -> str:
    """What real rooms call a thing."""
    kind = _kinds().get(thing.model.removeprefix("made ").rpartition(" ")[0])
    return kind.real or kind.category if kind else _known().get(thing.category, thing.category)


@cache
def _kinds() -> dict[str, FurnitureKind]:
    return dict(REGISTRY.all())


@cache
def _known() -> dict[str, str]:
    return {kind.category: kind.real for kind in _kinds().values() if kind.real}


def real(name: str) -> list[dict[str, str]]:
    """The rows of a table of real rooms."""
    with (REAL / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rooms(plans: Sequence[FloorLayout]) -> None:
    """Areas and things of a room; how alike category sets are."""
    things = [[thing for thing in plan.placed if thing.category not in FIXED] for plan in plans]
    made = {
        "room_area_m2": [plan.shell.floor.area for plan in plans],
        "objects": [len(own) for own in things],
        "categories": [len({thing.category for thing in own}) for own in things],
        "objects_per_m2": [len(own) / plan.shell.floor.area for own, plan in zip(things, plans, strict=True)],
    }
    print("| a scene's | q05 | q50 | q95 | real: q05 | q50 | q95 |\n|---|---:|---:|---:|---:|---:|---:|")
    for row in real("room_summary"):
        if row["dataset"] == "all" and row["quantity"] in made:
            own = np.quantile(made[row["quantity"]], (0.05, 0.5, 0.95))
            cells = [*own, *(float(row[q]) for q in ("q05", "q50", "q95"))]
            print(f"| {row['quantity']} | {' | '.join(f'{value:.3g}' for value in cells)} |")
    sets = [{thing.category for thing in own} for own in things]
    alike = [len(a & b) / len(a | b) for a, b in itertools.combinations(sets, 2)]
    print(f"\nMean overlap (Jaccard) of the category sets of two scenes: {np.mean(alike):.3f}\n")
    kinds = Counter(name for plan in plans for name in plan.theme)
    print("Room types: " + ", ".join(f"{name} {count}" for name, count in kinds.most_common()) + "\n")


def sizes(plans: Sequence[FloorLayout]) -> None:
    """Medians of sorted sides, and distinct sizes, by category."""
    made: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for plan in plans:
        for thing in {thing.model: thing for thing in plan.placed}.values():
            made[named(thing)].append(tuple(sorted(thing.size, reverse=True)))
    table: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for row in real("box_dimensions"):
        table[row["category"]][row["dimension"]] = row
    sides = ("sorted_1_longest", "sorted_2", "sorted_3_shortest")
    print("| category | scenes | sizes | sides, m | real | off by |\n|---|---:|---:|---|---|---:|")
    for name, own in sorted(made.items(), key=lambda entry: -len(entry[1])):
        medians = np.median(np.array(own), axis=0)
        cells = f"| {name} | {len(own)} | {len(set(own))} | {' × '.join(f'{side:.2f}' for side in medians)} |"
        known = table.get(name)
        if known is None or name in PARTLY or int(known[sides[0]]["boxes"]) < MIN_BOXES or len(own) < MIN_BOXES:
            print(f"{cells} – | – |")
            continue
        true = np.array([float(known[side]["q50_m"]) for side in sides])
        off = (medians / true - 1)[: 2 if name in IN_WALLS else 3]
        off = off[np.abs(off).argmax()]
        print(f"{cells} {' × '.join(f'{side:.2f}' for side in true)} | {off:+.0%} |")


def neighbours(plans: Sequence[FloorLayout]) -> None:
    """Median gaps on the floor from a thing to the nearest of another category."""
    gaps: dict[tuple[str, str], list[float]] = defaultdict(list)
    for plan in plans:
        names = np.array([named(thing) for thing in plan.placed])
        floors = np.array([thing.footprint for thing in plan.placed])
        apart = shapely.distance(floors[:, None], floors[None, :]) + np.diag(np.full(len(floors), np.inf))
        for name, own in itertools.product(sorted(set(names.tolist())), range(len(names))):
            gap = float(apart[own, names == name].min())
            if np.isfinite(gap):
                gaps[str(names[own]), name].append(gap)
    print("\n| from | to the nearest | made: n | median gap, m | real: n | median gap, m |")
    print("|---|---|---:|---:|---:|---:|")
    for row in real("nearest_neighbour"):
        own = gaps.get((row["from"], row["to_nearest"]), [])
        if len(own) >= MIN_BOXES and int(row["boxes"]) >= 5 * MIN_BOXES:
            cells = (row["from"], row["to_nearest"], len(own), f"{np.median(own):.2f}", row["boxes"], row["gap_q50_m"])
            print(f"| {' | '.join(map(str, cells))} |")


def counts(plans: Sequence[FloorLayout]) -> None:
    """How many scenes have a category, and how many of it."""
    have: dict[str, list[int]] = defaultdict(list)
    for plan in plans:
        for name, count in Counter(map(named, plan.placed)).items():
            have[name].append(count)
    print("\n| category | share of scenes | mean count there | real: share | mean count |\n|---|---:|---:|---:|---:|")
    for row in real("counts_per_room"):
        own = have.get(row["category"])
        if row["dataset"] == "all" and own and float(row["share_of_scenes"]) >= 0.05:
            cells = (len(own) / len(plans), np.mean(own), *(float(row[key]) for key in ("share_of_scenes", MEAN)))
            print(f"| {row['category']} | {' | '.join(f'{value:.2g}' for value in cells)} |")


def walked(number: int) -> list[tuple[float, ...]]:
    """Frames of a walk: depth of the middle, share that is near, whether one thing fills the middle, things, light."""
    config, seed = WorldsConfig(), f"0:{number}"
    world, _ = place(config, "home", f"simulated/0-{number:04d}", seed)
    walk = walk_through(world, config, "home", seed)
    rows = []
    with Renderer(world, SMALL) as renderer:
        for pose, seconds in zip(walk.poses[::EVERY], walk.times[::EVERY], strict=True):
            frame = renderer.frame(pose, intrinsics_of(SMALL), float(seconds))
            middle = tuple(slice(side // 3, -(side // 3)) for side in frame.depth.shape)
            depth, owners = float(np.median(frame.depth[middle])), np.bincount(frame.instances[middle].ravel())
            bare = depth < NEAR and owners.max() >= ONE_THING * owners.sum()
            shown = np.count_nonzero(np.bincount(frame.instances.ravel())[1:] >= SHOWN * frame.instances.size)
            bright = float((frame.colour @ np.array(LUMA)).mean())
            rows.append((depth, float((frame.depth < NEAR).mean()), bare, shown, bright))
    return rows


def walks(homes: Sequence[list[tuple[float, ...]]]) -> None:
    """What the camera faces in homes, and how bright that is."""
    depth, close, bare, shown, bright = np.array(list(itertools.chain.from_iterable(homes))).T
    shares = {
        f"the middle third is nearer than {NEAR} m": depth < NEAR,
        "… and one thing or wall fills it": bare > 0,
        "the middle third is nearer than 1.5 m": depth < 1.5,
        f"half of the picture is nearer than {NEAR} m": close > 0.5,
        "at most one thing has a hundredth of the picture": shown < 2,
        f"mean brightness outside {DARK} to {BRIGHT} of 255": (bright < DARK) | (bright > BRIGHT),
    }
    print(f"| of {len(depth)} frames of {len(homes)} homes | share | worst home |\n|---|---:|---:|")
    ends = np.cumsum([len(frames) for frames in homes])[:-1]
    for name, true in shares.items():
        worst = max(part.mean() for part in np.split(true, ends))
        print(f"| {name} | {true.mean():.1%} | {worst:.1%} |")
    for name, values in {"depth of the middle third, m": depth, "mean brightness": bright, "things": shown}.items():
        print(f"{name}: " + ", ".join(f"{value:.3g}" for value in np.quantile(values, (0, 0.05, 0.5, 0.95, 1))))


def main() -> None:
    """Draw the plans and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=300)
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--walks", type=int, default=0, help="Homes to be walked through, in place of the tables.")
    options = parser.parse_args()
    if options.walks:
        walks(list(parallel_map(walked, list(range(options.walks)), options.workers)))
        return
    plans = list(parallel_map(drawn, list(range(options.scenes)), options.workers))
    rooms(plans)
    sizes(plans)
    neighbours(plans)
    counts(plans)


if __name__ == "__main__":
    main()
