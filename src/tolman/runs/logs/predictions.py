"""Tables of predictions that a script wrote, under column names of its own: CSV, TSV, Excel, JSON (Lines), Parquet.

Usual names are recognised, `--columns` gives the others, and a sentence names the column of each role. A raw output
goes before a letter that a parser read out of it. A table needs ids or questions. Values within a JSON object are
columns with dotted names, such as `output.text`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tolman.benchmarks.rows import KEY, Row, checked_rows, parse_json
from tolman.errors import InputError, UsageError, hint
from tolman.responses import Response
from tolman.runs.logs.log import SHEETS, Log, LogFormat, LogRow, sheet_names, sheet_rows, text_or_failure
from tolman.text_tables import is_list_cell, read_cell

PROGRAM = "predictions"
MAX_BYTES = 1 << 30
RAW = ("raw_output", "raw_response", "raw_prediction", "raw_pred", "raw_answer", "raw_text", "raw", "full_prediction",
       "full_response", "full_output", "full_answer", "model_output", "model_response", "response", "output",
       "completion", "generated_text", "generated", "generation", "reply", "outputs", "responses")  # fmt: skip
PARSED = ("prediction", "pred", "predicted_answer", "predicted", "model_answer", "model_prediction", "extracted_answer",
          "parsed_answer", "parsed_prediction", "pred_answer", "parsed")  # fmt: skip
_IN_BATCH = "response.body.choices.0.message.content"
"""The text in a line of OpenAI's batch output."""
ANSWER = "answer"
"""The response where no other column holds one, else the right answer."""
FAILURES = ("failure", "error", "exception", "error_message", "failed")
_NAMES = {
    "id": ("id", "item_id", "question_id", "qid", "uid", "sample_id", "problem_id", "data_id", "custom_id", "idx",
           "index", KEY),
    "response": (*RAW, *PARSED, _IN_BATCH),
    "truth": ("ground_truth", "ground_truth_answer", "gt_answer", "gt", "truth", "target", "label", "reference",
              "correct_answer", "gold", "solution"),
    "question": ("prompt", "input", "question", "problem", "query"),
    "options": ("options", "choices", "candidates"),
    "media": ("video", "video_path", "image_path", "image", "images", "visual"),
    "repeat": ("repeat",),
    "failure": FAILURES,
    "finish_reason": ("finish_reason", "stop_reason", "response.body.choices.0.finish_reason"),
}  # fmt: skip
_LIKELY = {"id": (*_NAMES["id"], "sample", "key", "item", "name", "number", "no"),
           "response": ("text", "content", "message", "result", "results", "said", "generations")}  # fmt: skip
"""Names that `--columns` is shown with, and that are too vague to be taken unasked."""
_MODELS = ("model", "model_name", "model_id")
_COUNTS = ("idx", "index")
"""Names of ids that are as often row numbers: taken only where the row says more of its question."""
_OWN_NAMES = ("id", "item_id")
_NO_FAILURE = {"", "0", "0.0", "false", "none", "null", "nan", "n/a", "no", "[]", "{}"}
"""Cells of a column of failures that say there is none, in lower case."""
_NUMBER = re.compile(r"[+-]?\d*\.?\d+(e[+-]?\d+)?", re.IGNORECASE)
_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", *SHEETS)
MOST_DEPTH = 6
"""Levels of values within objects, and of lists of rows within a file."""


def is_own_record(row: object) -> bool:
    """Check whether a row is a line of responses as Tolman writes it."""
    known = {*Response.model_fields, "failure"}
    return isinstance(row, dict) and "id" in row and ("response" in row or "failure" in row) and row.keys() <= known


def _first_of_table(path: Path) -> Row | None:
    """The first row of a table; None where the file is none, or can't be read."""
    if path.suffix.lower() not in _SUFFIXES:
        return None
    try:
        return first_row(path)
    except InputError:
        return None


def takes(path: Path) -> bool:
    """Check whether the first row of a table has a response, and an id or a question, under names that are known."""
    row, suffix = _first_of_table(path), path.suffix.lower()
    if row is None or (is_own_record(row) and suffix not in SHEETS and not (suffix == ".json" and _json_object(path))):
        return False
    found = _recognised_in(row)
    return "response" in found and ("id" in found or "question" in found)


def holds_answers(path: Path) -> bool:
    """Check whether a CSV, TSV, JSON or JSON Lines file is a user's: its first row has an id, and a response or an
    answer. Tolman's own such tables are only a run's responses and a benchmark's questions."""
    row = _first_of_table(path)
    return row is not None and (is_own_record(row) or {"id", "response"} <= _recognised_in(row).keys())


