"""SITE's classifications by hand: from pages to the file that curation reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from making import violations
from reviewing import LABELS, Client, Served, at_work, items
from tolman.curate.filtering import read_hand_labels
from tolman.curate.mapping import open_taxonomy
from tolman.review.modes.labelling import majority_labels


def _label_all(client: Client, project: int, labels: dict[str, str]) -> int:
    for done in range(20):
        page = client.get(f"/projects/{project}/work")
        if not page.url.path.startswith("/classify/"):
            return done
        fields = {f"group-{name}": value for name, value in labels.items()}
        assert client.post(page.url.path, follow=False, seconds=1, **fields).status_code == 303
    raise AssertionError("there is no end of tasks")


def test_what_two_agree_on_is_what_curation_reads(served: Served, tmp_path: Path) -> None:
    project = served.project("classify")
    ann, bob = served.person("annotator", "Ann"), served.person("annotator", "Bob")
    assert _label_all(ann, project, LABELS) == len(items())
    assert _label_all(bob, project, LABELS | {"scale": "figural"}) == len(items())
    rita = served.person("reviewer", "Rita")
    file = tmp_path / "hand.jsonl"
    file.write_text(rita.get(f"/classify/projects/{project}/labels.jsonl").text)
    found = read_hand_labels(file, open_taxonomy("site"))
    agreed = {name: value for name, value in LABELS.items() if name != "scale"}
    assert found == {item.id: agreed for item in items()}
    progress = rita.get(f"/projects/{project}/progress").text
    assert "Scale of the space" in progress


def test_labels_stay_closed_to_who_may_still_label(served: Served) -> None:
    project = served.project("classify")
    ann, rita = served.person("annotator", "Ann"), served.person("reviewer", "Rita")
    other, owner = served.person("reviewer", "Otto"), served.person("owner", "Olga")
    file, progress = f"/classify/projects/{project}/labels.jsonl", f"/projects/{project}/progress"
    assert _label_all(ann, project, LABELS) == len(items())
    for _ in (1, 2):  # before anything is taken, and with a task that is held
        for client in (rita, other):
            assert client.get(file).status_code == 403
            page = client.get(progress).text
            assert "Krippendorff" not in page
            assert "vista" not in page.lower()
            assert "when you have done all your tasks" in page
        rita.get(f"/projects/{project}/work")
    assert len(owner.get(file).text.splitlines()) == len(items())
    assert "Krippendorff" in owner.get(progress).text
    served.clock.ahead += 60
    assert _label_all(rita, project, LABELS) == len(items())
    for client in (rita, other):  # two have labelled everything: nobody is asked any more
        assert len(client.get(file).text.splitlines()) == len(items())
        assert "Krippendorff" in client.get(progress).text
    assert owner.get(f"{file}?marked=false").text == ""  # no browser said that the media had loaded


def test_a_missing_label_is_asked_for(served_sqlite: Served) -> None:
    project = served_sqlite.project("classify")
    ann = served_sqlite.person("annotator", "Ann")
    path = ann.get(f"/projects/{project}/work").url.path
    fields = {f"group-{name}": value for name, value in LABELS.items() if name != "change"}
    answer = ann.post(path, **fields)
    assert answer.status_code == 422
    assert "Static or dynamic: choose one." in answer.text
    assert answer.text.count(" checked") == 4


def test_an_even_vote_leaves_a_label_out() -> None:
    rows = [{"id": "1", "annotator": name, **LABELS, "scale": scale} for name, scale in
            (("a", "vista"), ("b", "figural"), ("c", "vista"))]  # fmt: skip
    assert majority_labels(rows)[0]["scale"] == "vista"
    assert "scale" not in majority_labels(rows[:2])[0]
    assert json.loads(json.dumps(majority_labels(rows)))[0]["annotators"] == ["a", "b", "c"]


def test_the_page_is_accessible(browser: Any, served_sqlite: Served) -> None:
    project = served_sqlite.project("classify")
    context = browser.new_context(base_url=served_sqlite.url, viewport={"width": 1180, "height": 900})
    page = context.new_page()
    at_work(page, served_sqlite, "annotator", "Ann", project)
    page.get_by_label("Vista").check()
    page.get_by_text("Kept.").wait_for()
    assert not violations(page)
    context.close()
