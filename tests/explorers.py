"""Sites of runs for tests: generated questions whose models saw frames, and questions whose texts are hostile."""

import base64
import gzip
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tolman
from loopback import Server, serving
from reviewing import make_benchmark
from three_rooms import ROOMS
from tolman.responses import Response, Turn, Usage, write_outcomes
from tolman.runs.rescore import score_file

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
HOSTILE = (
    "</script><img src=http://evil.example/x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
)
REASONED = "The chairs stand by the wall. I count them twice, and both times there are 3. So: 3"
DRAWN = '{"table": [(2, 3)], "cup": [(4, 4)], "clock": [(1, 9)], "monitor": [(8, 8)]}'


def unpacked(site: Path, key: str) -> str:
    """The content of one of a site's scripts."""
    text = (site / "data" / f"{key}.js").read_text(encoding="ascii")
    head, tail = f'tolman.add("{key}","', '");\n'
    assert text.startswith(head)
    assert text.endswith(tail)
    return gzip.decompress(base64.b64decode(text[len(head) : -len(tail)])).decode()


def value(site: Path, key: str) -> Any:
    """The JSON value of one of a site's scripts."""
    return json.loads(unpacked(site, key))


def answers_of(site: Path, key: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The heads of a shard of answers, and its texts."""
    head, _, texts = unpacked(site, key).partition("\x01")
    told = json.loads(head)
    found = [
        {name: values[i] for name, values in told["columns"].items() if values[i] is not None}
        for i in range(told["items"])
    ]
    return found, texts.split("\x00")


def small_runs(place: Path) -> list[Path]:
    """Two runs on six questions with real media: one right throughout, one hostile, wrong, cut off and failing."""
    bench = make_benchmark(place / "small")
    good = {"count": REASONED, "size": "74.5", "order": "B", "which": "A", "pair": "C", "script": "A"}
    outcomes = [
        Response(
            id=identity, response=text, usage=Usage(input_tokens=900, output_tokens=40, media_tokens=800), seconds=1.25,
            reasoning="I looked at every frame. " * 4 if identity == "which" else None, finish_reason="stop",
            turns=(Turn(purpose="reasoning", prompt="Think.", response="A thought."), Turn(purpose="answer", prompt="Now?", response="B"))
            if identity == "order" else (),
        )
        for identity, text in good.items()
    ]  # fmt: skip
    write_outcomes(place / "good.jsonl", outcomes)
    bad = {"count": "7", "size": HOSTILE, "order": "C", "which": "It might be", "pair": f"C {HOSTILE}"}
    lines = [{"id": identity, "response": text} for identity, text in bad.items()]
    lines[3]["finish_reason"] = "length"
    lines.append({"id": "script", "failure": {"kind": "timeout", "message": HOSTILE}})
    (place / "bad.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return [
        score_file(place / f"{name}.jsonl", benchmark=str(bench), name=name, out=place / "runs" / name)[0].path
        for name in ("good", "bad")
    ]


def generated_runs(place: Path) -> list[Path]:
    """Questions about two rooms, and three runs: one that drew maps from frames, a blind one, an oracle."""

    def reply(body: dict[str, Any]) -> str:
        said = json.dumps(body["messages"][-1])
        return DRAWN if "cognitive" in said or ("grid" in said and "STRICTLY" in said) else "Turning left, I see it. A"

    bench = place / "bench"
    tolman.generate(ROOMS, bench, preset="vsi-paper", per_task=3)
    tasks = ("object_rel_direction_hard", "object_rel_distance", "object_abs_distance", "route_planning")
    common: dict[str, Any] = {"tasks": (*tasks, "obj_appearance_order"), "frame_store": place / "frames"}
    with serving(Server(reply=reply)) as url:
        endpoint = {"base_url": url, "store": place / "store.sqlite", **common}
        seer = tolman.evaluate(
            bench, "openai/seer", protocol="cognitive-map", frames=4, out=place / "runs" / "seer", **endpoint
        )
        blind = tolman.evaluate(bench, "openai/seer", protocol="blind", out=place / "runs" / "blind", **endpoint)
    oracle = tolman.evaluate(bench, "baseline/oracle", scenes=ROOMS, out=place / "runs" / "oracle", **common)
    return [seer.path, blind.path, oracle.path]


@contextmanager
def browsing() -> Iterator[Any]:
    """Headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()
