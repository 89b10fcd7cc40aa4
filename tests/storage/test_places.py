from pathlib import Path

import pytest
from hypothesis import assume, given, strategies as st

from tolman.errors import UsageError
from tolman.storage.object_store import as_named, as_path, is_url, mirror_of, url_of, with_urls


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))


@given(st.lists(st.text("abc-_.0", min_size=1), min_size=1, max_size=4))
def test_a_path_that_has_lost_a_slash_names_the_same_place(parts: list[str]) -> None:
    assume(all(part not in (".", "..") for part in parts))
    url = f"s3://{'/'.join(parts)}"
    assert url_of(url) == url_of(f"s3:/{'/'.join(parts)}") == url_of(f"{url}/")


def test_what_is_no_url_stays_as_it_is() -> None:
    for name in ("worlds", "./s3/worlds", "/s3:/x", "http://host/x", "vsi-bench"):
        assert not is_url(name)
        assert as_path(name) == Path(name)
        assert as_named(name) == name


def test_a_name_that_leads_out_of_its_folder_is_no_place() -> None:
    for name in ("s3://bucket/worlds/..", "s3://bucket/../worlds", "s3://bucket/./worlds", "s3://", "s3://.."):
        with pytest.raises(UsageError, match="no folder of an object store"):
            as_path(name)


def test_a_mirror_is_named_by_its_url() -> None:
    folder = as_path(Path("s3://bucket/a/worlds"))
    assert folder.name == "worlds"
    assert as_path("s3://bucket/a/worlds/") == folder
    assert as_path("s3://bucket/b/worlds") != folder
    assert mirror_of(folder / "videos" / "1.mp4") == folder
    assert as_named(folder / "videos" / "1.mp4") == "s3://bucket/a/worlds/videos/1.mp4"
    assert with_urls(f"{folder}/x.json: is missing; see '{folder}'.") == (
        "s3://bucket/a/worlds/x.json: is missing; see 's3://bucket/a/worlds'."
    )
