"""Scoring existing responses: a file of another program's, a run's folder, or responses that Python holds."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tolman import benchmarks, features
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import InputError, UsageError, counted, hint
from tolman.features.compare.reconciled_sides import SAME_SCORE
from tolman.features.config import judge_request
from tolman.features.events import CallEvents, Events, Noted, silent
from tolman.features.opened_folders import Run
from tolman.features.run.config import ScoreConfig
from tolman.items import Item
from tolman.parallel import WorkPlace, place_of
from tolman.responses import Failure, FailureKind, Outcome, Response
from tolman.runs.imports import Imported
from tolman.runs.logs.predictions import FAILURES, failure_in, repeat_in
from tolman.runs.rescore import judge_folder, score_file, score_folder, score_without
from tolman.runs.run_folder import RunFolder
from tolman.scoring.metrics import names_of
from tolman.visible import visible

FRAME = Path("the data frame")
"""Its name in errors."""
SAMPLES = ("sample", "repeat")
"""Columns of a data frame that number the samples from 0."""
MANY_ROWS = 200_000
"""Rows of scores that are worth the start of other processes."""


def score(config: ScoreConfig, events: Events = silent) -> Run:
    """Score responses into a run folder, or a run folder again; with a judge, have a model read them.

    Raises:
        UsageError: no benchmark named, an unknown name or metric, or a judge that can't be one.
        InputError: the file's rows don't fit the benchmark's, or the folder is no run's.
        EndpointError: the judge's first call showed that none can succeed.
        RunConflictError: the run's folder holds another run, or one is at work there.
        WorkerError: the place can't be used, or workers are lost again and again.
        MissingExtraError: a tracker's package isn't installed.
    """

    if config.log:
        features.report.trackers.check_trackers(config.log)
    judging = judge_request(config, sample=config.judge_sample, concurrency=config.concurrency)
    if judging is not None and not judging.is_self:
        judging.open()  # what is wrong with it is told before anything is done
    responses = _checked(config.responses)  # told before anything is fetched
    columns = _columns(config.columns)
    metrics = names_of(config.metrics)
    place_of(config.on, config.workers)  # a wrong one too

    def workers(rows: int) -> WorkPlace:
        return place_of(config.on, config.workers, few=rows < MANY_ROWS)

    if len(responses) == 1 and _is_run(responses[0], config):
        _check_subset(responses[0], config.subset)
        wrong = config.count_failures_as_wrong
        if config.exclude:
            folder, _ = score_without(
                responses[0], config.exclude, config.out, metrics, workers, failures_are_wrong=wrong
            )
        else:
            folder, _ = score_folder(responses[0], metrics, workers, failures_are_wrong=wrong)
    else:
        came: list[Imported] = []
        folder, figures = score_file(
            responses,
            benchmark=config.benchmark,
            data=config.data,
            subset=config.subset,
            revision=config.revision,
            form=config.format,
            columns=columns,
            name=config.name,
            preset=config.preset,
            out=config.out,
            seed=config.seed,
            failures_are_wrong=config.count_failures_as_wrong,
            metrics=metrics,
            workers=workers,
            noted=lambda sentence: events(Noted(sentence)),
            exclude=config.exclude,
            read=came.append,
        )
        only = config.responses[0] if len(config.responses) == 1 and config.responses[0].exists() else None
        spec = benchmarks.get(folder.record().settings.benchmark)
        if said := compared_with_log(came[0], folder, figures, spec, only):
            events(Noted(said))
    if judging is not None:
        calls = CallEvents(events)
        folder, _ = judge_folder(folder.path, judging, started=calls.start, done=calls.done, noted=calls.note)
        calls.end()
    if config.log:
        features.report.trackers.log_runs(config.log, [folder.path], events)
    return Run(folder.path)


SAME_FIGURE = 1e-3
"""Points by which a log's figure may differ from ours: some programs round theirs."""
_HEADLINE = re.compile(
    r"(.*_)?overall|average|overall_(accuracy|caa)|accuracy|chance_adjusted_acc|(blink|embspatial)_acc|acc|em|extractive_match|"
    r"[^/]+/(accuracy|mean)"
)
"""Names that lmms-eval, VLMEvalKit and Inspect give figures over a whole log."""


def compared_with_log(
    imported: Imported, run: RunFolder, figures: Mapping[str, Any], benchmark: BenchmarkSpec, log: Path | None
) -> str:
    """Say how far a run's scores and headline are those that its log records; '' where it records none.

    Args:
        imported: the log's responses, with its scores and figures.
        run: the folder of their run.
        figures: of the run, as scores.json has them.
        benchmark: of both.
        log: for `tolman reconcile`; None for several.
    """
    recorded, program = imported.scores, imported.program
    given = _given(recorded, run, list(figures["rule_sets"]))
    ordered = sorted(given, key=lambda name: (-given[name], name != program))
    best, differs = ordered[0], False
    said: list[str] = []
    if recorded:
        others = "".join(f", '{name}' {given[name]:,}" for name in ordered[1:])
        drawn = (
            "; answers that it draws at random count as the same" if figures["rule_sets"][best].get("guessed") else ""
        )
        said.append(
            f"Scorer '{best}' gives {given[best]:,} of {counted(len(recorded), 'recorded score')}{others}{drawn}."
        )
        differs = given[next(iter(given))] < len(recorded)
    own = {name: value for name, value in imported.figures.items() if _HEADLINE.fullmatch(name)}
    headline, entry = benchmark.table.column(benchmark.table.headline), figures["rule_sets"][best]
    value = entry["cells"][headline.key]["value"]
    if own and value is not None and (recorded or best == program):
        pooled = entry.get("pooled", {}).get("value")
        forms = {headline.title: value} | ({"pooled": pooled} if pooled is not None else {})
        same = [(name, form) for name in own for form in forms if _is_same(own[name], forms[form])]
        names, titles = ([same[0][0]], [same[0][1]]) if same else ([*own], [*forms])
        theirs = ", ".join(f"'{visible(name)}' ({own[name]:g})" for name in names)
        ours = ", ".join(f"{title} {forms[title]:.{headline.digits}f}" for title in titles)
        drawn = "" if same or not entry.get("guessed") else ", which draws some answers at random"
        said.append(f"The log's {theirs} {'is' if same else 'differs from'} {ours} of '{best}' here{drawn}.")
        differs |= not same
    if differs and log is not None:
        said.append(f"Differences: {shlex.join(['tolman', 'reconcile', str(run.path), str(log)])}")
    return " ".join(said)


