"""Media that are not there are told before anything is asked."""

from collections.abc import Callable
from pathlib import Path

import pytest

import tolman
from tolman.errors import DataWarning, InputError
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.media.integrity import MIN_FILES, refuse_missing, refuse_outside
from tolman.messages import Joined

Make = Callable[..., Item]


@pytest.fixture
def items(choice: Make) -> list[Item]:
    """As many videos of two data sets as make a folder, two questions each."""
    return [
        choice(id=f"{name}{i}{turn}", media=[{"kind": "video", "path": f"{name}/{i}.mp4"}])
        for name in ("scannet", "arkitscenes")
        for i in range(MIN_FILES)
        for turn in "ab"
    ]


def write(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(b"x")


def test_a_folder_without_any_of_them_is_named(tmp_path: Path, items: list[Item]) -> None:
    with pytest.raises(
        InputError, match=r"none of .* is there \(20 files, the first: scannet/0\.mp4.*--media"
    ) as caught:
        refuse_missing(tmp_path, items)
    assert caught.value.path == str(tmp_path)


def test_one_whole_folder_that_is_missing_is_named(tmp_path: Path, items: list[Item]) -> None:
    write(tmp_path, "scannet/3.mp4")
    with pytest.raises(InputError, match=r"none of .* is there \(10 files,") as caught:
        refuse_missing(tmp_path, items)
    assert caught.value.path == str(tmp_path / "arkitscenes")
    write(tmp_path, "arkitscenes/9.mp4")
    refuse_missing(tmp_path, items)  # single files are failures of their items


def test_a_folder_for_each_scene_is_no_whole_folder(tmp_path: Path, choice: Make) -> None:
    write(tmp_path, "scene1/video.mp4")
    scenes = [choice(id=str(i), media=[{"kind": "video", "path": f"scene{i}/video.mp4"}]) for i in range(5)]
    refuse_missing(tmp_path, scenes)


def test_joined_images_count_by_their_members(tmp_path: Path, choice: Make) -> None:
    members = tuple(Media(kind="image", path=f"{name}.jpg") for name in "ab")
    item = choice().model_copy(update={"media": (Joined(kind="image", path="a.jpg", members=members),)})
    with pytest.raises(InputError, match=r"none of .* is there \(2 files,"):
        refuse_missing(tmp_path, [item])
    write(tmp_path, "b.jpg")
    refuse_missing(tmp_path, [item])
    refuse_missing(tmp_path / "nowhere", [choice()])  # no media, nothing missing


@pytest.mark.parametrize("path", ["../secret.png", "a/../../secret.png"])
def test_a_path_that_climbs_out_of_the_folder_is_refused(path: str, tmp_path: Path, choice: Make) -> None:
    with pytest.raises(InputError, match=r"row 1: the media path '.*secret.png' leads out of the folder"):
        refuse_outside(tmp_path / "bench", [choice(media=[{"kind": "image", "path": path}])])


def test_media_elsewhere_are_read_and_said_so_once(tmp_path: Path, choice: Make) -> None:
    write(tmp_path, "own/a.png", "bench/in.png", "bench/videos/b.png")
    (tmp_path / "bench" / "linked").symlink_to(tmp_path / "own")
    (tmp_path / "bench" / "one.png").symlink_to(tmp_path / "own" / "a.png")
    (tmp_path / "bench" / "near.png").symlink_to("in.png")
    paths = [str(tmp_path / "own" / "a.png"), "linked/a.png", "one.png", "in.png", "videos/b.png", "near.png"]
    items = [choice(id=str(n), media=[{"kind": "image", "path": path}]) for n, path in enumerate(paths)]
    with pytest.warns(DataWarning, match=r"3 of the questions' media are outside of .*bench") as told:
        refuse_outside(tmp_path / "bench", items)
    assert len(told) == 1
    refuse_outside(tmp_path / "bench", items[3:])


@pytest.mark.parametrize("path", ["../own/a.png", "linked/a.png"])
def test_a_run_refuses_or_names_media_outside_of_its_benchmark(path: str, tmp_path: Path, choice: Make) -> None:
    pillow = pytest.importorskip("PIL.Image", reason="images need the extra 'media'")
    (tmp_path / "own").mkdir()
    pillow.new("RGB", (8, 8)).save(tmp_path / "own" / "a.png")
    (tmp_path / "bench").mkdir()
    write_items(tmp_path / "bench" / "items.parquet", [choice(media=[{"kind": "image", "path": path}])])
    (tmp_path / "bench" / "benchmark.json").write_text('{"title": "Mine"}')
    (tmp_path / "bench" / "linked").symlink_to(tmp_path / "own")
    seen: list[object] = []

    def run() -> None:
        tolman.evaluate(tmp_path / "bench", lambda messages: seen.append(messages) or "A", out=tmp_path / "run")

    if path.startswith(".."):
        with pytest.raises(InputError, match="leads out of the folder"):
            run()
        assert not seen
    else:
        with pytest.warns(DataWarning, match="1 of the questions' media is outside of"):
            run()
        assert len(seen) == 1
