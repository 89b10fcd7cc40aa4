"""The tables of nuScenes, sorted by scene, and its annotated boxes with their tracks.

The tables of the whole data set hold millions of rows (1.1 million boxes, 2.6 million recordings), which refer to each
other by token in any order. They are read once from end to end. One pass over each puts the rows that scenes need into
an SQLite file in the user's cache folder, from which a scene is had at once. Nothing but the tokens of samples and
sensors is held in memory meanwhile. Schema: docs/schema_nuscenes.md of nutonomy/nuscenes-devkit.

Boxes are annotated at keyframes, twice a second. `size` holds width, length and height, while the box's x axis runs
along its length; quaternions have w first. An object whose centre keeps within `STILL` of its first place and whose
axes turn by less than `TURNED` has no track: annotators' hands are no steadier than that.

A camera's sightings are computed at its keyframes: the outline of each box inside the picture, times the least share
that the annotation's visibility level promises (0, 40, 60 or 80 % over all six cameras). So `pixels` is about the least
number that show the object, and objects of the lowest level are not counted as seen.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import ValidationError

from tolman.errors import InputError, invalid_field
from tolman.files import atomic_write, cache_folder
from tolman.geometry.boxes import Boxes, Floats
from tolman.geometry.camera_geometry import boxes_in_view
from tolman.ingest.readers import JsonRow, json_rows, rotations
from tolman.ingest.scan_format import Instance
from tolman.scenes import OrientedBox, Sighting, TrackPoint

TABLES = (
    "scene", "sample", "sample_data", "ego_pose", "calibrated_sensor", "sensor", "sample_annotation", "instance",
    "category", "visibility",
)  # fmt: skip
"""Those that are read; log, map, attribute and lidarseg say nothing that Scenes and Captures hold."""
MODALITIES = ("camera", "lidar")
T = TypeVar("T")
_VERSION = 1
"""Part of the file's name; raised when its content changes."""
_LAYOUT = """
CREATE TABLE members (kind TEXT, scene INTEGER, row TEXT);
CREATE TABLE tokens (kind TEXT, token TEXT, row TEXT);
CREATE TABLE scenes (number INTEGER PRIMARY KEY, name TEXT UNIQUE, row TEXT);
"""


@dataclass(frozen=True)
class Record:
    """A row of a table.

    Attributes:
        path: the table's file.
        fields: its contents.
    """

    path: Path
    fields: Mapping[str, Any]

    @property
    def token(self) -> str:
        """Its token."""
        return self.text("token")

    def text(self, name: str) -> str:
        """A field that holds a text.

        Raises:
            InputError: it doesn't.
        """
        value = self.fields.get(name)
        if not isinstance(value, str) or not _is_text(value):
            raise self.wrong(name, "is no text" if name in self.fields else "is missing")
        return value

    def whole(self, name: str) -> int:
        """A field that holds a whole number.

        Raises:
            InputError: it doesn't.
        """
        value = self.fields.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) >= 1 << 62:
            raise self.wrong(name, "is no whole number")
        return value

    def flag(self, name: str) -> bool:
        """A field that holds true or false.

        Raises:
            InputError: it doesn't.
        """
        value = self.fields.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "is neither true nor false")
        return value

    def numbers(self, name: str, count: int) -> tuple[float, ...]:
        """A field that holds so many finite numbers.

        Raises:
            InputError: it doesn't.
        """
        value = self.fields.get(name)
        if not isinstance(value, list) or len(value) != count:
            raise self.wrong(name, f"takes {count} numbers")
        if not all(isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e9 for x in value):
            raise self.wrong(name, f"holds something other than {count} numbers below a thousand million")
        return tuple(float(x) for x in value)

    def wrong(self, field: str, what: str) -> InputError:
        """Return the error about a field."""
        token = self.fields.get("token")
        return InputError(self.path, what, row=token if isinstance(token, str) else None, field=field)


