"""Events of an Ego-Exo4D take, as people wrote them down: its keysteps and its atomic descriptions.

```
annotations/keystep_{train,val}.json              {"annotations": {take_uid: {"segments": [{start_time, end_time, …}]}}}
annotations/atomic_descriptions_{train,val}.json  {"annotations": {take_uid: [{rejected, descriptions: [{text, …}]}]}}
```

A keystep is an event with a start and an end; `essential` is the data set's is_essential. A description is a moment;
its views are the roles of the captures that are said to show it: the worn camera where `ego_visible`, and the one of
`best_exo`. Rejected descriptions, and those that their annotator was unsure of, are left out. The documentation calls
both files lists and released ones hold objects by take; either is read.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tolman.errors import InputError
from tolman.ingest.readers.segments import read_json
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
        repaired: where is said what was left out.

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
            raise self.wrong(error.errors()[0]["msg"].removeprefix("Value error, "), "annotations") from None


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
