"""Benchmark: a loaded benchmark, its questions in memory."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import ValidationError

from tolman import features
from tolman.benchmarks.benchmark_folder import FILE, PROFILE, is_folder
from tolman.errors import InputError, UsageError, counted
from tolman.extras import LazyModule
from tolman.features.notebook import Displayable, NotebookTable, given_as
from tolman.features.rewards import mark, origin_of
from tolman.files import check_folder, write_text
from tolman.forks import check_fork
from tolman.item_table import data_hash, schema, to_row, write_items
from tolman.items import Item
from tolman.messages import Sampling
from tolman.runs.run_items import Loaded, imported_frames, load as load_items, preset_of
from tolman.storage import is_url

if TYPE_CHECKING:
    from tolman.benchmarks.spec import BenchmarkSpec
    from tolman.features.scores import Scores
    from tolman.runs import run_folder, run_scoring
else:
    run_folder, run_scoring = LazyModule("tolman.runs.run_folder"), LazyModule("tolman.runs.run_scoring")


class Benchmark(Displayable):
    """A loaded benchmark: its questions in memory, with the prompts, scorers and table that belong to them.

    Args:
        loaded: the questions with their source.
        in_memory: whether the questions are in no folder.
        scoring_profile: of questions in no folder, the benchmark whose prompts, scorers and table they use.
    """

    def __init__(self, loaded: Loaded, *, in_memory: bool = False, scoring_profile: str | None = None) -> None:
        self.loaded, self.in_memory, self._profile = loaded, in_memory, scoring_profile
        origin = scoring_profile or "" if in_memory else _origin(loaded.benchmark.name)
        self._items = [mark(item, origin) for item in loaded.items]

    @classmethod
    def load(
        cls, name: str | Path, *, data: Path | None = None, subset: str | None = None, revision: str | None = None
    ) -> Benchmark:
        """The benchmark of a name or a folder.

        Raises:
            UsageError: no such benchmark or subset, or the hub can't be reached.
            InputError: the data is not the benchmark's.
        """
        check_fork()
        place = str(name)
        if isinstance(name, Path) and not name.is_absolute() and "/" not in place:
            place = f"./{place}"
        return cls(load_items(place, data, subset, revision))

    @classmethod
    def of_items(
        cls, items: Iterable[Item | Mapping[str, Any]], *, name: str = "items", scoring_profile: str | None = None
    ) -> Benchmark:
        """A benchmark of the user's own questions.

        Args:
            items: `Item`s, or mappings of their fields.
            name: its name.
            scoring_profile: the benchmark whose prompts, scorers and table it uses. If None, the one that all items
                were loaded with; where there is none, a plain prompt, the scorer `careful` and a figure for each
                question type.

        Raises:
            UsageError: nothing, something that is no item, two items of one id, or an unknown benchmark.
        """
        check_fork()
        checked = _checked(items)
        origins = {origin_of(item) for item in checked}
        if scoring_profile is None and len(origins) == 1 and not is_folder(*origins):
            scoring_profile = origins.pop() or None
        with tempfile.TemporaryDirectory(prefix="tolman-") as place:
            folder = _write(Path(place), checked, _card(name, scoring_profile))
            loaded = load_items(str(folder), None, None)
        spec = replace(loaded.benchmark, name=name)
        loaded = replace(loaded, benchmark=spec, items=checked, folder=Path(), source=name)
        return cls(loaded, in_memory=True, scoring_profile=scoring_profile)

    @property
    def spec(self) -> BenchmarkSpec:
        """Prompts, presets, scorers, table and published rows."""
        return self.loaded.benchmark

    @property
    def name(self) -> str:
        """Return its name in commands."""
        return self.spec.name

    @property
    def title(self) -> str:
        """Return its authors' name for it."""
        return self.spec.title

    @property
    def subset(self) -> str:
        """Which part of it is loaded."""
        return self.loaded.subset

    def items(self) -> list[Item]:
        """The questions, in their order."""
        return list(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __getitem__(self, id: str) -> Item:
        """The question of that id.

        Raises:
            KeyError: there is none.
        """
        return self._by_id[id]

    def table(self, *, pandas: bool = False) -> pl.DataFrame | Any:
        """One row for each question, with the columns of a published benchmark (`tolman.item_table`).

        Args:
            pandas: give a pandas frame in place of a Polars one.

        Raises:
            MissingExtraError: pandas is wanted and not installed.
        """
        check_fork()
        rows = [to_row(item) for item in self._items]
        return given_as(pl.DataFrame(rows, schema=schema(), orient="row"), pandas=pandas)

    def score(
        self,
        responses: Any,
        *,
        name: str = "responses",
        scorer: str | None = None,
        preset: str | None = None,
        seed: int = 0,
        count_failures_as_wrong: bool = False,
    ) -> Scores:
        """Score responses; nothing is written.

        The questions that have an entry are those that are scored: a batch of 64 gives figures of 64 questions, which
        say so (`Scores.remarks`), and none of the others counts as missing. None as a response is a call that failed.
        Items that count as one question (`Item.all_of`) are all scored where one has an entry.

        Args:
            responses: item's id → text, or a data frame with the columns `id` and `response`; see `tolman.score`.
            name: the model's.
            scorer: the one scorer to use, such as 'official', which is the quickest; all of the preset's where None.
            preset: the prompt preset it was asked with, which names the scorers; the first where None.
            seed: of released parsers that draw at random.
            count_failures_as_wrong: score items without an answer 0 instead of leaving them out.

        Raises:
            UsageError: an id that the benchmark doesn't have, a value that is no text, or an unknown scorer or preset.
        """
        check_fork()
        outcomes = features.run.score_responses.outcomes_of(responses, self._items)
        items = _asked(self._items, {outcome.id for outcome in outcomes})
        chosen = preset_of(self.spec, preset, self.subset)
        settings = run_folder.RunSettings(
            benchmark=self.name,
            subset=self.subset,
            data_hash=self._hash,
            model=name,
            model_settings={"imported": "memory"},
            protocol="direct",
            preset=chosen.name,
            sampling=Sampling(temperature=None),
            frames=imported_frames(None, items),
            repeats=1 + max(outcome.repeat for outcome in outcomes),
            seed=seed,
        )
        record = run_folder.RunRecord(
            settings=settings,
            subset_items=len(self._items),
            data=self.loaded.source,
            failures_are_wrong=count_failures_as_wrong,
        )
        rows, figures = run_scoring.compute_scores(self.spec, record, items, outcomes, scorer=scorer)
        labelled = features.scores.Labelled(lambda: items, self.spec.table_of, self.spec.asks_judge)
        return features.scores.Scores(
            self.title, self.spec.table, figures, rows, questions=len(self._items), labelled=labelled
        )

    def save(self, folder: Path | str, *, overwrite: bool = False) -> Path:
        """Write it as a benchmark folder, which `tolman run` and `tolman.load` open; media stay where they are.

        Args:
            folder: new, empty, or one that holds the same questions.
            overwrite: replace a benchmark with other questions.

        Returns:
            The folder.

        Raises:
            UsageError: the folder holds something else, or other questions.
        """
        _check_folder(Path(folder), self._hash, overwrite=overwrite)
        own = self.loaded.folder / FILE
        if not self.in_memory and own.is_file():
            return _write(Path(folder), self._items, json.loads(own.read_text(encoding="utf-8")))
        like = self._profile if self.in_memory else self.name
        return _write(Path(folder), self._items, _card(self.title, like))

    def _title(self) -> str:
        return f"{self.title} · {self.subset}: {counted(len(self), 'item')}"

    def _shown(self) -> NotebookTable:
        columns = ("id", "task", "question", "options", "answer", "scene")
        shown = self.table().select(columns).with_columns(pl.col("options").list.join(" | "))
        return NotebookTable.of(shown, self.spec.credits)

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self._items}

    @cached_property
    def _hash(self) -> str:
        return data_hash(self._items)


