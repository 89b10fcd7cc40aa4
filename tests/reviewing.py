"""A review server for tests: a small benchmark with real media, real HTTP on loopback, people who sign in."""

import io
import os
import re
import shutil
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from sqlalchemy import MetaData, Select, select

from three_rooms import ROOMS
from tolman.item_table import write_items
from tolman.items import Item
from tolman.review import accounts, projects
from tolman.review.accounts import protection
from tolman.review.scene_picking import Picking, application
from tolman.review.server import listen, server_of
from tolman.review.server_settings import ReviewSettings
from tolman.review.site import Site, open_site
from tolman.review.store import Project, User
from tolman.review.store.database import engine_of

ROOT = Path(__file__).resolve().parents[1]
PASSWORD = "a password of tests"
TRUTHS = {"count": "3", "size": "74.5", "order": "B", "which": "A", "pair": "C", "script": "A"}


def items(truths: dict[str, str] | None = None) -> list[Item]:
    """Six questions: two numbers and four choices, about videos, about images before the text and inside it."""
    truth = TRUTHS | (truths or {})
    video = {"kind": "video", "path": "videos/left.mp4"}
    other = {"kind": "video", "path": "videos/right.mp4"}
    a, b = {"kind": "image", "path": "images/a.jpg"}, {"kind": "image", "path": "images/b.png"}
    rows: list[dict[str, Any]] = [
        {"id": "count", "question": "How many chairs are in the room?", "kind": "number", "unit": "count", "task": "object_counting", "media": [video], "scene": "s/left"},
        {"id": "size", "question": "How long is the table, in centimetres?", "kind": "number", "unit": "cm", "task": "object_size_estimation", "media": [video], "scene": "s/left"},
        {"id": "order", "question": "What appears first?", "kind": "choice", "options": ["the lamp", "the sofa", "the door", "the bed"], "task": "obj_appearance_order", "media": [other], "scene": "s/right"},
        {"id": "which", "question": "Which way did the camera move between the two pictures?", "kind": "choice", "options": ["left", "right"], "task": "motion", "media": [a, b], "scene": "s/pictures"},
        {"id": "pair", "question": "Which picture shows what is behind you in <image>?", "kind": "choice", "options": ["<image>", "neither", "both"], "task": "view", "media": [a, b], "scene": "s/pictures"},
        {"id": "script", "question": "<script>document.title='owned'</script> & \"quotes\"?", "kind": "choice", "options": ["<img src=x onerror=alert(1)>", "</textarea><b>bold</b>"], "task": "motion", "media": [other], "scene": "s/right"},
    ]  # fmt: skip
    return [
        Item.model_validate(
            row
            | {
                "answer": truth[row["id"]],
                "labels": {
                    "level": f"level-{truth[row['id']].partition('.')[0]}",
                    "spatialbench_level": "topology_and_composition",
                },
                "reasoning": f"Because it is {truth[row['id']]}.",
                "evidence": {"exact": truth[row["id"]]},
            }
        )
        for row in rows
    ]


LABELS = {
    "category": "counting & existence", "scale": "vista", "factor": "neither", "information": "extrinsic",
    "change": "static",
}  # fmt: skip
"""What one person says of a question."""
TEXTS = {item.question.split("<")[0].strip() or "script": item.id for item in items()}
"""How a question begins → the item's id."""


def make_benchmark(folder: Path, *only: str) -> Path:
    """All questions, or some as a folder, with the walks through two rooms and two pictures out of them."""
    import av

    (folder / "images").mkdir(parents=True)
    (folder / "videos").mkdir()
    for name, room, picture in (("left", "6-0000.mp4", "a.jpg"), ("right", "6-0001.mp4", "b.png")):
        shutil.copyfile(ROOMS / "videos" / room, folder / "videos" / f"{name}.mp4")
        with av.open(str(ROOMS / "videos" / room)) as container:
            frame = next(container.decode(video=0)).to_image()
        frame.resize((320, 240)).save(folder / "images" / picture)
    write_items(folder / "items.parquet", [item for item in items() if item.id in (only or TRUTHS)])
    (folder / "benchmark.json").write_text('{"name": "small", "title": "A small benchmark"}', encoding="utf-8")
    return folder


