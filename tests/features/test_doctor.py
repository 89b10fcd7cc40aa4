"""What `tolman doctor` finds on machines that lack something."""

import json
import os
import re
import sqlite3
import sys
from pathlib import Path

import pytest

import bare
import terminal
from loopback import Server, serving
from tolman.extras import COLLECTIONS, declared, lacking
from tolman.features.catalogue import doctor, package_checks
from tolman.features.catalogue.doctor import (
    Check,
    check_database,
    check_endpoint,
    check_extra,
    check_folder,
    check_key,
)
from tolman.features.catalogue.package_checks import ProbeError, attempt


def test_an_endpoint_tells_its_models() -> None:
    with serving(Server(models=("a", "b"))) as url:
        assert check_endpoint(url) == Check("endpoint", url, "works", "serves a, b", asked=True)


def test_of_many_models_some_are_named() -> None:
    with serving(Server(models=tuple(f"m{i}" for i in range(1_030)))) as url:
        found = check_endpoint(url).found
    assert found.endswith("m18, m19 and 1,010 more")


@pytest.mark.parametrize(
    ("path", "found", "advice"),
    [
        ("/v1/nowhere", "answers /models with status 404: 404: Not Found", "correct the address"),
        ("/stats?x=", "answers, but lists no models under /models", "correct the address"),
    ],
)
def test_another_address_of_a_server_is_told(path: str, found: str, advice: str) -> None:
    with serving(Server()) as url:
        check = check_endpoint(url.removesuffix("/v1") + path)
    assert check.state == "fails"
    assert check.found == found
    assert advice in check.advice


def test_a_server_that_is_not_there_is_told() -> None:
    check = check_endpoint("http://127.0.0.1:9/v1")
    assert check.state == "fails"
    assert "can't be reached: [Errno" in check.found
    assert check.advice == "start the server, or correct the address"


def test_a_server_without_models_is_told() -> None:
    with serving(Server(models=())) as url:
        assert check_endpoint(url).found == "serves no model"


def test_what_is_no_address_is_told() -> None:
    assert check_endpoint("localhost:8000").state == "fails"


def test_keys_are_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with serving(Server(key="sk-secret")) as url:
        assert check_endpoint(url).state == "works"
    with serving(Server(key="another")) as url:
        check = check_endpoint(url)
    assert check.found == "answers /models with status 401: not with Bearer …"
    assert check.advice == "set the endpoint's key in OPENAI_API_KEY"
    assert check_key("openai", ("OPENAI_API_KEY",)).found == "OPENAI_API_KEY is set"


def test_a_password_in_an_address_is_used_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving(Server(key="other")) as url:
        check = check_endpoint(url.replace("//", "//me:hush@"))
    assert check.name == url.replace("//", "//…@")
    assert "not with Basic" in check.found
    assert "hush" not in check.found


def test_a_key_goes_to_no_other_address(monkeypatch: pytest.MonkeyPatch) -> None:
    from aiohttp import web

    seen: list[str] = []

    class Elsewhere(Server):
        async def listed(self, request: web.Request) -> web.Response:
            seen.append(request.headers.get("Authorization", ""))
            return await super().listed(request)

    class Away(Server):
        async def listed(self, request: web.Request) -> web.Response:
            raise web.HTTPFound(f"{there}/models")

    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with serving(Elsewhere()) as there, serving(Away()) as url:
        check = check_endpoint(url)
    assert "status 302" in check.found
    assert seen == []


def test_a_key_that_is_missing_is_told_with_its_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.setenv("GOOGLE_API_KEY", "")
    check = check_key("gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY"))
    assert (check.state, check.found) == ("missing", "GEMINI_API_KEY or GOOGLE_API_KEY is not set")
    assert check.advice == "export GEMINI_API_KEY=… to use it"


def test_a_database_is_looked_at_and_left_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="databases need the extra 'review'")
    file = tmp_path / "review.sqlite"
    assert check_database(f"sqlite:///{file}").state == "missing"
    assert not file.exists()
    sqlite3.connect(file).close()
    empty = check_database(f"sqlite:///{file}")
    assert empty.state == "works"
    assert empty.found.startswith("SQLite 3.")
    assert empty.found.endswith(", no tables of a review yet")
    from tolman.review.store.database import Database

    Database(f"sqlite:///{file}").close()
    assert "tables of a review" in check_database(f"sqlite:///{file}").found
    file.write_bytes(b"no database at all" * 100)
    assert check_database(f"sqlite:///{file}").found == "file is not a database"


