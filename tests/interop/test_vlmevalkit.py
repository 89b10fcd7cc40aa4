"""VLMEvalKit itself, from the folder that VLMEVALKIT names (`make test-interop`), runs an exported TSV."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from interop.scripted import MODEL, Scripted, export, generate, own_figures, read_back, theirs
from loopback import serving

VARIABLE, KIT = "TOLMAN_VLMEVALKIT", "VLMEVALKIT"

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(not {VARIABLE, KIT} <= set(os.environ), reason="VLMEVALKIT=FOLDER names VLMEvalKit's sources"),
]


def test_a_generated_benchmark_gets_tolmans_official_number_and_its_log_reads_back(tmp_path: Path) -> None:
    generate(tmp_path)
    folder = export(tmp_path, "vlmevalkit", "kit")
    own, other = Scripted(), Scripted()
    with serving(own) as url:
        wanted = own_figures(tmp_path, url)
    with serving(other) as url:
        theirs(
            VARIABLE, "python", str(Path(__file__).with_name("kit.py")), str(folder / "run_with_tolman.py"), "--data",
            "Tolman_gen", "--model", MODEL, "--base-url", url, "--api-nproc", "2", "--judge", "exact_matching",
            "--work-dir", str(tmp_path / "out"), place=Path(os.environ[KIT]).resolve(), LMUData=str(tmp_path),
            TOLMAN_CACHE=str(tmp_path / "cache"),
        )  # fmt: skip
    assert other.prompts == own.prompts  # as many pictures, too
    (table,) = (tmp_path / "out").glob("*/T*/*_Tolman_gen_acc.csv")
    with table.open(newline="") as file:
        (row,) = csv.DictReader(file, delimiter="\t")
    assert {key.removeprefix("official_"): float(value) for key, value in row.items()} == wanted
    (log,) = (tmp_path / "out").glob(f"*/T*/{MODEL}_Tolman_gen.xlsx")
    assert read_back(tmp_path, log, "back") == wanted
