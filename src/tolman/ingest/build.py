"""A collection of scans: read, made and written, over any number of processes, and never twice."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import tolman
from tolman.errors import InputError, MissingExtraError, TolmanError
from tolman.extras import told
from tolman.files import remove, remove_partials
from tolman.ingest import formats
from tolman.ingest.base import Format, SceneSource
from tolman.ingest.categories import of_dataset, of_file
from tolman.ingest.corrections import (
    UNMATCHED,
    Correction,
    append_corrections,
    correct,
    find_unmatched,
    read_corrections,
    without_absent,
)
from tolman.ingest.make import IngestSettings, make
from tolman.ingest.readers.numbers import natural
from tolman.ingest.shards import shard_record
from tolman.ingest.summary import NAME as SUMMARY
from tolman.ingest.summary import Summary, SummaryRow, read_summary, write_summary
from tolman.parallel import Workers, parallel_map
from tolman.scene_parts import Part, Parts, read_collection, write_collection
from tolman.scene_shards import Shard, claim, finish

_RULES = 3
"""Raised when the same files give other scenes than before."""
_ORIGINALS = ".originals"
"""Scenes as they were read, of those that are corrected: a correction may be taken back."""


@dataclass(frozen=True)
class ScansConfig:
    """Settings of a collection that is ingested.

    Attributes:
        format: name of the format.
        path: folder of the data set.
        categories: the user's own lists; None for those of the data set.
        corrections: a file that is added to the collection's own.
        completeness: below which a scene is left out, 0 to 1.
    """

    format: str
    path: Path
    categories: Path | None = None
    corrections: Path | None = None
    completeness: float = 0.75

    def settings(self) -> IngestSettings:
        """Settings that scenes are made with.

        Raises:
            InputError: the category file can't be used.
        """
        lists = of_dataset(self.format) if self.categories is None else of_file(self.categories)
        return IngestSettings(lists, self.completeness)


@dataclass(frozen=True)
class Ingested:
    """Outcome of an ingest.

    Attributes:
        scenes: those that were found below the config's path, in order.
        others: how many more the collection has, from earlier orders.
        lost: corrections that match nothing, a sentence each.
    """

    scenes: tuple[SummaryRow, ...]
    others: int
    lost: tuple[str, ...]

    def of(self, state: str) -> list[SummaryRow]:
        """Those in a state."""
        return [one for one in self.scenes if one.state == state]


def ingest(
    config: ScansConfig,
    out: Path,
    workers: Workers,
    *,
    found: Callable[[int], None] | None = None,
    done: Callable[[SummaryRow], None] | None = None,
    shard: Shard | None = None,
) -> Ingested:
    """Ingest a folder of scans into a collection; the same command goes on where it was stopped.

    Scenes that the collection has from elsewhere stay in it, so that several data sets can be ingested into one folder.

    Args:
        config: the scans that are asked for.
        out: the collection's folder.
        workers: processes, or another place.
        found: called with the number of scenes, when they are known.
        done: called with each scene, in order.
        shard: the part of the scans that is read; None for all.

    Raises:
        UsageError: there is no such format.
        InputError: no scene is there, the folder holds something else, or the corrections can't be read.
        MissingExtraError: a package is missing.
    """
    kind, settings = formats.get(config.format), config.settings()
    before = read_summary(out)
    extra = () if config.corrections is None else read_corrections(config.corrections)
    sources = _unique(kind.find(config.path), config.path)
    record = None
    if shard is not None:
        sources.sort(key=lambda source: natural(source.id))  # as they stand in the whole collection
        record = shard_record(
            shard,
            len(sources),
            format=config.format,
            path=str(config.path),
            completeness=settings.completeness,
            categories=settings.categories.digest,
            corrections=_digest([one.model_dump(mode="json") for one in extra]),
            files=_digest([_made_of(source, config.format, settings) for source in sources]),
        )
        sources = list(shard.part(sources))
    if found:
        found(len(sources))
    out.mkdir(parents=True, exist_ok=True)
    write_summary(out, before)
    claim(out, record, (SUMMARY,))
    if extra:
        append_corrections(out, extra)
    corrections = read_corrections(out)
    known = {entry.id: entry for entry in before.scenes}
    jobs = [_Job(config.format, source, settings, out, _made_of(source, config.format, settings)) for source in sources]
    fresh = [job for job in jobs if not _stays(job, known.get(job.source.id))]
    shared = [out / SUMMARY, config.path]
    results = parallel_map(_carry_out, fresh, workers, shared=shared)
    entries: list[SummaryRow] = []
    for job in jobs:
        old = known.get(job.source.id)
        if old is None or not _stays(job, old):
            entry = next(results)
        else:
            entry = old.model_copy(update={"state": "kept"}) if old.there else old
        entries.append(entry)
        if done:
            done(entry)
    others = [entry for entry in before.scenes if entry.id not in {source.id for source in sources}]
    merged = sorted([*others, *entries], key=lambda entry: natural(entry.id))
    digest = _digest([one.model_dump(mode="json") for one in corrections])
    there = [entry.id for entry in merged if entry.there]
    notes: dict[str, list[str]] = {}
    gone = {entry.id for entry in before.scenes if entry.there} - set(there)
    if gone or digest != before.corrections or any(entry.state == "new" for entry in entries):
        notes = _write(out, {entry.id: entry.made_of for entry in merged if entry.there}, corrections)
        merged = [_noted(entry, notes) for entry in merged]
        entries = [_noted(entry, notes) for entry in entries]
    write_summary(out, Summary(corrections=digest, scenes=tuple(merged)))
    for entry in before.scenes:
        for media in entry.media if entry.id in gone else ():
            remove(out / media)
    Parts(out).remove()
    if fresh:
        remove_partials(out)
    if record is not None:
        finish(out, record, len(there))
    lost = dict.fromkeys(one.scene for one in corrections if one.scene not in there)
    said = [f"{scene}: a correction speaks of it, and it isn't in the collection" for scene in lost]
    return Ingested(tuple(entries), sum(entry.there for entry in others), tuple(said))


def _unique(sources: Sequence[SceneSource], path: Path) -> list[SceneSource]:
    seen: set[str] = set()
    for source in sources:
        if source.id in seen:
            raise InputError(source.path, f"is a second scene with the id '{source.id}'", fix="ingest one of them")
        seen.add(source.id)
    if not sources:
        raise InputError(path, "holds no scene")
    return list(sources)


@dataclass(frozen=True)
class _Job:
    """One scene that is to be ingested."""

    format: str
    source: SceneSource
    settings: IngestSettings
    out: Path
    made_of: str


def _made_of(source: SceneSource, name: str, settings: IngestSettings) -> str:
    """A hash of all that determines a scene, as far as can be told without reading it."""
    files = []
    for file in source.files:
        try:
            state = os.stat(file)
            files.append((os.path.relpath(file, source.path), state.st_size, state.st_mtime_ns))
        except OSError:
            files.append((os.path.relpath(file, source.path), -1, 0))
    made = {"files": sorted(files), "format": name, "tolman": tolman.__version__, "rules": _RULES}
    lists = settings.categories
    made["settings"] = [settings.completeness, lists.digest]
    return _digest(made)


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _stays(job: _Job, entry: SummaryRow | None) -> bool:
    """Tell whether an earlier ingest made the scene of the same files and settings, and its videos are there."""
    if entry is None or entry.made_of != job.made_of or entry.state == "refused":
        return False
    return entry.state == "left out" or all((job.out / media).exists() for media in entry.media)


def _carry_out(job: _Job) -> SummaryRow:
    """Read and make one scene, or take it from where an earlier start left it."""
    parts = Parts(job.out)
    entry = SummaryRow(id=job.source.id, format=job.format, path=str(job.source.path), state="new", made_of=job.made_of)
    if kept := parts.read(job.source.id, job.made_of):
        return SummaryRow.model_validate(kept.about)
    try:
        with told():
            kind: Format = formats.get(job.format)
            made = make(job.source, kind.name, kind.read(job.source), job.settings, job.out, job.made_of)
    except MissingExtraError:
        raise
    except TolmanError as error:
        return entry.model_copy(update={"state": "refused", "reason": str(error)})
    except MemoryError:
        return entry.model_copy(update={"state": "refused", "reason": f"{job.source.path}: takes too much memory."})
    except OSError as error:
        reason = f"{error.filename or job.source.path}: can't be read ({error.strerror or error})."
        return entry.model_copy(update={"state": "refused", "reason": reason})
    except Exception as error:  # one scan that nobody foresaw must not end a day's work; it is named and counted
        reason = f"{job.source.path}: can't be used ({type(error).__name__}: {str(error)[:200]})."
        return entry.model_copy(update={"state": "refused", "reason": reason})
    entry = entry.model_copy(
        update={
            "completeness": made.completeness,
            "repaired": made.repaired,
            "notes": made.notes,
            "reason": made.reason,
        }
    )
    if made.part is None:
        return entry.model_copy(update={"state": "left out"})
    scene, captures = made.part.scene, made.part.captures
    entry = entry.model_copy(
        update={
            "objects": len(scene.objects),
            "area": scene.room_area,
            "frames": sum(len(capture.times) for capture in captures),
            "media": tuple(capture.media for capture in captures if capture.media),
        }
    )
    parts.write(replace(made.part, about=entry.model_dump(mode="json", by_alias=True)))
    return entry


def _write(out: Path, made: Mapping[str, str], corrections: Sequence[Correction]) -> dict[str, list[str]]:
    """Write the collection anew out of parts and what it held.

    Args:
        out: its folder.
        made: of what each of its scenes was made, in order.
        corrections: that hold.

    Returns:
        Which corrections match nothing, by scene.
    """
    parts, originals = Parts(out), Parts(out, _ORIGINALS)
    # All of it lies in parts before the tables are touched: whoever is stopped here finds it there, and the tables may
    # be broken then.
    for old in read_collection(out):
        identity = old.scene.id
        if identity in made and parts.read(identity, made[identity]) is None:
            parts.write(replace(originals.read(identity) or old, made_of=made[identity]))
    about = {one.scene for one in corrections}
    notes: dict[str, list[str]] = {}
    for identity in made:
        part = parts.read(identity) if identity in about else None
        if part is None:
            originals.drop(identity)
        else:
            originals.write(part)
            notes[identity] = find_unmatched(part.scene, corrections)
    write_collection(out, _Corrected(parts, tuple(made), corrections))
    return notes


@dataclass(frozen=True)
class _Corrected:
    """Parts in an order, with the corrections applied; read anew each time they are gone through."""

    parts: Parts
    order: Sequence[str]
    corrections: Sequence[Correction]

    def __iter__(self) -> Iterator[Part]:
        for identity in self.order:
            part = self.parts.read(identity)
            if part is None:
                raise InputError(self.parts.folder, f"has lost the scene '{identity}'", fix="start again")
            scene = correct(part.scene, self.corrections)
            yield Part(scene, tuple(without_absent(part.captures, scene)))


def _noted(entry: SummaryRow, notes: Mapping[str, Sequence[str]]) -> SummaryRow:
    """An entry with the corrections that match nothing in its scene."""
    own = [one for one in entry.notes if not one.startswith(UNMATCHED)]
    return entry.model_copy(update={"notes": (*own, *notes.get(entry.id, ()))})
