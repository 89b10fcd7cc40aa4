"""What several processes of one test session look at, made by the first that needs it."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tolman.files import whole_folder


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder of this session, which tests only read.

    Args:
        factory: of this process.
        name: of the folder.
        make: fills it.
    """
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each worker's own folder is in the session's
        root = root.parent
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / name).exists():
            with whole_folder(root / name) as partial:
                make(partial)
    return root / name
