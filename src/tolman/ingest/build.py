"""A collection of scans: read, made and written, over any number of processes, and never twice.

The summary holds every scene with its state, as `ingest.json` in the collection's folder. A shard of an ingest
describes its own contents; shards are joined into one collection.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import tolman
from tolman.errors import InputError, MissingExtraError, TolmanError
from tolman.extras import told
from tolman.files import link_or_copy, remove, remove_partials, write_text
from tolman.ground_truth.corrections import (
    NAME as CORRECTIONS,
    ORIGINALS,
    UNMATCHED,
    Correction,
    append_corrections,
    correct,
    correct_captures,
    find_unmatched,
    read_corrections,
)
from tolman.ingest import formats
from tolman.ingest.categories import of_dataset, of_file
from tolman.ingest.make import IngestSettings, make
from tolman.ingest.marked_objects import lift_marked, marks_files, marks_path
from tolman.ingest.readers import natural
from tolman.ingest.scan_format import Format, ScanHints, SceneSource
from tolman.media.integrity import lost_bytes
from tolman.parallel import Workers, parallel_map
from tolman.scene_shards import Shard, ShardRecord, claim, end_join, finish, join_scenes
from tolman.scene_table import Part, Parts, read_collection, write_collection

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
        repaired: corrected errors, with the file and the rule.
        notes: further remarks, including corrections that match nothing.
        completeness: of its mesh, 0 to 1, where it was measured.
        objects: how many are asked about.
        area: of its room, square metres.
        frames: of all its recordings.
        media: its videos and clouds, relative to the collection's folder.
        made_of: a hash of its files' names, sizes and times of change and of the settings.
        hints: of its owner, by name.
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
    hints: dict[str, float | str] = Field(default_factory=dict)

    @property
    def there(self) -> bool:
        """Check whether the collection has the scene."""
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


def join(shards: Sequence[Path], out: Path) -> int:
    """Join the shards of an ingest, as `scene_shards.whole_job` gives them; the number of scenes.

    Raises:
        InputError: the folder holds something else, a shard isn't whole, or other corrections hold in one.
    """
    summaries = [read_summary(shard) for shard in shards]
    for shard, summary in zip(shards, summaries, strict=True):
        if summary.corrections != summaries[0].corrections:
            fix = "have the same file in each, and run their commands again"
            raise InputError(shard / CORRECTIONS, f"differs from that of {shards[0]}", fix=fix)
    count = join_scenes(shards, out)
    if (shards[0] / CORRECTIONS).is_file():
        link_or_copy(shards[0] / CORRECTIONS, out / CORRECTIONS)
    entries = (entry for summary in summaries for entry in summary.scenes)
    fresh = tuple(entry.model_copy(update={"state": "new"}) if entry.there else entry for entry in entries)
    write_summary(out, Summary(corrections=summaries[0].corrections, scenes=fresh))
    end_join(out)
    return count


_RULES = 4
"""Raised when the same files give other scenes than before."""


@dataclass(frozen=True)
class ScansConfig:
    """Settings of a collection that is ingested.

    Attributes:
        format: name of the format.
        path: folder of the data set.
        categories: the user's own lists; None for those of the data set.
        corrections: a file that is added to the collection's own.
        completeness: below which a scene is left out, 0 to 1.
        hints: the owner's statements about scans whose files lack them.
    """

    format: str
    path: Path
    categories: Path | None = None
    corrections: Path | None = None
    completeness: float = 0.75
    hints: ScanHints = ScanHints()

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
    """Ingest a folder of scans into a collection; the same command resumes where it was stopped.

    Scenes that the collection has from elsewhere stay in it, so that several data sets can be ingested into one folder.
    Another scan with the id of such a scene is refused.

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
    formats.check_hints(kind, config.hints)
    before = read_summary(out)
    extra = () if config.corrections is None else read_corrections(config.corrections)
    sources, doubles = _told_apart([_hinted(source, config.hints) for source in kind.find(config.path)], config, before)
    record = None
    if shard is not None:
        sources.sort(key=lambda source: natural(source.id))  # as they stand in the whole collection
        record = _record_of(shard, sources, config, settings, extra)
        sources = list(shard.part(sources))
        doubles = [double for double in doubles if double.id in {source.id for source in sources}]
    if found:
        found(len(sources) + len(doubles))
    out.mkdir(parents=True, exist_ok=True)
    write_summary(out, before)
    claim(out, record, (NAME,))
    if extra:
        append_corrections(out, extra)
    corrections = read_corrections(out)
    plan = _Plan.of(sources, config, settings, out, before)
    shared = [out / NAME, config.path, *([config.hints.objects] if config.hints.objects else [])]
    entries = _carry_out_all(plan, workers, shared, done)
    if done:
        for double in doubles:
            done(double)
    others = [entry for entry in before.scenes if entry.id not in {source.id for source in sources}]
    merged, entries = _put_together(plan, others, entries, before, corrections, out)
    there = {entry.id for entry in merged if entry.there}
    _remove_media(before, there, out)
    Parts(out).remove()
    if plan.fresh:
        remove_partials(out)
    if record is not None:
        finish(out, record, len(there))
    lost = _find_lost(corrections, there)
    return Ingested((*entries, *doubles), sum(entry.there for entry in others), lost)


