"""Scenes, benchmarks and runs on an S3-compatible server over HTTP, as they are typed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopback import Server, serving
from object_store import google_store, object_store

pytestmark = pytest.mark.full
SMALL = (
    "--seconds", "4", "--rate", "4", "--size", "96x64", "--objects", "6", "--shapes", "rectangle", "--quality", "fast",
)  # fmt: skip


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, str]]:
    pytest.importorskip("moto", reason="the server is a package of the extra 'dev'")
    pytest.importorskip("s3fs", reason="so is what speaks to it")
    with object_store() as variables:
        yield variables


class Machine:
    """A machine with a cache of its own."""

    def __init__(self, place: Path, store: dict[str, str]) -> None:
        place.mkdir()
        self.place, self.objects = place, place / "cache" / "objects"
        self.environment = {**os.environ, **store, "TOLMAN_CACHE": str(place / "cache"), "COLUMNS": "200"}

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Begin a command, in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "tolman", *words], cwd=self.place, env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def type(self, *words: str) -> str:
        """Carry a command out; what it says."""
        process = self.begin(*words)
        out, err = process.communicate(timeout=300)
        assert process.returncode in (0, 1), err
        return out

    def refused(self, *words: str) -> str:
        """Carry a command out that can't succeed; its sentence."""
        process = self.begin(*words)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 2, out
        assert err.count("\n") == 1, err
        return err

    def videos(self) -> list[str]:
        """The videos that it has."""
        return sorted(path.name for path in self.objects.rglob("*.mp4"))


def test_a_killed_job_goes_on_on_another_machine_and_the_rest_follows(tmp_path: Path, store: dict[str, str]) -> None:
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    simulate = ("simulate", "--scenes", "12", "--workers", "1", *SMALL, "--out", "s3://bucket/worlds")
    first, second, third = (Machine(tmp_path / name, store) for name in ("first", "second", "third"))
    with first.begin(*simulate) as job:
        try:
            while not list(first.objects.rglob("*.partial/*.json")):
                assert job.poll() is None
                time.sleep(0.05)
            assert "another job" in second.refused(*simulate)
            time.sleep(2.5)  # finished scenes are put up every two seconds
            assert job.poll() is None
        finally:
            os.killpg(job.pid, signal.SIGKILL)
    second.type(*simulate)
    assert 0 < len(second.videos()) < 12  # those of the scenes that were drawn there
    assert "12 scenes" in third.type("scenes", "s3://bucket/worlds")
    second.type("generate", "s3://bucket/worlds", "--out", "s3://bucket/bench", "--filter-rounds", "0")
    third.type("audit", "s3://bucket/bench", "--scenes", "s3://bucket/worlds")
    third.type("run", "s3://bucket/bench", "--model", "baseline/random", "--out", "s3://bucket/runs/random")
    assert third.videos() == []
    assert "s3://bucket/bench" in Machine(tmp_path / "fourth", store).type(
        "score", "s3://bucket/runs/random", "--notes"
    )
    assert "isn't on this machine" not in third.type("report", "s3://bucket/runs/random", "--out", "report.html")
    server = Server()
    with serving(server) as address:
        third.type(
            "run", "s3://bucket/bench", "--model", "openai/my-model", "--base-url", address, "--frames", "2", "--limit",
            "2", "--out", "s3://bucket/runs/asked",
        )  # fmt: skip
    assert server.requests >= 2
    assert 0 < len(third.videos()) <= 12


def test_a_bucket_that_is_not_there_is_one_sentence(tmp_path: Path, store: dict[str, str]) -> None:
    said = Machine(tmp_path / "here", store).refused("scenes", "s3://no-bucket/worlds")
    assert said.startswith("tolman: s3://no-bucket/worlds: can't be read (The specified bucket does not exist)")


def test_credentials_that_the_store_doesnt_know_are_one_sentence(tmp_path: Path) -> None:
    with object_store(knows_nobody=True) as store:
        machine = Machine(tmp_path / "here", store)
        for words in (
            ("scenes", "s3://bucket/worlds"),
            ("simulate", *SMALL, "--scenes", "1", "--out", "s3://bucket/w"),
        ):
            said = machine.refused(*words)
            assert said.startswith("tolman: s3://bucket/w"), said
            assert "check the bucket's name, the credentials and the address" in said


def test_a_bucket_that_fills_up_keeps_what_was_finished(tmp_path: Path) -> None:
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    simulate = ("simulate", "--scenes", "2", "--workers", "1", *SMALL, "--out", "s3://bucket/worlds")
    with object_store(room=20_000) as store:
        process = Machine(tmp_path / "first", store).begin(*simulate)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 2, err
        assert "s3://bucket/worlds: can't be written" in err.splitlines()[-1], err
        assert "disk is full" in err
        said = Machine(tmp_path / "second", store).refused("scenes", "s3://bucket/worlds")
        assert "s3://bucket/worlds" in said


def test_a_cluster_doesnt_work_on_object_stores(tmp_path: Path, store: dict[str, str]) -> None:
    said = Machine(tmp_path / "here", store).refused("simulate", *SMALL, "--on", "ray", "--out", "s3://bucket/worlds")
    assert "a disk that all machines see, not with s3://bucket/worlds" in said


def test_google_s_store_takes_scenes_a_benchmark_and_a_run(tmp_path: Path) -> None:
    pytest.importorskip("gcsfs", reason="Google's store needs the extra 'cluster'")
    pytest.importorskip("gcp_storage_emulator", reason="its server here is another package")
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    with google_store() as store:
        first, second = (Machine(tmp_path / name, store) for name in ("first", "second"))
        first.type("simulate", "--scenes", "2", "--workers", "1", *SMALL, "--out", "gs://bucket/worlds")
        assert "2 scenes" in second.type("scenes", "gs://bucket/worlds")
        second.type("generate", "gs://bucket/worlds", "--out", "gs://bucket/bench", "--filter-rounds", "0")
        first.type("audit", "gs://bucket/bench", "--scenes", "gs://bucket/worlds")
        first.type("run", "gs://bucket/bench", "--model", "baseline/random", "--out", "gs://bucket/runs/random")
        assert "gs://bucket/bench" in second.type("score", "gs://bucket/runs/random", "--notes")
        assert second.refused("scenes", "gs://no-bucket/worlds").startswith("tolman: gs://no-bucket/worlds: ")
