"""`python -m tolman` in a process of its own, which does not spend its first second on importing libraries.

A process that has imported what most commands import waits for commands and forks for each: what the fork then runs is
the module `tolman`, from the command line to the exit code. What is said about starting, signals or being killed needs
`python -m tolman` itself.
"""

import atexit
import gc
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
from contextlib import chdir
from functools import cache
from pathlib import Path
from signal import SIGKILL

LIBRARIES = (
    "tolman.cli", "tolman.runs.run", "tolman.reports.report_pages", "tolman.reports.svg_figures", "tolman.protocols",
    "tolman.models.openai", "tolman.messages", "matplotlib.figure", "matplotlib.backends.backend_svg", "jinja2", "aiohttp",
    "rich.markdown", "rich.progress", "numpy.random", "tomli_w", "tolman.commands.evaluate", "tolman.features.run.render",
    "tolman.features.printing", "tolman.features.run.compute", "tolman.features.run.suite_file", "tolman.runs.run_scoring",
    "tolman.runs.run_scoring", "tolman.runs.request", "tolman.scoring.score_items", "tolman.scoring.parse.reader",
    "tolman.reports.report_pages", "tolman.reports.page_items", "tolman.reports.page_items", "tolman.models.detector",
    "tolman.benchmarks.vsi_bench", "tolman.benchmarks.rows", "tolman.kinds.written_kinds", "tolman.protocols.presentation",
    "tolman.protocols.reasoning_strategies", "tolman.runs.run_items", "tolman.features.events", "tolman.features.notebook",
    "tolman.features.opened_folders", "tolman.features.scores",
)  # fmt: skip


def tolman(
    place: Path, *arguments: str, code: int | None = None, timeout: float = 300, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Type a command.

    Args:
        place: the working directory; answers and frames are kept in its folder `cache`.
        code: that it has to end with; any where None.
        timeout: in seconds, after which the command is killed.
        environment: more of its variables.
    """
    own = {"TOLMAN_CACHE": str(place / "cache"), "OPENAI_API_KEY": "none"}
    waiting = _waiting()
    assert waiting.stdin is not None
    assert waiting.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        texts = [Path(folder) / "out", Path(folder) / "err"]
        command = [str(place), {**os.environ, **own, **environment}, arguments, [str(path) for path in texts]]
        waiting.stdin.write(json.dumps(command) + "\n")
        waiting.stdin.flush()
        limit = threading.Timer(timeout, os.kill, (int(waiting.stdout.readline()), SIGKILL))
        limit.start()
        ended = int(waiting.stdout.readline())
        limit.cancel()
        out, err = (path.read_text(encoding="utf-8") for path in texts)
    assert code in (None, ended), f"exit code {ended}: {out}{err}"
    return subprocess.CompletedProcess(arguments, ended, out, err)


def refused(place: Path, *arguments: str) -> str:
    """The sentence with which a command is refused, exit code 2, before it does anything; typed in this process."""
    from typer.testing import CliRunner

    from tolman.cli import app
    from tolman.errors import TolmanError

    with chdir(place):
        ended = CliRunner().invoke(app, arguments, env={"TOLMAN_CACHE": str(place / "cache"), "OPENAI_API_KEY": "none"})
    assert isinstance(ended.exception, TolmanError), ended.output
    assert ended.exception.exit_code == 2
    return str(ended.exception)


def typed(place: Path, *arguments: str, status: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Type a command that ends with an exit code, and with no traceback."""
    done = tolman(place, *arguments, **environment)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done


@cache
def _waiting() -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def _look_at_registries() -> None:
    """Have the sources read that tell what there is by name, which are then known in every fork."""
    from tolman.registry import Registry

    for thing in gc.get_objects():
        if isinstance(thing, Registry):
            thing.names()


def _serve() -> None:
    """Fork for each command; in the fork, return with everything as the command finds it."""
    for line in sys.stdin:
        place, environment, arguments, texts = json.loads(line)
        process = os.fork()
        if process == 0:
            for number, path in enumerate((os.devnull, *texts)):
                file = os.open(path, os.O_RDWR | os.O_CREAT)
                os.dup2(file, number)
                os.close(file)
            os.chdir(place)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv[1:] = arguments
            return
        os.write(1, f"{process}\n".encode())
        os.write(1, f"{os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])}\n".encode())
    sys.exit()


if __name__ == "__main__":
    sys.path[0] = ""  # as with `python -m`
    for name in LIBRARIES:
        __import__(name)
    _look_at_registries()
    assert threading.active_count() == 1
    _serve()
    runpy.run_module("tolman", run_name="__main__", alter_sys=True)