class Tables:
    """The tables of one version of the data set, as they were put into order.

    Args:
        folder: of the tables, as 'v1.0-mini'.

    Raises:
        InputError: a table is missing, broken, or refers to a missing row.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = _index_path(folder)
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            for old in path.parent.glob(f"{path.name.partition('-')[0]}-*.sqlite"):
                old.unlink(missing_ok=True)
            with atomic_write(path) as partial:
                _put_in_order(folder, partial)
        self._path = path
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def scenes(self) -> list[str]:
        """The names of the scenes, in the table's order."""
        return [name for (name,) in self._all("SELECT name FROM scenes ORDER BY number")]

    def scene(self, name: str) -> Record:
        """The row of a scene.

        Raises:
            InputError: there is none of that name.
        """
        found = self._all("SELECT row FROM scenes WHERE name = ?", name)
        if not found:
            raise InputError(self.folder / "scene.json", f"has no scene '{name}'")
        return self._record("scene", found[0][0])

    def of_scene(self, kind: str, name: str) -> list[Record]:
        """The rows of 'sample', 'sample_data' or 'sample_annotation' that belong to a scene."""
        query = "SELECT row FROM members WHERE kind = ? AND scene = (SELECT number FROM scenes WHERE name = ?)"
        return [self._record(kind, text) for (text,) in self._all(query, kind, name)]

    def lookup(self, kind: str) -> Callable[[Record, str], Record]:
        """Look-up of the row of a table that a field of another row refers to; each is read once.

        The function raises InputError where there is none.
        """
        known: dict[str, Record] = {}

        def find(record: Record, field: str) -> Record:
            token = record.text(field)
            if token not in known:
                found = self._all("SELECT row FROM tokens WHERE kind = ? AND token = ?", kind, token)
                if not found:
                    raise record.wrong(field, f"refers to '{token}', which {kind}.json doesn't have")
                known[token] = self._record(kind, found[0][0])
            return known[token]

        return find

    def _record(self, kind: str, text: str) -> Record:
        return Record(self.folder / f"{kind}.json", json.loads(text))

    def _all(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise InputError(self._path, f"can't be read ({error})", fix="delete it; it is made again") from None


def _index_path(folder: Path) -> Path:
    """Return the path of the sorted tables: its name encodes the folder, and the state of its files."""
    state = []
    for name in TABLES:
        path = folder / f"{name}.json"
        try:
            found = path.stat()
        except OSError:
            raise InputError(path, "is missing", fix="download the metadata of this version whole") from None
        state.append((name, found.st_size, found.st_mtime_ns))
    place = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    content = hashlib.sha256(repr((_VERSION, state)).encode()).hexdigest()[:16]
    return cache_folder() / "nuscenes" / f"{place}-{content}.sqlite"


def _put_in_order(folder: Path, target: Path) -> None:
    """Write the sorted tables of a folder."""
    connection = sqlite3.connect(target)
    try:
        # What is cut off is thrown away, so nothing need be safe on the way.
        connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _LAYOUT)
        scenes = _scenes(folder, connection)
        samples = _samples(folder, connection, scenes)
        modality = _sensors(folder, connection)
        _members(folder, connection, "sample_data", samples, modality)
        _members(folder, connection, "sample_annotation", samples, None)
        for kind in ("ego_pose", "instance", "category", "visibility"):
            _tokens(connection, kind, _rows(folder, kind))
        connection.execute("CREATE INDEX by_scene ON members (kind, scene)")
        connection.execute("CREATE INDEX by_token ON tokens (kind, token)")
        twice = connection.execute("SELECT kind, token FROM tokens GROUP BY kind, token HAVING count(*) > 1").fetchone()
        if twice:
            raise InputError(folder / f"{twice[0]}.json", "has this token twice", row=twice[1])
        connection.commit()
    except sqlite3.Error as error:
        raise InputError(target, f"can't be written ({error})", fix="make room for it, or set TOLMAN_CACHE") from None
    finally:
        connection.close()


def _rows(folder: Path, kind: str) -> Iterator[tuple[str, JsonRow]]:
    """The rows of a table with their tokens."""
    path = folder / f"{kind}.json"
    for row in json_rows(path):
        yield _reference(path, row, "token"), row


def _reference(path: Path, row: JsonRow, field: str) -> str:
    token = row.fields.get(field)
    if not isinstance(token, str) or not _is_text(token):
        raise InputError(path, "is no token", row=row.number, field=field)
    return token


def _referred(path: Path, row: JsonRow, field: str, known: Mapping[str, T]) -> T:
    """What is known of the row of another table that a field refers to."""
    found = known.get(_reference(path, row, field))
    if found is None:
        table = field.removesuffix("_token")
        what = f"refers to a {table.rpartition('_')[2]} that {table}.json doesn't have"
        raise InputError(path, what, row=row.number, field=field)
    return found


def _is_text(value: str) -> bool:
    """Check that a text holds no lone surrogate, which JSON can spell and nothing can store."""
    return not any("\ud800" <= sign <= "\udfff" for sign in value)


def _tokens(connection: sqlite3.Connection, kind: str, found: Iterator[tuple[str, JsonRow]]) -> None:
    connection.executemany("INSERT INTO tokens VALUES (?, ?, ?)", ((kind, token, row.text) for token, row in found))


