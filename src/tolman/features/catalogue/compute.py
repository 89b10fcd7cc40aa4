"""List benchmarks, protocols, metrics and recipes; fetch and export benchmarks; show, prune and export stores."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tolman import benchmarks, protocols
from tolman.analyze.overlap import AskedQuestion, overlap
from tolman.benchmarks.fetching.listing import in_units, unpacking_folder
from tolman.benchmarks.fetching.lock import Locked, changes, check_state, read_lock, state_of, write_lock
from tolman.benchmarks.fetching.transfer import is_archive
from tolman.benchmarks.hub import Plan, cached_questions, carry_out, fetch_media, plan_media, plan_questions
from tolman.benchmarks.spec import BenchmarkSpec, HubSource
from tolman.errors import RunInterruptedError, UsageError, hint
from tolman.exports import export_named
from tolman.exports.exporters import BenchmarkExport, BenchmarkSource, Export, RunSource, Target
from tolman.exports.training import questions_at
from tolman.features.catalogue.config import (
    BenchmarksConfig,
    ExportConfig,
    FetchConfig,
    RecipesConfig,
    StoreExportConfig,
    StorePruneConfig,
    StoreShowConfig,
)
from tolman.features.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.features.run.config import NamedSuite, is_named_suite, named_suite, suite_names
from tolman.files import atomic_write, check_folder, is_stream, whole_folder
from tolman.items import Item
from tolman.media.frame_store import FrameStore, default_root
from tolman.models.recipes import ModelRecipe, match, names, open_recipe
from tolman.runs.response_store import open_store
from tolman.runs.run_folder import RunFolder
from tolman.runs.run_items import items_in, load, preset_of, subset_of
from tolman.scoring.metrics import REGISTRY as METRICS, Metric, MetricFamily


@dataclass(frozen=True)
class ProtocolSummary:
    """A protocol in the catalogue.

    Attributes:
        name: for `--protocol`.
        kind: 'strategy' for a way of asking, one for each run; 'modifier' for an addition to it with '+'.
        summary: a sentence.
    """

    name: str
    kind: str
    summary: str


def list_benchmarks(config: BenchmarksConfig | None = None) -> list[BenchmarkSpec]:
    """All benchmarks by name, or the one that the config names.

    Raises:
        UsageError: there is none of that name.
    """

    wanted = config.name if config is not None else None
    return [benchmarks.get(name) for name in ([wanted] if wanted else benchmarks.names())]


def list_suites(config: BenchmarksConfig | None = None) -> list[NamedSuite]:
    """The suites that come with Tolman: all, or the one that the config names; none where it names a benchmark."""
    wanted = config.name if config is not None else None
    if wanted is None:
        return [named_suite(name) for name in suite_names()]
    return [named_suite(wanted)] if is_named_suite(wanted) else []


def list_protocols() -> list[ProtocolSummary]:
    """Return all protocols: first the ways of asking, then the modifiers."""

    found = [ProtocolSummary(*row) for row in protocols.describe()]
    return sorted(found, key=lambda one: (one.kind != "strategy", one.name))


def list_metrics() -> list[Metric]:
    """Return all metrics, those of plugins too; of a family one with an X in place of the number."""
    return [one.example() if isinstance(one, MetricFamily) else one for one in METRICS.all().values()]


def list_recipes(config: RecipesConfig | None = None) -> list[ModelRecipe]:
    """All recipes by name, or the one that the config names: by its own name, its file, or a model that it is for.

    Raises:
        UsageError: there is none of that name.
        InputError: the file is none.
    """

    wanted = config.name if config is not None else None
    if wanted is None:
        return [open_recipe(name) for name in names()]
    is_name = wanted in names() or wanted.endswith(".toml")
    found = None if is_name else match(f"openai/{wanted}")
    return [found or open_recipe(wanted)]


@dataclass(frozen=True)
class ExportResult:
    """Files written by an export.

    Attributes:
        folder: the new folder.
        title: its content, as in a sentence.
        use: how the other program takes it: a command, or a sentence.
        notes: sentences that the user must know.
        files: how many files it has.
    """

    folder: Path
    title: str
    use: str
    notes: tuple[str, ...]
    files: int


def export(config: ExportConfig, events: Events = silent) -> ExportResult:
    """Export a benchmark or runs; the folder is written whole or not at all.

    Raises:
        UsageError: an unknown form or setting, a source that it doesn't take, or a folder that isn't empty or is
            inside a benchmark or the like.
        InputError: the source is none, or a medium is missing.
    """

    found = export_named(config.form)
    settings = _settings(config, found)
    if config.out.exists() and (not config.out.is_dir() or any(config.out.iterdir())):
        raise UsageError(f"{config.out} is there and not empty; name a new folder with --out.")
    if not config.source:
        raise UsageError("nothing to export; name a benchmark or the folder of a run.")
    writes = "benchmark" if isinstance(found, BenchmarkExport) else "result"
    check_folder(config.out, writes, inputs=[Path(one) for one in config.source])
    what = _benchmark(config) if isinstance(found, BenchmarkExport) else _runs(config)
    if isinstance(what, BenchmarkSource):
        own = [AskedQuestion.of(item, what.media) for item in what.items]
        for other in config.disjoint_from:
            _refuse_shared(config.source[0], own, other, events)

    def began(what: str, total: int | None = None) -> None:
        events(Began(what, total))

    def advanced(count: int = 1) -> None:
        events(Advanced(count))

    config.out.parent.mkdir(parents=True, exist_ok=True)
    with whole_folder(config.out) as folder:
        target = Target(folder, config.out, settings, began=began, advanced=advanced)
        written = found.write(what, target)  # type: ignore[arg-type]
        files = sum(1 for path in folder.rglob("*") if path.is_file())
    events(Ended())
    for note in written.notes:
        events(Noted(note))
    return ExportResult(config.out, found.title, written.use, written.notes, files)


def _refuse_shared(name: str, own: Sequence[AskedQuestion], other: str, events: Events) -> None:
    events(Began(f"comparing with {other}"))
    found = overlap(own, questions_at(other), FrameStore(default_root()))
    events(Ended())
    if found.is_empty:
        events(Noted(f"No scene, question or frame is also in {other}."))
        return
    first = f"scene {found.scenes[0]}" if found.scenes else Path(found.frames[0][0]).name
    raise UsageError(
        f"{name} and {other} share {found.counts}, first {first}; 'tolman audit {name} --against {other}' lists all."
    )


def _settings(config: ExportConfig, found: Export) -> Mapping[str, str]:
    settings = {}
    for one in config.settings:
        key, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--set takes KEY=VALUE, not '{one}'.")
        if key not in found.settings:
            known = hint(key, found.settings)
            raise UsageError(f"the form '{config.form}' has no setting '{key}'; {known}.")
        settings[key] = value
    return settings


def _benchmark(config: ExportConfig) -> BenchmarkSource:
    if len(config.source) > 1:
        raise UsageError(f"the form '{config.form}' takes one benchmark, not {len(config.source)}.")
    (name,) = config.source
    if (Path(name) / "run.json").is_file():
        raise UsageError(f"{name} is a run, and the form '{config.form}' takes a benchmark; name that.")
    loaded = load(name, config.data, config.subset, config.revision)
    return BenchmarkSource(
        loaded, preset_of(loaded.benchmark, config.preset, loaded.subset), config.media or loaded.media_folder()
    )


def _runs(config: ExportConfig) -> list[RunSource]:
    given: list[Any] = [config.data, config.subset, config.revision, config.media, config.preset]
    if any(one is not None for one in given) or config.disjoint_from:
        raise UsageError(
            f"the form '{config.form}' takes runs, which know their data; leave out --data, --subset, --revision, "
            "--media, --preset and --disjoint-from."
        )
    found: list[RunSource] = []
    for path in config.source:
        folder = RunFolder(Path(path))
        if any(Path(path).resolve() == other.folder.path.resolve() for other in found):
            raise UsageError(f"{path} is named twice; name each run once.")
        record = folder.record()
        folder.check_scored()
        found.append(RunSource(folder, benchmarks.get(record.settings.benchmark)))
    return found


DAY = 86_400
"""Seconds."""


@dataclass(frozen=True)
class StoredModel:
    """A model's answers in a store.

    Attributes:
        model: its name.
        answers: how many.
        first, last: when they came, seconds since 1970.
    """

    model: str
    answers: int
    first: float
    last: float


@dataclass(frozen=True)
class StoreSummary:
    """The content of a store.

    Attributes:
        place: its file, or its database without the password.
        size: bytes of the file, or of the table.
        models: by name.
    """

    place: str
    size: int
    models: tuple[StoredModel, ...]


def summarize_store(config: StoreShowConfig) -> StoreSummary:
    """Count the answers of each model.

    Raises:
        InputError: there is no store, or a damaged one.
    """

    with closing(open_store(config.store, existing=True)) as store:
        rows, size = store.summary(), store.size()
    return StoreSummary(store.place, size, tuple(StoredModel(*row) for row in rows))


def prune_store(config: StorePruneConfig) -> int:
    """Delete answers, so that they are asked for again; how many.

    Raises:
        UsageError: nothing says which.
        InputError: there is no store, or a damaged one.
    """

    if not (config.model or config.older_than is not None or config.everything):
        raise UsageError("say which answers: --model NAME, --older-than DAYS, or --all.")
    before = None if config.older_than is None else time.time() - DAY * config.older_than
    with closing(open_store(config.store, existing=True)) as store:
        return store.prune(model=config.model, before=before)


def export_store(config: StoreExportConfig) -> int:
    """Write all answers with their requests as JSONL, whole or not at all; how many.

    Raises:
        UsageError: the file holds something else.
        InputError: there is no store, or a damaged one.
    """

    if not _is_export(config.out):
        raise UsageError(f"{config.out} isn't a file that 'tolman store export' wrote; name another file.")
    with (
        closing(open_store(config.store, existing=True)) as store,
        atomic_write(config.out) as partial,
        partial.open("w", encoding="utf-8") as file,
    ):
        count = 0
        for row in store.export():
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _is_export(file: Path) -> bool:
    """Check whether an export may be written to a file: there is none, it is empty or a stream, or it is an export."""

    if not file.exists() or is_stream(file):
        return True
    with file.open(encoding="utf-8", errors="replace") as opened:
        first = opened.readline()
    try:
        row = json.loads(first or "null")
    except (ValueError, RecursionError):
        return False
    return row is None or (isinstance(row, dict) and row.keys() == {"key", "model", "created", "request", "response"})


UNIT = 1_000_000
"""Bytes that a bar counts as one."""


@dataclass(frozen=True)
class FetchResult:
    """The questions and media fetched, or to fetch.

    Attributes:
        benchmark, subset, title, licence: of the data; the licence as Tolman knows it.
        repository: the data set's name of today.
        revision: the commit.
        items: questions of the subset.
        questions, media: their folders; None where they weren't fetched, or there are none.
        files: path in the repository → bytes, of questions and media.
        fetched: bytes that came; of a dry run those of media that would come.
        lock: the lock file; None where nothing was written.
        changed: sentences on differences from the state before.
    """

    benchmark: str
    subset: str
    title: str
    licence: str
    repository: str
    revision: str
    items: int
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
        events: receives steps, megabytes and notes.
        dry_run: report the download, and fetch the questions alone: they name the media needed.

    Raises:
        UsageError: no such benchmark or subset; the hub can't be reached, refuses or breaks off; too little room.
        InputError: the files differ from the hub's list or from the lock file; the lock file is none.
        RunInterruptedError: the user stopped it; files that have arrived are kept.
    """

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
            events(Noted("The hub can't be reached: this list shows this machine's files.", "warning"))
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
    """Plan the download of the media that questions name; None where the hub can't be reached."""

    wanted = frozenset(medium.path for item in items for medium in item.media)
    return plan_media(hub, unpacking_folder(), commit, subset, wanted)


