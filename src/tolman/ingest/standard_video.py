"""From a camera's recording as it is on disk to a Capture: the standard video, and sightings in its frames.

Pictures and masks come out of files, archives and videos, as a CameraRecording gives them. A video file is read frame
by frame.
"""

from __future__ import annotations

import io
import math
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tolman.errors import InputError, counted
from tolman.extras import Image, ImageOps, needs
from tolman.files import atomic_write, link_or_copy
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import (
    Lens,
    Tree,
    pixel_rays,
    scaled_intrinsics,
    sightings_in_mask,
    turned_intrinsics,
    turned_picture,
    turned_poses,
    turned_size,
)
from tolman.ingest.scan_format import PROGRESS, CameraRecording, Mask, Picture
from tolman.media.images import eight_bits
from tolman.media.video import BrokenMediaError, VideoWriter, need_pillow, read_frames, read_index
from tolman.scenes import Capture, Sighting

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage


_MOST = 1 << 28
"""Bytes of a picture in an archive, at most."""
BROKEN = (
    OSError, ValueError, SyntaxError, EOFError, zlib.error, struct.error, LookupError, TypeError, ArithmeticError,
)  # fmt: skip
"""Errors that Pillow's readers raise for broken pictures, each in its own way."""
_BROKEN_ARCHIVE = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError)
_NUMBER = re.compile(r"(\d+)\D*$")


def decode(data: bytes | Path, path: Path, what: str, *, upright: bool = False) -> Picture:
    """A picture as RGB, shape (height, width, 3).

    Args:
        data: its file, or that file's content.
        path: the name for errors.
        what: the picture's name in the sentence.
        upright: whether to turn and mirror it as its EXIF orientation says.

    Raises:
        InputError: it can't be read.
        MissingExtraError: pillow is not installed.
    """
    image = _opened(data, path, what)

    shown = ImageOps.exif_transpose(image) if upright else image
    try:
        return np.asarray(eight_bits(shown, image.format).convert("RGB"))
    except ValueError as error:
        raise InputError(path, f"{what} is no picture to be shown: {error}") from None


def decoded_mask(data: bytes | Path, path: Path, what: str) -> Mask:
    """A picture of numbers, shape (height, width), 8 or 16 bits.

    Raises:
        InputError: it can't be read, or has colours.
        MissingExtraError: pillow is not installed.
    """
    found = np.asarray(_opened(data, path, what))
    if found.ndim != 2 or found.dtype.kind not in "uib":
        raise InputError(path, f"{what} is no picture of numbers")
    return found.astype(np.int64)


