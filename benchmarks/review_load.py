"""Simulated reviewers on a server that is killed in the middle; every answer is checked afterwards.

    python benchmarks/review_load.py --people 200 --kill --postgres --workers 2 --within 250
    python benchmarks/review_load.py --people 200 --sign-ins --most 400

Each reviewer takes a question, loads its page and a range of its video, answers, compares, decides, and thinks in
between for `--think` seconds on average; forms lead to pages by redirects, as in a browser. A request without an answer
(the server is gone) is sent again until there is one, as the page does. At the end, what the server acknowledged is
held against the database: nothing may be lost, nothing doubled, no question may have more reviewers than it wants.
Exits with 1 otherwise, and where the median page took longer than `--within` milliseconds.

A page's time is that of one action of a person, from the click until the page that follows is there. The server's own
log tells that of single requests. As this program and the server share the machine, it tells whose processor time went
where, and how much a page took, which neighbours hardly change; that is counted until the kill. All server processes
are killed at once (SIGKILL). `--postgres` brings a PostgreSQL server of its own that syncs to the disk.

`--sign-ins` has all people sign in by their passwords at the same moment, in place of working, and tells the peak
memory of all server processes together (VmHWM); `--most` is what it may be, in MiB.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from processor_time import machine_seconds, tree_seconds
from reviewers import CSRF, Reviewer
from sqlalchemy import select

from tolman.item_table import write_items
from tolman.items import Item, Media
from tolman.review import accounts, projects
from tolman.review.accounts import protection
from tolman.review.server_settings import ReviewSettings
from tolman.review.site import Site, open_site
from tolman.review.store import Assignment, Submission, Task, User

PEOPLE_FOR_EACH = 2
PASSWORD = "a password of the load"
WALK = Path(__file__).resolve().parents[1] / "tests" / "rooms" / "videos" / "6-0000.mp4"


def make(folder: Path, questions: int) -> Path:
    """A benchmark of many questions about one video."""
    (folder / "videos").mkdir(parents=True)
    shutil.copyfile(WALK, folder / "videos" / "walk.mp4")
    video = Media(kind="video", path="videos/walk.mp4")
    write_items(
        folder / "items.parquet",
        [
            Item(
                id=f"q{number:05}", question=f"Question {number}?", kind="choice", answer="ABCD"[number % 4], task="t",
                options=("one", "two", "three", "four"), media=(video,), scene=f"s/{number % 50}",
            )
            for number in range(questions)
        ],
    )  # fmt: skip
    (folder / "benchmark.json").write_text('{"name": "load", "title": "Load"}', encoding="utf-8")
    return folder


def start(arguments: list[str]) -> subprocess.Popen[str]:
    """The server, listening, in a group of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tolman", "review", *arguments], stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    while "/enter/" not in process.stdout.readline():
        assert process.poll() is None, "the server didn't start"
    return process


def kill(server: subprocess.Popen[str]) -> None:
    """Kill all processes of a server at once."""
    if server.poll() is None:
        os.killpg(server.pid, signal.SIGKILL)
    server.wait()


def memory(server: subprocess.Popen[str]) -> float:
    """Peak memory of a server's processes together, in MiB, as the kernel counts it."""
    total = 0.0
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(place.name)) == server.pid:
                total += int(re.search(r"VmHWM:\s+(\d+) kB", (place / "status").read_text()).group(1)) / 1024
        except (OSError, AttributeError):
            continue  # it has gone, or is a thread of the kernel's
    return total


async def sign_in(base: str, name: str, number: int) -> tuple[int, float]:
    """Sign somebody in by their password, from an address of their own; the status, and how long it took."""
    headers = {"X-Forwarded-For": f"198.51.{number // 250}.{number % 250}"}
    jar = aiohttp.CookieJar(unsafe=True)  # of an address that is no name
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(600), headers=headers, cookie_jar=jar) as http:
        async with http.get(f"{base}/signin") as page:
            csrf = CSRF.search(await page.text()).group(1)
        began = time.perf_counter()
        data = {"csrf": csrf, "name": name, "password": PASSWORD}
        async with http.post(f"{base}/signin", data=data, allow_redirects=False) as got:
            return got.status, time.perf_counter() - began


async def sign_all_in(names: list[str], base: str, arguments: list[str]) -> dict[str, float]:
    """All people sign in at once."""
    server = await asyncio.to_thread(start, arguments)
    try:
        told = await asyncio.gather(*(sign_in(base, name, number) for number, name in enumerate(names)))
        peak = memory(server)
    finally:
        kill(server)
    return {
        "signed in": sum(status == 303 for status, _ in told),
        "median sign-in, s": round(statistics.median(seconds for _, seconds in told), 2),
        "peak memory, MiB": round(peak),
    }


