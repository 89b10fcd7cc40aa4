"""ARKitScenes: rooms recorded with a phone, annotated with boxes (apple/ARKitScenes, DATA.md and threedod/).

```
{3dod,raw}/{Training,Validation}/ID/ID_3dod_annotation.json, ID_3dod_mesh.ply
3dod: ID_frames/{lowres_wide.traj, lowres_wide/, lowres_wide_intrinsics/, vga_wide/ …}
raw: ID.mov, and the same without ID_frames
{3dod,raw}/metadata.csv
```

The trajectory of the phone is in .traj and .pincam files, with its orientation. Rules of apple/ARKitScenes:
threedod/benchmark_scripts/utils/tenFpsDataLoader.py (look-up) and rectify_im.py (turning).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.ingest.readers import numbers_of, read_ply, read_text, rigid
from tolman.ingest.scan_format import CameraRecording, Instance, RawScene, ScannedSurface, SceneSource
from tolman.ingest.standard_video import VideoFile, pictures_of, size_of
from tolman.ingest.surfaces import faces_in, oriented_box, read_json

NEAR = 0.005
"""Seconds within which a frame has the pose of a line, as the released loader takes it."""
GAP = 0.25
"""Seconds between two lines within which frames get a pose between theirs; 10 lines a second are usual."""
SKY = {"Up": 0, "Left": 1, "Down": 2, "Right": 3}
"""Quarter turns clockwise that make pictures upright, by metadata.csv's sky_direction."""
_LINE = 7


@dataclass(frozen=True)
class Trajectory:
    """Trajectory of a phone.

    Attributes:
        times: seconds, rising, shape (n,).
        poses: camera → world, shape (n, 4, 4).
    """

    times: Floats
    poses: Floats

    def at(self, times: Floats) -> Floats:
        """Poses of frames: that of the line whose time agrees to a millisecond, else of the nearest within `NEAR`, else
        one between two lines no more than `GAP` apart, else nan.

        Args:
            times: of the frames, seconds, shape (f,).

        Returns:
            Camera → world, shape (f, 4, 4).
        """
        found = np.full((len(times), 4, 4), np.nan)
        before, after, nearest = _around(self.times, times)
        # Names carry three decimals, so that a half of the last one is no difference.
        close = np.abs(self.times[nearest] - times) <= NEAR + 0.0005
        found[close] = self.poses[nearest[close]]
        inside = (self.times[before] < times) & (times < self.times[after])
        between = np.flatnonzero(~close & inside & (self.times[after] - self.times[before] <= GAP))
        if len(between):
            here, low, high = times[between], before[between], after[between]
            share = ((here - self.times[low]) / (self.times[high] - self.times[low]))[:, None]
            places = self.poses[:, :3, 3]
            turns = Slerp(self.times, Rotation.from_matrix(self.poses[:, :3, :3]))(here).as_matrix()
            found[between] = rigid(turns, places[low] * (1 - share) + places[high] * share)
        return found


