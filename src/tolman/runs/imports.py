"""Reading responses that something else produced: JSONL of ids and texts, and other programs' logs (`runs.logs`)."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from glob import glob
from itertools import islice
from pathlib import Path

from tolman.benchmarks.rows import checked_rows
from tolman.errors import ColumnsTakenWarning, DataWarning, InputError, counted
from tolman.item_table import field_values
from tolman.items import Item
from tolman.responses import Failure, FailureKind, Outcome, Outcomes, Response, Usage, once, outcome_from_record
from tolman.runs.logs import predictions
from tolman.runs.logs.evalscope import has_predictions
from tolman.runs.logs.join import JoinedLog, NotJoinedError, join, target_agrees
from tolman.runs.logs.log import REGISTRY, Log, LogRow, failed_call, read_logs, text_or_failure
from tolman.runs.logs.predictions import first_row, is_own_record
from tolman.scoring.item_kind import kind_of

JSONL = "jsonl"
MAX_FILES = 10_000
"""Most files of a folder that is searched for logs."""
MIN_SUSPECT = 10
"""Rows from which a table whose answers are all right is taken for one of right answers; and equal ones that say
nothing, from which they are doubted."""
MISSING = ("None", "nan", "NaN", "null", "<NA>")
"""Texts that Python, NumPy, JSON and pandas write for a missing value."""
TRIED = 8
"""Rows of a log that are looked for one by one, where the log can't be joined as a whole."""
_SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".xlsx", ".xls", ".parquet", ".eval", ".zip")


def formats() -> list[str]:
    """Return the names of readable formats: JSONL of our own, then the programs."""
    return [JSONL, *REGISTRY.names()]


@dataclass(frozen=True)
class Imported:
    """The responses in a file for a benchmark.

    Attributes:
        outcomes: in the file's order.
        program: that wrote it; '' for JSONL of our own.
        version: of the program; '' where the file doesn't say.
        by: the key that joined its rows with items: 'id', 'question id', 'prompt', 'order'.
        model: that answered, as the file says.
        files: the files.
        columns: of a table of predictions, the column of each role.
        frames: of a video that were shown, where the file says so and all rows agree.
        scores: that the file records, 0 to 1, by item's id and number of the sample.
        figures: of the program, by its own names, where the responses are one log.
    """

    outcomes: Outcomes
    program: str = ""
    version: str = ""
    by: str = "id"
    model: str = ""
    files: tuple[Path, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    frames: int | None = None
    scores: Mapping[tuple[str, int], float] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)


def read_responses(path: Path, items: Sequence[Item], form: str | None = None) -> list[Outcome]:
    """The outcomes of `read_import`."""
    return list(read_import(path, items, form).outcomes.values())


def read_import(
    paths: Path | Sequence[Path],
    items: Sequence[Item],
    form: str | None = None,
    same_truths: bool = False,
    columns: Mapping[str, str] | None = None,
) -> Imported:
    """Read all responses of one file, or of several together, each for an item of the benchmark.

    Args:
        paths: files, folders of logs, or patterns such as 'logs/*_samples_*.jsonl'.
        items: the benchmark's questions, in released order.
        form: one of `formats()`; found out from each file where None.
        same_truths: whether a log's right answers must be the items', as where a question has another one for each
            number of frames.
        columns: of a table of predictions, see `logs.predictions`.

    Raises:
        InputError: a row that can't be joined with an item, an item with two rows, a row that lacks its response.
    """
    places = [paths] if isinstance(paths, Path) else list(paths)
    files, searched = found_files(places)
    if len(files) == 1 and not searched:
        return _counted_from_zero(_read_file(files[0], items, form, same_truths, columns))
    read: list[tuple[Path, Imported]] = []
    told: list[dict[str, str]] = []
    left: dict[Path, InputError | None] = {}
    for file in files:
        try:
            if searched and form is None and not columns and not _is_readable(file):
                left[file] = None
                continue
            one = _read_file(file, items, form, same_truths, columns, told)
            if one.by == "order" and len(files) > 1:
                raise NotJoinedError(file, "fits the benchmark by its row numbers only", fix="score it alone")
            read.append((file, one))
        except NotJoinedError as error:
            if not searched or _has_rows_of(file, form, items):
                raise
            left[file] = error  # a log of another benchmark
    if not read:
        first = next((error for error in left.values() if error is not None), None)
        raise first or InputError(
            places[0], "holds no logs that are known", fix="give a folder with logs of one model on one benchmark"
        )
    if left:
        warnings.warn(_said_of_left(places[0], len(read), list(left)), DataWarning, stacklevel=2)
    return _counted_from_zero(_pooled(read))