def _media(plan: Plan | None, hub: HubSource, commit: str, events: Events) -> Path:
    """The folder of media, as planned or as the machine has them."""

    return fetch_media(hub, unpacking_folder(), commit) if plan is None else _brought(plan, "media", events)


def _brought(plan: Plan, what: str, events: Events) -> Path:
    """Carry out a plan, with events in megabytes."""

    bar = _Megabytes(plan.to_come, what, plan.listing.name, events)
    return carry_out(plan, bar)


class _Megabytes:
    """A bar of megabytes out of numbers of bytes."""

    def __init__(self, total: int, what: str, name: str, events: Events) -> None:
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
    if before is None or before.revision == now.revision:
        return ()
    return tuple(changes(before, now)) or ("the question files are the same",)


def _merged(before: Locked | None, now: Locked) -> Locked:
    """Files of other subsets stay written as long as the revision is the same."""

    if before is None or before.revision != now.revision:
        return now
    return replace(now, files={**before.files, **now.files})


def _licence(benchmark: BenchmarkSpec, plan: Plan | None) -> str:
    """Return the licence as Tolman knows it, and that of the data card where it isn't included."""
    card = plan.listing.licence if plan is not None else ""
    if not card or card.casefold() in benchmark.licence.casefold():
        return benchmark.licence
    return f"{benchmark.licence}; the data card on the hub says {card}"


def _files_in(folder: Path) -> Iterator[str]:
    """Yield the question files of a cached snapshot without a listing: all small ones and tables, or the archives that
    they come in, which are linked next to the unpacked files."""

    packed = [path.name for path in folder.iterdir() if path.is_symlink() and is_archive(path.name)]
    yield from packed
    for path in () if packed else folder.rglob("*"):
        if path.is_file() and path.suffix in (".parquet", ".jsonl", ".json", ".txt", ".csv", ".tsv"):
            yield path.relative_to(folder).as_posix()


@contextmanager
def _stoppable() -> Iterator[None]:
    """End with a sentence where the user stops the work."""
    try:
        yield
    except KeyboardInterrupt:
        raise RunInterruptedError(
            "Stopped: finished downloads are kept, and the same command resumes from there."
        ) from None
