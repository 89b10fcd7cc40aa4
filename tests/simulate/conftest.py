"""Fixtures of the simulator's tests."""

from __future__ import annotations

import pytest

from simulate.worlds import FURNITURE
from tolman.simulate.furniture import Library


@pytest.fixture(scope="session")
def needs_egl() -> None:
    """Skips where the machine can't draw."""
    moderngl = pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    try:
        moderngl.create_context(standalone=True, backend="egl").release()
    except Exception as error:
        pytest.skip(f"no EGL here ({error}): install libegl1 and libgl1-mesa-dri")


@pytest.fixture(scope="session")
def library() -> Library:
    """The models that Tolman-1 adds to furniture made by rule: read once, so that tests of plans are quick."""
    pytest.importorskip("trimesh", reason="furniture needs the extra 'worlds'")
    return Library(FURNITURE)
