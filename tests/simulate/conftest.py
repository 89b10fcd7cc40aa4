"""Fixtures of the simulator's tests."""

import pytest

from simulate.worlds import FURNITURE
from tolman.simulate.furniture import Library


@pytest.fixture(scope="session")
def library() -> Library:
    """The models that Tolman-1 adds to furniture made by rule: read once, so that tests of plans are quick."""
    pytest.importorskip("trimesh", reason="furniture needs the extra 'worlds'")
    return Library(FURNITURE)
