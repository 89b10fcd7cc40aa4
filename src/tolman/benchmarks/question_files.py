"""Finding a question set's files in a folder: all shards of one, and none of its other versions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from tolman.errors import InputError

_SHARD = re.compile(r"\A(?P<stem>.*?)-?(?P<number>\d{5})-of-(?P<count>\d{5})(?P<rest>\.\w+)\Z")
"""As the hub names them: test-00000-of-00002.parquet."""


def find_files(folder: Path, patterns: Sequence[str], what: str, without: Iterable[str] = ()) -> list[Path]:
    """The files of a question set in a folder (or below it): those that fit the first pattern that fits any.

    Args:
        folder: or one file.
        patterns: tried in order.
        what: is looked for, for what is said.
        without: patterns of names that are passed over.

    Returns:
        One file, or all shards of one in their order.

    Raises:
        InputError: there is none, a shard is missing, or files fit that aren't shards of one.
    """
    if folder.is_file():
        return whole([folder])
    if not folder.is_dir():
        raise InputError(folder, "does not exist", fix=f"give the folder that holds {what} with --data")
    rest = tuple(without)
    for pattern in patterns:
        found = matching(folder, pattern, rest)
        if found:
            return one_version(folder, found, what)
    raise InputError(folder, f"holds no {what}", fix=f"put one of {', '.join(patterns)} there")


def one_version(folder: Path, found: Sequence[Path], what: str) -> list[Path]:
    """Files, if they are one, or all shards of one.

    Raises:
        InputError: a shard is missing, or they aren't shards of one.
    """
    files = whole(found)
    if len(files) > 1 and len({_version(path) for path in files}) > 1:
        names = ", ".join(path.relative_to(folder).as_posix() for path in files)
        raise InputError(folder, f"holds several files that may be {what}: {names}", fix="name one of them with --data")
    return files


def find_file(folder: Path, patterns: Sequence[str], what: str) -> Path:
    """The same of a question set that is read from one file.

    Raises:
        InputError: as `find_files`, or it comes in several shards.
    """
    files = find_files(folder, patterns, what)
    if len(files) > 1:
        raise InputError(files[0], f"is one of {len(files)} shards, and {what} are read from one file", fix="join them")
    return files[0]


def matching(folder: Path, pattern: str, without: Iterable[str] = ()) -> list[Path]:
    """The files in a folder that fit a pattern, or if there are none, those below it.

    Args:
        folder: where.
        pattern: as `Path.glob` has it.
        without: patterns of names that are passed over.
    """
    rest = tuple(without)
    for each in (pattern, f"**/{pattern}"):
        found = [path for path in sorted(folder.glob(each)) if not any(fnmatch(path.name, one) for one in rest)]
        if found:
            return found
    return []


def whole(files: Sequence[Path]) -> list[Path]:
    """Files, of which no shard is missing.

    Raises:
        InputError: one is a shard of several, and another of those isn't among them.
    """
    numbers: dict[tuple[Path, str, str, str], set[int]] = {}
    for path in files:
        match = _SHARD.match(path.name)
        if match is not None:
            key = path.parent, match["stem"], match["count"], match["rest"]
            numbers.setdefault(key, set()).add(int(match["number"]))
    for (place, stem, count, rest), there in numbers.items():
        lacking = sorted(set(range(int(count))) - there)
        if lacking:
            name = f"{stem}-{lacking[0]:05d}-of-{count}{rest}".removeprefix("-")
            alone = len(files) == 1 and (place / name).exists()
            said = f"{len(there)} of {int(count)} shards{' are' if len(there) > 1 else ' is'} read, {name} is not"
            raise InputError(
                files[0], said, fix="give the folder that holds all of them" if alone else "fetch the others"
            )
    return list(files)


def _version(path: Path) -> tuple[Path, str]:
    """What shards of one have in common; a file that is no shard stands for itself."""
    match = _SHARD.match(path.name)
    return path.parent, path.name if match is None else f"{match['stem']}-of-{match['count']}{match['rest']}"
