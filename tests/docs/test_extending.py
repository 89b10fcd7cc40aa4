"""The examples of 'Extend Tolman', used as a reader uses them: one local file, and `--plugin`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from docs.blocks import blocks, pages
from docs.clerk import clerk
from docs.files import write_files
from loopback import serving
from terminal import tolman

MODEL = "docs/extend/model.md"
LONGEST = 60
"""Lines of an example."""
EXTENDING = tuple(page for page in pages() if page.startswith("docs/extend/"))


def test_examples_are_short() -> None:
    for page in EXTENDING:
        for block in blocks(page):
            if block.language == "python":
                assert len(block.text.splitlines()) < LONGEST, f"{page}:{block.line}"


def test_a_model_is_one_file(stage: Path, tmp_path: Path) -> None:
    shutil.copytree(stage / "my-bench", tmp_path / "my-bench")
    (file,) = write_files(MODEL, tmp_path)
    server = clerk()
    with serving(server) as url:
        done = tolman(
            tmp_path, "run", "./my-bench", "--plugin", file.name, "--model", "my-server/large", "--base-url", url,
            "--out", "run", "--limit", "6", "--longest-side", "64",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["settings"]["model"] == "my-server/large"
    lines = [json.loads(line) for line in (tmp_path / "run" / "responses.jsonl").read_text().splitlines()]
    assert len(lines) == 6
    assert all(line["response"] for line in lines)
    assert server.generated == 6


@pytest.mark.parametrize("status", [400, 503])
def test_what_such_a_model_cannot_answer_is_a_failure(status: int, stage: Path, tmp_path: Path) -> None:
    shutil.copytree(stage / "my-bench", tmp_path / "my-bench")
    (file,) = write_files(MODEL, tmp_path)
    server = clerk()
    server.status = status
    with serving(server) as url:
        done = tolman(
            tmp_path, "run", "./my-bench", "--plugin", file.name, "--model", "my-server/large", "--base-url", url,
            "--out", "run", "--limit", "2", "--retries", "0", "--longest-side", "64",
        )  # fmt: skip
    assert done.returncode in (1, 2)
    assert f"status {status}" in done.stdout + done.stderr
    file = tmp_path / "run" / "responses.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    assert not [line for line in lines if "response" in line]
