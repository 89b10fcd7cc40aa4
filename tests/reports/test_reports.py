"""Every form of a report, and what hostile texts can do in it: nothing."""

import csv
import io
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import charted
from shown import on_console, page_data
from tolman import benchmarks
from tolman.cli import app
from tolman.errors import InputError, UsageError
from tolman.features.report.render import print_report
from tolman.item_table import write_items
from tolman.items import Item
from tolman.reports.loaded_runs import LoadedRun, load_runs, one_benchmark
from tolman.reports.report_content import build
from tolman.reports.report_pages import TEXTS, embedded, form_of, render
from tolman.reports.table_rows import Figure
from tolman.responses import Failure, FailureKind, Outcome, Response, Turn
from tolman.scoring.intervals import Interval

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> {{7*7}} B"
MakeRun = Callable[..., list[LoadedRun]]


@pytest.fixture
def make_run(tmp_path: Path, number: Callable[..., Item], choice: Callable[..., Item]) -> MakeRun:
    items = [number(str(n + 2), id=str(n), task="object_counting", scene=f"s{n}") for n in range(6)]
    items += [choice(id=f"c{n}", task="route_planning", scene=f"s{n}") for n in range(3)]

    def make(outcomes: list[Outcome] | None = None, model: str = "my/model", **changes: object) -> list[LoadedRun]:
        if outcomes is None:
            outcomes = [Response(id=item.id, response=item.answer) for item in items]
        place, spec = tmp_path / re.sub(r"\W", "-", model), benchmarks.get("vsi-bench")
        return load_runs([charted.make_run(place, outcomes, {"model": model, **changes}, items, 5130, spec=spec)])

    return make


def printed(runs: list[LoadedRun], *, notes: bool = False) -> str:
    return on_console(print_report, build(runs), notes=notes)


def items_of(runs: list[LoadedRun]) -> list[dict[str, Any]]:
    """What the page holds of each item."""
    return page_data(render(build(runs), runs, "html"))["items"]


def test_the_terminal_table_has_the_headline_first_then_tasks_and_fits_100_characters(make_run: MakeRun) -> None:
    runs = make_run()
    assert printed(runs).splitlines()[2].split() == ["scorer", "Avg.", "Count", "Plan"]
    tasks = {one.key: Figure(50.0, Interval(40.0, 60.0), n=99) for one in benchmarks.get("vsi-bench").table.columns}
    made = build(runs)
    whole = [replace(row, figures=dict(row.figures) if row.rules == "published" else tasks) for row in made.rows]
    lines = on_console(print_report, replace(made, rows=whole)).splitlines()
    above, heading = lines[1:3]
    titles = ["scorer", "Avg.", "interval", "Count", "Dist.", "Size", "Size", "Dist.", "Dir.", "Plan", "Order"]
    assert heading.split() == titles
    assert above.split() == ["95", "%", "Obj.", "Abs.", "Obj.", "Room", "Rel.", "Rel.", "Route", "Appr."]
    table = lines[: next(n for n, line in enumerate(lines) if line.startswith("Human Level"))]
    assert max(map(len, table)) <= 100
    assert lines[3].startswith("my/model")


def test_references_are_apart_and_runs_of_baselines_and_people_among_them(make_run: MakeRun) -> None:
    runs = [run for name in ("baseline/oracle", "human/anna", "my/model", "other") for run in make_run(model=name)]
    lines = printed(runs).splitlines()
    apart = lines.index("References".ljust(len(lines[1])))
    end = next(n for n, line in enumerate(lines) if line.startswith("Signs: ▲ best model"))
    names = [next(iter(line.split()), "") for line in lines]
    assert [name for name in names if "/" in name or name == "other"][:4] == ["my/model", "my/model", "other", "other"]
    assert {"Chance", "Human", "baseline/oracle", "human/anna"} <= set(names[apart:end])
    assert not {"my/model", "other"} & set(names[apart:end])
    assert not any(sign in line for line in lines[apart:end] for sign in "▲△")
    assert {row.name for row in build(runs, "none").rows if row.ranked} == {"my/model", "other"}


