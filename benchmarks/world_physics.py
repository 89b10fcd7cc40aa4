"""What hovers, sinks in, tips, overlaps or hangs off its wall in made-up places, by rays on their triangles.

python benchmarks/world_physics.py [--places 200] [--allowed 0.005] [--seed 1] [--workers 2]

Three of four places are rooms and homes as `tolman simulate` draws them, the others streets, parking
lots, parks and courtyards. The rays are those of tests/simulate/holding.py, which shares no code with what puts things
in place. Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from simulate.holding import HUNG, ON_WALL, faults, off_the_wall, overlaps
from tolman.parallel import cores, parallel_map
from tolman.simulate.outdoors import OUTDOOR_SHAPES
from tolman.simulate.room_shells import ROOM_SHAPES
from tolman.simulate.simulated_places import WorldsConfig, place


def checked(number: int, seed: int, allowed: float) -> tuple[int, int, list[str]]:
    """A place's number, how many things it has, and what is wrong there."""
    rooms, streets = number - number // 4, number // 4
    shape = OUTDOOR_SHAPES[streets % len(OUTDOOR_SHAPES)] if number % 4 == 3 else ROOM_SHAPES[rooms % len(ROOM_SHAPES)]
    name = f"physics/{seed}-{number:04d}"
    world, _ = place(WorldsConfig(seed=seed), shape, name, f"physics:{seed}:{number}")
    found = [*faults(world, hung=HUNG, allowed=allowed), *overlaps(world, allowed)]
    wrong = [f"{name} {shape}: {fault.object} {fault.kind} by {1000 * fault.by:.1f} mm" for fault in found]
    for category in HUNG:
        gaps = [gap for gap in off_the_wall(world, category) if gap > ON_WALL]
        wrong += [f"{name} {shape}: a {category} is {1000 * gap:.0f} mm off its wall" for gap in gaps]
    return number, len(world.scene.objects), wrong


def main() -> int:
    """Check the places; tell what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", type=int, default=200)
    parser.add_argument("--allowed", type=float, default=0.005, help="Metres that are borne.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=cores())
    asked = parser.parse_args()
    check = partial(checked, seed=asked.seed, allowed=asked.allowed)
    things, kinds = 0, Counter[str]()
    for _, count, wrong in parallel_map(check, list(range(asked.places)), asked.workers):
        things += count
        for line in wrong:
            print(line)
            kinds[line.split(" ")[3] if " by " in line else "off the wall"] += 1
    print(f"{asked.places} places, {things} things: {sum(kinds.values())} wrong {dict(kinds)}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
