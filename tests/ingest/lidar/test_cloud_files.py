"""Clouds come back from every layout as they were written; times are the sensor's, not the recorder's.

PCD files in three encodings, with padding and fields of several values; headers that are wrong; LibLZF's own bytes.

Cut and corrupted clouds end in one sentence that names the file: never a traceback, a hang or a giant allocation.
"""

import resource
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ingest.lidar.layouts import EPOCH, write_bag, write_las, write_pcd, write_ply
from ingest.lidar.pcd_writer import compress_lzf, save_pcd
from ingest.lidar.yard import Shot, shot
from tolman.errors import InputError
from tolman.ingest.clouds import PointTime, Sweep, sweep_of
from tolman.ingest.clouds.bags import (
    bag_pictures,
    bag_poses,
    bag_rates,
    bag_sweeps,
    read_rates,
    read_trajectory,
    topics,
)
from tolman.ingest.clouds.cloud_files import (
    GPS_EPOCH,
    PcdHeader,
    cloud_files,
    decompress_lzf,
    parse_header,
    read_las,
    read_pcd,
    read_stamps,
    read_sweeps,
    stamp_in_name,
    unix_seconds,
)
from tolman.ingest.clouds.recording import sweeps_of
from tolman.simulate.walks import Walk

pytest.importorskip("embreex", reason="recordings are simulated with the extra 'worlds'")
NOISE = [(0.1 * i, (np.random.default_rng(i).random((12, 16, 3)) * 255).astype(np.uint8)) for i in range(3)]


@pytest.fixture(scope="module")
def few() -> Shot:
    """Twelve sweeps, so that names that aren't padded are out of order as texts."""
    whole = shot()
    return Shot(tuple(p[::7] for p in whole.points[:12]), whole.stamps[:12], whole.times, whole.poses, whole.camera)


def check(found: list[Sweep], few: Shot, *, places: float, after: float, shift: float = 0.0) -> None:
    assert len(found) == len(few.points)
    for one, true in zip(found, few.points, strict=True):
        assert np.abs(one.points - np.column_stack([true["x"], true["y"], true["z"]])).max() <= places
        assert one.times is not None
        assert np.abs(one.times - shift - true["time"]).max() <= after


@pytest.mark.parametrize("kind", ["ascii", "binary", "binary_compressed"])
def test_pcd(few: Shot, tmp_path: Path, kind: str) -> None:
    write_pcd(tmp_path / "a", few, kind)
    assert f"DATA {kind}\n".encode() in (tmp_path / "a" / "sweep-0.pcd").read_bytes()
    check(list(read_sweeps(tmp_path / "a", few.stamps)), few, places=1e-6, after=1e-8)


def test_a_large_pcd_is_read_in_parts(few: Shot, tmp_path: Path) -> None:
    from tolman.ingest.clouds.cloud_files import read_pcd

    write_pcd(tmp_path / "a", few)
    parts = list(read_pcd(tmp_path / "a" / "sweep-3.pcd", float(few.stamps[3]), chunk=100))
    assert max(len(part.points) for part in parts) == 100
    assert np.concatenate([part.times for part in parts if part.times is not None]) == pytest.approx(
        few.points[3]["time"], abs=1e-8
    )


@pytest.mark.parametrize(("name", "standard"), [("a.las", True), ("a.laz", True), ("week.laz", False)])
def test_las(few: Shot, tmp_path: Path, name: str, standard: bool) -> None:
    write_las(tmp_path / name, few, standard=standard)
    found = list(read_las(tmp_path / name, chunk=1000))
    assert max(len(one.points) for one in found) == 1000
    points, truth = np.concatenate([one.points for one in found]), np.concatenate(few.points)
    assert np.abs(points[:, 0] - truth["x"]).max() <= 5.1e-5
    times = np.concatenate([one.times for one in found if one.times is not None])
    # A date is in Unix seconds, as the camera's computer counts them; seconds of the week are as they are.
    assert np.abs(times - (EPOCH if standard else 0.0) - truth["time"]).max() < 3e-7


