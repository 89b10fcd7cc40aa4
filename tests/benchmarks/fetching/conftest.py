"""A hub with a small data set."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import fake_hub
from fake_hub import FakeHub, Repository


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """With `somebody/set`: a file of rows, and half a megabyte that stands for an archive."""
    with fake_hub.serving() as server:
        fake_hub.use(server, tmp_path, monkeypatch)
        content = {"test.jsonl": b'{"id": 1}\n', "videos.zip": fake_hub.VIDEOS}
        server.repositories["somebody/set"] = Repository({fake_hub.COMMIT: content})
        yield server
