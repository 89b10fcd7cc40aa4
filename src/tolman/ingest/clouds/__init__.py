"""LiDAR recordings as sweeps: PCD, LAS and LAZ, PLY files and ROS bags, one sweep after the other.

`read_sweeps` reads files, `bags` reads bags and where a sensor was, `sweeps` brings sweeps together.
"""

from __future__ import annotations

from tolman.ingest.clouds.cloud_files import cloud_files, read_sweeps
from tolman.ingest.clouds.sweeps import PointTime, Sweep

__all__ = ["PointTime", "Sweep", "cloud_files", "read_sweeps"]
