"""A server that nobody here wrote: `transformers serve`, in an environment of its own (`make test-interop`).

What a request is made of is compared with the network's own processor, called without any server on the same bytes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loopback import Server, serving
from terminal import tolman
from tolman.item_table import write_items
from tolman.items import Item, Media

VARIABLE = "TOLMAN_INTEROP"
HERE = Path(__file__).parent
ITEMS = 30
RECIPE = """
title = "A file, eight frames of it"

[input]
form = "file"
server = "transformers"
source = "this test"

[file.transformers]
options = { chat_template_kwargs = { num_frames = 8 } }
source = "this test"
"""

pytestmark = [
    pytest.mark.full,
    pytest.mark.interop,
    pytest.mark.skipif(VARIABLE not in os.environ, reason="'make test-interop' installs transformers' server"),
]


def theirs(script: str, *arguments: str, given: str | None = None) -> str:
    """Run a script in the server's environment; what it prints."""
    python = Path(os.environ[VARIABLE]).resolve() / "bin" / "python"
    done = subprocess.run(
        [str(python), str(HERE / script), *arguments], input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights") / "qwen2-vl"
    theirs("write_network.py", str(folder))
    return folder


@contextmanager
def served(network: Path, log: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The server, once it answers; its process and base URL."""
    python = Path(os.environ[VARIABLE]).resolve() / "bin" / "python"
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [
        str(python), str(HERE / "serve.py"), "serve", str(network), "--host", "127.0.0.1", "--port", str(port),
        "--device", "cpu",
    ]  # fmt: skip
    with log.open("ab") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1):
                    break
            except OSError:
                time.sleep(0.2)
        yield process, f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def write_place(place: Path, media: list[list[Media]]) -> Path:
    folder = place / "bench"
    folder.mkdir(parents=True)
    (folder / "benchmark.json").write_text(json.dumps({"title": "Shown"}))
    items = [
        Item(
            id=f"{number:03d}", question=f"Which is number {number}?", kind="choice", answer="A", options=("x", "y"),
            task="t", media=tuple(shown),
        )
        for number, shown in enumerate(media)
    ]  # fmt: skip
    write_items(folder / "items.parquet", items)
    return place


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Thirty questions about one or two pictures of different sizes."""
    from PIL import Image

    generator = np.random.default_rng(0)
    names = [[f"{number}-{part}.png" for part in range(1 + number % 2)] for number in range(ITEMS)]
    place = write_place(tmp_path / "pictures", [[Media(kind="image", path=name) for name in shown] for shown in names])
    for name in (name for shown in names for name in shown):
        height, width = generator.integers(56, 200, 2)
        pixels = generator.integers(0, 255, (height, width, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(place / "bench" / name)
    return place


@pytest.fixture
def videos(tmp_path: Path) -> Path:
    """Two questions about videos of different lengths."""
    from videos import write_video

    place = write_place(tmp_path / "videos", [[Media(kind="video", path=f"{n}.mp4")] for n in range(2)])
    for number in range(2):
        write_video(place / "bench" / f"{number}.mp4", 40 + 30 * number)
    (place / "own.toml").write_text(RECIPE)
    return place


def run(place: Path, network: Path, url: str, out: str, *more: str, **environment: str) -> Any:
    return tolman(
        place, "run", "./bench", "--model", f"openai/{network}", "--base-url", url, "--out", out, "--store",
        f"{out}.sqlite", "--temperature", "0", "--max-tokens", "8", *more, **environment,
    )  # fmt: skip


def told(place: Path, out: str) -> dict[str, int]:
    """Item → tokens of its prompt, as the server counted them."""
    lines = [json.loads(line) for line in (place / out / "responses.jsonl").read_text().splitlines()]
    return {line["id"]: line["usage"]["input_tokens"] for line in lines if "usage" in line}


def bodies(place: Path, network: Path, *more: str) -> dict[str, Any]:
    """Item → the request that is sent for it, caught by a server that only listens."""
    listening = Server(models=(str(network),))
    with serving(listening) as url:
        done = run(place, network, url, "caught", *more)
    assert done.returncode == 0, done.stderr
    found = {}
    for body in listening.bodies:
        content = body["messages"][-1]["content"]
        text = content if isinstance(content, str) else " ".join(p["text"] for p in content if p["type"] == "text")
        number = int(text.partition("Which is number ")[2].partition("?")[0])
        found[f"{number:03d}"] = body
    return found


def direct(network: Path, requests: dict[str, Any]) -> dict[str, int]:
    """Item → tokens of its prompt, as the processor makes them."""
    order = sorted(requests)
    counts = json.loads(theirs("direct.py", str(network), given=json.dumps([requests[one] for one in order])))
    return dict(zip(order, counts, strict=True))


def test_pictures_become_the_tokens_of_a_direct_call(pictures: Path, network: Path, tmp_path: Path) -> None:
    expected = direct(network, bodies(pictures, network))
    with served(network, tmp_path / "log") as (_, url):
        done = run(pictures, network, url, "run")
    assert done.returncode in (0, 1), done.stderr  # random weights babble up to the token limit
    assert told(pictures, "run") == expected
    assert len(expected) == ITEMS
    assert len(set(expected.values())) > 5


def test_a_file_becomes_the_tokens_of_a_direct_call(videos: Path, network: Path, tmp_path: Path) -> None:
    expected = direct(network, bodies(videos, network, "--recipe", "own.toml"))
    with served(network, tmp_path / "log") as (_, url):
        done = run(videos, network, url, "run", "--recipe", "own.toml")
    assert done.returncode in (0, 1), done.stderr
    assert told(videos, "run") == expected


@pytest.mark.parametrize("family", ["qwen2_5_vl", "qwen3_vl"])
def test_sampled_frames_become_the_tokens_of_one_video(videos: Path, family: str, tmp_path: Path) -> None:
    network, frames = tmp_path / family, ("--frames", "16", "--as", "video")
    theirs("write_network.py", str(network), family)
    expected = direct(network, bodies(videos, network, *frames, "--server", "transformers"))
    with served(network, tmp_path / "log") as (_, url):
        done = run(videos, network, url, "run", *frames)  # the server is recognized
    assert done.returncode in (0, 1), done.stderr
    assert told(videos, "run") == expected
    assert min(expected.values()) > 8 * 60


def test_killed_and_started_on_another_port_nothing_is_asked_twice(
    pictures: Path, network: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with served(network, log) as (server, url):
        asking = subprocess.Popen(
            [
                sys.executable, "-m", "tolman", "run", "./bench", "--model", f"openai/{network}", "--base-url", url,
                "--out", "run", "--store", "run.sqlite", "--temperature", "0", "--max-tokens", "8", "--concurrency", "2",
            ],
            cwd=pictures, env={**os.environ, "TOLMAN_CACHE": str(tmp_path / "cache")}, stderr=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        while log.read_text().count("[Request received]") < 10:
            assert asking.poll() is None
            time.sleep(0.02)
        server.kill()
        _, said = asking.communicate(timeout=300)
    assert asking.returncode == 2, said
    assert "run the same command again to resume" in said
    first = len(told(pictures, "run"))
    assert 0 < first < ITEMS
    with served(network, log) as (_, url):
        done = run(pictures, network, url, "run")
    assert done.returncode in (0, 1), done.stderr
    usage = json.loads((pictures / "run" / "usage.json").read_text())
    assert usage["reused"] == first
    assert len(told(pictures, "run")) == ITEMS
    # What was on its way when the server died was asked again: two at most.
    assert log.read_text().count("[Request received]") <= ITEMS + 2
