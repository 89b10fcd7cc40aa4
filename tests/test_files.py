"""Files that are written whole or not at all, and what is no file."""

import errno
import os
import shutil
import stat
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import polars as pl
import pytest

from tolman.errors import InputError, OutputError
from tolman.files import atomic_write, check_shards, link_or_copy, remove, whole_folder, write_text


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def break_off() -> None:
        with atomic_write(path) as partial:
            partial.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert path.read_text() == "old"
    write_text(path, ["new", "er"])
    assert path.read_text() == "newer"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_file_is_written_into_and_stays(tmp_path: Path) -> None:
    """Whoever runs as root would lose /dev/null otherwise, and everybody their pipe."""
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "text")
    reader.join(120)
    assert read == ["text"]
    remove(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_text(Path("/dev/null"), "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def _write_full(target: AbstractContextManager[Path], write: Callable[[Path], object]) -> None:
    """Write to a place whose disk is full."""
    with target as path:
        full = path / "x" if path.is_dir() else path
        full.symlink_to("/dev/full")
        write(full)


def test_a_full_disk_is_one_sentence_whichever_library_writes(tmp_path: Path) -> None:
    file = tmp_path / "scores.parquet"
    frame = pl.DataFrame({"a": list(range(100_000))})
    for write in (frame.write_parquet, frame.lazy().sink_parquet, lambda path: path.write_text("x" * 10)):
        with pytest.raises(OutputError, match=r"scores.parquet: can't be written \(No space left on device\)"):
            _write_full(atomic_write(file), write)
        assert list(tmp_path.iterdir()) == []
    with pytest.raises(OutputError, match="bench: can't be written"):
        _write_full(whole_folder(tmp_path / "bench"), frame.write_parquet)


@pytest.mark.usefixtures("only_small_files")
def test_a_table_that_breaks_off_inside_a_header_is_one_sentence(tmp_path: Path) -> None:
    """Polars leaves out the system's error then."""
    frame = pl.DataFrame({f"c{i}": ["x"] * 10 for i in range(300)})
    with pytest.raises(pl.exceptions.ComputeError, match="thrift: transport error"):
        frame.write_parquet(tmp_path / "plain.parquet")
    for write in (frame.write_parquet, frame.lazy().sink_parquet):
        with (
            pytest.raises(OutputError, match=r"a\.parquet: can't be written \(File too large\)"),
            atomic_write(tmp_path / "a.parquet") as path,
        ):
            write(path)


def test_a_copy_without_room_names_the_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(there: Path, here: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(there), None, str(here))

    monkeypatch.setattr(os, "link", full)
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(OutputError, match=r"whole/a\.mp4: can't be written \(No space left on device\)"):
        link_or_copy(tmp_path / "a.mp4", tmp_path / "whole" / "a.mp4")


def test_other_errors_while_a_file_is_written_stay_what_they_are(tmp_path: Path) -> None:
    unread = pl.exceptions.ComputeError("parquet: File out of specification: Invalid thrift: transport error")
    for error in (InputError("rows.csv", "is broken"), unread, FileNotFoundError(2, "gone")):
        with pytest.raises(type(error)), atomic_write(tmp_path / "x"):
            raise error


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (("test-00000-of-00002", "test-00001-of-00002"), None),
        (("test-00000-of-00002",), "test-00001-of-00002"),
        (("test-00001-of-00002",), "test-00000-of-00002"),
        (("train-00000-of-00001", "test-00000-of-00002"), "test-00001-of-00002"),
        (("scenes-00000", "scenes-00001"), None),
        (("scenes-00000", "scenes-00002"), "scenes-00001"),
        (("test", "my-2024"), None),
    ],
)
def test_a_file_missing_from_a_series_is_named(names: tuple[str, ...], missing: str | None) -> None:
    files = [Path("data", f"{name}.parquet") for name in names]
    if missing is None:
        check_shards(files)
        return
    with pytest.raises(InputError, match=f"{missing}.parquet: is missing; copy the folder whole"):
        check_shards(files)