def _find_lost(corrections: Sequence[Correction], there: Set[str]) -> tuple[str, ...]:
    """Name the scenes that are corrected and that the collection doesn't have, a sentence each."""
    lost = dict.fromkeys(one.scene for one in corrections if one.scene not in there)
    return tuple(f"{scene}: a correction speaks of it, and it isn't in the collection" for scene in lost)


def _record_of(
    shard: Shard,
    sources: Sequence[SceneSource],
    config: ScansConfig,
    settings: IngestSettings,
    extra: Sequence[Correction],
) -> ShardRecord:
    """Return a shard's description of itself; the sources are those of the whole job, in order."""
    made: dict[str, str | float] = {
        "format": config.format,
        "path": str(config.path),
        "completeness": settings.completeness,
        "categories": settings.categories.digest,
        "corrections": _digest_of(extra),
        **config.hints.given,
        "files": _digest([_made_of(source, config.format, settings) for source in sources]),
    }
    return ShardRecord(job="ingest", number=shard.number, of=shard.of, things=len(sources), settings=made)


@dataclass(frozen=True)
class _Plan:
    """Decisions about each scene that was found.

    Attributes:
        known: the scenes of the summary, by id.
        jobs: one for each scene that was found, in order.
        clashes: ids that the collection has from other scans.
        fresh: the jobs that are carried out.
    """

    known: Mapping[str, SummaryRow]
    jobs: Sequence[_Job]
    clashes: Set[str]
    fresh: Sequence[_Job]

    @classmethod
    def of(
        cls,
        sources: Sequence[SceneSource],
        config: ScansConfig,
        settings: IngestSettings,
        out: Path,
        before: Summary,
    ) -> _Plan:
        """Decide which scenes are read, kept and refused."""
        known = {entry.id: entry for entry in before.scenes}
        jobs = [
            _Job(config.format, source, settings, out, _made_of(source, config.format, settings)) for source in sources
        ]
        jobs = [replace(job, made_of=_copied_from(job, known.get(job.source.id)) or job.made_of) for job in jobs]
        clashes = {job.source.id for job in jobs if _is_other_scan(job, known.get(job.source.id))}
        fresh = [job for job in jobs if job.source.id not in clashes and not _stays(job, known.get(job.source.id))]
        return cls(known, jobs, clashes, fresh)


def _carry_out_all(
    plan: _Plan, workers: Workers, shared: Sequence[Path], done: Callable[[SummaryRow], None] | None
) -> list[SummaryRow]:
    """Carry out the fresh jobs; the outcome of every scene that was found, in order."""
    results = parallel_map(_carry_out, plan.fresh, workers, shared=shared)
    entries: list[SummaryRow] = []
    for job in plan.jobs:
        old = plan.known.get(job.source.id)
        if old is not None and job.source.id in plan.clashes:
            entry = _refused_clash(job, old)
        elif old is None or not _stays(job, old):
            entry = next(results)
        else:
            entry = old.model_copy(update={"state": "kept"}) if old.there else old
        entries.append(entry)
        if done:
            done(entry)
    return entries


