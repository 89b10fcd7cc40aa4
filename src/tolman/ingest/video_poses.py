"""Camera poses of a video without any, by COLMAP's structure from motion on the CPU (package pycolmap).

Sharp frames are picked at an even rate. Each is matched with its neighbours in time, and some of all times with one
another, so that a place that is seen again closes the loop. Source: Schönberger and Frahm, Structure-from-Motion
Revisited (CVPR 2016).
"""

from __future__ import annotations

import math
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations, groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from tolman.errors import InputError, MissingExtraError, counted
from tolman.extras import needs
from tolman.files import file_state, remove, whole_folder, write_text
from tolman.geometry.boxes import Floats
from tolman.ingest.readers import contained
from tolman.ingest.scan_format import PROGRESS, Picture
from tolman.ingest.standard_video import VideoFile, size_of

NAME = "tolman-video.json"
_OWN = (NAME, "images", "sparse", "database.db", "neighbours.db", "pairs.txt", ".")
"""Beginnings of the names in the folder of a model that this module writes."""
RATE = 4.0
"""Pictures a second that are taken of a video."""
_RULES = 1
"""Raised when the same video and settings give other pictures or matches than before."""
_MOST, _FEWEST = 400, 8
"""Pictures of a video: at most without a rate of the user's, and at least."""
_CANDIDATES = 5
"""Frames that the sharpest is chosen of, for each picture."""
_LONGER = 1280
"""Pixels of a picture's longer side, at most: finer ones take minutes more and hardly give better poses."""
_NEIGHBOURS, _ANCHORS = 8, 40
"""Pictures that each is matched with in time, and pictures of all times that are matched with one another."""
_FOCAL = 0.8
"""Focal length over the longer side from which the search begins: phones' main cameras have about that much."""
_SHARE, _ENOUGH = 0.5, 0.9
"""Least share of pictures in the largest model, and share with which the first search for poses is enough."""
_MATCHES, _PIXELS, _FIT = 30, 4.0, 0.5
"""Poses of two pictures are checked by so many matches at least, and share of those that must be within some pixels."""
_STEP, _PAIRS = 8, 50
"""Pictures and pairs of one call of COLMAP: what is done is kept, and said, after each."""
_SEED = 0


