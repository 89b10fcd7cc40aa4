"""An S3-compatible server over HTTP on the loopback interface, in a process of its own, with one bucket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

BUCKET = "bucket"
PATIENCE_SECONDS = 60.0


@contextmanager
def object_store() -> Iterator[dict[str, str]]:
    """A server, as the environment variables that lead to it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with TemporaryFile() as log:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        server = subprocess.Popen(command, stdout=log, stderr=log)
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
