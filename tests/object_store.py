"""Object stores over HTTP on the loopback interface, each in a process of its own, with one bucket.

    python tests/object_store.py PORT ROOM

serves until it is ended; uploads beyond ROOM bytes altogether are refused as a full disk's are.
"""

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
    """A server that speaks S3, as the environment variables that lead to it.

    Args:
        room: bytes that may be put up.
        knows_nobody: whether the credentials are refused.
    """
    port = _free_port()
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


@contextmanager
def google_store() -> Iterator[dict[str, str]]:
    """A server that speaks Google Cloud Storage, as the environment variables that lead to it."""
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    with TemporaryFile() as log:
        words = ["--host", "127.0.0.1", "--port", str(port), "--in-memory", "--default-bucket", BUCKET]
        command = [sys.executable, "-m", "gcp_storage_emulator", "start", *words]
        server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            _wait_for(lambda: urllib.request.urlopen(f"{address}/storage/v1/b/{BUCKET}", timeout=5).close(), server)
            yield {
                "STORAGE_EMULATOR_HOST": address,
                "FSSPEC_GS": '{"token": "anon"}',
                "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",  # buckets of another kind are asked about by gRPC
                "NO_PROXY": ",".join(filter(None, ["127.0.0.1", os.environ.get("NO_PROXY")])),
            }
        finally:
            server.terminate()
            server.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _make_bucket(address: str, server: subprocess.Popen[bytes]) -> None:
    request = urllib.request.Request(address, method="PUT")
    _wait_for(lambda: urllib.request.urlopen(request, timeout=5).close(), server)


def _wait_for(ask: Callable[[], None], server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            ask()
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
