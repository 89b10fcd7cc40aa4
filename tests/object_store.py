"""An S3-compatible server over HTTP on the loopback interface, in a process of its own, with one bucket.

    python tests/object_store.py PORT ROOM

serves until it is ended; uploads beyond ROOM bytes altogether are refused as a full disk's are.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import Any

BUCKET = "bucket"
PATIENCE_SECONDS = 60.0


@contextmanager
def object_store(room: int = 1 << 40, *, knows_nobody: bool = False) -> Iterator[dict[str, str]]:
    """A server, as the environment variables that lead to it.

    Args:
        room: bytes that may be put up.
        knows_nobody: whether the credentials are refused.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with TemporaryFile() as log:
        command = [sys.executable, __file__, str(port), str(room)]
        # Checked from the second request on: the first makes the bucket.
        checked = {"INITIAL_NO_AUTH_ACTION_COUNT": "1"} if knows_nobody else {}
        server = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | checked)
        try:
            _make_bucket(f"{address}/{BUCKET}", server)
            yield {
                "AWS_ENDPOINT_URL": address,
                "AWS_ACCESS_KEY_ID": "key",
                "AWS_SECRET_ACCESS_KEY": "secret",
                "AWS_DEFAULT_REGION": "us-east-1",
                "AWS_EC2_METADATA_DISABLED": "true",
                "NO_PROXY": ",".join(filter(None, ["127.0.0.1", os.environ.get("NO_PROXY")])),
            }
        finally:
            server.terminate()
            server.wait()


def _make_bucket(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            urllib.request.urlopen(urllib.request.Request(address, method="PUT"), timeout=5).close()
            return
        except OSError:
            assert server.poll() is None, "the server has ended"
            assert time.monotonic() < end, "the server doesn't answer"
            time.sleep(0.1)


def _serve(port: int, room: int) -> None:
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import run_simple

    whole = DomainDispatcherApplication(create_backend_app)
    taken = 0

    def limited(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        nonlocal taken
        if environ["REQUEST_METHOD"] == "PUT":
            taken += int(environ.get("CONTENT_LENGTH") or 0)
            if taken > room:
                start_response("507 Insufficient Storage", [("Content-Type", "application/xml")])
                return [b"<Error><Code>XMinioStorageFull</Code><Message>The disk is full</Message></Error>"]
        return whole(environ, start_response)

    run_simple("127.0.0.1", port, limited, threaded=True)


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]))
