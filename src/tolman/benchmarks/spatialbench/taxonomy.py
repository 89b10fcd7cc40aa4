"""SpatialBench's fifteen task types on five cognitive levels.

Source: XPR2004/SpatialBench, evaluate_benchmark_results.py; paper, section 3.
"""

LEVELS: dict[str, tuple[str, ...]] = {
    "observation_and_measurement": ("object_counting", "object_size", "room_size", "absolute_distance"),
    "topology_and_composition": (
        "appearance_order",
        "appearance_order_on_self-defined_route",
        "relative_distance",
        "relative_direction",
        "relative_counting",
    ),
    "symbolic_visual_reasoning": (
        "multi-hop_spatial_reasoning",
        "affordance",
        "landmark-constrained_pose_localization",
    ),
    "spatial_causality": ("spatial_causal_reasoning",),
    "spatial_planning": ("visual_based_commands", "route_plan"),
}
LEVEL_OF = {task: level for level, tasks in LEVELS.items() for task in tasks}
WEIGHTS = {
    "observation_and_measurement": 0.0944,
    "topology_and_composition": 0.1564,
    "symbolic_visual_reasoning": 0.1759,
    "spatial_causality": 0.2592,
    "spatial_planning": 0.3141,
}
"""The released MAJOR_CATEGORY_WEIGHTS; with them all printed Scores of the paper come out within 0.005."""


def repair_task_name(task: str) -> str:
    """The task that a released type means: 34 rows of the paper's set spell `visual_Based_commands`."""
    return task.lower()
