"""The catalogue as functions: the same as the commands, without a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tolman.errors import UsageError
from tolman.features.catalogue.compute import list_benchmarks, list_protocols
from tolman.features.catalogue.config import BenchmarksConfig


def test_benchmarks_and_protocols(command: Callable[..., Any], quiet: Callable[[], None]) -> None:
    found, protocols = list_benchmarks(), list_protocols()
    quiet()
    assert [row["name"] for row in json.loads(command("benchmarks", "--json").stdout)] == [one.name for one in found]
    assert {"vsi-bench", "site", "mmsi-bench", "spatialbench"} <= {one.name for one in found}
    told = json.loads(command("protocols", "--json").stdout)
    assert [(row["name"], row["kind"]) for row in told] == [(one.name, one.kind) for one in protocols]
    assert [one.kind for one in protocols] == sorted((one.kind for one in protocols), reverse=True)
    (one,) = list_benchmarks(BenchmarksConfig(name="site"))
    said = command("benchmarks", "site").stdout
    assert one.title in said
    assert "Scorers" in said
    with pytest.raises(UsageError, match="there is no benchmark 'sit'"):
        list_benchmarks(BenchmarksConfig(name="sit"))
