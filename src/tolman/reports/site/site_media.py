"""Media of the explorer: where they are on this machine, which of them a model saw, and their files in the site.

A site holds the frames that were sent, pictures and videos. A model saw frames of a video, the whole video, or
nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from tolman import benchmarks, models, protocols
from tolman.benchmarks.benchmark_folder import scenes_named
from tolman.benchmarks.fetching.listing import unpacking_folder
from tolman.errors import InputError, MissingExtraError, UsageError
from tolman.extras import LazyModule
from tolman.files import link_or_copy
from tolman.items import Item, Media
from tolman.media.frame_store import FrameStore
from tolman.media.sampling import Frames
from tolman.media.video import BrokenMediaError
from tolman.messages import Picture
from tolman.reports.loaded_runs import LoadedRun
from tolman.runs.run_folder import RunRecord, is_blind
from tolman.storage import StorageError, pull

if TYPE_CHECKING:
    from tolman.benchmarks import hub
else:
    hub = LazyModule("tolman.benchmarks.hub")  # brings a client of the network

What = Literal["frames", "whole", "nothing", "unknown"]


@dataclass(frozen=True)
class Seen:
    """The input of a run.

    Attributes:
        what: frames taken of each video, whole videos, nothing, or the input of another program or a person.
        frames: how videos and images were prepared, or would have been.
        why: a phrase for the page.
    """

    what: What
    frames: Frames
    why: str

    @property
    def key(self) -> str:
        """Return the key of this way of sampling: equal for runs that were shown the same pictures."""
        return self.frames.model_copy(update={"label": None, "native": False, "whole": False}).model_dump_json()

    def to_json(self) -> dict[str, Any]:
        """Return the page's input; `sampling` is replaced by a number when media are collected."""
        return {"what": self.what, "why": self.why}


def seen_by(record: RunRecord) -> Seen:
    """Derive the input of a run from its settings."""
    settings = record.settings
    frames = settings.frames
    if is_blind(settings.model):
        return Seen("nothing", frames, "a baseline, which looks at no media")
    if "imported" in settings.model_settings:
        return Seen("unknown", frames, "responses of another program, or of people")
    if settings.model.partition("/")[0] not in models.families():
        return Seen("unknown", frames, "the media that it was shown aren't known")
    try:
        shows = protocols.get(settings.protocol).shows_media
    except UsageError:  # another package's protocol, which isn't installed any more
        return Seen("unknown", frames, f"the protocol {settings.protocol} isn't installed")
    if not shows:
        return Seen("nothing", frames, f"the protocol {settings.protocol} shows no media")
    if frames.whole:
        return Seen("whole", frames, "whole video")
    return Seen("frames", frames, frames.describe())


def media_folder(runs: Sequence[LoadedRun], given: Path | None) -> Path | str:
    """The folder that the media of some runs of one question set are relative to, or why it isn't known.

    Args:
        runs: one or more.
        given: the folder that the user names.
    """
    if given is not None:
        return given
    for run in runs:
        try:
            data = pull(run.record.data)
        except StorageError as error:
            return str(error)
        if data.is_dir():
            return data
        if data.is_file():
            return data.parent
        _, at, commit = run.record.data.rpartition("@")
        source = benchmarks.get(run.record.settings.benchmark).hub if at else None
        found = hub.media_at_hand(source, unpacking_folder(), commit) if source is not None else None
        if found is not None:
            return found
    return f"{runs[0].record.data} isn't on this machine; name the folder of its media with --media"


def scenes_folder(runs: Sequence[LoadedRun], data: Path | str, given: Path | None) -> Path | str:
    """The collection that a question set was generated from, or why it isn't known.

    Args:
        runs: one or more.
        data: as `media_folder` gives it.
        given: the folder that the user names.
    """
    if given is not None:
        return given
    named: list[Path] = []
    for run in runs:
        settings = run.record.settings
        named += [Path(one["scenes"]) for one in (settings.model_settings, settings.protocol_settings) if _names(one)]
    if isinstance(data, Path):
        named += _provenance(data)
    found = next((path for path in named if path.exists()), None)
    if found is not None:
        return found
    where = f"{named[0]} isn't on this machine" if named else "nothing names the scenes of these questions"
    return f"{where}; name their folder with --scenes"


def _names(settings: object) -> bool:
    return isinstance(settings, dict) and isinstance(settings.get("scenes"), str)


def _provenance(data: Path) -> list[Path]:
    """The scenes that a generated benchmark names; those on an object store are fetched."""
    try:
        return [pull(path) for path in scenes_named(data)]
    except StorageError:
        return []


