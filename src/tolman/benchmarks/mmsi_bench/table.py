"""MMSI-Bench's Table 3: accuracy by question type; the average is over all questions."""

from tolman.benchmarks.mmsi_bench.data import TASKS
from tolman.scoring.table import Column, Table, pool

_KEYS = (
    ("cam_cam", "Cam.–Cam.", "Positional Relationship"),
    ("obj_obj", "Obj.–Obj.", "Positional Relationship"),
    ("reg_reg", "Reg.–Reg.", "Positional Relationship"),
    ("cam_obj", "Cam.–Obj.", "Positional Relationship"),
    ("obj_reg", "Obj.–Reg.", "Positional Relationship"),
    ("cam_reg", "Cam.–Reg.", "Positional Relationship"),
    ("meas", "Meas.", "Attribute"),
    ("appr", "Appr.", "Attribute"),
    ("motion_cam", "Cam.", "Motion"),
    ("motion_obj", "Obj.", "Motion"),
    ("msr", "MSR", ""),
)
TABLE = Table(
    (
        *(Column(key, title, pool(task), group=group) for (key, title, group), task in zip(_KEYS, TASKS, strict=True)),
        Column("average", "Avg.", pool()),
    ),
    headline="average",
)
