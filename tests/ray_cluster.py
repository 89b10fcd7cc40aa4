"""A Ray cluster whose machines are processes of this one, each with one processor core and a small object store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

STORE = 80 * 2**20
"""Bytes of a machine's object store; Ray wants 75 MiB."""


class RayCluster:
    """A cluster, until it is left.

    Args:
        machines: how many, the first of them the head.
        environment: variables of the processes on them; where no PYTHONPATH is among them, they find the tests' modules.
    """

    def __init__(self, machines: int, **environment: str) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        from ray.cluster_utils import Cluster

        self._environment = {"PYTHONPATH": str(Path(__file__).parent)} | environment
        self._cluster: Any = Cluster()
        self.machines = [self.add() for _ in range(machines)]

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(self, *ignored: object) -> None:
        self._cluster.shutdown()

    @property
    def address(self) -> str:
        """As RAY_ADDRESS has it."""
        return str(self._cluster.address)

    def add(self, **environment: str) -> Any:
        """Another machine, with variables of its own."""
        variables = self._environment | environment
        return self._cluster.add_node(num_cpus=1, object_store_memory=STORE, env_vars=variables)

    def kill(self, machine: Any) -> None:
        """End a machine without a word."""
        self._cluster.remove_node(machine, allow_graceful=False)