def test_three_remarks_at_most_and_those_that_must_be_seen(make_run: MakeRun) -> None:
    runs = make_run([Failure(id="1", kind=FailureKind.NETWORK, message="gone"), Response(id="0", response="hm")])
    path = runs[0].folder.path / "scores.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"served": {"m-1": 1, "m-2": 1}}))
    (run,) = load_runs([runs[0].folder.path])
    lines = printed([run]).splitlines()
    end = next(n for n, line in enumerate(lines) if line.startswith("--notes prints"))
    assert [line.split(" my")[0] for line in lines[end - 3 : end]] == ["INCOMPLETE:", "MIXED:", "†"]
    assert "more remarks (†, No interval) and the interval of each figure" in lines[end]
    every = printed([run], notes=True)
    assert "--notes" not in every
    assert all(text in every for text in (*build([run]).warnings, *build([run]).marks, *build([run]).notes))


def test_a_run_without_interval_says_so_and_scorers_that_lack_the_same_share_a_remark(make_run: MakeRun) -> None:
    runs = [run for name in ("my/a", "my/b") for run in make_run([Response(id="0", response="2")], model=name)]
    for run in runs:
        run.figures["unanswered"] |= {"missing": 0}
        run.figures["frames_shown"] = {"unanswerable": 1, "answerable": 0, "unknown": 0, "sampling": "1 frame"}
    lines = printed(runs).splitlines()
    end = next(n for n, line in enumerate(lines) if line.startswith("--notes prints"))
    assert [line.split(" my")[0].split(":")[0] for line in lines[end - 3 : end]] == ["FRAMES", "No interval", "‡"]
    assert lines[end - 1].startswith("‡ my/a, official; my/a, careful: Avg. without")


def test_failures_are_the_first_remark_and_mark_the_headline(make_run: MakeRun) -> None:
    runs = make_run([Response(id="0", response="2"), Failure(id="1", kind=FailureKind.NETWORK, message="gone")])
    text = printed(runs)
    assert "\nINCOMPLETE: my/model: 1 failed and 7 missing of 9 items, not in the figures." in text
    assert "my/model [incomplete; 1 of 9]" in text
    for form in TEXTS:
        assert "incomplete" in render(build(runs), runs, form).lower()


def test_csv_and_json_hold_unrounded_figures(make_run: MakeRun) -> None:
    runs = make_run([Response(id=str(n), response="2") for n in range(6)])
    report = build(runs, "none")
    rows = list(csv.DictReader(io.StringIO(render(report, runs, "csv"))))
    official = next(r for r in rows if r["rules"] == "official" and r["column"] == "object_count")
    content = json.loads(render(report, runs, "json"))
    figure = next(r for r in content["rows"] if r["headline"])["figures"]["object_count"]
    assert float(official["value"]) == figure["value"]
    assert figure["low"] <= figure["value"] <= figure["high"]
    assert (float(official["low"]), float(official["high"])) == (figure["low"], figure["high"])
    assert figure["n"] == 6


def test_too_few_scenes_have_no_interval_and_one_line_says_why(make_run: MakeRun) -> None:
    runs = make_run()  # six scenes, three of them with a choice
    report = build(runs, "none")
    rows = {r["column"]: r for r in csv.DictReader(io.StringIO(render(report, runs, "csv"))) if r["rules"] == "careful"}
    assert (rows["object_count"]["low"] != "", float(rows["object_count"]["effective_scenes"])) == (True, 6)
    assert (rows["route_plan"]["low"], float(rows["route_plan"]["effective_scenes"])) == ("", 3)
    assert rows["route_plan"]["reason"] == "3.0 effective scenes; an interval needs 6"
    for form in ("markdown", "json", "html"):
        assert render(report, runs, form).count("effective scenes; an interval needs at least 6.") == 1
    assert printed(runs, notes=True).count("No interval for ") == 1
    assert "eff. scenes" in printed(runs, notes=True)


