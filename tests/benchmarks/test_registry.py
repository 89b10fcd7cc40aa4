"""A fifth benchmark, as another package would add it: nothing but its own module and an entry point."""

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tolman import benchmarks
from tolman.cli import app
from tolman.errors import UsageError

MODULE = """
from tolman.benchmarks.base import Benchmark, Preset, media_first, without_media
from tolman.items import Item
from tolman.scoring.rules import careful
from tolman.scoring.table import Column, Table, pool

def load(folder, subset):
    return [
        Item(id="1", question="Left or right?", kind="choice", answer="B", options=("left", "right"), task="side"),
        Item(id="2", question="How many?", kind="number", answer="3", unit="count", task="number"),
    ]

def prompt(item, preset):
    return media_first(item, item.question)

BENCHMARK = Benchmark(
    name="tiny", title="Tiny", paper="Nobody, 2026", licence="CC0", subsets={"all": "both questions"}, load=load,
    prompt=prompt, blind_prompt=lambda item, preset: without_media(prompt(item, preset)),
    presets=(Preset("only", "here", rule_sets=("careful",)),), rule_sets=(careful(),),
    table=Table((Column("side", "Side", pool("side")), Column("all", "All", pool())), headline="all"),
)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny_bench.py").write_text(MODULE)
    metadata = tmp_path / "tiny_bench-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-bench\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[tolman.benchmarks]\ntiny = tiny_bench:BENCHMARK\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("tiny_bench", None)


@pytest.mark.usefixtures("installed")
def test_an_installed_benchmark_is_listed_run_and_reported() -> None:
    assert "tiny" in benchmarks.names()
    runner = CliRunner()
    listed = runner.invoke(app, ["benchmarks"])
    assert "tiny" in listed.output
    ran = runner.invoke(app, ["run", "tiny", "--data", ".", "--model", "baseline/most-frequent", "--protocol", "blind"])
    assert ran.exit_code == 0, ran.output
    assert "100.0" in ran.output
    assert (Path("runs") / "tiny-all" / "baseline-most-frequent-blind" / "report.html").exists()


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no benchmark 'vsi'; known: mmsi-bench, site, spatialbench, vsi-bench"):
        benchmarks.get("vsi")


@pytest.mark.parametrize("name", ["mmsi-bench", "site", "spatialbench", "vsi-bench"])
def test_every_benchmark_is_whole(name: str) -> None:
    found = benchmarks.get(name)
    assert found.name == name
    assert found.published_rows
    assert {row.group for row in found.published_rows} == {"chance", "human", "model"}
    assert found.table.column(found.table.headline)
    for preset in found.presets:
        assert all(found.rule_set(rules) for rules in preset.rule_sets)


def test_a_folder_may_be_called_like_the_benchmark_that_it_is_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "benchmark.json").write_text('{"title": "Mine", "like": "site"}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    own, named = benchmarks.get("site"), benchmarks.named("site")
    assert (own.title, own.table) == ("Mine", named.table)
    assert named.title != "Mine"
