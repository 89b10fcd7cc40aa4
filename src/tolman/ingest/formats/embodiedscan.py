"""EmbodiedScan's annotations: boxes with full rotations, and the poses of pictures, of scans of four data sets.

The files are pickles, which can run any program when they are read. Here they are read with a closed list of the types
needed: plain values and NumPy's arrays of numbers. Anything else is refused by its name, and nothing of it is called.

Axes, after OpenRobotLab/EmbodiedScan: boxes are in the aligned frame, z up, as `R = Rz(a) Rx(b) Ry(c)` (euler_box3d.py,
'ZXY'); cameras are `axis_align_matrix @ cam2global`, looking along +z with y down (embodiedscan_dataset.py).
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from tolman.errors import InputError, counted
from tolman.geometry.boxes import Floats
from tolman.geometry.camera_geometry import Lens
from tolman.ingest.camera_conventions import UP_TURNS
from tolman.ingest.formats.posed_pictures import PosedPicture, WorldFrame, recordings_of
from tolman.ingest.readers import contained, in_order, pose_of
from tolman.ingest.scan_format import Instance, RawScene, SceneSource
from tolman.ingest.surfaces import orient

FRAME = WorldFrame(UP_TURNS["z"], 1.0, True)
_QUARTER_MILLIMETRES = "matterport3d"
"""The data set whose depth pictures count 4,000 a metre, which are left out."""


@dataclass(frozen=True)
class EmbodiedScan:
    """The format."""

    name: str = "embodiedscan"
    title: str = "EmbodiedScan annotations"
    takes: frozenset[str] = frozenset({"rate"})

    def find(self, root: Path) -> list[SceneSource]:
        """The scans of the files embodiedscan_infos_*.pkl of a folder, or of the file that is given."""
        files = [root] if root.suffix == ".pkl" else in_order(root.rglob("embodiedscan_infos_*.pkl"))
        if not files:
            raise InputError(root, "holds no embodiedscan_infos_*.pkl")
        found = []
        for path in files:
            for scan in _scans(path).values():
                found.append(SceneSource(f"{self.name}/{scan['sample_idx'].replace('/', '_')}", path, (path,)))
        return found

    def read(self, source: SceneSource) -> RawScene:
        """Read a scan: its boxes, and its pictures where they are next to the file."""
        path, name = source.path, source.id.partition("/")[2]
        content = _content(path, path.stat().st_mtime_ns)
        scan = _scans(path)[name]
        instances = _instances(path, scan, _labels(path, content))
        shots, notes = _shots(path, scan)
        return RawScene(
            instances, recordings=recordings_of(shots, FRAME, source.hints.rate) if shots else (), notes=tuple(notes)
        )


def _scans(path: Path) -> dict[str, Mapping[str, Any]]:
    """The scans of a file by their names."""
    listed = _content(path, path.stat().st_mtime_ns).get("data_list")
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise InputError(path, "has no list 'data_list' of scans")
    found = {}
    for row, one in enumerate(listed, start=1):
        name = one.get("sample_idx")
        if not isinstance(name, str) or not re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)*", name):
            raise InputError(path, "has no name of a scan", row=row, field="sample_idx")
        found[name.replace("/", "_")] = one
    return found


def _labels(path: Path, content: Mapping[str, Any]) -> dict[int, str]:
    """Names of categories by their numbers, which needn't be contiguous; older files have a list."""
    known = content.get("metainfo", {}).get("categories")
    if isinstance(known, list | tuple):
        return dict(enumerate(map(str, known)))
    if not isinstance(known, dict):
        raise InputError(path, "has no categories", field="metainfo.categories")
    return {int(number): str(name) for name, number in known.items()}


def _instances(path: Path, scan: Mapping[str, Any], labels: Mapping[int, str]) -> tuple[Instance, ...]:
    found, name = [], scan["sample_idx"]
    for i, one in enumerate(scan.get("instances", ())):
        row = f"{name}, instance {i}"
        try:
            numbers = np.array(one["bbox_3d"], dtype=np.float64).ravel()
            label = labels[int(one["bbox_label_3d"])]
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(path, f"lacks a box or a known category ({error})", row=row) from None
        if len(numbers) not in (6, 7, 9):
            raise InputError(path, f"has a box of {len(numbers)} numbers, not 6, 7 or 9", row=row)
        turns = np.zeros(3)
        turns[: len(numbers) - 6] = numbers[6:]
        axes = Rotation.from_euler("ZXY", turns).as_matrix().T
        box = orient(path, numbers[:3], axes, numbers[3:6], row=row)
        found.append(Instance(str(one.get("bbox_id", i)), label, box))
    return tuple(found)


def _shots(path: Path, scan: Mapping[str, Any]) -> tuple[list[PosedPicture], list[str]]:
    """The pictures of a scan that are there, and a remark on the others."""
    images, name = scan.get("images", ()), scan["sample_idx"]
    align = pose_of(path, scan.get("axis_align_matrix", np.eye(4)), row=f"{name}, axis_align_matrix")
    shots: list[PosedPicture] = []
    for i, one in enumerate(images):
        row = f"{name}, image {i}"
        picture = _place(path, one.get("img_path"), row)
        if not picture.exists():
            continue
        pose = _matrix(path, one.get("cam2global"), row)
        camera = _matrix(path, scan.get("cam2img", one.get("cam2img")), row)
        pose = align @ pose_of(path, pose, row=row) if np.isfinite(pose).all() else np.full((4, 4), np.nan)
        lens = Lens((camera[0, 0], camera[1, 1], camera[0, 2], camera[1, 2]))
        depth = None
        if one.get("depth_path") and not name.startswith(_QUARTER_MILLIMETRES):
            depth = _place(path, one["depth_path"], row)
        known = contained(path.parent, depth) if depth is not None and depth.exists() else None
        shots.append(PosedPicture(contained(path.parent, picture), lens, None, pose, known))
    notes = [] if "axis_align_matrix" in scan else ["it has no axis alignment: its own axes are kept"]
    if len(shots) < len(images):
        missing = counted(len(images) - len(shots), "picture")
        notes.append(f"{missing} of {len(images):,} aren't below {path.parent.name}/, such as {images[0]['img_path']}")
    return shots, notes


