"""What a paper's tables and figures rest on: the runs that they need, and what these lack."""

import csv
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import tolman
from charted import answered, make_run, questions
from tolman.benchmarks.vsi_bench import tiny_ids
from tolman.curate.candidates import Candidate, write_pool
from tolman.features.paper import PAPERS, PaperPart
from tolman.features.paper.compute import PartResult
from tolman.features.paper.paper_parts import PartRuns, runs_of
from tolman.features.report.config import PaperConfig
from tolman.reports.loaded_runs import load_runs

ITEMS = questions()
Runs = Callable[..., list[Path]]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    def make(*protocols: str, grids: dict[str, int] | None = None, **changes: Any) -> list[Path]:
        made = []
        for name in protocols:
            protocol, _, grid = name.partition("@")
            settings = {"model": "my/m", "protocol": protocol, **changes}
            if grid:
                settings["protocol_settings"] = {"grid": int(grid), "map_categories": "scene"}
            made.append(make_run(tmp_path / f"{name}{len(made)}", answered(ITEMS), settings, subset_items=5130))
        return made

    return make


def part_of(paper: str, name: str) -> PaperPart:
    (found,) = [part for part in PAPERS.get(paper).parts if part.name == name]
    return found


def chosen(name: str, paths: list[Path], place: Path, paper: str = "vsi-bench") -> PartRuns:
    (place / "cut").mkdir(exist_ok=True)
    (found,) = runs_of(part_of(paper, name), load_runs(paths), place / "cut").values()
    return found


def test_a_table_of_captions_is_missing_without_a_run_from_captions(runs: Runs, tmp_path: Path) -> None:
    found = chosen("Table 6", runs("direct", "blind"), tmp_path)
    assert found.absent == ["no run is under caption-then-answer"]
    assert chosen("Table 6", runs("direct", "blind", "caption-then-answer"), tmp_path).absent == []


def test_each_way_to_ask_that_a_figure_shows_is_needed(runs: Runs, tmp_path: Path) -> None:
    assert chosen("Figure 8", runs("direct", "cot"), tmp_path).lacks == [
        "no run is under self-consistency",
        "no run is under tree-of-thoughts",
    ]
    assert chosen("Figure 8", runs("cot", "self-consistency"), tmp_path).absent == ["no run is under direct"]


@pytest.mark.full
def test_the_page_of_a_paper_says_what_its_parts_lack(runs: Runs, tmp_path: Path) -> None:
    tolman.paper("vsi-bench", runs("direct", "cot"), out=tmp_path / "out", before="./nothing")
    page = (tmp_path / "out" / "index.md").read_text(encoding="utf-8")
    states = dict(re.findall(r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE))
    assert (states["Figure 8"], states["Figure 4"], states["Table 6"]) == ("in part", "in part", "missing")
    sections = {text.partition(":")[0]: text for text in page.split("\n## ")}
    assert "MISSING: no run is under self-consistency." in sections["Figure 8"]
    assert "nothing" in sections["Figure 4"]
    assert (tmp_path / "out" / "figure-4-benchmark.csv").exists()


def test_maps_on_two_grids_stand_beside_each_other_and_need_a_run_without(runs: Runs, tmp_path: Path) -> None:
    maps = ("cognitive-map@10", "cognitive-map@20", "true-map@10", "true-map@20")
    found = chosen("Tables 2 and 5", runs(*maps), tmp_path)
    assert found.lacks == ["no run is under direct"]
    assert len(found.own) == 4
    whole = chosen("Tables 2 and 5", runs("direct", *maps), tmp_path)
    assert (whole.lacks, len(whole.own)) == ([], 5)
    some = chosen("Tables 2 and 5", runs("direct", "cognitive-map@10"), tmp_path)
    assert "no run is under cognitive-map on a grid of 20" in some.lacks


@pytest.mark.parametrize("name", ["Figures 9 and 19", "Figure 10 and Table 4"])
def test_a_figure_of_the_grid_of_ten_takes_the_runs_on_it(runs: Runs, tmp_path: Path, name: str) -> None:
    paths = runs("cognitive-map@20", "cognitive-map@10")
    found = chosen(name, paths, tmp_path)
    assert [run.folder.path for run in found.own] == [paths[1]]
    assert [run.folder.path for run in found.others] == [paths[0]]
    alone = chosen(name, paths[:1], tmp_path)
    assert [run.folder.path for run in alone.own] == [paths[0]]
    assert alone.lacks == ["the maps are on a grid of 20, and the paper's on one of 10"]


def test_a_run_of_the_table_s_question_types_is_whole_for_it(runs: Runs, tmp_path: Path) -> None:
    maps = runs("cognitive-map@10", selection={"tasks": ["object_rel_distance"]})
    found = chosen("Tables 2 and 5", [*runs("direct"), *maps], tmp_path)
    assert len(found.own) == 2
    assert not [text for text in found.lacks if "questions" in text]


def test_a_part_of_the_questions_or_answers_is_no_whole_table(runs: Runs, tmp_path: Path) -> None:
    limited = make_run(tmp_path / "l", answered(ITEMS), {"selection": {"limit": 48}}, subset_items=5130)
    failing = make_run(tmp_path / "f", answered(ITEMS)[1:], subset_items=5130)
    assert chosen("Figure 5", [limited], tmp_path).lacks == ["my/l is of 48 of 5,130 questions"]
    assert chosen("Figure 5", [failing], tmp_path).lacks == ["my/f lacks 1 of 48 answers"]
    assert chosen("Figure 4", [failing], tmp_path).lacks == []


