"""VLMEvalKit itself runs an exported TSV (`make test-interop`): nvidia-vlmeval, or the sources that VLMEVALKIT names."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest

from interop.scripted import MODEL, Scripted, export, generate, own_figures, read_back, theirs
from loopback import serving

VARIABLE, KIT = "TOLMAN_VLMEVALKIT", "VLMEVALKIT"

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(VARIABLE not in os.environ, reason="'make test-interop' installs nvidia-vlmeval"),
]


def configured(url: str) -> dict[str, object]:
    """Content of the file for `--config`, by which nvidia-vlmeval is shown a server."""
    model = {"class": "CustomOAIEndpoint", "model": MODEL, "api_base": f"{url}/chat/completions",
             "api_key_var_name": "OPENAI_API_KEY", "img_size": -1}  # fmt: skip
    return {"model": {MODEL: model}, "data": {"Tolman_gen": {"class": "TolmanDataset", "dataset": "Tolman_gen"}}}


def test_a_generated_benchmark_gets_tolmans_official_number_and_its_log_reads_back(tmp_path: Path) -> None:
    generate(tmp_path)
    folder = export(tmp_path, "vlmevalkit", "kit")
    own, other = Scripted(), Scripted()
    with serving(own) as url:
        wanted = own_figures(tmp_path, url)
    with serving(other) as url:
        script, shared = str(folder / "run_with_tolman.py"), ["--api-nproc", "2", "--work-dir", str(tmp_path / "out")]
        places = {"LMUData": str(tmp_path), "TOLMAN_CACHE": str(tmp_path / "cache")}
        if sources := os.environ.get(KIT):
            theirs(
                VARIABLE, "python", str(Path(__file__).with_name("kit.py")), script, "--data", "Tolman_gen", "--model",
                MODEL, "--base-url", url, "--judge", "exact_matching", *shared, place=Path(sources).resolve(),
                **places,
            )  # fmt: skip
        else:
            (tmp_path / "kit.json").write_text(json.dumps(configured(url)))
            theirs(VARIABLE, "python", script, "--config", "kit.json", *shared, place=tmp_path, **places)
    assert other.prompts == own.prompts  # as many pictures, too
    (table,) = (tmp_path / "out").glob("*/T*/*_Tolman_gen_acc.csv")
    with table.open(newline="") as file:
        (row,) = csv.DictReader(file, delimiter="\t")
    assert {key.removeprefix("official_"): float(value) for key, value in row.items()} == wanted
    (log,) = (tmp_path / "out").glob(f"*/T*/{MODEL}_Tolman_gen.xlsx")
    assert read_back(tmp_path, log, "back") == wanted
