"""Archives of a data set are unpacked once, whoever asks for them at the same time."""

from __future__ import annotations

import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tolman.benchmarks import hub
from tolman.benchmarks.base import HubSource
from tolman.errors import InputError

SOURCE = HubSource("somebody/set", ("*.jsonl",), "c" * 40, ("*.zip",))


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a downloaded snapshot."""
    snapshot = tmp_path / "snapshots" / SOURCE.revision
    snapshot.mkdir(parents=True)
    with zipfile.ZipFile(snapshot / "rooms.zip", "w") as content:
        for number in range(300):
            content.writestr(f"rooms/{number}.mp4", bytes(1000))
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *arguments, **options: str(snapshot))
    return snapshot / "rooms.zip"


def test_several_at_once_unpack_once(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = []

    class Counted(zipfile.ZipFile):
        def extractall(self, *arguments: object, **options: object) -> None:
            unpacked.append(arguments)
            super().extractall(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(zipfile, "ZipFile", Counted)
    with ThreadPoolExecutor(8) as threads:
        found = set(threads.map(lambda _: hub.fetch_media(SOURCE, tmp_path / "cache"), range(8)))
    (folder,) = found
    assert len(unpacked) == 1
    assert len(list((folder / "rooms").iterdir())) == 300


def test_what_a_killed_unpacking_left_is_no_hindrance(archive: Path, tmp_path: Path) -> None:
    left = tmp_path / "cache" / "somebody--set" / SOURCE.revision / ".rooms.zip.unpacking"
    (left / "rooms").mkdir(parents=True)
    (left / "rooms" / "0.mp4").write_bytes(b"half")
    folder = hub.fetch_media(SOURCE, tmp_path / "cache")
    assert {path.stat().st_size for path in (folder / "rooms").iterdir()} == {1000}
    assert not left.exists()


def test_a_broken_archive_is_named(archive: Path, tmp_path: Path) -> None:
    archive.write_bytes(b"not an archive")
    with pytest.raises(InputError, match=r"rooms\.zip.*delete it and fetch it again"):
        hub.fetch_media(SOURCE, tmp_path / "cache")
