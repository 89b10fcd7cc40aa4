"""Loading what a run is about: a benchmark's items and a preset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from tolman import benchmarks
from tolman.benchmarks.base import BenchmarkSpec, PromptPreset
from tolman.benchmarks.folder import is_folder
from tolman.errors import InputError, TolmanError, UsageError
from tolman.item_table import first_problem
from tolman.items import Item
from tolman.names import hint


@dataclass(frozen=True)
class Loaded:
    """A benchmark's items, and where they came from.

    Attributes:
        benchmark, subset, items: what was loaded.
        folder: where the questions were.
        source: the folder, or the hub's data set and commit.
        revision: that was asked of the hub, or None.
        from_hub: whether they came from it.
    """

    benchmark: BenchmarkSpec
    subset: str
    items: list[Item]
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
        from tolman.benchmarks.hub import fetch_media
        from tolman.media.store import default_root

        return fetch_media(hub, default_root().parent / "media", self.revision)


def load(name: str, data: Path | None, subset: str | None, revision: str | None = None) -> Loaded:
    """A subset of a benchmark.

    Args:
        name: of a benchmark, or a folder that is one.
        data: a local folder or file; where None the folder itself, or the hub.
        subset: the benchmark's first where None.
        revision: of the hub's data set.

    Raises:
        UsageError: no such benchmark or subset, or the hub can't be reached.
        InputError: the data is not the benchmark's.
    """
    benchmark = benchmarks.get(name)
    chosen = subset or next(iter(benchmark.subsets))
    if chosen not in benchmark.subsets:
        raise UsageError(f"{benchmark.title} has no subset '{chosen}'; {hint(chosen, benchmark.subsets)}.")
    if data is None and is_folder(name):
        data = Path(name)
    if data is not None:
        folder = data.parent if data.is_file() else data
        return Loaded(benchmark, chosen, _items(benchmark, data, chosen), folder, str(data))
    if benchmark.hub is None:
        raise UsageError(f"{benchmark.title} isn't on the hub; give its folder with --data FOLDER.")
    from tolman.benchmarks.hub import fetch

    folder = fetch(benchmark.hub, revision)
    source = f"{benchmark.hub.repository}@{folder.name}"
    return Loaded(benchmark, chosen, _items(benchmark, folder, chosen), folder, source, revision, from_hub=True)


def _items(benchmark: BenchmarkSpec, data: Path, subset: str) -> list[Item]:
    """The items of a subset, whose true values the benchmark's metric can be computed for."""
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
        raise InputError(data, what, fix=f"check that it is the data of {benchmark.name}") from error
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


def _check_tasks(benchmark: BenchmarkSpec, items: Sequence[Item]) -> None:
    """Refuse a table that names question types which aren't there.

    The table of a scoring profile is another benchmark's, and one with released sizes fits the released data, of which
    these items may be a part.
    """
    if benchmark.scored_like:
        return
    found = {rules.task(item) for rules in benchmark.rule_sets for item in items} - {""}
    complete = len(benchmark.subsets) == 1 and not benchmark.sizes
    benchmark.table.check_tasks(found, benchmark.title, complete=complete)


def preset_of(benchmark: BenchmarkSpec, name: str | None) -> PromptPreset:
    """The preset of that name; the first where None.

    Raises:
        UsageError: there is none.
    """
    for preset in benchmark.presets:
        if name in (None, preset.name):
            return preset
    known = hint(name or "", [preset.name for preset in benchmark.presets])
    raise UsageError(f"{benchmark.title} has no preset '{name}'; {known}.")
