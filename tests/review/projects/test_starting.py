"""Projects that are started part after part."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select

from reviewing import Serve, items, settings_of
from tolman.item_table import write_items
from tolman.review import projects
from tolman.review.site import Site, open_site
from tolman.review.store import ItemVersion, Project, Starting, Task, TaskMedium


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A benchmark of five parts and a bit; its media aren't looked at."""
    folder = tmp_path / "large"
    folder.mkdir()
    base = items()[2]
    write_items(folder / "items.parquet", [base.model_copy(update={"id": f"q{n:04}"}) for n in range(23)])
    (folder / "benchmark.json").write_text('{"name": "large", "title": "Large"}', encoding="utf-8")
    return folder


def _counts(site: Site) -> tuple[int, int, int]:
    with site.database.read() as db:
        items, tasks, media = (
            db.scalar(select(func.count()).select_from(table)) for table in (ItemVersion, Task, TaskMedium)
        )
    return items, tasks, media


def test_a_large_project_is_made_once_though_the_server_dies_in_between(
    large: Path, tmp_path: Path, database: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "PART", 5)
    monkeypatch.setattr(projects, "resume", lambda site, stopped=None: None)  # nothing goes on by itself
    settings, _ = settings_of(large, tmp_path / "store", database)
    site = open_site(settings)
    number = projects.begin_starting(site, "Large", "review", {"people": 2}, None)
    assert _counts(site) == (0, 0, 0)
    assert projects.next_part(site, number)
    site.database.close()  # gone
    site, other = open_site(settings), open_site(settings)  # two processes go on at once
    assert projects.next_part(site, number)
    assert projects.next_part(other, number)
    with site.database.read() as db:
        row = projects.starting_under_way(db)[number]
        assert (row.done, row.total, row.problem) == (15, 23, "")
        assert not db.get_one(Project, number).open
    while projects.next_part(site, number):
        pass
    assert not projects.next_part(other, number)
    assert _counts(site) == (23, 23, 23)
    with site.database.read() as db:
        assert db.get_one(Project, number).open
        assert set(db.scalars(select(Task.wanted))) == {2}
        assert db.scalars(select(Starting)).all() == []
    site.database.close()
    other.database.close()


@pytest.mark.full
def test_others_work_while_a_project_is_started_and_the_page_tells_how_far_it_is(
    large: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projects, "PART", 5)
    served = serve(large)
    going_on = projects.resume
    monkeypatch.setattr(projects, "resume", lambda site, stopped=None: None)
    owner, sam = served.person("owner", "O"), served.person("subject", "Sam")
    assert owner.post("/projects", name="Large", mode="answer").status_code == 200
    projects.next_part(served.site, 1)
    page = owner.get("/").text
    assert "5 of 23 questions" in page
    assert owner.post("/projects/1/open", open="true").status_code == 409
    assert sam.get("/projects/1/work").url.path == "/projects/1/work"  # nothing to do yet
    thread = going_on(served.site)
    assert thread is not None
    thread.join(120)
    assert "of 23 questions" not in owner.get("/").text
    assert sam.get("/projects/1/work").url.path.startswith("/answer/")
