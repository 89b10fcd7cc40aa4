"""What must not happen: reaching what isn't one's own, learning a truth, running somebody's text, breaking the server.

The table of ASVS: every requirement of levels 1 and 2 once, existing tests only, and counts as on the server page.
"""

import csv
import itertools
import re
import shutil
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from reviewing import PASSWORD, ROOT, TRUTHS, Client, Clock, Serve, Served, item_on, items, serving
from tolman.item_table import write_items
from tolman.review.projects.study_projects import start_study
from tolman.review.server import create_app
from tolman.review.server_settings import ReviewSettings
from tolman.review.site import ANYBODY, roles_of
from tolman.review.store import ROLES
from tolman.review.studies import Study

EVERYBODY, SIGNED_IN, STAFF = {ANYBODY, *ROLES}, set(ROLES), {"annotator", "reviewer", "owner"}


def _may(
    roles: set[str], both: Sequence[str] = (), get: Sequence[str] = (), post: Sequence[str] = ()
) -> dict[tuple[str, str], set[str]]:
    """Say that some roles may call some addresses: by both methods, or by one."""
    calls = [
        *itertools.product(("GET", "POST"), both),
        *(("GET", path) for path in get),
        *(("POST", path) for path in post),
    ]
    return dict.fromkeys(calls, roles)


MAY = {
    **_may(
        EVERYBODY,
        both=("/signin", "/enter/{token}", "/invitation/{token}", "/reset/{token}", "/join/{project}/{token}"),
        get=("/healthz", "/readyz", "/study-pictures/{name}"),
    ),
    **_may(
        SIGNED_IN,
        both=("/account", "/studies/{project}", "/studies/{project}/break"),
        get=("/", "/projects/{project}/work", "/media/{name}", "/studies/{project}/end", "/media/{name}/frames"),
        post=("/signout", "/tasks/{assignment}/report", "/projects/{project}/undo"),
    ),
    **_may(
        STAFF,
        get=(
            "/workbench/{version}/scene", "/workbench/{version}/cloud", "/workbench/{version}/frame/{camera}/{number}",
            "/verify/{assignment}", "/verify/{assignment}/still/{medium}/{milliseconds}", "/verify/{assignment}/cloud",
            "/verify/{assignment}/cloud/top", "/verify/{assignment}/cloud/frame",
        ),
        post=(
            "/verify/{assignment}/answer", "/verify/{assignment}/decide", "/verify/{assignment}/answer/draft",
            "/verify/{assignment}/decide/draft", "/verify/{assignment}/measure",
        ),
    ),
    **_may(
        {"owner", "reviewer"},
        get=(
            "/projects/{project}/progress", "/review/{assignment}", "/errors/projects/{project}/labels.jsonl",
            "/classify/projects/{project}/labels.jsonl",
        ),
        post=(
            "/review/{assignment}/answer", "/review/{assignment}/decide", "/review/{assignment}/answer/draft",
            "/review/{assignment}/decide/draft",
        ),
    ),
    **_may(
        {"annotator", "reviewer"},
        both=("/errors/{assignment}", "/classify/{assignment}"),
        post=("/errors/{assignment}/draft", "/classify/{assignment}/draft"),
    ),
    **_may(
        {"owner"},
        both=("/people/{user}", "/projects/{project}/people", "/studies"),
        get=(
            "/audit", "/audit/events.jsonl", "/projects/{project}/preview/{role}", "/projects/{project}/files",
            "/projects/{project}/files/label-studio.zip", "/projects/{project}/files/items.zip",
            "/projects/{project}/files/runs.zip", "/projects/{project}/files/tables.zip",
            "/projects/{project}/files/times.csv", "/projects/{project}/pictures/{form}.zip",
            "/projects/{project}/items", "/projects/{project}/items/{version}", "/projects/{project}/acts", "/people",
            "/flags/project/{project}", "/flags/{flag}", "/workbench/{version}", "/studies/{project}/about",
            "/studies/{project}/people.csv", "/studies/{project}/answers.csv",
        ),
        post=(
            "/projects", "/projects/{project}/open", "/projects/{project}/files/label-studio/upload",
            "/projects/{project}/pictures/{form}/upload", "/projects/{project}/items/act",
            "/projects/{project}/items/{version}/lease", "/projects/{project}/items/{version}/void",
            "/projects/{project}/slots", "/projects/{project}/acts/{act}/undo", "/people/invite",
            "/people/invitations/{invitation}/revoke", "/people/{user}/close", "/people/{user}/reset",
            "/projects/{project}/reported", "/flags/{flag}/dismiss", "/flags/{flag}/scene", "/flags/{flag}/boxes",
            "/flags/{flag}/rule", "/flags/{flag}/template", "/workbench/{version}/boxes", "/study-file",
            "/studies/{project}/next",
        ),
    ),
    **_may(
        {"subject"},
        both=("/study/{assignment}", "/answer/{assignment}"),
        post=("/study/{assignment}/skip", "/study/{assignment}/draft", "/answer/{assignment}/draft"),
    ),
    **_may(
        {"annotator"},
        both=("/write/{assignment}", "/routes/{assignment}", "/distractors/{assignment}"),
        get=(
            "/write/pool/{key}/frames", "/write/pool/{key}/{size}", "/write/{assignment}/trials",
            "/write/{assignment}/pool", "/write/{assignment}/scene/{medium}",
            "/write/{assignment}/scene/{medium}/scene", "/write/{assignment}/scene/{medium}/cloud",
            "/write/{assignment}/scene/{medium}/frame/{camera}/{number}",
            "/distractors/{assignment}/frame/{view}/{number}",
        ),
        post=(
            "/write/{assignment}/try", "/write/{assignment}/edit", "/write/{assignment}/upload",
            "/routes/{assignment}/plan", "/distractors/{assignment}/check",
        ),
    ),
}  # fmt: skip
"""Who may call what, written down a second time: a change has to be meant twice."""


