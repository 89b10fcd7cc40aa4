"""VSI-Bench's main table (Figure 5 of the paper), in the order in which the released code logs it.

Relative direction is the unweighted mean of its three difficulties (217, 378 and 373 questions), and the average
is the unweighted mean of the eight tasks, both as in the released code.
"""

from tolman.scoring.table import Column, Mean, Table, pool

_DIRECTION = Mean(tuple(pool(f"object_rel_direction_{level}") for level in ("easy", "medium", "hard")))
_TASKS = (
    Column("object_count", "Obj. Count", pool("object_counting"), group="Numerical Answer"),
    Column("abs_distance", "Abs. Dist.", pool("object_abs_distance"), group="Numerical Answer"),
    Column("object_size", "Obj. Size", pool("object_size_estimation"), group="Numerical Answer"),
    Column("room_size", "Room Size", pool("room_size_estimation"), group="Numerical Answer"),
    Column("rel_distance", "Rel. Dist.", pool("object_rel_distance"), group="Multiple-Choice Answer"),
    Column("rel_direction", "Rel. Dir.", _DIRECTION, group="Multiple-Choice Answer"),
    Column("route_plan", "Route Plan", pool("route_planning"), group="Multiple-Choice Answer"),
    Column("appearance_order", "Appr. Order", pool("obj_appearance_order"), group="Multiple-Choice Answer"),
)
TABLE = Table((*_TASKS, Column("average", "Avg.", Mean(tuple(c.node for c in _TASKS)), digits=2)), headline="average")
