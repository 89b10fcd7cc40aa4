"""The media of a question set as files of the site: the frames that were sent, pictures, videos."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from tolman.errors import InputError, MissingExtraError
from tolman.files import link_or_copy
from tolman.items import Item, Media
from tolman.media.sampling import Frames
from tolman.media.store import FrameStore
from tolman.media.video import BrokenMediaError
from tolman.messages import Picture

FOLDER = "media"
MediaChoice = Literal["none", "frames", "all"]
VIDEO_SUFFIXES = (".mp4", ".m4v", ".mov", ".webm", ".mkv", ".avi", ".ogv")

Key = tuple[str, str, tuple[int, int] | None, float | None, float | None]


@dataclass(frozen=True)
class Wanted:
    """What is to be shown.

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
    """What tells media apart."""
    return medium.kind, medium.path, medium.part, medium.start, medium.end


class SiteMedia:
    """Brings media into a site.

    Args:
        site: the site's folder.
        data: the folder that media are relative to, or why there is none.
        store: of frames.
        wanted: what is to be shown.
    """

    def __init__(self, site: Path, data: Path | str, store: FrameStore, wanted: Wanted) -> None:
        self._site, self._data, self._store, self._wanted = site, data, store, wanted
        self.missing: dict[str, int] = {}

    def entries(self, media: Mapping[Key, int], advanced: Callable[[], None]) -> list[dict[str, Any]]:
        """What the page is told of each medium; one that can't be shown says why.

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
            raise BrokenMediaError(f"{medium.path}: lies outside of the folder of the media")
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
        """Copy a file, unless links are wished for: whoever edits the site must not change the benchmark."""
        if self._wanted.link:
            link_or_copy(there, here)
        else:
            here.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(there, here)


def is_inside(path: str) -> bool:
    """Whether a path that a data file names stays in its folder. Links are followed: the hub's cache has many."""
    normal = PurePosixPath(os.path.normpath(path.replace("\\", "/")))
    return not normal.is_absolute() and ".." not in normal.parts
