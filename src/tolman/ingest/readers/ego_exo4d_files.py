"""Files next to the videos of an Ego-Exo4D take: poses of its cameras, and events as people wrote them down.

```
annotations/keystep_{train,val}.json              {"annotations": {take_uid: {"segments": [{start_time, end_time, …}]}}}
annotations/atomic_descriptions_{train,val}.json  {"annotations": {take_uid: [{rejected, descriptions: [{text, …}]}]}}
trajectory/gopro_calibs.csv            fixed cameras: cam_uid, graph_uid, {tx,ty,tz,qx,qy,qz,qw}_world_cam, quality, …
trajectory/closed_loop_trajectory.csv  the glasses a thousand times a second: tracking_timestamp_us, …_world_device
trajectory/online_calibration.jsonl    a JSON object on each line: where each of their cameras is on the glasses
captures/NAME/timesync.csv             the glasses' clock at each frame of a recording session
```

A keystep is an event with a start and an end; `essential` is the data set's is_essential. A description is a moment;
its views are the roles of the captures that are said to show it: the worn camera where `ego_visible`, and the one of
`best_exo`. Rejected descriptions, and those that their annotator was unsure of, are left out. The documentation calls
both files lists and released ones hold objects by take; either is read.

A file of poses that isn't there leaves its cameras without poses; one that is there and broken is an error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pydantic import ValidationError

from tolman.errors import InputError, invalid_field
from tolman.geometry.boxes import Floats
from tolman.ingest.readers import list_of, read_text, rigid, rotations
from tolman.ingest.surfaces import read_json
from tolman.scenes import Event

KEYSTEPS = ("keystep_train.json", "keystep_val.json")
DESCRIPTIONS = ("atomic_descriptions_train.json", "atomic_descriptions_val.json")
ANNOTATIONS = (*KEYSTEPS, *DESCRIPTIONS)
_TRUE, _FALSE = (True, 1, "1", "true", "True"), (False, 0, None, "", "0", "false", "False")


def events_of(root: Path, take: str, roles: Mapping[str, str], length: float, repaired: list[str]) -> tuple[Event, ...]:
    """The events of a take, by time.

    Args:
        root: the download's folder.
        take: its take_uid.
        roles: of its captures, by camera; the worn one's begins with 'ego'.
        length: of its videos in seconds.
        repaired: list that gets the omissions.

    Raises:
        InputError: a file of annotations is there and can't be used.
    """
    found: list[Event] = []
    for names, read in ((KEYSTEPS, _keysteps), (DESCRIPTIONS, _descriptions)):
        for name in names:
            path = root / "annotations" / name
            if path.is_file():
                text = _annotations(path, path.stat().st_mtime_ns).get(take)
                found += read(_File(path, take), None if text is None else json.loads(text), roles)
    late = [event for event in found if event.start < 0 or event.end > length + 1]
    if late:
        repaired.append(f"{take}: {len(late)} of {len(found)} events lie outside its {length:.1f} s and were left out.")
    kept = [event for event in found if event not in late]
    return tuple(sorted(kept, key=lambda event: (event.start, event.end, event.kind, event.label)))


@dataclass(frozen=True)
class _File:
    """A file of annotations, and the take that is looked at in it."""

    path: Path
    take: str

    def wrong(self, what: str, field: str) -> InputError:
        return InputError(self.path, what, row=self.take, field=field, fix="download it again")

    def number(self, record: Any, field: str) -> float:
        value = record.get(field)
        if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
            raise self.wrong("is no finite number", field)
        return float(value)

    def text(self, record: Any, field: str) -> str:
        value = record.get(field)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong("is no text", field)
        return value.strip()

    def flag(self, record: Any, field: str) -> bool:
        """Written as true, as 1 and as "1" in different releases."""
        value = record.get(field)
        if isinstance(value, list | dict) or value not in (*_TRUE, *_FALSE):
            raise self.wrong("is neither true nor false", field)
        return value in _TRUE

    def records(self, value: Any, field: str) -> Iterable[dict[str, Any]]:
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.wrong("is no list of records", field)
        return value

    def event(self, **fields: Any) -> Event:
        try:
            return Event(**fields)
        except ValidationError as error:
            raise self.wrong(invalid_field(error)[1], "annotations") from None


@lru_cache(maxsize=4)
def _annotations(path: Path, modified: int) -> dict[str, str]:
    """The annotations of a file by take, as JSON: objects of all takes would fill a gigabyte."""
    content = read_json(path)
    found = content.get("annotations")
    if isinstance(found, list):
        if not all(isinstance(one, dict) and isinstance(one.get("take_uid"), str) for one in found):
            raise InputError(path, "holds a record without a take_uid", field="annotations", fix="download it again")
        return {one["take_uid"]: json.dumps(one) for one in found}
    if not isinstance(found, dict):
        raise InputError(path, "is missing, or holds no takes", field="annotations", fix="download it again")
    return {take: json.dumps(one) for take, one in found.items()}


def _keysteps(file: _File, record: Any, roles: Mapping[str, str]) -> Iterator[Event]:
    if record is None:
        return
    if not isinstance(record, dict):
        raise file.wrong("is no record of keysteps", "annotations")
    for segment in file.records(record.get("segments"), "segments"):
        essential = None if segment.get("is_essential") is None else file.flag(segment, "is_essential")
        yield file.event(
            start=file.number(segment, "start_time"),
            end=file.number(segment, "end_time"),
            label=file.text(segment, "step_name" if segment.get("step_name") else "step_description"),
            kind="keystep",
            essential=essential,
        )


def _descriptions(file: _File, record: Any, roles: Mapping[str, str]) -> Iterator[Event]:
    if record is None:
        return
    # A take that stands in a list has its annotators under their own name.
    annotators = record.get("annotations") if isinstance(record, dict) else record
    for annotator in file.records(annotators, "annotations"):
        if file.flag(annotator, "rejected"):
            continue
        for one in file.records(annotator.get("descriptions"), "descriptions"):
            if file.flag(one, "unsure"):
                continue
            seconds = file.number(one, "timestamp")
            best = one.get("best_exo")
            camera = best.get("cam_id") if isinstance(best, dict) else None
            worn = [role for role in roles.values() if role == "ego"] if file.flag(one, "ego_visible") else []
            views = [*worn, *([roles[camera]] if isinstance(camera, str) and camera in roles else [])]
            yield file.event(
                start=seconds,
                end=seconds,
                label=file.text(one, "text"),
                kind="description",
                views=tuple(views),
            )


COLOUR = "camera-rgb"
_GAP = 0.005
"""Seconds by which the nearest pose may miss a frame; there is one every millisecond."""
_FIX = "download it again, or take it away: the rest is read without"
_NOWHERE = np.empty((0, 4, 4))


@dataclass(frozen=True)
class Fixed:
    """The fixed cameras of a take.

    Attributes:
        poses: camera → world, by camera.
        reasons: why others have none, by camera.
        there: whether there is a file of them.
    """

    poses: Mapping[str, Floats]
    reasons: Mapping[str, str]
    there: bool

    def of(self, camera: str) -> tuple[Floats | None, str]:
        """A camera's pose, shape (4, 4), or why it has none."""
        if camera in self.poses:
            return self.poses[camera], ""
        return None, self.reasons.get(camera, "isn't in gopro_calibs.csv" if self.there else "lacks gopro_calibs.csv")


