"""Scenes and captures as Parquet shards, and the finished parts of a collection that is being made.

Shards are written and read one after the other, so that any number fits.

```
scenes-00000.parquet   one row for each scene, objects and counts as lists of structs
captures-00000.parquet one row for each capture, frames and sightings as lists
```

While a collection is made, each finished scene is kept in its own file, so that a stopped job resumes from there. In an
unfinished scene, each finished recording is kept in its own file.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
from pydantic import BaseModel, ValidationError

from tolman.errors import InputError
from tolman.files import atomic_write, check_shards, write_text
from tolman.forks import check_fork
from tolman.scenes import Capture, Scene

SHARD = 256
_HEAVY = 400_000
"""Rows of lists inside a shard's captures, about; an hour of video has more than a room's scene."""
ROWS_AT_ONCE = 8
"""Rows of a shard that are Python objects at a time: they take ten times the memory that they take in a table."""
_VECTOR = pl.List(pl.Float64)
_TRACK = pl.Struct({"seconds": pl.Float64, "center": _VECTOR, "axes": pl.List(_VECTOR)})
_BOX = pl.Struct({"center": _VECTOR, "axes": pl.List(_VECTOR), "extents": _VECTOR})
_OBJECT = pl.Struct(
    {
        "id": pl.String,
        "category": pl.String,
        "box": _BOX,
        "track": pl.List(_TRACK),
        "lifted": pl.Struct({"frames": pl.Int64, "error": pl.Float64, "unseen": pl.Float64}),
    }
)
_EVENT = pl.Struct(
    {
        "start": pl.Float64,
        "end": pl.Float64,
        "label": pl.String,
        "kind": pl.String,
        "essential": pl.Boolean,
        "views": pl.List(pl.String),
    }
)
_Schema = dict[str, pl.DataType | type[pl.DataType]]
SCENES: _Schema = {
    "id": pl.String,
    "dataset": pl.String,
    "objects": pl.List(_OBJECT),
    "counts": pl.List(pl.Struct({"category": pl.String, "count": pl.Int64})),
    "room_area": pl.Float64,
    "room_center": _VECTOR,
    "floor": pl.List(pl.List(_VECTOR)),
    "video": pl.String,
    "events": pl.List(_EVENT),
    "twins": pl.String,
    "differs": pl.String,
    "metric": pl.Boolean,
    "rooms": pl.Int64,
}
CAPTURES: _Schema = {
    "id": pl.String,
    "scene": pl.String,
    "sensor": pl.String,
    "role": pl.String,
    "media": pl.String,
    "size": pl.List(pl.Int64),
    "offset": pl.Float64,
    "clock": pl.Struct({"method": pl.String, "residual": pl.Float64}),
    "times": pl.List(pl.Float64),
    "poses": pl.List(pl.List(pl.Float64)),
    "intrinsics": pl.List(pl.List(pl.Float64)),
    "sightings": pl.List(pl.Struct({"frame": pl.Int64, "object": pl.String, "pixels": pl.Int64, "depth": pl.Float64})),
    "recorded": pl.List(pl.Struct({"object": pl.String, "missing": pl.Float64, "longest": _VECTOR})),
    "recorded_area": pl.Float64,
}
ModelT = TypeVar("ModelT", bound=BaseModel)


def write_scenes(folder: Path, scenes: Iterable[Scene]) -> int:
    """Write scenes into a folder's shards; the number written."""
    return _write(folder, "scenes", SCENES, (_scene_row(scene) for scene in scenes))


def write_captures(folder: Path, captures: Iterable[Capture]) -> int:
    """Write captures into a folder's shards; the number written."""
    return _write(folder, "captures", CAPTURES, (capture.model_dump(mode="python") for capture in captures))


def read_scenes(folder: Path) -> Iterator[Scene]:
    """The scenes of a folder, shard by shard.

    Raises:
        InputError: it holds none, or a row is no scene.
    """
    for path, number, row in _rows(folder, "scenes"):
        row["counts"] = {entry["category"]: entry["count"] for entry in row["counts"] or ()}
        row["events"] = row.get("events") or ()  # which tables of earlier versions lack
        yield _made(Scene, path, number, row)


def read_captures(folder: Path) -> Iterator[Capture]:
    """The captures of a folder, shard by shard.

    Raises:
        InputError: it holds none, or a row is no capture.
    """
    for path, number, row in _rows(folder, "captures"):
        # Tables of earlier versions lack what was added since.
        yield _made(Capture, path, number, {key: value for key, value in row.items() if value is not None})


def count_scenes(folder: Path) -> int:
    """Return the number of scene rows that a folder holds in this form, by its files' metadata; 0 where unknown."""
    check_fork()
    try:
        paths = sorted(folder.glob("scenes-*.parquet"))
        return sum(int(pl.scan_parquet(path).select(pl.len()).collect().item()) for path in paths)
    except (pl.exceptions.PolarsError, OSError):
        return 0


def has_scenes(folder: Path) -> bool:
    """Check whether a folder holds scenes in this form."""
    return any(folder.glob("scenes-*.parquet"))


def has_captures(folder: Path) -> bool:
    """Check whether a folder holds captures in this form."""
    return any(folder.glob("captures-*.parquet"))