def test_a_database_server_that_is_not_there_is_told_without_the_password() -> None:
    pytest.importorskip("psycopg", reason="PostgreSQL needs the extra 'review'")
    check = check_database("postgresql://me:hush@127.0.0.1:9/review")
    assert check.state == "fails"
    assert check.name == "postgresql://me:***@127.0.0.1:9/review"
    assert "hush" not in check.found
    assert check_database("no url").found == "is no URL of a database"
    assert check_database("mysql://me@host/x").found == "is of mysql"


def test_a_folder_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    check = check_folder("frame store", file / "frames", "--frame-store", asked=True)
    assert check.state == "fails"
    assert check.advice == "choose another folder by --frame-store"
    deep = tmp_path / "a" / "b"
    assert check_folder("frame store", deep, "--frame-store", asked=True).found.startswith(f"{deep}, ")
    assert list(tmp_path.iterdir()) == [file]


def test_a_disk_that_is_nearly_full_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "MIN_FREE_BYTES", 1 << 60)
    assert check_folder("frame store", tmp_path, "--frame-store", asked=False).state == "fails"


def test_an_extra_that_can_not_be_imported_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if lacking("analyze"):
        pytest.skip("the extra 'analyze' is not installed")
    (tmp_path / "fastexcel.py").write_text("import os; os.kill(os.getpid(), 11)")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    check = check_extra("analyze", asked=True)
    assert check.state == "fails"
    assert check.found == "ended by signal 11: without a word"
    (tmp_path / "fastexcel.py").write_text("raise ImportError('no libfoo')")
    assert check_extra("analyze").found == "ImportError: no libfoo"


def test_a_probe_that_hangs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_checks, "TIMEOUT", 0.01)
    with pytest.raises(ProbeError, match=r"hangs: no result within 0\.01 s"):
        attempt("video")


def test_videos_are_written_and_read() -> None:
    pytest.importorskip("av", reason="videos need the extra 'media'")
    assert package_checks.code_video().startswith("H.264 in MP4 written and read by PyAV ")


def test_a_codec_that_gives_other_pictures_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("av", reason="videos need the extra 'media'")
    monkeypatch.setattr(package_checks, "COLOUR_TOLERANCE", -1.0)
    with pytest.raises(ProbeError, match=r"of pictures of the grey levels \[40, 90, 140, 190\] it reads \["):
        package_checks.code_video()


@pytest.mark.full
def test_all_is_looked_at_and_only_what_is_asked_for_fails(tmp_path: Path) -> None:
    core = bare.environment(tmp_path / "core")
    plain, asked, wrong = core.run(
        tmp_path,
        ("doctor", "--json"),
        ("doctor", "--extra", "analyze", "--store", "there/responses.sqlite"),
        ("doctor", "--extra", "analise", "--base-url", "http://127.0.0.1:9/v1"),
    )
    found = json.loads(plain.out)
    assert plain.code == 0
    assert found["ok"] is True
    states = {(check["group"], check["name"]): check["state"] for check in found["checks"]}
    extras = [extra for extra in bare.PROJECT["optional-dependencies"] if extra not in COLLECTIONS]
    assert [name for group, name in states if group == "extra"] == extras
    assert {state for (group, _), state in states.items() if group in ("extra", "rendering", "video")} == {"missing"}
    assert states["folder", "frame store"] == "works"
    assert all(check["advice"] for check in found["checks"] if check["state"] != "works")
    assert asked.code == 1
    assert "pip install 'tolman[analyze]'" in asked.out
    assert wrong.code == 1
    assert "did you mean 'analyze'?" in wrong.out
    assert "can't be reached" in wrong.out


@pytest.mark.full
def test_the_command_shows_what_to_do_and_looks_at_extras_in_their_order(tmp_path: Path) -> None:
    with serving(Server(models=("m",))) as url:
        done = terminal.typed(tmp_path, "doctor", "--base-url", url)
    assert f"works   {url}" in done.stdout
    assert "OPENAI_API_KEY is set" in done.stdout
    extras = [extra for extra in declared() if extra not in COLLECTIONS]
    shown = re.findall(rf"^(?:works|missing|fails) +({'|'.join(extras)}) ", done.stdout, re.MULTILINE)
    assert shown == extras
