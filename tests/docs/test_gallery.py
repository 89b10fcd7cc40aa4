"""The examples: eight of them, short, and an audit of all of VSI-Bench that says what the page shows."""

import re
from pathlib import Path

import pytest

from docs.blocks import ROOT, commands_of
from docs.carrying import without_lines
from docs.prose import prose, words_in
from terminal import tolman

GALLERY = "docs/gallery.md"
MOST = 90
"""Words of an example, without its blocks."""


def test_there_are_eight_short_examples_with_commands_or_code() -> None:
    text = (ROOT / GALLERY).read_text(encoding="utf-8")
    examples = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert len(examples) == 8
    for example in examples:
        assert words_in(prose(example)) <= MOST
        assert "```" in example


@pytest.mark.full
def test_the_audit_finds_in_all_of_vsi_bench_what_the_page_shows(shared_data: Path, tmp_path: Path) -> None:
    (command,) = (command for command in commands_of(GALLERY) if command.words[1] == "audit")
    data = shared_data / "vsi-bench"
    words = [str(data / "meta_info") if word == "meta_info" else word for word in command.words[1:]]
    done = tolman(tmp_path, *words, "--data", str(data), COLUMNS="400")
    assert done.returncode == 1, done.stderr
    assert len(command.shown) > 3
    assert not without_lines(command.shown, done.stdout)