def _scene_row(scene: Scene) -> dict[str, Any]:
    row = scene.model_dump(mode="python")
    row["counts"] = [{"category": category, "count": count} for category, count in scene.counts.items()]
    return row


def _write(folder: Path, name: str, schema: _Schema, rows: Iterator[dict[str, Any]]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(f"{name}-*.parquet"):
        old.unlink()
    count = shard = 0
    while part := list(_shard(rows)):
        with atomic_write(folder / f"{name}-{shard:05d}.parquet") as partial:
            pl.DataFrame(part, schema=schema, orient="row").write_parquet(partial)
        count, shard = count + len(part), shard + 1
    return count


def _shard(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """As many rows as one file takes."""
    weight = 0
    for row in islice(rows, SHARD):
        yield row
        weight += len(row.get("sightings") or ()) + len(row.get("times") or ())
        if weight > _HEAVY:
            return


def _rows(folder: Path, name: str) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    paths: Sequence[Path] = sorted(folder.glob(f"{name}-*.parquet"))
    if not paths:
        raise InputError(folder, f"holds no {name}-*.parquet")
    check_shards(paths)
    check_fork()
    for path in paths:
        try:
            rows = pl.read_parquet(path).iter_rows(named=True, buffer_size=ROWS_AT_ONCE)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError(path, f"is no readable table of {name} ({str(error).splitlines()[0]})") from None
        for number, row in enumerate(rows, start=1):
            yield path, number, row


def _made(kind: type[ModelT], path: Path, number: int, row: dict[str, Any]) -> ModelT:
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(path, first["msg"].removeprefix("Value error, "), row=number, field=field or None) from None


FOLDER = ".scenes.partial"


@dataclass(frozen=True)
class Part:
    """One scene, done.

    Attributes:
        scene: it.
        captures: its recordings.
        notes: sentences about it.
        made_of: a text of its inputs; a change means that it must be made again.
        about: further JSON values kept with it.
    """

    scene: Scene
    captures: tuple[Capture, ...]
    notes: tuple[str, ...] = ()
    made_of: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)


class Parts:
    """The parts in a collection's folder.

    Args:
        out: the collection's folder.
        folder: of the parts inside it.
    """

    def __init__(self, out: Path, folder: str = FOLDER) -> None:
        self.folder = out / folder

    def write(self, part: Part) -> None:
        """Keep a scene."""
        self.folder.mkdir(parents=True, exist_ok=True)
        content: dict[str, Any] = {
            "scene": part.scene.model_dump(mode="python"),
            "captures": [capture.model_dump(mode="python") for capture in part.captures],
            "notes": part.notes,
            "made_of": part.made_of,
            "about": part.about,
        }
        write_text(self._path(part.scene.id), json.dumps(content))

    def read(self, identity: str, made_of: str | None = None) -> Part | None:
        """A scene that was kept; None where there is none, or one made of something else."""
        try:
            kept = json.loads(self._path(identity).read_text(encoding="utf-8"))
            if made_of is not None and kept["made_of"] != made_of:
                return None
            captures = tuple(Capture.model_validate(capture) for capture in kept["captures"])
            scene = Scene.model_validate(kept["scene"])
            return Part(scene, captures, tuple(kept["notes"]), kept["made_of"], kept["about"])
        except (OSError, ValueError, KeyError, TypeError, ValidationError):
            return None

    def others(self, names: Iterable[str]) -> Iterator[str]:
        """The ids of scenes that were kept, without the given ones; only files of others are read."""
        given = {self._path(name) for name in names}
        for path in set(self.folder.glob("*.json")) - given:
            with suppress(OSError, ValueError, KeyError, TypeError):
                yield json.loads(path.read_text(encoding="utf-8"))["scene"]["id"]

    def write_capture(self, capture: Capture) -> None:
        """Keep a recording of a scene that isn't done yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self._path(capture.id), json.dumps({"captures": [capture.model_dump(mode="python")]}))

    def read_capture(self, identity: str) -> Capture | None:
        """A recording that was kept; None where there is none."""
        try:
            (kept,) = json.loads(self._path(identity).read_text(encoding="utf-8"))["captures"]
            return Capture.model_validate(kept)
        except (OSError, ValueError, KeyError, TypeError, ValidationError):
            return None

    def drop(self, identity: str) -> None:
        """Forget a scene, or a recording."""
        self._path(identity).unlink(missing_ok=True)

    def remove(self) -> None:
        """Forget all."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, identity: str) -> Path:
        return self.folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:24]}.json"


def read_collection(out: Path) -> Iterable[Part]:
    """The scenes of a folder with their captures, in its order, one at a time; none where it holds none.

    Raises:
        InputError: a row of it is no scene or capture.
    """
    if not has_scenes(out):
        return
    captures = read_captures(out) if has_captures(out) else iter(())
    waiting = next(captures, None)
    for scene in read_scenes(out):
        own = []
        while waiting is not None and waiting.scene == scene.id:
            own.append(waiting)
            waiting = next(captures, None)
        yield Part(scene, tuple(own))


def write_collection(out: Path, parts: Iterable[Part]) -> int:
    """Write scenes and captures in one pass each; the number of scenes.

    Args:
        out: the collection's folder.
        parts: gone through twice, so no iterator.
    """
    count = write_scenes(out, (part.scene for part in parts))
    write_captures(out, (capture for part in parts for capture in part.captures))
    return count
