"""The demonstration, stopped on its way."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import terminal
from loopback import Server, serving
from tolman.demo.guide import demonstrate
from tolman.errors import UsageError

DEMONSTRATION = (sys.executable, "-m", "tolman.demo.guide")
COMMAND = (*DEMONSTRATION, "--homes", "3", "--seconds", "2", "--rate", "2")
ABSENT = """
import os, sys
from importlib.abc import MetaPathFinder


class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in os.environ["ABSENT"].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


if "EGL" in os.environ["ABSENT"].split(","):
    import moderngl

    def create_context(**_):
        raise OSError("libEGL.so not found in the system")

    moderngl.create_context = create_context
sys.meta_path.insert(0, Absent())
"""
"""A `sitecustomize` that takes packages and EGL away from every process."""


def lacking(place: Path, absent: str) -> dict[str, str]:
    """The environment of a machine without some packages or without EGL."""
    (place / "sitecustomize.py").write_text(ABSENT)
    path = os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "TOLMAN_CACHE": str(place / "cache"), "ABSENT": absent, "PYTHONPATH": path}


def ran(
    command: Sequence[str], place: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A command, ended, with a cache of its own."""
    environment = environment or {**os.environ, "TOLMAN_CACHE": str(place / "cache")}
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, env=environment)


def stopped(
    place: Path, step: str, how: signal.Signals, absent: str = "", command: Sequence[str] = COMMAND
) -> tuple[int, str, str]:
    """Start the demonstration, stop it in the middle of a step, and return its exit code and what it said."""
    (place / "tmp").mkdir()
    environment = {**lacking(place, absent), "TMPDIR": str(place / "tmp"), "COLUMNS": "200"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=place, env=environment, text=True, **pipes) as process:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith(f"$ tolman {step} "):
                break
        # Python reports a signal that comes while it executes source text, as in making a dataclass, as its own death by
        # SIGINT, whatever the program makes of it: so the step must be past its imports.
        begun = {"simulate": "demo/scenes", "generate": "tmp/*/drafts"}[step]
        for _ in range(6000):
            if any(place.glob(begun)):
                break
            time.sleep(0.01)
        if step == "simulate":
            time.sleep(0.5)
        process.send_signal(how)
        out, errors = process.communicate(timeout=120)
    return process.returncode, said + out, errors


@pytest.mark.parametrize(
    ("step", "how", "code"),
    [("simulate", signal.SIGTERM, 143), pytest.param("generate", signal.SIGINT, 130, marks=pytest.mark.full)],
)
def test_a_stopped_demonstration_says_so_and_leaves_nothing_half_written(
    step: str, how: signal.Signals, code: int, tmp_path: Path
) -> None:
    pytest.importorskip("shapely", reason="the demonstration needs the extra 'build'")
    if step == "simulate":
        try:
            pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'").create_context(
                standalone=True, backend="egl"
            ).release()
        except Exception as error:
            pytest.skip(f"no EGL here ({error})")
    # Rooms that were drawn before are soon asked about.
    returned, said, errors = stopped(tmp_path, step, how, "EGL" if step == "generate" else "")
    assert (returned, errors) == (code, "tolman: Stopped. Run the same command again to resume.\n")
    assert said.splitlines()[-1].startswith(f"$ tolman {step} ")  # nothing is begun behind it
    written = sorted(path for path in (tmp_path / "demo").rglob("*") if "partial" in path.name)
    assert not written
    assert not (tmp_path / "demo" / "bench" / "benchmark.json").exists()
    # A lock stays: its removal could let two processes in.
    assert not [path for path in (tmp_path / "tmp").iterdir() if path.suffix != ".lock"]


def test_a_model_that_is_none_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no model 'gpt'; "):
        demonstrate(tmp_path / "demo", "gpt")
    assert not (tmp_path / "demo").exists()


@pytest.mark.full
def test_the_same_command_goes_on_and_the_model_that_sees_is_above_the_blind_one(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="the model that sees needs the extra 'build'")
    pytest.importorskip("moderngl", reason="rendering needs the extra 'worlds'")
    returned, said, errors = stopped(tmp_path, "generate", signal.SIGTERM, command=DEMONSTRATION)
    assert returned == 143, said + errors
    done = ran(DEMONSTRATION, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo" / "site" / "index.html").is_file()
    last = done.stdout.splitlines()[-1]
    assert last == "demo/explained/index.html"
    assert "Obj. Size" in (tmp_path / last).read_text(encoding="utf-8")
    if "drawn before" in done.stdout:
        pytest.skip("no EGL here, and three rooms are too few for an interval")
    runs = [f"demo/runs/baseline-{name}" for name in ("detector", "best-constant")]
    compared = terminal.tolman(tmp_path, "compare", *runs, "--json")
    columns = json.loads(compared.stdout)["comparisons"][0]["columns"]
    for task in ("object_size", "rel_direction"):
        assert columns[task]["value"] > 5, task
    # Routes are in few of the homes, too few for an interval of the average.
    assert columns["average"]["interval"] is None
    assert columns["average"]["value"] > 0


@pytest.mark.full
@pytest.mark.parametrize(
    ("absent", "sentences"),
    [
        ("EGL", ["rendering needs EGL, .* libegl1 .* Going on with three rooms that were drawn before"]),
        ("moderngl,onnxruntime", ["needs the package 'moderngl'.* Going on with three rooms",
                                  "Detecting objects needs the package 'onnxruntime'.* Going on without baseline/detector"]),
    ],
)  # fmt: skip
def test_the_demonstration_goes_on_without_what_a_machine_lacks_and_adds_the_users_own_model(
    absent: str, sentences: list[str], tmp_path: Path
) -> None:
    seeing = "onnxruntime" not in absent
    for module in ("shapely", "moderngl", "av", *(["onnxruntime"] if seeing else [])):
        pytest.importorskip(module, reason="the demonstration needs the extra 'worlds'")
    server = Server(answer="A", keep=False)
    with serving(server) as url:
        command = (*COMMAND, "--model", "openai/mine", "--base-url", url)
        done = ran(command, tmp_path, lacking(tmp_path, absent))
    assert done.returncode == 0, done.stderr
    for sentence in sentences:
        assert len(re.findall(rf"^.*{sentence}.*$", done.stdout, re.MULTILINE)) == 1, done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "INCOMPLETE" not in done.stdout
    assert ("$ tolman explain" in done.stdout) == seeing
    assert (tmp_path / "demo" / "runs" / "baseline-detector").exists() == seeing
    assert "baseline/oracle" in done.stdout
    assert "openai/mine" in done.stdout
    responses = (tmp_path / "demo" / "runs" / "openai-mine" / "responses.jsonl").read_text().splitlines()
    assert server.requests == len(responses) > 60
    assert server.bytes > 50_000 * server.requests  # it is shown the videos
    assert (tmp_path / "demo" / "site" / "index.html").is_file()
