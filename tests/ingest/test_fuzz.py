"""Whatever is cut off or changed ends in one sentence that names a file of the scan."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("lz4", reason="scans need the extra 'build'")

from ingest.fuzzing import fuzz, read_all
from ingest.scannet_writer import write_scannet
from ingest.scannetpp_writer import write_scannetpp
from tolman.ingest.formats import scannet, scannetpp

NAME = "scene0000_00"
SCANNET = tuple(
    f"{NAME}{end}"
    for end in (
        ".sens",
        "_vh_clean_2.ply",
        "_vh_clean_2.0.010000.segs.json",
        ".aggregation.json",
        "_2d-instance-filt.zip",
    )
)
EXPORTED = ("color/1.jpg", "pose/2.txt", "intrinsic/intrinsic_color.txt")
PLUS = (
    "scans/mesh_aligned_0.05.ply", "scans/segments.json", "scans/segments_anno.json", "iphone/pose_intrinsic_imu.json", "iphone/depth.bin",
)  # fmt: skip
ROUNDS = 30


@pytest.fixture(scope="module")
def scans(tmp_path_factory: pytest.TempPathFactory, drawn: tuple) -> dict[str, Path]:  # type: ignore[type-arg]
    root = tmp_path_factory.mktemp("fuzz")
    return {
        "scannet": write_scannet(root / "a", drawn[:3], NAME),
        "exported": write_scannet(root / "b", drawn[:3], NAME, exported=True, masks=False),
        "scannetpp": write_scannetpp(root / "c", drawn[:3]),
        "unpacked": write_scannetpp(root / "d", drawn[:2], unpacked=True),
    }


CASES = [
    (scannet.FORMAT, "scannet", SCANNET), (scannet.FORMAT, "exported", EXPORTED),
    (scannetpp.FORMAT, "scannetpp", PLUS), (scannetpp.FORMAT, "unpacked", ("iphone/depth.bin", "iphone/rgb/frame_000001.jpg")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "scan", "names"), CASES)
def test_what_is_cut_off_is_named(
    kind, scan: str, names: tuple[str, ...], scans: dict[str, Path], tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    assert len(read_all(kind, scans[scan])) == 1
    # The last digits of a number may be lost without anybody noticing.
    names = tuple(name for name in names if not name.endswith(".txt"))
    assert fuzz(kind, scans[scan], tmp_path, names, seed=1, rounds=ROUNDS, must_fail=True) == ROUNDS


@pytest.mark.full
@pytest.mark.parametrize(("kind", "scan", "names"), CASES)
def test_changed_bytes_end_in_a_scene_or_a_sentence(
    kind, scan: str, names: tuple[str, ...], scans: dict[str, Path], tmp_path: Path
) -> None:  # type: ignore[no-untyped-def]
    # A video that is cut has fewer frames, which is said; one with other bytes may be none any more.
    names += ("iphone/rgb.mkv",) if scan == "scannetpp" else ()
    assert fuzz(kind, scans[scan], tmp_path, names, seed=2, rounds=2 * ROUNDS, must_fail=False) > ROUNDS // 4
