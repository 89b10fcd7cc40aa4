"""Room is asked for before anything comes; folders on one disk count together."""

import re
import shutil
from pathlib import Path

import pytest

from fake_hub import COMMIT, FakeHub
from tolman.benchmarks import hub as fetching
from tolman.benchmarks.fetching.transfer import MARGIN, check_space
from tolman.benchmarks.spec import HubSource
from tolman.errors import UsageError


def test_what_is_larger_than_the_disk_is_refused_before_anything_comes(hub: FakeHub, tmp_path: Path) -> None:
    hub.repositories["somebody/set"].announced["videos.zip"] = 10**17
    source = HubSource("somebody/set", ("test.jsonl",), COMMIT, ("*.zip",))
    with pytest.raises(UsageError, match=r"needs 200,000\.0 TB in .*, where .* are free: .*; nothing was fetched\.$"):
        fetching.fetch_media(source, tmp_path / "unpacked")
    assert not hub.sent


def test_folders_on_one_disk_count_together(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    share = int((free - MARGIN) * 0.6)
    check_space({tmp_path / "a": share}, "fetching somebody/set")
    with pytest.raises(UsageError, match=re.escape(f"in {tmp_path / 'a'}")):
        check_space({tmp_path / "a": share, tmp_path / "b" / "c": share}, "fetching somebody/set")
    check_space({tmp_path / "a": 0}, "nothing")
