"""Media as files of a site."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tolman.items import Media
from tolman.media.frame_store import FrameStore
from tolman.media.sampling import Frames
from tolman.reports.site.site_media import SiteMedia, Wanted, key_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one picture, and a secret beside it."""
    folder = tmp_path / "data"
    folder.mkdir()
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (8, 8, 3)).astype(np.uint8)).save(folder / "a.png")
    (tmp_path / "secret.png").write_bytes((folder / "a.png").read_bytes())
    return folder


def brought(site: Path, data: Path | str, path: str, **wanted: Any) -> tuple[dict[str, Any], dict[str, int]]:
    media = SiteMedia(site, data, FrameStore(site / "store"), Wanted([Frames(count=2)], False, **wanted))
    (entry,) = media.entries({key_of(Media(kind="image", path=path)): 0}, lambda: None)
    return entry, media.missing


def test_a_picture_is_brought_as_it_is_sent(data: Path, tmp_path: Path) -> None:
    entry, missing = brought(tmp_path / "site", data, "a.png")
    assert not missing
    with Image.open(tmp_path / "site" / entry["image"]) as image:
        assert (image.format, image.size) == ("JPEG", (8, 8))


@pytest.mark.parametrize("path", ["../secret.png", "x/../../secret.png", "/etc/passwd", "..\\secret.png"])
def test_a_path_out_of_the_folder_is_refused(data: Path, tmp_path: Path, path: str) -> None:
    entry, missing = brought(tmp_path / "site", data, path)
    assert entry["problem"] == f"{path}: is outside the folder of the media"
    assert missing == {entry["problem"]: 1}
    assert not (tmp_path / "site" / "media").exists()


def test_what_is_missing_says_so(data: Path, tmp_path: Path) -> None:
    entry, _ = brought(tmp_path / "site", data, "b.png")
    assert "b.png" in entry["problem"]
    entry, _ = brought(tmp_path / "site", "nowhere isn't on this machine", "a.png")
    assert entry["problem"] == "nowhere isn't on this machine"


def test_media_that_are_left_out_are_not_looked_at(data: Path, tmp_path: Path) -> None:
    entry, _ = brought(tmp_path / "site", data, "a.png", why_none="left out with --redact")
    assert entry == {"kind": "image", "path": "a.png", "problem": "left out with --redact"}
    assert not (tmp_path / "site" / "media").exists()


@pytest.mark.parametrize("link", [False, True])
def test_a_file_of_the_site_is_a_copy_unless_links_are_wished_for(data: Path, tmp_path: Path, *, link: bool) -> None:
    entry, _ = brought(tmp_path / "site", data, "a.png", link=link)
    assert (tmp_path / "site" / entry["image"]).stat().st_nlink == (2 if link else 1)