def fixed_poses(folder: Path) -> Fixed:
    """The fixed cameras of a take's trajectory folder.

    Raises:
        InputError: gopro_calibs.csv is there and can't be used.
    """
    path = folder / "gopro_calibs.csv"
    if not path.is_file():
        return Fixed({}, {}, False)
    names = ["cam_uid", "graph_uid", "quality", "start_frame_idx", "end_frame_idx"]
    numbers = [f"{part}_world_cam" for part in ("tx", "ty", "tz", "qw", "qx", "qy", "qz")]
    table = read_table(path, [*names, *numbers])
    trajectory = folder / "closed_loop_trajectory.csv"
    graph = read_table(trajectory, ["graph_uid"], rows=1)["graph_uid"].first() if trajectory.is_file() else None
    poses: dict[str, Floats] = {}
    reasons: dict[str, str] = {}
    for row, (camera, world, quality, start, end) in enumerate(table.select(names).iter_rows(), start=1):
        graph = world if graph is None else graph
        if camera in poses or camera in reasons:
            raise InputError(path, f"has the camera {camera} twice", row=row, fix=_FIX)
        if _number(path, quality, row, "quality") != 1:
            reasons[camera] = "wasn't localised (its quality isn't 1)"
        elif world != graph:
            reasons[camera] = "is in another coordinate frame than the glasses (another graph_uid)"
        elif _number(path, start, row, "start_frame_idx") != -1 or _number(path, end, row, "end_frame_idx") != -1:
            reasons[camera] = "was moved during the recording"
        else:
            values = numbers_in(path, table.slice(row - 1, 1), numbers, row)
            poses[camera] = rigid_rows(path, values, row)[0]
    return Fixed(poses, reasons, True)


