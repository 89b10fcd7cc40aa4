"""The demonstration, stopped on its way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-m", "tolman.demo", "--seconds", "2", "--rate", "2")


def stopped(place: Path, step: str, how: signal.Signals) -> tuple[int, str, str]:
    """Start the demonstration, stop it in the middle of a step, and return its exit code and what it said."""
    (place / "tmp").mkdir()
    environment = {**os.environ, "TOLMAN_CACHE": str(place / "cache"), "TMPDIR": str(place / "tmp"), "COLUMNS": "200"}
    with subprocess.Popen(
        COMMAND, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith(f"$ tolman {step} "):
                break
        # Python reports a signal that comes while it executes source text, as in making a dataclass, as its own death by
        # SIGINT, whatever the program makes of it: so the step must be past its imports.
        for _ in range(600):
            if (place / "demo" / "scenes").exists():  # made by the first step
                break
            time.sleep(0.1)
        time.sleep(0.5)
        process.send_signal(how)
        out, errors = process.communicate(timeout=120)
    return process.returncode, said + out, errors


@pytest.mark.parametrize(
    ("step", "how", "code"),
    [
        pytest.param("simulate", signal.SIGINT, 130, marks=pytest.mark.full),
        ("simulate", signal.SIGTERM, 143),
        pytest.param("generate", signal.SIGINT, 130, marks=pytest.mark.full),
    ],
)
def test_a_stopped_demonstration_says_so_and_leaves_nothing_half_written(
    step: str, how: signal.Signals, code: int, tmp_path: Path
) -> None:
    pytest.importorskip("shapely", reason="the demonstration needs the extra 'generate'")
    if step == "simulate":
        try:
            pytest.importorskip("moderngl", reason="rendering needs the extra 'simulate'").create_context(
                standalone=True, backend="egl"
            ).release()
        except Exception as error:
            pytest.skip(f"no EGL here ({error})")
    returned, said, errors = stopped(tmp_path, step, how)
    assert (returned, errors) == (code, "tolman: Stopped; the same command goes on.\n")
    assert said.splitlines()[-1].startswith(f"$ tolman {step} ")  # nothing is begun behind it
    written = sorted(path for path in (tmp_path / "demo").rglob("*") if "partial" in path.name)
    assert not written
    assert not (tmp_path / "demo" / "bench" / "benchmark.json").exists()
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.full
def test_the_same_command_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("shapely", reason="the demonstration needs the extra 'generate'")
    assert stopped(tmp_path, "generate", signal.SIGTERM)[0] == 143
    done = subprocess.run(
        COMMAND, cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "TOLMAN_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo" / "report.html").is_file()
