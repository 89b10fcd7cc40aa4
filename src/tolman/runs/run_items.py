"""Loading the inputs of a run: a benchmark's items, a preset, and items that are named by their ids.

Ids come from a list, from a file, or from the questions of other runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tolman import benchmarks
from tolman.benchmarks.benchmark_folder import is_folder
from tolman.benchmarks.fetching.lock import NAME as LOCK, check_state, read_lock, state_of
from tolman.benchmarks.known_errors import KNOWN_ERRORS, known_errors_of
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset, subset_for, with_frames_of
from tolman.errors import InputError, TolmanError, UsageError, hint
from tolman.extras import LazyModule
from tolman.item_table import first_problem
from tolman.items import Item, Selection
from tolman.media.sampling import Frames
from tolman.scoring.rule_sets import tasks_of
from tolman.storage import as_named, as_path

if TYPE_CHECKING:
    from tolman import protocols
    from tolman.runs import run_folder
else:
    protocols, run_folder = LazyModule("tolman.protocols"), LazyModule("tolman.runs.run_folder")

ROW_LENGTH = 80
"""Characters of a row without an id that are told."""


@dataclass(frozen=True)
class Loaded:
    """A benchmark's items, and where they came from.

    Attributes:
        benchmark, subset, items: that were loaded.
        folder: where the questions were.
        source: the folder, or the hub's data set and commit.
        revision: that was asked of the hub, or that the lock file names; None where the benchmark's own was.
        from_hub: whether they came from it.
    """

    benchmark: BenchmarkSpec
    subset: str
    items: Sequence[Item]
    folder: Path
    source: str
    revision: str | None = None
    from_hub: bool = False

    def media_folder(self) -> Path:
        """The folder that media are relative to; fetched from the hub where the questions came from there.

        Raises:
            UsageError: the hub can't be reached.
        """
        hub = self.benchmark.hub
        if not self.from_hub or hub is None or not hub.media:
            return self.folder
        from tolman.benchmarks.fetching.listing import unpacking_folder
        from tolman.benchmarks.hub import fetch_media

        wanted = frozenset(medium.path for item in self.items for medium in item.media)
        return fetch_media(hub, unpacking_folder(), self.folder.name, self.subset, wanted)  # the folder is the commit


def load(
    name: str,
    data: Path | None,
    subset: str | None,
    revision: str | None = None,
    frames: int | None = None,
    lock: Path = Path(LOCK),
    held: bool = True,
) -> Loaded:
    """Load a subset of a benchmark.

    Args:
        name: of a benchmark, or a folder that is one.
        data: a local folder or file; where None the folder itself, or the hub.
        subset: where None that of `frames`, else the benchmark's first.
        revision: of the hub's data set; where None the lock file's, or the benchmark's own.
        frames: the number that videos are shown with, which picks the subset where truths depend on it.
        lock: the lock file; there need be none.
        held: whether all items are in memory; else many may be read again by each loop (`item_table.open_items`).

    Raises:
        UsageError: no such benchmark or subset, no truths for so many frames, or the hub can't be reached.
        InputError: the data is not the benchmark's, or not that of the lock file.
    """
    benchmark = benchmarks.get(name)
    if subset is None and frames is not None and benchmark.frame_counts:
        subset = subset_for(benchmark.title, benchmark.frame_counts, frames)
    chosen = subset_of(benchmark, subset)
    if data is None and is_folder(name):
        data = as_path(name)  # benchmarks.get has fetched it
    if data is not None:
        folder = data.parent if data.is_file() else data
        items = _items(benchmark, data, chosen, held=held)
        return Loaded(benchmark, chosen, items, folder, as_named(data))
    if benchmark.hub is None:
        raise UsageError(f"{benchmark.title} isn't on the hub; give its folder with --data FOLDER.")
    from tolman.benchmarks.hub import fetch

    locked = read_lock(lock).get(benchmark.name)
    asked = revision or (locked.revision if locked is not None else None)
    folder = fetch(benchmark.hub, asked, chosen)
    if locked is not None and folder.name == locked.revision:
        here = [file for file in locked.files if (folder / file).is_file()]
        check_state(lock, benchmark.name, locked, state_of(benchmark.hub.repository, folder, here))
    source = f"{benchmark.hub.repository}@{folder.name}"
    items = _items(benchmark, folder, chosen, held=held)
    return Loaded(benchmark, chosen, items, folder, source, asked, from_hub=True)


def _items(benchmark: BenchmarkSpec, data: Path, subset: str, *, held: bool) -> Sequence[Item]:
    items = items_in(benchmark, data, subset)
    return list(items) if held and not isinstance(items, list) else items


def subset_of(benchmark: BenchmarkSpec, subset: str | None) -> str:
    """The name of a subset; the benchmark's first where None.

    Raises:
        UsageError: there is none of that name.
    """
    chosen = next(iter(benchmark.subsets)) if subset is None else subset
    if chosen not in benchmark.subsets:
        asked = f" To ask any questions this way, give --protocol {chosen}." if chosen in protocols.names() else ""
        raise UsageError(f"{benchmark.title} has no subset '{chosen}'; {hint(chosen, benchmark.subsets)}.{asked}")
    return chosen


def items_in(benchmark: BenchmarkSpec, data: Path, subset: str) -> Sequence[Item]:
    """The items of a subset, whose true values the benchmark's metric can be computed for.

    Raises:
        InputError: the data is not the benchmark's.
    """
    try:
        items = benchmark.load(data, subset)
    except TolmanError:
        raise
    except ValidationError as error:
        field, what = first_problem(error)
        given = error.errors()[0].get("input")
        row = str(given["id"]) if isinstance(given, dict) and "id" in given else None
        raise InputError(data, f"holds no item of {benchmark.title}: {what}", row=row, field=field) from None
    except (AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        what = f"can't be read as {benchmark.title} ({type(error).__name__}: {error})"
        row = _row_at_hand(error)
        raise InputError(data, what, row=row, fix=f"check that it is the data of {benchmark.name}") from error
    for item in items if benchmark.needs_positive_truths else ():
        if item.kind == "number" and item.exact_answer <= 0:
            raise InputError(
                data,
                f"{item.answer} is no true value: {benchmark.scored_like or benchmark.title} scores numbers by their "
                "error relative to the true value, which must be above 0",
                row=item.id,
                field="answer",
                fix="correct the answer or leave the question out",
            )
    _check_tasks(benchmark, items)
    return items


def _row_at_hand(error: Exception) -> str | None:
    """Return the row in which a loader missed a key: by its id, or by its beginning; None where it is unknown.

    A loader of a plugin reads files in its own way, so the row is the mapping without the key in the place that failed.
    """
    trace = error.__traceback__
    if not isinstance(error, KeyError) or trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    lacking = [one for one in trace.tb_frame.f_locals.values() if isinstance(one, Mapping) and error.args[0] not in one]
    row = next((one for one in lacking if "id" in one), lacking[0] if len(lacking) == 1 else None)
    if row is None:
        return None
    return str(row["id"]) if "id" in row else shorten(str(dict(row)), ROW_LENGTH, placeholder=" …")


def _check_tasks(benchmark: BenchmarkSpec, items: Sequence[Item]) -> None:
    """Refuse a table that names question types which aren't there.

    The table of a scoring profile is another benchmark's. One with released sizes fits the whole released data, while
    these items may be a part of it.
    """
    if benchmark.scored_like:
        return
    found = tasks_of(items, benchmark.rule_sets)
    complete = len(benchmark.subsets) == 1 and not benchmark.sizes
    benchmark.table.check_tasks(found, benchmark.title, complete=complete)


def preset_of(benchmark: BenchmarkSpec, name: str | None, subset: str | None = None) -> PromptPreset:
    """Return the preset of that name, or the first; with the subset's number of frames if its truths hold for one.

    Raises:
        UsageError: there is none.
    """
    for preset in benchmark.presets:
        if name in (None, preset.name):
            return preset if subset is None else with_frames_of(preset, benchmark, subset)
    known = hint(name or "", [preset.name for preset in benchmark.presets])
    raise UsageError(f"{benchmark.title} has no preset '{name}'; {known}.")


def ids_from(option: str | None) -> tuple[str, ...]:
    """The ids of an option: 'a,b,c', a file with one id on each line or a JSON list of ids, or a run's folder or one of
    several runs: then all items that were asked there.

    Raises:
        InputError: the file can't be read, or the folder holds no run.
    """
    if not option:
        return ()
    path = Path(option)
    if _is(path.is_dir):
        return _asked_in(path)
    if _is(path.is_file):
        return _listed_in(path)
    return tuple(dict.fromkeys(part.strip() for part in option.split(",") if part.strip()))


def left_out_by(exclude: Sequence[str], benchmark: str) -> Selection:
    """The selection that `--exclude` makes.

    Args:
        exclude: its parts: ids, a file, a folder, or 'known-errors'.
        benchmark: by its name.

    Raises:
        InputError: as `ids_from`.
    """
    ids = [one for one in exclude if one.strip() != KNOWN_ERRORS]
    known = known_errors_of(benchmark) if len(ids) < len(exclude) else None
    return Selection(exclude=ids_from(",".join(ids)), known_errors=known)


def some_ids_from(option: str) -> tuple[str, ...]:
    """The ids of an option that selects items: no id at all is an error, and never all items.

    Raises:
        InputError: the file can't be read or names no id, or the folder holds no run.
        UsageError: the option names none.
    """
    found = ids_from(option)
    if found:
        return found
    if Path(option).is_file():
        raise InputError(option, "names no id", fix="write one on each line, or leave the file out to take all items")
    raise UsageError("--ids names no id; give one or more, or leave it out to take all items.")


def _is(look: Callable[[], bool]) -> bool:
    """Check whether a path is a file or a folder; a list of ids may be longer than a path can be."""
    try:
        return look()
    except OSError:
        return False


def _listed_in(path: Path) -> tuple[str, ...]:
    """The ids of a file: a JSON list, or one on each line. A byte order mark is passed over."""
    fix = "write one id on each line, or a JSON list of ids"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, f"can't be read as a list of ids ({error})", fix=fix) from None
    if not text.lstrip().startswith("["):
        return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(path, f"is no JSON list of ids ({error})", fix=fix) from None
    for number, one in enumerate(found, start=1):
        if isinstance(one, bool) or not isinstance(one, str | int):
            raise InputError(path, f"{one!r} is no id", row=number, fix=fix)
    return tuple(dict.fromkeys(name for one in found if (name := str(one).strip())))


def _asked_in(path: Path) -> tuple[str, ...]:
    """Return the ids of the questions of a run, or of any of the runs of a folder, in the items' order in each."""
    runs = [path] if (path / "run.json").is_file() else sorted(place.parent for place in path.glob("*/run.json"))
    if not runs:
        raise InputError(
            path, "holds no run", fix="name a run's folder, one of runs, or a file with one id on each line"
        )
    return tuple(dict.fromkeys(item.id for run in runs for item in run_folder.RunFolder(run).items()))


def imported_frames(count: int | None, items: Iterable[Item]) -> Frames:
    """The frames of answers that something else asked for.

    Args:
        count: that it says it showed of each video; None where it doesn't say.
        items: the questions.
    """
    if not any(media.kind == "video" for item in items for media in item.media):
        return Frames()
    return Frames(known=False) if count is None else Frames(count=count)
