"""Scoring responses that are there already: a file of another program's, a run's folder, or what Python holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tolman.errors import InputError, UsageError
from tolman.names import hint
from tolman.workflows.config import Setting
from tolman.workflows.events import Events, silent
from tolman.workflows.judges import judge_request
from tolman.workflows.settings import (
    JUDGE,
    FailuresAsWrong,
    JudgeBody,
    JudgeName,
    JudgeSample,
    JudgeUrl,
    NumberOfWorkers,
    On,
    ReleasedData,
    Revision,
    RunFolderOut,
    StorePlace,
    Subset,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolman.items import Item
    from tolman.parallel import WorkPlace
    from tolman.responses import Outcome
    from tolman.workflows.opened_run import Run


MANY_ROWS = 200_000
"""Rows of scores that are worth the start of other processes."""


@dataclass(frozen=True, kw_only=True)
class ScoreConfig:
    """Which responses are scored, as answers to what."""

    responses: Annotated[
        Path,
        Setting(
            "JSONL of id and response, a log of lmms-eval, VLMEvalKit, Inspect or EASI, or a run folder.",
            positional=True,
        ),
    ]
    benchmark: Annotated[str | None, Setting("A benchmark's name or folder. Default: the run folder's own.")] = None
    data: ReleasedData = None
    subset: Subset = None
    revision: Revision = None
    format: Annotated[
        str | None, Setting("Format: jsonl, lmms-eval, vlmevalkit, inspect or easi. Default: found out.")
    ] = None
    name: Annotated[str | None, Setting("Name of the model. Default: the file's name.")] = None
    preset: Annotated[
        str | None, Setting("Prompt preset: the authors' settings it was run with. Default: the first.")
    ] = None
    out: RunFolderOut = None
    seed: Annotated[int, Setting("Seed of released parsers that draw at random, a whole number.")] = 0
    judge: JudgeName = None
    judge_base_url: JudgeUrl = None
    judge_body: JudgeBody = None
    judge_sample: JudgeSample = None
    concurrency: Annotated[int, Setting("Most requests in flight, from 1.", panel=JUDGE, least=1)] = 32
    prices: Annotated[
        Path | None, Setting("JSON file with prices of tokens. Default: no cost is counted.", panel=JUDGE)
    ] = None
    store: StorePlace = None
    count_failures_as_wrong: FailuresAsWrong = False
    metrics: Annotated[
        str | None,
        Setting(
            "Further metrics by question type: names with commas between (within-25,signed-bias). Default: the run's.",
            metavar="NAMES",
        ),
    ] = None
    on: On = None
    workers: NumberOfWorkers = None


@dataclass(frozen=True)
class ScoreResult:
    """What scoring brought.

    Attributes:
        run: the folder with responses and scores.
    """

    run: Run


def score(config: ScoreConfig, events: Events = silent) -> ScoreResult:
    """Score responses into a run folder, or a run folder again; with a judge, have a model read them.

    Raises:
        UsageError: no benchmark named, an unknown name or metric, or a judge that can't be one.
        InputError: the file's rows don't fit the benchmark's, or the folder is no run's.
        EndpointError: the judge's first call showed that none can succeed.
        RunConflictError: the run's folder holds another run, or one is at work there.
        WorkerError: the place can't be used, or workers are lost again and again.
    """
    from tolman.parallel import place_of
    from tolman.runs.rescore import judge_folder, score_file, score_folder
    from tolman.scoring.metrics_by_name import names_of
    from tolman.workflows.calls import CallEvents
    from tolman.workflows.opened_run import Run

    judging = judge_request(config, sample=config.judge_sample, concurrency=config.concurrency)
    if judging is not None:
        judging.open()  # what is wrong with it is told before anything is done
    if not config.responses.exists():  # told before anything is fetched
        raise InputError(config.responses, "does not exist", fix="give a file of responses, or a run's folder")
    metrics = names_of(config.metrics)
    place_of(config.on, config.workers)  # a wrong one too

    def workers(rows: int) -> WorkPlace:
        return place_of(config.on, config.workers, few=rows < MANY_ROWS)

    if config.responses.is_dir():
        folder, _ = score_folder(config.responses, metrics, workers)
    else:
        folder, _ = score_file(
            config.responses,
            benchmark=config.benchmark,
            data=config.data,
            subset=config.subset,
            revision=config.revision,
            form=config.format,
            name=config.name,
            preset=config.preset,
            out=config.out,
            seed=config.seed,
            failures_are_wrong=config.count_failures_as_wrong,
            metrics=metrics,
            workers=workers,
        )
    if judging is not None:
        calls = CallEvents(events)
        folder, _ = judge_folder(folder.path, judging, started=calls.start, done=calls.done, noted=calls.note)
        calls.end()
    return ScoreResult(Run(folder.path))


def outcomes_of(responses: Any, items: Iterable[Item]) -> list[Outcome]:
    """Responses that Python holds, as outcomes in their order.

    Args:
        responses: item's id → text; None (or nan) for a call that brought none, a list of texts for several samples,
            a `Response` or `Failure` as it is. Or a data frame (Polars, pandas) with the columns `id` and `response`,
            and `sample` (or `repeat`, from 0) where items were asked several times.
        items: the benchmark's questions.

    Raises:
        UsageError: an id that the benchmark doesn't have, an id twice, a value that is no text, a column that is
            missing, or nothing at all.
    """
    known = {item.id for item in items}
    found: dict[tuple[str, int], Outcome] = {}
    for key, sample, value in _entries(responses):
        if key not in known:
            raise UsageError(f"the benchmark has no item {key!r}; check the benchmark and the subset.")
        if (key, sample) in found:
            raise UsageError(f"item {key!r} has two responses; give each item and sample one.")
        found[key, sample] = _outcome(key, sample, value)
    if not found:
        raise UsageError("there are no responses to score.")
    return list(found.values())


def _entries(responses: Any) -> Iterable[tuple[str, int, Any]]:
    """Id, sample and value of each response."""
    if isinstance(responses, Mapping):
        for key, value in responses.items():
            values = value if isinstance(value, list | tuple) else [value]
            for sample, one in enumerate(values):
                yield str(key), sample, one
        return
    columns = getattr(responses, "columns", None)
    if columns is None:
        raise UsageError(
            "responses are a mapping of ids to texts, a data frame with the columns 'id' and 'response', or a file, "
            f"not {type(responses).__name__}."
        )
    names = [str(name) for name in columns]
    for needed in ("id", "response"):
        if needed not in names:
            raise UsageError(f"the data frame of responses has no column '{needed}'; {hint(needed, names)}.")
    ids, texts = _column(responses, "id"), _column(responses, "response")
    numbers = next((_column(responses, name) for name in ("sample", "repeat") if name in names), [0] * len(ids))
    for key, sample, text in zip(ids, numbers, texts, strict=True):
        yield str(key), int(sample), text


def _column(frame: Any, name: str) -> Sequence[Any]:
    values: Sequence[Any] = frame[name].to_list()  # of a Polars Series and of a pandas Series
    return values


def _outcome(key: str, sample: int, value: Any) -> Outcome:
    from tolman.responses import Failure, FailureKind, Response

    if isinstance(value, str):
        return Response(id=key, response=value, repeat=sample)
    if isinstance(value, Response | Failure):
        return value.model_copy(update={"id": key, "repeat": sample})
    if value is None or value != value:  # pandas has nan for None
        return Failure(id=key, kind=FailureKind.IMPORTED, message="no text was given", repeat=sample)
    raise UsageError(f"the response to item {key!r} is of type {type(value).__name__}; give its text, or None.")
