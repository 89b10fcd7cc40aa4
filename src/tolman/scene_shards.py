"""Shards of a job that makes a collection of scenes: each is done by itself, into a folder of its own, then joined.

A shard's folder is a collection with the file `shard.json` next to it, which names the job and the part, and says
whether it is finished. The joined shards equal the output of the whole job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

import tolman
from tolman.errors import InputError, UsageError, counted
from tolman.files import link_or_copy, remove, write_text
from tolman.scene_table import FOLDER, Part, read_collection, write_collection

NAME = "shard.json"
JOINING = ".joining"
"""A file in a folder until all shards are joined there: what was stopped on its way can be done again."""
T = TypeVar("T")


@dataclass(frozen=True)
class Shard:
    """A part of a job.

    Attributes:
        number: from 1.
        of: how many parts there are.
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """A shard as an option names it: '2/8'.

        Raises:
            UsageError: it is none.
        """
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text.strip())
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise UsageError(f"--shard takes a number and how many there are, such as 1/8 … 8/8, not '{text}'.")
        return cls(int(found[1]), int(found[2]))

    def part(self, things: Sequence[T]) -> Sequence[T]:
        """Its part of a job's things: as many as any other's, or one more; the parts follow each other."""
        first, end = ((len(things) * number) // self.of for number in (self.number - 1, self.number))
        return things[first:end]

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class ShardRecord(BaseModel):
    """A shard's own description.

    Attributes:
        job: the command that made it.
        number, of: which it is.
        things: how many scenes or scans the whole job has.
        settings: all that determines the job.
        tolman: the version that made it.
        finished: how many scenes it has, in the end; None until then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    job: str
    number: int
    of: int
    things: int
    settings: Mapping[str, Any]
    tolman: str = tolman.__version__
    finished: int | None = None

    @property
    def shard(self) -> Shard:
        """Which it is."""
        return Shard(self.number, self.of)


def claim(out: Path, record: ShardRecord | None, own: Sequence[str] = ()) -> None:
    """Make sure that a folder is free for a shard, or holds it; or that it holds none where a whole job is done.

    Args:
        out: the folder, which is there.
        record: of the shard; None for the whole job.
        own: names of files that the job has written there by now.

    Raises:
        InputError: it holds something else.
    """
    if not (out / NAME).exists():
        if record is None:
            return
        if any(path.name not in own for path in out.iterdir()):
            raise InputError(out, "holds scenes of a job without --shard", fix="give another folder with --out")
    else:
        found = read_shard(out)
        if record is None:
            raise InputError(
                out, f"holds shard {found.shard}", fix=f"give --shard {found.shard}, or another folder with --out"
            )
        if difference := _difference(found, record):
            raise InputError(out, f"holds a shard with another {difference}", fix="give another folder with --out")
    assert record is not None
    write_text(out / NAME, record.model_dump_json(indent=1) + "\n")


def finish(out: Path, record: ShardRecord, scenes: int) -> None:
    """Say that a shard is whole.

    Args:
        out: its folder.
        record: as it was claimed.
        scenes: how many it has.
    """
    write_text(out / NAME, record.model_copy(update={"finished": scenes}).model_dump_json(indent=1) + "\n")


def read_shard(folder: Path) -> ShardRecord:
    """Read the record of the shard in a folder.

    Raises:
        InputError: it holds none.
    """
    try:
        return ShardRecord.model_validate_json((folder / NAME).read_bytes())
    except FileNotFoundError:
        fix = "give folders that were made with --shard"
        raise InputError(folder, "is no shard" if folder.exists() else "does not exist", fix=fix) from None
    except (OSError, ValidationError, ValueError) as error:
        raise InputError(folder / NAME, f"is no record of a shard ({str(error).splitlines()[0]})") from None


def _difference(one: ShardRecord, other: ShardRecord) -> str:
    """Return the difference between the jobs of two shards, or between the shards; '' where there is none."""
    names = {"job": "command", "number": "--shard", "of": "--shard", "things": "number of scenes", "tolman": "version"}
    found = [said for name, said in names.items() if getattr(one, name) != getattr(other, name)]
    keys = sorted({*one.settings, *other.settings})
    found += [key for key in keys if one.settings.get(key) != other.settings.get(key)]
    return ", ".join(dict.fromkeys(found))


def whole_job(folders: Sequence[Path]) -> list[Path]:
    """The folders of all shards of one job, in their order.

    Raises:
        InputError: one is no shard, isn't finished, is of another job or version, or is there twice.
        UsageError: some are missing, or none is given.
    """
    if not folders:
        raise UsageError("no shards are given: name the folders that were made with --shard.")
    found: dict[int, Path] = {}
    first: ShardRecord | None = None
    for folder in folders:
        record = read_shard(folder)
        if record.tolman != tolman.__version__:
            fix = "make it again, or join it with that version"
            raise InputError(folder, f"was made by tolman {record.tolman}, and this is {tolman.__version__}", fix=fix)
        first = first or record
        of_first = record.model_copy(update={"number": first.number})
        if difference := _difference(of_first, first):
            raise InputError(folder, f"has another {difference} than {folders[0]}", fix="give shards of one job")
        if record.number in found:
            raise InputError(folder, f"is shard {record.shard}, as {found[record.number]} is", fix="give each once")
        if record.finished is None:
            raise InputError(folder, f"is shard {record.shard} and isn't finished", fix="run its command again")
        found[record.number] = folder
    assert first is not None
    if lost := [number for number in range(1, first.of + 1) if number not in found]:
        said = ", ".join(map(str, lost[:10])) + (" …" if len(lost) > 10 else "")
        raise UsageError(
            f"of {first.of} shards {counted(len(lost), 'is', 'are')} missing: {said}; run what makes them and name "
            "them too."
        )
    return [found[number] for number in sorted(found)]


@dataclass(frozen=True)
class _Joined:
    """The scenes of shards one after the other, read again by each loop."""

    folders: Sequence[Path]

    def __iter__(self) -> Iterator[Part]:
        for folder in self.folders:
            count, record = 0, read_shard(folder)
            written = record.settings.get("media", True)  # of simulated scenes without media the captures name some too
            for part in read_collection(folder):
                count += 1
                for capture in part.captures:
                    if written and capture.media and not (folder / capture.media).exists():
                        raise InputError(folder / capture.media, "is missing", fix="run the shard's command again")
                yield part
            if count != record.finished:
                raise InputError(folder, "has other scenes than it had when it was made", fix="make it again")


def join_scenes(folders: Sequence[Path], out: Path) -> int:
    """Write the scenes of shards into one folder, with their media as links to the same bytes, or as copies.

    Args:
        folders: as `whole_job` gives them.
        out: where they are joined; free, or begun by this function. It stays marked as begun: see `end_join`.

    Returns:
        How many scenes there are.

    Raises:
        InputError: the folder holds something else, or a shard isn't whole.
    """
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / JOINING).is_file())):
        raise InputError(out, "holds other files", fix="give an empty folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    (out / JOINING).touch()
    for old in out.iterdir():
        if old.name != JOINING:
            remove(old)
    for folder in folders:
        for path in sorted(folder.glob("*/**/*")):
            name = path.relative_to(folder)
            if not path.is_file() or name.parts[0] == FOLDER:
                continue
            if (out / name).exists():
                raise InputError(path, "stands in another shard too", fix="make the shards again")
            link_or_copy(path, out / name)
    return write_collection(out, _Joined(folders))


def end_join(out: Path) -> None:
    """Say that all is joined."""
    (out / JOINING).unlink()
