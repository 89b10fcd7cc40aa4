"""Reading responses that something else produced: JSONL of ids and texts, and other programs' logs (`runs.logs`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tolman.benchmarks.rows import stream_rows
from tolman.errors import InputError
from tolman.item_table import field_values
from tolman.items import Item
from tolman.outcomes import Outcomes
from tolman.responses import Failure, FailureKind, Outcome, Response, Usage, outcome_from_record
from tolman.runs.logs.join import JoinedLog, join, target_agrees
from tolman.runs.logs.log import REGISTRY, Log, LogRow, failed_call, read_logs

JSONL = "jsonl"


def formats() -> list[str]:
    """The names of what can be read: JSONL of our own, then the programs."""
    return [JSONL, *REGISTRY.names()]


@dataclass(frozen=True)
class Imported:
    """What a file holds for a benchmark.

    Attributes:
        outcomes: in the file's order.
        program: that wrote it; '' for JSONL of our own.
        version: of the program; '' where the file doesn't say.
        by: what joined its rows with items: 'id', 'question id', 'prompt', 'order'.
    """

    outcomes: Outcomes
    program: str = ""
    version: str = ""
    by: str = "id"


def read_responses(path: Path, items: Sequence[Item], form: str | None = None) -> list[Outcome]:
    """The outcomes of `read_import`."""
    return list(read_import(path, items, form).outcomes.values())


def read_import(path: Path, items: Sequence[Item], form: str | None = None, same_truths: bool = False) -> Imported:
    """All responses of a file, each for an item of the benchmark.

    Args:
        path: the file.
        items: the benchmark's questions, in released order.
        form: one of `formats()`; found out from the file where None.
        same_truths: whether a log's right answers must be the items', as where a question has another one for each
            number of frames.

    Raises:
        InputError: a row that can't be joined with an item, an item with two rows, a row that lacks its response.
    """
    logs = [] if form == JSONL else read_logs(path, form)
    if not logs:
        return Imported(_once(path, _of_records(path, items)))
    found = _of_logs(path, logs, items)
    if same_truths:
        _check_truths(path, [pair for _, joined in found for pair in joined.pairs])
    placed = [(row.place, outcome_of(row, item)) for _, joined in found for row, item in joined.pairs]
    told = dict.fromkeys(joined.by for _, joined in found)
    return Imported(_once(path, placed), found[0][0].program, found[0][0].version, ", ".join(told))


def _once(path: Path, placed: Iterable[tuple[int | str, Outcome]]) -> Outcomes:
    found = Outcomes()
    places: list[int | str] = []
    for place, outcome in placed:
        key = outcome.id, outcome.repeat
        if key in found:
            earlier = next(places[number] for number, other in enumerate(found) if other == key)
            raise InputError(
                path,
                f"the id {outcome.id!r} is also row {earlier}'s",
                row=place,
                field="id",
                fix="give each item one response",
            )
        found[key] = outcome
        places.append(place)
    return found


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
    number = 0
    for number, (_, row) in enumerate(stream_rows(path), start=1):
        if isinstance(row, InputError):
            raise row
        outcome = outcome_from_record(row, path, number)
        if isinstance(outcome, Response) and (why := failed_call(outcome.response)):
            outcome = Failure(id=outcome.id, kind=FailureKind.IMPORTED, message=why, repeat=outcome.repeat)
        if outcome.id not in known:
            raise InputError(
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
    """A file's one log; of an archive with several, those whose rows are all the benchmark's, each item once."""
    logs = [log for log in logs if log.rows]
    if not logs:
        raise InputError(
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
        fitting.setdefault(frozenset(item.id for _, item in joined.pairs), (log, joined))
    if not fitting:
        tasks = ", ".join(sorted({log.task for log in logs}))
        raise InputError(path, f"none of its tasks ({tasks}) is the benchmark's", fix="check the benchmark")
    return list(fitting.values())


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