def load(
    benchmark: str | Path | Iterable[Item | Mapping[str, Any]],
    *,
    data: Path | str | None = None,
    subset: str | None = None,
    revision: str | None = None,
    name: str = "items",
    scoring_profile: str | None = None,
) -> Benchmark:
    """Load a benchmark's questions, or make a benchmark of your own.

    Args:
        benchmark: a name such as 'vsi-bench', a folder that is a benchmark, or questions: `Item`s or mappings of their
            fields.
        data: a local folder or file with the released data; the Hugging Face hub where None.
        subset: a named part; the benchmark's first where None.
        revision: commit of the hub's data set, other than the pinned one.
        name: of a list of questions.
        scoring_profile: of a list of questions, the benchmark whose prompts, scorers and table it uses. If None, the
            one that all of them were loaded with; where there is none, a plain prompt and the scorer `careful`.

    Raises:
        UsageError: no such benchmark or subset, a list with something else in it, or the hub can't be reached.
        InputError: the data is not the benchmark's.
    """
    if isinstance(benchmark, str | Path):
        return Benchmark.load(benchmark, data=None if data is None else Path(data), subset=subset, revision=revision)
    return Benchmark.of_items(benchmark, name=name, scoring_profile=scoring_profile)


def _asked(items: list[Item], ids: set[str]) -> list[Item]:
    """The questions of some ids, with all items that count as one question with one of them."""
    if len(ids) == len(items):
        return items
    wanted = {item.all_of or item.id for item in items if item.id in ids}
    return [item for item in items if (item.all_of or item.id) in wanted]


def _checked(items: Iterable[Item | Mapping[str, Any]]) -> list[Item]:
    found: dict[str, Item] = {}
    for number, one in enumerate(items, start=1):
        try:
            item = one if isinstance(one, Item) else Item.model_validate(one)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
            what = f"{field}: " if field else ""
            said = first["msg"].removeprefix("Value error, ")
            raise UsageError(f"item {number} of the list is no question ({what}{said}).") from None
        if item.id in found:
            raise UsageError(f"two items have the id {item.id!r}; give each its own.")
        found[item.id] = item
    if not found:
        raise UsageError("a benchmark needs one question or more.")
    return list(found.values())


def _origin(name: str) -> str:
    """The name of a benchmark, or the absolute path of its folder, for processes that work elsewhere."""
    return str(Path(name).resolve()) if is_folder(name) and not is_url(name) else name


def _check_folder(folder: Path, own: str, *, overwrite: bool) -> None:
    """Make sure that saving replaces no other folder and no other questions."""
    check_folder(folder, "benchmark", "save(FOLDER)", outside=False)
    if overwrite or not (folder / FILE).is_file():
        return
    try:
        same = data_hash(load_items(f"{folder}/", None, None).items) == own
    except InputError:
        same = False
    if not same:
        raise UsageError(f"{folder} holds other questions; give save() another folder, or overwrite=True.")


def _card(title: str, profile: str | None) -> dict[str, Any]:
    return {"title": title, "licence": "", **({PROFILE: profile} if profile else {})}


def _write(folder: Path, items: Sequence[Item], card: Mapping[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_items(folder / "items.parquet", items)
    write_text(folder / FILE, json.dumps(card, indent=2, ensure_ascii=False) + "\n")
    return folder
