"""Files that a page shows: a block with a title, or whose first line is a comment with a file's name, or one that is listed."""

import re
from collections.abc import Mapping
from pathlib import Path

from docs.blocks import blocks
from docs.exceptions import FILES

_NAME = re.compile(r"^# ([\w./-]+\.(?:py|toml|csv|jsonl))$")


def _listed(page: str, first: str) -> str:
    return next((file for (where, begins), file in FILES.items() if where == page and first.startswith(begins)), "")


def with_addresses(text: str, nodes: Mapping[str, str]) -> str:
    """A text with the base URLs of servers in the place of the docs'."""
    for name, url in nodes.items():
        text = text.replace(f"http://{name}:8000/v1", url)
    return text


def write_files(page: str, place: Path, nodes: Mapping[str, str] | None = None) -> list[Path]:
    """Write a page's files into a folder; their paths.

    Args:
        page: of the docs.
        place: the folder.
        nodes: servers in the docs → where they are.
    """
    found = []
    for block in blocks(page):
        first = block.text.splitlines()[0] if block.text else ""
        named = _NAME.match(first)
        name = block.title or (named[1] if named else _listed(page, first))
        if name:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(with_addresses(block.text, nodes or {}) + "\n", encoding="utf-8")
            found.append(path)
    return found
