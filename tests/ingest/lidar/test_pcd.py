"""PCD files in three encodings, with padding and fields of several values; headers that are wrong; LibLZF's own bytes."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from ingest.lidar.pcd_writer import compress_lzf, save_pcd
from tolman.errors import InputError
from tolman.ingest.clouds.cloud_files import PcdHeader, decompress_lzf, parse_header, read_pcd

PLAIN = bytes(range(40)) + b"a" * 300 + bytes(range(40)) + b"abcabcabcabcx"
BY_LIBLZF = bytes.fromhex(
    "1f000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f08202122232425262761e0ff00e01a000000e11f53016263c0"
    "02016378"
)
"""`PLAIN` as LibLZF packs it, with copies that overlap themselves."""
LINES = ("VERSION 0.7", "FIELDS x y z", "SIZE 4 4 4", "TYPE F F F", "COUNT 1 1 1", "WIDTH 2", "POINTS 2", "DATA ascii")
ROWS = "0 1 2\n3 4 5\n"


def write(path: Path, *lines: str, body: bytes = ROWS.encode()) -> Path:
    path.write_bytes("\n".join((*lines, "")).encode() + body)
    return path


@pytest.mark.parametrize("encoding", ["ascii", "binary", "binary_compressed"])
def test_points_come_back_from_each_encoding(tmp_path: Path, encoding: str) -> None:
    rng = np.random.default_rng(0)
    points = np.round(rng.normal(0, 9, (500, 3)), 3).astype(np.float32)
    times = np.repeat(np.arange(5, dtype=np.uint32), 100) * 1000
    save_pcd(tmp_path / "a.pcd", {**dict(zip("xyz", points.T, strict=True)), "t": times}, encoding)
    (found,) = read_pcd(tmp_path / "a.pcd", 7.0)
    assert np.abs(found.points - points).max() < 1e-6
    assert found.times is not None
    assert np.abs(found.times - 7.0 - times * 1e-9).max() < 1e-12


@pytest.mark.parametrize("encoding", ["ascii", "binary", "binary_compressed"])
def test_padding_and_fields_of_several_values_are_passed_over(tmp_path: Path, encoding: str) -> None:
    lines = ("VERSION .7", "FIELDS _ x normal y _ z", "SIZE 1 4 4 4 2 8", "TYPE U F F F I F", "COUNT 3 1 2 1 1 1")
    parts = [
        np.array([[1, 2, 3], [4, 5, 6]], np.uint8), np.array([[0], [3]], np.float32), np.ones((2, 2), np.float32),
        np.array([[1], [4]], np.float32), np.array([[-1], [-2]], np.int16), np.array([[2], [5]], np.float64),
    ]  # fmt: skip
    if encoding == "ascii":
        body = "".join(" ".join(f"{v:g}" for part in parts for v in part[row]) + "\n" for row in (0, 1)).encode()
    elif encoding == "binary":
        body = b"".join(part[row].tobytes() for row in (0, 1) for part in parts)
    else:
        plain = b"".join(part.tobytes() for part in parts)
        packed = compress_lzf(plain)
        body = struct.pack("<II", len(packed), len(plain)) + packed
    (found,) = read_pcd(write(tmp_path / "a.pcd", *lines, "WIDTH 2", "POINTS 2", f"DATA {encoding}", body=body))
    assert found.points.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_header_without_counts_has_one_value_a_field(tmp_path: Path) -> None:
    lines = [line for line in LINES if not line.startswith("COUNT")]
    assert parse_header(tmp_path, lines) == PcdHeader(("x", "y", "z"), ("<f4",) * 3, (1, 1, 1), 2, "ascii")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("TYPE F F F", "# no types", "its header has no TYPE"),
        ("POINTS 2", "POINTS", "its header has no POINTS"),
        ("POINTS 2", "POINTS many", "is no readable PCD file"),
        ("POINTS 2", "POINTS -2", "POINTS below 0"),
        ("COUNT 1 1 1", "COUNT 1 1 0", "a COUNT below 1"),
        ("COUNT 1 1 1", "COUNT 1 1 9999999999", "too many fields"),
        ("COUNT 1 1 1", "COUNT 1 1", "names other numbers of FIELDS, SIZE, TYPE and COUNT"),
        ("FIELDS x y z", "FIELDS x y x", "or one twice"),
        ("SIZE 4 4 4", "SIZE 4 4 3", "a field of TYPE F and SIZE 3"),
        ("VERSION 0.7", "VERSION 0.5", "VERSION isn't 0.7"),
        ("DATA ascii", "DATA zip", "DATA zip, which is none of ascii, binary, binary_compressed"),
        ("POINTS 2", "POINTS 3", "is cut off: it should hold 3 points, and 2 are there"),
    ],
)
def test_what_is_wrong_in_a_header_is_said(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = write(tmp_path / "a.pcd", *(new if line == old else line for line in LINES), body=b"0 1 2\n3 4 5.0000\n")
    with pytest.raises(InputError, match=said) as caught:
        list(read_pcd(path))
    assert str(path) in str(caught.value)


def test_lzf_unpacks_what_liblzf_packed() -> None:
    assert decompress_lzf(BY_LIBLZF, len(PLAIN)) == PLAIN
    assert decompress_lzf(compress_lzf(PLAIN), len(PLAIN)) == PLAIN


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (b"\x20\x00", "corrupt"),  # a copy of what is not there
        (b"\x00a\xe0\xff", "cut off"),
        (b"\x05a", "unpack to 1 bytes, and should to 9"),
        (b"\x00a" + b"\xe0\xff\x00" * 1000, "unpack to 265 bytes, and should to 9"),  # a bomb ends early
    ],
)
def test_lzf_that_is_broken_is_refused(packed: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        decompress_lzf(packed, 9)
