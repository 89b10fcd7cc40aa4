"""Places on object stores: their URLs, and the folders that mirror them."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from tolman.errors import UsageError
from tolman.files import cache_folder, write_text

SCHEMES = ("s3", "gs", "gcs", "memory")
_URL = re.compile(rf"({'|'.join(SCHEMES)}):/+(.*)")
INDEX = "place.json"
"""Beside a mirror: its URL, and what is known of the files on the store."""


def is_url(name: str | Path) -> bool:
    """Whether a name means a place on an object store; a `Path` of a URL, which has lost a slash, does too."""
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
    """Whether a file of this name, below any folder, lies in that folder: names on a store may have any parts."""
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
    """The mirror that a path is or lies in; None for any other path."""
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
    """A path as users name it: the URL of what lies in a mirror."""
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
