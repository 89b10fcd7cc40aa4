"""The response store in a real PostgreSQL: the same answers as the file's, and leases that end with their holder."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import terminal
from postgres import Postgres
from runs.letters import asked_twice, bench, serving_process
from tolman.errors import InputError
from tolman.responses import Response
from tolman.runs.response_store import PostgresStore, open_store, without_password

KEY, OTHER = "0a" * 32, "0b" * 32


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.create()


def test_answers_come_back_and_the_first_stays(url: str) -> None:
    one, other = open_store(url), open_store(url)
    assert isinstance(one, PostgresStore)
    answer = Response(id="1", response="A", reasoning="Ж\0\ud800 \u2028", seconds=0.5)
    assert one.put(KEY, "openai/m", '{"a": "\\u0000"}', answer) == answer
    assert other.put(KEY, "openai/m", "{}", answer.model_copy(update={"response": "B"})).response == "A"
    found = other.get(KEY)
    assert found is not None
    assert (found.response, found.reasoning) == ("A", "Ж\ufffd\ufffd \u2028")
    assert other.get(OTHER) is None
    assert one.mean_seconds("openai/m", media=False) == 0.5
    assert one.mean_seconds("openai/m", media=True) is None
    assert one.mean_seconds("openai/n", media=False) is None
    assert [(name, count) for name, count, *_ in one.summary()] == [("openai/m", 1)]
    assert [row["key"] for row in one.export()] == [KEY]
    assert one.prune(model="openai/n") == 0
    assert one.prune(before=time.time() + 1) == 1
    one.put(KEY, "openai/m", "{}", answer)
    one.forget(KEY)
    assert one.get(KEY) is None
    one.close()
    other.close()


def test_a_lease_has_one_holder(url: str) -> None:
    one, other = open_store(url), open_store(url)
    assert one.lease(KEY)
    assert not other.lease(KEY)
    assert other.lease(OTHER)
    one.end_lease(KEY)
    assert other.lease(KEY)
    other.close()
    assert one.lease(KEY)
    one.close()


def test_what_cannot_be_used_is_one_sentence_without_the_password(url: str) -> None:
    with pytest.raises(InputError, match=r"postgresql://me@127\.0\.0\.1:9/none: can't be used") as told:
        open_store("postgresql://me:hush@127.0.0.1:9/none")
    assert "hush" not in str(told.value)
    assert without_password("postgresql://me:a@b@host/x") == "postgresql://me@host/x"
    store = open_store(url)
    assert isinstance(store, PostgresStore)
    store._db.close()
    with pytest.raises(InputError, match="can't be read"):
        store.get(KEY)


@pytest.mark.full
def test_two_processes_share_it_and_one_is_killed(url: str, tmp_path: Path) -> None:
    bench(tmp_path / "bench", 120)
    with serving_process(0.03) as address:
        command = [
            sys.executable, "-m", "tolman", "run", "./bench", "--model", "openai/m", "--base-url", address,
            "--concurrency", "8", "--store", url,
        ]  # fmt: skip
        first = subprocess.Popen(
            [*command, "--out", "one"], cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        time.sleep(2.5)
        first.send_signal(signal.SIGKILL)
        first.wait()
        both = [
            subprocess.Popen(
                [*command, "--out", name], cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
            for name in ("two", "three")
        ]
        assert [process.wait(timeout=120) for process in both] == [0, 0]
        assert asked_twice(address, 120) <= 8
    shown = terminal.tolman(tmp_path, "store", "show", "--store", url)
    assert "120" in shown.stdout
