"""Previews: a project's pages as somebody of a role sees them; no row is written, nothing on them sends.

Files of a project: what the owner loads in the browser is what the command line writes.
"""

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from making import violations
from reviewing import TRUTHS, Served, answer_all, enter, item_on, items, review
from tolman.item_table import read_items
from tolman.review.projects.project_export import export_runs
from tolman.review.projects.study_projects import start_study
from tolman.review.store import Base
from tolman.review.studies import Study
from tolman.runs.run_folder import RunFolder
from tolman.text_tables import csv_text


def _rows(served: Served) -> dict[str, int]:
    """How many rows each table has."""
    with served.site.database.read() as db:
        return {
            name: db.scalar(select(func.count()).select_from(table)) or 0
            for name, table in Base.metadata.tables.items()
        }


def test_each_role_sees_its_own_page_and_nothing_is_written(served: Served) -> None:
    project = served.project("review", "R", people=1)
    owner = served.person("owner", "Olga")
    before, path = _rows(served), f"/projects/{project}/preview"
    shown = owner.get(f"{path}/reviewer")
    assert shown.status_code == 200
    assert item_on(owner) in TRUTHS
    assert "preview " in shown.text
    assert "First, answer it yourself" in shown.text
    assert "There is no such project" in owner.get(f"{path}/subject").text
    assert "not for your role" in owner.get(f"{path}/subject?view=progress").text
    assert (
        "1 is waiting" in owner.get(f"{path}/reviewer?view=home").text
        or "6 are waiting" in owner.get(f"{path}/reviewer?view=home").text
    )
    assert owner.get(f"{path}/king").status_code == 404
    assert owner.get("/projects/999/preview/reviewer").status_code == 404
    assert _rows(served) == before
    assert len(review(served.person("reviewer", "Ann"), project)) == len(TRUTHS)  # nobody holds a task


def test_nothing_on_a_preview_can_be_sent(served_sqlite: Served) -> None:
    owner = served_sqlite.person("owner", "Olga")
    for mode, role in (("review", "reviewer"), ("answer", "subject"), ("classify", "annotator")):
        project = served_sqlite.project(mode, mode)
        text = owner.get(f"/projects/{project}/preview/{role}").text
        page = text[: text.index('<section class="preview"')] + text[text.index('<main id="main"') :]
        assert not re.search(r"<[^>]+\s(hx-\w+|action|method)=", page)
        assert not re.search(r'<button(?![^>]*(\sdisabled|type="button"))', page)
        assert "<video" in page or "<img" in page


def test_a_restricted_study_is_previewed_too(served_sqlite: Served) -> None:
    study = {"title": "How well people do", "parts": [{"sample": {"people": 2, "by": None}}]}
    with served_sqlite.site.database.write() as db:
        project = start_study(db, served_sqlite.site, Study.model_validate(study))[0]
        project.restricted = True
    owner = served_sqlite.person("owner", "Olga")
    before = _rows(served_sqlite)
    assert "How well people do" in owner.get(f"/projects/{project.id}/preview/subject").text
    assert _rows(served_sqlite) == before


@pytest.mark.full
def test_a_preview_is_reached_and_left_by_keyboard(page: Any, served: Served) -> None:
    served.project("review", "R", people=1)
    enter(page, served, "owner", "Olga")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    page.get_by_role("link", name="Preview of R").press("Enter")
    page.get_by_text("Nothing is written").wait_for()
    assert not violations(page)
    page.get_by_role("link", name="End the preview").press("Enter")
    page.get_by_role("heading", name="Start a project").wait_for()


def _unzipped(answer: httpx.Response, place: Path) -> list[str]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        archive.extractall(place)
        return archive.namelist()


