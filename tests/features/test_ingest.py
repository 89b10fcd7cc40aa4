"""Ingesting scans and pooling media as functions: the same as the command, without a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from folders import contents
from tolman.errors import UsageError
from tolman.features.events import Advanced, Began, Ended, Event
from tolman.features.scenes.compute import ingest, pool
from tolman.features.scenes.config import IngestConfig

BOX = {"center": [0, 0, 0], "extents": [1, 1, 1]}
POSE = [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3]


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """A scan that can be used, and one that is refused."""
    pytest.importorskip("plyfile", reason="scans need the extra 'build'")
    pytest.importorskip("av", reason="scans need the extra 'build'")
    from videos import write_video

    camera = {"video": "v.mp4", "poses": [POSE] * 3, "intrinsics": [[50, 50, 32, 24]] * 3, "as_it_is": True}
    content = {"tolman_scene": 1, "unit": "m", "up": "z", "objects": [{"id": "c", "label": "chair", "box": BOX}]}
    for name, more in (("good", {"cameras": [camera]}), ("bad", {"unit": "yard"})):
        folder = tmp_path / "scans" / name
        write_video(folder / "v.mp4", 3, size=(64, 48))
        (folder / "scene.json").write_text(json.dumps(content | more))
    return tmp_path / "scans"


def test_scans(scans: Path, tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]) -> None:
    events: list[Event] = []
    result = ingest(IngestConfig(format="generic", path=(scans,), out=tmp_path / "one", workers=1), events.append)
    quiet()
    assert [entry.state for entry in result.scenes] == ["refused", "new"]
    assert [entry.id for entry in result.refused] == ["generic/bad"]
    assert events == [Began("reading scans"), Began("reading scans", 2), Advanced(), Advanced(), Ended()]
    # A refused scan makes the exit code 1, and the config lies beside the result all the same.
    told = json.loads(command("ingest", "generic", scans, "--out", "two", "--workers", 1, "--json", code=1).stdout)
    assert [entry["state"] for entry in told["scenes"]] == ["refused", "new"]
    assert contents(tmp_path / "one") == contents(tmp_path / "two", "tolman.toml")
    again = command("ingest", "--config", "two/tolman.toml", code=1)
    assert "1 kept, 1 refused" in again.stdout


def test_a_media_pool(tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    (tmp_path / "raw").mkdir()
    for name, colour in (("a.png", "red"), ("b.png", "red"), ("c.png", "blue")):
        pillow.new("RGB", (32, 24), colour).save(tmp_path / "raw" / name)
    (tmp_path / "raw" / "d.png").write_bytes(b"no picture")
    events: list[Event] = []
    result = pool(
        IngestConfig(format="media", path=(tmp_path / "raw",), out=tmp_path / "one", licence="CC0"), events.append
    )
    quiet()
    assert (len(result.media), len(result.duplicates), result.kept, result.others) == (3, 1, 0, 0)
    assert [one.file for one in result.left_out] == ["d.png"]
    assert sum(one.count for one in events if isinstance(one, Advanced)) == 4
    done = command("ingest", "media", "raw", "--out", "two", "--licence", "CC0", code=1)
    assert "3 new, 0 kept, 1 of them a duplicate, 1 left out (left_out.json)" in done.stdout
    assert contents(tmp_path / "one") == contents(tmp_path / "two", "tolman.toml")
    assert "0 new, 3 kept" in command("ingest", "--config", "two/tolman.toml", code=1).stdout


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "media"}, "media pools are made by"),
        ({"path": (Path("a"), Path("b"))}, "folder by folder, and 2 are given"),
        ({"licence": "CC0"}, "are for 'tolman ingest media'"),
        ({"format": "scanet"}, "there is no format"),
    ],
)
def test_settings_that_do_not_go_together(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"format": "generic", "path": (tmp_path,), "out": tmp_path / "o"}
    with pytest.raises(UsageError, match=said):
        ingest(IngestConfig(**given | changes))
    with pytest.raises(UsageError, match="a media pool has no objects"):
        pool(IngestConfig(format="media", path=(tmp_path,), out=tmp_path, categories=tmp_path))
