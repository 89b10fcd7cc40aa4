"""The TSV of VLMEvalKit, and what its dataset asks and scores; VLMEvalKit itself is in tests/interop."""

from __future__ import annotations

import ast
import base64
import csv
from pathlib import Path

from exports.materials import REPLIES, write_benchmark
from tolman.exports.harness_scoring import ExportedBenchmark
from tolman.exports.vlmevalkit.dataset import prompt_of, rows_of
from tolman.features.catalogue.compute import export
from tolman.features.catalogue.config import ExportConfig


def test_the_tsv_has_the_columns_that_a_custom_set_needs(tmp_path: Path) -> None:
    source = write_benchmark(tmp_path / "tiny")
    export(ExportConfig(source=(str(source),), form="vlmevalkit", out=tmp_path / "kit", settings=("name=Tiny",)))
    csv.field_size_limit(1 << 24)
    with (tmp_path / "kit" / "Tiny.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["index"] for row in rows] == [str(number) for number in range(7)]
    assert [rows[0][key] for key in "ABC"] == ["left", "right", "behind"]
    assert [rows[3][key] for key in "ABC"] == ["", "", ""]
    picture = (source / "media" / "a.png").read_bytes()
    assert base64.b64decode(rows[0]["image"]) == picture
    assert next(base64.b64decode(one) for one in ast.literal_eval(rows[1]["image"])) == picture
    assert (rows[5]["id"], rows[5]["answer"], rows[5]["question_type"]) == ("q5", "2.2", "object_abs_distance")


def test_it_asks_and_scores_as_tolman_does(tmp_path: Path) -> None:
    source = write_benchmark(tmp_path / "tiny")
    export(ExportConfig(source=(str(source),), form="vlmevalkit", out=tmp_path / "kit", settings=("name=Tiny",)))
    exported = ExportedBenchmark.open(tmp_path / "kit" / "Tiny")
    parts = prompt_of(exported, "q1")
    assert [part["type"] for part in parts] == ["image", "image", "text"]
    assert parts[-1]["value"] == exported.prompt(exported.items["q1"]).text
    said = REPLIES | {"q3": "Failed to obtain answer via API."}
    rows = rows_of(exported, said.keys(), said.values())
    assert [row["status"] for row in rows] == ["scored"] * 3 + ["failed"] + ["scored"] * 3
