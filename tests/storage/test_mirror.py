"""Mirrors of places in memory, by two machines: two caches."""

import json
import threading
import uuid
from contextlib import suppress
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFile

from tolman.storage import as_path, fetched, is_there, mirror, opened, pull
from tolman.storage.mirror import LEASE, MANIFEST, Lease, LostLeaseError, Mirror
from tolman.storage.object_store import Remote, StorageError


class Machines:
    """Two machines with a cache each; `on` says which one goes on."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root, self._patch = root, monkeypatch
        self.url = f"memory://{uuid.uuid4().hex}/worlds"
        self.on(1)

    def on(self, number: int) -> Path:
        """The folder of the place on a machine."""
        self._patch.setenv("TOLMAN_CACHE", str(self._root / str(number)))
        folder = as_path(self.url)
        folder.mkdir(exist_ok=True)
        return folder

    def stored(self) -> list[str]:
        """The files on the store."""
        return sorted(Remote(self.url).listed())


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    return Machines(tmp_path, monkeypatch)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def scene(folder: Path, name: str) -> None:
    """A finished scene: its video, and its part."""
    write(folder / "videos" / f"{name}.mp4", f"video {name}")
    part = {"captures": [{"media": f"videos/{name}.mp4"}]}
    write(folder / ".scenes.partial" / f"{name}.json", json.dumps(part))


def test_tables_are_fetched_at_once_and_media_when_they_are_looked_at(machines: Machines) -> None:
    here = machines.on(1)
    with opened([], [here]):
        write(here / "table.json", "{}")
        write(here / "videos" / "1.mp4", "video")
    assert machines.stored() == [MANIFEST, "table.json", "videos/1.mp4"]
    there = machines.on(2)
    assert pull(machines.url) == there
    assert (there / "table.json").read_text() == "{}"
    video = there / "videos" / "1.mp4"
    assert not video.exists()
    assert is_there(video)
    assert not is_there(there / "videos" / "2.mp4")
    assert fetched(video).read_text() == "video"


def test_finished_scenes_of_a_stopped_job_count_and_the_rest_does_not(machines: Machines) -> None:
    here = machines.on(1)
    with suppress(KeyboardInterrupt), opened([], [here]):
        scene(here, "1")
        write(here / "videos" / "2.mp4", "half a vid")
        raise KeyboardInterrupt
    assert machines.stored() == [".scenes.partial/1.json", MANIFEST, "videos/1.mp4"]
    there = machines.on(2)
    with opened([], [there]):
        assert (there / ".scenes.partial" / "1.json").is_file()
        assert not (there / "videos" / "1.mp4").exists()
        (there / ".scenes.partial" / "1.json").unlink()
        write(there / "scenes-00000.parquet", "table")
    assert machines.stored() == [MANIFEST, "scenes-00000.parquet", "videos/1.mp4"]


def test_what_is_not_in_the_manifest_in_that_version_does_not_count(machines: Machines) -> None:
    here = machines.on(1)
    with opened([], [here]):
        write(here / "a.json", "1")
        write(here / "b.json", "1")
    Remote(machines.url).write("a.json", b"overwritten, and the manifest not")
    Remote(machines.url).write("c.json", b"new, and the manifest not")
    there = pull_on(machines, 2)
    assert sorted(path.name for path in there.iterdir()) == ["b.json"]


def pull_on(machines: Machines, number: int) -> Path:
    machines.on(number)
    return pull(machines.url)


def test_what_changed_on_the_store_is_fetched_again(machines: Machines) -> None:
    first = machines.on(1)
    with opened([], [first]):
        write(first / "a.json", "old")
        write(first / "1.mp4", "old")
    second = pull_on(machines, 2)
    fetched(second / "1.mp4")
    first = machines.on(1)
    with opened([], [first]):
        write(first / "a.json", "newer")
        write(first / "1.mp4", "newer")
    second = pull_on(machines, 2)
    assert (second / "a.json").read_text() == "newer"
    assert fetched(second / "1.mp4").read_text() == "newer"


def test_media_that_were_cleared_from_the_cache_stay_on_the_store(machines: Machines) -> None:
    here = machines.on(1)
    with opened([], [here]):
        write(here / "1.mp4", "video")
    (here / "1.mp4").unlink()
    with opened([], [here]):
        write(here / "a.json", "1")
    assert machines.stored() == [MANIFEST, "1.mp4", "a.json"]


def test_files_of_other_programs_are_read_without_a_manifest(machines: Machines) -> None:
    Remote(machines.url).write("a.json", b"1")
    assert (pull_on(machines, 2) / "a.json").read_text() == "1"


def leases(remote: Remote) -> list[str]:
    return remote.beginning_with(LEASE)


def run_out(remote: Remote, name: str) -> None:
    """As if nobody had renewed a lease for long."""
    about = json.loads(remote.read(name) or b"")
    remote.write(name, json.dumps(about | {"until": 0}).encode())


def test_a_second_job_is_refused_until_the_lease_runs_out(machines: Machines) -> None:
    remote = Mirror(machines.on(1)).remote
    lease = Lease(remote)
    (name,) = leases(remote)
    with pytest.raises(StorageError, match="another job") as told, opened([], [machines.on(2)]):
        pass
    assert str(told.value).startswith(machines.url)
    assert leases(remote) == [name]
    run_out(remote, name)
    second = Lease(remote)
    with pytest.raises(LostLeaseError, match="is not put up"):
        lease.renew()
    lease.end()
    assert len(leases(remote)) == 1
    second.end()
    assert leases(remote) == []


def test_of_two_that_begin_at_once_at_most_one_has_the_lease(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = Mirror(machines.on(1)).remote
    others = []
    write_there = Remote.write

    def write_as_another_begins(self: Remote, name: str, data: bytes) -> None:
        if not others:  # it has looked for others and found none, and has not written yet
            others.append(None)
            others[0] = Lease(remote)
        write_there(self, name, data)

    monkeypatch.setattr(Remote, "write", write_as_another_begins)
    with pytest.raises(StorageError, match="another job"):
        Lease(remote)
    assert len(leases(remote)) == 1


def test_a_file_that_is_no_lease_is_cleared_away(machines: Machines) -> None:
    remote = Mirror(machines.on(1)).remote
    for number, data in enumerate((b"", b"[]", b"{", b'{"until": "soon"}', b'{"until": 1e999, "process": "x"}')):
        remote.write(f"{LEASE}{number}.json", data)
    lease = Lease(remote)
    assert len(leases(remote)) == 1
    lease.end()


def test_a_job_that_was_held_up_puts_nothing_over_what_another_wrote(machines: Machines) -> None:
    first = machines.on(1)
    block = opened([], [first])
    block.__enter__()
    write(first / "a.json", "of the job that was held up")
    remote = Mirror(first).remote
    run_out(remote, leases(remote)[0])
    second = machines.on(2)
    with opened([], [second]):
        write(second / "a.json", "of the other")
    with pytest.raises(LostLeaseError):
        block.__exit__(None, None, None)
    assert (pull_on(machines, 3) / "a.json").read_text() == "of the other"


def test_the_manifest_is_not_written_without_the_lease(machines: Machines) -> None:
    here = machines.on(1)
    write(here / "a.json", "1")

    def lost() -> None:
        raise LostLeaseError("lost")

    with pytest.raises(LostLeaseError):
        Mirror(here).push(finished=True, still=lost)
    assert MANIFEST not in machines.stored()


def test_a_store_that_fails_for_a_while_is_told_of_and_tried_again(
    machines: Machines, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mirror, "EVERY", 0.01)
    here = machines.on(1)
    put, failed = Remote.put, threading.Semaphore(0)
    full = True

    def put_where_there_is_room(self: Remote, path: Path, name: str) -> object:
        if full:
            failed.release()
            raise StorageError("full.")
        return put(self, path, name)

    monkeypatch.setattr(Remote, "put", put_where_there_is_room)
    with opened([], [here]):
        scene(here, "1")
        for _ in range(3):
            assert failed.acquire(timeout=120)
        full = False
    assert machines.stored() == [".scenes.partial/1.json", MANIFEST, "videos/1.mp4"]
    assert [record.getMessage() for record in caplog.records] == [
        "full. Work goes on; finished parts are uploaded as soon as possible."
    ]


@pytest.mark.parametrize("name", ["../out.json", "a/../../out.json", "./a.json", "a//b.json"])
def test_a_file_whose_name_leads_out_of_the_folder_is_refused(machines: Machines, name: str, tmp_path: Path) -> None:
    Remote(machines.url).write("a.json", b"1")
    files = fsspec.filesystem("memory")
    path = f"/{machines.url.removeprefix('memory://')}/{name}"
    files.store[path] = MemoryFile(files, path, b"hostile")
    with pytest.raises(StorageError, match="rename it there"):
        pull_on(machines, 2)
    assert not list(tmp_path.rglob("out.json"))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"files": 3}', '{"files": [1]}'])
def test_a_manifest_that_is_none_is_one_sentence(machines: Machines, text: str) -> None:
    Remote(machines.url).write(MANIFEST, text.encode())
    with pytest.raises(StorageError, match="is no manifest"):
        pull_on(machines, 2)


def test_a_folder_that_is_read_is_put_up_where_a_command_adds_to_it(machines: Machines) -> None:
    here = machines.on(1)
    with opened([], [here]):
        write(here / "run.json", "{}")
    there = machines.on(2)
    with opened([there], []):
        write(there / "scores.json", "{}")
    assert machines.stored() == [MANIFEST, "run.json", "scores.json"]


def test_a_store_that_cannot_be_written_is_one_sentence(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    here = machines.on(1)

    def full(*_: object, **__: object) -> None:
        raise PermissionError("Access Denied")

    block = opened([], [here])
    block.__enter__()
    write(here / "a.json", "1")
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "put_file", full)
    with pytest.raises(StorageError, match=r"can't be written \(Access Denied\)"):
        block.__exit__(None, None, None)
    assert MANIFEST not in machines.stored()
