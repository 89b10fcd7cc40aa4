"""Multi-step reasoning: a walk from object to object through a chain of overlapping pictures. (MMSI-Bench, Table 1.)

Each picture of a chain overlaps with the next; the first and the last don't overlap. One walks from an object of the
first picture to one of another and is asked where an object of the last one is.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

from tolman.generate.families.mmsi_bench.support.bearings import Bearing, DirectionCandidate, object_spot, recomputed
from tolman.generate.families.mmsi_bench.support.questions import (
    around,
    grounded,
    overlapping,
    some_of_each,
    view_family,
)
from tolman.generate.families.mmsi_bench.support.views import Gallery, View, ViewSettings, gallery
from tolman.generate.family import Draft, ReasoningStep, Recomputed, Rejected
from tolman.ground_truth.scene_arrays import SceneGeometry

TASK = "MSR"
QUESTION = (
    "The images show one place. I walk in a straight line from the {start} to the {stop} without turning around. "
    "When I arrive at the {stop}, still facing the way I walked, where is the {target} relative to me?"
)
_PATTERN = re.compile(
    r"straight line from the (.+) to the (.+) without turning around\. .* where is the (.+) relative to me\?"
)


def draft(geometry: SceneGeometry, settings: ViewSettings) -> Iterator[Draft | Rejected]:
    """Questions about chains of every length, drawn at random."""
    shown = gallery(geometry, settings)
    if shown.lack_of_pairs:
        yield Rejected(TASK, geometry.scene.id, shown.lack_of_pairs)
        return
    chains = list(_chains(shown))
    if not chains:
        yield Rejected(TASK, geometry.scene.id, "no chain of overlapping pictures whose ends don't overlap")
    yield from some_of_each((_ask(shown, chain) for chain in chains), settings)


def _chains(gallery: Gallery) -> Iterator[tuple[View, ...]]:
    """Find chains of pictures that each overlap with the next; the first doesn't overlap with the last."""
    generator = random.Random(f"{gallery.scene.id}:{TASK}")
    views, settings = gallery.views, gallery.settings
    made: set[tuple[View, ...]] = set()
    for _ in range(settings.chains):
        length = generator.randint(3, settings.longest)
        chain = [generator.choice(views)] if views else []
        while 0 < len(chain) < length:
            following = [view for view in gallery.neighbours[chain[-1].shot] if view not in chain]
            if not following:
                break
            chain.append(generator.choice(following))
        found = tuple(chain)
        if len(chain) == length and found not in made and not gallery.overlap(chain[0], chain[-1]):
            made.add(found)
            yield found


def _ask(gallery: Gallery, chain: tuple[View, ...]) -> Iterator[Draft | Rejected]:
    first, last = chain[0], chain[-1]
    if not all(gallery.anchors(a, b, chain) for a, b in itertools.pairwise(chain)):
        yield Rejected(TASK, gallery.scene.id, "what two pictures share can't be named among all of them")
        return
    starts = [i for i in gallery.named(first, chain) if not last.sees((i,))]
    targets = [i for i in gallery.named(last, chain) if not first.sees((i,))]
    stops = sorted({i for view in chain[1:-1] for i in gallery.named(view, chain)})
    for start, stop, target in itertools.product(starts, stops, targets):
        if len({start, stop, target}) < 3 or any(all(view.sees((i,)) for i in (start, stop, target)) for view in chain):
            continue
        yield _walk(gallery, chain, start, stop, target).draft(gallery, TASK)


def _walk(gallery: Gallery, chain: tuple[View, ...], start: int, stop: int, target: int) -> DirectionCandidate:
    here, there, behind = (object_spot(gallery, number) for number in (stop, target, start))
    bearing = Bearing(chain, here, there, behind, arriving=True)
    names = [gallery.category(i) for i in (start, stop, target)]

    def steps() -> Iterator[ReasoningStep]:
        middle = next(n for n, view in enumerate(chain) if 0 < n < len(chain) - 1 and stop in gallery.clear(view))
        yield grounded(gallery, start, chain[0], 0)
        yield grounded(gallery, stop, chain[middle], middle)
        yield grounded(gallery, target, chain[-1], len(chain) - 1)
        yield from (overlapping(gallery, chain, n, n + 1) for n in range(len(chain) - 1))
        walked = f"Walking from the {names[0]} to the {names[1]}, I arrive with the {names[0]} straight behind me."
        yield ReasoningStep("transformation", walked)
        yield ReasoningStep("transformation", f"From there the {names[2]} is {around(bearing.angle)}.")
        yield ReasoningStep("logic", f"So the {names[2]} is to the {bearing.answer.lower()}.")

    return DirectionCandidate(bearing, QUESTION.format(start=names[0], stop=names[1], target=names[2]), steps())


def _answer(gallery: Gallery, pictures: tuple[View, ...], match: re.Match[str]) -> Recomputed:
    """Return the quadrant that contains the last object."""
    start, stop, target = (gallery.find(match[i], pictures) for i in (1, 2, 3))
    return recomputed(_walk(gallery, pictures, start, stop, target).bearing, gallery.settings)


FAMILY = view_family(
    "mmsi-bench/multi-step",
    "A walk through a chain of overlapping pictures",
    TASK,
    draft,
    _answer,
    pattern=_PATTERN,
    names=(_PATTERN,),
)
