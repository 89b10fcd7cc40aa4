"""Texts: Markdown of a study as HTML that can do no harm.

HTML in it is shown, not run; links lead to http and https only, and open a page of their own; pictures are the study's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False})


def pictures_in(text: str) -> list[str]:
    """The sources of the pictures of a text, in their order."""
    return [
        str(child.attrs["src"])
        for token in _reader().parse(text)
        for child in token.children or ()
        if child.type == "image"
    ]


def html_of(text: str, addresses: Mapping[str, str]) -> Markup:
    """A text as HTML.

    Args:
        text: Markdown.
        addresses: source of a picture → its address on this server; of others only the words are shown.
    """
    reader = _reader()
    tokens = reader.parse(text)
    for token in tokens:
        token.children = [_safe(child, addresses) for child in token.children or ()] or None
    # Everything of the text is escaped by the renderer; there is no HTML in it but the renderer's own.
    return Markup(reader.renderer.render(_lowered(tokens), reader.options, {}))


def _safe(token: Token, addresses: Mapping[str, str]) -> Token:
    if token.type == "link_open":
        address = str(token.attrs.get("href", ""))
        if not address.startswith(("https://", "http://")):
            token.attrs.pop("href", None)
        else:
            token.attrs |= {"target": "_blank", "rel": "noopener noreferrer"}
    elif token.type == "image":
        address = addresses.get(str(token.attrs["src"]), "")
        if not address:
            token.type, token.tag, token.content = "text", "", f"[{token.content}]"
            token.children = None
        else:
            token.attrs["src"] = address
    return token


def _lowered(tokens: Sequence[Token]) -> Sequence[Token]:
    """The page has a heading of its own, so a text's begin below it."""
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    return tokens
