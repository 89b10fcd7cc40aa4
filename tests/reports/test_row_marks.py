"""A part, a mixture and a mean over few questions are marked in their own row, in every form of a report."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import charted
from shown import on_console
from tolman.features.compare.compute import compare
from tolman.features.compare.config import CompareConfig
from tolman.features.opened_folders import Run
from tolman.features.report.compute import report
from tolman.features.report.config import ReportConfig
from tolman.features.report.render import print_report
from tolman.items import Item, Selection
from tolman.reports.loaded_runs import LoadedRun, load_runs
from tolman.reports.report_content import build
from tolman.reports.report_pages import matrix_of, render
from tolman.reports.site.question_sets import table_of
from tolman.responses import Outcome, Response

MakeRun = Callable[..., LoadedRun]
RUNS = 5130


@pytest.fixture
def make_run(tmp_path: Path, number: Callable[..., Item], choice: Callable[..., Item]) -> MakeRun:
    def make(
        model: str = "m", counts: int = 40, routes: int = 1, samples: int = 1, strange: int = 0, **selection: object
    ) -> LoadedRun:
        items = [number("3", id=f"n{n}", task="object_counting", scene=f"s{n % 8}") for n in range(counts)]
        items += [choice(id=f"c{n}", task="route_planning", scene=f"s{n % 8}") for n in range(routes)]
        items += [choice(id=f"x{n}", task="strange") for n in range(strange)]
        outcomes: list[Outcome] = [
            Response(id=item.id, response=item.answer, repeat=repeat) for item in items for repeat in range(samples)
        ]
        changes = {"model": model, "repeats": samples, "selection": Selection(**selection)}  # type: ignore[arg-type]
        (run,) = load_runs([charted.make_run(tmp_path / model, outcomes, changes, items, RUNS)])
        return run

    return make


def every_form(runs: list[LoadedRun]) -> dict[str, str]:
    made = build(runs, "none")
    forms = {form: render(made, runs, form) for form in ("markdown", "latex", "html", "csv", "json")}
    board = json.dumps(table_of(made.table, {run.name: run.record.settings.model for run in runs}), ensure_ascii=False)
    return {**forms, "terminal": on_console(print_report, made), "site": board}


def test_the_headline_is_the_first_figure_of_the_page(make_run: MakeRun) -> None:
    page = every_form([make_run("a")])["html"]
    heads = re.findall(r"<th(?: [^>]*)?>(.*?)</th>", page)
    assert heads[:2] == ["Model", "Avg."]
    figures = re.findall(r"<td(?! class)[^>]*>(.*?)<", page)
    assert f'<ul class="headlines"><li><b>{figures[0]}</b>' in page


def row_of(text: str, name: str) -> str:
    return next(
        line
        for line in text.splitlines()
        if name in line and "official" in line and "of 5,130 items" not in line and "pooled over" not in line
    )


def test_a_part_says_in_its_row_how_much_of_the_questions_it_is(make_run: MakeRun) -> None:
    forms = every_form([make_run(limit=41)])
    for form in ("terminal", "markdown", "latex", "html", "csv"):
        text = forms[form].replace("\\[", "[").replace("\\]", "]").split("<script")[0]
        assert "41 of 5,130" in row_of(text, "m"), form
    assert json.loads(forms["json"])["rows"][0]["part"] == "41 of 5,130"
    assert json.loads(forms["site"])["rows"][0]["first"][0] == "m [41 of 5,130]"
    assert (
        matrix_of([build([load_runs([make_run(limit=41).folder.path])[0]], "none")])
        .rows["m"][0]
        .interval.startswith("[41 of 5,130]")
    )


def test_all_questions_of_a_part_of_the_data_are_a_part(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run()
    record = run.record.model_copy(update={"subset_items": 41})
    run.folder.write_record(record)
    (row, *_) = build(load_runs([run.folder.path]), "none").rows
    assert (row.part, row.signs) == ("41 of 5,130", ("41 of 5,130",))


def test_a_run_of_everything_bears_no_sign(make_run: MakeRun) -> None:
    assert all(not row.signs for row in build([make_run(routes=40)], "none").rows)


def test_a_mixture_of_models_is_marked_in_its_row(make_run: MakeRun) -> None:
    run = make_run(limit=41)
    path = run.folder.path / "scores.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"served": {"m-0801": 30, "m-1101": 11}}))
    forms = every_form(load_runs([run.folder.path]))
    for form in ("terminal", "markdown", "latex", "html"):
        assert "[41 of 5,130; mixed]" in row_of(
            forms[form].replace("\\[", "[").replace("\\]", "]").split("<script")[0], "m"
        ), form
    assert next(csv.DictReader(io.StringIO(forms["csv"])))["models"] == "2"
    assert json.loads(forms["json"])["rows"][0]["models"] == 2
    compared = compare(CompareConfig(a=run.folder.path, b=(make_run("other", limit=41).folder.path,)))
    assert any(text.startswith("MIXED: m: ") for text in compared.warnings)


def test_a_mean_that_holds_a_column_of_one_question_is_marked(make_run: MakeRun) -> None:
    runs = [make_run()]
    forms = every_form(runs)
    assert "n=1" in forms["terminal"]
    for form in ("markdown", "html", "site"):
        assert "100.0 (n=1)" in forms[form], form
    for form in ("terminal", "markdown", "html", "site"):
        assert "100.00‡§" in forms[form], form
    assert r"100.00\ddag{}\S{}" in row_of(forms["latex"], "m")
    said = "§ Avg. includes Route Plan (1 question): one question there moves the mean by up to 50.0 points."
    assert said in build(runs, "none").marks
    found = [row for row in csv.DictReader(io.StringIO(forms["csv"])) if row["column"] == "average"]
    assert [row["small_parts"] for row in found] == ["Route Plan 1"] * 2
    (part,) = json.loads(forms["json"])["rows"][0]["figures"]["average"]["small"]
    assert part == {"title": "Route Plan", "n": 1, "moves": 50.0}


def test_ten_questions_are_enough_for_no_sign(make_run: MakeRun) -> None:
    forms = every_form([make_run(routes=10)])
    assert "§" not in forms["terminal"]
    assert "n=" not in forms["terminal"]
    assert "n=9" in every_form([make_run("other", routes=9)])["terminal"]


def test_samples_of_a_question_count_as_one(make_run: MakeRun) -> None:
    (mark,) = [one for one in build([make_run(routes=2, samples=5)], "none").marks if one.startswith("§")]
    assert "Avg. includes Route Plan (2 questions)" in mark


def test_question_types_in_no_column_are_said_in_every_form(make_run: MakeRun) -> None:
    run = make_run(strange=20, samples=2)
    said = "LEFT OUT: m: 20 questions of the type strange are in no column of the table."
    forms = every_form([run])
    assert said in " ".join(forms["terminal"].split())
    for form in ("markdown", "html"):
        assert said[10:] in forms[form], form
    assert said in json.loads(forms["json"])["warnings"]
    scores = Run(run.folder.path).scores
    assert "20 questions of the type strange are in no column of the table" in scores.remarks


def test_scores_of_an_earlier_version_are_marked_where_their_columns_tell(make_run: MakeRun) -> None:
    run = make_run()
    path = run.folder.path / "scores.json"
    figures = json.loads(path.read_text())
    for entry in figures["rule_sets"].values():
        for cell in entry["cells"].values():
            del cell["small"]
    path.write_text(json.dumps(figures))
    (row, *_) = build(load_runs([run.folder.path]), "none").rows
    assert [(part.title, part.n) for part in row.figures["average"].small] == [("Route Plan", 1)]


def test_a_table_by_labels_marks_such_a_mean_too(make_run: MakeRun) -> None:
    run = make_run(limit=41)
    made = report(ReportConfig(runs=(run.folder.path,), by=("scene",), layout="down", published="none"))
    (cut,) = made.report.cuts
    assert any(text.startswith("§ a mean that holds a part with fewer than 10") for text in cut.marks)
    assert {row.part for row in cut.rows} == {"41 of 5,130"}
    assert "m [41 of 5,130]" in made.render("markdown").replace("\\", "")


def test_nothing_is_bold_where_nothing_competes(make_run: MakeRun) -> None:
    forms = every_form([make_run("baseline/random"), make_run()])
    assert "**" not in forms["markdown"]
    assert "textbf" not in forms["latex"]
    assert "<strong>" not in forms["html"]
    assert 'class="headline"' not in forms["html"]


def test_the_best_of_models_is_bold_with_its_interval(make_run: MakeRun) -> None:
    forms = every_form([make_run("a"), make_run("b")])
    assert r"\textbf{100.0} {\scriptsize " in forms["latex"]
    assert "**100.0** <small>" in forms["markdown"]