def read(path: Path, columns: Mapping[str, str] | None = None) -> list[Log]:
    """Read the Log of one table; for a JSON object with several lists of rows, one for each that holds responses.

    Args:
        path: the file.
        columns: role, one of `_NAMES` → a column's name. The others are recognised.

    Raises:
        InputError: it is no table, has no such column, or none that is known to hold responses.
        UsageError: `columns` names something that no column is taken for.
    """
    for role in columns or {}:
        if role not in _NAMES:
            raise UsageError(f"--columns: there is no '{role}'; {hint(role, _NAMES)}.")
    found: list[Log] = []
    problem: InputError | None = None
    for task, rows in _tables(path):
        try:
            found.append(_log(path, task, list(rows), columns or {}))
        except _UnknownColumnsError as error:
            problem = problem or error
    if problem is not None and not found:
        raise problem
    return found


class _UnknownColumnsError(InputError):
    """A table has no column that is asked for, or none that is known to hold responses."""


def _log(path: Path, task: str, rows: list[Row], told: Mapping[str, str]) -> Log:
    rows = [_flat(row) for row in rows]
    names = list(dict.fromkeys(name for row in rows[:1000] for name in row))
    for role, name in told.items():
        if name not in names:
            raise _UnknownColumnsError(path, f"has no column '{name}'", field=role, fix=hint(name, names))
    objects = _objects_in(rows[0]) if rows else []
    taken = _recognised(names, told, objects)
    if rows and "response" not in taken:
        raise refusal(path, rows[0])
    _check_is_of_one_model(path, rows, taken)
    return Log(
        path=path,
        program=PROGRAM,
        task=task,
        settings={
            "columns": taken,
            "named": sorted(told),
            "passed_over": _passed_over([name for name in names if name not in objects], taken),
            "status": next((name for name in names if name.lower() == "status" and name not in taken.values()), ""),
        },
        rows=tuple(one for place, row in enumerate(rows, start=1) for one in _log_rows(path, place, row, taken, told)),
    )


def _check_is_of_one_model(path: Path, rows: Sequence[Row], taken: Mapping[str, str]) -> None:
    """Make sure that a table doesn't answer its questions once for each of several models.

    Raises:
        InputError: it does.
    """
    column = next((name for name in rows[0] if _plain(name) in _MODELS), None) if rows else None
    if column is None or column in taken.values():
        return
    asked = [tuple(str(row.get(taken[role])) for role in ("id", "question", "repeat") if role in taken) for row in rows]
    models = list(dict.fromkeys(str(row.get(column)) for row in rows))
    if len(models) > 1 and len(set(asked)) < len(asked):
        raise InputError(
            path, f"holds the responses of {len(models)} models ({', '.join(models)[:200]})", field=column,
            fix="give a file for each model",
        )  # fmt: skip


def refusal(path: Path, row: Row) -> InputError:
    """Return the error on a table with unknown columns, by its first row."""
    flat = _flat(row)
    names = [str(name) for name in flat if name not in _objects_in(flat)]
    likely = {role: [name for name in names if _plain(name) in some] for role, some in _LIKELY.items()}
    given = ",".join(f"{role}={(found or ['COLUMN'])[0]}" for role, found in likely.items())
    return _UnknownColumnsError(
        path, f"none of its columns ({', '.join(names)[:300]}) is known to hold responses",
        fix=f"name the columns with --columns {given}",
    )  # fmt: skip


def said_of(log: Log) -> str:
    """The sentence that says which columns were taken."""
    taken, unused = dict(log.settings["columns"]), list(log.settings["passed_over"])
    roles = [f"{role} from '{name}'" for role, name in taken.items() if name != KEY]
    rest = f", not from {' or '.join(repr(name) for name in unused)}" if unused else ""
    first = f"the response is taken from '{taken['response']}'{rest}"
    if taken.get("id") == KEY and taken["response"] == "response" and not log.settings["named"]:
        first = "the ids are the keys of its object, and the responses are its texts"
    others = ", ".join(role for role in roles if not role.startswith("response "))
    status = f" '{log.settings['status']}' isn't read." if log.settings["status"] else ""
    return (
        f"{log.path}: {first}{'; ' if others else ''}{others}.{status} Name others with --columns "
        "response=COLUMN,id=COLUMN."
    )


