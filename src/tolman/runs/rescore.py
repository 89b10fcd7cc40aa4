"""Scoring responses that are there already: another program's file, or a run's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolman import benchmarks, models, protocols
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import UsageError, counted, unknown
from tolman.extras import LazyModule
from tolman.item_table import data_hash, field_values
from tolman.items import Item, Selection
from tolman.messages import Sampling
from tolman.models.model import HasExpectation, KnowsTheTruth, Model, ModelOptions
from tolman.responses import Outcome, Outcomes
from tolman.runs.imports import Imported, formats, read_import
from tolman.runs.logs.join import NotJoinedError
from tolman.runs.places import check_run_folder, default_folder, imported_places
from tolman.runs.request import Started
from tolman.runs.run_folder import RunFolder, RunRecord, RunSettings, is_blind
from tolman.runs.run_items import Loaded, imported_frames, left_out_by, load, preset_of
from tolman.runs.run_scoring import PlaceFor, score_run
from tolman.visible import visible

if TYPE_CHECKING:
    from tolman.runs import judging
else:
    judging = LazyModule("tolman.runs.judging")

_ALL = Selection()


def score_file(
    path: Path | Sequence[Path],
    *,
    benchmark: str | None,
    data: Path | None = None,
    subset: str | None = None,
    revision: str | None = None,
    form: str | None = None,
    columns: Mapping[str, str] | None = None,
    name: str | None = None,
    preset: str | None = None,
    out: Path | None = None,
    seed: int = 0,
    failures_are_wrong: bool = False,
    metrics: Sequence[str] = (),
    workers: PlaceFor | None = None,
    noted: Callable[[str], None] = lambda sentence: None,
    exclude: Sequence[str] = (),
    read: Callable[[Imported], None] = lambda imported: None,
) -> tuple[RunFolder, dict[str, Any]]:
    """Score a file of responses into a new run folder; several files, or folders of logs, together. Responses to all
    questions of a benchmark are cut to a subset that is a part of them; `noted` is called with a sentence then.
    `read` is called with the responses, before they are scored. Questions that `exclude` names
    (`run_items.left_out_by`) are left out.

    Raises:
        UsageError: no benchmark named, an unknown name, or no response is left.
        InputError: the file's rows don't fit the benchmark's.
    """
    paths = [path] if isinstance(path, Path) else list(path)
    if benchmark is None:
        raise UsageError(f"which benchmark answers {paths[0]}? Name it with --benchmark.")
    if form is not None and form not in formats():
        raise unknown("response format", form, formats())
    loaded = load(benchmark, data, subset, revision, held=False)
    same_truths = bool(loaded.benchmark.frame_counts)
    try:
        imported = read_import(paths, loaded.items, form, same_truths=same_truths, columns=columns)
    except NotJoinedError:
        whole = _whole(loaded, benchmark, data, revision)
        if whole is None:
            raise
        imported = read_import(paths, whole.items, form, same_truths=same_truths, columns=columns)
        imported, left_out = _cut(imported, set(field_values(loaded.items, "id")))
        if not imported.outcomes:
            raise
        responses = counted(left_out, "response is to a question", "responses are to questions")
        noted(f"{responses} outside the subset {loaded.subset} and left out.")
    read(imported)
    if len(imported.files) == 1:  # the same for a log and for the folder that holds it alone
        paths = list(imported.files)
    origin: dict[str, Any] = {"imported": ", ".join(one.name for one in paths)}
    if len(imported.files) > 1:
        origin["files"] = [one.name for one in imported.files]
    if imported.columns:
        origin["columns"] = dict(imported.columns)
    if imported.program:
        origin |= {"program": imported.program, "version": imported.version, "joined_by": imported.by}
    selection = left_out_by(exclude, benchmark)
    if not selection.is_all:
        imported, _ = _cut(imported, set(field_values(selection.apply(loaded.items), "id")))
        if not imported.outcomes:
            raise UsageError(f"no response is left without the questions of {selection.describe()}.")
    return score_outcomes(
        loaded, imported.outcomes, benchmark=benchmark, model=name or _name_of(paths, imported), model_settings=origin,
        selection=selection, preset=preset, out=out, seed=seed, failures_are_wrong=failures_are_wrong, metrics=metrics,
        workers=workers, files=paths, frames=imported.frames,
    )  # fmt: skip


def _whole(loaded: Loaded, benchmark: str, data: Path | None, revision: str | None) -> Loaded | None:
    """The benchmark's default subset, where the one that is loaded is a part of it."""
    subset = next(iter(loaded.benchmark.subsets))
    if loaded.subset == subset:
        return None
    whole = load(benchmark, data, subset, revision, held=False)
    own = {item.id: item for item in loaded.items}
    same = sum(own.get(item.id) == item for item in whole.items)
    return whole if same == len(own) else None


