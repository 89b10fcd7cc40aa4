"""Taxonomy: the place of a question family in the classifications of all four benchmarks.

VSI-Bench's question types (Table 3), MMSI-Bench's types (Table 1), SITE's categories (4.1) and its three classification
systems (section 3: scale; visualization or orientation; intrinsic or extrinsic and static or dynamic), SpatialBench's
levels and tasks (4.1). A family declares its place in its own file; one that a benchmark does not have is given the
place that its questions would have there, or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from tolman.benchmarks.mmsi_bench.data import TASKS as MMSI_TYPES
from tolman.benchmarks.site.data import CATEGORIES as SITE_CATEGORIES
from tolman.benchmarks.site.taxonomy import SYSTEMS
from tolman.benchmarks.spatialbench.taxonomy import LEVEL_OF
from tolman.names import hint

VSI_TASKS = (
    "object_counting",
    "object_abs_distance",
    "object_size_estimation",
    "room_size_estimation",
    "object_rel_distance",
    "object_rel_direction",
    "obj_appearance_order",
    "route_planning",
)
"""VSI-Bench's eight question types; the directions' three difficulties are one."""
_ALLOWED: Mapping[str, tuple[str, ...]] = {
    "vsi": ("", *VSI_TASKS),
    "mmsi": ("", *MMSI_TYPES),
    "site": ("", *SITE_CATEGORIES),
    "spatialbench": ("", *LEVEL_OF),
    **{system: tuple(values) for system, values in SYSTEMS.items()},
}
"""The values of each field of a place."""


@dataclass(frozen=True, kw_only=True)
class TaxonomyPlace:
    """The place of one family.

    Attributes:
        vsi: VSI-Bench's question type, '' where none fits, as in the next three.
        mmsi: MMSI-Bench's type: 'Positional Relationship (Obj.–Obj.)'.
        site: SITE's category: 'spatial relationship reasoning'.
        spatialbench: SpatialBench's task; the level follows from it.
        factor: SITE's second system.
        information, change: SITE's third.
        scale: SITE's first; of a question about a street it is environmental (see `labels_of`).

    Raises:
        ValueError: a benchmark has no such place; the sentence lists those it has.
    """

    vsi: str = ""
    mmsi: str = ""
    site: str = ""
    spatialbench: str = ""
    factor: Literal["visualization", "orientation", "neither"]
    information: Literal["intrinsic", "extrinsic"] = "extrinsic"
    change: Literal["static", "dynamic"] = "static"
    scale: Literal["figural", "vista", "environmental"] = "vista"

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value not in _ALLOWED[name]:
                known = [one for one in _ALLOWED[name] if one]
                raise ValueError(f"the taxonomy has no {name} '{value}'; {hint(value, known)}")


def labels_of(name: str, place: TaxonomyPlace, *, outdoors: bool, own: Mapping[str, str]) -> dict[str, str]:
    """The labels of a family's question.

    Args:
        name: of the family.
        place: in the taxonomies.
        outdoors: whether its scene is no room: its scale is then environmental. `scene_type` says it as SpatialBench's
            rows do.
        own: what differs in this question.
    """
    found = asdict(place)
    if outdoors and place.scale == "vista":
        found["scale"] = "environmental"
    task = found.pop("spatialbench")
    return {
        "family": name,
        "vsi_task": found.pop("vsi"),
        "mmsi_type": found.pop("mmsi"),
        "site_category": found.pop("site"),
        "spatialbench_task": task,
        "spatialbench_level": LEVEL_OF.get(task, ""),
        "scene_type": "outdoor" if outdoors else "indoor",
        **found,
        **own,
    }
