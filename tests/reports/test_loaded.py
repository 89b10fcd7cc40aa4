"""Names of runs: each folder has its own, and all tables have the same."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import tolman
from tolman.errors import InputError
from tolman.reports.loaded_runs import load_runs, load_scored
from tolman.reports.report_content import build
from tolman.runs.run_folder import RunSettings

EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "a" / "run"
    tolman.evaluate("vsi-bench", lambda messages: "B", data=EXTRACT, protocol="blind", limit=10, name="m", out=out)
    return out


def test_runs_of_the_same_settings_are_told_apart_by_their_folders(run: Path, tmp_path: Path) -> None:
    other, third = tmp_path / "b" / "run", tmp_path / "b" / "again"
    for place in (other, third):
        shutil.copytree(run, place)
    names = [one.name for one in load_runs([run, other, third])]
    assert names == ["m (blind, in a/run)", "m (blind, in b/run)", "m (blind, in b/again)"]
    assert [one.name for one in load_runs([run, third])] == ["m (blind, in run)", "m (blind, in again)"]
    assert {one.settings_name for one in load_runs([run, third])} == {"m (blind)"}
    assert [row.name for row in build(load_runs([run, third]), "none").rows if row.headline] == [
        "m (blind, in run)",
        "m (blind, in again)",
    ]
    assert [one.name for one in load_runs([run])] == ["m (blind)"]


def test_parts_are_told_apart_by_what_was_selected(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "whole"
    tolman.evaluate("vsi-bench", lambda messages: "B", data=EXTRACT, protocol="blind", name="m", out=out)
    assert [one.name for one in load_runs([run, out])] == ["m (blind, --limit 10)", "m (blind, all questions)"]


def test_what_commands_write_beside_runs_is_passed_over(run: Path) -> None:
    beside = [run.parent / "run.html", run.parent / "tolman.toml"]
    for path in beside:
        path.write_text("")
    assert [one.name for one in load_runs([*beside, run])] == ["m (blind)"]
    assert load_scored([*beside, run])[1] == []
    with pytest.raises(InputError, match="is no run folder"):
        load_runs(beside)


@pytest.mark.parametrize(
    ("model", "protocol", "name"),
    [
        ("openai/m", "direct", "openai/m"),
        ("openai/m", "blind", "openai/m (blind)"),
        ("baseline/random", "direct", "baseline/random"),
        ("baseline/random", "blind", "baseline/random"),
        ("baseline/random", "circular+blind", "baseline/random (circular)"),
    ],
)
def test_baselines_are_never_called_blind(
    model: str, protocol: str, name: str, make_settings: Callable[..., RunSettings]
) -> None:
    assert make_settings(model=model, protocol=protocol).named() == name


@pytest.fixture
def make_settings() -> Callable[..., RunSettings]:
    def make(**changes: str) -> RunSettings:
        common = {"benchmark": "vsi-bench", "subset": "full", "data_hash": "", "preset": "open"}
        return RunSettings.model_validate(common | changes)

    return make


def test_a_baseline_has_one_name_in_tables_and_in_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLMAN_CACHE", str(tmp_path / "cache"))
    model = "baseline/most-frequent"
    made = tolman.evaluate("vsi-bench", model, data=EXTRACT, protocol="blind", out=tmp_path / "base")
    assert made.name == load_runs([made.path])[0].name == model
    assert {row.name for row in tolman.report(made, published="none").report.rows} == {model}