def _routes(served: Served) -> list[APIRoute]:
    known = create_app(served.site.settings, served.site).routes
    return [route for route in known if isinstance(route, APIRoute)]


def _secrets(page: str) -> list[str]:
    """What of the truth a page tells."""
    told = [f"Because it is {truth}." for truth in TRUTHS.values()] + ["level-", "exact", "s/left", "s/right"]
    return [secret for secret in told if secret in page]


def test_every_route_lets_in_whom_it_should_and_nobody_else(served: Served) -> None:
    project, review = served.project("answer", "A"), served.project("review", "R", people=1)
    sam, ann = served.person("subject", "Sam"), served.person("reviewer", "Ann")
    others = {
        "/answer": sam.get(f"/projects/{project}/work").url.path.split("/")[-1],
        "/review": ann.get(f"/projects/{review}/work").url.path.split("/")[-1],
    }
    media = re.search(r"/media/(\w+)", sam.last.text + sam.get(f"/projects/{project}/work").text).group(1)
    guests = {ANYBODY: served.visitor()} | {role: served.person(role, f"a {role}") for role in ROLES}
    guests[ANYBODY].get("/signin")
    seen = set()
    for route in _routes(served):
        for method in route.methods - {"HEAD"}:
            seen.add((method, route.path))
            assert roles_of(route) == MAY[method, route.path], route.path
            assignment = next((n for start, n in others.items() if route.path.startswith(start)), "1")
            path = route.path.format(
                project=project, flag=1, user=999, name=media, token="unknown-token", assignment=assignment,
                key="0" * 32, size="small", view="given", number=0, medium=1, milliseconds=0,
                    version=1, camera=0, invitation=999, act=1, role="reviewer", form="cvat",
            )  # fmt: skip
            for role, guest in guests.items():
                if path in ("/signout", "/signin") and method == "POST":
                    continue
                answer = guest.http.request(
                    method, path, data={"csrf": guest.csrf} if method == "POST" else None, follow_redirects=False
                )
                what = (role, method, path, answer.status_code)
                assert answer.status_code < 500, what
                if role in MAY[method, route.path]:
                    assert answer.status_code not in (401, 403), what
                elif role == ANYBODY:
                    assert answer.status_code == 401 or answer.headers.get("location") == "/signin", what
                else:
                    assert answer.status_code == 403, what
                if "{assignment}" in route.path:
                    assert answer.status_code in (303, 401, 403, 404), what  # somebody else's
                if role not in ("owner",):
                    assert not _secrets(answer.text), what
    assert seen == set(MAY)


