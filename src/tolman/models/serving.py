"""A server that is started for a run and ended with it: vLLM, SGLang, or whatever a command starts."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType

from tolman.errors import UsageError

LOG = "server.log"
"""Name of its log, in the run's folder."""
END_SECONDS = 15.0
"""The longest time in which it is waited for at the end."""
LAST_LINE_BYTES = 4096


class Server:
    """A server on a free port of this machine.

    Args:
        spec: 'vllm:NAME' or 'sglang:NAME', with further arguments behind it, or a command that has '{port}' in it.

    Attributes:
        url: base URL of its endpoint.
        log: where its words are, once it is started.

    Raises:
        UsageError: the command names no port, or its program isn't there.
    """

    def __init__(self, spec: str) -> None:
        self.port = _free_port()
        self.command = command_of(spec, self.port)
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.log: Path | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    def start(self, folder: Path) -> bool:
        """Start it, unless that was done; its log goes into the folder.

        Returns:
            Whether it was started now.
        """
        if self._guard is not None:
            return False
        self.log = folder / LOG
        self.log.write_bytes(b"")
        guard = Path(__file__).with_name("guard.py")
        self._guard = subprocess.Popen(
            [sys.executable, "-I", str(guard), str(self.log), *self.command], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        return True

    def gone(self) -> str | None:
        """A sentence where it has ended by itself."""
        code = self._guard.poll() if self._guard is not None else None
        if code is None:
            return None
        return f"the server of --serve ended with exit code {code}: {self._last_line()} (all of it: {self.log})."

    def close(self) -> None:
        """End it with its children."""
        if self._guard is None or self._guard.stdin is None:
            return
        self._guard.stdin.close()
        try:
            self._guard.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()

    def _last_line(self) -> str:
        assert self.log is not None
        with self.log.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - LAST_LINE_BYTES))
            lines = file.read().decode("utf-8", "replace").strip().splitlines()
        return " ".join(lines[-1].split())[:300] if lines else "it said nothing"

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def command_of(spec: str, port: int) -> list[str]:
    """The words of the command that a setting asks for.

    Raises:
        UsageError: the command names no port, or its program isn't there.
    """
    kind, colon, rest = spec.partition(":")
    try:
        words = shlex.split(rest if colon and kind in ("vllm", "sglang") else spec)
    except ValueError as error:
        raise UsageError(f"--serve '{spec}' is no command ({error}).") from None
    if colon and kind in ("vllm", "sglang"):
        if not words:
            raise UsageError(f"--serve {spec} names no model; write {kind}:NAME.")
        name, *more = words
        if kind == "vllm":
            program = ["vllm", "serve", name]
            missing = shutil.which("vllm") is None
        else:
            program = [sys.executable, "-m", "sglang.launch_server", "--model-path", name]
            missing = importlib.util.find_spec("sglang") is None
        if missing:
            raise UsageError(f"--serve {spec} needs {kind}, which is not installed here: pip install {kind}.")
        return [*program, "--host", "127.0.0.1", "--port", str(port), *more]
    if not any("{port}" in word for word in words):
        raise UsageError(f"--serve takes vllm:NAME, sglang:NAME or a command that has {{port}} in it, not '{spec}'.")
    if shutil.which(words[0]) is None:
        raise UsageError(f"--serve: there is no program '{words[0]}' on the PATH.")
    return [word.replace("{port}", str(port)) for word in words]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
