"""Places on object stores: their URLs, the folders that mirror them, and the files there.

Files of a place are listed, read and written; each error of the store becomes one sentence.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tolman.errors import MissingExtraError, TolmanError, UsageError, first_line
from tolman.files import cache_folder, write_text

SCHEMES = ("s3", "gs", "gcs", "memory")
_URL = re.compile(rf"({'|'.join(SCHEMES)}):/+(.*)")
INDEX = "place.json"
"""Beside a mirror: its URL, and what is known of the files on the store."""


def is_url(name: str | Path) -> bool:
    """Check whether a name means a place on an object store; a `Path` of a URL, which has lost a slash, does too."""
    return _URL.fullmatch(str(name)) is not None


def url_of(name: str | Path) -> str:
    """The URL in its one form, `s3://bucket/worlds`.

    Raises:
        UsageError: it is none, or names no folder.
    """
    found = _URL.fullmatch(str(name))
    rest = re.sub(r"/+", "/", found[2]).strip("/") if found else ""
    if found is None or not stays_inside(rest):
        raise UsageError(f"{name} is no folder of an object store; it is written as s3://bucket/folder.")
    return f"{found[1]}://{rest}"


def stays_inside(name: str) -> bool:
    """Check that a file of this name, below any folder, stays in that folder: names on a store may have any parts."""
    return "\0" not in name and all(part not in ("", ".", "..") for part in name.split("/"))


def mirrors() -> Path:
    """The folder of all mirrors."""
    return cache_folder().absolute() / "objects"


def as_path(name: str | Path) -> Path:
    """The path that is worked with: a URL's mirror, any other path itself. Nothing is fetched."""
    if not is_url(name):
        return Path(name)
    url = url_of(name)
    home = mirrors() / hashlib.sha256(url.encode()).hexdigest()[:20]
    if not (home / INDEX).exists():
        home.mkdir(parents=True, exist_ok=True)
        write_text(home / INDEX, json.dumps({"url": url, "files": {}}))
    return home / url.rpartition("/")[2]


def mirror_of(path: Path) -> Path | None:
    """Return the mirror that a path is or is inside; None for any other path."""
    root = mirrors()
    try:
        parts = path.absolute().relative_to(root).parts
    except ValueError:
        return None
    return root / parts[0] / parts[1] if len(parts) > 1 else None


def url_at(mirror: Path) -> str:
    """The URL of a mirror."""
    url: str = json.loads((mirror.parent / INDEX).read_text(encoding="utf-8"))["url"]
    return url


def as_named(path: Path | str) -> str:
    """Return a path as users name it: for a path in a mirror, its URL."""
    mirror = mirror_of(Path(path))
    if mirror is None:
        return str(path)
    rest = Path(path).absolute().relative_to(mirror).as_posix()
    return url_at(mirror) + ("" if rest == "." else f"/{rest}")


def with_urls(text: str) -> str:
    """A text with URLs in place of the paths of their mirrors."""
    root = str(mirrors())
    if root not in text:
        return text
    return re.sub(rf"{re.escape(root)}/[0-9a-f]{{20}}/[^\s'\",;]+?(?=[.:,;]?(?:[\s'\",;]|$))", _named, text)


def _named(found: re.Match[str]) -> str:
    return as_named(found[0])


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
            raise MissingExtraError(_PACKAGES[scheme], "cluster", f"Reading {scheme}://") from None
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
        """Return the names of files in one folder that begin alike.

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
        """Upload a file, and return its properties."""
        with self._told("written"):
            self._files.put_file(str(path), self._at(name))
            return _stored(self._files.info(self._at(name)))

    def write(self, name: str, data: bytes) -> None:
        """Write a file, replacing any file there."""
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
            raise StorageError(
                f"{self.url}: can't be {what} ({first_line(error)}); check the bucket's name, the credentials and the "
                "address."
            ) from error


def _stored(info: dict[str, Any]) -> Stored:
    kinds = ("ETag", "etag", "md5Hash", "created", "LastModified", "mtime")
    version: Any = next((info[kind] for kind in kinds if info.get(kind)), "")
    if isinstance(version, datetime):
        version = version.timestamp()  # as listings in memory have it
    return Stored(int(info["size"]), str(version).strip('"'))