@cache
def _hashed_password() -> str:
    """Made once: being slow is what hashing passwords is for."""
    return protection.hash_now(PASSWORD)


@dataclass
class Clock:
    """A clock that tests can move on."""

    ahead: float = 0.0

    def __call__(self) -> float:
        """The time."""
        return time.time() + self.ahead


@dataclass
class Client:
    """Somebody's browser without a browser: keeps cookies, sends the CSRF token of the last page."""

    http: httpx.Client
    name: str = ""
    csrf: str = ""
    last: httpx.Response | None = None

    def get(self, path: str, *, follow: bool = True, **rest: Any) -> httpx.Response:
        """Load a page."""
        return self._keep(self.http.get(path, follow_redirects=follow, **rest))

    def post(self, path: str, *, follow: bool = True, **fields: Any) -> httpx.Response:
        """Send a form, with the token."""
        data = {name: value if isinstance(value, list) else str(value) for name, value in fields.items()}
        data = {"csrf": self.csrf} | data
        return self._keep(self.http.post(path, data=data, follow_redirects=follow))

    def _keep(self, answer: httpx.Response) -> httpx.Response:
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', answer.text) if _is_page(answer) else None
        if found:
            self.csrf = found.group(1)
        self.last = answer
        return answer


def _is_page(answer: httpx.Response) -> bool:
    return answer.headers.get("content-type", "").startswith("text/html")


def item_on(client: Client) -> str:
    """Which item the last page shows."""
    assert client.last is not None
    heading = re.search(r'<h1 class="question"[^>]*>(.*?)</h1>', client.last.text, re.S)
    assert heading is not None
    return next((TEXTS[start] for start in TEXTS if start in heading.group(1)), "script")


def answer_all(client: Client, project: int, answers: dict[str, str]) -> list[str]:
    """Answer all there is, "B" where nothing else is told; which items were asked, in their order."""
    asked = []
    page = client.get(f"/projects/{project}/work")
    while page.url.path.startswith("/answer/"):
        assert len(asked) < 20
        asked.append(item_on(client))
        page = client.post(page.url.path, answer=answers.get(asked[-1], "B"), seconds=2)
    return asked


def review(
    client: Client, project: int, verdicts: dict[str, dict[str, str]] | None = None, **answers: str
) -> list[str]:
    """Review all there is: answer by the truth or as told, approve or as told."""
    seen = []
    page = client.get(f"/projects/{project}/work")
    while page.url.path.startswith("/review/"):
        assert len(seen) < 20
        item, path = item_on(client), page.url.path
        if f"{path}/answer" in page.text:
            page = client.post(f"{path}/answer", answer=answers.get(item, TRUTHS[item]), seconds=2)
        seen.append(item)
        fields = (verdicts or {}).get(item, {"verdict": "approve"})
        page = client.post(f"{path}/decide", seconds=3, **fields)
        assert "/decide" not in page.url.path, page.text
    return seen


@dataclass
class Served:
    """A running server and its insides."""

    url: str
    site: Site
    clock: Clock
    _clients: list[httpx.Client] = field(default_factory=list)

    def visitor(self) -> Client:
        """Somebody who isn't signed in."""
        http = httpx.Client(base_url=self.url, timeout=20, verify=False)  # reading certificates takes 0.1 s
        self._clients.append(http)
        return Client(http)

    def person(self, role: str, name: str, *further: str) -> Client:
        """Somebody new of a role and perhaps further ones, signed in; the password is `PASSWORD`."""
        cookie = self.account(role, name, *further)
        client = self.visitor()
        client.http.cookies.set(self.site.settings.cookie, cookie)
        client.name = name
        client.get("/account")
        return client

    def account(self, role: str, name: str, *further: str) -> str:
        """A new account, and the cookie of a session of it."""
        with self.site.database.write() as db:
            user = User(
                name=name, role=role, further=list(further), password=_hashed_password(), created=self.clock()
            )  # fmt: skip
            db.add(user)
            db.flush()
            return accounts.sign_in(db, self.site.settings, user, None)

    def project(self, mode: str, name: str = "Work", **chosen: int) -> int:
        """Start a project."""
        with self.site.database.write() as db:
            return projects.start_project(db, self.site, name, mode, chosen).id

    def told(self, what: Callable[..., Any], project: int, *rest: Any, **further: Any) -> Any:
        """What a function of the package reads of a project."""
        with self.site.database.read() as db:
            return what(db, db.get_one(Project, project), *rest, **further)

    def scalars(self, query: Select[Any]) -> list[Any]:
        """What a query finds."""
        with self.site.database.read() as db:
            return list(db.scalars(query))

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            client.close()


