"""Who may work where: several roles of a person, and projects that are open to some people only."""

import json
import re
from typing import Any

import pytest
from sqlalchemy import select

from making import violations
from reviewing import PASSWORD, Client, Served, enter, until
from tolman.errors import UsageError
from tolman.review import accounts, projects
from tolman.review.projects.study_projects import start_study
from tolman.review.store import User
from tolman.review.studies import Study
from tolman.review.studies.study_steps import join_path


def _id(served: Served, name: str) -> int:
    with served.site.database.read() as db:
        return db.scalars(select(User.id).where(User.name == name)).one()


def _send(client: Client, path: str, **fields: object) -> int:
    """Send a form that has a field several times."""
    answer = client.http.post(path, data={"csrf": client.csrf, **fields}, follow_redirects=False)
    return answer.status_code


def _works(client: Client, project: int) -> bool:
    """Whether somebody finds a project on their page and is given a task there; both say the same."""
    listed = f"/projects/{project}/work" in client.get("/").text
    given = client.get(f"/projects/{project}/work").status_code == 200
    assert listed == given
    return given


def test_a_person_does_what_any_of_their_roles_does(served: Served) -> None:
    owner, ann = served.person("owner", "Olga"), served.person("annotator", "Ann")
    review, classify = served.project("review", "R", people=1), served.project("classify", "C")
    assert (_works(ann, review), _works(ann, classify)) == (False, True)
    number = _id(served, "Ann")
    assert _send(owner, f"/people/{number}", roles=["reviewer", "annotator"]) == 303
    assert (_works(ann, review), _works(ann, classify)) == (True, True)
    assert "annotator, reviewer" in ann.get("/account").text
    assert ann.get("/people").status_code == 403
    assert _send(owner, f"/people/{number}", roles=["reviewer"]) == 303
    assert ann.get(f"/projects/{review}/progress").status_code == 200
    log = [json.loads(line) for line in owner.get("/audit/events.jsonl").text.splitlines()]
    told = [event["more"] for event in log if event["what"] == "roles set"]
    assert told[0] == {"account": "Ann", "roles": ["annotator", "reviewer"], "projects": []}


def test_roles_may_come_from_an_iterator(served_sqlite: Served) -> None:
    served_sqlite.person("annotator", "Ann")
    with served_sqlite.site.database.write() as db:
        ann = db.scalars(select(User).where(User.name == "Ann")).one()
        accounts.set_roles(db, ann, iter(["annotator", "reviewer"]))
        assert {ann.role, *ann.further} == {"annotator", "reviewer"}


def test_kinds_of_work_may_come_from_an_iterator(served_sqlite: Served) -> None:
    served_sqlite.project("review", "R", people=1)
    served_sqlite.project("classify", "C")
    with served_sqlite.site.database.read() as db:
        assert projects.project_named(db, iter(["answer", "classify"]), None).name == "C"
        with pytest.raises(UsageError, match="R, C"):
            projects.project_named(db, iter(["review", "classify"]), None)


def test_an_annotator_who_reviews_elsewhere_is_not_shown_the_progress_of_annotating(served_sqlite: Served) -> None:
    both = served_sqlite.person("annotator", "Ann", "reviewer")
    with served_sqlite.site.database.write() as db:
        write = projects.add_project(db, served_sqlite.site, "W", "write", {}).id
    review = served_sqlite.project("review", "R", people=1)
    assert both.get(f"/projects/{review}/progress").status_code == 200
    assert both.get(f"/projects/{write}/progress").status_code == 404


