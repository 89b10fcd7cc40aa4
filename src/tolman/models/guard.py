"""Runs a server and ends it, with its children, when the process that wants it is gone: however that ended.

    python guard.py LOG COMMAND [ARGUMENT …]

Its standard input is a pipe that the other process holds open. At its end the server's process group is asked to stop
(SIGTERM), and killed `GRACE_SECONDS` later. The exit code is the server's. Needs nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

GRACE_SECONDS = 10.0


def main() -> int:
    """Run the command of the arguments."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the pipe says when it is over
    with open(sys.argv[1], "ab", buffering=0) as log:
        try:
            server = subprocess.Popen(
                sys.argv[2:], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                restore_signals=True, preexec_fn=_default_signals,
            )  # fmt: skip
        except OSError as error:
            log.write(f"{sys.argv[2]}: {error.strerror}\n".encode())
            return 127
    threading.Thread(target=_watch, args=(server,), daemon=True).start()
    code = server.wait()
    _end(server.pid, 0.0)  # children that outlive it
    return code if code >= 0 else 128 - code


def _default_signals() -> None:
    """Reset signals ignored here to their defaults, for the server."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _watch(server: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1):
        pass
    _end(server.pid, GRACE_SECONDS)


def _end(group: int, grace: float) -> None:
    """Stop a process group, and kill its remaining processes after a while."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if grace:
            os.killpg(group, signal.SIGTERM)
            until = time.monotonic() + grace
            while time.monotonic() < until:
                os.killpg(group, 0)
                time.sleep(0.05)
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
