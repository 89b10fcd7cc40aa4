"""Shares, bounds and marks in every form of a report."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import charted
from shown import on_console, page_data
from tolman import benchmarks
from tolman.features.compare.compute import compare
from tolman.features.compare.config import CompareConfig
from tolman.features.compare.render import show_comparison
from tolman.features.report.render import print_report
from tolman.items import Item
from tolman.reports.loaded_runs import LoadedRun, load_runs
from tolman.reports.report_content import build
from tolman.reports.report_pages import render
from tolman.reports.table_rows import BOUNDS_LABEL, SHARES_LABEL, mark_sentence, sample_sentence
from tolman.responses import Response
from tolman.scoring.further_figures import Unread
from tolman.scoring.judge_sample import wilson
from tolman.scoring.score_items import ADDED

MakeRun = Callable[..., list[LoadedRun]]
EVIL = "</script><mark onclick=alert(1)>B</mark><img src=x onerror=alert(2)> 🪑 A"
ROOT = Path(__file__).resolve().parents[2]
TASKS = ("route_planning", "obj_appearance_order")


@pytest.fixture
def make_run(tmp_path: Path, choice: Callable[..., Item]) -> MakeRun:
    """A run on 1,000 questions of two types, of which so many of the first type are not read, and so many cut off."""

    def make(none: int = 0, cut_off: int = 0, benchmark: str = "vsi-bench", text: str = "A") -> list[LoadedRun]:
        items = [choice(id=str(i), task=TASKS[i >= 200], scene=str(i % 40)) for i in range(1000)]
        reasons = {i: "stop" if i < none else "length" for i in range(none + cut_off)}
        outcomes = [
            Response(id=item.id, response="hm" if i in reasons else text, finish_reason=reasons.get(i))
            for i, item in enumerate(items)
        ]
        changes = {"benchmark": benchmark, "model": "m"}
        return load_runs([charted.make_run(tmp_path / "run", outcomes, changes, items, 5130)])

    return make


def printed(runs: list[LoadedRun], *, notes: bool = True) -> str:
    return on_console(print_report, build(runs, "none"), notes=notes)


def table_lines(page: str) -> list[tuple[str, str]]:
    """Each row of a page's table, with the line of headings."""
    heading = next(line for line in page.splitlines() if line.startswith("<thead>"))
    return [(heading.removeprefix("<thead>"), line) for line in page.splitlines() if line.startswith("<tr class=")]


def test_below_the_threshold_a_table_says_nothing_and_json_all(make_run: MakeRun) -> None:
    runs = make_run(none=1)  # 0.5 % of route planning, 0.1 % of all
    for form in ("markdown", "latex"):
        assert "unread" not in render(build(runs), runs, form)
    assert SHARES_LABEL not in printed(runs)
    page = render(build(runs), runs, "html")
    assert '<tr class="unread">' not in page
    assert 'title="0.5 % none, 0.0 % cut off, of 200 responses"' in page
    content = json.loads(render(build(runs), runs, "json"))
    row = next(row for row in content["rows"] if row["headline"])
    assert row["figures"]["route_plan"]["unread"] == pytest.approx(
        {"n": 200, "none": 0.5, "cut_off": 0, "low": 99.5, "high": 99.5 + 0.5 / 4, "unjudged": 0}
    )
    assert not row["marked"]
    assert not any(mark.startswith("†") for mark in content["marks"])


def test_above_it_shares_and_bounds_stand_where_it_is_crossed(make_run: MakeRun) -> None:
    runs = make_run(none=10, cut_off=6)  # 8 % of route planning, 1.6 % of all
    lines = printed(runs).splitlines()
    shares = [line for line in lines if SHARES_LABEL in line]
    bounds = [line for line in lines if BOUNDS_LABEL in line]
    assert [len(shares), len(bounds)] == [4, 4]  # official and careful, in two blocks
    assert shares[0].split(SHARES_LABEL)[1].split() == ["official", "1.0", "+", "0.6"]
    titles = next(line for line in lines if "Plan" in line)
    assert shares[2].index("5.0 + 3.0") + len("5.0 + 3.0") == titles.index("Plan") + len("Plan")
    assert bounds[0].split(BOUNDS_LABEL)[1].split() == ["96.00–97.00"]
    assert bounds[2].split(BOUNDS_LABEL)[1].split() == ["92.0–94.0"]
    assert "†" not in printed(runs)  # 1.6 % of the headline
    (said,) = (line for line in printed(runs, notes=False).splitlines() if line.startswith("UNREAD"))
    assert said.startswith("UNREAD: m, official: 1.6 % of 1,000 answers could not be read (1.0 % none, 0.6 % cut off)")
    markdown = render(build(runs), runs, "markdown")
    assert "| 5.0 + 3.0 <small>92.0–94.0</small> |  | 1.0 + 0.6 <small>96.00–97.00</small> |" in markdown
    assert r"5.0 + 3.0 &  & 1.0 + 0.6 \\" in render(build(runs), runs, "latex")
    page = render(build(runs), runs, "html")
    assert page.count('<tr class="unread">') == 2
    for heading, line in table_lines(page):
        assert line.count("<td") == heading.count("<th")
    head, *rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {head.count("|")}
    assert "<td>0.0 + 0.0<small>100.0–100.0</small></td>" in page  # the page has every column's


