"""The progress of a run that goes on: a file in its folder, written by the run and read by `tolman watch`.

Its first line describes a round of calls. Each other line is an outcome, its time, and the counts of the round so far.
The file is removed when the outcomes are in the run's own files; one that is left belongs to a process that was killed.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tolman.errors import InputError
from tolman.responses import Outcome, Outcomes, outcome_from_record, outcome_to_line

PACE_SECONDS = 120.0
"""Before now, in which the speed of a run is measured."""
PROGRESS_FILE = "progress.jsonl"
_ENCODER = json.JSONEncoder(ensure_ascii=False)


class ProgressFile:
    """The file as a run writes it. An error of the disk ends the file, not the run.

    Args:
        folder: of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / PROGRESS_FILE
        self._file: IO[str] | None = None
        self._began = 0.0

    def begin(self, purpose: str, calls: int) -> None:
        """Begin a round of calls: a run's own ('asking'), or its judge's ('judging')."""
        self.close()
        self._began = time.time()
        with suppress(OSError):
            self._file = self._path.open("w", encoding="utf-8")
            self._write(json.dumps({"purpose": purpose, "calls": calls, "began": self._began}, ensure_ascii=False))

    def add(self, outcome: Outcome, spent: Mapping[str, Any]) -> None:
        """Append an outcome.

        Args:
            outcome: as it came.
            spent: counts of the round so far, by name.
        """
        at, said = round(time.time() - self._began, 3), _ENCODER.encode(spent)
        self._write(f'{{"at": {at}, "spent": {said}, "outcome": {outcome_to_line(outcome)}}}')

    def close(self) -> None:
        """Remove the file, whose outcomes are in others by now."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
        with suppress(OSError):
            self._path.unlink()

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except OSError:
            self._file = None


@dataclass
class Progress:
    """A run's outcomes so far, by another process.

    Attributes:
        folder: of the run.
        purpose: of the calls: 'asking' or 'judging'; empty where there is no file.
        calls: how many outcomes there will be.
        began: time of the first call, in seconds since 1970.
        times: of the outcomes, in seconds from then.
        reused: for each outcome, whether an answer from the store came with it.
        spent: counts of the round so far, by name: those of `runs.calling.Tally`.
        outcomes: of a run's own calls.
    """

    folder: Path
    purpose: str = ""
    calls: int = 0
    began: float = 0.0
    times: list[float] = field(default_factory=list)
    reused: list[bool] = field(default_factory=list)
    spent: dict[str, Any] = field(default_factory=dict)
    outcomes: Outcomes = field(default_factory=Outcomes)
    _read: int = 0

    def read_on(self) -> Progress:
        """Read the appended lines; another object where the file is a new one, or is gone."""
        path = self.folder / PROGRESS_FILE
        try:
            with path.open("rb") as file:
                head = json.loads(file.readline() or b"{}")
                if head.get("began", 0.0) != self.began or os.fstat(file.fileno()).st_size < self._read:
                    began = Progress(self.folder, str(head["purpose"]), int(head["calls"]), float(head["began"]))
                    began._read = file.tell()
                    return began.read_on()
                file.seek(self._read)
                for line in file:
                    if not line.endswith(b"\n"):  # is being written
                        break
                    self._take(json.loads(line), path)
                    self._read += len(line)
        except (OSError, ValueError, KeyError, TypeError, InputError):
            return Progress(self.folder) if not path.exists() else self
        return self

    def _take(self, record: Mapping[str, Any], path: Path) -> None:
        outcome = outcome_from_record(record["outcome"], path, len(self.times) + 1)
        self.outcomes[outcome.id, outcome.repeat] = outcome
        self.times.append(float(record["at"]))
        self.reused.append(record["spent"].get("reused", 0) > self.spent.get("reused", 0))
        self.spent = record["spent"]

    def seconds_left(self, now: float) -> float | None:
        """How long the other calls take at the speed of the last `PACE_SECONDS`; None before an answer came.

        Args:
            now: in seconds since 1970.
        """
        latest = now - self.began
        since = max(latest - PACE_SECONDS, 0.0)
        asked = [at for at, reused in zip(self.times, self.reused, strict=True) if not reused]
        recent = [at for at in asked if at >= since] or asked[-1:]
        if not recent:
            return None
        since = min([since, *recent])
        # Answers from the store come at once, before the others or among them.
        return (self.calls - len(self.times)) * (latest - since) / len(recent)
