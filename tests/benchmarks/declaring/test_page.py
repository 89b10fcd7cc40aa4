"""The pages of benchmarks that are data files agree with the files."""

from pathlib import Path

import pytest

from tolman.benchmarks.declaring import catalogue, declared_names
from tolman.benchmarks.declaring.page import TITLES, page_name, pages, section, write

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "benchmarks"


@pytest.mark.parametrize("name", TITLES)
def test_a_page_agrees_with_its_files(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert text == pages()[name], "run: python -m tolman.benchmarks.declaring.page docs/benchmarks"


def test_every_benchmark_has_a_section_and_an_entry_in_the_overview() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    overview = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for name in declared_names():
        page = page_name(catalogue().open(name))
        assert f"benchmarks/{page}.md" in contents
        assert f"\n## `{name}`\n" in (PAGES / f"{page}.md").read_text(encoding="utf-8")
        assert f"[`{name}`](benchmarks/{page}.md#{name})" in overview


def test_scorers_of_one_reader_are_named_together() -> None:
    text = section(catalogue().open("3dsrbench"))
    assert "`official`, `official-flip`, `official-circular`, `official-flip-circular` (`vlmevalkit-exact`);" in text


def test_a_benchmark_that_is_based_on_another_names_it() -> None:
    text = section(catalogue().open("spar-tiny"))
    assert "- Everything else is as in [`spar`](#spar).\n" in text
    assert "Scorers" not in text


def test_pages_are_written(tmp_path: Path) -> None:
    write(tmp_path, [("images", "one\n")])
    assert (tmp_path / "images.md").read_text() == "one\n"
