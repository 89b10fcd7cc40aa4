"""Media that are not where they should be, told before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from tolman.errors import InputError
from tolman.items import Item, Media
from tolman.messages import Joined
from tolman.storage import is_there

MIN_FILES = 10
"""Files of one folder that must all be missing for the folder to count as missing, where others are there."""


def refuse_missing(folder: Path, items: Iterable[Item]) -> None:
    """Refuse items none of whose media are there, or of which one whole folder is not.

    Single files that are missing are failures of the items that show them.

    Args:
        folder: that media are relative to.
        items: the questions.

    Raises:
        InputError: the sentence says how many files of which folder are missing.
    """
    groups: dict[str, dict[str, None]] = {}
    for item in items:
        for media in item.media:
            for path in _paths(media):
                first, _, rest = path.partition("/")
                groups.setdefault(first if rest else "", {}).setdefault(path)
    absent = {name: paths for name, paths in groups.items() if not any(is_there(folder / path) for path in paths)}
    if absent and len(absent) == len(groups):
        lost = [path for paths in absent.values() for path in paths]
        what = f"none of the {len(lost):,} files of the questions' media is there (the first: {lost[0]})"
        raise InputError(folder, what, fix="name the folder that holds them with --media")
    for name, paths in absent.items():
        if len(paths) >= MIN_FILES:
            what = f"none of the {len(paths):,} files of the questions' media is there (the first: {next(iter(paths))})"
            fix = "add them, name the folder that holds all of them with --media, or leave their questions out"
            raise InputError(folder / name, what, fix=fix)


def _paths(media: Media) -> Iterator[str]:
    if isinstance(media, Joined):
        for member in media.members:
            yield from _paths(member)
    else:
        yield media.path
