"""Fetching a benchmark's questions and media from the hub, and writing down which state that was."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tolman.errors import RunInterruptedError, UsageError
from tolman.workflows.config import Setting
from tolman.workflows.events import Advanced, Began, Ended, Events, Noted, silent

if TYPE_CHECKING:
    from tolman.benchmarks.base import BenchmarkSpec, HubSource
    from tolman.benchmarks.fetching.lock import Locked
    from tolman.benchmarks.hub import Plan
    from tolman.items import Item

UNIT = 1_000_000
"""Bytes that a bar counts as one."""


@dataclass(frozen=True, kw_only=True)
class FetchConfig:
    """Which benchmark's data are fetched."""

    benchmark: Annotated[str, Setting("Benchmark whose released data are fetched.", positional=True)]
    subset: Annotated[
        str | None,
        Setting("Part of the benchmark that has a name; see 'tolman benchmarks NAME'. Default: the first."),
    ] = None
    media: Annotated[bool, Setting("Fetch videos and images too.")] = True
    revision: Annotated[
        str | None,
        Setting(
            "Commit, tag or branch of the data set on the hub. Default: the lock file's, else the benchmark's own."
        ),
    ] = None
    lock: Annotated[
        Path, Setting("File that the state of the questions is written into, and taken from where it has one.")
    ] = Path("tolman.lock")
    update: Annotated[
        bool, Setting("Go over to the newest state on the hub, say what changed, and write it into the lock file.")
    ] = False


@dataclass(frozen=True)
class FetchResult:
    """What was fetched, or would be.

    Attributes:
        benchmark, subset, title, licence: of what; the licence as Tolman knows it.
        repository: the data set's name of today.
        revision: the commit.
        items: questions of the subset; None where nothing was fetched.
        questions, media: their folders; None where they weren't fetched, or there are none.
        files: path in the repository → bytes, of questions and media.
        fetched: bytes that came; of a dry run those of media that would come.
        lock: the lock file; None where nothing was written.
        changed: sentences on what differs from the state before.
    """

    benchmark: str
    subset: str
    title: str
    licence: str
    repository: str
    revision: str
    items: int | None
    questions: Path | None
    media: Path | None
    files: dict[str, int]
    fetched: int
    lock: Path | None
    changed: tuple[str, ...] = ()


def fetch(config: FetchConfig, events: Events = silent, *, dry_run: bool = False) -> FetchResult:
    """Fetch a benchmark's questions and media.

    Args:
        config: which.
        events: told of steps, megabytes and notes.
        dry_run: say what would come, and fetch the questions alone: they tell which media are needed.

    Raises:
        UsageError: no such benchmark or subset; the hub can't be reached, refuses or breaks off; too little room.
        InputError: what arrives isn't what the hub lists, or what the lock file names; the lock file is none.
        RunInterruptedError: the user stopped it; what has arrived is kept.
    """
    from tolman import benchmarks
    from tolman.benchmarks.fetching.lock import check_state, read_lock, state_of, write_lock
    from tolman.benchmarks.hub import cached_questions, plan_questions
    from tolman.runs.load import items_in, subset_of

    benchmark = benchmarks.get(config.benchmark)
    subset = subset_of(benchmark, config.subset)
    hub = benchmark.hub
    if hub is None:
        raise UsageError(f"{benchmark.title} isn't on the hub; there is nothing to fetch.")
    before = read_lock(config.lock).get(benchmark.name)
    revision = _revision(config, hub, before)
    with _stoppable():
        events(Began(f"asking what {hub.repository} holds"))
        plan = plan_questions(hub, revision, subset)
        coming = 0 if plan is None or dry_run else plan.to_come
        folder = cached_questions(hub, revision) if plan is None else _brought(plan, "questions", events)
        files = sorted(_files_in(folder)) if plan is None else [file.path for file in plan.files]
        state = state_of(hub.repository, folder, files)
        if before is not None and not config.update:
            check_state(config.lock, benchmark.name, before, state)
        items = items_in(benchmark, folder, subset)
        told, medium_plan, media = [], None, None
        if plan is None:
            events(Noted("The hub can't be reached: this is what the machine has.", "warning"))
        else:
            told = _moved(hub, plan)
        if config.media and hub.media:
            medium_plan = _media_plan(hub, subset, items, folder.name)
            coming += medium_plan.to_come if medium_plan is not None else 0
            media = None if dry_run else _media(medium_plan, hub, folder.name, events)
        events(Ended())
    for sentence in told:
        events(Noted(sentence, "warning"))
    changed = _changed(before, state)
    if not dry_run:
        write_lock(config.lock, benchmark.name, _merged(before, state))
    plans = [one for one in (plan, medium_plan) if one is not None]
    return FetchResult(
        benchmark=benchmark.name,
        subset=subset,
        title=benchmark.title,
        licence=_licence(benchmark, plan),
        repository=plan.listing.name if plan is not None else hub.repository,
        revision=folder.name,
        items=len(items),
        questions=folder,
        media=media,
        files={file.path: file.size for one in plans for file in one.files},
        fetched=coming,
        lock=None if dry_run else config.lock,
        changed=changed,
    )


