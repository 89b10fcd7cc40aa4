"""Signing in, invitations, sessions, and who may call what."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from reviewing import PASSWORD, Serve, Served, serving, settings_of
from tolman.review.accounts import protection
from tolman.review.accounts.protection import network_of
from tolman.review.server import owner_link


def test_a_database_is_brought_to_the_tables_that_the_code_has(served: Served) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from tolman.review.store import Base

    with served.site.database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_the_owner_enters_by_a_link_once_and_invites_somebody(served: Served) -> None:
    link = owner_link(served.site, served.url).removeprefix(served.url)
    owner = served.visitor()
    assert owner.get("/").url.path == "/signin"
    owner.get(link)
    owner.get(link)  # looking at it doesn't use it up
    assert owner.post(link).url.path == "/"
    assert "owner" in owner.get("/account").text
    late = served.visitor()
    assert late.get(link).status_code == 404
    late.get("/signin")
    assert late.post(link).status_code == 404

    page = owner.post("/people/invite", role="reviewer").text
    invitation = re.search(r"/invitation/[\w-]+", page).group()
    guest = served.visitor()
    assert "invited" in guest.get(invitation).text
    assert guest.post(invitation, name="Ann", password="short", again="short").status_code == 400
    assert guest.post(invitation, name="Ann", password=PASSWORD, again=PASSWORD + "!").status_code == 400
    assert guest.post(invitation, name="Ann", password=PASSWORD, again=PASSWORD).url.path == "/"
    assert served.visitor().get(invitation).status_code == 404

    again = served.visitor()
    again.get("/signin")
    assert again.post("/signin", name="Ann", password=PASSWORD).url.path == "/"
    again.post("/signout")
    assert again.get("/").url.path == "/signin"


@pytest.mark.parametrize("database", [None])
def test_a_cookie_planted_before_signing_in_is_worth_nothing_after(served: Served) -> None:
    served.account("subject", "Sam")
    planted = "planted-by-somebody-else-and-known-to-them"
    victim = served.visitor()
    victim.http.cookies.set("tolman", planted, domain="127.0.0.1")
    victim.get("/signin")
    victim.post("/signin", name="Sam", password=PASSWORD)
    assert [c.value for c in victim.http.cookies.jar if c.value == planted] == []
    attacker = httpx.get(f"{served.url}/account", headers={"cookie": f"tolman={planted}"})
    assert attacker.status_code == 303


@pytest.mark.parametrize("database", [None])
def test_a_form_without_its_sessions_token_changes_nothing(served: Served) -> None:
    owner, other = served.person("owner", "Olga"), served.person("owner", "Otto")
    before = owner.get("/people").text
    for token in ("", "0" * 32, other.csrf):
        answer = owner.http.post("/people/invite", data={"role": "subject", "csrf": token})
        assert answer.status_code == 403
        assert "/invitation/" not in answer.text
    assert owner.get("/people").text == before


def test_pages_carry_headers_that_keep_a_browser_from_harm(served_sqlite: Served) -> None:
    guest = served_sqlite.visitor()
    for path in ("/signin", "/nowhere", "/static/review.css"):
        headers = guest.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
    cookie = httpx.get(f"{served_sqlite.url}/signin").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()


def test_what_is_too_large_is_refused_with_a_sentence(served_sqlite: Served) -> None:
    guest = served_sqlite.visitor()
    guest.get("/signin")
    answer = guest.http.post("/signin", data={"csrf": guest.csrf, "name": "x" * (1 << 20), "password": "y"})
    assert answer.status_code == 413
    assert "too large" in answer.text


def test_a_closed_account_is_out_at_once(served_sqlite: Served) -> None:
    owner, sam = served_sqlite.person("owner", "Olga"), served_sqlite.person("subject", "Sam")
    close = re.search(
        r"/people/\d+/close(?=(?:(?!/people/\d+/close).)*account of Sam)", owner.get("/people").text, re.S
    )
    assert sam.get("/").url.path == "/"
    owner.post(close.group())
    assert sam.get("/").url.path == "/signin"


def _guess(served: Served, name: str, password: str, **headers: str) -> int:
    guest = served.visitor()
    guest.get("/signin")
    data = {"csrf": guest.csrf, "name": name, "password": password}
    return guest.http.post("/signin", data=data, headers=headers).status_code


def test_guesses_at_once_are_counted_before_they_are_looked_at(
    served_sqlite: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    served_sqlite.account("subject", "Sam")
    looked_at: list[str] = []
    is_right = protection.is_right

    def counted(stored: str | None, password: str) -> bool:
        looked_at.append(password)
        return is_right(stored, password)

    monkeypatch.setattr(protection, "is_right", counted)
    guest = served_sqlite.visitor()
    guest.get("/signin")

    def guess(number: int) -> int:
        name = "Sam" if number % 2 else "  Sam "  # which is the same name
        data = {"csrf": guest.csrf, "name": name, "password": f"guess number {number}"}
        return guest.http.post("/signin", data=data).status_code

    with ThreadPoolExecutor(40) as pool:
        told = list(pool.map(guess, range(40)))
    assert sorted(told) == [401] * 5 + [429] * 35
    assert len(looked_at) == 5
    assert guest.post("/signin", name="Sam", password=PASSWORD).status_code == 429
    served_sqlite.clock.ahead += 61
    assert guest.post("/signin", name="Sam", password=PASSWORD).status_code == 200


def test_an_account_is_limited_whichever_addresses_guesses_come_from(benchmark: Path, serve: Serve) -> None:
    served = serve(benchmark, proxies=("127.0.0.1",))
    served.account("subject", "Sam")
    told = [
        _guess(served, "sam" if n % 2 else "Sam", "wrong wrong", **{"X-Forwarded-For": f"9.9.9.{n}"}) for n in range(25)
    ]
    assert told == [401] * 20 + [429] * 5
    served.clock.ahead += 601
    assert _guess(served, "Sam", PASSWORD, **{"X-Forwarded-For": "9.9.9.99"}) == 303


def test_nobody_but_a_named_proxy_says_where_a_request_comes_from(served_sqlite: Served) -> None:
    served_sqlite.account("subject", "Sam")
    told = [_guess(served_sqlite, "Sam", "wrong wrong", **{"X-Forwarded-For": f"9.9.9.{n}"}) for n in range(7)]
    assert told == [401] * 5 + [429] * 2
    forged = httpx.get(f"{served_sqlite.url}/signin", headers={"x-forwarded-proto": "https"})
    assert "secure" not in forged.headers["set-cookie"].lower()


def test_signing_in_rightly_is_not_limited(served_sqlite: Served) -> None:
    served_sqlite.account("subject", "Sam")
    assert [_guess(served_sqlite, "Sam", PASSWORD) for _ in range(8)] == [303] * 8


def test_addresses_of_one_household_are_counted_as_one() -> None:
    assert network_of("2001:db8:1:2:3:4:5:6") == network_of("2001:db8:1:2::9") == "2001:db8:1:2::/64"
    assert network_of("2001:db8:1:3::9") != network_of("2001:db8:1:2::9")
    assert network_of("::ffff:10.0.0.1") == network_of("10.0.0.1") == "10.0.0.1"


def test_links_never_take_over_a_forged_name_of_the_server(served_sqlite: Served) -> None:
    owner = served_sqlite.person("owner", "Olga")
    own = served_sqlite.url.removeprefix("http://")
    port = own.split(":")[1]
    for host, expected in (
        (own, served_sqlite.url),
        (f"localhost:{port}", f"http://localhost:{port}"),
        ("evil.example", served_sqlite.url),
        (f"localhost:{port}@evil.example", served_sqlite.url),
        ("localhost.evil.example", served_sqlite.url),
        ("127.0.0.1\\@evil.example", served_sqlite.url),
    ):
        answer = owner.http.post("/people/invite", data={"role": "subject", "csrf": owner.csrf}, headers={"host": host})
        link = re.search(r'id="link" readonly value="([^"]+)"', answer.text).group(1)
        assert link.startswith(f"{expected}/invitation/"), host
        assert ("--base-url" in answer.text) == ("evil" in host)
    for path in ("/signin/", "/people/", "/static"):
        answer = owner.http.get(path, headers={"host": "evil.example"}, follow_redirects=False)
        assert "evil" not in answer.headers.get("location", ""), path


def test_links_have_the_name_that_the_owner_gave_the_server(benchmark: Path, serve: Serve) -> None:
    served = serve(benchmark, base_url="https://review.example.org/")
    owner = served.person("owner", "Olga")
    page = owner.post("/people/invite", role="subject").text
    assert 'value="https://review.example.org/invitation/' in page
    assert "secure" in httpx.get(f"{served.url}/signin").headers["set-cookie"].lower()


def test_the_owner_resets_a_password_and_the_old_one_and_all_sessions_end(served: Served) -> None:
    owner, sam = served.person("owner", "Olga"), served.person("subject", "Sam")
    button = r'/people/\d+/reset(?=(?:(?!/people/\d+/reset).)*password<span class="sr"> of Sam)'

    def reset() -> str:
        page = owner.post(re.search(button, owner.get("/people").text, re.S).group())
        return re.search(r"/reset/[\w-]+", re.search(r'id="link"[^>]*>', page.text).group()).group()

    first, link = reset(), reset()
    assert sam.get("/").url.path == "/signin"
    assert _guess(served, "Sam", PASSWORD) == 401
    guest = served.visitor()
    assert guest.get(first).status_code == 404  # the later link stands for the earlier
    assert guest.get(link.replace("/reset/", "/enter/")).status_code == 404
    assert "new password" in guest.get(link).text
    assert guest.post(link, password="another password", again="another passwort").status_code == 400
    assert guest.post(link, password="short", again="short").status_code == 400
    assert guest.post(link, password="another password", again="another password").url.path == "/"
    assert served.visitor().get(link).status_code == 404
    assert _guess(served, "Sam", "another password") == 303
    assert "Reset the password of Olga" not in re.sub("<[^>]+>", "", owner.get("/people").text)


def test_a_password_is_changed_by_who_knows_it_and_other_sessions_end(served: Served) -> None:
    sam = served.person("subject", "Sam")
    other = served.visitor()
    other.get("/signin")
    other.post("/signin", name="Sam", password=PASSWORD)
    assert other.get("/").url.path == "/"
    new = {"password": "another password", "again": "another password"}
    sam.get("/account")
    for current in ("", "wrong wrong wrong"):
        answer = sam.post("/account", current=current, **new)
        assert (answer.status_code, "current password is another" in answer.text) == (400, True)
    assert other.get("/").url.path == "/"
    assert sam.post("/account", current=PASSWORD, **new).status_code == 200
    assert sam.get("/").url.path == "/"
    assert sam.post("/account", current="another password", **new).status_code == 200  # the page's form still works
    assert other.get("/").url.path == "/signin"
    owner = served.visitor()
    link = owner_link(served.site, "")
    owner.get(link)
    owner.post(link)
    assert "Current password" not in owner.get("/account").text
    assert owner.post("/account", **new).status_code == 200
    assert "Current password" in owner.get("/account").text


def test_a_name_that_looks_like_another_is_refused(served_sqlite: Served) -> None:
    owner = served_sqlite.person("owner", "Olga")
    invitation = re.search(r"/invitation/[\w-]+", owner.post("/people/invite", role="subject").text).group()
    guest = served_sqlite.visitor()
    guest.get(invitation)
    for name in ("Olga\u200b", "olga", "\u202eOlga", "\u200b"):
        assert guest.post(invitation, name=name, password=PASSWORD, again=PASSWORD).status_code == 400, name
    assert guest.post(invitation, name="Ol\u0308ga", password=PASSWORD, again=PASSWORD).url.path == "/"
    assert _guess(served_sqlite, "Ol\u0308ga", PASSWORD) == 303


def test_the_database_and_its_folder_are_their_owner_s_alone(benchmark: Path, tmp_path: Path) -> None:
    before = os.umask(0o022)
    settings, clock = settings_of(benchmark, tmp_path / "store", None)
    try:
        with serving(settings, clock) as served:
            served.account("subject", "Sam")
            files = sorted((tmp_path / "store").glob("review.sqlite*"))
            assert [file.name for file in files] == ["review.sqlite", "review.sqlite-shm", "review.sqlite-wal"]
            assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
            assert (tmp_path / "store").stat().st_mode & 0o777 == 0o700
        (tmp_path / "store" / "review.sqlite").chmod(0o644)  # as earlier versions left it
        with serving(settings, clock) as served:
            served.account("subject", "Sue")
            for file in (tmp_path / "store").glob("review.sqlite*"):
                assert file.stat().st_mode & 0o777 == 0o600, file.name
    finally:
        os.umask(before)
