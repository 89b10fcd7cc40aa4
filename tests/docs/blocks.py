"""The fenced blocks of README and docs, and the commands in them."""

import re
import shlex
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("tolman", "cat", "pip", "make", "export", "python", "python2", "python3", "egoexo")
"""First words that make a block without a language one of commands."""
LANGUAGES = ("", "bash", "console", "json", "python", "text", "toml")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: path below the project's root.
        line: number of the fence's line, from 1.
        language: what stands behind the fence.
        text: its lines.
        title: the file's name that stands there too (`title="my_file.py"`), or ''.
    """

    page: str
    line: int
    language: str
    text: str
    title: str = ""

    @property
    def is_commands(self) -> bool:
        """Whether it shows what is typed (and perhaps what comes back)."""
        if self.language in ("bash", "console"):
            return True
        first = next((line for line in self.text.splitlines() if line.strip() and not line.startswith("#")), "")
        words = first.removeprefix("$ ").split()
        return not self.language and bool(words) and words[0] in PROGRAMS


@dataclass(frozen=True)
class Command:
    """One command of a page.

    Attributes:
        page: where it stands.
        text: as it stands there, without comment and continuation.
        shown: lines of output that the page shows below it.
    """

    page: str
    text: str
    shown: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """What a shell makes of it, before patterns of file names."""
        return shlex.split(self.text)


@cache
def pages() -> tuple[str, ...]:
    """README and all pages of the documentation, by path below the root."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return tuple(path.relative_to(ROOT).as_posix() for path in found)


@cache
def blocks(page: str) -> tuple[Block, ...]:
    """The blocks of a page.

    Raises:
        ValueError: a fence is not closed.
    """
    found, start, language, lines, indent = [], 0, "", list[str](), 0
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), start=1):
        stripped = line.lstrip()
        if not start and stripped.startswith("```"):
            start, language, lines, indent = number, stripped[3:].strip(), [], len(line) - len(stripped)
        elif start and stripped.startswith("```"):
            word, _, more = language.partition(" ")
            title = re.search(r'title="([^"]+)"', more)
            found.append(Block(page, start, word, "\n".join(lines), title[1] if title else ""))
            start = 0
        elif start:
            lines.append(line[indent:])
    if start:
        raise ValueError(f"{page}:{start}: the block is not closed.")
    return tuple(found)


def commands(block: Block) -> list[Command]:
    """The commands of a block; where lines begin with '$ ', the others are what was printed."""
    text = block.text.replace("\\\n", " ")
    found: list[Command] = []
    lines = text.splitlines()
    prompted = any(line.startswith("$ ") for line in lines)
    for line in lines:
        if prompted and not line.startswith("$ "):
            if line.strip():
                found[-1] = replace(found[-1], shown=(*found[-1].shown, line))
            continue
        plain = _without_comment(line.removeprefix("$ "))
        found += [Command(block.page, " ".join(part.split())) for part in plain.split("&&") if part.strip()]
    return found


def commands_of(page: str) -> list[Command]:
    """All commands of a page, in their order."""
    return [command for block in blocks(page) if block.is_commands for command in commands(block)]


def _without_comment(line: str) -> str:
    """A line up to a '#' that begins a word outside of quotes."""
    quote = ""
    for place, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "#" and (place == 0 or line[place - 1].isspace()):
            return line[:place]
    return line