def _opened(data: bytes | Path, path: Path, what: str) -> PillowImage:
    with needs("build", "Reading pictures"):
        from PIL import Image
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data if isinstance(data, bytes) else data.read_bytes()))
            image.load()
    except (*BROKEN, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(path, f"{what} is no readable picture ({said})") from None
    return image


class Archive:
    """The pictures of a ZIP archive by the last number in their names: `x/instance-filt/17.png` is 17.

    Args:
        path: of the archive.
        suffix: of its pictures.

    Raises:
        InputError: it is no readable archive, or two pictures have one number.
    """

    def __init__(self, path: Path, suffix: str = ".png") -> None:
        self.path = path
        self.entries: dict[int, str] = {}
        self._archive: zipfile.ZipFile | None = None
        try:
            with zipfile.ZipFile(path) as archive:
                names = [info.filename for info in archive.infolist() if info.filename.endswith(suffix)]
        except _BROKEN_ARCHIVE as error:
            raise InputError(path, f"is no readable ZIP archive ({error})", fix="get it again") from None
        for name in names:
            match = _NUMBER.search(Path(name).stem)
            if match is None:
                continue
            if int(match[1]) in self.entries:
                raise InputError(path, f"has two pictures {int(match[1])}: {self.entries[int(match[1])]} and {name}")
            self.entries[int(match[1])] = name

    def mask(self, number: int) -> Mask | None:
        """The mask of a number; None where there is none.

        Raises:
            InputError: it can't be read.
        """
        name = self.entries.get(number)
        if name is None:
            return None
        try:
            # Opening it reads its whole directory; thousands of masks are read from it.
            self._archive = self._archive or zipfile.ZipFile(self.path)
            if self._archive.getinfo(name).file_size > _MOST:
                raise InputError(self.path, f"{name} is too large for a picture")
            data = self._archive.read(name)
        except (*_BROKEN_ARCHIVE, zlib.error, RuntimeError, KeyError) as error:
            raise InputError(self.path, f"{name} can't be unpacked ({error})", fix="get it again") from None
        return decoded_mask(data, self.path, name)


IMAGES = frozenset({".jpg", ".jpeg", ".png"})
SLACK = 2
"""Pixels by which pictures of one camera may differ in width or height; COLMAP's undistorted pictures differ by 1."""

_ORIENTATION = 0x0112
_QUARTER_TURNED = range(5, 9)
"""EXIF orientations that exchange width and height."""


def size_of(path: Path, *, upright: bool = True) -> tuple[int, int]:
    """Width and height of a picture by its header, as it is shown by its EXIF orientation or as it is stored.

    Raises:
        InputError: it is no picture.
    """
    need_pillow()

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                # The base class's method: that of PNG decodes the whole picture.
                turned = Image.Image.getexif(image).get(_ORIENTATION, 1) in _QUARTER_TURNED
                return image.size[::-1] if turned and upright else image.size
    except (*BROKEN, Image.DecompressionBombError) as error:
        raise InputError(
            path,
            f"is no readable picture ({str(error).splitlines()[0] if str(error) else type(error).__name__})",
            fix="get it again",
        ) from None


def common_size_of(paths: Sequence[Path]) -> tuple[int, int]:
    """The width and height that pictures of one camera have in common; those of the first if they differ by too much.

    Raises:
        InputError: one is no picture.
    """
    sizes = [size_of(path) for path in paths]
    least = (min(width for width, _ in sizes), min(height for _, height in sizes))
    fits = all(width - least[0] <= SLACK and height - least[1] <= SLACK for width, height in sizes)
    return least if fits else sizes[0]


def pictures_of(
    paths: Sequence[Path], size: tuple[int, int], *, upright: bool = True, slack: int = SLACK
) -> Callable[[Sequence[int]], Iterator[Picture]]:
    """Reader of some of the pictures in RGB, turned as their EXIF orientation says or as they are stored.

    Each must have the size. A picture that is up to `slack` pixels larger is cropped at its right and lower edge, which
    leaves its intrinsics as they are.
    """

    def read(numbers: Sequence[int]) -> Iterator[Picture]:
        for number in numbers:
            path = paths[number]
            picture = decode(path, path, "it", upright=upright)
            own = picture.shape[1::-1]
            if not all(0 <= a - b <= slack for a, b in zip(own, size, strict=True)):
                raise InputError(path, f"is {own[0]}×{own[1]} pixels, others of its camera are {size[0]}×{size[1]}")
            yield picture[: size[1], : size[0]]

    return read


def masks_of(paths: Sequence[Path]) -> Callable[[int], Mask]:
    """Reader of pictures whose values are instance numbers."""
    return lambda number: decoded_mask(paths[number], paths[number], "it")


class VideoFile:
    """A video file whose frames are asked for by their numbers, in the order in which they are shown.

    Args:
        path: of the file.

    Raises:
        InputError: it is no video that can be read.
        MissingExtraError: PyAV or pillow is not installed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with needs("build", "Reading videos"):
            import av  # noqa: F401
            import PIL  # noqa: F401
        try:
            self._index = read_index(path)
            first = next(self.pictures([0]))
        except BrokenMediaError as error:
            raise InputError(path, f"is no readable video ({_said(error, path)})") from None
        self.count = len(self._index.times)
        self.size: tuple[int, int] = (first.shape[1], first.shape[0])

    @property
    def times(self) -> Floats:
        """When each frame is shown, in seconds from the first, shape (n,)."""
        stamps = np.array(self._index.times, dtype=np.float64)
        return np.asarray((stamps - stamps[0]) * float(self._index.time_base))

    def pictures(self, numbers: Sequence[int]) -> Iterator[Picture]:
        """The pictures of some frames, RGB, numbers rising.

        Raises:
            InputError: one can't be decoded.
        """
        try:
            for _, image in read_frames(self.path, self._index, numbers):
                yield np.asarray(image.convert("RGB"))
        except BrokenMediaError as error:
            raise InputError(self.path, f"can't be decoded ({_said(error, self.path)})") from None


def _said(error: BrokenMediaError, path: Path) -> str:
    return str(error).removeprefix(f"{path}: ")


STANDARD, RATE = 640, 30.0
"""Pixels of the longer side of the video that is written, and its frames a second."""
LONGER = 160
"""Pixels of a picture's longer side at which visibility is looked at: 160×120 for the standard video."""


@dataclass(frozen=True)
class Sight:
    """Inputs of visibility: mesh, instances, and the objects that are asked about.

    Attributes:
        tree: of the scan's mesh; None where it has none.
        numbers: the instance of each of its faces.
        names: instance → object's id.
        objects: the ids of those that are asked about.
    """

    tree: Tree | None
    numbers: NDArray[np.int64]
    names: Mapping[int, str]
    objects: frozenset[str] = frozenset()


def frames_for(times: Floats, rate: float) -> NDArray[np.int64]:
    """Find the recorded frame for each frame of a video of a fixed rate, the nearest in time, shape (n,).

    The video is as long as the recording: frame k is the recorded frame nearest to k / rate seconds after its start.
    """
    length = float(times[-1] - times[0])
    wanted = times[0] + np.arange(math.floor(length * rate + 1e-6) + 1) / rate
    after = np.clip(np.searchsorted(times, wanted), 1, max(1, len(times) - 1))
    if len(times) == 1:
        return np.zeros(len(wanted), dtype=np.int64)
    # A hair towards the earlier one, so that rounding decides no tie.
    nearer = (times[after] - wanted) + 1e-9 < wanted - times[after - 1]
    return np.asarray(np.where(nearer, after, after - 1), dtype=np.int64)


def record(
    recording: CameraRecording, scene: str, media: str, out: Path, sight: Sight, source: Path
) -> tuple[Capture, list[str]]:
    """Write a recording's video and find the objects visible in its frames.

    Args:
        recording: with checked poses and intrinsics.
        scene: its id.
        media: where the video goes, relative to the collection's folder.
        out: that folder.
        sight: the data for finding visibility.
        source: the name for errors about a picture.

    Returns:
        The capture, and notes on it.

    Raises:
        InputError: a picture can't be read or has another size than the others.
        MissingExtraError: PyAV or pillow is not installed.
    """
    count = len(recording.times)
    if recording.standard is not None and recording.pictures is not None:
        size, rate = recording.standard[:2], recording.standard[2]
        chosen = frames_for(recording.times, rate)
        times, start = np.arange(len(chosen)) / rate, float(recording.times[0])
        _write(recording, chosen, out / media, source)
        video: str | None = media
    else:
        size, chosen, times, start = (
            turned_size(recording.size, recording.turns),
            np.arange(count),
            recording.times,
            0.0,
        )
        video = media if recording.media is not None else None
        if recording.media is not None:
            link_or_copy(recording.media, out / media)
    poses = turned_poses(recording.poses, recording.turns)[chosen] if len(recording.poses) else recording.poses
    intrinsics = scaled_intrinsics(
        turned_intrinsics(recording.intrinsics, recording.size, recording.turns),
        turned_size(recording.size, recording.turns),
        size,
    )
    if len(intrinsics) > 1:
        intrinsics = intrinsics[chosen]
    if recording.sightings is None:
        sightings, notes = _sightings(recording, chosen, poses, intrinsics, size, sight)
    else:
        sightings, notes = _given(recording, recording.sightings, times + start, size, sight.objects), []
    capture = Capture(
        id=f"{scene}/{recording.role}",
        scene=scene,
        sensor="camera",
        role=recording.role,
        media=video,
        size=size,
        offset=recording.offset + start,
        clock=recording.clock,
        times=tuple(times.tolist()),
        poses=tuple(tuple(pose.ravel().tolist()) for pose in poses),
        intrinsics=tuple(tuple(row.tolist()) for row in intrinsics),
        sightings=tuple(sightings),
    )
    return capture, notes


def undistorted(recording: CameraRecording, lenses: Sequence[Lens]) -> CameraRecording:
    """The recording as a pinhole camera of the same place and size would have made it.

    Args:
        recording: with pictures, masks and depths as the lens made them; its intrinsics are not used.
        lenses: one, or one for each frame.
    """
    cameras = [lens.pinhole(recording.size) for lens in lenses]
    found = replace(recording, intrinsics=np.array(cameras), lenses=tuple(lenses))
    if all(lens.is_pinhole for lens in lenses):
        return found

    def straight(values: NDArray[Any], frame: int, *, smooth: bool) -> NDArray[Any]:
        at = frame if len(lenses) > 1 else 0
        return straighten(values, lenses[at], cameras[at], recording.size, smooth=smooth)

    pictures, masks, depths = recording.pictures, recording.masks, recording.depths

    def all_pictures(frames: Sequence[int]) -> Iterator[Picture]:
        assert pictures is not None
        for frame, picture in zip(frames, pictures(frames), strict=False):
            yield straight(picture, frame, smooth=True)

    def mask(frame: int) -> Mask | None:
        assert masks is not None
        given = masks(frame)
        return None if given is None else straight(given, frame, smooth=False)

    def depth(frame: int) -> Floats | None:
        assert depths is not None
        given = depths(frame)
        return None if given is None else straight(given, frame, smooth=False)

    return replace(
        found,
        pictures=pictures and all_pictures,
        masks=masks and mask,
        depths=depths and depth,
    )


def straighten(
    values: NDArray[Any],
    lens: Lens,
    camera: tuple[float, float, float, float],
    size: tuple[int, int],
    *,
    smooth: bool,
) -> NDArray[Any]:
    """A picture, mask or depth map, of any resolution, without its distortion; 0 where the lens saw nothing."""
    with needs("build", "Undistorting pictures"):
        import cv2
    shape = (values.shape[1], values.shape[0])
    where = _sources(lens, camera, size) if shape == size else _smaller_sources(lens, camera, size, shape)
    if smooth:
        x, y = where[..., 0] - np.float32(0.5), where[..., 1] - np.float32(0.5)
        found = np.asarray(cv2.remap(values, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
    else:
        columns = np.clip(np.nan_to_num(where[..., 0]), 0, shape[0] - 1).astype(np.int64)
        rows = np.clip(np.nan_to_num(where[..., 1]), 0, shape[1] - 1).astype(np.int64)
        found = values[rows, columns]
    with np.errstate(invalid="ignore"):
        seen = ((where >= -1) & (where <= np.add(shape, 1))).all(-1)
    found[~seen] = 0
    return found


@lru_cache(maxsize=4)
def _sources(lens: Lens, camera: tuple[float, float, float, float], size: tuple[int, int]) -> NDArray[np.float32]:
    return lens.sources(camera, size).astype(np.float32)


def _smaller_sources(
    lens: Lens, camera: tuple[float, float, float, float], size: tuple[int, int], shape: tuple[int, int]
) -> NDArray[np.float32]:
    """The same for a mask or depth map that has other dimensions than the pictures."""
    ratio = np.array([shape[0] / size[0], shape[1] / size[1]] * 2)
    own = replace(lens, intrinsics=tuple(np.array(lens.intrinsics) * ratio))
    return _sources(own, tuple(np.array(camera) * ratio), shape)


def standard_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the video that is written of upright pictures: 640×480 for those of most cameras."""
    scale = STANDARD / max(size)
    return 2 * round(size[0] * scale / 2), 2 * max(1, round(size[1] * scale / 2))


def working_size(size: tuple[int, int]) -> tuple[int, int]:
    """The size at which visibility is looked at, of the same shape."""
    scale = LONGER / max(size)
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def _write(recording: CameraRecording, chosen: NDArray[np.int64], path: Path, source: Path) -> None:
    with needs("build", "Writing videos"):
        from PIL import Image
    assert recording.standard is not None
    width, height, rate = recording.standard
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as partial, VideoWriter(partial, (width, height), rate, "build") as video:
        for picture, times in _pictures(recording, chosen, source):
            upright = np.ascontiguousarray(turned_picture(picture, recording.turns)).astype(np.uint8)
            if upright.shape[1::-1] != (width, height):
                upright = np.asarray(Image.fromarray(upright).resize((width, height), Image.Resampling.BILINEAR))
            for _ in range(times):
                video.add(upright)


def _pictures(recording: CameraRecording, chosen: NDArray[np.int64], source: Path) -> Iterator[tuple[Picture, int]]:
    """The pictures of a video's frames, each once, and how often it is shown."""
    assert recording.pictures is not None
    frames, shown = np.unique(chosen, return_counts=True)
    given = recording.pictures(frames.tolist())
    for frame, times in zip(frames.tolist(), shown.tolist(), strict=True):
        picture = next(given, None)
        if picture is None:
            raise InputError(source, f"its recording '{recording.role}' ends before frame {frame}")
        if picture.ndim != 3 or picture.shape[1::-1] != recording.size or picture.shape[2] != 3:
            form = "×".join(str(n) for n in picture.shape[1::-1])
            raise InputError(
                source, f"picture {frame} of '{recording.role}' is {form}, not {recording.size[0]}×{recording.size[1]}"
            )
        PROGRESS.get()(f"{recording.role}: frame {frame + 1:,} of {len(recording.times):,}")
        yield picture, times


def _sightings(
    recording: CameraRecording,
    chosen: NDArray[np.int64],
    poses: Floats,
    intrinsics: Floats,
    size: tuple[int, int],
    sight: Sight,
) -> tuple[list[Sighting], list[str]]:
    """Return the sightings in each frame of a video. Pixels are counted at the working size, scaled to the video's."""
    work = working_size(size)
    cameras = scaled_intrinsics(intrinsics, size, work)
    casts = sight.tree is not None and len(poses) > 0 and len(cameras) > 0
    if not casts and recording.masks is None:
        return [], [f"what '{recording.role}' shows when isn't known: there are no masks, and no mesh with poses"]
    share = size[0] * size[1] / (work[0] * work[1])
    found: list[Sighting] = []
    cache: tuple[int, list[Sighting]] = (-1, [])
    blind = 0
    for frame, number in enumerate(chosen.tolist()):
        if number != cache[0]:
            mask = None if recording.masks is None else recording.masks(number)
            tracked = casts and bool(np.isfinite(poses[frame]).all())
            hits = depth = None
            if tracked:
                hits, depth = _cast(sight, poses[frame], cameras[frame if len(cameras) > 1 else 0], work)
            if mask is not None:
                values = _sampled(mask, recording.turns, work)
                # The nearest depth is that of pixels where mesh and mask agree.
                depth = None if depth is None or hits is None else np.where(hits == values, depth, 0.0)
            elif hits is not None:
                values = hits
            else:
                values = np.zeros(work[::-1], dtype=np.int64)
            blind += mask is None and hits is None
            cache = number, sightings_in_mask(0, values, sight.names, depth)
        for one in cache[1]:
            found.append(one.model_copy(update={"frame": frame, "pixels": round(one.pixels * share)}))
    said = f"{counted(blind, 'frame')} of '{recording.role}' without a mask: nothing is seen there"
    # Frames without a pose are counted where poses are checked.
    return found, [said] if blind and not casts else []


def _given(
    recording: CameraRecording, given: Sequence[Sighting], times: Floats, size: tuple[int, int], objects: frozenset[str]
) -> list[Sighting]:
    """Move sightings that a format gives to the frames of the video that are nearest in time."""
    share = size[0] * size[1] / (recording.size[0] * recording.size[1])
    found: dict[tuple[int, str], Sighting] = {}
    for one in given:
        if one.object in objects:
            frame = int(np.abs(times - recording.times[one.frame]).argmin())
            pixels = round(one.pixels * share)
            found.setdefault((frame, one.object), one.model_copy(update={"frame": frame, "pixels": pixels}))
    return sorted((one for one in found.values() if one.pixels), key=lambda one: one.frame)


def _cast(
    sight: Sight, pose: Floats, camera: Sequence[float] | Floats, size: tuple[int, int]
) -> tuple[NDArray[np.int64], Floats]:
    """Instance and depth of each pixel, shape (height, width)."""
    assert sight.tree is not None
    fx, fy, cx, cy = (float(value) for value in camera)
    rays = pixel_rays(pose, (fx, fy, cx, cy), size)
    faces, distances = sight.tree.cast(np.tile(pose[:3, 3], (len(rays), 1)), rays)
    met = faces >= 0
    numbers = np.zeros(len(rays), dtype=np.int64)
    numbers[met] = sight.numbers[faces[met]]
    return numbers.reshape(size[::-1]), np.where(met, distances, 0.0).reshape(size[::-1])


def _sampled(mask: Mask, turns: int, size: tuple[int, int]) -> NDArray[np.int64]:
    """A mask turned upright, looked at in the middles of the working size's pixels."""
    upright = turned_picture(mask, turns)
    rows = ((np.arange(size[1]) + 0.5) * upright.shape[0] / size[1]).astype(np.int64)
    columns = ((np.arange(size[0]) + 0.5) * upright.shape[1] / size[0]).astype(np.int64)
    return np.asarray(upright[np.ix_(rows, columns)], dtype=np.int64)