def _world(folder: Path, benchmark: Path, truths: dict[str, str]) -> tuple[ReviewSettings, Clock]:
    """The same world but for its truths: the same media, the same time, the same random numbers."""
    shutil.copytree(benchmark, folder / "bench")
    write_items(folder / "bench" / "items.parquet", items(truths))
    numbers = itertools.count()
    settings = ReviewSettings(
        benchmark=str(folder / "bench"),
        store=folder / "store",
        clock=lambda: 1_800_000_000.0,
        token=lambda: f"token-number-{next(numbers):06}",
    )
    return settings, Clock()


def _record(client: Client, answers: list[Any]) -> None:
    answer = client.last
    assert answer is not None
    headers = sorted((name, value) for name, value in answer.headers.items() if name != "date")
    answers.append((answer.request.method, answer.url.path, answer.status_code, headers, answer.content))


def _everything_sent(served: Served) -> list[Any]:
    """All that a subject is sent through all questions, and a reviewer up to their first answers."""
    sent: list[Any] = []
    loaded: set[tuple[str, str]] = set()
    baseline, review = served.project("answer", "A"), served.project("review", "R", people=1)
    sam, ann = served.person("subject", "Sam"), served.person("reviewer", "Ann")

    def load(client: Client, path: str) -> str:
        text = client.get(path).text
        _record(client, sent)
        for medium in re.findall(r'src="(/media/\w+)', text):
            if (client.name, medium) in loaded:
                continue
            loaded.add((client.name, medium))
            client.get(medium)
            _record(client, sent)
            client.get(medium, headers={"range": "bytes=10-99"})
            _record(client, sent)
        client.get(path)
        return text

    load(sam, "/")
    for _ in items():
        load(sam, f"/projects/{baseline}/work")
        value = "2" if "inputmode" in sam.last.text else "A"
        path = sam.last.url.path
        sam.post(f"{path}/draft", answer=value, seconds=1)
        _record(sam, sent)
        sam.get(path)
        sam.post(path, answer="nonsense")
        _record(sam, sent)
        sam.post(path, answer=value)
        _record(sam, sent)
    load(ann, "/")
    load(ann, f"/projects/{review}/work")
    ann.post(f"{ann.last.url.path}/decide", verdict="approve")
    _record(ann, sent)
    _studying(served, load, sent)
    _verifying(served, load, sent)
    return sent


_STUDY = {
    "title": "S",
    "parts": [
        {
            "sample": {"people": 1, "by": None}, "order": {"options": True}, "gold": {"ids": ["order", "count"]},
            "exclude": {"gold_below": 0.5}, "breaks": {"every": 3},
        }
    ],
}  # fmt: skip


def _studying(served: Served, load: Any, sent: list[Any]) -> None:
    """All that somebody in a study is sent, whose gold questions are known by their truths."""
    with served.site.database.write() as db:
        study = start_study(db, served.site, Study.model_validate(_STUDY))[0].id
    stu = served.person("subject", "Stu")
    load(stu, f"/projects/{study}/work")
    stu.post(f"/studies/{study}", agreed="yes")
    for number in range(len(items()) + 1):
        load(stu, f"/projects/{study}/work")
        path = stu.last.url.path
        if path.endswith("/break"):
            stu.post(path)
        elif number == 2:
            stu.post(f"{path}/skip", reason="can't tell")
        else:
            stu.post(path, answer="2" if "inputmode" in stu.last.text else "A", shown="ready")
        _record(stu, sent)
    load(stu, f"/studies/{study}/end")


def _verifying(served: Served, load: Any, sent: list[Any]) -> None:
    """All that a second person is sent before they have answered, question after question."""
    verify = served.project("verify", "V")
    vic = served.person("annotator", "Vic")
    for _ in items():
        load(vic, f"/projects/{verify}/work")
        path = vic.last.url.path
        assert path.startswith("/verify/")
        is_number = "inputmode" in vic.last.text
        frames = "1" if "numbers of pictures" in vic.last.text else "0.5"
        for action, fields in (
            ("decide", {"verdict": "approve"}),
            ("decide/draft", {"verdict": "approve"}),
            ("answer/draft", {"answer": "2" if is_number else "A", "frames": frames, "trace": "x"}),
            ("answer", {"answer": "nonsense", "frames": frames, "trace": "x"}),
            ("measure", {"first": "0,0,9,9"}),
        ):
            vic.post(f"{path}/{action}", **fields)
            _record(vic, sent)
        vic.get(f"{path}/still/1/500")
        _record(vic, sent)
        load(vic, path)
        vic.post(f"{path}/answer", answer="2" if is_number else "A", frames=frames, trace="It is seen.")
        vic.post(f"{path}/decide", verdict="discard", reason="no", fine="0", **{"wrong-1": "no"})


