"""The files of a place on its store: listed, read, written, each error one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tolman.errors import MissingExtraError, TolmanError
from tolman.storage.places import stays_inside

_EXTRAS = {"s3": "s3", "gs": "gs", "gcs": "gs", "memory": "s3"}
_PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "memory": "fsspec"}


class StorageError(TolmanError):
    """An object store can't be used."""


@dataclass(frozen=True)
class Stored:
    """A file on the store.

    Attributes:
        size: bytes.
        version: its ETag, or when it was written where the store has none.
    """

    size: int
    version: str


class Remote:
    """The files below a URL.

    Args:
        url: `s3://bucket/folder`.

    Raises:
        MissingExtraError: the package that speaks to the store is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        scheme, _, self._root = url.partition("://")
        try:
            import fsspec

            # What another machine wrote since must be seen, so listings are not kept.
            self._files: Any = fsspec.filesystem(scheme, use_listings_cache=False)
        except ImportError:
            raise MissingExtraError(_PACKAGES[scheme], _EXTRAS[scheme], f"Reading {scheme}://") from None
        if scheme == "memory":
            self._root = f"/{self._root}"

    def listed(self) -> dict[str, Stored]:
        """The files by their path below the URL; none where nothing is there.

        Raises:
            StorageError: there is no such bucket, it can't be read, or a file's name leads out of a folder.
        """
        with self._told("read"):
            bucket = self._root.strip("/").partition("/")[0]
            found = self._files.find(self._root, detail=True)
            if not found and self.url.startswith(("s3:", "gs:", "gcs:")) and not self._files.exists(bucket):
                raise StorageError(f"{self.url}: there is no bucket '{bucket}'; create it, or name another.")
        start = len(self._root.rstrip("/")) + 1
        files = {path[start:]: _stored(info) for path, info in found.items() if path[start:] and not path.endswith("/")}
        for name in files:
            if not stays_inside(name):
                raise StorageError(
                    f"{self.url}: the file '{name}' can't lie in a folder of that name; rename it there."
                )
        return files

    def beginning_with(self, start: str) -> list[str]:
        """The names of files beside each other that begin alike.

        Raises:
            StorageError: the store can't be read.
        """
        with self._told("read"):
            found: list[str] = self._files.find(self._root, prefix=start)
        names = (path[len(self._root.rstrip("/")) + 1 :] for path in found)
        return sorted(name for name in names if name.startswith(start) and "/" not in name)

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none."""
        with self._told("read"):
            try:
                data: bytes = self._files.cat_file(self._at(name))
            except FileNotFoundError:
                return None
            return data

    def get(self, name: str, path: Path) -> None:
        """Fetch a file."""
        with self._told("read"):
            self._files.get_file(self._at(name), str(path))

    def put(self, path: Path, name: str) -> Stored:
        """Put a file up; what is known of it then."""
        with self._told("written"):
            self._files.put_file(str(path), self._at(name))
            return _stored(self._files.info(self._at(name)))

    def write(self, name: str, data: bytes) -> None:
        """Write a file, in place of what is there."""
        with self._told("written"):
            self._files.pipe_file(self._at(name), data)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with self._told("written"):
            try:
                self._files.rm_file(self._at(name))
            except FileNotFoundError:
                return

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Errors of the store as one sentence."""
        try:
            yield
        except (TolmanError, KeyboardInterrupt):
            raise
        except Exception as error:  # boto's errors have no common base with those of other stores
            text = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
            raise StorageError(
                f"{self.url}: can't be {what} ({text}); check the bucket's name, the credentials and the address."
            ) from error


def _stored(info: dict[str, Any]) -> Stored:
    kinds = ("ETag", "etag", "md5Hash", "created", "LastModified", "mtime")
    version: Any = next((info[kind] for kind in kinds if info.get(kind)), "")
    if isinstance(version, datetime):
        version = version.timestamp()  # as listings in memory have it
    return Stored(int(info["size"]), str(version).strip('"'))