def _matrix(path: Path, value: Any, row: str) -> Floats:
    """A matrix of 3×3 or 4×4 numbers; those of a lost frame aren't finite."""
    try:
        found = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape not in ((3, 3), (4, 4)):
        raise InputError(path, "lacks cam2global or cam2img, or has no matrix there", row=row)
    return found


def _place(path: Path, name: Any, row: str) -> Path:
    if not isinstance(name, str) or not name or "\0" in name or ".." in name.split("/"):
        raise InputError(path, "has no path of a picture within its folder", row=row)
    return path.parent / name


# Pickles


@lru_cache(maxsize=2)
def _content(path: Path, changed: int) -> dict[str, Any]:
    """The content of a file; once for all its scans.

    Raises:
        InputError: it holds something else than plain values and arrays of numbers.
    """
    try:
        with path.open("rb") as file:
            found = _Reader(file).load()
    except _StrangerError as error:
        raise InputError(path, f"holds '{error}', which isn't read from a pickle", fix="get the file anew") from None
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})") from None
    except Exception as error:  # a broken pickle raises nearly anything
        what = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise InputError(path, f"is no readable pickle ({what})", fix="get the file anew") from None
    if not isinstance(found, dict):
        raise InputError(path, "holds no dictionary of annotations")
    return found


class _StrangerError(Exception):
    """A name in a pickle that isn't on the list."""


class _Called:
    """A function that a pickle may call. Nothing in a pickle can change it: a state is refused."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __setstate__(self, state: object) -> None:
        raise _StrangerError("a function with a state")


class _Kind:
    """A dtype of numbers. NumPy's own takes its flags from a pickle, and would then take numbers for addresses."""

    def __init__(self, kind: object, align: object = False, copy: object = False) -> None:
        if not isinstance(kind, str) or not re.fullmatch(r"[<>|=]?(b1|[iuf][1248])", kind):
            raise _StrangerError(f"numpy.dtype({str(kind)[:40]})")
        self.dtype = np.dtype(kind)

    def __setstate__(self, state: object) -> None:
        match state:
            case (3, "<" | ">" | "|" as order, None, None, None, -1, -1, 0):
                self.dtype = self.dtype.newbyteorder(order)
            case _:
                raise _StrangerError("numpy.dtype with a state")


class _Array:
    """An array, as NumPy pickles it up to protocol 4: an empty one, whose content follows as its state."""

    def __init__(self, kind: object, shape: object, typecode: object) -> None:
        if kind is not _NDARRAY or shape != (0,):
            raise _StrangerError("numpy.core.multiarray._reconstruct")
        self._values: NDArray[Any] = np.empty(0)

    def __setstate__(self, state: object) -> None:
        match state:
            case (1, tuple() as shape, _Kind() as kind, bool() as by_columns, bytes() as data):
                self._values = _of_buffer(data, kind, shape, "F" if by_columns else "C")
            case _:
                raise _StrangerError("numpy.ndarray with a state")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._values, dtype=dtype)


def _array(*_: object) -> None:
    raise _StrangerError("numpy.ndarray")


def _scalar(kind: _Kind, data: bytes) -> Any:
    return np.frombuffer(data, kind.dtype, 1)[0]


def _of_buffer(data: Any, kind: _Kind, shape: tuple[int, ...], order: str = "C") -> NDArray[Any]:
    return np.frombuffer(data, kind.dtype).reshape(shape, order="F" if order == "F" else "C")


def _encode(text: str, encoding: str) -> bytes:
    if encoding not in ("latin1", "latin-1"):
        raise _StrangerError(f"_codecs.encode('{encoding[:40]}')")
    return text.encode("latin-1")


_NDARRAY = _Called(_array)
_KNOWN = {
    "numpy.dtype": _Called(_Kind),
    "numpy.ndarray": _NDARRAY,
    "numpy.core.multiarray._reconstruct": _Called(_Array),
    "numpy.core.multiarray.scalar": _Called(_scalar),
    "numpy.core.numeric._frombuffer": _Called(_of_buffer),
    "_codecs.encode": _Called(_encode),
}
"""The names in pickles of OpenMMLab's projects; `numpy._core` is that of NumPy 2."""


class _Reader(pickle.Unpickler):
    """Reads plain values and arrays of numbers."""

    def find_class(self, module: str, name: str) -> Any:
        full = f"{module.replace('numpy._core', 'numpy.core')}.{name}"
        if full not in _KNOWN:
            raise _StrangerError(f"{module}.{name}"[:100])
        return _KNOWN[full]

    def persistent_load(self, pid: Any) -> Any:
        raise _StrangerError(f"persistent object {str(pid)[:40]}")


FORMAT = EmbodiedScan()
