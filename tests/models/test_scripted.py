"""Answers that are read from a file."""

from pathlib import Path

import pytest

from tolman.errors import InputError
from tolman.models.scripted import Scripted


def test_two_answers_to_one_asking_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"id": "1", "response": "A"}\n{"id": "1", "response": "B", "repeat": 1}\n')
    Scripted(path, 1)
    path.write_text('{"id": "1", "response": "A"}\n{"id": "1", "response": "B"}\n')
    with pytest.raises(InputError, match="row 2, field 'id': the id '1' is also row 1's"):
        Scripted(path, 1)
