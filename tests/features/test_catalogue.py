"""The catalogue as functions: the same as the commands, without a terminal."""

import json
from collections.abc import Callable
from pathlib import Path
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


PLUGIN = """
from tolman.scoring.metrics import Metric

METRIC = Metric(name="half-metre", title="Within [half] a metre", per_item=lambda item, reading: 1.0)
"""


@pytest.mark.parametrize(
    ("name", "told", "line"),
    [
        ("within-X", ([0.0, 100.0], "%", "higher"), "number: Within X %; 0 to 100 %, higher is better"),
        ("chance-adjusted-accuracy", ([None, 100.0], "%", "higher"), "choice: Chance-adjusted accuracy; −∞ to 100 %,"),
        ("signed-bias", ([None, None], "%", "zero"), "number: Bias; −∞ to ∞ %, 0 is best"),
        ("median-absolute-error", ([0.0, None], "m", "lower"), "of lengths; 0 to ∞ m, lower is better"),
        ("half-metre", ([0.0, 100.0], "%", "higher"), "all: Within [half] a metre; 0 to 100 %, higher is better"),
    ],
)
def test_metrics_with_their_ranges(
    command: Callable[..., Any], tmp_path: Path, name: str, told: tuple[object, ...], line: str
) -> None:
    (tmp_path / "mine.py").write_text(PLUGIN)
    plugin = ("--plugin", str(tmp_path / "mine.py"))
    (own,) = (one for one in json.loads(command("metrics", "--json", *plugin).stdout) if one["name"] == name)
    assert (own["range"], own["unit"], own["direction"]) == told
    shown = " ".join(command("metrics", *plugin).stdout.split())
    assert shown.index(f" {name} ") < shown.index(line)
