"""What curation costs: SITE's 223,083 candidates with a scripted model, and the real question sets against a server.

    python benchmarks/curation.py [scale] [real] [--data ../shared/data] [--count 223083]

`scale` makes candidates up, has them filtered by a model that reads its answers from a file, converts, stratifies and
publishes them, each as a whole process. `real` builds a benchmark of 2,000 out of VSI-Bench's 5,130 and SpatialBench's
3,193 questions, with made-up clips, against a loopback server with scripted answers; the process is killed in the
middle and started again, and the server counts what it was asked.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from runs import clip, measure

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
COMMAND = [sys.executable, "-m", "tolman", "curate", "run"]
NAMES = (
    "Counting & Existence", "Object Localization & Positioning", "Spatial Relationship Reasoning",
    "Depth & 3D Understanding", "Multi-view & Cross-Image Reasoning", "Movement Navigation & Intent Prediction",
)  # fmt: skip
SYSTEMS = "scale=vista; factor=neither; information=extrinsic; change=static"
MAPPING = """
name = "made-up"
title = "Made up"
files = ["rows.jsonl"]
[fields]
id = "id"
question = "question"
answer = "answer"
options = { column = "options", optional = true }
task = "task"
scene = "scene"
[media]
kind = "image"
from = "image"
[units]
count = "count"
"""
RECIPE = """
name = "made-up"
[[sources]]
mapping = "mapping.toml"
data = "rows.jsonl"
[duplicates]
pictures = false
[classify]
model = "scripted/script.jsonl"
media = false
[stratify]
size = 8068
by = ["category", "task"]
[stratify.caps]
scene = 3
[publish]
link_media = false
"""


def scale(count: int, place: Path) -> None:
    """Made-up candidates through all stages."""
    generator = random.Random(0)
    words = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("ark", "oor", "ellow", "indle", "oft", "ane", "ummel", "eech")]
    with (place / "rows.jsonl").open("w") as file:
        for i in range(count):
            file.write(json.dumps(_made_up(i, generator, words)) + "\n")
    (place / "mapping.toml").write_text(MAPPING)
    (place / "recipe.toml").write_text(RECIPE)
    (place / "script.jsonl").write_text("")
    start = ["recipe.toml", "--out", "pool"]
    first, cpu, peak, _ = measure([*COMMAND, *start, "--until", "duplicates"], place)
    print(f"| {count:,} made-up candidates imported and compared | {first:.0f} s, {cpu:.0f} s CPU, {peak:.0f} MB | |")
    _script(place / "pool" / "duplicates", place / "script.jsonl")
    second, more, most, _ = measure([*COMMAND, *start], place)
    done = json.loads((place / "pool" / "benchmark" / "provenance.json").read_text())
    kept = done["stages"]["classify"]["candidates"]
    drawn = done["statistics"]["questions"]
    print(f"| … filtered by a scripted model ({kept:,} kept), converted, stratified to {drawn:,}, written "
          f"| {second:.0f} s, {more:.0f} s CPU, {most:.0f} MB | |")  # fmt: skip
    print(f"| … all together | {first + second:.0f} s, {max(peak, most):.0f} MB | 600 s, 1,500 MB |")


def _made_up(i: int, generator: random.Random, words: list[str]) -> dict[str, Any]:
    a, b, c, d = generator.sample(words, 4)
    row = {"id": i, "scene": f"scene{i % 40_000}", "image": f"images/{i % 60_000}.jpg"}
    if i % 3 == 0:
        return row | {"task": "count", "question": f"How many {a}s stand beside the {b} of room {i}?",
                      "answer": str(generator.randrange(1, 12))}  # fmt: skip
    if i % 3 == 1:
        return row | {
            "task": "where",
            "question": f"Where is the {a} {b} of place {i}?",
            "answer": f"behind the {c} {d}",
        }
    return row | {"task": "relation", "question": f"In picture {i}, what is left of the {a}?", "answer": "ABCD"[i % 4],
                  "options": [f"the {word}" for word in (b, c, d, "wall")]}  # fmt: skip


def _script(pool: Path, path: Path, batch: int = 10) -> None:
    """The answers of a model to the calls that the stage will make, shard by shard."""
    from tolman.curate.candidates import read_shards

    with path.open("w") as file:
        for shard in read_shards(pool):
            kept = []
            for group in (shard[i : i + batch] for i in range(0, len(shard), batch)):
                file.write(_line("filter", group[0].id, [_verdict(one.id) for one in group]))
                kept += [one for one in group if _verdict(one.id) != "No"]
            for group in (kept[i : i + batch] for i in range(0, len(kept), batch)):
                file.write(_line("systems", group[0].id, [SYSTEMS] * len(group)))


def _verdict(identity: str) -> str:
    draw = random.Random(identity).randrange(40)
    if draw < 10:
        return "No"
    article = "an" if NAMES[draw % 6].startswith("O") else "a"
    return f"Yes. This is {article} {NAMES[draw % 6]} problem because it asks about it."


def _line(purpose: str, first: str, replies: list[str]) -> str:
    text = replies[0] if len(replies) == 1 else "\n".join(f"{i}. {reply}" for i, reply in enumerate(replies, start=1))
    return json.dumps({"id": f"{purpose}:{first}", "response": text}) + "\n"


def real(data: Path, place: Path) -> None:
    """The real question sets, killed and resumed."""
    from curator import Curator
    from loopback import serving

    videos = {"vsi": _vsi_videos(data), "spatial": _spatial_videos(data)}
    one = place / "clip.mp4"
    clip(one, 1, size=(64, 48))
    for name, paths in videos.items():
        for path in paths:
            target = place / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(one, target)
    curator = Curator()
    with serving(curator) as url:
        (place / "recipe.toml").write_text(_real_recipe(data, url))
        command = [*COMMAND, "recipe.toml", "--out", "pool", "--store", "store.sqlite"]
        environment = {**os.environ, "TOLMAN_CACHE": str(place / "cache")}
        start = time.perf_counter()
        lost = 0
        for share in (0.3, 0.7):
            before = curator.requests
            process = subprocess.Popen(command, cwd=place, env=environment, stdout=subprocess.DEVNULL)
            while curator.requests - before < share * 1500:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.wait()
            time.sleep(0.3)
            lost = curator.requests - _stored(place / "store.sqlite")
            print(f"killed at {curator.requests:,} requests; {lost} had no stored answer", file=sys.stderr)
        done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
        print(done.stdout[-1500:], done.stderr[-500:], file=sys.stderr)
        asked, different = curator.requests, len(curator.answered)
        again = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
        assert curator.requests == asked, "a finished recipe asked again"
    assert done.returncode == again.returncode == 0, done.stderr
    folder = place / "pool" / "benchmark"
    counts = json.loads((folder / "provenance.json").read_text())["statistics"]
    ran = subprocess.run(
        [sys.executable, "-m", "tolman", "run", "./pool/benchmark", "--model", "baseline/random", "--out", "run"],
        cwd=place, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    print(f"| 8,323 real questions to {counts['questions']:,}, 402 clips, killed twice | {seconds:.0f} s | |")
    print(f"| … requests, different ones, asked again as no answer was stored when killed | {asked:,}, {different:,}, "
          f"{asked - different} | |")  # fmt: skip
    print(f"| … categories | {counts['labels']['category']} | |")
    print(f"| … letters | {counts['labels']['letter']} | |")


def _real_recipe(data: Path, url: str) -> str:
    return f"""