def settings_of(benchmark: Path, store: Path, url: str | None, **rest: Any) -> tuple[ReviewSettings, Clock]:
    """Settings with a clock that can be moved."""
    clock = Clock()
    return ReviewSettings(benchmark=str(benchmark), store=store, database=url, clock=clock, **rest), clock


@contextmanager
def running_in_thread(server: uvicorn.Server) -> Iterator[str]:
    """Serve in a thread; the address."""
    listening = listen("127.0.0.1", 0)
    running: Future[None] = Future()

    def run() -> None:
        try:
            running.set_result(server.run([listening]))
        except BaseException as error:
            running.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while not server.started:
        assert not running.done(), running.result()  # with the error that ended it
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(120)
        listening.close()


@contextmanager
def serving(settings: ReviewSettings, clock: Clock) -> Iterator[Served]:
    """Serve a review in a thread."""
    site = open_site(settings)
    try:
        with running_in_thread(server_of(settings, site)) as url:
            served = Served(url, site, clock)
            try:
                yield served
            finally:
                served.close()
    finally:
        site.database.close()


@contextmanager
def serving_picking(picking: Picking) -> Iterator[str]:
    """Serve the picking of boxes in a scene, in a thread; the address."""
    config = uvicorn.Config(application(picking), ws="none", log_level="warning")
    with running_in_thread(uvicorn.Server(config)) as url:
        yield url


Serve = Callable[..., Served]
"""The fixture `serve` of review/conftest.py."""
MEDIA_KEYS = ("Space", "ArrowRight", "ArrowRight", "ArrowLeft", "Space", "ArrowUp", "ArrowDown", "ArrowLeft")
"""All keys that pages name for media or for going about; Space twice, so that a video rests again."""


def press_media_keys(page: Any, focus: Any = None) -> None:
    """Press every media key, with the focus where choosing left it or on what is given; a video must have moved."""
    if focus is not None:
        focus.focus()
    video = page.locator(".media video, .chosen video").first
    moves = video.count() > 0
    if moves:
        until(page, lambda: video.evaluate("v => v.readyState > 0"), 30)  # before that no seek is seen
        video.evaluate("v => { v.muted = true; v.seeks = 0; v.addEventListener('seeking', () => { v.seeks += 1; }); }")
        video.evaluate("v => { v.plays = 0; v.addEventListener('play', () => { v.plays += 1; }); }")
    for key in MEDIA_KEYS:
        page.keyboard.press(key)
    if moves:
        until(page, lambda: video.evaluate("v => v.seeks > 0 && v.plays > 0"))
        video.evaluate("v => v.pause()")


@contextmanager
def opened_page(browser: Any, url: str | None, width: int = 1180, height: int = 760) -> Iterator[Any]:
    """A new page of a browser that nobody is signed in to; an error in a script or of the policy fails the test."""
    context = browser.new_context(base_url=url, viewport={"width": width, "height": height})
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda m: errors.append(m.text) if "Content Security Policy" in m.text else None)
    yield opened
    context.close()
    assert not errors