def test_a_folder_of_an_earlier_version_is_read_without_its_intervals(make_run: MakeRun) -> None:
    (run,) = make_run()
    path = run.folder.path / "scores.json"
    figures = json.loads(path.read_text())
    for entry in figures["rule_sets"].values():
        for cell in entry["cells"].values():
            for key in ("interval", "method", "effective_scenes", "reason"):
                del cell[key]
            cell["bootstrap"] = cell["closed_form"] = {"low": 0.0, "high": 0.0}
    path.write_text(json.dumps(figures))
    report = build(load_runs([run.folder.path]), "none")
    assert report.rows[0].figures["object_count"].value == 100
    assert not report.has_intervals
    assert sum("'tolman score FOLDER' recomputes them" in note for note in report.notes) == 1


def test_names_are_escaped_in_every_form(make_run: MakeRun) -> None:
    runs = make_run(model="=a_b|<b>[c]%&#")
    report = build(runs, "none")
    assert r"\_b\|\<b\>\[c\]" in render(report, runs, "markdown")
    assert r"=a\_b|<b>[c]\%\&\#" in render(report, runs, "latex")
    assert "'=a_b|<b>[c]%&#" in render(report, runs, "csv")
    assert "<b>[c]" not in render(report, runs, "html")
    assert "=a_b|<b>[c]%&#" in printed(runs)


