"""Fixtures of the simulator's tests."""

from __future__ import annotations

import pytest

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
    """The furniture that ships with the package."""
    pytest.importorskip("trimesh", reason="furniture needs the extra 'worlds'")
    return Library()