def until(page: Any, holds: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for something on a page; the browser's own waiting is code from a text, which the page's policy forbids."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        page.wait_for_timeout(20)


def snap(page: Any, name: str, *, seek: bool = True) -> None:
    """Leave a picture for the documentation, where somebody asks for it; of videos at 5 s, or as they stand."""
    if os.environ.get("TOLMAN_SCREENSHOTS"):
        for video in page.locator("video").all() if seek else ():
            video.evaluate("v => new Promise(done => { v.onseeked = done; v.pause(); v.currentTime = 5; })")
        # Hiding the caret would be a style of the page's own, which its policy forbids.
        page.screenshot(path=ROOT / "docs" / "images" / f"review-{name}.png", caret="initial")


def item_shown(page: Any) -> str:
    """Which item a page of a browser asks about."""
    text = page.locator("h1.question").inner_text()
    return next((TEXTS[start] for start in TEXTS if start in text), "script")


def fill_in(page: Any, number: str = "4", place: int = 0) -> None:
    """Fill in a number, or choose the option at a place, whichever a page of a browser asks for."""
    if page.locator("#answer").count():
        page.locator("#answer").fill(number)
    else:
        page.locator("input[name=answer]").nth(place).check()


def at_work(page: Any, served: Served, role: str, name: str, project: int) -> None:
    """Sign a new person in, in a browser, and let them begin."""
    enter(page, served, role, name)
    page.goto(f"{served.url}/projects/{project}/work")


def begin_writing(served: Served, name: str = "Ann", **chosen: int) -> tuple[Client, str, int]:
    """An annotator on the first question of a new project; the page's path, and the project."""
    project = served.project("write", **({"questions": 3} | chosen))
    client = served.person("annotator", name)
    page = client.get(f"/projects/{project}/work")
    assert page.url.path.startswith("/write/"), page.text
    return client, page.url.path, project


def choose_media(client: Client, path: str, keys: Iterable[str]) -> Any:
    """Choose media for the question that somebody writes; the last page."""
    for key in keys:
        answer = client.post(f"{path}/edit", do=f"add:{key}", tab="one", seen=0)
    return answer


def whole_question(media: list[str], **changes: Any) -> dict[str, Any]:
    """The form of a whole question about some media, whose answer is B."""
    fields: dict[str, Any] = {
        "tab": "one", "seen": "0", "seconds": "3", "category": "Motion (Cam.)", "kind": "choice",
        "question": "Which way did the camera turn?", "option": ["left", "right", "up", "not at all"], "answer": "B",
        "step": ["The lamp is left in the first picture. It is right in the second.", "So it turned left."],
        "step-kind": ["grounding", "logic"], "needed": media,
    } | {f"has-{key}": "1" for key in media}  # fmt: skip
    return {name: value for name, value in (fields | changes).items() if value is not None}


def upload(owner: Client, project: int, place: str, person: str, content: str | bytes) -> httpx.Response:
    """Send a file of another program as somebody's work."""
    found = re.search(rf'<option value="(\d+)">{person}<', owner.get(f"/projects/{project}/files").text)
    data = {"csrf": owner.csrf, "person": found.group(1) if found else ""}
    return owner.http.post(f"/projects/{project}/{place}/upload", data=data, files={"file": ("back", content)})


def unzipped(content: bytes) -> dict[str, bytes]:
    """Name in an archive → content."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """An archive of some files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def run_model(benchmark: Path, model: str, out: Path) -> Path:
    """The folder of a model's run."""
    from tolman.models.model import ModelOptions
    from tolman.runs.run import RunRequest, run

    request = RunRequest(benchmark=str(benchmark), model=model, out=out, options=ModelOptions())
    return run(request, started=lambda started: None, done=lambda outcome: None)[0].path


def enter(page: Any, served: Served, role: str, name: str) -> None:
    """Sign a new person in, in a browser."""
    cookie = served.account(role, name)
    page.context.add_cookies([{"name": "tolman", "value": cookie, "url": served.url}])


def rows_of(url: str) -> dict[str, list[Any]]:
    """Table → its rows as a database holds them."""
    engine = engine_of(url)
    metadata = MetaData()
    with engine.connect() as connection:
        metadata.reflect(connection)
        found = {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
            for table in metadata.sorted_tables
        }
    engine.dispose()
    return found