def _given(recorded: Mapping[tuple[str, int], float], run: RunFolder, scorers: Sequence[str]) -> dict[str, int]:
    """How many recorded scores each scorer of a run gives; one that draws at random gives any."""
    found = dict.fromkeys(scorers, 0)
    scored = run.scan_scores().filter(pl.col("score").is_not_null()) if recorded else None
    if scored is not None:
        for name, id, repeat, score, guessed in (
            scored.select("rule_set", "id", "repeat", "score", "guessed").collect().iter_rows()
        ):
            known = recorded.get((id, repeat))
            found[name] += known is not None and bool(guessed or abs(score - known) < SAME_SCORE)
    return found


def _is_same(logged: float, own: float) -> bool:
    """Check whether a log's figure, a share or percent, is ours in percent."""
    return any(abs(scale * logged - own) < SAME_FIGURE for scale in (1, 100))


def _checked(paths: Sequence[Path]) -> Sequence[Path]:
    if not paths:
        raise UsageError("there are no responses to score; give a file, or a run's folder.")
    for path in paths:
        if not path.exists() and not set(str(path)) & set("*?["):
            raise InputError(path, "does not exist", fix="give a file of responses, or a run's folder")
        if len(paths) > 1 and (path / "run.json").is_file():
            raise InputError(path, "is a run folder, and other responses are given too", fix="score it alone")
    return paths


def _is_run(path: Path, config: ScoreConfig) -> bool:
    """Check whether a path is a run folder; one without run.json is taken for one where no benchmark is named."""
    return path.is_dir() and ((path / "run.json").is_file() or config.benchmark is None)


def _check_subset(path: Path, subset: str | None) -> None:
    """Refuse to score a run folder as another subset, which would overwrite its scores.

    Raises:
        UsageError: the run is of another one.
        InputError: the folder is no run's.
    """

    settings = RunFolder(path).record().settings
    if subset not in (None, settings.subset):
        raise UsageError(
            f"{path} is a run of the subset {settings.subset}; score its answers to {subset} by 'tolman score "
            f"{path / 'responses.jsonl'} --benchmark {settings.benchmark} --subset {subset} --out FOLDER'."
        )


def _columns(pairs: Sequence[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        role, equals, name = (part.strip() for part in pair.partition("="))
        if not equals or not role or not name:
            raise UsageError(f"--columns takes NAME=COLUMN, such as response=prediction, not '{pair}'.")
        if role in found:
            raise UsageError(f"--columns names two columns for '{role}'; leave one.")
        found[role] = name
    return found


def outcomes_of(responses: Any, items: Iterable[Item]) -> list[Outcome]:
    """Responses that Python holds, as outcomes in their order.

    Args:
        responses: item's id → text; None (or nan) for a call that brought none, a list of texts for several samples,
            a `Response` or `Failure` as it is. Or a data frame (Polars, also a lazy one, or pandas) with the columns
            `id` and `response`. `sample` (or `repeat`) numbers samples from 0, and `failure` (or `error` …) names
            failed calls, as in a table of predictions.
        items: the benchmark's questions.

    Raises:
        UsageError: an id that the benchmark doesn't have, an id twice, a value that is no text, a column that is
            missing, or nothing at all.
        InputError: a cell of a data frame that can't be read.
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
    if hasattr(responses, "collect"):  # a lazy frame
        responses = responses.collect()
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
    numbered = next((name for name in SAMPLES if name in names), "")
    numbers = _column(responses, numbered) if numbered else [None] * len(ids)
    whys = {name: _column(responses, name) for name in FAILURES if name in names}
    for row, (key, number, text) in enumerate(zip(ids, numbers, texts, strict=True)):
        cells = {name: column[row] for name, column in whys.items()}
        why = failure_in(FRAME, row + 1, cells, may_be_number=text is None)
        failed = None if why is None else Failure(id=str(key), kind=FailureKind.IMPORTED, message=why)
        yield str(key), repeat_in(FRAME, row + 1, number, numbered), failed or text


def _column(frame: Any, name: str) -> Sequence[Any]:
    """A column's values; None for those that pandas takes for missing."""
    series = frame[name]
    values: Sequence[Any] = series.to_list()  # of a Polars Series and of a pandas Series
    if hasattr(series, "isna"):
        return [None if missing else one for one, missing in zip(values, series.isna(), strict=True)]
    return values


def _outcome(key: str, sample: int, value: Any) -> Outcome:
    if isinstance(value, str):
        return Response(id=key, response=value, repeat=sample)
    if isinstance(value, Response | Failure):
        return value.model_copy(update={"id": key, "repeat": sample})
    if value is None or value != value:  # pandas has nan for None
        return Failure(id=key, kind=FailureKind.IMPORTED, message="no text was given", repeat=sample)
    raise UsageError(f"the response to item {key!r} is of type {type(value).__name__}; give its text, or None.")
