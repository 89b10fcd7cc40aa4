"""README's figures are what the commands print."""

import re
from pathlib import Path

from docs.blocks import ROOT, blocks, commands
from terminal import tolman

README = "README.md"


def test_the_first_table_is_what_its_command_prints(shared_data: Path, tmp_path: Path) -> None:
    (block,) = (one for one in blocks(README) if "Chance Level" in one.text)
    (command,) = commands(block)
    done = tolman(tmp_path, *command.words[1:], "--data", str(shared_data / "vsi-bench"))
    assert done.returncode == 0, done.stderr
    printed = [_plain(line) for line in done.stdout.splitlines()]
    heading = next(place for place, line in enumerate(block.text.splitlines()) if "scorer" in line)
    shown = [_plain(line) for line in block.text.splitlines()[heading + 1 :]]
    assert len(shown) > 6
    for line in shown:
        assert line in printed, done.stdout


def test_readme_takes_two_minutes() -> None:
    """By words of prose; tables and blocks are looked at, not read."""
    text = (ROOT / README).read_text(encoding="utf-8").partition("## Documentation")[0]
    prose = re.sub(r"^```.*?^```|^\|.*?$|!?\[([^\]]*)\]\([^)]*\)", r"\1", text, flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) < 700


def test_every_link_of_readme_leads_somewhere() -> None:
    text = (ROOT / README).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)", text):
        assert link.startswith("https://") or (ROOT / link).exists(), link


def _plain(line: str) -> str:
    return " ".join(line.split())
