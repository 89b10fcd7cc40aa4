"""What endpoints say that they serve, by what vLLM, SGLang and llama.cpp answer."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from fleet import Endpoint, free_port
from loopback import serving
from tolman.features.catalogue import doctor
from tolman.models import identity
from tolman.models.identity import Looking, Served, look

COMMIT = "66285546d2b821cf421d4f5eb2576359d3770cd3"
SNAPSHOT = f"/scratch/hub/models--Qwen--Qwen2.5-VL-3B-Instruct/snapshots/{COMMIT}"


def vllm(root: str, name: str = "m", **more: Any) -> dict[str, Any]:
    return {
        "listed": [
            {"id": "other", "object": "model", "owned_by": "vllm", "root": "/else", "parent": None},
            {"id": name, "object": "model", "created": 1, "owned_by": "vllm", "root": root, "parent": None, **more},
        ],
        "routes": {"/version": {"version": "0.33.0"}},
    }


@pytest.mark.parametrize(
    ("endpoint", "served"),
    [
        (vllm("/ckpt/step-200"), Served(True, "/ckpt/step-200", "vllm 0.33.0", True)),
        (vllm("m"), Served(True, "m", "vllm 0.33.0", True)),
        (vllm(SNAPSHOT), Served(True, f"Qwen/Qwen2.5-VL-3B-Instruct@{COMMIT}", "vllm 0.33.0", True)),
        (vllm("/lora/a", parent="base"), Served(True, "/lora/a on base", "vllm 0.33.0", True)),
        (
            {
                "listed": [{"id": "m", "owned_by": "sglang", "root": "m"}],
                "routes": {
                    "/model_info": {"model_path": "/ckpt/a", "weight_version": "step-7", "served_model_name": "m"},
                    "/server_info": {"version": "0.5.23"},
                },
            },
            Served(True, "/ckpt/a version step-7", "sglang 0.5.23", True),
        ),
        (
            {
                "listed": [{"id": "m", "owned_by": "sglang", "root": "m"}],
                "routes": {"/get_model_info": {"model_path": SNAPSHOT, "weight_version": "default"}},
            },
            Served(True, f"Qwen/Qwen2.5-VL-3B-Instruct@{COMMIT}", "sglang", True),
        ),
        # Behind a gateway that shows the list alone: its root is the served name, and the time is the call's.
        ({"listed": [{"id": "m", "owned_by": "sglang", "root": "m", "created": 5}]}, Served(True, None, "sglang", True)),
        (
            {
                "listed": [
                    {
                        "id": "/models/q.gguf", "owned_by": "llamacpp",
                        "meta": {"vocab_type": 2, "n_vocab": 151936, "n_ctx_train": 32768, "n_params": 7, "size": 9},
                    }
                ],
                "routes": {"/props": {"build_info": "b1234-abcdef"}},
            },
            Served(True, "size 9, n_params 7, n_vocab 151936", "llama.cpp b1234-abcdef", True),
        ),
        ({"listed": [{"id": "m", "owned_by": "library", "created": 5}]}, Served(True, None, "library", True)),
        ({"listed": [{"id": "m", "root": "m"}]}, Served(True, listed=True)),
        ({"listed": ["m", None]}, Served(True)),
    ],
)  # fmt: skip
def test_an_endpoint_says_what_it_serves(endpoint: dict[str, Any], served: Served) -> None:
    with serving(Endpoint(**endpoint)) as url:
        assert look(url, "m") == served


def test_a_key_is_sent_and_whatever_goes_wrong_fails_nothing() -> None:
    server = Endpoint(key="secret", models=("m",))
    with serving(server) as url:
        assert look(url, "m", "secret").reached
        assert look(url, "m", "wrong") == Served(True)
    assert look(f"http://127.0.0.1:{free_port()}/v1", "m") == Served(False)
    assert look("http://127.0.0.1:1x/v1", "m") == Served(False)


@contextmanager
def dripping(seconds: float) -> Iterator[str]:
    """A server that sends a byte every tenth of a second of its list of models."""

    class Drip(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "5000")
            self.end_headers()
            with suppress(OSError):
                for _ in range(int(seconds * 10)):
                    self.wfile.write(b" ")
                    time.sleep(0.1)

        def log_message(self, *said: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Drip)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def test_a_list_that_comes_byte_by_byte_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identity, "LOOK_SECONDS", 0.5)
    monkeypatch.setattr(doctor, "ENDPOINT_SECONDS", 0.5)
    with dripping(4) as url:
        began = time.monotonic()
        assert look(url, "m") == Served(True)
        found = doctor.check_endpoint(url)
        assert (found.state, found.found) == ("fails", "can't be reached: its reply takes longer than 0.5 s")
        assert time.monotonic() - began < 3


def test_a_cancellation_does_not_wait_for_a_look() -> None:
    with dripping(4) as url:
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(Looking(url, "m", None).result(), 0.2))
        assert time.monotonic() - began < 2