def worn_poses(
    folder: Path, timesync: Path, camera: str, stream: str, start: int | None, count: int
) -> tuple[Floats, str]:
    """Poses of the colour camera of the glasses at each frame of a take.

    Args:
        folder: of the take's trajectory.
        timesync: of its recording session.
        camera, stream: of the glasses, as 'aria01' and '214-1'.
        start: the row of timesync.csv, from 0, after which the take's frames begin. (The official notebooks begin one
            row after `timesync_start_idx`; other readers at it, which is 33 ms earlier.)
        count: of frames.

    Returns:
        Camera as its sensor reads out → world, shape (count, 4, 4), nan where nothing is known; or (0, 4, 4) and why.

    Raises:
        InputError: a file is there and can't be used.
    """
    trajectory, calibration = folder / "closed_loop_trajectory.csv", folder / "online_calibration.jsonl"
    for path in (timesync, trajectory, calibration):
        if not path.is_file():
            return _NOWHERE, f"lacks {path.name}"
    column = f"{camera}_{stream}_capture_timestamp_ns"
    if start is None or column not in _header(timesync):
        return _NOWHERE, f"has no {column} in timesync.csv, or no timesync_start_idx"
    clock = read_table(timesync, [column])
    if start < 0 or start + 1 + count > len(clock) + 1:
        what = f"has {len(clock):,} rows, and the take's {count:,} frames begin behind row {start:,}"
        raise InputError(timesync, what, fix=_FIX)
    stamps = _floats(clock.slice(start + 1, count), column) * 1e-9
    # One row less than frames, where the last frame stands behind the end.
    stamps = np.append(stamps, np.full(count - len(stamps), np.nan))
    placed, worlds = read_trajectory(trajectory)
    at = nearest(placed, np.nan_to_num(stamps))
    known = np.isfinite(stamps) & (np.abs(placed[at] - np.nan_to_num(stamps)) <= _GAP)
    if not known.any():
        return _NOWHERE, "has no pose in closed_loop_trajectory.csv at any frame's time"
    times, mounted = read_mounts(calibration)
    if not len(times):
        return _NOWHERE, f"has no {COLOUR} in online_calibration.jsonl"
    poses = worlds[at] @ mounted[nearest(times, np.nan_to_num(stamps))]
    poses[~known] = np.nan
    return poses, ""


def read_trajectory(path: Path) -> tuple[Floats, Floats]:
    """Times in seconds, shape (n,), and glasses → world, shape (n, 4, 4), of the first row's frame of reference."""
    numbers = [f"{part}_world_device" for part in ("tx", "ty", "tz", "qw", "qx", "qy", "qz")]
    table = read_table(path, ["graph_uid", "tracking_timestamp_us", *numbers])
    table = table.filter(pl.col("graph_uid") == table["graph_uid"].first())
    values = numbers_in(path, table, ["tracking_timestamp_us", *numbers], 1)
    times = values[:, 0] * 1e-6
    if (np.diff(times) < 0).any():
        row = int(np.flatnonzero(np.diff(times) < 0)[0]) + 2
        raise InputError(path, "goes back in time", row=row, field="tracking_timestamp_us", fix=_FIX)
    return times, rigid_rows(path, values[:, 1:], 1)


