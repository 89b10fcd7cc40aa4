"""Published rows: what is read of them, and that every number is one that its source prints."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tolman import benchmarks
from tolman.benchmarks.published import PublishedRow, read_published
from tolman.benchmarks.spec import BenchmarkSpec
from tolman.errors import InputError

PAPERS = {"vsi-bench": "2024", "mmsi-bench": "2025", "site": "2025", "spatialbench": "2025"}
"""Benchmarks of Tolman's own papers, and the year of each paper."""

THEIRS = {
    "SPAR-Bench": ("spar", "spar-tiny"),
    "VSI-Bench-Debiased": ("vsi-bench",),
    "MMSI-Video-Bench": ("mmsi-video",),
    "RefSpatial-Bench": ("refspatial",),
}
"""Benchmarks that the table of facts calls otherwise."""


def file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_file_without_the_columns_of_how_is_read(tmp_path: Path) -> None:
    path = file(
        tmp_path / "rows.csv", "group,name,setting,source,overall\nmodel,A,tiny,Table 1,12.5\nhuman,B,,Table 1,\n"
    )
    first, second = read_published(path, ["overall", "other"])
    assert first == PublishedRow("model", "A", "tiny", "Table 1", {"overall": 12.5, "other": None})
    assert (second.values["overall"], second.date, second.frames) == (None, "", "")


def test_columns_of_how_are_read_unless_the_table_has_such_a_key(tmp_path: Path) -> None:
    text = "group,name,setting,source,date,frames,harness,averaging,revision,subset,overall\n"
    text += "model,A,,card,2026-02,32,lmms-eval,micro,before 2025,tiny,1\n"
    (row,) = read_published(file(tmp_path / "rows.csv", text), ["overall"])
    assert (row.date, row.frames, row.harness, row.averaging, row.revision, row.subset) == (
        "2026-02", "32", "lmms-eval", "micro", "before 2025", "tiny",
    )  # fmt: skip
    text = "group,name,setting,source,frames\nmodel,A,,card,7\n"
    (row,) = read_published(file(tmp_path / "rows.csv", text), ["frames"])
    assert (row.values, row.frames) == ({"frames": 7.0}, "")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("group,name,setting,source,other\n", "field 'other': is no column of the table"),
        ("group,name,overall\n", "field 'setting': is missing"),
        ("group,name,setting,source\nmodels,A,,T\n", "row 2, field 'group': 'models' is no group"),
        ("group,name,setting,source,date\nmodel,A,,T,2026-13\n", "row 2, field 'date': '2026-13' is no date"),
        ("group,name,setting,source,overall\nmodel,A,,T,x\n", "row 2, field 'overall': 'x' is no number"),
        ("group,name,setting,source,overall\nmodel,A,,T,nan\n", "row 2, field 'overall': 'nan' is no number"),
        ("group,name,setting,source,overall\nmodel,A,,T,1,2\n", "row 2: has more than the 5 cells"),
        ("group,name,setting,source,overall\nmodel\n", "row 2, field 'name': is missing"),
    ],
)
def test_a_damaged_file_gets_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = file(tmp_path / "rows.csv", text)
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        read_published(path, ["overall"])
    assert str(path) in str(caught.value)


@cache
def specs() -> dict[str, BenchmarkSpec]:
    return {name: benchmarks.named(name) for name in benchmarks.names()}


def every_row() -> Iterator[tuple[str, PublishedRow]]:
    for name, spec in specs().items():
        for row in spec.published_rows:
            yield name, row


@pytest.mark.full
def test_rows_of_the_five_that_complete_the_eight_and_more_are_there() -> None:
    counts = Counter(name for name, _ in every_row())
    assert counts.keys() >= {"mindcube", "blink", "viewspatial", "embspatial", "3dsrbench", *PAPERS}
    assert len(counts) >= 20
    assert sum(counts.values()) >= 600
    assert all(row.date and row.source for _, row in every_row())


@pytest.mark.full
def test_no_row_stands_there_twice() -> None:
    for name, spec in specs().items():
        found = Counter(
            (
                row.name,
                row.setting,
                row.source,
                row.date,
                row.subset,
                row.frames,
                row.harness,
                tuple(row.values.items()),
            )
            for row in spec.published_rows
        )
        assert not [row for row, count in found.items() if count > 1], name


@pytest.mark.full
def test_subsets_are_those_of_the_benchmark_or_said_to_be_others() -> None:
    strange = {
        (name, row.subset) for name, row in every_row() if row.subset not in ("", "not stated", *specs()[name].subsets)
    }
    # SITE's people answered a sample that is not released; RefSpatial without its third split is no subset here.
    assert strange == {("site", "tiny"), ("refspatial", "location+placement")}


def plain(name: str) -> str:
    return re.sub(r"\W", "", name.lower())


@pytest.mark.full
def test_every_number_of_2025_and_later_is_one_of_the_gathered_facts(shared_facts: Path) -> None:
    printed: dict[str, set[tuple[str, float]]] = {}
    with (shared_facts / "published-2025-26.csv").open(encoding="utf-8", newline="") as opened:
        for fact in csv.DictReader(opened):
            names = THEIRS.get(fact["benchmark"], (fact["benchmark"].lower(),))
            for name in names:
                printed.setdefault(name, set()).add((fact["model"], float(fact["value"])))
    checked = 0
    for name, row in every_row():
        if name in PAPERS and row.date == PAPERS[name]:
            continue  # the paper's own rows: each benchmark's tests hold them against its text
        values = [value for value in row.values.values() if value is not None]
        assert values, (name, row.name)
        for value in values:
            models = {model for model, one in printed[name] if one == value}
            known = {plain(model) for model in models}
            # An abstract's '+ RL' is told with the model that it was added to.
            assert plain(row.name) in known or (name == "mindcube" and "abstract" in row.source), (
                name,
                row.name,
                value,
            )
            checked += 1
    assert checked >= 900


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "paper", "source"), [("mmsi-bench", "mmsi-bench.txt", "Table 3"), ("site", "site.txt", "Table 4")]
)
def test_rows_of_a_paper_stand_in_its_text(shared_papers: Path, name: str, paper: str, source: str) -> None:
    text = " ".join((shared_papers / paper).read_text(encoding="utf-8").split())
    rows = [row for row in benchmarks.named(name).published_rows if row.source == source]
    assert rows
    for row in rows:
        values = [value for value in row.values.values() if value is not None]
        numbers = r"[\s|%]+".join(rf"{re.escape(f'{value:g}')}(?:\.?0+)?" for value in values)
        assert re.search(rf"(?<![\d.]){numbers}(?![\d.])", text), (row.name, values)
