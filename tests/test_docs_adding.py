"""The pages on adding to Tolman: each file and each command on them, as a reader would take them."""

import json
import re
import tomllib
from pathlib import Path

import pytest

import terminal
from docs.files import write_files
from tolman import benchmarks
from tolman.benchmarks.declaring.data_file import (
    AnswerForm,
    ColumnOfTable,
    Declaration,
    DeclaredSubset,
    FiguresTable,
    Groups,
    Hub,
    MediaColumns,
    Options,
    Prompt,
    RightRegion,
    Scorer,
    ScorerJudge,
    SecondFile,
)
from tolman.benchmarks.fields import Field
from tolman.item_table import read_items, write_items
from tolman.items import Item
from tolman.plugins import load_plugin
from tolman.responses import Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_folder import RunFolder
from tolman.runs.run_items import load
from tolman.runs.run_scoring import score_run

DOCS = Path(__file__).resolve().parents[1] / "docs" / "extend"
EXTRACT = Path(__file__).resolve().parent / "extracts" / "vsi_bench_extract.jsonl"
MAX_LINES = 60


def files_of(page: str, place: Path) -> list[Path]:
    """Write the Python files that a page shows, each named in its first line."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = []
    for name, body in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", text, re.DOTALL):
        assert body.count("\n") < MAX_LINES
        (place / name).write_text(body, encoding="utf-8")
        found.append(place / name)
    return found


def commands_of(page: str) -> list[list[str]]:
    """The commands of a page, without 'tolman'."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [line.split()[1:] for line in re.findall(r"^tolman .*$", text, re.MULTILINE)]


def typed(place: Path, command: list[str]) -> str:
    done = terminal.tolman(place, *command)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_add_a_benchmark_as_one_file_whose_baselines_run(tmp_path: Path) -> None:
    (file,) = files_of("benchmark.md", tmp_path)
    commands = commands_of("benchmark.md")[:2]
    assert [command[0] for command in commands] == ["run", "report"]
    assert "My Bench" in typed(tmp_path, commands[0])
    reported = typed(tmp_path, commands[1])
    assert "Within\n" in reported
    assert "25 %\n" in reported
    for name in ("random", "most-frequent", "most-frequent-text"):
        shown = typed(tmp_path, [f"baseline/{name}" if "baseline/" in word else word for word in commands[0]])
        assert "Side" in shown
    figures = json.loads((tmp_path / "runs/my-bench-all/baseline-best-constant-blind/scores.json").read_text())
    assert figures["rule_sets"]["careful"]["cells"]["near"]["value"] == 100.0
    compared = typed(
        tmp_path,
        ["compare", "runs/my-bench-all/baseline-best-constant-blind", "runs/my-bench-all/baseline-most-frequent-blind",
         "--plugin", file.name],
    )  # fmt: skip
    assert "Within 25 %" in compared


def test_add_a_metric_as_one_file_and_have_it_on_any_benchmark(tmp_path: Path) -> None:
    for file in files_of("scoring.md", tmp_path):
        if file.name in ("half_metre.py", "last_letter.py"):
            load_plugin(file)
    loaded = load("vsi-bench", EXTRACT, None)
    outcomes = [
        Response(id=item.id, response="A" if item.options else str(item.float_answer + 1)) for item in loaded.items
    ]
    folder, before = score_outcomes(
        loaded, outcomes, benchmark="vsi-bench", model="one more", model_settings={}, out=tmp_path / "run"
    )
    assert "metrics" not in before
    assert not (tmp_path / "run" / "metrics.parquet").exists()
    names = ["half-metre", "worst-tenth", "within-25", "median-relative-error"]
    record = folder.record()
    figures = score_run(folder, loaded.benchmark, record, loaded.items, outcomes, metrics=names)
    assert {**figures, "metrics": None} == {**figures, **before, "metrics": None}, "the table is as it was"
    assert set(figures["metrics"]) >= {"official", "careful", "last-letter"} - {"last-letter"}
    found = figures["metrics"]["careful"]
    assert list(found) == names
    lengths = [item for item in loaded.items if item.unit == "cm"]
    near = found["half-metre"]["cells"]["object_size_estimation"]
    assert (near["value"], near["n"]) == (100.0, len(lengths))  # an error of 1 is a centimetre
    assert found["half-metre"]["cells"]["object_abs_distance"]["value"] == 0.0
    assert "object_rel_distance" not in found["within-25"]["cells"]
    stored = RunFolder(tmp_path / "run")
    assert stored.further_metrics() == names
    assert {f"metric:{name}" for name in names} <= set(stored.scores().columns)
    again = score_run(folder, loaded.benchmark, record, loaded.items, outcomes)
    assert again["metrics"] == figures["metrics"], "scoring again keeps them"
    plugins = [word for file in ("half_metre.py", "last_letter.py") for word in ("--plugin", file)]
    shown = typed(tmp_path, ["report", "run", *plugins])
    assert "Further metrics: one more, careful" in shown
    assert "Within 0.5 m" in shown
    marked = typed(tmp_path, ["report", "run", *plugins, "--format", "markdown"])
    assert "| Metric | " in marked
    assert "percentile bootstrap, 2,000 draws of scenes" in marked


