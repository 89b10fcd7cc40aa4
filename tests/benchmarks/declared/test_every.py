"""What holds for every benchmark that is a data file."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from released_rows import WRITERS, right_response
from tolman import benchmarks
from tolman.benchmarks.declaring import declared_names
from tolman.cli import app
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score import score


def test_every_data_file_has_rows_to_be_tested_with() -> None:
    assert set(declared_names()) == set(WRITERS)
    assert set(declared_names()) <= set(benchmarks.names())


@pytest.mark.parametrize("name", WRITERS)
def test_the_oracle_scores_100_under_every_scorer(tmp_path: Path, name: str) -> None:
    benchmark = benchmarks.get(name)
    WRITERS[name](tmp_path)
    for subset in benchmark.subsets:
        items = benchmark.load(tmp_path, subset)
        for rules in benchmark.rule_sets:
            said = [
                Response(id=item.id, response=benchmark.written(item, right_response(name, rules.name, item)))
                for item in items
            ]
            rows = score(items, said, (rules,))
            headline = cells(rows.filter(rule_set=rules.name), benchmark.table)[benchmark.table.headline]
            assert headline.value == pytest.approx(100), (subset, rules.name)


@pytest.mark.full
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("model", ["random", "best-constant"])
def test_rows_of_baselines_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, model: str) -> None:
    WRITERS[name](tmp_path)
    monkeypatch.chdir(tmp_path)
    command = ["run", name, "--data", ".", "--model", f"baseline/{model}", "--protocol", "blind", "--out", "out"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    assert benchmarks.get(name).title in ran.output
    assert (tmp_path / "out" / "scores.json").is_file()
