"""Mapping over processes: in order, errors whole, stopped at once, and lost processes replaced."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from errands import die_first, refuse, sleep, slow_square, square
from tolman.errors import InputError, MissingExtraError, TolmanError, UsageError, WorkerError
from tolman.parallel import HERE, PROCESSES, TaskNeeds, WorkPlace, parallel_map, place_of
from tolman.parallel.work_places import MAX_LOSSES, UNDELIVERED


@pytest.mark.parametrize("workers", [1, 2, WorkPlace(HERE)])
def test_results_come_in_order(workers: int | WorkPlace) -> None:
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


def test_arguments_are_taken_as_they_are_needed() -> None:
    taken = []

    def endless() -> Iterator[int]:
        number = 0
        while True:
            taken.append(number)
            yield number
            number += 1

    results = parallel_map(square, endless(), 2)
    assert [next(results) for _ in range(10)] == [number**2 for number in range(10)]
    results.close()  # type: ignore[attr-defined]
    assert len(taken) <= 10 + 2 * 2 * UNDELIVERED
    assert not multiprocessing.active_children()


def test_a_lost_process_is_replaced_and_its_argument_given_out_again(tmp_path: Path) -> None:
    jobs = [(str(tmp_path / str(number)), 1 if number == 1 else 0) for number in range(5)]
    assert list(parallel_map(die_first, jobs, 2)) == [0, 1, 0, 0, 0]


@pytest.mark.full
def test_an_argument_that_loses_every_process_is_told_in_a_sentence(tmp_path: Path) -> None:
    jobs = [(str(tmp_path / "a"), 0), (str(tmp_path / "b"), 99)]
    with pytest.raises(WorkerError, match=r"most likely for want of memory .*start again, finished work is kept"):
        list(parallel_map(die_first, jobs, 2))
    assert len((tmp_path / "b").read_text()) == MAX_LOSSES + 1
    assert not multiprocessing.active_children()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
def test_workers_end_with_the_process_that_was_killed(tmp_path: Path) -> None:
    notes = [tmp_path / "a", tmp_path / "b"]
    code = "import sys, errands as e; from tolman.parallel import parallel_map as m; list(m(e.note_and_sleep, sys.argv[1:], 2))"
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


def test_places() -> None:
    assert place_of(None, None) == WorkPlace(PROCESSES)
    assert place_of(None, None, few=True) == WorkPlace(HERE)
    assert place_of(None, 2, few=True) == WorkPlace(PROCESSES, 2)
    assert place_of("ray://head:10001", 3).is_cluster
    assert not WorkPlace("processes").is_cluster
    assert WorkPlace(HERE).processes() == 1
    assert WorkPlace(workers=3).processes(TaskNeeds(memory=1 << 60)) == 3
    assert WorkPlace().processes(TaskNeeds(memory=1 << 60)) == 1
    assert WorkPlace("ray").cores_each(1) == 1


@pytest.mark.parametrize(
    ("on", "workers", "said"),
    [
        ("rya", None, r"--on takes here, processes, ray or ray://HOST:PORT, not 'rya'\."),
        ("ray://head", None, "not 'ray://head'"),
        ("ray://head:many", None, "not 'ray://head:many'"),
        ("here", 2, "--on here is one process: leave out --workers 2"),
        ("processes", 0, "--workers takes a number from 1, not 0"),
    ],
)
def test_places_that_there_are_not(on: str, workers: int | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        place_of(on, workers)


@pytest.mark.parametrize(
    "error", [InputError("f", "is bad", field="x"), MissingExtraError("p", "e", "This"), TolmanError("t")]
)
def test_every_error_can_be_copied(error: TolmanError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


def test_a_cluster_without_ray_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        MissingExtraError, match=r"Work on a cluster needs the package 'ray': pip install 'tolman\[cluster\]'"
    ):
        list(parallel_map(square, range(3), WorkPlace("ray")))
