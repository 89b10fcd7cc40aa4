"""What a run costs, against the physical limit: text requests, videos, and memory over a whole benchmark.

    python benchmarks/runs.py [text] [edges] [scale] [video] [memory] [store] [--pairs 5]

Everything runs as whole processes against a loopback server of this repository (`tests/loopback.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.responses import Response
from tolman.runs.response_store import ResponseStore

ROOT = Path(__file__).resolve().parents[1]
TOLMAN = str(Path(sys.executable).with_name("tolman"))
PARTS = ("text", "edges", "scale", "video", "memory", "store")
REQUESTS = 2000
IN_FLIGHT = 64
BARE = """
import asyncio, json, sys, aiohttp
async def main(url, n, flight):
    gate = asyncio.Semaphore(flight)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=flight)) as session:
        async def one(i):
            body = {"model": "m", "messages": [{"role": "user", "content": f"Question {i}?"}], "temperature": 0}
            async with gate, session.post(url + "/chat/completions", json=body) as reply:
                return (await reply.json())["choices"][0]["message"]["content"]
        answers = await asyncio.gather(*(one(i) for i in range(n)))
    assert answers == ["A"] * n
asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""


@contextmanager
def server(latency: float) -> Iterator[str]:
    """A loopback server in a process of its own, which lists its model as such servers do."""
    command = [sys.executable, str(ROOT / "tests" / "loopback.py"), "--latency", str(latency), "--model", "m"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def publish(folder: Path, items: list[Item]) -> None:
    """A benchmark folder."""
    folder.mkdir(parents=True)
    (folder / "benchmark.json").write_text(json.dumps({"title": folder.name}))
    write_items(folder / "items.parquet", items)


def measure(command: list[str], cwd: Path) -> tuple[float, float, float, list[float]]:
    """Wall seconds, CPU seconds and peak memory (MB, all processes together) of a command; and memory every 0.1 s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    samples: list[float] = []
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        stop = threading.Event()
        watch = threading.Thread(target=_watch, args=(process.pid, samples, stop))
        watch.start()
        _, errors = process.communicate()
        stop.set()
        watch.join()
    wall = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(errors)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, max(samples, default=0.0), samples


def _watch(pid: int, samples: list[float], stop: threading.Event) -> None:
    """Add up the resident memory of a process and its descendants."""
    while not stop.wait(0.1):
        total = 0
        waiting = [pid]
        while waiting:
            current = waiting.pop()
            try:
                total += int(Path(f"/proc/{current}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
                for task in Path(f"/proc/{current}/task").iterdir():
                    waiting += [int(child) for child in (task / "children").read_text().split()]
            except OSError:
                continue
        samples.append(total / 2**20)


def text(pairs: int, place: Path) -> None:
    """2,000 text requests against a bare aiohttp script, interleaved."""
    items = [
        Item(
            id=str(i),
            question=f"Question {i}?",
            kind="choice",
            answer="A",
            options=("x", "y"),
            task="t",
            scene=str(i % 100),
        )
        for i in range(REQUESTS)
    ]
    publish(place / "text", items)
    ours, bare, cpu = [], [], []
    with server(0.2) as url:
        for pair in range(pairs):
            wall, *_ = measure([sys.executable, "-c", BARE, url, str(REQUESTS), str(IN_FLIGHT)], place)
            bare.append(wall)
            command = [
                TOLMAN, "run", "./text", "--model", "openai/m", "--base-url", url, "--concurrency", str(IN_FLIGHT),
                "--store", f"store-{pair}.sqlite", "--out", f"text-{pair}",
            ]  # fmt: skip
            wall, seconds, *_ = measure(command, place)
            ours.append(wall)
            cpu.append(seconds)
            print(
                f"pair {pair + 1}: bare {bare[-1]:.2f} s, tolman {ours[-1]:.2f} s ({cpu[-1]:.2f} s CPU)",
                file=sys.stderr,
            )
        wall, *_ = measure([*command[:-1], "text-again"], place)
    ratio = statistics.median(o / b for o, b in zip(ours, bare, strict=True))
    print(
        f"| {REQUESTS:,} text requests, {IN_FLIGHT} at once, 0.2 s: bare aiohttp | {statistics.median(bare):.2f} s | |"
    )
    print(f"| the same by `tolman run`, whole process | {statistics.median(ours):.2f} s | |")
    print(f"| … median ratio of {pairs} interleaved pairs | {ratio:.2f} | 1.1 |")
    print(f"| … CPU | {statistics.median(cpu):.2f} s | 2.5 s |")
    print(f"| … again, all from the response store | {wall:.2f} s | |")


def edges(repeats: int, place: Path) -> None:
    """5,130 text questions: from the start to the first request, from the last answer to the table, and all of it from
    the response store to the table."""
    items = [
        Item(id=str(i), question=f"Question {i}?", kind="choice", answer="A", options=("x", "y", "z"), task=f"t{i % 8}",
             scene=str(i % 288))
        for i in range(5130)
    ]  # fmt: skip
    publish(place / "edges", items)
    starts, tails, again, libraries = [], [], [], []
    for repeat in range(repeats):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import polars, aiohttp"], check=True)
        libraries.append(time.perf_counter() - began)
        with server(0.02) as url:
            command = [
                TOLMAN, "run", "./edges", "--model", "openai/m", "--base-url", url, "--concurrency", "64",
                "--store", f"edges-{repeat}.sqlite", "--out", f"edges-{repeat}",
            ]  # fmt: skip
            began, table = until_table(command, place)
            with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
                seen = json.load(reply)
            starts.append(seen["first"] - began)
            tails.append(table - seen["last"])
            began, table = until_table([*command[:-1], f"edges-{repeat}-again"], place)
            again.append(table - began)
    print(f"| importing polars and aiohttp, whole process | {statistics.median(libraries):.2f} s | |")
    print(f"| 5,130 questions: start to first request | {statistics.median(starts):.2f} s | 0.3 s above that |")
    print(f"| … last answer to the table | {statistics.median(tails):.2f} s | 0.5 s |")
    print(f"| … all from the response store: start to the table | {statistics.median(again):.2f} s | 1.5 s |")


def until_table(command: list[str], cwd: Path) -> tuple[float, float]:
    """When a run began, and when the first line of its table was there; seconds since 1970."""
    began, shown = time.time(), 0.0
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            shown = shown or (time.time() if line.strip() else 0.0)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return began, shown


def scale(place: Path) -> None:
    """100,000 items: memory and time."""
    items = [
        Item(id=str(i), question=f"Question {i}?", kind="choice", answer="A", options=("x", "y", "z"), task=f"t{i % 8}",
             scene=str(i % 5000))
        for i in range(100_000)
    ]  # fmt: skip
    publish(place / "scale", items)
    with server(0.0) as url:
        command = [
            TOLMAN, "run", "./scale", "--model", "openai/m", "--base-url", url, "--concurrency", "64",
            "--store", "scale.sqlite", "--out", "scale-run",
        ]  # fmt: skip
        wall, cpu, peak, _ = measure(command, place)
    print(f"| 100,000 text questions | {wall:.1f} s, {cpu:.1f} s CPU | |")
    print(f"| … memory, peak, report included | {peak:.0f} MB | 200 MB |")


def clip(path: Path, seconds: int, *, size: tuple[int, int] = (640, 480), seed: int = 0) -> None:
    """A clip with moving texture, 30 frames a second."""
    import av
    import numpy as np

    generator = np.random.default_rng(seed)
    small = generator.integers(0, 255, (size[1] // 16, size[0] // 16, 3), dtype=np.uint8)
    base = small.repeat(16, 0).repeat(16, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.options = {"preset": "ultrafast", "g": "250"}
        for i in range(30 * seconds):
            frame = av.VideoFrame.from_ndarray(np.roll(base, 3 * i, axis=1), "rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def video(place: Path) -> None:
    """24 questions over 4 clips of 60 s, cold and warm."""
    for c in range(4):
        clip(place / "video" / f"{c}.mp4", 60, seed=c)
    items = [
        Item(
            id=str(i), question=f"Question {i}?", kind="choice", answer="A", options=("x", "y"), task="t",
            scene=str(i % 4), media=(Media(kind="video", path=f"{i % 4}.mp4"),),
        )
        for i in range(24)
    ]  # fmt: skip
    folder = place / "video"
    (folder / "benchmark.json").write_text(json.dumps({"title": "video"}))
    write_items(folder / "items.parquet", items)
    colds, warms, memory = [], [], []
    with server(0.2) as url:
        for trial in range(3):
            frames = place / f"frames-{trial}"
            for name, times in (("cold", colds), ("warm", warms)):
                command = [
                    TOLMAN, "run", "./video", "--model", "openai/m", "--base-url", url, "--concurrency", "32",
                    "--frames", "32", "--frame-store", str(frames), "--store", f"v-{trial}-{name}.sqlite",
                    "--out", f"video-{trial}-{name}",
                ]  # fmt: skip
                wall, _, peak, _ = measure(command, place)
                times.append(wall)
                memory.append(peak)
    print(f"| 24 questions, 4 clips of 60 s, 32 frames, 32 in flight: cold | {statistics.median(colds):.2f} s | 9 s |")
    print(f"| … warm frame store | {statistics.median(warms):.2f} s | 2.5 s |")
    print(f"| … memory of all processes together, peak | {max(memory):.0f} MB | 400 MB |")


def memory(place: Path) -> None:
    """5,130 items over 288 short clips: memory as the run goes on."""
    source = place / "one.mp4"
    clip(source, 2, size=(320, 240))
    folder = place / "whole"
    folder.mkdir()
    for c in range(288):
        # Clips of the same frames with other bytes: a box that players skip is appended.
        (folder / f"{c}.mp4").write_bytes(
            source.read_bytes() + (16).to_bytes(4, "big") + b"free" + c.to_bytes(8, "big")
        )
    items = [
        Item(
            id=str(i), question=f"Question {i}?", kind="choice", answer="A", options=("x", "y"), task=f"t{i % 10}",
            scene=str(i % 288), media=(Media(kind="video", path=f"{i % 288}.mp4"),),
        )
        for i in range(5130)
    ]  # fmt: skip
    (folder / "benchmark.json").write_text(json.dumps({"title": "whole"}))
    write_items(folder / "items.parquet", items)
    with server(0.02) as url:
        command = [
            TOLMAN, "run", "./whole", "--model", "openai/m", "--base-url", url, "--frames", "32",
            "--frame-store", str(place / "frames-whole"), "--store", "whole.sqlite", "--out", "whole-run",
        ]  # fmt: skip
        wall, cpu, peak, samples = measure(command, place)
    asking = samples[len(samples) // 10 : -len(samples) // 10]  # without the start and the report
    quarters = [statistics.mean(asking[i * len(asking) // 4 : (i + 1) * len(asking) // 4]) for i in range(4)]
    shown = ", ".join(f"{q:.0f}" for q in quarters)
    print(f"| 5,130 questions over 288 clips of 2 s, 32 frames each | {wall:.1f} s, {cpu:.1f} s CPU | |")
    print(f"| … memory in the four quarters of the run | {shown} MB | flat |")
    print(f"| … peak, report included | {peak:.0f} MB | |")


def store(place: Path) -> None:
    """What an answer costs in the response store, and would if each waited for the disk; and the check of a store."""
    answer = Response(id="1", response="A" * 300)
    request = "x" * 2500
    waits = {}
    for name in ("NORMAL", "FULL"):
        opened = ResponseStore(place / f"store-{name}.sqlite")
        opened._db.execute(f"PRAGMA synchronous={name}")
        start = time.perf_counter()
        for i in range(1000):
            opened.put(f"{i:064x}", "openai/m", request, answer)
        waits[name] = time.perf_counter() - start  # 1,000 answers: the seconds are milliseconds for each
        opened.close()
    filled = ResponseStore(place / "store-full.sqlite")
    filled._db.execute("BEGIN")
    for i in range(100_000):
        filled.put(f"{i:064x}", "openai/m", request, answer)
    filled._db.execute("COMMIT")
    filled.close()
    start = time.perf_counter()
    ResponseStore(place / "store-full.sqlite").close()
    opening = time.perf_counter() - start
    print(f"| an answer into the response store, on the disk within a second | {waits['NORMAL']:.2f} ms | 1 ms |")
    print(f"| … if each waited for the disk | {waits['FULL']:.2f} ms | |")
    print(f"| opening and checking a store of 100,000 answers | {opening:.2f} s | 2 s |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="|".join(PARTS), help="default: all")
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    what = options.what or PARTS
    place = Path(tempfile.mkdtemp(prefix="tolman-runs-"))
    os.environ["OPENAI_API_KEY"] = "none"
    print("| what | measured | limit |\n|---|---:|---:|")
    try:
        if "text" in what:
            text(options.pairs, place)
        if "edges" in what:
            edges(options.pairs, place)
        if "scale" in what:
            scale(place)
        if "video" in what:
            video(place)
        if "memory" in what:
            memory(place)
        if "store" in what:
            store(place)
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