def test_leap_seconds() -> None:
    # 2017-01-01T00:00:00Z is 1483228800; the GPS is 18 s ahead from then on, 17 s before.
    gps = np.array([1483228800.0 - GPS_EPOCH + 18, 1483228800.0 - 10 - GPS_EPOCH + 17])
    assert unix_seconds(gps).tolist() == [1483228800.0, 1483228790.0]


def test_ply_of_the_simulator(few: Shot, tmp_path: Path) -> None:
    write_ply(tmp_path / "p", few)
    check(list(read_sweeps(tmp_path / "p")), few, places=1e-6, after=0.0)


@pytest.mark.parametrize(("ros", "storage"), [(1, "sqlite3"), (2, "sqlite3"), (2, "mcap")])
def test_bags_by_their_header_stamps(few: Shot, tmp_path: Path, ros: int, storage: str) -> None:
    path = tmp_path / ("a.bag" if ros == 1 else "bag")
    write_bag(path, few, NOISE, ros=ros, storage=storage)
    assert {topic.name for topic in topics(path)} == {"/points", "/camera", "/pose", "/imu"}
    # Messages arrive 30 ms late; that must not be in any time.
    check(list(bag_sweeps(path)), few, places=0.0, after=3e-7, shift=EPOCH)
    seen = list(bag_pictures(path, "/camera"))
    assert [time - EPOCH for time, _ in seen] == pytest.approx([time for time, _ in NOISE], abs=1e-6)
    assert all((a == b).all() for (_, a), (_, b) in zip(seen, NOISE, strict=True))
    times, poses = bag_poses(path)
    assert np.abs(times - EPOCH - few.times).max() < 3e-7
    assert np.abs(poses - few.poses).max() < 1e-12
    assert len(bag_rates(path)[0]) == len(few.camera.times) - 1
    if storage == "mcap":
        check(list(bag_sweeps(path / "bag.mcap")), few, places=0.0, after=3e-7, shift=EPOCH)


def test_a_bag_s_topic_must_be_there_and_be_one(few: Shot, tmp_path: Path) -> None:
    write_bag(tmp_path / "a.bag", few, NOISE, ros=1)
    with pytest.raises(
        InputError, match=r"a\.bag: has no topic '/lidar' of sensor_msgs/msg/PointCloud2; topics: /camera"
    ):
        list(bag_sweeps(tmp_path / "a.bag", "/lidar"))


def columns(**more: np.ndarray) -> dict[str, np.ndarray]:
    return {axis: np.array([1.0, 2.0], dtype=np.float32) for axis in "xyz"} | more


@pytest.mark.parametrize(
    ("column", "stamp", "rule", "wanted"),
    [
        (np.array([0, 5_000_000], dtype=np.uint32), 10.0, PointTime(), [10.0, 10.005]),
        (np.array([0.0, 0.05], dtype=np.float32), 10.0, PointTime(), [10.0, 10.05]),
        (np.array([0.0, 0.05]), 1.7e9, PointTime(), [1.7e9, 1.7e9 + 0.05]),
        (np.array([4.0, 4.05]), 4.0, PointTime(), [4.0, 4.05]),
        (np.array([1_700_000_000_000_000_000, 1_700_000_000_050_000_000], dtype=np.uint64), 3.0, PointTime(), [1.7e9, 1.7e9 + 0.05]),
        (np.array([1.7e15, 1.7e15 + 5e4]), None, PointTime(), [1.7e9, 1.7e9 + 0.05]),
        (np.array([0, 50], dtype=np.uint32), 10.0, PointTime(unit="us"), [10.0, 10.00005]),
        (np.array([0.0, 0.05]), 4.0, PointTime(kind="relative"), [4.0, 4.05]),
        (np.array([0.0, 0.05]), 4.0, PointTime(kind="none"), None),
    ],
)  # fmt: skip
def test_how_the_time_of_points_is_understood(
    column: np.ndarray, stamp: float | None, rule: PointTime, wanted: list[float] | None
) -> None:
    times = sweep_of(Path("x"), columns(t=column), stamp, rule).times
    assert wanted is None if times is None else times == pytest.approx(wanted, abs=3e-7)


