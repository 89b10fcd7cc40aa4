"""`tolman audit --shortcuts`: what is printed, written and told, and the exit code."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import tolman
from leaking import by_wording, twins
from tolman import item_table
from tolman.analyze.outside.shortcut_audit import ShortcutAudit, audit_with_learners
from tolman.benchmarks.benchmark_folder import FILE
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.generate.publish import write_shards
from tolman.items import Item

FAST = ["--learners", "ngram-linear"]


def folder_of(items: list[Item], place: Path, *, generated: bool = False) -> str:
    place.mkdir()
    write_shards(place, iter(items), len(items))
    (place / FILE).write_text(json.dumps({"name": place.name, "title": place.name}))
    if generated:
        (place / "provenance.json").write_text(json.dumps({"tolman": "0.1.0"}))
        (place / "README.md").write_text("# It\n\n## Frames\n\nSome.\n")
    return str(place)


def test_a_leak_ends_with_1_and_says_where(tmp_path: Path) -> None:
    bench = folder_of(by_wording(200, 1, 0.6), tmp_path / "leaks", generated=True)
    out = tmp_path / "audit"
    done = CliRunner().invoke(app, ["audit", bench, "--shortcuts", "--out", str(out), *FAST])
    assert done.exit_code == 1, done.output
    assert "points above chance" in done.output
    record = json.loads((out / "shortcuts.json").read_text())
    assert (record["verdict"], record["seed"], record["folds"]) == ("FAIL", 0, 5)
    assert record["rows"][0]["learner"] == "ngram-linear"
    assert "Verdict: **FAIL**" in (tmp_path / "leaks" / "README.md").read_text()
    assert CliRunner().invoke(app, ["audit", "--config", str(out / "tolman.toml"), "--exit-zero"]).exit_code == 0


def test_balanced_twins_end_with_0_and_json_is_what_is_written(tmp_path: Path) -> None:
    bench = folder_of(twins(400, 1), tmp_path / "twins")
    out = tmp_path / "audit"
    done = CliRunner().invoke(app, ["audit", bench, "--shortcuts", "--json", "--out", str(out), *FAST])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == json.loads((out / "shortcuts.json").read_text())
    assert json.loads(done.stdout)["verdict"] == "pass"


def test_of_many_questions_only_what_learners_are_told_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = {"evidence": {"twins": "a", "needed_frames": [[0, 0]] * 50}, "reasoning": "By its looks."}
    items = twins(400, 1)
    bench = folder_of([item.model_copy(update=long) if n < 4 else item for n, item in enumerate(items)], tmp_path / "b")
    monkeypatch.setattr(item_table, "HELD_ITEMS", 10)
    held: list[Item] = []

    def watched(items: Sequence[Item], *rest: Any, **named: Any) -> ShortcutAudit:
        held.extend(items)
        return audit_with_learners(items, *rest, **named)

    monkeypatch.setattr("tolman.features.generate.audit.audit_with_learners", watched)
    tolman.audit_shortcuts(bench, learners=["ngram-linear"], out=tmp_path / "audit")
    assert [item.id for item in held] == [item.id for item in items]
    assert [item.evidence for item in held[:4]] == [{"twins": "a"}] * 4
    assert not any(item.reasoning for item in held)


def test_other_folders_teach(tmp_path: Path) -> None:
    bench = folder_of(by_wording(120, 1), tmp_path / "small")
    other = folder_of(by_wording(800, 2), tmp_path / "other")
    found = tolman.audit_shortcuts(bench, teach=other, learners=["ngram-linear"], out=tmp_path / "audit")
    assert found.taught == (other,)
    assert found.card is None
    table = found.table()
    assert dict(zip(table["taught_on"], table["verdict"], strict=True))["others"] == "FAIL"
    assert found.record()["others"] == 800


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"scenes": "x"}, UsageError, "give one of them at a time"),
        ({"teach": "nowhere"}, InputError, "does not exist"),
        ({"language_model": "nowhere"}, InputError, "is no folder"),
        ({"learners": ["forest"]}, UsageError, "no learner 'forest'"),
        ({"scorer": "mine"}, UsageError, "no scorer 'mine'"),
        ({"teach": "."}, UsageError, "is the benchmark itself"),
    ],
)
def test_what_cannot_be_is_told(
    settings: dict[str, object], error: type[Exception], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder_of(twins(40, 1), tmp_path / "bench")
    monkeypatch.chdir(tmp_path / "bench")
    with pytest.raises(error, match=said):
        tolman.audit_shortcuts("../bench", out=tmp_path / "audit", **settings)


def test_an_audit_of_answers_needs_scenes() -> None:
    with pytest.raises(UsageError, match="--scenes FOLDER to audit answers, or --shortcuts"):
        CliRunner().invoke(app, ["audit", "vsi-bench"], catch_exceptions=False)
