"""Ingesting: scenes from real scans and recordings, media pools for questions, and the merging of shards.

Distances that are picked in a LiDAR recording are measured with a bound of the error.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

import tolman
from tolman.errors import InputError, UsageError, counted, unknown
from tolman.features.events import Advanced, Began, Ended, Events, silent
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.features.scenes.config import VIDEO, IngestConfig, MeasureConfig, MergeConfig
from tolman.files import alone_in, whole_folder, write_text
from tolman.geometry.measuring import Measurement
from tolman.ground_truth.corrections import append_corrections, read_corrections
from tolman.ingest.build import ScansConfig, SummaryRow, ingest as carry_out, read_summary, write_summary
from tolman.ingest.formats import AUTO, RecognisedScans, generic, names, recognise as look_into
from tolman.ingest.media_pool import LeftOut, PoolMedium, bring_in, read_pool
from tolman.ingest.scan_doctor import Diagnosis, diagnose
from tolman.ingest.scan_format import PROGRESS, SceneSource
from tolman.ingest.scan_measures import Pick, measure_recording, open_recording
from tolman.ingest.video_poses import pose_video
from tolman.parallel import place_of
from tolman.registry import later
from tolman.scene_shards import Shard, read_shard, whole_job


@dataclass(frozen=True)
class PoolResult:
    """The result of adding media to a pool.

    Attributes:
        out: the pool's folder.
        media: all of the pool.
        added: new in the pool, or read again because their file has changed.
        kept: how many were there already, from the same file.
        left_out: files that are named like media and can't be used, with the reason.
        others: how many files aren't named like media.
        licence: that was named; '' where none was.
    """

    out: Path
    media: tuple[PoolMedium, ...]
    added: tuple[PoolMedium, ...]
    kept: int
    left_out: tuple[LeftOut, ...]
    others: int
    licence: str

    @property
    def duplicates(self) -> list[PoolMedium]:
        """Those of the new ones that the pool has under another name."""
        return [medium for medium in self.added if medium.duplicate_of]


def pool(config: IngestConfig, events: Events = silent) -> PoolResult:
    """Bring media into a pool; the same config goes on where it was stopped.

    Raises:
        UsageError: no path is given, the source's name can't be a folder's, or something is given that only scans have.
        InputError: a path isn't there, there are no media, or the pool's folder holds something else.
        MissingExtraError: Pillow or PyAV is not installed.
    """

    if config.categories or config.corrections or config.objects:
        raise UsageError("a media pool has no objects: --categories, --corrections and --objects are for scans.")
    if config.shard:
        raise UsageError("--shard is for scans: a media pool grows, so bring folder after folder into it.")
    out = config.folder
    if not config.path:
        raise UsageError("no media are given: name folders, media, or lists of them.")
    seen = 0

    def shown(done: int, total: int) -> None:
        nonlocal seen
        if not seen:
            events(Began("looking at media", total))
        events(Advanced(done - seen))
        seen = done

    events(Began("looking at media"))
    with alone_in(out):
        brought = bring_in(
            config.path,
            out,
            source=config.source or config.path[0].resolve().stem,
            licence=config.licence,
            groups=config.groups,
            copy=config.copy,
            workers=place_of(config.on, config.workers),
            shown=shown,
        )
    events(Ended())
    return PoolResult(
        out,
        tuple(read_pool(out)),
        brought.added,
        brought.kept,
        brought.left_out,
        brought.others,
        config.licence,
    )


@dataclass(frozen=True, repr=False)
class IngestResult(Displayable):
    """The scans with their states.

    Attributes:
        out: the collection's folder.
        scenes: those that were found below the config's path, in order, each with its state.
        others: how many more the collection has, from earlier ingests.
        lost: corrections that match nothing, a sentence each.
        recognised: the folder's content, where the format was found by it.
    """

    out: Path
    scenes: tuple[SummaryRow, ...]
    others: int
    lost: tuple[str, ...]
    recognised: RecognisedScans | None = None

    @property
    def refused(self) -> list[SummaryRow]:
        """Scenes that can't be used, each with its reason."""
        return [entry for entry in self.scenes if entry.state == "refused"]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each scan.

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Returns:
            Columns id, state ('new', 'kept', 'left out', 'refused'), reason (why it was left out or refused, else
            null), room_area (m²), objects, frames (counts), completeness (of the mesh, 0–1, null where it wasn't
            measured), repaired (how many repairs), path (where it was read from).

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """

        schema: dict[str, Any] = {
            "id": pl.String, "state": pl.String, "reason": pl.String, "room_area": pl.Float64, "objects": pl.Int64,
            "frames": pl.Int64, "completeness": pl.Float64, "repaired": pl.Int64, "path": pl.String,
        }  # fmt: skip
        rows = [
            (s.id, s.state, s.reason, s.area, s.objects, s.frames, s.completeness, len(s.repaired), s.path)
            for s in self.scenes
        ]
        return given_as(pl.DataFrame(rows, schema=schema, orient="row"), pandas=pandas)

    def _title(self) -> str:
        there = sum(entry.there for entry in self.scenes)
        return f"{self.out}: {there:,} of {counted(len(self.scenes), 'scan')} became scenes"

    def _shown(self) -> NotebookTable:
        return NotebookTable.of(self.table(), *self.lost)


def recognise(config: IngestConfig) -> RecognisedScans:
    """Find the format of a folder of scans, and the content of its first scene. Without a path, `format` names the
    folder.

    Raises:
        UsageError: a hint can't be one.
        InputError: the folder is of no known format; the sentence lists the formats tried, with reasons.
        MissingExtraError: a package is missing.
    """
    return look_into(config.path[0] if config.path else Path(config.format), config.hints)


def ingest(config: IngestConfig, events: Events = silent) -> IngestResult:
    """Ingest a folder of scans into a collection; the same config goes on where it was stopped.

    Raises:
        UsageError: there is no such format, several folders are given, or something that only media pools have.
        InputError: no scene is there, the folder holds something else, or the corrections can't be read.
        MissingExtraError: a package is missing.
        WorkerError: the place can't be used, or workers are lost again and again.
    """

    if config.is_pool:
        raise UsageError("'media' is no format of scans: media pools are made by tolman.features.scenes.compute.")
    if not config.path and config.format not in (AUTO, VIDEO, *names()):
        raise InputError(
            Path(config.format),
            "there is no such file or folder",
            fix=f"check the path; formats are {', '.join((*names(), VIDEO))}",
        )
    if config.format not in (known := (AUTO, VIDEO, *names())):
        raise unknown("format", config.format, known, other="what a file of yours declares (--plugin FILE)")
    if not config.path:
        raise UsageError("PATH is missing; give the folder of the scans, or 'tolman ingest FOLDER' to look into one.")
    if len(config.path) != 1:
        raise UsageError(
            f"scans are ingested folder by folder, and {len(config.path)} are given; run the command for each."
        )
    if config.source or config.licence or config.groups or config.copy:
        raise UsageError("--source, --licence, --groups and --copy are for 'tolman ingest media'.")
    if not config.path[0].exists():
        raise InputError(config.path[0], "there is no such file or folder", fix="check the path")
    if config.focal is not None and config.format != VIDEO:
        raise UsageError("--focal is for 'tolman ingest video'.")
    out = config.folder
    events(Began("reading scans"))
    heard = PROGRESS.set(lambda said: events(Advanced(0, said)))
    try:
        recognised = recognise(config) if config.format == AUTO else None
        order = ScansConfig(
            config.format if recognised is None else recognised.format,
            config.path[0],
            config.categories,
            config.corrections,
            config.completeness,
            config.hints,
        )
        place = place_of(config.on, config.workers)
        with alone_in(out):
            if config.format == VIDEO:
                order = replace(order, format="colmap", path=_posed(config, out), hints=replace(order.hints, rate=None))
            found = carry_out(
                order,
                out,
                place,
                found=lambda count: events(Began("reading scans", count)),
                done=lambda _: events(Advanced()),
                shard=None if config.shard is None else Shard.parse(config.shard),
            )
    finally:
        PROGRESS.reset(heard)
    events(Ended())
    return IngestResult(out, found.scenes, found.others, found.lost, recognised)


def _posed(config: IngestConfig, out: Path) -> Path:
    """The folder of a video's COLMAP model, in that of the scenes; poses are found where they aren't yet."""
    (video,) = config.path
    if not video.is_file():
        raise InputError(video, "is a folder", fix="give the video, a file")
    before = read_summary(out)
    out.mkdir(parents=True, exist_ok=True)
    write_summary(out, before)  # from now on, the folder is one of scenes
    folder = out / "colmap" / video.stem
    pose_video(video, folder, rate=config.hints.rate, focal=config.focal)
    return folder


FIXES = "scene-fixes.json"


@dataclass(frozen=True)
class CheckedScan:
    """The check of one scan.

    Attributes:
        id: of the scene that it becomes.
        path: its folder.
        diagnosis: of its numbers; None where they can't be read.
        refused: why it can't be read or corrected; '' otherwise.
        fixed: the folder of its copy; None where there is none.
    """

    id: str
    path: Path
    diagnosis: Diagnosis | None
    refused: str = ""
    fixed: Path | None = None

    @property
    def state(self) -> str:
        """'right', 'mistake', 'fixed', 'tie', 'contradiction' or 'refused'."""
        if self.refused or self.diagnosis is None:
            return "refused"
        if self.diagnosis.ties:
            return "tie"
        if self.diagnosis.contradictions:
            return "contradiction"
        return "right" if not self.diagnosis.findings else "fixed" if self.fixed is not None else "mistake"


def check_scans(path: Path, fix: Path | None = None, events: Events = silent) -> list[CheckedScan]:
    """Look for mistakes in scans with a scene.json, and write corrected copies.

    Args:
        path: a scan's folder, or a folder of them.
        fix: the folder of the copies, absent or empty; None for none. Right scans are copied too; scans with mistakes
            that aren't clear are left out. Each corrected copy has a scene-fixes.json with the changes and the reasons.
        events: called as scans are read.

    Raises:
        InputError: there is no scan.
        UsageError: the folder of the copies isn't empty, or is in the other one.
    """
    if path.is_dir() and any(path.glob("scenes-*.parquet")):
        raise InputError(path, "holds ingested scenes", fix="check the folder that they were made from")
    sources = generic.FORMAT.find(path)
    if fix is not None:
        if fix.resolve().is_relative_to(path.resolve()) or path.resolve().is_relative_to(fix.resolve()):
            raise UsageError(f"{fix} and {path} are one in the other; give another folder with --fix.")
        if fix.exists() and (not fix.is_dir() or any(fix.iterdir())):
            raise UsageError(f"{fix} isn't empty; give a new folder with --fix.")
    events(Began("checking scans", len(sources)))
    found = []
    for source in sources:
        found.append(_checked(source, None if fix is None else fix / source.path.relative_to(path)))
        events(Advanced())
    events(Ended())
    return found


def _checked(source: SceneSource, out: Path | None) -> CheckedScan:
    diagnosis = None
    try:
        numbers = generic.scan_numbers(source)
        diagnosis = diagnose(numbers)
        one = CheckedScan(source.id, source.path, diagnosis)
        if out is None or one.state not in ("right", "mistake"):
            return one
        with whole_folder(out) as partial:
            changed = generic.write_corrected(source, numbers, diagnosis.scan, partial)
            if changed:
                fixes = [
                    {"mistake": each.kind, "statement": each.statement, "evidence": each.evidence}
                    for each in diagnosis.findings
                ]
                record = {"from": str(source.path), "tolman": tolman.__version__, "fixes": fixes, "changed": changed}
                write_text(partial / FIXES, json.dumps(record, indent=1) + "\n")
    except InputError as refusal:
        return CheckedScan(source.id, source.path, diagnosis, str(refusal))
    return replace(one, fixed=out)


def measure(config: MeasureConfig, events: Events = silent) -> Measurement:
    """Measure a selection in a recording.

    Returns:
        The value with its unit, the bound of its error (95 %), and what to mind.

    Raises:
        InputError: a file can't be read, or the region's points can't be measured so.
        UsageError: the picks don't fit the quantity, or a setting has too many or too few numbers.
    """

    picks = _picks(config)
    between = _numbers(config.between, "--between", 2)
    if between is not None and between[0] >= between[1]:
        raise UsageError(f"--between takes an earlier and a later time, not '{between[0]:g},{between[1]:g}'.")
    recording = open_recording(config.recording, config.capture)
    events(Began("gathering points"))
    result = measure_recording(
        recording,
        config.quantity,
        picks,
        shape=config.shape,
        isolate=not config.whole,
        cell=config.cell,
        between=None if between is None else (between[0], between[1]),
        seed=config.seed,
        seen=lambda _: events(Advanced()),
        objects=config.objects,
        wide=config.wide,
    )
    events(Ended())
    return result


def _picks(config: MeasureConfig) -> tuple[Pick, Pick | None]:
    points = config.quantity == "span"
    box, to_box = (
        _numbers(values, option, 3 if points else 6)
        for values, option in ((config.box, "--box"), (config.to_box, "--to-box"))
    )
    pixels, to_pixels = (
        _numbers(values, option, 2 if points else 4)
        for values, option in ((config.pixels, "--pixels"), (config.to_pixels, "--to-pixels"))
    )
    first = Pick(box, pixels, config.at, config.camera)
    if to_box is None and to_pixels is None:
        return first, None
    at = config.to_at if config.to_at is not None else config.at
    return first, Pick(to_box, to_pixels, at, config.camera)


def _numbers(values: tuple[float, ...], option: str, count: int) -> tuple[float, ...] | None:
    """The values of an option that has so many; None where it isn't given."""
    if values and len(values) != count:
        shown = ",".join(f"{value:g}" for value in values)
        raise UsageError(f"{option} takes {count} numbers separated by commas here, not '{shown}'.")
    return values or None


@dataclass(frozen=True)
class MergeResult:
    """Shards that were joined.

    Attributes:
        out: the whole job's folder.
        job: the command that the shards were made with: 'simulate' or 'ingest'.
        shards: how many they are.
        scenes: how many the folder has.
    """

    out: Path
    job: str
    shards: int
    scenes: int


def merge(config: MergeConfig, events: Events = silent) -> MergeResult:
    """Join shards; the folder is, byte for byte, the output of the job without --shard.

    Corrections that people made in the shards are kept, in a file of their own.

    Raises:
        InputError: a folder is no shard, isn't finished, or is of another job or version, or the target isn't free.
        UsageError: shards are missing.
    """

    folders = whole_job(config.parts)
    job = read_shard(folders[0]).job
    events(Began("joining shards"))
    home = "tolman.simulate.collection" if job == "simulate" else "tolman.ingest.build"
    corrections = [one for folder in folders for one in read_corrections(folder)]
    scenes = later(f"{home}:join")(folders, config.out)
    if {*corrections} - {*read_corrections(config.out)}:
        append_corrections(config.out, corrections)
    events(Ended())
    return MergeResult(config.out, job, len(folders), scenes)