name = "rebuilt"
title = "Rebuilt"
[[sources]]
mapping = "vsi-bench"
data = "{data / "vsi-bench"}"
media = "vsi"
trust_labels = false
[[sources]]
mapping = "spatialbench"
data = "{data / "spatialbench"}"
media = "spatial"
trust_labels = false
[duplicates]
pictures = false
[classify]
model = "openai/scripted"
base_url = "{url}"
frames = 2
[stratify]
size = 2000
by = ["category", "source", "task"]
[publish]
like = "site"
"""


def _vsi_videos(data: Path) -> set[str]:
    import polars as pl

    rows = pl.read_parquet(next((data / "vsi-bench").glob("*.parquet")))
    return {f"{a}/{b}.mp4" for a, b in rows.select("dataset", "scene_name").unique().iter_rows()}


def _spatial_videos(data: Path) -> set[str]:
    rows = json.loads((data / "spatialbench" / "QA.txt").read_text())
    return {row["sample"]["path"].removeprefix("./") for row in rows}


def _stored(path: Path) -> int:
    with sqlite3.connect(path) as db:
        return int(db.execute("SELECT COUNT(*) FROM responses").fetchone()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["scale", "real"])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--count", type=int, default=223_083)
    options = parser.parse_args()
    for part in options.parts:
        with tempfile.TemporaryDirectory() as folder:
            if part == "scale":
                scale(options.count, Path(folder))
            else:
                real(options.data.resolve(), Path(folder))


if __name__ == "__main__":
    main()