class PosedVideo(BaseModel):
    """A video with its pictures, and their poses once they are found.

    Attributes:
        video: its path.
        made_of: of file and settings; others start again.
        times: name of each picture → seconds from the video's start.
        models: of each separate model, the largest first, the times of its first and last picture and their number; of
            others, the pictures that the largest lacks.
        doubted: times of pictures that were left out of the largest, as their matches contradict their poses.
        error: mean reprojection error of the largest, pixels of the pictures; None before it is found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    video: str = ""
    made_of: str = ""
    times: dict[str, float] = {}
    models: tuple[tuple[float, float, int], ...] = ()
    doubted: tuple[float, ...] = ()
    error: float | None = None

    def notes(self) -> Iterator[str]:
        """The outcome in sentences without an end."""
        if self.error is None:
            return
        of = f"{self.models[0][2]:,} of {counted(len(self.times), 'picture')} of {Path(self.video).name}"
        yield f"COLMAP registered {of}, with a mean reprojection error of {self.error:.2f} pixels"
        if self.doubted:
            more = counted(len(self.doubted), "more picture")
            yield f"{more}, the first at {self.doubted[0]:.1f} s, left out: matches contradict the found pose"
        if others := self.models[1:]:
            listed = ", ".join(f"{count} at {first:.1f}–{last:.1f} s" for first, last, count in others)
            yield f"{counted(len(others), 'further model')} of pictures not used, as they don't join it: {listed}"


def read_video(folder: Path) -> PosedVideo:
    """The video that the pictures of a folder are from; an empty one where they are from none.

    Raises:
        InputError: its file can't be used.
    """
    path = folder / NAME
    if not path.exists():
        return PosedVideo()
    try:
        return PosedVideo.model_validate_json(contained(folder, path).read_bytes())
    except (OSError, ValidationError) as error:
        raise InputError(path, f"can't be used ({str(error).splitlines()[0]})", fix="remove the folder") from None


def pose_video(path: Path, folder: Path, *, rate: float | None = None, focal: float | None = None) -> PosedVideo:
    """Find the camera's poses in a video, as a COLMAP model of one camera with a SIMPLE_RADIAL lens.

    The folder becomes one that the format 'colmap' reads, with the pictures, their times and the largest model. What
    is done already for the same file and settings isn't done again.

    Args:
        path: of the video.
        folder: of the model; Tolman's own.
        rate: pictures a second; None for 4, or fewer for 400 in all.
        focal: focal length, pixels of the video; None to find it.

    Raises:
        InputError: it is no video, is too short, or too few of its pictures can be registered.
        MissingExtraError: pycolmap, PyAV or OpenCV is not installed.
    """
    try:
        import pycolmap
    except ImportError as error:
        reason = None if isinstance(error, ModuleNotFoundError) else str(error)
        raise MissingExtraError("pycolmap", None, "Finding the poses of a video", reason) from None
    size, changed = file_state(path)[:2]
    made_of = f"{_RULES} {pycolmap.__version__} {size} {changed} {rate} {focal}"
    known = read_video(folder)
    place = str(path.resolve())
    if known.video not in ("", place) and Path(known.video).exists():
        raise InputError(path, f"has the name of another video, {known.video}", fix="rename it, or give another --out")
    if known.made_of != made_of or not known.times:
        if others := [one for one in folder.glob("*") if not (known.made_of and one.name.startswith(_OWN))]:
            said = f"holds '{others[0].name}', and is made anew for other settings"
            raise InputError(folder, said, fix="move that, or give another folder with --out")
        remove(folder)
        (folder / "images").mkdir(parents=True)
        known = PosedVideo(video=place, made_of=made_of)
        write_text(folder / NAME, known.model_dump_json(indent=1))
        known = known.model_copy(update={"times": _take_pictures(VideoFile(path), folder / "images", rate)})
        write_text(folder / NAME, known.model_dump_json(indent=1))
    if known.error is None:
        scaled = None if focal is None else focal * _scale(VideoFile(path).size)
        known = known.model_copy(update=_find_poses(pycolmap, path, folder, known.times, scaled))
        write_text(folder / NAME, known.model_dump_json(indent=1))
    return known


def _scale(size: tuple[int, int]) -> float:
    return min(1.0, _LONGER / max(size))


def _take_pictures(source: VideoFile, folder: Path, rate: float | None) -> dict[str, float]:
    """Write the sharpest frame of each period, and give the pictures' times."""
    with needs("build", "Reading pictures"):
        import cv2
        from PIL import Image
    times = source.times
    if rate is None:
        rate = min(RATE, _MOST / max(float(times[-1]), 1.0))
    starts = np.unique(np.floor(times * rate + 1e-6), return_index=True)[1].tolist()
    if len(starts) < _FEWEST:
        said = f"gives {counted(len(starts), 'picture')} at {rate:g} a second, and {_FEWEST} are the least"
        raise InputError(source.path, said, fix="give more a second with --rate, or a longer video")
    periods: dict[int, int] = {}
    for i, (start, behind) in enumerate(pairwise([*starts, source.count])):
        room = (behind - 1 - start) / 4  # the middle half, so that pictures in a row are never far from each other
        some = np.linspace(start + room, behind - 1 - room, min(_CANDIDATES, math.ceil(2 * room) + 1))
        periods |= dict.fromkeys(some.round().astype(int).tolist(), i)
    width, height = (round(side * _scale(source.size)) for side in source.size)

    def sharpness(shown: tuple[int, Picture]) -> float:
        return float(cv2.Laplacian(cv2.cvtColor(shown[1], cv2.COLOR_RGB2GRAY), cv2.CV_64F).var())

    found = {}
    for i, some_shown in groupby(zip(periods, source.pictures([*periods]), strict=True), lambda one: periods[one[0]]):
        number, picture = max(some_shown, key=sharpness)
        name = f"{i:06d}.jpg"
        Image.fromarray(picture).resize((width, height), Image.Resampling.BOX).save(folder / name, quality=95)
        found[name] = float(times[number])
        PROGRESS.get()(f"picking sharp pictures: {i + 1:,} of {len(starts):,}")
    return found