def test_the_documentation_shows_such_a_row(make_run: MakeRun) -> None:
    documented = [line for line in (ROOT / "docs" / "scoring.md").read_text().splitlines() if " … " in line]
    text = printed(make_run(none=10, cut_off=6)).splitlines()
    for label in (SHARES_LABEL, BOUNDS_LABEL):
        (shown,) = (line for line in documented if label in line)
        assert shown.replace("…", "").split() == next(line for line in text if label in line).split()


def test_the_documentation_shows_the_sentence_of_a_sample() -> None:
    sample = {
        "reader": "careful", "sampled": 50, "readable": 4312, "seed": 0, "n": 50, "agreed": 48, "no_answer": 0, "failed": 0,
        "dropped": 0, "share": 96.0, "low": wilson(48, 50).times(100).low, "high": wilson(48, 50).times(100).high,
    }  # fmt: skip
    documented = (ROOT / "docs" / "models.md").read_text().replace("\n", " ")
    assert sample_sentence("my-model", "openai/gpt-4o", sample) in documented


def test_a_headline_of_which_much_is_unread_is_marked(make_run: MakeRun) -> None:
    runs = make_run(none=30, cut_off=21)
    text = printed(runs)
    sentence = (
        "† m, official: 5.1 % of 1,000 answers could not be read (3.0 % none, 2.1 % cut off): the score is 87.25 with "
        "all of these wrong and 90.44 with all guessed; see --judge, or raise --max-tokens for those cut off."
    )
    assert sentence in text
    assert text.index("87.25†") < text.index(sentence)
    report = build(runs)
    assert [row.marked for row in report.rows if row.group == "run"] == ["average", "average"]
    assert "| 87.25†‡ <small>" in render(report, runs, "markdown")
    assert r"87.25\dag{}\ddag{} {\scriptsize " in render(report, runs, "latex")
    assert f'<p class="mark">{sentence}</p>' in render(report, runs, "html")
    content = json.loads(render(report, runs, "json"))
    assert content["marks"][0] == sentence
    assert [row["marked"] for row in content["rows"] if row["group"] == "run"] == [True, True]
    rows = list(csv.DictReader(io.StringIO(render(report, runs, "csv"))))
    found = next(row for row in rows if (row["rules"], row["column"]) == ("careful", "average"))
    assert (found["unread_none"], found["unread_cut_off"], found["all_wrong"]) == ("3.0", "2.1", found["value"])


def test_each_rule_set_is_told_as_it_reads(make_run: MakeRun) -> None:
    runs = make_run(text="The answer is A.")  # VSI-Bench's code looks at the first word
    rows = {row.rules: row for row in build(runs).rows if row.group == "run"}
    assert rows["official"].unread["average"].none == 100
    assert rows["careful"].unread["average"].none == 0
    assert [bool(rows[name].marked) for name in ("official", "careful")] == [True, False]
    below = [line for line in printed(runs).splitlines() if SHARES_LABEL in line]
    assert below
    assert all("official" in line for line in below)


@pytest.mark.parametrize(
    ("rules", "has_judge", "cut_off", "end"),
    [
        ("official", False, 6.4, "; see --judge, or raise --max-tokens for those cut off."),
        ("careful", True, 6.4, "; see 'judged', or raise --max-tokens for those cut off."),
        ("careful", False, 0.0, "; see --judge."),
        ("judged", True, 6.4, "; raise --max-tokens for those cut off."),
        ("judged", True, 0.0, " with all guessed."),
    ],
)
def test_a_mark_says_what_can_be_done(rules: str, has_judge: bool, cut_off: float, end: str) -> None:
    headline = benchmarks.get("mmsi-bench").table.column("average")
    unread = Unread(n=5130, none=21.0, cut_off=cut_off, low=31.2, high=38.0)
    sentence = mark_sentence("m", rules, unread, headline, has_judge=has_judge)
    assert sentence.endswith(end)
    assert f"{21 + cut_off:.1f} % of 5,130 answers could not be read" in sentence


