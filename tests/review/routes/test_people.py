"""The page of people: links listed and taken back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from making import violations
from reviewing import PASSWORD, Client, Served, enter, until


def _rows(owner: Client) -> list[list[str]]:
    """The table of links: the texts of each row's cells."""
    text = owner.get("/people").text
    table = text[text.index('id="links"') :].split("</table>")[0]
    return [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]
    ]


def _invite(owner: Client, role: str, note: str) -> str:
    found = re.search(r"/invitation/[\w-]+", owner.post("/people/invite", role=role, note=note).text)
    assert found is not None
    return found.group()


def test_links_are_listed_with_whom_they_are_for_and_what_became_of_them(served: Served) -> None:
    owner = served.person("owner", "Olga")
    used, _, revoked = (_invite(owner, "reviewer", f"{name} <b>") for name in ("Ann", "Bob", "Cat"))
    guest = served.visitor()
    guest.get(used)
    guest.post(used, name="Ann R.", password=PASSWORD, again=PASSWORD)
    number = re.search(r"/people/invitations/(\d+)/revoke", owner.get("/people").text)
    assert number is not None
    owner.post(number.group())  # the newest: Cat's
    late = served.visitor()
    assert "was taken back" in late.get(revoked).text
    assert late.last is not None
    assert late.last.status_code == 404
    late.get("/signin")
    assert late.post(revoked, name="Cat", password=PASSWORD, again=PASSWORD).status_code == 400
    assert owner.post(number.group()).status_code == 404  # once

    rows = {row[0]: (row[1], row[2], row[5]) for row in _rows(owner)}
    assert rows["Bob &lt;b&gt;"][2].startswith("open")
    assert rows["Ann &lt;b&gt;"][:2] == ("new account", "reviewer")
    assert re.fullmatch(r"used [\d :-]+ by Ann R\.", rows["Ann &lt;b&gt;"][2])
    assert re.fullmatch(r"revoked [\d :-]+", rows["Cat &lt;b&gt;"][2])
    text = owner.get("/people").text
    assert not any(link.split("/")[-1] in text for link in (used, revoked))
    served.clock.ahead = 3600 * 24 * 365
    later = served.person("owner", "Otto")
    assert {row[0]: row[5] for row in _rows(later)}["Bob &lt;b&gt;"] == "expired"
    log = [json.loads(line) for line in later.get("/audit/events.jsonl").text.splitlines()]
    told = [(event["what"], event["who"], event["more"]) for event in log if "link" in event["what"]]
    assert told == [
        ("link revoked", "Olga", {"invitation": int(number.group(1)), "purpose": "join", "role": "reviewer"})
    ]
    assert [event["more"]["note"] for event in log if event["what"] == "invited"] == ["Ann <b>", "Bob <b>", "Cat <b>"]


def test_a_reset_takes_earlier_links_of_the_account_back(served_sqlite: Served) -> None:
    owner, _ = served_sqlite.person("owner", "Olga"), served_sqlite.account("subject", "Sam")
    text = owner.get("/people").text
    reset = re.search(r"/people/\d+/reset(?=(?:(?!/people/\d+/reset).)*password<span class=.sr.> of Sam<)", text, re.S)
    assert reset is not None
    owner.post(reset.group())
    owner.post(reset.group())
    assert [[*row[1:3], row[5].split()[0]] for row in _rows(owner)] == [
        ["new password", "subject", "open"],
        ["new password", "subject", "revoked"],
    ]


@pytest.mark.full
def test_the_page_is_used_by_keyboard_at_any_width(page: Any, served: Served) -> None:
    enter(page, served, "owner", "Olga")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/people")
    page.get_by_role("radio", name="subject").press("Space")
    page.get_by_label("Who it is for").fill("Zoë from the lab")
    page.keyboard.press("Enter")
    page.get_by_label("Link", exact=True).wait_for()
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Revoke the link for Zoë from the lab").press("Enter")
    until(page, lambda: page.get_by_role("cell", name="revoked").count() == 1)
