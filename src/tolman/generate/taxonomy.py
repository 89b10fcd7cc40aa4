"""Where each question family stands in the taxonomies of all four benchmarks.

VSI-Bench's question types (Table 3), MMSI-Bench's types (Table 1), SITE's categories (4.1) and its three classification
systems (section 3: scale; visualization or orientation; intrinsic or extrinsic and static or dynamic), SpatialBench's
levels and tasks (4.1). A family that a benchmark does not have is given the place that its questions would have there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from tolman.benchmarks.spatialbench.taxonomy import LEVEL_OF


@dataclass(frozen=True)
class Place:
    """One family's place.

    Attributes:
        vsi: VSI-Bench's question type, '' where it has none that fits.
        mmsi: MMSI-Bench's type, without its main category: 'Obj.–Obj.'.
        site: SITE's category.
        spatialbench: SpatialBench's task; the level follows from it.
        factor: SITE's second system.
        information, change: SITE's third.
        scale: SITE's first; of a question about a street it is environmental (see `labels`).
    """

    vsi: str
    mmsi: str
    site: str
    spatialbench: str
    factor: Literal["visualization", "orientation"]
    information: Literal["intrinsic", "extrinsic"] = "extrinsic"
    change: Literal["static", "dynamic"] = "static"
    scale: Literal["figural", "vista", "environmental"] = "vista"


_COUNT = "counting & existence"
_WHERE = "object localization & positioning"
_DEPTH = "3d information understanding"
_VIEWS = "multi-view & cross-image reasoning"
_RELATION = "spatial relationship reasoning"
_MOVE = "movement prediction & navigation"
_POSITION = "Positional Relationship ({})"
_CAM_CAM, _CAM_OBJ, _CAM_REG, _OBJ_OBJ, _OBJ_REG, _REG_REG = (
    _POSITION.format(pair) for pair in ("Cam.–Cam.", "Cam.–Obj.", "Cam.–Reg.", "Obj.–Obj.", "Obj.–Reg.", "Reg.–Reg.")
)
_MEASUREMENT, _APPEARANCE = "Attribute (Meas.)", "Attribute (Appr.)"
_CAMERA_MOTION, _OBJECT_MOTION, _STEPS = "Motion (Cam.)", "Motion (Obj.)", "MSR"

PLACES: dict[str, Place] = {
    # VSI-Bench's
    "counting": Place("object_counting", _APPEARANCE, _COUNT, "object_counting", "visualization"),
    "distance": Place("object_abs_distance", _MEASUREMENT, _DEPTH, "absolute_distance", "visualization"),
    "size": Place("object_size_estimation", _MEASUREMENT, _DEPTH, "object_size", "visualization", "intrinsic"),
    "room": Place("room_size_estimation", _MEASUREMENT, _DEPTH, "room_size", "visualization", "intrinsic"),
    "relative_distance": Place("object_rel_distance", _OBJ_OBJ, _RELATION, "relative_distance", "visualization"),
    "direction": Place("object_rel_direction", _OBJ_OBJ, _RELATION, "relative_direction", "orientation"),
    "appearance": Place("obj_appearance_order", _STEPS, _VIEWS, "appearance_order", "orientation", change="dynamic"),
    "route": Place("route_planning", _STEPS, _MOVE, "route_plan", "orientation", change="dynamic"),
    # MMSI-Bench's
    "camera-camera": Place("", _CAM_CAM, _VIEWS, "landmark-constrained_pose_localization", "orientation"),
    "camera-object": Place("object_rel_direction", _CAM_OBJ, _VIEWS, "relative_direction", "orientation"),
    "camera-region": Place("object_rel_direction", _CAM_REG, _VIEWS, "relative_direction", "orientation"),
    "object-object": Place("object_rel_direction", _OBJ_OBJ, _RELATION, "relative_direction", "orientation"),
    "object-region": Place("object_rel_direction", _OBJ_REG, _RELATION, "relative_direction", "orientation"),
    "region-region": Place("object_rel_direction", _REG_REG, _RELATION, "relative_direction", "orientation"),
    "measurement": Place("object_abs_distance", _MEASUREMENT, _DEPTH, "absolute_distance", "visualization"),
    "appearance-from-above": Place(
        "", _APPEARANCE, _VIEWS, "multi-hop_spatial_reasoning", "visualization", "intrinsic"
    ),
    "camera-motion": Place(
        "", _CAMERA_MOTION, _MOVE, "landmark-constrained_pose_localization", "orientation", change="dynamic"
    ),
    "object-motion": Place("", _OBJECT_MOTION, _MOVE, "spatial_causal_reasoning", "orientation", change="dynamic"),
    "multi-step": Place(
        "route_planning", _STEPS, _VIEWS, "multi-hop_spatial_reasoning", "orientation", change="dynamic"
    ),
    # SITE's
    "associate-exo-to-ego": Place("", _CAM_CAM, _VIEWS, "landmark-constrained_pose_localization", "orientation"),
    "associate-ego-to-exo": Place("", _CAM_CAM, _VIEWS, "landmark-constrained_pose_localization", "orientation"),
    "reorder-ego-to-exo": Place("", _CAMERA_MOTION, _VIEWS, "appearance_order", "orientation", change="dynamic"),
    "reorder-exo-to-ego": Place("", _CAMERA_MOTION, _VIEWS, "appearance_order", "orientation", change="dynamic"),
    # SpatialBench's
    "object-counting": Place("object_counting", _APPEARANCE, _COUNT, "object_counting", "visualization"),
    "object-size": Place("object_size_estimation", _MEASUREMENT, _DEPTH, "object_size", "visualization", "intrinsic"),
    "room-size": Place("room_size_estimation", _MEASUREMENT, _DEPTH, "room_size", "visualization", "intrinsic"),
    "absolute-distance": Place("object_abs_distance", _MEASUREMENT, _DEPTH, "absolute_distance", "visualization"),
    "appearance-order": Place(
        "obj_appearance_order", _STEPS, _VIEWS, "appearance_order", "orientation", change="dynamic"
    ),
    "relative-distance": Place("object_rel_distance", _OBJ_OBJ, _RELATION, "relative_distance", "visualization"),
    "relative-direction": Place("object_rel_direction", _OBJ_OBJ, _RELATION, "relative_direction", "orientation"),
    "relative-counting": Place("object_counting", _APPEARANCE, _COUNT, "relative_counting", "visualization"),
    "order-on-route": Place(
        "", _STEPS, _MOVE, "appearance_order_on_self-defined_route", "orientation", change="dynamic"
    ),
    "multi-hop": Place("object_rel_distance", _STEPS, _RELATION, "multi-hop_spatial_reasoning", "visualization"),
    "affordance": Place("", _OBJ_REG, _RELATION, "affordance", "orientation"),
    "landmark-pose": Place("", _CAM_OBJ, _WHERE, "landmark-constrained_pose_localization", "orientation"),
    "causal": Place("", _STEPS, _MOVE, "spatial_causal_reasoning", "visualization", change="dynamic"),
    "commands": Place("route_planning", _STEPS, _MOVE, "visual_based_commands", "orientation", change="dynamic"),
    "route-gaps": Place("route_planning", _STEPS, _MOVE, "route_plan", "orientation", change="dynamic"),
}
"""By the family's name."""


def labels(family: str, *, outdoors: bool, own: Mapping[str, str]) -> dict[str, str]:
    """The labels of a family's question.

    Args:
        family: its name.
        outdoors: whether its scene is no room: its scale is then environmental.
        own: what differs in this question.
    """
    place = PLACES[family]
    found = asdict(place)
    if outdoors and place.scale == "vista":
        found["scale"] = "environmental"
    task = found.pop("spatialbench")
    return {
        "family": family,
        "vsi_task": found.pop("vsi"),
        "mmsi_type": found.pop("mmsi"),
        "site_category": found.pop("site"),
        "spatialbench_task": task,
        "spatialbench_level": LEVEL_OF[task],
        **found,
        **own,
    }