def _counted_from_zero(read: Imported) -> Imported:
    """The same with samples numbered 0, 1, 2 …, where the files number them 1, 2, 3 …"""
    if min((repeat for _, repeat in read.outcomes), default=0) != 1:
        return read
    outcomes = Outcomes()
    for (name, repeat), outcome in read.outcomes.items():
        outcomes[name, repeat - 1] = outcome.model_copy(update={"repeat": repeat - 1})
    scores = {(name, repeat - 1): score for (name, repeat), score in read.scores.items()}
    return replace(read, outcomes=outcomes, scores=scores)


def found_files(paths: Sequence[Path]) -> tuple[list[Path], bool]:
    """The files that are meant, and whether they were searched for in folders or by a pattern.

    Raises:
        InputError: there is none, or a folder holds runs.
    """
    files: list[Path] = []
    searched = False
    for path in paths:
        if path.is_dir():
            searched = True
            files += _in_folder(path)
        elif path.exists() or not set(str(path)) & set("*?["):
            files.append(path)
        else:
            searched = True
            fitting = sorted(Path(name) for name in glob(str(path), recursive=True))
            if not fitting:
                raise InputError(path, "fits no file", fix="check the pattern")
            files += [file for file in fitting if file.is_file()]
    return list(dict.fromkeys(files)), searched


def _in_folder(folder: Path) -> list[Path]:
    """The logs below a folder; those of lmms-eval's samples only, if there are any, and none of EvalScope's twice."""
    entries = list(islice(folder.rglob("*"), MAX_FILES + 1))
    if len(entries) > MAX_FILES:
        raise InputError(folder, f"holds more than {MAX_FILES:,} files", fix="give the folder of the logs alone")
    found = sorted(path for path in entries if path.suffix.lower() in _SUFFIXES and path.is_file())
    run = next((path.parent for path in found if path.name == "run.json"), None)
    if run is not None:
        raise InputError(folder, f"holds a run, {run}", fix="give that folder")
    if not found:
        raise InputError(
            folder, "is no run folder (it has no run.json), and holds no logs",
            fix="give a folder that 'tolman run' wrote, or one with logs",
        )  # fmt: skip
    samples = [path for path in found if "samples_" in path.name and path.suffix == ".jsonl"]
    return samples or [path for path in found if not has_predictions(path)]


def _is_readable(path: Path) -> bool:
    """Check whether a file that was only found, not named, holds responses."""
    if any(form.takes(path) for form in REGISTRY.all().values()):
        return True
    try:
        return is_own_record(first_row(path))
    except InputError:
        return False


