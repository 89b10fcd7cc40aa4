"""Rows of people together in a report."""

from pathlib import Path

import numpy as np
import pytest

from tolman.benchmarks.benchmark_folder import FILE
from tolman.errors import UsageError
from tolman.features.report.compute import report as make_report
from tolman.features.report.config import ReportConfig
from tolman.item_table import write_items
from tolman.items import Item, Selection
from tolman.reports.table_rows import ReportRow
from tolman.responses import Outcome, Response
from tolman.runs.rescore import score_outcomes
from tolman.runs.run_items import load

pytestmark = pytest.mark.full


def runs_of(place: Path, people: int = 4, *, model: str = "human/") -> list[Path]:
    """So many people who answer 40 questions of 20 scenes ever worse and slower."""
    bench = place / "bench"
    bench.mkdir()
    items = [
        Item.model_validate(
            {
                "id": f"q{n}", "question": "Which?", "kind": "choice", "options": ["a", "b", "c", "d"], "answer": "ABCD"[n % 4],
                "task": "first" if n % 2 else "second", "scene": f"s{n // 2}",
            }
        )
        for n in range(40)
    ]  # fmt: skip
    write_items(bench / "items.parquet", items)
    (bench / FILE).write_text('{"name": "bench", "title": "A bench"}', encoding="utf-8")
    loaded, drawn, found = load(str(bench), None, None), np.random.default_rng(0), []
    for person in range(people):
        wrong = drawn.random(40) < 0.1 * (person + 1)
        outcomes: list[Outcome] = [
            Response(
                id=item.id, response="ABCD"["ABCD".index(item.answer) - bool(bad)],
                seconds=float((5, 40, 110)[n % 3] * (1 + person) * drawn.uniform(0.9, 1.1)),
            )
            for n, (item, bad) in enumerate(zip(items, wrong, strict=True))
        ]  # fmt: skip
        folder, _ = score_outcomes(
            loaded, outcomes, benchmark=str(bench), model=f"{model}p{person}", out=place / f"p{person}",
            model_settings={"study": {"asked": 41, "skipped": {"can't tell": 1}, "people": 5, "people_excluded": 1}},
        )  # fmt: skip
        found.append(folder.path)
    return found


def asked_in_part(place: Path) -> list[Path]:
    """Four people who are asked 20, 20, 20 and 10 questions of 40 and answer all but one of theirs; a model is asked
    what they were."""
    runs_of(place, 1)
    loaded, found = load(str(place / "bench"), None, None), []
    for person, (first, last) in enumerate([(0, 20), (0, 20), (10, 30), (10, 20)]):
        own = loaded.items[first:last]
        folder, _ = score_outcomes(
            loaded, [Response(id=item.id, response=item.answer) for item in own[1:]], benchmark=str(place / "bench"),
            model=f"human/s{person}", model_settings={}, selection=Selection(ids=tuple(item.id for item in own)),
            out=place / "part" / f"s{person}",
        )  # fmt: skip
        found.append(folder.path)
    return found


def row(rows: list[ReportRow], begins: str) -> ReportRow:
    (found,) = [one for one in rows if one.name.startswith(begins)]
    return found


def test_people_have_an_average_over_questions_and_people_and_a_ceiling(tmp_path: Path) -> None:
    report = make_report(ReportConfig(runs=tuple(runs_of(tmp_path)))).report
    key = report.benchmark.table.headline
    alone = [one.figures[key] for one in report.rows if one.name.startswith("human/")]
    mean, best = (
        row(report.rows, "people, average of 4").figures[key],
        row(report.rows, "people, best of 4").figures[key],
    )
    values = [figure.value for figure in alone]
    assert mean.value == pytest.approx(sum(values) / 4)
    assert best.value == max(values)
    assert mean.interval is not None
    # Student's t over four people alone is narrower: questions have a part in it.
    half = 3.182446 * np.std(values, ddof=1) / 2
    assert mean.value - mean.interval.low > half * 1.001
    assert any("Krippendorff's alpha: 0." in note and "40 questions" in note for note in report.notes)
    assert any("skipped 4 of 164 questions" in note and "leave out 1 of 5 people" in note for note in report.notes)


def test_people_agree_on_whatever_two_of_them_were_asked_whoever_comes_first(tmp_path: Path) -> None:
    runs = asked_in_part(tmp_path)  # questions 1 to 19 are answered by two or more; the last one was asked ten of these
    for order in (runs, runs[::-1]):
        notes = make_report(ReportConfig(runs=tuple(order))).report.notes
        assert any("Krippendorff's alpha: 1.00" in note and "(19 questions" in note for note in notes)


def test_tiers_of_time_are_a_label_to_report_by(tmp_path: Path) -> None:
    runs = tuple(runs_of(tmp_path))
    report = make_report(ReportConfig(runs=runs, by=("time_tier",))).report
    (table,) = report.cuts
    assert {value for value in table.column_values.values() if value} == {"easy", "medium", "hard"}


def test_models_have_no_tiers_and_no_average(tmp_path: Path) -> None:
    runs = tuple(runs_of(tmp_path, 2, model="lab/"))
    assert not any(one.name.startswith("people") for one in make_report(ReportConfig(runs=runs)).report.rows)
    with pytest.raises(UsageError, match="needs people's runs"):
        make_report(ReportConfig(runs=runs, by=("time_tier",)))


def test_people_who_were_asked_parts_are_told_of_in_one_sentence(tmp_path: Path) -> None:
    runs = asked_in_part(tmp_path)
    report = make_report(ReportConfig(runs=tuple(runs))).report
    assert report.warnings == [
        "PART: 4 of 4 people were asked 10 to 20 of 40 items each; all people together 30. A model is asked those with "
        "'tolman run … --ids' and the folder of these runs.",
        "INCOMPLETE: people: 4 of 70 questions without an answer, not in the figures (human/s0 1, human/s1 1, human/s2 1, "
        "human/s3 1).",
    ]
    assert all(one.incomplete for one in report.rows if one.name.startswith("human/"))
    assert [note for note in report.notes if note.startswith("No interval")] == [
        "No interval for people one by one: first, second, Avg.: they have 4 to 5 effective scenes; an "
        "interval needs at least 6."
    ]
    alone = make_report(ReportConfig(runs=(runs[0],))).report
    assert alone.warnings == [
        "INCOMPLETE: human/s0: 1 missing of 20 items, not in the figures.",
        "PART: human/s0: 20 of 40 items (--ids (20)).",
    ]