def served_pages(log: Path) -> list[float]:
    """Milliseconds that the server's own log has of its pages, media left out."""
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    return sorted(row["ms"] for row in rows if row["status"] < 400 and not row["route"].startswith("/media"))


@dataclass
class Spent:
    """Seconds of processor time while people work, until the server is killed or the time is up.

    Attributes:
        wall: seconds that passed.
        server, database, load, machine: of the server's processes, PostgreSQL's, this program's, and of everything on
            the machine. PostgreSQL's is 0 where it isn't a server of this program's own.
        pages: that people were shown in this time.
        back: seconds from the kill until a page was answered again; None without one.
    """

    wall: float = 0.0
    server: float = 0.0
    database: float = 0.0
    load: float = 0.0
    machine: float = 0.0
    pages: int = 0
    back: float | None = None

    def add(self, server: int, database: int | None, pages: int, sign: int) -> None:
        """Take the counters' differences: once with -1 at the begin, once with 1 at the end."""
        self.wall += sign * time.monotonic()
        self.server += sign * tree_seconds(server)
        self.database += sign * (tree_seconds(database) if database is not None else 0.0)
        self.load += sign * time.process_time()
        self.machine += sign * machine_seconds()
        self.pages += sign * pages

    def told(self) -> dict[str, float]:
        """Shares of the machine's processors, and milliseconds for each page."""
        whole = self.wall * (os.cpu_count() or 1)
        others = self.machine - self.server - self.database - self.load
        parts = {"server": self.server, "PostgreSQL": self.database, "this program": self.load, "others": others}
        shares = {f"processors' time: {name}, %": round(100 * part / whole, 1) for name, part in parts.items()}
        pages = max(self.pages, 1)
        return shares | {
            "server's processor time a page, ms": round(1000 * self.server / pages, 2),
            "PostgreSQL's processor time a page, ms": round(1000 * self.database / pages, 2),
            "this program's processor time a page, ms": round(1000 * self.load / pages, 2),
        }


async def drive(
    reviewers: list[Reviewer], arguments: list[str], kill_after: float | None, database: int | None
) -> Spent:
    """Let all work; kill the server once, and start it again."""
    server, spent = await asyncio.to_thread(start, arguments), Spent()
    await asyncio.to_thread(settle, server)
    try:
        begun = time.monotonic()
        for reviewer in reviewers:
            reviewer.until += begun
        spent.add(server.pid, database, 0, -1)
        tasks = [asyncio.create_task(reviewer.work()) for reviewer in reviewers]
        if kill_after is not None:
            await asyncio.sleep(kill_after)
            spent.add(server.pid, database, sum(reviewer.pages for reviewer in reviewers), 1)
            kill(server)
            gone = time.monotonic()
            server = await asyncio.to_thread(start, arguments)
            async with aiohttp.ClientSession() as http, http.get(f"{reviewers[0].base}/readyz") as got:
                assert got.status == 200
            spent.back = time.monotonic() - gone
        await asyncio.gather(*tasks)
        if kill_after is None:
            spent.add(server.pid, database, sum(reviewer.pages for reviewer in reviewers), 1)
    finally:
        kill(server)
    return spent


def settle(server: subprocess.Popen[str]) -> None:
    """Wait until all processes of a server have started: until they rest."""
    before = 0.0
    for _ in range(60):
        now = tree_seconds(server.pid)
        if now - before < 0.02:
            return
        before = now
        time.sleep(0.5)


def check(site: Site, reviewers: list[Reviewer]) -> dict[str, int]:
    """What was acknowledged against what is kept."""
    with site.database.read() as db:
        rows = db.execute(
            select(User.name, Submission.assignment_id, Submission.step, Submission.content).join(
                User, User.id == Submission.user_id
            )
        ).all()
        kept = {
            (name, number, step): content.get("answer", content.get("verdict")) for name, number, step, content in rows
        }
        told = {(r.name, number, step): value for r in reviewers for number, step, value in r.acknowledged}
        slots = db.execute(
            select(Task.id, Task.wanted, Assignment.user_id)
            .join(Assignment, Assignment.task_id == Task.id)
            .where(Task.stage == "review")
        ).all()
    people = Counter(task for task, _, _ in slots)
    wanted = {task: most for task, most, _ in slots}
    return {
        "acknowledged": len(told),
        "kept": len(rows),
        "lost": len(told.keys() - kept.keys()),
        "changed": sum(kept[key] != value for key, value in told.items() if key in kept),
        "doubled": len(rows) - len(kept),
        "over-assigned": sum(count > (wanted[task] or 0) for task, count in people.items()),
    }


