"""Which files are fetched: of alternatives one, of a subset its own, of media what questions name."""

import pytest

from tolman.benchmarks.fetching.listing import HubFile, Listing
from tolman.benchmarks.hub import media_files, question_files
from tolman.benchmarks.spec import HubSource
from tolman.errors import UsageError


def listing(*paths: str) -> Listing:
    """Of files."""
    return Listing("somebody/set", "somebody/set", "a" * 40, "", tuple(HubFile(path, 1, "git:0") for path in paths))


def names(files: list[HubFile]) -> list[str]:
    """Their paths."""
    return [file.path for file in files]


def test_of_alternatives_the_first_that_is_there_is_fetched() -> None:
    source = HubSource("somebody/set", ("test-*.parquet|test.jsonl", "notes.txt"))
    held = listing("README.md", "notes.txt", "test-00000-of-00002.parquet", "test-00001-of-00002.parquet", "test.jsonl")
    found = ["notes.txt", "test-00000-of-00002.parquet", "test-00001-of-00002.parquet"]
    assert names(question_files(held, source, None)) == found
    assert names(question_files(listing("test.jsonl"), source, None)) == ["test.jsonl"]


def test_a_subset_has_its_own_files() -> None:
    source = HubSource("somebody/set", ("*.parquet",), questions_of={"image": ("image*.parquet",)})
    held = listing("image-0.parquet", "video-0.parquet")
    assert names(question_files(held, source, "image")) == ["image-0.parquet"]
    assert names(question_files(held, source, "full")) == ["image-0.parquet", "video-0.parquet"]


def test_a_data_set_without_questions_says_what_it_holds() -> None:
    source = HubSource("somebody/set", ("a.parquet|b.parquet",))
    with pytest.raises(
        UsageError, match=r"no questions under a name that is known \(a\.parquet, b\.parquet\) but rows\.csv; "
    ):
        question_files(listing(".gitattributes", "rows.csv"), source, None)


def test_archives_named_after_folders_are_fetched_where_questions_name_the_folder() -> None:
    source = HubSource("somebody/set", (), media=("*.zip",))
    held = listing("arkitscenes.zip", "scannet.zip", "scannetpp.zip")
    assert names(media_files(held, source, None, {"scannet/a.mp4", "scannet/b.mp4"})) == ["scannet.zip"]
    assert names(media_files(held, source, None, None)) == ["arkitscenes.zip", "scannet.zip", "scannetpp.zip"]


@pytest.mark.parametrize("wanted", [{"other/a.mp4", "scannet/b.mp4"}, {"a.mp4", "scannet/b.mp4"}])
def test_archives_that_may_hold_anything_are_all_fetched(wanted: set[str]) -> None:
    source = HubSource("somebody/set", (), media=("*.zip",))
    assert len(media_files(listing("arkitscenes.zip", "scannet.zip"), source, None, wanted)) == 2


def test_of_open_files_those_are_fetched_that_questions_name() -> None:
    source = HubSource("somebody/set", (), media=("*.zip", "videos/*.mp4"))
    held = listing("clips.zip", "videos/a.mp4", "videos/b.mp4", "QA.txt")
    assert names(media_files(held, source, None, {"videos/a.mp4"})) == ["clips.zip", "videos/a.mp4"]


def test_a_subset_has_its_own_media() -> None:
    source = HubSource("somebody/set", (), media=("*.zip",), media_of={"image": ("image*.zip",)})
    assert names(media_files(listing("image.zip", "video.zip"), source, "image", None)) == ["image.zip"]