def _put_together(
    plan: _Plan,
    others: Sequence[SummaryRow],
    entries: list[SummaryRow],
    before: Summary,
    corrections: Sequence[Correction],
    out: Path,
) -> tuple[list[SummaryRow], list[SummaryRow]]:
    """Write the collection, where anything of it changed, and its summary.

    Returns:
        All scenes of the summary, and those that were found, with the corrections that match nothing.
    """
    held = [
        plan.known[one.id].model_copy(update={"state": "kept"}) if one.id in plan.clashes else one for one in entries
    ]
    merged = sorted([*others, *held], key=lambda entry: natural(entry.id))
    digest = _digest_of(corrections)
    there = {entry.id: entry.made_of for entry in merged if entry.there}
    gone = any(entry.there and entry.id not in there for entry in before.scenes)
    if gone or digest != before.corrections or any(entry.state == "new" for entry in entries):
        notes = _write(out, there, corrections)
        merged = [_noted(entry, notes) for entry in merged]
        entries = [_noted(entry, notes) for entry in entries]
    write_summary(out, Summary(corrections=digest, scenes=tuple(merged)))
    return merged, entries


def _remove_media(before: Summary, there: Set[str], out: Path) -> None:
    """Remove the media of scenes that the collection had and has no more."""
    for entry in before.scenes:
        if entry.there and entry.id not in there:
            for media in entry.media:
                remove(out / media)


def _told_apart(
    found: Sequence[SceneSource], config: ScansConfig, before: Summary
) -> tuple[list[SceneSource], list[SummaryRow]]:
    """Scenes with ids of their own, and a refusal for each whose id another scan of the folder has.

    The scan that the collection has keeps its id, else the first.

    Raises:
        InputError: there is no scene.
    """
    if not found:
        raise InputError(config.path, "holds no scene")
    places = {entry.id: os.path.realpath(entry.path) for entry in before.scenes if entry.there and entry.path}
    kept: dict[str, SceneSource] = {}
    for source in found:
        if source.id not in kept or os.path.realpath(source.path) == places.get(source.id):
            kept[source.id] = source
    doubles = []
    for source in found:
        first = kept[source.id]
        if source is not first:
            path = os.path.abspath(source.path)
            reason = (
                f"{path}: its scene has the id '{source.id}', as has that of {os.path.abspath(first.path)}; rename one "
                "of the folders, or what names the scene in it."
            )
            doubles.append(SummaryRow(id=source.id, format=config.format, path=path, state="refused", reason=reason))
    return list(kept.values()), doubles


def _hinted(source: SceneSource, hints: ScanHints) -> SceneSource:
    """A scan with the hints of its owner, and the files that they name."""
    marked = () if hints.objects is None else marks_files(marks_path(hints.objects, source))
    return replace(source, hints=hints, files=(*source.files, *marked))


@dataclass(frozen=True)
class _Job:
    """One scene that is to be ingested."""

    format: str
    source: SceneSource
    settings: IngestSettings
    out: Path
    made_of: str


def _made_of(source: SceneSource, name: str, settings: IngestSettings) -> str:
    """Hash all that determines a scene, as far as it is known without reading the scene."""
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
    if source.hints.given:
        made["hints"] = source.hints.given
    return _digest(made)


def _digest_of(corrections: Sequence[Correction]) -> str:
    return _digest([one.model_dump(mode="json") for one in corrections])


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _stays(job: _Job, entry: SummaryRow | None) -> bool:
    """Check that an earlier ingest made the scene of the same files and settings, and its videos are there, whole."""
    if entry is None or entry.made_of != job.made_of or entry.state == "refused":
        return False
    return entry.state == "left out" or all(_is_whole(job.out / media) for media in entry.media)


def _is_whole(media: Path) -> bool:
    try:
        return media.is_dir() or lost_bytes(media) is None
    except OSError:
        return False


