"""Curating: existing question sets into one benchmark."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman.analyze.duplicates import QuestionText, leaks, media_names, near_duplicates
from tolman.curate import filtering
from tolman.curate.asking import Asker
from tolman.curate.mapping import Mapping as QuestionMapping, Taxonomy, open_mapping, shipped
from tolman.curate.pipeline import Done, Recipe, SourceEntry, Watch, Work, curate as carry_out, read_recipe
from tolman.errors import UsageError
from tolman.features.curate.config import (
    CurateCategoriesConfig,
    CurateConfig,
    CurateDuplicatesConfig,
    CurateImportConfig,
    CurateMappingsConfig,
)
from tolman.features.events import Advanced, Began, Ended, Events, Noted, silent
from tolman.files import check_report, write_text
from tolman.items import Media
from tolman.media.frame_store import FrameStore, default_root
from tolman.parallel import Workers, place_of
from tolman.reports.charts.bar_forms import COUNTS_FORM
from tolman.reports.charts.chart import Chart, frame, rendered
from tolman.reports.svg_figures import why_not_drawn
from tolman.runs.run_items import load


@dataclass(frozen=True)
class CurateResult:
    """Stages that were carried out.

    Attributes:
        out: the pool's folder.
        stages: each with its statistics, in order.
        failed: calls of the last stage that must be made again; the same config makes them.
    """

    out: Path
    stages: tuple[Done, ...]
    failed: int

    @property
    def benchmark(self) -> Path | None:
        """The folder of the benchmark, where it was published."""
        last = self.stages[-1]
        return last.folder if last.name == "benchmark" and not self.failed else None


@dataclass(frozen=True)
class CurateImportResult:
    """A question set that was read.

    Attributes:
        stage: with its statistics.
        left_out: rows that couldn't be read, each with file, row and reason.
    """

    stage: Done
    left_out: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class DuplicatesResult:
    """Questions that occur twice in a benchmark, or also occur in another one.

    Attributes:
        benchmark, against: names; None for a benchmark by itself.
        questions: of the benchmark.
        rows: within a benchmark, groups as `members` and `different_answers`; against another, pairs as `id`, `same_as`
            and `different_answers`.
        media_looked_at: media whose content was compared; the others were compared by their names.
        out: the file that the rows were written to; None where there is none.
    """

    benchmark: str
    against: str | None
    questions: int
    rows: tuple[dict[str, Any], ...]
    media_looked_at: int
    out: Path | None


def curate(config: CurateConfig, events: Events = silent) -> CurateResult:
    """Carry out a recipe: import, filter, convert, stratify, verify and publish. The same config goes on.

    Raises:
        UsageError: there is no such stage in the recipe, or no model to replace.
        InputError: the folder holds something else, or the recipe or a source can't be read.
        EndpointError, RunInterruptedError: as for `tolman run`.
    """

    recipe = changed(read_recipe(config.recipe), config.model, config.base_url, config.concurrency)
    done = _stages(recipe, config.out, config.store, config.until, events, _place(config))
    for one in done:
        if one.name != "stratify":
            continue
        if missing := why_not_drawn():
            events(Noted(f"The figure of 'stratify' is left out. {missing}"))
        else:
            write_text(one.folder / "statistics.svg", rendered(statistics_chart(one.statistics), COUNTS_FORM))
    return CurateResult(config.out, tuple(done), done[-1].failed)


DRAWN = ("category", "scale", "factor", "information", "change", "source", "options", "media")
"""Labels whose shares are drawn."""


def statistics_chart(statistics: Mapping[str, Any]) -> Chart:
    """The shares of the values of each label (panel) in the pool before and after the draw (series)."""
    before, after = statistics["before"], statistics["after"]
    rows = [
        {
            "panel": label,
            "series": f"{when}, n = {pool['candidates']:,}",
            "role": "run",
            "label": str(value),
            "value": 100 * pool[label].get(value, 0) / max(1, pool["candidates"]),
        }
        for label in DRAWN
        if label in before and label in after
        for value in dict.fromkeys([*after[label], *before[label]])
        for when, pool in (("before", before), ("after", after))
    ]
    return Chart(frame(rows), "The pool before and after the draw", x="share of the pool, %")


def changed(
    recipe: Recipe, model: str | None = None, base_url: str | None = None, concurrency: int | None = None
) -> Recipe:
    """Return the recipe with another model for classifying; settings of None stay the recipe's.

    Raises:
        UsageError: the recipe doesn't classify.
    """
    changes = {"model": model, "base_url": base_url, "concurrency": concurrency}
    given = {name: value for name, value in changes.items() if value is not None}
    if not given:
        return recipe
    if recipe.classify is None:
        raise UsageError("the recipe has no [classify], so there is no model to replace.")
    return recipe.model_copy(update={"classify": recipe.classify.model_copy(update=given)})


def import_questions(config: CurateImportConfig, events: Events = silent) -> CurateImportResult:
    """Read one question set into a pool, to see the result of a mapping.

    Raises:
        UsageError: there is no such mapping.
        InputError: the folder holds something else, or the data can't be read.
    """

    entry = SourceEntry(mapping=config.mapping, data=config.data, media=config.media)
    recipe = Recipe(name=Recipe.source_name(entry), sources=(entry,))
    (done,) = _stages(recipe, config.out, None, "import", events)
    lost = (done.folder / "unmapped.jsonl").read_text(encoding="utf-8").splitlines()
    return CurateImportResult(done, tuple(json.loads(line) for line in lost))


def list_mappings(config: CurateMappingsConfig | None = None) -> list[QuestionMapping]:
    """The mappings of the package by name, or the one that the config names.

    Raises:
        UsageError, InputError: there is none of that name, or its file can't be read.
    """

    wanted = config.name if config is not None else None
    return [open_mapping(name) for name in ([wanted] if wanted else shipped())]


def induce_categories(config: CurateCategoriesConfig, events: Events = silent) -> Taxonomy:
    """Let a model group the question sets' own labels into categories, and write them as a taxonomy.

    Raises:
        UsageError: the recipe names no model.
        InputError: the pool holds no imported candidates.
        EndpointError: the model gave none that can be read.
    """
    if config.out.exists():
        raise UsageError(f"{config.out} is there already; give another file with --out.")
    recipe = changed(read_recipe(config.recipe), config.model, config.base_url)
    if recipe.classify is None:
        raise UsageError("the recipe has no [classify] with a model to ask.")
    events(Began("grouping labels"))
    with Asker(recipe.classify, config.store, config.pool) as asker:
        taxonomy = filtering.induce_categories(asker, config.pool / "import", config.count, config.out.stem)
    events(Ended())
    write_text(config.out, filtering.toml_of(taxonomy))
    return taxonomy


def find_duplicates(config: CurateDuplicatesConfig, events: Events = silent) -> DuplicatesResult:
    """Find questions that occur twice in a benchmark, or also occur in another one.

    Raises:
        UsageError, InputError: a benchmark that can't be loaded.
    """

    if config.out is not None:
        check_report(config.out)
    frames = None if config.names_only else FrameStore(default_root())
    loaded = [load(config.benchmark, config.data, config.subset)]
    if config.against is not None:
        loaded.append(load(config.against, config.against_data, config.against_subset))
    events(Began("looking at media"))
    media = [[_absolute(one.folder, medium) for medium in item.media] for one in loaded for item in one.items]
    names, looked_at = media_names(media, Path("/"), frames, workers=_place(config))
    events(Began("comparing questions"))
    questions: list[QuestionText] = []
    for origin, one in zip(("own", "other"), loaded, strict=False):
        for item in one.items:
            about = names[len(questions)]
            questions.append(QuestionText.of(item.id, origin, item.question, about, item.answer_text, item.options))
    groups = near_duplicates(questions)
    rows: list[dict[str, Any]]
    if config.against is None:
        rows = [
            {"members": [questions[i].id for i in group.members], "different_answers": group.conflict}
            for group in groups
        ]
    else:
        rows = [
            {"id": mine.id, "same_as": theirs.id, "different_answers": mine.answer != theirs.answer}
            for mine, theirs in leaks(groups, questions)
        ]
    events(Ended())
    if config.out is not None:
        write_text(config.out, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return DuplicatesResult(config.benchmark, config.against, len(loaded[0].items), tuple(rows), looked_at, config.out)


def _place(config: CurateConfig | CurateDuplicatesConfig) -> Workers | None:
    """Return the place where media are read; None where not stated."""

    return None if config.on is None and config.workers is None else place_of(config.on, config.workers)


def _absolute(folder: Path, medium: Media) -> Media:
    return medium.model_copy(update={"path": str((folder / medium.path).absolute()).lstrip("/")})


def _stages(
    recipe: Recipe,
    out: Path,
    store: Path | str | None,
    until: str | None,
    events: Events,
    workers: Workers | None = None,
) -> Sequence[Done]:
    class Told(Watch):
        """A watch that turns its reports into events."""

        def __init__(self) -> None:
            self._stage = ""

        def stage(self, name: str) -> None:
            self._stage = name
            events(Began(name))

        def begin(self, what: str, total: int | None) -> None:
            events(Began(f"{self._stage}: {what}", total))

        def advance(self, count: int = 1) -> None:
            events(Advanced(count))

    done = carry_out(recipe, out, Work(recipe, out, store, Told(), workers), until)
    events(Ended())
    return done
