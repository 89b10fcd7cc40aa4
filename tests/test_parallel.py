"""Mapping over processes: in order, errors whole, and stopped at once."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tolman.errors import InputError, MissingExtraError, TolmanError
from tolman.parallel import parallel_map


def slow_square(number: int) -> int:
    time.sleep(0.05 * (5 - number))
    return number * number


def refuse(number: int) -> int:
    if number == 1:
        raise InputError(Path("a.csv"), "is empty", row=3, fix="fill it")
    return number


def sleep(number: int) -> int:
    if number == 0:
        raise ValueError("first")
    time.sleep(60)
    return number


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order(workers: int) -> None:
    assert list(parallel_map(slow_square, range(5), workers)) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_whole_when_its_turn_comes(workers: int) -> None:
    results = parallel_map(refuse, range(4), workers)
    assert next(results) == 0
    with pytest.raises(InputError, match=r"a.csv, row 3: is empty; fill it\.") as caught:
        next(results)
    assert (caught.value.path, caught.value.row, caught.value.exit_code) == ("a.csv", 3, 2)


def test_workers_are_not_waited_for_after_an_error() -> None:
    begin = time.monotonic()
    with pytest.raises(ValueError, match="first"):
        list(parallel_map(sleep, range(4), 2))
    assert time.monotonic() - begin < 30
    assert not multiprocessing.active_children()


def note_and_sleep(place: str) -> None:
    Path(place).write_text(str(os.getpid()))
    time.sleep(60)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
def test_workers_end_with_the_process_that_was_killed(tmp_path: Path) -> None:
    notes = [tmp_path / "a", tmp_path / "b"]
    code = "import sys, test_parallel as t; list(t.parallel_map(t.note_and_sleep, sys.argv[1:], 2))"
    paths = os.pathsep.join((str(Path(__file__).parent), *sys.path))
    command = [sys.executable, "-c", code, *map(str, notes)]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": paths}) as parent:
        workers = [waited_for(note) for note in notes]
        parent.kill()
    end = time.monotonic() + 20
    while any(map(alive, workers)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(alive, workers))


def waited_for(note: Path) -> int:
    """The process that wrote a note, once it has."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if note.exists() and (text := note.read_text()):
            return int(text)
        time.sleep(0.05)
    raise AssertionError(f"{note} was never written")


def alive(process: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    "error", [InputError("f", "is bad", field="x"), MissingExtraError("p", "e", "This"), TolmanError("t")]
)
def test_every_error_can_be_copied(error: TolmanError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__
