"""The summary of an ingest: every scene with its state, kept as `ingest.json` in the collection's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import tolman
from tolman.errors import InputError
from tolman.files import write_text

NAME = "ingest.json"
State = Literal["new", "kept", "left out", "refused"]


class SummaryRow(BaseModel):
    """Outcome of one scene.

    Attributes:
        id: of the scene.
        format: which read it.
        path: where it was read from.
        state: 'new' or 'kept' where the collection has it; 'left out' by a rule; 'refused' where it can't be used.
        reason: why it was left out or refused.
        repaired: what was wrong and put right, with the file and the rule.
        notes: what else there is to say, corrections that match nothing among it.
        completeness: of its mesh, 0 to 1, where it was measured.
        objects: how many are asked about.
        area: of its room, square metres.
        frames: of all its recordings.
        media: its videos and clouds, relative to the collection's folder.
        made_of: a hash of its files' names, sizes and times of change and of the settings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    id: str
    format: str
    path: str
    state: State
    reason: str | None = None
    repaired: tuple[str, ...] = Field(default=(), alias="mended")  # the key in files since the first version
    notes: tuple[str, ...] = ()
    completeness: float | None = None
    objects: int = 0
    area: float | None = None
    frames: int = 0
    media: tuple[str, ...] = ()
    made_of: str = ""

    @property
    def there(self) -> bool:
        """Tell whether the collection has the scene."""
        return self.state in ("new", "kept")


class Summary(BaseModel):
    """Attributes:
    tolman: the version that wrote it.
    corrections: a hash of the corrections that hold.
    scenes: all of the collection, and those that didn't come into it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tolman: str = tolman.__version__
    corrections: str = ""
    scenes: tuple[SummaryRow, ...] = ()


def read_summary(out: Path) -> Summary:
    """The summary of a folder; an empty one for a folder that is empty or absent.

    Raises:
        InputError: the folder holds something else, or a summary that can't be read.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return Summary()
    file = out / NAME
    if not out.is_dir() or not file.is_file():
        raise InputError(out, "holds other files", fix="give an empty folder with --out, or one that was ingested into")
    try:
        return Summary.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError, RecursionError) as error:
        raise InputError(file, f"is no readable summary ({str(error).splitlines()[0]})") from None


def write_summary(out: Path, summary: Summary) -> None:
    """Write a folder's summary."""
    content = summary.model_dump(mode="json", by_alias=True)
    write_text(out / NAME, json.dumps(content, indent=1) + "\n")
