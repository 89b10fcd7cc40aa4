"""Names that question families, and their part of a preset, had in earlier versions.

Published benchmarks hold them: in the label `family` of their items and in the settings of `provenance.json`.
"""

from __future__ import annotations

_MMSI = (
    "camera-camera",
    "camera-object",
    "camera-region",
    "object-object",
    "object-region",
    "region-region",
    "measurement",
    "appearance-from-above",
    "camera-motion",
    "object-motion",
    "multi-step",
)
_SITE = ("associate-exo-to-ego", "associate-ego-to-exo", "reorder-ego-to-exo", "reorder-exo-to-ego")
_SPATIALBENCH = (
    "object-counting",
    "object-size",
    "room-size",
    "absolute-distance",
    "appearance-order",
    "relative-distance",
    "relative-direction",
    "relative-counting",
    "order-on-route",
    "multi-hop",
    "affordance",
    "landmark-pose",
    "causal",
    "commands",
    "route-gaps",
)
FORMER_NAMES: dict[str, str] = {
    "counting": "vsi-bench/counting",
    "distance": "vsi-bench/absolute-distance",
    "size": "vsi-bench/object-size",
    "room": "vsi-bench/room-size",
    "relative_distance": "vsi-bench/relative-distance",
    "direction": "vsi-bench/relative-direction",
    "appearance": "vsi-bench/appearance-order",
    "route": "vsi-bench/route-plan",
    **{name: f"mmsi-bench/{name}" for name in _MMSI},
    **{name: f"site/{name}" for name in _SITE},
    **{name: f"spatialbench/{name}" for name in _SPATIALBENCH},
}
"""Former name → the name now. `relative-distance` was SpatialBench's, `relative_distance` VSI-Bench's."""

FORMER_SETTINGS: dict[str, tuple[str, ...]] = {
    "counting": ("vsi-bench/counting", "spatialbench/object-counting"),
    "distance": ("vsi-bench/absolute-distance", "spatialbench/absolute-distance"),
    "size": ("vsi-bench/object-size", "spatialbench/object-size"),
    "room": ("vsi-bench/room-size", "spatialbench/room-size"),
    "relative_distance": ("vsi-bench/relative-distance", "spatialbench/relative-distance"),
    "direction": ("vsi-bench/relative-direction", "spatialbench/relative-direction"),
    "appearance": ("vsi-bench/appearance-order", "spatialbench/appearance-order"),
    "route": ("vsi-bench/route-plan",),
    "views": tuple(f"mmsi-bench/{name}" for name in _MMSI),
    "association": ("site/associate-exo-to-ego", "site/associate-ego-to-exo"),
    "reordering": ("site/reorder-ego-to-exo", "site/reorder-exo-to-ego"),
    "relative_counting": ("spatialbench/relative-counting",),
    "passing": ("spatialbench/order-on-route",),
    "multi_hop": ("spatialbench/multi-hop",),
    "affordance": ("spatialbench/affordance",),
    "pose": ("spatialbench/landmark-pose",),
    "causal": ("spatialbench/causal",),
    "commands": ("spatialbench/commands",),
    "fill_in": ("spatialbench/route-gaps",),
}
"""Former part of a preset → the families whose thresholds it held."""


def current_name(name: str) -> str:
    """The name that a family has now; a name that is none of a former family stays as it is."""
    return FORMER_NAMES.get(name, name)
