"""Mirrors of places: tables and JSON at once, media when they are looked at, and back what is new.

On the store a manifest says which files belong to the place. A file that is not in it, or not in the version that it
names, doesn't count: a job that was killed between a file and the manifest leaves nothing that is half there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock

from tolman.files import atomic_write, write_text
from tolman.storage.places import INDEX, as_path, is_url, mirror_of
from tolman.storage.remote import Remote, StorageError, Stored

MANIFEST = ".tolman-manifest.json"
LEASE = ".tolman-lease-"
"""How the names of leases begin."""
MEDIA = frozenset({
    ".mp4", ".mov", ".avi", ".mkv", ".webm", ".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".npz",
    ".npy", ".ply", ".pcd", ".las", ".laz",
})  # fmt: skip
"""Ends of the names of files that are fetched when they are looked at, and not before."""


class Mirror:
    """The local folder of a place.

    Args:
        folder: as `as_path` gives it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._index = folder, folder.parent / INDEX
        found = json.loads(self._index.read_text(encoding="utf-8"))
        self.url: str = found["url"]
        self.remote = Remote(self.url)

    def lock(self) -> FileLock:
        """Held while files and index change, between the processes of this machine."""
        return FileLock(self.folder.parent / "lock")

    def pull(self) -> None:
        """Fetch tables and JSON that are new or changed, and forget local copies of what changed or is gone.

        Raises:
            StorageError: the store can't be read.
        """
        with self.lock():
            there, known = self._counted(), self._known()
            for name, (was, changed_at) in known.items():
                path = self.folder / name
                if there.get(name) != was and path.is_file() and path.stat().st_mtime_ns == changed_at:
                    path.unlink()
            kept: dict[str, tuple[Stored, int]] = {}
            for name, stored in there.items():
                path = self.folder / name
                old = known.get(name)
                if _is_media(name):
                    same = path.is_file() and old is not None and old[0] == stored
                    kept[name] = (stored, old[1] if same and old else 0)
                elif old is not None and old[0] == stored and path.is_file():
                    kept[name] = old
                else:
                    kept[name] = (stored, self._get(name))
            self._note(kept)

    def fetch(self, name: str) -> None:
        """Fetch one file that counts; nothing where it doesn't."""
        with self.lock():
            known = self._known()
            if name in known and not (self.folder / name).is_file():
                known[name] = (known[name][0], self._get(name))
                self._note(known)

    def knows(self, name: str) -> bool:
        """Whether a file counts on the store."""
        return name in self._known()

    def push(self, *, finished: bool, still: Callable[[], None] = lambda: None) -> bool:
        """Put up what is new or changed, media first, then parts of collections, and the manifest last.

        Args:
            finished: whether the work is done: what was removed here is then removed there, and tables are put up;
                before, only whole units are, which are parts and the media that were written before them.
            still: called before the manifest is written, which may raise when another job has begun to write there.

        Returns:
            Whether anything changed on the store.

        Raises:
            StorageError: the store can't be written; what is in the manifest still counts.
        """
        with self.lock():
            known = self._known()
            chosen = self._local() if finished else self._units(known)
            changed = False
            for name in sorted(chosen, key=_turn):
                path = self.folder / name
                try:
                    at = path.stat().st_mtime_ns
                    if name not in known or known[name][1] != at:
                        known[name] = (self.remote.put(path, name), at)
                        changed = True
                except FileNotFoundError:
                    continue  # removed since it was listed
            gone = []
            if finished:
                local = set(chosen)
                # Media may have been cleared from the cache, which must not remove them from the store.
                gone = [name for name, (_, at) in known.items() if name not in local and at and not _is_media(name)]
                for name in gone:
                    del known[name]
            if changed or gone:
                still()
                files = {name: asdict(stored) for name, (stored, _) in sorted(known.items())}
                self.remote.write(MANIFEST, json.dumps({"format": 1, "files": files}).encode())
                for name in gone:
                    self.remote.remove(name)
                self._note(known)
            return changed or bool(gone)

    def is_changed(self) -> bool:
        """Whether a file here is new or changed since it was fetched."""
        known = self._known()
        return any(self._is_new(name, known) for name in self._local())

    def _units(self, known: Mapping[str, tuple[Stored, int]]) -> list[str]:
        """Parts of a collection that are new, the media that they name, and the files of settings beside them."""
        local = self._local()
        parts = [name for name in local if _is_part(name) and self._is_new(name, known)]
        if not parts:
            return []
        whole = [name for part in parts for name in self._media_of(part)]
        settings = [name for name in local if "/" not in name and name.endswith(".json")]
        return [*whole, *settings, *parts]

    def _is_new(self, name: str, known: Mapping[str, tuple[Stored, int]]) -> bool:
        try:
            return name not in known or known[name][1] != (self.folder / name).stat().st_mtime_ns
        except FileNotFoundError:
            return False  # removed since it was listed

    def _media_of(self, part: str) -> Iterable[str]:
        try:
            captures = json.loads((self.folder / part).read_text(encoding="utf-8"))["captures"]
        except (OSError, ValueError, KeyError, TypeError):
            return []
        # What lies beside a video has the video's name with another end: its depth, its instances.
        media = [capture["media"] for capture in captures if capture.get("media")]
        found = [path for one in media for path in (self.folder / one).parent.glob(f"{Path(one).stem}*")]
        files = [file for path in found for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file()]
        return dict.fromkeys(file.relative_to(self.folder).as_posix() for file in files)

    def _local(self) -> list[str]:
        files = (path for path in self.folder.rglob("*") if path.is_file() and not path.name.endswith(".partial"))
        return [path.relative_to(self.folder).as_posix() for path in files]

    def _counted(self) -> dict[str, Stored]:
        listed = self.remote.listed()
        manifest = self.remote.read(MANIFEST) if MANIFEST in listed else None
        own = {name: stored for name, stored in listed.items() if name != MANIFEST and not name.startswith(LEASE)}
        if manifest is None:  # written by other programs, or a job's first file is on its way
            return own
        try:
            said: dict[str, Any] = dict(json.loads(manifest)["files"])
        except (ValueError, KeyError, TypeError):
            raise StorageError(
                f"{self.url}/{MANIFEST}: is no manifest; remove it, and every file of the folder counts."
            ) from None
        return {name: stored for name, stored in own.items() if said.get(name) == asdict(stored)}

    def _get(self, name: str) -> int:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as partial:
            self.remote.get(name, partial)
        return path.stat().st_mtime_ns

    def _known(self) -> dict[str, tuple[Stored, int]]:
        found = json.loads(self._index.read_text(encoding="utf-8"))["files"]
        return {name: (Stored(size, version), at) for name, (size, version, at) in found.items()}

    def _note(self, known: dict[str, tuple[Stored, int]]) -> None:
        files = {name: (stored.size, stored.version, at) for name, (stored, at) in known.items()}
        write_text(self._index, json.dumps({"url": self.url, "files": files}))


def _is_media(name: str) -> bool:
    return Path(name).suffix.lower() in MEDIA


def _is_part(name: str) -> bool:
    return name.startswith(".") and ".partial/" in name and name.endswith(".json")


def _turn(name: str) -> tuple[int, str]:
    return (0 if _is_media(name) else 2 if _is_part(name) else 1, name)


def pull(name: str | Path) -> Path:
    """The path to work with, with its tables and JSON fetched where it is a place on an object store.

    Raises:
        StorageError: the store can't be read.
    """
    if not is_url(name):
        return Path(name)
    path = as_path(name)
    Mirror(path).pull()
    return path


def fetched(path: Path) -> Path:
    """The same path; a file of a mirror is fetched if it isn't there yet.

    Raises:
        StorageError: the store can't be read.
    """
    mirror = mirror_of(path)
    if mirror is not None and not path.exists():
        Mirror(mirror).fetch(path.absolute().relative_to(mirror).as_posix())
    return path


def is_there(path: Path) -> bool:
    """Whether a file is there, or can be fetched."""
    if path.is_file():
        return True
    mirror = mirror_of(path)
    return mirror is not None and Mirror(mirror).knows(path.absolute().relative_to(mirror).as_posix())