def _revision(config: FetchConfig, hub: HubSource, before: Locked | None) -> str:
    if config.revision is not None:
        return config.revision
    if config.update:
        return "main"
    return before.revision if before is not None else hub.revision


def _media_plan(hub: HubSource, subset: str, items: Sequence[Item], commit: str) -> Plan | None:
    """What has to be brought of the media that questions name; None where the hub can't be reached."""
    from tolman.benchmarks.fetching.place import unpacking_folder
    from tolman.benchmarks.hub import plan_media

    wanted = frozenset(medium.path for item in items for medium in item.media)
    return plan_media(hub, unpacking_folder(), commit, subset, wanted)


def _media(plan: Plan | None, hub: HubSource, commit: str, events: Events) -> Path:
    """The folder of media, as planned or as the machine has them."""
    from tolman.benchmarks.fetching.place import unpacking_folder
    from tolman.benchmarks.hub import fetch_media

    return fetch_media(hub, unpacking_folder(), commit) if plan is None else _brought(plan, "media", events)


def _brought(plan: Plan, what: str, events: Events) -> Path:
    """Carry out a plan, told in megabytes."""
    from tolman.benchmarks.hub import carry_out

    bar = _Megabytes(plan.to_come, what, plan.listing.name, events)
    return carry_out(plan, bar)


class _Megabytes:
    """A bar of megabytes out of numbers of bytes."""

    def __init__(self, total: int, what: str, name: str, events: Events) -> None:
        from tolman.benchmarks.fetching.place import in_units

        self._events, self._in_units = events, in_units
        self._bytes, self._told, self._total = 0, 0, total
        self._began = time.monotonic()
        events(Began(f"fetching {what} of {name}, MB", -(-total // UNIT) if total else None))

    def __call__(self, size: int) -> None:
        self._bytes += size
        whole = -(-self._bytes // UNIT) if self._bytes >= self._total else self._bytes // UNIT
        if whole != self._told:
            speed = self._bytes / max(time.monotonic() - self._began, 0.1)
            state = f"{self._in_units(self._bytes)} of {self._in_units(self._total)}, {self._in_units(speed)}/s"
            self._events(Advanced(whole - self._told, state))
            self._told = whole


def _moved(hub: HubSource, plan: Plan) -> list[str]:
    name = plan.listing.name
    return [f"The data set {hub.repository} is {name} on the hub by now."] if name != hub.repository else []


def _changed(before: Locked | None, now: Locked) -> tuple[str, ...]:
    from tolman.benchmarks.fetching.lock import changes

    if before is None or before.revision == now.revision:
        return ()
    return tuple(changes(before, now)) or ("the question files are the same",)


def _merged(before: Locked | None, now: Locked) -> Locked:
    """Files of other subsets stay written as long as the revision is the same."""
    from dataclasses import replace

    if before is None or before.revision != now.revision:
        return now
    return replace(now, files={**before.files, **now.files})


def _licence(benchmark: BenchmarkSpec, plan: Plan | None) -> str:
    """The licence as Tolman knows it, and what the data card says where that isn't in it."""
    card = plan.listing.licence if plan is not None else ""
    if not card or card.casefold() in benchmark.licence.casefold():
        return benchmark.licence
    return f"{benchmark.licence}; the data card on the hub says {card}"


def _files_in(folder: Path) -> Iterator[str]:
    """The question files of a cached snapshot, of which no listing is here: all small ones and tables, or the archives
    that they come in, which are linked beside what was unpacked."""
    from tolman.benchmarks.fetching.unpacking import is_archive

    packed = [path.name for path in folder.iterdir() if path.is_symlink() and is_archive(path.name)]
    yield from packed
    for path in () if packed else folder.rglob("*"):
        if path.is_file() and path.suffix in (".parquet", ".jsonl", ".json", ".txt", ".csv", ".tsv"):
            yield path.relative_to(folder).as_posix()


@contextmanager
def _stoppable() -> Iterator[None]:
    """What the user stops ends with a sentence."""
    try:
        yield
    except KeyboardInterrupt:
        raise RunInterruptedError(
            "Stopped: what has arrived is kept, and the same command goes on from there."
        ) from None