def first_row(path: Path) -> Row | None:
    """The first row of a table; None where it has none.

    Raises:
        InputError: it can't be read.
    """
    return next((row for _, rows in _tables(path) for row in rows), None)


def _tables(path: Path) -> Iterator[tuple[str, Iterable[Row]]]:
    """The tables of a file with their names: of a JSON object, its texts by their keys, or its lists of objects."""
    if path.suffix.lower() in SHEETS:
        names = sheet_names(path)
        for number, name in enumerate(names):
            yield (path.stem if len(names) == 1 else name), sheet_rows(path, number)
        return
    found = _json_object(path) if path.suffix.lower() == ".json" and path.is_file() else {}
    first = next(iter(found.values()), None)
    by_ids = isinstance(first, dict) and "response" in _recognised_in(first)
    lists = {} if by_ids else _lists_in(found)
    is_row = {"id", "response"} <= _recognised_in(found).keys() and not lists
    if is_own_record(found) or is_row:  # a file for each question
        yield path.stem, [found]
    elif lists:
        for key, one in lists.items():
            yield (path.stem if len(lists) == 1 else key), _objects(path, one)
    elif found and all(value is None or isinstance(value, str | list) for value in found.values()):
        yield path.stem, ({KEY: key, "response": value} for key, value in found.items())
    else:
        yield path.stem, (row for _, row in checked_rows(path))


def _json_object(path: Path) -> dict[str, Any]:
    """The object that a JSON file holds; empty where it holds something else, which is read as other tables are."""
    if path.stat().st_size > MAX_BYTES:
        raise InputError(path, f"is larger than {MAX_BYTES:,} bytes", fix="write its rows as JSON Lines")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return {}
    found = parse_json(path, text)
    return found if isinstance(found, dict) else {}


def _lists_in(found: Mapping[str, Any], depth: int = MOST_DEPTH) -> dict[str, list[Any]]:
    """The lists of objects in an object, by dotted names; those of its values only where it has none itself."""
    lists = {key: one for key, one in found.items() if isinstance(one, list) and one and isinstance(one[0], dict)}
    if lists or not depth:
        return lists
    within = {key: _lists_in(one, depth - 1) for key, one in found.items() if isinstance(one, dict)}
    return {f"{key}.{name}": one for key, some in within.items() for name, one in some.items()}


def _flat(row: Row) -> Row:
    """A row with the values within its objects, and within the first of a list of objects, under dotted names, too."""
    if not any(isinstance(value, dict | list) for value in row.values()):
        return row
    flat = dict(row)

    def add(name: str, value: object, depth: int) -> None:
        if isinstance(value, list):
            value = {"0": value[0]} if value and isinstance(value[0], dict) else {}
        if isinstance(value, dict) and depth:
            for key, inner in value.items():
                flat.setdefault(f"{name}.{key}", inner)
                add(f"{name}.{key}", inner, depth - 1)

    for name, value in row.items():
        add(name, value, MOST_DEPTH)
    return flat


def _objects_in(row: Row) -> list[str]:
    """The columns whose cells hold objects, which are no texts."""
    return [
        name for name, value in row.items()
        if isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict))
    ]  # fmt: skip


def _recognised_in(row: Row) -> dict[str, str]:
    flat = _flat(row)
    return _recognised(list(flat), without=_objects_in(flat))


def _objects(path: Path, rows: list[Any]) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise InputError(path, "is no JSON object", row=number)
        yield row


def _recognised(
    names: Sequence[str], told: Mapping[str, str] = MappingProxyType({}), without: Sequence[str] = ()
) -> dict[str, str]:
    """Return role → column: given ones, then those of the usual names; no response from the columns in `without`."""
    plain = {_plain(name): str(name) for name in reversed(names)}
    found = dict(told)
    for role, usual in _NAMES.items():
        free = [plain[name] for name in usual if name in plain and plain[name] not in found.values()]
        free = [name for name in free if role != "response" or name not in without]
        if role not in found and free:
            found[role] = free[0]
    if ANSWER in plain and plain[ANSWER] not in found.values():
        role = "response" if "response" not in found else "truth"
        found.setdefault(role, plain[ANSWER])
    return {role: found[role] for role in _NAMES if role in found}


def _plain(name: str) -> str:
    return re.sub(r"[\s-]+", "_", str(name).strip().lower())


def _passed_over(names: Sequence[str], taken: Mapping[str, str]) -> list[str]:
    """Columns with parsed answers, where a raw one is taken."""
    known = {*RAW, *PARSED}
    rest = [name for name in names if _plain(name) in known]
    return [name for name in rest if name not in taken.values()]


