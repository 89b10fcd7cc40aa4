"""Scoring responses that are there already: another program's file, or a run's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tolman import benchmarks, models
from tolman.errors import UsageError
from tolman.item_table import data_hash
from tolman.models.base import HasExpectation, KnowsTheTruth, ModelOptions
from tolman.names import unknown
from tolman.outcomes import Outcomes
from tolman.responses import Outcome
from tolman.runs.folder import RunFolder, RunRecord, RunSettings, default_folder, is_blind
from tolman.runs.imports import formats, read_import
from tolman.runs.judging import JudgeRequest, judge_run
from tolman.runs.load import Loaded, load, preset_of
from tolman.runs.request import Started
from tolman.runs.score_rows import PlaceFor
from tolman.runs.scoring import score_run
from tolman.runs.selection import Selection

_ALL = Selection()


def score_file(
    path: Path,
    *,
    benchmark: str | None,
    data: Path | None = None,
    subset: str | None = None,
    revision: str | None = None,
    form: str | None = None,
    name: str | None = None,
    preset: str | None = None,
    out: Path | None = None,
    seed: int = 0,
    failures_are_wrong: bool = False,
    metrics: Sequence[str] = (),
    workers: PlaceFor | None = None,
) -> tuple[RunFolder, dict[str, Any]]:
    """Score a file of responses into a new run folder.

    Raises:
        UsageError: no benchmark named, or an unknown name.
        InputError: the file's rows don't fit the benchmark's.
    """
    if benchmark is None:
        raise UsageError(f"which benchmark answers {path}? Name it with --benchmark.")
    if form is not None and form not in formats():
        raise unknown("response format", form, formats())
    loaded = load(benchmark, data, subset, revision, held=False)
    imported = read_import(path, loaded.items, form, same_truths=bool(loaded.benchmark.frame_counts))
    origin = {"imported": path.name}
    if imported.program:
        origin |= {"program": imported.program, "version": imported.version, "joined_by": imported.by}
    return score_outcomes(
        loaded, imported.outcomes, benchmark=benchmark, model=name or path.stem, model_settings=origin,
        preset=preset, out=out, seed=seed, failures_are_wrong=failures_are_wrong, metrics=metrics, workers=workers,
    )  # fmt: skip


def score_outcomes(
    loaded: Loaded,
    outcomes: Iterable[Outcome] | Outcomes,
    *,
    benchmark: str,
    model: str,
    model_settings: dict[str, Any],
    selection: Selection = _ALL,
    preset: str | None = None,
    out: Path | None = None,
    seed: int = 0,
    failures_are_wrong: bool = False,
    metrics: Sequence[str] = (),
    workers: PlaceFor | None = None,
) -> tuple[RunFolder, dict[str, Any]]:
    """Score what something other than a run brought, into a new run folder.

    Args:
        loaded: the benchmark's items.
        outcomes: one or more, each for an item that was asked; items without one count as missing.
        benchmark: as the user names it.
        model: who answered.
        model_settings: where the outcomes come from.
        selection: what was asked; all items by default.
        preset, out, seed, failures_are_wrong, metrics: as for a run.
        workers: where responses are read; see `scoring.score_run`.

    Raises:
        UsageError: an unknown preset, or a selection that leaves no item.
        RunConflictError: the folder holds another run.
    """
    came = outcomes if isinstance(outcomes, Outcomes) else Outcomes.of(outcomes)
    items = selection.apply(loaded.items)
    chosen = preset_of(loaded.benchmark, preset, loaded.subset)
    settings = RunSettings(
        benchmark=benchmark,
        subset=loaded.subset,
        data_hash=data_hash(loaded.items),
        model=model,
        model_settings=model_settings,
        protocol="direct",
        preset=chosen.name,
        sampling=chosen.sampling,
        frames=chosen.frames,
        repeats=1 + max(repeat for _, repeat in came),
        seed=seed,
        selection=selection,
    )
    record = RunRecord(
        settings=settings, subset_items=len(loaded.items), data=loaded.source, failures_are_wrong=failures_are_wrong
    )
    folder = RunFolder(out or default_folder(settings))
    with folder.sole_writer():
        folder.start(record)
        folder.write_items(items)
        folder.write_outcomes(came.values())
        return folder, score_run(folder, loaded.benchmark, record, items, came, metrics=metrics, workers=workers)


def score_folder(
    path: Path, metrics: Sequence[str] = (), workers: PlaceFor | None = None
) -> tuple[RunFolder, dict[str, Any]]:
    """Score a run's stored responses again, with this version's rules.

    Args:
        path: of the folder.
        metrics: names of further metrics; those that it was scored with before where none is named.
        workers: where responses are read; see `scoring.score_run`.

    Raises:
        InputError: the folder is no run's.
        RunConflictError: a run is at work in it.
    """
    folder = RunFolder(path)
    record = folder.record()
    with folder.sole_writer():
        return folder, _score_again(folder, record, metrics, workers)


def _score_again(
    folder: RunFolder, record: RunRecord, metrics: Sequence[str] = (), workers: PlaceFor | None = None
) -> dict[str, Any]:
    benchmark = benchmarks.get(record.settings.benchmark)
    items, outcomes = folder.open_items(), Outcomes.of(folder.each_outcome())
    expectation = None
    if is_blind(record.settings.model):
        model = models.create(record.settings.model, ModelOptions(seed=record.settings.seed))
        if isinstance(model, KnowsTheTruth) and len(items) == (record.presented_items or record.subset_items):
            model.prepare(benchmark, items)
            expectation = model if isinstance(model, HasExpectation) else None
    return score_run(
        folder, benchmark, record, items, outcomes, expectation=expectation, metrics=metrics, workers=workers
    )


def judge_folder(
    path: Path,
    request: JudgeRequest,
    *,
    started: Callable[[Started], None] = lambda started: None,
    done: Callable[[Outcome], None] = lambda outcome: None,
    noted: Callable[[str], None] = lambda sentence: None,
) -> tuple[RunFolder, dict[str, Any]]:
    """Have a model read a run's responses, and score it again.

    Raises:
        UsageError: the judge can't be one.
        InputError: the folder is no run's.
        EndpointError: the judge's first call showed that none can succeed.
        RunConflictError: a run is at work in the folder.
    """
    judge = request.open()
    folder = RunFolder(path)
    record = folder.record()
    with folder.sole_writer():
        judge_run(
            folder, benchmarks.get(record.settings.benchmark), folder.items(), folder.outcomes(), request, judge,
            done=done, noted=noted, seed=record.settings.seed,
            started=lambda calls, tally, remote: started(
                Started(calls, path, tally, bool(request.prices), remote, "judging")
            ),
        )  # fmt: skip
        return folder, _score_again(folder, record)