@pytest.mark.full
def test_what_is_sent_is_the_same_whatever_the_truth(benchmark: Path, tmp_path: Path) -> None:
    worlds = {"a": TRUTHS, "b": {"count": "7", "size": "12", "order": "D", "which": "B", "pair": "A", "script": "B"}}
    sent = []
    for name, truths in worlds.items():
        settings, clock = _world(tmp_path / name, benchmark, truths)
        with serving(settings, clock) as served:
            sent.append(_everything_sent(served))
    assert len(sent[0]) > 30
    for one, other in zip(*sent, strict=True):
        assert one == other


def test_names_and_links_that_attack_find_nothing(served: Served) -> None:
    served.account("subject", "Sam")
    guest = served.visitor()
    guest.get("/signin")
    for name in ("' OR 1=1 --", 'Sam" --', "Sam'; DROP TABLE users; --", "\x00", "%", "\ud7ff", "x" * 400):
        assert guest.post("/signin", name=name, password=PASSWORD).status_code in (401, 422), name
    sam = served.visitor()
    sam.get("/signin")
    assert sam.post("/signin", name="Sam", password=PASSWORD).status_code == 200
    for path in (
        "/media/' OR '1'='1", "/media/..%2f..%2fbenchmark.json", "/media/%2e%2e/%2e%2e/etc/passwd", "/media/%00",
        "/static/..%2freview.py", "/static/%2e%2e/site.py", "/static/../app.py", "/answer/1%20OR%201=1", "/answer/-1",
        "/answer/99999999999999999999", "/projects/1;DROP TABLE tasks/work", "/static/templates/base.html",
    ):  # fmt: skip
        assert sam.get(path).status_code == 404, path


def test_media_outside_of_the_folder_are_not_sent(benchmark: Path, tmp_path: Path, serve: Serve) -> None:
    shutil.copytree(benchmark, tmp_path / "bench")
    (tmp_path / "secret.png").write_bytes(b"\x89PNG secret")
    (tmp_path / "bench" / "page.html").write_text("<script>alert(1)</script>")
    (tmp_path / "bench" / "link.png").symlink_to(tmp_path / "secret.png")
    bad = ["../secret.png", str(tmp_path / "secret.png"), "link.png", "page.html", "missing.png", "images"]
    base = items()[2]
    made = [base.model_copy(update={"id": p, "media": (base.media[0].model_copy(update={"path": p}),)}) for p in bad]
    write_items(tmp_path / "bench" / "items.parquet", made)
    served = serve(tmp_path / "bench")
    project, owner, sam = served.project("answer"), served.person("owner", "O"), served.person("subject", "Sam")
    for _ in bad:
        page = sam.get(f"/projects/{project}/work")
        name = re.search(r"/media/\w+", page.text).group()
        for client in (sam, owner):
            answer = client.get(name)
            assert answer.status_code == 404
            assert b"secret" not in answer.content
        sam.get(f"/projects/{project}/work")
        sam.post(sam.last.url.path, answer="A")


def test_text_that_looks_like_a_page_is_shown_as_text(served_sqlite: Served) -> None:
    attack = '<script>alert("x")</script><img src=x onerror=alert(1)>'
    project = served_sqlite.project("review", attack[:100], people=1)
    owner, evil = served_sqlite.person("owner", "O"), served_sqlite.person("reviewer", "<b>Eve</b>")
    while (page := evil.get(f"/projects/{project}/work")).url.path.startswith("/review/"):
        path = page.url.path
        assert "<script>alert" not in page.text
        assert "<script>document" not in page.text
        evil.post(f"{path}/answer", answer=TRUTHS[item_on(evil)])
        evil.post(f"{path}/decide", verdict="flag", target="item", reason=attack)
    items_of = f"/projects/{project}/items"
    for number in range(1, 7):
        owner.get(items_of)
        owner.post(f"{items_of}/act", do="leave out", ids=number, reason=attack, back=number)
    shown = (
        items_of,
        f"{items_of}?text={attack}",
        *(f"{items_of}/{n}" for n in range(1, 7)),
        f"/projects/{project}/acts",
    )
    for path in ("/", "/people", f"/projects/{project}/progress", f"/flags/project/{project}", "/flags/1", *shown):
        text = owner.get(path).text
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert "<b>Eve" not in text


