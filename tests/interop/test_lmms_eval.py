"""lmms-eval itself, in an environment of its own (`make test-interop`), runs an exported task folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from interop.scripted import MODEL, Scripted, export, generate, own_figures, read_back, theirs
from loopback import serving

VARIABLE = "TOLMAN_LMMS_EVAL"

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(VARIABLE not in os.environ, reason="'make test-interop' installs lmms-eval"),
]


def test_a_generated_benchmark_gets_tolmans_official_number_and_its_log_reads_back(tmp_path: Path) -> None:
    generate(tmp_path)
    tasks = export(tmp_path, "lmms-eval", "tasks")
    own, other = Scripted(), Scripted()
    with serving(own) as url:
        wanted = own_figures(tmp_path, url)
    with serving(other) as url:
        theirs(
            VARIABLE, "python", str(Path(__file__).with_name("lmms.py")), "--model", "openai", "--model_args",
            f"model={MODEL},base_url={url},num_concurrent=4,max_frames_num=4", "--tasks", "tolman_gen", "--include_path",
            str(tasks), "--batch_size", "1", "--log_samples", "--output_path", "out", place=tmp_path,
        )  # fmt: skip
    assert 0 < wanted["average"] < 100
    assert {(text, count > 0) for text, count in other.prompts} == {(text, count > 0) for text, count in own.prompts}
    assert len(own.prompts) > 50
    (results,) = tmp_path.glob("out/*/*_results.json")
    found = json.loads(results.read_text())["results"]["tolman_gen"]
    assert {key: found[f"official_{key},none"] for key in wanted} == wanted
    (log,) = tmp_path.glob("out/*/*_samples_tolman_gen.jsonl")
    assert read_back(tmp_path, log, "back") == wanted
