"""Loading a benchmark: what its table names must be there."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import terminal
from tolman import benchmarks
from tolman.errors import InputError
from tolman.items import Item
from tolman.plugins import load_plugin
from tolman.runs.run_items import items_in, load

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extend" / "benchmark.md"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the benchmark of the page, one question type of whose table is written wrongly."""
    code = re.findall(r"```python\n(# my_bench\.py\n.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    (tmp_path / "my_bench.py").write_text(code, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(code.replace('pool("side")', 'pool("sied")'), encoding="utf-8")
    return tmp_path


def test_a_table_that_names_no_question_type_is_refused_with_the_nearest(place: Path) -> None:
    run = ("run", "my-bench", "--data", ".", "--model", "baseline/best-constant", "--protocol", "blind")
    done = terminal.tolman(place, *run, "--plugin", "wrong.py", code=2)
    assert done.stderr.strip() == (
        "tolman: the table of My Bench has a pool of the question type 'sied', which no question is of; did you mean "
        "'side'? known: side, distance."
    )
    assert not (place / "runs").exists()
    assert terminal.tolman(place, *run, "--plugin", "my_bench.py").returncode == 0


def test_a_part_of_a_released_benchmark_has_empty_columns(place: Path) -> None:
    load_plugin(place / "my_bench.py")
    extract = PAGE.parents[2] / "tests" / "extracts" / "vsi_bench_extract.jsonl"
    lines = [line for line in extract.read_text().splitlines() if '"route_planning"' in line]
    (place / "routes.jsonl").write_text("\n".join(lines) + "\n")
    assert {item.task for item in load("vsi-bench", place / "routes.jsonl", None).items} == {"route_planning"}
    assert benchmarks.get("my-bench").table.task_titles == {"side": "Side"}


@pytest.mark.parametrize(
    ("rows", "row"),
    [
        ([{"id": "q1", "text": "?"}, {"id": "q2"}], "row q2"),
        ([{"text": "?"}, {"txt": "Which one is it?"}], r"row \{'txt': 'Which one is it\?'\}"),
    ],
)
def test_a_key_that_a_plugins_loader_misses_is_told_with_its_row(
    rows: list[dict[str, str]], row: str, tmp_path: Path
) -> None:
    def load_rows(folder: Path, subset: str) -> list[Item]:
        return [
            Item(id=one.get("id", "1"), question=one["text"], kind="number", answer="1", task="t", unit="m")
            for one in rows
        ]

    benchmark = replace(benchmarks.get("vsi-bench"), load=load_rows)
    with pytest.raises(InputError, match=rf"{row}: can't be read as VSI-Bench \(KeyError: 'text'\)"):
        items_in(benchmark, tmp_path, "full")
