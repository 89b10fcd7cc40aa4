"""CSV without formulas."""

import csv
import io
import re
from pathlib import Path

import polars as pl
import pytest

import tolman
from tolman.text_tables import csv_text, frame_csv, safe_cell

PACKAGE = Path(tolman.__file__).parent
MACHINES = {"text_tables.py", "exports/vlmevalkit/__init__.py", "exports/vlmevalkit/dataset.py"}
"""Who may write CSV without the guard: the writer itself, and tables for programs that need each cell as it is."""


@pytest.mark.parametrize("text", ["=1", "=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "-", "-model"])
def test_a_formula_is_a_text(text: str) -> None:
    assert safe_cell(text) == f"'{text}"
    assert next(csv.reader(io.StringIO(csv_text([[text, 1]])))) == [f"'{text}", "1"]
    assert f"'{text}" in frame_csv(pl.DataFrame({"name": [text, None], "value": [-1.5, 2.0]})).replace('""', '"')


@pytest.mark.parametrize("value", ["-1.5", "+2", "-3e-05", "-.5", "plain", "", -1.5, None, "a=b"])
def test_numbers_and_plain_texts_stay(value: object) -> None:
    assert safe_cell(value) == value


def test_every_csv_goes_through_the_guard() -> None:
    direct = re.compile(r"\.write_csv\(|csv\.writer\(|DictWriter\(|\.to_csv\([^)]*sep")
    strays = {
        path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if direct.search(path.read_text("utf-8"))
    }
    assert strays <= MACHINES


def test_a_comparison_guards_names(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{i}", "task": "t", "kind": "choice", "question": "Which?", "options": ("a", "b"), "answer": "A",
         "scene": f"s{i}"}
        for i in range(8)
    ]  # fmt: skip
    place = tolman.load(rows).save(tmp_path / "b")
    runs = [tolman.evaluate(place, lambda m: "A", name=name, out=tmp_path / name[1:]) for name in ("=one", "=two")]
    tolman.compare(*runs, out=tmp_path / "x.csv")
    lines = list(csv.reader(io.StringIO((tmp_path / "x.csv").read_text("utf-8"))))
    assert not [cell for line in lines for cell in line if cell.startswith("=")]
    assert any("'=" in cell for line in lines for cell in line)
