"""Processor time of groups of processes, as the kernel counts it in /proc, for what is timed on busy machines.

Latencies depend on who else uses the machine; the processor time of a piece of work hardly does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def tree_seconds(root: int) -> float:
    """Seconds that a process, its descendants and those of them that have ended took on processors, system calls among
    it; 0 where it has gone."""
    return sum(_ticks(stat[11:15]) for stat in _tree(root)) / _TICKS


def machine_seconds() -> float:
    """Seconds that all processors of the machine were busy since its start, with what a hypervisor took from them."""
    user, nice, system, _, _, irq, softirq, steal = map(int, _line("/proc/stat").split()[1:9])
    return (user + nice + system + irq + softirq + steal) / _TICKS


def _tree(root: int) -> Iterator[list[str]]:
    """The fields behind the name in /proc/PID/stat, of a process and all of its descendants."""
    stats: dict[int, list[str]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            stats[int(place.name)] = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has gone
    below = {root}
    while True:
        further = {number for number, stat in stats.items() if int(stat[1]) in below} - below
        if not further:
            break
        below |= further
    return iter([stats[number] for number in below if number in stats])


def _ticks(fields: list[str]) -> int:
    return sum(map(int, fields))


def _line(file: str) -> str:
    return Path(file).read_text().splitlines()[0]
