"""Stages of a recipe: Tolman's own in their order, and one that a local file adds between them."""

import json
import re
from pathlib import Path

import pytest

from terminal import tolman
from tolman.curate.pipeline import Recipe, Stage, Work, carry_out, in_order, read_recipe, stages_of
from tolman.errors import UsageError
from tolman.plugins import load_plugin

OWN = ["import", "duplicates", "classify", "convert", "stratify", "verify", "benchmark"]


def recipe(**stages: dict[str, object]) -> Recipe:
    return Recipe.model_validate({"name": "x", "sources": [{"mapping": "vsi-bench", "data": "."}], "stages": stages})


def test_own_stages_are_in_the_order_of_their_declarations() -> None:
    assert [stage.name for stage in stages_of(recipe())] == OWN


def test_a_stage_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="no stage of a plugin 'shortest'"):
        stages_of(recipe(shortest={}))
    with pytest.raises(UsageError, match="no stage of a plugin 'convert'"):
        stages_of(recipe(convert={}))


def test_stages_come_after_others_and_not_in_a_circle() -> None:
    def stage(name: str, after: str) -> Stage:
        return Stage(name, lambda work, before, out: {}, after=after)

    found = in_order([stage("c", "a"), stage("b", "a"), stage("a", ""), stage("d", "b")])
    assert [one.name for one in found] == ["a", "b", "d", "c"]
    with pytest.raises(UsageError, match="'b' comes after 'z', which there isn't"):
        in_order([stage("a", ""), stage("b", "z")])
    with pytest.raises(UsageError, match="'b', 'c' come after each other in a circle"):
        in_order([stage("a", ""), stage("b", "c"), stage("c", "b")])
    with pytest.raises(UsageError, match="can't be named 'media'"):
        stage("media", "")


def test_a_local_file_adds_a_stage_with_a_table_of_its_own(tmp_path: Path) -> None:
    docs = (Path(__file__).resolve().parents[2] / "docs" / "extend" / "family.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n# short_questions.py\n(.*?)```", docs, re.DOTALL)
    file = tmp_path / "short_questions.py"
    file.write_text(source)
    load_plugin(file)
    extract = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"
    text = f'name = "mine"\n[[sources]]\nmapping = "vsi-bench"\ndata = "{extract}"\n'
    plain, longer = tmp_path / "plain.toml", tmp_path / "longer.toml"
    plain.write_text(text)
    longer.write_text(text + "[stages.short-questions]\nwords = 25\n")
    old = {one.name: one for one in done(plain, tmp_path / "plain")}
    new = {one.name: one for one in done(longer, tmp_path / "longer")}
    assert list(old) == ["import", "convert", "benchmark"]
    assert list(new) == ["import", "convert", "short-questions", "benchmark"]
    kept = new["short-questions"].statistics["candidates"]
    assert 0 < kept < old["benchmark"].statistics["questions"]
    assert new["benchmark"].statistics["questions"] == kept
    for name in ("import", "convert"):  # what comes before is what it was
        assert stamp(tmp_path / "plain", name) == stamp(tmp_path / "longer", name)
    assert not any(one.again for one in done(longer, tmp_path / "longer"))
    longer.write_text(text + "[stages.short-questions]\nwords = 20\n")
    again = {one.name: one.again for one in done(longer, tmp_path / "longer")}
    assert again == {"import": False, "convert": False, "short-questions": True, "benchmark": True}
    shown = tolman(tmp_path, "curate", "run", "longer.toml", "--out", "typed", "--plugin", "short_questions.py")
    assert shown.returncode == 0, shown.stderr
    assert "short-questions" in shown.stdout
    lacking = tolman(tmp_path, "curate", "run", "longer.toml", "--out", "other")
    assert lacking.returncode == 2
    assert "no stage of a plugin 'short-questions'" in lacking.stderr


def done(path: Path, pool: Path):  # type: ignore[no-untyped-def]
    made = read_recipe(path)
    return carry_out(Work(made, pool), stages_of(made))


def stamp(pool: Path, stage: str) -> str:
    return str(json.loads((pool / stage / "stage.json").read_text())["fingerprint"])
