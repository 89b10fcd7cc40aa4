"""Tables of trackers: which columns hold what, and files that are none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tolman.errors import InputError
from tolman.items import Item
from tolman.responses import Failure, Response
from tolman.runs.imports import read_import
from tolman.runs.logs.log import read_logs


def table(place: Path, columns: list[Any], *data: Any) -> Path:
    path = place / "samples.table.json"
    path.write_text(json.dumps({"columns": columns, "data": data}))
    return path


@pytest.mark.parametrize(
    ("columns", "response", "target"),
    [
        (["id", "truth", "answer"], "2", "1"),
        (["id", "response", "answer"], "1", "2"),
        (["id", "output", "ground_truth"], "1", "2"),
        (["index", "prediction", "extra"], "1", None),
    ],
)
def test_usual_names_are_known(tmp_path: Path, columns: list[str], response: str, target: str | None) -> None:
    (log,) = read_logs(table(tmp_path, columns, [7, "1", "2"]))
    (row,) = log.rows
    assert (log.program, log.task) == ("table", "samples.table")
    assert (row.response, row.target, row.order) == (response, target, 0)
    assert "7" in (row.id, row.question_id)


def test_rows_become_outcomes_and_failed_calls_failures(tmp_path: Path, choice: Callable[..., Item]) -> None:
    items = [choice(id="1", question="Which?"), choice(id="2", question="Which one?")]
    path = table(tmp_path, ["id", "question", "response"], [1.0, "Which?", "A"], [2, "Which one?", None])
    first, second = read_import(path, items).outcomes.values()
    assert isinstance(first, Response)
    assert first.response == "A"
    assert isinstance(second, Failure)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"columns": ["id", "answer"], "data": [[1, 2]]}',
            r"none of its columns \(id, answer\) is known to hold resp",
        ),
        ('{"columns": ["id", "response"], "data": [[1]]}', "row 1, field 'data': isn't a list of 2 values"),
        ('{"columns": ["id", "id", "response"], "data": []}', "has a name twice"),
        ('{"columns": [1], "data": []}', "is no list of names"),
        ('{"columns": ["response"]}', "is no table of columns and data"),
        ('{"columns": ["response"], "data": [', "is no table of columns and data"),
    ],
)
def test_what_is_no_table_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "samples.json"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_logs(path)
