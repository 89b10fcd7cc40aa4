"""Tables of the papers beside analyses: read from TOML, and every number found in the paper's text."""

import re
from functools import cache
from pathlib import Path

import pytest

from tolman.benchmarks import get
from tolman.benchmarks.published import PublishedRow, PublishedTable, published_tables, read_published_tables
from tolman.errors import InputError

PAPERS = {"VSI-Bench": "vsi-bench.txt", "MMSI-Bench": "mmsi-bench.txt", "SITE": "site.txt"}
ANALYSES = ("maps", "correlation", "diversity", "errors", "humans", "report", "representative")

TABLE = """benchmark = "Mine"
[[tables]]
analyses = ["maps"]
source = "Table 1"
about = "shares"
columns = ["near", "far"]
[tables.rows]
A = [0.5, 0.25]
"""


def test_a_table_knows_its_benchmark_and_tells_itself(tmp_path: Path) -> None:
    (tmp_path / "tables.toml").write_text(TABLE)
    (table,) = read_published_tables(tmp_path / "tables.toml")
    assert table.told() == "Published (Mine, Table 1): shares (near, far): A 0.5, 0.25."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("[0.5, 0.25]", "[0.5]"), "the row 'A' has 1 figures for 2 columns"),
        (('about = "shares"', 'abouts = "shares"'), "is not a known key"),
        (('source = "Table 1"', 'source = "Table 1"\nscore = "wide"'), "'wide' is no column"),
        (('["maps"]', '["bias"]'), "can't be 'bias'"),
    ],
)
def test_a_damaged_table_gets_a_sentence(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    path = tmp_path / "tables.toml"
    path.write_text(TABLE.replace(*change))
    with pytest.raises(InputError, match=re.escape(sentence)) as caught:
        read_published_tables(path)
    assert str(path) in str(caught.value)


def test_the_analyses_have_their_tables() -> None:
    found = {name: [table.place for table in published_tables(name)] for name in ANALYSES}
    assert found["maps"] == ["VSI-Bench, Table 4"]
    assert found["correlation"] == ["MMSI-Bench, Table 11", "SITE, Table 5", "SITE, Table 6"]
    assert found["errors"] == ["MMSI-Bench, section 5.2", "MMSI-Bench, section 5.2", "VSI-Bench, Figure 7"]
    assert (found["diversity"], found["representative"]) == (["MMSI-Bench, Table 6"], ["VSI-Bench, appendix C.2"])
    assert found["humans"] == ["SITE, Table 3"]
    assert found["report"] == ["SITE, Table 3", "SITE, Table 3"]
    assert published_tables("correlation", "VSI-Bench") == []


@cache
def text_of(folder: Path, paper: str) -> str:
    text = (folder / paper).read_text(encoding="utf-8")
    text = re.sub(r"±plus-or-minus\\pm± [\d.]+", "", text)  # standard deviations
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def in_one_line(text: str, name: str, values: tuple[float, ...]) -> bool:
    """Whether a line begins with the name and holds the figures in their order, and no other."""
    lines = (line for line in text.splitlines() if re.match(rf"[|\s]*{re.escape(name)}[|\s]", line))
    found = ([float(number) for number in re.findall(r"-?\d+\.?\d*", line.split(name, 1)[1])] for line in lines)
    return list(values) in found


def printed(text: str, table: PublishedTable) -> bool:
    if table.source.startswith("Table"):
        return all(in_one_line(text, name, row) for name, row in table.rows.items())
    numbers = [rf"\b{value:g}\\?%" for row in table.rows.values() for value in row]
    return re.search(".*".join(numbers), text, re.DOTALL) is not None


@pytest.mark.parametrize("benchmark", PAPERS)
def test_every_figure_of_a_table_stands_in_its_paper(shared_papers: Path, benchmark: str) -> None:
    text = text_of(shared_papers, PAPERS[benchmark])
    tables = {table.about: table for name in ANALYSES for table in published_tables(name, benchmark)}.values()
    assert tables
    for table in tables:
        assert printed(text, table), table
        for value in (*table.pearson.values(), *table.spearman.values()):
            assert re.search(rf"(?<!\d){re.escape(f'{value:g}')}0*(?!\d)", text), (table.place, value)


def rows_of(name: str, source: str) -> list[PublishedRow]:
    return [row for row in get(name).published_rows if row.source == source]


def test_rows_of_tables_5_and_6_stand_in_the_vsi_bench_paper(shared_papers: Path) -> None:
    text = text_of(shared_papers, "vsi-bench.txt")
    maps = {(row.name, row.protocol): row.values["rel_distance"] for row in rows_of("vsi-bench", "Table 5")}
    for label, protocol in (("*w/o.* Cog. Map", "direct"), ("*w/.* Cog. Map", "cognitive-map")):
        row = tuple(float(maps[model, protocol] or 0) for model in ("LLaVA-Video-72B", "LLaVA-Video-7B"))
        assert in_one_line(text, label, row)
    averages = {row.protocol: row.values["average"] for row in rows_of("vsi-bench", "Table 6")}
    (whole,) = (row for row in rows_of("vsi-bench", "Figure 5") if row.name == "GPT-4o")
    figures = (whole.values["average"], averages["caption-then-answer"], averages["blind"])
    assert in_one_line(text, "Avg.", tuple(float(figure or 0) for figure in figures))


def test_rows_of_table_10_stand_in_the_mmsi_bench_paper(shared_papers: Path) -> None:
    text = text_of(shared_papers, "mmsi-bench.txt")
    rows = rows_of("mmsi-bench", "Table 10")
    assert {row.protocol for row in rows} == {"cot", "joined", "correspondence"}
    for row in rows:
        assert in_one_line(text, row.name, tuple(value for value in row.values.values() if value is not None)), row
