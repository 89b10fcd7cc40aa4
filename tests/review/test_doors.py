"""Signing in, invitations, sessions, and who may call what."""

from __future__ import annotations

import re

import httpx

from reviewing import PASSWORD, Served
from tolman.review.server import owner_link


def test_a_database_is_brought_to_the_tables_that_the_code_has(served: Served) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from tolman.review.schema import Base

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


def test_wrong_passwords_are_slowed_down(served_sqlite: Served) -> None:
    served_sqlite.account("subject", "Sam")
    guest = served_sqlite.visitor()
    guest.get("/signin")
    for _ in range(5):
        assert guest.post("/signin", name="Sam", password="wrong wrong wrong").status_code == 401
    assert guest.post("/signin", name="Sam", password=PASSWORD).status_code == 429


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
