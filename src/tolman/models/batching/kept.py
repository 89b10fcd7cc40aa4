"""The folder that remembers which questions were left in which batch, so that a run that comes back finds its answers.

0003.json       the batch: its name at the provider, how it stands, the keys of its questions
0003.jsonl      the questions, until the provider has read them
0003.results    what became of them, a `BatchLine` in each line, once it has ended
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from tolman.errors import InputError
from tolman.files import atomic_write, write_text
from tolman.models.batching.interface import BatchLine

Stage = Literal["gathering", "sending", "left", "ended"]


@dataclass(eq=False)
class KeptBatch:
    """A batch of which something is in the folder.

    Attributes:
        place: its files' path without a suffix.
        stage: 'gathering' questions; 'sending' them, so that the provider may have them; 'left' there; 'ended'.
        token: a text of its own.
        since: seconds since 1970 before which it wasn't sent.
        name: the provider's for it; None before it is known.
        keys: of the questions that may still be asked for.
        notes: key → what wasn't sent as it was asked for.
    """

    place: Path
    stage: Stage = "gathering"
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    since: float = 0.0
    name: str | None = None
    keys: dict[str, None] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)

    @property
    def questions(self) -> Path:
        """The file of its questions."""
        return self.place.with_suffix(".jsonl")

    @property
    def results(self) -> Path:
        """The file of what became of them."""
        return self.place.with_suffix(".results")

    def write(self, stage: Stage | None = None) -> None:
        """Write down how it stands."""
        if stage is not None:
            self.stage = stage
        if stage == "sending":
            self.since = time.time()
        record = asdict(self) | {"keys": list(self.keys)}
        del record["place"]
        write_text(self.place.with_suffix(".json"), json.dumps(record, indent=1) + "\n")

    def remove(self) -> None:
        """Forget it."""
        for suffix in (".json", ".jsonl", ".results"):
            self.place.with_suffix(suffix).unlink(missing_ok=True)

    def write_results(self, lines: Iterable[BatchLine]) -> None:
        """Keep what became of its questions."""
        with atomic_write(self.results) as partial, partial.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(line)) + "\n" for line in lines)
        self.write("ended")
        self.questions.unlink(missing_ok=True)

    def read_results(self) -> Iterator[BatchLine]:
        """What became of its questions, of those that may still be asked for.

        Raises:
            InputError: the file was damaged.
        """
        try:
            with self.results.open(encoding="utf-8") as file:
                for text in file:
                    line = BatchLine(**json.loads(text))
                    if line.key in self.keys:
                        yield line
        except (OSError, ValueError, TypeError) as error:
            fix = "remove it, and the questions are asked again"
            raise InputError(self.results, f"can't be read ({error})", fix=fix) from None


def kept_batches(folder: Path) -> list[KeptBatch]:
    """What an earlier start of the run left in its folder; what was never sent is removed.

    Raises:
        InputError: a file was damaged.
    """
    found = []
    for path in sorted(folder.glob("*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            record["keys"] = dict.fromkeys(record["keys"])
            batch = KeptBatch(path.with_suffix(""), **record)
        except (OSError, ValueError, TypeError, KeyError) as error:
            fix = "remove it, and its questions are asked again"
            raise InputError(path, f"is no record of a batch ({error})", fix=fix) from None
        if batch.stage == "gathering":
            batch.remove()
        else:
            found.append(batch)
    known = {batch.questions for batch in found}
    for path in folder.glob("*.jsonl"):
        if path not in known:
            path.unlink()
    return found


def next_place(folder: Path) -> Path:
    """Where the files of another batch go."""
    used = [int(path.stem) for path in folder.iterdir() if path.stem.isdigit()]
    return folder / f"{max(used, default=0) + 1:04d}"
