"""Which files of a listing hold a subset's questions, and which its media."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatch
from pathlib import PurePosixPath

from tolman.benchmarks.base import HubSource
from tolman.benchmarks.fetching.listing import HubFile, Listing
from tolman.benchmarks.fetching.place import page
from tolman.benchmarks.fetching.unpacking import is_archive, stem
from tolman.errors import UsageError

_TOLD = 8
"""File names that a sentence has at most."""


def question_files(listing: Listing, source: HubSource, subset: str | None) -> list[HubFile]:
    """The files that hold a subset's questions.

    Raises:
        UsageError: the data set holds none under a name that is known.
    """
    patterns = source.questions_of.get(subset or "", source.patterns)
    found = _fitting(listing, patterns)
    if not found and patterns != source.patterns:
        found = _fitting(listing, source.patterns)
    if found:
        return found
    names = [file.path for file in listing.files if not file.path.startswith(".")]
    held = ", ".join(names[:_TOLD]) + (" …" if len(names) > _TOLD else "") if names else "nothing"
    raise UsageError(
        f"the data set {listing.name} at {listing.commit[:12]} holds no questions under a name that is known "
        f"({', '.join(patterns).replace('|', ', ')}) but {held}; ask for an earlier state with --revision (see "
        f"{page(listing.name)}/commits), or give the file with --data."
    )


def media_files(
    listing: Listing, source: HubSource, subset: str | None, wanted: Collection[str] | None
) -> list[HubFile]:
    """The archives and files that hold a subset's media.

    Of archives that are named after the folders that questions' paths begin with, as VSI-Bench's are, those of other
    folders are left out; of files that lie open in the repository, those that no question names.

    Args:
        listing, source, subset: of what.
        wanted: the paths that the questions name; None for all.
    """
    found = _fitting(listing, source.media_of.get(subset or "", source.media))
    archives = [file for file in found if is_archive(file.path)]
    files = [file for file in found if not is_archive(file.path)]
    if wanted is None:
        return found
    folders = {PurePosixPath(path).parts[0] for path in wanted if len(PurePosixPath(path).parts) > 1}
    loose = all(len(PurePosixPath(path).parts) > 1 for path in wanted)
    if loose and folders and folders <= {stem(file.path) for file in archives}:
        archives = [file for file in archives if stem(file.path) in folders]
    named = [file for file in files if file.path in wanted]
    return sorted([*archives, *(named or files)], key=lambda file: file.path)


def _fitting(listing: Listing, patterns: Sequence[str]) -> list[HubFile]:
    """Files that fit any of the patterns; of alternatives within one, those of the first that fits."""
    found: dict[str, HubFile] = {}
    for pattern in patterns:
        for alternative in pattern.split("|"):
            fitting = [file for file in listing.files if fnmatch(file.path, alternative)]
            if fitting:
                found |= {file.path: file for file in fitting}
                break
    return sorted(found.values(), key=lambda file: file.path)