def _table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.full
def test_items_and_agreement_of_a_review_are_loaded(served: Served, benchmark: Path, tmp_path: Path) -> None:
    project = served.project("review", people=2)
    owner = served.person("owner", "Olga")
    path = f"/projects/{project}/files"
    none = owner.get(f"{path}/items.zip")
    assert none.status_code == 409
    assert "is approved yet" in none.text
    for name in ("Ann", "Bob"):
        review(served.person("reviewer", name), project, {"order": {"verdict": "discard", "reason": "unclear"}})
    names = _unzipped(owner.get(f"{path}/items.zip"), tmp_path)
    folder = tmp_path / benchmark.name
    assert {item.id for item in read_items(folder / "items.parquet")} == set(TRUTHS) - {"order"}
    assert (folder / "videos" / "left.mp4").read_bytes() == (benchmark / "videos" / "left.mp4").read_bytes()
    assert f"{benchmark.name}/review.json" in names

    tables = _unzipped(owner.get(f"{path}/tables.zip"), tmp_path / "tables")
    assert [name for name in tables if "agreement" in name] == ["3-agreement.csv", "agreement.json"]
    rows = {row[0]: row[1:] for row in _table((tmp_path / "tables" / "3-agreement.csv").read_text())}
    assert rows["figure"] == ["value", "95 % interval", "questions"]
    told = json.loads((tmp_path / "tables" / "agreement.json").read_text())
    assert told == json.loads((folder / "review.json").read_text())["agreement"]
    assert rows["Krippendorff's alpha of verdicts"][2] == str(told["verdicts_alpha"]["n"]) == "6"

    head, *times = _table(owner.get(f"{path}/times.csv").text)
    assert head[:5] == ["person", "item", "version", "stage", "step"]
    assert len(times) == 2 * 2 * len(items())
    assert {tuple(row[2:5]) for row in times} == {("1", "review", "answer"), ("1", "review", "decide")}
    assert {row[6] for row in times} == {"2.0", "1.0"}  # a form's seconds go on from the step before
    log = [json.loads(line) for line in owner.get("/audit/events.jsonl").text.splitlines()]
    exported = [(event["who"], event["more"]["kind"]) for event in log if event["what"] == "exported"]
    assert exported == [("Olga", "benchmark"), ("Olga", "tables"), ("Olga", "times")]


def test_runs_are_those_of_the_command_line(served_sqlite: Served, tmp_path: Path) -> None:
    project = served_sqlite.project("answer")
    owner = served_sqlite.person("owner", "Olga")
    path = f"/projects/{project}/files"
    assert "nobody has answered" in owner.get(f"{path}/runs.zip").text
    answer_all(served_sqlite.person("subject", "Sam"), project, TRUTHS)
    _unzipped(owner.get(f"{path}/runs.zip"), tmp_path / "browser")
    (by_command,) = export_runs(served_sqlite.site, tmp_path / "command").folders
    loaded = RunFolder(tmp_path / "browser" / "runs" / "Sam")
    assert list(loaded.outcomes()) == list(by_command.outcomes())
    assert loaded.record().settings == by_command.record().settings
    assert owner.get("/projects/999/files").status_code == 404


def test_only_what_a_project_has_is_offered(served_sqlite: Served) -> None:
    owner = served_sqlite.person("owner", "Olga")
    found = {
        mode: owner.get(f"/projects/{served_sqlite.project(mode, mode)}/files").text
        for mode in ("answer", "review", "classify")
    }
    assert {mode for mode, text in found.items() if "Load the runs" in text} == {"answer"}
    assert {mode for mode, text in found.items() if "Load the labels" in text} == {"classify"}


def test_cells_that_a_spreadsheet_would_compute_are_texts() -> None:
    assert csv_text([["-0.12", "-1+1", "=1", "x"]]) == "-0.12,'-1+1,'=1,x\n"


@pytest.mark.full
def test_files_are_loaded_by_keyboard(page: Any, served: Served) -> None:
    project = served.project("answer")
    answer_all(served.person("subject", "Sam"), project, TRUTHS)
    enter(page, served, "owner", "Olga")
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/")
    page.get_by_role("link", name="Files of Work").press("Enter")
    page.get_by_role("heading", name="Files of Work").wait_for()
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for name, file in (
        ("Load the runs", "runs.zip"),
        ("Load the tables", "tables.zip"),
        ("Load the times", "times.csv"),
    ):
        with page.expect_download() as loading:
            page.get_by_text(name).press("Enter")
        assert loading.value.suggested_filename == f"{project}-{file}"
    page.goto(f"/projects/{served.project('classify', 'C')}/files")
    page.get_by_role("heading", name="Label Studio", exact=True).wait_for()
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
