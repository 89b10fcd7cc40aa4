"""Cut and corrupted clouds end in one sentence that names the file: never a traceback, a hang or a giant allocation."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ingest.lidar.layouts import write_bag, write_las, write_pcd, write_ply
from ingest.lidar.yard import Shot, shot
from tolman.errors import InputError
from tolman.ingest.clouds.recording import sweeps_of
from tolman.simulate.walks import Walk

pytest.importorskip("embreex", reason="recordings are simulated with the extra 'worlds'")
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