def test_a_scorer_of_a_plugin_stands_beside_the_benchmarks_own(tmp_path: Path) -> None:
    load_plugin(next(file for file in files_of("scoring.md", tmp_path) if file.name == "last_letter.py"))
    assert [rules.name for rules in benchmarks.get("mmsi-bench").further_rule_sets()] == ["last-letter"]
    assert benchmarks.get("spatialbench").further_rule_sets() == []
    loaded = load("vsi-bench", EXTRACT, None)
    outcomes = [Response(id=item.id, response="not A but B" if item.options else "2") for item in loaded.items]
    folder, figures = score_outcomes(
        loaded, outcomes, benchmark="vsi-bench", model="m", model_settings={}, out=tmp_path / "run"
    )
    assert list(figures["rule_sets"]) == ["official", "careful", "last-letter"]
    rows = folder.scores().filter(rule_set="last-letter")
    right = {item.id for item in loaded.items if item.options and item.answer == "B"}
    assert {row["id"] for row in rows.iter_rows(named=True) if row["score"] == 1.0} == right
    assert right
    shown = typed(tmp_path, ["report", "run", "--plugin", "last_letter.py"])
    assert "last-letter" in shown


def test_add_an_item_kind_as_one_file(tmp_path: Path) -> None:
    (kind,) = (file for file in files_of("scoring.md", tmp_path) if file.name == "yes_no.py")
    load_plugin(kind)
    doors = [
        Item(id=str(i), question=f"Is door {i} open?", kind="yes-no", answer=("yes", "no")[i % 2], task="open", scene=f"room {i // 2}")
        for i in range(20)
    ]  # fmt: skip
    (tmp_path / "doors").mkdir()
    (tmp_path / "doors" / "benchmark.json").write_text('{"title": "Doors", "licence": "CC0"}')
    write_items(tmp_path / "doors" / "items.parquet", doors)
    run = ["run", "./doors", "--plugin", kind.name, "--model", "baseline/random", "--protocol", "blind"]
    assert "20 items" in typed(tmp_path, run)
    assert "open" in typed(tmp_path, ["report", "runs/doors-all/baseline-random-blind", "--plugin", kind.name])
    figures = json.loads((tmp_path / "runs/doors-all/baseline-random-blind/scores.json").read_text())
    assert figures["rule_sets"]["careful"]["expectation_cells"]["average"]["value"] == 50.0
    without = terminal.tolman(
        tmp_path, "run", "./doors", "--model", "baseline/random", "--protocol", "blind", "--out", "x"
    )
    assert without.returncode == 0  # by Tolman's own kind of that name
    items = read_items(tmp_path / "doors" / "items.parquet")
    benchmark = benchmarks.get(str(tmp_path / "doors"))
    prompt = benchmark.prompt(items[0], benchmark.presets[0])
    assert "Answer with yes or no only." in str(prompt.parts[-1])
    said = [f"I see the handle. The answer is {item.answer}." for item in items]
    assert perfect(tmp_path / "doors", items, said, tmp_path / "said") == 100.0
    assert perfect(tmp_path / "doors", items, ["I can't tell."] * len(items), tmp_path / "unread") == 0.0
    with pytest.raises(ValueError, match="'maybe' is neither yes nor no"):
        Item(id="1", question="?", kind="yes-no", answer="maybe", task="open")
    with pytest.raises(ValueError, match="no item kind 'yes_or_no'"):
        Item(id="1", question="?", kind="yes_or_no", answer="yes", task="open")