def _copied_from(job: _Job, entry: SummaryRow | None) -> str | None:
    """The hash of an earlier ingest that read the same files, byte for byte, from another folder; None otherwise."""
    if entry is None or not entry.there or _is_same_place(job, entry):
        return None
    source, old = job.source, Path(entry.path)
    files = tuple(old / os.path.relpath(file, source.path) for file in source.files)
    if _made_of(replace(source, path=old, files=files), job.format, job.settings) != entry.made_of:
        return None
    try:
        same = all(filecmp.cmp(a, b, shallow=False) for a, b in zip(source.files, files, strict=True))
    except OSError:
        return None
    return entry.made_of if same else None


def _is_other_scan(job: _Job, entry: SummaryRow | None) -> bool:
    """Check whether the collection has a scene of this id that was read from another folder and from other files."""
    return entry is not None and entry.there and entry.made_of != job.made_of and not _is_same_place(job, entry)


def _is_same_place(job: _Job, entry: SummaryRow) -> bool:
    return not entry.path or os.path.realpath(job.source.path) == os.path.realpath(entry.path)


def _refused_clash(job: _Job, old: SummaryRow) -> SummaryRow:
    path = os.path.abspath(job.source.path)
    reason = (
        f"{path}: another scan with the id '{old.id}' was already ingested from {old.path}; "
        "rename the folder or give another --out."
    )
    return SummaryRow(id=old.id, format=job.format, path=path, state="refused", reason=reason, made_of=job.made_of)


def _carry_out(job: _Job) -> SummaryRow:
    """Read and make one scene, or take it from where an earlier start left it."""
    parts = Parts(job.out)
    path = os.path.abspath(job.source.path)
    given = job.source.hints.given
    entry = SummaryRow(id=job.source.id, format=job.format, path=path, state="new", made_of=job.made_of, hints=given)
    if kept := parts.read(job.source.id, job.made_of):
        return SummaryRow.model_validate(kept.about)
    try:
        with told():
            kind: Format = formats.get(job.format)
            reading = kind.read(job.source)
            if job.source.hints.objects is not None:
                reading = lift_marked(job.source, reading)
            made = make(job.source, kind.name, reading, job.settings, job.out, job.made_of)
    except MissingExtraError:
        raise
    except Exception as error:  # one scan that nobody foresaw must not end a day's work; it is named and counted
        return entry.model_copy(update={"state": "refused", "reason": _refusal(job, error)})
    said = {name: getattr(made, name) for name in ("completeness", "repaired", "notes", "reason")}
    entry = entry.model_copy(update=said)
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


def _refusal(job: _Job, error: Exception) -> str:
    """Why a scene isn't ingested, as a sentence."""
    place = job.source.path
    if isinstance(error, TolmanError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"{place}: takes too much memory."
    if isinstance(error, OSError):
        return f"{error.filename or place}: can't be read ({error.strerror or error})."
    return f"{place}: can't be used ({type(error).__name__}: {str(error)[:200]})."


def _write(out: Path, made: Mapping[str, str], corrections: Sequence[Correction]) -> dict[str, list[str]]:
    """Rewrite the collection from parts and its former contents.

    Args:
        out: its folder.
        made: scene id → hash of its files and settings, in order.
        corrections: to apply.

    Returns:
        Which corrections match nothing, by scene.
    """
    parts, originals = Parts(out), Parts(out, ORIGINALS)
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
    """Parts in an order, with the corrections applied; reread on each iteration."""

    parts: Parts
    order: Sequence[str]
    corrections: Sequence[Correction]

    def __iter__(self) -> Iterator[Part]:
        for identity in self.order:
            part = self.parts.read(identity)
            if part is None:
                raise InputError(self.parts.folder, f"has lost the scene '{identity}'", fix="start again")
            scene = correct(part.scene, self.corrections)
            yield Part(scene, tuple(correct_captures(part.captures, part.scene, scene, self.corrections)))


def _noted(entry: SummaryRow, notes: Mapping[str, Sequence[str]]) -> SummaryRow:
    """An entry with the corrections that match nothing in its scene."""
    own = [one for one in entry.notes if not one.startswith(UNMATCHED)]
    return entry.model_copy(update={"notes": (*own, *notes.get(entry.id, ()))})
