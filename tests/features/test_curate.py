"""Curating as functions: the same as the commands, without a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curate.test_pipeline import prepare
from curator import Curator
from folders import contents
from loopback import serving
from tolman.errors import UsageError
from tolman.features.curate.compute import curate, find_duplicates, import_questions, induce_categories, list_mappings
from tolman.features.curate.config import (
    CurateCategoriesConfig,
    CurateConfig,
    CurateDuplicatesConfig,
    CurateImportConfig,
    CurateMappingsConfig,
)
from tolman.features.events import Began, Event


@pytest.mark.full
def test_a_recipe(tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]) -> None:
    events: list[Event] = []
    with serving(server := Curator()) as url:
        recipe = prepare(tmp_path, url)
        config = CurateConfig(recipe=recipe, out=tmp_path / "one", store=tmp_path / "s.sqlite")
        result = curate(config, events.append)
        quiet()
        asked = server.requests
        done = command("curate", "run", recipe, "--out", "two", "--store", "s.sqlite", "--json")
    assert server.requests == asked
    told = json.loads(done.stdout)
    assert told["complete"]
    assert [stage["stage"] for stage in told["stages"]] == [stage.name for stage in result.stages]
    assert (result.failed, result.benchmark) == (0, tmp_path / "one" / "benchmark")
    begun = [one.what for one in events if isinstance(one, Began)]
    assert begun[0] == "import"
    assert any(what.startswith("classify: ") for what in begun)
    one, two = (contents(tmp_path / name / "benchmark", "stage.json", "provenance.json") for name in ("one", "two"))
    assert one == two
    assert "<svg" in (tmp_path / "one" / "stratify" / "statistics.svg").read_text()
    again = command("curate", "run", "--config", "two/tolman.toml")
    assert "Evaluate with 'tolman run ./two/benchmark'" in again.stdout
    with pytest.raises(UsageError, match="the recipe has no stage 'imports'"):
        curate(CurateConfig(recipe=recipe, out=tmp_path / "one", until="imports"))


def test_one_question_set(tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]) -> None:
    prepare(tmp_path, "http://127.0.0.1:9")
    config = CurateImportConfig(
        mapping=str(tmp_path / "rooms.toml"), data=tmp_path / "rows.jsonl", out=tmp_path / "one", media=tmp_path / "pictures"
    )  # fmt: skip
    result = import_questions(config)
    quiet()
    assert result.stage.statistics["candidates"] == 60
    assert [row["row"] for row in result.left_out] == [61]
    done = command("curate", "import", "rooms.toml", "rows.jsonl", "--media", "pictures", "--out", "two")
    kinds = result.stage.statistics["kinds"]
    shown = ", ".join(f"{n} of the kind '{kind}'" for kind, n in kinds.items())
    assert f"import: 60 candidates ({shown})" in " ".join(done.stdout.split())
    assert "left out: rows.jsonl, row 61:" in done.stdout
    one, two = (contents(tmp_path / name / "import", "stage.json") for name in ("one", "two"))
    assert sorted(one) == sorted(two)


def test_a_failed_call_is_counted_and_the_config_lies_beside_what_is_there(
    tmp_path: Path, command: Callable[..., Any]
) -> None:
    with serving(server := Curator(faults={"500": 0.3}, seed=2)) as url:
        recipe = prepare(tmp_path, url)
        done = command("curate", "run", recipe, "--out", "pool", code=1)
        assert done.stdout.startswith("INCOMPLETE: ")
        server.faults = {}
        command("curate", "run", "--config", "pool/tolman.toml")
    first = (tmp_path / "pool" / "tolman.toml").read_text().splitlines()[0]
    assert "'tolman curate run --config tolman.toml' repeats this." in first


def test_repeated_questions(tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]) -> None:
    from tolman.item_table import write_items
    from tolman.items import Item

    def item(name: str, answer: str) -> Item:
        options = ("red", "green", "blue")
        return Item(id=name, question="Which colour has the sofa by the window?", kind="choice", options=options, answer=answer, task="t")  # fmt: skip

    (tmp_path / "b").mkdir()
    write_items(tmp_path / "b" / "items.parquet", [item("1", "A"), item("2", "B")])
    (tmp_path / "b" / "benchmark.json").write_text('{"name": "b", "title": "B"}')
    config = CurateDuplicatesConfig(benchmark=str(tmp_path / "b"), names_only=True, out=tmp_path / "one.jsonl")
    result = find_duplicates(config)
    quiet()
    assert result.rows == ({"members": ["1", "2"], "different_answers": True},)
    done = command("curate", "duplicates", "./b", "--names-only", "--out", "two.jsonl")
    assert "1 of 2 questions repeats another; in 1 of 1 group the answers differ" in done.stdout
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_mappings(command: Callable[..., Any], quiet: Callable[[], None]) -> None:
    found = list_mappings()
    (one,) = list_mappings(CurateMappingsConfig(name="vsi-bench"))
    quiet()
    told = json.loads(command("curate", "mappings", "--json").stdout)
    assert [row["name"] for row in told] == [mapping.name for mapping in found]
    assert one.title in command("curate", "mappings", "vsi-bench").stdout


def test_categories_need_a_model(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text('name = "mine"\n[[sources]]\nmapping = "vsi-bench"\ndata = "d"\n')
    config = CurateCategoriesConfig(recipe=tmp_path / "r.toml", out=tmp_path / "t.toml", pool=tmp_path / "p")
    with pytest.raises(UsageError, match=r"no \[classify\] with a model to ask"):
        induce_categories(config)
