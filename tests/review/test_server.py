"""The command that serves: its link, Ctrl-C, and a server that is killed in the middle of saving.

The server as a service: names, prefix, TLS, sessions, passwords, limits, logs, health, several processes.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import create_engine, select
from sqlalchemy.orm import sessionmaker

from reviewing import PASSWORD, TRUTHS, Client, Serve, Served, answer_all, items, serving, settings_of
from tolman.review import accounts, projects
from tolman.review.accounts import AccountError, check_new, protection
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


BASE = "https://lab.example.org/tolman"


@pytest.fixture
def prefixed(benchmark: Path, serve: Serve) -> Served:
    """A server that people reach under a path of another name."""
    return serve(benchmark, base_url=BASE)


@pytest.mark.full
def test_addresses_have_the_prefix_that_people_come_by(prefixed: Any) -> None:
    owner = prefixed.person("owner", "O")
    for asked in ("/people", "/tolman/people"):  # proxies may take the prefix away or leave it
        page = owner.get(asked).text
        found = re.findall(r'\s(?:href|src|action)="(/[^"]*)"', page)
        assert len(found) > 8
        assert all(address.startswith("/tolman/") for address in found), found
    project = prefixed.project("answer")
    sam = prefixed.person("subject", "Sam")
    taken = sam.get(f"/tolman/projects/{project}/work", follow=False)
    assert taken.headers["location"].startswith("/tolman/answer/")
    page = sam.get(taken.headers["location"])
    medium = re.search(r'src="(/tolman/media/[^"#]+)', page.text).group(1)
    assert sam.get(medium).status_code == 200
    assert sam.get("/tolmanx/people").status_code == 404
    assert sam.get("//evil.example/", follow=False).headers.get("location", "/").startswith("/")


def test_over_tls_the_cookie_and_the_headers_are_strict(benchmark: Path, tmp_path: Path, prefixed: Any) -> None:
    answer = prefixed.visitor().get("/signin")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Secure-tolman=")
    assert {"Path=/tolman", "HttpOnly", "Secure", "SameSite=lax"} <= set(cookie.split("; "))
    assert answer.headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
    settings, _ = settings_of(benchmark, tmp_path / "other", None, base_url="https://lab.example.org")
    assert settings.cookie == "__Host-tolman"


def test_only_names_of_the_server_are_answered(prefixed: Any) -> None:
    guest = prefixed.visitor()
    for host, status in (
        ("lab.example.org", 200),
        ("localhost:9", 200),
        ("evil.example", 421),
        ("", 421),
        ("a b", 421),
    ):
        answer = guest.http.get("/signin", headers={"host": host})
        assert answer.status_code == status, host
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.full
def test_methods_that_no_route_names_are_refused(prefixed: Any) -> None:
    for method in ("TRACE", "PUT", "DELETE", "PATCH"):
        assert prefixed.visitor().http.request(method, "/signin").status_code == 405


def test_passwords_that_others_guess_are_refused() -> None:
    refused = ("password123", "Password123!", "1234567890", "qwertyuiop", "aaaaaaaaaaaa", "ababababab",
               "basketball", "Jane Smith 1", "jane_smith99", "tolman2026!!", "monkeymonkey")  # fmt: skip
    for password in refused:
        with pytest.raises(AccountError, match="Take another"):
            check_new(password, password, "jane_smith" if "_" in password else "Jane Smith")
    for password in (PASSWORD, "nine of swords", "Ünïcode wörds", " spaces at the ends ", "x9" + "k4-" * 60):
        check_new(password, password, "Jane Smith")
    with pytest.raises(AccountError, match="10 characters"):
        check_new("short", "short")


@pytest.mark.full
def test_a_session_ends_when_nothing_comes_and_in_any_case(benchmark: Path, serve: Serve) -> None:
    served = serve(benchmark, idle_hours=1.0, session_hours=5.0, invitation_hours=1.0)
    idle, busy = served.person("subject", "Idle"), served.person("subject", "Busy")
    for _ in range(5):
        served.clock.ahead += 3000  # 50 minutes at a time
        assert busy.get("/").url.path == "/"
    assert idle.get("/").url.path == "/signin"
    served.clock.ahead += 3001  # a little over five hours
    assert busy.get("/").url.path == "/signin"


def test_all_processes_count_failed_attempts_together(benchmark: Path, tmp_path: Path, database: str | None) -> None:
    settings, _ = settings_of(benchmark, tmp_path / "store", database)
    sites = [open_site(settings), open_site(settings)]
    told = [sites[number % 2].attempt("Sam", "192.0.2.1") for number in range(7)]
    assert [attempt is not None for attempt in told] == [True] * 5 + [False] * 2
    sites[1].attempts.succeeded(told[0])
    assert sites[0].attempt("Sam", "192.0.2.1") is not None
    for site in sites:
        site.database.close()


@pytest.mark.full
def test_the_owner_reads_who_signed_in_failed_and_left(benchmark: Path, serve: Serve) -> None:
    served = serve(benchmark)
    served.account("subject", "Sam")
    sam, owner = served.visitor(), served.person("owner", "O")
    sam.get("/signin")
    sam.post("/signin", name="Sam", password="not the password")
    sam.post("/signin", name="my secret by mistake", password="x")
    sam.post("/signin", name="Sam", password=PASSWORD)
    old = sam.http.cookies.get("tolman")
    left = sam.post("/signout", follow=False)
    assert left.headers["clear-site-data"] == '"cache", "storage"'
    again = served.visitor()
    again.http.cookies.set("tolman", old)
    assert again.get("/").url.path == "/signin"  # what was left is closed
    answer = owner.get("/audit/events.jsonl")
    assert answer.headers["content-disposition"] == 'attachment; filename="audit.jsonl"'
    told = [json.loads(line) for line in answer.text.splitlines()]
    assert [(row["what"], row["who"]) for row in told] == [
        ("sign-in failed", "Sam"), ("sign-in failed", None), ("signed in", "Sam"), ("signed out", "Sam"),
    ]  # fmt: skip
    assert told[0]["more"] == {"network": "127.0.0.1"}
    assert "secret by mistake" not in answer.text
    assert "sign-in failed" in owner.get("/audit").text


@pytest.mark.full
def test_the_log_holds_no_answer_and_no_secret(benchmark: Path, tmp_path: Path, serve: Serve) -> None:
    log = tmp_path / "log.jsonl"
    served = serve(benchmark, log=log)
    project = served.project("answer")
    sam = served.person("subject", "Sam")
    answer_all(sam, project, TRUTHS | {"size": "987654.5"})
    assert sam.get("/people").status_code == 403
    sam.get("/invitation/a-secret-token?next=%0aforged")
    sam.post("/signin", name="Sam", password="a secret password")
    secrets = ["987654", "secret", "forged", sam.csrf, sam.http.cookies.get("tolman"), "Sam"]
    text = log.read_text()
    assert not [secret for secret in secrets if secret in text]
    rows = [json.loads(line) for line in text.splitlines()]
    refused = next(row for row in rows if row["status"] == 403)
    assert refused["route"] == "/people"
    assert isinstance(refused["person"], int)
    assert {"/answer/{assignment}", "/invitation/{token}"} <= {row["route"] for row in rows}
    assert all(row["time"].endswith("+00:00") and row["ms"] >= 0 for row in rows)


@pytest.mark.full
def test_health_tells_whether_the_database_answers(served_sqlite: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = served_sqlite.visitor()
    assert (guest.http.get("/healthz").text, guest.http.get("/readyz").text) == ("ok\n", "ready\n")
    assert "set-cookie" not in guest.http.get("/healthz").headers
    gone = create_engine("sqlite:////nowhere/at/all.sqlite")
    monkeypatch.setattr(served_sqlite.site.database, "_reading", sessionmaker(gone))
    assert guest.http.get("/readyz").status_code == 503
    assert guest.http.get("/healthz").status_code == 200


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tolman", "review", *arguments]


def _falls_silent(base: str) -> bool:
    """Nobody outlives the parent, and takes its port."""
    for _ in range(20):
        try:
            httpx.get(f"{base}/healthz", verify=False)
        except httpx.TransportError:
            return True
        time.sleep(0.5)
    return False


@pytest.mark.full
@pytest.mark.parametrize("store", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def test_several_processes_serve_and_one_that_dies_is_started_again(
    benchmark: Path, tmp_path: Path, store: str, request: pytest.FixtureRequest
) -> None:
    arguments = [str(benchmark), "--store", str(tmp_path / "s"), "--port", "0", "--workers", "2"]
    if store == "postgresql":
        arguments += ["--database", request.getfixturevalue("postgres").create()]
    server = subprocess.Popen(_command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        link = re.search(r"http://\S+", "".join(server.stdout.readline() for _ in range(4))).group()
        base = link.split("/enter/")[0]
        owner = Client(httpx.Client(base_url=base, verify=False, timeout=60))
        owner.get(link.removeprefix(base))
        assert "Start a project" in owner.post(link.removeprefix(base)).text
        children = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, text=True).stdout.split()
        serving = [int(child) for child in children if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]
        assert len(serving) == 2
        subprocess.run(["kill", "-9", str(serving[0])], check=True)
        for _ in range(20):
            with suppress(httpx.TransportError):  # what the dead one had begun
                assert owner.get("/").url.path == "/"
        owner.http.close()
        server.send_signal(signal.SIGTERM)
        assert server.wait(120) in (0, 128 + signal.SIGTERM, -signal.SIGTERM)
        assert _falls_silent(base)
    finally:
        if server.poll() is None:
            server.kill()
        server.communicate()
