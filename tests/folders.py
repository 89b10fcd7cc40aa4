"""Folders as what is in them."""

from pathlib import Path


def contents(folder: Path, *without: str) -> dict[str, bytes]:
    """The bytes of all files below a folder, by their path in it.

    Args:
        folder: that is read.
        without: names of files that are passed over.
    """
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in without)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(files)}
