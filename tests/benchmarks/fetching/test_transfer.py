"""Files come into the hub's cache whole: broken off, they go on; other than listed, they are refused."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest

from fake_hub import COMMIT, VIDEOS, FakeHub, sha256
from tolman.benchmarks.fetching import transfer
from tolman.benchmarks.fetching.listing import HubFile, Listing, find_listing
from tolman.benchmarks.fetching.transfer import begun, bring, missing
from tolman.errors import InputError, UsageError


def listed() -> tuple[Listing, HubFile]:
    """The data set, and its large file."""
    listing = find_listing("somebody/set", COMMIT)
    assert listing is not None
    return listing, next(file for file in listing.files if file.path == "videos.zip")


def test_all_files_lie_in_the_cache_of_the_hub_and_are_not_asked_for_again(hub: FakeHub) -> None:
    listing, _ = listed()
    told: list[int] = []
    folder = bring(listing, listing.files, told.append)
    assert folder.name == COMMIT
    assert (folder / "videos.zip").read_bytes() == VIDEOS
    assert (folder.parents[1] / "blobs" / sha256(VIDEOS)).is_file()
    assert sum(told) == sum(file.size for file in listing.files)
    hub.asked.clear()
    assert bring(listed()[0], listing.files) == folder
    assert not hub.asked, "what is here needs no hub"


def test_the_token_goes_to_the_hub_and_to_no_other_host(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_access")
    hub.repositories["somebody/set"].gated = True
    listing, file = listed()
    bring(listing, [file])
    assert hub.authorised
    assert not any(hub.authorised)


def test_a_connection_that_is_cut_goes_on_where_it_was(hub: FakeHub) -> None:
    listing, file = listed()
    hub.cut, hub.cuts = {"videos.zip": 200_000}, 1
    told: list[int] = []
    folder = bring(listing, [file], told.append)
    assert (folder / "videos.zip").read_bytes() == VIDEOS
    assert sum(told) == file.size
    assert hub.sent["videos.zip"] < file.size + 20_000, "no more than what the client held comes twice"


def test_a_hub_that_breaks_off_again_and_again_is_one_sentence_and_the_next_attempt_goes_on(hub: FakeHub) -> None:
    listing, file = listed()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transfer.file_download, "http_get", breaks_off(150_000))
        with pytest.raises(
            UsageError, match=r"broke off 'videos\.zip' after 150 kB of 512 kB .*; the same command resumes from there"
        ):
            bring(listing, [file])
    assert begun(listing, file) == 150_000
    assert missing(listing, [file]) == [file]
    folder = bring(listing, [file])
    assert (folder / "videos.zip").read_bytes() == VIDEOS
    assert hub.sent["videos.zip"] == file.size - 150_000


def breaks_off(after: int) -> Any:
    """A client that brings so many bytes once, and then finds nobody."""

    def http_get(url: str, file: IO[bytes], *, resume_size: int, **more: Any) -> None:
        if resume_size == 0:
            file.write(VIDEOS[:after])
        raise ConnectionError("nobody answers")

    return http_get


def test_a_server_that_knows_no_ranges_sends_all_of_it_again(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    listing, file = listed()
    part = transfer._blobs(listing) / f"{sha256(VIDEOS)}.tolman-part"
    part.parent.mkdir(parents=True)
    part.write_bytes(VIDEOS[:150_000])
    hub.ranges = False
    told: list[int] = []
    folder = bring(listing, [file], told.append)
    assert (folder / "videos.zip").read_bytes() == VIDEOS
    assert sum(told) == file.size - 150_000
    # huggingface-hub before 1 notices only after a whole answer, and asks once more.
    assert hub.sent["videos.zip"] in (file.size, 2 * file.size)


def test_what_was_broken_off_and_spoiled_comes_anew(hub: FakeHub) -> None:
    listing, file = listed()
    part = transfer._blobs(listing) / f"{sha256(VIDEOS)}.tolman-part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 150_000)
    assert (bring(listing, [file]) / "videos.zip").read_bytes() == VIDEOS


@pytest.mark.parametrize("path", ["videos.zip", "test.jsonl"])
def test_other_content_than_is_listed_is_refused_and_not_kept(hub: FakeHub, path: str) -> None:
    listing, _ = listed()
    file = next(one for one in listing.files if one.path == path)
    hub.repositories["somebody/set"].tampered[path] = b"?" * file.size
    with pytest.raises(
        InputError, match=r"the hub sends other content than it lists .*twice; look for a proxy"
    ) as error:
        bring(listing, [file])
    assert path in str(error.value)
    assert missing(listing, [file]) == [file]
    assert begun(listing, file) == 0
    hub.repositories["somebody/set"].tampered.clear()
    assert (bring(listing, [file]) / path).is_file()


def test_the_client_says_nothing_of_its_own(hub: FakeHub, capfd: pytest.CaptureFixture[str]) -> None:
    listing, _ = listed()
    hub.cut, hub.cuts = {"videos.zip": 100_000}, 1
    bring(listing, listing.files)
    assert capfd.readouterr() == ("", "")


FULL = """
import sys
from pathlib import Path
from fake_hub import COMMIT
from tolman.benchmarks.fetching import transfer
from tolman.benchmarks.fetching.listing import find_listing
transfer.MARGIN = 0
transfer.LARGE = 100_000
import huggingface_hub.constants
huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE = 10_000
listing = find_listing("somebody/set", COMMIT)
file = next(file for file in listing.files if file.path == "videos.zip")
try:
    transfer.bring(listing, [file])
except Exception as error:
    print(f"{type(error).__name__}: {error}")
print(transfer.begun(listing, file))
"""


@pytest.mark.full
def test_a_disk_that_becomes_full_is_one_sentence_and_what_came_is_kept(hub: FakeHub, tmp_path: Path) -> None:
    """On a true disk of 300 kB, of another process: what may be mounted there is gone with it."""
    (tmp_path / "hub").mkdir()
    (tmp_path / "full.py").write_text(FULL)
    mount = f"mount -t tmpfs -o size=300k none {tmp_path / 'hub'} && exec {sys.executable} {tmp_path / 'full.py'}"
    if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
        pytest.skip("no disk of its own can be mounted here")
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    sentence, come = done.stdout.strip().splitlines()
    assert sentence.startswith("UsageError: there is no space left in ")
    assert "the same command resumes from there" in sentence
    assert 100_000 < int(come) < len(VIDEOS)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_told_by_its_number(number: int) -> None:
    assert transfer.is_full(OSError(number, "full"))
    assert not transfer.is_full(OSError(errno.EACCES, "not yours"))
