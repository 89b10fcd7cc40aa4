"""Mapping over a Ray cluster of three machines: the same as in one process, and lost machines made up for."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from errands import die_first, read_relative, refuse, sleep, slow_square, square
from ray_cluster import RayCluster
from test_parallel import alive, waited_for
from tolman.errors import InputError, WorkerError
from tolman.parallel import TaskNeeds, WorkPlace, parallel_map, workers as module
from tolman.parallel.remote_call import Terms, refusal
from tolman.parallel.work_places import MAX_LOSSES
from tolman.plugins import load_plugin

ray: Any = pytest.importorskip("ray", reason="clusters need the extra 'cluster'")
pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("default"),  # of Ray's own
]
ON_RAY = WorkPlace("ray")


def test_results_come_in_order(connected: RayCluster) -> None:
    assert list(parallel_map(slow_square, range(5), ON_RAY)) == [0, 1, 4, 9, 16]
    assert list(parallel_map(square, iter(range(300)), WorkPlace("ray", 2))) == [number**2 for number in range(300)]


def test_an_error_comes_whole_when_its_turn_comes(connected: RayCluster) -> None:
    results = parallel_map(refuse, range(4), ON_RAY)
    assert next(results) == 0
    with pytest.raises(InputError, match=r"a.csv, row 3: is empty; fill it\.") as caught:
        next(results)
    assert (caught.value.path, caught.value.row) == ("a.csv", 3)


def test_workers_are_not_waited_for_after_an_error(connected: RayCluster) -> None:
    begin = time.monotonic()
    with pytest.raises(ValueError, match="first"):
        list(parallel_map(sleep, range(3), ON_RAY))
    assert time.monotonic() - begin < 30


def test_a_lost_worker_is_replaced_and_its_argument_given_out_again(connected: RayCluster, tmp_path: Path) -> None:
    jobs = [(str(tmp_path / str(number)), 1 if number == 1 else 0) for number in range(4)]
    assert list(parallel_map(die_first, jobs, ON_RAY)) == [0, 1, 0, 0]
    with pytest.raises(WorkerError, match=r"was lost in the middle of its work, .*start again, finished work is kept"):
        list(parallel_map(die_first, [(str(tmp_path / "b"), 99)], ON_RAY))
    assert len((tmp_path / "b").read_text()) == MAX_LOSSES + 1


def test_plugins_and_relative_paths_are_those_of_here(
    connected: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("found")
    Path("doubling.py").write_text("def double(number): return 2 * number\n")
    assert list(parallel_map(read_relative, ["a.txt"], ON_RAY)) == ["found"]
    plugin = load_plugin("doubling.py")
    assert list(parallel_map(plugin.double, range(3), ON_RAY)) == [0, 2, 4]


def test_what_a_machine_does_not_see_is_told(connected: RayCluster, tmp_path: Path) -> None:
    with pytest.raises(
        WorkerError, match=r"machine .* does not see .*absent: put it on a disk that all machines share"
    ):
        list(parallel_map(square, [1], ON_RAY, shared=[tmp_path / "absent"]))


def test_needs_that_no_machine_has_are_told(connected: RayCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 3.0)
    needs = TaskNeeds(cpus=1, gpus=1, memory=2**30)
    with pytest.raises(WorkerError, match=r"no machine with 1 processor cores, 1 GPUs, 1\.0 GiB any more"):
        list(parallel_map(square, [1], ON_RAY, needs=needs))


def test_a_machine_without_tolman_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tolman", None)
    told = refusal(Terms(version="1.2", folder="", shared=[], plugins=[]))
    assert re.search(r"the cluster's machine \S+ has no tolman: install tolman 1\.2 on each", str(told))


def test_another_version_on_a_machine_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "tolman" / "__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text("__version__ = '0.0.9'")
    with RayCluster(1, PYTHONPATH=str(tmp_path / "site")) as other:
        monkeypatch.setenv("RAY_ADDRESS", other.address)
        # What this process was given by its own PYTHONPATH is not to go before that of the machine.
        code = "import sys; from errands import square; from tolman.parallel import *; list(parallel_map(square, [1], WorkPlace('ray')))"
        done = subprocess.run([sys.executable, "-c", code], env=without_paths(), capture_output=True, text=True)
    assert "WorkerError" in done.stderr
    assert re.search(r"has tolman 0\.0\.9, and this is [\d.]+: install the same version on each", done.stderr)


def test_a_machine_that_cannot_draw_is_told_by_its_name(tmp_path: Path) -> None:
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    out = tmp_path / "worlds"
    small = "--scenes 1 --shapes rectangle --seconds 1 --rate 2 --size 96x64"
    command = ["simulate", *small.split(), "--on", "ray", "--out", str(out)]
    with RayCluster(1, __EGL_VENDOR_LIBRARY_DIRS="/nowhere", PYOPENGL_PLATFORM="egl") as other:
        environment = {**os.environ, "RAY_ADDRESS": other.address}
        done = subprocess.run(
            [sys.executable, "-m", "tolman", *command], env=environment, capture_output=True, text=True, timeout=300
        )
    assert done.returncode == 2, done.stderr
    said = done.stderr.strip().splitlines()[-1]
    assert re.match(r"tolman: on the cluster's machine \S+, rendering needs EGL, which can't be opened here", said), (
        said
    )
    assert [path.name for path in out.rglob("*") if path.is_file()] == ["simulation.json"]


def without_paths() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}


def test_an_address_that_nobody_answers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WorkerError, match=r"the cluster at ray://127\.0\.0\.1:9 does not answer \(.*refused\)"):
        list(parallel_map(square, [1], WorkPlace("ray://127.0.0.1:9")))
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:9")
    with pytest.raises(WorkerError, match=r"the cluster at 127\.0\.0\.1:9 does not answer"):
        list(parallel_map(square, [1], ON_RAY))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
@pytest.mark.parametrize("end", ["kill", "terminate"])
def test_workers_end_with_the_process_that_gave_out_the_work(cluster: RayCluster, tmp_path: Path, end: str) -> None:
    notes = [tmp_path / "a", tmp_path / "b"]
    code = "import sys, errands as e; from tolman.parallel import *; list(parallel_map(e.note_and_sleep, sys.argv[1:], WorkPlace('ray')))"
    paths = os.pathsep.join((str(Path(__file__).parent), *sys.path))
    environment = {**os.environ, "PYTHONPATH": paths, "RAY_ADDRESS": cluster.address}
    with subprocess.Popen([sys.executable, "-c", code, *map(str, notes)], env=environment) as parent:
        workers = [waited_for(note) for note in notes]
        getattr(parent, end)()
    late = time.monotonic() + 30
    while any(map(alive, workers)) and time.monotonic() < late:
        time.sleep(0.1)
    assert not any(map(alive, workers))


def test_a_cluster_is_reached_from_a_machine_that_is_none_of_its_own() -> None:
    with RayCluster(1, client=True) as other:
        place = WorkPlace(f"ray://127.0.0.1:{other.client}")
        try:
            assert list(parallel_map(square, range(20), place)) == [number**2 for number in range(20)]
            results = parallel_map(refuse, range(4), place)
            assert next(results) == 0
            with pytest.raises(InputError, match=r"a.csv, row 3: is empty"):
                next(results)
        finally:
            ray.shutdown()


def test_a_cluster_that_was_started_just_now_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Starting:
        """What is used of Ray: the real one's first moments can't be had at will."""

        asked = 0

        def init(self, address: str, **rest: object) -> None:
            self.asked += 1
            if self.asked < 3 or address.endswith("gone"):
                raise ConnectionError("Initialization failure from server:" if address != "gone" else "refused")

    monkeypatch.setattr(module, "ENTER_SECONDS", 0.0)
    starting = Starting()
    module._enter(starting, "ray://head:1")
    assert starting.asked == 3
    for address, times in (("gone", 1), ("ray://gone", module.ENTER_TIMES)):
        starting = Starting()
        with pytest.raises(ConnectionError):
            module._enter(starting, address)
        assert starting.asked == times
