"""The command that serves: its link, Ctrl-C, and a server that is killed in the middle of saving."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from reviewing import PASSWORD, Client, items, serving, settings_of
from tolman.review import accounts, projects
from tolman.review.accounts import protection
from tolman.review.media import absent
from tolman.review.server import serve
from tolman.review.site import open_site
from tolman.review.store import Project, Submission, Task, User
from tolman.review.tasks import current_items


@contextmanager
def command(benchmark: Path, store: Path, database: str | None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`tolman review` as a user starts it; the process and the owner's link."""
    arguments = [sys.executable, "-m", "tolman", "review", str(benchmark), "--store", str(store), "--port", "0"]
    arguments += ["--database", database] if database else []
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        told = "".join(process.stdout.readline() for _ in range(4))
        yield process, re.search(r"http://\S+", told).group()
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_the_command_prints_a_link_and_stops_cleanly(benchmark: Path, tmp_path: Path) -> None:
    with command(benchmark, tmp_path / "store", None) as (process, link):
        base = link.split("/enter/")[0]
        owner = Client(httpx.Client(base_url=base, verify=False))
        owner.get(link.removeprefix(base))
        assert "Start a project" in owner.post(link.removeprefix(base)).text
        owner.http.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(120) in (0, 130)
        told = process.stderr.read()
        assert "Traceback" not in told
        assert f"Stopped. The same command goes on; answers are in {tmp_path / 'store'}." in told


def test_media_that_are_not_there_are_told_before_anybody_comes(benchmark: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(benchmark, tmp_path / "bench"))
    videos = sorted(folder.rglob("*.mp4"))
    videos[0].unlink()
    site = open_site(settings_of(folder, tmp_path / "store", None)[0])
    with closing(site.database):
        media = {medium.path for item in site.loaded.items for medium in item.media}
        assert absent(site, site.loaded.items) == ([videos[0].relative_to(folder).as_posix()], len(media))
        told: list[str] = []
        with pytest.raises(InterruptedError):
            serve(site.settings, "127.0.0.1", 0, lambda link, joins, said: told.extend(said) or stop())
    assert f"1 of {len(media)} media files is not there" in told[0]


def stop() -> None:
    """In place of a server that runs."""
    raise InterruptedError


@pytest.mark.full
def test_a_server_killed_in_mid_save_has_every_answer_that_it_acknowledged(
    benchmark: Path, tmp_path: Path, database: str | None
) -> None:
    people = [f"subject {number}" for number in range(6)]
    settings, clock = settings_of(benchmark, tmp_path / "store", database)
    site = open_site(settings)
    hashed = protection.hash_now(PASSWORD)
    with site.database.write() as db:
        projects.start_project(db, site, "Work", "answer", {})
        for name in people:
            db.add(User(name=name, role="subject", password=hashed, created=0.0))
        db.flush()
        users = db.scalars(select(User).where(User.role == "subject").order_by(User.id))
        cookies = [accounts.sign_in(db, settings, user, None) for user in users]
    acknowledged: set[tuple[str, str]] = set()
    several = threading.Event()

    def work(base: str, name: str, cookie: str) -> None:
        client = Client(httpx.Client(base_url=base, verify=False, timeout=10, cookies={"tolman": cookie}))
        try:
            while (page := client.get("/projects/1/work")).url.path.startswith("/answer/"):
                value = "2" if "inputmode" in page.text else "A"
                answer = client.post(page.url.path, answer=value, seconds=1, follow=False)
                if answer.status_code == 303:
                    acknowledged.add((name, page.url.path))
                if len(acknowledged) >= 8:
                    several.set()
        except httpx.HTTPError:
            return
        finally:
            client.http.close()

    def all_at_once(base: str) -> list[threading.Thread]:
        threads = [threading.Thread(target=work, args=(base, n, c)) for n, c in zip(people, cookies, strict=True)]
        for thread in threads:
            thread.start()
        return threads

    with command(benchmark, tmp_path / "store", database) as (process, link):
        threads = all_at_once(link.split("/enter/")[0])
        assert several.wait(60)
        process.kill()
        for thread in threads:
            thread.join(120)
    before = set(acknowledged)
    with serving(settings, clock) as again:
        for thread in all_at_once(again.url):
            thread.join(60)
    with site.database.read() as db:
        found = db.execute(
            select(User.name, Submission.assignment_id, Task.key)
            .join(User, User.id == Submission.user_id)
            .join(Task, Task.id == Submission.task_id)
        ).all()
        assert len(current_items(db, db.get_one(Project, 1))) == len(items())
    site.database.close()
    kept = {(name, f"/answer/{assignment}") for name, assignment, _ in found}
    assert before <= kept
    assert acknowledged <= kept
    assert sorted((name, key) for name, _, key in found) == sorted((n, i.id) for n in people for i in items())


def test_the_database_refuses_to_change_what_was_submitted(
    benchmark: Path, tmp_path: Path, database: str | None
) -> None:
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    settings, _ = settings_of(benchmark, tmp_path / "store", database)
    site = open_site(settings)
    with site.database.write() as db:
        projects.start_project(db, site, "Work", "answer", {})
    for statement in ("UPDATE history SET what = 'nothing'", "DELETE FROM history"):
        with pytest.raises(DBAPIError, match="only ever added"), site.database.write() as db:
            db.execute(text(statement))
    site.database.close()


@pytest.mark.full
def test_a_short_load_with_a_kill_loses_and_doubles_nothing() -> None:
    script = Path(__file__).resolve().parents[2] / "benchmarks" / "review_load.py"
    short = ["--people", "8", "--seconds", "5", "--think", "0.5", "--questions", "60", "--kill"]
    done = subprocess.run([sys.executable, str(script), *short], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["acknowledged"] > 10
    assert told["lost"] == told["doubled"] == told["changed"] == told["over-assigned"] == 0
    assert (told["people"], told["store"], told["workers"]) == (8, "SQLite", 1)
    assert 0 < told["pages"] < 1000
    assert 0 < told["median page, ms"] <= told["95 % of pages within, ms"]
    assert told["back after the kill, s"] > 0
    assert 0 < told["processors' time: this program, %"] < told["processors' time: server, %"] < 100
    assert told["server's processor time a page, ms"] > 0


GUESSES = 16


@pytest.mark.full
def test_a_flood_of_guesses_takes_little_memory(benchmark: Path, tmp_path: Path) -> None:
    """The peak is the kernel's count of the server's own pages (VmHWM in /proc/PID/status), from its start on."""
    with command(benchmark, tmp_path / "store", None) as (process, link):
        base = link.split("/enter/")[0]
        with httpx.Client(base_url=base, verify=False, timeout=60) as http:
            token = re.search(r'name="csrf" value="([0-9a-f]+)"', http.get("/signin").text).group(1)
            cookies = dict(http.cookies)

        def guess(number: int) -> int:
            data = {"csrf": token, "name": f"somebody {number % 8}", "password": f"guess number {number}"}
            return httpx.post(f"{base}/signin", data=data, cookies=cookies, verify=False, timeout=60).status_code

        with ThreadPoolExecutor(GUESSES) as pool:
            told = list(pool.map(guess, range(GUESSES)))
        status = Path(f"/proc/{process.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) / 1024
    assert set(told) == {401}  # two of each name: all are looked at
    assert peak < 300, f"{peak:.0f} MiB"