def main() -> int:
    """Run, print, and say whether all is well."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--think", type=float, default=2.0, help="mean seconds between two actions of a person")
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--kill", action="store_true", help="kill -9 in the middle, and start again")
    parser.add_argument("--database", help="PostgreSQL's URL, of an empty database")
    parser.add_argument("--postgres", action="store_true", help="a PostgreSQL server of its own")
    parser.add_argument("--workers", type=int, default=1, help="server processes")
    parser.add_argument("--within", type=float, help="milliseconds that the median page may take")
    parser.add_argument("--sign-ins", action="store_true", help="sign in all at once, in place of working")
    parser.add_argument("--most", type=float, help="MiB that the sign-ins may take")
    options = parser.parse_args()
    if not options.postgres:
        return measure(options, None)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from postgres import Postgres

    database = Postgres(sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1], safe=True)
    try:
        options.database = database.create()
        return measure(options, int((database.folder / "data" / "postmaster.pid").read_text().split()[0]))
    finally:
        database.stop()


def measure(options: argparse.Namespace, database: int | None) -> int:
    """Run once, on a PostgreSQL server of this process number where it is one of this program's own."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="tolman-load-") as place:
        bench, store = make(Path(place) / "bench", options.questions), Path(place) / "store"
        site = open_site(ReviewSettings(benchmark=str(bench), store=store, database=options.database))
        names = [f"reviewer {number}" for number in range(options.people)]
        with site.database.write() as db:
            projects.start_project(db, site, "Load", "review", {"people": PEOPLE_FOR_EACH})
            stored = protection.hash_now(PASSWORD)
            users = [User(name=name, role="reviewer", password=stored, created=0.0) for name in names]
            db.add_all(users)
            db.flush()
            cookies = [accounts.sign_in(db, site.settings, user, None) for user in users]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        log = Path(place) / "log.jsonl"
        arguments = [str(bench), "--store", str(store), "--port", str(port), "--log", str(log)]
        arguments += ["--workers", str(options.workers)]
        arguments += ["--database", options.database] if options.database else []
        base = f"http://127.0.0.1:{port}"
        if options.sign_ins:
            arguments += ["--proxy", "127.0.0.1"]
            told = asyncio.run(sign_all_in(names, base, arguments)) | {"load before": round(load, 1)}
            site.database.close()
            print(json.dumps(told, indent=1))
            too_much = options.most is not None and told["peak memory, MiB"] > options.most
            return int(too_much or told["signed in"] != options.people)
        reviewers = [
            Reviewer(name, cookie, base, options.think, options.seconds, seed)
            for seed, (name, cookie) in enumerate(zip(names, cookies, strict=True))
        ]
        spent = asyncio.run(drive(reviewers, arguments, options.seconds / 2 if options.kill else None, database))
        found = check(site, reviewers)
        site.database.close()
        served = served_pages(log)
    pages = sorted(seconds for reviewer in reviewers for kind, seconds in reviewer.times if kind != "video")
    told = found | {
        "people": options.people,
        "store": "PostgreSQL" if options.database else "SQLite",
        "workers": options.workers,
        "seconds": options.seconds,
        "pages": len(pages),
        "requests a second": round(sum(reviewer.requests for reviewer in reviewers) / options.seconds, 1),
        "median page, ms": round(1000 * statistics.median(pages), 1),
        "95 % of pages within, ms": round(1000 * pages[int(0.95 * len(pages))], 1),
        "median request in the server's log, ms": round(statistics.median(served), 1),
        "95 % in the server's log within, ms": round(served[int(0.95 * len(served))], 1),
        "back after the kill, s": None if spent.back is None else round(spent.back, 1),
        "sent again": sum(reviewer.resent for reviewer in reviewers),
        **spent.told(),
        "load before and after": [round(load, 1), round(os.getloadavg()[0], 1)],
    }
    print(json.dumps(told, indent=1))
    return int(
        any(found[name] for name in ("lost", "changed", "doubled", "over-assigned"))
        or not found["acknowledged"]
        or (options.within is not None and told["median page, ms"] > options.within)
    )


if __name__ == "__main__":
    sys.exit(main())