class Scripts(HTMLParser):
    """Collects what a browser would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[dict[str, str | None]] = []
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.scripts.append(dict(attrs))
        self.bad += [f"{tag} {name}" for name, value in attrs if name.startswith("on") or (name == "src" and value)]


def test_a_hostile_response_is_text_in_the_page(make_run: MakeRun) -> None:
    runs = make_run([Response(id="c0", response=EVIL)], model=EVIL)
    text = render(build(runs), runs, "html")
    parser = Scripts()
    parser.feed(text)
    assert [s.get("type") for s in parser.scripts] == ["application/json", None]
    assert parser.bad == []
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert page_data(text)["items"][6]["answers"][0]["text"] == EVIL


def test_control_characters_are_shown_in_the_page_and_stay_in_the_run(make_run: MakeRun) -> None:
    said = "A\x1b[2J\x07\x9b\u202eB"
    runs = make_run(
        [
            Response(id=f"c{n}", response=said, turns=(Turn(purpose="answer", prompt="asked", response=said),))
            for n in range(3)
        ]
    )
    text = render(build(runs), runs, "html")
    assert not set("\x1b\x07\x9b\u202e") & set(text)
    shown = [answer for item in page_data(text)["items"] for answer in item["answers"]]
    assert r"A\x1b[2J\x07\x9b\u202eB" in {answer["text"] for answer in shown}
    assert said in {one.response for one in runs[0].folder.each_outcome() if isinstance(one, Response)}


def test_control_characters_of_names_are_shown_in_every_form(make_run: MakeRun) -> None:
    runs = make_run(model="m\x1b[2J\u202ey")
    for form in ("markdown", "latex", "html"):
        text = render(build(runs), runs, form)
        assert not set("\x1b\u202e") & set(text), form
        assert "x1b" in text


@pytest.mark.parametrize("value", ["</script>", "<!--", "\u2028", "&lt;", "]]>"])
def test_embedded_json_comes_back_and_cannot_end_its_element(value: str) -> None:
    text = embedded([value])
    assert json.loads(text) == [value]
    assert not set("<>\u2028") & set(text)


def test_the_page_holds_every_item_with_both_scores(make_run: MakeRun) -> None:
    items = items_of(make_run())
    assert len(items) == 9
    scores = items[0]["answers"][0]["scores"]
    assert set(scores) == {"official", "careful"}
    assert scores["official"][2] == 1.0


def test_runs_of_different_sets_do_not_go_into_one_table(make_run: MakeRun) -> None:
    runs = make_run(model="a") + make_run(model="b", subset="tiny")
    with pytest.raises(UsageError, match=r"different question sets .* or all of them in a site: --out FOLDER"):
        build(runs)


def test_one_folder_under_two_spellings_is_one_question_set(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What is in a folder is told by the hash of its data, and never by how its path is written."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "benchmark.json").write_text('{"title": "Mine", "like": "vsi-bench"}')
    monkeypatch.chdir(tmp_path)
    spellings = ("./bench", "bench", str(tmp_path / "bench"))
    runs = [run for i, name in enumerate(spellings) for run in make_run(model=f"m{i}", benchmark=name)]
    assert {row.name for row in build(runs, "none").rows} == {"m0", "m1", "m2"}
    assert one_benchmark(runs).title == "Mine"
    other = make_run(model="other", benchmark="./bench", data_hash="0123456789abcdef")
    for refuse in (build, one_benchmark):
        with pytest.raises(UsageError, match=r"made on different data.*0123456789abcdef"):
            refuse([*runs, *other])


@pytest.mark.parametrize(("name", "content"), [("scores.json", "{"), ("scores.json", "{}"), ("scores.parquet", "PAR1")])
def test_broken_figures_are_one_sentence_that_says_what_to_do(make_run: MakeRun, name: str, content: str) -> None:
    (run,) = make_run()
    (run.folder.path / name).write_text(content)
    with pytest.raises(InputError, match=f"{name}: .*; run 'tolman score "):
        load_runs([run.folder.path])[0].folder.scores()


def test_a_suffix_names_the_form() -> None:
    assert form_of(Path("x.tex")) == "latex"
    with pytest.raises(UsageError, match="no suffix of a report"):
        form_of(Path("x.doc"))


def test_the_page_holds_turns_and_what_was_asked_otherwise(make_run: MakeRun, tmp_path: Path) -> None:
    turns = (
        Turn(purpose="reasoning", prompt="?", response=EVIL),
        Turn(purpose="answer", prompt="?", response="A", draw=1),
    )
    plain = make_run([Response(id="c0", response="A")])
    thought = make_run([Response(id="c0", response="A", turns=turns)], model="b", protocol="cot+shuffle")
    folder = thought[0].folder
    turned = [item.reordered([1, 0, 2, 3]) if item.id == "c0" else item for item in folder.items()]
    write_items(folder.path / "items.parquet", turned)
    runs = load_runs([plain[0].folder.path, folder.path])
    one, other = next(item for item in items_of(runs) if item["id"] == "c0")["answers"]
    assert (one["turns"], one["asked"]) == ([], [])
    assert other["turns"] == [["reasoning", EVIL], ["answer 2", "A"]]
    assert other["asked"][1:3] == ["A. table", "B. chair"]
    assert other["asked"][-1] == "answer B"


def test_pages_scores_and_items_are_the_same_piece_by_piece(
    make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is done some thousands of rows at a time, done two at a time."""
    found = []
    for case in ("whole", "pieces"):
        if case == "pieces":
            monkeypatch.setattr("tolman.item_table.AT_ONCE", 2)
            monkeypatch.setattr("tolman.scoring.score_items.AT_ONCE", 2)
            monkeypatch.setattr("tolman.responses.MANY", 1)
        full = make_run(model=f"a/{case}")[0].folder
        part = make_run([Failure(id="c0", kind=FailureKind.TIMEOUT, message="late")], model=f"b/{case}")[0].folder
        write_items(part.path / "items.parquet", [item for item in full.items() if item.id not in ("0", "3")])
        runs = load_runs([part.path, full.path])
        found.append((items_of(runs), full.items(), full.outcomes(), full.scores(), full.figures()["rule_sets"]))
    (items, *rest, scores, figures), (items2, *rest2, scores2, figures2) = found
    assert [item["id"] for item in items] == ["1", "2", "4", "5", "c0", "c1", "c2", "0", "3"]
    assert [len(item["answers"]) for item in items] == [2] * 7 + [1] * 2
    assert (items, rest, figures) == (items2, rest2, figures2)
    assert scores.equals(scores2)


