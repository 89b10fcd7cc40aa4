"""Images inside tables: any column, and text tables that are unpacked once.

Media without what their files say about people.
"""

import base64
import csv
import io
import json
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image, ImageOps

from metadata_media import SECRETS, film, photo
from tolman.media.images import image_without_metadata, in_column, read_image, table_and_column, video_without_metadata
from tolman.media.video import BrokenMediaError, read_frames, read_index

CONTENT = b"no image, and nobody looks here"
ENCODED = base64.b64encode(CONTENT).decode()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize(
    ("file", "column", "path"),
    [("a.parquet", "images", "a.parquet"), ("a.parquet", "image_2", "a.parquet#image_2"), ("a.tsv", "image", "a.tsv"),
     ("b#1/a.json", "picture", "b#1/a.json#picture"), ("b#1/a.jsonl", "image", "b#1/a.jsonl")],
)  # fmt: skip
def test_a_column_stands_behind_the_tables_path(file: str, column: str, path: str) -> None:
    assert in_column(file, column) == path
    assert table_and_column(path) == (file, None if path == file else column)


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.json", "a.jsonl"])
def test_text_tables_hold_one_image_or_a_list(tmp_path: Path, name: str) -> None:
    cells = [ENCODED, json.dumps([ENCODED, f"data:image/png;base64,{ENCODED}"]), "", "%%%"]
    rows = [{"n": str(n), "pic": cell} for n, cell in enumerate(cells)]
    with (tmp_path / name).open("w", newline="") as file:
        if name.endswith("sv"):
            writer = csv.DictWriter(file, rows[0], delimiter="\t" if name.endswith("tsv") else ",")
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.write(json.dumps(rows) if name.endswith("json") else "\n\n".join(map(json.dumps, rows)))
    path = in_column(name, "pic")
    assert [read_image(tmp_path, path, place) for place in ((0, 0), (1, 0), (1, 1))] == [CONTENT] * 3
    for place in ((2, 0), (3, 0), (4, 0), (0, 1)):
        with pytest.raises(BrokenMediaError, match=rf"{name}, row {place[0] + 1}: holds no image {place[1] + 1}"):
            read_image(tmp_path, path, place)
    with pytest.raises(BrokenMediaError, match="the file is missing"):
        read_image(tmp_path, in_column("b.tsv", "pic"), (0, 0))


def test_a_table_is_unpacked_once_and_again_where_it_changed(tmp_path: Path, cache: Path) -> None:
    table = tmp_path / "a.tsv"
    table.write_text(f"image\n{ENCODED}\n")
    for _ in range(2):
        assert read_image(tmp_path, "a.tsv", (0, 0)) == CONTENT
    assert len(list(cache.glob("tables/*/*"))) == 1
    table.write_text(f"image\n{base64.b64encode(b'another').decode()}\n")
    assert read_image(tmp_path, "a.tsv", (0, 0)) == b"another"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", [1, 3, 6])
def test_a_photograph_loses_place_and_maker_and_stands_upright(kind: str, orientation: int) -> None:
    before = photo(kind, orientation)
    after = image_without_metadata(before)
    assert b"SecretMaker" in before
    assert b"SecretFilm" in before
    assert not [secret for secret in SECRETS if secret in after]
    with Image.open(io.BytesIO(after)) as image, Image.open(io.BytesIO(before)) as original:
        assert not dict(image.getexif())
        assert image.info["icc_profile"] == b"a profile" * 20
        upright = np.asarray(ImageOps.exif_transpose(original).convert("RGB")).astype(int)
        apart = np.abs(np.asarray(image.convert("RGB")).astype(int) - upright)
        assert image.size == ((40, 60) if orientation == 6 else (60, 40))
    if orientation == 1 or kind == "PNG":
        assert apart.max() == 0  # not encoded again, or without loss
    assert apart.mean() < 6
    assert image_without_metadata(after) == after


def test_a_progressive_jpeg_keeps_all_its_scans() -> None:
    out = io.BytesIO()
    pixels = np.random.default_rng(1).integers(0, 255, (64, 64, 3)).astype(np.uint8)
    Image.fromarray(pixels).save(out, "JPEG", progressive=True, quality=90, comment=b"SecretComment")
    after = image_without_metadata(out.getvalue())
    assert b"Secret" not in after
    with Image.open(io.BytesIO(after)) as image, Image.open(out) as original:
        assert np.array_equal(np.asarray(image), np.asarray(original))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_what_is_cut_off_is_refused_in_a_sentence(kind: str) -> None:
    whole = image_without_metadata(photo(kind))
    for length in range(0, len(whole) - 1, max(1, len(whole) // 40)):
        with pytest.raises(BrokenMediaError):
            image_without_metadata(whole[:length])


@pytest.mark.parametrize("turned", [False, True])
def test_a_film_loses_place_time_and_camera_and_no_frame(tmp_path: Path, turned: bool) -> None:
    before, after = film(tmp_path / "a.mp4", turned=turned), tmp_path / "b.mp4"
    assert before.read_bytes().count(b"+52.5") == 2
    video_without_metadata(before, after, "mp4")
    assert not [secret for secret in SECRETS if secret in after.read_bytes()]
    shown = [list(read_frames(path, read_index(path), range(20))) for path in (before, after)]
    assert shown[0][0][1].size == ((48, 64) if turned else (64, 48))
    assert len(shown[0]) == 20
    for (_, old), (_, new) in zip(*shown, strict=True):
        assert np.array_equal(np.asarray(old), np.asarray(new))
    again = tmp_path / "c.mp4"
    video_without_metadata(before, again, "mp4")
    assert again.read_bytes() == after.read_bytes()


def test_a_webm_loses_its_tags(tmp_path: Path) -> None:
    path = tmp_path / "a.webm"
    with av.open(str(path), "w") as container:
        container.metadata["location"] = "+52.5000+013.4000/"
        stream = container.add_stream("libvpx", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for shade in range(5):
            for packet in stream.encode(av.VideoFrame.from_ndarray(np.full((48, 64, 3), shade * 10, np.uint8))):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    assert b"+52.5" in path.read_bytes()
    video_without_metadata(path, tmp_path / "b.webm", "webm")
    assert b"+52.5" not in (tmp_path / "b.webm").read_bytes()
    assert len(read_index(tmp_path / "b.webm").times) == 5
