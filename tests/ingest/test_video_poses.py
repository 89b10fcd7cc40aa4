"""Poses from a video alone: the truth of a drawn corner and of a simulated room comes back at some scale."""

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import terminal
from ingest.results import collection
from tolman.errors import InputError, MissingExtraError, UsageError
from tolman.features.generate.compute import generate
from tolman.features.generate.config import GenerateConfig
from tolman.features.scenes.compute import ingest, recognise
from tolman.features.scenes.config import IngestConfig, SimulateConfig
from tolman.ingest.readers.colmap_model import read_cameras, read_images
from tolman.ingest.scan_format import PROGRESS
from tolman.ingest.video_poses import NAME, find_consistent, pose_video, read_video, sampson
from tolman.media.video import VideoWriter

pytest.importorskip("av", reason="videos need the extra 'build'")
cv2 = pytest.importorskip("cv2", reason="pictures need the extra 'build'")

SIZE, FOCAL, COUNT, RATE = (320, 240), 260.0, 48, 12.0


def poses() -> np.ndarray:
    """Camera → world of a walk sideways along an arc, shape (n, 4, 4); z is ahead and y down."""
    found = np.tile(np.eye(4), (COUNT, 1, 1))
    for i, along in enumerate(np.linspace(-1, 1, COUNT)):
        found[i, :3, :3] = cv2.Rodrigues(np.array([0.1 * along, -0.35 * along, 0.0]))[0]
        found[i, :3, 3] = (1.2 * along, 0.4 * np.cos(3 * along), 0.8 * along**2)
    return found


@cache
def drawn_corner() -> tuple[np.ndarray, ...]:
    """Pictures of a wall, a wall at its side and a floor, with spots of all sizes."""
    draw = np.random.default_rng(3)
    planes = [
        ((-4, -2, 5), (8, 0, 0), (0, 4, 0)),
        ((-4, -2, 1.5), (1, 0, 3.5), (0, 4, 0)),
        ((-4, 1.2, 1.5), (8, 0, 0), (0, 0, 3.5)),
    ]
    textures = []
    for _ in planes:
        layers = [
            cv2.resize(draw.uniform(0, 255, (n, n, 3)), (900, 900), interpolation=cv2.INTER_CUBIC) for n in (8, 24, 60)
        ]
        textures.append(np.clip(np.mean(layers, 0) * 2 - 128, 0, 255).astype(np.uint8))
    camera = np.array([[FOCAL, 0, SIZE[0] / 2], [0, FOCAL, SIZE[1] / 2], [0, 0, 1]])
    pictures = []
    for pose in poses():
        picture = np.zeros((SIZE[1], SIZE[0], 3), dtype=np.uint8)
        for texture, (corner, along, down) in zip(textures, planes, strict=True):
            sides = np.column_stack([np.array(along) / 900, np.array(down) / 900, corner - pose[:3, 3]])
            warp = camera @ pose[:3, :3].T @ sides
            shown = cv2.warpPerspective(texture, warp, SIZE, flags=cv2.INTER_LINEAR)
            there = cv2.warpPerspective(np.full((900, 900), 255, dtype=np.uint8), warp, SIZE) > 127
            picture[there] = shown[there]
        pictures.append(picture)
    return tuple(pictures)


def film(path: Path, pictures: Any) -> Path:
    with VideoWriter(path, SIZE, RATE, "build") as video:
        for picture in pictures:
            video.add(picture)
    return path