def test_runs_of_one_name_are_told_apart_by_what_differs(make_run: MakeRun, tmp_path: Path) -> None:
    paths = []
    for count in (8, 16):
        (run,) = make_run(model="m", frames={"count": count}, seed=count)
        paths.append(run.folder.path.rename(tmp_path / f"m{count}"))
    assert [run.name for run in load_runs(paths)] == ["m (8 frames, seed 8)", "m (16 frames, seed 16)"]
    assert [run.name for run in load_runs(paths[:1])] == ["m"]
    for label in ("base", "tuned"):
        (run,) = make_run(model="m", model_settings={"label": label})
        paths.append(run.folder.path.rename(tmp_path / label))
    assert [run.name for run in load_runs(paths[2:])] == ["m (base)", "m (tuned)"]


def test_a_run_without_scores_is_left_out_and_named_and_ends_no_report(make_run: MakeRun, tmp_path: Path) -> None:
    (run,) = make_run()
    unscored, broken, page = tmp_path / "unscored", tmp_path / "broken", tmp_path / "all.html"
    for folder in (unscored, broken):
        shutil.copytree(run.folder.path, folder)
    (unscored / "scores.parquet").unlink()
    (broken / "scores.json").write_text("{")
    page.write_text("<p>a report beside the runs</p>")
    paths = [str(path) for path in (unscored, run.folder.path, broken, page)]
    shown = CliRunner().invoke(app, ["report", *paths])
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    left_out = [line for line in lines if line.startswith("LEFT OUT")]
    assert left_out[0] == f"LEFT OUT: {unscored}: holds no scores; run 'tolman score {unscored}'."
    assert left_out[1].startswith(f"LEFT OUT: {broken / 'scores.json'}: is no JSON")
    assert str(page) not in shown.output  # RUNS/* names the pages beside the runs too
    assert "my/model" in shown.output
    written = CliRunner().invoke(app, ["report", *paths, "--out", str(tmp_path / "t.html")])
    assert "LEFT OUT" in written.output
    assert f"LEFT OUT: {unscored}" in (tmp_path / "t.html").read_text()
    assert (
        json.loads(CliRunner().invoke(app, ["report", *paths, "--format", "json"]).output)["warnings"][0] == left_out[0]
    )
    nothing = CliRunner().invoke(app, ["report", str(unscored), str(page)])
    assert isinstance(nothing.exception, InputError)
    assert "holds no scores" in str(nothing.exception)
    alone = CliRunner().invoke(app, ["report", str(page)])
    assert str(alone.exception).startswith(f"{page}: is no run folder")


def test_a_folder_is_not_cited_as_the_benchmark_that_it_is_like(tmp_path: Path, choice: Callable[..., Item]) -> None:
    bench = tmp_path / "bench"
    bench.mkdir()
    write_items(bench / "items.parquet", [choice(task="route_planning", scene="s")])
    (bench / "benchmark.json").write_text('{"title": "My rooms", "like": "vsi-bench"}')
    runner = CliRunner()
    ran = runner.invoke(app, ["run", str(bench), "--model", "baseline/random", "--protocol", "blind", "--out", str(tmp_path / "run")])  # fmt: skip
    assert ran.exit_code == 0, ran.output
    said = (
        "Where the questions come from is not written in benchmark.json. Prompts, parsers and table as of VSI-Bench. "
        "Data: no licence named."
    )
    page = (tmp_path / "run" / "report.html").read_text()
    assert said in page
    assert "Yang et al." not in page
    described = runner.invoke(app, ["benchmarks", str(bench)])
    assert said in described.output
    assert "Yang et al." not in described.output
    (bench / "benchmark.json").write_text(
        '{"title": "My rooms", "paper": "Us, 2026", "licence": "CC0", "like": "site"}'
    )
    assert benchmarks.get(str(bench)).credits == "Us, 2026. Prompts, parsers and table as of SITE. Data: CC0."
    assert benchmarks.get("vsi-bench").credits == "Yang et al., Thinking in Space, 2024. Data: Apache-2.0 (questions)."