@pytest.fixture
def quiet_hypothesis() -> Iterator[None]:
    """What schemathesis warns of is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.full
@pytest.mark.usefixtures("quiet_hypothesis")
def test_no_input_breaks_the_server(served_sqlite: Served) -> None:
    schemathesis = pytest.importorskip("schemathesis")

    served_sqlite.project("answer", "A")
    served_sqlite.project("review", "R", people=1)
    described = get_openapi(title="review", version="1", routes=_routes(served_sqlite))
    schema = schemathesis.openapi.from_dict(described)
    people = {role: served_sqlite.person(role, f"a {role}") for role in ROLES}
    for person in people.values():
        for project in (1, 2):
            person.get(f"/projects/{project}/work")
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path == "/signout":
            continue
        roles = MAY[operation.method.upper(), operation.path]
        person = people["owner" if "owner" in roles else next(role for role in ROLES if role in roles)]
        tried += _attack(served_sqlite, operation, person)
    assert tried > 60


def _attack(served: Served, operation: Any, person: Client) -> int:
    """Send what fits an operation's description, and what doesn't; how often."""
    from hypothesis import HealthCheck, given, settings

    tried = 0

    @settings(max_examples=3, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def attack(case: Any) -> None:
        nonlocal tried
        tried += 1
        request = case.as_transport_kwargs(base_url=served.url)
        headers = {k: v for k, v in dict(request.get("headers") or {}).items() if k.lower() != "cookie"}
        try:
            answer = person.http.request(
                request["method"], request["url"], data=request.get("data"), params=request.get("params"),
                headers=headers | {"x-csrf-token": person.csrf}, follow_redirects=False,
            )  # fmt: skip
        except (httpx.InvalidURL, UnicodeEncodeError, TypeError):
            return  # what this client can't even send
        assert answer.status_code < 500, (request, answer.text)

    attack()
    return tried


PAGE = ROOT / "docs" / "review" / "operating.md"
TABLE = ROOT / "docs" / "review" / "asvs.csv"
CHAPTERS = {
    1: 27, 2: 11, 3: 19, 4: 10, 5: 9, 6: 35, 7: 18, 8: 7, 9: 7, 10: 29, 11: 14, 12: 9, 13: 13, 14: 9, 15: 13, 16: 16,
    17: 7,
}  # fmt: skip
"""Chapter of ASVS 5.0.0 → number of its requirements of levels 1 and 2."""
STATES = {"met", "deployment", "no such part", "open"}


def test_every_requirement_has_a_state_and_a_reason() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len({row["requirement"] for row in rows}) == len(rows) == sum(CHAPTERS.values())
    assert {c: sum(row["requirement"].split(".")[0] == str(c) for row in rows) for c in CHAPTERS} == CHAPTERS
    assert {row["level"] for row in rows} == {"1", "2"}
    assert {row["state"] for row in rows} == STATES
    assert all(len(row["reason"]) > 5 for row in rows)


def test_the_page_counts_the_states_and_names_what_is_open() -> None:
    page = PAGE.read_text(encoding="utf-8")
    with TABLE.open(encoding="utf-8", newline="") as file:
        states = {row["requirement"]: row["state"] for row in csv.DictReader(file)}
    counts = {state: list(states.values()).count(state) for state in STATES}
    said = f"{counts['met']} met, {counts['deployment']} by the proxy or the machine, {counts['no such part']} about absent parts"
    assert f"{said}, {counts['open']} open" in " ".join(page.split())
    table = page.split("The open ones:")[1]
    assert set(re.findall(r"\d+\.\d+\.\d+", table)) == {name for name, state in states.items() if state == "open"}


def test_the_tests_that_it_names_exist() -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TABLE.read_text()))
    assert len(named) > 30
    missing = [f"{file}::{name}" for file, name in named if f"def {name}(" not in (ROOT / file).read_text()]
    assert not missing