def test_baselines_alone_are_no_models(runs: Runs, tmp_path: Path) -> None:
    path = make_run(tmp_path / "b", answered(ITEMS), {"model": "baseline/random"}, subset_items=5130)
    assert chosen("Figure 5", [path], tmp_path).lacks == ["no run is of a model, only of baselines"]
    assert chosen("Figure 11", runs("direct"), tmp_path).absent == ["all runs show the same number of frames"]


def test_runs_of_all_questions_give_the_table_of_the_tiny_subset(tmp_path: Path) -> None:
    tiny = sorted(tiny_ids(), key=int)[:6]
    items = [item.model_copy(update={"id": tiny[n] if n < 6 else f"x{n}"}) for n, item in enumerate(ITEMS)]
    wrong = {item.id: "9" if not item.options else "Z" for item in items[6:]}
    path = make_run(tmp_path / "full", answered(items, **wrong), items=items, subset_items=5130)
    found = chosen("Table 11", [path], tmp_path)
    (run,) = found.own
    assert (run.record.settings.subset, run.figures["items"]) == ("tiny", 6)
    assert run.figures["rule_sets"]["official"]["cells"]["average"]["value"] == 100
    assert found.said == ["my/full: its answers to the 6 questions of tiny."]
    assert found.lacks == ["my/full is of 6 of 392 questions"]
    assert [item.id for item in load_runs([path])[0].folder.items()] == [item.id for item in items]  # as it was


def table_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_signs_are_the_paper_s(tmp_path: Path, choice: Callable[..., Any]) -> None:
    from tolman.features.paper.paper_parts import correlation_table

    items = [choice(id=str(n), task="spatial relationship reasoning", scene=f"s{n}") for n in range(8)]
    table = tmp_path / "robots.csv"
    lines = ["model,L2 distance,SR,MathVista"]
    paths = []
    for n, (l2, sr, vista) in enumerate([(0.268, 0, 35.9), (0.142, 0, 62.6), (0.139, 0, 61.2), (0.030, 38, 68.1)]):
        wrong = {item.id: "B" for item in items[2 * (n + 1) :]}
        make = partial(make_run, changes={"benchmark": "site", "preset": "open", "subset": "all"}, items=items)
        paths.append(make(tmp_path / f"m{n}", answered(items, **wrong)))
        lines.append(f"my/m{n},{l2},{sr},{vista}")
    table.write_text("\n".join(lines) + "\n")
    config = PaperConfig(paper="site", runs=tuple(paths), downstream=table, out=tmp_path / "out")
    from tolman.features.paper.compute import _turned

    assert _turned(config) == ("L2 distance",)
    made = correlation_table(load_runs(paths), table, _turned(config), tmp_path, "t")
    assert [name for one in made for name in one.names] == ["t.md", "t.csv", "t-correlation.md", "t-correlation.csv"]
    found = {(row["Of"], row["With"]): row for row in table_of(tmp_path / "t-correlation.csv")}
    assert float(found["SITE", "−L2 distance"]["Pearson"]) > 0.9
    assert found["SITE", "−L2 distance"]["Pearson as printed"] == "0.902"
    row = found["−L2 distance", "MathVista"]  # Table 6's
    assert float(row["Pearson"]) == pytest.approx(float(row["Pearson as printed"]), abs=0.003) == 0.935
    (first, *_) = table_of(tmp_path / "t.csv")
    assert (first["Model"], first["L2 distance"], first["SR"]) == ("my/m0", "0.268", "0")


def part_made(name: str, config: PaperConfig, place: Path) -> PartResult:
    from tolman.features.paper.compute import _part

    config.out.mkdir(exist_ok=True)  # type: ignore[union-attr]
    (place / "cut").mkdir(exist_ok=True)
    return _part(part_of("vsi-bench", name), load_runs(config.runs), config, config.out, "VSI-Bench", place / "cut")  # type: ignore[arg-type]


def test_the_stage_before_a_draw_counts_as_before(runs: Runs, tmp_path: Path) -> None:
    fields = {"source": "s", "kind": "choice", "answer": "A", "options": ("a", "b"), "question": "Which?"}
    tasks = ["route_planning"] * 60 + ["object_counting"] * 7
    pool = [Candidate.model_validate({**fields, "id": f"s/{n}", "task": task}) for n, task in enumerate(tasks)]
    write_pool(tmp_path / "pool" / "convert", pool)
    config = PaperConfig(
        paper="vsi-bench", runs=tuple(runs("direct")), out=tmp_path / "out", before=str(tmp_path / "pool" / "convert")
    )
    made = part_made("Figure 4", config, tmp_path)
    assert (made.state, made.missing) == ("rebuilt", ())
    assert made.said[0] == "Made of my/m."
    assert made.runs == ("my/m",)
    rows = [row for row in table_of(tmp_path / "out" / "figure-4-benchmark.csv") if row["label"] == "route_planning"]
    assert sorted(row["value"] for row in rows) == ["12.0", "60.0"]


def test_the_half_after_is_drawn_where_the_half_before_cannot_be_read(runs: Runs, tmp_path: Path) -> None:
    config = PaperConfig(paper="vsi-bench", runs=tuple(runs("direct")), out=tmp_path / "out", before="./nothing")
    made = part_made("Figure 4", config, tmp_path)
    assert made.state == "in part"
    assert "nothing" in made.missing[0]
    rows = [row for row in table_of(tmp_path / "out" / "figure-4-benchmark.csv") if row["label"] == "route_planning"]
    assert [row["value"] for row in rows] == ["12.0"]
