"""Media pools: what lies on people's disks comes in once, in order, with where it is from; what is broken is named."""

import json
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from typer.testing import CliRunner

from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.ingest import media_pool
from tolman.ingest.media_pool import bring_in, is_pool, read_pool, scene_of
from videos import turn, write_video

RUN = CliRunner()


def picture(path: Path, seed: int, size: tuple[int, int] = (30, 20), **options: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path, **options)  # type: ignore[arg-type]
    return path


def bomb(path: Path, side: int = 40_000) -> Path:
    """A small PNG that says it is very large."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    return path


@pytest.fixture
def davis(tmp_path: Path) -> Path:
    """Two sequences with unpadded names, and a video."""
    root = tmp_path / "DAVIS"
    for name, count in (("bear", 12), ("bus", 3)):
        for i in range(count):
            picture(root / "JPEGImages" / name / f"{i}.jpg", 100 * count + i)
    write_video(root / "clips" / "walk.mp4", 15, size=(64, 48))
    (root / "ImageSets.txt").write_text("bear\nbus\n")
    return root


def test_a_folder_comes_in_sequence_by_sequence(davis: Path, tmp_path: Path) -> None:
    pool = tmp_path / "pool"
    brought = bring_in([davis], pool, source="DAVIS 2017", licence="CC BY-NC 4.0")
    media = read_pool(pool)
    assert list(brought.added) == media or len(brought.added) == len(media) == 16
    assert (brought.kept, brought.left_out, brought.others, brought.duplicates) == (0, (), 1, ())
    assert is_pool(pool)
    bears = [m for m in media if m.group == "JPEGImages/bear"]
    assert [m.original for m in bears] == [f"JPEGImages/bear/{i}.jpg" for i in range(12)]
    assert [m.position for m in bears] == list(range(12))
    assert {(m.kind, m.width, m.height, m.frames, m.duration) for m in bears} == {("image", 30, 20, 1, None)}
    assert {(m.source, m.licence) for m in media} == {("DAVIS 2017", "CC BY-NC 4.0")}
    (video,) = [m for m in media if m.kind == "video"]
    assert (video.width, video.height, video.frames, video.group) == (64, 48, 15, "clips")
    assert video.duration == pytest.approx(0.5)
    for medium in media:
        assert (pool / medium.path).read_bytes() == (davis / medium.original).read_bytes()
    assert (pool / bears[0].path).stat().st_ino == (davis / bears[0].original).stat().st_ino


def test_what_is_there_is_not_read_again(davis: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = tmp_path / "pool"
    bring_in([davis], pool, source="DAVIS", copy=True)
    before = read_pool(pool)
    assert (pool / before[0].path).stat().st_ino != (davis / before[0].original).stat().st_ino
    picture(davis / "JPEGImages" / "bear" / "5.jpg", 999, (44, 22))
    (pool / before[3].path).unlink()
    looked = []
    monkeypatch.setattr(media_pool, "look", lambda path, real=media_pool.look: looked.append(path.name) or real(path))
    brought = bring_in([davis], pool, source="DAVIS", licence="MIT")
    assert looked == ["3.jpg", "5.jpg"]
    assert brought.kept == 14
    after = read_pool(pool)
    assert [m.width for m in after][5] == 44
    assert [m.sha256 for m in after][:5] == [m.sha256 for m in before][:5]
    assert {m.licence for m in after} == {"MIT"}


def test_pictures_of_a_flat_folder_are_scenes_of_their_own_unless_a_table_groups_them(tmp_path: Path) -> None:
    for i in range(8):
        picture(tmp_path / "photos" / f"{i}.jpg", i)
    picture(tmp_path / "photos" / "kitchen" / "a.jpg", 20)
    picture(tmp_path / "photos" / "kitchen" / "b.jpg", 21)
    bring_in([tmp_path / "photos"], tmp_path / "pool", source="Mine")
    media = {medium.original: medium for medium in read_pool(tmp_path / "pool")}
    assert len({medium.scene for medium in media.values()}) == 9
    assert scene_of([media["kitchen/a.jpg"], media["3.jpg"]]) == "Mine/kitchen"
    assert scene_of([media["5.jpg"], media["3.jpg"]]) == scene_of([media["3.jpg"], media["5.jpg"]]) == "Mine/3.jpg"
    table = tmp_path / "groups.csv"
    table.write_text("file,group\n0.jpg,hall\n1.jpg,hall\n")
    for place, kept in (("pool", 10), ("new", 0)):  # one that is there already, and a new one
        done = bring_in([tmp_path / "photos"], tmp_path / place, source="Mine", groups=table)
        assert done.kept == kept
        media = {medium.original: medium for medium in read_pool(tmp_path / place)}
        assert media["0.jpg"].scene == media["1.jpg"].scene == "Mine/hall"
        assert [media[f"{i}.jpg"].position for i in (0, 1)] == [0, 1]
        assert len({medium.scene for medium in media.values()}) == 8


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("file,group\n9.jpg,hall\n", "row 1, field 'file': no file '9.jpg' is brought in"),
        ("file,group\n0.jpg,\n", "row 1, field 'group': is missing"),
        ("name,group\n0.jpg,hall\n", "row 1, field 'file': is missing"),
        ("file,group\n0.jpg,hall\n0.jpg,bath\n", "row 2, field 'group': gives '0.jpg' a second group"),
    ],
)
def test_a_table_of_groups_that_cannot_be_used_is_told(tmp_path: Path, text: str, told: str) -> None:
    picture(tmp_path / "photos" / "0.jpg", 0)
    (tmp_path / "groups.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        bring_in([tmp_path / "photos"], tmp_path / "pool", source="Mine", groups=tmp_path / "groups.csv")
    assert told in str(caught.value)


def test_the_command_says_how_many_files_are_in_no_group(tmp_path: Path) -> None:
    for i in range(3):
        picture(tmp_path / "photos" / f"{i}.jpg", i)
    done = RUN.invoke(app, ["ingest", "media", str(tmp_path / "photos"), "--out", str(tmp_path / "pool")])
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "3 files in no group: each counts as a scene of its own" in said
    assert "3 images and 0 videos in 0 groups;" in said


def test_several_sources_share_a_pool(davis: Path, tmp_path: Path) -> None:
    pool = tmp_path / "pool"
    bring_in([davis / "JPEGImages" / "bus"], pool, source="DAVIS")
    picture(tmp_path / "dtu" / "scan1" / "rect_001.png", 7)
    (tmp_path / "dtu" / "copy.jpg").write_bytes((davis / "JPEGImages/bus/1.jpg").read_bytes())
    brought = bring_in([tmp_path / "dtu"], pool, source="DTU")
    assert [m.source for m in read_pool(pool)] == ["DAVIS"] * 3 + ["DTU"] * 2
    (twin,) = brought.duplicates
    assert (twin.path, twin.duplicate_of) == ("media/DTU/copy.jpg", "media/DAVIS/1.jpg")


def test_lists_and_single_files_may_be_given(davis: Path, tmp_path: Path) -> None:
    names = tmp_path / "wanted.txt"
    names.write_text(
        "DAVIS/JPEGImages/bear/10.jpg\nDAVIS/JPEGImages/bear/9.jpg\n\nDAVIS/JPEGImages/bus\nDAVIS/gone.jpg\n"
    )
    brought = bring_in([names], tmp_path / "pool", source="some")
    assert [m.original for m in read_pool(tmp_path / "pool")] == [
        "JPEGImages/bear/9.jpg", "JPEGImages/bear/10.jpg", "JPEGImages/bus/0.jpg", "JPEGImages/bus/1.jpg",
        "JPEGImages/bus/2.jpg",
    ]  # fmt: skip
    assert [(one.file, one.reason) for one in brought.left_out] == [
        ("gone.jpg", "can't be read (No such file or directory)")
    ]
    single = bring_in([davis / "JPEGImages/bear/2.jpg"], tmp_path / "one", source="some")
    assert [m.path for m in single.added] == ["media/some/2.jpg"]


def test_a_pool_takes_nothing_from_itself_and_from_what_was_made_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    photos = tmp_path / "photos"
    picture(photos / "walk" / "a.jpg", 1)
    for place, mark in (
        ("bench", "benchmark.json"), ("bench-review", ""), ("elsewhere", "review.sqlite"), ("older", "pool.parquet"),
    ):  # fmt: skip
        picture(photos / place / "media" / "0.jpg", 2)
        if mark:
            (photos / place / mark).write_text("")
    monkeypatch.chdir(photos)
    pool = Path("walk/../pool")
    for _ in range(2):
        bring_in([photos], pool, source="Mine")
        assert [medium.original for medium in read_pool(pool)] == ["walk/a.jpg"]
    for itself in (pool, photos / "pool" / "media" / "Mine"):
        with pytest.raises(
            InputError, match=r"belongs to the pool .*photos/pool itself; give the folder that its media"
        ):
            bring_in([itself], pool, source="Mine")
    assert len(bring_in([photos / "bench"], pool, source="Other").added) == 1  # which is named


def test_sizes_are_those_that_are_seen(tmp_path: Path) -> None:
    sideways = Image.Exif()
    sideways[0x0112] = 6
    picture(tmp_path / "in" / "a.jpg", 1, (30, 20), exif=sideways)
    turn(write_video(tmp_path / "in" / "b.mp4", 5, size=(64, 48)), 90)
    bring_in([tmp_path / "in"], tmp_path / "pool", source="phone")
    assert [(m.width, m.height) for m in read_pool(tmp_path / "pool")] == [(20, 30), (48, 64)]


def test_what_cannot_be_used_is_listed_with_the_reason(davis: Path, tmp_path: Path) -> None:
    bomb(davis / "bomb.png")
    whole = (davis / "JPEGImages/bear/3.jpg").read_bytes()
    (davis / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    film = write_video(davis / "cut.mp4", 60, size=(64, 48), faststart=True)
    film.write_bytes(film.read_bytes()[: film.stat().st_size * 6 // 10])
    (davis / "text.png").write_text("no picture")
    (davis / "empty.mp4").write_bytes(b"")
    (davis / "folder.jpg").mkdir()
    (davis / "nowhere.jpg").symlink_to(davis / "gone.jpg")
    (davis / "back\\slash.jpg").write_bytes(whole)
    frames = [Image.new("RGB", (8, 8), (i * 90, 0, 0)) for i in range(3)]
    frames[0].save(davis / "many.gif", save_all=True, append_images=frames[1:])
    pool = tmp_path / "pool"
    brought = bring_in([davis], pool, source="DAVIS")
    assert len(brought.added) == 16
    reasons = {one.file: one.reason for one in brought.left_out}
    assert reasons["bomb.png"] == "is too large for a picture (more than 89,478,485 pixels)"
    assert "is no readable image" in reasons["cut.jpg"]
    assert reasons["text.png"] == "is no readable image (cannot identify image file it)"
    assert "is no video" in reasons["empty.mp4"]
    assert "it promises 60 frames (2.00 s) and holds " in reasons["cut.mp4"]
    assert reasons["nowhere.jpg"] == "can't be read (No such file or directory)"
    assert reasons["back\\slash.jpg"] == "has a backslash in its name"
    assert reasons["many.gif"] == "holds 3 pictures; make it a video"
    assert len(reasons) == 8
    listed = json.loads((pool / "left_out.json").read_text())
    assert {entry["file"]: entry["reason"] for entry in listed} == reasons
    for path in (davis / "cut.jpg", davis / "cut.mp4", davis / "text.png"):
        path.unlink()
    bring_in([davis], pool, source="DAVIS")
    assert len(json.loads((pool / "left_out.json").read_text())) == 5


@pytest.mark.parametrize("kind", ["jpg", "png", "webp", "mp4"])
def test_damaged_files_are_left_out_or_read_and_never_more(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "in"
    if kind == "mp4":
        whole = write_video(folder / "good.mp4", 8, size=(64, 48)).read_bytes()
    else:
        whole = picture(folder / f"good.{kind}", 3).read_bytes()
    generator = random.Random(kind)
    for i in range(24):
        data = bytearray(whole)
        if i % 2:
            del data[generator.randrange(len(data)) :]
        else:
            for _ in range(generator.choice([1, 4, 30])):
                data[generator.randrange(len(data))] = generator.randrange(256)
        (folder / f"{i}.{kind}").write_bytes(bytes(data))
    brought = bring_in([folder], tmp_path / "pool", source="damaged")
    assert len(brought.added) + len(brought.left_out) == 25
    assert sum(one.file != f"good.{kind}" for one in brought.left_out) >= 8
    assert f"media/damaged/good.{kind}" in {m.path for m in read_pool(tmp_path / "pool")}


def test_what_is_no_pool_is_left_alone(davis: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds something other than a media pool"):
        bring_in([davis], davis, source="x")
    with pytest.raises(InputError, match=r"holds no pool\.parquet"):
        read_pool(davis)
    with pytest.raises(InputError, match="isn't there"):
        bring_in([tmp_path / "gone"], tmp_path / "pool", source="x")
    with pytest.raises(InputError, match="holds no usable image or video"):
        bring_in([davis / "ImageSets.txt"], tmp_path / "pool", source="x")
    with pytest.raises(UsageError, match="--source takes a name"):
        bring_in([davis], tmp_path / "pool", source="../x")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("path", "media/../../secret", "leads out of the pool"),
        ("path", "/etc/passwd", "leads out of the pool"),
        ("width", 0, "greater than 0"),
        ("kind", "sound", "'image' or 'video'"),
        ("sha256", "abc", "should match pattern"),
    ],
)
def test_a_row_that_is_no_medium_is_named(
    davis: Path, tmp_path: Path, field: str, value: object, sentence: str
) -> None:
    bring_in([davis / "JPEGImages/bus"], tmp_path / "pool", source="DAVIS")
    path = tmp_path / "pool" / "pool.parquet"
    rows = pl.read_parquet(path).to_dicts()
    rows[1][field] = value
    pl.DataFrame(rows).write_parquet(path)
    with pytest.raises(InputError, match=f"row 2, field '{field}': .*{sentence}"):
        read_pool(tmp_path / "pool")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="is no readable table of media"):
        read_pool(tmp_path / "pool")


def test_the_command(davis: Path, tmp_path: Path) -> None:
    pool = tmp_path / "pool"
    (davis / "broken.png").write_text("x")
    done = RUN.invoke(app, ["ingest", "media", str(davis), "--out", str(pool), "--workers", "1"])
    assert done.exit_code == 1, done.output
    assert "broken.png: is no readable image" in done.output
    assert "15 images and 1 video in 3 groups; 16 new, 0 kept, 1 left out (left_out.json), 1 other file." in " ".join(
        done.output.split()
    )
    assert "No licence was named" in done.output
    assert {m.source for m in read_pool(pool)} == {"DAVIS"}
    (davis / "broken.png").unlink()
    done = RUN.invoke(
        app, ["ingest", "media", str(davis), "--out", str(pool), "--workers", "1", "--licence", "CC BY", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["kept"] == 16


@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest", "scannet", "a", "b", "--out", "x"],
        ["ingest", "scannet", "a", "--out", "x", "--licence", "y"],
        ["ingest", "media", "a", "--out", "x", "--categories", "y"],
    ],
)
def test_options_that_do_not_go_together(arguments: list[str]) -> None:
    assert isinstance(RUN.invoke(app, arguments).exception, UsageError)
