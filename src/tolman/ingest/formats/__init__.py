"""The formats, modules with an object `FORMAT` or several in a dict `FORMATS`, and how they are looked up.

Other packages add theirs through the entry point group `tolman.formats`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from tolman.errors import InputError, UsageError, counted
from tolman.ingest.scan_format import Format, RawScene, ScanHints, SceneSource
from tolman.ingest.standard_video import IMAGES
from tolman.registry import Registry

_REGISTRY = Registry("format", __name__, "FORMAT", "tolman.formats", plural="FORMATS")
names = _REGISTRY.names


def get(name: str) -> Format:
    """The format of that name.

    Raises:
        UsageError: there is none; the sentence lists those there are.
    """
    found: Format = _REGISTRY.get(name)
    if not all(hasattr(found, part) for part in ("name", "title", "find", "read")):
        raise UsageError(f"the object registered as format '{name}' is no tolman.ingest.scan_format.Format.")
    return found


def check_hints(kind: Format, hints: ScanHints) -> None:
    """Check that a format takes the hints.

    Raises:
        UsageError: it doesn't take one of them: its files say it themselves.
    """
    takes: frozenset[str] = getattr(kind, "takes", frozenset())
    for name in hints.given:
        if name not in takes:
            raise UsageError(f"--{name} is for formats whose files don't hold it, and '{kind.name}' isn't one of them.")


AUTO = "auto"
"""The name by which a format is looked for in the folder itself."""
_ORDER = ("generic", "rig", "nerfstudio")
"""Formats that are preferred where a folder fits several: nerfstudio keeps a COLMAP model beside its own file."""
_LAST = "cloud"
"""The format that is looked for where a folder fits no other: many scans hold clouds."""


@dataclass(frozen=True)
class RecognisedScans:
    """Result of looking into a folder of scans.

    Attributes:
        format, title: of the format that it fits.
        path: the folder.
        scenes: how many there are.
        others: further formats that it fits.
        found: the data of the first scene: 'poses' → 'of all 120 frames'.
        notes: further remarks of its reader.
        missing: the data that it lacks, for which questions, and what to do.
        problem: why its first scene can't be read yet; '' where it can.
    """

    format: str
    title: str
    path: Path
    scenes: int
    others: tuple[str, ...]
    found: Mapping[str, str]
    notes: tuple[str, ...]
    missing: tuple[str, ...]
    problem: str

    def lines(self) -> list[str]:
        """The same in lines of text, without the next command."""
        also = f" It fits {', '.join(self.others)} as well." if self.others else ""
        lines = [f"{self.path} is of the format {self.format} ({self.title}), {counted(self.scenes, 'scene')}.{also}"]
        if self.problem:
            return [*lines, f"Its first scene can't be read yet: {self.problem}"]
        lines += [f"  {name:8} {value}" for name, value in self.found.items()]
        lines += [f"Note: {one}." for one in self.notes]
        return lines + [f"Missing: {one}" for one in self.missing]


def recognise(root: Path, hints: ScanHints = ScanHints()) -> RecognisedScans:  # noqa: B008 (it is frozen)
    """Find the format of a folder of scans, and the data of its first scene.

    Raises:
        InputError: it fits none; the sentence names the expected files.
        MissingExtraError: a package is missing that reads such files.
    """
    known = names()
    fitting: dict[str, list[SceneSource]] = {}
    looked_for = []
    order = {name: i for i, name in enumerate((*_ORDER, *sorted({*known} - {*_ORDER, _LAST}), _LAST))}
    for name in sorted(known, key=order.__getitem__):
        if name == _LAST and fitting:
            continue
        try:
            fitting[name] = get(name).find(root)
        except InputError as error:
            looked_for.append(f"{name} ({error.what})")
        except (ValueError, OSError) as error:
            looked_for.append(f"{name} ({error})")
    if not fitting:
        raise _unknown(root, looked_for)
    chosen = next(iter(fitting))
    kind, sources = get(chosen), fitting[chosen]
    takes: frozenset[str] = getattr(kind, "takes", frozenset())
    usable = replace(hints, **{name: None for name in hints.given if name not in takes})
    try:
        scene = kind.read(replace(sources[0], hints=usable))
    except (InputError, ValueError, OSError) as error:
        if not isinstance(error, InputError):  # it may not say the scan, or nothing at all
            error = InputError(sources[0].path, f"can't be read ({str(error) or type(error).__name__})")
        return RecognisedScans(chosen, kind.title, root, len(sources), tuple(fitting)[1:], {}, (), (), str(error))
    others, missing = tuple(fitting)[1:], tuple(_missing(scene, sources[0].path, takes))
    return RecognisedScans(chosen, kind.title, root, len(sources), others, _found(scene), scene.notes, missing, "")


_MEDIA = IMAGES | {".mp4", ".mov", ".m4v", ".mkv", ".avi", ".webm"}


def _unknown(root: Path, looked_for: Sequence[str]) -> InputError:
    """Say why a folder or file fits no format."""
    files = [root] if root.is_file() else [path for path in islice(root.rglob("*"), 10_000) if path.is_file()]
    if files and all(path.suffix.lower() in _MEDIA for path in files):
        what = f"holds {counted(len(files), 'picture or video', 'pictures or videos')} without camera poses"
        if root.is_file():
            what = "is a picture or video without camera poses"
        fix = "get poses with COLMAP, as docs/ingest/phones-and-colmap.md says"
        if videos := [path for path in files if path.suffix.lower() not in IMAGES]:
            fix = f"find its poses with 'tolman ingest video {shlex.quote(str(videos[0]))} --poses colmap --out scenes'"
        return InputError(root, what, fix=fix)
    if root.is_file():
        looked_for = [one for one in looked_for if not one.endswith("(is no folder)")]
    return InputError(root, f"is of no known format; looked for: {'; '.join(looked_for)}")


def _found(scene: RawScene) -> dict[str, str]:
    """List the parts of a scene by name."""
    frames = sum(len(one.times) for one in scene.recordings)
    posed = sum(int(np.isfinite(one.poses).all((1, 2)).sum()) for one in scene.recordings if len(one.poses))
    sizes = dict.fromkeys(f"{one.size[0]}×{one.size[1]}" for one in scene.recordings)
    boxes = sum(one.box is not None for one in scene.instances)
    surface = scene.surface
    cloud = "none"
    if surface is not None:
        cloud = f"{counted(len(surface.points), 'point')}, {counted(len(surface.faces), 'face')}"
    untimed = any(one.clock is not None and one.clock.method == "untimed" for one in scene.recordings)
    return {
        "cameras": f"{len(scene.recordings)}, {counted(frames, 'frame')} of {', '.join(sizes)}" if frames else "none",
        "poses": f"of {posed:,} of {counted(frames, 'frame')}" if posed else "none",
        "times": "none, only an order" if untimed else "known" if frames else "none",
        "scale": "metres" if scene.metric else "unknown",
        "surface": cloud,
        "boxes": f"{boxes:,} of {counted(len(scene.instances), 'object')}" if scene.instances else "none",
        "masks": "there" if any(one.masks is not None for one in scene.recordings) else "none",
        "depth": "there" if any(one.depths is not None for one in scene.recordings) else "none",
    }


def _missing(scene: RawScene, path: Path, takes: frozenset[str]) -> Iterator[str]:
    """Name the missing parts of a scene, the questions that need them, and the remedy."""
    posed = any(len(one.poses) for one in scene.recordings)
    if not scene.metric:
        yield "a scale, for distances, sizes, displacement and speed; give the metres of one unit with --scale."
    if any(one.clock is not None and one.clock.method == "untimed" for one in scene.recordings):
        fix = "; give the pictures a second with --rate" if "rate" in takes else ""
        yield f"times, for posed-video/speed{fix}."
    if not posed:
        yield "a video with poses, for questions about views and motion."
    if not scene.instances:
        place = "an objects.json into its folder"
        if path.suffix == ".r3d":
            place = f"a {path.stem}.objects.json next to it"
        yield (
            f"boxes, for questions about objects; put {place}, mark objects on the pictures (--objects), pick them "
            "after ingest ('tolman scenes DIR --pick SCENE'), or use --preset posed-video."
        )
    faces = scene.surface is not None and len(scene.surface.faces) > 0
    if scene.recordings and not faces and not any(one.masks is not None or one.sightings for one in scene.recordings):
        yield "masks or a mesh with faces, for what the video shows of objects, such as their order of appearance."
    if scene.room_area is None and scene.surface is None and not scene.outdoors:
        yield "a mesh or cloud, for the size of the room."
