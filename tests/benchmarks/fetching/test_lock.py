"""The lock file: what it holds, what it refuses, what it tells of changes."""

import tomllib
from pathlib import Path

import pytest

from tolman.benchmarks.fetching.lock import Locked, changes, check_state, read_lock, state_of, write_lock
from tolman.errors import InputError

STATE = Locked("somebody/set", "a" * 40, {"test.jsonl": "sha256:" + "1" * 64})


def test_states_of_several_benchmarks_stand_in_one_file(tmp_path: Path) -> None:
    lock = tmp_path / "here" / "tolman.lock"
    assert read_lock(lock) == {}
    write_lock(lock, "vsi-bench", STATE)
    write_lock(lock, "site", STATE)
    assert read_lock(lock) == {"site": STATE, "vsi-bench": STATE}
    assert list(tomllib.loads(lock.read_text())) == ["site", "vsi-bench"]


@pytest.mark.parametrize(
    "text", ["[a", "a = 1", '[a]\nrevision = "b"', '[a]\nrepository = "r"\nrevision = "b"\nfiles = 3']
)
def test_what_is_no_lock_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "tolman.lock").write_text(text)
    with pytest.raises(InputError, match=r"tolman\.lock: is no .*; delete it and fetch again\.$"):
        read_lock(tmp_path / "tolman.lock")


def test_another_hash_under_the_same_revision_is_told(tmp_path: Path) -> None:
    snapshot = tmp_path / STATE.revision
    snapshot.mkdir()
    (snapshot / "test.jsonl").write_text("{}\n")
    found = state_of("somebody/set", snapshot, ["test.jsonl"])
    check_state(tmp_path / "tolman.lock", "my-bench", found, found)
    with pytest.raises(
        InputError,
        match=r"'test\.jsonl' of somebody/set has the hash sha256:\w+… under the revision a{12}, and sha256:1+… is written here",
    ) as error:
        check_state(tmp_path / "tolman.lock", "my-bench", STATE, found)
    assert "'tolman fetch my-bench --update'" in str(error.value)


def test_another_revision_is_no_contradiction() -> None:
    check_state(Path("tolman.lock"), "my-bench", STATE, Locked("somebody/set", "b" * 40, {"test.jsonl": "sha256:2"}))


def test_changes_name_the_files() -> None:
    now = Locked("somebody/set", "b" * 40, {"test.jsonl": "sha256:2", "more.jsonl": "sha256:3"})
    assert changes(STATE, now) == ["'more.jsonl' is new", "'test.jsonl' has another content"]
    assert changes(now, STATE) == ["'more.jsonl' is no longer there", "'test.jsonl' has another content"]
