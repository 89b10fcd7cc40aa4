"""The jobs of docs/scale.md, as a batch system carries them out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import terminal
from docs.exceptions import SMALL
from docs.files import write_files
from folders import contents

pytestmark = pytest.mark.full
JOBS = 4
QUICK = (*SMALL, "--shapes", "rectangle")


def test_an_array_of_jobs_makes_what_one_job_makes(tmp_path: Path) -> None:
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    (script,) = (path for path in write_files("docs/scale.md", tmp_path) if path.name == "worlds.sbatch")
    text = script.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("tolman "))
    assert f"--array=1-{JOBS}" in text
    program = tmp_path / "bin" / "tolman"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tolman "$@" {" ".join(QUICK)}\n')
    program.chmod(0o755)
    for job in (3, 1, 4, 2, 3):  # one of them again
        variables = {"SLURM_ARRAY_TASK_ID": str(job), "PATH": f"{program.parent}:{os.environ['PATH']}"}
        subprocess.run(["bash", script], cwd=tmp_path, env={**os.environ, **variables}, check=True)
    whole = line.split(" --shard")[0].split()[1:]
    for words in (
        ["merge", *(f"parts-of-four/{n}" for n in range(1, JOBS + 1)), "--out", "one"],
        [*whole, *QUICK, "--out", "two"],
    ):
        terminal.typed(tmp_path, *words)
    assert contents(tmp_path / "one", "tolman.toml") == contents(tmp_path / "two", "tolman.toml")
    assert len(list((tmp_path / "one" / "videos").iterdir())) == 2