def _around(known: Floats, times: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """The places in rising times of those before, after and nearest to others, shapes of the others."""
    after = np.searchsorted(known, times).clip(0, len(known) - 1)
    before = (after - 1).clip(0)
    return before, after, np.where(np.abs(known[after] - times) <= np.abs(known[before] - times), after, before)


def read_trajectory(path: Path) -> Trajectory:
    """Read a .traj file: lines of a time and of world → camera as angle-axis and translation.

    Raises:
        InputError: it is cut off, holds no line or something else than such lines.
    """
    lines = [(number, line.split()) for number, line in enumerate(read_text(path).splitlines(), start=1)]
    rows = [(number, words) for number, words in lines if words]
    for number, words in rows:
        if len(words) != _LINE:
            raise InputError(path, f"has {len(words)} numbers, not {_LINE}", row=number, fix="get it again")
    if not rows:
        raise InputError(path, "holds no pose")
    table = np.stack([numbers_of(path, words, number) for number, words in rows])
    table = table[np.argsort(table[:, 0], kind="stable")]
    table = table[np.append(True, np.diff(table[:, 0]) > 0)]
    far = np.abs(table[:, 1:4]).max() > 100 or np.abs(table[:, 4:]).max() > 1e4
    if far:
        raise InputError(path, "holds a pose that is out of all bounds", fix="get it again")
    turn = Rotation.from_rotvec(table[:, 1:4]).as_matrix().transpose(0, 2, 1)
    return Trajectory(table[:, 0], rigid(turn, -np.einsum("nij,nj->ni", turn, table[:, 4:])))


def turns_of(pose: Floats) -> int:
    """Quarter turns clockwise that make a frame's picture upright.

    Args:
        pose: camera → world with z up, shape (4, 4).
    """
    candidates = np.array([[0, -1, 0], [-1, 0, 0], [0, 1, 0], [1, 0, 0]])
    return int(np.argmax(candidates @ pose[2, :3]))


def most_turns(poses: Floats) -> int:
    """Return the same of a whole recording: the turns that most of its frames need."""
    known = poses[np.isfinite(poses).all((1, 2))]
    return int(np.bincount(np.array([turns_of(pose) for pose in known], dtype=np.int64), minlength=4).argmax())


def read_pincam(path: Path) -> tuple[tuple[int, int], Floats]:
    """Width and height, and fx, fy, cx, cy of a .pincam file.

    Raises:
        InputError: it holds something else.
    """
    numbers = numbers_of(path, read_text(path).split())
    if len(numbers) != 6:
        raise InputError(path, f"has {len(numbers)} numbers, not width, height, fx, fy, cx and cy", fix="get it again")
    if numbers[:4].min() <= 0 or numbers[:2].max() > 1e5 or np.abs(numbers[4:]).max() > 1e5:
        raise InputError(path, "holds a size or focal length that can't be")
    return (int(numbers[0]), int(numbers[1])), numbers[2:]


WITHOUT = frozenset(
    [
        "47334522", "47334523", "42897421", "45261582", "47333152", "47333155", "48458535", "48018733", "47429677",
        "48458541", "42897848", "47895482", "47333960", "47430089", "42899148", "42897612", "42899153", "42446164",
        "48018149", "47332198", "47334515", "45663223", "45663226", "45663227",
    ]
)  # fmt: skip
"""Videos of which no annotation, mesh and trajectory were released (download_data.py)."""
STREAMS = ("vga_wide", "wide", "lowres_wide")
"""Folders of pictures, the one that is nearest to the standard video first."""
RATE = 30.0
_STANDARD = (640, 480)
_TRAJECTORY, _METADATA = "lowres_wide.traj", "metadata.csv"
_ID = re.compile(r"\d{6,10}")
_CLOCK = 0.5
"""Seconds by which a video may be longer or shorter than the trajectory's clock says."""


@dataclass(frozen=True)
class ArkitScenes:
    """The format."""

    name: str = "arkitscenes"
    title: str = "ARKitScenes"

    def find(self, root: Path) -> list[SceneSource]:
        """Find the recordings below a folder; one that is there both as 3dod and as raw is one."""
        if not root.is_dir():
            raise InputError(root, "is no folder")
        root = root.resolve()  # names of folders count, and '.' has none
        places: dict[str, list[Path]] = {}
        for folder in _folders(root):
            if _ID.fullmatch(folder.name) and (folder.name in WITHOUT or any(_parts(folder))):
                places.setdefault(folder.name, []).append(folder)
        if not places:
            raise InputError(
                root,
                "holds no ARKitScenes recording: no folder ID with ID_3dod_annotation.json",
                fix="give the folder that download_data.py made",
            )
        found = []
        for identity, folders in sorted(places.items(), key=lambda pair: int(pair[0])):
            files = [part for folder in folders for part in _parts(folder)]
            metadata = [file for folder in folders for file in _metadata(folder)]
            found.append(SceneSource(f"{self.name}/{identity}", folders[0], tuple(dict.fromkeys([*files, *metadata]))))
        return found

    def read(self, source: SceneSource) -> RawScene:
        """Read a recording."""
        identity = source.path.name
        parts = {path.name: path for path in reversed(source.files)}
        if identity in WITHOUT and f"{identity}_3dod_annotation.json" not in parts:
            raise InputError(source.path, "is one of 24 videos that were released without annotations")
        if f"{identity}_3dod_annotation.json" not in parts:
            raise InputError(source.path, f"has no {identity}_3dod_annotation.json", fix="download it")
        repaired: list[str] = []
        instances = _instances(parts[f"{identity}_3dod_annotation.json"])
        mesh = parts.get(f"{identity}_3dod_mesh.ply")
        trajectory = read_trajectory(parts[_TRAJECTORY]) if _TRAJECTORY in parts else None
        recording = _recording(identity, parts, trajectory, repaired)
        return RawScene(
            instances=instances,
            surface=_surface(mesh, instances) if mesh else None,
            recordings=() if recording is None else (recording,),
            repaired=tuple(repaired),
        )


FORMAT = ArkitScenes()


def _folders(root: Path) -> Iterator[Path]:
    """A folder and those below it, as deep as the release lays them."""
    level = [root]
    for _ in range(4):
        yield from level
        below = (path for folder in level if not _ID.fullmatch(folder.name) for path in sorted(folder.iterdir()))
        level = [path for path in below if path.is_dir()]


def _parts(folder: Path) -> list[Path]:
    """Parts of a recording: files, and folders of frames."""
    identity = folder.name
    names = [f"{identity}_3dod_annotation.json", f"{identity}_3dod_mesh.ply", f"{identity}.mov", _TRAJECTORY]
    names += [part for stream in STREAMS for part in (stream, f"{stream}_intrinsics")]
    places = (folder, folder / f"{identity}_frames")
    return [place / name for place in places for name in names if (place / name).exists()]


def _metadata(folder: Path) -> list[Path]:
    """Return the table of recordings, which is next to Training/ and Validation/."""
    above = folder.parents[:3]
    return [path / _METADATA for path in above if (path / _METADATA).is_file()][:1]


def _instances(path: Path) -> tuple[Instance, ...]:
    records = read_json(path).get("data")
    if not isinstance(records, list):
        raise InputError(path, "takes a list of objects", field="data")
    found, seen = [], set()
    for row, record in enumerate(records, start=1):
        segments = record.get("segments") if isinstance(record, dict) else None
        box = segments.get("obbAligned") if isinstance(segments, dict) else None
        if not isinstance(box, dict) or not isinstance(record.get("label"), str) or not record["label"].strip():
            raise InputError(path, "an object takes a 'label' and a box 'segments.obbAligned'", row=row)
        identity = str(record.get("uid") or row)
        identity = identity if identity not in seen else f"{identity}/{row}"
        seen.add(identity)
        # The released code multiplies corners by the transposed matrix: here too the axes are the rows.
        made = oriented_box(box)
        if isinstance(made, str):
            raise InputError(path, made, row=row, field="segments.obbAligned")
        found.append(Instance(identity, record["label"].strip(), made, number=row))
    return tuple(found)


def _surface(path: Path, instances: tuple[Instance, ...]) -> ScannedSurface:
    mesh = read_ply(path)
    boxes = [(one.number, one.box) for one in instances if one.box is not None]
    return ScannedSurface(mesh.points, mesh.faces, faces_in(mesh.points, mesh.faces, boxes))


def _recording(
    identity: str, parts: dict[str, Path], trajectory: Trajectory | None, repaired: list[str]
) -> CameraRecording | None:
    for stream in STREAMS[:2]:
        if stream in parts:
            return _still_recording(parts, stream, trajectory, repaired)
    if f"{identity}.mov" in parts:
        return _video_recording(parts, parts[f"{identity}.mov"], trajectory, repaired)
    return _still_recording(parts, STREAMS[2], trajectory, repaired) if STREAMS[2] in parts else None


def _still_recording(
    parts: dict[str, Path], stream: str, trajectory: Trajectory | None, repaired: list[str]
) -> CameraRecording:
    """Pictures with times in their names, as one recording."""
    times, paths = _stamped(parts[stream], ".png")
    size = size_of(paths[0])
    poses = trajectory.at(times) if trajectory else np.empty((0, 4, 4))
    intrinsics = _intrinsics(parts, stream, times, size, repaired)
    return _turned(parts, CameraRecording("ego", times, poses, intrinsics, size, pictures_of(paths, size)))


def _video_recording(
    parts: dict[str, Path], path: Path, trajectory: Trajectory | None, repaired: list[str]
) -> CameraRecording:
    """The raw video with its poses.

    Its own clock begins with the recording, whose first time the trajectory or the names of the small pictures give;
    where the two last differently long, the frames get no poses.
    """
    file = VideoFile(path)
    since, size, pictures = file.times, file.size, file.pictures
    stamps = _stamped(parts["lowres_wide"], ".png")[0] if "lowres_wide" in parts else None
    clock = stamps if stamps is not None else trajectory.times if trajectory else np.zeros(1)
    times = since + clock[0]
    known = trajectory is not None
    if size[0] < size[1]:
        repaired.append(f"{path}: it turns itself upright, so where its frames were taken from is left out.")
        return CameraRecording(
            "ego", times, np.empty((0, 4, 4)), np.empty((0, 4)), size, pictures, standard=(*_STANDARD[::-1], RATE)
        )
    if known and abs(float(since[-1]) - float(clock[-1] - clock[0])) > _CLOCK:
        lasts = f"it lasts {since[-1]:.1f} s and its trajectory {clock[-1] - clock[0]:.1f} s"
        repaired.append(f"{path}: {lasts}, so its frames get no poses.")
        known = False
    poses = trajectory.at(times) if trajectory and known else np.empty((0, 4, 4))
    stream = next((one for one in STREAMS if f"{one}_intrinsics" in parts), None)
    intrinsics = np.empty((0, 4))
    if stream is not None:
        intrinsics = _intrinsics(parts, stream, times, size, repaired)
    return _turned(parts, CameraRecording("ego", times, poses, intrinsics, size, pictures))


def _turned(parts: dict[str, Path], recording: CameraRecording) -> CameraRecording:
    direction = _sky(parts[_METADATA], _identity(parts)) if _METADATA in parts else None
    turns = SKY[direction] if direction else most_turns(recording.poses)
    upright = recording.size if turns % 2 == 0 else recording.size[::-1]
    width, height = _STANDARD if upright[0] >= upright[1] else _STANDARD[::-1]
    return CameraRecording(
        recording.role, recording.times, recording.poses, recording.intrinsics, recording.size, recording.pictures,
        turns=turns, standard=(width, height, RATE),
    )  # fmt: skip


def _identity(parts: dict[str, Path]) -> str:
    return next(name for name in parts if name.endswith("_3dod_annotation.json")).partition("_")[0]


def _sky(path: Path, identity: str) -> str | None:
    """Direction of the sky in a recording's pictures; None where the table doesn't say."""
    rows = csv.DictReader(io.StringIO(read_text(path)))
    if not {"video_id", "sky_direction"} <= set(rows.fieldnames or ()):
        raise InputError(path, "lacks the columns video_id and sky_direction", fix="get it again")
    try:
        found = next(
            (row["sky_direction"] or "" for row in rows if (row["video_id"] or "").split(".")[0] == identity), ""
        )
    except csv.Error as error:
        raise InputError(path, f"is no table ({error})", fix="get it again") from None
    if found.strip() in ("", "NA", "nan"):
        return None
    if found.strip() not in SKY:
        raise InputError(path, f"'{found}' is none of {', '.join(SKY)} and NA", row=identity, field="sky_direction")
    return found.strip()


def _stamped(folder: Path, ending: str) -> tuple[Floats, list[Path]]:
    """The files of a folder by the times in their names, ID_SECONDS."""
    found: dict[float, Path] = {}
    for path in folder.iterdir():
        stamp = path.stem.rpartition("_")[2]
        if path.suffix == ending and not path.name.startswith("."):
            try:
                found[float(stamp)] = path
            except ValueError:
                raise InputError(path, "its name doesn't end in the time at which it was taken") from None
    times = np.array(sorted(found))
    if not len(times) or not np.isfinite(times).all():
        raise InputError(folder, f"holds no ID_SECONDS{ending}", fix="download it")
    return times, [found[time] for time in times.tolist()]


def _intrinsics(
    parts: dict[str, Path], stream: str, times: Floats, size: tuple[int, int], repaired: list[str]
) -> Floats:
    """Read each frame's intrinsics, of its time ± 1 ms, else the nearest; for pictures of a size."""
    folder = parts.get(f"{stream}_intrinsics")
    if folder is None:
        return np.empty((0, 4))
    known, paths = _stamped(folder, ".pincam")
    _, _, nearest = _around(known, times)
    away = np.abs(known[nearest] - times)
    if stream in parts and away.max() > 0.0015:
        frame, frames = "frame has no .pincam of its", "frames have no .pincam of their"
        repaired.append(f"{folder}: {counted(int((away > 0.0015).sum()), frame, frames)} time; the nearest is taken.")
    rows = {}
    for index in np.unique(nearest).tolist():
        own, values = read_pincam(paths[index])
        if own[0] * size[1] != own[1] * size[0]:
            raise InputError(paths[index], f"is for {own[0]}×{own[1]} pixels, its picture has {size[0]}×{size[1]}")
        rows[index] = values * (size[0] / own[0])
    return np.stack([rows[index] for index in nearest.tolist()])