def test_returns_that_never_came_are_left_out() -> None:
    found = sweep_of(Path("x"), {axis: np.array([1.0, 0.0, np.nan]) for axis in "xyz"}, 0.0)
    assert found.points.tolist() == [[1.0, 1.0, 1.0]]


def test_clouds_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for name in ("s-10.pcd", "s-9.pcd", "s-100.pcd"):
        (tmp_path / name).write_bytes(b"")
    assert [path.name for path in cloud_files(tmp_path)] == ["s-9.pcd", "s-10.pcd", "s-100.pcd"]
    (tmp_path / "a.las").write_bytes(b"")
    with pytest.raises(InputError, match=r"several kinds: \.las, \.pcd"):
        cloud_files(tmp_path)


def test_names_that_are_times() -> None:
    assert stamp_in_name(Path("1700000000.25.pcd")) == 1700000000.25
    assert stamp_in_name(Path("1700000000250000000.pcd")) == pytest.approx(1700000000.25)
    assert stamp_in_name(Path("000017.pcd")) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1.0\n0.5\n", "its times fall"),
        ("a\nb\n", "is no time"),
        ("", "holds no times"),
        ("1.0\nnan\n", "isn't finite"),
    ],
)
def test_broken_stamps_are_named(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(InputError, match=reason):
        read_stamps(tmp_path / "t.txt")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 0 0 0 0 0 0 1\n", "holds 1 poses"),
        ("0 0 0 0 0 0 0 1\n0 0 0 0 0 0 0 1\n", "row 2: the times"),
        ("0 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 7\n", "pose 2 has a quaternion of length 7"),
        ("0 0 0 0 0 0 0 1\n1 0 0 0 x 0 0 1\n", "row 2: a line holds"),
        ("0 0 0 0 0 0 0 1\n1 0 0 inf 0 0 0 1\n", "row 2: a line has not 8"),
        ("0 0 0\n", "row 1: a line has not 8"),
    ],
)
def test_broken_trajectories_are_named(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(InputError, match=f"t.txt.*{reason}"):
        read_trajectory(tmp_path / "t.txt")


def test_rates_from_text(tmp_path: Path) -> None:
    (tmp_path / "imu.csv").write_text("time,wx,wy,wz,ax\n1.0,0.1,0.2,0.3,9\n0.5,0,0,1,9\n")
    times, rates = read_rates(tmp_path / "imu.csv")
    assert times.tolist() == [0.5, 1.0]
    assert rates.tolist() == [[0, 0, 1], [0.1, 0.2, 0.3]]


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


KINDS = ("ascii", "binary", "binary_compressed", "las", "laz", "ply", "bag", "db3", "folder", "mcap")
SLOW = {"bag", "db3", "folder", "mcap"}
HEADERS = {"ascii": 200, "binary": 200, "binary_compressed": 220, "las": 375, "laz": 620, "ply": 200}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small file of each kind."""
    whole, folder = shot(), tmp_path_factory.mktemp("clouds")
    cut = Walk(whole.camera.times[:12], whole.camera.poses[:12])
    tiny = Shot(tuple(p[::40] for p in whole.points[:3]), whole.stamps[:3], whole.times[:9], whole.poses[:9], cut)
    same = Shot(tuple(np.repeat(p[:8], 40) for p in tiny.points), tiny.stamps, tiny.times, tiny.poses, cut)
    pictures = [(0.1, np.zeros((12, 16, 3), dtype=np.uint8))]
    for kind in ("ascii", "binary"):
        write_pcd(folder / kind, tiny, kind)
    write_pcd(folder / "binary_compressed", same, "binary_compressed")
    write_las(folder / "a.las", tiny)
    write_las(folder / "a.laz", tiny)
    write_ply(folder / "ply", tiny)
    write_bag(folder / "a.bag", tiny, pictures, ros=1)
    write_bag(folder / "db3", tiny, pictures, ros=2)
    write_bag(folder / "m", tiny, pictures, ros=2, storage="mcap")
    pcd = {kind: folder / kind / "sweep-1.pcd" for kind in KINDS[:3]}
    bags = {
        "bag": folder / "a.bag",
        "db3": folder / "db3/db3.db3",
        "folder": folder / "m/m.mcap",
        "mcap": folder / "m/m.mcap",
    }
    return pcd | bags | {"las": folder / "a.las", "laz": folder / "a.laz", "ply": folder / "ply/000001.ply"}


def count(kind: str, path: Path) -> int:
    place = path.parent if kind in ("db3", "folder") else path
    return sum(len(sweep.points) for sweep in sweeps_of(place))


@pytest.fixture
def broken(files: dict[str, Path], request: pytest.FixtureRequest) -> Iterator[tuple[str, Path, bytes]]:
    """A file's kind, its path and its bytes, which are put back."""
    kind = request.param
    content = files[kind].read_bytes()
    yield kind, files[kind], content
    files[kind].write_bytes(content)


@pytest.mark.parametrize("broken", KINDS, indirect=True)
def test_any_cut_is_named(broken: tuple[str, Path, bytes]) -> None:
    kind, path, content = broken
    generator = np.random.default_rng(0)
    # The last number of a text may lose digits unseen; everything else that is cut is missed.
    ends = {0, 1, len(content) // 2, len(content) - (40 if kind == "ascii" else 1)}
    for end in sorted(ends | set(generator.integers(0, len(content) - 40, 6 if kind in SLOW else 16).tolist())):
        path.write_bytes(content[:end])
        with pytest.raises(InputError, match=str(path.parent)):
            count(kind, path)


@pytest.mark.full
@pytest.mark.parametrize("broken", KINDS, indirect=True)
@pytest.mark.filterwarnings("ignore")
def test_corruption_ends_in_a_sentence_or_does_no_harm(broken: tuple[str, Path, bytes]) -> None:
    kind, path, content = broken
    generator = np.random.default_rng(1)
    refused = 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(12 if kind in SLOW else 40):
        changed = bytearray(content)
        for at in generator.integers(0, HEADERS.get(kind, len(content)), int(generator.integers(1, 4))):
            changed[int(at)] = int(generator.integers(0, 256))
        path.write_bytes(bytes(changed))
        try:
            count(kind, path)
        except InputError as error:
            refused += 1
            assert str(path.parent) in str(error)
    assert refused > 0 or kind in SLOW  # most of a bag is points
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes


@pytest.mark.parametrize(
    ("kind", "old", "new", "reason"),
    [
        ("binary", b"POINTS ", b"POINTS 9", "is cut off: from byte"),
        ("ascii", b"POINTS ", b"POINTS 9", "is cut off: from byte"),
        ("binary", b"FIELDS x ", b"FIELDS a ", "no field 'x'"),
        ("binary", b"SIZE 4 ", b"SIZE ", "other numbers of FIELDS"),
        ("binary", b"DATA ", b"DAT ", "no DATA line"),
        ("las", b"LASF", b"LASG", "is no LAS file"),
    ],
)
def test_a_wrong_header_is_told(
    files: dict[str, Path], tmp_path: Path, kind: str, old: bytes, new: bytes, reason: str
) -> None:
    path = tmp_path / files[kind].name
    path.write_bytes(files[kind].read_bytes().replace(old, new, 1))
    with pytest.raises(InputError, match=reason):
        count(kind, path)