def perfect(folder: Path, items: list[Item], texts: list[str], out: Path) -> float:
    loaded = load(str(folder), None, None)
    outcomes = [Response(id=item.id, response=text) for item, text in zip(items, texts, strict=True)]
    _, figures = score_outcomes(loaded, outcomes, benchmark=str(folder), model="m", model_settings={}, out=out)
    return float(figures["rule_sets"]["careful"]["cells"]["average"]["value"])


def test_metrics_are_asked_for_on_the_command_line(tmp_path: Path) -> None:
    run = ["run", "vsi-bench", "--data", str(EXTRACT), "--model", "baseline/best-constant", "--protocol", "blind"]
    shown = typed(tmp_path, [*run, "--out", "run", "--metrics", "within-25,median-relative-error"])
    assert "Further metrics: baseline/best-constant, official" in shown
    found = json.loads((tmp_path / "run" / "scores.json").read_text())["metrics"]
    assert list(found["careful"]) == ["within-25", "median-relative-error"]
    typed(tmp_path, ["score", "run", "--metrics", "0.5*mra+0.5*within-10"])
    again = json.loads((tmp_path / "run" / "scores.json").read_text())["metrics"]
    assert list(again["official"]) == ["0.5*mra+0.5*within-10"]
    wrong = terminal.tolman(tmp_path, *run, "--out", "other", "--metrics", "within25")
    assert wrong.returncode == 2
    assert "there is no metric 'within25'; did you mean 'within-X'?" in wrong.stderr
    assert not (tmp_path / "other").exists()


def shelves(place: Path) -> Path:
    """Write the files of the page on data files: the questions and the benchmark."""
    write_files("docs/extend/benchmark.md", place)
    return place / "shelves.toml"


@pytest.mark.full
def test_the_commands_for_a_benchmark_as_a_data_file(tmp_path: Path) -> None:
    shelves(tmp_path)
    described, run, report = commands_of("benchmark.md")[2:]
    assert "Choices" in typed(tmp_path, described)
    assert "Shelves" in typed(tmp_path, run)
    assert "Avg." in typed(tmp_path, report)
    assert "Shelves" in typed(tmp_path, ["baseline/random" if "baseline/" in word else word for word in run])


def test_add_a_benchmark_as_a_data_file(tmp_path: Path) -> None:
    load_plugin(shelves(tmp_path))
    benchmark = benchmarks.get("shelves")
    loaded = load("shelves", tmp_path, None)
    items = loaded.items
    assert [(item.kind, item.answer, item.scene) for item in items] == [
        ("choice", "B", "study"), ("choice", "C", "study"), ("number", "3", "hall"),
    ]  # fmt: skip
    assert benchmark.prompt(items[0], benchmark.presets[0]).parts == (
        *items[0].media,
        "You are in the study. Which book stands left of the globe?\nA: the atlas\nB: the novel\n"
        "Answer with the letter only.",
    )
    outcomes = [Response(id=item.id, response=f"The answer is {item.answer}.") for item in items]
    _, figures = score_outcomes(
        loaded, outcomes, benchmark="shelves", model="m", model_settings={}, out=tmp_path / "said"
    )
    assert figures["rule_sets"]["official"]["cells"]["average"]["value"] == 100.0


def test_the_keys_that_the_page_on_data_files_names_are_those_there_are() -> None:
    text = (DOCS / "benchmark.md").read_text(encoding="utf-8")
    (group,) = re.findall(r"```toml\n(\[subsets\.circular\]\n.*?)```", text, re.DOTALL)
    DeclaredSubset.model_validate(tomllib.loads(group)["subsets"]["circular"])
    said = set(re.findall(r"[a-z_]+", text))
    for model in (
        Declaration, Hub, DeclaredSubset, Groups, Options, AnswerForm, RightRegion, MediaColumns, Prompt, Scorer, FiguresTable, ColumnOfTable, Field,
        SecondFile, ScorerJudge,
    ):  # fmt: skip
        names = {field.alias or name for name, field in model.model_fields.items()} - {"name"}
        assert names <= said, (model, names - said)