FOLDER = "media"
MediaChoice = Literal["none", "frames", "all"]
VIDEO_SUFFIXES = (".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi", ".ogv")

Key = tuple[str, str, tuple[int, int] | None, float | None, float | None]


@dataclass(frozen=True)
class Wanted:
    """The media to show.

    Attributes:
        samplings: ways of preparing media, each once.
        videos: whether the files of videos are brought too.
        why_none: why nothing is brought; empty where it is.
        link: whether a file of the site may be the very file that it came from.
    """

    samplings: Sequence[Frames]
    videos: bool
    why_none: str = ""
    link: bool = False


def media_of(items: Sequence[Item]) -> dict[Key, int]:
    """The media of items, each once, by number."""
    found: dict[Key, int] = {}
    for item in items:
        for medium in item.media:
            found.setdefault(key_of(medium), len(found))
    return found


def key_of(medium: Media) -> Key:
    """Return a key that identifies a medium."""
    return medium.kind, medium.path, medium.part, medium.start, medium.end


class SiteMedia:
    """Brings media into a site.

    Args:
        site: the site's folder.
        data: the folder that media are relative to, or why there is none.
        store: of frames.
        wanted: the media to show.
    """

    def __init__(self, site: Path, data: Path | str, store: FrameStore, wanted: Wanted) -> None:
        self._site, self._data, self._store, self._wanted = site, data, store, wanted
        self.missing: dict[str, int] = {}

    def entries(self, media: Mapping[Key, int], advanced: Callable[[], None]) -> list[dict[str, Any]]:
        """Return the page's entry of each medium; one that can't be shown says why.

        Args:
            media: as `media_of` gives them.
            advanced: called after each.
        """
        found = []
        for kind, path, part, start, end in media:
            own = Media.model_validate({"kind": kind, "path": path, "part": part, "start": start, "end": end})
            found.append(self._entry(own))
            advanced()
        return found

    def _entry(self, medium: Media) -> dict[str, Any]:
        said: dict[str, Any] = {"kind": medium.kind, "path": medium.path}
        if medium.start is not None or medium.end is not None:
            said |= {"start": medium.start, "end": medium.end}
        problem = self._wanted.why_none or (self._data if isinstance(self._data, str) else "")
        if not problem:
            try:
                said |= self._brought(medium)
            except (BrokenMediaError, InputError, MissingExtraError, OSError) as error:
                problem = str(error)
        if problem:
            said["problem"] = problem
            self.missing[problem] = self.missing.get(problem, 0) + 1
        return said

    def _brought(self, medium: Media) -> dict[str, Any]:
        assert isinstance(self._data, Path)
        if not is_inside(medium.path):
            raise BrokenMediaError(f"{medium.path}: is outside the folder of the media")
        if medium.kind == "image":
            pictures = self._store.pictures(self._data, medium, self._wanted.samplings[0])
            return {"image": self._placed(pictures[0])}
        said: dict[str, Any] = {}
        said["frames"] = [
            [[self._placed(one), one.seconds, one.frame] for one in self._store.pictures(self._data, medium, sampling)]
            for sampling in self._wanted.samplings
        ]
        if self._wanted.videos:
            said["video"] = self._placed_video(medium)
        return said

    def _placed(self, picture: Picture) -> str:
        name = f"{FOLDER}/{picture.sha256[:2]}/{picture.sha256}.jpg"
        place = self._site / name
        if not place.exists():
            self._bring(Path(picture.path), place)
        return name

    def _placed_video(self, medium: Media) -> str:
        assert isinstance(self._data, Path)
        there = self._data / medium.path
        suffix = there.suffix.lower()
        digest = self._store.video(self._data, medium).sha256
        name = f"{FOLDER}/{digest}{suffix if suffix in VIDEO_SUFFIXES else '.mp4'}"
        if not (self._site / name).exists():
            self._bring(there, self._site / name)
        return name

    def _bring(self, there: Path, here: Path) -> None:
        """Copy a file, unless links are wished for: edits to the site must not change the benchmark."""
        if self._wanted.link:
            link_or_copy(there, here)
        else:
            here.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(there, here)


def is_inside(path: str) -> bool:
    """Check whether a path that a data file names stays in its folder. Links are followed: the hub's cache has many."""
    normal = PurePosixPath(os.path.normpath(path.replace("\\", "/")))
    return not normal.is_absolute() and ".." not in normal.parts
