"""Inspect itself, in an environment of its own (`make test-interop`), runs an exported task and the plug-in."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from interop.scripted import MODEL, Scripted, export, generate, own_figures, read_back, reply_to, theirs
from loopback import serving
from tolman import benchmarks
from tolman.benchmarks.vsi_bench import load
from tolman.exports.harness_scoring import ExportedBenchmark
from tolman.runs.run_items import Loaded
from videos import write_video

VARIABLE = "TOLMAN_INSPECT"
EXTRACT = Path(__file__).resolve().parents[1] / "extracts" / "vsi_bench_extract.jsonl"

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(VARIABLE not in os.environ, reason="'make test-interop' installs Inspect"),
]


def evaluated(place: Path, url: str, form: str, *task: str) -> Path:
    """Evaluate the scripted model on a task; the log."""
    theirs(
        VARIABLE, "inspect", "eval", *task, "--model", f"openai-api/loop/{MODEL}", "--log-dir", f"logs-{form}",
        "--log-format", form, "--display", "plain", place=place, LOOP_BASE_URL=url, LOOP_API_KEY="none",
    )  # fmt: skip
    (log,) = (place / f"logs-{form}").glob(f"*.{form}")
    return log


def figures_in(log: Path) -> dict[str, float]:
    """The metrics of a log in JSON."""
    content: dict[str, Any] = json.loads(log.read_text())
    assert content["status"] == "success"
    assert content["results"]["headline"]["metric"] == "average"
    (score,) = content["results"]["scores"]
    assert score["scorer"] == "official"
    return {name: metric["value"] for name, metric in score["metrics"].items()}


def test_a_generated_benchmark_gets_tolmans_official_number_and_its_logs_read_back(tmp_path: Path) -> None:
    generate(tmp_path)
    task = export(tmp_path, "inspect", "task")
    own, other = Scripted(), Scripted()
    with serving(own) as url:
        wanted = own_figures(tmp_path, url)
    with serving(other) as url:
        log = evaluated(tmp_path, url, "json", f"{task.name}/gen.py")
        plugged = evaluated(tmp_path, url, "eval", "tolman/folder", "-T", f"folder={task / 'benchmark'}")
    assert figures_in(log) == wanted
    assert other.prompts == own.prompts  # as many pictures, too
    assert read_back(tmp_path, log, "from-json") == wanted
    assert read_back(tmp_path, plugged, "from-eval") == wanted


def test_the_plug_in_has_every_benchmark_by_name(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in EXTRACT.read_text().splitlines()]
    kept = [row | {"dataset": "arkitscenes", "scene_name": str(number % 8)} for number, row in enumerate(rows[::3])]
    data = tmp_path / "vsi"
    data.mkdir()
    (data / "test.jsonl").write_text("\n".join(map(json.dumps, kept)) + "\n")
    for number in range(8):
        write_video(data / "arkitscenes" / f"{number}.mp4", 40)
    server = Scripted()
    with serving(server) as url:
        log = evaluated(tmp_path, url, "json", "tolman/vsi-bench", "-T", f"data={data}", "-T", "frames=4")
    assert {count for _, count in server.prompts} == {4}
    items = load(data, "full")
    exported = ExportedBenchmark(Loaded(benchmarks.named("vsi-bench"), "full", items, data, str(data)))
    cells = exported.cells([exported.row(item, reply_to(exported.prompt(item).text)) for item in items])
    wanted = {key: cell.value for key, cell in cells.items() if cell.value is not None}
    interval = cells["average"].interval
    assert interval is not None
    assert figures_in(log) == wanted | {"average_lo": interval.low, "average_hi": interval.high}
