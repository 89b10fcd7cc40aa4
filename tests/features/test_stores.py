"""Response stores as functions: the same as the commands, without a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tolman.errors import InputError, UsageError
from tolman.features.catalogue.compute import export_store, prune_store, summarize_store
from tolman.features.catalogue.config import StoreExportConfig, StorePruneConfig, StoreShowConfig
from tolman.responses import Response
from tolman.runs.response_store import ResponseStore


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two answers of one model and one of another."""
    path = tmp_path / "s.sqlite"
    opened = ResponseStore(path)
    for key, model in (("a", "x/one"), ("b", "x/one"), ("c", "x/two")):
        opened.put(key, model, '{"asked": 1}', Response(id=key, response="A"))
    opened.close()
    return path


def test_an_export_replaces_only_an_export(store: Path, tmp_path: Path) -> None:
    config = StoreExportConfig(out=tmp_path / "mine.jsonl", store=store)
    for text in ('{"id": "q1", "response": "A"}\n', "notes\n"):
        config.out.write_text(text)
        with pytest.raises(UsageError, match=r"mine\.jsonl isn't a file that 'tolman store export' wrote"):
            export_store(config)
        assert config.out.read_text() == text
    config.out.write_text("")
    assert [export_store(config), export_store(config)] == [3, 3]


def test_showing_and_writing_out(
    store: Path, tmp_path: Path, command: Callable[..., Any], quiet: Callable[[], None]
) -> None:
    summary = summarize_store(StoreShowConfig(store=store))
    count = export_store(StoreExportConfig(out=tmp_path / "one.jsonl", store=store))
    quiet()
    assert ([(one.model, one.answers) for one in summary.models], count) == ([("x/one", 2), ("x/two", 1)], 3)
    told = json.loads(command("store", "show", "--store", store, "--json").stdout)
    assert [(one["model"], one["answers"], one["first"]) for one in told["models"]] == [
        (one.model, one.answers, one.first) for one in summary.models
    ]
    assert command("store", "export", "two.jsonl", "--store", store).stdout == "Written: 3 answers to two.jsonl.\n"
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_pruning(store: Path, command: Callable[..., Any], quiet: Callable[[], None]) -> None:
    with pytest.raises(UsageError, match="say which answers"):
        prune_store(StorePruneConfig(store=store))
    assert prune_store(StorePruneConfig(store=store, older_than=1.0)) == 0
    assert prune_store(StorePruneConfig(store=store, model="x/two")) == 1
    quiet()
    assert command("store", "prune", "--all", "--store", store).stdout == "Deleted: 2 answers.\n"
    with pytest.raises(InputError, match="does not exist"):
        summarize_store(StoreShowConfig(store=store.with_name("no.sqlite")))