def test_a_mark_first_names_the_scorer_that_reads_the_answers(make_run: MakeRun) -> None:
    runs = make_run(text="The answer is A.")  # VSI-Bench's code looks at the first word
    (sentence,) = [mark for mark in build(runs).marks if mark.startswith("†")]
    assert "cut off): the scorer 'careful' reads 1,000 of the 1,000; the score is " in sentence
    headline = benchmarks.get("mmsi-bench").table.column("average")
    own, other = (Unread(n=3, none=share, cut_off=0.0, low=1, high=2) for share in (50.0, 100 / 3 + 0.1))
    assert "'b' reads 66.6 % of them;" in mark_sentence("m", "a", own, headline, has_judge=False, others={"b": other})


def test_a_mark_names_the_model_that_the_released_code_asks() -> None:
    headline = benchmarks.get("blink").table.column("total")
    unread = Unread(n=1901, none=21.0, cut_off=0.0, low=31.2, high=38.0)
    sentence = mark_sentence("m", "official", unread, headline, has_judge=False, left_to="gpt-3.5-turbo")
    assert sentence.endswith("; the released code asks gpt-3.5-turbo about them: see --judge.")


def test_a_sample_without_judgements_says_so() -> None:
    sample = {"reader": "careful", "sampled": 2, "readable": 9, "seed": 3, "n": 0, "failed": 1, "dropped": 1}
    assert sample_sentence("m", "judge", sample) == (
        "m: judge and careful can't be compared: no judgement of 2 of 9 responses that careful reads, seed 3; "
        "not counted: 1 failed, 1 changed."
    )


def test_the_page_says_state_and_rule_and_marks_what_was_read(make_run: MakeRun) -> None:
    runs = make_run(none=1, cut_off=1, text=EVIL)
    folder = runs[0].folder
    end = len(EVIL)
    careful = pl.col("rule_set") == "careful"
    rows = folder.scores().with_columns(
        pl.when(careful & (pl.col("id") == "2")).then(end - 1).when(careful & (pl.col("id") == "3")).then(5).alias("span_start"),
        pl.when(careful & (pl.col("id") == "2")).then(end).when(careful & (pl.col("id") == "3")).then(10**6).alias("span_end"),
        pl.when(careful & (pl.col("id") == "2")).then(pl.lit("<b>last</b>")).otherwise("rule").alias("rule"),
    )  # fmt: skip
    folder.write_scores(rows, folder.figures())
    items = page_data(render(build(runs), runs, "html"))["items"]
    assert [items[i]["answers"][0]["scores"]["careful"][4] for i in range(2)] == ["none", "cut off"]
    answer = items[2]["answers"][0]
    units = len(EVIL.encode("utf-16-le")) // 2
    assert (answer["text"], answer["marks"]) == (EVIL, [[units - 1, units, "careful"]])
    assert answer["scores"]["careful"][5] == "<b>last</b>"
    assert items[3]["answers"][0]["marks"] == []  # no such place
    assert "<b>last" not in render(build(runs), runs, "html")


def test_a_comparison_says_what_could_not_be_read(make_run: MakeRun, tmp_path: Path) -> None:
    make_run(none=60)[0].folder.path.rename(tmp_path / "other")
    make_run(cut_off=70)[0].folder.path.rename(tmp_path / "third")
    make_run()
    compared = compare(CompareConfig(a=tmp_path / "run", b=(tmp_path / "other", tmp_path / "third")))
    texts = [on_console(show_comparison, compared, as_json=as_json) for as_json in (False, True)]
    for place, shares in (
        ("other", "6.0 % of 1,000 answers could not be read (6.0 % none, 0.0"),
        ("third", "7.0 % of 1,000 answers could not be read (0.0 % none, 7.0"),
    ):
        assert texts[0].count(f"† m (in {place}), official: {shares} % cut off)") == 1
    assert texts[0].index("†") > texts[0].rindex("won")  # below the tables
    content = json.loads(texts[1])
    shares = [one["unread"]["average"] for one in (content, *content["comparisons"])]
    assert [(one["none"], one["cut_off"]) for one in shares] == [(0, 0), (6, 0), (0, pytest.approx(7))]


def test_runs_scored_by_earlier_versions_still_open(make_run: MakeRun) -> None:
    runs = make_run(none=60)
    folder = runs[0].folder
    figures = folder.figures()
    for entry in figures["rule_sets"].values():
        del entry["unread"]
    old = folder.scores().drop(ADDED)
    old.write_parquet(folder.path / "scores.parquet")
    (folder.path / "scores.json").write_text(json.dumps(figures))
    runs = load_runs([folder.path])
    assert old.equals(folder.scores().drop(ADDED))
    assert SHARES_LABEL not in printed(runs)
    assert page_data(render(build(runs), runs, "html"))["items"][0]["answers"][0]["scores"]["careful"][3:] == [
        0,
        None,
        "",
    ]
    content = json.loads(render(build(runs), runs, "json"))
    assert next(row for row in content["rows"] if row["headline"])["figures"]["average"]["unread"] is None
