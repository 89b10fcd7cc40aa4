"""The memory that a command takes, as the kernel counts it."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = r"""
import re, sys
from tolman.cli import main
try:
    main()
except SystemExit:
    pass  # with 1 where something was found
print("peak", re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read()).group(1))
"""


def peak_of(cwd: Path, *arguments: str) -> float:
    """The most pages of its own that a command of one process had at a time (VmHWM), in MB. Skips where that is unknown."""
    if not Path("/proc/self/status").exists():
        pytest.skip("needs Linux")
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True)
    return int(done.stdout.rsplit("peak ", 1)[1]) / 1024
