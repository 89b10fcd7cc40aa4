"""The examples of 'Extend Tolman', used as a reader uses them: one local file, and `--plugin`."""

import json
import shutil
from pathlib import Path

import pytest

from docs.blocks import blocks, commands_of, pages
from docs.clerk import clerk
from docs.files import write_files
from loopback import serving
from terminal import tolman

MODEL = "docs/extend/model.md"
STAGE = "docs/extend/family.md"
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
    file = next(one for one in write_files(MODEL, tmp_path) if one.name == "my_server.py")
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


def test_a_model_that_computes_its_answers_is_a_class_of_a_few_lines(stage: Path, tmp_path: Path) -> None:
    shutil.copytree(stage / "my-bench", tmp_path / "my-bench")
    write_files(MODEL, tmp_path)
    model = ("--plugin", "longest.py", "--model", "longest/option")
    done = tolman(tmp_path, "run", "./my-bench", *model, "--limit", "6", "--out", "run")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "run" / "responses.jsonl").read_text().splitlines()]
    assert [line["usage"] for line in lines] == [{"input_tokens": 10, "output_tokens": 1}] * 6


@pytest.mark.parametrize("status", [400, 503])
def test_what_such_a_model_cannot_answer_is_a_failure(status: int, stage: Path, tmp_path: Path) -> None:
    shutil.copytree(stage / "my-bench", tmp_path / "my-bench")
    file = next(one for one in write_files(MODEL, tmp_path) if one.name == "my_server.py")
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


def test_a_curation_stage_is_one_file(stage: Path, tmp_path: Path) -> None:
    shutil.copytree(stage / "data", tmp_path / "data", symlinks=False)
    files = {file.name for file in write_files(STAGE, tmp_path)}
    assert {"short_questions.py", "mine.toml"} <= files
    (command,) = (one for one in commands_of(STAGE) if one.words[1] == "curate")
    done = tolman(tmp_path, *command.words[1:])
    assert done.returncode == 0, done.stderr
    statistics = {one: figures(tmp_path / "pool" / one) for one in ("convert", "short-questions")}
    kept = statistics["short-questions"]["candidates"]
    assert 0 < kept < statistics["convert"]["candidates"]
    assert f"short-questions: {kept} candidates" in done.stdout
    again = tolman(tmp_path, *command.words[1:])
    assert again.stdout.count("(was whole already)") == 4
    without = tolman(
        tmp_path, *[word for word in command.words[1:] if "short_questions" not in word and word != "--plugin"]
    )
    assert without.returncode == 2
    assert "there is no stage of a plugin 'short-questions'" in without.stderr


def figures(stage: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads((stage / "stage.json").read_text())["statistics"]
    return found
