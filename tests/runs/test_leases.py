"""Leases: one holder at a time, ended by whatever ends the holder."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tolman.errors import OutputError, RunConflictError
from tolman.runs.leases import Leases, sole_writer

KEY, OTHER = "a" * 64, "b" * 64
HOLD = """
import sys, time
from pathlib import Path
from tolman.runs.leases import Leases, sole_writer
leases = Leases(Path(sys.argv[1]) / "leases")
with sole_writer(Path(sys.argv[1]) / "run"):
    print(leases.take(sys.argv[2]), flush=True)
    time.sleep(600)
"""


def test_a_lease_has_one_holder_and_can_be_given_back(tmp_path: Path) -> None:
    one, other = Leases(tmp_path / "leases"), Leases(tmp_path / "leases")
    assert (one.take(KEY), other.take(KEY), other.take(OTHER)) == (True, False, True)
    one.give_back(KEY)
    assert (other.take(KEY), one.take(KEY)) == (True, False)
    other.close()
    assert one.take(KEY)
    one.close()


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path), KEY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        leases = Leases(tmp_path / "leases")
        assert not leases.take(KEY)
        with (
            pytest.raises(RunConflictError, match=f"process {process.pid} on .* is at work"),
            sole_writer(tmp_path / "run"),
        ):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert leases.take(KEY)
        with sole_writer(tmp_path / "run"):
            pass
        leases.close()


def test_the_folder_is_free_again_and_nothing_stays_in_it(tmp_path: Path) -> None:
    for _ in range(2):
        with sole_writer(tmp_path / "run"):
            assert [path.name for path in (tmp_path / "run").iterdir()] == [".lease"]
        assert list((tmp_path / "run").iterdir()) == []


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object, **named: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OutputError, match=r"run/\.lease: can't be written"), sole_writer(tmp_path / "run"):
        pass
