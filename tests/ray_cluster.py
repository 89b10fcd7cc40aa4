"""A Ray cluster whose machines are processes of this one, each with one processor core and a small object store."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

STORE = 80 * 2**20
"""Bytes of a machine's object store; Ray wants 75 MiB."""


class RayCluster:
    """A cluster, until it is left.

    Args:
        machines: how many, the first of them the head.
        client: whether the head has a port for `ray://`.
        environment: variables of the processes on them; where no PYTHONPATH is among them, they find the tests' modules.
    """

    def __init__(self, machines: int, *, client: bool = False, **environment: str) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        from ray.cluster_utils import Cluster

        here = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
        self._environment = {"PYTHONPATH": here} | environment
        self._cluster: Any = Cluster()
        self.client = _free_port() if client else None
        head = self._add({"ray_client_server_port": self.client} if client else {})
        if self.client:
            _wait_for(self.client)
        self.machines = [head, *(self.add() for _ in range(machines - 1))]

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
        return self._add({}, **environment)

    def _add(self, settings: dict[str, Any], **environment: str) -> Any:
        variables = self._environment | environment
        return self._cluster.add_node(num_cpus=1, object_store_memory=STORE, env_vars=variables, **settings)

    def kill(self, machine: Any) -> None:
        """End a machine without a word."""
        self._cluster.remove_node(machine, allow_graceful=False)


def _wait_for(port: int) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
