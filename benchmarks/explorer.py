"""How fast the explorer opens, filters and searches, and how large it is: 10 runs of 20,000 items with reasonings.

    python benchmarks/explorer.py [--items 20000] [--runs 10] [--scored 2] [--out FOLDER] [--chromium /usr/bin/chromium]

Runs are written and scored by Tolman itself; their texts have a median of 600 characters, and are drawn so that gzip
makes a third of them, as it does of published models' reasonings (0.29 to 0.33). The site is opened twice: served on
the loopback interface, and from the disk (file://). Times are medians of three fresh browsers.
"""

from __future__ import annotations

import argparse
import gzip
import http.server
import itertools
import json
import os
import random
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.responses import Response, Usage, write_outcomes
from tolman.runs.rescore import score_file

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
THINGS = (
    "sofa", "lamp", "table", "chair", "window", "door", "shelf", "plant", "clock", "rug", "bed", "desk", "cabinet",
    "mirror", "armchair", "television", "bookcase", "trash can", "kettle", "piano", "stool", "curtain", "radiator",
)  # fmt: skip
PLACES = (
    "to the left of", "to the right of", "behind", "in front of", "next to", "about two steps from", "across from",
    "on the far side of", "under", "just past", "between the wall and", "at the corner beside",
)  # fmt: skip
OPENINGS = (
    "Let me think about what the frames show.", "First I look at where the camera begins.",
    "I need to find both objects.", "The video pans slowly through the room.",
    "Standing there, I imagine the view ahead.", "Looking at the sequence,",
)  # fmt: skip
LETTERS = "eeeeeetttttaaaaooooiiiinnnnsssshhhrrrddlluuccmmffwwyyppvbgk"
TASKS = ("object_counting", "object_rel_distance", "object_rel_direction", "route_planning", "appearance_order")
CUMULATED = list(itertools.accumulate(1 / (rank + 30) for rank in range(6000)))
"""Weights of invented words, by Zipf's law."""
SEARCHED = "periwinkle"
"""Stands in one reasoning of a thousand."""


