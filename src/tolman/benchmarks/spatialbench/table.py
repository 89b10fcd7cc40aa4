"""SpatialBench's Table 1: average over all questions, capability score, levels and tasks.

The capability score is the sum of the level averages times the released weights. A level without any question
counts 0 and keeps its weight under the official rule sets, as in the released code; `careful` renormalises the weights.
"""

from tolman.benchmarks.spatialbench.taxonomy import LEVELS, WEIGHTS
from tolman.scoring.table import Column, Mean, Table, pool

_LEVEL_TITLES = {
    "observation_and_measurement": "Observation",
    "topology_and_composition": "Topology & Relation",
    "symbolic_visual_reasoning": "Symbolic Reasoning",
    "spatial_causality": "Causality",
    "spatial_planning": "Planning",
}
_TASK_TITLES = {
    "object_counting": "Obj. Count",
    "object_size": "Obj. Size",
    "room_size": "Room Size",
    "absolute_distance": "Abs. Distance",
    "appearance_order": "App. Order",
    "appearance_order_on_self-defined_route": "App. Order (Self-Def. Route)",
    "relative_distance": "Rel. Distance",
    "relative_direction": "Rel. Direction",
    "relative_counting": "Rel. Count",
    "multi-hop_spatial_reasoning": "Multi-Hop Reasoning",
    "affordance": "Affordance",
    "landmark-constrained_pose_localization": "Landmark Constr. Location",
    "spatial_causal_reasoning": "Causal Reasoning",
    "visual_based_commands": "Visual Based Commands",
    "route_plan": "Route Plan",
}
SCORE = Mean(
    tuple(pool(*tasks) for tasks in LEVELS.values()),
    weights=tuple(WEIGHTS[level] for level in LEVELS),
    missing="zero",
)
TABLE = Table(
    (
        Column("average", "Ave.", pool(), digits=2),
        Column("score", "Score", SCORE, digits=2),
        *(
            Column(level, _LEVEL_TITLES[level], pool(*tasks), digits=2, group="Levels")
            for level, tasks in LEVELS.items()
        ),
        *(
            Column(task, _TASK_TITLES[task], pool(task), digits=2, group=_LEVEL_TITLES[level])
            for level, tasks in LEVELS.items()
            for task in tasks
            if len(tasks) > 1
        ),
    ),
    headline="score",
)
