"""One run from its settings to its scores."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tolman import benchmarks, models, protocols
from tolman.benchmarks.base import Benchmark, Preset
from tolman.errors import UsageError
from tolman.item_table import data_hash
from tolman.items import Item
from tolman.models.base import HasExpectation, KnowsTheTruth, ModelOptions
from tolman.responses import Outcome
from tolman.runs.engine import execute
from tolman.runs.folder import RunFolder, RunRecord, RunSettings, default_folder
from tolman.runs.scoring import score_run
from tolman.runs.selection import Selection


@dataclass(frozen=True)
class RunRequest:
    """What the user asked for.

    Attributes:
        benchmark, model, protocol: names.
        data: a local folder; the hub where None.
        revision: of the hub's data set, other than the pinned one.
        subset, preset: names; the benchmark's first where None.
        out: the run's folder; a default under ./runs where None.
        options: of the model.
        selection: which items.
        repeats: how often each item is asked.
        failures_are_wrong: score failed items 0.
    """

    benchmark: str
    model: str
    protocol: str = "direct"
    data: Path | None = None
    revision: str | None = None
    subset: str | None = None
    preset: str | None = None
    out: Path | None = None
    options: ModelOptions = ModelOptions()
    selection: Selection = Selection()
    repeats: int = 1
    failures_are_wrong: bool = False


@dataclass(frozen=True)
class Loaded:
    """A benchmark's items, and where they came from."""

    benchmark: Benchmark
    subset: str
    items: list[Item]
    source: str


def load(name: str, data: Path | None, subset: str | None, revision: str | None = None) -> Loaded:
    """A subset of a benchmark.

    Raises:
        UsageError: no such benchmark or subset, or the hub can't be reached.
        InputError: the data is not the benchmark's.
    """
    benchmark = benchmarks.get(name)
    chosen = subset or next(iter(benchmark.subsets))
    if chosen not in benchmark.subsets:
        raise UsageError(f"{benchmark.title} has no subset '{chosen}'; known: {', '.join(benchmark.subsets)}.")
    if data is None:
        if benchmark.hub is None:
            raise UsageError(f"{benchmark.title} isn't on the hub; give its folder with --data FOLDER.")
        from tolman.benchmarks.hub import fetch

        folder = fetch(benchmark.hub, revision)
        source = f"{benchmark.hub.repository}@{folder.name}"
    else:
        folder, source = data, str(data)
    return Loaded(benchmark, chosen, benchmark.load(folder, chosen), source)


def preset_of(benchmark: Benchmark, name: str | None) -> Preset:
    """The preset of that name; the first where None.

    Raises:
        UsageError: there is none.
    """
    for preset in benchmark.presets:
        if name in (None, preset.name):
            return preset
    raise UsageError(
        f"{benchmark.title} has no preset '{name}'; known: {', '.join(p.name for p in benchmark.presets)}."
    )


def run(
    request: RunRequest, *, started: Callable[[int, Path], None], done: Callable[[Outcome], None]
) -> tuple[RunFolder, dict[str, Any]]:
    """Ask, score and write.

    Args:
        request: what was asked for.
        started: called with the number of calls and the folder before the first call.
        done: called with every outcome as it comes.

    Returns:
        The run's folder and what its scores.json holds.

    Raises:
        TolmanError: before the first call, for everything that can be known before it.
    """
    protocol = protocols.get(request.protocol)
    model = models.create(request.model, request.options)
    loaded = load(request.benchmark, request.data, request.subset, request.revision)
    preset = preset_of(loaded.benchmark, request.preset)
    items = request.selection.apply(loaded.items)
    settings = RunSettings(
        benchmark=request.benchmark,
        subset=loaded.subset,
        data_hash=data_hash(loaded.items),
        model=model.name,
        model_settings=dict(model.settings),
        protocol=protocol.name,
        preset=preset.name,
        sampling=preset.sampling,
        frames=preset.frames,
        repeats=request.repeats,
        seed=request.options.seed,
        selection=request.selection,
    )
    folder = RunFolder(request.out or default_folder(settings))
    record = RunRecord(
        settings=settings,
        subset_items=len(loaded.items),
        data=loaded.source,
        failures_are_wrong=request.failures_are_wrong,
    )
    folder.start(record, items)
    if isinstance(model, KnowsTheTruth):
        model.prepare(loaded.benchmark, loaded.items)
    started(len(items) * request.repeats, folder.path)
    outcomes = asyncio.run(
        execute(loaded.benchmark, items, model, protocol, preset, repeats=request.repeats, done=done)
    )
    folder.write_outcomes(outcomes)
    expectation = model if isinstance(model, HasExpectation) else None
    return folder, score_run(folder, loaded.benchmark, record, items, outcomes, expectation=expectation)
