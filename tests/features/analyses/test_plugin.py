"""The analysis of the page `docs/extend/family.md`, taken from there, as a plugin."""

import json
import re
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

import terminal
from tolman.errors import UsageError
from tolman.features.analyses import ANALYSES, to_plain
from tolman.plugins import load_plugin

ROOT = Path(__file__).resolve().parents[3]
EXTRACT = ROOT / "tests" / "extracts" / "vsi_bench_extract.jsonl"
ROWS = [json.loads(line) for line in EXTRACT.read_text().splitlines()]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the file of the page and a run that always says B."""
    folder = tmp_path_factory.mktemp("own")
    page = (ROOT / "docs" / "extend" / "family.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(# by_options\.py\n.*?)```", page, re.DOTALL)
    assert len(code) == 1
    assert len(code[0].splitlines()) < 60
    (folder / "by_options.py").write_text(code[0], encoding="utf-8")
    (folder / "b.jsonl").write_text("".join(json.dumps({"id": r["id"], "response": "B"}) + "\n" for r in ROWS))
    terminal.typed(folder, "run", "vsi-bench", "--data", str(EXTRACT), "--model", "scripted/b.jsonl", "--out", "run")
    return folder


def tolman(place: Path, *arguments: str, status: int = 0, **environment: str) -> str:
    done = terminal.typed(place, "analyze", *arguments, status=status, **environment)
    return done.stdout if status == 0 else done.stderr


def test_an_analysis_of_ones_own_is_a_command_with_its_options(place: Path) -> None:
    listed = " ".join(tolman(place, "--help", "--plugin", "by_options.py", COLUMNS="200").split())
    assert "by-options Accuracy by number of options, beside uniform guessing." in listed
    assert "deltas Vision ablation" in listed
    shown = " ".join(tolman(place, "by-options", "--plugin", "by_options.py", "--help", COLUMNS="200").split())
    for text in (
        "--fewest",
        "Fewest items of a row, 1 or more. Default: 1.",
        "--scorer",
        "--json",
        "--config",
        "by-options runs",
    ):
        assert text in shown
    assert "--rules" not in shown


def test_its_figures_are_right(place: Path) -> None:
    right: dict[int, list[bool]] = defaultdict(list)
    for row in ROWS:
        if row["options"]:
            right[len(row["options"])].append(row["ground_truth"] == "B")
    found = json.loads(tolman(place, "by-options", "--plugin", "by_options.py", "run", "--json"))
    assert [row["options"] for row in found] == sorted(right)
    for row in found:
        own = right[row["options"]]
        assert row["accuracy"]["value"] == pytest.approx(100 * sum(own) / len(own))
        assert row["accuracy"]["n"] == len(own)
        assert row["run"] == "scripted/b.jsonl"
    largest = max(found, key=lambda row: row["accuracy"]["n"])
    assert largest["accuracy"]["interval"]["low"] < largest["accuracy"]["value"]
    shown = tolman(place, "by-options", "run", TOLMAN_PLUGINS="by_options.py")
    assert "accuracy by number of options" in shown
    assert "Intervals are clustered by scene." in shown
    fewer = json.loads(tolman(place, "by-options", "--plugin", "by_options.py", "run", "--fewest", "30", "--json"))
    assert fewer == [row for row in found if row["accuracy"]["n"] >= 30]
    assert len(fewer) < len(found)


def test_its_config_file_and_its_errors_are_like_those_of_others(place: Path) -> None:
    plugin = ("by-options", "--plugin", "by_options.py")
    given = tolman(place, *plugin, "run", "--scorer", "careful", "--write-config", "c.toml", "--json")
    assert "'tolman analyze by-options --config c.toml'" in (place / "c.toml").read_text()
    assert tolman(place, *plugin, "--config", "c.toml", "--json") == given
    assert "'--fewest'" in tolman(place, *plugin, "run", "--fewest", "0", status=2)
    (place / "few.toml").write_text("[analyze-by-options]\nfewest = 0\n")
    told = tolman(place, *plugin, "run", "--config", "few.toml", status=2)
    assert "few.toml: --fewest takes at least 1, not 0" in told
    assert "there is no analysis 'by-options'; known: bias" in tolman(place, "by-options", "run", status=2)
    (place / "wrong.py").write_text('ANALYSIS = "nothing"\n')
    told = tolman(place, "wrong", "--plugin", "wrong.py", status=2)
    assert "what is registered as analysis 'wrong' is no tolman.features.analyses.Analysis" in told


def test_it_runs_from_python(place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tolman.plugins._loaded", {})  # other tests of this process don't find it
    load_plugin(place / "by_options.py")
    analysis = ANALYSES.get("by-options")
    found = analysis.run(analysis.config(runs=(place / "run",)), lambda event: None)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    assert to_plain(found) == json.loads(tolman(place, "by-options", "--plugin", "by_options.py", "run", "--json"))
    with pytest.raises(UsageError, match="there is no analysis 'by-option'; did you mean 'by-options'"):
        ANALYSES.get("by-option")


def test_two_runs_of_one_model_are_two_rows(place: Path) -> None:
    shutil.copytree(place / "run", place / "second")
    found = json.loads(tolman(place, "by-options", "--plugin", "by_options.py", "run", "second", "--json"))
    one = json.loads(tolman(place, "by-options", "--plugin", "by_options.py", "run", "--json"))
    names = [row["run"] for row in found]
    assert set(names) == {"scripted/b.jsonl (in run)", "scripted/b.jsonl (in second)"}
    assert [row["accuracy"] for row in found if row["run"].endswith("(in run)")] == [row["accuracy"] for row in one]
    told = tolman(place, "by-options", "--plugin", "by_options.py", "run", "./run", status=2)
    assert "the run run is named twice, and would count twice; name each run once." in told
