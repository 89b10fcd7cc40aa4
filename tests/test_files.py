"""Files that are written whole or not at all, and what is no file."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from tolman.files import atomic_write, remove, write_text


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