@pytest.mark.parametrize("database", [None])
def test_roles_that_do_not_go_together_are_refused(served: Served) -> None:
    owner = served.person("owner", "Olga")
    served.account("subject", "Sam")
    number = _id(served, "Sam")
    for roles, why in ((["subject", "reviewer"], "no other role"), ([], "Choose one role")):
        answer = owner.http.post(f"/people/{number}", data={"csrf": owner.csrf, "roles": roles})
        assert answer.status_code == 400
        assert why in answer.text
    assert _send(owner, f"/people/{number}", roles=["king"]) == 422
    with served.site.database.write() as db:
        db.get_one(User, 1).active = False  # the account that was made with the database
    answer = owner.http.post(f"/people/{_id(served, 'Olga')}", data={"csrf": owner.csrf, "roles": ["reviewer"]})
    assert "Nobody else is an owner" in answer.text
    assert [(u.role, u.further) for u in served.scalars(select(User).where(User.name == "Sam"))] == [("subject", [])]


@pytest.mark.full
def test_a_restricted_project_is_found_by_its_people_alone(served: Served) -> None:
    owner = served.person("owner", "Olga")
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    project = served.project("review", "R", people=2)
    task = bob.get(f"/projects/{project}/work").url.path
    medium = next(word for word in bob.get(task).text.split(chr(34)) if word.startswith("/media/")).split("#")[0]
    assert bob.get(medium).status_code == 200
    path, number = f"/projects/{project}/people", _id(served, "Ann")
    assert _send(owner, path, restricted="true", users=[number]) == 303
    assert (_works(ann, project), _works(bob, project)) == (True, False)
    for address in (task, medium, f"/projects/{project}/progress"):
        assert bob.get(address).status_code == 404, address
    bob.get("/account")
    assert bob.post(f"{task}/answer", answer="A").status_code == 404
    assert bob.post(f"/projects/{project}/undo").status_code == 404
    assert owner.get(f"/projects/{project}/progress").status_code == 200
    assert "some people only" in owner.get("/").text

    other = _id(served, "Bob")
    assert _send(owner, f"/people/{other}", roles=["reviewer"], projects=[project]) == 303
    assert bob.get(task).status_code == 200
    assert _send(owner, f"/people/{other}", roles=["reviewer"]) == 303
    assert not _works(bob, project)
    assert _send(owner, path, restricted="true", users=[999]) == 409
    assert _send(owner, path, restricted="false", users=[number]) == 303
    assert _works(bob, project)


def test_a_studys_link_lets_people_into_a_restricted_study(served_sqlite: Served) -> None:
    study = {"title": "S", "parts": [{"sample": {"people": 2, "by": None}}]}
    with served_sqlite.site.database.write() as db:
        project = start_study(db, served_sqlite.site, Study.model_validate(study))[0]
    owner, sam = served_sqlite.person("owner", "Olga"), served_sqlite.person("subject", "Sam")
    assert _send(owner, f"/projects/{project.id}/people", restricted="true") == 303
    assert not _works(sam, project.id)
    assert sam.get(f"/studies/{project.id}").status_code == 404
    guest = served_sqlite.visitor()
    path = join_path(served_sqlite.site, project.id)
    guest.get(path)
    guest.post(path, agreed="yes")
    assert guest.get(f"/projects/{project.id}/work").url.path.startswith("/study/")


@pytest.mark.full
def test_people_are_chosen_by_keyboard(page: Any, served: Served) -> None:
    project = served.project("review", "R", people=1)
    for name in ("Ann", "Bob"):
        served.account("reviewer", name)
    enter(page, served, "owner", "Olga")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    page.get_by_role("link", name="People of R").press("Enter")
    page.get_by_role("heading", name="People of R").wait_for()
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("radio", name="only these people").press("Space")
    page.get_by_role("checkbox", name="Ann").press("Space")
    page.get_by_role("button", name="Save").press("Enter")
    page.get_by_text("some people only").wait_for()
    page.goto(f"/people/{_id(served, 'Ann')}")
    assert not violations(page)
    assert page.get_by_role("checkbox", name="R", exact=True).is_checked()
    page.get_by_role("checkbox", name="annotator").press("Space")
    page.get_by_role("button", name="Save").press("Enter")
    until(page, lambda: page.get_by_role("cell", name="annotator, reviewer").count() == 1)
    assert project


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
