"""The pictures of README and of the pages about reports: each is made by `make pictures`, and small."""

import re
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

from docs.blocks import ROOT

PAGES = (
    "README.md", "docs/tutorial.md", "docs/baselines.md", "docs/figures.md", "docs/explorer.md", "docs/statistics.md",
    "docs/analyses/observer.md",
)  # fmt: skip
MADE = (
    "observer-curves.svg",
    "explorer-*.png", "compare.png", "explained.png", "figure-*.svg", "vsi-bench-baselines.svg", "worlds.jpg",
    "review-*.png",
)  # fmt: skip
"""What tests/docs/pictures.py writes."""
SMALL = tuple(one for one in (*MADE, "review-decide.png") if one != "review-*.png")


def test_every_picture_of_the_pages_is_made_by_the_command_and_no_other_lies_there() -> None:
    shown = {
        Path(link).name
        for page in PAGES
        for link in re.findall(r"!\[[^\]]*\]\(([^)]*)\)", (ROOT / page).read_text(encoding="utf-8"))
    }
    assert {name for name in shown if not any(fnmatch(name, one) for one in MADE)} == set()
    there = {path.name for one in MADE if one != "review-*.png" for path in (ROOT / "docs" / "images").glob(one)}
    assert there <= shown


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for one in SMALL for path in (ROOT / "docs" / "images").glob(one)}
    assert len(sizes) > 20
    assert {name for name, size in sizes.items() if size >= 300_000} == set()


def test_a_page_s_answers_are_those_of_its_sheets() -> None:
    from docs.pictures import with_answers

    page = "![a](../images/families-mmsi-camera-object.jpg)\n\n- camera-object: A, B\n- object-object: C\n- other: a word\n"
    letters = {"families-mmsi-camera-object": ["D", "A", "C"], "families-mmsi-object-object": ["B"]}
    assert with_answers(page, letters) == page.replace("camera-object: A, B", "camera-object: D, A, C")


@pytest.mark.full
def test_a_palette_keeps_the_colours_of_letters_and_lines(tmp_path: Path) -> None:
    from PIL import Image

    pictures = pytest.importorskip("docs.pictures", reason="pictures are taken with the extra 'dev'")
    noise = np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)
    page = np.full((200, 300, 3), 255, np.uint8)
    page[10:20, 10:100], page[30:33, 5:200], page[100:160, 100:180] = (255, 226, 122), (179, 38, 30), noise
    Image.fromarray(page).save(tmp_path / "a.png")
    pictures.compress(tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert image.mode == "P"
        after = np.asarray(image.convert("RGB"))
    outside = np.ones(page.shape[:2], bool)
    outside[100:160, 100:180] = False
    assert (after[outside] == page[outside]).all()
