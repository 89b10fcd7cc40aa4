"""Mirrors of places: fetched when work begins, leased to one job, and uploaded unit by unit.

Tables and JSON are fetched at once, media when they are looked at. New files are uploaded while the work goes on, and
all of them at its end. On the store a manifest says which files belong to the place. A file that is not in it, or not
in the version that it names, doesn't count. So a job that was killed between a file and the manifest leaves nothing
incomplete. A lease makes sure that one job at a time writes to a place.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tolman.extras import filelock
from tolman.files import atomic_write, write_text
from tolman.storage.object_store import INDEX, Remote, StorageError, Stored, as_path, is_url, mirror_of

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

    def lock(self) -> filelock.FileLock:
        """Held while files and index change, between the processes of this machine."""
        return filelock.FileLock(self.folder.parent / "lock")

    def pull(self) -> None:
        """Fetch tables and JSON that are new or changed, and forget local copies of files that changed or are gone.

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
        """Check whether a file counts on the store."""
        return name in self._known()

    def push(self, *, finished: bool, still: Callable[[], None] = lambda: None) -> bool:
        """Upload new and changed files, media first, then parts of collections, and the manifest last.

        Args:
            finished: whether the work is done: then files removed here are removed there, and tables are uploaded.
                Before, only whole units are: parts and the media written before them.
            still: called before the manifest is written; may raise when another job has begun to write there.

        Returns:
            True if anything changed on the store.

        Raises:
            StorageError: the store can't be written; files in the manifest still count.
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
        """Check whether a file here is new or changed since it was fetched."""
        known = self._known()
        return any(self._is_new(name, known) for name in self._local())

    def _units(self, known: Mapping[str, tuple[Stored, int]]) -> list[str]:
        """Return the new parts of a collection, the media that they name, and the settings files next to them."""
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
    """Check whether a file is there, or can be fetched."""
    if path.is_file():
        return True
    mirror = mirror_of(path)
    return mirror is not None and Mirror(mirror).knows(path.absolute().relative_to(mirror).as_posix())


SECONDS = 60.0
"""How long a lease holds that nobody renews."""


class LostLeaseError(StorageError):
    """Another job has taken a lease that was not renewed in time."""


class Lease:
    """The right to write to a place: a file of its own next to those of the place.

    A job looks for other leases, writes its file, and looks again. If two begin at the same moment, at least one sees
    the other, as stores show a written file to all later reads. No conditional write is needed.

    Args:
        remote: the place.

    Raises:
        StorageError: another job has it, or the store can't be written.
    """

    def __init__(self, remote: Remote) -> None:
        self._remote, self._holder = remote, uuid.uuid4().hex
        self._name = f"{LEASE}{self._holder}.json"
        self._refuse()
        remote.write(self._name, self._content())
        try:
            over = self._refuse()
        except StorageError:
            remote.remove(self._name)
            raise
        for name in over:
            remote.remove(name)

    def renew(self) -> None:
        """Hold it for longer.

        Raises:
            LostLeaseError: another job took it, since it wasn't renewed in time.
            StorageError: the store can't be read or written.
        """
        if self._remote.read(self._name) is None:
            raise LostLeaseError(
                f"{self._remote.url}: another job has begun to write there, as this one was held up for more than "
                f"{SECONDS:.0f} s; what this one does now is not put up."
            )
        self._remote.write(self._name, self._content())

    def end(self) -> None:
        """Give it back."""
        self._remote.remove(self._name)

    def _refuse(self) -> list[str]:
        """The leases of others that are over; refused where one isn't."""
        over = []
        for name in self._remote.beginning_with(LEASE):
            if name == self._name:
                continue
            found = self._read(name)
            if found is not None and not _is_over(found):
                until = time.strftime("%H:%M:%S", time.gmtime(found["until"]))
                raise StorageError(
                    f"{self._remote.url}: another job (process {found['process']} on {found['machine']}) writes there; "
                    f"wait for its end, or, if it was lost, until {until} UTC."
                )
            over.append(name)
        return over

    def _read(self, name: str) -> dict[str, Any] | None:
        """Return the content of a lease; None where it is gone, or no lease."""
        try:
            found = json.loads(self._remote.read(name) or b"null")
            return {"until": float(found["until"]), "process": int(found["process"]), "machine": str(found["machine"])}
        except (ValueError, KeyError, TypeError, OverflowError):
            return None

    def _content(self) -> bytes:
        about = {"machine": socket.gethostname(), "process": os.getpid()}
        return json.dumps(about | {"until": time.time() + SECONDS}).encode()


