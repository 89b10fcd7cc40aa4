"""Files of scans cut off and corrupted at random: an error that names the file, or no harm; nothing else."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.arkit_writer import write_arkit
from ingest.generic_writer import write_generic
from ingest.matterport_writer import write_matterport
from ingest.worlds import SmallWorld, small_world
from tolman.errors import TolmanError
from tolman.ingest.formats import get
from tolman.ingest.scan_format import RawScene
from videos import write_video

pytest.importorskip("plyfile", reason="scans need the extra 'build'")
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
