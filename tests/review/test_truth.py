"""A search of every byte that a blind person is sent for truths that can't be mistaken for anything else."""

import base64
import gzip
import html
import re
import shutil
import struct
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import event

from reviewing import TRUTHS, Client, Serve, Served, item_on, items, make_benchmark
from tolman.item_table import write_items
from tolman.items import Item

NUMBER = 73918.265625  # exact in four bytes, too
PLANTED = ("zq-truth-label", "zq-truth-reason", "zq-truth-evidence", "zq-truth-scene", "zq-truth-id", "zq-truth-file")
_ADDRESS = re.compile(r'\s(?:href|src|poster|hx-get|data-[a-z-]+)="(/[^"#]*)')


def _planted(item: Item) -> Item:
    """The item with its truth, and with words that only who knows the truth has, wherever a blind person isn't to look."""
    number = item.kind == "number"
    media = tuple(m.model_copy(update={"path": m.path.replace("/", "/zq-truth-file-")}) for m in item.media)
    return item.model_copy(
        update={
            "id": f"zq-truth-id-{item.id}", "answer": str(NUMBER) if number else item.answer, "media": media,
            "labels": {"level": "zq-truth-label"}, "reasoning": "zq-truth-reason", "scene": f"zq-truth-scene/{item.scene}",
            "evidence": {"zq-truth-evidence": NUMBER, "boxes": [[NUMBER, 1.0, 2.0]]},
        }
    )  # fmt: skip


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A benchmark whose every hidden field holds a truth that can be found."""
    folder = make_benchmark(tmp_path / "bench")
    for path in [*folder.glob("videos/*"), *folder.glob("images/*")]:
        shutil.move(path, path.with_name(f"zq-truth-file-{path.name}"))
    write_items(folder / "items.parquet", [_planted(item) for item in items()])
    return folder


def forms_of(truth: str) -> set[bytes]:
    """The ways in which a text may stand in bytes."""
    plain = truth.encode()
    made = {plain, quote(truth).encode(), html.escape(truth).encode(), plain.hex().encode(), truth.encode("utf-16-le")}
    for shift in range(3):  # base64 of any place in a longer text, its uncertain ends left out
        made.add(base64.b64encode(b"\0" * shift + plain)[4 if shift else 0 : -4])
    return made


def numbers_of(value: float) -> set[bytes]:
    """The ways in which a number may stand in bytes, those of 3D data among them."""
    packed = {struct.pack(order + size, value) for order in "<>" for size in "fd"}
    return packed | {
        str(value).encode(),
        f"{value:.3f}".encode(),
        f"{value:.0f}".encode(),
        f"{value / 100:.2f}".encode(),
    }


def unpacked(content: bytes) -> bytes:
    """A body with what is packed in it."""
    for open_it in (gzip.decompress, zlib.decompress):
        try:
            return content + open_it(content)
        except (OSError, zlib.error, EOFError):
            continue
    return content


class Recorder:
    """Keeps every byte that comes: status lines, headers, names in addresses, bodies."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.seen: list[tuple[str, bytes]] = []
        client.http.event_hooks["response"].append(self._keep)

    def _keep(self, answer: Any) -> None:
        answer.read()
        head = b"\n".join(name + b": " + value for name, value in answer.headers.raw)
        self.seen.append((str(answer.url), b"\n".join((str(answer.url).encode(), head, unpacked(answer.content)))))

    def follow(self) -> None:
        """Load all that the last page names: media, pictures, 3D data, scripts, other pages."""
        page = self.client.last
        for address in sorted(set(_ADDRESS.findall(page.text if page else ""))):
            if "signout" not in address:
                self.client.http.get(html.unescape(address), follow_redirects=True)


def _check(recorded: Recorder) -> None:
    wanted = {form for truth in PLANTED for form in forms_of(truth)} | numbers_of(NUMBER)
    assert len(recorded.seen) > 10
    told = [(url, form) for url, content in recorded.seen for form in wanted if form in content]
    assert not told, told[:5]


def _answer_for(client: Client) -> str:
    assert client.last is not None
    return "2" if "inputmode" in client.last.text else "A"


def test_the_search_finds_what_is_there() -> None:
    for shift in range(5):
        text = b"x" * shift + b"zq-truth-label" + b"y" * 7
        for hidden in (text, text.hex().encode(), base64.b64encode(text), unpacked(gzip.compress(text))):
            assert any(form in hidden for form in forms_of("zq-truth-label")), (shift, hidden)
    vertices = struct.pack("<3f", 1.0, NUMBER, 2.0)
    assert any(form in vertices for form in numbers_of(NUMBER))


@pytest.mark.full
def test_nothing_that_a_blind_subject_is_sent_holds_the_truth(planted: Path, serve: Serve) -> None:
    served = serve(planted)
    project = served.project("answer", "A")
    sam = Recorder(served.person("subject", "Sam"))
    sam.client.get("/")
    while (page := sam.client.get(f"/projects/{project}/work")).url.path.startswith("/answer/"):
        path = page.url.path
        sam.follow()
        sam.client.post(path, answer="no answer of the kind")
        sam.client.post(f"{path}/draft", answer=_answer_for(sam.client), seconds=1)
        sam.client.get(path)
        sam.client.post(path, answer=_answer_for(sam.client), seconds=2)
    sam.client.get("/people")  # what is refused, too
    _check(sam)


@pytest.mark.full
@pytest.mark.parametrize(
    ("mode", "role", "step"), [("review", "reviewer", "answer"), ("verify", "annotator", "answer")]
)
@pytest.mark.full
def test_nothing_before_the_first_answer_holds_the_truth(
    planted: Path, serve: Serve, mode: str, role: str, step: str
) -> None:
    served = serve(planted)
    project = served.project(mode, "P")
    for number in range(len(items())):  # each sees one question, and stops before the truth is due
        ann = Recorder(served.person(role, f"Ann {number}"))
        page = ann.client.get(f"/projects/{project}/work")
        if not page.url.path.startswith(f"/{mode}/"):
            break
        ann.follow()
        ann.client.post(f"{page.url.path}/{step}", answer="no answer of the kind")
        ann.client.post(f"{page.url.path}/decide", verdict="approve")
        ann.client.post(f"{page.url.path}/{step}/draft", answer="A", seconds=1)
        ann.client.get(page.url.path)
        _check(ann)


@pytest.mark.full
def test_a_right_answer_and_a_wrong_one_take_the_same_work(served_sqlite: Served) -> None:
    """The same statements in the same order: what differs in time is chance."""
    project = served_sqlite.project("answer", "A")
    done: dict[str, list[str]] = {}
    for name, right in (("First", True), ("Right", True), ("Wrong", False)):  # the first warms caches up
        sam = served_sqlite.person("subject", name)
        while item_on(sam) != "which" if sam.get(f"/projects/{project}/work") else False:
            sam.post(sam.last.url.path, answer=TRUTHS[item_on(sam)], seconds=2)
        statements: list[str] = []

        def note(connection: Any, cursor: Any, statement: str, *rest: Any, into: list[str] = statements) -> None:
            into.append(statement)

        event.listen(served_sqlite.site.database.engine, "before_cursor_execute", note)
        sizes = sam.post(sam.last.url.path, answer=TRUTHS["which"] if right else "B", seconds=2, follow=False)
        event.remove(served_sqlite.site.database.engine, "before_cursor_execute", note)
        done[name] = [*statements, str(len(sizes.content)), str(sorted(sizes.headers.keys()))]
    assert len(done["Right"]) > 5
    assert done["Right"] == done["Wrong"]
