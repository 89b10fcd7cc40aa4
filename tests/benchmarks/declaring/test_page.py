"""The pages of benchmarks that are data files say what the files say."""

import re
from pathlib import Path

import pytest

from tolman.benchmarks.declaring import declared_benchmark, declared_names, shelf
from tolman.benchmarks.declaring.page import main, page_of

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "docs" / "benchmarks"


@pytest.mark.parametrize("name", declared_names())
def test_a_page_is_what_its_file_says(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    written = page_of(shelf().open(name), declared_benchmark(name).published_rows)
    assert text == written, "run: python -m tolman.benchmarks.declaring.page docs/benchmarks"


def test_every_page_is_in_the_contents_and_in_the_table_of_benchmarks() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    table = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for name in declared_names():
        assert f"benchmarks/{name}.md" in contents
        assert re.search(rf"^\| \[`{name}`\]\(benchmarks/{name}\.md\) \|", table, re.MULTILINE)


def test_the_pages_can_be_written_anew(tmp_path: Path) -> None:
    main(str(tmp_path))
    assert {path.stem for path in tmp_path.iterdir()} == set(declared_names())
    assert "`{prefix}` of Forensic_Detection, Jigsaw, Art_Style:" in (tmp_path / "blink.md").read_text()
