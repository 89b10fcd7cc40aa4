"""The stage on which pages are tried."""

from pathlib import Path

import pytest

from conftest import SHARED
from once import made_once


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the pages' placeholders mean; tests work on copies."""
    pytest.importorskip("av", reason="pictures of videos need the extra 'media'")
    from docs.stage import make_stage

    return made_once(tmp_path_factory, "documented", lambda place: make_stage(place, SHARED / "data"))