def _cut(imported: Imported, ids: set[str]) -> tuple[Imported, int]:
    """Return a file's responses to some questions, and the number of others."""
    kept = Outcomes.of(outcome for outcome in imported.outcomes.values() if outcome.id in ids)
    scores = {key: score for key, score in imported.scores.items() if key[0] in ids}
    return replace(imported, outcomes=kept, scores=scores, figures={}), len(imported.outcomes) - len(kept)


def _name_of(paths: Sequence[Path], imported: Imported) -> str:
    """Return the name of a model whose responses are in files: as the log has it, without an owner, or else that of its
    file, or of the folder of several."""
    told = " ".join(visible(imported.model).rstrip("/").rpartition("/")[2].split())
    if told:
        return told
    if len(paths) == 1 and paths[0].exists():
        return paths[0].name if paths[0].is_dir() else paths[0].stem
    return paths[0].resolve().parent.name or "responses"


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
    files: Sequence[Path] = (),
    frames: int | None = None,
) -> tuple[RunFolder, dict[str, Any]]:
    """Score outcomes from outside a run, into a new run folder.

    Args:
        loaded: the benchmark's items.
        outcomes: one or more, each for an item that was asked; items without one count as missing.
        benchmark: as the user names it.
        model: that answered.
        model_settings: source of the outcomes.
        selection: items that were asked; all by default.
        preset, out, seed, failures_are_wrong, metrics: as for a run.
        workers: where responses are read; see `runs.run_scoring.score_run`.
        files: that the outcomes were read from. A folder with responses of other files is refused.
        frames: that the model was shown of each video; None where that isn't known.

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
        sampling=Sampling(temperature=None),
        frames=imported_frames(frames or loaded.benchmark.frame_counts.get(loaded.subset, (None,))[0], items),
        repeats=1 + max(repeat for _, repeat in came),
        seed=seed,
        selection=selection,
    )
    folder = RunFolder(out or default_folder(settings))
    record = RunRecord(
        settings=settings, subset_items=len(loaded.items), data=loaded.source, failures_are_wrong=failures_are_wrong,
        known_errors=selection.count_errors(loaded.items), places=imported_places(files, folder.path),
    )  # fmt: skip
    if out is not None:
        check_run_folder(out)
    with folder.sole_writer():
        folder.start(record)
        folder.write_items(items)
        folder.write_outcomes(came.values())
        return folder, score_run(folder, loaded.benchmark, record, items, came, metrics=metrics, workers=workers)


def score_folder(
    path: Path, metrics: Sequence[str] = (), workers: PlaceFor | None = None, *, failures_are_wrong: bool = False
) -> tuple[RunFolder, dict[str, Any]]:
    """Score a run's stored responses again, with this version's rules.

    Args:
        path: of the folder.
        metrics: names of further metrics; those that it was scored with before where none is named.
        workers: where responses are read; see `runs.run_scoring.score_run`.
        failures_are_wrong: score failed items 0 from now on; as run.json says where False.

    Raises:
        InputError: the folder is no run's.
        RunConflictError: a run is at work in it.
    """
    folder = RunFolder(path)
    record = folder.record()
    with folder.sole_writer():
        if failures_are_wrong and not record.failures_are_wrong:
            record = record.model_copy(update={"failures_are_wrong": True})
            folder.write_record(record)
        return folder, _score_again(folder, record, metrics, workers)


def score_without(
    path: Path,
    exclude: Sequence[str],
    out: Path | None = None,
    metrics: Sequence[str] = (),
    workers: PlaceFor | None = None,
    *,
    failures_are_wrong: bool = False,
) -> tuple[RunFolder, dict[str, Any]]:
    """Score a run's stored responses without some questions, into a folder of their own.

    Args:
        path: of the run's folder.
        exclude: names the questions (`run_items.left_out_by`).
        out: the new folder; a default under ./runs where None.
        metrics, workers, failures_are_wrong: as for `score_folder`.

    Raises:
        InputError: the folder is no run's.
        UsageError: the run has other questions than its benchmark, or none is left.
        RunConflictError: the new folder holds another run.
    """
    whole = RunFolder(path)
    record = whole.record()
    if record.settings.selection.adaptive is not None:
        raise UsageError(f"{path} estimates the score on all items from some, so none can be left out afterwards.")
    left_out, items = remaining_items(whole, exclude)
    before, known_errors = record.settings.selection, record.known_errors
    selection = before.model_copy(update={"exclude": (*before.exclude, *left_out.exclude)})
    if left_out.known_errors is not None:
        selection = selection.model_copy(update={"known_errors": left_out.known_errors})
        known_errors = left_out.count_errors(whole.open_items())
    settings = record.settings.model_copy(update={"selection": selection})
    folder = RunFolder(out or default_folder(settings))
    check_run_folder(folder.path)
    if folder.path.resolve() == path.resolve():
        raise UsageError(f"{path} holds the answers to all items; name another folder with --out.")
    wrong = record.failures_are_wrong or failures_are_wrong
    record = record.model_copy(update={"settings": settings, "known_errors": known_errors, "failures_are_wrong": wrong})
    kept = {item.id for item in items}
    with folder.sole_writer():
        folder.start(record)
        folder.write_items(items)
        folder.write_outcomes(outcome for outcome in whole.each_outcome() if outcome.id in kept)
        return folder, _score_again(folder, record, metrics or whole.further_metrics(), workers)


def remaining_items(folder: RunFolder, exclude: Sequence[str]) -> tuple[Selection, Sequence[Item]]:
    """A run's questions without some.

    Args:
        folder: of the run.
        exclude: names the questions (`run_items.left_out_by`).

    Returns:
        What leaves them out, and the others.

    Raises:
        UsageError: the list of known errors doesn't have the questions in the form they were asked in, or none is left.
    """
    settings = folder.record().settings
    left_out = left_out_by(exclude, settings.benchmark)
    if left_out.known_errors is not None and not protocols.keeps_items(settings.protocol):
        raise UsageError(
            f"the protocol {settings.protocol} of {folder.path} changed the questions, which known errors are named "
            "for as released; leave them out when they are asked: 'tolman run … --exclude known-errors'."
        )
    return left_out, left_out.apply(folder.open_items())


def _score_again(
    folder: RunFolder, record: RunRecord, metrics: Sequence[str] = (), workers: PlaceFor | None = None
) -> dict[str, Any]:
    benchmark = benchmarks.get(record.settings.benchmark)
    items, outcomes = folder.open_items(), Outcomes.of(folder.each_outcome())
    expectation = expectation_of(record, benchmark, items)
    return score_run(
        folder, benchmark, record, items, outcomes, expectation=expectation, metrics=metrics, workers=workers
    )


def expectation_of(record: RunRecord, benchmark: BenchmarkSpec, items: Sequence[Item]) -> HasExpectation | None:
    """The baseline behind a run of all questions, where its expected figures can be computed; else None."""
    if not is_blind(record.settings.model):
        return None
    model = models.create(record.settings.model, ModelOptions(seed=record.settings.seed))
    if not isinstance(model, KnowsTheTruth) or len(items) != (record.presented_items or record.subset_items):
        return None
    model.prepare(benchmark, items)
    return model if isinstance(model, HasExpectation) else None


def judge_folder(
    path: Path,
    request: judging.JudgeRequest,
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
        RunInterruptedError: the user stopped it; judgements so far are kept.
    """
    folder = RunFolder(path)
    record = folder.record()
    judge = request.open(_own_model(record, request) if request.is_self else None)
    with folder.sole_writer():
        benchmark, seed = benchmarks.get(record.settings.benchmark), record.settings.seed
        run = judging.JudgedRun(folder, benchmark, folder.items(), folder.outcomes(), request, judge, seed)
        asking = run.ask(
            done=done,
            noted=noted,
            started=lambda calls, tally, remote: started(
                Started(calls, path, tally, bool(request.prices), remote, "judging")
            ),
        )
        judging.until_stopped(asking, run.consultation)
        return folder, _score_again(folder, record)


def _own_model(record: RunRecord, request: judging.JudgeRequest) -> Model:
    """The model that answered a run, at the address where it did, or at the judge's where the user names one.

    Raises:
        UsageError: the responses are another program's, so that no address is known.
    """
    settings = record.settings
    if "imported" in settings.model_settings:
        raise UsageError(
            "--judge self asks the model that answered, and these responses come from a file; name the model: "
            "--judge FAMILY/NAME."
        )
    address = request.options.base_url or settings.model_settings.get("base_url")
    return models.create(settings.model, replace(request.options, base_url=address))