def errors(found: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances after the best similarity transform (Umeyama 1991), and angles in degrees, each of shape (n,)."""
    some, other = found[:, :3, 3], true[:, :3, 3]
    a, b = some - some.mean(0), other - other.mean(0)
    u, s, vt = np.linalg.svd(b.T @ a)
    signs = np.array([1, 1, np.sign(np.linalg.det(u @ vt))])
    turn = (u * signs) @ vt
    off = np.linalg.norm((s * signs).sum() / (a**2).sum() * a @ turn.T - b, axis=1)
    cosines = [(np.trace((turn @ f[:3, :3]).T @ t[:3, :3]) - 1) / 2 for f, t in zip(found, true, strict=True)]
    return off, np.degrees(np.arccos(np.clip(cosines, -1, 1)))


def held(folder: Path, true: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray, int]:
    """The errors of a folder's poses against those of the video's frames, and the number of pictures taken."""
    times = read_video(folder).times
    images = read_images(folder / "sparse" / "0" / "images.bin")
    frames = [round(times[one.name] * rate) for one in images]
    return *errors(np.array([one.pose for one in images]), true[frames]), len(times)


def test_a_drawn_corner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped in the midst of matching, it goes on from there; the second time nothing is done."""
    pycolmap = pytest.importorskip("pycolmap", reason="pycolmap is no dependency")
    video = film(tmp_path / "walk.mp4", drawn_corner())

    def stop(said: str) -> None:
        if said.startswith("matching"):
            raise KeyboardInterrupt

    heard = PROGRESS.set(stop)
    with pytest.raises(KeyboardInterrupt):
        pose_video(video, tmp_path / "model")
    PROGRESS.reset(heard)
    with pycolmap.Database.open(tmp_path / "model" / "database.db") as stored:
        matched = stored.num_matched_image_pairs()
        assert (stored.num_cameras(), matched > 0) == (1, True)
    found = pose_video(video, tmp_path / "model")
    off, turned, taken = held(tmp_path / "model", poses(), RATE)
    assert taken == 16
    assert len(off) == found.models[0][2] == 16
    assert off.max() < 0.01 * np.linalg.norm(np.diff(poses()[:, :3, 3], axis=0), axis=1).sum()
    assert turned.max() < 1.0
    (camera,) = read_cameras(tmp_path / "model" / "sparse" / "0" / "cameras.bin").values()
    assert camera.lens.intrinsics[0] == pytest.approx(FOCAL, rel=0.03)
    for name in ("extract_features", "match_image_pairs", "incremental_mapping"):
        monkeypatch.setattr(pycolmap, name, None)
    assert pose_video(video, tmp_path / "model") == found


@pytest.mark.full
def test_a_video_becomes_a_scene_with_the_known_focal_length(tmp_path: Path) -> None:
    pytest.importorskip("pycolmap", reason="pycolmap is no dependency")
    film(tmp_path / "walk.mp4", drawn_corner())
    options = ("--rate", "3", "--focal", str(FOCAL), "--up=-y", "--out", "scenes")
    done = terminal.tolman(tmp_path, "ingest", "video", "walk.mp4", "--poses", "colmap", *options, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert (
        "colmap/walk: COLMAP registered 12 of 12 pictures of walk.mp4, with a mean reprojection error of 0."
        in done.stdout
    )
    (part,) = collection(tmp_path / "scenes").values()
    (capture,) = part.captures
    assert part.scene.metric is False
    (camera,) = read_cameras(tmp_path / "scenes" / "colmap" / "walk" / "sparse" / "0" / "cameras.bin").values()
    assert camera.lens.intrinsics[:2] == (FOCAL, FOCAL)
    assert capture.clock is None  # its pictures have times
    assert capture.times[-1] == pytest.approx(COUNT / RATE, abs=0.5)
    again = terminal.tolman(tmp_path, "ingest", "video", "walk.mp4", *options)
    assert "1 kept" in again.stdout
    # The model is a COLMAP model like any other.
    assert recognise(IngestConfig(format="auto", path=(tmp_path / "scenes" / "colmap" / "walk",))).format == "colmap"


def test_sharp_frames_are_taken(tmp_path: Path) -> None:
    pytest.importorskip("pycolmap", reason="pycolmap is no dependency")
    sharp = range(1, COUNT, 4)
    pictures = [one if i in sharp else cv2.GaussianBlur(one, (0, 0), 3) for i, one in enumerate(drawn_corner())]
    with pytest.raises(KeyboardInterrupt):
        _until(film(tmp_path / "walk.mp4", pictures), tmp_path / "model", "finding features")
    times = read_video(tmp_path / "model").times.values()
    assert [round(seconds * RATE) for seconds in times] == [*sharp]


def _until(video: Path, folder: Path, step: str) -> None:
    def stop(said: str) -> None:
        if said.startswith(step):
            raise KeyboardInterrupt

    heard = PROGRESS.set(stop)
    try:
        pose_video(video, folder, rate=3.0)
    finally:
        PROGRESS.reset(heard)


@pytest.mark.full
def test_what_cannot_be_posed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pycolmap", reason="pycolmap is no dependency")
    still = film(tmp_path / "still.mp4", [drawn_corner()[0]] * 24)
    with pytest.raises(
        InputError,
        match=r"still\.mp4: COLMAP found poses that agree for only \d+ of 8 pictures, and 50% are the least; move slowly",
    ):
        pose_video(still, tmp_path / "model")
    short = film(tmp_path / "short.mp4", drawn_corner()[:12])
    with pytest.raises(
        InputError,
        match=r"short\.mp4: gives 4 pictures at 4 a second, and 8 are the least; give more a second with --rate",
    ):
        pose_video(short, tmp_path / "other")
    (tmp_path / "other" / NAME).write_text("{")
    with pytest.raises(InputError, match=rf"other/{NAME}: can't be used"):
        pose_video(short, tmp_path / "other")
    with pytest.raises(InputError, match="is a folder; give the video, a file"):
        ingest(IngestConfig(format="video", path=(tmp_path,), out=tmp_path / "out"))
    with pytest.raises(UsageError, match="--focal is for 'tolman ingest video'"):
        ingest(IngestConfig(format="colmap", path=(tmp_path,), out=tmp_path / "out", focal=5.0))
    monkeypatch.setitem(sys.modules, "pycolmap", None)
    with pytest.raises(
        MissingExtraError, match="Finding the poses of a video needs the package 'pycolmap': pip install pycolmap"
    ):
        pose_video(still, tmp_path / "model")


def test_no_other_files_are_lost(tmp_path: Path) -> None:
    pytest.importorskip("pycolmap", reason="pycolmap is no dependency")
    (tmp_path / "one").mkdir()
    for folder in (tmp_path, tmp_path / "one"):
        film(folder / "walk.mp4", drawn_corner()[:36])
    with pytest.raises(KeyboardInterrupt):
        _until(tmp_path / "walk.mp4", tmp_path / "model", "picking")
    with pytest.raises(InputError, match=r"one/walk\.mp4: has the name of another video, .*; rename it"):
        pose_video(tmp_path / "one" / "walk.mp4", tmp_path / "model")
    (tmp_path / "model" / "objects.json").write_text("[]")
    with pytest.raises(
        InputError, match=r"model: holds 'objects\.json', and is made anew for other settings; move that"
    ):
        pose_video(tmp_path / "walk.mp4", tmp_path / "model", rate=3.0)
    (tmp_path / "model" / "objects.json").unlink()
    (tmp_path / "model" / NAME).unlink()
    with pytest.raises(InputError, match="model: holds '"):
        pose_video(tmp_path / "walk.mp4", tmp_path / "model")


@pytest.mark.parametrize("given", ["in", "in/my walk.mp4"])
def test_auto_names_the_next_command(tmp_path: Path, given: str) -> None:
    (tmp_path / "in").mkdir()
    film(tmp_path / "in" / "my walk.mp4", drawn_corner()[:3])
    done = terminal.tolman(tmp_path, "ingest", "auto", given, "--out", "scenes", COLUMNS="200")
    assert done.returncode == 2
    assert "find its poses with 'tolman ingest video 'in/my walk.mp4' --poses colmap --out scenes'" in done.stderr


def test_poses_that_matches_contradict() -> None:
    fits = [(i, i + 1, True) for i in (*range(5), *range(20, 23))]
    seen_again, contradiction = (0, 22, True), (19, 20, False)
    # Pictures 0–5 and 20–23 have no matches as neighbours; a place that is seen again joins them.
    assert find_consistent(24, fits) == {*range(6)}
    assert find_consistent(24, [*fits, seen_again]) == {*range(6), *range(20, 24)}
    # Pictures 0–19 and 20–23 have, and they don't fit: the place isn't the same.
    fits += [(i, i + 1, True) for i in range(5, 19)]
    assert find_consistent(24, [*fits, seen_again, contradiction]) == {*range(20)}
    assert find_consistent(24, [*fits, seen_again]) == {*range(24)}


def test_sampson_distances_are_those_of_opencv() -> None:
    draw = np.random.default_rng(0)
    pose = np.column_stack([cv2.Rodrigues(np.array([0.1, -0.2, 0.05]))[0], [0.5, -0.1, 0.2]])
    points = draw.uniform((-2, -2, 4), (2, 2, 9), (20, 3))
    first, moved = points[:, :2] / points[:, 2:], points @ pose[:, :3].T + pose[:, 3]
    second = moved[:, :2] / moved[:, 2:]
    assert sampson(pose, first, second).max() < 1e-12
    x, y, z = pose[:, 3]
    essential = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ pose[:, :3]
    second = second + draw.normal(0, 0.01, second.shape)
    wanted = [
        cv2.sampsonDistance(np.append(a, 1.0), np.append(b, 1.0), essential) for a, b in zip(first, second, strict=True)
    ]
    assert np.allclose(sampson(pose, first, second) ** 2, wanted)


@pytest.mark.full
def test_a_simulated_room_gives_its_poses_back(tmp_path: Path) -> None:
    """From a filmed room to questions; the errors stand in the message where it fails."""
    pytest.importorskip("pycolmap", reason="pycolmap is no dependency")
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    from tolman.features.scenes.simulation import simulate

    simulate(
        SimulateConfig(
            out=tmp_path / "worlds", scenes=1, shapes=("rectangle",), seconds=12.0, quality="fast", workers=1
        )
    )
    (world,) = collection(tmp_path / "worlds").values()
    (camera,) = world.captures
    ingest(IngestConfig(format="video", path=(tmp_path / "worlds" / str(camera.media),), out=tmp_path / "scenes"))
    true = np.array(camera.poses).reshape(-1, 4, 4)
    (folder,) = (tmp_path / "scenes" / "colmap").iterdir()
    off, turned, taken = held(folder, true, 12.0)
    way = np.linalg.norm(np.diff(true[:, :3, 3], axis=0), axis=1).sum()
    assert len(off) >= 0.7 * taken
    assert np.median(off) < 0.01 * way, (np.median(off), way)
    assert np.median(turned) < 3.0
    found = generate(GenerateConfig(scenes=tmp_path / "scenes", out=tmp_path / "bench")).table()
    asked = dict(found.select("task", "questions").iter_rows())
    assert min(asked[task] for task in ("camera_motion_direction", "frame_order", "next_view")) > 0, asked