def main() -> None:
    """Write, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--scored", type=int, default=2, help="runs of which the others are copies under other names")
    parser.add_argument("--out", type=Path, help="folder that is kept, and taken as it is where it holds a site")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = options.out or Path(temporary)
        site = place / "site"
        if not (site / "index.html").exists():
            began = time.perf_counter()
            folders = write_runs(place, options.items, options.runs, options.scored)
            print(f"runs written and scored in {time.perf_counter() - began:.0f} s")
            began = time.perf_counter()
            report(ReportConfig(runs=tuple(folders), out=site))
            print(f"site written in {time.perf_counter() - began:.0f} s")
        size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
        print(f"{size / 1e6:.1f} MB in {sum(1 for _ in site.rglob('*'))} files")
        with served(site) as address:
            for name, url in (("served", address), ("from disk", f"file://{site.resolve()}/index.html")):
                found = [measure(url, options.chromium) for _ in range(3)]
                print(
                    name, json.dumps({key: round(statistics.median(one[key] for one in found), 3) for key in found[0]})
                )


def write_runs(place: Path, items: int, runs: int, scored: int) -> list[Path]:
    """A benchmark without media, and runs on it. Each run is compressed by itself, so copies take what others would."""
    chance = random.Random(0)
    words = ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(len(CUMULATED))]
    asked = [question(number, chance) for number in range(items)]
    bench = place / "bench"
    bench.mkdir(parents=True, exist_ok=True)
    write_items(bench / "items.parquet", asked)
    (bench / "benchmark.json").write_text('{"name": "large", "title": "A large benchmark"}', encoding="utf-8")
    sample = "\0".join(reasoning(chance, words) for _ in range(700)).encode()
    print(f"gzip makes {len(gzip.compress(sample, 9)) / len(sample):.3f} of the texts")
    folders = []
    for number in range(min(runs, scored)):
        skill = 0.3 + 0.05 * number
        outcomes = []
        for item in asked:
            letter = item.answer if chance.random() < skill else chance.choice("ABCD")
            text = f"{reasoning(chance, words)}\nThe answer is {letter}."
            usage = Usage(input_tokens=4000 + chance.randint(0, 99), output_tokens=len(text) // 4)
            outcomes.append(Response(id=item.id, response=text, usage=usage, seconds=round(chance.random() * 9, 2)))
        path = place / f"model-{number}.jsonl"
        write_outcomes(path, outcomes)
        folder, _ = score_file(path, benchmark=str(bench), out=place / "runs" / f"model-{number}")
        folders.append(folder.path)
        path.unlink()
    for number in range(len(folders), runs):
        folders.append(place / "runs" / f"model-{number}")
        shutil.copytree(folders[number % scored], folders[-1])
        record = folders[-1] / "run.json"
        named = record.read_text(encoding="utf-8").replace(f'"model-{number % scored}"', f'"model-{number}"')
        record.write_text(named, encoding="utf-8")
    return folders


def question(number: int, chance: random.Random) -> Item:
    """A question of one of 300 rooms."""
    a, b, *others = chance.sample(THINGS, 6)
    difficulty, source = chance.choice(("easy", "medium", "hard")), chance.choice(("one", "two", "three"))
    return Item(
        id=f"{chance.getrandbits(64):016x}",
        question=f"Which of these objects is the closest to the {a} of room {number % 300}, seen from the {b}?",
        kind="choice",
        answer=chance.choice("ABCD"),
        options=tuple(others),
        task=chance.choice(TASKS),
        labels={"difficulty": difficulty, "source": source},
        scene=f"room/{number % 300}",
        media=(Media(kind="video", path=f"videos/{number % 300}.mp4"),),
    )


def reasoning(chance: random.Random, words: list[str]) -> str:
    """A text of about 600 characters."""
    length = chance.lognormvariate(6.31, 0.45)
    parts = [chance.choice(OPENINGS)]
    while sum(map(len, parts)) < length:
        parts.append(sentence(chance, words))
    if chance.random() < 0.001:
        parts.append(f" There is a {SEARCHED} vase.")
    return "".join(parts)


def sentence(chance: random.Random, words: list[str]) -> str:
    """A sentence with a blank before it."""
    a, b = chance.sample(THINGS, 2)
    word, other = chance.choices(words, k=2)
    some = " ".join(chance.choices(words, cum_weights=CUMULATED, k=chance.choice((9, 14, 16))))
    kinds = (
        f" The {a} is {chance.choice(PLACES)} the {b}, roughly {chance.randint(1, 60) / 10} m away.",
        f" In frame {chance.randint(1, 32)} I see the {word} {a} {chance.choice(PLACES)} the {b}.",
        f" That {word} suggests {other} {b} and not the {a}.",
        f" So turning {chance.choice(('left', 'right', 'back'))} by {chance.randint(5, 175)}° I face the {a}.",
        f" However, {some} between {a} and {b}.",
        f" {some.capitalize()} the {a}.",
        f" {some.capitalize()}.",
    )
    return chance.choice(kinds)


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The site on the loopback interface."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/index.html"
    finally:
        server.shutdown()


def processor_seconds() -> float:
    """Of the browser's processes, which descend from this one; 0 where there is no /proc."""
    parents, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)], spent[int(path.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    own = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in own} - own:
        own |= more
    return sum(spent[child] for child in own - {os.getpid()}) / os.sysconf("SC_CLK_TCK")


def measure(url: str, chromium: str) -> dict[str, float]:
    """Seconds in a fresh browser until the leaderboard and the list stand there, a filter and a search are done, and an
    item is shown; megabytes of the heap after."""
    from playwright.sync_api import sync_playwright

    found: dict[str, float] = {}
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})

        def timed(name: str, act: str, until: str) -> None:
            found[name] = page.evaluate(
                "([act, until]) => new Promise((done) => { const began = performance.now(); new Function(act)();"
                " const test = new Function(`return ${until}`);"
                " const look = () => (test() ? requestAnimationFrame(() => done((performance.now() - began) / 1000))"
                " : setTimeout(look, 5)); look(); })",
                [act, until],
            )

        began = time.perf_counter()
        page.goto(url)
        page.wait_for_selector(".ranking li")
        found["open leaderboard"] = time.perf_counter() - began
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(f"{url}#/items")
        page.wait_for_selector(".row")
        found["open list"] = time.perf_counter() - began
        is_ready = "document.body.dataset.ready === location.hash"
        timed("filter by two models", "location.hash = '#/items?a=0&as=wrong&b=9&bs=right'", is_ready)
        timed("filter by label, sorted", "location.hash = '#/items?label.difficulty=hard&sort=hard'", is_ready)
        before = processor_seconds()
        timed("search, first", f"location.hash = '#/items?q={SEARCHED}'", is_ready)
        found["its processor time"] = processor_seconds() - before
        found["found"] = page.evaluate("Number(document.querySelector('.status').textContent.split(' of ')[0])")
        timed("search, again", "location.hash = '#/items?q=roughly 3.3 m'", is_ready)
        timed("search, in most texts", "location.hash = '#/items?q=the'", is_ready)
        page.goto(f"{url}#/items")
        page.wait_for_selector(".row")
        identity = page.evaluate("document.querySelector('.row a').hash")
        timed("open item", f"location.hash = '{identity}'", "document.querySelector('.answer pre')")
        found["heap MB"] = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
        browser.close()
    return found


if __name__ == "__main__":
    main()