def _is_over(lease: dict[str, Any]) -> bool:
    """Check whether a lease is over: it ran out, or its process ended on this machine."""
    if lease["until"] < time.time():
        return True
    if lease["machine"] != socket.gethostname():
        return False
    try:
        os.kill(lease["process"], 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


EVERY = 2.0
"""Seconds between two looks for finished units."""
_open: set[Path] = set()
_log = logging.getLogger(__name__)


@contextmanager
def opened(inputs: Iterable[Path], outputs: Iterable[Path]) -> Iterator[None]:
    """Work with paths, some of them in mirrors; changes there are uploaded at the end.

    Inside another block for the same place nothing more is done. After an error the finished units are put up and
    nothing else, so that the same command resumes from them.

    Args:
        inputs: paths that are read; commands that add to them, such as scores to a run, may write there too.
        outputs: paths that are written; each has a lease.

    Raises:
        StorageError: a store can't be used, or another job writes to an output.
    """
    writing = _mirrors(outputs)
    reading = _mirrors(inputs) - writing
    _open.update(reading | writing)
    places = [_Place(Mirror(folder), writes=folder in writing) for folder in sorted(reading | writing)]
    begun: list[_Place] = []
    finished = False
    try:
        for place in places:
            begun.append(place)
            place.begin()
        yield
        finished = True
    finally:
        _open.difference_update(reading | writing)
        for place in begun:
            place.end(finished=finished)


def _mirrors(paths: Iterable[Path]) -> set[Path]:
    return {mirror for path in paths if (mirror := mirror_of(path)) is not None} - _open


class _Place:
    """One place while work goes on."""

    def __init__(self, mirror: Mirror, *, writes: bool) -> None:
        self.mirror, self.writes = mirror, writes
        self._lease: Lease | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_after, daemon=True)
        self._lost: LostLeaseError | None = None

    def begin(self) -> None:
        if self.writes:
            self._lease = Lease(self.mirror.remote)
        self.mirror.pull()
        if self.writes:
            self._thread.start()

    def end(self, *, finished: bool) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        try:
            if self._lost is not None:
                raise self._lost
            if self._lease is not None:
                self._lease.renew()
                self.mirror.push(finished=finished, still=self._lease.renew)
            elif finished and not self.writes and self.mirror.is_changed():
                self._lease = Lease(self.mirror.remote)
                self.mirror.push(finished=True)
        except StorageError:
            if finished:
                raise  # else the error that ended the work is the one to tell
        finally:
            if self._lease is not None:
                with suppress(StorageError):  # it runs out by itself
                    self._lease.end()

    def _look_after(self) -> None:
        """Upload finished units and renew the lease; a failing store is reported once, and tried again."""
        assert self._lease is not None
        renewed, told = time.time(), False
        while not self._over.wait(EVERY):
            try:
                if time.time() - renewed > SECONDS / 4:
                    self._lease.renew()
                    renewed = time.time()
                self.mirror.push(finished=False, still=self._lease.renew)
            except LostLeaseError as error:
                self._lost = error
                _log.warning("%s", error)
                return
            except StorageError as error:
                if not told:
                    _log.warning("%s Work goes on; finished parts are uploaded as soon as possible.", error)
                told = True
