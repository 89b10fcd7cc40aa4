"""Values and texts as scripts that hand them to the page: compressed, in letters that no encoding changes."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

FOLDER = "data"
SHARD_CHARACTERS = 1_200_000
"""Characters of a shard after which the next begins."""
MOST_IN_SHARD = 4_000
"""Items of a shard."""
BETWEEN_TEXTS = "\x00"
"""Stands between the texts of a shard, and in none of them."""
BEFORE_TEXTS = "\x01"

_GZIP = 31
"""zlib's number for the greatest window with a header of gzip, which holds no time."""

Value = TypeVar("Value")


def as_json(value: Any) -> str:
    """JSON without spaces, in the characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class DataFolder:
    """The scripts of a site.

    Args:
        site: the site's folder.
    """

    def __init__(self, site: Path) -> None:
        self._folder = site / FOLDER
        self._folder.mkdir(parents=True, exist_ok=True)

    def put(self, key: str, content: str) -> None:
        """Write one script.

        Args:
            key: letters, digits and '-'; the page asks for it by this name.
            content: any text.
        """
        packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP, 9)
        compressed = packer.compress(content.encode("utf-8", "replace")) + packer.flush()
        packed = base64.b64encode(compressed).decode()
        (self._folder / f"{key}.js").write_text(f'tolman.add("{key}","{packed}");\n', encoding="ascii")

    def put_json(self, key: str, value: Any) -> None:
        """Write one script with a JSON value."""
        self.put(key, as_json(value))


def columns(entries: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Objects as a list of values for each of their keys, null where one lacks it: alike values compress well."""
    keys = dict.fromkeys(key for entry in entries for key in entry)
    return {key: [entry.get(key) for entry in entries] for key in keys}


def clean(text: str) -> str:
    """A text without the characters that separate the texts of a shard."""
    return text.replace(BETWEEN_TEXTS, "\ufffd").replace(BEFORE_TEXTS, "\ufffd")


def shards(entries: Sequence[Value], sizes: Sequence[int]) -> Iterator[tuple[int, Sequence[Value]]]:
    """Entries in shards of about the same size.

    Args:
        entries: to be parted.
        sizes: characters of each.

    Returns:
        The place of each shard's first entry, and its entries.
    """
    start = size = 0
    for place, own in enumerate(sizes):
        if place > start and (size + own > SHARD_CHARACTERS or place - start == MOST_IN_SHARD):
            yield start, entries[start:place]
            start, size = place, 0
        size += own
    if entries:
        yield start, entries[start:]
