"""Figures that pages show of all released questions are what the commands print; the other tests have a few questions."""

from pathlib import Path

import pytest

from docs.blocks import commands_of
from docs.carrying import without_lines
from terminal import tolman

BASELINES = ("best-constant", "most-frequent")


@pytest.mark.full
def test_two_baselines_are_compared_as_the_page_says(shared_data: Path, tmp_path: Path) -> None:
    for name in BASELINES:
        done = tolman(
            tmp_path, "run", "vsi-bench", "--data", str(shared_data / "vsi-bench"), "--model", f"baseline/{name}",
            "--protocol", "blind", "--out", name,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    (command,) = (one for one in commands_of("docs/statistics.md") if one.shown)
    done = tolman(tmp_path, *command.words[1:], COLUMNS="400")
    assert done.returncode == 0, done.stderr
    assert not without_lines(command.shown, done.stdout), done.stdout


@pytest.mark.full
def test_questions_are_as_diverse_as_the_page_says(shared_data: Path, tmp_path: Path) -> None:
    (command,) = (one for one in commands_of("docs/analyses/index.md") if one.shown and "diversity" in one.words)
    done = tolman(tmp_path, *command.words[1:], "--data", str(shared_data / "vsi-bench"), COLUMNS="400")
    assert done.returncode == 0, done.stderr
    assert not without_lines(command.shown, done.stdout), done.stdout