def read_mounts(path: Path) -> tuple[Floats, Floats]:
    """Times in seconds, shape (n,), and colour camera → glasses, shape (n, 4, 4)."""
    found: list[tuple[float, Floats]] = []
    for row, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
            stamp = float(content["tracking_timestamp_us"]) * 1e-6
            cameras = [one for one in content["CameraCalibrations"] if one["Label"] == COLOUR]
            mounts = [one["T_Device_Camera"] for one in cameras[:1]]
            parts: list[Any] = [
                [*one["Translation"], one["UnitQuaternion"][0], *one["UnitQuaternion"][1]] for one in mounts
            ]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            what = f"lacks {error}" if isinstance(error, KeyError) else f"is no calibration ({error})"
            raise InputError(path, what, row=row, fix=_FIX) from None
        if not np.isfinite(stamp):
            raise InputError(path, "isn't finite", row=row, field="tracking_timestamp_us", fix=_FIX)
        for part in parts:
            found.append((stamp, rigid_rows(path, list_of(path, part, 7, row, "T_Device_Camera")[None], row)[0]))
    found.sort(key=lambda one: one[0])
    return np.array([time for time, _ in found]), np.array([pose for _, pose in found]).reshape(-1, 4, 4)


def nearest(times: Floats, wanted: Floats) -> np.ndarray:
    """The numbers of the times nearest to others; both rise or not, shape of the others."""
    after = np.clip(np.searchsorted(times, wanted), 1, max(1, len(times) - 1))
    after = np.minimum(after, len(times) - 1)
    before = np.maximum(after - 1, 0)
    return np.where(wanted - times[before] <= times[after] - wanted, before, after)


def rigid_rows(path: Path, values: Floats, first: int) -> Floats:
    """Transforms of rows of tx, ty, tz, qw, qx, qy, qz, shape (n, 4, 4)."""
    try:
        return rigid(rotations(values[:, 3], values[:, 4], values[:, 5], values[:, 6]), values[:, :3])
    except ValueError as error:
        where = first if len(values) == 1 else None
        raise InputError(path, str(error), row=where, fix=_FIX) from None


def _header(path: Path) -> list[str]:
    with path.open("rb") as file:
        line = file.readline(1 << 20)
    return [name.strip() for name in line.decode("utf-8", "replace").lstrip("\ufeff").split(",")]


def read_table(path: Path, columns: list[str], rows: int | None = None) -> pl.DataFrame:
    """Some columns of a CSV file as texts without spaces around them; its header has such spaces too."""
    try:
        table = pl.read_csv(path, infer_schema=False, n_rows=rows)
    except (pl.exceptions.PolarsError, OSError, UnicodeError) as error:
        raise InputError(path, f"is no table ({str(error).splitlines()[0]})", fix=_FIX) from None
    names = {name.strip(): name for name in table.columns}
    for column in columns:
        if column not in names:
            raise InputError(path, f"has no column {column}", fix=_FIX)
    if not len(table):
        raise InputError(path, "has no rows", fix=_FIX)
    return table.select(pl.col(names[column]).str.strip_chars().alias(column) for column in columns)


def _floats(table: pl.DataFrame, column: str) -> Floats:
    """A column's numbers, nan where there is none, shape (n,)."""
    return table[column].cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()


def numbers_in(path: Path, table: pl.DataFrame, columns: list[str], first: int) -> Floats:
    """Columns of finite numbers, shape (n, columns)."""
    values = np.column_stack([_floats(table, column) for column in columns])
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = (int(x) for x in bad[0])
        raise InputError(path, "is no finite number", row=first + row, field=columns[column], fix=_FIX)
    return values


def _number(path: Path, text: str | None, row: int, field: str) -> float:
    try:
        return float(text or "")
    except ValueError:
        raise InputError(path, "is no number", row=row, field=field, fix=_FIX) from None