def _scenes(folder: Path, connection: sqlite3.Connection) -> dict[str, int]:
    """Scenes by token."""
    path = folder / "scene.json"
    numbers: dict[str, int] = {}
    names: set[str] = set()
    for token, row in _rows(folder, "scene"):
        name = row.fields.get("name")
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][\w.+-]{0,99}", name, re.ASCII):
            raise InputError(path, f"{name!r:.60} can't be a scene's name", row=row.number, field="name")
        if token in numbers or name in names:
            raise InputError(path, f"has the scene {name} or its token twice", row=row.number)
        numbers[token] = len(numbers)
        names.add(name)
        connection.execute("INSERT INTO scenes VALUES (?, ?, ?)", (numbers[token], name, row.text))
    return numbers


def _samples(folder: Path, connection: sqlite3.Connection, scenes: Mapping[str, int]) -> dict[str, int]:
    """The scenes of samples, by the samples' tokens."""
    path = folder / "sample.json"
    found: dict[str, int] = {}
    for token, row in _rows(folder, "sample"):
        scene = _referred(path, row, "scene_token", scenes)
        if token in found:
            raise InputError(path, f"has the token {token} twice", row=row.number)
        found[token] = scene
        connection.execute("INSERT INTO members VALUES ('sample', ?, ?)", (scene, row.text))
    return found


def _sensors(folder: Path, connection: sqlite3.Connection) -> dict[str, str]:
    """The modalities of calibrated sensors, by their tokens."""
    modality: dict[str, str] = {}
    for token, row in _rows(folder, "sensor"):
        modality[token] = str(row.fields.get("modality"))
        _tokens(connection, "sensor", iter([(token, row)]))
    path = folder / "calibrated_sensor.json"
    found: dict[str, str] = {}
    for token, row in _rows(folder, "calibrated_sensor"):
        found[token] = _referred(path, row, "sensor_token", modality)
        _tokens(connection, "calibrated_sensor", iter([(token, row)]))
    return found


def _members(
    folder: Path,
    connection: sqlite3.Connection,
    kind: str,
    samples: Mapping[str, int],
    modality: Mapping[str, str] | None,
) -> None:
    """Put rows that belong to samples to their scenes; of recordings only those of cameras and LiDARs."""
    path = folder / f"{kind}.json"

    def wanted() -> Iterator[tuple[str, int, str]]:
        for _, row in _rows(folder, kind):
            if modality is not None and _referred(path, row, "calibrated_sensor_token", modality) not in MODALITIES:
                continue
            yield kind, _referred(path, row, "sample_token", samples), row.text

    connection.executemany("INSERT INTO members VALUES (?, ?, ?)", wanted())


STILL = 0.25
"""Metres."""
TURNED = 10.0
"""Degrees."""
_LEVEL = re.compile(r"v([0-9]{1,2})-([0-9]{1,3})")
"""As in 'v40-60': per cent of an object that the six cameras show together."""


