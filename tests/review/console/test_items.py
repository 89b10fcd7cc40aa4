"""Items of a project as a table: what the database filters, sorts and counts."""

from __future__ import annotations

import html
import re
import statistics
from typing import Any

import pytest
from sqlalchemy import select

from reviewing import TRUTHS, Client, Served, answer_all, item_on, items, review
from tolman.review.console import SORTS, STATES, ItemFilter, labels_of, page_of
from tolman.review.store import ItemVersion, Submission, Task
from tolman.scoring.agreement_coefficients import observed_agreement


def rows_of(served: Served, project: int, **chosen: Any) -> list[Any]:
    """The rows of a filter's page."""
    return served.told(page_of, project, ItemFilter(**chosen), served.clock()).rows


def names_of(served: Served, project: int, **chosen: Any) -> list[str]:
    """The ids of the items of a filter's page."""
    return [row.item for row in rows_of(served, project, **chosen)]


def test_states_of_a_review(served: Served) -> None:
    project = served.project("review", people=2)
    ann, bob = served.person("reviewer", "Ann"), served.person("reviewer", "Bob")
    assert {row.state for row in rows_of(served, project)} == {"waiting"}
    ann.get(f"/projects/{project}/work")
    first = item_on(ann)
    assert names_of(served, project, state="leased") == [first]
    review(ann, project, {"which": {"verdict": "flag", "target": "item", "reason": "odd"}})
    assert names_of(served, project, state="flagged") == ["which"]
    assert sorted(names_of(served, project, state="answered")) == sorted(set(TRUTHS) - {"which"})
    review(
        bob, project, {"order": {"verdict": "discard", "reason": "no"}, "pair": {"verdict": "discard", "reason": "no"}}
    )
    by_item = {row.item: row for row in rows_of(served, project)}
    assert {name: row.state for name, row in by_item.items()} == {
        "count": "settled", "size": "settled", "script": "settled", "which": "flagged", "order": "answered",
        "pair": "answered",
    }  # fmt: skip
    assert (by_item["count"].answers, by_item["count"].wanted) == (2, 2)
    assert (by_item["order"].answers, by_item["order"].wanted) == (2, 3)  # an adjudicator is asked
    review(served.person("reviewer", "Cat"), project, {"order": {"verdict": "discard", "reason": "no"}})
    assert names_of(served, project, state="left out") == ["order"]
    assert [len(rows_of(served, project, state=state)) for state in STATES] == [0, 0, 0, 4, 1, 1, 0]


def test_texts_labels_and_wildcards(served: Served) -> None:
    project = served.project("answer")
    assert served.told(labels_of, project) == sorted({item.task for item in items()})
    assert names_of(served, project, text="CHAIRS") == ["count"]
    assert names_of(served, project, text="siz") == ["size"]  # the id and the label
    assert sorted(names_of(served, project, label="motion")) == ["script", "which"]
    assert names_of(served, project, label="motion", text="camera") == ["which"]
    assert names_of(served, project, text="%") == names_of(served, project, text="o_ject") == []
    assert names_of(served, project, text="object_s") == ["size"]


def test_figures_are_those_of_the_answers(served: Served) -> None:
    project = served.project("answer")
    given = {"Sam": {"order": "A"}, "Tom": {"order": "A", "which": "B"}, "Una": {"order": "C"}}
    clients: list[Client] = []
    for name, differing in given.items():
        clients.append(served.person("subject", name))
        answer_all(clients[-1], project, TRUTHS | differing)
    with served.site.database.read() as db:
        found: dict[str, list[tuple[str, float]]] = {}
        for key, content, seconds in db.execute(
            select(Task.key, Submission.content, Submission.seconds).join(Submission, Submission.task_id == Task.id)
        ):
            found.setdefault(key, []).append((content["answer"], seconds))
    for row in rows_of(served, project):
        assert (row.answers, row.wanted) == (3, None)
        assert row.seconds == pytest.approx(statistics.median(seconds for _, seconds in found[row.item]))
        answers = [answer for answer, _ in found[row.item]]
        pairs = [(a, b) for i, a in enumerate(answers) for b in answers[i + 1 :]]
        agreed = observed_agreement([a for a, _ in pairs], [b for _, b in pairs])
        assert agreed is not None
        expected = None if row.item in ("count", "size") else pytest.approx(1 - agreed)  # numbers are no choices
        assert row.disagreement == expected
    clients[2].get(f"/projects/{project}/work")
    clients[2].post(f"/projects/{project}/undo")  # what was taken back counts nowhere
    assert sorted(row.answers for row in rows_of(served, project)) == [2, 3, 3, 3, 3, 3]


def test_each_column_sorts_and_nothing_known_comes_last(served: Served) -> None:
    project = served.project("classify", people=2)
    with served.site.database.write() as db:
        for number, version in enumerate(db.scalars(select(ItemVersion).order_by(ItemVersion.item))):
            version.missed = None if number == 0 else number % 3
    for sort in SORTS:
        up, down = names_of(served, project, sort=sort), names_of(served, project, sort=sort, order="down")
        assert sorted(up) == sorted(down) == sorted(TRUTHS)
    by_models = rows_of(served, project, sort="models", order="down")
    assert [row.missed for row in by_models] == [2, 2, 1, 1, 0, None]
    assert names_of(served, project, sort="id", order="down") == sorted(TRUTHS, reverse=True)


def test_pages_are_cut_by_the_database(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    project = served.project("answer")
    monkeypatch.setattr("tolman.review.console.ROWS", 4)
    whole = [served.told(page_of, project, ItemFilter(page=page), 0.0) for page in (1, 2, 99)]
    assert [(len(one.rows), one.found, one.page, one.pages) for one in whole] == [
        (4, 6, 1, 2),
        (2, 6, 2, 2),
        (2, 6, 2, 2),
    ]
    assert [row.item for one in whole[:2] for row in one.rows] == sorted(TRUTHS)


def test_labels_are_compared_as_a_whole(served: Served) -> None:
    project = served.project("classify", people=2)
    for name in ("Ann", "Bob"):
        client = served.person("annotator", name)
        page = client.get(f"/projects/{project}/work")
        fields: dict[str, str] = {}
        for group in ("category", *_groups(page.text)):
            values = _values(page.text, group)
            fields[f"group-{group}"] = values[-1 if group == "category" and name == "Bob" else 0]
        assert client.post(page.url.path, **fields).url.path != page.url.path
    found = {row.item: (row.answers, row.disagreement) for row in rows_of(served, project)}
    assert sorted(found.values(), key=str) == [(0, None)] * 5 + [(2, 1.0)]


def _groups(page: str) -> set[str]:
    return set(re.findall(r'name="group-(\w+)"', page)) - {"category"}


def _values(page: str, group: str) -> list[str]:
    return [html.unescape(value) for value in re.findall(rf'name="group-{group}" value="([^"]+)"', page)]


def test_queries_of_addresses_leave_out_what_is_usual() -> None:
    chosen = ItemFilter(text="a b", state="left out", page=3)
    assert chosen.query() == "text=a+b&state=left+out"
    assert chosen.query(page=2) == "text=a+b&state=left+out&page=2"
    assert ItemFilter().query() == ""
    assert chosen.sorted_by("time") == "text=a+b&state=left+out&sort=time"
    assert ItemFilter(sort="time").sorted_by("time") == "sort=time&order=down"
    assert ItemFilter(sort="time", order="down").sorted_by("time") == "sort=time"
