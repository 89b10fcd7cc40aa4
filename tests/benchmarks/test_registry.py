"""A fifth benchmark, as another package would add it: nothing but its own module and an entry point."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tolman import benchmarks
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.item_table import write_items
from tolman.items import Item
from tolman.responses import Response
from tolman.runs.run_items import load
from tolman.scoring.answer_values import ParsedAnswer
from tolman.scoring.rule_sets import RuleSet, careful, score_exactly
from tolman.scoring.score_items import score

MODULE = """
from tolman.benchmarks.spec import BenchmarkSpec, PromptPreset, media_first, without_media
from tolman.items import Item
from tolman.scoring.rule_sets import careful
from tolman.scoring.score_table import Column, Table, pool

def load(folder, subset):
    return [
        Item(id="1", question="Left or right?", kind="choice", answer="B", options=("left", "right"), task="side"),
        Item(id="2", question="How many?", kind="number", answer="3", unit="count", task="number"),
    ]

def prompt(item, preset):
    return media_first(item, item.question)

BENCHMARK = BenchmarkSpec(
    name="tiny", title="Tiny", paper="Nobody, 2026", licence="CC0", subsets={"all": "both questions"}, load=load,
    prompt=prompt, blind_prompt=lambda item, preset: without_media(prompt(item, preset)),
    presets=(PromptPreset("only", "here", rule_sets=("careful",)),), rule_sets=(careful(),),
    table=Table((Column("side", "Side", pool("side")), Column("all", "All", pool())), headline="all"),
)
"""


def install(place: Path, monkeypatch: pytest.MonkeyPatch, module: str, content: str, point: str) -> None:
    """Put a distribution with one module and one entry point on the path, and go where it is."""
    (place / f"{module}.py").write_text(content)
    metadata = place / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[tolman.benchmarks]\n{point}\n")
    monkeypatch.syspath_prepend(str(place))
    monkeypatch.chdir(place)
    monkeypatch.delitem(sys.modules, module, raising=False)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(tmp_path, monkeypatch, "tiny_bench", MODULE, "tiny = tiny_bench:BENCHMARK")
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


def test_the_name_of_a_data_set_names_its_benchmark() -> None:
    with pytest.raises(UsageError, match=r"^nyu-visionx/vsi-bench is the data set of the benchmark vsi-bench; give"):
        benchmarks.get("nyu-visionx/vsi-bench")
    with pytest.raises(InputError, match="there is no such folder"):
        benchmarks.get("some/folder")


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"no benchmark 'vsi-benc'; did you mean 'vsi-bench'\? known: .*mmsi-bench, "):
        benchmarks.get("vsi-benc")


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


def test_a_folders_scoring_profile_has_two_names_and_one_value(tmp_path: Path) -> None:
    card = tmp_path / "benchmark.json"
    for text in (
        '{"title": "Mine", "scoring_profile": "site"}',
        '{"title": "Mine", "scoring_profile": "site", "like": "site"}',
    ):
        card.write_text(text)
        assert benchmarks.get(str(tmp_path)).scored_like == "SITE"
    card.write_text('{"title": "Mine", "scoring_profile": "site", "like": "vsi-bench"}')
    with pytest.raises(InputError, match="'site' and, by its old name, 'vsi-bench'; keep one of them"):
        benchmarks.get(str(tmp_path))
    card.write_text('{"title": "Mine", "scored_like": "site"}')
    with pytest.raises(InputError, match="known: licence, name, paper, scoring_profile, title"):
        benchmarks.get(str(tmp_path))


def with_rules(*rules: RuleSet) -> BenchmarkSpec:
    return replace(
        benchmarks.get("vsi-bench"),
        name="own",
        rule_sets=rules,
        presets=(PromptPreset("p", "here", rule_sets=("careful",)),),
    )


def within_a_quarter(item: Item, reading: ParsedAnswer) -> float:
    """A metric that is no mean relative accuracy: right within 25 %."""
    if not isinstance(reading.value, float):
        return 0.0
    return float(abs(reading.value - float(item.answer)) <= float(item.answer) / 4)


def test_careful_has_the_benchmarks_own_metric(number: Callable[..., Item]) -> None:
    official = RuleSet("official", lambda item, text, seed: ParsedAnswer(float(text)), within_a_quarter)
    items, outcomes = [number("10")], [Response(id="1", response="12")]
    own = with_rules(official, careful())
    assert score(items, outcomes, own.rule_sets)["score"].to_list() == [1.0, 1.0]
    assert score(items, outcomes, replace(own, title="Again").rule_sets)["score"].to_list() == [1.0, 1.0]
    stated = with_rules(official, careful(score=score_exactly))
    assert score(items, outcomes, stated.rule_sets)["score"].to_list() == [1.0, 0.6]
    alone = with_rules(careful())
    assert score(items, outcomes, alone.rule_sets)["score"].to_list() == [0.6]


@pytest.mark.parametrize("name", ["mmsi-bench", "site", "spatialbench", "vsi-bench"])
def test_the_founding_benchmarks_state_their_metric_in_exact_arithmetic(name: str) -> None:
    assert benchmarks.get(name).rule_set("careful").score is score_exactly


def test_rule_sets_that_there_are_not_are_refused_with_those_there_are() -> None:
    benchmark = benchmarks.get("vsi-bench")
    with pytest.raises(UsageError, match="VSI-Bench has no scorer 'judged'; known: official, careful"):
        benchmark.rule_set("judged")
    with pytest.raises(
        UsageError, match="the prompt preset 'open' of VSI-Bench has the scorer 'official', which there isn't"
    ):
        replace(benchmark, rule_sets=(careful(),))
    with pytest.raises(UsageError, match="give it one of each name"):
        with_rules(careful(), careful())


@pytest.mark.parametrize("answer", ["0", "-2", "0.0"])
def test_a_true_value_that_has_no_relative_error_is_refused_when_it_is_loaded(
    tmp_path: Path, number: Callable[..., Item], answer: str
) -> None:
    (tmp_path / "benchmark.json").write_text('{"title": "Mine", "like": "vsi-bench"}', encoding="utf-8")
    write_items(tmp_path / "items.parquet", [number("3", id="1", task="object_counting"), number(answer, id="two")])
    with pytest.raises(InputError, match=rf"row two, field 'answer': {answer} is no true value.*above 0; correct"):
        load(str(tmp_path), None, None)
    (tmp_path / "benchmark.json").write_text('{"title": "Mine", "like": "spatialbench"}', encoding="utf-8")
    assert len(load(str(tmp_path), None, None).items) == 2


def test_a_judge_that_nothing_can_be_held_against_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = MODULE.replace("import careful", "import RuleSet, careful, score_exactly").replace(
        "rule_sets=(careful(),)", 'rule_sets=(RuleSet("official", careful().read, score_exactly),)'
    )
    only = only.replace('rule_sets=("careful",)', 'rule_sets=("official",)')
    install(tmp_path, monkeypatch, "only_official", only, "only = only_official:BENCHMARK")
    judge = ["--judge", "openai/judge", "--judge-base-url", "http://127.0.0.1:9"]
    command = ["run", "only", "--data", ".", "--model", "baseline/most-frequent", "--protocol", "blind", *judge]
    ran = CliRunner().invoke(app, command)
    assert isinstance(ran.exception, UsageError)
    assert "Tiny has no scorer 'careful'; known: official" in str(ran.exception)
    assert not (tmp_path / "runs").exists()