def _find_poses(
    colmap: Any, path: Path, folder: Path, times: Mapping[str, float], focal: float | None
) -> dict[str, Any]:
    """Write the largest model as sparse/0; what is known of all models then."""
    colmap.logging.minloglevel = 3  # its warnings of single steps
    database, names = folder / "database.db", [*times]
    _match(colmap, database, folder / "images", names, focal)
    tried = [_map(colmap, folder, database, names, focal)]
    if len(tried[0].kept) < _ENOUGH * len(names):
        # Alike places may have been taken for one: without matches across time, none are.
        near = folder / "neighbours.db"
        with closing(sqlite3.connect(database)) as full, closing(sqlite3.connect(near)) as part:
            full.backup(part)
        with colmap.Database.open(near) as stored:
            numbers = [stored.read_image_with_name(name).image_id for name in names]
            for i, j in _pairs(len(names)):
                if j - i > _NEIGHBOURS and stored.exists_two_view_geometry(numbers[i], numbers[j]):
                    stored.delete_two_view_geometry(numbers[i], numbers[j])
        tried.append(_map(colmap, folder, near, names, focal))
        remove(near)
    best = max(tried, key=lambda one: len(one.kept))
    if len(best.kept) < max(_SHARE * len(names), _FEWEST):
        said = f"COLMAP found poses that agree for only {len(best.kept):,} of {counted(len(names), 'picture')}"
        fix = "move slowly, sideways more than turning, with light and texture; or take more pictures with --rate"
        raise InputError(path, f"{said}, and {_SHARE:.0%} are the least", fix=fix)
    with whole_folder(folder / "sparse") as partial:
        (partial / "0").mkdir()
        best.model.write_binary(partial / "0")
    rows = ([times[name] for name in some] for some in (best.kept, *best.others))
    return {
        "models": tuple((min(some), max(some), len(some)) for some in rows),
        "doubted": tuple(times[name] for name in best.doubted),
        "error": float(best.model.compute_mean_reprojection_error()),
    }


@dataclass(frozen=True)
class _Mapped:
    """The largest model of a database: its pictures, those taken out of it, and those that only other models have."""

    model: Any = None
    kept: tuple[str, ...] = ()
    doubted: tuple[str, ...] = ()
    others: tuple[tuple[str, ...], ...] = ()


def _map(colmap: Any, folder: Path, database: Path, names: Sequence[str], focal: float | None) -> _Mapped:
    """Find the poses of a database's pictures, and take out those that its matches contradict."""
    options = colmap.IncrementalPipelineOptions(random_seed=_SEED, num_threads=1)
    options.mapper.num_threads = 1  # sums of several threads differ from run to run; one is as fast
    if focal is not None:
        options.ba_refine_focal_length = options.mapper.abs_pose_refine_focal_length = False
    placed = 0

    def told() -> None:
        nonlocal placed
        placed += 1
        PROGRESS.get()(f"finding poses of {len(names):,} pictures: step {placed:,}")

    # In a temporary folder: formats would take its models for those of other scenes.
    with tempfile.TemporaryDirectory() as out:
        found = colmap.incremental_mapping(database, folder / "images", out, options, next_image_callback=told)
    mapped = []
    for model in found.values():
        images = sorted((model.images[i] for i in model.reg_image_ids()), key=lambda one: str(one.name))
        consistent = find_consistent(len(images), _agreements(colmap, database, model, images))
        kept = tuple(one.name for i, one in enumerate(images) if i in consistent)
        for i, one in enumerate(images):
            if i not in consistent:
                model.deregister_frame(one.frame_id)
        mapped.append(_Mapped(model, kept, tuple(one.name for one in images if one.name not in kept)))
    if not mapped:
        return _Mapped()
    best = max(mapped, key=lambda one: len(one.kept))
    rest = (tuple(name for name in one.kept if name not in best.kept) for one in mapped if one is not best)
    return replace(best, others=tuple(sorted((some for some in rest if some), key=len, reverse=True)))


def _match(colmap: Any, database: Path, pictures: Path, names: Sequence[str], focal: float | None) -> None:
    """Find features and matches in small steps; COLMAP skips those that its database has."""
    reader = colmap.ImageReaderOptions(camera_model="SIMPLE_RADIAL", default_focal_length_factor=_FOCAL)
    if focal is not None:
        width, height = size_of(pictures / names[0], upright=False)
        reader.camera_params = f"{focal},{width / 2},{height / 2},0"
    for start in range(0, len(names), _STEP):
        some = names[start : start + _STEP]
        if database.is_file():
            reader.existing_camera_id = 1  # of the first call, for one camera of all pictures
        colmap.extract_features(database, pictures, some, colmap.CameraMode.SINGLE, reader)
        PROGRESS.get()(f"finding features: {start + len(some):,} of {len(names):,} pictures")
    pairs = _pairs(len(names))
    listed = database.with_name("pairs.txt")
    verification = colmap.TwoViewGeometryOptions()
    verification.ransac.random_seed = _SEED
    for start in range(0, len(pairs), _PAIRS):
        write_text(listed, (f"{names[i]} {names[j]}\n" for i, j in pairs[start : start + _PAIRS]))
        colmap.match_image_pairs(
            database,
            pairing_options=colmap.ImportedPairingOptions(match_list_path=listed),
            verification_options=verification,
        )
        PROGRESS.get()(f"matching: {min(start + _PAIRS, len(pairs)):,} of {len(pairs):,} pairs")
    remove(listed)


