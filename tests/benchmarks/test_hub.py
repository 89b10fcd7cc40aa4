"""Questions and media of a hub's data set: archives are unpacked once, whoever asks for them at the same time."""

import io
import logging
import tarfile
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub.utils import are_progress_bars_disabled

import fake_hub
from fake_hub import COMMIT, FakeHub, Repository
from tolman.benchmarks import hub
from tolman.benchmarks.spec import HubSource
from tolman.errors import InputError, UsageError

SOURCE = HubSource("somebody/set", ("*.jsonl",), COMMIT, ("*.zip",))


def zipped(names: list[str]) -> bytes:
    """An archive of files of 1,000 bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, bytes(1000))
    return content.getvalue()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A hub with an archive."""
    with fake_hub.serving() as server:
        fake_hub.use(server, tmp_path, monkeypatch)
        content = {"test.jsonl": b"{}\n", "rooms.zip": zipped([f"rooms/{number}.mp4" for number in range(30)])}
        server.repositories["somebody/set"] = Repository({COMMIT: content})
        yield server


@pytest.mark.usefixtures("server")
def test_several_at_once_unpack_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert len(list((folder / "rooms").iterdir())) == 30


@pytest.mark.usefixtures("server")
def test_a_run_that_fetches_shows_a_bar_in_a_terminal_and_the_client_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    before = logging.getLogger("huggingface_hub").level
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: hub.fetch_media(SOURCE, tmp_path / "cache"), range(4)))
    assert "fetching somebody/set: 100%" in terminal.getvalue()
    assert logging.getLogger("huggingface_hub").level == before
    assert not are_progress_bars_disabled()


@pytest.mark.usefixtures("server")
def test_what_a_killed_unpacking_left_is_no_hindrance(tmp_path: Path) -> None:
    left = tmp_path / "cache" / "somebody--set" / COMMIT / ".rooms.zip.unpacking"
    (left / "rooms").mkdir(parents=True)
    (left / "rooms" / "0.mp4").write_bytes(b"half")
    folder = hub.fetch_media(SOURCE, tmp_path / "cache")
    assert {path.stat().st_size for path in (folder / "rooms").iterdir()} == {1000}
    assert not left.exists()


def test_a_broken_archive_is_named(server: FakeHub, tmp_path: Path) -> None:
    server.repositories["somebody/set"].commits[COMMIT]["rooms.zip"] = b"not an archive"
    with pytest.raises(InputError, match=r"rooms\.zip.*delete it and fetch it again"):
        hub.fetch_media(SOURCE, tmp_path / "cache")


def test_archives_in_folders_tar_archives_and_open_files_come_to_one_place(server: FakeHub, tmp_path: Path) -> None:
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w:gz") as archive:
        entry = tarfile.TarInfo("b.mp4")
        entry.size = 3
        archive.addfile(entry, io.BytesIO(b"two"))
    held = server.repositories["somebody/set"].commits[COMMIT]
    held |= {"clips/a.zip": zipped(["a.mp4"]), "clips/more.tar.gz": tar.getvalue(), "open/c.mp4": b"three"}
    source = HubSource("somebody/set", ("*.jsonl",), COMMIT, ("clips/*", "open/*.mp4"))
    folder = hub.fetch_media(source, tmp_path / "cache")
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.mp4")}
    assert found == {"clips/a.mp4", "clips/b.mp4", "open/c.mp4"}
    assert hub.fetch_media(source, tmp_path / "cache") == folder


def test_a_cache_that_the_hubs_client_filled_is_enough_without_a_hub(
    server: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = tmp_path / "hub" / "datasets--somebody--set" / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "test.jsonl").write_text("{}\n")
    (snapshot / "rooms.zip").write_bytes(zipped(["rooms/0.mp4"]))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert hub.fetch(SOURCE) == snapshot
    assert (hub.fetch_media(SOURCE, tmp_path / "cache") / "rooms" / "0.mp4").is_file()
    with pytest.raises(UsageError, match="can't be reached"):
        hub.fetch(HubSource("somebody/else", ("*.jsonl",), COMMIT))
