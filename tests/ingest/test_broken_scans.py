"""Whatever is cut off or changed ends in one sentence that names a file of the scan.

Files of scans cut off and corrupted at random: an error that names the file, or no harm; nothing else.
"""

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.arkit_writer import write_arkit
from ingest.fuzzing import fuzz, read_all
from ingest.generic_writer import write_generic
from ingest.matterport_writer import write_matterport
from ingest.scannet_writer import write_scannet
from ingest.scannetpp_writer import write_scannetpp
from ingest.worlds import SmallWorld, small_world
from tolman.errors import TolmanError
from tolman.ingest.formats import get, scannet, scannetpp
from tolman.ingest.scan_format import RawScene
from videos import write_video

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
pytest.importorskip("lz4", reason="scans need the extra 'build'")

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


FRAMES = 4
CUTS, FLIPS = 6, 10
HARMLESS = {".mp4": 128}
"""Bytes at the end of a file without which it is still whole: a video's tags; 16 for a picture's end mark."""
OPEN_ENDED = {".traj", ".pincam", ".txt", ".csv"}
"""Lines of numbers: nothing in them says where they end, so that a cut may leave a file that is right in itself."""


def few(world: SmallWorld) -> SmallWorld:
    return replace(world, times=world.times[:FRAMES], poses=world.poses[:FRAMES])


WRITERS: dict[str, tuple[str, Callable[[Path, SmallWorld, tuple], object]]] = {  # type: ignore[type-arg]
    "arkitscenes": ("arkitscenes", lambda root, world, shown: write_arkit(root, world, shown)),
    "matterport3d": ("matterport3d", lambda root, world, shown: write_matterport(root, world, shown)),
    "matterport3d-raw": ("matterport3d", lambda root, world, shown: write_matterport(root, world, shown, undistorted=False, index=False)),
    "generic": ("generic", lambda root, world, shown: write_generic(root / "room", world, shown, masks=True)),
    "generic-video": ("generic", lambda root, world, shown: write_video_only(root / "room", world, shown)),
}  # fmt: skip


def write_video_only(folder: Path, world: SmallWorld, shown: tuple) -> None:  # type: ignore[type-arg]
    """The same with a video, as it is, instead of frames."""
    content = write_generic(folder, world, shown)
    shutil.rmtree(folder / "frames")
    write_video(folder / "v.mp4", FRAMES, size=(64, 48))
    (camera,) = content["cameras"]
    for gone in ("frames", "rate"):
        del camera[gone]
    camera["video"] = "v.mp4"
    (folder / "scene.json").write_text(json.dumps(content))


def used(path: Path) -> bool:
    """Whether a file is read: with a house's index, its regions' own files are not."""
    return "region_segmentations" not in path.parts or not list(path.parents[1].glob("house_segmentations/*.house"))


def whole_reading(name: str, root: Path) -> RawScene:
    """Everything that ingest takes from the first scene of a folder."""
    form = get(name)
    reading = form.read(form.find(root)[0])
    for recording in reading.recordings:
        assert recording.pictures is not None
        for picture in recording.pictures(range(len(recording.times))):
            assert picture.shape == (recording.size[1], recording.size[0], 3)
        for i in range(len(recording.times) if recording.masks else 0):
            assert recording.masks is not None
            recording.masks(i)
    return reading


@pytest.mark.full
@pytest.mark.parametrize("case", WRITERS)
def test_broken_files_are_named(tmp_path: Path, drawn: tuple, case: str) -> None:  # type: ignore[type-arg]
    name, write = WRITERS[case]
    root = tmp_path / "in"
    root.mkdir()
    write(root, few(small_world()), drawn[:FRAMES])
    assert whole_reading(name, root).instances
    kinds: dict[str, Path] = {}
    for path in sorted(root.rglob("*")):
        if path.is_file() and used(path):
            kinds.setdefault(f"{path.parent.name}{path.suffix}", path)
    assert len(kinds) >= 4
    silent = []
    for path in kinds.values():
        good = path.read_bytes()
        draw = random.Random(f"{case} {path.name}")
        for i in range(CUTS + FLIPS):
            data = bytearray(good)
            if cut := i < CUTS:
                data = data[: draw.randrange(len(data))]
            else:
                # The beginning, where headers and counts stand, is hit as often as all of the rest.
                reach = len(data) if i % 2 else min(len(data), 256)
                for _ in range(draw.choice((1, 4))):
                    data[draw.randrange(reach)] = draw.randrange(256)
            path.write_bytes(data)
            try:
                whole_reading(name, root)
            except TolmanError as error:
                assert str(tmp_path) in str(error)
            else:
                left = len(good.rstrip()) - len(data)
                if cut and path.suffix not in OPEN_ENDED and left > HARMLESS.get(path.suffix, 16):
                    silent.append((path, len(data), len(good)))
        path.write_bytes(good)
    assert not silent


@pytest.mark.parametrize("case", WRITERS)
def test_missing_files_are_named(tmp_path: Path, drawn: tuple, case: str) -> None:  # type: ignore[type-arg]
    name, write = WRITERS[case]
    root = tmp_path / "in"
    root.mkdir()
    write(root, few(small_world()), drawn[:FRAMES])
    for path in sorted(root.rglob("*")):
        hidden = tmp_path / "hidden"
        if path.is_file():
            shutil.move(path, hidden)
            try:
                whole_reading(name, root)
            except TolmanError as error:
                assert str(tmp_path) in str(error)
            shutil.move(hidden, path)
