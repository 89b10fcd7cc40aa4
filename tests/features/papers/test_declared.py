"""What papers declare: kinds of figures, their options, columns, protocols and published rows that there are."""

import re
from pathlib import Path

import pytest

from tolman import benchmarks, protocols
from tolman.benchmarks.published import printed_in
from tolman.features.config import fields_of
from tolman.features.figures import FIGURES
from tolman.features.paper import PAPERS, Drawing, Paper, ScoreTable
from tolman.features.report.config import PaperConfig

FOUR = ("mmsi-bench", "site", "spatialbench", "vsi-bench")


def test_there_are_the_four_papers() -> None:
    assert PAPERS.names() == list(FOUR)


@pytest.mark.parametrize("name", FOUR)
def test_all_that_a_paper_declares_exists(name: str) -> None:
    paper: Paper = PAPERS.get(name)
    spec = benchmarks.get(paper.benchmark)
    sources = {row.source for row in spec.published_rows}
    keys = {column.key for column in spec.table.columns}
    options = {one.name for one in fields_of(PaperConfig)}
    names = [part.name for part in paper.parts]
    assert len(set(names)) == len(names)
    for part in paper.parts:
        assert bool(part.steps) != bool(part.instead)
        assert {table.source for table in printed_in(spec.title, part.printed)} == set(part.printed)
        assert not part.steps or part.command
        assert not part.subset or part.subset in spec.subsets
        assert {word for protocol in part.protocols for word in protocol.split("+")} <= set(protocols.names())
        for step in part.steps:
            if isinstance(step, Drawing):
                settings = {one.name for one in fields_of(FIGURES.get(step.kind).config)}
                assert {*step.settings, *step.given} <= settings
                assert set(step.given.values()) <= options
                assert set(step.settings.get("columns", ())) <= keys
            if isinstance(step, ScoreTable):
                assert set(step.sources) - {"-"} <= sources


@pytest.mark.parametrize("name", FOUR)
def test_the_page_lists_every_part(name: str) -> None:
    paper: Paper = PAPERS.get(name)
    page = (Path(__file__).resolve().parents[3] / "docs" / "figures.md").read_text(encoding="utf-8")
    section = page.split(f"### {benchmarks.get(paper.benchmark).title}\n")[1].split("\n#")[0]
    for part in paper.parts:
        (line,) = [line for line in section.splitlines() if line.startswith(f"| {part.name} | {part.title} |")]
        drawn = {step.kind for step in part.steps if isinstance(step, Drawing)}
        assert {kind for kind in FIGURES.names() if f"`figure {kind}`" in line} == drawn
        assert ("not rebuilt" in line) == (not part.steps)


PRINTED = {"vsi-bench": (19, 13), "site": (11, 6), "mmsi-bench": (28, 11), "spatialbench": (9, 3)}
"""How many figures and tables each paper has."""


def numbers(text: str, what: str) -> set[int]:
    """The numbers of figures or tables that a text names: 'Figures 1, 4 and 6 to 9'."""
    found: set[int] = set()
    each = r"\d+(?:a|b)?(?: to \d+)?"
    for names in re.findall(rf"{what}s? ({each}(?:(?:, | and ){each})*)", text):
        for first, last in re.findall(r"(\d+)[ab]?(?: to (\d+))?", names):
            found |= set(range(int(first), int(last or first) + 1))
    return found


@pytest.mark.parametrize("name", FOUR)
def test_the_page_marks_every_table_and_figure_of_the_papers(name: str) -> None:
    title = benchmarks.get(PAPERS.get(name).benchmark).title
    page = (Path(__file__).resolve().parents[3] / "docs" / "figures.md").read_text(encoding="utf-8")
    section = page.split(f"### {title}\n")[1].split("\n#")[0].replace("\n", " ")
    told = " ".join([*(part.name for part in PAPERS.get(name).parts), section.partition("No results:")[2]])
    figures, tables = PRINTED[name]
    assert numbers(told, "Figure") == set(range(1, figures + 1))
    assert numbers(told, "Table") == set(range(1, tables + 1))
