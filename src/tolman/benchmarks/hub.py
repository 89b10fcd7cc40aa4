"""Released data of the Hugging Face hub: which files hold a benchmark's questions and media, and their fetching."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from tolman.benchmarks.fetching.listing import (
    LOCAL_COPY,
    HubFile,
    Listing,
    endpoint,
    find_listing,
    hub_cache,
    page,
    unpacking_folder,
)
from tolman.benchmarks.fetching.transfer import (
    Arrived,
    begun,
    bring,
    check_space,
    is_archive,
    is_unpacked,
    link_archives,
    missing,
    nobody,
    stem,
    unpack,
)
from tolman.benchmarks.spec import HubSource
from tolman.errors import UsageError
from tolman.extras import hub_errors, huggingface_hub


@dataclass(frozen=True)
class Plan:
    """The files to download.

    Attributes:
        listing: of the data set.
        files: that hold the requested content.
        missing: those of them that aren't in the hub's cache.
        unpacked: where archives go, or None where there are none.
        links: whether archives are linked next to their content.
    """

    listing: Listing
    files: tuple[HubFile, ...]
    missing: tuple[HubFile, ...]
    unpacked: Path | None = None
    links: bool = False

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    @property
    def to_come(self) -> int:
        """Bytes that are still to be fetched."""
        return sum(file.size - begun(self.listing, file) for file in self.missing)

    def room(self) -> dict[Path, int]:
        """Folder → bytes that are to be written there. Videos and pictures are hardly smaller in an archive."""
        needs = {hub_cache(): self.to_come}
        if self.unpacked is not None:
            packed = (file for file in self.files if is_archive(file.path))
            needs[self.unpacked] = sum(file.size for file in packed if not is_unpacked(self.unpacked, file.path))
        return needs


def plan_questions(source: HubSource, revision: str | None = None, subset: str | None = None) -> Plan | None:
    """Plan the download of a subset's questions, which may come in archives; None where the hub can't be reached.

    Raises:
        UsageError: the hub has no such data set or revision or doesn't give it, or it holds no questions.
    """
    listing = find_listing(source.repository, revision or source.revision)
    if listing is None:
        return None
    files = question_files(listing, source, subset)
    return _plan(listing, files, _unpacked(source, unpacking_folder(), listing.commit), links=True)


def plan_media(
    source: HubSource,
    cache: Path,
    revision: str | None = None,
    subset: str | None = None,
    wanted: Collection[str] | None = None,
) -> Plan | None:
    """Plan the download of a subset's media; None where the hub can't be reached.

    Args:
        source: which data set.
        cache: where archives are unpacked to.
        revision: a commit other than the source's.
        subset: the benchmark's part.
        wanted: the paths that the questions name; None for all.

    Raises:
        UsageError: as `plan_questions`.
    """
    listing = find_listing(source.repository, revision or source.revision)
    if listing is None:
        return None
    files = media_files(listing, source, subset, wanted)
    return _plan(listing, files, _unpacked(source, cache, listing.commit))


def _plan(listing: Listing, files: Sequence[HubFile], folder: Path, *, links: bool = False) -> Plan:
    packed = _any_packed(file.path for file in files)
    return Plan(listing, tuple(files), tuple(missing(listing, files)), folder if packed else None, links)


def carry_out(plan: Plan, arrived: Arrived = nobody) -> Path:
    """Download the files of a plan, and unpack them.

    Returns:
        The folder that paths are relative to.

    Raises:
        UsageError: a disk has too little room, or the hub refuses or breaks off.
        InputError: a file is not as the hub lists it, or an archive is broken.
    """
    check_space(plan.room(), f"fetching {plan.listing.name}")
    snapshot = bring(plan.listing, plan.files, arrived)
    if plan.unpacked is None:
        return snapshot
    paths = [file.path for file in plan.files]
    folder = unpack(snapshot, paths, plan.unpacked)
    if plan.links:
        link_archives(snapshot, paths, folder)
    return folder


def fetch(source: HubSource, revision: str | None = None, subset: str | None = None) -> Path:
    """Return the local folder of a data set's question files, downloaded unless the hub's cache has them.

    Args:
        source: which data set and files.
        revision: a commit other than the source's.
        subset: the benchmark's part, where it needs fewer files; all where None.

    Returns:
        The snapshot's folder, or where archives that questions come in were unpacked; its name is the commit.

    Raises:
        UsageError: the hub can't be reached and the cache doesn't hold them, or it refuses.
        InputError: a file is not as the hub lists it.
    """
    plan = plan_questions(source, revision, subset)
    return _with_bar(plan) if plan is not None else cached_questions(source, revision)


def fetch_media(
    source: HubSource,
    cache: Path,
    revision: str | None = None,
    subset: str | None = None,
    wanted: Collection[str] | None = None,
) -> Path:
    """The local folder of a data set's videos and images, archives unpacked once.

    Args:
        source: which data set.
        cache: where archives are unpacked to.
        revision: a commit other than the source's.
        subset: the benchmark's part, where it needs fewer files.
        wanted: the paths that the questions name; None for all.

    Raises:
        UsageError: as `fetch`.
        InputError: as `fetch`, or an archive is broken.
    """
    plan = plan_media(source, cache, revision, subset, wanted)
    if plan is not None:
        return _with_bar(plan)
    snapshot = cached(source, revision)
    return unpack(snapshot, _inside(snapshot, source.media), _unpacked(source, cache, snapshot.name))


def cached_questions(source: HubSource, revision: str | None = None) -> Path:
    """The folder of question files that the hub's cache has, their archives unpacked, without asking the hub.

    Raises:
        UsageError: it has none.
        InputError: an archive is broken.
    """
    snapshot = cached(source, revision)
    paths = _inside(snapshot, (*source.patterns, *(one for own in source.questions_of.values() for one in own)))
    if not _any_packed(paths):
        return snapshot
    folder = unpack(snapshot, paths, _unpacked(source, unpacking_folder(), snapshot.name))
    link_archives(snapshot, paths, folder)
    return folder


def media_at_hand(source: HubSource, cache: Path, commit: str) -> Path | None:
    """The folder of a data set's media as far as it is on this machine, without asking the hub; None where it isn't.

    Args:
        source: which data set.
        cache: where archives are unpacked to.
        commit: of the data set.
    """
    unpacked = _unpacked(source, cache, commit)
    if unpacked.is_dir():
        return unpacked
    try:
        return cached(source, commit)
    except UsageError:
        return None


def cached(source: HubSource, revision: str | None = None) -> Path:
    """The snapshot's folder that the hub's cache has, without asking the hub.

    Raises:
        UsageError: it has none.
    """
    wanted = revision or source.revision
    try:
        return Path(
            huggingface_hub.snapshot_download(
                source.repository,
                repo_type="dataset",
                revision=wanted,
                cache_dir=hub_cache(),
                allow_patterns=[one for pattern in source.patterns for one in pattern.split("|")],
                local_files_only=True,
            )
        )
    except hub_errors.LocalEntryNotFoundError:
        raise UsageError(
            f"the data set {source.repository} can't be fetched from the Hugging Face hub: it can't be reached at "
            f"{endpoint()}, and the revision '{wanted}' is not on this machine; fetch it where there is a network "
            f"('tolman fetch'), or {LOCAL_COPY}."
        ) from None


def _with_bar(plan: Plan) -> Path:
    """Carry out a plan with a bar of the hub's client, which is shown in terminals only and heeds its variables."""
    size = plan.to_come
    if not size:
        return carry_out(plan)
    bars: Any = import_module("huggingface_hub.utils").tqdm
    with bars(total=size, unit="B", unit_scale=True, desc=f"fetching {plan.listing.name}", disable=None) as bar:
        return carry_out(plan, bar.update)


def _unpacked(source: HubSource, cache: Path, commit: str) -> Path:
    return cache / source.repository.replace("/", "--") / commit


def _any_packed(paths: Iterable[str]) -> bool:
    return any(map(is_archive, paths))


def _inside(snapshot: Path, patterns: Collection[str]) -> list[str]:
    """The files of a snapshot that fit any of some patterns, by their paths in it."""
    inside = [path.relative_to(snapshot).as_posix() for path in sorted(snapshot.rglob("*")) if path.is_file()]
    return [path for path in inside if any(_fits(path, pattern) for pattern in patterns)]


def _fits(path: str, pattern: str) -> bool:
    return any(fnmatch(path, alternative) for alternative in pattern.split("|"))


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
    """Return the archives and files that hold a subset's media.

    If archives are named after the first folders of questions' paths, as VSI-Bench's are, those of other folders are
    left out. Files outside of archives are left out where no question names them.

    Args:
        listing, source, subset: of the media.
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
