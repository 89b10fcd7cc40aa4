"""Fixtures of the tests of scans."""

import pytest

from docs.scans import frames


@pytest.fixture(scope="session")
def drawn() -> tuple:  # type: ignore[type-arg]
    """The small world's frames, drawn once; skips where the machine can't draw."""
    return frames()
