"""A server that is started for a run: awaited, ended with its children however the run ends, and told where it dies."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runs.letters import write_letters
from terminal import tolman
from tolman.errors import UsageError
from tolman.models.servers import command_of

TESTS = Path(__file__).resolve().parents[1]
SCRIPT = """
import subprocess, sys, time
sys.path.insert(0, {tests!r})
from pathlib import Path
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
Path("pids.txt").write_text(f"{{__import__('os').getpid()}} {{child.pid}}")
print("loading weights", flush=True)
time.sleep({seconds})
from loopback import Server, serving
with serving(Server(latency={latency}), int(sys.argv[1])):
    print("listening", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return write_letters(tmp_path / "bench", 100)


def written(place: Path, *, seconds: float = 0.5, latency: float = 0.0) -> str:
    (place / "server.py").write_text(SCRIPT.format(tests=str(TESTS), seconds=seconds, latency=latency))
    return f"{sys.executable} server.py {{port}}"


def command(serve: str, *more: str) -> tuple[str, ...]:
    return (
        "run", "./bench", "--model", "openai/m", "--serve", serve, "--out", "run", "--store", "s.sqlite", *more,
    )  # fmt: skip


def is_gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
            if "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]:
                return True  # nobody has asked for its exit code yet
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.1)
    return False


def pids(place: Path) -> list[int]:
    return [int(one) for one in (place / "pids.txt").read_text().split()]


def test_a_server_is_started_awaited_and_ended(place: Path) -> None:
    done = tolman(place, *command(written(place)), code=0)
    assert "its log is run/server.log." in done.stderr
    assert "isn't up yet. Waiting for it, 30 min at most." in done.stderr
    assert (place / "run" / "server.log").read_text().splitlines()[:2] == ["loading weights", "listening"]
    assert all(is_gone(pid) for pid in pids(place))
    again = tolman(place, *command(written(place)), code=0)  # at another port
    assert "0 calls, 100 answers from the store" in again.stderr


def test_a_server_that_dies_while_it_starts_is_one_sentence(place: Path) -> None:
    serve = f"""{sys.executable} -c "import sys; print('CUDA out of memory'); sys.exit(3)" {{port}}"""
    done = tolman(place, *command(serve), code=2)
    assert done.stderr.splitlines()[-1] == (
        "tolman: the server of --serve ended with exit code 3: CUDA out of memory (all of it: run/server.log)."
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_server_ends_with_its_children_however_the_run_does(place: Path, number: signal.Signals) -> None:
    line = [sys.executable, "-m", "tolman", *command(written(place, latency=2.0), "--concurrency", "2")]
    environment = {**os.environ, "TOLMAN_CACHE": str(place / "cache"), "OPENAI_API_KEY": "none"}
    process = subprocess.Popen(line, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    log, until = place / "run" / "server.log", time.monotonic() + 60
    while not (log.exists() and "listening" in log.read_text()):
        assert time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: -9}[number]
    assert all(is_gone(pid) for pid in pids(place))


@pytest.mark.full
def test_a_suite_starts_one_server_for_each_model_and_one_at_a_time(place: Path) -> None:
    """Each server writes who else was alive when it began."""
    (place / "server.py").write_text(
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "others = [int(one.split()[0]) for one in Path('starts.txt').read_text().splitlines()]\n"
        "alive = [pid for pid in others if Path(f'/proc/{pid}').exists()]\n"
        "with open('starts.txt', 'a') as file: print(os.getpid(), *alive, file=file)\n"
        f"sys.path.insert(0, {str(TESTS)!r})\n"
        "from loopback import Server, serving\n"
        "with serving(Server(), int(sys.argv[1])):\n"
        "    time.sleep(600)\n"
    )
    (place / "starts.txt").write_text("")
    serve = f"serve = '{sys.executable} server.py {{port}}'"
    models = [f'[[model]]\nmodel = "openai/{name}"\n{serve}\n' for name in ("one", "two")]
    shared = 'benchmark = "./bench"\nprotocol = ["direct", "cot"]\nout = "out"\nstore = "s.sqlite"\nwait = "60s"\n'
    (place / "suite.toml").write_text(shared + "".join(models))
    tolman(place, "run", "suite.toml", code=0)
    starts = (place / "starts.txt").read_text().split()
    assert len(starts) == 2, "two servers, of which none saw the other"
    assert all(is_gone(int(pid)) for pid in starts)
    tolman(place, "run", "suite.toml", code=0)


def test_settings_that_start_nothing_are_one_sentence(place: Path) -> None:
    for more, sentence in (
        (
            command("serve me"),
            "--serve takes vllm:NAME, sglang:NAME or a command that has {port} in it, not 'serve me'.",
        ),
        (command("no-such-program {port}"), "--serve: there is no program 'no-such-program' on the PATH."),
        (
            (*command("python {port}"), "--base-url", "http://a/v1"),
            "--serve starts a server of its own; leave out --base-url, or --serve.",
        ),
    ):
        done = tolman(place, *more)
        assert (done.returncode, done.stderr) == (2, f"tolman: {sentence}\n")


def test_vllm_and_sglang_are_started_by_their_own_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="needs vllm, which is not installed here"):
        command_of("vllm:Qwen/Qwen2.5-VL-3B-Instruct", 8000)
    program = tmp_path / "vllm"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command_of("vllm:Qwen/X --max-model-len 8192", 8000) == [
        "vllm", "serve", "Qwen/X", "--host", "127.0.0.1", "--port", "8000", "--max-model-len", "8192",
    ]  # fmt: skip
    with pytest.raises(UsageError, match="names no model"):
        command_of("sglang:", 8000)
