"""What holds for every benchmark that is a data file."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from interop.test_released_data import RELEASES
from newer_rows import WRITERS
from released_rows import right_response
from tolman import benchmarks
from tolman.benchmarks.declaring import catalogue, declared_names
from tolman.cli import app
from tolman.responses import Response
from tolman.scoring.aggregate import cells
from tolman.scoring.score_items import score


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
            is_left_to_a_judge = bool((rows["status"] == "unjudged").all())
            assert headline.value == pytest.approx(100) or is_left_to_a_judge, (subset, rules.name)


@pytest.mark.full
@pytest.mark.parametrize("name", WRITERS)
def test_rows_of_a_baseline_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    WRITERS[name](tmp_path)
    monkeypatch.chdir(tmp_path)
    command = ["run", name, "--data", ".", "--model", "baseline/best-constant", "--protocol", "blind", "--out", "out"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    assert benchmarks.get(name).title in ran.output
    assert (tmp_path / "out" / "scores.json").is_file()


def test_the_page_says_which_were_tried_on_released_files() -> None:
    page = (Path(__file__).parents[3] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    tried = page.partition("## Tried on released files")[2].partition("Scores that repositories state")[0]
    in_table = set(re.findall(r"^\| `([a-z0-9-]+)` \|", tried, re.MULTILINE))
    assert in_table == {release.benchmark for release in RELEASES} | {"vsi-bench"}
    for name in declared_names():
        unsure = " ".join(catalogue().open(name).unsure)
        assert bool(re.search(r"\bNo data\b", unsure)) <= (name not in in_table), name