def _pairs(count: int) -> list[tuple[int, int]]:
    """The pictures that are matched: neighbours in time, and some of all times with one another."""
    step = math.ceil(count / _ANCHORS)
    near = {(i, j) for i in range(count) for j in range(i + 1, min(count, i + 1 + _NEIGHBOURS))}
    return sorted(near | {*combinations(range(0, count, step), 2)})


def _agreements(colmap: Any, database: Path, model: Any, images: Sequence[Any]) -> list[tuple[int, int, bool]]:
    """Check poses by matches: which pairs of pictures have enough, and whether most fit the two poses.

    Matches of a pair were verified without the model, by an epipolar geometry or homography of the pair's own.
    """
    with colmap.Database.open(database) as stored:
        points = []
        for one in images:
            shown = np.asarray(stored.read_keypoints(one.image_id))
            points.append(model.cameras[one.camera_id].cam_from_img(shown[:, :2].astype(float)))
        focal = float(model.cameras[images[0].camera_id].mean_focal_length())
        found = []
        for i, j in combinations(range(len(images)), 2):
            a, b = images[i].image_id, images[j].image_id
            if not stored.exists_two_view_geometry(a, b):
                continue
            matches = np.asarray(stored.read_two_view_geometry(a, b).inlier_matches)
            if len(matches) < _MATCHES:
                continue
            second_from_first = images[j].cam_from_world() * images[i].cam_from_world().inverse()
            error = sampson(second_from_first.matrix(), points[i][matches[:, 0]], points[j][matches[:, 1]])
            found.append((i, j, float(np.mean(error * focal < _PIXELS)) >= _FIT))
    return found


def sampson(pose: Floats, first: Floats, second: Floats) -> Floats:
    """Sampson distances of matches to the epipolar geometry of two poses (Hartley and Zisserman, section 11.4).

    Args:
        pose: first camera → second camera, shape (3, 4).
        first, second: matched points on the planes one unit before the cameras, shape (n, 2).

    Returns:
        Distances on those planes, shape (n,).
    """
    x, y, z = pose[:, 3]
    essential = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ pose[:, :3]
    a, b = (np.column_stack([points, np.ones(len(points))]) for points in (first, second))
    to_b, to_a = a @ essential.T, b @ essential
    size = np.sqrt((to_b[:, :2] ** 2).sum(1) + (to_a[:, :2] ** 2).sum(1))
    return np.asarray(np.abs((b * to_b).sum(1)) / np.maximum(size, 1e-12))


def find_consistent(count: int, pairs: Sequence[tuple[int, int, bool]]) -> set[int]:
    """Find the most pictures of a video whose poses agree with the matches: alike places mislead the search for poses.

    Pictures are grouped by neighbours in time whose matches fit. Groups join by any other matches that fit, such as of
    a place that is seen again, unless matches of neighbours between them don't.

    Args:
        count: of pictures, in order of time.
        pairs: two pictures with matches, and whether these fit the poses.

    Returns:
        Numbers of the pictures of the largest group.
    """
    group = list(range(count))

    def join(a: int, b: int) -> None:
        group[:] = [a if one == b else one for one in group]

    for i, j, fits in pairs:
        if fits and j - i <= _NEIGHBOURS:
            join(group[i], group[j])
    against = Counter(pair for i, j, fits in pairs if not fits and j - i <= _NEIGHBOURS for pair in ((i, j), (j, i)))
    for i, j, fits in pairs:
        a, b = group[i], group[j]
        if fits and a != b and not any({group[k], group[m]} == {a, b} for k, m in against):
            join(a, b)
    largest = Counter(group).most_common(1)[0][0]
    return {i for i in range(count) if group[i] == largest}