def _has_rows_of(path: Path, form: str | None, items: Sequence[Item]) -> bool:
    """Check whether some row of a log that can't be joined as a whole is the benchmark's, by its id or question."""
    for log in read_logs(path, form):
        for row in log.rows[:: max(1, len(log.rows) // TRIED)]:
            with suppress(InputError):
                if join(replace(log, rows=(replace(row, order=None),)), items).by:
                    return True
    return False


def _said_of_left(place: Path, read: int, left: Sequence[Path]) -> str:
    names = ", ".join(path.name for path in left[:5]) + (" …" if len(left) > 5 else "")
    return (
        f"{place}: {counted(read, 'file is', 'files are')} read together; not read, as they hold no responses to this "
        f"benchmark: {names}."
    )


def _pooled(read: Sequence[tuple[Path, Imported]]) -> Imported:
    """Several files as one.

    Raises:
        InputError: two answer the same item, or they are of different models.
    """
    models = {one.model: path for path, one in read if one.model}
    if len(models) > 1:
        (first, _), (second, where) = list(models.items())[:2]
        raise InputError(where, f"is of the model {second!r}, another file of {first!r}", fix="score each model alone")
    outcomes = Outcomes()
    whose: dict[tuple[str, int], Path] = {}
    for path, one in read:
        for key, outcome in one.outcomes.items():
            if key in whose:
                raise InputError(
                    path, f"answers the item {key[0]!r}, which {whose[key]} answers too", field="id",
                    fix="give one log of each task",
                )  # fmt: skip
            whose[key] = path
            outcomes[key] = outcome
    one = read[0][1]
    by = dict.fromkeys(part for _, other in read for part in other.by.split(", "))
    frames = {other.frames for _, other in read}
    return replace(
        one,
        outcomes=outcomes,
        by=", ".join(by),
        files=tuple(path for path, _ in read),
        frames=frames.pop() if len(frames) == 1 else None,
        scores={key: score for _, other in read for key, score in other.scores.items()},
        figures=one.figures if len(read) == 1 else {},
    )


def _read_file(
    path: Path,
    items: Sequence[Item],
    form: str | None,
    same_truths: bool,
    columns: Mapping[str, str] | None,
    named: list[dict[str, str]] | None = None,
) -> Imported:
    """Read one file.

    Args:
        path, items, form, same_truths, columns: as of `read_import`.
        named: columns of files before it, which no further sentence names; None for a lone file.
    """
    own = form == JSONL and not columns
    logs = predictions.read(path, columns) if columns else [] if own else read_logs(path, form)
    zeros = _Zeros(path, items)
    logs = [replace(log, rows=tuple(map(zeros.in_row, log.rows))) for log in logs]
    if not logs:
        if not own:
            _check_columns(path)
        records = once(path, _of_records(path, items))
        _warn_of_missing_values(path, records.values())
        return Imported(records, files=(path,))
    found = _of_logs(path, logs, items)
    if same_truths:
        _check_truths(path, [pair for _, joined in found for pair in joined.pairs])
    placed = [(row.place, outcome_of(row, item)) for _, joined in found for row, item in joined.pairs]
    by = dict.fromkeys(joined.by for _, joined in found)
    for log, joined in found:
        _warn_of_other_answers(log, joined)
    log = found[0][0]
    _warn_of_missing_values(path, [outcome for _, outcome in placed])
    taken: dict[str, str] = {}
    if log.program == predictions.PROGRAM:
        taken = dict(log.settings["columns"])
        _check_are_responses(log, found[0][1].pairs)
        if named is None or taken not in named:
            if taken != {"id": "id", "response": "response"}:
                warnings.warn(predictions.said_of(log), ColumnsTakenWarning, stacklevel=3)
            (named if named is not None else []).append(taken)
    pairs = [pair for _, joined in found for pair in joined.pairs]
    frames = {row.frames for row, _ in pairs}
    return Imported(
        once(path, placed), log.program, log.version, ", ".join(by), log.model, (path,), taken,
        frames=frames.pop() if len(frames) == 1 else None,
        scores={
            (item.id, row.repeat): row.score
            for row, item in pairs
            if row.score is not None and row.response is not None
        },
        figures=log.figures if len(found) == 1 else {},
    )  # fmt: skip


class _Zeros:
    """Ids of a benchmark that begin with a zero, as a program that reads ids as numbers writes them.

    Args:
        path: of the file with such ids.
        items: of the benchmark.
    """

    def __init__(self, path: Path, items: Sequence[Item]) -> None:
        self._path, self._known = path, set(field_values(items, "id"))
        ids = [one for one in self._known if one.isdecimal() and one[0] == "0" and len(one) > 1]
        self._whole = {one.lstrip("0") or "0": one for one in ids}
        if len(self._whole) < len(ids) or self._known & self._whole.keys():
            self._whole = {}  # '07' beside '7' or '007'
        self._is_told = False

    def id_of(self, given: str) -> str:
        """The benchmark's id that is meant; the same where it is known, or none is."""
        if not self._whole or given in self._known:
            return given
        meant = self._whole.get(given.removesuffix(".0"))
        if meant is not None and not self._is_told:
            self._is_told = True
            said = f"ids lack the zeros that they begin with; {given!r} is taken for {meant!r}, and so on."
            warnings.warn(f"{self._path}: {said}", DataWarning, stacklevel=4)
        return meant or given

    def in_row(self, row: LogRow) -> LogRow:
        """A row of a log with the ids that are meant."""
        if not self._whole:
            return row
        own, named = (None if one is None else self.id_of(one) for one in (row.id, row.question_id))
        return replace(row, id=own, question_id=named)


def _check_columns(path: Path) -> None:
    """Make sure that a file which no format takes is Tolman's own JSONL.

    Raises:
        InputError: its columns aren't known.
    """
    row = first_row(path)
    if row is not None and not {"response", "failure"} & row.keys():
        raise predictions.refusal(path, row)


def _warn_of_other_answers(log: Log, joined: JoinedLog) -> None:
    """Warn where most true answers of a log joined by its ids are others than the benchmark's."""
    told = [(row, item) for row, item in joined.pairs if row.target is not None]
    others = sum(not target_agrees(row, item) for row, item in told)
    if joined.by == "id" and 2 * others > len(told):
        column = log.settings["columns"]["truth"] if log.program == predictions.PROGRAM else ""
        truth = f"column '{column}'" if column else "true answer"
        warnings.warn(
            f"{log.path}: its {truth} isn't the benchmark's answer on {others:,} of {counted(len(told), 'row')}, so "
            "its ids may number other questions; check the ids, the benchmark and the subset.",
            DataWarning,
            stacklevel=4,
        )


def _check_are_responses(log: Log, pairs: Sequence[tuple[LogRow, Item]]) -> None:
    """Make sure that a table whose responses are in a column 'answer' isn't a file of questions.

    Raises:
        InputError: every answer is right.
    """
    column = log.settings["columns"]["response"]
    if column.lower() != predictions.ANSWER or "response" in log.settings["named"] or len(pairs) < MIN_SUSPECT:
        return
    for row, item in pairs:
        kind = kind_of(item)
        if row.response is None or kind.score(item, kind.read(item, row.response)) < 1:
            return
    raise InputError(
        log.path, f"its column '{column}' holds the benchmark's right answers throughout",
        fix=f"give the model's answers, or say that these are with --columns response={column}",
    )  # fmt: skip


def _warn_of_missing_values(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Warn of words that a program may have written for missing answers: 'None' can be read as a count of 0."""
    found = Counter(one.response for one in outcomes if isinstance(one, Response) and one.response in MISSING)
    for word, number in found.items():
        if number >= MIN_SUSPECT:
            said = f"{number:,} responses are just {word!r}; where a call failed, leave the cell empty"
            warnings.warn(f"{path}: {said}: a failure is no answer.", DataWarning, stacklevel=4)


def _check_truths(path: Path, pairs: Sequence[tuple[LogRow, Item]]) -> None:
    for row, item in pairs:
        if row.target is not None and not target_agrees(row, item):
            raise InputError(
                path,
                f"its answer {row.target!r} isn't {item.answer!r}, that of the subset",
                row=row.place,
                field="target",
                fix="name the subset of the number of frames that were shown with --subset",
            )


def _of_records(path: Path, items: Sequence[Item]) -> Iterator[tuple[int | str, Outcome]]:
    known = set(field_values(items, "id"))
    zeros, number = _Zeros(path, items), 0
    for number, (_, row) in enumerate(checked_rows(path), start=1):
        said = row.get("response")
        if isinstance(said, int | float) and not isinstance(said, bool):
            row = {**row, "response": str(said)}  # a script that read the number itself
        outcome = outcome_from_record(row, path, number)
        outcome = outcome.model_copy(update={"id": zeros.id_of(outcome.id)})
        if isinstance(outcome, Response):
            # These tables can't tell an empty text from none, which is how other programs write a failed call.
            is_table = path.suffix.lower() in (".csv", ".tsv")
            why = text_or_failure(outcome.response)[1] if is_table else failed_call(outcome.response)
            if why:
                outcome = Failure(id=outcome.id, kind=FailureKind.IMPORTED, message=why, repeat=outcome.repeat)
        if outcome.id not in known:
            raise NotJoinedError(
                path,
                f"the benchmark has no item {outcome.id!r}",
                row=number,
                field="id",
                fix="check the benchmark and the subset",
            )
        yield number, outcome
    if not number:
        raise InputError(path, "holds no rows", fix="give a file with one response for each question")


def _of_logs(path: Path, logs: Sequence[Log], items: Sequence[Item]) -> list[tuple[Log, JoinedLog]]:
    """A file's one log; of an archive with several, those whose rows are all the benchmark's, each item once.

    Raises:
        InputError: none of them is, or two answer the same items otherwise.
    """
    logs = [log for log in logs if log.rows]
    if not logs:
        raise NotJoinedError(
            path,
            "holds no rows of responses",
            fix="give the log with the responses, such as EASI's easi_results.zip for its easi_results.json",
        )
    if len(logs) == 1:
        return [(logs[0], join(logs[0], items))]
    # Where an archive has a task twice, EASI's figures are of the one whose name ends so.
    logs = sorted(logs, key=lambda log: not log.task.endswith("_multiimage"))
    fitting: dict[frozenset[str], tuple[Log, JoinedLog]] = {}
    for log in logs:
        try:
            joined = join(log, items)
        except InputError:
            continue  # another benchmark's
        ids = frozenset(item.id for _, item in joined.pairs)
        there, own = fitting.setdefault(ids, (log, joined))
        if not there.task.endswith("_multiimage") and _answers(own) != _answers(joined):
            raise InputError(
                path, f"'{there.task}' and '{log.task}' answer the same questions in other words",
                fix="give a file with one of them: each model is scored alone",
            )  # fmt: skip
    if not fitting:
        tasks = ", ".join(sorted({log.task for log in logs}))
        raise NotJoinedError(path, f"none of its tasks ({tasks}) is the benchmark's", fix="check the benchmark")
    return list(fitting.values())


def _answers(joined: JoinedLog) -> dict[tuple[str, int], str | None]:
    return {(item.id, row.repeat): row.response for row, item in joined.pairs}


def outcome_of(row: LogRow, item: Item) -> Outcome:
    """A row's response, or why there is none, as that of an item."""
    if row.response is None:
        return Failure(
            id=item.id, kind=FailureKind.IMPORTED, message=row.failure or "the log holds no text", repeat=row.repeat
        )
    return Response(
        id=item.id,
        response=row.response,
        repeat=row.repeat,
        reasoning=row.reasoning,
        finish_reason=row.finish_reason,
        usage=Usage(input_tokens=row.input_tokens or 0, output_tokens=row.output_tokens or 0),
    )