class Annotations:
    """The annotations of one scene.

    Args:
        tables: of its version.
        scene: its name.
        times: of its samples, by token, in seconds on its time line.
        origin: of its frame in the global one, metres.

    Raises:
        InputError: an instance has two boxes at a time.
    """

    def __init__(self, tables: Tables, scene: str, times: Mapping[str, float], origin: Floats) -> None:
        self._origin = origin
        self._by_instance = _by_instance(tables, scene, times)
        self._instance_of = tables.lookup("instance")
        self._category_of = tables.lookup("category")
        self._visibility_of = tables.lookup("visibility")

    def instances(self, repaired: list[str]) -> tuple[Instance, ...]:
        """The objects, in the order in which they are first annotated.

        Args:
            repaired: where is said whose size changes.

        Raises:
            InputError: an annotation can't be used.
        """
        return tuple(self._instance(rows, repaired) for rows in self._by_instance.values())

    def _instance(self, rows: Sequence[tuple[float, Record]], repaired: list[str]) -> Instance:
        first = rows[0][1]
        category = self._category(first)
        placed = [self._box(record) for _, record in rows]
        widths = np.array([box.extents for box in placed])
        extents = tuple(float(x) for x in np.median(widths, axis=0))
        if np.abs(widths - extents).max() > 0.01:
            repaired.append(
                f"{first.path}: the size of instance {first.text('instance_token')} changes by up to "
                f"{np.abs(widths - extents).max():.2f} m; its median was taken."
            )
        box = OrientedBox(center=placed[0].center, axes=placed[0].axes, extents=extents)  # type: ignore[arg-type]
        moves = any(differs(placed[0], other) for other in placed[1:])
        track = tuple(
            TrackPoint(seconds=seconds, center=one.center, axes=one.axes)
            for (seconds, _), one in zip(rows, placed, strict=True)
        )
        return Instance(first.text("instance_token"), category, box, track if moves else ())

    def _category(self, annotation: Record) -> str:
        instance = self._instance_of(annotation, "instance_token")
        return self._category_of(instance, "category_token").text("name")

    def _box(self, record: Record) -> OrientedBox:
        width, length, height = record.numbers("size", 3)
        try:
            return OrientedBox.model_validate(
                {
                    "center": (np.array(record.numbers("translation", 3)) - self._origin).tolist(),
                    "axes": rotation_of(record).T.tolist(),
                    "extents": (length, width, height),
                }
            )
        except ValidationError as error:
            raise InputError(record.path, f"is no box: {invalid_field(error)[1]}", row=record.token) from None

    def sightings(
        self,
        records: Sequence[Record],
        poses: Floats,
        intrinsics: Floats,
        size: tuple[int, int],
    ) -> tuple[Sighting, ...]:
        """Sightings of a camera.

        Args:
            records: its recordings.
            poses, intrinsics, size: as in CameraRecording, a row of intrinsics for each recording.

        Raises:
            InputError: an annotation can't be used.
        """
        found = []
        for frame, record in enumerate(records):
            seen = self._seen.get(record.text("sample_token"), []) if record.flag("is_key_frame") else []
            if not seen:
                continue
            fx, fy, cx, cy = intrinsics[frame].tolist()
            areas = boxes_in_view(_boxes([box for *_, box in seen]), poses[frame], (fx, fy, cx, cy), size)
            found += [
                Sighting(frame=frame, object=instance, pixels=pixels)
                for (instance, promised, _), area in zip(seen, areas.tolist(), strict=True)
                if (pixels := int(area * promised)) > 0
            ]
        return tuple(found)

    @cached_property
    def _seen(self) -> dict[str, list[tuple[str, float, OrientedBox]]]:
        """By sample, the instances that are seen, with the share that is promised and their boxes."""
        found: dict[str, list[tuple[str, float, OrientedBox]]] = {}
        for instance, rows in self._by_instance.items():
            for _, annotation in rows:
                promised = self._promised(annotation)
                if promised > 0:
                    entry = (instance, promised, self._box(annotation))
                    found.setdefault(annotation.text("sample_token"), []).append(entry)
        return found

    def _promised(self, annotation: Record) -> float:
        """Return the least share of an object that the six cameras show together; 0 if not annotated."""
        if annotation.text("visibility_token") == "":
            return 0.0
        level = self._visibility_of(annotation, "visibility_token")
        found = _LEVEL.fullmatch(level.text("level"))
        if not found:
            raise level.wrong("level", "is no level of visibility such as v40-60")
        return int(found[1]) / 100


def rotation_of(record: Record) -> Floats:
    """The rotation of a row, shape (3, 3).

    Raises:
        InputError: its quaternion isn't of length 1.
    """
    w, x, y, z = np.array(record.numbers("rotation", 4))[:, None]
    try:
        return np.asarray(rotations(w, x, y, z)[0])
    except ValueError as error:
        raise record.wrong("rotation", str(error)) from None


def _by_instance(tables: Tables, scene: str, times: Mapping[str, float]) -> dict[str, list[tuple[float, Record]]]:
    """The boxes of each instance with their times, in the order of time."""
    found: dict[str, list[tuple[float, Record]]] = {}
    for record in tables.of_scene("sample_annotation", scene):
        found.setdefault(record.text("instance_token"), []).append((times[record.text("sample_token")], record))
    for rows in found.values():
        rows.sort(key=lambda row: row[0])
        for (before, _), (after, record) in itertools.pairwise(rows):
            if after <= before:
                raise record.wrong("instance_token", "has two boxes in one sample")
    return dict(sorted(found.items(), key=lambda item: (item[1][0][0], item[0])))


def differs(one: OrientedBox, other: OrientedBox) -> bool:
    """Check whether a box has moved by more than `STILL`, or turned by more than `TURNED`."""
    if float(np.linalg.norm(np.subtract(one.center, other.center))) > STILL:
        return True
    cosine = (np.trace(np.array(one.axes) @ np.array(other.axes).T) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))) > TURNED


def _boxes(boxes: Sequence[OrientedBox]) -> Boxes:
    return Boxes(
        np.array([box.center for box in boxes]),
        np.array([box.axes for box in boxes]),
        np.array([box.extents for box in boxes]),
    )
