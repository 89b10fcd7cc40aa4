"""A real vLLM, in an environment of its own that TOLMAN_VLLM names (CONTRIBUTING.md): pictures and native video.

The network is a Qwen2-VL in miniature with random weights. Of 16 and of 48 frames (more than the 32 that vLLM keeps where it
isn't told otherwise) as many tokens must come as the network's own processor makes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from interop.test_transformers_serve import VARIABLE, bodies, direct, theirs as of_transformers, told, write_place
from terminal import tolman
from tolman.items import Media
from videos import write_video

OWN = "TOLMAN_VLLM"
TOKENS = {16: 936, 48: 2808}
"""Frames of 352 × 240 as video → tokens: 117 for each pair (18 × 26 patches of 14 pixels, merged by 4)."""

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(not {VARIABLE, OWN} <= set(os.environ), reason="no vLLM is named by TOLMAN_VLLM"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A vLLM that serves a network as 'qwen2-vl'; its base URL, and the network."""
    place = tmp_path_factory.mktemp("vllm")
    of_transformers("write_network.py", str(place / "net"), "--wide")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [
        str(Path(os.environ[OWN]).resolve() / "bin" / "vllm"), "serve", str(place / "net"), "--served-model-name", "qwen2-vl",
        "--port", str(port), "--dtype", "float32", "--max-model-len", "16384", "--enforce-eager", "--trust-request-mm-kwargs",
        "--limit-mm-per-prompt", json.dumps({"image": 64, "video": 1}), "--enable-prompt-tokens-details",
    ]  # fmt: skip
    settings = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **settings})
    try:
        for _ in range(1800):
            assert process.poll() is None, (place / "log").read_text()
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1):
                    break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1", place / "net"
    finally:
        process.terminate()
        process.wait(60)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Four questions about two videos."""
    found = write_place(tmp_path / "videos", [[Media(kind="video", path=f"{n % 2}.mp4")] for n in range(4)])
    for number in range(2):
        write_video(found / "bench" / f"{number}.mp4", 60 + 60 * number)
    return found


@pytest.mark.parametrize("frames", TOKENS)
def test_all_frames_of_a_native_video_become_tokens_and_as_pictures_twice_as_many(
    place: Path, served: tuple[str, Path], frames: int
) -> None:
    (url, network), media = served, {}
    sent = bodies(place, Path("qwen2-vl"), "--frames", str(frames), "--as", "video", "--server", "vllm")
    for form in ("video", "images"):
        done = tolman(
            place, "run", "./bench", "--model", "openai/qwen2-vl", "--base-url", url, "--frames", str(frames), "--as", form,
            "--out", form, "--store", "s.sqlite", "--temperature", "0", "--max-tokens", "64", "--ask-again", "0",
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        record = json.loads((place / form / "run.json").read_text())
        assert record["endpoint"]["server"].startswith("vllm ")
        lines = [json.loads(line) for line in (place / form / "responses.jsonl").read_text().splitlines()]
        media[form] = {line["usage"]["media_tokens"] for line in lines if "usage" in line}
        assert told(place, form)
        if form == "video":
            assert told(place, form) == direct(network, sent)
    assert media == {"video": {TOKENS[frames]}, "images": {2 * TOKENS[frames]}}