def _log_rows(path: Path, number: int, row: Row, taken: Mapping[str, str], told: Mapping[str, str]) -> Iterator[LogRow]:
    said = {role: row.get(name) for role, name in taken.items()}
    own = _text(said.get("id"))
    name = taken.get("id", "")
    options, truth = _options(said, row), _text(said.get("truth"))
    question = _text(said.get("question"))
    prompt = None if question is None else "\n".join([question, *options])
    named = "id" in told
    is_count = name.lower() in _COUNTS and own is not None and own.isdigit() and not named
    if is_count and prompt is None and truth is None:
        raise InputError(
            path, "may be the question's id or a row number, and the row holds no question", row=number, field=name,
            fix=f"if it is the id, say so with --columns id={name}",
        )  # fmt: skip
    trusted = named or name.lower() in _OWN_NAMES
    responses = said.get("response")
    several = list(responses) if isinstance(responses, list) else [responses]
    repeat = repeat_in(path, number, said.get("repeat"), taken.get("repeat", ""))
    failing = [taken["failure"]] if "failure" in taken else []
    if "failure" not in told:
        failing += [name for name in row if _plain(name) in FAILURES and name not in taken.values()]
    for sample, one in enumerate(several or [None]):
        text = _response(path, number, taken["response"], one)
        response, failure = text_or_failure(text)
        may_be_number = "failure" in told or response is None
        why = failure_in(path, number, {name: row.get(name) for name in failing}, may_be_number=may_be_number)
        yield LogRow(
            place=number,
            id=own if trusted else None,
            question_id=own,
            order=number - 1,
            prompt=prompt,
            options=options,
            scene=_text(said.get("media")) if not is_list_cell(said.get("media")) else None,
            media=tuple(_listed(said.get("media"))),
            target=truth,
            response=response if why is None else None,
            failure=why or failure,
            finish_reason=_text(said.get("finish_reason")),
            repeat=repeat + sample,
        )


def _response(path: Path, number: int, column: str, value: object) -> str | None:
    if value is None or value != value:
        return None
    if not isinstance(value, str | int | float):
        raise InputError(path, "is no text", row=number, field=column, fix="give the model's text")
    return value if isinstance(value, str) else _text(value) or str(value)


def failure_in(path: Path, row: int, cells: Mapping[str, object], *, may_be_number: bool) -> str | None:
    """Return why there is no response, as the first cell of `FAILURES` that records a failure says it.

    Raises:
        InputError: it is a number where none may be, as one beside a response may be the size of an error.
    """
    for column, cell in cells.items():
        text = json.dumps(cell, ensure_ascii=False) if isinstance(cell, dict | list) else _text(cell)
        if text is None or text.lower() in _NO_FAILURE:
            continue
        if not may_be_number and _NUMBER.fullmatch(text):
            raise InputError(
                path, f"holds the number {text} with a response, which may be the size of an error or the code of a "
                "failed call", row=row, field=column,
                fix=f"say that these are failures with --columns failure={column}, or rename the column",
            )  # fmt: skip
        return text
    return None


def repeat_in(path: Path, number: int, value: object, column: str) -> int:
    """Return the number of a sample; 0 for an empty cell.

    Raises:
        InputError: it is no number from 0.
    """
    text = _text(value)
    if text is None:
        return 0
    if not re.fullmatch("[0-9]{1,4}", text):
        raise InputError(path, "is no number from 0", row=number, field=column, fix="number the samples 0, 1, 2 …")
    return int(text)


def _options(said: Mapping[str, Any], row: Row) -> tuple[str, ...]:
    options = _listed(said.get("options"))
    return tuple(options or [text for letter in "ABCDEFGHIJ" if (text := _text(row.get(letter))) is not None])


def _listed(cell: object) -> list[str]:
    if is_list_cell(cell):
        try:
            cell = read_cell(str(cell))
        except ValueError:
            return [str(cell)]
    if isinstance(cell, dict):
        cell = [cell[key] for key in sorted(cell, key=str)]
    if isinstance(cell, list | tuple):
        return [str(value) for value in cell if isinstance(value, str | int | float)]
    text = _text(cell)
    return [] if text is None else [text]


def _text(value: object) -> str | None:
    """A cell's text; whole numbers without '.0'; None for an empty cell or a NaN."""
    if value is None or value != value or isinstance(value, list | dict | bytes):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    return text or None


LOG = LogFormat(PROGRAM, "tables of predictions", takes, read, last=True)
