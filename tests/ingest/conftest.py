"""Fixtures of the tests of scans."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def drawn() -> tuple:  # type: ignore[type-arg]
    """The small world's frames, drawn once; skips where the machine can't draw."""
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    from ingest.worlds import frames
    from tolman.errors import NoDisplayError

    try:
        return frames()
    except NoDisplayError as error:
        pytest.skip(str(error))
